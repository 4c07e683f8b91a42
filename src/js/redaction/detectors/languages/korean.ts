// Personal data in Korean: names, places, organisations, numbers, dates, ages, amounts and illnesses.
import type { Span } from "../../span-types.js";
import { type Lazy, lazily, type Match, matches } from "../match.js";

const HANGUL = /[가-힣]/;
const START = "(?<![가-힣A-Za-z\\d])";
/** A particle after a noun, and the end of the word. */
const PARTICLE =
  "(?:이?(?:라고|라는|랑|고|나|네|죠|지|야|요|고요|에요|예요|었|시|신|신데|시고|며|면|여서)|입니다?|인데요?|이|은|는|가|를|을|도|의|와|과|아|하고|만|님|씨|쪽|행|으?로|부터|까지|에게?|께서?|께|한테|에서)?(?:서|는|도|만|었\\p{L}{1,3})?(?![가-힣])";
/** What follows the value of a field. */
const VALUE_END = "(?=[ ]{0,3}(?:[,./()|[│→\\n\\t;·<~-]|$)|[ ]{1,3}[\\dA-Z]|[ ]{1,3}[가-힣]{2,8}[ ]?[:：]| {2,3})";

/** Family names of one and of two syllables. */
const FAMILY =
  "(?:남궁|황보|제갈|사공|선우|서문|독고|동방|[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉부복태목형계피두감음빈동온호범좌팽승간시갈단견당화창빙매옹])";
/** First and last syllables of given names. */
const FIRST =
  "[가강건겨경고관광교구국권규근금기길나남노다단달대덕도동두라래려로루리린마만말명모무문미민방배백범별병보복본봉부비빛빙산삼상새샛서석선설성세소솔송수숙순슬승시신아안애양어언여연열영예오옥온완용우욱운원월유윤율은을의이익인일자잔장재점정제조종주준중지진찬창채천철초춘충치태하학한해향헌혁현형혜호홍화환효후훈휘희]";
const LAST =
  "[가강건경관국권규균근금기길나남녀늘단담대덕도동두라란람랑래련령례록룡루륜률름리린림만명모묵문미민배백범별병복봉분비빈빛산상서석선섭성세소솔송수숙순슬승식신심아안애양언연열엽영예오옥온완용우욱운웅원월유윤율은을음의익인일임자재정제조종주준중지진찬창채천철춘태택표필하학한해향헌혁현형혜호홍화환효후훈휘희힘]";
/** A full name of syllables that names have. */
const STRICT = `${FAMILY}${FIRST}${LAST}`;
/** A given name of such syllables, or one that is a word as well. */
const GIVEN = `(?:${FIRST}${LAST}|하늘|바다|나래|다솜|라온|보람|사랑|새롬|샛별|슬기|아름|여울|이슬|초롱|하람|보미|다온)`;

/** Positions, professions and relatives after a name, and before one. */
const TITLES = [
  "부?원장|부?사장|이사장|이사|상무|전무|부?회장|대표(?:이사)?|부장|차장|과장|대리|주임|계장|팀장|실장|[가-힣]{0,2}소장|점장|반장|국장|본부장|센터장|지점장|공장장|사원|인턴|매니저|주무관|사무장|총무|간사",
  "교수|박사|강사|[가-힣]{0,2}교사|담임|교장|교감|[가-힣]{0,2}기자|작가|감독|코치|변호사|판사|검사|세무사|회계사|노무사|법무사|의사|전문의|주치의|간호사|약사|한의사|치료사|상담사|상담원|복지사|요양보호사|기사|목사|신부|수녀|스님|집사|권사|장로|형사|의원|통장|이장|위원장?|쌤",
].join("|");
const HONORIFICS =
  "할아버님|할아버지|할머님|할머니|어머님|어머니|아버님|아버지|이모|삼촌|고모|언니|오빠|누나|형|어르신|학생|군|양|고객|회원|환자|선생|여사|보호자|씨";
const TITLE = `(?:${TITLES}|${HONORIFICS})`;
const RELATION =
  "아들|딸|아드님|따님|막내|첫째|둘째|셋째|남편|아내|처|부인|모친|부친|시모|시부|장모|장인|형|누나|언니|오빠|동생|남동생|여동생|친구|후배|선배|동료|이모|고모|삼촌|사촌|조카|손자|손녀|며느리|사위|사돈|아버지|어머니|아빠|엄마|할머니|할아버지|배우자|남매|자매|쌍둥이|간병인|이웃";
const POSITION = `(?:${TITLES}|간병인|요양사|직원|고객|환자|학생|이용자|대상자|수급자)`;

/** Nouns and determiners that begin like a name or stand in the place of one. */
const NOBODY = new Set(
  [
    "마음 이번 다음 지난 우리 저희 모든 여러 같은 담당 담임 주치 전체 신규 기존 해당 일반 예비 초등 중학 고등 대학 유치 외국 외래 남자 여자 청소 이웃 동네 부서 부모 주인 주민 시민 국민 공동 공인 기타 기관 정보 정규 정식 정기 정상 전문 전임 전직 현직 전화 이름 이용 이미 이후 이전 이상 이하 이내 이유 이것 이런 이곳 이분 이제 이미지 이용자 안내 안전 주소 주문 주말 주의",
    "여러분 부녀 지정 전원 조정 취임 퇴임 교체 임용 해임 사임 선발 모집 위촉 추천 승진 고객 고문 고향 유료 무료 신청 신고 서명 서류 서비스 성명 성함 성별 소개 소속 지역 지원 지금 지도 진료 진단 진행 차량 하루 하나 한국 한글 한방 현재 현장 현관 문의 문자 문제 방문 방법 배송 변경 보호 부탁 사용 선물 선택 설명 설정 수고 수술 시간 시작 시험 아이 양식 양쪽 어디 어린 여기 연락 연락처 예약 예금 예정 오늘 오전 오후 온라인 외부 용도 위치 은행 음식 응급 의료 의사 인사 임시 임신",
    "자녀 자기 자료 장소 장애 장기 조사 조회 조치 종합 직원 차트 채용 추가 친구 태도 특별 편의 표시 피해 학교 학부 함께 행사 허가 형제 호실 환불 회사 회원 후배 동료 동생 동행 동의 남편 남매 명단 명의 모두 모델 모임 반납 번호 본인 봉사 구매 구입 국내 기록 기본 기능 금액 금일 도움 도착 우선 우편 노인 심사 심리 권한 홍보 송금 송장 석사 학사 박사 손님 손해 전달 전기 전부 제품 제목 계좌 계약 가족 가격",
    "변호사 공무원 선생님 교수님 정수기 고객님 신입생 어머니 아버지 여동생 남동생 여직원 남직원 외할머니 감독 담당자 관계자 이용객 지원자 참가자 신청자 동기 동창 동문 두 예 어 신입 정년 주간 야간 원어민 한국인 외국인 공급자 우수자 유공자 이상자 여행자 여행객 주치의 경비 구급 소방 지방 시의 도의 국회 명예 전속 부담임 정교사 기간제 경력 영양 보건 사서 상담 전신 수석 선임 책임 공동 임시 명예 인공 자율 전자 안경 동물 소아 성형 정형 한의 공중 유명 무명 신비 조수 이모 고모 언니 우리집 여자친 남자친 이쁜 예쁜 어린이 고인 지인 도민 군민 구민 서민 예술 인기 유기 기독 이공 정치 문화 경제",
    "사회 인문 고전 동양 서양 국제 국문 영문 전공 주전 신인 인간 우주 원주 원로 노조 조합 용역 하청 원청 유지 강남 강북 성남 안산 김해 전주 여수 진주 경주 원주 제주",
  ].flatMap((line) => line.split(" ")),
);
const NO_END =
  /(?:니다|하는|해서|하고|부터|까지|에서|으로|님|센터|팀|번호|일동|사무소|시간|전화|이름|여부|사항|방법|증명|확인|기간|기준|요청|변경|신청|안내|내용|정보|관리|서비스|자는|사는|[일월]자|장은|학교|병원|회사|수술|치료|처|(?:신청|진정|견적|계약|동의|확인|주문|진술|추천|청구|사유|경위|통지|보고|소견|진단|제안|설명|안내|명세|지원|소개|고소|탄원|의뢰|서약|사직|이력|경력|인증|유언|처방|입회)서)$/;
const IS_TITLE = lazily(`^(?:${TITLE})(?:님|들)?[은는이가을를의도과와]?$`, "u");
const isName = (name: string) =>
  !NOBODY.has(name) &&
  !(
    name.length > 2 &&
    /[은는이가을를의도과와로에문실소처장료권품물지식설회률전론안]$/.test(name) &&
    NOBODY.has(name.slice(0, -1))
  ) &&
  !NO_END.test(name) &&
  !IS_TITLE().test(name);

