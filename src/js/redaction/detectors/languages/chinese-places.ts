// Organisations, places and addresses in Chinese text.

import { type Lazy, lazily, type Match, matches } from "../match.js";
import { HAN, inChinese, PLACES } from "./chinese-words.js";

/** Ends of names of organisations that say so alone. */
const KIND = [
  "有限公司|股份公司|集[团團]|公司|银行|銀行|农商行|信用社|[医醫]院|卫生院|衛生所|卫生所|诊所|診所|门诊部|大[学學]|[学學]院|中[学學]|小[学學]|幼[儿兒][园園]|职校|技校|[学學]校|派出所|公安局|警署|警局|法院|检察院|税务局|事[务務]所|研究所|研究院|设计院|出版社|基金[会會]|协会|協會|学会|居委会|业委会|村委会|酒店|宾馆|賓館|民宿|旅行社|客栈|[养養]老院|敬老院|福利院",
  "高中|國小|国小|國中|驾校|琴行|画室|合作社|民政局|社保局|人社局|住建局|教育局|交警队|交警大队|消防队|街道办|救援队|农场|林场|商会|商會|花店|面馆|茶餐[厅廳]|冰室|商行|企業社|農會|公所|教[会會]|教堂|書局|托管班|早教中心|服[务務]站|4S店|中医馆|卫生室|宠物医院|影城|电影院|郵局|邮局|牙[医醫]|报馆|乐团|剧团|球队|车行|货运站|客运站|加油站|修理厂|汽修厂|工厂|家具城|批发市场|卫生服务中心|体检中心|培训中心|月子中心|健身房|俱乐部|工作室|律所|物流园|工业园|药房|大?药店|[纺织机械轴承食品服装钢铁水泥化工电制造加工五金皮鞋]厂|煤矿|电子厂|家政|汽修|财险|人寿|证券|旅游|教育咨询|教育基金|影楼|书店|书院|报社|日报|晚报|電視台|电视台|支行|分行|营业厅",
].join("|");
/** Ends that also name a trade: they need a short name before them and a boundary on both sides. */
const TRADE =
  "科技|物[业業]|保[险險]|贸易|商贸|进出口|電子|电子|机械|精工|重工|模塑|实业|传媒|[英日]语|教育|健身|地产|置业|建筑|装饰|装修|食品|餐饮|烘焙|服饰|美容|口腔|宠物|影视|广告|文化|网络|软件|数码|通讯|快[递遞]|速[运運]|快运|物流|货运|租车|搬家|假期|国旅|航空|海院|理工|制药|医药|生物|能源|电气|光电|五金|家居|家具|母婴|汽车|眼镜|珠宝|农业|牧业|茶业|酒业|印刷|包装|厝|小馆|餐厅|饭店|火锅|咖啡|超市|便利店|[中][心]|商店|小店|店|馆|館|堂|坊|轩|阁|阁楼|食府|农庄|山庄|会所|会馆|影业|置地|纺织|化工|建材|门窗|玻璃|钢构|模具|仪器|设备|通信|半导体|芯片|智能|数据|信息|云|网|研究中心|律所|公益|烧烤|麻辣烫|奶茶|茶饮|面包|蛋糕|鲜花|摄影|婚庆|月嫂|养生|按摩|理发|美发|造型|维修|管道|保洁|装潢";
/** Of these, the ends that need no introduction. */
const FIRM =
  "科技|物[业業]|商贸|商貿|进出口|精工|重工|模塑|实业|实業|传媒|英语|地产|置业|装饰|餐饮|烘焙|服饰|影视|速运|快运|家政|假期|国旅|小馆|餐厅|餐廳|饭店|火锅|食府|农庄|山庄|会所|影业|置地|化工|律所|奶茶|摄影|婚庆";
