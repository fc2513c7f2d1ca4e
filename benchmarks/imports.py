"""CPU and memory of importing posts, against a bare `json.loads` of the same lines and SQLite inserts.

    python -m benchmarks.imports [ROWS]

Four generated files: posts of Weibo as MediaCrawler writes them, comments of Reddit as its archives hold them, a
table of posts in JSON lines and captures of Zeeschuimer. Ours goes the way of `factory run`: the format is told,
every row becomes a validated item with its time, language, counts, hashed author and canonical address, and the items
are stored in the tables of the collection.
It stands beside two baselines. Both parse each line with `json.loads`; one makes the inserts that ours makes, of rows
that lie ready, the other inserts nothing but the line into a table of one column. Each side runs in a process of its
own, so that the peak of its memory is its own; the least CPU time of five rounds counts. The targets are a ratio of 4
to the same inserts in every format; to one column 4 for the two formats of large archives, 8 and 6 for the others; and
a peak of 400 MB.
"""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

ROWS = 100_000
ROUNDS = 5
TARGETS = {"weibo": 4.0, "reddit": 4.0, "table": 8.0, "zeeschuimer": 6.0}
"""Most times the CPU of parsing and one column. A row costs ours about the same in all; the short rows of a table and the
captures cut down to what is read cost the parser least, hence their ratios."""
SAME_INSERTS = 4.0
"""Most times the CPU of parsing and the inserts that ours makes."""
MAX_MB = 400.0
_START = 1_772_600_000
"""Epoch seconds of the first post."""
_HAN = (
    "今天下午港口宣布停止所有渡轮航班据说是因为船东拖欠工资旅客只能改乘巴士排队的人很多孩子哭闹没有人出来"
    "解释希望有关部门尽快给个说法大家注意安全看到现场视频真的很心疼不知道什么时候恢复官方回应来得太慢了"
)
_WORDS = [
    "the",
    "ferry",
    "was",
    "cancelled",
    "again",
    "this",
    "morning",
    "and",
    "nobody",
    "at",
    "the",
    "port",
    "could",
    "tell",
    "us",
    "why",
    "so",
    "we",
    "waited",
    "for",
    "two",
    "hours",
    "in",
    "the",
    "rain",
    "before",
    "they",
    "said",
    "that",
    "the",
    "company",
    "had",
    "not",
    "paid",
    "its",
    "crew",
    "and",
    "that",
    "a",
    "replacement",
    "might",
    "come",
    "on",
    "Monday",
    "honestly",
    "I",
    "think",
    "the",
    "council",
    "knew",
    "about",
    "it",
    "weeks",
    "ago",
    "but",
    "did",
    "nothing",
    "at",
    "all",
]


