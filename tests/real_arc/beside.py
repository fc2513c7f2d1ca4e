"""The bank of the real arc beside the published bank of the same event and the same two points, in one table.

`python -m tests.real_arc.beside` replays the recording, lints both and prints the table; FACTORY_TESTDATA names the
folder that holds the published data.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from factory.check import check_path
from factory.textgrid import grid
from schemas import CheckReport

ROOT = Path(__file__).resolve().parents[2]
RECORDING = Path(__file__).resolve().parent / "recording"
EVENT = "event1_library"
POINTS = ("P13", "P17")
"""The published points whose cutoffs the real arc has too: 2025-04-23 and 2025-05-01."""


def timeline(testdata: Path) -> Path:
    """The longest published context of the event: its whole timeline."""
    return testdata / "official" / "demo" / "zh" / EVENT / "P25_context.md"


def factory(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, without settings of the user."""
    return subprocess.run(
        [sys.executable, "-m", "factory", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "none")},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def imported(folder: Path, file: Path) -> subprocess.CompletedProcess[str]:
    """Make the event from a timeline and the recording."""
    return factory(
        folder, "import", "auto", str(file), "--as", "timeline", "--already-anonymised",
        "--replay", str(RECORDING),
    )  # fmt: skip


def published(testdata: Path, folder: Path) -> CheckReport:
    """What the linter says of the published bank when it holds these two points alone."""
    for lang in ("zh", "en"):
        target = folder / "demo" / lang / EVENT
        target.mkdir(parents=True)
        for point in POINTS:
            for path in (testdata / "official" / "demo" / lang / EVENT).glob(f"{point}[._]*"):
                shutil.copy(path, target)
    return check_path(folder, format="societybench")


def best(report: CheckReport) -> tuple[str, float]:
    """The best rule or fitted model that reads no text; 50 is what a coin gets, on both banks.

    Attackers with an interval read texts; what knows the type letters knows more than an examinee is shown; the
    rules on days are graded on the temporal axis.
    """
    temporal = ("bucket", "day ", "random day")
    scores = {
        name: score
        for name, score in report.shortcuts.items()
        if name not in report.intervals
        and "never shown" not in name
        and not name.startswith(temporal)
    }
    name = max(scores, key=lambda key: (scores[key], key))
    return name, scores[name]


def table(ours: CheckReport, theirs: CheckReport) -> str:
    """Findings by rule and scores of what reads no text, side by side."""
    found = [{row.rule: row.count for row in report.findings} for report in (ours, theirs)]
    tops = [best(report) for report in (ours, theirs)]
    rows = [
        [rule, *(str(counts.get(rule, 0)) for counts in found)]
        for rule in sorted({*found[0], *found[1]})
    ]
    rows.append(["best score without text", *(f"{score:.1f}" for _, score in tops)])
    rows += [
        [
            f"  {name}",
            *(f"{r.shortcuts[name]:.1f}" if name in r.shortcuts else "-" for r in (ours, theirs)),
        ]
        for name in sorted({*ours.shortcuts, *theirs.shortcuts})
    ]
    lines = grid(["", "real arc", "published"], rows, left=(0,), name=60)
    return "\n".join(
        [*lines, *(f"best without text: {score:.1f} by {name}" for name, score in tops)]
    )


def main() -> None:
    """Replay, lint and print."""
    testdata = Path(os.environ["FACTORY_TESTDATA"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        imported(folder, timeline(testdata))
        factory(folder, "run", "real-arc")
        check = folder / "workspaces" / "real-arc" / "08_bank" / "check.json"
        ours = CheckReport.model_validate_json(check.read_text(encoding="utf-8"))
        print(table(ours, published(testdata, folder / "published")))
        for gate in ours.gates:
            print(
                f"{gate.name:<10} {gate.state:<14} {gate.measure}"
                + (f" ({gate.reason})" if gate.reason else "")
            )


if __name__ == "__main__":
    main()
