"""Lines that Chinese sites set around an article: found by their form and their place, never by a site's name.

Breadcrumbs, source and editor lines, repeated titles, font and share controls, promotion of apps and
accounts, disclaimers, related lists. A line of prose is dropped only when it is itself a disclaimer or a
promotion; everything else needs a place at the head or the tail, or to be short.
"""

from __future__ import annotations

import re

from sources.text import tidy

_BREADCRUMB = re.compile(
    r"^(?:当前位置|您?的?(?:当前|所在)(?:的)?位置|您的位置|你的位置|所在位置|首页\s*[>»＞])|"
    r"^[^。，]{1,12}(?:\s*[>»＞]\s*[^。，]{1,14}){1,5}$|^[^。，]{1,12}\s*[>»＞]$"
)
_ROLE = (
    r"(?:来源|來源|稿源|责任编辑|責任編輯|责编|責編|编辑|編輯|编审|主编|总编|采写|撰文|校对|校對|审核|审校|监制|监审|统筹|"
    r"供稿|摄影|制图|文字|图文|值班编辑|排版|美编|终审|初审|复审|原标题|原題|原文标题|撰稿|出品)"
)
_PERSON = r"(?:作者|记者|記者|通讯员|实习生|评论员|编译)"
_CLAIM = r"(?:显示|顯示|表明|证实|證實|透露|表示|指出|称[，：])"
_SOURCE_LINE = re.compile(
    rf"^[（(\[【]?\s*(?:本文)?{_ROLE}(?:\s*[:：|｜/丨](?![^。！？]{{0,80}}{_CLAIM})"
    r"(?:[^。！？，]{0,80}|(?:[^\s。！？，]{2,4}，){1,8}[^\s。！？，]{2,4})|\s[^。，！？]{1,24})?$|"
    r"^[（(\[【]?\s*(?:本文)?(?:原标题|原題|原文标题|原题)为?\s*[:：|｜/丨为][^。！？]{0,80}$|"
    r"^(?:文|图)\s*[/／|｜丨:：][^。！？]{0,40}$|"
    r"^(?:19|20)\d\d[-年/.]\d{1,2}[-月/.]\d{1,2}日?\s*(?:\d{1,2}:\d{2}(?::\d{2})?)?\s*(?:来源|來源|[|｜])?[^。，]{0,24}$"
)
"""A role and a name. 记者 and 作者 are not among them: interviews have "记者：" before each question.

Between the role and the name stands a sign or a space: 编辑部被查封 is a sentence, and so is a source that claims something."""
_BYLINE = re.compile(
    rf"^[（(\[【]?[^。，！？：:]{{0,14}}{_PERSON}(?:\s*[:：|｜/丨]\s*|\s+)[^。，！？：:]{{2,24}}[)）\]】]?$|"
    r"^[\u4e00-\u9fff·]{2,4}\s*[/／|｜]\s*[\u4e00-\u9fff]{2,12}$|^原创\s*[:：].{0,40}$"
)
_PROMO = re.compile(
    r"扫(?:描|一扫|码).{0,6}(?:二维码|下方|左方|右方|关注)|扫一扫|下载.{0,10}(?:客户端|APP)|安装.{0,8}客户端|(?:点击|點擊)(?:进入|查看|下载|图片|这里|關注|关注|菜单|上方|下方|阅读原文)|"
    r"关注.{0,12}(?:公众号|官方微信|官方微博|我们)|更多(?:精彩|相关|内容|猛料)|打开.{0,8}(?:APP|客户端)|热点新闻|推荐阅读|相关阅读|相关新闻|延伸阅读|延伸閱讀|"
    r"海量资讯|精准解读|尽在.{0,14}APP|回复【|点【?在看】?|请?发送邮件至.{0,40}(?:申请|投稿|加入)|【下载地址】|返回.{0,8}首页|阅读原文",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^[^\w]*(?:- )?(?:请|欢迎|快来|长按|扫|点击|點擊|关注|關注|下载|更多|安装|返回|看都看完|觉得不错|\d、回复|24小时)"
)
"""How a promotion speaks to its reader; a sentence of the article that mentions a QR code does not."""
_OWN = (
    r"(?:本网|本站|本报|本文|本平台|本公众号|本号|本刊|力求|仅供|不代表|不构成|投资有风险|"
    r"(?:转载|轉載|转发)(?:请|須|须|需|自|时|仅|目的|此文|内容|文章|稿)|(?:禁止|不得|谢绝|拒绝)[^，。]{0,8}转载|"
    r"版权(?:归|属|所有|为)|侵权.{0,10}(?:联系|删除)|(?:内容|信息)(?:来自|来源|的?真实|准确))"
)
"""What a site says of its own articles; a statement without it is somebody else's and belongs to the article."""
_NOTICE = re.compile(
    r"^[【\[（(*\s]*(?:本站|本网|本报)?(?:特别|重要)?(?:免责声明|免責聲明|版权声明|版權聲明)(?:[】\]）)*\s:：]|$)|"
    r"^[【\[（(*\s]*(?:(?:本站|本网|本报)(?:郑重|特别)声明|(?:郑重|特别|重要)声明[】\]）)*\s:：]*$)|"
    rf"^[【\[（(*\s]*(?:郑重|特别|重要)?(?:声明|聲明)\s*[】\]）)]?\s*[:：].{{0,60}}{_OWN}|^本文(?:来源|转自)|"
    r"(?:^|[\s，])All Rights Reserved|^Copyright\s*©|违法和不良信息举报|^举报(?:邮箱|电话)\s*[:：]|(?:新闻报料|爆料(?:热线|电话))\s*[:：]|"
    r"^[^。，]{0,30}版权所有[^。，]{0,30}$",
    re.IGNORECASE,
)
_DISTANCE = re.compile(
    r"未经.{0,10}(?:授权|许可).{0,12}(?:转载|使用)|仅代表|不代表.{0,14}(?:立场|观点)|并不表明.{0,10}立场|侵权.{0,10}(?:联系|删除)|"
    r"转(?:载|发).{0,4}注明|不构成.{0,8}投资建议|(?:自媒体|用户)上传"
)
_OURSELVES = re.compile(
    r"本文|本网|本站|本报|本平台|本号|本公众号|文章|网友评论|以上内容|该内容|作者(?:本人|个人)|原作者|转载|转发"
)
_OUTSIDE = re.compile(
    r"^(?!本|以上|上述|如|凡|任何|若|未经|请|任意|文章|该文|作者|网友|用户|我)(?!.*(?:请(?!求)|联系我们|联系本|本站|本网|本公众号))[^，。：:]{1,14}?(?<![网报站社])"
    r"(?:认定|认为|裁定|判决|判令|判赔|要求|起诉|控告|指控|否认|宣布|决定|警告|驳回|查明|承认|抗议|批评|呼吁|被判|被罚|因[^，。]{2,24}被)"
)
"""Somebody else does something: then the sentence is about a notice and is none."""
_SPEECH = re.compile(r"(?:表示|强调|指出|认为|回应|写道|[说称])\s*[，：:“「]")
"""Somebody is quoted: then the words belong to the article."""
_CONTROL = re.compile(
    r"^(?:字号|字体|大|中|小|分享|分享到|收藏|打印|点赞|举报|评论|参与评论|我要评论|新闻评论|加载更多|查看更多|查看全文|展开全文|收起|图集|更多|消息|通知|公告\s*\d*|"
    r"登录|注册|免注册.{0,8}|快速登录|登录超时.{0,10}|记住我|找回密码|热帖|热词|微信公众号|.{0,12}APP|首页|推荐|娱乐|体育|财经|时尚|科技|军事|汽车|"
    r"好文|钦佩|喜欢|泪奔|可爱|思考|返回顶部|上一页|下一页|上一篇.{0,40}|下一篇.{0,40}|\d{1,2}|A[+-]|[+＋]1|[-·•|]+)$",
    re.IGNORECASE,
)
_END = re.compile(
    r"^(?:相关推荐|热门推荐|推荐新闻|推荐阅读|相关阅读|相关新闻|相关报道|延伸阅读|延伸閱讀|更多新闻|猜你喜欢|为您推荐|新闻评论|网友评论.{0,24}|最新评论|热门评论|全部评论|精彩评论|"
    r".{0,4}热门跟贴|.{0,8}最近文章|关键词?\s*(?:[:：]|>>).{0,60}|标签\s*[:：].{0,60}|热门标签|热帖|今日热点|特别声明|大家都在看)$"
)
"""A heading after which no article goes on."""
_EDITOR = re.compile(r"^[（(\[【]?\s*(?:责任编辑|責任編輯|责编|責編|值班编辑|编辑)\s*[:：|｜丨]")
_CREDIT_TAIL = re.compile(
    r"[（(]\s*(?:完|全文完)\s*[)）]$|[（(]\s*(?:本文来自|来源[:：]|原题为?|实习生|编辑[:：]|责任编辑|责编|记者|更多原创资讯|作者系|作者为)[^（()）]{0,80}[)）]$|"
    r"【[^【】]{0,60}(?:禁止转载|转载使用|独家授权|图片来源)[^【】]{0,20}】$|"
    r"(?:编辑|责编|校对|来源|图源|撰文)\s*[|｜丨/]\s*\S{2,12}$|返回.{0,8}首页\s*>*$"
)
_CREDIT_HEAD = re.compile(
    r"^(?:【文[/／|｜][^】]{2,40}】|（?文[/／|｜][^）。，]{2,24}）|(?:本文)?原标题\s*[:：]\s*《[^《》]{2,80}》|最后更新\s*[:：]\s*[\d\-: ]{8,20})\s*"
)
_CAPTION = re.compile(
    r"^.{0,30}(?:视觉中国|东方IC|IC\s?photo|资料图(?:片)?|网络图(?:片)?|图源.{0,8}|图片来源.{0,8})\s*.{0,4}$",
    re.IGNORECASE,
)
_ORIGINAL_TITLE = re.compile(
    r"^[（(\[【]?\s*(?:本文)?原(?:文)?(?:标题|標題|题为?)\s*[:：为《].{2,120}$"
)
_TEASER = re.compile(
    r"^.{6,80}\s(?:19|20)\d\d-\d\d-\d\d(?:\s\d\d:\d\d(?::\d\d)?)?(?:\s[^。，]{1,14})?$"
)
"""A headline and the time of another article."""
_MORE = re.compile(r"[【\[](?:详细|更多|查看全文|点击查看)[】\]]$|\.\.\.\s*\[?详细\]?$")
_STOP = re.compile(r"[。！？!?；…]")
_SHORT = 60
"""Characters below which a line inside the article may be dropped for its form."""
_LITTLE = 0.15
"""Share of the prose that may follow an end heading, as comments and teasers do, without saving it."""


