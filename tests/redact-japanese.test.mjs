// What `redact` finds by rules, and what it leaves, in Japanese.
import { test } from "node:test";
import { exactly } from "./redact-marked.mjs";

test("names after names of fields", () =>
  exactly([
    "お名前：[栃折 すみれ]\nフリガナ：[トチオリ スミレ]",
    "患者：[穴吹 徳三]（[82歳]、男性）\n記載：[来生]",
    "宛先：[Olena Koval]様\n差出人：[鍬形 淳]",
    "お届け先　[蒔田 ゆう]\n担当　[郡司]",
  ]));

test("names before honorifics and roles, also with a space within", () =>
  exactly([
    "[蔦木 蓮]様、いつもありがとうございます。",
    "[りと]くんと[ティエン]さんが来ます。",
    "義母の[よし江]さんから電話がありました。",
    "長女[照井 和子]さんより聞き取り。",
  ]));

test("names in introductions and after relations", () =>
  exactly([
    "[檀]と申します。よろしくお願いします。",
    "お世話になっております。[アオイ印刷]の[戸張]です。",
    "妹の[フミ]が来ます。孫の[陽菜乃]は元気です。",
  ]));

test("speakers of a chat, and where their names come again", () =>
  exactly([
    "[ゆずぽん] 21:04\n明日何時に集まる？\n[みっちー] 21:05\n9時で！\n[ゆずぽん] 21:06\nりょうかい",
    "[安曇]：はい、始めます。\n[蛯名]：お願いします。\n[安曇]：[蛯名]さん、資料は？",
  ]));

test("readings in brackets, and signatures", () =>
  exactly(["[廿日出 航平]（[はつかで こうへい]）", "本日はありがとうございました。\n\n[箕輪 さとみ]"]));

test("places of a list, by what follows and after verbs", () =>
  exactly([
    "[札幌]は雪でした。",
    "[鶴来]駅で待ち合わせです。",
    "[ラホール]出身の友人です。",
    "[ベトナム]から来ました。",
  ]));

test("organisations by their forms and kinds", () =>
  exactly([
    "[株式会社はつかり]の書類です。",
    "[みずうみ銀行]と[恵寿総合病院]に行きました。",
    "以前は[さくら運輸]で働いていました。",
    "[ミナトベース]に入社しました。",
  ]));

test("illnesses and medicines near a person", () =>
  exactly([
    "[穴吹]さんは[鉄欠乏性貧血]と[溶連菌]で、[バイアスピリン]を飲んでいます。",
    "[迫田]さんは去年[腰椎ヘルニア]でした。",
  ]));

test("dates with eras and numerals, and months and days alone", () =>
  exactly([
    "[令和五年]に始め、[昭和二十二年の七月]に終わりました。",
    "次回[2/25]に来ます。[9月]に移ります。",
    "期間は[5/3]〜[5/6]です。",
    "作成は[R7.6.1]です。",
  ]));

test("ages, numbers, codes and amounts", () =>
  exactly([
    "父は[六十七歳]、孫は[五つ]になりました。",
    "予約番号[R78120]です。ご注文番号は[四四七の一八二九]です。",
    "車番 [佐賀 100 あ 47-12] です。",
    "ワンタイムパスワード：[630 155]",
    "裏口のコードは[5538]です。",
    "ユーザーは[mononobe.k]です。",
    "レジの現金は[3万4,220円]でした。",
  ]));

test("addresses with towns, numbers and buildings", () =>
  exactly(["住所は[気仙沼市魚町三丁目六番五号]です。", "〔連絡先〕[〒657-0051 神戸市灘区八幡町2-7-19 メゾン六甲305]"]));

test("ordinary sentences, forms and manuals stay", () =>
  exactly([
    "会議室の予約は前日までに総務課へ連絡してください。当日の変更はできません。",
    "この製品は屋外では使用しないでください。電源を切ってからお手入れしてください。",
    "システム障害のためログインできません。担当者が順次対応しております。",
    "大学では経済学を学び、卒業後は銀行に就職したいと考えています。",
    "問題：次の文章を読みなさい。\n解答：ア\n理由：主張と一致するため。",
    "昔々あるところに、おじいさんとおばあさんが住んでいました。",
    "部長会議は午後に変更となりました。人事課長は欠席です。",
    "母は料理が上手で、父は釣りが好きです。窓口から部屋まで歩きます。",
    "質問：返品はできますか。\n回答：7日以内であれば可能です。\n質問：送料は？\n回答：ご負担となります。",
    "古新聞と菓子の様子を見る。野菜は根元から切る。",
    "1日3回、食後に飲みます。2/3以上の賛成が必要です。",
    "皆様、お客様へのご案内です。お母さんと店員さんに聞きました。",
    "書店や歯科医院が入る予定だ。駅からタクシーで向かう。",
  ]));