def weibo_rows(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Posts as MediaCrawler exports them from Weibo, 20 to 180 characters each."""
    draw = random.Random(seed)
    for number in range(count):
        at = _START + 31 * number
        native = str(5_270_000_000_000_000 + 17 * number)
        start = draw.randrange(len(_HAN))
        text = (_HAN * 4)[start : start + draw.randint(20, 180)]
        yield {
            "note_id": native,
            "content": f"#渡轮停航# {text}",
            "create_time": at,
            "create_date_time": "2026-03-04T14:13:20+08:00",
            "liked_count": str(draw.randrange(5000)),
            "comments_count": str(draw.randrange(300)),
            "shared_count": "1.2万" if number % 500 == 0 else str(draw.randrange(100)),
            "last_modify_ts": 1_775_000_000_000 + number,
            "note_url": f"https://m.weibo.cn/detail/{native}",
            "ip_location": "上海",
            "image_list": "",
            "video_url": "",
            "user_id": str(1_000_000_000 + draw.randrange(40_000)),
            "nickname": f"用户{draw.randrange(40_000)}",
            "gender": "f",
            "profile_url": f"https://m.weibo.cn/u/{draw.randrange(10**9)}",
            "avatar": "https://tvax1.sinaimg.cn/default/images/default_avatar_male_180.gif",
            "source_keyword": "渡轮停航",
        }


_EMPTY = [
    "approved_at_utc",
    "approved_by",
    "author_cakeday",
    "author_flair_background_color",
    "author_flair_css_class",
    "author_flair_template_id",
    "author_flair_text",
    "author_flair_text_color",
    "awarders",
    "banned_at_utc",
    "banned_by",
    "collapsed_reason",
    "collapsed_reason_code",
    "comment_type",
    "distinguished",
    "likes",
    "mod_note",
    "mod_reason_by",
    "mod_reason_title",
    "num_reports",
    "removal_reason",
    "report_reasons",
    "top_awarded_type",
    "unrepliable_reason",
]
"""Members of an archived comment that are null more often than not."""


def reddit_rows(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Comments with the members that the archives of Reddit keep, 8 to 80 words each."""
    draw = random.Random(seed)
    for number in range(count):
        at = _START + 31 * number
        thread = f"1r{number // 50:06x}"
        text = " ".join(draw.choices(_WORDS, k=draw.randint(8, 80)))
        yield dict.fromkeys(_EMPTY) | {
            "all_awardings": [],
            "archived": False,
            "author": f"user_{draw.randrange(40_000)}",
            "author_flair_richtext": [],
            "author_flair_type": "text",
            "author_fullname": f"t2_{draw.randrange(10**9):x}",
            "author_is_blocked": False,
            "author_patreon_flair": False,
            "author_premium": False,
            "body": text,
            "can_gild": False,
            "can_mod_post": False,
            "collapsed": False,
            "controversiality": 0,
            "created_utc": at,
            "edited": False,
            "gilded": 0,
            "gildings": {},
            "id": f"k{number:07x}",
            "is_submitter": False,
            "link_id": f"t3_{thread}",
            "locked": False,
            "mod_reports": [],
            "name": f"t1_k{number:07x}",
            "no_follow": True,
            "parent_id": f"t1_k{number - 1:07x}" if number % 50 else f"t3_{thread}",
            "permalink": f"/r/ferries/comments/{thread}/the_ferry_stops/k{number:07x}/",
            "retrieved_on": at + 90_000,
            "score": draw.randint(-5, 400),
            "score_hidden": False,
            "send_replies": True,
            "stickied": False,
            "subreddit": "ferries",
            "subreddit_id": "t5_2qh33",
            "subreddit_name_prefixed": "r/ferries",
            "subreddit_type": "public",
            "total_awards_received": 0,
            "treatment_tags": [],
            "user_reports": [],
        }


def table_rows(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Posts as a table of a researcher's own has them: nine usual columns, times as text."""
    for row in weibo_rows(count, seed):
        yield {
            "id": row["note_id"],
            "text": row["content"],
            "published_at": f"{datetime.fromtimestamp(row['create_time'], UTC):%Y-%m-%d %H:%M:%S}",
            "url": row["note_url"],
            "user_id": row["user_id"],
            "platform": "weibo",
            "likes": row["liked_count"],
            "comments_count": row["comments_count"],
            "retweets": row["shared_count"],
        }


def capture_rows(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Captures of Douyin in the envelope of Zeeschuimer; a real object has ten times the members that are read."""
    for number, row in enumerate(weibo_rows(count, seed)):
        yield {
            "nav_index": "1:2:3",
            "item_id": row["note_id"],
            "timestamp_collected": 1_775_000_000_000 + number,
            "source_platform": "douyin.com",
            "source_platform_url": "https://www.douyin.com/search/x?type=general&keyword=y",
            "data": {
                "aweme_id": row["note_id"],
                "desc": row["content"],
                "create_time": row["create_time"],
                "author": {"uid": row["user_id"], "nickname": row["nickname"]},
                "statistics": {"digg_count": 5, "comment_count": 3, "share_count": 2},
                "video": {"duration": 1234, "height": 1024, "width": 576},
            },
        }


FILES: dict[str, tuple[str, Callable[[int], Iterator[dict[str, Any]]]]] = {
    "weibo": ("weibo/jsonl/search_contents_2026-04-01.jsonl", weibo_rows),
    "reddit": ("reddit/RC_2026-03.ndjson", reddit_rows),
    "table": ("table/posts.jsonl", table_rows),
    "zeeschuimer": ("zeeschuimer/captures.ndjson", capture_rows),
}
"""Name of a case, its file, its rows."""


def write(folder: Path, name: str, count: int) -> Path:
    """The file of a case."""
    place, rows = FILES[name]
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        for row in rows(count):
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _open(database: Path) -> sqlite3.Connection:
    """A database as events have theirs."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def bare(path: Path, database: Path) -> int:
    """Parse every line and insert it; rows stored."""
    with closing(_open(database)) as connection, path.open(encoding="utf-8") as stream:
        connection.execute("CREATE TABLE lines (number INTEGER PRIMARY KEY, line TEXT NOT NULL)")

        def rows() -> Iterator[tuple[str]]:
            for line in stream:
                json.loads(line)
                yield (line,)

        connection.execute("BEGIN")
        connection.executemany("INSERT INTO lines (line) VALUES (?)", rows())
        connection.execute("COMMIT")
        return int(connection.execute("SELECT count(*) FROM lines").fetchone()[0])


def same_inserts(path: Path, database: Path) -> Callable[[], int]:
    """Parse every line and insert the rows that our import of the file stores; these are made beforehand."""
    made = database.with_name("made.db")
    ours(path, made)
    with closing(_open(made)) as connection:
        rows = connection.execute("SELECT * FROM collect_items ORDER BY job, seq").fetchall()

    def run() -> int:
        from factory.collected import ItemStore

        with closing(_open(database)) as connection, path.open(encoding="utf-8") as stream:
            store = ItemStore(connection, "bench", lambda item: True)
            store.open()
            for line in stream:
                json.loads(line)
            for start in range(0, len(rows), 10_000):
                with store.transaction():
                    connection.executemany(
                        "INSERT INTO collect_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        rows[start : start + 10_000],
                    )
            return store.count()

    return run


def ours(path: Path, database: Path) -> int:
    """Import a file into the tables of a collection; items stored."""
    from datetime import date

    from factory.collect import in_window
    from factory.collected import ItemStore
    from factory.importing import Reading
    from schemas import Plan
    from sources.base import SourceContext

    context = SourceContext(
        fetched_at=datetime(2026, 6, 1, tzinfo=UTC), zone="Asia/Shanghai", salt="0" * 64
    )
    plan = Plan(
        topic="Ferries stop",
        title="Ferries stop",
        since=date(2026, 3, 1),
        until=date(2026, 5, 1),
        zone="Asia/Shanghai",
        languages=("en", "zh"),
        domain="transport",
        stance_target="the operator",
    )
    with closing(_open(database)) as connection:
        store = ItemStore(connection, "bench", lambda item: in_window(item, plan))
        store.open()
        found = Reading(path, context)
        store.import_all("import:bench", found, found.coverage, found.refusals)
        return store.count()


def _measured(side: str, path: Path, count: int) -> tuple[float, float]:
    """CPU seconds and peak MB of one side in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.imports", "--child", side, str(path), str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def _child(side: str, path: Path, count: int) -> None:
    import factory.collect  # noqa: F401
    from sources.registry import importers

    importers()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "factory.db"
        run = (
            same_inserts(path, database)
            if side == "same"
            else partial({"bare": bare, "ours": ours}[side], path, database)
        )
        # What is measured is the posts, not the start of Python and its libraries.
        before = time.process_time()
        stored = run()
    if stored != count:
        raise SystemExit(f"{side} stored {stored} of {count} rows")
    spent = time.process_time() - before
    print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    """Print the ratios and peaks; 1 when one misses its target."""
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
        return 0
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            path = write(Path(folder), name, count)
            best = {side: (float("inf"), 0.0) for side in ("bare", "same", "ours")}
            for _ in range(ROUNDS):  # side by side, so that a busy machine slows both
                for side in best:
                    best[side] = min(best[side], _measured(side, path, count))
            bare_, same, (spent, peak) = best["bare"][0], best["same"][0], best["ours"]
            target = TARGETS[name]
            missed |= spent > min(target * bare_, SAME_INSERTS * same) or peak > MAX_MB
            print(
                f"imports: {count} {name} rows of {path.stat().st_size / count:.0f} bytes in {spent:.2f} s CPU, "
                f"json.loads and one column {bare_:.2f} s, ratio {spent / bare_:.2f} (target {target:.0f}); "
                f"json.loads and the same inserts {same:.2f} s, ratio {spent / same:.2f} (target {SAME_INSERTS:.0f}); "
                f"peak {peak:.0f} MB (target {MAX_MB:.0f})",
                flush=True,
            )
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
