"""Every word of the public report in both languages, some of which the README of a bundle shows too.

Words of the event itself come from the bundle.

A label is looked up by its key and filled with named figures. The pages tell a reader who knows nothing of this
project what a bank is, so the words are plain ones.
"""

from __future__ import annotations

from schemas import Lang

WORDS: dict[str, tuple[str, str]] = {
    # -- head ------------------------------------------------------------------------------------
    "page": ("Forecasting bank {id}", "预测题库 {id}"),
    "kind": ("Public report of one bank", "题库公开报告"),
    "lead": (
        "One social event as a timeline of {nodes} day{nodes:s}, cut at {points} point{points:s}. At each point a system reads what "
        "was known before the cutoff and says how likely things are, and when they will happen. Names are replaced by "
        "letters and all dates are moved, so that nobody can answer from memory.",
        "一个社会事件，整理成{nodes}个日期的时间线，在{points}个预测点截断。在每个预测点，答题系统只能读到截止日之前"
        "已知的内容，然后判断各种情况发生的概率和日期。人名、地名和机构名均以字母代号代替，日期整体平移，答题者无法凭记忆作答。",
    ),
    "sections": ("Sections", "目录"),
    "fictional": ("fictional event", "虚构事件"),
    "fictional-why": (
        "This event never happened. Its places, people and organisations were invented.",
        "该事件从未发生，其中的地点、人物和机构均为虚构。",
    ),
    "scripted": ("answers written by hand", "模型回答由人工撰写"),
    "scripted-why": (
        "The model answers behind this bank were written by hand, not by a model.",
        "本题库所用的模型回答由人工撰写，并非模型生成。",
    ),
    "ungated": ("not passed: {names}", "未通过：{names}"),
    "waived-marks": ("waived: {names}", "豁免：{names}"),
    "all-passed": ("all checks passed", "全部检查通过"),
    "observed": ("observed {first} to {last}", "观察期 {first} 至 {last}"),
    "nodes": ("days", "时间线日期"),
    "points": ("points", "预测点"),
    "questions": ("probability questions", "概率题"),
    "events": ("date questions", "日期题"),
    "pairs": ("independent pairs", "独立题对"),
    "checks": ("checks passed", "检查通过"),
    # -- arc -------------------------------------------------------------------------------------
    "arc": ("The event at a glance", "事件概览"),
    "arc-lead": (
        "Numbered lines are the cutoffs of the points. A bar shows how far the longest window of a point reaches, the "
        "figure how many probability questions are asked there.",
        "带编号的竖线是各预测点的截止日；横条表示该预测点最长时间窗所及的日期，数字为该点的概率题数。",
    ),
    "arc-stances": ("Public opinion, shares of posts", "舆论：各立场帖子占比"),
    "arc-stances-week": ("Public opinion by week, shares of posts", "舆论（按周）：各立场帖子占比"),
    "arc-facts": ("Days with news", "有新闻的日期"),
    "arc-windows": ("Windows of the points", "各预测点的时间窗"),
    "arc-desc": (
        "{nodes} day{nodes:s} with news or public opinion between {first} and {last}; cutoffs: {cuts}. The table below holds "
        "the figures.",
        "{first}至{last}之间有新闻或舆论的日期共{nodes}个；截止日：{cuts}。具体数字见下表。",
    ),
    "figures": ("The figures as a table", "以表格查看数字"),
    "day": ("Day", "日期"),
    "news": ("News", "新闻"),
    "sentences": ("{n} sentence{n:s}", "{n}句"),
    "posts": ("Posts", "帖子数"),
    "support": ("support", "支持"),
    "oppose": ("oppose", "反对"),
    "question": ("question", "质疑"),
    "neutral": ("neutral", "中立"),
    "per-point": ("Questions by point and window", "各预测点题数（按时间窗）"),
    "per-point-desc": (
        "A column for each point in order of its cutoff, stacked by window in days.",
        "每列为一个预测点，按截止日排列，按时间窗天数堆叠。",
    ),
    "window-days": ("{n} days", "{n}天"),
    "all": ("All", "合计"),
    "point": ("Point", "预测点"),
    "cutoff": ("Cutoff", "截止日"),
    "scores-cal": ("Scores by point: probabilities", "各预测点得分：概率题"),
    "scores-tem": ("Scores by point: dates", "各预测点得分：日期题"),
    "scores-desc": (
        "The bar reaches from the lowest to the highest rule that reads no text.",
        "竖条表示不读文本的规则所得的最低分至最高分。",
    ),
    "range": ("rules that read no text", "不读文本的规则"),
    "lowest": ("Lowest rule", "规则最低分"),
    "highest": ("Highest rule", "规则最高分"),
    # -- timeline --------------------------------------------------------------------------------
    "timeline": ("Timeline and contexts", "时间线与各点已知内容"),
    "timeline-lead": (
        "The whole timeline as released. At a point a system reads everything above its line and nothing below it.",
        "以下是公开的完整时间线。在每个预测点，答题系统能读到分界线以上的全部内容，看不到以下的任何内容。",
    ),
    "divider": ("Point {n} is cut here: {day}", "预测点{n}在此截断：{day}"),
    "divider-more": ("{known} day{known:s} known, {hidden} to come", "已知{known}个日期，其后{hidden}个"),
    "what-news": ("What was reported", "新闻"),
    "what-opinion": ("What people said", "舆论"),
    "n-posts": ("{n} posts, mostly {emotion}", "{n}条帖子，情绪以{emotion}为主"),
    "one-post": ("1 post, {emotion}", "1条帖子，情绪为{emotion}"),
    "more": ("and {n} more sentence{n:s}", "另有{n}句"),
    "anger": ("anger", "愤怒"),
    "fear": ("fear", "担忧"),
    "sadness": ("sadness", "悲伤"),
    "hope": ("hope", "期待"),
    "joy": ("joy", "喜悦"),
    "mockery": ("mockery", "嘲讽"),
    "calm": ("calm", "平静"),
    # -- questions -------------------------------------------------------------------------------
    "samples": ("What is asked, and why the answer is right", "题目示例与答案依据"),
    "samples-lead": (
        "A few questions of each point. Questions come in twins: same point, same window, same phrasing, one true and "
        "one false, so whoever looks at everything but the words scores exactly half. An examinee sees neither twins "
        "nor answers.",
        "每个预测点各举几例。题目成对出现：预测点、时间窗、问法均相同，答案一“是”一“否”，因此只看结构、不看内容的答题者恰好只得"
        "一半分。答题者看不到配对关系，也看不到答案。",
    ),
    "samples-lead-single": (
        "A few questions of each point. An examinee does not see the answers.",
        "每个预测点各举几例。答题者看不到答案。",
    ),
    "point-head": ("Point {n}, cutoff {day}", "预测点{n}，截止日{day}"),
    "point-counts": (
        "{known} day{known:s} known, {hidden} to come; {questions} probability and {events} date question{events:s}",
        "已知{known}个日期，其后{hidden}个；概率题{questions}道，日期题{events}道",
    ),
    "twins": ("Twins over {n} days", "{n}天时间窗的一对题"),
    "relation-late": ("the false one happens later, after its window", "答案为“否”的一题所问之事后来发生了，但已过时间窗"),
    "relation-own": ("the false one contradicts what happened", "答案为“否”的一题与实际结果相反"),
    "relation-fabrication": ("the false one was made up", "答案为“否”的一题系虚构"),
    "single": ("Single question", "单题"),
    "dated": ("Date questions", "日期题"),
    "announced": ("announced day: the timeline before the cutoff names it as a date", "已预告的日期：截止日前的时间线中写有这一天"),
    "announced-count": (
        "Date questions with an announced day, one that the timeline before the cutoff names as a date (the day of a "
        "vote or a ruling, for instance): {n} of {total}. That is forecasting with a known calendar and no leak; no "
        "check depends on it.",
        "{total}道日期题中，{n}道所问的日期已有预告，即截止日前的时间线中写有这一天（例如投票日或宣判日）。这是依据已知日程"
        "作预测，不算泄漏，也不影响任何检查项。",
    ),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    "answer": ("Answer", "答案"),
    "why": ("Evidence", "依据"),
    "claim": ("Claim", "所问之事"),
    "resolved": (
        "{n} independent readings of the later timeline agree: {what}",
        "对其后时间线的{n}次独立判读结果一致：{what}",
    ),
    "stated": ("it says so", "其中明确写到此事"),
    "contradicted": ("it says otherwise", "其中的说法与之相反"),
    "absent": ("nothing in it says so", "其中没有相关内容"),
    "by-shares": (
        "Computed by the program from the shares of counted posts.",
        "由程序根据已统计帖子的占比计算得出。",
    ),
    "counted": ("Of the day's {n} posts {share} {stance} it.", "当日{n}条帖子中，{stance}的占{share}。"),
    "never-counted": (
        "On no later day with enough counted posts does the share lie there.",
        "其后帖子数足够的日子里，没有一天的占比符合题意。",
    ),
    "late": ("It happens, but outside the window:", "此事确有发生，但不在时间窗内："),
    "against": ("It does not happen; the timeline says otherwise:", "此事没有发生，时间线中有相反的说法："),
    "never": ("Nothing in the later timeline says that it happened.", "其后的时间线没有任何内容表明此事发生。"),
    "quote": ("Quoted words in the other language", "另一语言版本中的引语"),
    "type-A": ("A: an outcome", "A类：结果"),
    "type-B": ("B: an outcome in detail", "B类：细化的结果"),
    "type-C": ("C: one of several ends", "C类：多种结局之一"),
    "type-D": ("D: made up", "D类：虚构"),
    "event": ("event", "事件"),
    "policy": ("policy", "政策"),
    "opinion": ("opinion", "舆论"),
    "figures-dim": ("figures", "数字"),
    "easy": ("easy", "易"),
    "medium": ("medium", "中"),
    "hard": ("hard", "难"),
    "unexpected": ("difficulty {what}", "难度：{what}"),
    # -- gates -----------------------------------------------------------------------------------
    "gates": ("Checks before release", "发布前检查"),
    "gates-lead": (
        "As the manifest of the bundle states them. What could not be evaluated counts as not passed; checks are "
        "waived only where nobody can be harmed, because the event is invented.",
        "以下结果取自题库清单文件。无法评估的一律不算通过；只有虚构事件才可豁免，因为不会损害任何人。",
    ),
    "gate": ("Check", "检查项"),
    "state": ("Result", "结果"),
    "measure": ("Figure and reason", "数字与原因"),
    "passed": ("passed", "通过"),
    "failed": ("failed", "未通过"),
    "not evaluated": ("not evaluated", "未评估"),
    "waived": ("waived", "豁免"),
    "gate-leak": ("Leaks", "泄漏"),
    "gate-leak-is": ("no name, day or address of the original in any public byte", "公开文件中没有原文的名称、日期或网址"),
    "gate-secret": ("Secrets", "密钥"),
    "gate-secret-is": ("no key and nothing that undoes the replacement", "没有密钥，也没有可以还原替换的信息"),
    "gate-identity": ("Identity", "身份"),
    "gate-identity-is": (
        "auditors cannot name the event, and enough shifts of the dates remain possible",
        "审查者认不出该事件，日期的平移量也有足够多的可能",
    ),
    "gate-labels": ("Labels", "答案"),
    "gate-labels-is": ("every answer follows by date arithmetic from what was read in the timeline", "每个答案都能由对时间线的判读按日期推算得出"),
    "gate-structure": ("Structure", "结构"),
    "gate-structure-is": (
        "no answers, windows or contexts contradict each other, and no two questions of one prompt are worded nearly "
        "alike, opposite ends of one occasion apart; whether the meaning of one answers another is not tested",
        "答案、时间窗与已知内容互不矛盾；除同一事项的相反结局外，同时作答的题目中没有措辞几乎相同的两题；未检验一题的含义能否推出另一题的答案",
    ),
    "gate-parity": ("Parity", "双语一致"),
    "gate-parity-is": ("both languages are one exam", "两个语言版本是同一套题"),
    "gate-mirror": ("Twins", "成对"),
    "gate-mirror-is": ("each true question has a false twin in the same place", "每道答案为“是”的题，都有一道预测点和时间窗相同、答案为“否”的题与之配对"),
    "gate-shortcuts": ("Shortcuts", "捷径"),
    "gate-shortcuts-is": ("none of the tested attackers on the questions is shown to score above 55; others were not tried", "所测试的各种题面攻击，没有一种能确证得分高于55分；其他攻击未作测试"),
    "gate-quotas": ("Shares", "比例"),
    "gate-quotas-is": ("kinds of questions are mixed as planned; windows are only listed", "各类题目按计划搭配；时间窗只列出偏差"),
    "gate-review": ("Review", "人工抽查"),
    "gate-review-is": ("people accepted a sample", "抽样内容经人工认可"),
    # -- what needs no reading -------------------------------------------------------------------
    "baselines": ("What needs no reading", "不读文本能得多少分"),
    "baselines-lead": (
        "Scores of rules that know windows and dates but read no text. What a score is worth is what it adds to "
        "these. Rule set {rules}, version {version}; intervals of {level}.",
        "以下规则只知道时间窗和日期，不读任何文本。一个系统的得分有多大价值，要看它比这些规则高出多少。"
        "计分规则 {rules}，版本 {version}；区间置信水平为{level}。",
    ),
    "calibration": ("Probabilities", "概率题"),
    "temporal": ("Dates", "日期题"),
    "system": ("Rule or system", "规则或系统"),
    "rules-alike": ("{n} rules with the same score", "{n}种规则得分相同"),
    "which": ("Which ones, and what they see", "哪些规则，各看什么"),
    "score": ("Score", "得分"),
    "interval": ("Interval", "区间"),
    "line": ("{low} to {high}", "{low}至{high}"),
    "on-line": ("on a line from {low} to {high}", "标尺范围为{low}至{high}"),
    "answered": ("Answered", "作答数"),
    "not scored": ("not scored", "未计分"),
    "shortcuts": ("Attackers on the questions", "对题面的攻击测试"),
    "shortcuts-lead": (
        "Measured on the questions for this page: 50 means that this attacker learns nothing. Structure attackers use "
        "windows, points and counts; text attackers learn from the words of other questions, or compare a question with "
        "its context by words and closeness in meaning. Other attackers were not tried.",
        "本页据题目重新测得：50分表示该攻击方式一无所获。结构类攻击只用时间窗、预测点和题数；文本类攻击从其他题目的措辞中"
        "学习，或比较题目与已知内容的用词和语义。其他攻击方式未作测试。",
    ),
    "even": ("Exactly 50: {names}.", "恰为50分：{names}。"),
    "unseen": (
        "For information, with what no examinee is shown: {names}.",
        "供参考，利用答题者看不到的信息可得分：{names}。",
    ),
    "attacker": ("Attacker", "攻击方式"),
    "too-few": ("Not tested on words: {reason}.", "未做文本类攻击：{reason}。"),
    "worst": ("Outcome: {reason}.", "结论：{reason}。"),
    "reliability": ("Reliability of probabilities", "概率的可靠性"),
    "reliability-lead": (
        "How often things came true that were given a probability; dots on the diagonal mean that it holds. A rule "
        "that says one number for all has one dot.",
        "给出某一概率的事情实际有多少成真；圆点落在对角线上表示概率可信。对所有题给同一数值的规则只有一个点。",
    ),
    "one-dot": (
        "Without a picture, because they use a single probability: {names}.",
        "以下规则只用一个概率值，不再画图：{names}。",
    ),
    "reliability-of": ("Reliability of {name}", "{name}的可靠性"),
    "given": ("probability given", "给出的概率"),
    "came-true": ("came true", "实际成真"),
    "bin": (
        "{low} to {high}: answers {count}, mean {forecast}, came true {outcome}",
        "{low}至{high}：{count}个回答，平均{forecast}，实际成真的比例{outcome}",
    ),
    "bin-empty": ("{low} to {high}: no answers", "{low}至{high}：没有回答"),
    "no-answers": ("no answers", "没有回答"),
    "brier": ("Brier", "Brier分"),
    "log-loss": ("Log loss", "对数损失"),
    "ece": ("ECE", "校准误差"),
    "proper-table": ("Proper scores of the probabilities, lower is better", "概率预测的恰当评分（越低越好）"),
    # -- shares and hiding -----------------------------------------------------------------------
    "quotas": ("How the bank is mixed", "题目构成"),
    "quota": ("Share of", "类别"),
    "wanted": ("Wanted", "目标"),
    "got": ("Reached", "实际"),
    "window": ("windows of {n} days", "{n}天时间窗"),
    "dropped": ("Not asked, by reason", "未出题的原因"),
    "reason": ("Reason", "原因"),
    "count": ("Count", "数量"),
    "days-dropped": ("Days that are not cutoffs: {n}", "{n}个未作为截止日的日期"),
    "days-range": ("{first} to {last}", "{first}至{last}"),
    "hidden": ("How well the event is hidden", "事件的隐匿程度"),
    "hidden-lead": (
        "Auditors read the released text without any other source and guess the event; code grades their guesses.",
        "审查者只读公开文本，不查其他资料，猜测是哪个事件；由程序评判其猜测。",
    ),
    "hidden-panel": ("Auditors", "审查结果"),
    "hidden-panel-is": ("{grade}, after {rounds} round{rounds:s}", "{grade}，共{rounds}轮"),
    "hidden-panel-open": (
        "not evaluated; the replies as they stand would say: {grade}, after {rounds} round{rounds:s}",
        "未评估；若按现有回答计，则为“{grade}”，共{rounds}轮",
    ),
    "LOW": ("not recognised", "未被认出"),
    "MID": ("partly recognised", "部分被认出"),
    "HIGH": ("recognised", "被认出"),
    "UNKNOWN": ("unknown", "未知"),
    "panel-anonymised": ("First guess names it, from this text", "首次猜测即说中：看本文本"),
    "panel-raw": ("First guess names it, from the original", "首次猜测即说中：看原文"),
    "panel-class": ("First guess names it, from the kind of event alone", "首次猜测即说中：只知事件类型"),
    "panel-decoy": ("First guess names it, from another event", "首次猜测即说中：看无关事件"),
    "panel-share": ("{share} ({low} to {high})", "{share}（{low}至{high}）"),
    "hidden-names": ("Replaced", "替换"),
    "hidden-names-is": (
        "{mentions} mention{mentions:s} of {entities} name{entities:s}; {dates} date{dates:s} moved by one secret number of days",
        "{entities}个名称的{mentions}处出现；{dates}处日期按同一保密天数平移",
    ),
    "hidden-offsets": ("Possible shifts left", "日期平移的可能值"),
    "hidden-gaps": ("Distances between dates kept", "日期间隔保持不变"),
    "hidden-gaps-is": ("{share} of {n} pairs", "{n}对中的{share}"),
    "hidden-weekdays": ("Weekdays that fit their day", "星期与日期相符"),
    "hidden-weekdays-is": ("{good} of {n}", "{n}处中有{good}处"),
    "hidden-drift": ("Open differences of meaning from the original", "与原文意思仍有出入之处"),
    "hidden-forms": ("Spellings of names searched for", "检索的名称写法"),
    "hidden-forms-is": ("{forms}, of which {hit} occur", "{forms}种，其中{hit}种出现"),
    "hidden-flagged": ("Dates that could not be moved by rule alone", "无法只按规则平移的日期"),
    "hidden-residue": ("Calendar words that nobody classified", "未归类的日历用词"),
    "hidden-likeness": ("Likeness to the original, by words", "与原文的相似度（按用词）"),
    "hidden-meaning": ("Likeness to the original, by meaning", "与原文的相似度（按语义）"),
    "hidden-rank": (
        "the original ranks {rank} of {total} texts; for information, since prose alone can link them",
        "在{total}篇文本中，原文排第{rank}；仅供参考，单凭行文即可建立关联",
    ),
    "hidden-parity": ("Differences between the two languages", "两种语言之间的差异"),
    "hidden-allowed": ("Let pass the leak scan by a person", "由人放行的泄漏扫描结果"),
    "hidden-words": ("Rare words that could tell which event it is", "可能透露是哪个事件的罕见词"),
    "hidden-words-is": (
        "{edition}: {words} word{words:s} in {mentions} mention{mentions:s} ({state})",
        "{edition}：{words}个词，共出现{mentions}次（{state}）",
    ),
    "edition-en": ("en edition", "英文版"),
    "edition-zh": ("zh edition", "中文版"),
    "seen-reviewed": ("a person has looked at them", "已有人查看"),
    "seen-not reviewed": ("nobody has looked at them yet", "尚无人查看"),
    "seen-refused": ("a person said that they must change", "查看者认为须更改"),
    "seen-not evaluated": ("not put to anybody, the event is invented", "事件为虚构，未请人查看"),
    "read-anonymised": ("the released timeline", "公开的时间线"),
    "read-raw": ("the original (can they name it at all?)", "原文（究竟能否认出）"),
    "read-class": ("the kind of event alone (do they guess it?)", "仅事件类型（能否猜中）"),
    "read-decoy": ("invented events (do they name it wrongly?)", "虚构的无关事件（是否误认）"),
    "figure": ("Figure", "数字"),
    "what": ("What", "项目"),
    # -- foot ------------------------------------------------------------------------------------
    "about": ("About this bundle", "关于本题库"),
    "licence": ("Licence", "许可"),
    "version": ("Made with", "制作工具"),
    "models": ("Models", "模型"),
    "role-plan": ("plan", "策划"),
    "role-distil": ("timeline", "提炼时间线"),
    "role-anonymise": ("anonymisation", "隐匿"),
    "role-auditor1": ("first auditor", "审查者一"),
    "role-auditor2": ("second auditor", "审查者二"),
    "role-auditor3": ("third auditor", "审查者三"),
    "role-claims": ("claims", "拟题"),
    "role-resolve": ("answers", "判读答案"),
    "role-translate": ("translation", "翻译"),
    "role-forecast": ("forecasts", "作答"),
    "by-hand": ("written by hand", "人工撰写"),
    "brackets": ("({what})", "（{what}）"),
    "then": ("; ", "；"),
    "digest": ("Digest of the manifest", "清单文件哈希值"),
    "verify": (
        "Anybody can check this: `factory check` on the bundle recomputes every answer, check and figure.",
        "任何人都可以验证：对题库运行 `factory check`，即可重新计算全部答案、检查项和数字。",
    ),
    "scanned": (
        "This page was made from the bundle alone and scanned for leaks before it was written.",
        "本页只据题库生成，写出前已做泄漏扫描。",
    ),
}  # fmt: skip


class _Count(int):
    """A whole number of which `{n:s}` is the s of a plural."""

    def __format__(self, spec: str) -> str:
        if spec == "s":
            return "" if self == 1 else "s"
        return format(int(self), spec)


def words(key: str, lang: Lang, /, **figures: object) -> str:
    """The words of a key in one language with its figures filled in. KeyError for an unknown key.

    In a text `{n:s}` is an s unless `n`, a whole number, is 1.
    """
    text = WORDS[key][0 if lang == "en" else 1]
    if not figures:
        return text
    return text.format(
        **{name: _Count(f) if isinstance(f, int) else f for name, f in figures.items()}
    )


def listed(parts: list[str], lang: Lang) -> str:
    """Words in a row; those that hold a comma themselves are parted by semicolons."""
    if lang == "en":
        return ("; " if any(", " in part for part in parts) else ", ").join(parts)
    return "、".join(parts)
