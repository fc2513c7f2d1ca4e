"""Names of days of the real calendar: holidays, festivals, solar terms and examination seasons."""

from __future__ import annotations

from schemas import Lang

_EN = (
    "Super Tuesday|Super Bowl(?: Sunday)?|Giving Tuesday|Small Business Saturday|Shrove Tuesday|Fat Tuesday|Pancake Day|Mardi Gras"
    "|Maundy Thursday|Holy (?:Thursday|Saturday|Week)|Whit (?:Sunday|Monday)|Trinity Sunday|Ascension Day|All (?:Saints|Souls)['’]? Day"
    "|Candlemas|Michaelmas|Hogmanay|Twelfth Night|Burns Night|Bonfire Night|Guy Fawkes(?: Night| Day)?|Walpurgis Night|Groundhog Day"
    "|(?:the )?Day of the Dead|Cinco de Mayo|D[ií]a de (?:los )?Muertos|Oktoberfest|Bloomsday|Kwanzaa|Mothering Sunday|Pi Day"
    "|Nowruz|Songkran|Vesak|Holi|Navratri|Durga Puja|Vaisakhi|Losar|Ashura|Muharram|Mawlid|Purim|Sukkot|Shavuot|Simchat Torah"
    "|Chuseok|Seollal|Obon|(?<=[Dd]uring )T[eế]t|Lunar T[eế]t|T[eế]t (?:holiday|New Year)|(?:the )?New Year|the new year|new year['’]s (?:eve|day)"
    "|(?:Hungry )?Ghost Festival|Double (?:Ninth|Ten)(?: Festival| Day)?|Double (?:Twelve|12)|Tax Day|Pride Month|Black History Month"
    "|(?:Anzac|Australia|Canada|Victoria|Waitangi|Victory|VE|V-E|VJ|Unity|Republic|Liberation|Reunification|Freedom|Heritage|Flag|Army"
    "|Youth|Arbor|Patriots?|Patriots['’]|Workers['’]|Teachers['’]|Nurses['’]|MLK|Human Rights|World AIDS|Indigenous Peoples['’]|St\\.? (?:George|Andrew|David)['’]s) Day"
    "|(?:christmas(?: eve| day)?|easter (?:sunday|monday)|good friday|ash wednesday|palm sunday|maundy thursday|shrove tuesday|black friday|cyber monday"
    "|mardi gras|cinco de mayo|boxing day|lunar new year|chinese new year|halloween|ramadan|nowruz|diwali|hanukkah|juneteenth|groundhog day|valentine['’]s day"
    "|(?:mother|father)['’]s day)"
)
_ZH = (
    "光棍节|护士节|记者节|警察节|丰收节|女神节|女生节|鬼节|火把节|泼水节|宋干节|亡灵节|世界读书日|学雷锋日|消费者权益日|(?:315|3·15|三一五)晚会"
    "|(?:国家)?公祭日|国家宪法日|宪法日|行宪纪念日|光复节|胜利日|独立日|国殇日|澳新军团日|解放日(?!报)|总统[日节]|就职日|选举日|老兵节|哥伦布日|银行假日"
    "|节礼日|地球日|六月节|阵亡将士纪念日|退伍军人[日节]|超级星期二|超级碗(?:周日|星期日|星期天)?|黑色星期五|网络星期一|忏悔星期二|濯足节|圣周|受难日|万圣夜"
    "|中元节|盂兰盆节?|双旦|双12|双十节|双十国庆|双十(?=国庆|庆典|当天|期间|前夕|连假|讲话|演说|[，。、；！？])|(?:春节|国庆|五一|端午|中秋|清明|元旦)?小长假|大年夜|年关"
    "|(?<![创更最革全刷翻清崭重高])新年(?![级度轻龄代月份薪限报产均检化])|跨年(?![度级龄代份])|(?<![〇零一二三四五六七八九十百千第初老小])七一(?=党|建党|前|期间|当天|讲话|表彰|勋章|庆|假|[，。、；！？])"
    "|(?<![0-9.])520(?=大促|购物|促销|狂欢|活动|期间|电商|节|表白|情人|当天|预售|礼)|古尔邦节?|宰牲节|逾越节|光明节|排灯节|赎罪日|佛诞|浴佛节|诺鲁[孜兹]节?"
    "|那达慕|雪顿节|(?<![〇零一二三四五六七八九十百千])九一八(?![〇零一二三四五六七八九])|一二·九"
)
HOLIDAYS: dict[Lang, str] = {
    "en": (
        rf"\b(?:(?:{_EN})\b|April Fool(?:s['’]|['’]s|s)?(?: Day\b)?|(?:Black Friday|Cyber Monday|Good Friday|Ash Wednesday|Palm Sunday|Boxing Day"
        r"|(?:the )?(?:Fourth of July|4th of July)|Independence Day|Thanksgiving(?: Day)?|Christmas(?: Eve| Day)?|Xmas"
        r"|New Year['’]s(?: Eve| Day)?|(?:Lunar|Chinese) New Year|Easter(?: Sunday| Monday)?|Halloween|Hallowe['’]en"
        r"|Valentine['’]s Day|Mother['’]s Day|Father['’]s Day|Children['’]s Day|Women['’]s Day|Earth Day|Ramadan|Eid(?: al-\w{1,10})?"
        r"|Diwali|Hanukkah|Passover|Yom Kippur|Rosh Hashanah|Pentecost|Lent|Labou?r Day(?: weekend)?|May Day|Memorial Day(?: weekend)?"
        r"|Veterans Day|Remembrance Day|Armistice Day|Columbus Day|Presidents['’]? Day|Martin Luther King Day|Juneteenth|Bastille Day"
        r"|St\.? Patrick['’]s Day|Spring Festival|Mid-Autumn(?: Festival)?|Dragon Boat(?: Festival)?|Qingming(?: Festival)?|Golden Week"
        r"|Lantern Festival|National Day|Constitution Day|Singles['’]? Day|Double (?:Eleven|11)|bank holiday|Election Day|Inauguration Day)\b)"
    ),
    "zh": (
        f"{_ZH}|春节|春運|春运|除夕|除岁|拜年|守岁|年夜饭|压岁钱|(?<![超通经度不])过年(?![度底均检初末中限轻])|大年[初三]?[一二三四五六七八九十]?|元旦|元宵节?|清明(?:节|假期)?|端午节?|中秋节?|国庆(?:节|假期|黄金周)?"
        "|五一(?:假期|劳动节|黄金周|节)|十一(?:假期|黄金周|长假)|劳动节|妇女节|三八节|儿童节|六一(?:儿童节)?|教师节|建军节|建党节|青年节|植树节"
        "|重阳节?|七夕|腊八|小年|圣诞(?:节|夜)?|平安夜|万圣节|感恩节|复活节|情人节|愚人节|母亲节|父亲节|黄金周|双十一|双11|双十二|六一八|618(?=大促|购物|年中|促销|狂欢|活动|期间|电商)"
        "|高考|中考|考研|暑假|寒假|暑期|寒食|冬至|夏至|春分|秋分|立春|立夏|立秋|立冬|大暑|小暑|大寒|小寒|惊蛰|谷雨|芒种|白露|霜降|斋月|开斋节|两会"
    ),
}
"""Expressions; each name is a whole mention, with its suffix where it has one."""

