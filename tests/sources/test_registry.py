"""The table of sources, and the documented way to add one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from factory.cli import main
from schemas import SourceQuery
from sources import registry
from sources.base import Connector, SourceContext, SourceError
from sources.http import Response

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")


NOTICE = json.dumps([{"id": 7, "text": "渡轮停航了", "date": "2026年3月5日 08:30"}]).encode()


class Canned:
    """A client with one answer."""

    def __init__(self, body: bytes = NOTICE) -> None:
        self.body = body

    def get(self, url: str, **_: object) -> Response:
        self.asked = url
        return Response(url, 200, {}, self.body, "ok")


def example() -> str:
    """The documented connector as a module."""
    code = re.search(r"```python\n(.*?)```", DOCS, re.DOTALL)
    assert code is not None
    assert len(code[1].strip().splitlines()) <= 40
    return code[1]


def distribution(folder: Path, name: str, module: str, entries: str) -> None:
    """A package as an installer leaves it: a module, and beside it its metadata with the entry points."""
    (folder / f"{name}.py").write_text(module, encoding="utf-8")
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entries, encoding="utf-8")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; what is put there is found."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    registry._plugins.cache_clear()
    yield tmp_path
    registry._plugins.cache_clear()
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]


def connected(found: type[Connector], client: Canned) -> Connector:
    return found(
        SourceContext(
            fetched_at=datetime(2026, 5, 1, tzinfo=UTC),
            zone="Asia/Shanghai",
            salt="s",
            http=client,  # type: ignore[arg-type]
        )
    )


def ask_for_notices(found: type[Connector]) -> None:
    client = Canned()
    source = connected(found, client)
    query = SourceQuery(source="notices", query="渡轮 停航", lang="zh")
    (item,) = source.search(query, date(2026, 1, 1), date(2026, 4, 1))
    assert client.asked.endswith("?q=%E6%B8%A1%E8%BD%AE%20%E5%81%9C%E8%88%AA")
    assert item.text == "渡轮停航了"
    assert item.published_at == datetime(2026, 3, 5, 0, 30, tzinfo=UTC)
    assert source.report.outcomes == {"ok": 1}


def test_the_documented_connector_works_once_its_package_is_installed(installed: Path) -> None:
    toml = re.search(r'\[project\.entry-points\."(factory\.sources)"\]\n(notices) = "(.+)"', DOCS)
    assert toml is not None
    entry = f"[{toml[1]}]\n{toml[2]} = {toml[3].replace('my_package.notices', 'my_notices')}\n"
    distribution(installed, "my_notices", example(), entry)
    assert "notices" in registry.connector_names()
    found = registry.connector("notices")
    assert found in registry.connectors()
    ask_for_notices(found)


@pytest.mark.parametrize("body", [b"<html>", b'{"error": "busy"}', b"[1]", b'[{"id": 7}]', b"null"])
def test_the_documented_connector_refuses_an_answer_of_another_shape(
    body: bytes, installed: Path
) -> None:
    distribution(
        installed, "my_notices", example(), "[factory.sources]\nnotices = my_notices:Notices\n"
    )
    source = connected(registry.connector("notices"), Canned(body))
    query = SourceQuery(source="notices", query="渡轮", lang="zh")
    assert list(source.search(query, date(2026, 1, 1), date(2026, 4, 1))) == []
    assert source.report.outcomes == {"error": 1}
    assert source.report.refusals[0].reason == "not a list of notices"


@pytest.mark.slow
def test_the_documented_package_installs_and_is_found(tmp_path: Path) -> None:
    toml = re.search(r"```toml\n(\[project\.entry-points.*?)```", DOCS, re.DOTALL)
    assert toml is not None
    package = tmp_path / "work" / "my_package"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "notices.py").write_text(example(), encoding="utf-8")
    (tmp_path / "work" / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "my-package"\nversion = "1.0"\n{toml[1]}',
        encoding="utf-8",
    )
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    target = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", *install, "--target", str(target), str(tmp_path / "work")],
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        [sys.executable, "-m", "factory", "sources", "--json"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{target}"},
    )
    (row,) = [row for row in json.loads(done.stdout) if row["name"] == "notices"]
    assert row["configured"]
    assert row["cap"] == "100 notices a query"


BROKEN = {
    "raises": ("raise RuntimeError('no licence file')", "no licence file"),
    "lacks": ("import a_module_that_is_not_there", "a_module_that_is_not_there"),
    "exits": ("x = 1", "has no attribute 'Notices'"),
    "odd": ("Notices = 3", "no sources.base.Connector"),
    "renamed": (
        "from sources.base import Connector\nclass Notices(Connector):\n    name = 'other'",
        "calls itself 'other'",
    ),
    "loose": (
        "from sources.base import Connector\nclass Notices(Connector):\n"
        "    name = 'loose'\n    needs = 'A_KEY'",
        "as tuples of names",
    ),
}


def test_broken_plugins_are_a_sentence_each_and_take_nothing_along(
    installed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = {source.name for source in registry.connectors()}
    registry._plugins.cache_clear()
    distribution(
        installed, "my_notices", example(), "[factory.sources]\nnotices = my_notices:Notices"
    )
    for name, (module, _) in BROKEN.items():
        entry = f"[factory.sources]\n{name} = bad_{name}:Notices\n"
        distribution(installed, f"bad_{name}", module, entry)
    distribution(
        installed, "bad_reader", "1 / 0", "[factory.importers]\nreader = bad_reader:Reader\n"
    )
    assert {source.name for source in registry.connectors()} == bundled | {"notices"}
    faults = {name: sentence for _, name, sentence in registry.broken()}
    assert set(faults) == {*BROKEN, "reader"}
    for name, (_, words) in BROKEN.items():
        assert words in faults[name]
        assert f"'{name}'" in faults[name]
        assert "\n" not in faults[name]
        with pytest.raises(SourceError, match="uninstall the package"):
            registry.connector(name)
    monkeypatch.setattr(sys, "argv", ["factory", "sources"])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert not ended.value.code
    assert all(sentence in printed.err for sentence in faults.values())
    assert "notices" in printed.out


def test_a_plugin_cannot_take_a_bundled_name(installed: Path) -> None:
    module = "from sources.base import Connector\nclass Fake(Connector):\n    name = 'reddit'"
    distribution(installed, "my_fake", module, "[factory.sources]\nreddit = my_fake:Fake\n")
    assert registry.connector("reddit").__module__ == "sources.reddit"


def table(heading: str) -> dict[str, str]:
    """The rows of a table of the docs by name."""
    part = DOCS.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| `")]
    return {row.split("`")[1]: row for row in rows}


def bare(text: str) -> str:
    return text.replace("`", "").replace("\\", "")


def test_the_docs_name_every_connector_with_what_it_needs() -> None:
    documented = table("Connectors")
    assert set(registry.CONNECTORS) <= set(documented)
    for name in registry.CONNECTORS:
        found, row = registry.connector(name), documented[name]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        for variable in (*found.needs, *found.optional):
            assert f"`{variable}`" in row
        assert cells[2].startswith("nothing") == (not found.needs)
        assert cells[3] == ("days" if found.window == "days" else "no")
        assert bare(found.takes.split(",")[0].split(" (")[0]) in bare(cells[1])
        assert cells[4]


def test_the_docs_name_every_importer() -> None:
    assert set(registry.IMPORTERS) <= set(table("Importers"))


def test_the_docs_name_no_source_that_does_not_exist() -> None:
    """A row is of a source that is bundled, or of a module that is about to be."""
    for heading, folder in (
        ("Connectors", ROOT / "sources"),
        ("Importers", ROOT / "sources" / "imports"),
    ):
        code = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
        for name in table(heading):
            assert f'    name = "{name}"\n' in code


def test_an_unknown_source_names_those_that_exist() -> None:
    with pytest.raises(SourceError, match=r"mastodon.*reddit.*rss.*web"):
        registry.connector("telepathy")
    with pytest.raises(SourceError, match=r"captures.*feed.*html"):
        registry.importer("telepathy")


def test_what_is_no_connector_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", lambda group: {"odd": "pathlib:Path"})
    with pytest.raises(SourceError, match="odd"):
        registry.connector("odd")


def test_the_registry_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom sources.registry import connectors\nconnectors()\n"
        "print(sorted({'praw', 'trafilatura', 'htmldate', 'vcr', 'feedparser', 'httpx2', 'requests'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
