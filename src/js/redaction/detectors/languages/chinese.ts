// Names of people in Chinese text, whose words have no spaces between them: simplified and traditional characters.

import { lazily, type Match, matches } from "../match.js";
import { isRole } from "../roles.js";
import { labelOfChineseKey } from "./chinese-fields.js";
import { COMPOUND, HAN, inChinese, NO_NAME, SURNAMES, WORDLIKE } from "./chinese-words.js";

/** Characters that no given name contains. */
const NO_GIVEN =
  "的了吗嗎呢吧啊是不没沒也都很就么麼呀哦您你我他她它們们这這那哪谁誰什怎给給把被说說和与與及昨今姓号號在从從";
/** Characters that no given name of two ends with. */
const NO_END = `${NO_GIVEN}到去有因已将將向于於对對以会會要请請跟年月日岁歲男女患打住做后後前时時再又還还但而其报報手电電称稱负負等需先老教经經收签簽拿买買做问問接送让讓找帮幫刚剛目退`;
const GIVEN = `(?![${NO_GIVEN}])${HAN}(?:(?![${NO_END}])${HAN})?`;
/** What follows a name that begins with a frequent character. */
const END = "(?=[^\\p{L}]|$|[在是的因从從说說和已也就到去给給吗嗎吧啊])";
const ANY_SURNAME = `(?:${COMPOUND}|[${SURNAMES}${WORDLIKE}])`;
const NAME = `(?:(?:${COMPOUND}|[${SURNAMES}])${GIVEN}|[${WORDLIKE}]${GIVEN}${END})`;
/** A name with nothing else around it. */
const ALONE = `(?<![\\p{L}\\p{N}])(${ANY_SURNAME}(?:(?![${NO_GIVEN}])${HAN}){1,2})`;
const FIRST = `(?=[${SURNAMES}${WORDLIKE}${COMPOUND.replace(/(.).\|?/gu, "$1")}])`;

/** Roles that are also the subject of general sentences. */
const ROLES =
  "患者|病人|病患|产妇|业主|業主|租户|用户|用戶|客户|客戶|顾客|顧客|会员|會員|乘客|旅客|员工|員工|职工|学员|學員|学生|學生|考生|人员|人員|居民|市民|村民|同学|同學|朋友";
const ROLE = [
  "傷者|伤者|死者|租客|房客|房东|房東|老板|老闆|导游|導遊|司机|司機|同事|班长|班長|队长|隊長|民警|记者|記者|律师|律師|原告|被告人?|申请人|申請人|委托人|当事人|當事人|证人|證人|负责人|負責人",
  "联系人|聯絡人|经办人|报案人|家属|家屬|陪护|陪護|护工|保姆|受害人|嫌疑人|代表人|经理|經理|主任|店长|店長|店员|客服|快递员|骑手|维修员|业务员|领队|技师|设计师|工程师|护士|護士|医生|醫生|医师|醫師|老师|老師|教练|教練|助教|专员|專員|社工|管家|翻译|室友|邻居|鄰居|战友|闺蜜|对象|女友|男友",
].join("|");
const KIN =
  "丈夫|妻子|太太|老公|老婆子?|爱人|愛人|配偶|儿子|兒子|女儿|女兒|闺女|閨女|父亲|父親|母亲|母親|爸爸|妈妈|媽媽|爷爷|爺爺|奶奶|外公|外婆|姥姥|姥爷|阿公|阿嬤|阿婆|哥哥|姐姐|弟弟|妹妹|大哥|大姐|[表堂][哥姐弟妹]|侄子|侄女|外甥女?|孙子|孫子|孙女|孫女|女婿|媳妇|媳婦|岳父|岳母|公公|婆婆|舅舅|叔叔|姑姑|姑妈|姨妈|小姨|嫂子|伯父|伯伯|其[子女妻夫父母]|[长次][子女]";
const SAID =
  "名字[是叫就]?|叫|本人|自称|自稱|化名|[兹茲]有|抄送|署名|我是|这里是|這裡是|这是|联系|聯繫|找|通知|转给|轉給|感谢|委托|委託";
