"""Prompts as files that researchers edit: TOML front matter, a sandboxed jinja2 body, fenced outside text.

A library reads each file once, so that a run sees one version of its prompts. Files of an overlay folder
win one by one. A prompt may use only the variables that its front matter declares, and includes cannot
leave the folder, neither by `..` nor by a symbolic link.
"""

from __future__ import annotations

import difflib
import hashlib
import hmac
import re
import secrets
import tomllib
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from factory import resources
from factory.errors import BadInput
from factory.llm.reply import well_formed

SEPARATOR = "===user==="
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELDS = {"role": str, "answer": str, "description": str, "variables": list}
_fence_key: ContextVar[str] = ContextVar("fence_key")


@dataclass(frozen=True)
class Rendered:
    """A prompt ready to be sent."""

    system: str
    user: str
    role: str
    """Role whose profile answers, from the front matter."""
    answer: str
    """Name of the answer model, from the front matter."""
    digest: str
    """Digest of the prompt's texts (see PromptLibrary.digest)."""


@dataclass(frozen=True)
class Outline:
    """What one file of a prompt declares, read without filling it."""

    file: str
    """Path inside the prompts folder."""
    role: str
    answer: str
    variables: tuple[str, ...]
    parts: tuple[str, ...]
    """The file and everything that it includes."""
    shown: tuple[str, ...]
    """Variables that the texts use."""


@dataclass(frozen=True)
class _Front:
    role: str
    answer: str
    description: str
    variables: tuple[str, ...]


@dataclass(frozen=True)
class _File:
    path: Path
    front: str | None
    body: str
    """The text with front matter blanked, so that line numbers stay true."""
    text: str


def fence_text(text: str, key: str) -> str:
    """Wrap outside text in a tag that it cannot contain: HMAC of the text under the event's secret key.

    The same text under the same key always gets the same tag, so that it is byte-identical in every call.
    """
    text = well_formed(text)
    round_ = 0
    while True:
        message = text if round_ == 0 else f"{text}\x1f{round_}"
        tag = hmac.new(key.encode(), message.encode(), hashlib.sha256).hexdigest()[:16]
        if tag not in text:
            return f"<data id={tag}>\n{text}\n</data id={tag}>"
        round_ += 1


def _fence(text: object) -> str:
    return fence_text(str(text), _fence_key.get())


class _Loader(jinja2.BaseLoader):
    def __init__(self, library: PromptLibrary) -> None:
        self.library = library

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Any]:
        file = self.library._file(template)
        if file is None:
            raise jinja2.TemplateNotFound(template)
        body = re.sub(rf"^{SEPARATOR}[ \t]*$", self.library._marker, file.body, flags=re.MULTILINE)
        return body, str(file.path), lambda: True