/** Words for people in names of fields. */
const ROLES = [
  "담당(?:자|의|의사|간호사)?|작성(?:자|인)?|보호자|성명|이름|성함|예금주|수취인|수령인|수신인?|발신인?|받는 ?(?:분|사람|이)|보내는 ?(?:분|사람|이)|보낸 ?(?:분|사람|이)|주문자|신청[인자]|청구인|피?진정인|피?고소인|신고[인자]|민원인|의뢰인|대리인|임대인|임차인|매도인|매수인|양도인|양수인|세입자|집주인|계약자|피보험자|수익자|접수[인자]|확인자|승인자|추천인|증인|입회인|보증인|배우자|세대주|위임인|수임인|채권자|채무자|원고|피고|피해자|가해자|피의자|고인|상주|신랑|신부",
  "고객명?|환자명?|수급자명?|대상자명?|이용자명|회원명|학생명?|학부모|원아명?|아동명?|직원명?|사원명|입금[인자]명?|송금인|대표자?|대표이사|원장|집도의?|주치의|간호사|상담[원사자]|강사|담임|기사|면접자|지원자|응시자|발표자|문의자|문의|검사자|판독의?|시술자|처방의|마취의|글쓴이|저자|옮긴이|지은이|매니저|반장|명의자|소유자|차주|운전자|탑승자|예약자|투숙객|방문자|Dr\\.?|PT|RN|NR",
].join("|");
/** A name of one word after a role and a colon. */
const FIELD = lazily(
  `(?<![가-힣A-Za-z])(?:${ROLES})(?: ?\\d| ?\\([가-힣]{1,4}\\))?[ ]{0,3}[:：▸│=\\]][ ]{0,3}(?:[가-힣]{1,5}팀 )?(?:${POSITION} )?([가-힣]{1,5})(?=[ ]?(?:${TITLE})?님?(?:${VALUE_END.slice(3)})`,
  "gmu",
);
/** A name after a role and a space, at the end of its part of a line. */
const BESIDE = lazily(
  `(?<![가-힣A-Za-z])(?:${ROLES}|${POSITION})[ ](${FAMILY}(?:[가-힣]{2,3}|${LAST})?|[가-힣]{3})(?=[ ]?(?:${TITLE})?님?(?:${VALUE_END.slice(3)})`,
  "gmu",
);
/** A full name after a position, within a sentence. */
const AFTER_POSITION = lazily(
  `${START}(?:${POSITION}|${ROLES}|[가-힣]{1,5}팀|고객지원[실과부])[ (](${STRICT})(?=${PARTICLE}|[ ]?(?:님|씨))`,
  "gu",
);
/** A name before a title or a polite word. */
const BEFORE_TITLE = lazily(`${START}([가-힣]{1,6})[ ](?:(${TITLE})(님)?|(님))(?=${PARTICLE})`, "gu");
/** A name and "씨", "님" or a title without a space. */
const JOINED = lazily(
  `${START}(${FAMILY}[가-힣]{1,2}?|[가-힣]{2,3}?|${FAMILY})(?:(?:${TITLE})님?|님)(?=${PARTICLE})`,
  "gu",
);
/** A full name after a greeting or "I am". */
const SELF = lazily(
  `${START}(?:안녕하세요|안녕하십니까|여보세요|반갑습니다|수고하십니다|수고하세요|저는|전|제가|네|예|여기는|제 이름은|이름은|이름이|성함은|성함이)[,.!~]{0,2}[ ](?:[가-힣A-Za-z\\d()]{1,12}[ ]){0,4}?(${FAMILY}[가-힣]{1,3}?)(?=(?:이?라고|이라는|입니다|이에요|예요|인데요?|이?고요?|이시고요?|이세요|이십니다|이시라|이야)(?![가-힣])|이?라고)`,
  "gu",
);
const CALLED = lazily(
  `${START}(${STRICT}|${FAMILY}${LAST}|${GIVEN})(?=이?라고 (?:합니다|해요|하는|하고|하|제|내|우리|있)|이?라는 (?:분|사람|친구|애|아이|학생|직원))`,
  "gu",
);
/** A name after a word for a relative. */
const AFTER_RELATION = lazily(
  `${START}(?:우리 )?(?:${RELATION})[ (]{1,2}(?:(${STRICT})(?=${PARTICLE}|[ ]?(?:씨|님|군|양))|(${GIVEN})(?=이?(?:[은는이가를도와랑]|하고|한테|에게)(?![가-힣])|[ ]?(?:씨|님|군|양)(?![가-힣])|[),(]))`,
  "gu",
);
/** Names of other countries in Hangul, after a role or with a Vietnamese family name. */
const FOREIGN = lazily(
  `${START}(?:${ROLES}|${POSITION})[ ]([가-힣]{3,5} [김이박최정강조윤장임오서신권황안송])(?=[,.)\\n]|$| (?:씨|님))|${START}((?:응우옌|응웬|쩐|팜|호앙|부이|쯔엉|즈엉|르엉|도안)(?: (?!씨|님|(?:${TITLE}))[가-힣]{1,4}){1,2})(?=${PARTICLE})`,
  "gmu",
);
/** The speaker of a line of a chat with the time of day. */
const AT_TIME = lazily(
  `^(?:\\[?오[전후] ?\\d{1,2}:\\d{2}\\]?,? |[\\d년월일. /-]{6,16}(?:오[전후] )?\\d{1,2}:\\d{2}, )([가-힣A-Za-z]{2,8})(?= ?:)|^\\[([가-힣A-Za-z]{2,8})\\](?= \\[오[전후] ?\\d)`,
  "gmu",
);
/** A given name with the ending of a call, at the start of a line or sentence. */
const CALLING = lazily(`(?:^|[\\n:.!?,>] ?)(${GIVEN})[아야](?=[,!?~]|[ ](?:[가-힣]|$))`, "gmu");
const [SIGNED_LINE, SIGNED] = [
  `^[ \\t]*(?:[가-힣A-Za-z\\d() ]{1,24} )?(${FAMILY}[가-힣]{1,3}|${GIVEN}) ?(?:드림|올림|배상|씀|귀하)[ .!~]{0,2}$`,
  `${START}(${STRICT}) ?(?:드림|올림|배상|귀하|씀)(?![가-힣])`,
].map((source) => lazily(source, "gmu")) as [Lazy, Lazy];
/** A name before the sex, the age, the date of birth or the telephone number in brackets, or "(인)". */
const BEFORE_AGE = lazily(
  `${START}([가-힣]{2,5})(?=[ ]{0,3}[(/,]?[ ]?(?:[남여MF] ?[/·,] ?\\d{1,3}(?!\\d)|만 \\d{1,2}세|\\d{1,2}세(?![가-힣])|(?:\\d{2}|\\d{4})년생)|[ ]?\\((?:인|서명|印)\\))`,
  "gu",
);
const BEFORE_NUMBER = lazily(
  `${START}(${STRICT}|${FAMILY}[가-힣]{2}(?=\\(|[ ]?01\\d))[ ]?[(/,]{0,1}[ ]?(?=(?:19|20)\\d{2}[.년] ?\\d{1,2}[.월] ?\\d{1,2}[.일]? ?생|0\\d{1,2}[-) ]\\d{3,4}[- ]\\d{4}|[\\w.]{2,30}@)`,
  "gu",
);
/** A name after a bank's number, and a name in Chinese characters in brackets. */
const AFTER_ACCOUNT = lazily(
  `\\d{2,6}-\\d{2,6}-\\d{3,8}(?:-\\d{1,3})?[ ,/(]{1,3}([가-힣]{2,4})(?=님?(?:[ ]?[),.\\n/]|$))`,
  "gmu",
);
const IN_HAN = lazily(`(?:한자(?:명|이름)?[:：]? ?|${FAMILY}[가-힣]{1,2} ?\\()(\\p{Script=Han}{2,4})(?=\\))`, "gu");
/** "Only 옥분이는", "준이?": a given name before the syllable that Korean adds to names in speech. */
const SPOKEN = lazily(
  `${START}(${GIVEN})(?=이(?:는요?|가|를|도|랑|한테|네|하고)(?![가-힣])|[이야아]?한테는?(?![가-힣])|[이]?(?:엄마|아빠|맘|모친)(?=${PARTICLE})|[ ][모부]\\))`,
  "gu",
);

/** A full name in a cell, in a list, or in a line of its own. */
const ALONE = lazily(
  `(?:^|[/|│▸·\\t>]|^[-*•] ?|\\d[.)])[ ]{0,3}(${STRICT})(?=[ ]{0,3}(?:[/|│\\t\\n]|$)| ?\\(|,[ ]?(?:${STRICT})(?:,| 등|[ ]?\\n|$))|(?<=${START}${STRICT}, )(${STRICT})(?=,| 등|$)`,
  "gmu",
);

/** Titles that stand after nouns as well. */
const WEAK_TITLE =
  /^(?:[군양형]|환자|고객|회원|학생|보호자|이모|삼촌|고모|언니|오빠|누나|선생|상담원|의원|기사|감독|작가|검사|의사)$/;

/** Family names that are determiners as well before a title without "님". */
const DETERMINER = /^[이한전현두모구양고신부총본주]$/;

const named = (text: string, pattern: Lazy, isMeant: (name: string, groups: RegExpMatchArray) => boolean, group = 1) =>
  matches(text, pattern, "PERSON", isMeant, group);

/** Returns whether a text consists of a family name and the syllables of a given name. */
const isStrict = (name: string) => IS_STRICT().test(name);

/** Steps that find names in a text with Hangul. V8 compiles each in some 20 ms. */
const NAME_STEPS: readonly ((text: string) => Match[])[] = [
  (text) => [...named(text, FIELD, (name) => isName(name) && (name.length > 1 || IS_FAMILY().test(name)))],
  (text) => [
    ...named(text, BESIDE, (name, [whole]) =>
      name.length > 2 || /담당|PT|Dr|원장|작성|RN/.test(whole!) ? isName(name) : isStrict(name) && isName(name),
    ),
  ],
  (text) => [...named(text, AFTER_POSITION, isName)],
  (text) => [
    ...named(text, BEFORE_TITLE, (name, [, , title, polite, alone]) => {
      if (!isName(name)) return false;
      if (alone || title === "씨") return name.length < 5 ? name.length > 1 || IS_FAMILY().test(name) : title === "씨";
      if (name.length === 1)
        return IS_FAMILY().test(name) && (!!polite || !DETERMINER.test(name)) && !/^[군양형]$/.test(title!);
      if (/^(?:이모|삼촌|고모|언니|오빠|누나)$/.test(title!) && name.length === 2)
        return IS_GIVEN().test(name) && !NOUNS.has(name);
      if (WEAK_TITLE.test(title!)) return isStrict(name) && name.length > 2 && !!polite;
      return isStrict(name) || (name.length === 3 && IS_FAMILY().test(name[0]!) && !/[는를과와로만에]$/.test(name));
    }),
  ],
  (text) => [
    ...named(text, JOINED, (name, [whole]) => {
      if (!isName(name) || IS_TITLE().test(whole!) || NOBODY.has(whole!)) return false;
      if (IS_FAMILY().test(name) && IS_SHORT().test(whole!)) return true;
      return isStrict(name) || (/[가-힣]{3}(?:씨|님)$/.test(whole!) && IS_FAMILY().test(name[0]!) && name.length === 3);
    }),
  ],
  (text) => [
    ...named(
      text,
      SELF,
      (name) =>
        name.length > 1 && isName(name) && (name.length < 4 || isDouble(name)) && (isStrict(name) || name.length > 2),
    ),
    ...named(text, CALLED, isName),
  ],
  (text) => [
    ...named(text, AFTER_RELATION, isName),
    ...named(text, AFTER_RELATION, (name) => isName(name) && !NOUNS.has(name), 2),
    ...named(text, SIGNED_LINE, isName),
    ...named(text, SIGNED, isName),
  ],
  (text) => [
    ...named(text, BEFORE_AGE, isName),
    ...named(text, BEFORE_NUMBER, isName),
    ...named(text, AFTER_ACCOUNT, isName),
  ],
  (text) => [
    ...named(
      text,
      CALLING,
      (name, [whole]) => isName(name) && !NOUNS.has(name) && hasFinal(name) === whole!.endsWith("아"),
    ),
    ...[1, 2].flatMap((group) => named(text, FOREIGN, () => true, group)),
    ...[1, 2].flatMap((group) => named(text, AT_TIME, (name) => !isKoreanRole(name), group)),
    ...named(text, IN_HAN, () => true),
    ...named(text, ALONE, isName),
    ...named(text, ALONE, isName, 2),
    ...named(text, SPOKEN, (name) => isName(name) && !NOUNS.has(name)),
  ],
];
/** Finds names in Korean by the fields, titles, relatives, greetings and numbers around them. */
export const koreanNames = NAME_STEPS.map((find) => (text: string) => (HANGUL.test(text) ? find(text) : []));

