"""One canonical form of an address, so that the same page found twice is seen to be the same."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

_TRACKING = re.compile(
    r"^(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|spm|scm|_ga|ref_src|ref_url|"
    r"from_source|share_token|share_source|share_medium|vd_source|xsec_token|xsec_source|cmpid|ocid|"
    r"ns_campaign|ns_mchannel|ns_source|at_medium|at_campaign|smid|smtyp|wt\.mc_id|tt_from|"
    r"isappinstalled|sudaref)$",
    re.IGNORECASE,
)
_TOKENS = re.compile(
    r"(?:xsec_token|xsec_source|(?:access|refresh|auth|share|csrf|login)[-_]?token|session[-_]?(?:id|token|key)|"
    r"sess(?:id)?|jsessionid|phpsessid|aspsessionid\w*|sid_tt|web_session|ms_?token|a_bogus|x-bogus|_signature)",
    re.IGNORECASE,
)
"""Parameters that let somebody in, or tell who looked: no part of an address that is kept or handed on."""
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid)=[^/?#;]*", re.IGNORECASE)
_UNWRAP = {
    ("www.bing.com", "/news/apiclick.aspx"): "url",
    ("www.google.com", "/url"): "q",
    ("l.facebook.com", "/l.php"): "u",
    ("link.zhihu.com", "/"): "target",
    ("t.umblr.com", "/redirect"): "z",
    ("www.youtube.com", "/redirect"): "q",
    ("out.reddit.com", "/"): "url",
    ("weibo.cn", "/sinaurl"): "u",
    ("www.douban.com", "/link2/"): "url",
    ("link.juejin.cn", "/"): "target",
    ("steamcommunity.com", "/linkfilter/"): "u",
}
"""Redirectors that carry their target in a parameter."""
_PORTS = {"http": 80, "https": 443}
_HOST = r"https?://[a-z0-9][a-z0-9-]*+(?:\.[a-z0-9][a-z0-9-]*+)++"
_CANONICAL = re.compile(rf"{_HOST}(?:/[A-Za-z0-9:@!$&'()*+,;=~._-]++)++/?", re.ASCII)
"""Addresses that are canonical as they are, or without their last slash: most ones in archives of posts."""
_SITE = re.compile(rf"{_HOST}/", re.ASCII)
_PLAIN_START = re.compile(rf"(?P<origin>{_HOST})(?:/|$)", re.ASCII)
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+)++/?", re.ASCII)


def is_web_address(url: str) -> bool:
    """Whether the text is an absolute http or https address with a host."""
    if _PLAIN_START.match(url):
        return True
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in _PORTS and bool(parts.hostname)


def canonical(url: str) -> str:
    """Canonical form: lower-case host, no fragment, no tracking, sorted query, unwrapped redirectors.

    Idempotent. Text that is no web address comes back stripped and otherwise unchanged.
    """
    url = url.strip()
    if _CANONICAL.fullmatch(url):
        return url.removesuffix("/")
    for _ in range(4):
        if not is_web_address(url):
            return url
        parts = urlsplit(url)
        key = _UNWRAP.get(((parts.hostname or "").lower(), parts.path))
        inner = dict(parse_qsl(parts.query)).get(key or "", "")
        if not is_web_address(inner):
            break
        url = inner.strip()
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower().rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    if parts.port and parts.port != _PORTS[scheme]:
        host = f"{host}:{parts.port}"
    path = quote(unquote(parts.path), safe="/:@!$&'()*+,;=~-._") or "/"
    path = re.sub(r"/{2,}", "/", path)
    if len(path) > 1:
        path = path.rstrip("/") or "/"
    query = urlencode(
        sorted(
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if not _TRACKING.match(name)
        )
    )
    return urlunsplit((scheme, host, path, query, ""))


def without_tokens(url: str) -> str:
    """An address without access tokens and sessions, otherwise to the letter as it is."""
    if "?" not in url and ";" not in url:
        return url
    head, hash_mark, fragment = url.partition("#")
    path, mark, query = head.partition("?")
    path = _SESSION_PATH.sub("", path)
    if mark:
        kept = [
            part
            for part in query.split("&")
            if not _TOKENS.fullmatch(unquote(part.partition("=")[0]))
        ]
        query = "&".join(kept)
        mark = mark if query else ""
    return path + mark + query + hash_mark + fragment


def absolute(base: str, link: str) -> str:
    """A link of a page as an absolute address, or empty when it is none."""
    if _PLAIN_PATH.fullmatch(link) and _SITE.fullmatch(base):
        return base[:-1] + link
    try:
        joined = urljoin(base, link.strip())
    except ValueError:
        return ""
    return joined if is_web_address(joined) else ""


def site(url: str) -> str:
    """Host of an address without `www.`, empty when it is none."""
    if plain := _PLAIN_START.match(url):
        host = plain["origin"].partition("//")[2]
    elif is_web_address(url):
        host = (urlsplit(url).hostname or "").lower()
    else:
        return ""
    return host.removeprefix("www.")
