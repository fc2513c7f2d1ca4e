"""One canonical form of an address, so that the same page found twice is seen to be the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

import idna

_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh|mibextid|mc_cid|mc_eid|mkt_tok|"
    r"gbraid|wbraid|gclsrc|gad_source|gad_campaignid|srsltid|_hsenc|_hsmi|spm|spm_id_from|scm|_ga|_gl|ref_src|ref_url|"
    r"from_source|share_token|share_source|share_medium|vd_source|xsec_token|xsec_source|cmpid|ocid|"
    r"ns_campaign|ns_mchannel|ns_source|at_medium|at_campaign|smid|smtyp|wt\.mc_id|tt_from|"
    r"isappinstalled|sudaref)",
    re.IGNORECASE,
)
"""Parameters that say how somebody came to a page, on whatever site."""
_SITE_TRACKING = {
    site: re.compile(names, re.IGNORECASE)
    for site, names in {
        "bilibili.com": r"share_plat|share_session_id|share_tag|share_from|from_spmid|unique_k|plat_id|is_story_h5|buvid|bbid",
        "facebook.com": r"__tn__|__cft__\[\d+\]|rdid",
        "mp.weixin.qq.com": (
            r"chksm|scene|subscene|ascene|sessionid|clicktime|enterid|devicetype|nettype|abtest_cookie|exportkey|"
            r"pass_ticket|wx_header|mpshare|srcid|sharer_\w+|poc_token|uin|key"
        ),
        "reddit.com": r"share_id|rdt|ref_source|correlation_id",
        "twitter.com": r"s|t",
        "weibo.cn": r"luicode|lfid|refer_flag|sourcetype",
        "weibo.com": r"luicode|lfid|refer_flag|sourcetype",
        "x.com": r"s|t",
        "youtu.be": r"si|feature|pp|ab_channel",
        "youtube.com": r"si|feature|pp|ab_channel",
    }.items()
}
"""Site -> parameters that say the same there, or who looked; elsewhere they may name what is shown."""
_TOKENS = re.compile(
    r"(?:xsec_token|xsec_source|(?:access|refresh|auth|share|csrf|login|id)[-_]?token|"
    r"session[-_]?(?:id|token|key)|sess(?:id)?|jsessionid|phpsessid|aspsessionid\w*|sid_tt|web_session|"
    r"ms_?token|a_bogus|x-bogus|_signature|api[-_]?key|client[-_]?secret|password|passwd)",
    re.IGNORECASE,
)
"""Parameters that let somebody in, or tell who looked: no part of an address that is kept or handed on."""
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid)=[^/?#;]*", re.IGNORECASE)
_ACCOUNT = re.compile(r"(?<=://)[^/?#&\s]*@")
"""Name and password before a host."""
_REDIRECTORS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bing.com": (r"/news/apiclick\.aspx", ("url",)),
    "c.pc.qq.com": (r"/\w+\.html", ("pfurl", "url")),
    "cn.bing.com": (r"/news/apiclick\.aspx", ("url",)),
    "facebook.com": (r"/l\.php", ("u",)),
    "google.com": ("/url", ("url", "q")),
    "l.facebook.com": (r"/l\.php", ("u",)),
    "l.instagram.com": ("/", ("u",)),
    "lm.facebook.com": (r"/l\.php", ("u",)),
    "link.zhihu.com": ("/", ("target",)),
    "m.facebook.com": (r"/l\.php", ("u",)),
    "t.umblr.com": ("/redirect", ("z",)),
    "youtube.com": ("/redirect", ("q",)),
    "out.reddit.com": ("/[^/]*", ("url",)),
    "weibo.cn": ("/sinaurl", ("u", "toasturl")),
    "douban.com": ("/link2", ("url",)),
    "link.juejin.cn": ("/", ("target",)),
    "steamcommunity.com": ("/linkfilter", ("u",)),
}
"""Hosts that redirect, without their `www.` -> the path and the parameters, of which the first that holds an address is
the target: Google puts it in `url` beside the search words in `q`, or in `q` alone."""
_GOOGLE = re.compile(r"google\.(?:com?\.)?[a-z]{2}")
"""Google by country."""
_COPIES = (
    (re.compile(r"google\.com"), re.compile(r"/amp/(s/)?([^/]+)(/.*)?")),
    (re.compile(r"(?:[a-z0-9-]+\.)?cdn\.ampproject\.org"), re.compile(r"/[cv]/(s/)?([^/]+)(/.*)?")),
)
"""Hosts of copies of pages, without their `www.`, and the path with the page's own address, `s` for https before it."""
_COPIED_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?")
_COPIED = re.compile(r"usqp|amp_\w+", re.IGNORECASE)
"""Parameters that a copy adds to those of its page."""
_MOST_REDIRECTS = 8
"""Redirectors inside one another beyond which an address is left as it is."""
_MARKS = re.compile(r"([?&#])")
"""What parts the parameters of an address from one another."""
_ESCAPED_MARK = re.compile("^(?:amp;)+", re.IGNORECASE)
"""What is left of `&amp;` before a name, where an address was copied out of HTML as it stands there."""
_LOST = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as `surrogateescape` shows them."""
_ROUTE = re.compile(r"!?/|!")
"""How a fragment begins that names a page of an app in one page; any other is a place on its page."""
_SAFE = ":@!$&'()*+,;=~-._"
_PORTS = {"http": 80, "https": 443}
_HOST = r"https?://[a-z0-9][a-z0-9-]*+(?:\.[a-z0-9][a-z0-9-]*+)++"
_CANONICAL = re.compile(rf"{_HOST}(?:/[A-Za-z0-9:@!$&'()*+,;=~._-]++)++/?", re.ASCII)
"""Addresses that are canonical as they are, or without their last slash: most ones in archives of posts."""
_IN_PATH = re.compile(
    r"https?://(?:www\.google|[a-z0-9-]+\.cdn\.ampproject|google|cdn\.ampproject)\."
)
"""How an address begins that may hold another one in its path."""
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
    """Canonical form: lower-case ASCII host, no tracking, sorted query, unwrapped redirectors, no place on the page.

    A fragment is kept where it is the route of an app (`#/news/12`, `#!/news/12`). Escapes that are no UTF-8 stay
    the bytes that they are, and an escaped slash is none. Idempotent. Text that is no web address comes back
    stripped and otherwise unchanged.
    """
    url = url.strip()
    if _CANONICAL.fullmatch(url) and not _IN_PATH.match(url):
        return url.removesuffix("/")
    if not is_web_address(url):
        return url
    outer = found = _normal(url)
    for _ in range(_MOST_REDIRECTS + 1):
        target = _target(found)
        if not target:
            return found
        found = _normal(target)
    return outer


def _normal(url: str) -> str:
    """Canonical form of a web address by itself, whatever it leads to."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = name = _host(url)
    if ":" in host:
        host = f"[{host}]"
    if parts.port and parts.port != _PORTS[scheme]:
        host = f"{host}:{parts.port}"
    path = re.sub(r"/{2,}", "/", _escaped(parts.path)) or "/"
    if len(path) > 1:
        path = path.rstrip("/") or "/"
    dropped = _dropped(name)
    return urlunsplit(
        (scheme, host, path, _query(parts.query, dropped), _route(parts.fragment, dropped))
    )


