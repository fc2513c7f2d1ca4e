"""Pages of one short message: gone, closed to a region, out of order, for sale, or asking for a check.

Platforms, hosts and guards of sites write these sentences to the letter, mostly without a word to the reader, so that
they are told by how a line begins. News that reports such a message says so in a sentence of its own.
"""

from __future__ import annotations

import re

from schemas import Outcome

LONGEST = 420
"""Characters of the longest such page."""
_SORRY = (
    r"(?:[\s\W]|sorry|oops|we(?:’|')?re sorry|unfortunately|but|whoops|很?抱歉|非常抱歉|对不起|對不起|温馨提示|溫馨提示|提示|哎呀"
    r"){0,6}"
)
"""What stands before the message."""
_A_THING = r"(?:内容|文章|视频|影片|微博|笔记|帖子|主题|页面|網頁|网页|回答|问题|动态|公众号|账号|帐号|頻道|频道)"
_ALL = r"[^。，,]{0,10}?(?=$|[。！!])"
"""The message is all that the sentence says: news goes on with what else happened."""
_KINDS: tuple[tuple[Outcome, str, str], ...] = (
    (
        "blocked",
        "a bot check",
        r"please enable js\b|request unsuccessful\. incapsula|let['’]?s confirm you are (?:a )?human|human verification$|"
        r"complete the security check before|(?:please )?(?:confirm|prove) (?:that )?you are (?:a )?human|"
        r"(?:当前|您的)?(?:网络)?环境异常(?:$|，)|完成验证后即可继续|请完成(?:下列|以下)?(?:安全)?验证",
    ),
    (
        "blocked",
        "a login wall",
        r"登录后推荐更懂你的|可用\s*小红书\s*或\s*微信\s*扫码|手机号登录$|log in or sign up to view|"
        r"you must (?:be logged in|log in) to",
    ),
    ("blocked", "a paywall", r"subscribe to read\b|try unlimited access$|仅(?:限)?会员可(?:见|看)"),
    (
        "blocked",
        "a regional block",
        r"(?:this|the) (?:content|page|video|site|website|service) is (?:currently )?(?:not available|unavailable) "
        r"in your (?:region|country|location|area)|we recogni[sz]e (?:that )?you are attempting to access|"
        r"(?:451:? )?unavailable (?:due to|for) legal reasons$|(?:由于|因)?版权(?:原因|限制)[^。]{0,12}(?:地区|區域|区域)|"
        r"(?:您|你)所在的(?:国家|地区|國家|地區)[^。]{0,8}(?:无法|無法|不能|暂不)",
    ),
    (
        "blocked",
        "a consent wall",
        r"wir und unsere (?:\d+ )?partner|nous et nos (?:\d+ )?partenaires|nosotros y nuestros (?:\d+ )?socios|"
        r"noi e i nostri (?:\d+ )?partner",
    ),
    (
        "soft404",
        "says that the page is gone",
        rf"(?:该|該|此|本){_A_THING}(?:已|因|不|暂|暫|正在)[^。，]{{0,14}}(?:删除|刪除|违规|違規|下架|下线|屏蔽|封禁|冻结|迁移|"
        rf"注销|无法(?:查看|访问|显示)|停止|不存在|审核){_ALL}|"
        rf"(?:您|你)?(?:要)?(?:访问|查看|浏览|請求|请求)的{_A_THING}[^。，]{{0,6}}(?:过期|下线|下架|不存在|删除|失效){_ALL}|"
        r"we (?:couldn['’]t|could not|can['’]t|cannot) (?:find|locate) (?:that|the|this) page|"
        r"(?:that|this|the) page (?:can['’]t|cannot|could not) be found|the link you followed may be broken|"
        r"(?:it looks like )?nothing was found at this location|this (?:post|tweet|video|account) (?:is|has been|was) "
        r"(?:unavailable|deleted|removed|suspended)(?=\s*(?:$|[.!]))|(?:this )?account suspended$|"
        r"this (?:domain|domain name|website) (?:is|may be) for sale|(?:域名|该域名|此域名)(?:正在)?(?:出售|转让|已过期)",
    ),
    (
        "error",
        "the site is out of order",
        r"error establishing a database connection|5\d\d:? (?:bad gateway|service (?:temporarily )?unavailable|internal server error|"
        r"gateway time-?out)|(?:bad gateway|service unavailable|gateway time-?out|internal server error)$|nginx/[\d.]+$|"
        r"(?:we are (?:currently )?(?:performing|undergoing)|(?:the |this )?(?:web)?site is (?:currently )?(?:down for|under)|site under|"
        r"down for) (?:scheduled )?maintenance|(?:该|本)?网站(?:暂时)?(?:无法(?:进行)?访问|维护中|正在维护|升级中)|系统维护中",
    ),
    ("empty", "a list of files", r"index of /"),
)
_NOTICES = re.compile(
    rf"^{_SORRY}(?:{'|'.join(f'({words})' for _, _, words in _KINDS)})",
    re.IGNORECASE | re.MULTILINE,
)


def notice(title: str, words: str) -> tuple[Outcome, str] | None:
    """Outcome and note of a page that only says such a message; none when it is longer or says something else."""
    if len(words) > LONGEST:
        return None
    found = _NOTICES.search(f"{title}\n{words}")
    if found is None or found.lastindex is None:
        return None
    outcome, note, _ = _KINDS[found.lastindex - 1]
    return outcome, note
