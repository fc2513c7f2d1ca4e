"""Where prompts, recordings and lists of words are: in a checkout, or as package data in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from factory.errors import BadInput

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    checkout = _PACKAGE.parent / name
    if checkout.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return checkout
    return _PACKAGE / f"_{name}"


def prompts_folder() -> Path:
    """Folder of the bundled prompts."""
    return _folder("prompts")


def wordlist(lang: str) -> Path:
    """File of the words of a language with their surprisal in ordinary text, with its source and licence."""
    return _PACKAGE / "wordlists" / f"{lang}.txt"


def recording_folder(name: str) -> Path:
    """Folder of a recording: a path if it is one, else a bundled recording of that name."""
    given = Path(name)
    if given.is_dir():
        return given
    bundled = _folder("cassettes") / name
    if bundled.is_dir():
        return bundled
    known = sorted(path.name for path in _folder("cassettes").glob("*/") if path.is_dir())
    raise BadInput(
        f"no recording {name!r}; bundled recordings are {', '.join(known) or 'none'}, or give a folder"
    )
