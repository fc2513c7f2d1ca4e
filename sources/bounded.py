"""Bodies of bounded size for libraries that send by `requests`, as praw does.

Such a library reads every body whole. This adapter reads it in pieces, unpacked, and gives up at the size that our own
client has for its bodies, so that neither a huge answer nor a small one that unpacks to a huge one fills the memory.
Imported where it is used, since `requests` is slow to load.
"""

from __future__ import annotations

from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException

_PIECE = 65_536


class TooLarge(RequestException):
    """A body is larger than is read."""


class Bounded(HTTPAdapter):
    """Sends as `HTTPAdapter` does; TooLarge for a body of more than `max_bytes`, as received or as unpacked."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self.max_bytes = max_bytes

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
        return response

    def _refused(self, response: Response) -> TooLarge:
        response.close()
        return TooLarge(f"larger than {self.max_bytes} bytes", response=response)