/** A family name and a title without a space. */
const IS_SHORT = lazily(
  "^(?:[김박최강윤장임오서신권황안송류홍고문손배백허유남심노하곽성차우민진엄채천변염추]|[조정](?!교수)|[남제황선](?:궁|갈|보|우))(?:과장|대리|부장|차장|팀장|실장|주임|쌤|선생|교수님|사장님|원장님|기사님|약사님|이사님)",
  "u",
);
const IS_FAMILY = lazily(`^${FAMILY}$`, "u");
const IS_STRICT = lazily(`^(?:${STRICT}|${FAMILY}${LAST})$`, "u");
const IS_GIVEN = lazily(`^${GIVEN}$`, "u");
/** Returns whether the last syllable ends in a consonant. */
const hasFinal = (word: string) => (word.charCodeAt(word.length - 1) - 0xac00) % 28 !== 0;
const isDouble = (name: string) => /^(?:남궁|황보|제갈|사공|선우|서문|독고|동방)/.test(name);
/** Nouns of syllables that given names have. */
const NOUNS = new Set(
  [
    "호랑 숙제 기분 성분 신분 유아 여기 저기 거기 언제 무슨 인형 장난 지갑 가지 아파 아무 조금 나중 이제 오래 이미 무조 고기 사실 수영 도시 안경 주사 이마 서로 자주 미리 바로 그림 구두 양말 시어 인생 성격 성적 일기 모두 노력 운전 병세 상태 증세 상황 문제 명의 계정 비자 여권 서류 도서 공부 양육 산후 입원 퇴원 수유 기저 동의 만나 마주 보내 나서 가서 해서 와서 원래 정도 유학 이민 이혼 재혼 초대 소원 안부 연애 자취 기숙 가구 성화 하나 하루 우선 전부 기상 유산 의심 고생 기말 중간 태아 재학 자랑 효도 용서 도와 건강 여동 남동 원피 신발 가방 노트 휴대 열이 비염 천식 아토 병원 학원 나이 여행 주인 소리 자리 머리 다리 거리 우리 종이",
    "원인 아이 어린 고양 강아 보호 이상 이용 이해 정리 수리 처리 관리 모양 모자 의자 남자 여자 환자 기자 가정 인정 결정 사정 안정 수정 예정 일정 규정 조정 과정 시장 공장 가장 도장 문장 주장 미소 장소 주소 산소 감소 호소 동료 재료 원료 진료 무료 이유 여유 소유 우유 석유 경우 새우 배우 교재 소재 인재 존재 주재 대표 목표 시대 기대 상대 군대 무대 대리 가게 무게 마음 소음 마을 노을 가을 기운 기온 체온 보온 구원 지원 회원 공원 직원 인원 의원 정원 기원 아래 노래 미래 거래 모래 고래 장래 이런 기록 등록 여름 구름 이름 주름 어른 아주 매주 도움 배송 방송 운송 호송 이송 성공 상인 시인 애인 연인 노인 부인 주문 방문 신문 질문 논문 문의",
    "주의 합의 회의 강의 정의 유의 의미 재미 취미 장미 개미 국민 시민 주민 서민 농민 고민 자연 우연 공연 출연 지연 선수 교수 가수 점수 홍수 다수 소수 보수 실수 운동 자동 행동 이동 감동 노동 아동 활동 서비 다시 역시 잠시 임시 표시 지시 무시 항시 동시 중국 미국 한국 외국 전국 영국 천국 약국 결국 태국 시간 기간 인간 공간 순간 연간 월간 주간 야간 동안 방안 제안 불안 보안 치안 대안 시작 동작 제작 조작 창작 명단 수단 집단 진단 계단 재단 비단 지하 이하 원하 영하 사랑 전화 문화 영화 변화 대화 강화 평화 진화 동화 만화 국화 매화 지방 주방 처방 소방 예방 원장 사장 부장 과장 팀장 반장 회장 이사 기사 의사 식사 공사 행사 인사 조사 검사",
    "수사 강사 간호 신호 번호 기호 애호 이모 고모 부모 유모 규모 제도 태도 온도 속도 지도 의도 시도 기도 보도 인도 각도 파도 포도 여성 남성 인성 개성 특성 구성 완성 작성 찬성 반성 정성 감성 수면 화면 장면 가면 비용 내용 사용 신용 적용 활용 고용 미용 수용 인용 허용 채용 임용 전용 공용 화상 세상 환상 대상 현상 증상 영상 항상 의상 인상 부상 동상 보상 우상 정상 통상 가상 예상 상상 일상 자신 당신 임신 통신 수신 발신 유신 정신 귀신 문신 배신 확신",
  ].flatMap((line) => line.split(" ")),
);

/** Finds the names of people who are found elsewhere in a Korean text: whole names, and given names before a particle. */
export function koreanRepeats(text: string, spans: readonly Span[]): Match[] {
  if (!HANGUL.test(text)) return [];
  const full = new Set<string>();
  const given = new Set<string>();
  for (const { label, start, end } of spans) {
    const name = text.slice(start, end);
    if (!/^PER(?:SON)?$/.test(label) || !/^[가-힣]{2,4}$/.test(name)) continue;
    full.add(name);
    const rest = name.length > 2 ? name.slice(isDouble(name) ? 2 : 1) : "";
    if (rest.length === 2 && !NOUNS.has(rest) && !NOBODY.has(rest)) given.add(rest);
  }
  const found: Match[] = [];
  if (!full.size) return found;
  for (const { 0: word, index } of text.matchAll(HANGUL_WORD()))
    for (let length = Math.min(4, word.length); length > 1; length--) {
      const part = word.slice(0, length);
      const after = full.has(part) ? AFTER_FULL() : given.has(part) ? AFTER_GIVEN() : undefined;
      if (!after) continue;
      after.lastIndex = index + length;
      if (!after.test(text)) continue;
      found.push({ start: index, end: index + length, label: "PERSON" });
      break;
    }
  return found;
}
const HANGUL_WORD = lazily(`${START}[가-힣]{2,12}`, "gu");
const AFTER_FULL = lazily(`${PARTICLE}|[ ]?(?:${TITLE}|님)`, "uy");
const AFTER_GIVEN = lazily(`이?(?:는|가|를|도|랑|한테|네|하고|야|아)?(?![가-힣])|[ ]?(?:${TITLE}|님)`, "uy");

/** Titles before and after a name, and the form of a name in Korean. */
const BEFORE_NAME = lazily(`^(?:${POSITION}) (?=[가-힣]{2,4}$)`, "u");
const AFTER_NAME = lazily(`(?:[ ](?:(?:${TITLE})님?|님|귀하|외)|(?<=^[가-힣]{3})님)$`, "u");
const IS_NAME = /^[가-힣]{1,12}(?: [가-힣]{1,8}){0,2}$/;
const IN_NAME = lazily(
  `[가-힣] (?:${TITLES}) [가-힣]|(?:니다|하는|해서|하고|부터|까지|에서|으로|어요|아요|해요|[은는을를] [가-힣]+)$`,
  "u",
);
/** Returns the name in the value of a field without the title after it; empty if the value in Korean is no name. */
export const koreanName = (value: string): string => {
  if (!HANGUL.test(value)) return value;
  const name = value.replace(AFTER_NAME(), "");
  return IS_NAME.test(name) &&
    !IN_NAME().test(name) &&
    !IS_TITLE().test(name) &&
    !/(?:팀|센터|본부|사무소|일동|전원|없음|미정)$/.test(name)
    ? name
    : "";
};
/** Returns the length of the name of a department before a name: "인사팀 마유리". */
export const koreanUnit = (value: string) =>
  /^[가-힣]{1,8}(?:팀|부|과|실|센터|본부) (?=[가-힣])/u.exec(value)?.[0].length ?? 0;
/** Returns the name of a speaker in Korean without titles. */
export const koreanSpeaker = (head: string) =>
  HANGUL.test(head) ? head.replace(BEFORE_NAME(), "").replace(AFTER_NAME(), "") : head;
/** Returns whether a text is a word for a speaker in Korean: a relative, a title or a part in an interview. */
export const isKoreanRole = (word: string) =>
  HANGUL.test(word) &&
  (/^(?:나|저|너|본인|진행자?|사회자?|면접관?|지원자|인터뷰어|인터뷰이|질문자?|답변자?|화자|남자?|여자?|손님|점원|직원|판매자|구매자|신고자|접수자|상담|환자|보호자|피해자|피의자|증인|원고|피고|재판장|의장|위원|청중|학생들?|모두|일동|참고|비고|주의|문의|답|문|관리자|운영자|방장|시스템|챗봇|봇|여보|당신|자기|아들|딸|며느리|사위|조사관|수사관|구급대원|기관사|리포터|앵커|[가-힣]{2,4}(?:원|관|자|사|님)\s?[\dA-Z])$/u.test(
    word.replace(/\s?\d{1,2}$/, ""),
  ) ||
    IS_TITLE().test(word.replace(/\s?[\dA-Z]{1,2}$/, "")) ||
    IS_RELATION().test(word) ||
    /^[가-힣]{2,4}[관원자]\s?\d$/u.test(word));

const IS_RELATION = lazily(`^(?:${RELATION})$`, "u");

/** Provinces and large cities. */
const PROVINCES =
  "서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주|충청[남북]도|전라[남북]도|경상[남북]도|경기도|강원도|제주도|함경도|평안도|황해도";
