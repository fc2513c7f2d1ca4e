"""The dataset card of a bundle (README.md): what is in it, what was checked and what a score means, in both languages.

Records stay as they are in `cards/`; here their figures stand in words, rounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from factory.audit.announced import announced_days
from factory.audit.grounds import grounds
from factory.hiding import gates_in, hidden_rows, panel_table, panel_words, quota_name, role_name
from factory.report_en import plain
from factory.report_words import words
from factory.report_zh import chinese
from schemas import LANGS, Lang

if TYPE_CHECKING:
    from factory.bundle import Bundle


def readme(bundle: Bundle, version: str) -> bytes:
    """Markdown of the card; `version` names the key and cards by which the bank can be cited."""
    environment = Environment(
        loader=PackageLoader("factory", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # markdown; every value below is ours
    )
    environment.filters["role"] = lambda name: role_name(name, "en")
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    best = {
        axis: max(
            (
                cell.score
                for cell in bundle.baselines.cells
                if cell.axis == axis and not isinstance(cell.score, str)
            ),
            default=None,
        )
        for axis in ("calibration", "temporal")
    }
    text = environment.get_template("dataset_card.md.j2").render(
        bundle=bundle,
        langs=LANGS,
        best=best,
        version=version,
        t=words,
        said=said,
        gates_in=gates_in,
        hidden=hidden_rows,
        panel=panel_table,
        panel_words=panel_words,
        quota=quota_name,
        models=by_model(bundle),
        announced=announced_days(bundle.points.points, bundle.events, bundle.timeline),
        rests=grounds(bundle.questions, bundle.claims, bundle.resolutions),
    )
    return text.encode()


def said(text: str, lang: Lang) -> str:
    """A sentence of the program in one language; English where it has no Chinese."""
    return plain(text) if lang == "en" else chinese(text) or plain(text)


def by_model(bundle: Bundle) -> list[tuple[str, list[str]]]:
    """(model, roles that it played), by name."""
    roles: dict[str, list[str]] = {}
    for role, model in sorted(bundle.models.items()):
        roles.setdefault(model, []).append(role)
    return sorted(roles.items())