HOLIDAY_WORDS: dict[Lang, str] = {
    "en": (
        "Fool|Black Friday|Good Friday|Cyber Monday|Ash Wednesday|Palm Sunday|Day|of July|Thanksgiving|Christmas|Xmas|New Year|Easter|Hallowe|Ramadan|Eid|Diwali"
        "|Hanukkah|Passover|Kippur|Hashanah|Pentecost|Lent|Juneteenth|Festival|Mid-Autumn|Dragon Boat|Qingming|Golden Week|Double |holiday"
        "|Tuesday|Super Bowl|Saturday|Gras|Thursday|Holy Week|Sunday|Monday|Candlemas|Michaelmas|Hogmanay|Night|Fawkes|the Dead|Mayo|Muertos|Oktoberfest"
        "|Bloomsday|Kwanzaa|Nowruz|nowruz|Songkran|Vesak|Holi|Navratri|Durga|Vaisakhi|Losar|Ashura|Muharram|Mawlid|Purim|Sukkot|Shavuot|Simchat|Chuseok|Seollal|Obon"
        "|Tet|Tết|new year|Ghost|Pride Month|History Month|christmas|easter|good friday|ash wed|palm sun|maundy|shrove|black fri|cyber mon|mardi|cinco"
        "|boxing day|halloween|ramadan|diwali|hanukkah|juneteenth|groundhog day|valentine|mother|father"
    ),
    "zh": (
        "春|除夕|除岁|拜年|守岁|年夜饭|压岁|过年|大年|元旦|元宵|清明|端午|中秋|国庆|五一|十一|节|六一|重阳|七夕|腊八|小年|圣诞|平安夜|黄金周|双十|双11|618|高考|中考|考研|暑|寒"
        "|冬至|夏至|秋分|立|惊蛰|谷雨|芒种|白露|霜降|斋月|两会"
        "|鬼节|日|晚会|超级碗|星期|圣周|万圣|中元|盂兰|双旦|双12|双十|长假|年关|新年|跨年|七一|520|古尔邦|佛诞|诺鲁|那达慕|九一八|一二"
    ),
}
"""Words of which every holiday of the expression holds one, parted by bars."""
