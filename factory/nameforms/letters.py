"""Letters as a reader sees them: compatibility width, simplified Chinese, and Latin letters for those that look or
sound like them.

Scanner's own; it shares nothing with the code that replaces names.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

TRADITIONAL = "萬與專業東絲兩嚴喪個豐臨為麗舉義烏樂習鄉書買亂爭於虧雲亞產畝親億僅從倉儀們價眾優會傘偉傳傷倫偽體餘傭債傾償儲兒黨蘭關興養獸內岡冊寫軍農馮沖決況凍淨準涼減湊幾鳳憑凱擊鑿劉則剛創刪別剝劍劑勸辦務動勵勁勞勢勳區醫華協單賣盧衛卻廠廳歷厲壓厭廁縣參雙發變敘葉號嘆聽啟吳員嗎嗚響問喚嘩團園圍國圖圓聖場壞塊堅壇墳墜壟壘墊報塵壽復夠夢夾奪奮奧婦媽嬌孫學寧寶實寵審憲宮寬賓對尋導將爾塵嘗堯層屆屬歲豈島嶺嶽峽廣莊慶廬庫應廟廢開異棄張彌彎彈強歸當錄徹徑徠憶憂懷態憐總懇惡悅懸驚懼慘慣憤戲戰戶撲執擴掃揚擾撫拋搶護擔擬擁擇掛擋擠揮損換據攝擺搖敗敵數齊齋斷無舊時曠曇晝顯曉暫術機殺雜權條來楊傑極構槍楓樞標棧棟樹樣橋檔檢樓歡歐殘毀畢氣漢湯溝沒瀝淪滄滬瀉潑澤潔灑淺漿澆濁測濟瀏渾濃塗濤漲淚淵漸漁滲溫灣濕滿濾濱灘靈災爐點煉爛燭煙煩燒熱煥愛爺狀猶獨獄獵豬貓獻現環瑪瓊電畫暢療瘋皺盞鹽監蓋盤睜礦碼磚礎確禮禍禪離種積稱穩窮竊競筆築簡籃類糧糾紀約紅紋納紐純紗紙級紛線練組細織終紹經結繞繪給絡絕統絲綁維綱網綜緊緒續綿緣編縮總績繩罰羅羨習聯職聲聰肅腸膚膽勝腦臺舉艦艙艱藝節蘇蘆蘋茲荊莖薩藥蘿營蕭藍薦處虛蟲蠟蠻補裝製複見觀規視覽覺訂計認討讓訓議訊記講許論設訪證評識詐訴診詞試詩誠話誕詢該詳語誤說請諸課誰調談謀謊謝謠譜讀貝負貢財責賢敗貨質販貪貧購貴貸費賀資賊賓賠賴賺賽贊贈贏趙趕趨躍車軌軒轉輪軟輕載較輔輛輩輸轄辭邊遼達遷過邁運還這進遠違連遲適選遞郵鄒鄧鄭鄰釀釋裡針釣鈔鐘鋼鑰錢鉛銀銅鋪銷鎖鍋鏡鐵長門閃閉問間閱隊陽陰陣階際陸陳險隨隱難雛霧靜韓頁頂項順須顧頓預領頗頭頻題額顏願風飛飯飲館饑馬馳駐駕驗騎騙魚魯鮮鳥鳴鴨鴻麥黃齒龍龜蔣譚龔閻鄔鄺鍾韋駱聶賈婁鞏欒郟繆閔龐祿鵬瑩蓮豔嫻鋒釗銘鑑鈺錦鎮鎧鴿鷹鶴鷗幣師聞祕闊鏈馭騰騏驥蘊瀾漣"
SIMPLIFIED = "万与专业东丝两严丧个丰临为丽举义乌乐习乡书买乱争于亏云亚产亩亲亿仅从仓仪们价众优会伞伟传伤伦伪体余佣债倾偿储儿党兰关兴养兽内冈册写军农冯冲决况冻净准凉减凑几凤凭凯击凿刘则刚创删别剥剑剂劝办务动励劲劳势勋区医华协单卖卢卫却厂厅历厉压厌厕县参双发变叙叶号叹听启吴员吗呜响问唤哗团园围国图圆圣场坏块坚坛坟坠垄垒垫报尘寿复够梦夹夺奋奥妇妈娇孙学宁宝实宠审宪宫宽宾对寻导将尔尘尝尧层届属岁岂岛岭岳峡广庄庆庐库应庙废开异弃张弥弯弹强归当录彻径徕忆忧怀态怜总恳恶悦悬惊惧惨惯愤戏战户扑执扩扫扬扰抚抛抢护担拟拥择挂挡挤挥损换据摄摆摇败敌数齐斋断无旧时旷昙昼显晓暂术机杀杂权条来杨杰极构枪枫枢标栈栋树样桥档检楼欢欧残毁毕气汉汤沟没沥沦沧沪泻泼泽洁洒浅浆浇浊测济浏浑浓涂涛涨泪渊渐渔渗温湾湿满滤滨滩灵灾炉点炼烂烛烟烦烧热焕爱爷状犹独狱猎猪猫献现环玛琼电画畅疗疯皱盏盐监盖盘睁矿码砖础确礼祸禅离种积称稳穷窃竞笔筑简篮类粮纠纪约红纹纳纽纯纱纸级纷线练组细织终绍经结绕绘给络绝统丝绑维纲网综紧绪续绵缘编缩总绩绳罚罗羡习联职声聪肃肠肤胆胜脑台举舰舱艰艺节苏芦苹兹荆茎萨药萝营萧蓝荐处虚虫蜡蛮补装制复见观规视览觉订计认讨让训议讯记讲许论设访证评识诈诉诊词试诗诚话诞询该详语误说请诸课谁调谈谋谎谢谣谱读贝负贡财责贤败货质贩贪贫购贵贷费贺资贼宾赔赖赚赛赞赠赢赵赶趋跃车轨轩转轮软轻载较辅辆辈输辖辞边辽达迁过迈运还这进远违连迟适选递邮邹邓郑邻酿释里针钓钞钟钢钥钱铅银铜铺销锁锅镜铁长门闪闭问间阅队阳阴阵阶际陆陈险随隐难雏雾静韩页顶项顺须顾顿预领颇头频题额颜愿风飞饭饮馆饥马驰驻驾验骑骗鱼鲁鲜鸟鸣鸭鸿麦黄齿龙龟蒋谭龚阎邬邝钟韦骆聂贾娄巩栾郏缪闵庞禄鹏莹莲艳娴锋钊铭鉴钰锦镇铠鸽鹰鹤鸥币师闻秘阔链驭腾骐骥蕴澜涟"
_SIMPLE = {ord(t): s for t, s in zip(TRADITIONAL, SIMPLIFIED, strict=True)}
_LATIN = str.maketrans(
    {
        "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H",
        "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
        "þ": "th", "Þ": "TH", "ĸ": "k", "ə": "e", "Ə": "E", "ɨ": "i", "ƒ": "f",
    }
)  # fmt: skip
"""Latin letters that no decomposition takes apart, as they are written where a keyboard lacks them."""
_LOOKALIKE = str.maketrans(
    "АВЕКМНОРСТХУІЈЅавекмнорстхуіјѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχιıɡ",
    "ABEKMHOPCTXYIJSabekmhopctxyijsdhqwABEZHIKMNOPTYXavopuxiig",
)
"""Cyrillic, Greek and other letters that look like Latin ones."""
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘＇‛`´′‵ʼʻʹˈʽʾʿˊˋ\ua78b\ua78c", "'"))
"""Marks that are written for an apostrophe; some are letters to Unicode, some an accent on a space."""
_SMALL = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "ABCDEFGHIJKLMNOPQRSTUVWYZ")
"""Small capitals; there is none for X."""
_SQUARED = {
    first + n: chr(ord("A") + n) for first in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)
}
"""Letters white on black, in a circle or a square, and the letters of flags."""


@lru_cache(maxsize=1)
def _table() -> dict[int, str | None]:
    """One table for everything, built at first use: invisible and combining characters are dropped."""
    table: dict[int, str | None] = {
        code: None
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cf", "Mn", "Me")
    }
    for part in (_SIMPLE, _LATIN, _LOOKALIKE, _SMALL, _SQUARED):
        table.update(part)  # type: ignore[arg-type]
    return table


def plain(text: str) -> str:
    """Compatibility width, no invisible or combining characters, simplified Chinese, Latin letters for look-alikes,
    one apostrophe; case is kept."""
    if text.isascii():
        return text
    wide = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES))
    if not wide.isascii():
        wide = unicodedata.normalize("NFD", wide).translate(_table())
        wide = unicodedata.normalize("NFC", wide)
    return wide


@lru_cache(maxsize=4096)
def squeeze(text: str) -> str:
    """Letters and digits of the plain form in lower case, nothing between them."""
    return re.sub(r"[\W_]+", "", plain(text).casefold())
