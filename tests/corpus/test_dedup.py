"""Copies are found, updates stay, and a cluster never grows beyond what its representative says."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from factory.dedup.cluster import Document, Rule, cluster, components, document
from factory.dedup.wording import comparable
from factory.encode import load_encoder
from factory.settings import Settings

SETTINGS = Settings()
ENCODER = load_encoder(SETTINGS.encoder)
RULE = Rule(SETTINGS.corpus, ENCODER.mono, ENCODER.cross)

ARTICLE = (
    "Lanmere's harbour authority said on Monday that ferry fares will rise by 12 percent from 1 March, the first "
    "increase in four years. A single crossing will cost 3.40 crowns instead of 3.05. Officials blamed higher fuel "
    "and maintenance bills and promised a discount card for students and pensioners."
)


def groups(*documents: Document) -> list[list[str]]:
    return [
        [g.representative.item_id, *(m.item_id for m, _ in g.members)]
        for g in cluster(documents, ENCODER, SETTINGS.corpus)
    ]


def test_labelled_pairs_keep_precision_99_and_recall_95(testdata: Path) -> None:
    """Labels as given; copies and translations count as found, an update is no copy."""
    with (testdata / "data/dedup/pairs.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    texts = {text for row in rows for text in (row["a"], row["b"])}
    order = sorted({comparable("", text) for text in texts})
    vectors = dict(zip(order, ENCODER.encode(order), strict=True))
    counts: Counter[tuple[bool, int]] = Counter()
    for row in rows:
        post = row["kind"].startswith("post")
        a, b = (document(side, comparable("", row[side]), post=post) for side in "ab")
        found = RULE(a, b, float(vectors[a.text] @ vectors[b.text]))
        counts[found is not None and found.relation != "update", row["duplicate"]] += 1
    right, wrong, missed = counts[True, 1], counts[True, 0], counts[False, 1]
    precision, recall = right / (right + wrong), right / (right + missed)
    print(f"{len(rows)} pairs: precision {precision:.4f}, recall {recall:.4f}")
    assert precision >= 0.99
    assert recall >= 0.95


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The death toll from the Mira flood has risen to 41, officials said. 17 people are missing.",
         "The death toll from the Mira flood has risen to 57, officials said. 9 people are missing."),
        ("诺尔兰央行周四加息25个基点，基准利率升至4.50%。", "诺尔兰央行周四降息25个基点，基准利率降至4.00%。"),
    ],
)  # fmt: skip
def test_other_numbers_make_an_update_and_never_a_copy(a: str, b: str) -> None:
    found = cluster([document("a", a, day=1), document("b", b, day=2)], ENCODER, SETTINGS.corpus)
    assert [group.members for group in found] == [[], []]
    assert found[1].update_of == {"a"}
    assert found[0].update_of == set()


def test_a_lead_belongs_to_the_full_article_and_the_earlier_one_speaks() -> None:
    lead = ARTICLE.split(". ")[0] + "."
    assert groups(document("full", ARTICLE, day=5), document("lead", lead, day=4)) == [
        ["full", "lead"]
    ]
    assert groups(
        document("copy", ARTICLE + " More soon.", day=5), document("first", ARTICLE, day=4)
    ) == [["first", "copy"]]


def test_a_translation_is_linked_and_kept() -> None:
    zh = (
        "兰米尔港务局周一表示，渡轮票价将从3月1日起上调12%，这是四年来首次涨价。单程票价将由3.05克朗升至3.40克朗。"
        "官员称原因是燃油和维修费用上升，并承诺为学生和退休人员推出优惠卡。"
    )
    found = cluster(
        [document("en", ARTICLE, day=1), document("zh", zh, day=1)], ENCODER, SETTINGS.corpus
    )
    assert [len(group.members) for group in found] == [0, 0]
    assert {frozenset(group.translation_of) for group in found} == {
        frozenset({"en"}),
        frozenset({"zh"}),
    }


def test_the_same_words_long_after_are_a_new_text() -> None:
    assert len(groups(document("a", ARTICLE, day=1), document("b", ARTICLE, day=40))) == 2
    assert len(groups(document("a", ARTICLE, day=1), document("b", ARTICLE, day=None))) == 1


def test_a_post_that_quotes_an_article_is_no_copy_of_it() -> None:
    assert len(groups(document("a", ARTICLE, day=1), document("p", ARTICLE, post=True, day=1))) == 2


def test_a_repost_with_words_of_its_own_is_a_statement_of_its_own() -> None:
    short = "Harbour United finally sacked Maas. About time."
    own = (
        short
        + " But who will pay the four million that his contract still costs, and why did nobody ask the fans?"
    )
    assert len(groups(document("a", short, post=True), document("b", own, post=True))) == 2
    assert (
        len(groups(document("a", short, post=True), document("b", short.upper(), post=True))) == 1
    )


def test_texts_without_content_match_nothing() -> None:
    empty = [document("a", ""), document("b", ""), document("c", "🙂"), document("d", "。。。")]
    assert len(groups(*empty)) == 4


def test_one_address_is_one_article_unless_numbers_changed() -> None:
    url = "https://news.example/ferry"
    longer = (
        ARTICLE
        + " The council will vote on the card in the coming week, the mayor added late in the evening."
    )
    assert len(groups(document("a", ARTICLE, url=url), document("b", longer, url=url))) == 1
    changed = ARTICLE.replace("12 percent", "15 percent").replace("3.40", "3.51")
    assert len(groups(document("a", ARTICLE, url=url), document("b", changed, url=url))) == 2


def test_members_that_only_hang_on_a_chain_are_split_off() -> None:
    sentences = [f"Statement number {word} concerns the {word} harbour and its {word} pilots today." for word in (
        "north", "south", "east", "west", "inner", "outer", "upper", "lower", "old", "new")]  # fmt: skip
    window = [" ".join(sentences[start : start + 4]) for start in range(0, 7)]
    found = groups(*(document(f"d{i}", text, day=i) for i, text in enumerate(window)))
    members = {tuple(group) for group in found}
    assert len(members) > 1
    assert sorted(member for group in found for member in group) == [f"d{i}" for i in range(7)]


def test_components_are_rooted_at_the_smallest_node() -> None:
    assert components(range(6), [(4, 2), (2, 5), (1, 3)]) == [[0], [1, 3], [2, 4, 5]]


def test_shuffled_input_gives_the_same_clusters() -> None:
    texts = [ARTICLE, ARTICLE + " More.", ARTICLE.replace("12", "15"), "短讯：渡轮票价上调12%，学生卡下周办理。",
             "渡轮票价上调12%，学生卡下周办理！", "Rain closed the upper road for two hours on Sunday."]  # fmt: skip
    documents = [document(f"d{i}", text, day=1 + i % 2) for i, text in enumerate(texts)]
    first = groups(*documents)
    for seed in range(3):
        random.Random(seed).shuffle(documents)
        assert groups(*documents) == first


@pytest.mark.slow
def test_a_corpus_of_forms_keeps_small_pure_clusters(testdata: Path) -> None:
    """Form letters in two languages that share sentences: what unverified bands and bare cosines unite."""
    folder = testdata / "bench/dedup"
    code = "import gen, json; print(json.dumps(gen.gen(1500)))"
    run = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    rows = json.loads(run.stdout)
    documents = [document(f"{row['id']:05d}", comparable("", row["text"]), day=0) for row in rows]
    truth = {f"{row['id']:05d}": row["cluster"] for row in rows}
    found = cluster(documents, ENCODER, SETTINGS.corpus)
    sizes = [1 + len(group.members) for group in found]
    proposed = hits = 0
    for group in found:
        ids = [group.representative.item_id, *(m.item_id for m, _ in group.members)]
        proposed += len(ids) * (len(ids) - 1) // 2
        same = Counter(truth[i] for i in ids)
        hits += sum(n * (n - 1) // 2 for n in same.values())
    wanted = sum(n * (n - 1) // 2 for n in Counter(truth.values()).values())
    f1 = 2 * hits / (proposed + wanted)
    print(f"forms: F1 {f1:.4f}, precision {hits / proposed:.4f}, biggest {max(sizes)}")
    assert max(sizes) <= 10
    assert f1 >= 0.98