/** Words for a person right after a name. */
const TITLE = [
  "先生|女士|小姐|太太|夫人|老师|老師|医生|醫生|医师|醫師|大夫|护士|護士|教授|博士|经理|經理|主任|校长|校長|院长|院長|局长|局長|处长|處長|科长|科長|部长|部長|厂长|廠長|队长|隊長|班长|班長|组长|組長|店长|店長|村长|村長|镇长|县长|区长|站长|所长|行长|社长|会长|师傅|師傅|律师|律師|法官|警官|工程师|同学|同學|同志|会计|會計",
  "秘书|秘書|助理|主管|董事长|董事長|总监|總監|书记|書記|老板|老闆|老总|教练|教練|导演|阿姨|叔叔|大爷|大爺|大妈|大媽|大姐|大哥|大嫂|大叔|奶奶|爷爷|爺爺|婆婆|伯伯|伯母|姐姐|哥哥|妈妈|媽媽|爸爸|夫妇|夫婦|夫妻|家长|家長|姨(?!妈)|婶|嬸|姐|哥(?!伦)|叔|嫂|总(?=[,:。、!?()\\s]|$|您|你)|總(?=[,:。、\\s]|$)",
].join("|");
/** Words with a title that name nobody. */
const NO_TITLED = lazily(
  "^(?:项目|項目|金融|高级|高級|高中|高校|任课|任何|班主|国家|國家|全科|安全|管理|管床|车间|文科|武术|国学|全体|农业|农村|计算机|常务|商业|商务|平面|来访|单位|游泳|利用|后勤|后期|康复|程序|时任|许多|有关|相关|前任|现任|师|和|平|权|令|贝|都|相|强|年|那|来|種|种|区|區|師|展|国|國|钟(?:左右|头)?|班|程师.?)$|[总總副老各位]$",
  "u",
);
/** What stands before a family name that is a frequent character, and before "小" and "老". */
const BOUNDARY =
  "(?<=^|[^\\p{Script=Han}]|[是给給和与與的请請找问問叫向对對跟让讓由被把在到为為了好谢謝哎喂嗯看陪系络絡我你您他她这這有说說道吗嗎吧啊呀哦及或送知换換行转轉])";
const IN_NAME = `(?:(?![${NO_GIVEN}])${HAN})`;
const TITLED = [
  `(?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{0,2}?(?=${TITLE})`,
  `${BOUNDARY}[${WORDLIKE}]${IN_NAME}{0,2}?(?=${TITLE})`,
  `(?<![\\p{L}])(?![各诸諸老两兩这那一])${IN_NAME}{1,4}?(?=先生|女士|小姐|太太)`,
  `(?<=请问[您你]?是|好是|您是|你是)${IN_NAME}{1,3}?(?=妈妈|爸爸|媽媽|家长)`,
].map((source) => lazily(source, "gmu"));

const AFTER_TITLED =
  "[,。;、:!?()\\s/\\d]|$|[啊吗嗎呢吧说說到来來去的在和给給把已也就负負打发發问問今昨下会會帮幫没沒跟让讓是不我过過]";
/** "小贺", "老庾", and after a word for a person also "阿紫" and "小禾". */
const FAMILIAR = [
  `${BOUNDARY}([小老](?![于時时米麦车車路花白金康温房高农家师師方查明国區区])[${SURNAMES}${WORDLIKE}])(?=${AFTER_TITLED})`,
  `(?<=${ROLES}|${ROLE}|${KIN}|叫)((?:阿(?![姨公婆爸妈媽哥姐弟妹伯嬤里拉富根姆司莫托])${HAN})|小(?![时時说說学學小车車孩姑朋伙组區区姨公婆爸妈媽哥姐弟妹伯嬤心米吃便腿腹肠])${HAN}(?=${AFTER_TITLED}))`,
].map((source) => lazily(source, "gmu"));

const DATE_LINE =
  "(?:\\d{4}[年./-]|[一二三四五六七八九十零〇]{1,4}[年月]|民[国國]|\\d{1,2}月|\\d{1,2}/\\d|1[3-9]\\d|电话|電話|手机|分机|分機|敬上)";
