"""Names that are written with the family name first: Chen Guangcheng, Kim Jong-un, Nguyen Van Thieu, Wong Kar-wai.

A Chinese form beside the name tells the order. Without one a closed list of surnames does, and only together with
a given name of the same tradition, so that Kim Campbell, Lee Zeldin and Bo Derek keep theirs. The lists follow 百家姓
(Hundred Family Surnames, 11th century) in pinyin, the spellings of passports in Hong Kong, Taiwan and Singapore, the
common surnames of Korea in their usual spellings and those of Vietnam, without the rarest of each: a surname that is
missing is read as the first name that it would be in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from factory.anonymise import expand_zh
from factory.anonymise.folding import unaccented

Tradition = Literal["chinese", "korean", "vietnamese"]

_PINYIN = frozenset(
    re.findall(
        r"\S+",
        "ai an ao ba bai ban bao bei bi bian bie bo bu cai cang cao cen chai chang chao che chen cheng chi chong chu cong cui "
        "dai dang deng di diao ding dong dou du duan e fan fang fei feng fu gai gan gao ge geng gong gou gu guan guang gui guo "
        "hai han hang hao he heng hong hou hu hua huai huan huang hui huo ji jia jian jiang jiao jin jing ju jue kan kang ke "
        "kong kou kuai kuang kui lai lan lang lao le lei leng li lian liang liao lin ling liu long lou lu luan luo lv lyu ma "
        "mai man mao mei men meng mi miao min ming mo mou mu na nan ni nian nie ning niu nong ou pan pang pei peng piao ping "
        "pu qi qian qiang qiao qin qiu qu quan que ran rao ren rong ru ruan rui sang sha shan shang shao she shen sheng shi "
        "shou shu shuai shuang si song su sui sun suo tai tan tang tao teng tian tong tu tuo wan wang wei wen weng wo wu xi "
        "xia xian xiang xiao xie xin xing xiong xu xuan xue xun yan yang yao ye yi yin ying yong you yu yuan yue yun zai zan "
        "zang zeng zha zhai zhan zhang zhao zhen zheng zhi zhong zhou zhu zhuang zhuo zi zong zou zu zuo "
        "ouyang sima shangguan zhuge xiahou huangfu yuchi gongsun murong zhangsun linghu situ sikong duanmu dongfang nangong "
        "dugu xuanyuan",
    )
)
_OVERSEAS = frozenset(
    re.findall(
        r"\S+",
        "chan chau cheung chow choy chu chui chung fok fong fung ho hui hung ip kam ko koo kwan kwok kwong lai lam lau law lee "
        "leung lo loh lok lui ma mak man mok ng ngai pang poon pun shek shum sin siu so suen sung sze szeto tam tang ting to "
        "tong tsang tse tsoi tsui wan wong wu yam yau yeung yip yiu yu yuen yung "
        "chang chao chen cheng chiang chiu chou chuang han hsia hsiao hsieh hsu hsueh huang jen kao ku kung kuo liao lin liu "
        "lu lung pai pan peng shen shih su teng tsai tseng tsou tu tung wang wei weng yang yeh yen "
        "chew chia chong chua foo gan goh heng khoo koh lim loke low neo ong ooi png quek seah sim soh tan tay teh teo toh wee "
        "yap yeo",
    )
)
_KOREAN = frozenset(
    re.findall(
        r"\S+",
        "kim gim lee yi rhee ri rhie park pak bak choi choe jung jeong chung cheong jong kang gang cho jo yoon yun youn jang "
        "chang lim im rim yim han oh o seo suh so shin sin kwon gwon hwang ahn an song ryu yoo yu ryoo you hong jeon chun jun "
        "chon ko koh go moon mun yang ryang son sohn bae pae baek paik baik paek heo huh hur ho nam shim sim noh roh no ro ha "
        "gwak kwak sung seong song cha joo ju chu choo woo wu koo gu ku ko min na ra rah jin chin ji chi uhm eom um om won chae "
        "cheon chon bang pang kong gong hyun hyeon hyon byun byeon pyon ham yeom yom yeo do to suk seok sok sun seol sol seon "
        "ma gil kil yon yeon wi pyo myung myong ki gi ban wang keum kum ok yook yuk maeng je mo tak kuk eun namgung namkoong "
        "hwangbo jegal sunwoo",
    )
)
_VIETNAMESE = frozenset(
    re.findall(
        r"\S+",
        "nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh trinh truong luong mai to cao ha dao doan "
        "lam luu thai ta",
    )
)
_PINYIN_SYLLABLE = (
    r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|an|ao|ei|en|er|ou|ia|ie|in|"
    r"iu|ua|ue|ui|un|uo|ve|a|e|i|o|u|v)"
)
_PINYIN_GIVEN = re.compile(rf"{_PINYIN_SYLLABLE}(?:['’ -]?{_PINYIN_SYLLABLE})?")
_SYLLABLE = re.compile(
    r"(?:[bcdghjklmnpqrstvwxyfz]|[cgknpst]h|ngh?|ts|tr|qu|gi|hs|hw|kw|gw|by|hy|gy|ky|py|my|ry|ny|sh|zh|ph)?"
    r"[aeiouy]{1,4}(?:ng|nh|ch|[nmptkclrhw])?"
)
"""One syllable as any of the traditions spells it."""


def family_first(name: str, beside: Iterable[str] = ()) -> Tradition | None:
    """In which tradition the first word of a Latin name is its surname; None when it is not.

    `beside` are other names of the same person, the Chinese ones of which tell the order.
    """
    words = [unaccented(word).lower() for word in name.split()]
    if not 2 <= len(words) <= 4 or not all(word[:1].isupper() for word in name.split()[:2]):
        return None
    first, given = words[0], words[1:]
    ends = {_read(other) for other in beside if expand_zh.full_name(other)}
    if any(first in read for read in ends):
        return "chinese"
    if any(words[-1] in read for read in ends):
        return None
    if first in _PINYIN and _PINYIN_GIVEN.fullmatch(" ".join(given)):
        return "chinese"
    parts = [part for word in given for part in word.split("-")]
    if not 2 <= len(parts) <= 3 or not all(map(_SYLLABLE.fullmatch, parts)):
        accented = not name.isascii() and all(map(_SYLLABLE.fullmatch, parts))
        return "vietnamese" if accented and first in _VIETNAMESE else None
    hyphened = "-" in " ".join(given)
    if (
        first in _VIETNAMESE
        and not hyphened
        and not (first in _KOREAN | _OVERSEAS and name.isascii())
    ):
        return "vietnamese"
    if first in _KOREAN:
        return "korean"
    return "chinese" if first in _OVERSEAS | _PINYIN else None


def one_syllable(given: str) -> bool:
    """Whether a given name has one syllable: too short to name somebody by itself (Wei, Ming)."""
    return _SYLLABLE.fullmatch(unaccented(given).lower()) is not None


def _read(name: str) -> frozenset[str]:
    """How a Chinese name's surname may be spelt in pinyin."""
    spelt = expand_zh.pinyin(expand_zh.simplified(name), of_person=True)
    return frozenset(form.split(",")[0].lower() for form in spelt if "," in form)
