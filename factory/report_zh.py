"""Sentences that the program writes in English, in Chinese: figures of gates, reasons, names of rules.

A bundle holds such sentences in one language. A sentence is known by its whole shape and its figures are carried
over; one that is not known is not guessed at, and the page shows it as it is, marked as English.
"""

from __future__ import annotations

import re
from collections.abc import Callable

NAMES: dict[str, str] = {
    # Rules that read no text.
    "chance": "随机作答",
    "constant 0": "恒答0",
    "constant 0.5": "恒答0.5",
    "constant 1": "恒答1",
    "days from cutoff within window": "距离不超过时间窗则答是",
    "window of 30 days or more": "时间窗满30天则答是",
    "frequency": "新闻频率",
    "momentum": "近期新闻频率",
    "metadata logistic": "元数据逻辑回归",
    "metadata logistic, rounded": "元数据逻辑回归（取整）",
    "metadata only": "只看元数据",
    "bucket midpoint": "天数段中点",
    "bucket start + 10 days": "天数段起点后10天",
    "random day in bucket": "天数段内随机一天",
    "day 15": "第15天",
    "day 45": "第45天",
    # Attackers on the questions.
    "window": "时间窗",
    "long window": "时间窗是否较长",
    "point index": "预测点序号",
    "context size": "已知内容多少",
    "rung position": "同题各时间窗中的位次",
    "siblings": "相邻同类题数",
    "asked before": "先前的预测点是否问过",
    "asked again": "后续预测点是否再问",
    "asked after its window": "时间窗结束后是否仍在问",
    "fitted tree": "决策树",
    "fitted logistic": "逻辑回归",
    "fitted boosting": "提升树",
    "earlier points": "此前各预测点",
    "whole bank": "整个题库",
    "type letters": "题目类别",
    "type and level": "题目类别与层级",
    "words": "题面用词",
    "neighbours": "相似题目",
    "position": "题目在卷中的位置",
    "context words": "与已知内容的用词重合度",
    "context meaning": "与已知内容的语义相似度",
    "length": "题面长度",
    "absolute words": "绝对化用词",
    # What rules see.
    "nothing: 0 for every question": "什么都不看：每题答0",
    "nothing: 0.5 for every question": "什么都不看：每题答0.5",
    "nothing: 1 for every question": "什么都不看：每题答1",
    "distance and window: 1 when the distance is at most the window, else 0": "看距离与时间窗：距离不超过时间窗答1，否则答0",
    "the window: 1 when it has 30 days or more, else 0": "看时间窗：满30天答1，否则答0",
    "the days with news: how many a day since the first, times the window, within .02 and .98": (
        "看有新闻的日期：自首日以来的日均次数乘以时间窗，限于0.02至0.98"
    ),
    "the days with news: how many a day in the last 7, times the window, within .02 and .98": (
        "看有新闻的日期：最近7天的日均次数乘以时间窗，限于0.02至0.98"
    ),
    "distance and window: a logistic regression fitted on the other events, or points, of the bank": (
        "看距离与时间窗：用题库中其他事件或预测点拟合的逻辑回归"
    ),
    "as the metadata logistic, then rounded to 0 or 1: some scoring rules pay for feigned certainty": (
        "与元数据逻辑回归相同，再取整为0或1：有的计分规则会奖励故作确定的答案"
    ),
    "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): its middle, 15, 45.5 or 75.5 days after the cutoff": (
        "看已发布评测规程所告知的天数段（0–30、31–60或61–90天）：取中点，即截止日后15、45.5或75.5天"
    ),
    "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): 10 days after its first day": (
        "看已发布评测规程所告知的天数段（0–30、31–60或61–90天）：取首日后10天"
    ),
    "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): any of its days, equally likely": (
        "看已发布评测规程所告知的天数段（0–30、31–60或61–90天）：等概率任取一天"
    ),
    "nothing: 15 days after the cutoff": "什么都不看：截止日后15天",
    "nothing: 45 days after the cutoff": "什么都不看：截止日后45天",
    # Claims and events that are not asked.
    "annulled": "两次判读不一致，作废",
    "dropped by auditors": "被审查者否决",
    "families without a twin": "没有可配对题目的题组",
    "twin cells answered by their context": "已知内容已给出答案而删去的题对",
    "flips over their budget": "先“否”后“是”的题目超出限额而删去",
    "claims without a cell": "没有合适时间窗的所问之事",
    "no outcome that happens in the family": "同组没有实际发生的结果",
    "kept for the temporal exam": "留作日期题",
    "fabrication missing, refuted or dropped": "虚构题缺失、被证实或被否决",
    "pairs saved by another twin": "改配另一道题后保留的题对",
    "twin cells trimmed for the type shares": "为符合类别比例而删去的题对",
    "questions lost with a twin that lacks an edition": "配对题缺少一种语言而一并删去的题",
    "dated events left out: they name what is not known yet": "日期题未用：涉及当时尚未出现的名称",
    "dated events left out: in the calibration exam of their point": "日期题未用：已用于同一预测点的概率题",
    "dated events kept although the calibration exam of their point asks them": "同一预测点的概率题已问、仍保留的日期题",
    "dated events left out: another question of their point says the same": "日期题未用：同一预测点已有说法相同的题",
    "dated events left out: they have happened before the cutoff": "日期题未用：截止日前已经发生",
    "dated events thinned out": "日期题过密，酌情删减",
    # Reasons of gates.
    "the panel's answers are scripted": "审查者的回答由人工撰写",
    "no auditor names the event even from the raw text": "即使看原文，也没有审查者认出该事件",
    "the panel was held without its controls": "审查时没有设对照",
    "the bank holds no question": "题库中没有题目",
    "the report states no quota": "报告中没有比例目标",
    "no question": "没有题目",
    "no quota": "没有比例目标",
    "no edition is complete": "没有一种语言是完整的",
    "nobody has reviewed the sample; see it with `factory review EVENT`": "抽样内容尚无人审阅，可用`factory review EVENT`查看",
    "the rest of the sample is not reviewed yet; see it with `factory review EVENT`": "其余抽样内容尚未审阅，可用`factory review EVENT`查看",
    "questions that a person rejected, with their twins": "经人工否决的题，连同配对题",
    "its 7-day window ends after the observed span": "其7天时间窗超出观察期",
}
"""Whole sentences and names without figures."""

