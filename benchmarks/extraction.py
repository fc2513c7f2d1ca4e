"""Text and publication day of real news pages against trafilatura and htmldate as they come.

    FACTORY_TESTDATA=... python -m benchmarks.extraction

Text: F1 over tokens (a Han character or a Latin word each) against the gold paragraphs of fundus, and over
trafilatura's own chunks that a page's text must and must not hold. Day: pages whose day of publication is
right. The baselines are `trafilatura.extract` and `htmldate.find_date` with their default settings on the
same bytes. Returns 1 when ours is below a baseline.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from sources.articles import read_article
from sources.times import day_of

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
FUNDUS = (
    ("cn/People_2024_04_24", "cn/People", "V1", "Asia/Shanghai"),
    ("tw/TaipeiTimes_2024_10_15", "tw/TaipeiTimes", "V1", "Asia/Taipei"),
    ("uk/BBC_2024_08_01", "uk/BBC", "V1", "Europe/London"),
    ("uk/BBC_2026_04_25", "uk/BBC", "V2", "Europe/London"),
    ("uk/TheGuardian_2024_02_24", "uk/TheGuardian", "V1", "Europe/London"),
    ("us/APNews_2024_09_03", "us/APNews", "V1_1", "America/New_York"),
)
"""Page, gold file, version of the gold, zone of the publisher."""
_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W\u3400-\u4dbf\u4e00-\u9fff]+")


@dataclass(frozen=True)
class Page:
    """A real page and what is known of it."""

    name: str
    """File it was read from."""
    data: bytes
    """Body."""
    zone: str
    """IANA zone of the publisher."""
    day: date
    """Day of publication in that zone."""
    text: str = ""
    """Gold text; empty when only chunks are known."""
    held: tuple[str, ...] = ()
    """Chunks that the text must hold."""
    absent: tuple[str, ...] = ()
    """Chunks that it must not hold."""


def pages(payloads: Path) -> Iterator[Page]:
    """The pages with gold in `news_fundus`, `trafilatura_zh` and `htmldate`."""
    for page, name, version, zone in FUNDUS:
        folder = payloads / "news_fundus"
        gold = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))[version]
        parts = list(gold["body"]["summary"])
        for section in gold["body"]["sections"]:
            parts += [*section["headline"], *section["paragraphs"]]
        day = datetime.fromisoformat(gold["publishing_date"]).date()
        data = gzip.decompress((folder / f"{page}.html.gz").read_bytes())
        yield Page(page, data, zone, day, text="\n".join(parts))
    for folder in (payloads / "trafilatura_zh", payloads / "htmldate"):
        for row in json.loads((folder / "gold.json").read_text(encoding="utf-8")).values():
            yield Page(
                row["file"],
                (folder / row["file"]).read_bytes(),
                "Asia/Taipei" if folder.name == "htmldate" else "Asia/Shanghai",
                date.fromisoformat(row["date"]),
                held=tuple(row.get("with", ())),
                absent=tuple(row.get("without", ())),
            )


def token_f1(found: str, gold: str) -> float:
    """F1 of two texts as multisets of tokens, 0 to 1."""
    left, right = Counter(_TOKEN.findall(found)), Counter(_TOKEN.findall(gold))
    both = sum((left & right).values())
    return 2 * both / max(left.total() + right.total(), 1)


def chunk_f1(texts: list[tuple[str, Page]]) -> float:
    """F1 over chunks: held ones found are right, absent ones found are wrong, as trafilatura counts them."""
    right = sum(chunk in text for text, page in texts for chunk in page.held)
    wanted = sum(len(page.held) for _, page in texts)
    wrong = sum(chunk in text for text, page in texts for chunk in page.absent)
    return 2 * right / max(right + wrong + wanted, 1)


def ours(page: Page) -> tuple[str, date | None]:
    """Text and day as the connectors read them."""
    article = read_article(page.data, url="", content_type="", fetched_at=FETCHED, zone=page.zone)
    return article.text, day_of(article.moment, page.zone)


def theirs(page: Page) -> tuple[str, date | None]:
    """Text and day by trafilatura and htmldate with their defaults."""
    import htmldate
    import trafilatura

    try:
        found = htmldate.find_date(page.data)
    except (ValueError, TypeError):  # bytes that it cannot parse
        found = None
    return trafilatura.extract(page.data) or "", date.fromisoformat(found) if found else None


@dataclass(frozen=True)
class Score:
    """What one reader makes of all pages."""

    tokens: float
    """Mean token F1 over the pages with gold text."""
    chunks: float
    """Chunk F1 over the pages with chunks."""
    days: int
    """Pages whose day is right."""
    seconds: float
    """CPU seconds a page."""


def score(found: list[Page], read: Callable[[Page], tuple[str, date | None]]) -> Score:
    """Run a reader over the pages."""
    before = time.process_time()
    results = [(page, *read(page)) for page in found]
    seconds = (time.process_time() - before) / max(len(found), 1)
    tokens = [token_f1(text, page.text) for page, text, _ in results if page.text]
    return Score(
        tokens=sum(tokens) / max(len(tokens), 1),
        chunks=chunk_f1([(text, page) for page, text, _ in results if page.held]),
        days=sum(day == page.day for page, _, day in results),
        seconds=seconds,
    )


def main() -> int:
    """Print the table; 1 when ours is below a baseline, 0 also without the pages."""
    name = os.environ.get("FACTORY_TESTDATA", "")
    payloads = Path(name) / "data" / "payloads"
    if not name or not payloads.is_dir():
        print("extraction: skipped, FACTORY_TESTDATA does not name the folder of real pages")
        return 0
    found = list(pages(payloads))
    read_article(b"<p>warm</p>", url="", content_type="", fetched_at=FETCHED, zone="UTC")
    theirs(found[0])
    mine, base = score(found, ours), score(found, theirs)
    print(f"{'':24}{'ours':>10}{'baseline':>10}   baseline is")
    print(f"{'token F1, 6 pages':24}{mine.tokens:>10.3f}{base.tokens:>10.3f}   trafilatura")
    print(f"{'chunk F1, 3 pages':24}{mine.chunks:>10.3f}{base.chunks:>10.3f}   trafilatura")
    days = f"right days of {len(found)}"
    print(f"{days:24}{mine.days:>10}{base.days:>10}   htmldate")
    print(f"CPU a page, ours to both baselines: {mine.seconds / base.seconds:.2f}")
    worse = mine.tokens < base.tokens or mine.chunks < base.chunks or mine.days < base.days
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