/** What ends the words before a name. */
const STOP = lazily(
  "[的是在到从從给給和与與向请請找由把被让讓叫去了就我你您他她它们們这這那哪该某各每于於凭憑持赴为為因对對跟及或着過过将已并等说說吗呢吧至往送住读讀贵貴陪问問]|毕业|[畢業]業|就读|就讀|任职|工作|前往|联系|聯繫|加入|收到|通过|通過|转入|来自|來自|附近|当地|當地|外地|本(?!田|草|溪|科)|[两兩几幾一二三四五六七八九]?[家所间間名位个個]|前身|现有|原(?=告)|请问|欢迎|来电|致电|委托|隶属|隸屬|自营|自營|投保|购买|转账|充值",
  "gu",
);
/** Words that name no organisation. */
const GENERAL = lazily(
  "^(?:人民|附属|附屬|第?[一二三四五六七八九十]|商业|商業|投资|保险|保險|上市|物业|物業|快递|快遞|物流|搬家|家政|开发|房地产|地产|科技|外贸|贸易|互联网|游戏|软件|广告|中介|租车|出租车?|航空|电力|电信|通信|移动|自来水|燃气|国有|民营|私营|外资|外商|跨国|大型|中小|小型|大|小|母|子|分|总|總|控股|初创|创业|合资|股份|有限|责任|制药|医药|医疗|建筑|装修|旅游|网络|传媒|保洁|能源|汽车|食品|服装|化妆品|相关|有关|综合|綜合|专科|專科|三甲|二甲|三级|儿童|中医|口腔|眼科|妇产|精神|省|市|县|区|縣|區|镇|乡|村|社区|重点|著名|知名|名牌|普通|综合性|医科?|醫科?|理工科?|师范|师範|法|商|工|文|理|艺术|音乐|计算机|信息|继续教育|成人|老年|电视|网上|手机|掌上|中央|开户|发卡|个人|本地|国际|国内|外国|全国|日|双语|民办|公办|公立|私立|高级|初级|普通|实验|职业|技术|五星级?|星级|经济型|快捷|连锁|豪华|会计师?|律师|科学|国家|政府|基层|上级|下级|高等|高|初|全|心|性|同|开|办|外|住|院|上|进|来|回|考|入|医|化|合|人|员|后|前|时|不|有|没|可|能|会|要|想|当|做|该|其它?|其他|多|大多|很多|许多|所有|任何|部分|以上|以下|以及|如|若|如果|因此|但|而|且|则|即|还|也|又|再|更|最|每个)+$",
  "u",
);
const ENDING = lazily(`(?:${KIND})`, "gu");
const RUN =
  /(?:\p{Script=Han}|[A-Za-z\d·&]|(?<=\p{Script=Han})\((?=\p{Script=Han}{2,4}\))|(?<=\(\p{Script=Han}{2,4})\))+$/u;
/** Most characters of a name before its end. */
const LONGEST = 14;

/** Finds organisations by the ends of their names. */
function byEnding(text: string): Match[] {
  const found: Match[] = [];
  let last = 0;
  for (const { 0: end, index } of text.matchAll(ENDING())) {
    let run = RUN.exec(text.slice(Math.max(last, index - LONGEST), index))?.[0] ?? "";
    for (const stop of [...run.matchAll(STOP())].reverse().slice(0, 1)) run = run.slice(stop.index + stop[0].length);
    last = index + end.length;
    if (run.replace(/[^\p{L}]/gu, "").length < 2 || GENERAL().test(run) || /^\d+$/.test(run)) {
      if (!(run === "实验" && /[小中]学|幼儿园/.test(end))) continue;
    }
    found.push({ start: index - run.length, end: last, label: "ORGANIZATION" });
  }
  return found;
}

const NAMED = [
  `(?<=我是|我们是|我們是|这里是|這裡是|这边是|这是|致[:：]?|【|「|《|\\(|^|欢迎致电|就职于|任职于|供职于|加入|${PLACES.slice(0, 6).join("|")}|单位:|[ ▪•·]|可以去)((?:(?![的是在到从给和与向请找由把被让叫去了就我你您他她它们这那哪])${HAN}){2,4}(?:${TRADE}))(?=的|员工|客服|工作|经理|总|主管|物业|理赔|【|】|」|》|\\)|[,。、;: ]|$|报(?:您|我|他)|失)`,
  `(?<![\\p{L}])((?:(?![的是在到从给和与向请找由把被让叫去了就我你您他她它们这那哪])${HAN}){2,4}(?:${FIRM}))(?![\\p{L}])`,
  `(?<=[在])((?:(?![的是在到从给和与向请找由把被让叫去了就我你您他她它们这那哪家外国])${HAN}){2,10}?)(?=上班|工作(?!日|时|中)|任职|实习|当(?:保安|老师|会计|司机|护士|厨师|保姆|经理)|就读|读书|念书|上学|住院)`,
  `(?<=^|[ 。,;])(?:(?:19|20)\\d{2}(?:[年./]\\d{0,2}月?)?[ ]?[-~—–至到]{1,3}[ ]?(?:(?:19|20)\\d{2}(?:[年./]\\d{0,2}月?)?|至?今|现在)[ ,:]{1,3})((?:(?![的是在到从给和与])${HAN}){2,12})(?=[^\\p{L}]|$)`,
  // a company or shop and what is said of it
  `(?<=单位[: ]|公司[: ]|隸屬 ?|隶属于? ?|自營「|自营[「“]|旅馆:|酒店:|民宿是|店名[是叫:]|公司[是叫])((?:(?![的是在到从给和与])${HAN}){2,8})(?=[^\\p{L}]|$)`,
  `(?<=^|[ 。,;])(?:\\d{4}[./]\\d{1,2}[-~—–至今]{1,3}(?:\\d{4}[./]\\d{1,2}|至今|今)?[ ]{1,3})((?:(?![的是在到从给和与])${HAN}){2,8})(?=[ ]|\\(|,)`,
  `(?<=欢迎致电|这里是|这边是)((?:(?![的是在到从给和与请])${HAN}){2,6})(?=请问|客服|的?[小老]|,)`,
].map((source) => lazily(source, "gmu"));
const NO_ORGANIZATION =
  /^(?:社会|医疗|养老|失业|商业|汽车|人身|意外|国际|跨境|信息|高|黑|新|互联网|智能|电商|中国|进出口|义务|职业|素质|高等|安全|家庭|学前|房|新能源|传统|饮食|企业|电影|图书|博物|体育|展览|数据|个人|帮助|客服|服务|购物|活动|文化|信息|技术|管理|研发|运营|呼叫|大|小|互|联网|官|门|分|网|本|新|老|总|直营|旗舰|连锁|专卖|加盟|线下|实体|商|酒|饭|书|药|课|食|殡仪|纪念|中国|.{0,2}[云网])(?:科技|保[险險]|贸易|电子|教育|物流|航空|文化|软件|能源|汽车|农业|生物|地产|网络|中心|馆|館|店|商店|堂|数据|信息|智能|网|云|设备|维修|设计|仪器|通信|通讯|软件|建材)$|^(?:本科|硕士|博士|大专|高中|初中|专科|学士|研究生|实习|兼职|全职|担任|负责|自由职业|待业|从事|用药|教育|工作|项目|实习|主要|自我|个人)/u;

