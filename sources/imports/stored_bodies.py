"""Bodies of recorded answers without the packing that their headers name, which may be undone already.

Archives keep answers as they came or unpacked under the old headers: whether a body is packed is told by its bytes.
"""

from __future__ import annotations

from sources.imports.cells import whole_text
from sources.unpacking import PACKINGS, NotUnpacked, Unpacker, first_of_zstd

_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_BINARY = bytes({*range(1, 32), 127} - {*b"\t\n\f\r\x1b"})
"""Control characters that no text has; a tenth of packed bytes are such."""
_LOOKED_AT = 4096
_MOST_BINARY = 0.01


class UnknownPacking(NotUnpacked):
    """A body in a packing that is not read; the message names it."""


def plain_body(body: bytes, packing: str, most: int) -> bytes:
    """A body as it was before it was packed, at most so many bytes of it.

    NotUnpacked when it is damaged or cut short, UnknownPacking when it is packed in a way that is not read.
    """
    packing = packing.strip().lower()
    if packing in ("", "identity"):
        return body
    if not _is_packed(body) and not body.startswith((_ZSTD, _GZIP)):
        return body
    if packing == "zstd":
        return first_of_zstd(body, most)
    if packing not in PACKINGS:
        raise UnknownPacking(f"packed as {whole_text(packing)[:20]}, which is not read")
    unpacker = Unpacker(packing)
    found = unpacker.feed(body, most)
    if len(found) < most:
        unpacker.end()
    return found


def _is_packed(body: bytes) -> bool:
    start = body[:_LOOKED_AT]
    return len(start) - len(start.translate(None, _BINARY)) > _MOST_BINARY * len(start)
