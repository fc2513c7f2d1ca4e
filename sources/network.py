"""Connections that cannot reach private addresses and cannot be drawn out.

A name is resolved once, every address that it has must be public, and the checked address is the one connected
to, so that a name cannot change its mind between check and use. Each read waits no longer than the deadline of the
whole answer, so that a server which sends a byte now and then holds nobody.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import httpcore2

if TYPE_CHECKING:
    import httpx2

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 addresses as seen through a translator (RFC 6052)."""
_LOCAL_TRANSLATED = ipaddress.ip_network("64:ff9b:1::/48")
"""Translators of private networks (RFC 8215)."""


class AddressRefused(Exception):
    """A host is private, link-local, loopback or otherwise not of the public network."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public network; IPv4 inside IPv6 is looked at as IPv4.

    ValueError when the text is no address.
    """
    ip = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.is_site_local or ip in _LOCAL_TRANSLATED:
            return False
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def public_addresses(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host; AddressRefused if any of them is not public, OSError if it has none."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
    for address in addresses:
        if not is_public(address):
            raise AddressRefused(f"{host} is at {address}, which is not a public address")
    if not addresses:
        raise OSError("it has no address")
    return addresses


def literal_is_private(host: str) -> bool:
    """Whether a host is written as an address, in any notation, that is not public."""
    host = unicodedata.normalize("NFKC", host).replace("\u3002", ".").lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public(host.strip("[]"))
    except ValueError:
        pass
    if re.fullmatch(r"[0-9a-fx.]+", host):
        try:  # 127.1, 0x7f000001 and 2130706433 are addresses too
            return not is_public(socket.inet_ntoa(socket.inet_aton(host)))
        except OSError:
            return False
    return False


class Deadline:
    """By when the answer that is being received must be complete, and how large it may be on the wire.

    One request at a time. The wire is bounded too, because packed parts that unpack to nothing never show a reader of
    unpacked bytes that they came.
    """

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._most = most
        self._room = most
        self._end = float("inf")

    def start(self) -> None:
        """A request begins."""
        self._end = time.monotonic() + self._seconds
        self._room = self._most

    def received(self, data: bytes) -> bytes:
        """Bytes as they came. httpcore2.ReadError when they are more than may come."""
        self._room -= len(data)
        if self._room < 0:
            raise httpcore2.ReadError(f"more than {self._most} bytes came")
        return data

    def full(self) -> bool:
        """Whether more came than may."""
        return self._room < 0

    def passed(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._end

    def within(self, timeout: float | None) -> float:
        """A timeout cut to what is left. httpcore2.ReadTimeout when nothing is."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout(f"the answer took longer than {self._seconds:g} seconds")
        return left if timeout is None else min(timeout, left)


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads and writes end with the deadline."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._deadline.received(self._inner.read(max_bytes, self._deadline.within(timeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.within(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._deadline.within(timeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Network(httpcore2.SyncBackend):
    def __init__(self, deadline: Deadline, *, guarded: bool) -> None:
        self._deadline = deadline
        self._guarded = guarded

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        addresses: tuple[str, ...] = (host,)
        if self._guarded:
            try:
                addresses = public_addresses(host, port)
            except OSError as error:
                raise httpcore2.ConnectError(f"{host} is not known ({error})") from error
        for address in addresses:
            try:
                stream = super().connect_tcp(
                    address, port, self._deadline.within(timeout), local_address, socket_options
                )
            except httpcore2.ConnectError:
                if address == addresses[-1]:
                    raise
            else:
                return _Stream(stream, self._deadline)
        raise AssertionError("the last address connects or raises")


def transport(deadline: Deadline, *, guarded: bool, proxy: str) -> httpx2.HTTPTransport:
    """A transport over these connections. A proxy does the DNS itself and may be anywhere."""
    import httpx2

    network = _Network(deadline, guarded=guarded and not proxy)
    if proxy:
        made = httpx2.HTTPTransport(proxy=proxy, trust_env=False)
        made._pool._network_backend = network
        return made
    made = httpx2.HTTPTransport(trust_env=False)
    made._pool = httpcore2.ConnectionPool(
        ssl_context=httpx2.create_ssl_context(trust_env=False),
        max_connections=20,
        network_backend=network,
    )
    return made
