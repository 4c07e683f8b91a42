// Rules for Vietnamese, Indonesian, Malay, Tagalog and Swahili: words before names, places, organisations, dates and numbers.
import { isSpeech } from "../../words.js";
import { type Lazy, lazily, type Match, matches } from "../match.js";
import { isNumberWord } from "../spoken-number.js";

type Language = "id" | "vi" | "tl" | "sw";

/** Frequent function words of each language. */
const FUNCTION_WORDS: Record<Language, string> = {
  id: "yang dengan untuk tidak sudah saya kami kita pada dari nggak gak belum atau kalau anda akan juga bisa boleh tolong telah oleh dalam adalah awak tak kat dah nak kpd dgn yg tgl dan ini itu aku alamat nama tanggal umur nomor nombor kepada sejak sampai masih pak bu pesakit pasien lulus gaji biaya pernah pengalaman pendidikan udah aja dong kan banget gw gue lu kamu mereka sekarang besok kemarin masih jangan kalo kenapa gimana berapa siapa setelah sebelum karena harga jam ambil kirim mau lagi selamat terima kasih sekolah kelas rumah jumlah petugas ibu bapak anak suami istri isteri obat dokter cabang magang siap atas bawah depan mana bukan tiada bayaran menunggu keluhan tiket pelapor resume bayar hormat hubungi sila mohon",
  vi: "",
  tl: "ang ng mga siya hindi yung naman ito opo po namin natin kay nung noong ako pangalan lang kasi ba yun niya kanya sila tayo kahapon bukas ngayon umaga gabi salamat magandang nasa ko mo pa rin din paksa bayad anak mula sina si sa petsa resibo",
  sw: "kwa katika yangu yako yake yetu wangu wake jina habari asante tafadhali mimi lakini sasa nina namba nambari simu miaka mwaka tarehe umri ndugu na wa ya hapa kama kutoka mteja daktari mtoto ndiyo kila wiki mwezi siku pesa fedha kazi nyumbani shule hospitali jana kesho leo bei jumla cha la za kwenye pia bado mgonjwa dawa shilingi fundi mkopo barua",
};
/** Short function words of Tagalog and Swahili that other languages have as well: another one must stand beside them. */
const SHORT =
  /^(?:na|wa|ya|sa|si|po|ng|kay|lang|kama|dan|ini|ako|dah|bu|pak|tak|kan|lu|mana|ko|mo|pa|ba|rin|din|sila|cha|la|za|pia|bei|mau|lagi|mula|jam|atas|anak)$/;
const SETS = Object.entries(FUNCTION_WORDS).map(
  ([language, words]) => [language as Language, new Set(words.split(" "))] as const,
);
const VIETNAMESE = /[ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơư]/giu;

let judged: { text: string; language: Language | undefined } | undefined;
/** Returns the language of a text if it is one of these four. */
function asianLanguage(text: string): Language | undefined {
  if (judged?.text !== text) judged = { text, language: languageOf(text.slice(0, 4000)) };
  return judged.language;
}
function languageOf(text: string): Language | undefined {
  const words = new Set(text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu));
  if (6 * (text.match(VIETNAMESE)?.length ?? 0) > (text.match(/\p{L}+/gu)?.length ?? 1)) return "vi";
  let best: Language | undefined;
  let most = 1;
  for (const [language, known] of SETS) {
    const found = [...words].filter((word) => known.has(word));
    const count = found.length;
    if (count > most && found.some((word) => !SHORT.test(word))) [best, most] = [language, count];
  }
  return best;
}

