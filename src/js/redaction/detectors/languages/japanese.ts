// Personal data in Japanese texts, by fields, honorifics, particles and the characters at the end of names.

import { before, type Lazy, lazily, type Match, matches } from "../match.js";
import { ABROAD, GIVEN, GIVEN_LAST, NO_NAME, NOUN_LAST, PLACES, SURNAME_LAST, SURNAMES } from "./japanese-words.js";

const HAN = "\\p{sc=Han}";
const KATA = "[ァ-ヺー]";
const HIRA = "[ぁ-ゖー]";
/** Signs of words, without digits. */
const SIGN = "[\\p{sc=Han}ぁ-ゖァ-ヺー]";
/** Kana, or a character that only Japanese writes so. */
const JAPANESE = /[ぁ-ゖァ-ヺ様歳県円駅払売]|氏名/;
/** A word of Latin letters with a capital. */
const LATIN = "\\p{Lu}[\\p{sc=Latin}'.-]{1,20}";
const LATIN_NAME = `${LATIN}(?: ${LATIN}){0,3}`;

const set = (words: string) => new Set(words.split(" "));
let known: { surnames: Set<string>; words: Set<string>; places: Set<string> } | undefined;
const lists = () => (known ??= { surnames: set(SURNAMES), words: set(NO_NAME), places: set(PLACES) });

/** Words in kana that name nobody. */
const KANA_WORD = lazily(
  `^(?:${[
    "お.*|ご.*|みな|みんな|たく|じゅう|かあ|とう|ねえ|にい|ばあ|じい|おば|おじ|あか|赤|ぼく|きみ|わたし|あなた|うち|こちら|そちら|どちら|どなた|だれ|これ|それ|あれ|どれ|ここ|そこ|あと|まえ|はい|いいえ|ええ|では|じゃあ|それで|その|この|あの|どの|とても|もう|まだ|また|すぐ|ちょっと|そう|ありがとう|すみません|なし|あり|ほか|もの|こと|ところ|とき|ため|まま|はず|わけ|つもり|よう",
    "みたい|だけ|くらい|ぐらい|ほど|など|ばかり|いつ|いくつ|いくら|りんご|みかん|ねこ|いぬ|サービス|サポート|センター|システム|ユーザー?|メンバー|スタッフ|オーナー|ドクター|ナース|ヘルパー|ドライバー|マネージャー|カスタマー|ゲスト|リーダー|オペレーター|テスト|メール|データ|ファイル|アカウント|パスワード|ログイン|サーバー?|トラブル|エラー|ドア|タイヤ|バス|タクシー|ホテル|クリニック|アパート",
    "マンション|ビル|コース|セット|プラン|サイズ|タイプ|ペット|トイプー?ドル|チワワ|アレルギー|イベント|ミーティング|プロジェクト|チーム|パート|アルバイト|バイト|パパ|ママ|ダウン",
  ].join("|")})$`,
  "u",
);
/** Ends of loan words in katakana. */
const LOAN =
  /(?:ション|ング|メント|ター|サー|ナー|ラー|ダー|バー|カー|パー|ヤー|ティー?|ネス|ック|ット|ッド|ップ|ッグ|ッチ|ッシュ|ルーム|ライン|ページ|コード|カード|ボード|ード|ート|ープ|ーム|ース|ズム|ロジー|ワーク|ロール|スター|フト|シー|ポスト|テスト|リスト|コスト|ンク|ンプ|クス|ックス|ビル|ール)$/;
const LAST_NOUN = lazily(`[${NOUN_LAST}]$`, "u");
const LAST_SURNAME = lazily(`[${SURNAME_LAST}]$`, "u");
const LAST_GIVEN = lazily(`[${GIVEN_LAST}]$`, "u");
/** Returns whether a word has two or three Chinese characters. */
const isShort = (word: string) => /^\p{sc=Han}{2,3}$/u.test(word);

/** Ends of names of organisations. */
const ORGANIZED =
  /(?:銀行|信金|金庫|組合|支店|病院|大学|高校|学校|クリニック|センター|会社|商店|ホーム|サービス|ステーション|製作所|水産|工房|印刷|酒造)$/;

/** Returns whether a word can be a name: it has no end of a noun and is in no list of words. */
function isName(word: string): boolean {
  const { surnames, words } = lists();
  if (surnames.has(word)) return true;
  if (words.has(word) || KANA_WORD().test(word) || ORGANIZED.test(word)) return false;
  return !LAST_NOUN().test(word);
}
const isSurname = (word: string) =>
  lists().surnames.has(word) || (isShort(word) && LAST_SURNAME().test(word) && isName(word));
const isGiven = (word: string) => isShort(word) && LAST_GIVEN().test(word) && isName(word);
/** Returns whether a word alone looks like a name: by its last character, or a short word in katakana. */
const looksLikeName = (word: string) =>
  isSurname(word) || isGiven(word) || (/^[ァ-ヺー]{2,8}$/.test(word) && isName(word) && !LOAN.test(word));

const person = (start: number, word: string): Match => ({ start, end: start + word.length, label: "PERSON" });

const ROLES =
  "先輩|先生|教授|准教授|部長|次長|課長|係長|主任|社長|専務|常務|会長|店長|院長|園長|校長|教頭|医師|看護師|看護士|薬剤師|保健師|助産師|弁護士|税理士|委員|議員|市長|知事|選手|監督|コーチ|容疑者|被告|巡査|刑事|支店長|所長|室長|師長|住職|理事長?|夫妻|夫人|母|父|ママ|パパ|主査|主事|副部長|リーダー|マネージャー";
const HONORIFIC = "様|さま|さん(?!ぽ)|サン(?!プ)|ちゃん|くん|君|氏(?!名)|殿|どの(?= ?$)";
const RELATIVES =
  "妻|夫|父|母|長男|次男|三男|四男|長女|次女|二女|三女|息子|娘|兄|姉|弟|妹|孫|甥|姪|叔父|叔母|伯父|伯母|祖父|祖母|義父|義母|義兄|義姉|義弟|義妹|従兄|従妹|いとこ|婚約者|旦那|主人|家内|嫁|婿|友人|友達|親友|同僚|上司|部下|後輩|先輩|恩師|隣|隣人|同居人|元妻|元夫|彼女|彼氏";
/** Words for a person's part before a name, as in 担当 or 患者. */
const PARTS = [
  "氏 {0,3}名|お?名 {0,3}前|姓名|氏名カナ|フリガナ|ふりがな|ヨミガナ|よみがな|カナ|かな|差出人|宛先|宛名|受取人|受取|(?:口座)?名義人?|患者名?|患者さま|利用者名?|入居者名?|記載者?|記録者?|記入者|作成者?|報告者?|起票者?|対応者?|対応|申請者|申込者|申込人|届出人|契約者|被保険者|世帯主|世帯員|保護者|連絡者|緊急連絡先|代表者?|代表取締役(?:社長)?|代表社員|社長|責任者|主治医|担当医|医師|看護師|司会者?|議長|書記|同行者|同伴者|宿泊者",
  "予約者|予約名|お客様名?|顧客名?|ご?依頼主|ご?依頼者|お?届け先|お?届出先|送り主|送付先|発送元|配送先|振込先|送金先|振込人|依頼人|注文者|ご注文主|購入者|会員名?|生徒名?|児童名?|園児名?|学生名?|講師|参加者|出席者?|欠席者?|執筆者?|著者|記者|取材|聞き手|話し手|語り手|面接官|面接者|応募者|候補者|家主|大家|貸主|借主|賃借人|賃貸人|売主|買主|連帯保証人|保証人|甲|乙|原告|被告|代理人|弁護人|弁護士|相談者|相談員|通報者|目撃者|運転者|乗客名?|搭乗者名?|配偶者|ご?担当者?(?:医|名)?|(?:営業|朝食|経理|窓口)担当|店長|院長|園長|部長|課長|係長|主任|施設長|管理者|施主|喪主|故人|遺族",
  "被相続人|相続人|受講者|受験者|受診者|受検者|検査者|飼い主|ペット名|発信者|投稿者|回答者|承認者|確認者|立会人|証人|従業員名?|社員名?|職員名?|スタッフ|ドライバー|ケアマネ(?:ジャー)?|キーパーソン|続柄|受付",
].join("|");
const BOUNDARY = "(?=[\\n\\t ,、。;|()」』】\\[\\]/・…\"'*<>]|$)";
const ONE = `(?!(?:様|さん|さま|殿|御中)(?!${SIGN}))(?:${HAN}{1,5}?(?:(?!さん|さま|くん|ちゃん|です|より|まで|から)${HIRA}{1,3})?|${KATA}{2,12}|${HIRA}{2,8}|${HAN}{1,2}${HIRA}{1,3}${HAN}{1,2}|${HAN}{1,3}${KATA}{2,6})`;
const FULL = `(?:${ONE}(?:[ ・=]{1,2}${ONE}){0,3}|${LATIN_NAME})`;
const FIELD = lazily(
  `(?<!(?:${HIRA}|${KATA})(?=[ァ-ヺかふよ]))(?:${PARTS})(?:\\([^()\\n]{1,10}\\))?(?: ?[Nn]ame)? {0,3}(?:[:=→】]| (?=\\P{L}{0,3}\\p{L})) {0,4}(?:(?:${ROLES}|様) )?(${FULL})(?=[ ]?(?:${HONORIFIC}|${ROLES})|${BOUNDARY})`,
  "gu",
);
/** The same, with a name in Chinese characters or katakana before anything. */
const FIELD_SHORT = lazily(
  `(?:${PARTS})(?:は|[:】]? ?)(${HAN}{1,4} ${ONE}|${KATA}{2,8} ${KATA}{2,8}|${HAN}{2,4}|${KATA}{2,10})(?=です|と申|まで|より|宛)`,
  "gu",
);
/** Fields in which every value is a name. */
const SURE = /氏 {0,3}名|名義|フリガナ|ふりがな|よみ|ヨミ|カナ|患者名|利用者名|受取人|差出人/;