const OFFICIAL = "(?:특별자치도|특별자치시|특별시|광역시|도|시)?";
/** Towns whose names are nothing else. */
const TOWNS = [
  "서울|부산|대구|인천|대전|충청[남북]도|전라[남북]도|경상[남북]도|함경[남북]?도|평안[남북]?도|황해도|울산|세종시|경기도|강원도|충북|충남|전북|전남|경북|경남|제주도?|수원|성남|고양시|용인|부천|안산|안양|남양주|평택|의정부|시흥|파주|김포|군포|오산|안성시|포천|의왕|동두천|과천|가평|양평|연천군|춘천|원주|강릉|속초|삼척|홍천|횡성|영월|평창|철원|양구|양양|청주|충주|제천|보은군|옥천|괴산|증평|단양|천안|아산|서산|논산|계룡시|당진|금산군|서천군|홍성|태안|군산|익산|전주|정읍|김제|완주|순창|고창|부안|목포|여수|순천|나주|광양|담양|곡성|구례|고흥|화순|강진|영암|함평",
  "초량|자갈치|남포동|전포동|센텀|동래|명지|정관읍?|율하|장유|죽전|수지구|기흥|영통|인계동|행궁동|정자동|서현역?|야탑|미금역|철산동|소하동|송탄|범어동|월배|둔산동?|노은동|관저동|송정|상무지구|수완지구|봉선동|돌산|격포|변산|선유도|만리포|대천|경포|정동진|주문진|설악산?|오대산|지리산|한라산|북한산|관악산|계룡산|내장산|덕유산|소백산|속리산|한강|낙동강|섬진강|영산강|청계천|탄천|안양천|중랑천|양재천?|보라매|여의나루|뚝섬|월미도|을왕리|강촌|남이섬|애월|중문|협재|표선|함덕|노형동|연동|역삼동?|삼성동|논현동|대치동|개포동|도곡동|방배동|서초동|반포동?|청담동|신사동|가로수길|성수",
  "뚝섬|건대|노원|상계동?|중계동|목동|화곡동?|마곡|발산|당산|문래동?|신도림|영등포|사당|이수역|혜화동?|대학로|북촌|서촌|인사동|명동|을지로|충무로|동대문|남대문|종로|광화문|서울역|청량리|회기|미아동?|수유동?|쌍문동|창동|연신내|불광동?|은평|망원동?|합정동?",
  "완도|신안군|포항|경주|김천|안동|구미시|영주시|영천|문경|경산|군위|청송|영덕|칠곡|예천|봉화군|울진|울릉도?|창원|마산|통영|김해|밀양|거제|창녕|하동|산청|함양|거창|합천|서귀포|판교|분당|일산|동탄|평촌|강남|강북|홍대|이태원|잠실|신촌|여의도|상암|해운대|광안리|압구정|성수동|건대입구|왕십리|노량진|신림|사당동|연남동|한남동|평양|흥남|함흥|신의주|원산시|개성시|청진|장승포|모슬포|시화|반월|구로|가산|부평|계양|송도|청라|광교|위례|미사|정선|양산시|사천시|진해|제물포|흑산도|거문도|백령도|연평도|안면도|강화도|울릉",
].join("|");
/** Towns whose names are words as well: only with a particle of place or a word for a town. */
const WORDLIKE =
  "광주|남해|동해|기장|길주|원산|진주|구미|영주|상주|보성|무안|해남|남원|부여|공주|화성|하남|여주|안성|보은|보령|성주|양산|고성|장흥|장성|진안|무주|임실|정선|태백|인제|화천|광명|계룡|신안|영동|봉화|의령|함안|의성|서천|금산|연천|고양|청양";
const COUNTRIES =
  "미국|일본|중국|영국|독일|프랑스|이탈리아|스페인|포르투갈|네덜란드|벨기에|스위스|오스트리아|체코|폴란드|헝가리|스웨덴|노르웨이|핀란드|덴마크|아일랜드|러시아|우크라이나|터키|튀르키예|그리스|이집트|캐나다|멕시코|브라질|아르헨티나|칠레|페루|호주|뉴질랜드|인도|네팔|방글라데시|파키스탄|스리랑카|베트남|태국|라오스|캄보디아|미얀마|말레이시아|싱가포르|인도네시아|필리핀|대만|홍콩|몽골|카자흐스탄|우즈베키스탄|키르기스스탄|유럽|아프리카|남미|북미";
const FOREIGN_TOWNS = [
  "뉴욕|로스앤젤레스|샌프란시스코|시애틀|시카고|보스턴|워싱턴|애틀랜타|하와이|라스베이거스|밴쿠버|토론토|몬트리올|런던|맨체스터|에든버러|더블린|리옹|베를린|뮌헨|함부르크|프랑크푸르트|쾰른|취리히|제네바|밀라노|베네치아|피렌체|마드리드|바르셀로나|리스본|암스테르담|브뤼셀|코펜하겐|스톡홀름|오슬로|헬싱키|바르샤바|크라쿠프|프라하|부다페스트|아테네",
  "이스탄불|모스크바|블라디보스토크|키이우|카이로|두바이|도쿄|오사카|교토|후쿠오카|삿포로|나고야|오키나와|베이징|상하이|옌볜|연변|칭다오|광저우|타이베이|하노이|호찌민|호치민|다낭|방콕|치앙마이|프놈펜|양곤|쿠알라룸푸르|자카르타|마닐라|뉴델리|뭄바이|카트만두|울란바토르|타슈켄트|사마르칸트|알마티|시드니|멜버른|브리즈번|오클랜드|상파울루",
].join("|");
const FOREIGN_WORDLIKE = "파리|니스|빈|발리|다카|세부|델리|선양|로마";
const IN =
  "(?=에서|에(?![가-힣])|에 |으?로 (?:이사|가|갔|출장|여행|발령|내려|올라|전근|유학|떠|옮|보내|돌아)|(?:이|가)? ?고향|(?:에|에서)? ?(?:출신|살|거주|근무|출장|유학|여행|사는|사람|토박이)|시(?![가-힣])|군(?![가-힣])|시?에 |역(?![가-힣])|점(?:에서|[ ,.)]|$)|까지|[야요이]?(?:[.!?]|$))";
const TOWN_END =
  "(?=(?:시|군|역|점|행|발|쪽|시민|댁|집|살|공항|터미널|시청|군청|ㅠ{1,3}|ㅋ{1,3})?(?:이|가|은|는|을|를|의|도|만|과|와|랑|에|에서|에는|에도|에서는|으?로|까지|부터|이고|이라|인데|야|요|입니다|이에요|예요|말고|보다)?(?![가-힣]))";
const PLACES = [
  `${START}(?:${TOWNS})${TOWN_END}`,
  `${START}(?:${PROVINCES}|${WORDLIKE}|${FOREIGN_WORDLIKE})${IN}`,
  `${START}(?:${COUNTRIES})(?=에서|에 (?:살|있|사)|으?로 (?:이사|출장|여행|유학|떠|돌아|이민)| (?:출신|유학|출장|국적|이민|여행)|인(?![가-힣]) ?(?:남편|아내))`,
  `${START}(?:${FOREIGN_TOWNS})${TOWN_END}`,
  `(?<=국적 ?[:│▸|]? ?|출생지 ?[:│▸|]? ?|본적 ?[:│▸|]? ?|고향은? ?[:│▸|]? ?|출신지 ?[:│▸|]? ?|거주지 ?[:│▸|]? ?)[가-힣]{2,6}(?=이[고에야]|입니다|인데|[ ]?[,.│|/)\\n]|$)`,
  `${START}(?:(?:${TOWNS}|${PROVINCES}|${WORDLIKE})${OFFICIAL}[ ])(?:[가-힣]{2,3}[시군] ?)?[가-힣]{1,3}[구군읍면동리](?=에|으?로|[은는이가의 ,.)]|$)`,
  `(?<=${START}(?:${PROVINCES}|함경도|평안도)[ ])(?:${WORDLIKE})(?=[에요이은 ,.(]|$)`,
  `(?<=${START}(?:${TOWNS}|${WORDLIKE})[ ])[가-힣]{2,5}(?:시장|공원|터미널|항|광장|해변|[1-9가-힣]동|읍)(?=에|으?로|[은는이가,.]|[ ](?!번영회))`,
  `${START}(?:예산|영양|고령|진도|음성|장수|구리|이천|사천|청도|영광|공주)(?=시(?![가-힣간점작])|군(?![가-힣인])|읍| ?출신)`,
  `(?<=${START}(?:${TOWNS}|${WORDLIKE})[ ])[가-힣]{2,4}(?=에서|에 (?:있|사))`,
  `${START}(?:강남|서초|송파|강동|광진|성동|용산|마포|서대문|은평|종로|성북|동대문|중랑|노원|도봉|관악|동작|금천|영등포|구로|강서|양천|수영|연제|사상|금정|동래|부산진|사하|수성|달서|부평|계양|미추홀|남동|연수|유성|대덕|광산|덕양|중원|권선|팔달|영통|장안|처인|기흥|수지|단원|상록|만안|동안|원미|완산|덕진|상당|흥덕|의창|성산)구(?=청|민|에|[은는이가의로 ,.)]|$)`,
  `${START}[가-힣]{2,3}\\d?동(?=에서|으로 (?:이사|가|오)|에 (?:있|살|사)| 주민센터| 행정복지센터| 사거리)`,
  `${START}[가-힣]{2,3}읍(?=에|으로|내|[ ,.])`,
  `${START}[가-힣]{2,5}역(?=에서| ?\\d{1,2}번 ?출구| 근처| 앞)`,
  `${START}[가-힣]{2,3}(?:공단|해수욕장|휴게소|저수지)(?=에|[은는이가의로 ,.)]|$)`,
].map((source) => lazily(source, "gmu"));
/** A word before verbs of living, coming and moving. */
const LIVED = lazily(
  `${START}([가-힣]{2,4})(?=에서 (?:왔|온 |오신|오시|오는|태어|나고|자라|자랐|살[았다고며]|사는|사시|자취|하숙|픽업|유학)|에 (?:살|사는|사시|거주)|으?로 (?:이사|시집|이주|귀농|발령|전학)| 출신(?!의? ?(?:학교|대학)))`,
  "gu",
);
const NOT_LIVED =
  /(?:집|회사|학교|병원|시골|외국|해외|외지|지방|여기|거기|저기|어디|밖|안|옆|위|아래|근처|현장|식당|카페|아파트|빌라|원룸|주택|기숙사|고시원|도시|도심|바다|숲|산|강|물|곳|데|마을|동네|나라|세계|지구|우주|하늘|본사|지사|공장|가게|시장|공항|혼자|같이|함께|따로|다른|이런|그런|해당|이웃|교외|수도권|농촌|어촌|섬|대학|군대|유치원|자연|환경|시대|가정|땅|친정|시댁|처가|본가|외가|할머니|부모|형제|곁|품|개천|보육원|고아원|현재|실제|주로|바로|새로|임시|사원|관료|군인|기자|배우|가수|모델|선수|의사|교사|공무원|[0-9층호]|[은는이가을를의])$/;
const NO_PLACE =
  /^(?:시내|근처|집|사무실|공장|현장|회사|학교|식당|병원|본사|지사|매장|외곽|중심가?|전역|곳곳|시장|한복판|일대|도심|내부|외부|여행|출장|공연|행사|가게|법원|대학|터미널|공항)$|(?:^|[ ])(?:활동|운동|행동|노동|작동|이동|감동|변동|공동|구동|진동|연동|충동|소동|아동|출동|반동|제동|자동|수동|유동|파동|부동|협동|합동|오작동|재가동|반자동|전자동|대이동|막노동|중노동)$|(?:이면|하면|으면|라면|다면|오면|보면|화면|측면|반면|장면|지역|구역|영역|무역|번역|통역|방역|면역|현역|전역|용역|권역|우리|거리|처리|관리|분리|수리|정리|도구|친구|연구|가구|기구|요구|지구|복구|욕구|야구|축구|농구|누구|자리|소리|머리|다리|의리|심리|논리|승리|빨리|멀리)$/;

/** Finds places of Korea and large places elsewhere, by their names and by the words around them. */
export function koreanPlaces(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return [
    ...PLACES.flatMap((pattern) => matches(text, pattern, "LOCATION", (word) => !NO_PLACE.test(word))),
    ...matches(text, LIVED, "LOCATION", (word) => !NO_PLACE.test(word) && !NOT_LIVED.test(word), 1),
  ];
}

