"""Names of connectors and importers to their classes, loaded when asked for.

Third parties add a connector by an entry point of the group `factory.sources` and an importer by one of
`factory.importers`; the bundled ones keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Literal, TypeVar

from sources.base import Connector, Importer, SourceError

CONNECTORS = {
    "rss": "sources.rss:Rss",
    "web": "sources.web:Web",
    "reddit": "sources.reddit:Reddit",
    "mastodon": "sources.mastodon:Mastodon",
    "hackernews": "sources.hackernews:HackerNews",
    "gdelt": "sources.gdelt:Gdelt",
    "googlenews": "sources.googlenews:GoogleNews",
    "bluesky": "sources.bluesky:Bluesky",
    "youtube": "sources.youtube:YouTube",
    "x": "sources.x:X",
    "wayback": "sources.wayback:Wayback",
    "site": "sources.site:Site",
}
IMPORTERS = {
    "mediacrawler": "sources.imports.mediacrawler:MediaCrawler",
    "captures": "sources.imports.captures:Captures",
    "timeline": "sources.imports.timeline:TimelineFile",
    "feed": "sources.imports.feed_file:FeedFile",
    "html": "sources.imports.html_folder:HtmlPage",
    "table": "sources.imports.table:Table",
    "articles": "sources.imports.articles_json:ArticlesJson",
    "societybench": "sources.imports.societybench:VerifiedCsv",
    "reddit-archive": "sources.imports.ndjson:RedditArchive",
    "warc": "sources.imports.warc:Warc",
    "zeeschuimer": "sources.imports.zeeschuimer:Zeeschuimer",
}


Kind = Literal["connector", "importer"]
T = TypeVar("T")
_MEND = "update or uninstall the package that brings it"


def _load(kind: str, source: str, path: str) -> object:
    """What an entry names; SourceError when it cannot be imported, whatever a third party's code raises."""
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # a plug-in's fault is told in a sentence and costs no other source
        reason = " ".join(str(error).split())[:200]
        raise SourceError(
            f"the {kind} {source!r} ({path}) cannot be loaded ({type(error).__name__}: {reason}); {_MEND}"
        ) from error


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
    found = _load("source", name, known[name])
    if not (isinstance(found, type) and issubclass(found, Connector)):
        raise SourceError(
            f"the source {name!r} ({known[name]}) is no sources.base.Connector; {_MEND}"
        )
    if found.name != name:
        raise SourceError(
            f"the source {name!r} ({known[name]}) calls itself {found.name!r}; {_MEND}"
        )
    for names in (found.needs, found.optional):
        if not isinstance(names, tuple) or not all(isinstance(key, str) for key in names):
            raise SourceError(
                f"the source {name!r} ({known[name]}) must give `needs` and `optional` as tuples of names; {_MEND}"
            )
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
    found = _load("importer", name, known[name])
    if not (isinstance(found, type) and issubclass(found, Importer)):
        raise SourceError(
            f"the importer {name!r} ({known[name]}) is no sources.base.Importer; {_MEND}"
        )
    if found.name != name:
        raise SourceError(
            f"the importer {name!r} ({known[name]}) calls itself {found.name!r}; {_MEND}"
        )
    return found


def connectors() -> list[type[Connector] | type[Importer]]:
    """Every connector, then every importer, by name; those that cannot be loaded are in `broken`."""
    return [*_loaded(connector_names(), connector)[0], *importers()]


def importers() -> list[type[Importer]]:
    """Every importer that can be loaded, by name."""
    return _loaded(importer_names(), importer)[0]


def broken() -> list[tuple[Kind, str, str]]:
    """Kind, name and a sentence for each connector and importer that cannot be loaded."""
    sources = _loaded(connector_names(), connector)[1].items()
    readers = _loaded(importer_names(), importer)[1].items()
    return [
        *(("connector", name, fault) for name, fault in sources),
        *(("importer", name, fault) for name, fault in readers),
    ]


def _loaded(names: Iterable[str], load: Callable[[str], T]) -> tuple[list[T], dict[str, str]]:
    """What can be loaded, and a sentence for each of the others by name."""
    found, faults = [], {}
    for name in names:
        try:
            found.append(load(name))
        except SourceError as error:
            faults[name] = str(error)
    return found, faults
