"""The zone in which a publisher writes its times, as far as its address or its language tells.

A country domain with one time zone says more about a time without a zone than the place of the event does:
a .cn page on an event in London writes Beijing time. Countries with several zones are not among them. Where the
domain tells nothing, Chinese does: nearly all who write it for a public are at +08:00, and mean that by CST.
"""

from __future__ import annotations

from sources.urls import site

_ONE_ZONE = {
    "cn": "Asia/Shanghai", "hk": "Asia/Hong_Kong", "mo": "Asia/Macau", "tw": "Asia/Taipei", "sg": "Asia/Singapore",
    "jp": "Asia/Tokyo", "kr": "Asia/Seoul", "ph": "Asia/Manila", "vn": "Asia/Ho_Chi_Minh", "th": "Asia/Bangkok",
    "my": "Asia/Kuala_Lumpur", "in": "Asia/Kolkata", "pk": "Asia/Karachi", "bd": "Asia/Dhaka", "lk": "Asia/Colombo",
    "np": "Asia/Kathmandu", "ir": "Asia/Tehran", "il": "Asia/Jerusalem", "sa": "Asia/Riyadh", "ae": "Asia/Dubai",
    "tr": "Europe/Istanbul", "uk": "Europe/London", "ie": "Europe/Dublin", "fr": "Europe/Paris", "de": "Europe/Berlin",
    "it": "Europe/Rome", "nl": "Europe/Amsterdam", "be": "Europe/Brussels", "ch": "Europe/Zurich", "at": "Europe/Vienna",
    "pl": "Europe/Warsaw", "cz": "Europe/Prague", "hu": "Europe/Budapest", "ro": "Europe/Bucharest", "gr": "Europe/Athens",
    "se": "Europe/Stockholm", "no": "Europe/Oslo", "dk": "Europe/Copenhagen", "fi": "Europe/Helsinki", "ua": "Europe/Kyiv",
    "za": "Africa/Johannesburg", "ng": "Africa/Lagos", "ke": "Africa/Nairobi", "eg": "Africa/Cairo", "nz": "Pacific/Auckland",
}  # fmt: skip
"""Country domain -> IANA zone of (nearly) all its publishers."""


CHINESE_ZONE = "Asia/Shanghai"
_AT_EIGHT = frozenset(_ONE_ZONE[domain] for domain in ("cn", "hk", "mo", "tw", "sg", "my"))
"""Zones in which Chinese is written and whose clocks are those of Beijing."""


def publisher_zone(url: str, default: str, lang: str = "") -> str:
    """IANA zone of a publisher by its address and its language; `default` when neither tells one."""
    by_domain = _ONE_ZONE.get(site(url).rpartition(".")[2]) if url else None
    if by_domain is not None:
        return by_domain
    return CHINESE_ZONE if lang == "zh" and default not in _AT_EIGHT else default
