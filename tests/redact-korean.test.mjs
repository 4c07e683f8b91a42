// What `redact` finds in Korean without a model, and which ordinary sentences it leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "../dist/node.js";

/** Checks that each text, with its personal data between "[" and "]", loses exactly these. */
async function exactly(texts) {
  for (const marked of texts) {
    const wanted = Array.from(marked.matchAll(/\[([^\]]+)\]/g), ([, word]) => word);
    const { entities } = await redact(marked.replace(/[[\]]/g, ""), { model: false });
    assert.deepEqual(
      entities.map(({ word }) => word),
      wanted,
      marked,
    );
  }
}

test("names after the fields and roles of forms", () =>
  exactly([
    "보호자 1: [도하린] (배우자)\n보호자 2: [도민찬] (자)",
    "임대인: [편무진]\n임차인: [국세라]",
    "예금주 [마해린], [우리은행] [1002-443-882910]",
    "작성자: 인사팀 [마유리] / 승인: 팀장 [소병철]",
    "인솔교사 [함초롬], 참가 학생 열두 명",
    "받는 분 ▸ [설하진] 님",
    "방문자: [설하진] 외 2명",
  ]));

test("names before titles and polite words, whose titles stay", () =>
  exactly([
    "[변태수] 과장님께 전달했고 [추미래] 대리님이 확인 중입니다.",
    "[김] 과장님, [박]대리가 보낸 파일 확인 부탁드려요.",
    "배우자 [국영란] 님과 통화했습니다.",
    "[지수] 어머님께 전화해 주세요.",
    "[이유진] 드림",
    "증인 [봉태수]는 알지 못한다고 진술했다.",
  ]));

test("names after greetings, and after words for relatives", () =>
  exactly([
    "안녕하세요, 하늘숲의 [모지원]입니다. 방문 가능할까요?",
    "환자 이름은 [엄귀례]라고 합니다.",
    "우리 막내 [여울]이는 [일곱 살]이에요.",
    "둘째 [서준]이가 어제 다쳤어.",
    "[민서]야, 약 챙겨.",
  ]));

test("names in Chinese characters, of other countries and of speakers", () =>
  exactly([
    "성명: [표은설] (한자 [表恩雪])",
    "강사 [제니퍼 박], 수강생 [응우옌 티 란]",
    "[채하린]: 언니 나 이번 주말에 [속초] 가\n[모아라]: 오 누구랑 가\n[채하린]: [선영]이랑 [도윤]이랑 같이 가",
    "사회자: 이제 시작할까요 여러분\n면접관1: 자기 소개를 해 주세요\n면접관1: 네 잘 들었습니다 감사합니다\n사회자: 다음 질문을 해 주세요",
  ]));

test("a name that was found comes back, with the given name alone", () =>
  exactly(["담당 [옥태린]\n결과는 [태린] 님께 알려 드리고 [옥태린]은 기다립니다."]));

test("ages in words and beside a name", () =>
  exactly([
    "제 나이는 [예순둘]이에요.",
    "올해 [일흔여덟 살]입니다.",
    "피보험자 [옥만석](남, [58세])",
    "[구르마](여/[44])",
    "저희 애 [28개월]인데 안 자요.",
  ]));

test("places and addresses", () =>
  exactly([
    "고향은 [강원도] [태백]이고 지금은 [원주]에 살아요.",
    "[헬싱키]에서 공부했고 [베트남]에서 살았다.",
    "[충북 청주시 흥덕구 가경로 112번길 9, 301호 (가경동)]",
    "[서울시 마포구 서교동 395-12 2층]",
    "[경기도 용인시 수지구 풍덕천동 한빛아파트 103동 1502호]",
  ]));

test("organisations", () =>
  exactly([
    "[㈜누리온] 대표이사 [함석진]",
    "[한울엔지니어링] 품질팀 [도성훈] 차장",
    "[은빛내과의원] 원장 [목진수]",
    "저는 [아람솔루션]에서 3년 근무했습니다.",
    "딸은 [이화여대] 다니고 아들은 [경북대]를 졸업했어.",
    "원고 [민다솔], 피고 [주식회사 해오름테크]",
  ]));

test("dates", () =>
  exactly([
    "접수일 [2025. 5. 13.] 오전",
    "[96년생]이고 [11월]에 왔습니다.",
    "[구십이년 삼월 십일일]생이에요.",
    "[목요일 십이월 사일]에 뵐게요.",
    "다음 내원일 [9/14]",
  ]));

