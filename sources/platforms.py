"""The platforms that a column of a table may name, under our own names.

What names none of them is no platform: 新华网 or reuters in a column 来源 is the outlet of an article.
"""

from __future__ import annotations

PLATFORMS = {
    "xhs": "xhs", "xiaohongshu": "xhs", "rednote": "xhs", "小红书": "xhs", "小紅書": "xhs",
    "douyin": "douyin", "dy": "douyin", "抖音": "douyin",
    "bilibili": "bilibili", "bili": "bilibili", "b站": "bilibili", "哔哩哔哩": "bilibili", "嗶哩嗶哩": "bilibili",
    "weibo": "weibo", "wb": "weibo", "微博": "weibo", "新浪微博": "weibo", "sina weibo": "weibo",
    "zhihu": "zhihu", "知乎": "zhihu",
    "tieba": "tieba", "贴吧": "tieba", "百度贴吧": "tieba", "貼吧": "tieba",
    "kuaishou": "kuaishou", "ks": "kuaishou", "快手": "kuaishou",
    "douban": "douban", "豆瓣": "douban",
    "wechat": "wechat", "weixin": "wechat", "微信": "wechat",
    "x": "x", "twitter": "x", "推特": "x",
    "reddit": "reddit", "mastodon": "mastodon", "bluesky": "bluesky", "bsky": "bluesky",
    "hackernews": "hackernews", "hacker news": "hackernews", "hn": "hackernews",
    "youtube": "youtube", "油管": "youtube", "tiktok": "tiktok",
    "facebook": "facebook", "fb": "facebook", "脸书": "facebook", "臉書": "facebook",
    "instagram": "instagram", "threads": "threads", "telegram": "telegram", "ptt": "ptt", "dcard": "dcard",
    "web": "web", "rss": "rss", "table": "table",
}  # fmt: skip
"""What people and exports call a platform, in lower case -> our name."""
NEWS = frozenset({"web", "rss", "table"})
"""Names of ours that stand for no community: what has a headline and an address there is an article."""