def _host(url: str) -> str:
    """Host of a web address in lower case, in the ASCII form that is looked up; as it is where it has none."""
    host = (urlsplit(url).hostname or "").lower()
    if not host.isascii() and ":" not in host:
        try:
            host = idna.encode(host, uts46=True).decode()
        except UnicodeError:  # older and looser rules know a sign (i❤.ws)
            with suppress(UnicodeError):
                host = host.encode("idna").decode()
    return host.rstrip(".")


def _dropped(host: str) -> tuple[re.Pattern[str], ...]:
    """What names parameters that are tracking on a host."""
    labels = host.split(".")
    sites = (".".join(labels[-count:]) for count in (2, 3, 4))
    return (_TRACKING, *(_SITE_TRACKING[name] for name in sites if name in _SITE_TRACKING))


def _escaped(path: str) -> str:
    """A path with the escapes that it needs, an escaped slash among them."""
    return "/".join(
        quote(unquote(part, errors="surrogateescape"), safe=_SAFE, errors="surrogateescape")
        for part in path.split("/")
    )


def _query(query: str, dropped: Iterable[re.Pattern[str]]) -> str:
    """Parameters in order, without those that are dropped by their whole name."""
    named = (
        (_ESCAPED_MARK.sub("", name), value)
        for name, value in parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    )
    return urlencode(
        sorted(
            (name, value)
            for name, value in named
            if not any(pattern.fullmatch(name) for pattern in dropped)
        ),
        errors="surrogateescape",
    )


