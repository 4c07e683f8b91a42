// What the rules of `redact` find, and what they leave, in languages of South and Southeast Asia, East Africa and the Caucasus.
import { test } from "node:test";
import { takesLinearTime } from "./linear-time.mjs";
import { exactly } from "./redact-marked.mjs";

test("names in scripts without capitals stand after titles, before words of respect and with family names", () =>
  exactly([
    "श्रीमती [कमला अवस्थी] ने फॉर्म जमा किया।",
    "बैठक में [रजनी] जी भी थीं।",
    "कल [सुरेखा अग्रवाल] ने फीस जमा की।",
    "நேற்று திரு [கதிரவன்] வந்தார்.",
    "คุณ[สมชาย] โทรมาเมื่อเช้า",
    "Տիկին [Անահիտ], շնորհակալություն։",
  ]));

test("words for people without a name are left in scripts without capitals", () =>
  exactly([
    "प्रिय ग्राहक, आपका ऑर्डर निकल गया है।",
    "बैंक ने कहा कि सेवा कल से चालू होगी।",
    "मरीज को दवा समय पर दें और पानी पिलाएँ।",
    "कृपया दो साल से पुराने पैकेट न खरीदें।",
    "हर तीन महीने में फिल्टर बदलें।",
    "คุณสามารถเปลี่ยนรหัสได้ที่หน้าแรก",
  ]));

test("numbers in words of Hindi, Tamil, Swahili and Malay are amounts, ages and telephone numbers", () =>
  exactly([
    "किराया [बारह हज़ार रुपये] है।",
    "मेरा नंबर लिखो [नौ आठ शून्य सात पाँच पाँच दो एक छह चार]",
    "என் நம்பர் [ஒன்பது எட்டு ஏழு ஆறு ஐந்து நாலு மூணு ரெண்டு எட்டு ஏழு]",
    "Nimelipa ada ya [elfu kumi shilingi] kwa shule leo.",
    "Mak saya umur [enam puluh lapan], dia tak boleh jalan sudah.",
  ]));

test("dates of Indic months, and identifiers after the words for them", () =>
  exactly([
    "बैठक [17 अक्टूबर] को है।",
    "बिल [3 सितंबर 2024] का है, रसीद क्र. [RS-55120].",
    "অফিস [১২ জানুয়ারি] খোলা".replace("১২", "12"),
    "ประชุมวันที่ [14 มีนาคม 2567]",
  ]));

test("names, places and dates in Indonesian, Malay, Vietnamese, Tagalog and Swahili", () =>
  exactly([
    "Tolong kabari Pak [Hartanto] di [Semarang] kalau barang sudah sampai.",
    "Jiran saya [Mariam binti Osman] sudah pindah ke [Kuantan].",
    "Chị [Thu Hằng] sẽ đến [Vũng Tàu] ngày [25/8] để gặp khách.",
    "Nagkita kami ni [Rosario] sa [Batangas] kahapon.",
    "Bwana [Makame] ametoka kutoka [Mbeya] jana na mtoto wake.",
  ]));

test("common words of Indonesian, Vietnamese, Tagalog and Swahili are left", () =>
  exactly([
    "Silakan login ke Windows dengan akun Anda, lalu buka menu Pengaturan.",
    "Bapak dan ibu guru akan rapat di kantor, tolong datang tepat waktu.",
    "Anh chị vui lòng gửi tệp qua thư và mở bằng Excel.",
    "Lãi suất tăng 5% và phí rút tiền không đổi từ hôm nay.",
    "Pakibukas ang app sa Windows at i-save ang file, salamat po.",
    "Tafadhali soma kitabu hiki kwa Kiswahili, sio kwa Kiingereza.",
  ]));

test("addresses with the words for streets", () =>
  exactly([
    "Kantor kami sudah pindah ke [Jl. Melur No. 12, Bogor] sejak kemarin.",
    "Gửi hàng về [45 đường Trần Phú, Quận 5] giúp em nhé, em cảm ơn ạ.",
    "Barua zote tuma kwa [S.L.P. 812, Dodoma] tafadhali.",
  ]));

test("illnesses beside other data of a person", () =>
  exactly([
    "श्री [अवस्थी] को [टाइफाइड] है।",
    "Bác [Tư Hải] bị [thoái hóa khớp] đã lâu, không đi được xa.",
    "Mama [Rehema] ana [kifua kikuu] na anatumia dawa kila siku.",
  ]));

test("expressions take linear time", () =>
  takesLinearTime(["श्री राम ", "Pak Budi ", "anh Minh ", "नंबर A1-", "Jl. Aa, ", "एक दो ", "sa Aa ", "मकान 1, "]));

test("frequent given names and well-known employers stand alone in Devanagari", () =>
  exactly(["यह किताब [ओमप्रकाश] ने दी थी।", "हमने [अपोलो] का नाम सुना था।", "कल बाज़ार में बहुत भीड़ थी।"]));
