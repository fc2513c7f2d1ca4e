"""Strict settings: flags over event.toml over factory.toml over the user's file over defaults.

Unknown keys are refused with the nearest known one. The environment carries secrets only.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, field_validator

from factory.errors import BadInput
from factory.sections import (
    ROLES,
    AnonymiseSettings,
    ClaimsSettings,
    CollectSettings,
    ComposeSettings,
    CorpusSettings,
    DistilSettings,
    EncoderSettings,
    PointsSettings,
    Profile,
    ReleaseSettings,
    ResolveSettings,
    Section,
    TranslateSettings,
    VetSettings,
)
from factory.workspace import first_problem


class Settings(Section):
    """All settings with their defaults."""

    profiles: dict[str, Profile] = Field(default_factory=lambda: {"default": Profile()})
    """Endpoints by name."""
    roles: dict[str, str] = Field(default_factory=dict)
    """Role -> profile; roles not named use `default`."""
    prompts_dir: str = ""
    """Folder laid over the bundled prompts."""
    encoder: EncoderSettings = EncoderSettings()
    """Sentence encoder."""
    collect: CollectSettings = CollectSettings()
    """Fetching."""
    corpus: CorpusSettings = CorpusSettings()
    """Deduplication."""
    distil: DistilSettings = DistilSettings()
    """Timeline."""
    anonymise: AnonymiseSettings = AnonymiseSettings()
    """Anonymiser."""
    points: PointsSettings = PointsSettings()
    """Cutoffs."""
    claims: ClaimsSettings = ClaimsSettings()
    """Claims."""
    resolve: ResolveSettings = ResolveSettings()
    """Resolver."""
    vet: VetSettings = VetSettings()
    """Auditors."""
    translate: TranslateSettings = TranslateSettings()
    """Second edition."""
    compose: ComposeSettings = ComposeSettings()
    """Composer."""
    release: ReleaseSettings = ReleaseSettings()
    """Release."""

    @field_validator("roles")
    @classmethod
    def _are_known(cls, value: dict[str, str]) -> dict[str, str]:
        for role in value:
            if role not in ROLES:
                near = difflib.get_close_matches(role, ROLES, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"unknown role {role!r}{hint}; roles are {', '.join(ROLES)}")
        return value

    def profile(self, role: str) -> Profile:
        """The endpoint of a role; BadInput names a role or profile that does not exist."""
        if role not in ROLES:
            raise BadInput(f"unknown role {role!r}; roles are {', '.join(ROLES)}")
        name = self.roles.get(role, "default")
        if name not in self.profiles:
            raise BadInput(
                f"role {role} uses profile {name!r}, which is not defined; add [profiles.{name}] to factory.toml"
            )
        return self.profiles[name]


def _known_keys(where: tuple[str, ...]) -> list[str]:
    model: Any = Settings
    for part in where:
        if model is Settings and part == "profiles":
            continue
        if isinstance(model, type) and issubclass(model, BaseModel) and part in model.model_fields:
            model = model.model_fields[part].annotation
        else:
            model = Profile
    return (
        list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
    )


def _explain(error: ValidationError, origin: str) -> BadInput:
    problem = error.errors(include_url=False)[0]
    where = tuple(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where[-1], _known_keys(where[:-1]), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "; see docs/settings.md for all settings"
        return BadInput(f"unknown setting {'.'.join(where)!r} in {origin}{hint}")
    return BadInput(f"bad setting in {origin}: {first_problem(error)}; see docs/settings.md")


def _origin(layers: list[tuple[str, dict[str, Any]]], *where: str) -> str:
    """The layer that set something last."""
    for origin, layer in layers[::-1]:
        value: Any = layer
        for key in where:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return origin
    return "the defaults"


def _check_together(settings: Settings, layers: list[tuple[str, dict[str, Any]]]) -> None:
    """What holds only between settings or outside them; BadInput names the layer that said it last."""
    for role, name in settings.roles.items():
        if name not in settings.profiles:
            raise BadInput(
                f"roles.{role} in {_origin(layers, 'roles', role)} uses profile {name!r}, which is not defined; "
                f"add [profiles.{name}] or name one of {', '.join(settings.profiles)}"
            )
    columns = settings.collect.columns
    if columns and "text" not in columns:
        raise BadInput(
            f"collect.columns in {_origin(layers, 'collect', 'columns')} names no column of words, without which it is "
            'used for no file; add text = "NAME"'
        )
    if settings.prompts_dir and not Path(settings.prompts_dir).is_dir():
        raise BadInput(
            f"prompts_dir in {_origin(layers, 'prompts_dir')} is {settings.prompts_dir!r}, "
            "which is no folder; correct the path or leave the setting out"
        )


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file; BadInput names the file and line when it does not parse."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not valid TOML ({error}); correct it and run again") from error
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Nested merge; values of `over` win."""
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def user_file() -> Path:
    """The user's own settings file."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "factory" / "factory.toml"


def load_settings(
    *,
    folder: Path | None = None,
    event: dict[str, Any] | None = None,
    flags: dict[str, Any] | None = None,
    recording: dict[str, Any] | None = None,
) -> Settings:
    """Settings from all layers; each layer is validated alone so that an error names its origin.

    `folder` holds factory.toml; `recording` is the settings table of a recording, which replaces the files
    because a replay must run as it was recorded.
    """
    layers: list[tuple[str, dict[str, Any]]] = []
    if recording is None:
        for path in (user_file(), (folder or Path.cwd()) / "factory.toml"):
            if path.is_file():
                layers.append((str(path), read_toml(path)))
    else:
        layers.append(("the recording's run.toml", recording))
    layers.append(("event.toml", event or {}))
    layers.append(("the command line", flags or {}))
    merged: dict[str, Any] = {}
    for origin, layer in layers:
        try:
            Settings.model_validate(layer)
        except ValidationError as error:
            raise _explain(error, origin) from error
        merged = merge(merged, layer)
    settings = Settings.model_validate(merged)
    _check_together(settings, layers)
    return settings
