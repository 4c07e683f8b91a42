// Fields of Chinese forms: their names, by their last characters, and where their values end.

import { lazily, type Match } from "../match.js";
import { COMPOUND, HAN, inChinese, SURNAMES, WORDLIKE } from "./chinese-words.js";

/** Ends of names of fields, by label. */
const ENDS: readonly (readonly [string, RegExp])[] = (
  [
    ["PASSWORD", "密码|密碼|口令|验证码|驗證碼|取件码|取件碼|提取码|动态码|校验码|PIN码"],
    ["EMAIL", "邮箱|郵箱|电邮|電郵|信箱|邮件|郵件|[Ee]-?mail"],
    [
      "USERNAME",
      "微信|微信[号名號]|QQ[号號]?|抖音号?|小红书号?|微博|用户名|用戶名|登录名|昵称|暱稱|LINE|LINE ID|账户名|[账帳][号號]",
    ],
    [
      "PHONE",
      "电话|電話|手机|手機|[电電][话話][号號][码碼]|手[机機][号號][码碼]?|联系方式|聯絡方式|传真|傳真|热线|电话号|手机号",
    ],
    ["AGE", "年[龄齡]|岁数"],
    ["DATE", "日期|生日|出生|出生年月|[入出]院|[入离]职时间|出生时间"],
    ["ADDRESS", "地址|住址|住所|住处|通讯处|户籍所在地"],
    [
      "LOCATION",
      "籍[贯貫]|[国國]籍|出生地[点點]?|户籍地?|戶籍地?|居住地|[现現][居住]地?|常住地|城市|所在地|目的地|出[发發]地|祖籍|老家|[区區][间間]|工作地[点點]?",
    ],
    [
      "ORGANIZATION",
      "[单單]位|公司|公司名称|公司名稱|学校|學校|院校|[雇僱]主|机构|機構|旅[馆館]|酒店|民宿|开户行|供应商|抬[头頭]|商户|店名|医院|幼儿园|送检单位|经销商|厂家",
    ],
    [
      "ID",
      "(?<!型|版本|[房床座批团線线站楼信符序字货款色项台期页頁型]|车次|航班|门牌|分机|频道|错误|图)[号號]|[号號][码碼]|[编編][号號]|[证證]件|车牌|車牌|护照|護照|身[份分][证證]|[发發]票|识别码|流水[号號]|[证證]|(?<!错误|錯誤)代码",
    ],
    [
      "MONEY",
      "金[额額]|薪[资資水]|工[资資]|[月年底]薪|[余餘][额額]|房租|租金|押金|[订訂定]金|[费費]用|[总總][价價]|价格|價格|报价|报酬|[实應应][付收]|合[计計]|收入|[费費款价價额額]|保[证證]金|[补補]贴|津贴|奖金|赔偿|小计|报销",
    ],
    ["HEALTH", "[诊診][断斷]|[过過]敏史?|病史|血型|疾病|病名|用[药藥]|拟行手术|手术名称|病症|基础病|慢性病"],
    [
      "PERSON",
      "姓名|名字|(?<![个個工客本每几大好为双机众商军诗别法]|主持|成年|自然)人|主刀|[一二]助|助手|麻醉师|[医醫][师師生]|大夫|[护護]士|患者|病[人患]|家[属屬]|父[亲親]?|母[亲親]?|丈夫|妻子?|配偶|[儿兒]子|女[儿兒]|老[师師]|班主任|[学學]生|[学學]员|幼儿|客[户戶]|顾客|会员|[户戶]名",
    ],
    [
      "PERSON",
      "同[住行]|[经經][办辦手]|[签簽][名字收]|署名|中文名?|英文名?|小名|乳名|曾用名|[收寄发]件|失主|[业業车車]主|房[东東]|租客|司[机機]|驾驶员|导游|领队|教练|快递员|顾问|买家|卖家|住客|旅客|乘客|导师|主管|负责|校对|记录|陪护|推荐|被告|原告|法官|律师|店长|老板|作者|讲师|主讲|检验|审核|选手|收件者|寄件者|抄送|[订訂][购購]者|聯絡|联系|主[检检诊]|(?<!或)者|[出承租借贷收付买卖甲乙丙]方|咨询师|治疗师|处理|班主任|家长|出借|签发|收[费款]员|技师",
    ],
  ] as const
).map(([label, ends]) => [label, new RegExp(`(?:${ends})$`, "u")]);

