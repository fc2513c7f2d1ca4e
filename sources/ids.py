"""Ids of items and hashes of authors: keyed, so that neither can be looked up from the outside."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache

_BLOCK = 64
"""Bytes of a block of SHA-256."""
_REMEMBERED = 1 << 15
"""Hashes that are kept: the comments of a thread name the same posts and people again and again."""


class Ids:
    """Ids under one event's salt. Same salt and input give the same id."""

    def __init__(self, salt: str) -> None:
        # HMAC-SHA-256 (RFC 2104) whose two key blocks are hashed once: archives need millions of ids.
        key = salt.encode()
        key = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key))
        self._digest: Callable[[str], str] = lru_cache(_REMEMBERED)(self._hash)

    def _hash(self, message: str) -> str:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message.encode())
        outer.update(inner.digest())
        return outer.hexdigest()

    def item(self, platform: str, native_id: str, space: str = "") -> str:
        """`i` and 12 hex digits for one published thing.

        `space` keeps apart native ids that a platform counts separately, such as posts and comments.
        """
        return "i" + self._digest(f"item\x1f{platform}\x1f{space}\x1f{native_id}")[:12]

    def item_once(self, platform: str, native_id: str) -> str:
        """`item` of a thing that is hardly asked for again, such as a post in a file of posts: not remembered."""
        return "i" + self._hash(f"item\x1f{platform}\x1f\x1f{native_id}")[:12]

    def author(self, platform: str, author: object) -> str:
        """16 hex digits for an account, empty when there is none."""
        name = "" if author is None else str(author).strip()
        if name in _NOBODY:
            return ""
        return self._digest(f"author\x1f{platform}\x1f{name}")[:16]


_NOBODY = frozenset({"", "[deleted]", "[removed]", "None", "0"})
"""What stands in the place of an account that is not named."""


@lru_cache(4)
def ids_of(salt: str) -> Ids:
    """The ids of a salt, made once."""
    return Ids(salt)