def clean_lines(text: str, title: str = "") -> str:
    """The lines of an article without those around it, one paragraph a line.

    Idempotent. `title` is the page's headline; a line that repeats it is dropped at the head.
    """
    lines = [trimmed for line in tidy(text).split("\n") if (trimmed := _trimmed(line))]
    lines = lines[_head(lines, title) :]
    lines = lines[: _end(lines)]
    while lines and _is_around(lines[-1]):
        lines.pop()
    return "\n".join(line for line in lines if not _is_short_form(line))


_SITE_ENDING = re.compile(
    r"\s*_\s*[^_|｜]{1,14}$|"
    r"\s*[-–—|｜]+\s*[^\s\-–—|｜，。！？：]{1,12}(?:网|报|新闻|频道|客户端|在线|电视台|日报社|通讯社)$"
)
_LABEL = re.compile(r"^(?:原创|转载|独家|置顶|图集|视频)\s+")


def bare_title(title: str, publisher: str = "") -> str:
    """A headline without the site's name behind it or a label before it.

    Taken off are `_证券时报网`, `-新华网` and the like behind Chinese headlines, and in any language ` - NAME` and
    ` | NAME` when NAME is the publisher.
    """
    short = title
    name = publisher.removeprefix("www.").strip()
    if name:
        short = re.sub(rf"\s*[-–—|｜_]\s*{re.escape(name)}$", "", short, flags=re.IGNORECASE)
    if re.search("[\u4e00-\u9fff]", short):
        for _ in range(3):
            once = _SITE_ENDING.sub("", _LABEL.sub("", short))
            if once == short or len(once) < 6:
                break
            short = once
    return short.strip() or title