/** Returns the label of a field's values by its Chinese name; undefined if the name says nothing. */
export function labelOfChineseKey(name: string): string | undefined {
  const key = name.replace(/\([^()]*\)$/, "");
  if (key.length > 14 || !/\p{Script=Han}|LINE|QQ/u.test(key)) return undefined;
  return ENDS.find(([, end]) => end.test(key))?.[0];
}

/** The name of a field, and the sign after it. */
const FIELD = lazily(
  `(?<![\\p{L}\\p{N}])((?:${HAN}|[A-Za-z/]){1,12})(?:\\([^()\\n]{1,10}\\))?[ ]{0,2}:[ \\t]{0,3}(?=\\S)`,
  "gu",
);
const WORD_END = "(?=[^\\p{L}\\p{N}]|$)";
const TOKEN =
  "#?[A-Za-z\\d*](?:[A-Za-z\\d*_/-]|\\.(?=\\w)|·(?=\\w)|[ ](?=[A-Z\\d]{2,}(?![\\p{L}]))|[ ](?=\\d)){1,40}(?:\\(\\d\\))?";
/** Values of fields by label. */
const VALUES: Record<string, string> = {
  PERSON: `((?:${HAN}{1,4}?|(?:${HAN}){1,8}(?:[·•・]${HAN}{1,8}){1,3}|${HAN}\\*{1,2}${HAN}?|[\\p{Lu}][\\p{L}.'"-]{0,20}(?:[ ]["\\p{L}][\\p{L}.'"-]{0,20}){0,4}))(?=(?:先生|女士|小姐|太太|老[师師]|主任|[经經]理|[校院局科部]长|校長|[医醫][生师師]|教授|[护護]士|[师師]傅)?[ ]{0,3}(?:[^\\p{L}]|$))`,
  EMAIL: "([\\w.+-]{1,64}@[\\w.-]{3,64}\\w)",
  PHONE: "([+(]?\\d[\\d ()+*-]{4,20}[\\d*])",
  USERNAME: `([A-Za-z_@][\\w.@-]{2,40}\\w|\\d[\\d ]{4,24}\\d|${HAN}{2,8}${WORD_END})`,
  AGE: `(\\d{1,3}[ ]?(?:个?月|[周岁歲天])?|[一二三四五六七八九十百]{1,5}[岁歲]?)`,
  DATE: "((?=[^\\n]{0,6}[\\d年])[\\d零〇一二三四五六七八九十年月日号號民国國正初./ :-]{4,24}[\\d日号號月年])",
  ADDRESS: `((?:${HAN}|[A-Za-z\\d#·()-]|[ ](?=[\\d#A-Z])|(?<=\\d)[ ](?=${HAN}{1,3}(?!${HAN}|[ ]?:))){3,60})`,
  LOCATION: `(${HAN}{2,9}|\\p{Lu}[a-z]+)${WORD_END}`,
  ORGANIZATION: `((?:${HAN}|[A-Za-z\\d·&]|\\((?:${HAN}){2,4}\\)){2,30})`,
  ID: `(?:${HAN}{1,4}[ ]?)?(?:[(:][ ]?)?((?=[^\\n]{0,6}\\d)${TOKEN}|${HAN}[A-Za-z][· ]?[A-Z\\d]{5,6})`,
  PASSWORD: "([!-~]{3,40}|\\d{3} \\d{3})",
  MONEY: `((?=[^\\n]{0,6}[\\d一二三四五六七八九十百千万])(?:[¥$€￥]|人民币|NT\\$|HK\\$|[A-Z]{3})?[ ]?[\\d.,一二三四五六七八九十百千万萬两兩零多]{1,18}(?:[元块塊圆圓]|美元|港[币幣元]|新[台臺][币幣])?)`,
  HEALTH: `((?:[^\\n\\t,;。、| :]|(?<=[A-Za-z\\d])[ ](?=[a-z\\d])){1,40})`,
};
const PATTERNS = new Map(Object.entries(VALUES).map(([label, source]) => [label, lazily(source, "uy")] as const));
/** What stands for a missing value. */
const EMPTY =
  /^(?:[万亿]?元|无|無|否|是|有|未知|不[详詳明]|同上|见附|待定|保密|暂无|略|空|本人|全体.*|所有.*|各.*|未.*|请.*|[男女]|没有|没|自己|正常|[其多两]人|.*[组部科室门]|我.*|在.*|如.*)$/u;