const ROAD = "[가-힣A-Za-z\\d·]{1,12}(?:로|길)";
const ROAD_NUMBER = "(?: ?\\d{1,3}(?:번?길|가길))? ?\\d{1,4}(?:-\\d{1,4})?(?:번지)?(?![\\d%개명원번시년월일])";
const UNITS =
  "(?:,? ?(?:\\((?:[가-힣\\d]{1,8}[동리가](?:, ?[가-힣A-Za-z\\d ]{2,16})?|\\d{5})\\)|(?:지하 ?|B)?\\d{1,4}(?:층|호|동)(?![가-힣])|[A-Z]동|[가-힣A-Za-z\\d]{2,12}(?:아파트|빌라|오피스텔|맨션|빌딩|타운|타워|자이|푸르지오|래미안|힐스테이트|아이파크|상가)(?![가-힣]))){0,5}";
const REGION = `(?:(?:${PROVINCES}|${TOWNS}|${WORDLIKE}|[가-힣]{2,3}(?=[시군] ))(?:특별자치도|특별자치시|특별시|광역시|도|시|군)? )`;
const ADDRESSES = [
  `${START}${REGION}(?:[가-힣]{1,5}[시군구읍면동리] ){0,4}${ROAD}${ROAD_NUMBER}${UNITS}`,
  `${START}${REGION}?(?:[가-힣]{1,5}[시군구읍면] ){1,3}[가-힣\\d]{1,6}[동리가읍면] (?:산 ?)?\\d{1,4}(?:-\\d{1,4})?(?:번지)?${UNITS}`,
  `${START}(?:[가-힣]{1,5}[구읍면동] )?[가-힣]{1,10}(?:대로|로|길) ?(?:\\d{1,3}번?길 ?)?\\d{1,4}(?:-\\d{1,4})?(?=,? ?(?:\\d{1,4}[층호동]|[(]))${UNITS}`,
  `${START}[가-힣]{2,10}(?:로|길) ?\\d{1,3}번?길 ?\\d{1,4}(?:-\\d{1,4})?${UNITS}`,
  `${START}(?:${REGION}(?:[가-힣]{1,5}[시군구읍면동리] ){0,4})?[가-힣A-Za-z\\d]{2,12}(?:아파트|빌라|오피스텔|맨션|타운|자이|푸르지오|래미안|힐스테이트|아이파크) (?:\\d단지 )?(?:\\d{1,4}동 ?)?\\d{2,4}호`,
  `${START}\\d{2,4}동 ?\\d{3,4}호`,
].map((source) => lazily(source, "gu"));
/** Finds postal addresses of Korea. */
export function koreanAddresses(text: string): Match[] {
  if (!/\d/.test(text) || !HANGUL.test(text)) return [];
  return ADDRESSES.flatMap((pattern) =>
    matches(text, pattern, "ADDRESS", (word) => /[가-힣]{2}/.test(word) || /호$/.test(word)),
  );
}

/** Kinds of organisations at the end of a name. */
const KINDS = [
  "은행|뱅크|저축은행|금고|신협|농협|수협|증권|캐피탈|손해보험|생명보험|화재해상|요양병원|병원|한의원|의원|치과|정형외과|피부과|안과|이비인후과|산부인과|소아청소년과|소아과|비뇨기과|비뇨의학과|정신건강의학과|재활의학과|내과|외과|약국|요양원|대학교|대학원|외대|여대|교대|공대|의대|예대|초등학교|중학교|고등학교|여고|여중|유치원|어린이집|학원|교회|성당|교육원|평생교육원",
  "경찰서|소방서|법원|지검|세무서|구청|시청|군청|도청|우체국|보건소|도서관|연구소|연구원|협회|공단|그룹|홀딩스|체육관|리조트|농장|농원|목장|양조장|정육점|철물점|안경원|한약방|여행사|항공|운수|렌터카|모터스|카센터|장례식장|상조|고시원|독서실|극단|합창단|스튜디오|스토어|커피|다방|찻집|포차|국수|필라테스|요가|헬스장?|태권도장?|쉼터|한의원|산업개발|개발|특수학교|대안학교",
  "세무회계|법무사사무소|법무법인|세무법인|회계법인|협동조합|복지관|(?:재가|요양|복지|상담|돌봄|보호|발달|심리|치료)센터|재단|문화원|미술관|박물관|신문|일보|출판사|서점|책방|문고|여관|모텔|호텔|펜션|게스트하우스|민박|미용실|헤어샵|세탁소|정비소|공업사|주유소|공인중개사|부동산|백화점|마트|편의점|빵집|베이커리|제과점|카페|식당|횟집|국밥|갈비|치킨|분식|떡집|꽃집|상회|상사|물산|토건|건설|건축|산업|전자|정공|정밀|기계|철강|화학|제약|바이오|식품|푸드|농산|수산|축산|유통|물류|통상|무역|로지스|택배|해운|엔지니어링|솔루션|시스템즈?|소프트|테크|네트웍스|미디어|엔터테인먼트|디자인|인쇄|포장|목재|가구|도예|공방|섬유|패션|어패럴|안전원|자원|환경|에너지|전력|통신",
];
/** Kinds that most words before them describe, so that a name needs a role or a particle of place behind it. */
const WEAK =
  /(?:산업|전자|정밀|기계|철강|화학|식품|푸드|농산|수산|축산|유통|물류|통상|무역|택배|해운|솔루션|시스템즈?|소프트|테크|미디어|디자인|인쇄|포장|목재|가구|도예|공방|섬유|패션|자원|환경|에너지|전력|통신|건축|건설|카페|식당|마트|부동산|상사|상회|갈비|치킨|분식|학원|재단|약국|미용실|서점|편의점|호텔|신문|의대|공대|교육원|보험|은행|뱅크|금고|꽃집|빵집|베이커리|제약|바이오|제과점|백화점|국밥|법원|시청|도서관|연구소|연구원|협회|공단|그룹|체육관|농장|농원|목장|항공|극단|합창단|스튜디오|스토어|커피|다방|찻집|포차|국수|필라테스|요가|헬스장?|태권도장?|쉼터|개발|여행사|운수|렌터카|고시원|독서실|우체국|보건소|안경원|정육점)$/;
/** Words that describe a kind of organisation, and are no name. */
const GENERAL = lazily(
  `^(?:${[
    "대|고등|지방|행정|헌|관할|관내|중앙|국립중앙|작은|경찰|소방|기업|동호회|주말|체험|직장인|아이돌|뮤지컬|대학생|시중|인터넷|혈액|투자|상업|거래|국책|해외|외국|해당|주거래|타|저축|대학|종합|상급종합|동물|요양|정신|전문|개인|동네|일반|국립|시립|도립|군립|구립|공립|사립|공공|지역|근처|협력|인근|가까운|한방|재활|여성|아동|어린이|산부인과|치과|소아|성형|정형|흉부|신경|가정|내분비|순환기|소화기|호흡기|감염|혈액종양|구강|한국어|응급|대장항문|마취통증|영상의학|진단검사|외상|대학교|4년제|2년제|명문|전문대|여자|남자|병설|직장|특성화|인문계|실업계|공업|농업|과학",
    "예술|체육|외국어|국제|자율형|마이스터|영어|수학|미술|음악|피아노|태권도|요리|입시|보습|운전|미용|컴퓨터|어학|논술|무용|발레|바둑|코딩|제과제빵|자동차운전|개신교|천주교|장로|심리|성폭력|가정폭력|노인|장애인|종합사회|사회|노인종합|장애인종합|주간|주야간|야간|방문|문화|건설|서비스|관광|반도체|자동차|방위|농수산|수입|수출|전통|프랜차이즈|무인|대형|온라인|오프라인|중고|독립|24시간|심야|정보|운영|자동화|관리|경영|생산|결제|예약|주문|추천|보안|난방|냉방|환기|소셜|매스|뉴|멀티|시각|산업|제품|웹|그래픽|실내|친환경|자연|작업|근무|생활|주거|실험|교육|학습",
    "업무|개발|사용|신재생|재생|태양|풍력|원자력|이동|무선|유선|데이터|건강|냉동|즉석|가공|기능성|불량|유기농|농|축|해|인적|천연|수|물적|국가|선물|진공|종이|과대|고급|저가|맞춤|조립|원목|사무용|수제|전기|생활가전|공작|의료|석유|생|정밀|가계|지주|신용|경제|구내|학생|직원|사내|맛|단골|고기|한|중|일|양|분|북|키즈|애견|스터디|만화|보드|인터|대학부속|부속|대학부설|장례|수의과|간호|법학|전문의|일요|주일|교|남|여|옆|앞|뒤|이|그|저|다른|같은|큰|새|첫|본|현|전|각|모든|어느|무슨|우리|저희|제|내|네|당|여러|기존|신규|지정|위탁|하청|파견|연계|협약|제휴|가맹|직영|정부|도시|마을|시민|공동|부모",
    "육아|가족|다문화|청소년|학교|학술|장학|복지|자선|비영리|공익",
  ].join("|")})*$`,
  "u",
);
const ROLE_AFTER = `[ ](?:[가-힣A-Z]{1,6} ){0,2}(?:${TITLES}|근무|재직|퇴사|입사)(?:[ ,.)]|님|[가-힣]{0,2} |$)`;
const NAMED_KIND = KINDS.map((kinds) =>
  lazily(`(?<![가-힣A-Za-z\\d·])([가-힣A-Za-z\\d]{2,12}?)(?:${kinds})(?=${PARTICLE})(?!이나|이든)`, "gu"),
);
const HOSPITALS =
  "병원|한?의원|치과|과|약국|요양원|대학교|대학원|외대|여대|초등학교|중학교|고등학교|유치원|어린이집|교회|성당|복지관|법인|조합|일보|출판사|펜션|여관|모텔|공업사|정공|토건|물산|네트웍스|엔지니어링|엔터테인먼트|안전원|책방|문고|로지스";
