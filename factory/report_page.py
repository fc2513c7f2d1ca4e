"""What both reports share on the way from records to a page: one environment of templates and its filters."""

from __future__ import annotations

import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from factory.evidence import clip, percent, readable
from factory.standings import figure

_CODE = re.compile(r"`([^`\n]+)`")


def environment() -> Environment:
    """Templates of pages: every value is escaped and a name that is not given is an error."""
    made = Environment(
        loader=PackageLoader("factory", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "tokens": readable,
        "clip": clip,
        "figure": figure,
        "percent": percent,
        "coded": coded,
    }
    return made


def coded(text: str) -> Markup:
    """A sentence as HTML, its commands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))
