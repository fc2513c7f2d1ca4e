"""What a fetched page is before anything is extracted from it: an article, a wall, an error in disguise.

Extractors return the sentences of a consent wall as happily as those of an article, so the page is judged
first. Each rule needs a page with little text: an article that merely mentions cookies is not a wall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas import Outcome
from sources.text import plain

_SHORT = 1200
"""Visible characters below which a page can be a wall; walls seen in the field have 50 to 700."""
_BOT = re.compile(
    r"just a moment\b|verif(?:y|ying) (?:that )?you are (?:a )?human|checking your browser|attention required|"
    r"enable javascript and cookies|unusual traffic|are you a robot|captcha|access denied|ddos protection|"
    r"安全验证|安全驗證|人机验证|人機驗證|访问过于频繁|访问频繁|请输入验证码|滑动验证|异常访问|您的访问出现异常",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"(?:we and our|our) (?:\d[\d,]* )?(?:partners|vendors)|(?:accept|manage|reject) (?:all )?cookies|"
    r"before you continue|consent to (?:the )?(?:use|storing)|your privacy choices|"
    r"合作伙伴.{0,20}(?:存储|访问|處理|处理)|合作夥伴.{0,20}(?:儲存|存取)|接受(?:所有|全部)\s*cookie|隐私偏好|同意并继续",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"(?:please |you must )?(?:log|sign) ?in to (?:continue|view|read|see)|subscribe to (?:continue|read)|"
    r"create an account to|visitor system|登录后(?:查看|阅读|可见|即可)|請先登入|请先登录|登錄後|扫码登录|立即登录",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b404\b|page (?:you (?:requested|are looking for) )?(?:was |could |can)?\s*(?:not|n't|no longer) (?:be )?(?:found|exists?|available)|"
    r"page not found|(?:article|page|content) (?:has been|was) (?:removed|deleted)|no longer available|"
    r"页面不存在|页面没有找到|找不到(?:该|您|你|相关)?.{0,8}页|頁面不存在|找不到網頁|该文章已(?:被)?(?:删除|下线)|内容已(?:被)?(?:删除|下线)|"
    r"文章不存在|您访问的页面",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script\b[^>]{0,20}>?", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,500})", re.IGNORECASE)
_STATE = re.compile(
    r"__NEXT_DATA__|__INITIAL_STATE__|__NUXT__|__APOLLO_STATE__|__PRELOADED_STATE__|window\.\w+\s*=\s*\{"
)
_JS = re.compile(
    r"enable javascript|requires javascript|javascript is (?:disabled|required)|启用\s*javascript|開啟\s*javascript",
    re.IGNORECASE,
)


def split_scripts(html: str) -> tuple[str, list[str]]:
    """A page without its scripts, and each script from its tag on; linear also for unclosed ones."""
    outside, scripts = [], []
    position = 0
    while (start := _SCRIPT.search(html, position)) is not None:
        outside.append(html[position : start.start()])
        end = _SCRIPT_END.search(html, start.end())
        scripts.append(html[start.start() : end.start() if end else len(html)])
        position = end.end() if end else len(html)
    outside.append(html[position:])
    return " ".join(outside), scripts


@dataclass(frozen=True)
class Judgement:
    """How a page looks."""

    outcome: Outcome
    """ok, empty, blocked, soft404 or needs_js."""
    note: str = ""
    """What it looks like."""


def judge_page(html: str) -> Judgement:
    """Judge decoded HTML. `blocked` covers bot checks, consent walls and login walls; the note says which."""
    if not html.strip():
        return Judgement("empty", "empty body")
    visible, inside = split_scripts(html)
    words = plain(visible)
    title_match = _TITLE.search(html)
    title = plain(title_match[1]) if title_match else ""
    if len(words) < _SHORT:
        if _BOT.search(words) or re.search(
            r"just a moment|attention required|安全验证", title, re.IGNORECASE
        ):
            return Judgement("blocked", "a bot check")
        if _CONSENT.search(words):
            return Judgement("blocked", "a consent wall")
        if _GONE.search(title) or (len(words) < 400 and _GONE.search(words)):
            return Judgement("soft404", "says that the page is gone")
        if len(words) < 500 and _LOGIN.search(words):
            return Judgement("blocked", "a login wall")
        body = words.removeprefix(title).strip()
        if len(body) < 120:
            scripts = "".join(inside)
            if _JS.search(html) or _STATE.search(scripts) or len(scripts) > 20 * max(len(body), 50):
                return Judgement("needs_js", "the text is only in scripts")
            if not body:
                return Judgement("empty", "no words")
    return Judgement("ok")