/** Finds organisations: by the ends of their names, and trades after an introduction. */
export const chineseOrganizations = inChinese((text) => [
  ...byEnding(text),
  ...NAMED.flatMap((pattern) => matches(text, pattern, "ORGANIZATION", (word) => !NO_ORGANIZATION.test(word), 1)),
]);

/** The first characters of the places, which let an expression skip all others. */
export const INITIALS = [
  ...new Set(
    PLACES.join("|")
      .split("|")
      .map((place) => place[0]!),
  ),
].join("");
export const PLACE = `(?:(?=[${INITIALS}])(?:${PLACES.join("|")}))`;
/** A unit of administration, after its name. */
const UNIT = "(?:省|自治[区區州县]|市|[县縣]|[区區]|[镇鎮]|[乡鄉]|村|街道|盟|旗)";
export const IN_PLACE = `(?:(?![的是在到从從给給和与與了这這那某各每本该全])${HAN})`;
const PREPOSITION =
  "[在从從到去回往至住居于於赴飞飛离離抵就]|来自|來自|前往|现居|現居|长居|家住|位于|老家|祖籍|籍贯|发往|發往|出生|路过|关于|我是|好是|是";
const AFTER_PLACE = `(?=[^\\p{L}]|$|人(?![民员才口])|[的出工打上读讀坐来來回过過开開住走那摘鉴行给給自做买買旅待有籍团業业定居租当當长長养養这這煤支门門分啊呢吧吗嗎车車站火基那一就]|${UNIT})`;
/** Roads and other places whose last character says so. */
const ROAD =
  "(?:路|街|大道|高速(?:公路)?|巷|胡同|大街|里|寨|屯|庄|湾|岛|镇|乡|村|县|[区區]|古城|景区|新村|机场|火车站|高铁站|港)";
export const NO_ROAD =
  /^(?:公|马|馬|道|铁|网|线|思|出|一|半|电|套|销|岔|退|走|这|那|哪|同|城|乡|农|全|本|外|小|大|山|灾|郊|市|校|园|景|社|地|片|病|时|战|牧|选|新|老|旧|考|赛|展|厂|非洲|欧洲|亚洲|东南亚|库|盲|禁|特|专|误|雷|疫|东|西|南|北|中|村|工业|开发|风景|服务|居民|生活|办公|住宅|商业|旅游|评论|城中|山|夜|这|家|心|手|眼|脑|嘴|哪|屋|包|怀|海|水|夜|梦|城|店|公里|千|万|百|几|[一二三四五六七八九十]|\d)*(?:路|街|巷|里|村|镇|乡|县|区|區|港|岛|庄|大道|大街|高速公路|高速|机场|火车站|高铁站|景区|胡同)$/u;
