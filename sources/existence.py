"""Whether published things still exist on their platforms, asked by id and without reading their words.

Each function answers for every id: True where the platform still shows the thing, False where it says that it
does not, None where that is not known. A refusal, a failure, an odd answer and an odd id are None, never False.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from sources.base import Report, SourceError
from sources.deletions import BRACKETED
from sources.http import Http, Response
from sources.lenient import mapping, rows, words
from sources.urls import is_web_address

Existing = dict[str, bool | None]

HACKERNEWS_ADDRESS = "https://hacker-news.firebaseio.com/v0"
"""Hacker News itself: the search index keeps what was deleted, the site's own interface says so."""
MOST_FAILURES = 3
"""Failed calls in a row after which a platform, or a host of pages, is asked no more."""
MASTODON_PROOF = 3
"""Ids of an instance mean nothing on another one: of this many or more, at least one must be found."""
_NUMBER = re.compile(r"\d{1,25}")
_STATUS = re.compile(r"[A-Za-z0-9]{1,40}")
"""Numbers on Mastodon itself, letters too on other servers that speak its interface."""
_VIDEO = re.compile(r"[A-Za-z0-9_-]{11}")


class NoAnswer(Exception):
    """A call did not tell; its outcome is in the report."""


def in_batches(
    native_ids: Iterable[str],
    size: int,
    ask: Callable[[list[str]], Mapping[str, bool | None]],
    report: Report,
    form: re.Pattern[str],
) -> Existing:
    """Ask about ids of the platform's form, up to `size` in a call, until calls keep failing."""
    found: Existing = dict.fromkeys(native_ids)
    proper = [native for native in found if form.fullmatch(native)]
    if len(proper) < len(found):
        report.note(f"{len(found) - len(proper)} ids are not of the platform's form, not asked")
    failures = 0
    for start in range(0, len(proper), size):
        try:
            found |= ask(proper[start : start + size])
        except NoAnswer:
            failures += 1
            if failures == MOST_FAILURES:
                report.note("the platform kept failing and was asked no more")
                break
        else:
            failures = 0
    return found


def _credential(value: str, variable: str) -> str:
    """A credential that a header can hold; SourceError otherwise, for an error about the header would print it."""
    if not re.fullmatch(r"[!-~]+", value):
        raise SourceError(
            f"{variable} is not a key or token; copy it again from where it was issued"
        )
    return value


def _failed(response: Response, report: Report) -> NoAnswer:
    outcome = response.outcome if response.outcome != "ok" else "decode_error"
    report.end(outcome)
    report.refuse(response.url.partition("?")[0], outcome, response.note or "an unexpected answer")
    return NoAnswer()


def _json(response: Response, report: Report) -> Any:
    """The JSON of a good answer; NoAnswer otherwise."""
    if response.outcome != "ok":
        raise _failed(response, report)
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError) as error:
        raise _failed(response, report) from error


def _listed(response: Response, name: str, report: Report) -> list[Any]:
    """The array under a name of a good answer; NoAnswer where it is missing, for it must not read as empty."""
    value = mapping(_json(response, report)).get(name)
    if not isinstance(value, list):
        raise _failed(response, report)
    report.end("ok")
    return value


def hackernews(client: Http, report: Report, base: str, native_ids: Sequence[str]) -> Existing:
    """Items by number, one a call: gone when unknown, `deleted` or `dead`."""

    def ask(batch: list[str]) -> Existing:
        response = client.get(f"{base.rstrip('/')}/item/{batch[0]}.json", robots=False)
        value = _json(response, report)
        item = mapping(value)
        if value is not None and str(item.get("id")) != batch[0]:
            raise _failed(response, report)
        report.end("ok")
        return {batch[0]: bool(item) and not (item.get("deleted") or item.get("dead"))}

    return in_batches(native_ids, 1, ask, report, _NUMBER)


def mastodon(
    client: Http, report: Report, base: str, token: str, native_ids: Sequence[str]
) -> Existing:
    """Statuses by the ids of one instance, one a call, one call a second (it allows 300 in five minutes)."""
    client.pace(base, 1.0)
    headers = {"authorization": f"Bearer {_credential(token, 'MASTODON_TOKEN')}"} if token else {}

    def ask(batch: list[str]) -> Existing:
        response = client.get(
            f"{base.rstrip('/')}/api/v1/statuses/{batch[0]}", headers=headers, robots=False
        )
        if response.status in (404, 410):
            report.end("soft404")
            return {batch[0]: False}
        body = mapping(_json(response, report))
        if str(body.get("id")) != batch[0]:
            raise _failed(response, report)
        report.end("ok")
        return {batch[0]: True}

    found = in_batches(native_ids, 1, ask, report, _STATUS)
    if len(found) >= MASTODON_PROOF and True not in found.values():
        answers = sum(there is False for there in found.values())
        if answers:
            report.note(
                f"{base} knows none of {answers} statuses, so they may be another instance's; "
                "set collect.mastodon_url to the one that was searched"
            )
        return dict.fromkeys(found)
    return found


def bluesky(client: Http, report: Report, base: str, native_ids: Sequence[str]) -> Existing:
    """Posts by at:// address, 25 a call: those missing from the answer are gone. No account is needed."""

    def ask(batch: list[str]) -> Existing:
        query = urlencode([("uris", uri) for uri in batch])
        address = f"{base.rstrip('/')}/xrpc/app.bsky.feed.getPosts?{query}"
        posts = _listed(client.get(address, robots=False), "posts", report)
        shown = {words(mapping(post).get("uri")) for post in posts}
        return {uri: uri in shown for uri in batch}

    form = re.compile(r"at://did:[a-z]+:[A-Za-z0-9._:%-]+/app\.bsky\.feed\.post/[A-Za-z0-9._:~-]+")
    return in_batches(native_ids, 25, ask, report, form)