def _route(fragment: str, dropped: tuple[re.Pattern[str], ...]) -> str:
    """The route that a fragment names, without tracking and tokens; empty when it names none."""
    mark = _ROUTE.match(fragment)
    if mark is None:
        return ""
    path, _, query = fragment[mark.end() :].partition("#")[0].partition("?")
    path = re.sub(r"/{2,}", "/", _escaped(path)).strip("/")
    query = _query(query, (*dropped, _TOKENS))
    if not path and not query:
        return ""
    return mark[0] + path + (f"?{query}" if query else "")


def _target(url: str) -> str:
    """Where a redirector in canonical form leads; empty when it is none."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    if _GOOGLE.fullmatch(host):
        host = "google.com"
    for hosts, paths in _COPIES:
        if hosts.fullmatch(host) and (copy := paths.fullmatch(parts.path)):
            return _copied(copy, parts.query)
    path, names = _REDIRECTORS.get(host, ("", ()))
    if not path or not re.fullmatch(path, parts.path):
        return ""
    given = dict(parse_qsl(parts.query, errors="surrogateescape"))
    for name in names:
        inner = _LOST.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", given.get(name, "")).strip()
        if is_web_address(inner):
            kept = parts.fragment and "#" not in inner  # as browsers do it
            return f"{inner}#{parts.fragment}" if kept else inner
    return ""


def _copied(copy: re.Match[str], query: str) -> str:
    """The address of the page that a copy shows; empty where its path names none."""
    secure, host, path = copy[1], unquote(copy[2]), copy[3] or ""
    if not _COPIED_HOST.fullmatch(host) or not (secure or path):
        return ""
    query = _query(query, (_COPIED,))
    inner = f"{'https' if secure else 'http'}://{host}{path}" + (f"?{query}" if query else "")
    return inner if is_web_address(inner) else ""


def full_address(url: str) -> str:
    """The canonical form of an address with the place on the page that it names."""
    address = canonical(url)
    _, mark, fragment = url.partition("#")
    return f"{address}#{fragment}" if mark and fragment and "#" not in address else address


def without_tokens(url: str) -> str:
    """An address without accounts, access tokens and sessions, otherwise to the letter as it is."""
    if "?" not in url and ";" not in url and "#" not in url and "@" not in url:
        return url
    head, hash_mark, fragment = _ACCOUNT.sub("", url).partition("#")
    path, mark, query = head.partition("?")
    path = _SESSION_PATH.sub("", path)
    query, rest = _without_tokens(query), _without_tokens(fragment)
    if not rest and fragment:
        hash_mark = ""
    return path + (mark if query else "") + query + hash_mark + rest


def _without_tokens(parameters: str) -> str:
    """The parameters of a query, or of a fragment or an address inside one, without tokens."""
    kept, freed = "", None
    parts = _MARKS.split(parameters)
    for mark, part in zip(("", *parts[1::2]), parts[::2], strict=True):
        before = mark if freed is None else freed
        name = _ESCAPED_MARK.sub("", unquote(part.partition("=")[0].lstrip("/!")))
        if _TOKENS.fullmatch(name):
            freed = before
        else:
            kept, freed = kept + before + part, None
    return kept


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
        host = _host(url)
    else:
        return ""
    return host.removeprefix("www.")