const LOCATIONS: readonly Lazy[] = [
  `(?=[${INITIALS}])(?<=${PREPOSITION}|、|[-—~→]|,|:|^|[ (【])((?:${PLACE})(?:省|市|[县縣])?(?:${PLACE}|${IN_PLACE}{1,3}(?:[县縣]|[区區]|[镇鎮]|村|[乡鄉]|新村))?(?:市|[县縣])?)${AFTER_PLACE}`,
  `((?:${PLACE})(?:省|市)?(?:${PLACE}|${IN_PLACE}{2}(?:[县縣]|[区區]|市|[镇鎮]))?)(?=人(?![民员才口])|籍)`,
  `(?=${HAN}{2}(?:[,。)]|$))(?<=[,(](?:${PLACE}))(${IN_PLACE}{2})`,
  `(?=${HAN}{2}(?:[,。) \\n]|$))(?<=(?:现居|現居|长居|家住|住在?|来自|來自|去|回)[ ]?(?:${PLACE}))(${IN_PLACE}{2})(?=[,。) \\n]|$)`,
].map((source) => lazily(source, "gmu"));
const ROADS = lazily(
  `(?<=[在从從到去回往住于於])(${IN_PLACE}{1,5}?${ROAD})(?![\\d一二三四五六七八九十])(?!${HAN}?[域线标])`,
  "gmu",
);
/** A short name between a word for coming, going or living and a word that follows a place. */
const UNKNOWN = [
  "(?<=[从從])((?:(?![这這那哪你我他她头頭此今现前后來来小去业今昨上下早中事不没周外里家公学单厂中银手车店大])\\p{Script=Han}){2}(?![年月日号]))(?=[坐出走回过開开飛飞]|那[边邊]|[来來](?!说|说|看|源|讲)|上[车車来])",
  "(?<=现居|現居|长居|家住|老家[在是:]|来自|來自)[ ]?((?:(?![的是])\\p{Script=Han}){2,6})(?=[^\\p{L}]|$)",
  "(?<=[在到去於])((?:(?![这這那哪你我他她家外国公])\\p{Script=Han}){2})(?=出差|打工|工作过|读书|上大学|买房|定居|车站|火[车車]站|門市|门店|[当當]兵|下乡|支教)",
  "(?<=给)((?:(?![这那哪你我他她家外])\\p{Script=Han}){2})(?=来的)",
].map((source) => lazily(source, "gmu"));

/** Finds places: known ones after prepositions, and those whose last character says so. */
export const chineseLocations = [
  ...LOCATIONS.map((pattern) => (text: string) => matches(text, pattern, "LOCATION", undefined, 1)),
  (text: string) => matches(text, ROADS, "LOCATION", (word) => !NO_ROAD.test(word), 1),
  ...UNKNOWN.map((pattern) => (text: string) => matches(text, pattern, "LOCATION", undefined, 1)),
].map(inChinese);

const NUMBER = "(?:\\d{1,5}(?:[-之]\\d{1,4})?|[零〇一二三四五六七八九十百两]{1,6})";
const STREET =
  "(?:路|街|道|巷|弄|胡同|[段里村庄莊园園苑城湾灣](?=[ ]?\\d)|新村|花园|花園|小[区區]|社[区區]|公寓|大厦|大廈|广场|廣場|[邨苑])";
const BUILDING = `(?:[ ]?${NUMBER}[ ]?(?:[号號]?[院楼樓栋棟幢座]|[单單]元|[层層]|[Ff]|[室户戶房]|[号號])|[ ]?[A-Z]座|[ ]?${NUMBER}(?![${HAN}\\d年月日])|[前后後][座栋]|(?<=[单單]元|[楼樓栋幢])${NUMBER}|[-之]\\d{1,4}|\\d{1,3}-\\d{1,4})`;
const ADDRESSES = [
  `((?:${IN_PLACE}|[ ](?=\\d)){2,24}?${STREET}(?:[东西南北中一二三四五六七八九十]{1,2}[段路巷])?[ ]?${NUMBER}[ ]?[号號弄巷](?:[楼院](?=[ ]?\\d))?(?:${IN_PLACE}{1,6}?(?=${NUMBER}[号號栋幢楼樓座单]))?${BUILDING}{0,5})`,
  `((?:${IN_PLACE}{2,16})?(?<!第)\\d{1,4}[栋棟幢座][ ]?${BUILDING}{1,4})`,
].map((source) => lazily(source, "gmu"));
const BEFORE_ADDRESS =
  /^.*?(?:地址是?|住址|住在|居住于|现住|現居|送到|寄到|寄往|位于|寄送至|嗯|哦|是|在|到|至|于)(?=.{4})/u;

/** Finds addresses: a street and a number, and what is named before and after these. */
export const chineseAddresses = inChinese((text) =>
  ADDRESSES.flatMap((pattern) =>
    matches(text, pattern, "ADDRESS", undefined, 1).map((match) => {
      const head = BEFORE_ADDRESS.exec(text.slice(match.start, match.end))?.[0].length ?? 0;
      return { ...match, start: match.start + head };
    }),
  ),
);
