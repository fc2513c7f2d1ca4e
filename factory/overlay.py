"""A folder of changed prompts, checked before anything is spent on it.

Only files of the shipped tree may be changed, so that every file of an overlay is one that some stage reads. What a
prompt asks for is a contract with its stage (answer model, role, variables); an overlay changes the words alone.
"""

from __future__ import annotations

import difflib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from factory import resources
from factory.errors import BadInput
from factory.llm.prompts import Outline, PromptLibrary
from factory.pipeline import STAGES
from factory.workspace import sha256_bytes, write_atomic

PROMPTS: tuple[str, ...] = tuple(dict.fromkeys(name for stage in STAGES for name in stage.prompts))
"""Every prompt of the graph, in the order in which stages ask it."""


@dataclass(frozen=True)
class Overlay:
    """Prompt files as they will stand in a version's own folder, and what they change."""

    files: dict[str, bytes]
    """Path inside the prompts folder -> text; an earlier overlay's files are among them."""
    changed: tuple[str, ...]
    """Prompts whose text is another one now, in the order of the stages."""

    @property
    def digests(self) -> dict[str, str]:
        """sha256 of each file."""
        return {path: sha256_bytes(data) for path, data in sorted(self.files.items())}

    def write(self, folder: Path) -> None:
        """Write the files below a folder."""
        for path, data in self.files.items():
            write_atomic(folder / path, data)


def read_overlay(folder: Path, earlier: Path | None) -> Overlay:
    """Read and check a folder of changed prompts against the shipped ones, and lay it over an earlier overlay.

    Raises BadInput for a folder that is none, is empty or changes nothing, for a file that no stage reads, and for
    a prompt that declares another answer model, role or variables than its stage works with.
    """
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise BadInput(
            f"--prompts {folder} {what}; give a folder that holds changed prompts, for example claims/outcomes.md"
        )
    paths = _listed(folder)
    if not paths:
        raise BadInput(
            f"--prompts {folder} holds no file; copy the prompts that you want to change from {resources.prompts_folder()} "
            "into it with their paths, for example claims/outcomes.md, and edit them there"
        )
    shipped, before = PromptLibrary(), PromptLibrary(earlier)
    contracts = {name: shipped.outlines(name) for name in PROMPTS}
    read = {part for outlines in contracts.values() for row in outlines for part in row.parts}
    for path in paths:
        if path not in read:
            raise BadInput(_unread(path, folder, read))
    _check(PromptLibrary(folder), contracts)
    files = {path: (folder / path).read_bytes() for path in paths}
    if earlier is not None:
        files = {path: (earlier / path).read_bytes() for path in _listed(earlier)} | files
    with tempfile.TemporaryDirectory() as name:
        both = Overlay(files, ())
        both.write(Path(name))
        after = PromptLibrary(Path(name))
        _check(after, contracts)
        changed = tuple(name for name in PROMPTS if after.digest(name) != before.digest(name))
    if not changed:
        raise BadInput(
            f"--prompts {folder} changes nothing: the prompts in it say what the event's own say; edit them first"
        )
    return Overlay(files, changed)


def _listed(folder: Path) -> list[str]:
    """Files of a folder but those that the desktop or version control hides."""
    found = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if not hidden and (path.is_symlink() or path.is_file()):
            found.append(relative.as_posix())
    return found


def _unread(path: str, folder: Path, read: set[str]) -> str:
    near = difflib.get_close_matches(path, sorted(read), n=1, cutoff=0.4)
    if (resources.prompts_folder() / path).is_file():
        return f"{path} in --prompts {folder} is read by no prompt of a stage, so it would change nothing; take it out"
    hint = f"did you mean {near[0]}?" if near else f"the files are {', '.join(sorted(read))}"
    return (
        f"{path} in --prompts {folder} is no prompt file of factory, so nothing would read it; {hint} "
        f"(all are in {resources.prompts_folder()})"
    )


def _check(library: PromptLibrary, contracts: dict[str, list[Outline]]) -> None:
    """Every prompt parses and keeps its contract; BadInput names the file and what to write."""
    for name, wanted in contracts.items():
        shipped = {outline.file: outline for outline in wanted}
        for outline in library.outlines(name):
            own = shipped.get(outline.file, wanted[0])
            for field, given, kept in (
                ("answer", outline.answer, own.answer),
                ("role", outline.role, own.role),
            ):
                if given != kept:
                    raise BadInput(
                        f"prompt {outline.file} declares {field} = {given!r}, and its stage works with {kept!r}; "
                        f"correct the front matter"
                        + ("; another model is chosen by [roles] in settings" * (field == "role"))
                    )
            missing = [v for v in own.variables if v not in outline.variables]
            unknown = [v for v in outline.variables if v not in own.variables]
            if missing:
                raise BadInput(
                    f"prompt {outline.file} lacks the variable {missing[0]!r}, which its stage gives; add it to "
                    "`variables` in the front matter and show it where the shipped prompt does"
                )
            hidden = [v for v in own.shown if v not in outline.shown]
            if hidden and not missing:
                raise BadInput(
                    f"prompt {outline.file} never shows the variable {hidden[0]!r}, as the shipped one does, so its "
                    f"calls would lack it; show it, or write {{% if false %}}{{{{ {hidden[0]} }}}}{{% endif %}} where "
                    "that is meant"
                )
            if unknown:
                near = difflib.get_close_matches(unknown[0], own.variables, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise BadInput(
                    f"prompt {outline.file} declares the variable {unknown[0]!r}{hint}, which its stage does not "
                    f"give; it gives {', '.join(own.variables)}"
                )
