"""The public report: from the bundle alone, in both languages, and never with anything of the raw side."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import factory
from factory.audit import structure
from factory.audit.announced import announced_days
from factory.audit.shortcuts import LIMIT
from factory.bundle import Bundle, build_files
from factory.errors import BadInput, GateRefused
from factory.evidence import percent
from factory.forecast.baselines import run as run_baselines
from factory.release import load_bundle, measure, replace_folder, scan
from factory.report_en import ATTACKERS, attacker, plain
from factory.report_public import (
    PUBLIC,
    Measured,
    public_page,
    scan_page,
    visible,
    write_public,
)
from factory.report_view import STANCES
from factory.report_words import WORDS, words
from factory.report_zh import chinese
from factory.score.textfree import MIDPOINT, RANDOM, RULE_NOTES, START
from factory.workspace import Workspace
from schemas import (
    LANGS,
    Alias,
    AnonStatement,
    Claim,
    DateRef,
    Entity,
    GateName,
    GateState,
    Grade,
    Keys,
    Lang,
    Plain,
    ReplacementTable,
    Resolution,
    ScoreCard,
)
from schemas.exam import Axis
from schemas.timeline import Emotion
from tests import example_event as example
from tests.bank.arcs import Built, arc16, build, demo_arc
from tests.scripted import make_context
from tests.test_report import HOSTILE, Page

TEMPLATES = Path(factory.__file__).parent / "templates"
SALT = "salt-of-the-test-event"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The example event with a release whose gates were measured."""
    workspace = example.write_workspace(tmp_path_factory.mktemp("public") / "harwick")
    workspace.write("secret/keys.json", Keys(public_id="e-test", salt=SALT))
    asyncio.run(run_baselines(make_context(workspace.root, "baselines")))
    ctx = make_context(workspace.root, "release", fictional=True)
    bundle = load_bundle(ctx)
    result = measure(bundle, ctx, *scan(build_files(bundle), bundle, ctx))
    final = replace(bundle, gates=result.gates, waived=result.waived, ungated=result.ungated)
    replace_folder(workspace.path("09_release"), build_files(final))
    write_public(workspace.root)
    return workspace


@pytest.fixture
def workspace(released: Workspace, tmp_path: Path) -> Workspace:
    """A copy that a test may change."""
    shutil.copytree(released.root, tmp_path / "harwick")
    return Workspace(tmp_path / "harwick")


@pytest.fixture(scope="module")
def html(released: Workspace) -> str:
    return released.path(PUBLIC).read_text(encoding="utf-8")


def part(html: str, lang: str) -> str:
    """One language of the page without what is marked as the other one, codes, styles and pictures' figures."""
    own = html.split(f'<div class="part" id="{lang}"')[1].split('<div class="part"')[0]
    other = "en" if lang == "zh" else "zh"
    own = re.sub(rf'<(span|q) lang="{other}">.*?</\1>', "", own, flags=re.DOTALL)
    return visible("<p " + re.sub(r"<code>.*?</code>", "", own))