const STRONG = lazily(`(?:${HOSPITALS})$`, "u");
/** What follows the name of a company in a sentence. */
const COMPANY_AFTER = lazily(
  `^(?:${ROLE_AFTER}|에서 (?:\\d|근무|일|퇴사|재직|산|샀|구매|구입|인턴)|에 (?:입사|다니|다녀|근무|들어|재직|취직|취업)|(?:을|를) (?:퇴사|그만|다니|다녔)|[ ]?[,/|│(]|[ ]?\\n|[ ]\\d|$)`,
  "u",
);
/** A name beside a legal form. */
const LEGAL = lazily(
  `${START}(?:(?:주식회사|유한회사|합자회사|사단법인|재단법인|의료법인|사회복지법인|학교법인|농업회사법인|법무법인|세무법인|협동조합) |(?:\\((?:주|유|사|재|합)\\)|㈜) ?)[가-힣A-Za-z\\d&]{2,16}?(?=${PARTICLE}|[^가-힣A-Za-z\\d&]|$)|${START}(?!(?:피고인?|원고|임[대차]인|매[수도]인|당사|채[무권]자|갑|을|는|은|및|와)[ (㈜])[가-힣A-Za-z\\d&]{2,16}(?:\\((?:주|유|사|재)\\)|㈜| ?주식회사(?![가-힣]))`,
  "gu",
);
/** The value of a field for a company, and a company before a role and a name. */
const COMPANY_FIELD = lazily(
  `${START}(?:상호명?|회사명?|업체명?|거래처|공급자|공급받는 ?자|구입처|판매처|근무처|직장|소속|기관명?|학교명?|병원명?|보내는 ?곳|받는 ?곳|발행처|시공사|제조사|가맹점명?|사용처|수신처?|경유|매장명?|지점명?)[ ]{0,3}[:：▸│][ ]{0,3}([가-힣A-Za-z\\d&.]{2,16}(?: (?!(?:${TITLES}|귀중|귀하))[가-힣A-Za-z\\d&.]{2,12})?)(?=[ ]{0,3}(?:[,/()|│\\n\\t]|$|(?:${TITLES}|귀중|→)))`,
  "gmu",
);
const BEFORE_ROLE = lazily(
  `${START}([가-힣A-Za-z\\d]{3,14}) (?=(?:대표(?:이사)?|이사|사장|원장|점장|소장|실장|팀장|과장|부장|대리|주임|차장) ${FAMILY}[가-힣]{1,2}(?:${PARTICLE})|${FAMILY}[가-힣]{2} (?:대표(?:이사)?|이사|사장|원장|점장|과장|부장|대리|주임|차장)(?![가-힣]))`,
  "gu",
);
const BRANCH = lazily(
  `${START}(?:[가-힣A-Za-z]{2,8} )?(?:[가-힣]{2,6}(?:마트|백화점|서점|분|지)|${TOWNS}|[가-힣]{2,4}역)점(?=에서|[ ,.)]|$)|${START}[가-힣A-Za-z]{2,8}(?<![은는을를의한된인]) [가-힣]{2,4}점(?=에서|으로| 방문| 직원| 점장)`,
  "gmu",
);
const NO_BRANCH =
  /(?:장|단|제|관|시|초|식|서|매|본|분|리|화|의|문|인|세|정|학|평|만|요|허|약|강|원|쟁|이|논|득|실|통|선|발|기|거|종|차|환|접|맹|중|안|는|맹|판매|과|주|상|노|지|느낀|좋은|나쁜)점$/;
const KNOWN_COMPANIES = [
  "카카오(?:뱅크|페이|톡)?|토스뱅크|케이뱅크|새마을금고|네이버(?:페이)?|쿠팡|배달의민족|당근마켓|삼성(?:전자|생명|화재|카드|물산)|현대(?:자동차|카드|해상|건설|제철)|기아자동차|엘지전자|LG전자|LG화학|LG유플러스|SK(?:텔레콤|하이닉스|이노베이션)|KT|롯데(?:마트|백화점|카드|택배)|신세계백화점|이마트|홈플러스|하이마트|CJ대한통운|한진택배|로젠택배|우리은행|국민은행|신한은행|하나은행|기업은행|농협은행",
  "포스코|(?:서울|연세|고려|경북|부산|전남|충남|전북|강원|제주|경희|한양|성균관|중앙|동국|건국|홍익|국민|숭실|세종|단국|인하|아주|명지|상명|가천|가톨릭|울산|영남|계명|조선|동아|원광|한림|순천향|인제|을지|경상|충북|창원|공주|한국체|한국교원|서울교)대|한국전력공사|국민연금공단|국민건강보험공단|근로복지공단",
].map((names) => lazily(`${START}(?:${names})(?=${PARTICLE})`, "gu"));
/** A company in a line of a CV, and before words for working. */
const WORKED = lazily(
  `(?:19|20)\\d{2}[.년/-] ?\\d{1,2}월?\\.? ?[~–-] ?(?:(?:19|20)\\d{2}[.년/-] ?\\d{1,2}월?\\.?|현재)?[ ]?[,:│|)]?[ ]{1,3}([가-힣A-Za-z\\d&]{2,14})(?=[ ,.(/│|\\n]|$)|^[-·•*] ?([가-힣A-Za-z\\d&]{2,14})(?=(?: [가-힣]{2,4})?,? ?[(]?(?:19|20)\\d{2}[.])|${START}([가-힣A-Za-z\\d&]{3,14})(?=에서 (?:[\\d가-힣]{1,6} ?){0,3}(?:근무|일하|일했|알바|퇴사|인턴|재직)|에 (?:입사|취직|취업|재직)|(?:을|를) (?:퇴사|그만두))`,
  "gmu",
);
const NO_WORK =
  /^(?:회사|직장|집|병원|학교|여기|거기|저기|카페|식당|공장|현장|사무실|편의점|대기업|중소기업|공기업|스타트업|외국계|매장|본사|지사|해외|국내|서울|지방|관공서|공공기관|연구실|건설현장|온라인|재택|프리랜서|프로젝트|군대|대학|대학교|대학원|다니던|이곳|그곳|현재|졸업|입학|수료|경력|휴학|재학|군복무|육군|해군|공군)$|(?:하던|했던|다니던|업계|분야|부서|팀|회사|직장)$/;
/** A short form of a school: "가람초", "연수중". */
const SCHOOL = lazily(
  `(?<=학교\\()[가-힣]{2,6}[초중고](?=\\))|${START}[가-힣]{2,6}(?:초|동중|여중|여고|고교|외고|과고|공고)(?= (?:\\d학년|도서관|학부모|교사|급식|행정실|[가-힣]{2,3} 선생)|\\)|에 다니|를 (?:졸업|나왔)|에서 (?:근무|졸업))`,
  "gu",
);
/** Words that begin no name: determiners and endings of verbs. */
const NO_COMPANY =
  /^(?:학부모|입주자|입주민|주민|비상대책|동문|학생|피고|원고|당사|귀사|본사|저희|우리|해당|위|현|전|담당|신임|전임|고객|직원|부서|총무|인사|영업|관리|경영|기획|연구|개발|생산|품질|마케팅|재무|회계|홍보|시설|안전|전산|물류|구매|운영|상담|지원|교육)(?:팀|부|과|실|본부|처|국)?$|[는을를의에]$|에서$|니다$|팀$|부서$|위원회$|과목$|하는$|하신$|었던$|지난$|안녕하세요$|감사합니다$/;

/** Finds organisations in Korean by their legal forms, by what they are, and by the fields and roles beside them. */
export function koreanOrganizations(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  const isCompany = (word: string, { 1: stem, index, input }: RegExpMatchArray) => {
    if (GENERAL().test(stem!) || NO_COMPANY.test(stem!)) return false;
    const kind = word.slice(stem!.length);
    if (STRONG().test(kind) || !WEAK.test(kind)) return true;
    return (
      COMPANY_AFTER().test(input!.slice(index! + word.length, index! + word.length + 24)) || /은행|뱅크|금고/.test(kind)
    );
  };
  return [
    ...NAMED_KIND.flatMap((pattern) => matches(text, pattern, "ORGANIZATION", isCompany)),
    ...matches(text, LEGAL, "ORGANIZATION"),
    ...matches(text, COMPANY_FIELD, "ORGANIZATION", (name) => !isNothing(name), 1),
    ...matches(text, BEFORE_ROLE, "ORGANIZATION", (name) => !NO_COMPANY.test(name) && !IS_TITLE().test(name), 1),
    ...[1, 2, 3].flatMap((group) =>
      matches(text, WORKED, "ORGANIZATION", (word) => !NO_WORK.test(word) && !NO_COMPANY.test(word), group),
    ),
    ...matches(text, BRANCH, "ORGANIZATION", (word) => !word.includes(" ") || !NO_BRANCH.test(word)),
    ...[...KNOWN_COMPANIES, SCHOOL].flatMap((pattern) => matches(text, pattern, "ORGANIZATION")),
  ];
}
/** Returns whether the value of a field says that there is none. */
const isNothing = (word: string) => /^(?:없음|무|미정|동일|본인)$/.test(word);

/** Digits and numbers in Sino-Korean words. */
const SINO = "[일이삼사오육칠팔구십백천]";
const DATES = [
  "(?<![\\d.])(?:19|20)\\d{2}\\. ?(?:0?[1-9]|1[0-2])\\.? ?(?:(?:0?[1-9]|[12]\\d|3[01])\\.?)?(?![\\d,]|\\.\\d)",
  "(?<![\\d.-])(?:19|20)\\d{2}[-/](?:0[1-9]|1[0-2])(?![\\d/호-])",
  "(?<![\\d가-힣])(?:\\d{2}|(?:19|20)\\d{2})년 ?생",
  "(?<![\\d가-힣.])(?:0?[1-9]|1[0-2])월(?! ?\\d{1,2}일)(?=(?:에는?|부터|까지|쯤|말|초|중순|중|경|은|이|의|달|생)?(?![가-힣]))(?: ?(?:초|중순|말)(?![가-힣]))?",
  "(?:[월화수목금토일]요일|이번 ?달|다음 ?달|지난 ?달|매월) ?(?:0?[1-9]|[12]\\d|3[01])일(?:\\([월화수목금토일]\\))?",
  "(?<![\\d월년.] ?|최대 |기준 |총 |약 |[가-힣]일 )(?:0?[1-9]|[12]\\d|3[01])일(?=에(?! (?:한|두|\\d))|까지(?! ?(?:사용|가능))|부터(?![가-힣])| ?\\([월화수목금토일]\\)|날)",
  `${START}(?:[월화수목금토일]요일 )?(?:(?:[공영일이삼사오육칠팔구십백천]{2,9}년도? )(?:[일이삼사오유육칠팔구시]|십[일이]?)월(?: ${SINO}{1,4}일)?|(?:[일이삼사오유육칠팔구시]|십[일이]?)월 ${SINO}{1,4}일)(?=생|${PARTICLE})`,
  "(?<![\\d.])\\d{2}년 ?\\d{1,2}월(?: ?\\d{1,2}일)?",
  "(?<![\\d.,-])(?:[5-9]\\d|[0-2]\\d)\\.(?:0?[1-9]|1[0-2])\\.(?:0?[1-9]|[12]\\d|3[01])(?![\\d,]|\\.\\d)|(?<![\\d.,])(?:0?[1-9]|1[0-2])\\.(?:0?[1-9]|[12]\\d|3[01])\\.? ?\\([월화수목금토일]\\)",
  `${START}(?:[일이삼사오유칠팔구시]|십[일이]?)월(?=에(?![가-힣])|달| ?초(?![가-힣])| ?말에|부터|까지)`,
  `${START}(?:천구백|이천)${SINO}{0,4}년(?:도|생)?(?=${PARTICLE})`,
  "(?<![\\d./-])(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\\d|3[01])(?=[ ]?(?:\\([월화수목금토일]\\)|재내원|내원|방문|예약|까지|부터|에(?![가-힣])|\\d\\d:\\d\\d|오전|오후|입원|퇴원|수술|외래))|(?<=(?:[가-힣]일|일자|일시|예약|내원|방문|입원|퇴원|수술)[은는]? ?[:：]? ?)(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\\d|3[01])(?![\\d/])",
  "(?<=[가-힣A-Z)] ?\\()(?:19|20)\\d{2}년?(?=[,)])|(?<=(?:졸업|석사|학사|박사|수료|입사|퇴사|수술|취득|[A-Z]{3,5}),? )(?:19|20)\\d{2}(?=[,.)\\n]|$)",
].map((source) => lazily(source, "gmu"));
/** Finds dates as Koreans write and say them. */
export function koreanDates(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return DATES.flatMap((pattern) => matches(text, pattern, "DATE"));
}

