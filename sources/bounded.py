"""Bodies of bounded size for libraries that send by `requests`, as praw does.

Such a library reads every body whole. This adapter reads it in pieces, unpacked, and gives up at the size that our own
client has for its bodies, so that neither a huge answer nor a small one that unpacks to a huge one fills the memory.
Like our own client it takes answers that a stopped run had in place of asking for them again.
Imported where it is used, since `requests` is slow to load.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from requests.utils import get_encoding_from_headers

from sources.answers import Answers
from sources.http import Response as Answer

_PIECE = 65_536


class TooLarge(RequestException):
    """A body is larger than is read."""


class Bounded(HTTPAdapter):
    """Sends as `HTTPAdapter` does; TooLarge for a body of more than `max_bytes`, as received or as unpacked."""

    def __init__(self, max_bytes: int, answers: Answers | None = None, kept_of: str = "") -> None:
        super().__init__()
        self.max_bytes = max_bytes
        self._answers = answers or Answers()
        self._kept_of = kept_of

    def send(
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> Response:
        """Send and read the body; RequestException when it cannot be had."""
        asked = self._asked(request)
        kept = self._answers.take(asked) if asked else None
        if kept is not None:
            return self._again(request, kept)
        response = super().send(request, True, timeout, verify, cert, proxies)
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self.max_bytes:
            raise self._refused(response)
        body = bytearray()
        for piece in response.iter_content(_PIECE):
            body += piece
            if len(body) > self.max_bytes:
                raise self._refused(response)
        response._content = bytes(body)  # what `requests` itself sets after reading
        if asked and response.status_code == 200:
            self._answers.keep(asked, _plain(response))
        return response

    def _asked(self, request: PreparedRequest) -> str:
        """What a request asks for, in words; empty where its answer is not to be kept, as those with tokens are."""
        url = request.url or ""
        path = urlsplit(url).path
        if not self._kept_of or not url.startswith(self._kept_of) or "access_token" in path:
            return ""
        body = request.body or ""
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)
        return f"{request.method} {url} {text}".strip()

    def _again(self, request: PreparedRequest, kept: Answer) -> Response:
        """The answer that an earlier run had to a request."""
        response = Response()
        response.status_code = kept.status
        response.headers.update(kept.headers)
        response.url, response.request = kept.url, request
        response.encoding = get_encoding_from_headers(response.headers)
        response._content = kept.body
        return response

    def _refused(self, response: Response) -> TooLarge:
        response.close()
        return TooLarge(f"larger than {self.max_bytes} bytes", response=response)


def _plain(response: Response) -> Answer:
    """An answer as our own client has them; of its headers only what tells how to read it."""
    kind = response.headers.get("content-type", "")
    return Answer(
        response.url, response.status_code, {"content-type": kind}, response.content, "ok"
    )