_STATES = {"not evaluated": "未评估", "failed": "未通过", "passed": "通过"}
_GRADES = {"LOW": "未被认出", "MID": "部分被认出", "HIGH": "被认出", "UNKNOWN": "结果未知"}
_F = r"(-?[\d.]+|-)"

_SHAPES: tuple[tuple[str, str], ...] = (
    (r"(\d+) leaks in public bytes", "公开文件中发现{0}处泄漏"),
    (r"(\d+) secrets in public bytes", "公开文件中发现{0}处密钥"),
    (
        r"panel grade (LOW|MID|HIGH|UNKNOWN) after (\d+) rounds?, (\d+) possible offsets",
        "审查{1}轮，{0}；日期平移尚有{2}种可能",
    ),
    (r"the panel's grade is (LOW|MID|HIGH|UNKNOWN)", "审查结果为“{0}”"),
    (r"fewer than (\d+) offsets remain possible", "日期平移的可能值不足{0}种"),
    (
        r"(\d+) findings; (\d+) labels recomputed: (\d+) from quoted words, (\d+) from words against, (\d+) from counted "
        r"posts, (\d+) from silence",
        "重新计算{1}个答案，发现{0}处问题：{2}个据写明此事的引语，{3}个据与之相反的引语，{4}个据帖子统计，{5}个因时间线未提此事",
    ),
    (r"(\d+) findings; (\d+) questions, (\d+) events", "检查概率题{1}道、日期题{2}道，发现{0}处问题"),
    (
        r"(\d+) findings; (\d+) nodes and the bank in both editions",
        "核对{1}个日期及全部题目的两种语言，发现{0}处问题",
    ),
    (
        rf"(\d+) findings; (\d+) twin cells that structure tells apart; one who knew the type letters scores {_F}",
        "发现{0}处问题；结构上可区分的题对{1}组；若得知题目类别可得{2}分",
    ),
    (rf"(.+): {_F}, interval {_F} to {_F}", "{0}：{1}分，区间{2}至{3}"),
    (rf"highest score: (.+) {_F}, interval {_F} to {_F}", "得分最高：{0}，{1}分，区间{2}至{3}"),
    (
        rf"largest lower end: (.+) {_F}, score {_F}, interval {_F} to {_F}",
        "下限最高：{0}，下限{1}（得分{2}，区间{3}至{4}）",
    ),
    (r"corrected for (\d+) attackers", "下限已按{0}种攻击校正"),
    (r"(\d+) rules without text, none fitted to text", "不读文本的规则{0}种，未训练文本类攻击"),
    (r"(\d+) of (\d+) sampled nodes and questions accepted by a person", "抽查{1}项，其中{0}项经人工认可"),
    (
        r"(\d+) independent pairs are too few for a text attacker; (\d+) are needed",
        "独立题对只有{0}对，不足以训练文本类攻击（至少{1}对）",
    ),
    (
        rf"the interval of (.+) is {_F} points to each side; more pairs are needed",
        "“{0}”的区间为正负{1}分，需要更多题对",
    ),
    (rf"the highest lower end is {_F} \((.+)\)", "区间下限最高为{0}（{1}）"),
    (rf"(.+) scores {_F}, at least {_F}", "“{0}”得{1}分，至少{2}分"),
    (rf"type ([A-D]) {_F} of {_F}", "{0}类{1:%}（目标{2:%}）"),
    (rf"window (\d+) {_F} of {_F}", "{0}天时间窗{1:%}（目标{2:%}）"),
    (
        rf"{_F} (short of|above) the target with (\d+) questions; nothing is padded",
        "共{2}题，比目标{1}{0:points}个百分点；不凑数",
    ),
    (
        rf"{_F} below the floor of {_F} with (\d+) questions: too few cells with a true claim and (\d+) observed "
        r"days; nothing is padded",
        "共{2}题，比下限{1:%}低{0:points}个百分点：观察期满{3}天、且有成真之事可问的位置太少；不凑数",
    ),
    (r"fewer than (\d+) nodes before it", "此前的日期不足{0}个"),
    (r"fewer than (\d+) nodes in the (\d+) days from it", "其后{1}天内的日期不足{0}个"),
    (r"its (\d+)-day window ends after the observed span", "其{0}天时间窗超出观察期"),
    (r"not chosen: (\d+) cutoffs lie elsewhere", "未选中：{0}个截止日在别处"),
    (r"within (\d+) days of a cutoff", "距某截止日不足{0}天"),
    (r"(.+) for probabilities, (.+) for dates", "概率题用“{0}”，日期题用“{1}”"),
    (r"(fitted \w+): (.+)", "{0}（{1}）"),
    (r"(.+) en rounded", "{0}（英文，取整）"),
    (r"(.+) zh rounded", "{0}（中文，取整）"),
    (r"(.+) rounded", "{0}（取整）"),
    (r"(.+) en", "{0}（英文）"),
    (r"(.+) zh", "{0}（中文）"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), shape) for pattern, shape in _SHAPES)
