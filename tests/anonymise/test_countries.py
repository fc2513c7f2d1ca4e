"""A right guess is known however it spells its countries, and another event of the same ones is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.countries import countries_said
from factory.anonymise.grade import grade
from factory.anonymise.naming import names
from schemas import Guess, TruthCard
from tests.anonymise.test_grade import TRUTH


def judged(event: str, *event_names: str, **card: Any) -> str:
    truth: TruthCard = TRUTH.model_copy(update={"event_names": event_names, **card})
    return grade([Guess(event=event, confidence=0.5)], truth).grade


TRADE_WAR = ("2018 US-China trade war", "中美贸易战")
PENSIONS = ("2023 French pension reform strikes", "2023年法国养老金改革罢工")


@pytest.mark.parametrize(
    "said",
    [
        "China–United States trade war of 2018",
        "trade war between China and the United States",
        "the U.S.-China trade war",
        "the trade war of the U.S. and the PRC",
        "the USA's trade war with China",
        "us-china trade war",
        "Sino-American trade war",
        "Sino–US trade war",
        "Chinese-American trade war",
        "America's trade war against China",
        "America’s trade war on Chinese goods",
        "the trade war between Washington and Beijing",
        "trade war: Americans and Chinese",
        "the US-中国 trade war",
        "中国与美国的贸易战",
        "美国与中国之间的贸易战争",
        "中國與美國的貿易戰",
        "美中贸易战",
        "2018—2020年美中贸易战",
        "美国对华贸易战",
        "中、美贸易战",
        "中方与美方的贸易战",
        "中华人民共和国同美利坚合众国的贸易大战",
        "北京和华盛顿的贸易战",
    ],
)
def test_two_countries_may_be_spelt_in_any_way_and_order(said: str) -> None:
    assert judged(said, *TRADE_WAR) == "HIGH"
    if said.isascii():
        assert (
            judged(said, "China–United States trade war", "trade war of America against China")
            == "HIGH"
        )
        assert judged(said, "Sino-American trade war") == "HIGH"


@pytest.mark.parametrize(
    "said",
    [
        "trade war between Japan and South Korea",
        "Sino-Japanese trade war",
        "the trade war between the EU and the US",
        "South American trade war with China",
        "a trade war",
        "a trade war of two great powers",
        "US-China spy balloon incident",
        "the Phase One talks of China and the United States",
        "the ping-pong diplomacy of Americans and Chinese",
        "the war of tariffs",
        "中日贸易战",
        "日美贸易战",
        "日韩贸易战",
        "美国与日本的贸易战",
        "贸易战",
        "中美洲的贸易战",
        "中美贸易谈判",
        "中美贸易协定",
        "美中气球事件",
        "中国与美国的建交",
        "中美乒乓外交",
    ],
)
def test_other_countries_or_another_event_of_the_same_ones_stay_low(said: str) -> None:
    assert judged(said, *TRADE_WAR) == "LOW"


@pytest.mark.parametrize(
    ("said", "event_names"),
    [
        ("the strikes against the pension reform in France", PENSIONS),
        ("France's pension reform strikes", PENSIONS),
        ("法国反对养老金改革的大罢工", PENSIONS),
        ("法兰西养老金改革罢工", PENSIONS),
        ("the UK rail strikes", ("2022 British rail strike",)),
        ("rail strikes in Great Britain", ("2022 British rail strike",)),
        ("the South Korean martial law crisis", ("South Korea martial law crisis",)),
        ("martial law in South Korea, the crisis", ("Korean martial law crisis",)),
        ("the Russian invasion of Ukraine", ("Russia's invasion of Ukraine",)),
        ("俄罗斯入侵乌克兰", ("俄国入侵乌克兰",)),
        ("印度与巴基斯坦的空战", ("印巴空战",)),
        ("以色列与巴勒斯坦冲突", ("巴以冲突",)),
        ("the US Steel merger", ("United States Steel merger",)),
        ("the American Airlines pilots' strike", ("American Airlines strike",)),
        ("a strike at american airlines", ("American Airlines strike",)),
    ],
)
def test_one_country_may_be_said_by_its_people_too(said: str, event_names: tuple[str, ...]) -> None:
    assert judged(said, *event_names) == "HIGH"


@pytest.mark.parametrize(
    ("said", "event_names"),
    [
        ("a pension reform strike", PENSIONS),
        ("the pension reform strikes in Belgium", PENSIONS),
        ("the French fuel strikes", PENSIONS),
        ("英国养老金改革罢工", PENSIONS),
        ("法国燃油税抗议", PENSIONS),
        ("a strike of US airlines", ("American Airlines strike",)),
        ("the American steel merger", ("United States Steel merger of Pittsburgh",)),
        ("North Korea's missile test", ("South Korean missile test",)),
        ("a rail strike that concerns all of us", ("American rail strike",)),
        ("a polish of the election law", ("2025 Poland election law",)),
    ],
)
def test_a_country_or_a_common_word_alone_says_no_event(
    said: str, event_names: tuple[str, ...]
) -> None:
    assert judged(said, *event_names) == "LOW"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("恒大债务危机", "恒大危机"),
        ("恒大集团的债务危机", "恒大债务危机"),
        ("恒大集团有限公司债务违约危机", "恒大债务危机"),
        ("北京市特大暴雨", "北京暴雨"),
        ("河南郑州的特大暴雨灾害", "郑州暴雨"),
        ("汶川大地震", "2008年汶川地震"),
        ("上海市区的一场火灾", "上海火灾"),
        ("布林穆尔市电车司机大罢工", "布林穆尔电车罢工"),
    ],
)
def test_a_chinese_name_may_have_few_characters_between_its_parts(said: str, name: str) -> None:
    assert judged(said, name) == "HIGH"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("恒大足球俱乐部", "恒大危机"),
        ("恒大足球俱乐部", "恒大债务危机"),
        ("恒大足球俱乐部夺得亚洲冠军", "恒大债务危机"),
        ("恒大足球；碧桂园的危机", "恒大危机"),
        ("碧桂园债务危机", "恒大债务危机"),
        ("某开发商的债务危机", "恒大债务危机"),
        ("a debt crisis of a developer", "Evergrande debt crisis"),
        ("暴雨袭击北京", "北京暴雨"),
        ("北京遭遇一次持续多日罕见的特大暴雨", "北京暴雨"),
        ("上海火锅店的灾难", "上海火灾"),
    ],
)
def test_a_part_of_a_chinese_name_or_parts_far_apart_are_no_name(said: str, name: str) -> None:
    assert judged(said, name) == "LOW"


@pytest.mark.parametrize(
    ("actor", "said", "expected"),
    [
        ("United States", "an American tram strike", "MID"),
        ("China", "a Chinese tram strike", "MID"),
        ("中国", "一次中美电车罢工", "MID"),
        ("China", "a Japanese tram strike", "LOW"),
        ("United States", "a tram strike that tired us", "LOW"),
        ("中国银行", "中国某银行外的电车罢工", "LOW"),
        ("Bank of China", "a tram strike at a Chinese bank", "LOW"),
        ("北京大学", "北京某大学外的电车罢工", "LOW"),
    ],
)
def test_a_country_is_an_actor_by_its_people_and_a_body_is_not(
    actor: str, said: str, expected: str
) -> None:
    assert judged(said, "Brinmoor", actors=(actor,)) == expected


FORMS = {
    "United States": ("US", "U.S.", "USA", "America", "American", "Americans", "the United States", "美国", "美利坚合众国"),
    "China": ("China", "Chinese", "PRC", "中国"),
    "United Kingdom": ("UK", "Britain", "British", "Britons", "Great Britain", "英国"),
    "South Korea": ("South Korea", "South Koreans", "Korean", "韩国", "南韩"),
    "Turkey": ("Turkey", "Türkiye", "Turkish", "土耳其"),
    "Netherlands": ("the Netherlands", "Holland", "Dutch", "荷兰"),
    "Saudi Arabia": ("Saudi Arabia", "Saudi", "沙特"),
    "Indonesia": ("Indonesia", "Indonesian", "印尼", "印度尼西亚"),
    "India": ("India", "Indian", "印度"),
}  # fmt: skip
COUNTRY = st.sampled_from(sorted(FORMS))


@given(COUNTRY, COUNTRY, st.data())
def test_any_two_forms_of_a_country_are_one_and_of_two_countries_two(
    one: str, other: str, data: st.DataObject
) -> None:
    left, right = (data.draw(st.sampled_from(FORMS[country])) for country in (one, other))
    assert countries_said(f"Strike: {left}, 2026").countries == {one}
    assert names(f"Ferry strike ({left})", f"{right} ferry strike") == (one == other)
    both = f"{left} – {right} ferry dispute"
    assert countries_said(both).countries == {one, other}
    assert names(f"the ferry dispute of {right} with {left}", both)
    assert names(both, both)


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("South American floods", set()),
        ("Latin America and North America", set()),
        ("New Mexico wildfires", set()),
        ("Indian Ocean tsunami", set()),
        ("中美洲飓风", set()),
        ("集中美国的力量", {"United States"}),
        ("中日韩峰会", {"China", "Japan", "South Korea"}),
        ("朝韩会谈", {"North Korea", "South Korea"}),
        ("印尼海啸", {"Indonesia"}),
        ("巴以冲突", {"Israel", "Palestine"}),
        ("印巴冲突", {"India", "Pakistan"}),
        ("Anglo-French ferry", {"United Kingdom", "France"}),
        ("General Franco", set()),
        ("It told us", set()),
        ("US", {"United States"}),
        ("bus strike", set()),
    ],
)
def test_what_is_a_country(text: str, countries: set[str]) -> None:
    assert countries_said(text).countries == countries
