// What the rules of `redact` find, and what they leave, in Chinese, without a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";

/** Checks that each text, with its personal data between "⟨" and "⟩", loses exactly these. */
async function exactly(texts) {
  for (const marked of texts) {
    const wanted = Array.from(marked.matchAll(/⟨([^⟩]+)⟩/g), ([, word]) => word);
    const { entities } = await redact(marked.replace(/[⟨⟩]/g, ""), { model: false });
    const found = entities.map(({ word }) => word);
    assert.deepEqual(found, wanted, marked);
  }
}

/** Checks that each text stays as it is. */
const unchanged = exactly;

test("fields end with a wide space, a comma or a semicolon", () =>
  exactly([
    "姓名：⟨袁素芬⟩　性别：女　年龄：⟨47岁⟩　住院号：⟨0420117⟩",
    "医师：⟨瞿振东⟩　随访电话：⟨0572-3318806⟩",
    "报修人：⟨阮成林⟩（工号⟨K30418⟩）",
    "姓名：⟨上官月⟩；微信：⟨yue_shang88⟩；国籍：⟨新加坡⟩",
    "家長：⟨歐陽秀雲⟩　電話：⟨0922-118-305⟩",
  ]));

test("names with titles, after words for people, and after introductions", () =>
  exactly([
    "请转告⟨郗⟩教授，会议改到下午。",
    "您好，我叫⟨蒋文静⟩。",
    "我姓⟨缪⟩，你呢？",
    "我儿子⟨龚小海⟩还在上课。",
    "患者⟨司徒敏⟩，⟨62岁⟩。",
    "让⟨小贺⟩过来一下。",
    "名单里有⟨买合木提·艾山⟩老师。",
    "⟨傅⟩老師今天不來。",
  ]));

test("speakers of chats, and further occurrences of their names", () =>
  exactly([
    "⟨芳芳⟩ 20:11\n到哪儿了\n⟨老木匠⟩ 20:12\n刚下班",
    "⟨阿德⟩：明早集合\n⟨湘湘⟩：好的\n⟨阿德⟩：別遲到",
    "主持人：开始吧。\n⟨蒲建国⟩：我先说。\n主持人：⟨建国⟩，请讲。\n⟨蒲建国⟩：谢谢。",
  ]));

test("identifiers, plates, accounts and passwords after their words", () =>
  exactly([
    "我的订单号是⟨DD20250719004⟩，一直没有发货。",
    "车牌⟨苏A·8K31Z⟩停在门口。",
    "验证码⟨481 205⟩，请勿告知他人。",
    "临时口令⟨Rt#91kz⟩，账号⟨wang_lq⟩。",
    "卡号我念给您⟨六二二七零零一八三三九零四七一⟩",
    "手机⟨幺三七零五五八二一九四⟩",
    "发到⟨lin点mei艾特youxiang点example⟩",
  ]));

test("dates, ages and amounts in Chinese numerals", () =>
  exactly([
    "⟨二零二四年三月十六日⟩下午领取。",
    "⟨正月初六⟩开门营业。",
    "她⟨五十三⟩了。",
    "我爸他⟨七十八⟩了。",
    "定金⟨三万二⟩我先付了。",
    "一共⟨一千五百元港幣⟩。",
    "⟨2016.9⟩-⟨2020.6⟩ 本科",
  ]));

test("organisations, places and addresses", () =>
  exactly([
    "我是⟨康泰财险⟩的客服。",
    "他在⟨明德中学⟩教书。",
    "我在⟨郑州⟩出差。",
    "从⟨绍兴⟩坐车过来。",
    "⟨杭州市西湖区文三路90号2单元301室⟩",
    "通訊地址：⟨臺中市北區三民路三段 129 號⟩",
  ]));

test("illnesses, operations and medicines beside a person", () =>
  exactly([
    "⟨毛建军⟩，男，⟨66岁⟩，患⟨冠心病⟩、⟨慢性肾炎⟩，服⟨瑞舒伐他汀⟩10mg。",
    "⟨丁⟩女士对⟨青霉素过敏⟩，做过⟨胆囊切除术⟩。",
  ]));

test("ordinary sentences, instructions and news stay", () =>
  unchanged([
    "高中老师的工资不高，但是很多人愿意当老师。",
    "项目经理负责安排工作，部门主管负责审核。",
    "安装软件之前请先关闭杀毒程序，然后重新启动电脑。",
    "小时候我们常常在河边游泳，路上有很多车辆。",
    "请在附近的银行或者医院办理相关手续。",
    "糖尿病患者应当控制饮食，适当运动，定期检查血糖。",
    "密码必须包含大小写字母和数字，长度不少于八位。",
    "版本号：3.2.1，型号：X200，颜色：黑色，尺寸：30cm。",
    "三岁以下儿童请在家长陪同下使用，全程约三公里。",
    "律师表示，合同条款应当明确双方的权利和义务。",
    "客服：您好，请问有什么可以帮您？\n用户：我想查询物流信息。\n客服：好的，请稍等。\n用户：谢谢。",
    "請先關閉電源，再拆開機殼，並依照說明書的步驟安裝。",
  ]));
