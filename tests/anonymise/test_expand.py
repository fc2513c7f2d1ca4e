"""Forms by rule: complete where readers use them, silent where they are ordinary words or another thing's name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.expand import expand
from factory.anonymise.folding import unaccented
from factory.anonymise.match import Matcher
from factory.anonymise.ordinary_zh import ordinary_chinese
from factory.anonymise.table import Named, build_table, contested, settle
from schemas import EntityClass, ReplacementTable


@pytest.mark.parametrize(
    ("cls", "name", "forms"),
    [
        ("PER", "Mayor Lena M. Ortiz", {"Lena M. Ortiz", "Ortiz", "L. Ortiz", "L.M. Ortiz", "Ortiz, Lena"}),
        ("PER", "José García", {"García", "Garcia", "Jose Garcia", "JoséGarcía", "José_García", "JoseGarcia", "J. Garcia"}),
        ("PER", "Enrique Peña Nieto", {"Nieto", "Peña Nieto", "Pena Nieto", "Enrique Pena Nieto"}),
        ("PLC", "Łódźborg", {"Lodzborg", "Łódźborger", "Lodzborger"}),
        ("PLC", "Straßø", {"Strasso"}),
        ("PER", "蒋韦骆", {"蒋总", "蒋氏", "蔣總"}),
        ("PLC", "New York", {"New Yorker", "New Yorkers", "New-York", "NewYork"}),
        ("CTY", "South Korea", {"South Korean", "South Koreans", "South-Korea"}),
        ("PER", "Jan van der Berg", {"van der Berg", "Berg", "J. van der Berg"}),
        ("PER", "林国栋", {"林先生", "林某", "林國棟", "Lin Guodong", "Guodong Lin", "Lin Guo-dong", "LinGuodong"}),
        ("PER", "欧阳修文", {"欧阳局长", "Ouyang Xiuwen", "歐陽修文"}),
        ("PER", "曾志强", {"Zeng Zhiqiang"}),
        ("PER", "吕雯", {"Lu Wen", "Lv Wen", "Lyu Wen"}),
        ("PER", "莉娜·奥尔蒂斯", {"奥尔蒂斯", "莉娜奥尔蒂斯", "莉娜•奥尔蒂斯"}),
        ("COM", "Velloway Holdings Ltd", {"Velloway Holdings", "Velloway", "VellowayHoldingsLtd"}),
        ("COM", "砺汐海事技术股份有限公司", {"砺汐海事技术"}),
        ("PLC", "岚渡市", {"岚渡", "嵐渡市"}),
        ("PLC", "後尾島", {"后尾岛"}),
        ("PLC", "海港市", {"Haigangshi", "Hai Gang Shi", "Hǎigǎngshì", "Hǎi Gǎng Shì"}),
        ("PER", "林国栋", {"Lín Guódòng", "Lín Guó Dòng"}),
        ("PER", "Bashar al-Haddan", {"Haddan", "al Haddan", "B. al-Haddan"}),
        ("PER", "Luc d'Arvor", {"d'Arvor", "Arvor"}),
        ("PER", "A. B. Karunan", {"A.B. Karunan", "AB Karunan", "A B Karunan", "Karunan"}),
        ("PER", "José Ortuño y Galvar", {"Ortuño y Galvar", "Galvar"}),
        ("CTY", "Vellonia", {"Vellonian", "Vellonians"}),
        ("CTY", "France", {"French"}),
        ("CTY", "United States", {"American", "Americans", "US", "U.S."}),
        ("PLT", "@okestrin", {"okestrin"}),
        ("ORG", "#SaveTheFerry", {"SaveTheFerry", "Save The Ferry"}),
        ("COM", "$VLW", {"VLW"}),
        ("COM", "NYSE: VLW", {"VLW", "$VLW"}),
        ("COM", "www.velloway.example", {"velloway.example", "velloway"}),
        ("PRD", "Falcon H100", {"Falcon H-100", "Falcon H 100", "H100"}),
        ("GRP", "Pier and Quay Workers", {"Pier & Quay Workers"}),
    ],
)  # fmt: skip
def test_forms_that_readers_use(cls: EntityClass, name: str, forms: set[str]) -> None:
    assert forms <= set(expand(cls, [name]))


@pytest.mark.parametrize("name", ["老林", "小林"])
def test_a_nickname_is_no_surname_with_titles(name: str) -> None:
    assert f"{name[0]}先生" not in expand("PER", [name])


@pytest.mark.parametrize("name", ["José García", "Łódźborg", "Bjørn Ærland", "Çağ Şeker"])
def test_no_form_cuts_a_word_at_an_accent(name: str) -> None:
    whole = {word for each in (name, unaccented(name)) for word in re.findall(r"\w+", each.lower())}
    joined = {"".join(re.findall(r"\w+", each.lower())) for each in (name, unaccented(name))}
    for cls in ("PER", "PLC"):
        for form in expand(cls, [name]):
            bare = form.lower().replace("_", "")
            assert any(word in bare for word in whole | joined), form


def test_a_name_without_its_accents_is_replaced() -> None:
    named = [Named("PER", ("José García",)), Named("PER", ("Enrique Peña Nieto",))]
    text = "Jose Garcia met Pena Nieto; García and Peña Nieto said @JoseGarcia."
    assert words(text, named) == ["Jose Garcia", "Pena Nieto", "García", "Peña Nieto", "JoseGarcia"]


def test_a_short_form_of_a_shared_surname_waits_for_a_person() -> None:
    two = build_table([Named("PER", ("蒋韦骆",)), Named("PER", ("蒋文山",))], ["老蒋"], "salt")
    assert {"蒋总", "老蒋", "蒋氏"} <= {c.surface for c in contested(two)}
    one = build_table([Named("PER", ("蒋韦骆",))], [], "salt")
    assert not contested(one)
    used = build_table([Named("PER", ("蒋韦骆",))], ["小蒋说，老蒋和蒋总都在。"], "salt")
    assert [c.surface for c in contested(used)] == ["小蒋", "老蒋"]
    assert words("老蒋说，蒋总和蒋氏都在。", [Named("PER", ("蒋韦骆",))]) == [
        "老蒋",
        "蒋总",
        "蒋氏",
    ]
    # 高校 and 长期 are words: what only looks like a form is asked about.
    gao = build_table([Named("PER", ("高文山",))], [], "salt")
    assert [row.surface for row in ordinary_chinese(gao, "高校长期停课。")] == ["高校长"]


def surfaces(table: ReplacementTable, canonical: str) -> dict[str, str]:
    """Surface -> doubt of one entity."""
    (entity,) = (e for e in table.entities if e.aliases[0].surface == canonical)
    return {alias.surface: alias.doubt for alias in entity.aliases}


def words(text: str, named: Sequence[Named]) -> list[str]:
    hits = Matcher(build_table(named, [text], "salt")).find(text)
    return [text[hit.start : hit.end] for hit in hits]


def test_a_form_that_is_a_place_and_an_ordinary_word_is_not_used() -> None:
    named = [Named("COM", ("Landu Ferry Company",)), Named("PLC", ("Landu",))]
    assert words("The Landu ferry of Landu Ferry Company", named) == [
        "Landu",
        "Landu Ferry Company",
    ]
    chinese = [Named("COM", ("岚渡轮渡公司",)), Named("PLC", ("岚渡",))]
    assert words("岚渡轮渡停航，岚渡轮渡公司道歉", chinese) == ["岚渡", "岚渡轮渡公司"]


def test_a_form_of_a_body_yields_to_the_thing_it_is_named_after() -> None:
    named = [Named("COM", ("Westhaven Ltd",)), Named("PLC", ("Westhaven",))]
    table = build_table(named, ["Westhaven waits."], "salt")
    assert "Westhaven" not in surfaces(table, "Westhaven Ltd")
    assert contested(table) == []


def test_a_form_that_is_an_ordinary_word_waits_for_a_person_only_where_it_occurs() -> None:
    named = [Named("COM", ("Summit Holdings",))]
    text = "They met at the summit. Workers say Summit lied."
    table = build_table(named, [text], "salt")
    assert [(c.surface, c.reason) for c in contested(table)] == [
        ("Summit", "also an ordinary word")
    ]
    assert "Summit" not in surfaces(
        build_table(named, ["They met at the summit."], "salt"), "Summit Holdings"
    )
    settled = settle(table, "Summit", "Summit Holdings")
    assert contested(settled) == []
    assert "Summit" in surfaces(settled, "Summit Holdings")
    assert "Summit" not in surfaces(settle(table, "Summit", None), "Summit Holdings")


def test_a_short_form_of_a_body_matches_its_own_case() -> None:
    assert words("Grand Quay and the grand quay", [Named("COM", ("Grand Quay Ltd",))]) == [
        "Grand Quay"
    ]


COUNTRIES = [
    Named("CTY", ("中国", "China")),
    Named("CTY", ("美国", "United States")),
    Named("CTY", ("日本",)),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("中美谈判", ["中", "美"]),
        ("美中日三方", ["美", "中", "日"]),
        ("对美出口", ["美"]),
        ("反美情绪，美方回应", ["美", "美"]),
        ("中国与美国", ["中国", "美国"]),
        ("对美国出口", ["美国"]),
        ("对美好生活的向往", []),
        ("对中小企业的支持", []),
        ("其中日常开支", []),
        ("对华政策，华丽，对华丽的", ["华"]),
        ("在美企业在中央", ["美"]),
        ("中美洲", []),
        ("方案中方便的部分", []),
    ],
)
def test_one_character_names_of_countries_stand_only_in_fixed_forms(
    text: str, found: list[str]
) -> None:
    assert words(text, COUNTRIES) == found


def test_two_countries_in_one_form_are_two_entities_and_not_contested() -> None:
    table = build_table(COUNTRIES, [], "salt")
    assert contested(table) == []
    matcher = Matcher(table)
    owners = [hit.owners for hit in matcher.find("中美")]
    names = [matcher.entities[owner].aliases[0].surface for (owner,) in owners]
    assert names == ["中国", "美国"]


@given(
    st.sampled_from(["PER", "ORG", "COM", "PLC", "CTY", "PRD"]),
    st.text(alphabet="abAZ 林国港·-.@#9é\u200b", min_size=1, max_size=12),
)
@settings(max_examples=100)
def test_expansion_is_repeatable_and_never_empty_words(cls: EntityClass, name: str) -> None:
    forms = expand(cls, [name])
    assert forms == expand(cls, [name])
    assert len(set(forms)) == len(forms)
    assert all(any(char.isalnum() for char in form) for form in forms)
