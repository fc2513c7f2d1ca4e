"""A short gazetteer of the real world in both languages: countries and their adjectives, capitals and regions,
currencies, unions, chambers and seats of power, large media and platforms.

It is the scanner's own list and looks for what no table holds: a real name that nobody thought of replacing. Words
that are also common words (turkey, china, may, polish, 中, 美) stand here only in a form that is none, 元 and yuan
not at all, for they are any Chinese text's word for money. An English entry is searched as it is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COUNTRIES_EN = """
Afghanistan Albania Algeria Andorra Angola Argentina Armenia Australia Austria Azerbaijan Bahrain Bangladesh Belarus
Belgium Benin Bhutan Bolivia Bosnia Botswana Brazil Britain Brunei Bulgaria Burundi Cambodia Cameroon Canada Chile
China Colombia Comoros Croatia Cuba Cyprus Czechia Denmark Djibouti Ecuador Egypt Eritrea Estonia Ethiopia Fiji
Finland France Gabon Gambia Germany Ghana Gibraltar Greece Greenland Guam Guatemala Guyana Haiti Honduras Hungary
Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Kazakhstan Kenya Kosovo Kuwait Kyrgyzstan Laos
Latvia Lebanon Lesotho Liberia Libya Liechtenstein Lithuania Luxembourg Macao Macau Madagascar Malawi Malaysia
Maldives Malta Mauritania Mauritius Mexico Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar Namibia
Nepal Netherlands Nicaragua Nigeria Norway Oman Pakistan Palestine Panama Paraguay Peru Philippines Poland Portugal
Qatar Romania Russia Rwanda Senegal Serbia Seychelles Singapore Slovakia Slovenia Somalia Spain Sudan Suriname Sweden
Switzerland Syria Taiwan Tajikistan Tanzania Thailand Tibet Tunisia Turkmenistan Türkiye Uganda Ukraine Uruguay
Uzbekistan Venezuela Vietnam Xinjiang Yemen Zambia Zimbabwe
Scotland Wales England Catalonia Crimea Gaza Kashmir
"""
_PEOPLES_EN = """
Afghan Albanian Algerian American Argentine Armenian Australian Austrian Azerbaijani Belarusian Belgian Bolivian
Bosnian Brazilian British Bulgarian Cambodian Canadian Chilean Chinese Colombian Croatian Cuban Danish Dutch
Ecuadorian Egyptian Estonian Ethiopian Finnish French German Ghanaian Greek Hungarian Icelandic Indian Indonesian
Iranian Iraqi Irish Israeli Italian Jamaican Japanese Jewish Kazakh Kenyan Korean Kurdish Kuwaiti Latvian Lebanese
Libyan Lithuanian Malaysian Mexican Mongolian Moroccan Nepalese Nigerian Norwegian Pakistani Palestinian Peruvian
Filipino Portuguese Qatari Romanian Russian Rwandan Saudi Scottish Serbian Singaporean Slovak Slovenian Somali Spanish
Sudanese Swedish Swiss Syrian Taiwanese Thai Tibetan Tunisian Turkish Ugandan Ukrainian Uighur Uyghur Venezuelan
Vietnamese Welsh Yemeni Zimbabwean European Eurasian Asian African Arab Anglo Christian Muslim Islamic Catholic
Buddhist
"""
_NAMES_EN = """
United States|United Kingdom|United Nations|European Union|Great Britain|Hong Kong|North Korea|South Korea|Saudi Arabia
New Zealand|South Africa|Sri Lanka|Costa Rica|El Salvador|Puerto Rico|Sierra Leone|Papua New Guinea|United Arab Emirates
Cape Verde|Burkina Faso|Ivory Coast|Middle East|Latin America|Southeast Asia|Persian Gulf|Gulf of|Red Sea|Black Sea
South China Sea|Eurozone|West Bank|Asia|Europe|Africa|America|Pacific|Atlantic|Arctic|Mediterranean
U.S.|U.K.|U.N.|USA|NATO|OPEC|ASEAN|BRICS|UNESCO|UNICEF|WTO|IMF|G7|G20|US$|HK$|C$|A$|NT$
US dollar|US dollars|US stocks|US-listed|American dollar|euros|renminbi|RMB|sterling|rupee|rupees|rouble|roubles|ruble|rubles
Wall Street|White House|Capitol Hill|Pentagon|Kremlin|Downing Street|Supreme Court|Federal Reserve|Congress|Congressional
Senate|Senator|House of Representatives|House of Commons|House of Lords|Bundestag|Knesset|Duma|Kuomintang|Politburo
State Council|National People's Congress|Democrats|Republicans|Democratic Party|Republican Party|Communist Party|Labour Party
Washington|New York|Los Angeles|Chicago|San Francisco|Silicon Valley|California|Texas|Florida|London|Paris|Berlin|Brussels
Geneva|Moscow|Beijing|Shanghai|Shenzhen|Guangzhou|Wuhan|Chengdu|Hangzhou|Nanjing|Taipei|Tokyo|Seoul|Pyongyang|Delhi|Mumbai
Tehran|Baghdad|Jerusalem|Tel Aviv|Cairo|Riyadh|Doha|Dubai|Istanbul|Ankara|Kyiv|Kiev|Ottawa|Toronto|Sydney|Canberra|Hanoi
Reuters|Bloomberg|BBC|CNN|CNBC|NBC|Fox News|New York Times|Washington Post|Wall Street Journal|Financial Times|Guardian newspaper
Associated Press|Xinhua|CCTV|People's Daily|Global Times|Al Jazeera|Facebook|Instagram|Twitter|TikTok|YouTube|WhatsApp|WeChat
Weibo|Douyin|Xiaohongshu|Zhihu|Bilibili|Reddit|Telegram|Google|Microsoft|Amazon.com|Nvidia|Tesla|Huawei|Alibaba|Tencent|ByteDance
Nasdaq|NASDAQ|NYSE|S&P 500|Dow Jones|Hang Seng|Customs and Border Protection|Distilled Spirits Council|Big Beautiful
World Health Organization|World Trade Organization|International Monetary Fund|Olympics|Olympic Games|World Cup|Nobel Prize
"""
_ZH = """
中国 美国 英国 法国 德国 日本 韩国 朝鲜 俄罗斯 印度 印尼 印度尼西亚 澳大利亚 新西兰 加拿大 墨西哥 巴西 阿根廷 智利 秘鲁 哥伦比亚 委内瑞拉 古巴 意大利
西班牙 葡萄牙 荷兰 比利时 卢森堡 瑞士 奥地利 瑞典 挪威 丹麦 芬兰 冰岛 爱尔兰 波兰 捷克 斯洛伐克 匈牙利 罗马尼亚 保加利亚 希腊 土耳其 乌克兰 白俄罗斯
塞尔维亚 克罗地亚 立陶宛 拉脱维亚 爱沙尼亚 格鲁吉亚 亚美尼亚 阿塞拜疆 哈萨克斯坦 乌兹别克斯坦 蒙古国 越南 泰国 柬埔寨 缅甸 马来西亚 新加坡 菲律宾 文莱
巴基斯坦 孟加拉国 尼泊尔 斯里兰卡 阿富汗 伊朗 伊拉克 叙利亚 黎巴嫩 约旦河 以色列 巴勒斯坦 沙特 阿联酋 卡塔尔 科威特 巴林 阿曼湾 也门 埃及 利比亚 突尼斯
阿尔及利亚 摩洛哥 苏丹 埃塞俄比亚 肯尼亚 尼日利亚 南非 津巴布韦 格陵兰 关岛 巴拿马 苏格兰 加沙 克里米亚 克什米尔 海湾国家 波斯湾 霍尔木兹
台湾 香港 澳门 涉台 涉港 对台 赴台 陆委会 西藏 新疆 欧盟 欧洲 亚洲 非洲 拉美 北美 东南亚 中东 东盟 北约 联合国 金砖 世贸组织 世卫组织
中美 中俄 中欧 中日 中韩 中英 中印 中方 美方 俄方 日方 韩方 英方 欧方 印方 伊方 以方 对华 涉华 在华 驻华 对美 赴美 在美 反华 反美 美欧 美日 美俄 美伊 俄乌 巴以
美元 美股 美债 欧元 日元 英镑 人民币 港元 港股 卢布 卢比 韩元 台币
白宫 国会山 五角大楼 克里姆林宫 唐宁街 美联储 联邦储备 华尔街 硅谷 参议院 众议院 上议院 下议院 民主党 共和党 国民党 民进党 共产党 国务院 人大常委会 中南海 外交部发言人
北京 上海 天津 重庆 广州 深圳 武汉 成都 杭州 南京 西安 苏州 台北 华盛顿 纽约 洛杉矶 芝加哥 旧金山 加州 德州 伦敦 巴黎 柏林 布鲁塞尔 日内瓦 莫斯科 东京 首尔 平壤
新德里 德黑兰 巴格达 耶路撒冷 特拉维夫 开罗 利雅得 多哈 迪拜 伊斯坦布尔 基辅 渥太华 多伦多 悉尼 河内
路透 彭博社 新华社 央视 人民日报 环球时报 美联社 法新社 纽约时报 华尔街日报 华盛顿邮报 微博 微信 抖音 小红书 知乎 哔哩哔哩 某音 某手 快手短视频 推特 脸书 谷歌 微软 英伟达 特斯拉
华为 阿里巴巴 腾讯 字节跳动 纳斯达克 标普 道琼斯 恒生指数 犹太 昂撒 穆斯林 伊斯兰 阿拉伯 基督教 天主教 奥运会 世界杯 诺贝尔
"""
_ZH_NOT_AFTER = {
    "中方": "其发集空",
    "以方": "可难所予",
    "对台": "相",
    "成都": "建形变构组完达做造",
    "日方": "次当今明每",
    "日本": "次当今明每昨",
}
"""Characters that, before a name, make it part of other words: 其中方案, 变成都市."""
_ZH_NOT_BEFORE = {
    "上海": "鲜风洋",
    "中东": "部西",
    "中印": "证刷发",
    "中方": "面法向便式程案",
    "中日": "均常报子益前后志程记",
    "中美": "好丽",
    "也门": "可店庭",
    "以方": "便法式向案",
    "印方": "式法",
    "在华": "丽",
    "在美": "术好食丽化",
    "对华": "丽",
    "对台": "词戏",
    "对美": "好丽化食",
    "日方": "才可",
    "日本": "身来该",
    "智利": "用益害",
    "某手": "机段续工里中术",
    "某音": "乐响频",
    "美方": "案式面便法",
    "英方": "案式",
    "西安": "全排置装",
    "重庆": "祝",
}
"""Characters that do so after it: 次日本身, 隆重庆祝."""


def _net() -> re.Pattern[str]:
    names = {name.strip() for line in _NAMES_EN.splitlines() for name in line.split("|")}
    names |= {*_COUNTRIES_EN.split(), *_PEOPLES_EN.split()}
    names |= {f"{people}s" for people in _PEOPLES_EN.split() if people.endswith("n")}
    english = "|".join(re.escape(name) for name in sorted(names - {""}, key=lambda n: (-len(n), n)))
    chinese = []
    for name in sorted(set(_ZH.split()), key=lambda n: (-len(n), n)):
        after, before = _ZH_NOT_AFTER.get(name, ""), _ZH_NOT_BEFORE.get(name, "")
        chinese.append(
            (f"(?<![{after}])" if after else "")
            + name
            + (f"(?![{before}])" if before else "")
            # 其中国家A is a placeholder behind 其中, not 中国.
            + ("(?!家[A-Z])" if name.endswith("国") else "")
        )
    shouted = "|".join(sorted(name.upper() for name in _COUNTRIES_EN.split() if len(name) > 4))
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{english}|{shouted}|US(?=[ -](?:government|president|Congress|court|market|tariff|official|military|dollar|stock)))"
        rf"(?![A-Za-z0-9])|(?:US|HK|NT)\$|{'|'.join(chinese)}"
    )


_NET = _net()


def real_names(text: str) -> Iterator[tuple[str, int]]:
    """Every name of the gazetteer in a text, with its place."""
    for found in _NET.finditer(text):
        yield found.group(), found.start()
