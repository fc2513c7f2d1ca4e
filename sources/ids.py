"""Ids of items and hashes of authors: keyed, so that neither can be looked up from the outside."""

from __future__ import annotations

import hashlib
import hmac


class Ids:
    """Ids under one event's salt. Same salt and input give the same id."""

    def __init__(self, salt: str) -> None:
        self._key = salt.encode()

    def _digest(self, *parts: str) -> str:
        return hmac.new(self._key, "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()

    def item(self, platform: str, native_id: str, space: str = "") -> str:
        """`i` and 12 hex digits for one published thing.

        `space` keeps apart native ids that a platform counts separately, such as posts and comments.
        """
        return "i" + self._digest("item", platform, space, native_id)[:12]

    def author(self, platform: str, author: object) -> str:
        """16 hex digits for an account, empty when there is none."""
        name = "" if author is None else str(author).strip()
        if name in {"", "[deleted]", "[removed]", "None", "0"}:
            return ""
        return self._digest("author", platform, name)[:16]
