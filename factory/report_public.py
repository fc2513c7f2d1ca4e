"""The public report of a bank: one page that anybody may read, made from the bundle alone.

It shows what a bank is made of and what it promises: the timeline, its points, sample questions with the evidence for
their answers, every gate with its figure, and what is scored without reading. Both languages stand in one file without
scripts that needs no network. Before it is written, its bytes and its visible words are scanned like a release; a
page that leaks is refused and not written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from markupsafe import Markup

from factory.audit.announced import announced_days
from factory.audit.leak_prose import allowed_in
from factory.audit.scan import scan_files
from factory.bundle import MANIFEST, Bundle
from factory.errors import BadInput, GateRefused
from factory.events import KEYS
from factory.evidence import percent
from factory.hiding import hidden_rows, quota_name, role_name
from factory.pipeline import RELEASE, SHIFT, TABLE
from factory.recording import event_from
from factory.release import raw_dates, raw_timeline, secret_strings
from factory.report_figures import (
    Attacks,
    PointScores,
    arc,
    attacks,
    boards,
    counts,
    curves,
    machine,
    point_scores,
    stance_names,
)
from factory.report_page import environment
from factory.report_view import cuts_of, days_of, points_of
from factory.report_words import listed, words
from factory.settings import read_toml
from factory.standings import text_free
from factory.workspace import Workspace, sha256_bytes, write_atomic
from schemas import (
    LANGS,
    WINDOWS,
    Finding,
    GateState,
    Keys,
    Lang,
    ReplacementTable,
    Shift,
)

PUBLIC = "report.public.html"
SHOWN = "report.html"
"""Name of the page before the scanner, which knows the words of paths."""
SAID = "key/report.txt"
"""Its visible words before the scanner, as prose of a release."""


@dataclass(frozen=True)
class Target:
    """A bundle, and the workspace that it came from where that is at hand."""

    folder: Path
    workspace: Workspace | None


@dataclass(frozen=True)
class Measured:
    """What is computed from the bundle's questions for the page."""

    points: tuple[PointScores, ...]
    shortcuts: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    reason: str


def locate(path: Path) -> Target:
    """The bundle at a path: a bundle folder, or an event's folder with a release. BadInput otherwise."""
    if (path / "event.toml").is_file():
        if not (path / RELEASE / MANIFEST).is_file():
            raise BadInput(
                f"event {path.name} has no release yet, and a public report is made from a release alone; continue "
                f"it with `factory run {path.name}`"
            )
        return Target(path / RELEASE, Workspace(path))
    if not (path / MANIFEST).is_file():
        raise BadInput(
            f"{path} is neither an event's folder nor a bundle: it has no {MANIFEST}; give workspaces/<event> or the "
            "folder that a release wrote (09_release)"
        )
    home = path.resolve().parent
    inside = path.resolve().name == RELEASE and (home / "event.toml").is_file()
    return Target(path, Workspace(home) if inside else None)