def edit_manifest(workspace: Workspace, **fields: object) -> None:
    path = workspace.path("09_release/manifest.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | fields), encoding="utf-8")


# -- one page from the bundle alone --------------------------------------------------------------


def test_the_bundle_alone_gives_the_same_bytes(
    released: Workspace, html: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "bundle"
    shutil.copytree(released.path("09_release"), elsewhere)
    said: list[str] = []
    page = write_public(elsewhere, tmp_path / "page.html", say=said.append)
    assert page.read_text(encoding="utf-8") == html
    assert "without the table of names" in said[0]


def test_inside_its_event_a_bundle_is_scanned_with_the_table(
    released: Workspace, tmp_path: Path
) -> None:
    said: list[str] = []
    write_public(released.path("09_release"), tmp_path / "page.html", say=said.append)
    assert not said


def test_nothing_is_fetched_and_no_script_runs(html: str) -> None:
    page = Page(html)
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "style", "background"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        if "href" in attributes:
            assert tag == "a"
            assert attributes["href"].startswith("#")
    assert "url(" not in html
    assert "@import" not in html
    assert "://" not in html


def test_ids_are_unique_and_every_link_leads_somewhere(html: str) -> None:
    tags = Page(html).tags
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert max(ids.values()) == 1
    links = {attributes["href"][1:] for _, attributes in tags if "href" in attributes}
    assert len(links) > 10
    assert links <= set(ids)
    assert {a["for"] for _, a in tags if "for" in a} <= set(ids)


def test_headings_never_skip_a_level_and_each_part_has_one_title(html: str) -> None:
    for lang in ("en", "zh"):
        own = html.split(f'<div class="part" id="{lang}"')[1].split('<div class="part"')[0]
        levels = [int(tag[1]) for tag, _ in Page("<p " + own).tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(b <= a + 1 for a, b in pairwise(levels))


def test_every_table_has_a_caption_and_every_picture_its_words(html: str) -> None:
    assert html.count("<table") == html.count("<caption") > 10
    pictures = re.findall(r'<svg(?![^>]*aria-hidden)[^>]*role="img".*?</svg>', html, re.DOTALL)
    assert len(pictures) > 8
    for picture in pictures:
        assert re.match(r"<svg[^>]*><title>[^<]+</title><desc>[^<]+</desc>", picture)
    shown = re.findall(r"<svg[^>]*>", html)
    assert all('role="img"' in tag or 'aria-hidden="true"' in tag for tag in shown)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_days_points_twins_and_their_evidence(
    released: Workspace, html: str, lang: Lang
) -> None:
    text = part(html, lang)
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    for point in bundle.points.points:
        assert point.cutoff.isoformat() in text
    asked = [q for q in bundle.questions if q.text[lang] in text]
    assert {q.answer for q in asked} == {0, 1}
    cells = Counter((q.pair_id, q.window_days) for q in asked)
    assert set(cells.values()) == {2}, "a shown question stands beside its twin"
    dated = [e for e in bundle.events if e.text[lang] in text]
    assert len(dated) == 2
    assert all(e.date.isoformat() in text for e in dated)


def test_the_words_that_decide_an_answer_are_marked(html: str) -> None:
    own = html.split('<div class="part" id="en"')[1].split('<div class="part"')[0]
    marked = re.findall(r"<mark>(.*?)</mark>", own)
    assert marked
    sentences = " ".join(row[2] for row in example.FACTS).replace("⟦GOV:B⟧", "Authority B")
    assert all(words in sentences.replace("⟦PLC:K⟧", "Place K") for words in marked)


def test_gates_are_shown_with_their_states_and_figures(released: Workspace, html: str) -> None:
    manifest = json.loads(released.path("09_release/manifest.json").read_text())
    states = {gate["state"] for gate in manifest["gates"]}
    assert {"passed", "waived"} <= states
    text = visible(html)
    assert "`" not in text, "commands are shown as code"
    for gate in manifest["gates"]:
        assert plain(gate["measure"]) in text
        assert plain(gate["reason"]).replace("`", "") in text
    for name in manifest["waived"]:
        assert WORDS[f"gate-{name}"][0] in text


def test_rules_without_text_stand_with_their_intervals(released: Workspace, html: str) -> None:
    card = json.loads(released.path("09_release/cards/bank.json").read_text())["baselines"]
    grades = {row["system"]: row for row in card["axes"] if row["axis"] == "temporal"}
    text = part(html, "en")
    assert len(grades) >= 5
    for name in grades:
        assert name in text
    assert all(f"{grade['score']:.1f}" in text for grade in grades.values())
    spread = [row["interval"] for row in card["axes"] if row["interval"]]
    assert spread
    assert all(f"{ends['low']:.1f} to {ends['high']:.1f}" in text for ends in spread)


# -- both languages ------------------------------------------------------------------------------


def test_the_chinese_part_holds_no_english_words(html: str) -> None:
    allowed = {"event", "factory", "check", "paper", "brier", "english", "ece", "cc", "by"}
    found = {word.lower() for word in re.findall(r"[A-Za-z]{2,}", part(html, "zh"))}
    ids = {word for word in found if re.search(rf"\d{word}|{word}\d", html.lower())}
    assert found - allowed - ids <= {"scripted", "default", "test"}  # models and the event's id


def test_the_english_part_holds_no_chinese_words(html: str) -> None:
    assert not re.search(r"[\u3400-\u9fff]", part(html, "en"))


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_take_the_same_figures(key: str) -> None:
    en, zh = (set(re.findall(r"\{(\w+)\}", text)) for text in WORDS[key])
    assert en == zh
    assert re.search(r"[\u3400-\u9fff]", WORDS[key][1]) or key in (
        "panel-share",
        "brackets",
        "then",
    )
    assert not re.search(r"[\u3400-\u9fff]", WORDS[key][0])


def test_the_template_asks_for_known_words_only() -> None:
    asked: set[str] = set()
    for name in ("public.html.j2", "public_part.html.j2"):
        source = (TEMPLATES / name).read_text(encoding="utf-8")
        for call in re.findall(r"\bt\(([^()]*)", source):
            asked |= set(re.findall(r'"([a-z][\w -]*)"', call.split(", ")[0]))
    assert len(asked) > 40
    assert {key for key in asked if not key.endswith("-")} <= set(WORDS)


def test_no_word_is_left_over() -> None:
    sources = [
        *TEMPLATES.glob("public*.j2"),
        *TEMPLATES.parent.glob("report_*.py"),
        TEMPLATES.parent / "hiding.py",
    ]
    text = "".join(p.read_text(encoding="utf-8") for p in sources if p.stem != "report_words")
    composed = ("gate-", "relation-", "type-", "panel-", "read-", "role-")
    values = {*STANCES, *Emotion.__args__, *GateState.__args__, *Grade.__args__, *Axis.__args__}  # type: ignore[attr-defined]
    for model, name in ((Claim, "dimension"), (Claim, "difficulty"), (Resolution, "basis")):
        values |= set(model.model_fields[name].annotation.__args__)  # type: ignore[union-attr]
    left = [k for k in WORDS if f'"{k}"' not in text and not k.startswith(composed)]
    assert set(left) <= values


@pytest.mark.parametrize("name", GateName.__args__)  # type: ignore[attr-defined]
def test_every_gate_has_its_words(name: str) -> None:
    assert f"gate-{name}" in WORDS
    assert f"gate-{name}-is" in WORDS


def test_gates_claim_no_more_than_is_tested() -> None:
    """Wording is compared and attackers are tried; what a question means is not."""
    for lang in ("en", "zh"):
        shortcuts = words("gate-shortcuts-is", lang)  # type: ignore[arg-type]
        assert f"{LIMIT:.0f}" in shortcuts
        for key in ("gate-shortcuts-is", "gate-structure-is", "shortcuts-lead"):
            said = words(key, lang)  # type: ignore[arg-type]
            assert re.search(r"not (tested|tried)|未检验|未作测试", said), said
            assert not re.search(r"nothing (away|to learn)|gives? it away|猜不出|透露", said), said


@pytest.mark.parametrize("rule", [MIDPOINT, START, RANDOM])
def test_a_date_rule_that_knows_the_bucket_names_the_protocol_that_tells_it(rule: str) -> None:
    sees = RULE_NOTES[rule]
    assert "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days)" in sees
    assert "看已发布评测规程所告知的天数段（0–30、31–60或61–90天）" in (chinese(sees) or "")


def test_announced_days_are_counted_and_marked_in_both_languages(released: Workspace) -> None:
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    event = next(row for row in bundle.events if row.point_id == bundle.points.points[0].point_id)
    day = DateRef(start=event.date, end=event.date, precision="day")
    first = bundle.timeline.nodes[0]
    told = AnonStatement(
        statement_id="s-told",
        text={"en": (Plain(text="It is due on "), day), "zh": (Plain(text="定于"), day)},
    )
    node = first.model_copy(update={"fact": (*first.fact, told)})
    nodes = (node, *bundle.timeline.nodes[1:])
    timeline = bundle.timeline.model_copy(update={"nodes": nodes})
    shown = {lang: part(page_of(replace(bundle, timeline=timeline)), lang) for lang in ("en", "zh")}
    total = len(bundle.events)
    count = sum(row.date == event.date for row in bundle.events)
    assert not announced_days(bundle.points.points, bundle.events, bundle.timeline).events
    assert f"vote or a ruling, for instance): {count} of {total}." in shown["en"]
    assert f"{total}道日期题中，{count}道所问的日期已有预告" in shown["zh"]
    assert words("announced", "en") in shown["en"]
    assert words("announced", "zh") in shown["zh"]


def test_what_the_program_says_of_gates_has_a_chinese_form(released: Workspace) -> None:
    manifest = json.loads(released.path("09_release/manifest.json").read_text())
    for gate in manifest["gates"]:
        assert chinese(gate["measure"]), gate["measure"]
        assert not gate["reason"] or chinese(gate["reason"]), gate["reason"]


def test_every_rule_and_attacker_has_a_chinese_name(released: Workspace) -> None:
    for name, sees in RULE_NOTES.items():
        assert chinese(name), name
        assert chinese(sees), sees
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    for name in structure.rules(bundle.bank) | structure.fitted(bundle.bank):
        assert chinese(name), name


def reasons_in_the_code() -> set[str]:
    """Every reason that the composer counts claims and questions by, read from its source."""
    home = Path(factory.__file__).parent
    found: set[str] = set()
    for path in (*sorted((home / "bank").glob("*.py")), home / "compose.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            keys: list[ast.expr | None] = []
            if isinstance(node, ast.Subscript):
                holder = node.value
                name = (
                    holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
                )
                keys = [node.slice] if name in ("lost", "counts") else []
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Counter":
                keys = [key for arg in node.args if isinstance(arg, ast.Dict) for key in arg.keys]
            found |= {key.value for key in keys if isinstance(key, ast.Constant)}  # type: ignore[misc]
    return found


@pytest.mark.parametrize("reason", sorted(reasons_in_the_code()))
def test_every_reason_for_not_asking_has_a_chinese_line(reason: str) -> None:
    assert chinese(reason), f"add {reason!r} to factory/report_zh.py"


def test_reasons_of_real_banks_are_among_those_of_the_code() -> None:
    met = {reason for arc in (demo_arc(), arc16()) for reason in build(arc).report.dropped}
    assert len(met) >= 3
    assert met | {"families without a twin"} <= reasons_in_the_code()


def test_days_that_are_no_cutoff_have_chinese_reasons(released: Workspace) -> None:
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    found = {row.reason for row in bundle.points.dropped}
    found |= {row.reason for arc in (demo_arc(), arc16()) for row in arc.point_set.dropped}
    assert all(chinese(reason) for reason in found), found


def test_no_inner_name_of_an_attacker_is_shown(released: Workspace, html: str) -> None:
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    exact = structure.rules(bundle.bank) | structure.fitted(bundle.bank)
    for name in (n for n in exact if not n.startswith("constant")):
        assert attacker(name) != name
    assert not re.search(r"fitted (tree|logistic|boosting)|\b(en|zh) rounded", part(html, "en"))


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        ("context meaning zh rounded", "closeness in meaning to the context (zh edition, rounded)"),
        ("words en", "words of the question (en edition)"),
        ("fitted tree: earlier points", "decision tree given the earlier points"),
        ("an attacker of tomorrow", "an attacker of tomorrow"),
    ],
)
def test_an_attacker_is_named_by_what_it_looks_at(inner: str, shown: str) -> None:
    assert attacker(inner) == shown


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (
            "highest score: words en rounded 62.7, interval 54.5 to 71.0; largest lower end: words en 50.1, score "
            "50.6, interval 50.3 to 50.8; corrected for 26 attackers",
            "highest score 62.7, interval 54.5 to 71.0: words of the question (en edition, rounded); largest lower end "
            "50.1: words of the question (en edition), which scores 50.6, interval 50.3 to 50.8; lower ends are "
            "corrected for the number of attackers, 26",
        ),
        (
            "the event is fictional; otherwise not evaluated: the panel's answers are scripted; the panel's grade is MID",
            "waived since the event is fictional; otherwise not evaluated: the auditors' answers were written by hand; "
            "the auditors' grade is MID: somebody comes near the event",
        ),
        ("type A 0.479 of 0.470, type D 0.160 of 0.180", "type A 47.9% (wanted 47.0%), type D 16.0% (wanted 18.0%)"),
        ("off plan: window 7 0.053 of 0.150", "off plan: windows of 7 days 5.3% (wanted 15.0%)"),
        (
            "0 findings; 0 twin cells that structure tells apart; one who knew the type letters scores 65.8",
            "0 findings; pairs that structure tells apart: 0; one who knew the kind of each question would score 65.8",
        ),
        (
            "0.030 below the floor of 0.08 with 200 questions: too few cells with a true claim and 7 observed days; "
            "nothing is padded",
            "3.0 percentage points below the floor of 8.0% with 200 questions: too few cells with a true claim and 7 "
            "observed days; nothing is padded",
        ),
        (
            "0.025 above the target with 200 questions; nothing is padded",
            "2.5 percentage points above the target with 200 questions; nothing is padded",
        ),
        ("1 findings; 188 questions, 50 events", "1 finding; 188 questions, 50 events"),
        ("a sentence of tomorrow, with 3 of 4", "a sentence of tomorrow, with 3 of 4"),
    ],
)  # fmt: skip
def test_sentences_of_gates_are_said_in_words(told: str, shown: str) -> None:
    assert plain(told) == shown