class PromptLibrary:
    """The prompts of a run: the bundled folder, with an optional overlay folder on top."""

    def __init__(self, overlay: Path | None = None) -> None:
        if overlay is not None and not overlay.is_dir():
            raise BadInput(f"the prompts folder {overlay} does not exist; give an existing folder")
        base = resources.prompts_folder()
        self._roots = [overlay, base] if overlay is not None else [base]
        self._files: dict[str, _File | None] = {}
        self._checked: dict[str, tuple[_Front, jinja2.Template]] = {}
        self._digests: dict[str, str] = {}
        self._variants: dict[str, list[str]] = {}
        # Stands for the separator line while rendering: outside text cannot forge what it cannot know.
        self._marker = f"\x00{secrets.token_hex(16)}\x00"
        self._environment = ImmutableSandboxedEnvironment(
            loader=_Loader(self),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
            cache_size=-1,
        )
        self._environment.globals["fence"] = _fence

    def names(self) -> list[str]:
        """All prompt names, sorted; partials (a part that starts with `_`) and language variants left out."""
        found = set()
        for root in self._roots:
            for path in root.rglob("*.md"):
                parts = path.relative_to(root).with_suffix("").parts
                if not any(part.startswith(("_", ".")) or "." in part for part in parts):
                    found.add("/".join(parts))
        return sorted(found)

    def variants(self, name: str) -> list[str]:
        """File names of a prompt: the plain one first, then its languages; BadInput when there is none."""
        if name in self._variants:
            return self._variants[name]
        files = {f"{name}.md"} if self._file(f"{name}.md") else set()
        if not files:
            near = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.4)
            known = ", ".join(near or self.names()) or "none"
            raise BadInput(f"no prompt {name!r}; the nearest are {known}")
        for root in self._roots:
            for path in (root / name).parent.glob(f"{Path(name).name}.*.md"):
                files.add(path.relative_to(root).as_posix())
        self._variants[name] = sorted(files, key=lambda file: (file != f"{name}.md", file))
        return self._variants[name]

    def digest(self, name: str) -> str:
        """sha256 over the texts of all language variants and everything they include."""
        if name not in self._digests:
            texts: dict[str, str] = {}
            for variant in self.variants(name):
                self._collect(variant, texts)
            rows = (f"{file}\n{texts[file]}" for file in sorted(texts))
            self._digests[name] = hashlib.sha256("\x1e".join(rows).encode()).hexdigest()
        return self._digests[name]

    def outlines(self, name: str) -> list[Outline]:
        """What each language variant of a prompt declares, after every check that needs no values.

        Raises BadInput for bad front matter, an unknown variable, a missing include, a template that does not
        parse, or a separator line that is missing or stands twice.
        """
        found = []
        for file in self.variants(name):
            front, _ = self._check(name, file)
            texts: dict[str, str] = {}
            self._collect(file, texts)
            lines = [line.rstrip(" \t") for text in texts.values() for line in text.split("\n")]
            if lines.count(SEPARATOR) != 1:
                raise BadInput(
                    f"prompt {file} needs exactly one line {SEPARATOR} between system and user message, "
                    f"it has {lines.count(SEPARATOR)}"
                )
            shown = {v for part in texts for v in meta.find_undeclared_variables(self._parse(part))}
            found.append(
                Outline(
                    file=file,
                    role=front.role,
                    answer=front.answer,
                    variables=front.variables,
                    parts=tuple(texts),
                    shown=tuple(v for v in front.variables if v in shown),
                )
            )
        return found

    def render(
        self,
        name: str,
        *,
        lang: str | None = None,
        variables: dict[str, Any],
        fence_key: str,
    ) -> Rendered:
        """Fill a prompt; `lang` picks `name.<lang>.md` when it exists.

        Variables that the front matter does not declare are not shown to the prompt. Raises BadInput for a
        missing prompt, a bad file, or a declared variable that is not given.
        """
        variants = self.variants(name)
        file = f"{name}.{lang}.md" if lang and f"{name}.{lang}.md" in variants else f"{name}.md"
        front, template = self._check(name, file)
        missing = [variable for variable in front.variables if variable not in variables]
        if missing:
            raise BadInput(
                f"prompt {file} declares the variable {missing[0]!r}, which its stage does not give; "
                f"it gives {', '.join(sorted(variables)) or 'none'}: remove it from the front matter"
            )
        token = _fence_key.set(fence_key)
        try:
            text = template.render({key: variables[key] for key in front.variables})
        except jinja2.UndefinedError as error:
            raise BadInput(f"prompt {file} uses something undefined: {error.message}") from error
        except SecurityError as error:
            raise BadInput(f"prompt {file} does what prompts may not do: {error}") from error
        except jinja2.TemplateError as error:
            raise BadInput(f"prompt {file} cannot be filled: {error}") from error
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise BadInput(
                f"prompt {file} cannot be filled ({type(error).__name__}: {error}); correct the expression"
            ) from error
        finally:
            _fence_key.reset(token)
        parts = text.split(self._marker)
        if len(parts) != 2:
            raise BadInput(
                f"prompt {file} needs exactly one line {SEPARATOR} between system and user message, "
                f"it has {len(parts) - 1}"
            )
        return Rendered(
            system=parts[0].strip(),
            user=parts[1].strip(),
            role=front.role,
            answer=front.answer,
            digest=self.digest(name),
        )

    # -- files ---------------------------------------------------------------------------------

    def _file(self, name: str) -> _File | None:
        if name not in self._files:
            self._files[name] = self._load(name)
        return self._files[name]

    def _load(self, name: str) -> _File | None:
        parts = name.split("/")
        if name.startswith("/") or "\\" in name or "\x00" in name or ".." in parts:
            raise BadInput(
                f"a prompt refers to {name!r}, which is outside the prompts folder; "
                "includes are paths inside it, for example _shared/rules.md"
            )
        for root in self._roots:
            path = root.joinpath(*parts)
            if not path.is_file():
                continue
            if not path.resolve().is_relative_to(root.resolve()):
                raise BadInput(
                    f"prompt file {name} is a link to {path.resolve()}, outside the prompts folder; "
                    "copy the file into it"
                )
            try:
                text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
            except UnicodeDecodeError as error:
                raise BadInput(f"prompt file {path} is not UTF-8; save it as UTF-8") from error
            except OSError as error:
                raise BadInput(f"cannot read prompt file {path}: {error.strerror}") from error
            match = _FRONT.match(text)
            if match is None:
                return _File(path, None, text, text)
            blank = "\n" * text[: match.end()].count("\n")
            # Empty lines at the top are stripped from the rendered message, so the body keeps its numbers.
            return _File(path, match.group(1) or "", blank + text[match.end() :], text)
        return None

    def _front(self, name: str, file: str) -> _Front:
        loaded = self._file(file)
        if loaded is not None and loaded.front is None and file != f"{name}.md":
            file, loaded = f"{name}.md", self._file(f"{name}.md")
        if loaded is None or loaded.front is None:
            raise BadInput(
                f"prompt {file} has no front matter; it starts with a line ---, then role, answer, "
                "description and variables in TOML, then a line ---"
            )
        try:
            fields = tomllib.loads(loaded.front)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(
                f"the front matter of prompt {file} is not valid TOML: {error}"
            ) from error
        for key, value in fields.items():
            if key not in _FIELDS:
                raise BadInput(
                    f"the front matter of prompt {file} has an unknown field {key!r}; "
                    f"fields are {', '.join(_FIELDS)}"
                )
            if not isinstance(value, _FIELDS[key]):
                kind = "a list" if _FIELDS[key] is list else "a string"
                raise BadInput(f"the front matter of prompt {file}: {key} must be {kind}")
        for key in ("role", "answer"):
            if not fields.get(key):
                raise BadInput(f"the front matter of prompt {file} lacks {key}; add it")
        variables = fields.get("variables", [])
        bad = [v for v in variables if not isinstance(v, str) or not v.isidentifier()]
        if bad:
            raise BadInput(
                f"the front matter of prompt {file}: {bad[0]!r} is not the name of a variable"
            )
        return _Front(
            fields["role"], fields["answer"], fields.get("description", ""), tuple(variables)
        )

    def _parse(self, file: str) -> nodes.Template:
        loaded = self._file(file)
        assert loaded is not None
        try:
            return self._environment.parse(loaded.body, name=file, filename=str(loaded.path))
        except jinja2.TemplateSyntaxError as error:
            raise BadInput(
                f"prompt {file} line {error.lineno} does not parse: {error.message}; correct it"
            ) from error

    def _collect(self, file: str, texts: dict[str, str], asked_by: str = "") -> None:
        """Add a file and what it includes; BadInput when an include is missing or not a plain name."""
        if file in texts:
            return
        loaded = self._file(file)
        if loaded is None:
            raise BadInput(
                f"prompt {asked_by} includes {file!r}, which does not exist in the prompts folder"
            )
        texts[file] = loaded.text
        for reference in meta.find_referenced_templates(self._parse(file)):
            if reference is None:
                raise BadInput(
                    f"prompt {file} includes a file whose name is computed; write the name out"
                )
            self._collect(reference, texts, file)

    def _check(self, name: str, file: str) -> tuple[_Front, jinja2.Template]:
        if file in self._checked:
            return self._checked[file]
        front = self._front(name, file)
        texts: dict[str, str] = {}
        self._collect(file, texts)
        trees = {part: self._parse(part) for part in texts}
        stored = {
            node.name
            for tree in trees.values()
            for node in tree.find_all(nodes.Name)
            if node.ctx in ("store", "param")
        }
        allowed = {*front.variables, *self._environment.globals, *stored}
        for part, tree in trees.items():
            unknown = sorted(meta.find_undeclared_variables(tree) - allowed)
            if unknown:
                near = difflib.get_close_matches(unknown[0], front.variables, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise BadInput(
                    f"prompt {part} uses the unknown variable {unknown[0]!r}{hint}; "
                    f"{file} declares {', '.join(front.variables) or 'none'}"
                )
        try:
            template = self._environment.get_template(file)
        except jinja2.TemplateError as error:
            raise BadInput(f"prompt {file} cannot be compiled: {error}") from error
        self._checked[file] = (front, template)
        return self._checked[file]
