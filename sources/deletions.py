"""What platforms write in the place of a text that is gone: `[deleted]`, 该评论已被删除, and the like.

A mark is the whole text. The same words inside a longer post are somebody's words about a deletion and stay.
"""

from __future__ import annotations

import re

BRACKETED = frozenset({"[deleted]", "[removed]", "[deleted by user]", "[ removed by reddit ]"})
"""Marks of Reddit, which other exports took over."""
_LONGEST = 120
"""Characters beyond which no text is a mark."""
_HINT = re.compile(
    r"已|不可见|无法|權限|权限|不存在|delet|remov|no longer|unavailable", re.IGNORECASE
)
"""What every mark has; most posts are told apart by it."""
_THING_ZH = (
    "评论|回复|微博|博文|内容|帖子|贴子|主题|主题帖|帖|贴|动态|笔记|视频|作品|文章|回答|问题|想法|楼层|楼|消息|稿件|"
    "評論|回覆|內容|貼文|貼子|影片|留言"
)
_WHO_ZH = (
    r"(?:被)?(?:原?(?:博主|作者|发布者|發布者|用户|用戶|楼主|层主|贴主|管理员|管理員|吧务|版主|系统|平台|官方|up主))?"
    "(?:本人|自行|主动)?"
)
_DONE_ZH = "(?:删除|刪除|移除|屏蔽|下架|下线)"
_TAIL_ZH = r"[。.!！]?\s*(?:(?:查看帮助|查看幫助)[:：]?\s*\S*)?"
_MARKS = re.compile(
    r"(?:"
    # 该评论已被删除, 抱歉，此微博已被作者删除。查看帮助：…
    rf"(?:抱歉[，,]?\s*)?(?:该|该条|此|此条|这条|本|原|該|這條)(?:{_THING_ZH})(?:内容|內容)?已经?{_WHO_ZH}{_DONE_ZH}"
    rf"|(?:抱歉[，,]?\s*)?(?:评论|回复|内容|贴子|评论内容|回答|留言|評論|內容)已经?{_WHO_ZH}{_DONE_ZH}"
    r"|(?:抱歉[，,]?\s*)?(?:该|此)(?:条)?微博因被(?:多人)?投诉[，,]?\s*根据《[^》]{2,20}》[，,]?\s*已被删除"
    r"|抱歉[，,]?\s*(?:根据)?(?:由于)?作者[^。]{0,20}(?:设置|設置)[^。]{0,30}(?:不可见|查看权限哦?)"
    rf"|(?:抱歉[，,]?\s*)?(?:你|您)访问的(?:{_THING_ZH})(?:不存在|已被?删除)(?:了|或已被删除)?"
    rf"){_TAIL_ZH}"
    r"|\[\s*(?:deleted|removed)(?: by (?:the |its )?(?:user|author|reddit|mods?|moderators?|creator))?\s*\]"
    r"|\[(?:comment|post|message|tweet) (?:deleted|removed)\]"
    r"|(?:comment |post )?(?:deleted|removed) by (?:the |its )?(?:user|author|creator|mods?|moderators?)[.]?"
    r"|(?:this|the) (?:post|comment|tweet|reply|video|content|message|status|thread|answer|question|article|page)"
    r" (?:has been|was|is) (?:deleted|removed|taken down)"
    r"(?: by (?:the |its )?(?:\w+ )?(?:author|user|owner|poster|creator|mods?|moderators?|administrators?|reddit))?"
    r"[.!]?(?: learn more\.?)?"
    r"|this (?:post|comment|tweet|video|content|message) is (?:no longer available|unavailable)[.!]?"
    r"|\*?permanently deleted\*?",
    re.IGNORECASE,
)


def is_mark(text: str) -> bool:
    """Whether a whole text is the platform's word that there was one and it is gone."""
    if len(text) > _LONGEST or _HINT.search(text) is None:
        return False
    return _MARKS.fullmatch(text.strip()) is not None