const TENS = "(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)";
const ONES = "(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)";
const AGES = [
  "만 ?\\d{1,3}세(?!까지|부터|미만|이상|이하|[ ]?(?:미만|이상|이하|부터|까지|~))",
  `${START}(?:${TENS}${ONES}?|${ONES}|스무) ?살(?! ?(?:미만|이상|이하|부터|까지|터울|차이|연상|연하|위|아래|어린|많))`,
  `${START}(?:(?:스물|서른|마흔|쉰|예순|일흔|여든|아흔)${ONES}|예순|일흔|여든|아흔|열(?:일곱|여덟|아홉|여섯|다섯|넷|셋))(?=이[신었에고야라세]|인데|입니다|에 (?:시집|장가|결혼|첫|돌아)|[,.!?\\n]|$)`,
  `${START}(?:${SINO}?십${SINO}?|백)(?:세|살)(?=${PARTICLE})(?! ?(?:미만|이상|이하|부터|까지))`,
  "(?<=(?:애|아기|아이|아들|딸|첫째|둘째|막내)(?:가|는|이)? (?:지금 |이제 )?)\\d{1,2}개월(?=인|이[고에야]|된|\\s|[,.!?)]|$)",
  "(?<=(?<![가-힣])[남여][성자]? ?[/,·(]? ?)\\d{1,3}세?(?=[)/,. \\n]|$)|(?<![\\d/.])\\d{1,3}(?=세? ?/ ?[남여](?![가-힣]))",
].map((source) => lazily(source, "gmu"));
/** Finds ages in Korean words, and beside a word for the sex or a child. */
export function koreanAges(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return AGES.flatMap((pattern) => matches(text, pattern, "AGE"));
}

const AMOUNT = lazily(
  `(?<![가-힣\\d.,])(?:\\d[\\d,.]{0,14}|${SINO}{1,10}|(?=[만천]))(?: ?[천백십]?[억만천] ?(?:\\d[\\d,]{0,8}|${SINO}{1,8}(?=[만천 원]))?){0,3} ?(?:원(?!장|인|래|하|룸|본|서|칙|고|리|초|단|유|소|형|격|활|불)|달러|유로|위안|환(?= |에|을|이))정?`,
  "gu",
);
/** Amounts without the word for the currency, after a word for a payment. */
const PRICE = lazily(
  `(?<=(?:회비|월세|보증금|전세|병원비|치료비|수술비|연봉|월급|시급|가격|비용|용돈|잔금|계약금|관리비|수강료|합계|총액|입금|출금|잔액)[은는이가도]? ?[:：]? ?)(?:\\d[\\d,.]{0,10} ?[만천]|\\d{1,3}(?:,\\d{3}){1,3}|\\d{2,4}에 \\d{2,3}|[일이삼사오육칠팔구]?[십백천]{1,2}[일이삼사오육칠팔구]?만?)(?= |에|[,.)\\n]|$)`,
  "gmu",
);
/** Finds amounts in won, also in words. */
export function koreanMoney(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return [
    ...matches(text, AMOUNT, "MONEY", (word, { input, index }) => {
      if (/^만 ?원$/.test(word))
        return !/^ ?(?:버스|사례|관중|지하철|전철)/.test(input!.slice(index! + word.length, index! + word.length + 4));
      return /\d/.test(word) || /[십백천만억] ?(?:원|달러|유로|위안|환)정?$/.test(word);
    }),
    ...matches(text, PRICE, "MONEY"),
  ];
}

/** A number or code of at least four digits after the name of a number. */
const CODE =
  "(?:제 ?)?(?:[A-Z]{1,5}[- ]?)?(?:[가-힣]{1,3}-)?\\d[\\dA-Z]*(?:[-–][\\dA-Z*]+){0,5}(?: \\d{3,4}(?:[- ]\\d{4}){1,3})?호?";
const IDS = [
  `(?<![가-힣])(?:[가-힣]{0,10}번호|사번|학번|군번|차트|시리얼(?: ?넘버| ?번호)?|일련번호|S/N|운송장|송장|티켓|계좌|여권|면허|거래명세서|견적서|주문 ?확인서|영수증|증권|이수증|사건|관리코드|고객코드|회원코드|환자코드|수험표|등록증|자격증|허가증|면허증|예약|접수)(?:은|는|이|가)?[ ]{0,2}[:：#▸│|=]?[ ]{0,2}(?:No\\.? ?)?(${CODE}|[A-Z]{2,5}\\d[A-Z\\d]{4,20})(?![\\d가-힣A-Za-z]|[.,]\\d|[/:]\\d)`,
  `(?<![가-힣])(?:[가-힣]{0,10}번호|시리얼|사번|학번|차트)(?:은|는|이|가)?[ ]{0,2}[:：]?[ ]{0,2}(${CODE}|[A-Z]{2,5}\\d[A-Z\\d]{4,20})(?=입니다|이에요|예요|이고|인데|로|으로|고요|요)`,
  "(?<![\\d-])(\\d{2,6}-\\d{2,6}-\\d{4,8}(?:-\\d{1,3})?|\\d{3,6}-\\*{2,6}-\\d{2,6}|\\d{3}-\\d{2}-\\*{4,6})(?![\\d-])(?=[^\\n]{0,4})",
  "(?<![A-Za-z\\d.-])([A-Z]{1,5}-?\\d{6,}|[A-Z]{2,5}-\\d{2,8}-\\d{3,8}|\\d{6}-[1-8][\\d*]{6})(?![A-Za-z\\d-])",
  "(?<![\\d가-힣])((?:19|20)\\d{2}[가나다고노도드느르머스카타하구][가-힣]{0,2} ?\\d{2,7})(?![\\d가-힣])",
  "(?<![가-힣\\d])(제 ?(?:19|20)\\d{2}-\\d{4,8}호)",
  "(?<![가-힣\\d])(\\d{2,3}[가-힣] ?\\d{4})(?![\\d가-힣])",
].map((source) => lazily(source, "gu"));
/** Names of numbers that are no one's. */
const NO_ID =
  /(?:전화|휴대폰|핸드폰|팩스|연락처|우편|비밀|인증|모델|제품|상품|품목|부품|오류|에러|버전|등번호|층번호|페이지|문항|대표|내선|조문|법령|국번|채널|좌석|방|호실|출구|노선|버스|끝|뒷)(?:번호|코드)?$|품번$/;
const isId = (id: string, { 0: whole, input, index }: RegExpMatchArray) => {
  const said = (input!.slice(Math.max(0, index! - 8), index!) + whole!.slice(0, whole!.lastIndexOf(id))).replace(
    /[^가-힣A-Za-z/]+$/,
    "",
  );
  return (
    (id.match(/\d/g)?.length ?? 0) >= 4 &&
    !NO_ID.test(said.replace(/[은는이가]$/, "")) &&
    !/^01\d-?\d{3,4}-?\d{4}$/.test(id) &&
    !/^(?:19|20)\d\d(?:-\d\d){0,2}$/.test(id)
  );
};
/** Finds numbers and codes after the names of numbers in Korean, and numbers of accounts. */
export function koreanIds(text: string): Match[] {
  if (!/\d/.test(text) || !HANGUL.test(text)) return [];
  return IDS.flatMap((pattern) => matches(text, pattern, "ID", isId, 1));
}

/** Service numbers of eight digits, and numbers in words. */
const PHONES = [
  "(?<![\\d-])1[5-8]\\d{2}-\\d{4}(?![\\d-])",
  "(?<![가-힣])(?:공|영)[일이삼사오육칠](?:공|영|[일이삼사오육칠팔구])?[ -]?(?:에 ?|국에 ?)?[공영일이삼사오육칠팔구하나둘]{3,5}(?:에|국에|의)?[ -]?(?:에 ?)?[공영일이삼사오육칠팔구하나둘]{3,5}",
].map((source) => lazily(source, "gu"));
/** Finds telephone numbers of Korea that other rules do not know. */
export function koreanPhones(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return PHONES.flatMap((pattern) => matches(text, pattern, "PHONE"));
}

const USERNAME = lazily(
  "(?:아이디|닉네임|계정|ID)(?:는|은|가|이)? ?[:：]? ?([A-Za-z][\\w.-]{2,24})(?=이고|입니다|이에요|예요|인데|이야|야|로|으로)",
  "gu",
);
/** Finds user names after the words for them in Korean, before a particle. */
export function koreanUsernames(text: string): Match[] {
  return HANGUL.test(text) ? matches(text, USERNAME, "USERNAME", undefined, 1) : [];
}