def test_every_attacker_of_the_english_page_has_a_chinese_name_too() -> None:
    assert all(chinese(name) for name in ATTACKERS)


def test_one_is_singular() -> None:
    assert words("more", "en", n=1) == "and 1 more sentence"
    assert words("more", "en", n=2) == "and 2 more sentences"
    assert words("more", "zh", n=1) == "另有1句"
    assert not re.search(
        r"\b1 (\w+ )?(sentences|days|points|rounds|names|mentions)\b",
        words("lead", "en", nodes=1, points=1),
    )


@pytest.mark.parametrize("count", range(1, 9))
def test_shares_of_a_few_posts_add_up_to_all(count: int) -> None:
    for first in range(count + 1):
        shown = [percent(n / count) for n in (first, count - first)]
        assert sum(float(text.rstrip("%")) for text in shown) == pytest.approx(100, abs=0.11)
    assert percent(0.125) == "12.5%"
    assert percent(0.5) == "50%"


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("3 leaks in public bytes", "公开文件中发现3处泄漏"),
        (
            "panel grade MID after 2 rounds, 7 possible offsets",
            "审查2轮，部分被认出；日期平移尚有7种可能",
        ),
        (
            "the panel's grade is MID; fewer than 10 offsets remain possible",
            "审查结果为“部分被认出”；日期平移的可能值不足10种",
        ),
        (
            "the event is fictional; otherwise not evaluated: the panel's answers are scripted; the panel's grade is "
            "UNKNOWN",
            "事件为虚构，故予豁免；否则为“未评估”：审查者的回答由人工撰写；审查结果为“结果未知”",
        ),
        (
            "type A 0.440 of 0.470, type D 0.180 of 0.180",
            "A类44.0%（目标47.0%），D类18.0%（目标18.0%）",
        ),
        ("off plan: type C 0.050 of 0.120, window 7 0.040 of 0.150", "偏离计划：C类5.0%（目标12.0%），7天时间窗4.0%（目标15.0%）"),
        (
            "0.030 below the floor of 0.08 with 200 questions: too few cells with a true claim and 7 observed days; "
            "nothing is padded",
            "共200题，比下限8.0%低3.0个百分点：观察期满7天、且有成真之事可问的位置太少；不凑数",
        ),
        ("0.025 above the target with 200 questions; nothing is padded", "共200题，比目标高2.5个百分点；不凑数"),
        (
            "0 findings; 200 labels recomputed: 144 from quoted words, 12 from words against, 1 from counted posts, 43 "
            "from silence",
            "重新计算200个答案，发现0处问题：144个据写明此事的引语，12个据与之相反的引语，1个据帖子统计，43个因时间线未提此事",
        ),
        ("words en rounded scores 61.0, at least 56.2", "“题面用词（英文，取整）”得61.0分，至少56.2分"),
    ],
)  # fmt: skip
def test_sentences_of_the_program_keep_their_figures(english: str, expected: str) -> None:
    assert chinese(english) == expected