/** Returns whether the parts of a name can be a name. */
const isFull = (word: string) => word.split(/[ ・=]+/).every(isName);

const HONORED = lazily(
  `(?<!${HAN}|${KATA})(${HAN}{1,5}|${HAN}{1,4} (?:${HAN}{1,4}|${HIRA}{2,5}|${KATA}{2,6}|${HAN}{1,2}${HIRA}{1,2})|${HAN}{1,3}${KATA}{2,5}|${HAN}{2,3}${HIRA}{2,4}|${KATA}{2,12}(?:[ ・=]${KATA}{1,12}){0,3}) ?(?:${HONORIFIC}|(?<=[\\p{sc=Han}ァ-ヺー]{2})(?:${ROLES}))(?!子|々)`,
  "gu",
);
const IN_KANA = lazily(
  `(?<!${HIRA}|${HAN})(?:あと|うちの|それと)?(${HIRA}{2,4}(?: ${HIRA}{2,5})?(?:(?=さん|くん|ちゃん|様|先生|先輩|氏)(?:(?<=ー)(?:くん|ちゃん))?))`,
  "gu",
);
/** The same, with a character at the end: よし江. */
const MIXED = lazily(`(?<=[のは、。\\s]|^)(${HIRA}{2,3}${HAN}{1,2})(?=さん|くん|ちゃん|様)`, "gu");
const LATIN_HONORED = lazily(`(?<![\\p{L}\\p{N}])(${LATIN_NAME})(?= ?(?:様|さん|さま|氏|くん|ちゃん|先生))`, "gu");
/** Words before and after a name with an honorific that are no part of it. */
const HEAD = new RegExp(
  `^(?:ご?担当|代表|店長|部長|課長|係長|主任|社長|会長|看護師|医師|総務|経理|営業|人事|${RELATIVES})(?=[\\p{sc=Han}ァ-ヺ]{2}| )`,
  "u",
);
const TAIL = /(?<=.)(?:叔父|叔母|伯父|伯母|お?姉|お?兄|先生|部長|課長)$/u;

const AFTER_THIS = "(?=と申し|と申す|と言います|といいます|でございます|という者)";
const CALLED = lazily(
  `(?<![\\p{sc=Han}ァ-ヺー])(${HAN}{1,5}|${HAN}{1,3} ${HAN}{1,3}|${KATA}{2,12}(?:・${KATA}{2,12})?|${HAN}{2,3}${KATA}{2,5}|${HAN}{2,3}${HIRA}{2,3}|(?<![ぁ-ゖ])${HIRA}{2,6}|${LATIN_NAME})${AFTER_THIS}`,
  "gu",
);
/** "…の設楽です" at the start of an utterance, with the organisation or place before it. */
const THIS_IS = lazily(
  `(?:^|[\\n。!?:、,>「『] ?|[はがもけどて]|です|ます| )(?:[^\\s、。,:!?「」『』]{1,20}(?:の| ))?(${HAN}{1,4}|${HAN}{1,3} ${HAN}{1,3}|${KATA}{2,12}|${HAN}{2,3}${KATA}{2,4}|${LATIN_NAME})(?=です(?:[。.!?\\n ]|$|けど|が[、,]|お|は)|でした。)`,
  "gmu",
);
const GREETED =
  /(?:お世話|お疲れ|はじめまして|初めまして|こんにちは|こんばんは|おはよう|もしもし|突然|失礼|無沙汰|お電話|聞き手は|司会の|名前は|氏名は|担当は|わたくし|わたし|私|主人は|妻は|夫は|父は|母は|名は)[^\n]{0,30}\n?\s?[^\n]{0,24}$|[>≫] ?$/;
const BUSINESS =
  "(?:弊社|当社|同社|御社|弊店|当店|当院|同院|当方|うち|本校|当園|当行|弊所|当所|担当(?:者|医)?|代表|社長|店長|部長|課長|係長|主任|院長|教授|医師|看護師|秘書|事務|経理|総務|営業|人事|会計|司会|講師|コーチ|監督|理事|隣(?:家)?|ケアマネ(?:ジャー)?|ヘルパー)";
const OF = lazily(
  `(?:${RELATIVES}|${BUSINESS})の(${HAN}{1,4}(?: ${HAN}{1,3})?|${HAN}{1,3}(?!さん|さま|くん|ちゃん)${HIRA}{1,3}|${KATA}{2,10}|${HIRA}{2,5}|${LATIN_NAME})(?=[ ]?(?:[はがにをもとへの、。,()（\\n]|から|より|です|で|まで|$))`,
  "gu",
);
const RELATIVE_IS = lazily(
  `(?:${RELATIVES}|名前|氏名|名|担当|聞き手)は(${HAN}{2,5}|${HAN}{1,3}${HIRA}{1,3}|${KATA}{2,10}|${HIRA}{2,6})(?=です|だ|でし|と申|とい|で、)`,
  "gu",
);
/** Acts that people do or receive. */
const ACTING = lazily(
  `(?<!${HAN}|${KATA})(${HAN}{2,4}|${KATA}{2,8})(?=(?:に|にも|へ)(?:引き継|連絡|電話|確認|聞い|聞き|頼[みんむ]|伝え|任せ|共有|相談|渡し|お願い|報告|代わ)|が(?:担当|対応|同席|伺|退院|入院|亡くな|育休|産休|結婚|出産|引き継|来[てまた]|言っ|倒れ|転ん|退職|就任|異動|辞め|着任|退任|入社|怪我|搬送|受診|通院|電話|欠席|遅れ|立て替え|参り|訪問)|から(?:連絡|電話|聞[いき])|を(?:逮捕|紹介|呼ん|迎え)|と(?:二人|会[いっ]|結婚|一緒))`,
  "gu",
);
/** Names before an age, a thing that people have, or the end of an address. */
const OWNING = lazily(
  `(?<!${HAN}|${KATA})(${HAN}{2,5}|${KATA}{2,8})(?=(?:さん)?[(、, ]{1,2}\\d{1,3}(?:歳|才)|[(]\\d{1,2}[)]|宛て?|名義|あて(?:に|の)|の(?:妻|夫|母|父|息子|娘|担当|誕生日|携帯|電話|住所|保険証|自宅|口座|連絡先|カルテ|席|代理)|は(?:[^\\n。、]{1,8}出身|本日|今日|現在|来週|昨日|明日|先週|今週|体調|休み|欠席|出張))`,
  "gu",
);
/** People after a word for a list of them. */
const PEOPLE = lazily(
  `(?:出席者?|参加者|メンバー|欠席者?|同行者|宛先|CC|Cc|家族|選手|出演|講師|委員|当番|班員|担当) {0,2}(?:: ?| )((?:${ONE}(?: ${ONE})?(?:さん|様|氏|くん|委員)?[、,・/ ] ?){1,12}${ONE}(?: ${ONE})?)(?=[ \\n。(さ様ほ他]|$)`,
  "gu",
);
/** The head of a line of a chat: a time, and a name between tabs. */
const IN_CHAT = lazily(`^\\d{1,2}:\\d\\d\\t(${SIGN}{1,10}|${LATIN_NAME})(?=\\t)`, "gmu");
const GREETED_BY_NAME = lazily(`^(${HAN}{1,4}|${KATA}{2,8}|${HIRA}{2,6})(?=へ[ 。、]{0,2}$)`, "gmu");
/** A name and its reading in brackets. */
const READING = lazily(
  `((?:${HAN}{1,4} ?(?:${HAN}{1,4}|${HIRA}{1,5}|${KATA}{1,6})?)) ?[(](${HIRA}{2,8}[ ・]?${HIRA}{2,8}|${KATA}{2,8} ${KATA}{2,8})[)]`,
  "gu",
);
/** A family and a given name with a space between them. */
const SPACED = lazily(
  `(?<!${SIGN})(${HAN}{1,6}|${KATA}{2,6})(?= (${HAN}{1,3}|${HIRA}{2,5}|${KATA}{2,6}|${HAN}{1,2}${HIRA}{1,2}|${HIRA}{1,2}${HAN}{1,2})(?:様|さん|殿|先生|[はがにをもとのへ、]${SIGN}|です|[^\\p{sc=Han}ぁ-ゖァ-ヺー]|$))`,
  "gu",
);
const FOREIGN = lazily(`(?<!${KATA}|・)(${KATA}{1,12}(?:[・=]${KATA}{1,12}){1,4})(?!${KATA})`, "gu");
const GIVEN_ALONE = lazily(`(?<!${KATA}|・)(?:${GIVEN.replaceAll(" ", "|")})(?!${KATA})`, "gu");
/** A frequent family name, with a given name after it. */
const FAMILY = lazily(
  `(?<!${HAN})(?:${SURNAMES.replaceAll(" ", "|")})(?:(?=(?:${HONORIFIC}|${ROLES})(?!${HAN}))|${HAN}{1,2}[${GIVEN_LAST}](?!${HAN})|${HAN}?[${GIVEN_LAST}](?!${HAN})|(?=[^\\p{sc=Han}]|$))`,
  "gu",
);