def write_public(
    path: Path,
    out: Path | None = None,
    *,
    lang: Lang | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Path:
    """Write the public report of an event or bundle; the page's file is returned.

    `out` defaults to report.public.html in the event's folder, for a bundle alone in the current folder. `lang` is
    the language that is shown first, by default the master language. Raises BadInput when the path holds no bundle or
    `out` lies inside it, and GateRefused with the findings when the page would leak.
    """
    target = locate(path)
    bundle = Bundle.read(target.folder)
    home = target.workspace.root if target.workspace else Path()
    out = out or home / PUBLIC
    if out.is_dir():
        raise BadInput(f"{out} is a folder; give the file to write with --out")
    if out.resolve().is_relative_to(target.folder.resolve()):
        raise BadInput(
            f"{out} lies inside the bundle, whose manifest lists every file; choose another place with --out"
        )
    page = public_page(
        bundle,
        measure(target.folder, bundle),
        lang=lang or bundle.timeline.lang,
        digest=sha256_bytes((target.folder / MANIFEST).read_bytes()),
    )
    findings, whole = scan_page(page, bundle, target.workspace)
    if not whole:
        say(
            "the page was scanned without the table of names, which a bundle does not hold; give the event's folder "
            "to compare it with that table as well"
        )
    if findings:
        raise GateRefused(refusal(findings))
    write_atomic(out, page.encode())
    return out


def measure(folder: Path, bundle: Bundle) -> Measured:
    """Scores by point of the rules without text, and the attackers on the questions."""
    from factory.audit.shortcuts import audit_shortcuts
    from factory.grading import score_paths
    from factory.score.card import Wanted
    from factory.score.textfree import TEXT_FREE

    card = score_paths([folder], wanted=Wanted(intervals=False, grades=False, by=("point",)))
    order = [cut.point.point_id for cut in cuts_of(bundle)]
    audit = audit_shortcuts(bundle.bank, bundle.timeline)
    return Measured(
        points=tuple(point_scores(card, order, set(TEXT_FREE))),
        shortcuts=audit.scores,
        intervals={name: (row.low, row.high) for name, row in audit.intervals.items()},
        reason=audit.reason,
    )


# -- the page ------------------------------------------------------------------------------------


def public_page(bundle: Bundle, measured: Measured, *, lang: Lang, digest: str) -> str:
    """The page as HTML text; the same bundle and language give the same bytes."""
    order: list[Lang] = [lang, *(other for other in LANGS if other != lang)]
    parts = [edition(bundle, measured, one) for one in order]
    html = (
        environment()
        .get_template("public.html.j2")
        .render(bundle=bundle, parts=parts, first=lang, digest=digest)
    )
    return re.sub(r"\n\s*\n+", "\n", html)


def edition(bundle: Bundle, measured: Measured, lang: Lang) -> dict[str, Any]:
    """Everything that the template shows in one language."""
    from factory.score.textfree import RULE_NOTES

    def t(key: str, /, **figures: object) -> str:
        return words(key, lang, **figures)

    cuts = cuts_of(bundle)
    days = days_of(bundle, cuts, lang)
    levels = {grade.interval.level for grade in bundle.baselines.axes if grade.interval}
    return {
        "lang": lang,
        "t": t,
        "listed": lambda parts: listed([str(part) for part in parts], lang),
        "machine": lambda text: machine(text, lang),
        "days": days,
        "cuts": cuts,
        "arc": arc(bundle, days, cuts, lang),
        "stances": stance_names(lang) if any(day.stances for day in days) else [],
        "counts": counts(cuts, lang),
        "windows": [w for w in WINDOWS if any(w in cut.windows for cut in cuts)],
        "styles": {w: f"w{n}" for n, w in enumerate(WINDOWS)},
        "point_scores": measured.points,
        "points": points_of(bundle, cuts, lang),
        "announced": announced_days(bundle.points.points, bundle.events, bundle.timeline),
        "passed": sum(gate.state == "passed" for gate in bundle.gates),
        "open": _gates(bundle, lang, "failed", "not evaluated"),
        "waived": _gates(bundle, lang, "waived"),
        "boards": boards(bundle.baselines, RULE_NOTES, lang),
        "free": text_free(bundle.baselines),
        "level": "/".join(f"{level:.0%}" for level in sorted(levels)) or "95%",
        "curves": curves(bundle.baselines, lang),
        "attacks": _attacks(measured, lang),
        "dropped_days": _runs(bundle, lang),
        "hidden": hidden_rows(bundle.card, lang),
        "percent": percent,
        "roles": lambda names: listed([role_name(name, lang) for name in names], lang),
        "quota": lambda name: quota_name(name, lang),
    }


def _gates(bundle: Bundle, lang: Lang, *states: GateState) -> list[str]:
    """Names of the gates in one of these states."""
    return [words(f"gate-{gate.name}", lang) for gate in bundle.gates if gate.state in states]


def _attacks(measured: Measured, lang: Lang) -> Attacks:
    return attacks(measured.shortcuts, measured.intervals, measured.reason, lang)


def _runs(bundle: Bundle, lang: Lang) -> list[tuple[str, int, Markup]]:
    """Days that are no cutoff as runs of one reason: (first to last, days, reason)."""
    runs: list[list[Any]] = []
    for row in sorted(bundle.points.dropped, key=lambda row: row.day):
        if runs and runs[-1][3] == row.reason and (row.day - runs[-1][1]).days == 1:
            runs[-1][1] = row.day
            runs[-1][2] += 1
        else:
            runs.append([row.day, row.day, 1, row.reason])
    return [
        (
            words("days-range", lang, first=first, last=last) if count > 1 else str(first),
            count,
            machine(reason, lang),
        )
        for first, last, count, reason in runs
    ]


# -- the scan ------------------------------------------------------------------------------------


def scan_page(page: str, bundle: Bundle, workspace: Workspace | None) -> tuple[list[Finding], bool]:
    """Findings in a page, and whether the names of the event's table were among what was looked for.

    The bytes are scanned as a file of a release, the visible words as its prose: an entity such as `&#39;` hides a
    name from one who reads bytes only.
    """
    files = {SHOWN: page.encode(), SAID: visible(page).encode()}
    allowed = allowed_in(bundle.timeline, bundle.card.allowed)
    if workspace is None or not all(workspace.exists(p) for p in (TABLE, SHIFT, KEYS)):
        return scan_files(files, None, allowed=allowed), False
    path = workspace.path("event.toml")
    fields = {key: value for key, value in read_toml(path).items() if key != "settings"}
    findings = scan_files(
        files,
        workspace.read(ReplacementTable, TABLE),
        secrets=secret_strings(
            workspace.read(Keys, KEYS).salt, workspace.root, event_from(fields, str(path)).topic
        ),
        raw_dates=raw_dates(
            bundle.timeline,
            workspace.read(Shift, SHIFT),
            raw_timeline(workspace),
            bundle.claims,
        ),
        allowed=allowed,
    )
    return findings, True


class _Visible(HTMLParser):
    """Words of a page a line a block: texts and the attributes that are read out or shown."""

    READ = frozenset({"alt", "title", "aria-label", "content", "placeholder", "value"})
    INLINE = frozenset({"span", "mark", "q", "a", "b", "i", "em", "strong", "code", "time", "bdi"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.skip = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.skip = tag == "style"
        if tag not in self.INLINE:
            self.parts.append("\n")
        self.parts += [f"\n{value}\n" for name, value in attrs if value and name in self.READ]

    def handle_endtag(self, tag: str) -> None:
        self.skip = False
        if tag not in self.INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.skip:
            self.parts.append(data)


def visible(page: str) -> str:
    """The words of a page, a line a block."""
    parser = _Visible()
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def refusal(findings: list[Finding]) -> str:
    """One sentence for a person with every finding."""
    parts = [f"{f.rule} ({f.count}): {'; '.join(f.examples[:2])}" for f in findings]
    return (
        "the public report is refused, since it would leak: "
        + " | ".join(parts)
        + "; nothing was written; mend the event and release it again (docs/check.md says how for each rule)"
    )