@pytest.mark.parametrize(
    "english", ["leak-name, leak-date", "a sentence of tomorrow", "3 leaks in public bytes and more", ""]
)  # fmt: skip
def test_a_sentence_that_is_not_known_is_not_guessed_at(english: str) -> None:
    assert chinese(english) is None


def test_an_unknown_sentence_is_shown_as_it_is_and_marked(workspace: Workspace) -> None:
    path = workspace.path("09_release/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["gates"][0]["measure"] = "a sentence of tomorrow"
    path.write_text(json.dumps(manifest))
    html = write_public(workspace.root).read_text(encoding="utf-8")
    assert '<span lang="en">a sentence of tomorrow</span>' in html


def test_the_language_asked_for_is_shown_first(released: Workspace, tmp_path: Path) -> None:
    html = write_public(released.root, tmp_path / "zh.html", lang="zh").read_text(encoding="utf-8")
    assert html.startswith('<!DOCTYPE html>\n<html lang="zh">')
    assert html.index('id="zh"') < html.index('<div class="part" id="en"')
    assert re.search(r'id="pick-zh"[^>]* checked', html)
    assert not re.search(r'id="pick-en"[^>]* checked', html)


# -- leaks ---------------------------------------------------------------------------------------


def leaking(workspace: Workspace) -> str:
    workspace.path(PUBLIC).unlink()
    with pytest.raises(GateRefused) as refused:
        write_public(workspace.root)
    assert not workspace.path(PUBLIC).exists()
    return str(refused.value)


def test_a_name_of_the_table_refuses_the_page(workspace: Workspace) -> None:
    alias = Alias(surface="fish hall", lang="en", origin="human")
    more = Entity(entity_id="e9", cls="PLC", label="F", aliases=(alias,))
    table = workspace.read(ReplacementTable, "secret/table.json")
    entities = (*table.entities, more)
    workspace.write("secret/table.json", table.model_copy(update={"entities": entities}))
    message = leaking(workspace)
    assert "leak-name" in message
    assert "fish hall" in message
    assert "nothing was written" in message


def test_an_escaped_name_is_found_as_a_reader_would_read_it(workspace: Workspace) -> None:
    alias = Alias(surface="O'Brien & Sons", lang="en", origin="human")
    more = Entity(entity_id="e9", cls="COM", label="F", aliases=(alias,))
    table = workspace.read(ReplacementTable, "secret/table.json")
    entities = (*table.entities, more)
    workspace.write("secret/table.json", table.model_copy(update={"entities": entities}))
    edit_manifest(workspace, licence="by kind permission of O'Brien & Sons")
    assert "leak-name" in leaking(workspace)


def test_a_day_of_the_raw_calendar_refuses_the_page(workspace: Workspace) -> None:
    edit_manifest(workspace, licence=f"CC-BY-4.0 since {example.FACTS[-1][0]}")
    assert "leak-date" in leaking(workspace)


def test_a_secret_refuses_the_page_and_is_not_repeated(workspace: Workspace) -> None:
    edit_manifest(workspace, licence=f"see {SALT}")
    message = leaking(workspace)
    assert "secret-value" in message
    assert SALT not in message


def test_the_topic_refuses_the_page(workspace: Workspace) -> None:
    edit_manifest(workspace, licence=f"see {example.TITLE}")
    assert "secret-value" in leaking(workspace)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("ask press@harbour.example", "leak-shape"),
        ("as Reuters reported", "leak-real-name"),
        ("the real name is known", "leak-meta"),
        ("sk-abcdefghijklmnopqrstuvwxyz", "secret-key"),
    ],
)
def test_a_bundle_alone_is_scanned_for_what_needs_no_table(
    workspace: Workspace, tmp_path: Path, words: str, rule: str
) -> None:
    edit_manifest(workspace, licence=words)
    shutil.copytree(workspace.path("09_release"), tmp_path / "bundle")
    with pytest.raises(GateRefused, match=rule):
        write_public(tmp_path / "bundle", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_the_scan_reads_what_a_picture_says(released: Workspace, html: str) -> None:
    bundle = load_bundle(make_context(released.root, "release", fictional=True))
    assert scan_page(html, bundle, released) == ([], True)
    told = html.replace("<desc>", "<desc>Harwick Council ", 1)
    findings, _ = scan_page(told, bundle, released)
    assert "leak-name" in {finding.rule for finding in findings}


def test_hostile_texts_stay_texts(workspace: Workspace) -> None:
    edit_manifest(workspace, licence=HOSTILE, models={"plan": HOSTILE}, factory_version=HOSTILE)
    page = Page(write_public(workspace.root).read_text(encoding="utf-8"))
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert page.text.count("<script>alert(1)</script>") >= 6


# -- where it comes from and goes to -------------------------------------------------------------


def test_an_event_without_a_release_has_no_public_report(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path / "harwick")
    with pytest.raises(BadInput, match="no release yet"):
        write_public(workspace.root)


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="neither an event's folder nor a bundle"):
        write_public(tmp_path)