/** The last lines of a letter, and words before the signature. */
const SIGNED = lazily(
  `(?:^|\\n)[> ]{0,3}(?:(?:[^\\n]{0,24}(?:部|課|室|係|科|局|店|社|院|所|園|校|会|組合|銀行|センター|ステーション|楽器|営業|経理|総務|人事|担当|代表|\\d)|${SIGN}{2,10}) {1,3})?(${HAN}{1,5}|${HAN}{1,4} ${HAN}{1,4}|${HAN}{1,3} (?:${HIRA}{2,5}|${KATA}{2,6})|${HAN}{1,3}${HIRA}{2,3}|${KATA}{2,8})(?: より| 拝)?(?: {1,3}(?:次回|\\(?0\\d|〒|TEL|☎|[a-z])[^\\n]{0,40})?(?=\\s{0,9}$)`,
  "gu",
);
const BELOW_CLOSING = lazily(
  `(?:敬具|かしこ|草々|以上|よろしくお願い[^\\n]{1,12}|ありがとうございま[^\\n]{1,6})[。]?\\n{1,2} {0,12}(?:[^\\n]{0,20} )?(${HAN}{1,5}|${HAN}{1,4} ${HAN}{1,4}|${HAN}{1,3} ?${HIRA}{2,5}|${KATA}{2,8}|${HIRA}{2,6})(?=\\n|$| より)`,
  "gu",
);
const BESIDE_PHONE = lazily(
  `(?<!${SIGN})(${HAN}{2,5}|${HAN}{1,3} (?:${HAN}{1,3}|${HIRA}{2,5}))(?= {1,3}(?:\\(?0\\d{1,4}\\)?-|TEL))`,
  "gu",
);

/** Maximum number of names that are looked for again. */
const MOST = 500;
/** Runs of signs of one script that may begin with a name. */
const WORDS = lazily(`(?<!${HAN})${HAN}{1,12}${HIRA}{0,4}|${KATA}{2,20}|(?<!${HIRA}|${HAN})${HIRA}{2,12}`, "gu");
/** What follows a name in kana or of one character. */
const AFTER_NAME = new RegExp(`^(?:${HONORIFIC}|${ROLES}|[はがのにをもとへ](?!\\p{sc=Hiragana}))`, "u");

/** Returns the groups of expressions as names. */
const named = (
  text: string,
  patterns: readonly Lazy[],
  isMeant?: (word: string, match: RegExpMatchArray) => boolean,
  group = 1,
) => patterns.flatMap((pattern) => matches(text, pattern, "PERSON", isMeant, group));

/** Returns whether a name of two parts can be one: a part of it has a typical end. */
const isSpaced = (family: string, given: string) =>
  isFamily(family) &&
  isName(given) &&
  (LAST_GIVEN().test(given) ||
    (given.length < 3 && isSurname(family)) ||
    (/^[ぁ-ヺー]+$/.test(given) && /^\p{sc=Han}/u.test(family)));
const isFamily = (word: string) => word.length < 5 && isName(word) && !LOAN.test(word);

/** Finds family and given names with a space between them, without a word for a relative or role before. */
const spaced = (text: string): Match[] =>
  Array.from(text.matchAll(SPACED()), ({ 1: family, 2: given, index }) => {
    const head = HEAD.exec(family!)?.[0].length ?? 0;
    const isMeant = isSpaced(family!.slice(head), given!);
    return isMeant ? [person(index + head, `${family!.slice(head)} ${given}`)] : [];
  }).flat();

/** Returns whether the last line of a letter is a name. */
const isSigned = (word: string) =>
  word.includes(" ") ? isFull(word) : isName(word) && (!/^[ぁ-ゖァ-ヺー]+$/.test(word) || !LOAN.test(word));

/** Code units at the end of a text that are read for a signature. */
const END = 200;
/** Finds the name in the last line. */
function signed(text: string): Match[] {
  const from = text.length > END ? text.indexOf("\n", text.length - END) : 0;
  const last = from < 0 ? "" : text.slice(from);
  return named(last, [SIGNED], isSigned).map(({ start, end, label }) => ({
    start: start + from,
    end: end + from,
    label,
  }));
}

/** Returns whether a name before です is one: after a greeting any, otherwise one that looks like a name. */
function isIntroduced(word: string, { 0: whole, input, index }: RegExpMatchArray): boolean {
  if (!isFull(word) || LOAN.test(word)) return false;
  const at = index! + whole!.lastIndexOf(word);
  return (
    GREETED.test(before(input!, at, 70)) ||
    looksLikeName(word) ||
    (word.length > 2 && /^\s?[^\n]{0,2}\S{1,8}の/.test(whole!))
  );
}

/** Finds names before an honorific or a role, without the words for relatives and roles around them. */
function honored(text: string): Match[] {
  const found: Match[] = [];
  for (const { 0: whole, 1: name, index } of text.matchAll(HONORED())) {
    let [start, word] = [index, name!];
    const head = HEAD.exec(word)?.[0].length ?? 0;
    const tail = head < word.length ? (TAIL.exec(word.slice(head))?.[0].length ?? 0) : 0;
    start += head;
    word = word.slice(head, word.length - tail);
    const isRole = !new RegExp(`^ ?(?:${HONORIFIC})`).test(whole.slice(name!.length));
    if (isFull(word) && (word.length > 1 || !isRole)) found.push(person(start, word));
  }
  return found;
}

/** A line that begins with a speaker: up to two words for a person's part, a name, and ":" or a space. */
const TURN = lazily(
  `^[>≫・ ]{0,3}(?:\\[?\\d{1,2}:\\d\\d(?::\\d\\d)?\\]? {1,2})?(?:(?:${ROLES}|${PARTS}|(?:対応|質問|回答) ?\\(?)[ ]?){0,2}(${HAN}{1,5}?(?:(?!さん|さま|くん|ちゃん)${HIRA}{1,3})?|${HAN}{1,3} ${SIGN}{1,4}|${KATA}{2,12}(?:・${KATA}{2,10})?|${HIRA}{2,8}|${LATIN_NAME})(?:(?:${ROLES}|${HONORIFIC})|\\([^()\\n]{1,10}\\))?\\)?(: ?| {1,2}(?=\\d{1,2}:\\d\\d(?:\\n|$))| {1,2}(?=[^\\n]{2,200}[。?!]\\s*(?:\\n|$)))`,
  "gmu",
);
/** Words before ":" for a speaker's part or a field. */
const NO_SPEAKER = lazily(
  `^(?:${ROLES}|${PARTS}|問|答|質問|回答|解説|客|店員|患者|生徒|本人|家族|母親|父親|男性|女性|記事|本文|注意?|補足|例|但し|内訳|備考|摘要|追伸|要望|現状|回避策|優先度|重要度|結果|原因|理由|目的|方法|手順|材料|作り方|料金|部屋|電話|メール|住所|年齢|性別|職業|趣味|特技|資格|処置|所見|経過|治療|処方|内服|既往歴?|主訴|診断|症状|検査|体温|血圧|脈拍|身長|体重|国籍|到着|出発|配達|会場|場所|日時|期間|時間|対象|持ち物|宿|住まい|.{0,6}(?:番号|先|日|所|名|数|額|料|費|率|度|者|歴|別|地|点|欄|内容|方法|コード|サービス|システム|エラー))$`,
  "u",
);