const PASSWORD = lazily(
  `(?:비밀번호|비번|암호|패스워드|패스코드|인증번호|인증코드|핀번호|출입코드|임시번호|도어락|현관)(?:은|는|이|가)?(?: ?번호는?)?[ ]{0,2}(?:[:：=→│]|\\()?[ ]{0,2}["'\`“‘]?([#*]?[A-Za-z\\d!@#$%^&*_+?~-]{3,40})(?=["'\`”’]?(?:$|[\\s,.)\\]/]|입니다|이에요|예요|이고|인데|이야|야|요|으?로|번(?!호|길)|치고|누르))`,
  "gmu",
);
/** Finds passwords and codes after the words for them in Korean. */
export function koreanPasswords(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return matches(text, PASSWORD, "PASSWORD", (word) => /\d|[!@#$%^&*_+]/.test(word) && !/^[-~*#]+$/.test(word), 1);
}

const ILLNESSES = [
  "(?:위|폐|간|대장|직장|결장|유방|갑상선|전립선|췌장|자궁경부|자궁내막|자궁|난소|방광|신장|피부|혈액|식도|담낭|담도|후두|구강|한국어|두경부|뇌|설|고환)암(?:\\s?\\d기|\\s?말기|\\s?초기)?|백혈병|림프종|흑색종|골수종|육종|(?:뇌|자궁|간|폐)?종양|뇌종양|(?:자궁)?근종|(?:대장|위|담낭)?용종|(?:난소)?낭종|물혹|결절|암(?=이 |으로 |에 걸|을 앓| 수술| 진단| 투병| \\d기)",
  "(?:위|장|급성위|위장|대장|폐|간|비|알레르기비|중이|외이도|관절|류마티스관절|퇴행성관절|기관지|피부|아토피피부|인두|후두|편도선?|결막|각막|방광|신우신|췌장|담낭|맹장|충수|구내|치주|치은|뇌|뇌수막|건|심근|심내막|골수|질|부비동|전립선|모낭|봉와직|포도막|족저근막|척추|강직성척추|자궁내막|골반|궤양성대장|혈관|갑상선|늑막|복막|근막|점액낭)염",
  "고혈압|저혈압|고지혈증|이상지질혈증|저혈당|당뇨(?:병)?(?:성 ?(?:망막병증|신증|신경병증|족부))?|통풍|비만|대사증후군|협심증|심근경색증?|심부전|심방세동|부정맥|판막증|뇌졸중|뇌경색|뇌출혈|중풍|동맥경화|동맥류|하지정맥류|정맥류|혈전증?|폐색전증|(?:철결핍성? ?)?빈혈|갑상선 ?기능 ?(?:저하|항진)증|갑상선 ?질환|골다공증|골감소증",
  "우울증|조울증|양극성 ?장애|조현병|공황 ?장애|불안 ?장애|강박 ?장애|섭식 ?장애|적응 ?장애|수면 ?장애|불면증|거식증|폭식증|자폐(?:증|스펙트럼)?|발달 ?장애|지적 ?장애|뇌병변|치매|알츠하이머(?:병)?|파킨슨병?|뇌전증|간질|편두통|이명|난청|메니에르병?|안면 ?마비|구안와사|뇌성마비|소아마비|루게릭병?|다발성 ?경화증|알코올 ?(?:중독|의존증)",
  "천식|폐결핵|결핵|폐기종|만성폐쇄성폐질환|기흉|독감|코로나|수두|홍역|성홍열|수족구(?:병)?|대상포진|아토피|건선|습진|두드러기|백반증|원형탈모|간경화|간경변증?|지방간|(?:[BC]형 ?)?간염|역류성 ?식도염|위궤양|십이지장궤양|과민성 ?대장(?: ?증후군)?|크론병|치질|치핵|치루|탈장|(?:요로|신장|담낭|담관)?결석|담석증?|신부전|요실금|전립선 ?비대증?|방광염",
  "디스크(?= ?(?:수술|가|로|이|때문|파열|증|환자))|(?:허리|목) ?디스크|추간판 ?탈출증?|(?:척추|요추|경추|척추관)? ?협착증|척추 ?측만증|측만증|오십견|(?:회전근개|십자인대|연골판|인대|반월상 ?연골|힘줄|아킬레스건)(?: ?파열| ?손상)?|무지외반증|손목 ?터널 ?증후군|수근관 ?증후군|류마티스|루푸스|강직성척추염|(?:[가-힣]{1,4} )?골절(?=[^가-힣]|로|이|을|상|수술|되|됐)|탈구|염좌|뇌진탕",
  "백내장(?: 수술)?|녹내장|황반변성|망막박리|사시|약시|자궁내막증|다낭성 ?난소 ?증후군|난임|불임|유산(?=을|했|하|되|됐|후)|임신(?: ?\\d{1,2}주(?:차)?)?|조산|자궁 ?외 ?임신|임신 ?중독증|임신성 ?당뇨|[가-힣]{1,6} ?(?:알레르기|알러지)|에이즈|매독|임질|클라미디아|패혈증|파상풍|말라리아|뎅기열|식중독|욕창|화상(?! ?(?:회의|통화|면접|수업|강의|채팅|상담|진료))|동상(?=에|을 입|으로)|(?:손가락|검지|중지|엄지|발가락|팔|다리|약지|소지) 절단|[가-힣]{1,6}(?:증후군|저하증|항진증|결핍증|거부증|장애증)|실어증|거북목|좌골신경통|삼차신경통|섬유근육통|테니스 ?엘보|건초염|방아쇠 ?수지|간부전|신증후군|사구체신염|질염|유선염|섬유선종|하시모토(?:병)?|그레이브스병?|쿠싱병?",
  "성조숙증|구순구개열|심방중격결손|관상동맥 ?질환|심장 ?판막 ?질환|대동맥 ?박리|수막종|신경초종|교모세포종|사지마비|하반신 ?마비|편마비|반신마비|틱 ?장애|뚜렛|외상 ?후 ?스트레스(?: ?장애)?|섬망|인지 ?장애|경도 ?인지 ?장애|이석증|비중격 ?만곡증?|수면 ?무호흡(?:증)?|성대 ?결절|턱관절 ?장애|원추각막|안구 ?건조증|지루성 ?피부염|다한증|액취증|레이노(?:병)?|버거병|베체트병?|쇼그렌|장티푸스|콜레라|게실염|장폐색|황달|혈우병|재생불량성 ?빈혈|요독증|갱년기 ?장애|조기 ?폐경|발기부전|ADHD|PTSD|COPD|HIV",
  "(?:[가-힣]{1,3}경 )?[가-힣]{1,8}(?:절제|치환|이식|적출|봉합|재건|성형|고정|유합|우회|삽입|제거|확장|천자|색전)술|(?:[가-힣]{1,6}(?:이식|인대|관절|절제|치환|편도|맹장|제왕절개|스텐트|탈장|치질|담낭|척추|허리|무릎|어깨|고관절|쌍꺼풀|코|심장|뇌|라식|자궁|갑상선)|맹장|제왕절개|스텐트|치질|편도(?:선)?|쌍꺼풀|라식|심장|허리|무릎|고관절) ?(?:수술|시술)|제왕절개|인공 ?관절(?: ?수술)?|스텐트|투석|항암(?: ?치료)?|방사선 ?치료|편도(?=선?을|선? ?뗐|선? ?수술)",
].map((source) => lazily(`(?<![가-힣])(?:${source})`, "gu"));
const MEDICINES = [
  `[가-힣]{1,7}(?:스타틴|사르탄|프라졸|디핀|마이신|실린|플록사신|세틴|프람|파린|포르민|글립틴|글리플로진|졸람|제팜|프로펜|코나졸|니다졸|시클로비르|니솔론|메타손|콕시브|가발린|가바펜틴|트립틸린|아핀|페리돈|페질|만틴|자반|그렐|헤파린|티록신|플록신|타딘|세티리진|오스타트|졸피뎀|로닌|글루타이드|마브|투주맙|시맙|니맙|리무맙|티닙|졸린|세핌|티닌|트렉세이트|크롤리무스|날린|도파|펜타닐|코돈|모르핀|베타솔|루카스트|피도그렐|살라진|클로로퀸)`,
  "히알루론산|인슐린|아스피린|타이레놀|씬지로이드|신지로이드|노바스크|리피토|크레스토|아리셉트|자낙스|콘서타|마도파|오구멘틴|조인스|하루날|플라빅스|글루코파지|자누비아|트라젠타|포시가|자디앙|디오반|코자정|넥시움|쎄레브렉스|세레브렉스|졸로푸트|렉사프로|프로작|스틸녹스|리보트릴|데파코트|데파킨|테그레톨|케프라|리리카|뉴론틴|심발타|웰부트린|아빌리파이|쎄로켈|리스페달|란투스|트루리시티|오젬픽|삭센다|위고비|마운자로|싱귤레어|심비코트|세레타이드|벤토린|스피리바|타미플루|페니라민|지르텍|알레그라|씨잘|프로페시아|아보다트|비아그라|시알리스|휴미라",
  "엔브렐|페마라|글리벡|허셉틴|키트루다|옵디보|엘리퀴스|자렐토|프라닥사|릭시아나|쿠마딘|시네메트|포사맥스|프롤리아|메디키넷|페니드|스트라테라|인데놀|라식스|알닥톤|메토트렉세이트|이부프로펜|아세트아미노펜|트라마돌|울트라셋|게보린|판콜|판피린|부루펜|애드빌|탁센|메트포르민|와파린|갈라민|레보도파|안플라그|에비스타|바이토린|트윈스타|엑스포지|아모잘탄|세비카|카나브|가나톤|모티리움|스멕타|이소티논|로아큐탄|듀오덤|메디락|비리어드|바라크루드|다이아벡스|아마릴",
].map((source) => lazily(`(?<![가-힣])(?:${source})`, "gu"));
const BLOOD = lazily(
  "(?<=혈액형(?:은|이)? ?[:：│]? ?)(?:Rh ?[+-] ?)?(?:AB|A|B|O)(?:형|[+-]|\\([+-]\\))?(?: ?Rh ?[+-])?",
  "gu",
);
/** Finds words for illnesses, operations and medicines in Korean. */
export function koreanIllnesses(text: string): Match[] {
  if (!HANGUL.test(text)) return [];
  return [...ILLNESSES, ...MEDICINES, BLOOD].flatMap((pattern) => matches(text, pattern, "HEALTH"));
}

/** The label of a field by the end of its name in Korean, without spaces. */
const KEYS: readonly (readonly [string, Lazy])[] = (
  [
    ["PASSWORD", "(?:비밀번호|비번|암호|패스워드|인증번호)$"],
    ["EMAIL", "(?:이메일|메일|이메일주소|메일주소|전자우편)$"],
    ["PHONE", "(?:연락처|전화|전화번호|휴대폰|휴대전화|휴대폰번호|핸드폰|팩스)$|^hp$"],
    ["ADDRESS", "(?:주소|배송지|도착지|거주지|소재지|등록기준지|본적지)$"],
    [
      "DATE",
      "(?:생년월일|생일|접수일|작성일|주문일|수술일|입원일|퇴원일|발행일|계약일|결제일|방문일|검사일|진료일|예약일|입사일|퇴사일|신청일|등록일|발급일|납부일|만기일|거래일|출생일|사망일|날짜|일자|일시)$",
    ],
    ["ID", "(?<!우편|모델|제품|상품|부품|품목)번호$|^(?:사번|학번|군번|차트|시리얼|운송장|송장|계좌)$"],
    ["AGE", "^(?:나이|연령)$"],
    ["USERNAME", "(?:아이디|닉네임|사용자명|계정명?)$"],
    ["HEALTH", "^(?:진단명?|병명|상병명?|과거력|기저질환|복용약|투약|알레르기|알러지|약|처방약|질환|수술명|병력)$"],
    ["ORGANIZATION", "^(?:회사명?|상호명?|업체명?|거래처명?|기관명?|학교명?|병원명?|직장명?|근무처)$"],
    [
      "PERSON",
      `^(?:${ROLES.replaceAll(" ?", "").replace(/\|(?:수신인\?|문의|대표자\?|신부|고인|상주)(?=\|)/g, "")}|아동|어르신|수급자|보호자명|담당자명|대표자명|성함|주문자명|예약자명|참석자)$`,
    ],
  ] as const
).map(([label, source]) => [label, lazily(source, "u")] as const);
/** Returns the label of a field by its name in Korean, without spaces; undefined if the name says nothing. */
export const labelOfKorean = (name: string): string | undefined =>
  HANGUL.test(name) && name.length <= 16 ? KEYS.find(([, is]) => is().test(name))?.[0] : undefined;