def test_a_page_is_never_written_into_the_bundle(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="inside the bundle"):
        write_public(workspace.root, workspace.path("09_release/report.html"))
    with pytest.raises(BadInput, match="is a folder"):
        write_public(workspace.root, workspace.root)


def test_a_changed_bundle_is_refused(workspace: Workspace) -> None:
    (workspace.path("09_release") / "key" / "pairs.jsonl").write_text("")
    with pytest.raises(BadInput, match=r"pairs\.jsonl"):
        write_public(workspace.root)


def test_the_command_prints_where_the_page_is(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    from factory.cli.bank import report

    report(str(workspace.root), public=True)
    assert capsys.readouterr().out == f"{workspace.path(PUBLIC)}\n"
    with pytest.raises(BadInput, match="add --public"):
        report(str(workspace.root), lang="zh")
    with pytest.raises(BadInput, match="no edition"):
        report(str(workspace.root), public=True, lang="fr")


# -- other banks ---------------------------------------------------------------------------------


def test_a_long_bank_folds_its_later_points_and_leaves_none_out() -> None:
    built = build(arc16())
    bundle = bare_bundle(built)
    html = page_of(bundle)
    for lang in LANGS:
        own = html.split(f'<div class="part" id="{lang}"')[1].split('<div class="part"')[0]
        assert own.count('<article class="point">') == 3
        assert own.count('<details class="point">') == len(built.arc.points) - 3 == 2
        for point in built.arc.points:
            assert point.cutoff.isoformat() in own
    assert html.count("<details") == html.count("</details>")
    assert html.count("<article") == html.count("</article>")
    assert html == page_of(bundle)


def test_a_bank_without_scores_and_gates_still_has_a_page() -> None:
    bundle = bare_bundle(build(demo_arc()))
    bare = replace(bundle, pairs=(), resolutions=(), claims=())
    text = part(page_of(bare), "en")
    assert "checks passed\n0/0" in text
    assert "Checks before release" in text


def test_questions_without_twins_are_shown_singly() -> None:
    bundle = bare_bundle(build(demo_arc()))
    alone = tuple(q for q in bundle.questions if q.answer == 1)
    text = part(page_of(replace(bundle, questions=alone)), "en")
    assert WORDS["single"][0] in text
    assert WORDS["samples-lead-single"][0] in text
    assert any(q.text["en"] in text for q in alone)


def bare_bundle(built: Built) -> Bundle:
    """A bank that nobody measured."""
    return Bundle(
        timeline=built.arc.timeline,
        points=built.arc.point_set,
        claims=tuple(built.claims),
        resolutions=tuple(built.resolutions),
        pairs=built.pairs,
        questions=built.bank.questions,
        events=built.bank.events,
        report=built.report,
        card=example.anonymisation_card(),
        baselines=ScoreCard(rules="paper", rules_version="1", cells=(), overall={}),
        gates=(),
        ungated=(),
        fictional=False,
        scripted=False,
        licence="CC-BY-4.0",
        models={},
        factory_version="0",
    )


def page_of(bundle: Bundle) -> str:
    return public_page(
        bundle, Measured((), {}, {}, "no edition is complete"), lang="en", digest="0"
    )