/** Finds the speakers of a dialogue: several lines begin with a name and the same sign, and a name comes back. */
function turns(text: string): Match[] {
  const counts = new Map<string, number>();
  const lines: { sign: string; match: Match }[] = [];
  const repeated = new Set<string>();
  for (const { 0: whole, 1: name, 2: rest, index } of text.matchAll(TURN())) {
    if (NO_SPEAKER().test(name!) || !isFull(name!)) continue;
    const sign = rest!.trim();
    const key = `${name}${sign}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (counts.get(key)! > 1) repeated.add(sign);
    lines.push({ sign, match: person(index + whole.lastIndexOf(name!, whole.length - rest!.length - 1), name!) });
  }
  return lines.filter(({ sign }) => repeated.has(sign)).map(({ match }) => match);
}

/** Finds the names of a list of people. */
const listed = (text: string): Match[] =>
  matches(text, PEOPLE, "PERSON", undefined, 1).flatMap(({ start, end }) =>
    Array.from(text.slice(start, end).matchAll(/[^、,・/]+/g), ({ 0: word, index }) => {
      const name = word.trim().replace(/(?:さん|様|氏|くん|委員)$/, "");
      return isFull(name) ? [person(start + index + word.indexOf(name), name)] : [];
    }).flat(),
  );

/** Finds the names and their parts where they come again. One character counts only between other signs. */
function again(text: string, found: readonly Match[]): Match[] {
  const names = new Set<string>();
  for (const { start, end } of found)
    for (const part of text.slice(start, end).split(/[ ・=]/))
      if (names.size < MOST && !lists().words.has(part) && /^[\p{sc=Han}ぁ-ゖァ-ヺー]+$/u.test(part)) names.add(part);
  for (const name of [...names]) {
    const family = /^\p{sc=Han}{4,5}$/u.test(name) && isSurname(name.slice(0, 2)) ? name.slice(0, 2) : "";
    if (family) names.add(family);
  }
  const all: Match[] = [];
  for (const { 0: word, index } of text.matchAll(WORDS()))
    for (let length = Math.min(8, word.length); length > 0; length--) {
      const name = word.slice(0, length);
      if (!names.has(name)) continue;
      const rest = word.slice(length);
      const isLong = length > 1 && /^\p{sc=Han}/u.test(name);
      const given = isLong ? (/^\p{sc=Han}{2,3}(?!\p{sc=Han})/u.exec(rest)?.[0] ?? "") : "";
      if (given && isGiven(given)) all.push(person(index, name + given));
      else if (isLong || rest === "" || AFTER_NAME.test(rest)) all.push(person(index, name));
      break;
    }
  return all;
}

/** Finds names by fields, honorifics, relations, introductions, readings and signatures, and where they come again. */
export function japanesePeople(text: string): Match[] {
  if (!JAPANESE.test(text)) return [];
  const found = [
    ...named(text, [FIELD], (word, [whole]) =>
      SURE.test(whole!) ? !/^(?:なし|無し?|同上|本人)$/.test(word) : isFull(word),
    ),
    ...named(text, [FIELD_SHORT, CALLED, RELATIVE_IS], isFull),
    ...named(text, [OF], (word) => isFull(word) && !LOAN.test(word)),
    ...named(text, [IN_KANA], (word) => isName(word.replace(/(?:くん|ちゃん)$/, ""))),
    ...named(text, [LATIN_HONORED]),
    ...named(text, [MIXED], isFull),
    ...honored(text),
    ...named(text, [THIS_IS], isIntroduced),
    ...named(text, [ACTING, OWNING], looksLikeName),
    ...named(text, [IN_CHAT, GREETED_BY_NAME], isFull),
    ...listed(text),
    ...named(text, [READING], (word) => word.includes(" ") || isFull(word)),
    ...named(text, [READING], undefined, 2),
    ...spaced(text),
    ...named(
      text,
      [FOREIGN],
      (word) => word.length > 5 && word.split(/[・=]/).every((part) => !LOAN.test(part) && isName(part)),
    ),
    ...signed(text),
    ...named(text, [BELOW_CLOSING, BESIDE_PHONE], isSigned),
    ...turns(text),
  ];
  const known = [...matches(text, GIVEN_ALONE, "PERSON"), ...matches(text, FAMILY, "PERSON")];
  return [...found, ...known, ...again(text, [...found, ...known])];
}

const isJapanese = (text: string) => JAPANESE.test(text);
const found = (
  text: string,
  label: string,
  patterns: readonly Lazy[],
  group = 0,
  isMeant?: (word: string) => boolean,
) => (isJapanese(text) ? patterns.flatMap((pattern) => matches(text, pattern, label, isMeant, group)) : []);

/** Words right before a name or place that are no part of it. */
const TIME = "(?:[昨明今先本翌]日|先週|来週|今週|先月|来月|今月|昨年|去年|今年|来年|様|現在|毎週|毎月)";
/** Places of a list. */
const LISTED_PLACES = [
  `(?<!${HAN}(?<!${TIME}))(?:${PLACES.replaceAll(" ", "|")})(?:[都道府県市区町村](?![民内外長議立営場]))?(?!浴|が当た|に当た)`,
  `(?<!${KATA})(?:${ABROAD.replaceAll(" ", "|")})(?!${KATA}|字)`,
].map((source) => lazily(source, "gu"));
/** Places by what follows them. */
const NAMED_PLACES = [
  `(?<!${HAN})(${HAN}{1,4}(?:${KATA}${HAN}{1,2})?[都道府県市区町村郡])(?=[^\\p{sc=Han}]|$|${HAN}{1,6}[市区町村])`,
  `(?<!${SIGN})(${HIRA}{2,6}[市町村])(?!${HAN})`,
  `(?<!${HAN}|${KATA})(${HAN}{1,5}|${KATA}{2,8})(?=駅(?!伝|弁|員)|支店|営業所|出張所|支社|インター(?!${KATA})|空港|海岸|行き(?!${HIRA}?[またつ])|経由|[発着](?=[、。の\\s\\d]|便)|出身|在住|生まれ|育ち|出張|工場|方面|駐在|赴任)`,
  `(?<!${HAN}|${KATA})(${HAN}{2,4}|${KATA}{3,8})(?=(?:から|に|へ|で|の(?:実家|家|自宅|親戚|倉庫|工場|事務所|施設|マンション|アパート|センター))(?:引っ越|住[むまんみ]|在住|帰[るりっ省]|戻[るりっ]|転勤|単身|出張|移住|移っ|生まれ|育[ちっ]|暮ら|行[きくっ]|旅行|通勤|異動|発送|配送|到着|出荷|[、。がにはをで]))`,
  `(?<!${HAN}|${KATA})(${HAN}{2,3})(?=から(?!は)|まで|へ(?!の)|経由|方面|側(?:の|は|が)|の件|店(?:[はがにへのを]|$)|の(?:${HAN}{1,4}|${KATA}{2,10})(?:さん|様|です|と申し))`,
].map((source) => lazily(source, "gmu"));
/** Words of two or three Chinese characters that may be a family name or a town by the last one. */
const TYPICAL = lazily(
  `(?<!${HAN}(?<!${TIME})|${KATA})${HAN}{1,2}[田山川村井野原島藤沢澤崎岡橋谷塚浦津尾瀬辺倉坂江池宮嶋脇沼堀畑渕淵岸岐峰窪鍋熊菅桐](?!${HAN}|者)`,
  "gu",
);
/** The same for given names. */
const TYPICAL_GIVEN = lazily(
  `(?<!${HAN}|${KATA})${HAN}{1,2}[郎朗彦哉也斗翔菜奈乃莉梨沙紗那穂帆凛葵颯瑠琉璃玲麟亮遼諒聡浩子](?!${HAN}|${KATA}|供)`,
  "gu",
);
/** Words before such an end that name no place. */
const NO_PLACE =
  /^(?:最寄り?|各|次|隣|近|当|同|本|他|全|新|旧|両|始発|終着|乗換|主要|途中|到着|出発|停車|都市|朝市|青空市|下町|城下町|港町|横町|地区|学区|校区|街区|漁村|山村|市町村|都道府県|政令市|国際|国内|地方|自治区|行政区|選挙区|禁煙区|町|村|市|区|県|海外|東西|南北|実家|.{0,3}(?:大都|同|各|本|当|他|全)[都道府県市区町村郡]|.*(?:鉄|歩|車|街|国|水|報|書|茶|柔|剣|華)道|.*首都)$/;
const isPlace = (word: string) => !NO_PLACE.test(word) && isName(word);

/** Finds words that end like a family name, a town or a given name. */
const typical = (text: string): Match[] => [
  ...found(text, "LOCATION", [TYPICAL], 0, isPlace),
  ...found(
    text,
    "PERSON",
    [TYPICAL_GIVEN],
    0,
    (word) => isName(word) && !/^(?:女|男|親|双|末|王|皇|電|分|原|種|粒)子$/.test(word),
  ),
];

/** Finds places: of a list, with 県, 市 and the like, before 駅 or 支店, and before verbs of living and moving. */
export const japanesePlaces = (text: string): Match[] => [
  ...found(text, "LOCATION", LISTED_PLACES),
  ...found(text, "LOCATION", NAMED_PLACES.slice(0, 3), 1, isPlace),
  ...typical(text),
  ...found(text, "LOCATION", NAMED_PLACES.slice(3), 1, (word) => isPlace(word) && looksLikeName(word)),
];

/** Legal forms and kinds of organisations before and after their names. */
const FORM =
  "株式会社|有限会社|合同会社|合資会社|合名会社|\\((?:株|有|同|福|医|学|財|社)\\)|㈱|㈲|(?:一般|公益)?(?:社団|財団)法人|(?:社会)?医療法人(?:社団|財団)?|社会福祉法人|学校法人|宗教法人|NPO法人|特定非営利活動法人|独立行政法人|国立大学法人|(?:税理士|弁護士|司法書士|行政書士|監査)法人|農事組合法人";
const SURE_KIND = [
  "信用金庫|信用組合|信金|銀行|農協|漁協|生協|漁連|病院|医院|クリニック|診療所|歯科|整骨院|接骨院|鍼灸院|薬局|大学院|大学|高専|高等学校|高校|中学校|小学校|小中学校|幼稚園|保育園|保育所|こども園|学園|学院|専門学校|女学院|アカデミー|研究所|工業|製作所|鉄工所|工務店|商店|商会|商事|物産|製薬|製菓|製紙|製麺|酒造|酒店|醸造|水産|農園|農場|牧場|果樹園|造園|運輸|運送|通運|電鉄|海運|電設|精機|精工|重工|計装|化成|印刷|書房|書店|美容室|理容室|美容院|理髪店|旅館|ホテル|ペンション|珈琲|菓子店|ベーカリー|工房|法律事務所|会計事務所|税理士事務所|設計事務所",
  "協会|協同組合|ステーション|訪看|学習塾|楽器|システムズ|ソリューションズ|エンジニアリング|製鋼|モータース|紙業|呉服店|酒屋|鮮魚店|精肉店|百貨店|デンタル|興業|興産|コーポレーション|ホールディングス|老人ホーム|の里|の家|の郷|苑|荘|亭|デイサービス|不動産|証券|損保|新聞社|テレビ|本舗|住建|建設|電機|電器|タクシー|交通",
].join("|");
const DOUBTFUL_KIND = [
  "皮膚科|眼科|小児科|内科|外科|整形|中学|スクール|研究会|工業所|建築|設計|土木|塗装|産業|製材|食品|園芸|通送|鉄道|バス|航空|倉庫|物流|電力|電工|精密|機械|機工|設備|空調|化学|樹脂|金属|鋼業|出版|新聞|放送|通信|保険|生命|火災|海上|住宅|ハウジング|家具|食堂|喫茶店|工芸|組合|連盟|財団|教室|塾|リフト|テック|自動車|石油|ガス|繊維|織物|縫製|青果|ストア|マート|スーパー|サロン|整備|警備|堂|軒|庵|館|屋|介護センター|支援センター|電気|農業|フーズ|ファーム|サービス|システム|デザイン|企画|企業|商会|ハウス|ホーム|事務所|教会|寺|神社|幼児園|ジム|クラブ|市役所|区役所",
  "町役場|村役場|役場|警察署|消防署|郵便局|税務署|年金事務所|保健所|児童相談所|裁判所|法務局|自治会|町内会|管理組合|商工会議所|商工会|図書館|美術館|博物館|公民館|体育館|動物園|水族館|ケア|ロジ|ラボ|スタジオ|工業団地|合同庁舎|支所|学童|梱包|製パン|製茶|製粉|配送|引越|引越センター|福祉|会計",
].join("|");
const KIND = `${SURE_KIND}|${DOUBTFUL_KIND}`;
const BEFORE_NAME =
  "ホテル|旅館|民宿|湯宿|ペンション|ゲストハウス|民泊|喫茶|美容室|理容室|美容院|カフェ|レストラン|食堂|居酒屋|割烹|料亭|寿司|鮨|そば処|スナック|バー|パン工房|洋菓子|訪問看護|デイサービス|グループホーム|特養|特別養護老人ホーム|老健|ケアハウス|サロン";
const ORGANIZATIONS = [
  `(?:${FORM})(?!入社|[のをにはがとも](?:${HAN}|${KATA}|[、。 ])|設立|勤務|退職|御中|様|代表) ?(?:[\\p{sc=Han}ァ-ヺー・&]|[A-Z][A-Za-z&.-]{1,20}|(?![のはがをにへで](?:[\\p{sc=Han}ァ-ヺA-Z「( ]|より|から)|です|でござ|さん|さま)[ぁ-ゖ]){2,20}`,
  `(?:[\\p{sc=Han}ァ-ヺー&・]{1,12}|(?<!${SIGN})${HIRA}{2,6}[\\p{sc=Han}ァ-ヺー]{0,4}|(?<=[のはが])${HIRA}{3,5}|[A-Z][A-Za-z&]{1,14})(?:${FORM})`,
  `(?<!${HAN}|${KATA})(?:[\\p{sc=Han}ァ-ヺー&・]{1,10}|${HAN}{1,3}(?![のはがをにへでと]|から|まで|より|など)${HIRA}{2,5}|[A-Z][A-Za-z&]{1,14})(?:${KIND})(?:(?!${HAN}|${KATA}|々)|(?=${HAN}{1,6}(?:部|科|課|室|係|支店)))(?:${HAN}{0,3}(?:支店|営業所|工場|支社|本店|分院|分校))?`,
  `(?<=^|[\\n\\s、。「『【(:;]|[のはがをと]|はい)(?!はい|もしもし|えっと|その|この|あの|どの|ある)(?:${HIRA}{2,7}${HAN}{0,2})(?:${KIND})(?!${HAN}|${KATA})`,
  `(?<!${HAN}|${KATA})(?:${BEFORE_NAME}) ?[「『]?(?:${HAN}{1,4}|${KATA}{2,8}|(?![のはがをにへでともや](?:${SIGN}|[、。 ])|する|した|です|など|から|まで|さん|では|には|でも|とは)${HIRA}{2,6})(?:荘|館|亭|園|苑)?(?!${HAN}{2}|${KATA})`,
].map((source) => lazily(source, "gmu"));
/** Organisations by what people do there. */
const EMPLOYED = [
  `(?<!${HAN}|${KATA}|・)((?:${HAN}{1,4}|${HIRA}{2,4})?${KATA}{2,10}(?:${HAN}{1,3})?|${HAN}{2,8})(?=(?:株式会社)?(?:に|を|へ)?(?:入社|転職|就職|勤務|勤め|退職|在籍))`,
  `(?<!${HAN}|${KATA}|・)((?:${HAN}{1,4})?${KATA}{3,12})(?=で(?:働|パート|アルバイト|バイト|派遣|研修|診て|手術|治療|受診|検査)|を受診|に(?:入院|通院|通って))`,
  `「(${SIGN}{2,12})」(?=(?:さん|様)?(?:の|に|を)?(?:ご?予約|勤務|就職|入社))`,
  `(?:発行元|発行者|請求元|販売元|販売店|会社名|勤務先|就業先|派遣先|取引先|ご?利用先|医療機関名?|事業所名?|学校名|施設名|店舗名?|店名|法人名|団体名|会社|宿|保険会社|かかりつけ医?|店舗|施設|施工|発注|請求先|宿泊先|運営|主催|振込元|提出先|紹介元|紹介先|前医|病院|搬送先|振込先|加盟店|宛先|発注先|発注元|納品先|所属|出身校|学歴)(?: {0,3}:| {1,3}) {0,3}(?!なし|無|同|未|別)([\\p{sc=Han}ぁ-ゖァ-ヺー&・A-Za-z]{2,20})(?=[ \\n(、。,/|]|$|です)`,
].map((source) => lazily(source, "gu"));
/** A payee in the form of banks: カ)オリーブテンシ. */
/** Organisations before 御中, a department or a person who introduces himself. */
const ADDRESSED = [
  `(?<![\\p{L}\\p{N}])((?:[\\p{sc=Han}ぁ-ゖァ-ヺー&・A-Za-z]{2,20}))(?= {0,2}御中)`,
  `^[> ]{0,2}([\\p{sc=Han}ァ-ヺー&・A-Za-z]{3,14}|${HIRA}{2,6}${HAN}{1,4})(?= {1,2}${HAN}{1,6}(?:部|課|室|係|担当|営業|科)(?!${HAN}))`,
  `(?:業者|取引先|保険会社|会社|勤務先|仕入先|発注先|委託先|管理会社|メーカー|ベンダー|引っ越し屋|就職先|転職先|前職|バイト先|通院先)(?:は|を|の|が|、|:)((?:${HAN}{1,4})?${KATA}{3,10}(?:${HAN}{1,3})?|${HAN}{3,8})(?=[はがにをのでと、。,]|から|です|$)`,
  `(?:店|会社|宿|施設|民泊|病院|工場|園|塾|カフェ|居酒屋|旅館|サロン|美容室)「(${SIGN}{2,14})」`,
].map((source) => lazily(source, "gmu"));
/** An organisation before the name of a person who introduces himself. */
const OF_SPEAKER = lazily(
  `(?:^|[。、,! ]|はい|もしもし)(?!はい|もしもし)([\\p{sc=Han}ァ-ヺー&・]{3,12}|${HIRA}{2,6}${HAN}{1,4})の(${HAN}{1,4}|${KATA}{2,10})(?=です。|です\\n|と申し|でござ)`,
  "gmu",
);
const PAYEE = lazily(
  "(?<![ァ-ヺー\\p{L}])[カユドシイフザガ][)(][ァ-ヺー0-9 ]{2,20}(?<! )|[ァ-ヺー]{2,16}[(][カユドシ]\\)?(?![ァ-ヺ])",
  "gu",
);
/** Words that stand before the kind of an organisation without naming one. */
const GENERAL_WORDS = [
  "地方|都市|総合|大学|市立|県立|国立|公立|私立|町立|都立|区立|動物|救急|大|小|中|高|近所の|近く|地元|同じ|別|他|各|同|当|本|貴|御|弊|母|全|新|旧|元|専門|一般|個人|民間|医療|福祉|介護|訪問|看護|ビジネス|カプセル|シティ|リゾート|高級|老舗|有名|大手|中小|中堅|社会|火災|生命|自動車|健康|国民|厚生|雇用|労災|損害|医療|学資|海外旅行|ペット|格安|夜行|高速|路線|観光|送迎|市|町|県|国|都|区|村|社員|学生|無料|有料|都市|天然|プロパン|排気|二酸化炭素|生活|労働|情報|光|携帯|移動|公共|建築|耐震|内装|外装|基本|概略|機械|電気|家庭|自家|第一次|第二次|第三次|地場|冷凍|加工|健康|乳|生鮮|養殖",
  "伝統|民芸|有機|料理|英会話|英語|ピアノ|書道|水泳|体操|パソコン|音楽|絵画|茶道|華道|普通|給水|排水|空調|消防|照明|厨房|付帯|電源|宇宙|ガス|電動|充電|サービス|パワー|トレイン|ベース|ミニ|マイクロ|スペース|ガソリン|労働|協同|連合|管理|生産|職員|宿|和|洋|西洋|建売|注文|中古|新築|賃貸|二世帯|公営|市営|分譲|軽|小型|大型|スポーツ|地元の|高層|冷暖房|大規模|簡易|軽量|重量|精密|農業|建設|事務|製造|通信|海上|航空|貸|共同|貸し|個別|進学|産婦人|小児|消化器|循環器|呼吸器|脳神経|心療|整形|形成|口腔|耳鼻咽喉|泌尿器|矯正|審美|血液|腎臓|精神|老年|児童|美容|学校|大学|保健",
  "夜間|休日|女子|男子|通信制|全日制|理系|文系|医科|附属|付属|隣の|うちの|こちらの|あの|その|この",
].join("|");
/** Words before a kind that name nothing, alone or together. */
const GENERAL = new RegExp(
  `^(?:(?:${GENERAL_WORDS}){1,4}(?:${KIND}|${FORM})|(?:${KIND}|${FORM}){1,2}|.*(?:の際|こと|ため|よう|また|ので|から|たら|ます|です|した|して|った|きた|する)(?:${KIND}).*)$`,
  "u",
);
const DOUBTFUL = lazily(`^(.*?)(?:${DOUBTFUL_KIND})$`, "u");
const WITH_HEAD = lazily(`^(?:${FORM}|${BEFORE_NAME})`, "u");
const SURE_END = lazily(`(?:${SURE_KIND}|${FORM})$`, "u");
const isKnownPlace = (word: string) => lists().places.has(word);
/** Returns whether a word names an organisation: before some kinds a name or place must stand. */
function isOrganization(word: string): boolean {
  if (GENERAL.test(word) || lists().words.has(word)) return false;
  if (WITH_HEAD().test(word)) return true;
  const name = SURE_END().test(word) ? undefined : DOUBTFUL().exec(word)?.[1];
  return name === undefined || isKnownPlace(name) || looksLikeName(name) || /^[ぁ-ゖ]{2,6}\p{sc=Han}?$/u.test(name);
}
/** Returns whether what follows a field or stands before a verb of work names an organisation. */
const isEmployer = (word: string) =>
  isOrganization(word) &&
  !/^(?:ご?利用|会社|企業|同社|他社|新卒|コンビニ|スマホ|パソコン|オンライン|ネット|中途|定年|早期|途中|正社員|契約社員|アルバイト|パート|夜勤|日勤|海外|在宅|単身|長年|年間?|ヶ月|テレワーク|リモート|フルタイム|シフト|フレックス|再|現在|当時|.*(?:部|課|月|年|後|日|時|職|員))$/.test(
    word,
  );

const ofSpeakers = (text: string): Match[] =>
  isJapanese(text)
    ? matches(text, OF_SPEAKER, "ORGANIZATION", (word, { 2: name }) => isEmployer(word) && looksLikeName(name!), 1)
    : [];

/** Finds organisations by their legal form, by what they are, and by the fields and verbs of work. */
export const japaneseOrganizations = (text: string): Match[] => [
  ...found(text, "ORGANIZATION", ORGANIZATIONS, 0, isOrganization),
  ...found(text, "ORGANIZATION", EMPLOYED, 1, isEmployer),
  ...found(text, "ORGANIZATION", ADDRESSED, 1, isEmployer),
  ...found(text, "ORGANIZATION", [PAYEE]),
  ...ofSpeakers(text),
];

/** Illnesses, operations and medicines. */
const ILLNESSES = [
  "(?:[\\p{sc=Han}ァ-ヺー]{1,10}|そば|たまご|えび|かに|くるみ|ごま|小麦粉)(?:アレルギー|病|症候群|症(?!状|例)|がん|癌|腫瘍?|結石|骨折|梗塞|不全|麻痺|ヘルニア|貧血|肥大|脱臼|捻挫|褥瘡|褥創|喘息|潰瘍|ポリープ|肺炎|炎|狭窄|拘縮|血栓|塞栓|動脈瘤|白血病|リンパ腫|肉腫|脳症|浮腫|感染症|剥離|変性|白斑|痛風|関節痛|神経痛|頭痛|腰痛|膝痛|中毒|低下症|亢進症|後遺症|奇形|断裂|挫傷|火傷|熱傷|てんかん|けいれん|リウマチ)(?:後遺症)?",
  "(?:パニック|発達|知的|精神|睡眠|摂食|適応|不安|双極性|強迫性|学習|人格|[\\p{sc=Han}]{1,3}機能|聴覚|視覚|嚥下|身体|歩行|意識|味覚|血行|構音|パーソナリティ)障害|(?:脳|くも膜下|眼底|硝子体|消化管|脳内|不正|皮下|関節内)出血|(?:[\\p{sc=Han}]{0,2}靭帯|半月板|頸?頚?椎|脊髄|神経|[\\p{sc=Han}]{1,2}腱)損傷|[\\p{sc=Han}]{1,4}依存症|(?:発|湿|薬|蕁麻)疹",
  "(?:[鎖手足大腕肋頭腰膝肘顎鼻指]{1,2}(?:骨|首|腿|の骨)?(?:を|の))(?:骨折|脱臼|捻挫)|[\\p{sc=Han}ァ-ヺー]{1,8}(?:切除術|置換術|摘出術?|形成術|全摘|部分切除|摘出|バイパス術|カテーテル治療|移植)|帝王切開|人工透析|透析|化学療法|放射線治療|抗がん剤(?:治療)?|ペースメーカー|(?:膝の)?人工(?:股|膝|肩)?関節|胃ろう|ストーマ",
  "はしか|風疹|麻疹|水ぼうそう|水痘|おたふく(?:かぜ|風邪)?|インフル(?:エンザ)?|ノロ(?:ウイルス)?|ロタ(?:ウイルス)?|コロナ(?:陽性|感染)?|溶連菌(?:感染症)?|マイコプラズマ(?:肺炎)?|アデノウイルス|ヘルペス|帯状疱疹|とびひ|手足口病|ヘルパンギーナ|結核|梅毒|クラミジア|HIV|エイズ|うつ(?:病|状態)?|鬱病|躁うつ病|統合失調症|適応障害|双極性障害|パニック発作|不眠症?|ADHD|ASD|自閉症(?:スペクトラム)?|ダウン症(?:候群)?|脳性まひ|認知症|アルツハイマー(?:型認知症)?|パーキンソン病?|てんかん|高血圧(?:症)?|低血圧|高脂血症|脂質異常症|糖尿(?:病)?|[12]型DM|[12]型糖尿病|痛風|胃潰瘍|胃炎|胃がん|腸閉塞|虫垂炎|盲腸|胆石|脂肪肝",
  "肝硬変|B型肝炎|C型肝炎|ぎっくり腰|四十肩|五十肩|めまい|メニエール病|花粉症|アトピー(?:性皮膚炎)?|蕁麻疹|じんましん|湿疹|水虫|白内障|緑内障|網膜剥離|飛蚊症|難聴|突発性難聴|中耳炎|扁桃炎|気管支炎|COPD|心房細動|不整脈|狭心症|心筋梗塞|脳卒中|くも膜下出血|脳出血|脳梗塞|妊娠(?:糖尿病|\\d{1,2}週)|流産|早産|切迫早産|つわり|更年期障害|子宮筋腫|子宮内膜症|痔|前立腺肥大(?:症)?|膀胱炎|腎盂腎炎|ネフローゼ|川崎病|橋本病|バセドウ病|甲状腺機能(?:低下|亢進)症|誤嚥性肺炎|骨粗鬆症|サルコイドーシス|クローン病|潰瘍性大腸炎|ヘモグロビン尿|乳がん|肺がん|大腸がん",
  "要介護度?[1-5](?=.{0,2}認定)",
].map((source) => lazily(source, "gu"));
const BRANDS = [
  "ロキソニン|カロナール|ボルタレン|バファリン|バイアスピリン|アスピリン|ワーファリン|ワルファリン|プラビックス|エリキュース|イグザレルト|リクシアナ|タミフル|イナビル|リレンザ|ゾフルーザ|サワシリン|クラビット|フロモックス|メイアクト|ジスロマック|アムロジピン|ノルバスク|アダラート|オルメテック|ミカルディス|ブロプレス|ディオバン|ラシックス|アルダクトン|リピトール|クレストール|メバロチン|ゼチーア|ジャヌビア|メトグルコ|アマリール|フォシーガ|ジャディアンス|オゼンピック|リベルサス|ランタス|トレシーバ",
  "ノボラピッド|ヒューマログ|チラーヂン|メルカゾール|プレドニン|プレドニゾロン|リンデロン|デカドロン|シングレア|キプレス|オノン|アレグラ|アレロック|ザイザル|クラリチン|ムコダイン|メプチン|アドエア|シムビコート|レルベア|フルティフォーム|パルミコート|ガスター|タケキャブ|タケプロン|ネキシウム|パリエット|マグミット|酸化マグネシウム|ビオフェルミン|ミヤBM|レクサプロ|パキシル|ジェイゾロフト|サインバルタ|デパス|ソラナックス|リーゼ|マイスリー|ハルシオン|レンドルミン|ベルソムラ|デエビゴ|エビリファイ|リスパダール",
  "ジプレキサ|セロクエル|デパケン|テグレトール|リーマス|ラミクタール|コンサータ|ストラテラ|インチュニブ|アリセプト|メマリー|レミニール|メネシット|マドパー|ハルナール|ユリーフ|アボルブ|ベシケア|ベタニス|フェロミア|フェログラデュメット|リウマトレックス|ヒュミラ|エンブレル|レミケード|フォサマック|ボナロン|プラリア|ゲーベン|ヒルドイド|プロトピック|デュピクセント|ステロイド|モルヒネ|オキシコンチン|フェントス|トラムセル|リリカ|タリージェ|葛根湯|[\\p{sc=Han}]{2,6}湯(?=を?(?:服用|処方|内服|飲))|芍薬甘草湯|抑肝散|当帰芍薬散|加味逍遙散|五苓散",
  "エピペン|ピル|ニトロ(?:ペン)?",
].join("|");
const MEDICINES = [
  "[ァ-ヺー]{2,12}(?:マイシン|シリン|プリル|サルタン|スタチン|ジピン|プラゾール|ゾラム|ゼパム|ロロール|フェナク|トリプタン|グリプチン|グリフロジン|ホルミン|グラルギン|リスプロ|アスパルト|フロキサシン|セフェム|ニゾロン|ゾロン|メタゾン|コナゾール|シクロビル|ビル|キサバン|グレル|ドロネート|チジン|テロール|パム|ピラム|セチン|チアピン|ザピン|ペリドン|アリピプラゾール|カルバマゼピン)錠?(?![ァ-ヺー])|インスリン[ァ-ヺー]{0,10}",
  `(?<!${KATA})(?:${BRANDS})(?!${KATA})`,
  "(?<![ァ-ヺー])[ァ-ヺー]{3,14}(?=(?:錠|カプセル|軟膏|点眼液?|吸入|注|OD錠|散|シロップ|テープ)?(?: ?\\d{1,4}(?:\\.\\d{1,2})? ?(?:mg|μg|㎎|単位|錠)|を?(?:服用|内服|処方|塗布|吸入|投与|皮下注)))",
].map((source) => lazily(source, "gu"));
/** Words with such an end that are no illness of a person. */
const NO_ILLNESS =
  /^(?:.*(?:システム|通信|ネットワーク|機器|回線|接続|サーバー?|データ|電波|交通|運行|営業|重大|機能|設備|動作|軽度な|妨害|無|不|再現|損益|物損|器物|破損)(?:障害|損傷|出血)|障害|コンピュータウイルス|(?:主|原|持|疾|発|看|闘|持|臨|伝染|各|同|急|大|仮|万|無|多|難|重|奇|成人)病|(?:重|軽|無|発|対|炎|病|同|後遺|認|感|既往|合併|各)症|.*(?:火|気|陽|外|発)炎|(?:新型|コンピューター?)ウイルス|(?:二次|院内|空気|飛沫|接触|家庭内)?感染|赤字出血|大出血|.{0,4}(?:システム|ポンプ|部品|車両|バッテリー)(?:切断|肥大|脱臼|変性|剥離)|回線切断|通話切断|切断|接続切断|過敏|肥大|出血|疹|炎|病|症)$/;

/** Words of time, people and degree before an illness. */
const BEFORE_ILLNESS =
  /^(?:(?:去年|昨年|先月|今年|今月|先週|昨日|昨夜|今朝|以前|現在|最近|翌日|当時|主人|母|父|妻|夫|兄|姉|弟|妹|祖母|祖父|娘|息子|孫|[歳時月日年]頃?|年前|週間前|主病名?|病名|診断名?|既往歴?|疾患|傷病名?)+)(?=.{2})/;

/** Finds illnesses, operations and medicines. */
export const japaneseIllnesses = (text: string): Match[] =>
  found(text, "HEALTH", [...ILLNESSES, ...MEDICINES]).flatMap((match) => {
    const word = text.slice(match.start, match.end);
    const head = BEFORE_ILLNESS.exec(word)?.[0].length ?? 0;
    return NO_ILLNESS.test(word.slice(head)) ? [] : [{ ...match, start: match.start + head }];
  });

const NUMERAL = "[〇零一二三四五六七八九十百千]";
const ERA = "(?:令和|平成|昭和|大正|明治)";
const WEEKDAY = "(?: ?[(][月火水木金土日](?:・祝)?[)])?";
const YEAR = `(?:${ERA} ?(?:元|${NUMERAL}{1,4}|\\d{1,2})年|[一二][〇零一二三四五六七八九千]{1,2}[〇零一二三四五六七八九百]{1,4}年)`;
const DATES = [
  "(?<!\\d)\\d{1,2}月\\d{1,2}(?=[、・〜~-]\\d{1,2}日)|(?<![\\d./-])(?:19|20)\\d\\d/(?:0?[1-9]|1[0-2])(?![\\d/])",
  `${YEAR}(?:の? ?(?:${NUMERAL}{1,3}|\\d{1,2})月(?: ?(?:${NUMERAL}{1,3}|\\d{1,2})日)?)?${WEEKDAY}`,
  `(?<!${NUMERAL}|第)(?:十[一二]?|[一二三四五六七八九])月(?:の?${NUMERAL}{1,3}日)?(?!目|${HAN}(?<![分末中上下頃初以付着発]))${WEEKDAY}`,
  `(?<![\\p{sc=Latin}\\p{N}.])[RHS] ?\\d{1,2}[./年] ?\\d{1,2}[./月] ?\\d{1,2}日?(?!\\d)`,
  `(?<![\\d./]|\\d年)(?:0?[1-9]|1[0-2])月(?![\\d額々刊 ]|号|末日)(?:上旬|中旬|下旬|末|頃)?`,
  `(?<![\\d月./]|[月約計毎中間あ](?:と)?)(?:[12]?\\d|3[01])日(?:[(][月火水木金土日][)]|(?=付|締|引き落|着|発|午前|午後|正午|\\d{1,2}時|必着|夜|夕方|朝|(?<!(?<!\\d)[1-5]日)(?:に(?!\\d|一|わた|及)|は|が|を|も|の(?!間|休み)|まで(?!に?\\d)|から|頃|ごろ|以降|納|入荷|振|支払|退院|入院|手術|開催|[、。]))|(?<=[月日〜~-](?:[12]?\\d|3[01])日)(?!間|目|分|程|以))`,
  `(?<=[〜~-] ?)(?<=日[^\\n]{0,4})(?:[12]?\\d|3[01])日(?!間|目|分|程|以)`,
  `(?<!${HAN}|${KATA})(?:十[一二三四五六七八九]|二十[一二三四五六七八九]?|三十一?)日(?!間|目|分|${HAN})|(?<=明日|明後日|昨日|今日|翌日|来月|今月|月)(?:${NUMERAL}{1,3})日(?!間|目|分)`,
  `(?<![\\d./-]|\\d:|第)(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\\d|3[01])(?![\\d/%.]|点|人|名|個|件|回|頁|ページ|台|枚|本|[ ]?(?:cup|カップ|量|サイズ))(?: ?[(][月火水木金土日][)]|(?=[にのはまかでよ、。)(〜~ -]|[ ]?\\d{1,2}:|$|\\n|着|発|分))`,
].map((source) => lazily(source, "gmu"));

/** Returns whether a day and a month are no fraction or score. */
const isDay = (word: string) => !/^(?:1\/[2345]|2\/[35]|3\/4|\d{1,2}\/10|5\/5)$/.test(word);

/** Finds dates with eras and numerals, and months and days alone. */
export const japaneseDates = (text: string): Match[] => found(text, "DATE", DATES, 0, isDay);

const AGES = [
  `(?<!${HAN}|第)${NUMERAL}{1,4}(?:歳|才)(?!以|未|能|児|から|まで|台)|(?<!\\d)(?:1[01]\\d|\\d{1,2}) ?才(?!能|以|未)|\\d{1,2}歳\\d{1,2} ?[かヶカケヵ]月|(?<=(?:さん|容疑者|被告|氏|くん|ちゃん|様)[(])\\d{1,3}(?=[)、,])|生後 ?(?:\\d{1,2}|${NUMERAL}{1,3}) ?(?:[かヶカケヵ]月|日|週)`,
  `享年 ?(?:\\d{1,3}|${NUMERAL}{1,4})|(?<=(?:おいくつ|お歳|年齢)[^\\n]{0,20}\\n[^\\n]{0,10}?)(?:${NUMERAL}{2,3}|(?<!\\d)\\d{2,3})(?=です|になり|歳)|(?<=年は|歳は|今年で|もう)(?:${NUMERAL}{2,3}|\\d{2,3})(?=です|になり|[、。])`,
  `満(?:1[01]\\d|\\d{1,2})歳(?!以|未)`,
  `[三四五六七八九]つ(?=に(?:なり|なる|なっ))|(?:[二三四五六七八九]十[一二三四五六七八九]?)(?=に(?:なり|なっ))`,
].map((source) => lazily(source, "gu"));

/** Finds ages in numerals and words. */
export const japaneseAges = (text: string): Match[] => found(text, "AGE", AGES);

/** Digits in numerals and kana, as they are spoken. */
const SPOKEN_DIGIT =
  "(?:[〇零一二三四五六七八九\\d]|ゼロ|ぜろ|れい|まる|いち|イチ|に[いー]?|ニー?|さん|サン|よん|ヨン|ごー?|ゴー?|ろく|ロク|なな|ナナ|しち|はち|ハチ|きゅう?|キュウ?)";
const SPOKEN = [
  `(?:番号|ナンバー|電話|携帯|内線|コード|ダイヤル)[^\\n]{0,6}?(?:は|が|を|の方が) ?(?:えっと|えー|あの|はい)?[、 ]?((?:(?:[A-Z]|${HIRA}{1,3})の)?${SPOKEN_DIGIT}{1,4}(?:[の、 -]{0,2}${SPOKEN_DIGIT}{1,4}){2,8})(?=です|になり|に(?:お|ご|かけ|連絡)|で|と|[、。 \\n]|$)`,
  `(?<!${HAN}|${KATA}|${HIRA}{2})((?:(?:[A-Z]|${HIRA}{1,3})の)?(?:ゼロ)?[〇零一二三四五六七八九]{1,4}の[〇零一二三四五六七八九]{2,4}(?:の[〇零一二三四五六七八九]{2,4}){0,2})(?=です|になり|で|[、。 \\n]|$)`,
].map((source) => lazily(source, "gu"));
const NUMBER_VALUE =
  "((?:[A-Z#]{0,6}[-_ ]?)?(?=[A-Za-z\\d-]{0,12}\\d{2})[A-Za-z\\d]{1,20}(?:[-・/_ ][A-Z\\d]{1,12}){0,4})(?![\\p{sc=Latin}\\d@])";
const NUMBERS = [
  `(?:番号|ナンバー|管理No|伝票No|整理券|受付No|コードNo|会員ID|顧客ID|社員ID|ユーザーID|利用者ID|患者ID|診察券|免許証|保険証|マイナンバー|旅券|チケット|車番|車両|ナンバープレート|カルテNo|請求書|見積書|注文書|契約書|領収書|納品書|伝票|案件|問い?合わせ|レターパック|追跡|受注|発注)(?:\\([^()\\n]{1,12}\\)|ID|No)?(?: ?[:は=】)(」]| No\\.?:?|No\\.?:?| |\\.)? {0,3}[(「]?${NUMBER_VALUE}`,
  `(?<![\\p{sc=Latin}])(?:No|NO|№)[.:]? ?(${"(?=[A-Z\\d-]{0,12}\\d{3})[A-Z\\d]{1,10}(?:-[A-Z\\d]{1,10}){1,4}"})`,
  "(?:普通|当座|貯蓄|口座)(?:預金)?(?:口座)?(?:番号)?[ :：]{0,2}[*x]{0,6}-?(\\d{4,8})(?!\\d)",
  `(?<!${HAN})(${HAN}{1,4} ?\\d{2,3} ?[ぁ-ゖ] ?(?:\\d{1,2}-\\d{2}|[・\\d]{2,5}))(?!\\d)`,
  "(?<![\\d-])(\\d{4}[- ]\\d{4}[- ]\\d{4})(?![\\d-])",
  "(?<![\\p{sc=Latin}\\d./-])((?=[A-Z\\d-]{0,8}(?:\\d-?){5})[A-Z]{1,5}-?\\d{2,10}(?:-[A-Z\\d]{1,10}){0,3})(?![\\p{sc=Latin}\\d./-])",
  `(?:診察券|学籍|社員証?|会員証?|保険証|被保険者証|免許証?|パスポート|在留カード|基礎年金|カード|受験|シリアル|カルテ|検体|契約|記号|学生証)(?: {0,2}:| |は|No\\.?) ?(?:記号)?([A-Z]{0,4}[- ]?\\d{3,12}(?:[-・ ]\\d{1,8}){0,3})(?![\\d年月日円個件人])`,
  "(?<![\\p{sc=Latin}\\d])([A-Z]{3,4} ?\\d{6}-\\d)(?!\\d)",
  "(?<![\\p{sc=Latin}\\d])(T\\d{13})(?!\\d)",
].map((source) => lazily(source, "gu"));
/** Words before a number that is nobody's. */
const NO_NUMBER =
  /(?:型番|品番|型式|製品|商品|部品|電話|郵便|暗証|認証|確認|部屋|問題|ページ|行|ポート|図|バージョン|エラー|章|路線|系統|番組|背|座席|内線|鍵の?|ロック|キー|解錠|パスコード|便名?)(?:番号|ナンバー)/;

/** The form of a telephone number. */
const PHONE = /^0\d{1,4}-\d{1,4}-\d{3,4}$/;

/** Finds numbers after the words for them, accounts, number plates, and spoken numbers. */
export function japaneseNumbers(text: string): Match[] {
  if (!isJapanese(text)) return [];
  const numbers = NUMBERS.flatMap((pattern) =>
    matches(
      text,
      pattern,
      "ID",
      (word, { 0: whole, input, index }) =>
        (word.match(/\d/g)?.length ?? 0) > 2 && !PHONE.test(word) && !NO_NUMBER.test(before(input!, index!, 6) + whole),
      1,
    ),
  );
  return [...numbers, ...SPOKEN.flatMap((pattern) => matches(text, pattern, "ID", (word) => !/^\d+$/.test(word), 1))];
}

const SECRETS = [
  `(?:パスワード|パスコード|パスフレーズ|暗証番号|認証番号|認証コード|確認コード|確認番号|セキュリティコード|合言葉|パス(?![ァ-ヺ])|PW|ＰＷ|PIN(?:コード)?|(?:解錠|開錠|ドア|裏口|玄関|門|オートロック|キーボックス|鍵|ロック|金庫|ロッカー|入室|入館|駐輪場|宅配ボックス)[^\\n。]{0,10}?(?:番号|コード|ナンバー))(?:は|が|:|=|】| |「|を?変更[:→]|\\() ?(?:次の通り|以下)?[:「『(]? ?(\\d{3} \\d{3}(?!\\d)|[\\x21-\\x7e]{3,40}?|${SPOKEN_DIGIT}{3,8})(?=[」』)、。,\\s\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Han}(]|$)`,
].map((source) => lazily(source, "gu"));
const TOKENS = [
  lazily(
    "(?:トークン|APIキー|シークレット(?:キー)?|秘密鍵|アクセスキー|ライセンスキー|プロダクトキー|署名鍵)(?:は|:|=| ) ?[「\"']?([\\w./+=-]{8,})",
    "gu",
  ),
];
const has = (pattern: RegExp) => (word: string) => pattern.test(word);

/** Finds passwords, codes and tokens after the words for them. */
export const japaneseSecrets = (text: string): Match[] => [
  ...found(
    text,
    "PASSWORD",
    SECRETS,
    1,
    has(/\d|[^\p{L}]|[A-Z].*[a-z]|[a-z].*[A-Z]|\p{L}{6}|[〇零一二三四五六七八九]/u),
  ),
  ...found(text, "SECRET", TOKENS, 1, has(/\d/)),
];

const ACCOUNTS = [
  lazily(
    "(?:ユーザー?(?:名|ID|ネーム)?|アカウント(?:名|ID)?|ログイン(?:ID|名)?|ID|ハンドルネーム|ニックネーム|インスタ|ツイッター|LINE ?ID|垢)(?:は|が|:|=|】|「| ) ?「?@?([A-Za-z][\\w.-]{2,30}(?<=\\w))(?![\\w@=(])",
    "gu",
  ),
];
/** Finds user names after the words for them. */
export const japaneseUsernames = (text: string): Match[] =>
  found(text, "USERNAME", ACCOUNTS, 1, (word) => /[\d_.-]|^[a-z]{5,}$/.test(word));

const NUMBERED = `(?:\\d{1,4}|${NUMERAL}{1,4})`;
/** The rest of an address after the numbers: a building and a room. */
const BUILDING =
  "(?:号室|号|階|F)?(?: ?(?!TEL|Tel|FAX|電話|携帯|担当|氏名)[\\p{sc=Han}ァ-ヺーA-Za-z]{1,16}(?:[ -]?[A-Z]?\\d{1,4}(?:号室|号|F|階)?|(?:ビル|マンション|ハイツ|コーポ|荘|館|アパート)))?";
const ADDRESSES = [
  `(?:〒 ?\\d{3}-?\\d{4} ?)?${HAN}{1,8}(?:[ヶケノの]${HAN}{1,3})?[市区町村郡] ?[\\p{sc=Han}ぁ-ゖァ-ヺ]{0,14} ?${NUMBERED}(?:(?:丁目の?|番地?の?|号|条|-|の)${NUMBERED}?){1,6}${BUILDING}`,
  `〒 ?\\d{3}-\\d{4}(?: ?[\\p{sc=Han}ぁ-ゖァ-ヺー]{2,20}[\\d-]{1,12})?`,
  `(?<!${SIGN})(?:東京都|北海道|(?:大阪|京都)府|${HAN}{2,3}県)${HAN}{1,6}[市区町村郡][\\p{sc=Han}ぁ-ゖァ-ヺ]{0,14} ?\\d{1,4}(?:-\\d{1,4}){0,3}(?: [\\p{sc=Han}ァ-ヺーA-Za-z]{1,16}[ -]?\\d{1,4}(?:号室|号|F|階)?)?`,
  `(?<=(?:住 {0,3}所|お届け先|送付先|所在地|本籍|転居先|実家)(?: {0,3}: {0,3}| {1,3}|は))(?:〒\\d{3}-\\d{4} )?[\\p{sc=Han}ぁ-ゖァ-ヺー]{3,24} ?[\\d〇一二三四五六七八九十][\\d〇一二三四五六七八九十丁目番地号の-]{0,16}(?: [\\p{sc=Han}ァ-ヺーA-Za-z]{1,16} ?\\d{1,4}(?:号室|号|F|階)?)?`,
].map((source) => lazily(source, "gu"));

/** Finds addresses with 丁目, 番地 or numbers, and postcodes. */
export const japaneseAddresses = (text: string): Match[] => found(text, "ADDRESS", ADDRESSES);

const AMOUNTS = [
  "(?<![\\d,.])\\d{1,4}(?:[億万千]\\d{0,3}(?:,\\d{3})?){1,3} ?(?:円|ドル|ユーロ)|(?<=[ぁ-ゖァ-ヺ\\p{sc=Han}])[A-Z]{0,3}\\p{Sc}\\d[\\d,.]*\\d",
].map((source) => lazily(source, "gu"));
/** Finds amounts in numerals and signs, and after a currency sign in a sentence. */
export const japaneseAmounts = (text: string): Match[] => found(text, "MONEY", AMOUNTS);