_WORDS = {**_GRADES, "short of": "低", "above": "高", "-": "无"}
_FICTIONAL = re.compile(r"the event is fictional; otherwise (not evaluated|failed)(?:: (.+))?")
_OFF_PLAN = re.compile(r"off plan: (.+)")


def chinese(text: str) -> str | None:
    """The Chinese of a sentence that this program writes; None when it is not known."""
    if text in NAMES:
        return NAMES[text]
    if found := _FICTIONAL.fullmatch(text):
        head = f"事件为虚构，故予豁免；否则为“{_STATES[found[1]]}”"
        rest = chinese(found[2]) if found[2] else ""
        return None if rest is None else f"{head}：{rest}" if rest else head
    if found := _OFF_PLAN.fullmatch(text):
        rest = chinese(found[1])
        return None if rest is None else f"偏离计划：{rest}"
    for pattern, shape in _COMPILED:
        if found := pattern.fullmatch(text):
            parts = [_part(part) for part in found.groups()]
            if None not in parts:
                return shape.format(*(_Figure(part) for part in parts))
    return _several(text, "; ", "；", chinese) or _several(text, ", ", "，", chinese)


class _Figure(str):
    """A part of a sentence; of a share, `%` gives it in percent and `points` in percentage points."""

    def __format__(self, spec: str) -> str:
        if spec in ("%", "points"):
            return f"{100 * float(self):.1f}{'%' if spec == '%' else ''}"
        return str(self)


def _part(text: str) -> str | None:
    if text in _WORDS:
        return _WORDS[text]
    if re.fullmatch(r"-?[\d.]+|[A-D]", text):
        return text
    return chinese(text)


def _several(text: str, mark: str, joint: str, one: Callable[[str], str | None]) -> str | None:
    parts = text.split(mark)
    if len(parts) < 2:
        return None
    known = [one(part) for part in parts]
    return None if None in known else joint.join(part for part in known if part)
