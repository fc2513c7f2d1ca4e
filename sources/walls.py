"""Whether words are those of a wall or of an error page, or an article that has such words in or around it.

A phrase alone decides nothing: news quotes walls, and menus, comment boxes and cookie bars stand around short
news. Words are a wall when they hold a phrase of one outside quotation marks and are not mostly told: a
sentence is told when it neither speaks to the reader nor is about cookies, accounts, checks and the like. Words
that never speak to a reader are no wall either when at least one of their sentences is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from schemas import Outcome
from sources.notices import notice
from sources.sentences import sentences

_SHORT = 1200
"""Characters below which words can be a wall; walls seen in the field have 50 to 900."""
_LONG = 6000
"""Characters below which words of which nothing is told can still be a consent wall with its list of vendors."""
_NONE = 0.1
"""Share of told characters that is as good as none."""
_NOTICE = 400
"""Characters below which words outside the headline can say that a page is gone."""
_TEASER, _TEASED = 500, 3
"""Characters and told sentences up to which a text that says where its rest is sold is a beginning only."""
_OPENING = 12
"""Characters of a headline before a phrase that says that the page is gone: `Sorry, page not found`."""
_ENOUGH = 2
"""Told sentences that are an article."""
_LABEL = 40
"""Characters of the longest button or link of a wall."""
_TOLD = 0.5
"""Share of told characters among those that were judged from which words are an article."""
_SENTENCE = 8
"""Characters in which a sentence that is told can be written, as in layout; a Latin letter counts as a third."""

_BOT = re.compile(
    r"just a moment\b|verif(?:y|ying) (?:that )?you are (?:a )?human|checking your browser|attention required|"
    r"enable javascript and cookies|unusual traffic|are you a robot|(?:not|n't) a robot|captcha|access denied|ddos protection|"
    r"access to this page has been denied|you have been blocked|unusual activity from your|permission to access .{0,200}on this server|"
    r"网络环境存在异常|访问行为存在异常|验证按钮|拖动.{0,6}滑块|"
    r"安全验证|安全驗證|人机验证|人機驗證|访问(?:过于|太)?频繁|請輸入驗證碼|请输入验证码|滑动验证|"
    r"(?:检测到|发现|您的|存在)[^。，]{0,8}异常访问|您的访问(?:出现|存在)异常|异常(?:访问|流量)[^。，]{0,6}(?:请|被拦截)",
    re.IGNORECASE,
)
_STORED = r"(?:cookie|stor(?:e|age|ing)\b|device|personal (?:data|information)|consent|advertis|your data)"
_STORED_ZH = r"(?:cookie|设备|裝置|個人資料|个人数据|个人信息|浏览数据|同意)"
_PARTNERS = r"(?:we and our|our) (?:\d[\d,.]* )?(?:trusted |selected )?(?:partners|vendors)"
_CONSENT = re.compile(
    rf"{_PARTNERS}\b.{{0,90}}?{_STORED}|{_STORED}.{{0,90}}?\b{_PARTNERS}|"
    r"\b(?:accept|manage|reject) (?:all )?cookies|\bbefore you continue\b|\bwe use (?:cookies|technologies)\b|\bconsent or pay\b|"
    r"consent to (?:the )?(?:storing|use of (?:cookies|your))|your privacy choices|"
    rf"(?:合作伙伴|合作夥伴).{{0,40}}?{_STORED_ZH}|{_STORED_ZH}.{{0,20}}?(?:合作伙伴|合作夥伴)|"
    r"接受(?:所有|全部)\s*cookie|隐私偏好|同意并继续",
    re.IGNORECASE | re.DOTALL,
)
_LOGIN = re.compile(
    r"(?:please |you must )?(?:log|sign) ?in to (?:continue|view|read|see)|create an account to|visitor system|"
    r"by signing (?:up|in),? you agree|"
    r"登录后(?:查看|阅读|可见|即可|才能)|請先登入|登入後|请先登录|登錄後|扫码登录|立即登录",
    re.IGNORECASE,
)
_PAY = re.compile(
    r"subscribe (?:now )?to (?:continue|read|unlock|keep)|to (?:continue|keep) reading|unlock this (?:article|story)|"
    r"(?:article|story|content) is (?:for|only available to|available only to|exclusive to|reserved for) (?:our )?(?:paying )?(?:subscribers|members)|"
    r"already a subscriber\?|(?:本文|全文|此文|内容|文章).{0,6}(?:仅限|仅供|为)(?:付费|会员|订阅)|"
    r"(?:订阅|付费|开通会员|購買|购买|成为会员).{0,6}后?.{0,4}(?:阅读|查看|解锁|閱讀).{0,4}全文|訂閱後",
    re.IGNORECASE,
)
_REST = re.compile(
    r"to (?:continue|keep) reading|to read (?:the (?:rest|full)|more of this)|unlock this (?:article|story)|"
    r"(?:登录|登錄|登入|订阅|訂閱|付费|付費|购买|購買|会员).{0,8}(?:查看|阅读|閱讀|解锁).{0,4}(?:全文|剩余|余下)",
    re.IGNORECASE,
)
"""The rest of the text is somewhere else."""
_NO_PAGE = re.compile(
    r"\b404\b[\s:：|,\-–—.]{0,4}(?:(?:page|file|error|not)\b|页面|頁面|找不到|未找到|错误)|"
    r"(?:error|http|status|code|错误|状态码)[\s:：#]{0,3}404\b|^\s*404\s*$|"
    r"page (?:you (?:(?:have )?requested|(?:are|were) looking for) )?(?:was |could |can|does |is )?\s*(?:not|n't|n’t|no longer) (?:be )?(?:found|exists?|available)|"
    r"页面不存在|页面没有找到|页面未找到|找不到(?:该|您|你|相关)?.{0,8}页|頁面不存在|找不到網頁|您访问的页面",
    re.IGNORECASE | re.MULTILINE,
)
_GONE = re.compile(
    r"^\s*404\s*[-–—|_:]|(?:article|page|content) (?:has been|was) (?:removed|deleted)|no longer available|"
    r"(?:文章|内容|主题|帖子|网页|信息)(?:不存在|已(?:被)?(?:删除|下线))",
    re.IGNORECASE | re.MULTILINE,
)

_BUTTON = re.compile(
    r"(?:accept|manage|reject|allow) (?:all )?cookies|(?:log|sign) ?in to |subscribe to |enable javascript|"
    r"立即登录|请先登录|請先登入|扫码登录|登录后|请输入验证码|接受(?:所有|全部)\s*cookie",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]{0,600}”|「[^」]{0,600}」|『[^』]{0,600}』|\"[^\"\n]{2,400}\"")
_READER = re.compile(
    r"\b(?:you|your|yours|yourself|please|we|our|(?-i:us))\b(?![.’'])|我们|我們|本站|本网站|本平台|[您你]|"
    r"(?<![申邀聘宴约报提恳吁])[请請](?![求愿假辞客教])|"
    r"^(?:subscribe|log ?in|sign ?(?:in|up)|accept|reject|manage|enable|click|tap|press|verify|verifying|checking|create|continue|get|try|cancel|only|unlock)\b|"
    r"\bthis (?:article|story|page|content|site|web ?site|block|check)\b|^(?:点击|登录|登入|开通|订阅|購買|购买|扫码|返回|输入|拖动)|"
    r"本文|本页|此页|该页|即可|即表示|(?:登录|订阅|訂閱)后",
    re.IGNORECASE,
)
"""A sentence that speaks to its reader: by a pronoun, as an order, or by pointing at the page."""
_SITE = re.compile(
    r"cookie|\bconsent\b|privacy|personal data|\bpartners may\b|\bvendors?\b|legitimate interest|\bpreferences\b|"
    r"personali[sz]ed|advertising|\blog ?in\b|\bsign ?in\b|subscri(?:be|ption)|\baccount\b|password|free trial|per month|"
    r"captcha|\brobot|\bbrowser|javascript|\bIP address|\bray id\b|unusual traffic|automated (?:requests|traffic)|"
    r"security (?:check|service|solution|verification)|performance (?:&|and) security|this (?:web ?site|site|page|block|check|process)\b|"
    r"(?:might|may) have (?:been )?(?:moved|removed|deleted)|temporarily unavailable|\bURL\b|\bserver\b|page not found|requested|home ?page|search (?:box|page)|rights reserved|copyright|©|"
    r"隐私|隱私|个人(?:数据|信息)|個人資料|点击|偏好设置|个性化|登录|登錄|登入|注册|註冊|会员|订阅|訂閱|付费|付費|验证|驗證|浏览器|"
    r"网络环境|扫码|客户端|账号|帐号|密码|刷新|首页|链接|页面|頁面|访问(?:权限|受限|频|过|太|行为|被)|版权|备案|loading|加载",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told|according to|reported|announced)\b|"
    r"反映|表示(?!同意)|强调|指出|认为|回应|写道|透露|通报|报道|提醒|宣布|获悉|说(?!明)|(?<![名简])称(?![号为])"
)
_STOP = re.compile(r"[。！？!?.…；;][\s”’」』）)\"']*$")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")


@dataclass(frozen=True)
class Judgement:
    """How words look."""

    outcome: Outcome
    """ok, empty, blocked, soft404, needs_js or, of a site that is out of order, error."""
    note: str = ""
    """What they look like."""
    doubtful: bool = False
    """Whether there are told sentences too, so that an article may stand beside the wall."""


def unquoted(words: str) -> str:
    """Words without what stands in quotation marks: that was said by somebody else."""
    return _QUOTED.sub(" ", words)


@dataclass(frozen=True)
class Weights:
    """Of what kind the sentences of some words are; menus and headlines weigh nothing."""

    count: int = 0
    """Sentences that are told."""
    told: int = 0
    """Their weight in characters of Chinese."""
    about: int = 0
    """Weight of sentences and labels about cookies, accounts, checks and the like."""
    reader: int = 0
    """Weight of sentences that speak to the reader."""

    @property
    def share(self) -> float:
        """Told share of what was weighed; all of it when nobody is spoken to but one sentence is told."""
        if self.count and self.reader == 0:
            return 1.0
        return self.told / (self.told + self.about + self.reader) if self.told else 0.0


def weigh(words: str) -> Weights:
    """Weigh the sentences of some words."""
    count = told = about = to_reader = 0
    for sentence in _sentences(words):
        size = _weight(sentence)
        spoken = unquoted(sentence).strip()
        of_site = bool(_SITE.search(spoken) or _any(spoken))
        whole = bool(_STOP.search(sentence)) or (size >= 2 * _SENTENCE and "，" in sentence)
        if whole and _READER.search(spoken):
            to_reader += size
        elif whole and (not of_site or _REPORTED.search(spoken)):
            if size >= _SENTENCE:
                count, told = count + 1, told + size
        elif of_site:
            about += size
    return Weights(count, told, about, to_reader)


def is_told(words: str) -> bool:
    """Whether words are mostly told."""
    return weigh(words).share >= _TOLD


def judge_words(title: str, words: str) -> Judgement:
    """Judge a headline and the words under it; ok when they are long, told, or hold no phrase of a wall."""
    heading = unquoted(title)
    if len(words) >= _SHORT:
        long = len(words) < _LONG and bool(_CONSENT.search(unquoted(words)))
        return _A_CONSENT_WALL if long and weigh(words).share < _NONE else _OK
    found = _NO_PAGE.search(heading)
    if found is not None and found.start() <= _OPENING:
        return _SAYS_GONE
    spoken = unquoted(words)
    if (said := notice(heading, spoken)) is not None:
        return Judgement(*said)
    weights = weigh("\n".join(line for line in words.split("\n") if line.strip() != title))
    if len(words) < _TEASER and weights.count <= _TEASED and _sells_the_rest(words):
        return Judgement("blocked", "a login wall" if _LOGIN.search(spoken) else "a paywall")
    wall = _phrase(f"{heading}\n{spoken}", gone=len(words) < _NOTICE)
    if wall is None or weights.share >= _TOLD:
        return _OK
    return replace(wall, doubtful=weights.count >= _ENOUGH)


def _sells_the_rest(words: str) -> bool:
    """Whether a sentence to the reader, or a line without a stop, says that the rest is somewhere else."""
    return any(
        _REST.search(spoken) and (_READER.search(spoken) or not _STOP.search(spoken))
        for spoken in (unquoted(sentence).strip() for sentence in _sentences(words))
    )


def is_article(words: str) -> bool:
    """Whether words are an article beyond doubt: some told sentences and no phrase of a wall."""
    return weigh(words).count >= _ENOUGH and not _any(unquoted(words))


def without_labels(text: str) -> str:
    """A text without the buttons of a wall at its head and its tail: `Accept all cookies`, `立即登录`."""
    lines = text.split("\n")
    while lines and _is_label(lines[0]):
        lines.pop(0)
    while lines and _is_label(lines[-1]):
        lines.pop()
    return "\n".join(lines)


def _is_label(line: str) -> bool:
    return len(line) < _LABEL and not _STOP.search(line) and bool(_BUTTON.search(unquoted(line)))


_OK = Judgement("ok")
_A_CONSENT_WALL = Judgement("blocked", "a consent wall")
_SAYS_GONE = Judgement("soft404", "says that the page is gone")


def _phrase(spoken: str, *, gone: bool) -> Judgement | None:
    if _BOT.search(spoken):
        return Judgement("blocked", "a bot check")
    if _CONSENT.search(spoken):
        return _A_CONSENT_WALL
    if gone and (_NO_PAGE.search(spoken) or _GONE.search(spoken)):
        return _SAYS_GONE
    if _LOGIN.search(spoken):
        return Judgement("blocked", "a login wall")
    if _PAY.search(spoken):
        return Judgement("blocked", "a paywall")
    return None


def _any(spoken: str) -> bool:
    return any(kind.search(spoken) for kind in (_BOT, _CONSENT, _LOGIN, _PAY, _NO_PAGE, _GONE))


def _sentences(words: str) -> Iterator[str]:
    for line in words.split("\n"):
        yield from sentences(line)


def _weight(sentence: str) -> int:
    """Length in characters of Chinese: three Latin letters say about as much as one."""
    wide = len(_WIDE.findall(sentence))
    return wide + (len(sentence) - wide) // 3
