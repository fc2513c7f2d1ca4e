"""Names of connectors and importers to their classes, loaded when asked for.

Third parties add a connector by an entry point of the group `factory.sources` and an importer by one of
`factory.importers`; the bundled ones keep their names.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from sources.base import Connector, Importer, SourceError

CONNECTORS = {
    "rss": "sources.rss:Rss",
    "web": "sources.web:Web",
    "reddit": "sources.reddit:Reddit",
    "mastodon": "sources.mastodon:Mastodon",
}
IMPORTERS = {
    "mediacrawler": "sources.imports.mediacrawler:MediaCrawler",
    "captures": "sources.imports.captures:Captures",
    "timeline": "sources.imports.timeline:TimelineFile",
    "feed": "sources.imports.feed_file:FeedFile",
    "html": "sources.imports.html_folder:HtmlPage",
    "table": "sources.imports.table:Table",
}


def _load(path: str) -> object:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@cache
def _plugins(group: str) -> dict[str, str]:
    """Entry points of a group; reading them costs 30 ms, so it is done once."""
    return {point.name: point.value for point in entry_points(group=group)}


def _known(bundled: dict[str, str], group: str) -> dict[str, str]:
    return _plugins(group) | bundled


def connector_names() -> tuple[str, ...]:
    """Names of all connectors, sorted."""
    return tuple(sorted(_known(CONNECTORS, "factory.sources")))


def connector(name: str) -> type[Connector]:
    """The class of a connector; SourceError names those that exist when there is none of that name."""
    known = _known(CONNECTORS, "factory.sources")
    if name not in known:
        raise SourceError(f"no source {name!r}; sources are {', '.join(sorted(known))}")
    found = _load(known[name])
    if not (isinstance(found, type) and issubclass(found, Connector)):
        raise SourceError(f"the source {name!r} ({known[name]}) is no sources.base.Connector")
    return found


def importer_names() -> tuple[str, ...]:
    """Names of all importers, sorted."""
    return tuple(sorted(_known(IMPORTERS, "factory.importers")))


def importer(name: str) -> type[Importer]:
    """The class of an importer; SourceError names those that exist when there is none of that name."""
    known = _known(IMPORTERS, "factory.importers")
    if name not in known:
        raise SourceError(
            f"no import format {name!r}; formats are auto, {', '.join(sorted(known))}"
        )
    found = _load(known[name])
    if not (isinstance(found, type) and issubclass(found, Importer)):
        raise SourceError(f"the importer {name!r} ({known[name]}) is no sources.base.Importer")
    return found


def connectors() -> list[type[Connector] | type[Importer]]:
    """Every connector, then every importer, by name."""
    rows: list[type[Connector] | type[Importer]] = [connector(name) for name in connector_names()]
    return rows + [importer(name) for name in importer_names()]