const PATTERNS = [
  `${FIRST}(?<=(?:我叫|(?:${ROLES}|${ROLE}|${KIN}|${SAID})[: ]?))(${NAME})`,
  `${FIRST}(?<=${ROLE}|${KIN})(${ANY_SURNAME}${GIVEN})`,
  `(?<=自称|自稱|我叫|名叫|客服 ?|我是)([A-Z][a-z]{2,15})(?=[^\\p{L}\\p{N} ]|$|您|你)`,
  "((?:\\p{Lu}\\p{L}+ ){1,3}\\p{Lu}\\p{L}+)(?=\\((?:中文|[男女]))",
  `(?<=:[ ]?"|[A-Za-z]=)(${ANY_SURNAME}${GIVEN})(?=["\\s,;&]|$)`,
  `(?<=借到|收到|欠|借给)(${ANY_SURNAME}${GIVEN})(?=人民币|现金|\\d|[一二三四五六七八九十百千万壹贰叁肆伍陆柒捌玖])`,
  `(?<![\\p{L}\\p{N}])((?:${COMPOUND}|[${SURNAMES}])${GIVEN})(?=因|说|表示|负责|已经|告诉|介绍|回忆|称|毕业|现任|同意|确认|来电|反映|投诉|申请|购买|预约|說|負責)`,
  // a name with nothing else around it, or between words for what people do
  `(?<![\\p{L}])((?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{1,2})(?![\\p{L}*])`,
  `(?<=[给跟让請请找叫替帮问由和与與、]|联系|我是)((?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{1,2}?)(?=[说說来來去打在吗嗎吧就也把]|一起|同意|签|拿|联系|办|帮|接|送|转|买|负责|处理|确认)`,
  `([A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?)(?=${TITLE})`,
  `(?<=${ROLE}|${KIN}|叫|艾特|@)([A-Z][a-z]{2,14})(?![A-Za-z\\d])`,
  "(?<![A-Za-z] ?)([A-Z][a-z]{2,14})(?=说|說|告诉|你好|您好|回复)",
  // a full name between function words
  `(?<=[给跟让請请找叫替帮问由和与與、是向对把被为啊哦])((?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{2})(?=[的本今昨现因已于从做写发出回住没不会要能有也都吗嘛啊吧呢了在说去来给那这你我他她]|[^\\p{L}]|$)`,
  // a name in a list with another one
  `(?<=(?<![\\p{L}])(?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{1,2}[、,;/ \\n\\t]{1,2})([${WORDLIKE}]${IN_NAME}{1,2})(?![\\p{L}])`,
  `(?<![\\p{L}])([${WORDLIKE}]${IN_NAME}{1,2})(?=[、,;/ \\n\\t]{1,2}(?:${COMPOUND}|[${SURNAMES}])${IN_NAME}{1,2}(?![\\p{L}]))`,
  `((?![妈爸爷奶姥媽婆公])(${HAN})\\2)(?=妈|爸|爷|奶|外[公婆]|姥|媽)`,
  "((?:扎西|次仁|卓玛|央金|央宗|顿珠|多吉|格桑|达瓦|尼玛|平措|旺堆|旺姆|拉姆|曲珍|白玛|洛桑|丹增|索朗|仁增|桑吉|才让|巴桑|德吉|嘉措|巴特尔|其其格|图雅|格日勒|那顺|巴图|敖登|萨仁|阿依|古丽|努尔|买买提|艾合|吐尔逊|热孜|帕提|玛依|迪丽|热巴|木沙){2,4}|(?:扎西|次仁|多吉|平措|洛桑|丹增|索朗|才让|旺姆|卓玛|其其格|巴特尔|图雅|格日勒)(?=[^\\p{L}]))",
  // signatures
  `${ALONE}(?=[ \\t]{0,3}(?:谨启|謹啟|敬上|敬启|敬啟|谨上|謹上|启$|上$|\\n[ \\t]{0,4}${DATE_LINE}|\\s{0,3}$(?![\\s\\S])))`,
  // greetings
  `${ALONE}(?=[,:]?[您你]好|[ ,]{0,2}(?:早上好|晚上好|早安)|[:,!][ \\t]{0,3}\\n)`,
  // data after a name
  `${ALONE}(?=[ ,:/|(]{0,2}(?:\\d{1,3}[岁歲]|(?:1[3-9]\\d[ -]?\\d{4}|0\\d{2,3}-\\d{4}|09\\d\\d-\\d{3})))`,
  `${ALONE}(?=\\((?:[会會]|[学學][号號]|工[号號]|身[份分]|护照|[男女父母子妻夫兄弟姐妹][),]|电话|手机|[\\p{L} ]{1,12}[号號]))`,
  `(?<![\\p{L}\\p{N}])(?!性[别別]|患者|病人|[婴幼]儿|成[人年]|老年|新生)(${IN_NAME}{2,4})(?=[ ,|\\t/]{1,3}[男女](?!\\p{L}))`,
  `(?<=[向给給])(${HAN}{2,8})(?=\\((?:账[号户]|卡号|尾号|帳[號戶]))`,
  `(${ANY_SURNAME}(?:某{1,2}(?!小区|地|处|店|公司|医院|银行|酒店|个|些|种)|[*＊×]{1,2}${HAN}?))(?![*\\d])`,
  `${ALONE}(?=[、和与]${ANY_SURNAME}${HAN}{1,2}(?:夫妇|夫婦|夫妻|等|[两二三四]人|同学|老师|先生|女士))`,
  // fields without a sign
  `(?<=姓名|[人者员員师師生] )(${ANY_SURNAME}${IN_NAME}{1,2})(?![\\p{L}])`,
  // names of peoples of the west
  `([阿热迪努麦吾艾库吐玛萨塔帕古]${IN_NAME}{0,3}古[丽麗]${IN_NAME}{0,2}?)(?![\\p{Script=Han}])`,
].map((source) => lazily(source, "gmu"));
/** A name of two to four parts with dots between them. */
const DOTTED = lazily(
  `((?:(?![${NO_GIVEN}])${HAN}){1,8}(?:[·•・](?:(?![的是])${HAN}){1,8}?){1,3}?)(?=${TITLE}|[^\\p{Script=Han}·•・]|$|[的是在])`,
  "gmu",
);
const BEFORE_DOTTED = lazily(`^(?:.{0,4}(?:${ROLE})|.{0,4}(?:有|向|由|请|找|为|让|是|给))`, "u");
const OF_FAMILY = lazily(
  `(?<=(?:(?<![您你])[我他她]|免[贵貴]|人|[师師]傅|[妇婦士子员員]|您|^|[ ,])姓)(${COMPOUND}|(?![名氏什啥甚何哪])${HAN})`,
  "gmu",
);
const NOT_NAME = lazily(`^(?:${NO_NAME.join("|")})`, "u");
const WITH_TITLE = lazily(`^.{1,2}(?:${TITLE})`, "u");