/** Fields of people that also begin what a speaker says: they need a family name. */
const SPEAKING =
  /(?:[医醫][生师師]|[护護]士|患者|病人|家[属屬]|父[亲親]|母[亲親]|老[师師]|[学學]生|客[户戶]|顾客|司机|律师|法官|原告|被告|丈夫|妻子|[儿兒]子|女[儿兒]|本人|买家|卖家|房东|业主|旅客|乘客|老板|教练|主持人|客人)$/u;
/** The beginning of what is said, or a name. */
const SAID = lazily(
  `^(?:${COMPOUND}|[${SURNAMES}${WORDLIKE}])${HAN}{1,2}(?=[ ]{0,3}(?:${HAN}{2,6}:|[,(\\n\\d/]|$))`,
  "u",
);
/** A word for a relation before a name. */
const RELATION =
  /^(?:(?:[男女]友|父[亲親]|母[亲親]|丈夫|妻子|[儿兒]子|女[儿兒]|配偶|本人|老[公婆]|同事|朋友|[哥姐弟妹]{1,2})[ :(]{1,2})?/u;
/** Values of several fields may stand in a list. */
const LISTED = /^(?:HEALTH|ORGANIZATION|LOCATION|PERSON)$/;

/** Finds the values of fields with Chinese names. */
export const chineseFields = inChinese((text) => {
  const found: Match[] = [];
  for (const { 0: whole, 1: name, index } of text.matchAll(FIELD())) {
    const label = labelOfChineseKey(name!);
    if (!label) continue;
    const pattern = PATTERNS.get(label)!();
    let at = index + whole.length;
    for (let n = 0; n < 12; n++) {
      // numbers of a list: "1.高血压 2.糖尿病"
      if (label === "HEALTH") at += /^(?:\d{1,2}[.、)][ ]?(?!\d))?/.exec(text.slice(at, at + 6))![0].length;
      if (label === "PERSON") at += RELATION.exec(text.slice(at, at + 8))![0].length;
      pattern.lastIndex = at;
      const value = pattern.exec(text);
      if (!value) break;
      const start = value.index + value[0].lastIndexOf(value[1]!);
      const end = start + value[1]!.length;
      const isField = /^[ ]{0,2}:/.test(text.slice(end, end + 3));
      if (isField && n > 0) break;
      const isSaid = SPEAKING.test(name!) && !SAID().test(text.slice(start, start + 24));
      if (!EMPTY.test(value[1]!) && !isSaid) found.push({ start, end, label: labelOf(label, value[1]!) });
      const link = LISTED.test(label)
        ? /^[;、]|^[ ](?=\d[.、)])|^[-~](?=\p{Script=Han})/u.exec(text.slice(end, end + 3))
        : null;
      if (!link) break;
      at = end + link[0].length;
    }
  }
  return found;
});

/** An account's number is an ID, its name a user's. */
const labelOf = (label: string, value: string) => (label === "USERNAME" && /^\d[\d ]{9,}$/.test(value) ? "ID" : label);