test("numbers, passwords and user names", () =>
  exactly([
    "접수번호: [25-0417]",
    "운송장번호 [6091 2234 5578], 주문번호 [20240911-00342]",
    "사건번호 [2023가단 104482]",
    "차량번호 [38두 4417]",
    "현관 비번 [2580*], 문의 [1599-7714]",
    "아이디는 [sunny_88]이고",
    "번호가 [공일공 구구사일에 이이공오] 맞으시죠",
  ]));

test("amounts", () =>
  exactly([
    "보증금 [삼천만 원], 월세 [65만 원]",
    "[1만 5천원] 보냄",
    "총 [1억 2천만 원] 대출",
    "관리비 [십이만 삼천원] 입금",
  ]));

test("illnesses, operations and medicines beside a person", () =>
  exactly([
    "환자 [옥만석]: [갑상선기능저하증], [고관절 골절], [심방세동]. [씬지로이드] 복용.",
    "환자 [옥만석]: [복강경 근종절제술], [세파졸린] 투여, [척추측만증].",
  ]));

test("ordinary sentences stay", () =>
  exactly([
    "정부는 예산을 늘려 청년 일자리를 지원하기로 했다고 밝혔다. 전문가들은 성장이 둔화될 것으로 본다.",
    "선생님께서 학생들에게 숙제를 내주셨다. 원장님은 회의 중이십니다. 고객님의 의견 감사합니다.",
    "대표 번호로 문의해 주세요. 담당 부서에서 확인 후 연락드리겠습니다. 이사 비용은 별도입니다.",
    "환자 안전을 위해 보호자 동의가 필요합니다. 작성 방법은 뒷면을 참고하세요. 성명 기재 후 제출 바랍니다.",
    "어린이는 뛰지 마세요. 고양이가 내려왔다. 호랑이는 산에 산다. 날씨가 좋네요. 마음씨 고운 아저씨.",
    "아들 학교에 다녀왔어요. 딸 생일이 다음 주예요. 남편 회사가 바빠요. 동생 숙제 도와줬어. 엄마 전화가 왔다.",
    "의사 선생님 말씀대로 약을 드세요. 기사 방문 후 결제. 교수 임용 공고. 기자 회견을 열었다. 감독 교체설. 사장 취임식.",
    "무료 배송 드림. 답변 드림. 총무팀 드림. 저는 학생입니다. 안녕하세요, 문의드립니다. 이건 문제라고 생각합니다.",
    "학생 여러분, 시험이 시작됩니다. 부녀회장이 김치를 담갔다. 담당자 지정, 예산 승인이 필요하다. 참석자: 전원.",
  ]));

test("ordinary numbers, kinds and amounts stay", () =>
  exactly([
    "비밀번호는 8자 이상이어야 합니다. 비밀번호 변경은 설정에서 하세요. 인증번호 6자리를 입력하세요.",
    "모델번호 AB-1234, 제품번호 998877. 오류코드 5012가 표시되면 끄세요. 법률 제2023-12호에 따른다.",
    "3일에 한 번 물을 주고 10일 이내에 반품하세요. 5세 미만은 무료입니다. 두 살 차이 나는 형제. 4~6세 아동.",
    "사과 다섯 개를 샀다. 스무 명이 모였다. 객석은 만원 관중으로 가득 찼다. 원인을 모르겠다. 사원 모집.",
    "자동차 산업이 성장한다. 대학병원에서 진료를 받는다. 시중은행 금리가 올랐다. 초등학교 입학.",
    "앞으로 3개월, 최대로 5명까지. 이대로 10분간 두세요. 세로 30cm 가로 20cm.",
    "음성으로 안내합니다. 진도를 확인하세요. 구리 전선. 공주 이야기. 파리가 날아다닌다. 예산에서 집행한다.",
    "지역에서 생산된 농산물. 활동에서 배운 점. 운동으로 건강을 지키자. 문제점에서 시작하자. 시골에서 온 손님.",
    "당뇨병은 관리가 중요합니다. 독감 예방접종은 가을에 맞는다.",
  ]));

test("long runs of near matches take linear time", async () => {
  for (const near of ["김", "서울 ", "이십", "10 ", "가나 병원", "담당 ", "1만 ", "강남구 ", "접수번호 1-"]) {
    const start = performance.now();
    await redact(near.repeat(Math.ceil(40_000 / near.length)), { model: false });
    assert.ok(performance.now() - start < 10_000, near);
  }
});