const isName = (word: string) => !NOT_NAME().test(word) && !WITH_TITLE().test(word);

/** A speaker of a chat: before ":", or in a line of its own with a time. */
const SPEAKER = lazily(
  `^[ \\t]{0,4}(?:[[(]?(?:\\d{4}[-/]\\d\\d?[-/]\\d\\d? )?\\d{1,2}:\\d{2}(?::\\d{2})?[\\])]?\\s{1,2})?@?(?:(?:Dr|Mr|Mrs|Ms|Prof)\\.? )?([\\p{L}][\\p{L}\\p{N}·•_.-]{0,14}(?: [\\p{L}]{1,10})?)(?:\\(\\d{4,12}\\))?(?:[ ]?(?:说|說)?:(?=[ ]{0,2}\\S)|[ ]{1,2}((?:\\d{4}[-/年]\\d\\d?[-/月]\\d\\d?日? )?(?:[上下中]午|晚上|凌晨)?[ ]?\\d{1,2}:\\d{2}(?::\\d{2})?)[ ]{0,4}$)`,
  "gmu",
);
/** Speakers that are named by their role or place, and words before ":" that are no speakers. */
const NO_SPEAKER =
  /^(?:[我你他她男女哥姐弟妹爸妈]|父亲|母亲|妈妈|爸爸|儿子|女儿|老公|老婆|爷爷|奶奶|医生|醫生|医师|护士|病人|患者|主持人?|客服.{0,2}|客户|用户|顾客|楼主|樓主|记者|記者|问|問|答|甲|乙|丙|丁|甲方|乙方|老师|老師|学生|家属|家长|坐席|话务员|接线员|对方|旁白|系统|系統|众人|群主|管理员|司机|警察|民警|法官|原告|被告|律师|店员|店家|卖家|买家|主席|护理|司仪|评委|嘉宾|学员|店长|同事|朋友|邻居|问题|回答|结果|备注|注意|说明|提示|注|例|附|时间|地点|主题|标题|内容|.{0,3}[一二三四五六七八九十]|[A-Za-z])$/u;