def prose_share(text: str) -> float:
    """Share of a text's characters in lines of prose, 0 to 1; menus and lists of headlines have little."""
    lines = text.split("\n")
    return sum(map(_prose, lines)) / max(sum(len(_bare(line)) for line in lines), 1)


def _trimmed(line: str) -> str:
    """A line without credits glued to its ends."""
    for _ in range(3):
        once = _CREDIT_TAIL.sub("", _CREDIT_HEAD.sub("", line)).strip()
        if once == line:
            break
        line = once
    return line


def _bare(line: str) -> str:
    return line.removeprefix("- ").strip()


def _prose(line: str) -> int:
    """Characters of a line when it is prose: long enough, with a stop, and nothing that stands around."""
    bare = _bare(line)
    if len(bare) < 20 or not _STOP.search(bare) or _is_around(line):
        return 0
    return len(bare)


def _head(lines: list[str], title: str) -> int:
    """Index of the first line of the article: what stands before it is around or repeats the title."""
    crumbs: set[str] = set()
    for index, line in enumerate(lines):
        bare = _bare(line)
        if _BREADCRUMB.search(bare):
            crumbs.add(bare.rstrip(" >»＞"))
        around = (
            bare in crumbs
            or _repeats(bare, title)
            or _is_around(line)
            or (len(bare) < _SHORT and _CAPTION.match(bare))
        )
        if not around:
            return index
    return 0  # nothing but surroundings: the tail rules say which of them are left


