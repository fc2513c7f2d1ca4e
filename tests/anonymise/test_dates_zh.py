"""Chinese days without a month, comparisons, parts of months, seasons and lists of weekdays, by kind."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.dates import find_dates, offsets, shift_text
from factory.audit.calendar_net import residue

ANCHOR = date(2025, 12, 3)

# Numbers that are no day, each with what stands around them.
NUMBERS = """
house      | 朝阳路15号发生火灾        | 位于人民路12号的商场     | 长安街1号          | 中山路28号院       | 建国大道8号
house      | A座5号                    | 门牌28号                 | 3栋12号            | 家住幸福街9号的王女士
building   | 2号航站楼                 | 5号楼3号门               | 他住在5号病房      | 于14号楼签约       | 在12号楼下捡到一只猫
machine    | 3号、4号机组停运          | 2号反应堆                | 7号高炉爆炸        | 3号矿井透水        | 23号列车
machine    | 1号到3号生产线停产        | 12号歼击机坠毁           | 5号传感器故障      | 到2号线换乘        | 自3号码头登船
name       | 神舟十五号                | 嫦娥5号                  | 神舟15号飞船       | 遥感三十一号升空   | 神舟二十一号乘组
person     | 9号候选人当选             | 10号球衣                 | 17号技师           | 8号员工爆料        | 5号男嘉宾牵手成功
document   | 国发〔2025〕5号           | （2025）京01刑初12号判决 | 京ICP备12号        | 国资委5号令        | 银保监发〔2025〕8号文
document   | 第12号令                  | 5号文件精神              | “5号”文件          | 《关于5号决定》    | 第15号公告
storm      | 9号台风逼近               | 第26号台风生成          | 8号风球            | 第3号台风
code       | 排号15号                  | 航班号5号                | 中奖号码：5号、12号| 尾号12号           | 抽到5号签
rate       | 7日年化收益率             | 30日移动平均             | 前5日成交额        | 头5日销量过万      | 连续5日上涨
custody    | 行政拘留15日              | 行政拘留5日、10日的处罚  | 处10日以上15日以下拘留 | 禁言30日       | 公示期5日
length     | 为期5日的访问             | 不超过3日                | 每5日发布一次      | 第3日              | 北京5日游
length     | 支持7日无理由退货         | 年假10日，婚假15日       | 倒计时10日         | 保修期30日         | 需3至5日
length     | 受理之日起15日内          | 3日前，他还在上班        | 会议召开3日前通知  | 距开赛还有10日     | 逾期30日的
""".strip().splitlines()

# Days of a month, each with what becomes of it 49 days later.
DAYS = """
news       | 外交部发言人5日表示 | 外交部发言人23日表示
news       | 新华社纽约5日电     | 新华社纽约23日电
news       | 新华社10日报道      | 新华社28日报道
news       | 北约5日发表声明     | 北约23日发表声明
news       | 中共5日召开会议     | 中共23日召开会议
news       | 外长5日前往北京     | 外长23日前往北京
news       | 总理5日来华访问     | 总理23日来华访问
news       | 9日内蒙古有雪       | 27日内蒙古有雪
news       | 3日夜间至4日凌晨    | 21日夜间至22日凌晨
news       | 截至5日24时         | 截至23日24时
news       | 罢工持续到5日       | 罢工持续到23日
news       | 停火协议5日生效     | 停火协议23日生效
news       | 五日上午，三日下午  | 二十三日上午，二十一日下午
news       | 8日的游行           | 26日的游行
news       | 政府二日发表公报     | 政府二十日发表公报
news       | 两市5日均下跌       | 两市23日均下跌
news       | 自5日以来           | 自23日以来
news       | 要到5日以后         | 要到23日以后
news       | 事件：5号宣布       | 事件：23号宣布
deadline   | 须于10日前报送      | 须于28日前报送
deadline   | 力争10日之前复产    | 力争28日之前复产
talk       | 我5号去面试，7号出结果 | 我23号去面试，25号出结果
talk       | 5号晚上8点直播      | 23号晚上8点直播
talk       | 5号上海见           | 23号上海见
talk       | 从1号开始           | 从19号开始
talk       | 截至12号            | 截至30号
talk       | 都说1号降价，3号了还没动 | 都说19号降价，21号了还没动
talk       | 10号前提交          | 28号前提交
talk       | 安排9号城市谈判     | 安排27号城市谈判
talk       | 公司12号宣布裁员    | 公司30号宣布裁员
talk       | 今天已经3号了       | 今天已经21号了
talk       | 7号提的货，8号下的单 | 25号提的货，26号下的单
talk       | 我抢的5号的票       | 我抢的23号的票
talk       | 5号、6号考试        | 23号、24号考试
talk       | 十一号我请假        | 二十九号我请假
month said | 本月5日立案         | 本月23日立案
month said | 上月28日至30日      | 本月16日至18日
month said | 本月8日来访         | 本月26日来访
month said | 下个月3号           | 下个月21号
""".strip().splitlines()

UNCLEAR = ["宣布停火5日。", "学校停课5日", "5日涨幅", "9号跳预言家", "10号梅西进球", "朝阳路15号通车", "某小区12号停水", "当月5日立案", "父母28日来三亚", "会议后十七日结束", "本月8日至15日举行", "下月12号线开通", "上上个月5日"]  # fmt: skip

SAME_TIME = [
    "比去年同期增长", "去年的今天", "与上月同期相比", "去年同月", "去年此时", "去年今日", "较前年同期", "去年这个时候", "去年同季", "明年的今天",
    "上季度同期",
]  # fmt: skip
UNITS_OF_A_YEAR = ["去年12月", "去年四季度", "去年同样亏损", "去年同意"]
PARTS = ["首周", "首个周五", "前半月", "头几天", "首日", "最后一个周末", "首个交易日", "的最后三天", "后半段", "第一周"]  # fmt: skip


def rows(table: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")][1:] for row in table]


def doubts(text: str, anchor: date, offset: int) -> list[str]:
    mentions = find_dates(text, anchor, offset)
    left = residue(text, [(m.start, m.end) for m in mentions])
    return [text[m.start : m.end] for m in mentions if m.kind == "flag"] + [w for *_, w in left]


@pytest.mark.parametrize("text", [text for row in rows(NUMBERS) for text in row])
@given(
    anchor=st.dates(date(2000, 1, 1), date(2040, 12, 31)),
    offset=st.sampled_from(offsets("weeks")),
)
def test_a_number_that_is_no_day_stays_without_a_doubt(
    text: str, anchor: date, offset: int
) -> None:
    assert shift_text(text, anchor, offset) == text
    assert all(m.kind == "leave" for m in find_dates(text, anchor, offset))


@pytest.mark.parametrize(("text", "expected"), rows(DAYS))
def test_a_day_without_its_month_moves(text: str, expected: str) -> None:
    assert shift_text(text, ANCHOR, 49) == expected
    assert not doubts(text, ANCHOR, 49)


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_may_be_a_day_or_not_waits_for_a_person(text: str) -> None:
    assert doubts(text, ANCHOR, 49)
    assert shift_text(text, ANCHOR, 49) == text


def test_the_day_told_of_settles_an_unclear_number() -> None:
    assert shift_text("10号梅西进球", ANCHOR, 49, hint=date(2025, 12, 10)) == "28号梅西进球"


@given(st.dates(date(2000, 2, 1), date(2040, 12, 31)), st.sampled_from(offsets("weeks")))
def test_days_of_a_named_month_move_by_the_offset_or_wait(anchor: date, offset: int) -> None:
    day = anchor.replace(day=1) - timedelta(days=1)
    text, to = f"上月{day.day}日开庭", day + timedelta(days=offset)
    if not doubts(text, anchor, offset):
        then = anchor + timedelta(days=offset)
        apart = (to.year - then.year) * 12 + to.month - then.month
        word = {-2: "上上个月", -1: "上月", 0: "本月", 1: "下月", 2: "下下个月"}[apart]
        assert shift_text(text, anchor, offset) == f"{word}{to.day}日开庭"


@pytest.mark.parametrize("text", SAME_TIME)
@given(
    anchor=st.dates(date(2000, 1, 1), date(2040, 12, 31)),
    offset=st.sampled_from(offsets("paper")),
)
def test_a_comparison_with_a_unit_earlier_stays(text: str, anchor: date, offset: int) -> None:
    assert shift_text(text, anchor, offset) == text
    assert not doubts(text, anchor, offset)


@pytest.mark.parametrize("text", UNITS_OF_A_YEAR)
@pytest.mark.parametrize(("anchor", "offset"), [(ANCHOR, 49), (date(2026, 1, 20), -49)])
def test_a_unit_of_last_year_moves(text: str, anchor: date, offset: int) -> None:
    assert shift_text(text, anchor, offset) != text


@pytest.mark.parametrize("unit", ["12月", "2025年12月", "四季度"])
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_unit_does_not_let_the_unit_move_alone(unit: str, part: str) -> None:
    text = f"{unit}{part}成交回暖"
    assert shift_text(text, ANCHOR, 49) == text
    assert doubts(text, ANCHOR, 49)


def test_months_counted_together_move_together() -> None:
    assert shift_text("2025年11、12两月下降", ANCHOR, 49) == "2026年1、2两月下降"
    assert shift_text("9、10、11三个月", ANCHOR, 49) == "11、12、1三个月"
    assert doubts("9、10、11两个月", ANCHOR, 49)


@pytest.mark.parametrize("after", ["启动试点", "，公司开工", "公布名单", "就结束了", ""])
def test_a_season_of_one_character_is_read_as_the_long_form(after: str) -> None:
    for year, season in ((2026, "春"), (2025, "夏")):
        short = shift_text(f"{year}年{season}{after}", ANCHOR, 49)
        long = shift_text(f"{year}年{season}季{after}", ANCHOR, 49)
        assert short == long.replace("季", "") != f"{year}年{season}{after}"
    assert doubts(f"2025年秋{after}", ANCHOR, 49) == ["2025年秋"]


@pytest.mark.parametrize("text", ["2025年夏宝来访", "2025年秋拍"])
def test_a_season_that_may_begin_another_word_is_a_doubt(text: str) -> None:
    assert doubts(text, ANCHOR, 49)


WEEKDAY_LISTS = ["周@、@停电", "周@、@、@开会", "周@@两天放假", "周@@@限行", "星期@和@休息", "下周@、@", "周@至周@、@停业"]  # fmt: skip


@pytest.mark.parametrize("form", WEEKDAY_LISTS)
@given(
    offset=st.sampled_from(offsets("paper")),
    days=st.lists(st.integers(0, 6), min_size=3, max_size=3, unique=True),
)
def test_every_weekday_of_a_list_moves(form: str, offset: int, days: list[int]) -> None:
    anchor = date(2026, 1, 5)
    text = expected = form
    for day in sorted(days):
        text = text.replace("@", "一二三四五六日"[day], 1)
        expected = expected.replace("@", "一二三四五六日"[(day + offset) % 7], 1)
        if "@" not in text:
            break
    assert shift_text(text, anchor, offset) == expected
    assert all(m.kind != "flag" for m in find_dates(text, anchor, offset))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("周五六点开会", "周二六点开会"),
        ("周五三人被捕", "周二三人被捕"),
        ("周六日本队比赛", "周三日本队比赛"),
        ("周五、一名男子", "周二、一名男子"),
        ("周六一早出发", "周三一早出发"),
    ],
)
def test_a_numeral_of_another_word_is_no_weekday(text: str, expected: str) -> None:
    assert shift_text(text, date(2026, 1, 5), -38) == expected