/** Finds the speakers of a chat: two lines with a time, or three lines in which a name comes back. */
function speakers(text: string): Match[] {
  const found = [...text.matchAll(SPEAKER())].filter(([, name]) => !labelOfChineseKey(name!));
  const names = new Set(found.map(([, name]) => name));
  const timed = found.filter(([, , time]) => time).length;
  const lines = text.match(/[^\n]+/g)?.length ?? 0;
  if (timed < 2 && (found.length < 3 || names.size < 2 || names.size === found.length || 3 * found.length < lines))
    return [];
  return found.flatMap(({ 0: whole, 1: name, 2: time, index }) => {
    const start = index + whole.indexOf(name!);
    const isSpeaker = (timed < 2 || time) && /\p{L}/u.test(name!) && !NO_SPEAKER.test(name!) && !isRole(name!);
    return isSpeaker ? [{ start, end: start + name!.length, label: "PERSON" }] : [];
  });
}

/** Finds names in Chinese: by introductions, titles, words for people, signatures, speakers, and data right after them. */
export const chineseNames = inChinese((text) => [
  ...PATTERNS.flatMap((pattern) => matches(text, pattern, "PERSON", isName, 1)),
  ...TITLED.flatMap((pattern) => matches(text, pattern, "PERSON", (word) => !NO_TITLED().test(word))),
  ...FAMILIAR.flatMap((pattern) => matches(text, pattern, "PERSON", undefined, 1)),
  ...matches(text, OF_FAMILY, "PERSON"),
  ...matches(text, DOTTED, "PERSON", undefined, 1).map((match) => {
    const head = BEFORE_DOTTED().exec(text.slice(match.start, match.end))?.[0].length ?? 0;
    return { ...match, start: match.start + head };
  }),
  ...speakers(text),
]);

/** Longest name that is looked for again. */
const LONGEST = 12;
const RUN = /[\p{Script=Han}·•・]{2,400}/gu;

/** Finds further occurrences of Chinese names that were found, and of given names of two characters at the start of a sentence. */
export function repeatedChineseNames(text: string, names: Iterable<string>): Match[] {
  const whole = new Set<string>();
  const given = new Set<string>();
  for (const name of names) {
    if (!/^[\p{Script=Han}·•・]{2,12}$/u.test(name)) continue;
    whole.add(name);
    if (/^\p{Script=Han}{3,4}$/u.test(name)) given.add(name.slice(-2));
  }
  const found: Match[] = [];
  for (const { 0: run, index } of whole.size ? text.matchAll(RUN) : []) {
    for (let at = 0; at < run.length; at++)
      for (let length = Math.min(LONGEST, run.length - at); length > 1; length--) {
        const word = run.slice(at, at + length);
        if (!whole.has(word) && !(at === 0 && given.has(word))) continue;
        found.push({ start: index + at, end: index + at + length, label: "PERSON", score: 0.9 });
        at += length - 1;
        break;
      }
  }
  return found;
}
