"""Invented pages: news with the words of a wall in or around it, and walls that speak at length."""

from __future__ import annotations


def page(title: str, *paragraphs: str, around: str = "") -> str:
    body = "".join(f"<p>{words}</p>" for words in paragraphs)
    return (
        f"<html><head><title>{title}</title></head><body>{around}"
        f"<h1>{title}</h1>{body}</body></html>"
    )


FERRY = (
    "The ferry between the islands is running again after a three-day outage, the operator said on Monday.",
    "Some 9,400 passengers a day use the line. The council will discuss compensation on Thursday.",
)
FLASH = "岚渡市议会五日表决通过渡轮复航案，二十一票赞成，十四票反对，渡轮将于四月一日恢复航行。"

NEWS = {
    "partners in a quotation": page(
        "Ferry service restored",
        FERRY[0],
        "“We are working with our partners to make sure this does not happen again,” Ann Lee said.",
        FERRY[1],
    ),
    "partners in a speech": page(
        "Minister on trade",
        "The minister said our partners in the region would be consulted before any tariff was raised.",
        "Two of them have sent notes of protest. The talks go on in Geneva next week.",
    ),
    "合作伙伴 and a visit": page(
        "总理会见外宾",
        "总理5日在北京会见来访的外宾。总理表示，两国是重要合作伙伴，此次访问将推动两国关系迈上新台阶。",
        "双方签署了贸易、能源、教育等领域多项合作文件，并就国际和地区问题深入交换了意见。",
    ),
    "合作伙伴 and an aftermath": page(
        "工厂爆炸",
        "公司称，将与合作伙伴一道妥善处理善后事宜，已有十二人送医，其中两人伤势较重。当地成立调查组。",
    ),
    "a site under attack": page(
        "网站遭攻击",
        "该市政务网站5日遭到攻击，出现大量异常访问，市民无法办理业务。警方已介入调查。",
        "市大数据局的系统已于当晚恢复，市民数据没有泄露，后续将加强防护。",
    ),
    "tickets behind a check": page(
        "票务平台被指黄牛",
        "多名歌迷反映，抢票时页面要求完成滑动验证后提示“访问过于频繁”，而黄牛却能大量囤票。",
        "平台将升级系统。消费者协会已约谈该平台，要求限期整改。",
    ),
    "access denied, reported": page(
        "Hospital letter",
        'Patients who tried to see their results saw the words "access denied", the hospital said.',
        "It apologised and promised a review by an independent panel before the summer.",
    ),
    "a number in the headline": page(
        "404 people arrested after dam protest",
        "Police arrested 404 people on Monday after a protest at the dam, the interior ministry said.",
        "All would be charged with trespass and released in the coming days.",
    ),
    "a number in the body": page(
        "Dam protest arrests", "Police arrested 404 people on Monday after a protest at the dam."
    ),
    "404 人": page("404名村民联名反对建坝", "404名村民五日联名致信县政府，反对在文里峡谷建坝。"),
    "removed content": page(
        "Post removed",
        "The platform said the content was removed because it broke its rules on the referendum.",
        "Its author has gone to court. A hearing is set for May.",
    ),
    "删除的文章": page(
        "平台道歉",
        "平台承认，该文章已被删除是审核失误。作者随后起诉，法院定于五月开庭审理此案。",
        "岚渡市记者协会对判决前景表示谨慎，要求平台公布删除文章的全部理由。",
    ),
    "a cookie bar": page("Dam vote", *FERRY * 3, "Accept all cookies"),
    "a cookie bar of prose": page(
        "Ferry back",
        *FERRY,
        around='<div id="cookie-bar"><p>We use cookies to run this site. Manage cookies.</p></div>',
    ),
    "a login link": page("渡轮复航", FLASH, around="<div>首页 财经 <a>立即登录</a></div>"),
    "a comment box": page("渡轮复航", FLASH, "评论 请先登录"),
    "a code in a comment box": page("渡轮复航", FLASH, "请输入验证码"),
    "comments for members": page("渡轮复航", FLASH, FLASH[::-1][1:] + "。", "评论登录后可见"),
    "a fraud with codes": page(
        "谨防验证码诈骗",
        "警方4日提醒，近期有人冒充客服，以“请输入验证码完成安全验证”为由骗取钱财，已有三人受骗。",
        "涉案金额二十万元。任何机构都不会向群众索要验证码。",
    ),
    "subscribers in the news": page(
        "Paper puts up a paywall",
        "The Harbour Ledger will ask readers to subscribe to read its archive from May, its owner said.",
        "The paper lost 4m last year. Its union fears for sixty jobs in the printing house.",
    ),
    "a short flash with scripts": page("快讯", FLASH, f"<script>{'x=1;' * 2000}</script>"),
    "a flash with state": page(
        "快讯", FLASH, "<script>window.__INITIAL_STATE__ = {'a': 1}</script>"
    ),
    "a flash with noscript": page(
        "Dam vote",
        "<noscript>Please enable JavaScript</noscript>",
        "The dam vote passed on Monday with a majority of nine votes.",
    ),
    "a fine about cookies": page(
        "Regulator fines ad firm",
        "The regulator fined Adtrack 4m for placing cookies on devices without consent. The firm and its "
        "812 partners stored and accessed information on phones. It can appeal within thirty days.",
    ),
    "a law about cookies": page(
        "Cookie law passes",
        "Parliament voted on Monday to require websites to ask before they use cookies. Sites must offer a button to "
        "reject all cookies. The law takes effect in May.",
    ),
    "个人信息 in a bill": page(
        "个人信息保护法草案公布",
        "草案要求平台处理个人信息应取得同意，并公开与合作伙伴共享个人信息的范围。草案向社会征求意见，截止四月三十日。",
    ),
    "a paywall that failed": page(
        "Why the paywall failed",
        "The Harbour Ledger asked readers to subscribe to continue reading. Few did. Its owner gave it up in May, "
        "and sixty people lost their jobs.",
    ),
    "a site that is down": page(
        "Town website down",
        "The council website showed a page not found error on Monday after the hack. Engineers restored it by noon. "
        "Police are looking for two men.",
    ),
    "a deleted article": page(
        "学者文章被删", "该文章已被删除，作者账号也遭封禁。多名学者联署要求恢复。平台尚未回应。"
    ),
    "a login in the headline": page(
        "Log in to vote: islanders test ballots",
        "Islanders had to log in to view their ballots on Sunday. Turnout rose to 71 per cent. The court will rule "
        "on complaints in June.",
    ),
    "a song of that name": page(
        "404 - a song about the lost island tops the charts",
        "The song sold nine thousand copies in a week. The band tours the islands in June.",
    ),
    "门禁 with a login": page(
        "小区门禁需扫码登录引争议",
        "居民反映，进门要扫码登录小程序，老人无法操作。街道办已叫停，物业将恢复刷卡。",
    ),
}