def _repeats(line: str, title: str) -> bool:
    left, right = re.sub(r"\W", "", line), re.sub(r"\W", "", title)
    if not left or not right:
        return False
    if left == right:
        return True
    shorter = min(len(left), len(right))
    return (
        shorter >= 8
        and (left.startswith(right[:shorter]) or right.startswith(left[:shorter]))
        and (len(left) <= 1.6 * len(right))
    )


def _end(lines: list[str]) -> int:
    """Index behind the last line of the article."""
    prose = [_prose(line) for line in lines]
    total = sum(prose)
    done = 0
    for index, line in enumerate(lines):
        bare = _bare(line)
        after = total - done - prose[index]
        heading = bool(_END.match(bare)) and after <= _LITTLE * done
        if done and (heading or (after == 0 and (_EDITOR.match(bare) or is_notice(bare)))):
            return index
        done += prose[index]
    return len(lines)


def is_notice(line: str) -> bool:
    """Whether a line is a disclaimer or a copyright note of the site, not a sentence about one."""
    if len(line) >= 400:
        return False
    if _NOTICE.search(line):
        return True
    distant = _DISTANCE.search(line) and _OURSELVES.search(line)
    return bool(distant) and not _SPEECH.search(line) and not _OUTSIDE.search(line)


def _is_promotion(line: str) -> bool:
    if not _PROMO.search(line):
        return False
    return line[-1] not in "。”" or bool(_ORDER.match(line))


def _is_around(line: str) -> bool:
    bare = _bare(line)
    if len(bare) < 80 and (
        _BREADCRUMB.search(bare)
        or _SOURCE_LINE.match(bare)
        or _is_promotion(bare)
        or _CONTROL.match(bare)
        or _BYLINE.match(bare)
        or _TEASER.match(bare)
        or _END.match(bare)
    ):
        return True
    if len(bare) < 130 and _ORIGINAL_TITLE.match(bare):
        return True
    return is_notice(bare) or (len(bare) < 400 and bool(_MORE.search(bare)))


def _is_short_form(line: str) -> bool:
    """Whether a line inside the article is around it by its form alone."""
    bare = _bare(line)
    return len(bare) < _SHORT and (
        _is_promotion(bare) or bool(_SOURCE_LINE.match(bare) or _ORIGINAL_TITLE.match(bare))
    )
