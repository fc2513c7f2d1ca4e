"""Finds a name in any of the forms in which it may hide: width, case, spacing, invisible characters, look-alike
letters, escapes, traditional characters, pinyin.

This is the scanner's own search and shares nothing with the code that replaced the names. A Chinese name is
found anywhere; a Latin one at word edges, with its words joined or parted in any way or its letters spaced out,
and without edges once it has ten letters. A name whose case matters (a short acronym) is searched in that case.
The pinyin of a Chinese name is searched like a Latin name from six letters on, a person's in both orders.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from factory.nameforms.pinyin import syllables
from schemas import ReplacementTable

TRADITIONAL = "萬與專業東絲兩嚴喪個豐臨為麗舉義烏樂習鄉書買亂爭於虧雲亞產畝親億僅從倉儀們價眾優會傘偉傳傷倫偽體餘傭債傾償儲兒黨蘭關興養獸內岡冊寫軍農馮沖決況凍淨準涼減湊幾鳳憑凱擊鑿劉則剛創刪別剝劍劑勸辦務動勵勁勞勢勳區醫華協單賣盧衛卻廠廳歷厲壓厭廁縣參雙發變敘葉號嘆聽啟吳員嗎嗚響問喚嘩團園圍國圖圓聖場壞塊堅壇墳墜壟壘墊報塵壽復夠夢夾奪奮奧婦媽嬌孫學寧寶實寵審憲宮寬賓對尋導將爾塵嘗堯層屆屬歲豈島嶺嶽峽廣莊慶廬庫應廟廢開異棄張彌彎彈強歸當錄徹徑徠憶憂懷態憐總懇惡悅懸驚懼慘慣憤戲戰戶撲執擴掃揚擾撫拋搶護擔擬擁擇掛擋擠揮損換據攝擺搖敗敵數齊齋斷無舊時曠曇晝顯曉暫術機殺雜權條來楊傑極構槍楓樞標棧棟樹樣橋檔檢樓歡歐殘毀畢氣漢湯溝沒瀝淪滄滬瀉潑澤潔灑淺漿澆濁測濟瀏渾濃塗濤漲淚淵漸漁滲溫灣濕滿濾濱灘靈災爐點煉爛燭煙煩燒熱煥愛爺狀猶獨獄獵豬貓獻現環瑪瓊電畫暢療瘋皺盞鹽監蓋盤睜礦碼磚礎確禮禍禪離種積稱穩窮竊競筆築簡籃類糧糾紀約紅紋納紐純紗紙級紛線練組細織終紹經結繞繪給絡絕統絲綁維綱網綜緊緒續綿緣編縮總績繩罰羅羨習聯職聲聰肅腸膚膽勝腦臺舉艦艙艱藝節蘇蘆蘋茲荊莖薩藥蘿營蕭藍薦處虛蟲蠟蠻補裝製複見觀規視覽覺訂計認討讓訓議訊記講許論設訪證評識詐訴診詞試詩誠話誕詢該詳語誤說請諸課誰調談謀謊謝謠譜讀貝負貢財責賢敗貨質販貪貧購貴貸費賀資賊賓賠賴賺賽贊贈贏趙趕趨躍車軌軒轉輪軟輕載較輔輛輩輸轄辭邊遼達遷過邁運還這進遠違連遲適選遞郵鄒鄧鄭鄰釀釋裡針釣鈔鐘鋼鑰錢鉛銀銅鋪銷鎖鍋鏡鐵長門閃閉問間閱隊陽陰陣階際陸陳險隨隱難雛霧靜韓頁頂項順須顧頓預領頗頭頻題額顏願風飛飯飲館饑馬馳駐駕驗騎騙魚魯鮮鳥鳴鴨鴻麥黃齒龍龜"
SIMPLIFIED = "万与专业东丝两严丧个丰临为丽举义乌乐习乡书买乱争于亏云亚产亩亲亿仅从仓仪们价众优会伞伟传伤伦伪体余佣债倾偿储儿党兰关兴养兽内冈册写军农冯冲决况冻净准凉减凑几凤凭凯击凿刘则刚创删别剥剑剂劝办务动励劲劳势勋区医华协单卖卢卫却厂厅历厉压厌厕县参双发变叙叶号叹听启吴员吗呜响问唤哗团园围国图圆圣场坏块坚坛坟坠垄垒垫报尘寿复够梦夹夺奋奥妇妈娇孙学宁宝实宠审宪宫宽宾对寻导将尔尘尝尧层届属岁岂岛岭岳峡广庄庆庐库应庙废开异弃张弥弯弹强归当录彻径徕忆忧怀态怜总恳恶悦悬惊惧惨惯愤戏战户扑执扩扫扬扰抚抛抢护担拟拥择挂挡挤挥损换据摄摆摇败敌数齐斋断无旧时旷昙昼显晓暂术机杀杂权条来杨杰极构枪枫枢标栈栋树样桥档检楼欢欧残毁毕气汉汤沟没沥沦沧沪泻泼泽洁洒浅浆浇浊测济浏浑浓涂涛涨泪渊渐渔渗温湾湿满滤滨滩灵灾炉点炼烂烛烟烦烧热焕爱爷状犹独狱猎猪猫献现环玛琼电画畅疗疯皱盏盐监盖盘睁矿码砖础确礼祸禅离种积称稳穷窃竞笔筑简篮类粮纠纪约红纹纳纽纯纱纸级纷线练组细织终绍经结绕绘给络绝统丝绑维纲网综紧绪续绵缘编缩总绩绳罚罗羡习联职声聪肃肠肤胆胜脑台举舰舱艰艺节苏芦苹兹荆茎萨药萝营萧蓝荐处虚虫蜡蛮补装制复见观规视览觉订计认讨让训议讯记讲许论设访证评识诈诉诊词试诗诚话诞询该详语误说请诸课谁调谈谋谎谢谣谱读贝负贡财责贤败货质贩贪贫购贵贷费贺资贼宾赔赖赚赛赞赠赢赵赶趋跃车轨轩转轮软轻载较辅辆辈输辖辞边辽达迁过迈运还这进远违连迟适选递邮邹邓郑邻酿释里针钓钞钟钢钥钱铅银铜铺销锁锅镜铁长门闪闭问间阅队阳阴阵阶际陆陈险随隐难雏雾静韩页顶项顺须顾顿预领颇头频题额颜愿风飞饭饮馆饥马驰驻驾验骑骗鱼鲁鲜鸟鸣鸭鸿麦黄齿龙龟"
_SIMPLE = {ord(t): s for t, s in zip(TRADITIONAL, SIMPLIFIED, strict=True)}
_CHINESE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_GAP = r"[\W_]{0,5}"
_WRAP = r"(?:-?[^\S\n]?\n[^\S\n]?)?"
"""A line that ends inside a word."""
_MARK = r"(?:-?[^\S\n]?\n[^\S\n]?|[^\w\s'’]{1,2})?"
"""The same, or a mark inside a word; an apostrophe is none, for "she'll" is not Shell."""
_ZH_GAP = r"[^\w，。、；：！？,;:!?()（）《》“”‘’\"']{0,3}|_{1,3}"
"""Between the characters of a short Chinese name: anything but letters and the signs that end a clause."""
_LOOKALIKE = str.maketrans(
    "АВЕКМНОРСТХУІЈЅавекмнорстхуіјѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχιıɡ",
    "ABEKMHOPCTXYIJSabekmhopctxyijsdhqwABEZHIKMNOPTYXavopuxiig",
)
"""Cyrillic, Greek and other letters that look like Latin ones."""
_ESCAPE = re.compile(r"\\[uU]([0-9a-fA-F]{4})")
_PINYIN = 6
"""Letters from which the pinyin of a name is searched for; shorter ones are too often other words."""
LONG = 10
"""Letters from which a Latin name is also found inside a longer word."""


def plain(text: str) -> str:
    """Compatibility width, no invisible or combining characters, simplified Chinese, Latin letters for look-alikes;
    case is kept."""
    wide = unicodedata.normalize("NFKC", text)
    if not wide.isascii():
        wide = "".join(
            char
            for char in unicodedata.normalize("NFD", wide)
            if unicodedata.category(char) not in ("Cf", "Mn", "Me")
        )
        wide = unicodedata.normalize("NFC", wide).translate(_SIMPLE).translate(_LOOKALIKE)
    return wide


@lru_cache(maxsize=4096)
def squeeze(text: str) -> str:
    """Letters and digits of the plain form in lower case, nothing between them."""
    return re.sub(r"[\W_]+", "", plain(text).casefold())


def views(text: str) -> Iterator[str]:
    """The text, and what it says once percent, character and backslash escapes are read, up to three deep."""
    yield text
    for start in dict.fromkeys((text, plain(text))):
        read = start
        for _ in range(3):
            before = read
            read = unquote(html.unescape(read)) if "&" in read or "%" in read else read
            read = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), read)
            if read == before:
                break
            yield read


class NameSearch:
    """The table's names as patterns over normal forms; a pattern is built when its letters occur at all."""

    def __init__(self, table: ReplacementTable) -> None:
        self._names: dict[tuple[str, bool], str] = {}
        for entity in table.entities:
            for alias in entity.aliases:
                name = plain(alias.surface)
                if squeeze(name):
                    self._names[squeeze(name), alias.match == "case"] = name
                for spelt in _pinyin(name, person=entity.cls == "PER"):
                    self._names.setdefault((spelt.replace(" ", ""), False), spelt)

    def find(self, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a text and the words in it that are a name; each text is given once a name."""
        prepared = []
        for text in dict.fromkeys(texts):
            for view in views(text):
                kept = plain(view)
                prepared.append((text, kept, kept.casefold()))
        squeezed = "\x00".join(re.sub(r"[\W_]+", "", low) for _, _, low in prepared)
        for (key, cased), name in self._names.items():
            if key not in squeezed:
                continue
            pattern = _pattern(name, cased)
            for text, kept, low in prepared:
                found = pattern.search(kept if cased else low)
                if found is not None:
                    yield text, found.group()


def _pattern(name: str, cased: bool) -> re.Pattern[str]:
    """Pattern of a plain name over plain text: in its own case, or over lower-case text."""
    name = name if cased else name.casefold()
    words = re.findall(r"[^\W_]+", name)
    letters = "".join(words)
    if _CHINESE.search(name):
        gap = _GAP if len(letters) >= 4 else f"(?:{_ZH_GAP})"
        return re.compile(gap.join(re.escape(char) for char in letters))
    inside = _MARK if len(letters) >= 4 else _WRAP
    joined = _GAP.join(inside.join(re.escape(char) for char in word) for word in words)
    forms = [joined]
    if len(letters) >= 3:
        forms.append(r"[\W_]{1,3}".join(re.escape(char) for char in letters))
    if cased and len(letters) >= 4:
        forms.append(_GAP.join(re.escape(word.upper()) for word in words))
    # A Chinese character is a letter to \w but no continuation of a Latin word.
    edged = (
        r"(?:(?<![^\W_])|(?<=[\u3400-\u9fff]))"
        + f"(?:{'|'.join(forms)})"
        + r"(?:(?![^\W_])|(?=\d*[.,]?\d* ?[\u3400-\u9fff]))"
    )
    if not cased and len(letters) >= LONG:
        loose = _GAP.join(re.escape(char) for char in letters)
        return re.compile(f"{edged}|{loose}")
    return re.compile(edged)


def _pinyin(name: str, *, person: bool) -> Iterator[str]:
    """A Chinese name in pinyin, syllables parted by a space; ü as v, u and yu; a person's surname first and last."""
    letters = re.sub(r"[\W_]+", "", name)
    if len(letters) < 2 or not all(_CHINESE.match(char) for char in letters):
        return
    spelt = syllables(letters)
    if spelt is None or sum(map(len, spelt)) < _PINYIN:
        return
    orders = [spelt, (*spelt[1:], spelt[0])] if person and len(spelt) <= 4 else [spelt]
    for order in orders:
        joined = " ".join(order)
        yield from dict.fromkeys(joined.replace("v", letter) for letter in ("v", "u", "yu"))