CONSENT_EN = page(
    "Your privacy",
    "We and our 812 partners store and access information on a device, such as unique IDs in cookies, to process personal data.",
    "You may accept or manage your choices by clicking below, including your right to object where legitimate interest is used.",
    "These choices will be signaled to our partners and will not affect browsing data.",
    "Precise geolocation data and identification through device scanning can be used. Personalised advertising and content, "
    "advertising and content measurement, audience research and services development.",
)
WALLS = {
    "consent": (CONSENT_EN, "consent"),
    "consent, before": (
        page(
            "Before you continue",
            "We use cookies and data to deliver and maintain our services. We also use them to track outages and protect "
            "against spam, fraud and abuse. If you choose to accept all, we will also develop new services and measure the "
            "effectiveness of ads. Non-personalised ads are influenced by the content that you are viewing.",
        ),
        "consent",
    ),
    "consent, with a list of vendors": (
        page("Privacy", *("We and our partners store and access information.",) * 40),
        "consent",
    ),
    "consent, zh": (
        page(
            "隐私设置",
            "我们重视您的隐私。我们和合作伙伴会在您的设备上存储信息，例如 Cookie，并处理个人数据。",
            "这些数据用于个性化广告、广告衡量和服务开发。您可以随时更改或撤回您的同意。",
            "部分供应商可能基于合法利益处理您的个人数据，您可以在偏好设置中提出反对。",
        ),
        "consent",
    ),
    "consent, tw": (
        page(
            "隱私權",
            "我們與合作夥伴會在您的裝置上儲存資料，並存取個人資料。您可以隨時變更選擇。",
            "按下同意，即表示您接受上述處理方式。",
        ),
        "consent",
    ),
    "bot": (
        page(
            "Attention Required! | Cloudflare",
            "Sorry, you have been blocked. You are unable to access example.com.",
            "This website is using a security service to protect itself from online attacks.",
            "The action you just performed triggered the security solution. Please enable cookies.",
            "You can email the site owner to let them know you were blocked.",
        ),
        "bot",
    ),
    "bot, press and hold": (
        page(
            "Access to this page has been denied",
            "Access to this page has been denied because we believe you are using automation tools to browse the website.",
            "Please make sure that JavaScript and cookies are enabled on your browser. Press and hold to confirm you are not a robot.",
        ),
        "bot",
    ),
    "bot, zh": (
        page(
            "访问验证",
            "系统检测到您的网络环境存在异常访问，为保证正常使用，请完成安全验证后继续。",
            "如果您多次看到此页面，请更换浏览器或联系客服。请输入验证码。",
        ),
        "bot",
    ),
    "bot, slow down": (
        page("提示", "您的访问过于频繁，请稍后再试。", "请拖动滑块完成验证，验证通过后即可继续浏览。"),
        "bot",
    ),
    "login": (
        page(
            "Log in",
            "Please log in to continue. You need an account to see this page.",
            "Don't have an account? Create an account to follow the people you know. Forgot your password?",
        ),
        "login",
    ),
    "login, zh": (
        page(
            "登录",
            "请先登录后继续浏览。登录后可见全部内容，新用户可使用手机号注册账号。",
            "登录即表示您同意用户协议和隐私政策。扫码登录更安全。",
        ),
        "login",
    ),
    "pay": (
        page(
            "Members only",
            "This article is for subscribers only. Subscribe to continue reading and support independent journalism.",
            "Get unlimited digital access for 1 a month for your first year. Cancel your subscription at any time.",
            "Already a subscriber? Log in.",
        ),
        "paywall",
    ),
    "pay, behind a beginning": (
        page("Ferry back", FERRY[0], "Subscribe to continue reading. Already a subscriber? Log in."),
        "paywall",
    ),
    "pay, zh": (
        page("会员专享", "本文仅限付费会员阅读。", "开通会员后阅读全文，首月仅需九元，可随时取消订阅。"),
        "paywall",
    ),
    "login, behind a beginning, zh": (page("渡轮复航", FLASH, "登录后查看全文"), "login"),
    "consent, technologies": (
        page(
            "We value your privacy",
            "We use technologies, such as cookies, to customise content and advertising and to analyse traffic to the site. "
            "We also share information about your use of our site with our trusted advertising and analytics partners.",
            "Accept All", "Reject All", "Manage settings",
        ),
        "consent",
    ),
    "consent or pay": (
        page(
            "Harbour Ledger",
            "Support us. Consent or pay. To read for free, accept all cookies. We and our 133 partners process personal data, "
            "such as IP addresses. Personal data may be shared with 41 partners abroad. Rejecting costs 5 a month.",
        ),
        "consent",
    ),
    "bot, a short check": (
        page(
            "Security",
            "Verify you are human by completing the action below. example.com needs to review the security of your "
            "connection before proceeding. Performance and security by a service.",
        ),
        "bot",
    ),
    "bot, no permission": (
        page("Access", 'You do not have permission to access "http://e.example/news" on this server. Reference 18.2f.'),
        "bot",
    ),
    "bot, zh, a button": (
        page("提示", "系统监测到您的网络环境存在异常，请点击下方验证按钮进行验证。在您验证完成前，该提示将多次出现。"),
        "bot",
    ),
    "bot, zh, a slider": (
        page("提示", "访问行为存在异常。为了保障数据安全，请拖动下方滑块完成验证。由于该地址近期频繁请求，系统已限制其访问。"),
        "bot",
    ),
    "login, a network": (
        page(
            "Chirper",
            "Log in to Chirper. See what's happening. New to Chirper? Sign up now to get your own timeline.",
            "By signing up, you agree to the Terms of Service and Privacy Policy, including Cookie Use.",
        ),
        "login",
    ),
    "pay, an offer": (
        page(
            "Ledger",
            "Subscribe to unlock this article. Try unlimited access. Only 1 for 4 weeks. Then 75 per month. Complete digital "
            "access to quality journalism on any device. Cancel anytime during the trial. Explore more offers.",
        ),
        "paywall",
    ),
    "gone, maybe moved": (
        page(
            "Oops",
            "The page you are looking for could not be found. It might have been removed, had its name changed, or is "
            "temporarily unavailable. Try the search box or return to the home page.",
        ),
        "gone",
    ),
    "gone, a thread": (page("提示信息", "抱歉，指定的主题不存在或已被删除或正在被审核。"), "gone"),
    "gone": (
        page("Page not found", "We can't find the page you are looking for. It may have moved."),
        "gone",
    ),
    "gone, with other news": (page("404 Not Found - Harbour Ledger", *FERRY), "gone"),
    "gone, a bare number": (page("404", "Oops."), "gone"),
    "gone, zh": (page("页面不存在", "抱歉，您访问的页面不存在或已被删除，五秒后返回首页。"), "gone"),
    "gone, removed": (page("提示", "该文章已被删除"), "gone"),
    "gone, an error": (page("Sorry", "Error 404. The URL was not found on this server."), "gone"),
}  # fmt: skip