const START = "(?<![\\p{L}\\p{M}\\p{N}@._/-])";
const END = "(?![\\p{L}\\p{M}\\p{N}])";
const PART = "\\p{Lu}(?:[\\p{L}\\p{M}]|['’-](?=\\p{L})){0,24}";
const LINK = "(?:bin|binti|bte?\\.?|a/[lp]|anak|ole|dela?|dg\\.|Dg\\.)";
const INITIALS = "(?:\\p{Lu}[a-z]?\\.[ ]?){0,3}";
/** A name of up to five words. */
const NAME = `${INITIALS}${PART}(?:[ ](?:${LINK}[ ])?(?:${PART}|\\p{Lu}\\.)){0,4}${END}`;
/** A place or the rest of an organisation's name. */
const PROPER = `${PART}(?:[ ](?:${PART}|\\d{1,3}(?![\\d.,:]|[ ]\\p{Ll}))){0,3}${END}`;
/** Returns alternatives whose first letter may be a capital. */
const cased = (words: string) => words.replace(/(?<=^|\|)\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Titles before a person's name, which are no part of it. */
const TITLES: Record<Language, string> = {
  id: "pak|bu|bpk|bapak|ibu|mas|mbak|mba|bang|abang|kak|kakak|om|tante|tn|ny|nn|sdri?|hj|ust|ustadz?(?:ah)?|gus|teh|teteh|aa|ceu|mang|cak|uda|uni|koh|cik|encik|puan|tuan|datin|dato['’]|datuk|tengku|tunku|tan sri|puan sri|haji|hajah|pakcik|makcik|mak|tok|eyang|opa|oma|kakek|nenek|bunda|uncle|aunt(?:y|ie)|suster|dokter|doktor|drg?|ir|cikgu|kapten|chef|en|pn|kap",
  vi: "anh|chị|em|cô|chú|bác|ông|bà|cậu|dì|thầy|bé|cháu|bạn|thím|mợ|dượng|cụ|bác sĩ|BS|ThS|ĐD|điều dưỡng(?: trưởng)?|y tá|luật sư|kỹ sư",
  tl: "gng|g|bb|aling|mang|mamang|manong|manang|tatay|nanay|kuya|ate|tito|tita|lolo|lola|padre|kap|atty|attorney|engr|ma['’]am|sir|misis|mister|hon",
  sw: "bw|bi|bwana|bibi|mzee|mama|baba|dkt|ndugu|mwl|mwalimu|padri|mchungaji|fundi|afisa|koplo|mhe|mheshimiwa",
};
/** Kinship, roles, articles and introductions before a person's name. */
const BEFORE_PERSON: Record<Language, string> = {
  id: [
    "sopir|supir|cs|a\\.n|atas nama|bernama|nama penuh|panggil|si|alias|wali|petugas|teknisi|pasien|pesakit|pelanggan|nasabah|staf|kurir|orang tua dari|yang dihormati|nama saya|saya|perkenalkan|hubungi|kabari|jumpa|salam|halo|hai",
    "(?:Istri|Suami|Isteri|Anak|Putra|Putri|Adik|Kakak|Teman|Jiran|Tetangga|Rekan|istri|suami|isteri|anak|putra|putri|ayah|ibu|adik|kakak|abang|mak|bapa|jiran|tetangga|teman|rekan|sahabat|cucu|bini|keponakan|mertua|menantu|pacar|bos|member|kawan)(?:nya|ku|mu|(?: (?:saya|kami|aku|dia|beliau|lain))),?",
  ].join("|"),
  vi: [
    "mẹ|má|bố|cha|chồng|vợ|con trai|con gái|em trai|em gái|anh trai|chị gái|khách|quý khách|bệnh nhân|tài xế|nhân viên|thợ|tên|tên là|tên tôi là|tôi tên|họ tên|giám đốc|trưởng phòng|BN|KH|giới thiệu bởi|nhờ|gặp",
    "[Ee]m (?:tên )?là|(?:[Tt]ôi|[Mm]ình|[Aa]nh|[Cc]hị|[Cc]háu|[Cc]on|[Mm]ẹ|[Vv]ợ|[Cc]hồng|[Cc]ô|nhà) (?:tên )?là|ĐD trưởng|tôi, ông|tôi, bà",
  ].join("|"),
  tl: "si|sina|kay|kina|ni|nina|pangalan ko ay|ako si",
  sw: "naitwa|mimi(?: ni)?|mpendwa|(?:Mke|Mume|Dada|Kaka|Rafiki|Jirani|Mzazi|Mwana|mke|mume|dada|kaka|rafiki|jirani|mzazi|mwana)(?: (?:wangu|wake|yangu|yake|yako|wa))?|mtoto(?: (?:mkubwa|mdogo|wangu))?|jina|jina langu ni|mteja|mgonjwa|daktari|dereva|mdhamini",
};
/** Words with a capital after such words that name nobody. */
const NOBODY =
  /^(?:Kepala|Ketua|Camat|Lurah|Guru|Bos|Dokter|Direktur|Presiden|Menteri|Bupati|Gubernur|Wali|Walikota|Pimpinan|Pengurus|Manajer|Manager|Customer|Admin|CS|HR|IT|RT|RW|PT|CV|Bank|Toko|RS|RSUD|Bapak|Ibu|Pak|Bu|Saudara|Tuan|Puan|Anda|Kami|Yth|Islam|Kristen|Muslim|Indonesia|Malaysia|Melayu|Rp|RM|Chủ|Trưởng|Giám|Bộ|Hiệu|Phó|Quý|Công|Việt|Anh|Pháp|Mỹ|Nhật|Rịa|Nà|Hàng|Kitu|Mungu|Tanzania|Kenya|Senin|Selasa|Rabu|Kamis|Jumat|Sabtu|Minggu|Google|WhatsApp|GCash|Facebook|Windows|Mahal|Magandang|Salamat|Habari|Asante|Terima|Selamat|Assalamualaikum|Kirim|Sila|Mohon|Maaf|Dengan|Yang|Untuk|Tolong|OTP|PIN|ID|No|Nomor|Tgl|[A-Z]\d+)(?!\p{L})/u;

/** Prepositions and words for kinds of places before a place. */
const BEFORE_PLACE: Record<Language, string> = {
  id: "di|ke|dari|kat|menuju|tiba|asal|dekat|depan|cabang|cawangan|arah|simpang|kota|kabupaten|kab\\.?|kec\\.?|kecamatan|kelurahan|kel\\.?|desa|kampung|kg\\.?|provinsi|pulau|daerah|wilayah|pelabuhan|bandara|stasiun|proyek|sampai|pindah|lahir|kilang|banjir|penduduk",
  vi: "ở|tại|từ|đến|tới|về|lên|xuống|ra|vào|qua|ghé|quê|gần|rời|tỉnh|thành phố|TP\\.?|huyện|quận|xã|phường|thôn|ấp|làng|bản|thị trấn|thị xã|đảo|núi|sông|dốc|khu|tuyến|phố|công trình|giao hàng|đơn|khu vực|cư xá",
  tl: "sa|mula sa|galing|nasa|taga|dito sa|papuntang|sitio|brgy\\.?|barangay|purok|bayan ng|lungsod ng|lalawigan ng",
  sw: "kutoka|hadi|mpaka|huko|hapa|kule|pale|mjini|mji wa|kijiji cha|kata ya|wilaya ya|mkoa wa|kwenda|katika|mlima|mto|ziwa|kisiwa cha|eneo la|naishi|anaishi|nimezaliwa|alizaliwa|kuzaliwa|(?:ame|nime|wame|ata|tuna)(?:fika|hamia|enda|lala|fanyiwa upasuaji|lazwa)|karibu na|barabara ya|njia ya|yuko|ziara ya|(?<=[ ]\\p{Ll}{2,15}[ ])(?:ya|wa)",
};
/** What such words have behind them that is no place: programs, days, months, persons, languages. */
const NO_PLACE =
  /^(?:Jln?|Gg|Jalan|Gang|Excel|Word|Windows|Chrome|Firefox|Safari|Edge|Android|Google|Gmail|WhatsApp|Instagram|Facebook|Telegram|Zalo|YouTube|TikTok|Bluetooth|Wi-?Fi|Internet|Zoom|Java|Python|Linux|GitHub|GCash|App|Tết|Noel|Thứ|Chủ|Tháng|Chúa|Phật|Giáng|Grade|Kubernetes|Docker|Error|Printer|Ordinansa|Pamunuan|Seksyon|Masuk|Sinh|Ngày|Sejak|Pada|Mulai|Hari|Senin|Selasa|Rabu|Kamis|Jum['’]?at|Sabtu|Minggu|Isnin|Khamis|Ahad|Lunes|Martes|Miyerkules|Huwebes|Biyernes|Sabado|Linggo|Jumatatu|Jumanne|Jumatano|Alhamisi|Ijumaa|Jumamosi|Jumapili|Bapak|Ibu|Pak|Bu|Mas|Mbak|Bang|Kak|Dr|Bwana|Mzee|Mama|Kiswahili|Kiingereza|Tagalog|English|Inggris|Facebook|Tuhan|Allah|Mungu|Diyos|Panginoon|Alhamdulillah|Rp|RM|OTP|PIN|M-Pesa|Jan\p{L}*|Feb\p{L}*|Pebr?\p{L}*|Mar(?:et|so|ch|s)|Apr\p{L}*|Abril|Mei|Mayo|Jun[ie]?|Jul[iy]|Julai|Hun\p{L}*|Hul\p{L}*|Agu?\p{L}*|Ogos|Sept?\p{L}*|Set\p{L}*|O[kc]t\p{L}*|No[pvb]\p{L}*|De[sc]\p{L}*|Dis\p{L}*|[A-Z]+)(?!\p{Ll})/u;

/** Words for kinds of organisations before their name. */
const ORGANIZATION: Record<Language, string> = {
  id: [
    "PT|CV|UD|Bank|RS|RSUD|RSU|RSIA|RSUP|Puskesmas|Klinik|Apotek|Universit(?:as|i)|Institut|Politeknik|SDN?|SMPN?|SMAN?|SMKN?|MTsN?|MAN|TK|Sekolah|Ponpes|Pondok Pesantren|Yayasan|Koperasi|Toko|Kedai|Warung|Restoran|Rumah (?:Makan|Sakit)|Kantor|Dinas|Kementerian|Hotel|Bengkel|Syarikat|Pejabat|Dewan|Hospital|Masjid|Gereja|Kolej|Maktab|Pasar|Posyandu|Surau|Dapur|KPJ|KCP|Katering|Perpustakaan|Kelurahan",
    "apotek|klinik|toko|warung|bengkel|kilang|kedai|hotel|bank|koperasi|yayasan|universitas|puskesmas",
  ].join("|"),
  vi: cased(
    "công ty(?: TNHH| cổ phần| CP| chuyển nhà){0,2}|ngân hàng|bệnh viện(?: đa khoa)?|BV|trường(?: THPT| THCS| tiểu học| [Mm]ầm non| [Đđ]ại học| [Cc]ao đẳng| nội trú)?|đại học|ĐH|cao đẳng|THPT|THCS|mầm non|phòng khám(?: răng hàm mặt| đa khoa)?|nhà thuốc|khách sạn|nhà hàng|quán|cửa hàng|tiệm|siêu thị|chợ|UBND(?: xã| phường| huyện)?|công an(?: xã| phường| huyện)?|viện|trung tâm|hợp tác xã|HTX|nhà máy|xưởng|tập đoàn|hãng|chùa|nhà thờ|cảng|điện máy|điện lạnh|vật liệu xây dựng|học bổng|chi nhánh|bên|báo",
  ),
  tl: "Ospital ng|Pamantasan ng|Unibersidad ng|Paaralang?(?: ng)?|Kolehiyo ng|Simbahan ng|Bangko ng|Registry of Deeds ng",
  sw: cased(
    "hospitali(?: ya)?|zahanati(?: ya)?|kituo cha afya(?: cha)?|shule(?: ya)?(?: msingi| sekondari)?|chuo(?: kikuu)?(?: cha)?|benki(?: ya)?|kampuni(?: ya)?|hoteli(?: ya)?|duka(?: la)?|kanisa(?: la)?|msikiti(?: wa)?|kikundi(?: cha)?|shirika(?: la)?|kiwanda(?: cha)?|bima",
  ),
};

const LANGUAGES: readonly Language[] = ["id", "vi", "tl", "sw"];
const perLanguage = (make: (language: Language) => Lazy) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, Lazy>;
/** Abbreviated titles with a dot. */
const ABBREVIATED =
  "tn|ny|nn|sdri?|hj?|ir|drg?|dra|drs|bpk|ust|prof|gng|g|bb|engr|atty|bw|bi|dkt|mwl|mhe|en|pn|bs|ths|gs|ts|a\\.n";
const PERSONS = perLanguage((language) =>
  lazily(
    `${START}(?:(?:${cased(ABBREVIATED)}|BS|TS)\\.[ ]?|(?:${cased(`${TITLES[language]}|${BEFORE_PERSON[language]}`)})[ ]){1,2}(${NAME})`,
    "gu",
  ),
);
const TITLED = perLanguage((language) =>
  lazily(`^(?:(?:${cased(ABBREVIATED)})\\.[ ]?|(?:${cased(TITLES[language])})[ ](?=\\p{Lu})){1,3}`, "u"),
);
/** Returns where the name begins in a text that may begin with titles of one of these languages. */
export function afterTitles(text: string, name: string): number {
  const language = asianLanguage(text);
  return language ? (TITLED[language]().exec(name)?.[0].length ?? 0) : 0;
}
const PLACES = perLanguage((language) =>
  lazily(`${START}(?:${cased(BEFORE_PLACE[language])})[ ]((?:${PROPER})(?:[ ]?[–-][ ]?${PROPER}){0,3})`, "gu"),
);
const ORGANIZATIONS = perLanguage((language) => lazily(`${START}(?:${ORGANIZATION[language]})[ ](${PROPER})`, "gu"));
/** Names of Malays and of people of Borneo, and of Indians in Malaysia, with the word for a child between two parts. */
const PATRONYMIC = lazily(
  `${START}${NAME.replace("(?:bin", "(?:-")}[ ](?:bin|binti|bte?\\.?|BIN|BINTI|BTE?|a/[lp]|A/[LP]|anak)[ ]${NAME}`,
  "gu",
);
/** A Vietnamese family name and two to four more parts. */
const FAMILY = lazily(
  `${START}(?:Nguyễn|Trần|Lê|Phạm|Hoàng|Huỳnh|Phan|Vũ|Võ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý|Đoàn|Trịnh|Đinh|Lâm|Mai|Trương|Cao|Phùng|Tô|Tạ|Châu|Quách|Thái|Lương|Lưu|Vương|Nông|Hà|Kim|Thạch|Tôn Thất|Tôn Nữ|Âu Dương|Mạc|Khổng|Tống|Đồng|Kiều|Nghiêm|NGUYỄN|TRẦN|LÊ|PHẠM|HOÀNG|HUỲNH|PHAN|VŨ|VÕ|ĐẶNG|BÙI|ĐỖ|NGÔ|DƯƠNG|CÙ)[ ](?!Chí Minh)${PART}(?:[ ]${PART}){1,3}${END}`,
  "gu",
);
/** Three or four words with a capital after a word without one: in Vietnamese mostly a person. */
const CAPITALIZED = lazily(
  `(?<=\\p{Ll}[\\p{L}\\p{M}]*[ ])(?!(?:Việt|Hồ Chí|Tết|Bộ|Luật|Nghị|Quốc|Đảng|Trung Quốc|Hàn Quốc|Nhật|Liên|Cộng|Hội|Ủy|Đại|Bệnh|Ngân|Công|Trường|Tổng|Sở|Ban|Cục|Viện|Hiệp|Google|Microsoft|Đông|Thế)[ ])\\p{Lu}[\\p{Ll}\\p{M}]{1,6}(?:[ ]\\p{Lu}[\\p{Ll}\\p{M}]{1,6}){2,3}${END}`,
  "gu",
);
/** Frequent given names and family names, which may have further words behind them. */
const NAMES: Partial<Record<Language, Lazy>> = {
  id: lazily(
    `${START}(?:Budi|Agus|Siti|Dewi|Rizk[yi]|Putri|Wahyu|Eko|Dwi|Joko|Bambang|Slamet|Sutrisno|Suparno|Sugeng|Hendra|Andi|Andika|Arif|Rahmat|Yusuf|Fajar|Bayu|Dimas|Galih|Gilang|Ilham|Irfan|Reza|Rudi|Yant[io]|Yuni|Yuli|Rin[ai]|Ratna|Ratih|Lestari|Intan|Ayu|Dian|Made|Wayan|Ketut|Nyoman|Komang|Kadek|Gede|Putu|Ni Luh|Nurul|Aisyah|Fatimah|Nurhayati|Halimah|Khadijah|Zainab|Azizah|Hasan|Husin|Ahmad|Muhammad|Mohd|Mohamad|Muhamad|Abdul|Abdullah|Ismail|Ibrahim|Hafiz|Faizal|Azman|Razak|Rosli|Zulkifli|Syafiq|Amirul|Nur|Nor|Wan|Hisham|Farid|Suraya|Rohani|Rosnah|Fauziah|Norhayati|Suhaila|Sri (?!Lanka|Mulyani)|Joni|Doni|Deni|Asep|Ujang|Cecep|Iwan|Dedi|Edi|Heru|Herman|Teguh|Tono|Wati|Endang|Sulastri|Sumiati|Kartini|Maria|Yohanes|Markus|Yosef|Stefanus|Kevin|Jessica)${END}(?:[ ](?:${LINK}[ ])?${PART}){0,3}|${START}${PART}(?:[ ]${PART})?[ ](?:Simanjuntak|Sihombing|Siregar|Nasution|Lubis|Harahap|Hutapea|Panjaitan|Situmorang|Sinaga|Manurung|Siahaan|Pakpahan|Tampubolon|Ginting|Sembiring|Tarigan|Wijaya|Santoso|Kusuma|Saputra|Pratama|Nugroho|Setiawan|Hidayat|Gunawan|Kurniawan|Susanto|Rahman|Wibowo|Purnomo|Utomo|Suryadi|Hartono|Permana|Ramadhan|Maulana|Firmansyah|Prasetyo|Handayani|Wulandari|Rahayu|Astuti|Anggraini|Safitri|Pertiwi)${END}`,
    "gu",
  ),
  sw: lazily(
    `${START}(?:Juma|Hamisi|Rashidi?|Salum|Selemani|Omari|Bakari|Athumani|Ramadhani|Mwanaidi|Zainabu?|Fatuma|Fatma|Halima|Amina|Neema|Rehema|Baraka|Zawadi|Tumaini|Wanjiku|Wambui|Njeri|Nyambura|Wangari|Wangeci|Kamau|Mwangi|Njoroge|Kariuki|Otieno|Ochieng|Odhiambo|Onyango|Akinyi|Atieno|Achieng|Adhiambo|Kiprono|Kiptoo|Chebet|Cheptoo|Mutua|Musyoka|Mwende|Wekesa|Wafula|Nekesa|Barasa|Mushi|Kimaro|Massawe|Masanja|Khadija|Asha|Mwajuma|Hassan|Hussein|Abdallah|Abdul|Saidi|Mohamed|Peter|John|Joseph|Grace|Mary|Faith|Mercy)${END}(?:[ ]${PART}){0,3}`,
    "gu",
  ),
  tl: lazily(
    `${START}(?:(?!(?:Si|Ni|Kay|Sa|Ang|At|Kina|Sina)[ ])${PART}[ ]){1,2}(?:[A-Z]\\.[ ])?(?:de la |dela |de los |delos |de )?(?:Santos|Reyes|Cruz|Bautista|Ocampo|Garcia|Mendoza|Torres|Castillo|Flores|Villanueva|Ramos|Castro|Rivera|Aquino|Navarro|Salazar|Mercado|Guzman|Panganiban|Manalo|Pangilinan|Gonzales|Fernandez|Lopez|Perez|Domingo|Dizon|Mangubat|Salonga|Magbanua|Tolentino|Sarmiento|Dimaculangan)${END}`,
    "gu",
  ),
};
/** The place and date at the head of a letter. */
const DATELINE = lazily(
  `(?:^|\\n)[ ]*(${PART}(?:[ ]${PART}){0,2}),[ ](?=(?:ngày[ ])?\\d{1,2}[ ./-](?:\\d{1,2}[ ./-]|tháng[ ]|\\p{L}{3,10}[ ])\\d{2,4})`,
  "gu",
);
/** A name in capitals after a word for a recipient or owner. */
const SHOUTED = lazily(
  `${START}(?:kpd|kepada|ke|kwa|a\\.?n\\.?|atas nama|oleh|dari|cho|từ)[ ](\\p{Lu}{2,}(?:[ ](?:\\p{Lu}[\\p{Lu}\\p{M}.]*)){1,4})${END}`,
  "gu",
);

/** Finds names in Vietnamese, Indonesian, Malay, Tagalog and Swahili. */
export function asianNames(text: string): Match[] {
  const language = asianLanguage(text);
  if (!language) return [];
  const isName = (word: string) => !NOBODY.test(word);
  const found = matches(text, PERSONS[language], "PERSON", isName, 1);
  const listed = NAMES[language];
  if (listed) found.push(...matches(text, listed, "PERSON", isName));
  if (language === "vi") found.push(...matches(text, FAMILY, "PERSON"), ...matches(text, CAPITALIZED, "PERSON"));
  else found.push(...matches(text, PATRONYMIC, "PERSON"));
  found.push(...matches(text, SHOUTED, "PERSON", isName, 1), ...inSpeech(text, language));
  return found;
}

/** A place behind the name of an organisation, a name or a date and a comma. */
const AFTER_ORGANIZATION = perLanguage((language) =>
  lazily(`${START}(?:${ORGANIZATION[language]})[ ]${PROPER},[ ](${PROPER})(?=[,.:;)\\n]|[ ][|—–(-]|$)`, "gu"),
);

/** Towns that are other words without a capital. */
const PLACES_AS_WORDS =
  /^(?:medan|serang|padang|malang|solo|kudus|pati|palu|tegal|sibu|miri|melaka|tabora|lindi|meru|lamu|iten|pemba|laguna|ambon|kajang|klang|batam|depok|jambi|an giang)$/;
/** Well-known towns and districts, which chats write without capitals. */
const KNOWN_PLACES = perLanguage((language) =>
  lazily(
    `${START}(?:${
      {
        id: "jakarta(?: (?:selatan|utara|barat|timur|pusat))?|bandung|surabaya|medan|semarang|makassar|palembang|pekanbaru|padang|pontianak|banjarmasin|balikpapan|samarinda|manado|ambon|jayapura|kupang|mataram|denpasar|yogyakarta|jogja(?:karta)?|solo|surakarta|malang|kediri|blitar|madiun|jember|banyuwangi|gresik|sidoarjo|mojokerto|jombang|tuban|lamongan|bojonegoro|blora|cepu|sragen|ngawi|klaten|magelang|purwokerto|cilacap|tegal|pekalongan|kudus|pati|rembang|cirebon|tasikmalaya|garut|sukabumi|cianjur|bogor|depok|bekasi|tangerang|serang|cilegon|karawang|purwakarta|lampung|bengkulu|jambi|batam|kendari|palu|gorontalo|ternate|sorong|merauke|singaraja|kuala lumpur|shah alam|petaling jaya|johor bahru|ipoh|melaka|seremban|kuantan|kota bharu|alor setar|kuala terengganu|kuching|kota kinabalu|sandakan|tawau|miri|sibu|langkawi|klang|kajang|bangi|putrajaya|cyberjaya|taiping|teluk intan|sungai petani|singapura|indonesia|malaysia|brunei",
        vi: "hà nội|sài gòn|hải phòng|đà nẵng|cần thơ|nha trang|đà lạt|vũng tàu|biên hòa|bình dương|đồng nai|quy nhơn|buôn ma thuột|hạ long|quảng ninh|nam định|thái nguyên|thanh hóa|nghệ an|hà tĩnh|quảng nam|bình định|khánh hòa|phú yên|lâm đồng|tây ninh|long an|tiền giang|bến tre|vĩnh long|đồng tháp|an giang|kiên giang|cà mau|sóc trăng|bạc liêu|thủ đức|gò vấp|bình thạnh|tân bình|tân phú|bình tân|phú nhuận|hóc môn|củ chi|bình chánh|nhà bè|cầu giấy|hà đông|hoàn kiếm|đống đa|ba đình|hai bà trưng|thanh xuân|hoàng mai|long biên|gia lâm|đông anh|việt nam",
        tl: "manila|quezon city|makati|pasig|taguig|caloocan|mandaluyong|marikina|parañaque|las piñas|muntinlupa|valenzuela|cebu(?: city)?|davao(?: city)?|iloilo|bacolod|cagayan de oro|zamboanga|baguio|batangas|cavite|laguna|bulacan|pampanga|pangasinan|ilocos|bicol|palawan|tacloban|dumaguete|tagaytay|antipolo|pilipinas",
        sw: "dar es salaam|dodoma|arusha|mwanza|mbeya|morogoro|moshi|kilimanjaro|zanzibar|unguja|pemba|iringa|tabora|kigoma|bukoba|musoma|shinyanga|singida|songea|mtwara|lindi|nairobi|mombasa|kisumu|nakuru|eldoret|kericho|bomet|machakos|kitui|nyeri|meru|malindi|lamu|kakamega|bungoma|kitale|iten|kampala|kigali|bujumbura|tanzania|kenya|uganda|rwanda|burundi",
      }[language]
    })${END}`,
    "giu",
  ),
);

/** Finds places in these languages. */
export function asianPlaces(text: string): Match[] {
  const language = asianLanguage(text);
  if (!language) return [];
  return [
    ...matches(text, KNOWN_PLACES[language], "LOCATION", (word) => !PLACES_AS_WORDS.test(word)),
    ...matches(text, PLACES[language], "LOCATION", (word) => !NO_PLACE.test(word), 1),
    ...matches(text, AFTER_ORGANIZATION[language], "LOCATION", (word) => !NO_PLACE.test(word), 1),
    ...matches(text, DATELINE, "LOCATION", (word) => !NO_PLACE.test(word), 1),
  ];
}

/** An organisation in capitals after a preposition. */
const ACRONYM: Partial<Record<Language, Lazy>> = {
  id: lazily(
    `${START}(?:dari|daripada|kepada|ke|oleh|pihak|di|pegawai|kakitangan|karyawan|staf)[ ]([A-Z]{3,7})${END}(?!-)`,
    "gu",
  ),
  vi: lazily(
    `${START}(?:tại|bên|ở|của|cho|với|tập đoàn|nhân viên)[ ]([A-Z]{3,9}|[A-Z][a-z]{2,8}(?:bank|Bank))${END}(?!-)`,
    "gu",
  ),
  sw: lazily(`${START}(?:ya|wa|cha|la|na|kutoka|katika|benki ya)[ ]([A-Z]{3,7})${END}(?!-)`, "gu"),
  tl: lazily(`${START}(?:sa|mula sa|taga)[ ]([A-Z]{3,7})${END}(?!-)`, "gu"),
};
/** Abbreviations of things, places of work and papers that name no organisation. */
const NO_ORGANIZATION =
  /^(?:UGD|IGD|ICU|NICU|HCU|ATM|HRD?|OTP|PIN|TAC|SMS|USB|PDF|CSV|XML|JSON|API|URL|SQL|CPU|GPU|RAM|SSD|LED|LCD|WIFI|GPS|CCTV|VIP|CEO|CFO|CTO|SPV|KTP|SIM|NIK|NPWP|STNK|BPKB|KTA|SKCK|SPT|PPN|PBB|IPK|UTS|UAS|DNA|RNA|HIV|AIDS|COVID|TBC?|MRI|USG|EKG|ECG|SSL|VPN|LAN|FAQ|RSVP|ETA|CCCD|CMND|BHXH|BHYT|VND|USD|EUR|IDR|MYR|PHP|TZS|KES|RT|RW|WIB|WITA|WIT|KM|ODS|XLS|NGO|UKM|UMKM|SOP|KPI|PPE|APD|EDSA|NLEX|SLEX|NCR|VAT|TIN|ID|AM|PM|UN|SARA|KPR|DKI|TKP|TPA|PKL|RFID|NFC|TNHH|THPT|THCS|UBND|PTO|FIFO|DAN|YANG|UNTUK|DARI|TIDAK|ADA|KAMI|ANDA|SAYA|INI|ITU|HRIS|TCT|NSAID|PCM|TDS|NGA|ANG|MGA|YA|WA|KWA|HII|HILO)$/;
/** Well-known banks, authorities, hospitals and companies of these countries. */
const KNOWN = lazily(
  `${START}(?:BRI|BNI|BCA|BTN|BSI|BJB|CIMB(?: Niaga)?|OCBC|Danamon|PLN|PDAM|Pertamina|Telkomsel|Indihome|IndiHome|Gojek|Tokopedia|Bukalapak|Shopee|Traveloka|Maybank|RHB|BSN|TNB|KWSP|PERKESO|JPJ|LHDN|HUKM|Petronas|Celcom|Vietcombank|VietinBank|Techcombank|BIDV|Agribank|Sacombank|VPBank|TPBank|MBBank|Viettel|VNPT|Vinamilk|Vingroup|VinFast|Vinmec|Bạch Mai|Chợ Rẫy|BPI|BDO|Metrobank|Landbank|PhilHealth|Pag-IBIG|Meralco|Jollibee|NMB|CRDB|KCB|NHIF|TANESCO|Safaricom|Vodacom|Muhimbili|KCMC|CCBRT|Ocean Road)${END}`,
  "gu",
);

/** Finds organisations in these languages by what they are. */
export function asianOrganizations(text: string): Match[] {
  const language = asianLanguage(text);
  if (!language) return [];
  const acronym = ACRONYM[language];
  const found = [
    ...matches(text, KNOWN, "ORGANIZATION"),
    ...(acronym ? matches(text, acronym, "ORGANIZATION", (word) => !NO_ORGANIZATION.test(word), 1) : []),
    ...(isSpeech(text)
      ? [1, 2].flatMap((group) =>
          matches(
            text,
            SPOKEN_ORGANIZATION,
            "ORGANIZATION",
            (name) => !/^(?:selamat|bapak|ibu|pak|bu|mas|mbak|kak|saya|dengan|boleh)(?!\p{L})/u.test(name),
            group,
          ),
        )
      : []),
  ];
  // a common word before the name is no part of it
  for (const { 0: whole, 1: name, index } of text.matchAll(ORGANIZATIONS[language]()))
    found.push({
      start: /^\p{Ll}/u.test(whole) ? index + whole.length - name!.length : index,
      end: index + whole.length,
      label: "ORGANIZATION",
    });
  return found;
}

/** An organisation that answers a call, in speech without capitals. */
const SPOKEN_ORGANIZATION = lazily(
  `(?<=(?:^|\\n)(?:\\p{L}{2,12}: ?)?)(?:(?:halo|selamat (?:pagi|siang|petang|sore|malam))[ ](\\p{Ll}{3,14}(?:[ ]\\p{Ll}{3,14}){1,2}?)(?=[ ](?:selamat|bercakap|dengan|ada yang|boleh))|(?:dạ |alo )?(?:tổng đài|công ty(?: \\p{L}{2,6}){0,2}|em gọi từ(?: điện máy)?)[ ](\\p{L}{2,6}(?:[ ]\\p{L}{2,6}){1,2}?)(?=[ ](?:em|xin|nghe|máy)(?!\\p{L})))`,
  "gu",
);
/** Titles and places before a word in speech without capitals. */
const SPOKEN_TITLE: Partial<Record<Language, Lazy>> = {
  id: lazily(
    `${START}(?:pak|bu|bapak|ibu|mas|mbak|bang|kak|om|tante|pakcik|makcik|cik|encik|puan|tuan|atas nama|si|sopir|(?:saya|dengan)(?=[ ]\\p{Ll}{3,20}(?:[ ]\\p{Ll}{3,20})?(?:[ ](?:dari|dr|ya)(?!\\p{L})|\\n)))[ ](\\p{Ll}{3,20}(?:[ ]\\p{Ll}{3,20})?)${END}`,
    "gu",
  ),
  vi: lazily(
    `${START}(?:(?:tên|tên là|bác sĩ|tài xế)[ ](\\p{L}{2,7}(?:[ ]\\p{L}{1,7}){0,3})|(?:anh|chị|em|bé|ông|bà|cô|chú|bác|thầy)[ ](\\p{L}{2,7}(?:[ ]\\p{L}{1,7}){0,3}?)(?=[ ](?:xin nghe|đây|ơi|bị|xe|\\p{L}{2,4} tuổi|bà|ông)(?!\\p{L})|\\n|$))${END}`,
    "gu",
  ),
  sw: lazily(
    `${START}(?:bwana|bi|mzee|mama|ndugu|mke wake|mume wake|mke wangu|mume wangu|naitwa|fundi|daktari)[ ](\\p{Ll}{4,20})${END}`,
    "gu",
  ),
};
const SPOKEN_PLACE: Partial<Record<Language, Lazy>> = {
  id: lazily(`${START}(?:di|ke|dari|kat|duduk)[ ](\\p{Ll}{4,20})${END}`, "gu"),
};
/** Frequent words in lower case that are no names. */
const COMMON: Partial<Record<Language, ReadonlySet<string>>> = {
  id: new Set(
    [
      "yang dan dengan untuk tidak dari saya kami kita pada akan ini itu ada bisa boleh sudah belum mau ingin harus siapa apa mana kapan kenapa bagaimana berapa baik iya betul benar oke terima kasih selamat pagi siang sore malam hari besok kemarin sekarang nanti tadi lagi juga saja aja dulu kalau kalo kalu karena sebab jadi tapi atau sama lain lebih kurang sangat sekali banget",
      "rumah kantor sekolah pasar toko bank hospital klinik loket gudang bandara mobil motor jalan lantai kamar tempat depan belakang atas bawah samping dalam luar sana sini situ anak istri suami ayah ibu adik kakak orang tua pasien doktor dokter pakcik tuan puan pelanggan nama nomor nombor alamat umur umurnya usia tanggal bulan tahun minggu jam menit obat ambil antar kirim bayar bantu tolong minta tanya cek lihat dengar denger ulangi jadwalkan catat tambah simpan nak dah kat tak tadi pun lah kan dong sih deh kok aku kamu dia mereka nya semua setiap berapa paling",
      "lanjut telepon duduk kerja guna pakai pergi datang pulang masuk keluar turun naik lewat antara bagian pusat daerah seluruh beberapa seorang sebuah suatu hal cara masalah internet listrik air api mesin mati rusak hilang bicara bercakap senang maaf permisi siap kasi kasih bagi juta ribu ratus puluh belas cuma hanya masih memang rasa pikir semalam esok muka tengah tepi hujung emel macam cakap punya pula eh jugak restart hantar surat kartrid sampah operasi kena bagus naik strip",
    ]
      .join(" ")
      .split(" "),
  ),
  vi: new Set(
    "ạ à ơi nhé nha nghe là có không được bị và thì mà của cho với ở tại từ đến về lên xuống ra vào đi làm ăn uống mua bán gọi hỏi nói xin muốn cần phải đang đã sẽ rồi chưa còn hết nữa này kia đó ấy đây gì ai sao nào mấy bao nhiêu nhà số mã địa chỉ điện thoại tên tuổi ngày tháng năm giờ sáng trưa chiều tối hôm nay mai tôi mình em anh chị bé con mẹ cha bố vợ chồng bác cô chú thầy ông bà cháu bạn tiền đồng nghìn ngàn triệu trăm giúp đặt gửi nhận giao hàng xe máy thuốc bệnh đau khám khoa phòng lịch hẹn chờ đợi lấy mang đưa biết thấy nghĩ tốt lắm quá thôi luôn ngay cũng đều vẫn mới vừa khi nếu vì nên để như hơn kém cả tất mọi mỗi một hai ba bốn sáu bảy tám chín mười dạ vâng alo ừ đúng sai ngã ở nhớ kia theo trước sau trên dưới trong ngoài bên gần xa nhỏ lớn to hôm qua sĩ sống sinh quê học dạy trai gái rể dâu út hay lại thì nộp ký yên kể cảm ơn thích thương yêu".split(
      " ",
    ),
  ),
  sw: new Set(
    "yangu yako yake wangu wako wake kwa kama sana huyu yule hapa huko leo jana kesho ndio hapana asante habari mzima nani gani wapi lini ambaye anasema alisema ameomba amesoma mgonjwa daktari mjamzito mkubwa mdogo mwenye anaomba atakuja yangu alikuja".split(
      " ",
    ),
  ),
};

/** Finds names after titles in speech without capitals. */
function inSpeech(text: string, language: Language): Match[] {
  const pattern = SPOKEN_TITLE[language];
  const common = COMMON[language];
  if (!pattern || !common || !isSpeech(text)) return [];
  return [1, 2]
    .flatMap((group) => matches(text, pattern, "PERSON", undefined, group))
    .flatMap((match) => {
      const words = text.slice(match.start, match.end).split(" ");
      const last = words.findIndex((word) => common.has(word) || isNumberWord(word));
      const name = words.slice(0, last < 0 ? words.length : last).join(" ");
      return name.length > 1 ? [{ ...match, end: match.start + name.length }] : [];
    });
}

/** Words that begin a sentence, a line or a field with a capital and name nobody, besides function words and titles. */
const ORDINARY: Record<Language, string> = {
  id: "kepada yth hadir menurut perihal subjek lampiran catatan tindakan pengajuan merujuk dilampirkan sebagai harap silakan sila jika apabila bila ketika saat agar supaya namun tetapi sementara selain serta para pihak deposit baki yuran proyek rujuk teruskan mula buka libur uang penyakit agama pekerjaan jabatan bulan tarikh masa nota resit resi faktur invois kuitansi surat aduan ralat penerima pengirim penyewa syarat rujukan adapun berdasarkan bersama demikian perhatian mengenai bagi oleh daripada allah halo hai sdr sdri sp ny tn ir kategori semoga setiap semua kapan dalam luar lebaran ujian peserta pelajar siswa kuantiti satuan keterangan sisa diskon garansi stok meja kursi lantai kamar bilik wad katil rawatan terapi kontrol pemeriksaan diagnosa anamnesis riwayat sekarang setuju lanjut tugas dijemput diserahkan ditutup selesai dibayar lunas",
  vi: "em hôm ngày đã giấy viện máy phòng khoa trong quan cán chủ nơi số tôi người địa kính nếu khi vì nên nhưng hoặc những một được không có cần xin cảm chào thưa dạ vâng đây theo nay tại giá hàng thuốc bệnh thẻ đơn tiền pháp mỹ họ tên từ đến điện email lý do nội dung ghi chú tổng cộng thành mọi các mỗi sau trước đang sẽ đề nghị yêu cầu lạnh lần còn hết nhờ báo mẹ bố con bạn",
  tl: "pasensya lumabas paumanhin para pangalan problema mga kung kapag dahil pero tapos wala meron may huwag gamitin titulo ayon seksyon ordinansa blg pamunuan grado klase halaga kabuuan lunes martes miyerkules huwebes biyernes sabado linggo pakisuyo pakidala paki kailangan diyos panginoon tindahan tanong sagot kabayaran utang",
  sw: "bidhaa idadi naitwa nimezaliwa naishi nimefanya ninaomba salio tatizo historia hasara mkopo kiasi kiingereza kijerumani kifaransa kiarabu kiswahili utalii shahada mwongozaji meneja mwanafunzi mkuu umri mada nakala pepe kwenda mpendwa wasalaam vifaa kabila elimu uzoefu lugha ujuzi wadhamini imethibitishwa umetuma umepokea nathibitisha nimepata atalala mmefika programu taaluma mungu karibu matokeo utambuzi amefuatana maelezo mahali eneo mwajiri dhamana riba ada malipo jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili nyaraka orodha mwenyekiti katibu mkulima mwandishi mwalimu dawa vipimo ushauri",
};
/** Words of these lists that are names as well. */
const NAMES_AS_WELL = /^(?:bagus|anak|mei|api|kasih|senang|saya|tumaini|baraka|lita|nina|mary)$/;
const ordinary = new Map<Language, ReadonlySet<string>>();
/** Returns the words of a language that name nobody. */
function ordinaryWords(language: Language): ReadonlySet<string> {
  let words = ordinary.get(language);
  if (!words) {
    const titles = language === "vi" ? [] : TITLES[language].split("|").concat([...(COMMON[language] ?? [])]);
    const all = [...titles, ...`${FUNCTION_WORDS[language]} ${ORDINARY[language]}`.split(" ")];
    words = new Set(all.filter((word) => word && !NAMES_AS_WELL.test(word)));
    ordinary.set(language, words);
  }
  return words;
}
const NAMED = /^(?:PERSON|LOCATION)$/;

/**
 * Returns a model's span in a text of one of these languages without ordinary words and titles at the ends of a name.
 * A span of such words alone is none.
 */
export function withoutOrdinaryWords<T extends { label: string; start: number; end: number }>(
  whole: string,
  piece: string,
  span: T,
): T[] {
  if (!/^(?:PERSON|LOCATION|ORGANIZATION|HEALTH|DATE)$/.test(span.label)) return [span];
  const language = asianLanguage(whole);
  if (!language) return [span];
  const known = ordinaryWords(language);
  const words = Array.from(piece.slice(span.start, span.end).matchAll(/[\p{L}\p{M}'’]+/gu));
  const isOrdinary = (match: RegExpExecArray) => known.has(match[0].toLowerCase());
  const isNamed = NAMED.test(span.label);
  if (words.length === 0 || (!isNamed && /\d/.test(piece.slice(span.start, span.end)))) return [span];
  if (words.every(isOrdinary)) return [];
  if (!isNamed) return [span];
  let [first, last] = [0, words.length - 1];
  while (isOrdinary(words[first]!)) first++;
  while (isOrdinary(words[last]!)) last--;
  const [start, end] = [words[first]!.index, words[last]!.index + words[last]![0].length];
  const rest = {
    ...span,
    start: first ? span.start + start : span.start,
    end: last < words.length - 1 ? span.start + end : span.end,
  };
  const isChanged = first > 0 || last < words.length - 1;
  return isChanged && !/\p{Ll}/u.test(piece.slice(rest.start, rest.end)) ? [] : [rest];
}

/** Returns whether a word is a frequent one of the language of a text, in lower case. */
export function isAsianWord(text: string, word: string): boolean {
  const language = asianLanguage(text);
  return !!language && (COMMON[language]?.has(word) || (language === "sw" && /^(?:ana|nina)$/i.test(word)));
}

/** Finds places after prepositions in speech without capitals. */
export function asianSpokenPlaces(text: string): Match[] {
  if (!isSpeech(text)) return [];
  const language = asianLanguage(text);
  const pattern = language && SPOKEN_PLACE[language];
  if (!pattern) return [];
  return matches(text, pattern, "LOCATION", (word) => !COMMON[language]!.has(word) && !isNumberWord(word), 1);
}

const DAY = "(?:0?[1-9]|[12]\\d|3[01])";
const MONTHS =
  "Mac|Nopember|Pebruari|Agustus|Agt|Ags|Okt|Des|Disember|Ogos|Machi|Aprili|Agosti|Septemba|Oktoba|Novemba|Desemba|Enero|Pebrero|Marso|Abril|Mayo|Hunyo|Hulyo|Agosto|Setyembre|Oktubre|Nobyembre|Disyembre|Dis|Januari|Februari|Maret|April|Mei|Juni|Juli|Julai|September|Oktober|November|Desember|Jan|Feb|Mar|Apr|Jun|Jul|Agu|Sept?|Nov";
const WEEKDAY =
  "(?:(?:thứ[ ](?:[Hh]ai|[Bb]a|[Tt]ư|[Nn]ăm|[Ss]áu|[Bb]ảy)|[Cc]hủ [Nn]hật|hari (?:Isnin|Selasa|Rabu|Khamis|Jumaat|Sabtu|Ahad)|Senin|Selasa|Rabu|Kamis|Jumat|Sabtu|Minggu|Isnin|Khamis|Jumaat|Ahad|Jumatatu|Jumanne|Jumatano|Alhamisi|Ijumaa|Jumamosi|Jumapili),?[ ])?";
const VIETNAMESE_NUMBER =
  "(?:\\d{1,2}|(?:(?:mùng|mồng|một|hai|ba|bốn|tư|năm|sáu|bảy|tám|chín|mười|mươi|mốt|lăm)[ ]?){1,3})";
const DATES = [
  `${WEEKDAY}(?:ika-)?${DAY}(?:hb\\.?|[ ]ng)?[ ](?:${MONTHS})${END}(?:,?[ ]\\d{4})?`,
  `${START}(?:${MONTHS})\\.?[ ](?:${DAY}(?!\\d)(?:,?[ ]\\d{4})?|\\d{4})${END}`,
  `${START}(?:tgl|tanggal|tarehe|petsa)\\.?[ ]${DAY}(?![/.-]?\\d|[ ](?:${MONTHS}))(?:,?[ ]mwezi wa \\p{L}{3,10}(?:[ ]\\d{4})?)?${END}`,
  `${START}mwezi wa[ ]\\p{L}{3,10}(?:[ ]\\d{4})?${END}`,
  `${START}(?:[Nn]ăm|[Tt]ahun|[Tt]h|[Mm]waka(?: wa)?|[Nn]oong|[Ss]inh|[Ss]ejak|[Ll]ulus|[Tt]ốt nghiệp(?: \\p{L}{3,6}){0,2}|[Kk]uanzia|[Hh]adi|[Tt]angu|[Mm]ula)[ ]((?:19|20)\\d\\d)(?![\\p{L}\\p{N}./-])`,
  `(?<=${START}(?:ngày|hôm|từ|đến|tới|trước|lại|hạn|deadline|vào|tại|pada|pd|tgl|tanggal|sampai|sejak|mulai|hingga|sebelum|dari|tarehe|hadi|tangu|noong|hanggang)[ ])${WEEKDAY}${DAY}[/.](?:0?[1-9]|1[0-2])(?![\\p{L}\\p{N}/%]|[.,]\\d)`,
  `${START}[Tt]hứ[ ](?:[Hh]ai|[Bb]a|[Tt]ư|[Nn]ăm|[Ss]áu|[Bb]ảy)[ ]${DAY}/(?:0?[1-9]|1[0-2])${END}`,
  `(?<=(?:^|\\n)[ ]*)${DAY}/(?:0?[1-9]|1[0-2])(?=:[ ])`,
  `${START}(?:mùng|mồng)[ ]\\d{1,2}(?:[ ]tháng[ ](?:\\d{1,2}|[Gg]iêng|[Cc]hạp|\\p{L}{2,4})(?:[ ]năm(?:[ ]\\p{Lu}\\p{L}+){2})?)?${END}`,
  `${START}(?:thứ \\p{L}{2,4} ngày[ ])?${VIETNAMESE_NUMBER}[ ]?tháng[ ](?:\\d{1,2}|[Gg]iêng|[Cc]hạp|này|sau|một|hai|ba|tư|năm|sáu|bảy|tám|chín|mười(?: một| hai)?)(?:(?:[ ]năm[ ]|/)(?:19|20)\\d\\d)?${END}(?!,\\d)`,
  `(?<=${START}(?:từ|hồi|đến|vào|cuối|đầu|giữa)[ ])tháng[ ](?:\\d{1,2}(?:/(?:19|20)\\d\\d)?|[Gg]iêng|[Cc]hạp|Một|Hai|Ba|Tư|Năm|Sáu|Bảy|Tám|Chín|Mười)${END}`,
  `${START}\\d{1,2}[ ]âm lịch${END}`,
  `(?<![\\p{L}\\p{N}/.,-])(?!24/7)(?:1[3-9]|2\\d|3[01])/(?:0?[1-9]|1[0-2])(?![\\p{L}\\p{N}/%]|[.,-]\\d)`,
  `(?<=\\p{Ll},[ ]|\\()((?:19[4-9]|20[0-3])\\d)(?=[),;]|[ ]?(?:\\n|$))`,
].map((source) => lazily(source, "gu"));
/** Dates in speech in words. */
const SPOKEN_DATE = lazily(
  `${START}(?:(?:tanggal|tarehe)(?:[ ](?:satu|dua|tiga|empat|lima|enam|tujuh|delapan|lapan|sembilan|sepuluh|sebelas|belas|puluh|moja|mbili|tatu|nne|tano|sita|saba|nane|tisa|kumi|na|ishirini|thelathini)(?!\\p{L})){1,4}(?:[ ]mwezi wa \\p{L}{3,10})?|(?:(?:satu|dua|tiga|empat|lima|enam|tujuh|lapan|sembilan|sepuluh|sebelas|belas|puluh)[ ]){1,3}haribulan|bulan[ ](?:satu|dua|tiga|empat|lima|enam|tujuh|lapan|sembilan|sepuluh|sebelas|dua belas))${END}`,
  "gu",
);

/** Finds dates in these languages. */
export function asianDates(text: string): Match[] {
  if (!asianLanguage(text)) return [];
  return [...DATES, SPOKEN_DATE].flatMap((pattern) =>
    Array.from(text.matchAll(pattern()), ({ 0: whole, 1: year, index }) => ({
      start: index + whole.length - (year ?? whole).length,
      end: index + whole.length,
      label: "DATE",
    })),
  );
}

const NUMBER_WORD = {
  id: "satu|dua|tiga|empat|lima|enam|tujuh|delapan|lapan|sembilan|sepuluh|sebelas|belas|puluh|setahun",
  sw: "moja|mbili|tatu|nne|tano|sita|saba|nane|tisa|kumi|na|ishirini|thelathini|arobaini|hamsini|sitini|sabini|themanini|tisini|mia",
};
const AGES = [
  `${START}(?:[Uu]mur(?:nya)?|[Uu]mor?|[Uu]sia(?:nya)?|[Bb]erumur|[Bb]erusia)[ ]?:?[ ](?:(?:baru|sudah|dah|kira-kira|sekitar|saya|genap|masih|udah|hampir)[ ]){0,2}(\\d{1,3}(?:[ ](?:tahun|thn?|bulan|bln))?|(?:(?:${NUMBER_WORD.id})(?!\\p{L})[ ]?){1,4}(?:(?<=[ ])(?:tahun|bulan))?)${END}`,
  `${START}(?:umri(?: wangu| wake| wa)?|mwenye|ana|nina|amefikisha|ametimiza|mvulana,|msichana,|mtoto wa)[ ](miaka[ ](?:\\d{1,3}|(?:(?:${NUMBER_WORD.sw})(?!\\p{L})[ ]?){1,4})|(?:(?:ishirini|thelathini|arobaini|hamsini|sitini|sabini|themanini|tisini|kumi)(?: na (?:${NUMBER_WORD.sw}))?))${END}`,
  `(?<=\\p{L}[,(][ ]?)(miaka[ ]\\d{1,3})(?=[,;.)])`,
  `(?<=(?:\\p{Lu}\\p{L}+|nữ|nam|RM),?[ ])(\\d{1,3}(?:[LP]|[Tt]|[ ]?thn?\\.?))(?=[,;.)\\n|])`,
  `${START}(?:eyang|nenek|kakek|oma|opa|ibu|bapak|ayah|mama|papa|atok|mak|adik|anaknya)[ ](?:\\p{L}{2,12}[ ])?(?:tahun ini|kan sudah|sudah|udah|dah|baru|masih|kini|sekarang)[ ](\\d{1,2})(?=[,.!?]|[ ]?(?:\\n|$))`,
  `${START}(?:anak|cucu|bayi|adik|putra|putri|keponakan)(?:nya|ku)?(?:[ ](?:saya|kami|dia|aku|baru|masih|sudah|dah|umur|kedua|pertama|sulung|bungsu)){0,2}[ ](\\d{1,2}[ ](?:thn?|tahun|bln|bulan))${END}`,
  `${START}(?:(?:[Uu]mri|[Mm]iaka)[ ]?:[ ]?|(?:[Mm]wanamke|[Mm]wanamume|[Mm]wanaume|[Mm]tu|[Mm]toto|[Kk]ijana|[Bb]inti|[Mm]zee|[Mm]vulana|[Mm]sichana) wa[ ]|[Aa]na[ ])((?:miaka|miezi)[ ](?:\\d{1,3}|(?:(?:miwili|mitatu|minne|mitano|minane|${NUMBER_WORD.sw})(?!\\p{L})[ ]?){1,4}))${END}`,
  `${START}(\\d{1,3}[ ]?(?:anyos|taon na|taong gulang|y/o|tháng tuổi))${END}`,
  `${START}(?:[ÔôOo]ng|[Bb]à|[Bb]ố|[Mm]ẹ|[Mm]á|[Bb]a|[Cc]ụ|[Nn]ội|[Nn]goại|[Bb]ác)(?:[ ]\\p{L}{1,7}){0,2}[ ](?:ngoài|gần|tròn|hơn|năm nay)[ ](\\d{2})(?=[,.!?]|[ ](?:rồi|mà|tuổi)|[ ]?(?:\\n|$))`,
  `${START}(?:gulang|edad)(?: na)?[ ](\\d{1,3})${END}`,
  `${START}((?:(?:một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|mươi|mốt|lăm)[ ]){1,3}tuổi(?: rưỡi)?)${END}`,
  `${START}(?:ulang tahun (?:ke|yang ke)|ke)[ -](\\d{1,2})(?=[ ]tgl|[ ]tahun|"|”)`,
].map((source) => lazily(source, "gu"));

/** Finds ages in these languages. */
export const asianAges = (text: string): Match[] =>
  asianLanguage(text)
    ? AGES.flatMap((pattern) =>
        matches(text, pattern, "AGE", undefined, 1).map((match) => ({
          ...match,
          end: match.start + text.slice(match.start, match.end).trimEnd().length,
        })),
      )
    : [];

const AMOUNTS = [
  `${START}(?:shilingi|TSh|KSh|Ksh)[ ](?:(?:milioni|laki|elfu|mia)(?:[ ]\\d+(?:[.,]\\d+)?)?|(?:${NUMBER_WORD.sw})(?!\\p{L}))(?:[ ](?:milioni|laki|elfu|${NUMBER_WORD.sw})(?!\\p{L})){0,8}`,
  `${START}(?:(?:milioni|laki|elfu|${NUMBER_WORD.sw})(?!\\p{L})[ ]){1,8}shilingi${END}`,
  `${START}(?:(?:một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|mươi|mốt|lăm|tư|linh|lẻ|trăm|chục|nghìn|ngàn|triệu|tỷ|rưỡi)[ ]){1,10}(?:đồng|nghìn|ngàn|triệu|tỷ)(?: rưỡi)?${END}`,
  `${START}\\d{1,4}(?:[.,]\\d{1,3})?[ ]?(?:miliar|milyar|triliun|tỷ|tỉ|k|juta|ribu)(?:[ ]\\d{1,3}[ ](?:ratus|ribu))?[ ](?:rupiah|đồng|ringgit)${END}`,
  `${START}(?:(?:se)?(?:satu|dua|tiga|empat|lima|enam|tujuh|delapan|lapan|sembilan|sepuluh|sebelas|belas|puluh|ratus|seratus|seribu|ribu|juta|setengah)[ ]){1,9}(?:ribu|juta|rupiah|ringgit|miliar)(?:[ ](?:rupiah|ringgit))?${END}(?!\\s(?:lembar|halaman|orang|kilo|meter|kali|pcs|buah))`,
].map((source) => lazily(source, "gu"));

/** Finds amounts in these languages. */
export const asianAmounts = (text: string): Match[] =>
  asianLanguage(text) ? AMOUNTS.flatMap((pattern) => matches(text, pattern, "MONEY")) : [];

const SEPARATED = `(?:,[ ](?:(?:RT|RW|Kel|Kec|Kab|Kota|Brgy|Barangay|phường|quận|huyện|xã|tỉnh|TP|P|Q|Phường|Quận|Huyện|Xã|Tỉnh|ấp|Lot|Blk)\\.?[ ]?)?(?:${PROPER}|\\d{1,6}[ ]${PROPER}|\\d{1,5}(?![\\d.,])))`;
/** The name of a street before its number. */
const STREET = `${PART}(?:[ ](?!(?:No|Nomor|RT|RW|KM|Km|Blok)(?!\\p{L}))(?:${PART}|\\d{1,3}(?![\\d.,:]|[ ]\\p{Ll}))){0,3}${END}`;
const NUMBERED = "(?:[ ](?:No|no|Nomor|KM|Km)?\\.?[ ]?\\d{1,4}[A-Za-z]?(?![\\p{L}\\d]))?";
const ADDRESSES = [
  `${START}(?:No\\.?[ ]?\\d{1,4}[A-Z]?,[ ]|\\d{1,4}[A-Z]?,?[ ]|(?:Lot|Blok|[A-Z])[ -]?\\d{1,4}(?:-\\d{1,3}){0,2},?[ ]){0,2}(?:Jl|Jln|Jalan|Gg|Gang|Lorong|Perum|Perumahan|Komplek|Kompleks|Dusun|Dsn|Taman|Persiaran|Lebuh|Kampung|Kg|Pangsapuri)\\.?[ ]${STREET}${NUMBERED}(?:[ ](?:RT|RW)[ .]?\\d{1,3}(?:[ /]{1,3}(?:RW)?[ .]?\\d{1,3})?)?${SEPARATED}{0,5}`,
  `${START}(?:(?:Blk|Block|Lot|Phase|Unit|Purok)\\.?[ ]\\d{1,4}[ ,]{0,2}){1,3}${PROPER}(?:[ ](?:St|Ave|Rd)\\.?)?(?:,[ ](?:Brgy\\.?|Barangay)[ ]${PROPER})?${SEPARATED}{0,4}`,
  `${START}(?:Barabara ya[ ]${PROPER}(?:[ ]\\d{1,4})?,[ ])?S\\.?L\\.?P\\.?[ ]\\d{1,6}(?:,[ ]${PROPER})?`,
].map((source) => lazily(source, "gu"));
const VIETNAMESE_ADDRESSES = [
  `${START}(?:(?:Phòng|Căn hộ|Tầng|Lầu|[Tt]òa|Lô|Block|P\\.)[ ]?[A-Z\\d.-]{1,6},[ ]){0,3}(?:[Ss]ố[ ])?(?:[A-Z]?\\d{1,4}[A-Z]?(?:/[A-Z]?\\d{1,4}[A-Z]?){0,4}),?[ ](?:(?:đường|phố|ngõ|ngách|hẻm|kiệt|tổ|lô|cư xá|Tỉnh lộ|Quốc lộ)[ ](?:\\d{1,4}[A-Z]?,?[ ]|[A-Z][ ])?){0,3}(?=\\p{Lu}\\p{Ll})${PROPER}${SEPARATED}{1,5}`,
  `${START}(?:Tỉnh lộ|Quốc lộ|Đường|đường)[ ][\\p{Lu}\\d][\\p{L}\\d]*(?:[ ]\\p{Lu}\\p{L}*){0,3},[ ]số[ ]\\d{1,4}${SEPARATED}{0,4}`,
].map((source) => lazily(source, "gu"));
/** Addresses in speech: a number in words, a word for a street and its name. */
const SPOKEN_ADDRESS = lazily(
  `${START}(?:(?:số[ ])?(?:(?:một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|mươi|mốt|lăm|trăm|lẻ|linh)[ ]){1,5}(?:đường|phố|ngõ|ngách|hẻm)[ ]\\p{L}+(?:[ ]\\p{L}+){1,8}|(?:nomb?or[ ](?:\\p{L}{3,8}[ ]){1,3})?jalan[ ]\\p{L}{3,15}(?:[ ]\\p{L}{3,15})?(?:[ ]nomb?or(?:[ ](?:satu|dua|tiga|empat|lima|enam|tujuh|delapan|lapan|sembilan|sepuluh|sebelas|belas|puluh)){1,3})(?:[ ](?:kelurahan|kecamatan|kota)[ ]\\p{L}{3,15}(?:[ ]\\p{L}{4,15})?)?|nombor[ ](?:\\p{L}{3,8}[ ]){1,3}jalan[ ]\\p{L}{3,15}(?:[ ]\\p{L}{3,15})?)${END}`,
  "gu",
);

/** Finds addresses in these languages. */
export function asianAddresses(text: string): Match[] {
  const language = asianLanguage(text);
  if (!language) return [];
  return [
    ...(language === "vi" ? VIETNAMESE_ADDRESSES : ADDRESSES).flatMap((pattern) =>
      matches(text, pattern, "ADDRESS", (word) => /\d/.test(word)),
    ),
    ...(isSpeech(text) ? matches(text, SPOKEN_ADDRESS, "ADDRESS") : []),
  ];
}

/** Words before an identifier. */
const ID_WORDS = [
  "[Nn]o\\.?(?:[ ](?:RM|KP|K/P|BPJS|polisi|rangka|seri|kartu|anggota|pekerja|staf|tiket|matrik|rekening|rek|LJM|MyKid|invoice|faktur|tablet|pelanggan|polis))?|NIK|NISN|NPWP|SKA|NIDA|[Rr]ek(?:ening)?|[Aa]kaun(?:[ ]berakhir)?|a/c|VA|RN|[Ii]nvoice|[Ii]nvois|INVOIS|[Ff]aktur|[Kk]ode [Bb]ooking|[Bb]ooking|[Rr]esi|[Rr]e[fj]|[Rr]uj|[Pp]injaman|[Pp]olis|[Nn]omor|[Nn]ombor|[Tt]ruk|[Kk]ereta(?: dia)?|[Tt]iket|[Tt]icket|PO|[Ss]/[Nn]|[Kk]ontainer|NOTA PESANAN|[Tt]empahan(?: \\p{L}+)?|ID staf|Bank (?:\\p{Lu}\\p{L}+ ?){1,3}",
  "CCCD|CMND|MST|[Mm]ã(?:[ ]\\p{L}{1,5}){0,2}|[Ss]ố(?:[ ](?:BHXH|BHYT|thẻ|hợp đồng|tài khoản|phiếu|máy|HĐ|định danh|CCCD|A1))?|[Bb]iển(?: số)?|BHXH|BHYT|MSSV|SBD|PID|[Hh]ồ sơ|[Hh]ợp đồng|[Kk]hoản vay|[Ll]ái xe|TK|(?:SỬA )?CHỮA",
  "[Nn]amb(?:a|ari)(?:[ ]y[ao][ ](?:\\p{L}+)(?:[ ]ni)?)?|[Ll]eseni|[Kk]itambulisho|TIN|[Gg]ari|[Ss]era|[Tt]okeni|[Mm]ita ya umeme|(?:ANKARA )?Na\\.|[Oo]mbi la mteja|[Bb]lg\\.?|[Pp]laka|[Aa]cct\\.?|[Cc]ontrol no\\.?|emp no\\.?|TCT No\\.?|MMC|KTP",
].join("|");
/** An identifier of capitals and digits, with its groups. */
export const IDENTIFIER =
  "(?:#[ ]?)?(?=[^\\s]{0,12}\\d|[A-Z]{1,3}[ ]\\d)[A-Z\\dĐ*][A-Z\\dĐx*]*(?:[-/.][A-Z\\dĐ]+|[ ](?=[A-Z]{0,3}\\d)[A-Z\\dx]+|[ ][A-Z]{1,3}(?=[^\\p{L}\\p{N}]|$)|[ ]xxxx){0,6}(?![\\p{L}\\p{N}]|-\\d|,\\d)";
const ID = lazily(`${START}(?:${ID_WORDS})(?:[ ]?:|\\.{0,4})?[ ](?:số[ ]|no\\.?[ ])?(${IDENTIFIER})`, "gu");
/** Returns whether an identifier has enough digits and is no year. */
export const isIdentifier = (word: string) =>
  (word.match(/\d/g)?.length ?? 0) >= 3 &&
  (word.match(/[\p{L}\d]/gu)?.length ?? 0) >= 4 &&
  !/^(?:19|20)\d\d$/.test(word) &&
  !/^\d{1,3}(?:\.\d{3})+$/.test(word);

/** Finds identifiers after the words for them in these languages. */
export const asianIdentifiers = (text: string): Match[] =>
  asianLanguage(text) ? matches(text, ID, "ID", isIdentifier, 1) : [];