def youtube(
    client: Http, report: Report, base: str, key: str, native_ids: Sequence[str]
) -> Existing:
    """Videos and comments by id, 50 a call and one unit of quota each; private and deleted ones are missing.

    SourceError when the key is refused.
    """

    key = _credential(key, "YOUTUBE_API_KEY")

    def asking(resource: str) -> Callable[[list[str]], Existing]:
        def ask(batch: list[str]) -> Existing:
            query = urlencode({"part": "id", "id": ",".join(batch), "maxResults": "50"})
            response = client.get(
                f"{base.rstrip('/')}/{resource}?{query}",
                headers={"x-goog-api-key": key},
                robots=False,
            )
            if response.status == 404 and resource == "comments":
                if len(batch) == 1:  # the answer where all of the comments asked for are gone
                    report.end("soft404")
                    return {batch[0]: False}
                half = len(batch) // 2
                return ask(batch[:half]) | ask(batch[half:])
            if response.outcome != "ok" and b"API_KEY_INVALID" in response.body:
                raise SourceError("YouTube refused the key; check YOUTUBE_API_KEY")
            shown = {mapping(row).get("id") for row in _listed(response, "items", report)}
            return {native: native in shown for native in batch}

        return ask

    videos = [native for native in native_ids if _VIDEO.fullmatch(native)]
    comments = [native for native in native_ids if not _VIDEO.fullmatch(native)]
    form = re.compile(r"[A-Za-z0-9_.=-]{12,200}")
    return in_batches(videos, 50, asking("videos"), report, _VIDEO) | in_batches(
        comments, 50, asking("comments"), report, form
    )


def x(client: Http, report: Report, base: str, token: str, native_ids: Sequence[str]) -> Existing:
    """Posts by id, 100 a call: gone when not found, or no longer shown to the public.

    An id of which the answer says neither is not known. Each post that is found costs a read.
    """
    token = _credential(token, "X_BEARER_TOKEN")

    def ask(batch: list[str]) -> Existing:
        response = client.get(
            f"{base.rstrip('/')}/2/tweets?ids={','.join(batch)}",
            headers={"authorization": f"Bearer {token}"},
            robots=False,
        )
        body = mapping(_json(response, report))
        if not {"data", "errors"} & body.keys():
            raise _failed(response, report)
        report.end("ok")
        answer: Existing = {}
        for row in rows(body.get("errors")):
            kind = words(mapping(row).get("type")).rpartition("/")[2]
            if kind in ("resource-not-found", "not-authorized-for-resource"):
                answer[words(mapping(row).get("resource_id")) or str(mapping(row).get("value"))] = (
                    False
                )
        answer |= {words(mapping(row).get("id")): True for row in rows(body.get("data"))}
        return {native: answer.get(native) for native in batch}

    return in_batches(native_ids, 100, ask, report, _NUMBER)


def reddit(client: Any, report: Report, native_ids: Sequence[str]) -> Existing:
    """Submissions and comments by fullname through praw, 100 a call.

    Gone: missing from the answer, or marked as deleted or removed. A text whose account was deleted is there.
    """
    import praw.exceptions
    import prawcore.exceptions

    def ask(batch: list[str]) -> Existing:
        try:  # not `info`, which gives nothing both for what is gone and for an answer that it cannot read
            value = client.request(
                method="GET", path="api/info", params={"id": ",".join(batch), "raw_json": 1}
            )
        except (prawcore.exceptions.PrawcoreException, praw.exceptions.PRAWException) as error:
            status = getattr(getattr(error, "response", None), "status_code", 0)
            report.end("blocked" if status in (401, 403, 429) else "error")
            report.refuse(
                "api/info", "error", f"status {status}" if status else type(error).__name__
            )
            raise NoAnswer from error
        things = mapping(mapping(value).get("data")).get("children")
        if not isinstance(things, list):
            report.end("decode_error")
            report.refuse("api/info", "decode_error", "an unexpected answer")
            raise NoAnswer
        report.end("ok" if things else "empty")
        found = [mapping(mapping(thing).get("data")) for thing in things]
        shown = {words(thing.get("name")): not _removed(thing) for thing in found}
        return {native: shown.get(native, False) for native in batch}

    return in_batches(native_ids, 100, ask, report, re.compile(r"t[13]_[a-z0-9]{1,13}"))


def _removed(values: Mapping[str, Any]) -> bool:
    texts = (values.get(name) for name in ("selftext", "body", "title"))
    return bool(values.get("removed_by_category")) or any(
        isinstance(text, str) and text.strip().lower() in BRACKETED for text in texts
    )


def pages(client: Http, report: Report, addresses: Sequence[str]) -> Existing:
    """Web pages by address: gone with status 404 or 410, there when the page comes, else not known.

    robots.txt is honoured. A host that keeps failing is asked no more.
    """
    found: Existing = dict.fromkeys(addresses)
    failures: Counter[str] = Counter()
    for address in found:
        host = urlsplit(address).netloc if is_web_address(address) else ""
        if not host or failures[host] >= MOST_FAILURES:
            continue
        response = client.get(address)
        report.end(response.outcome)
        if response.status in (404, 410):
            found[address] = False
        elif response.outcome in ("ok", "empty"):
            found[address] = True
        else:
            report.refuse(host, response.outcome, response.note)
            failures[host] += 1
            continue
        failures[host] = 0
    return found
