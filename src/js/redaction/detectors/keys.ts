// Words that say what the value after them is: names of fields in forms, JSON, logs, URLs and headers of tables.
import { labelOfChineseKey } from "./languages/chinese-fields.js";
import { labelOfKorean } from "./languages/korean.js";

/** Labels by the words for them, in lower case without spaces, "_" and "-". */
const KEYS: Record<string, readonly string[]> = {
  PERSON: [
    "name fullname firstname lastname surname forename givenname familyname middlename maidenname patient",
    "patientname customer customername client clientname employee employeename contact contactname contactperson",
    "cardholder accountholder holder beneficiary payee recipient sender applicant tenant landlord author attendee",
    "guest passenger insured policyholder nextofkin emergencycontact spouse mother father guardian doctor gp",
    "physician manager owner signedby witness plaintiff defendant candidate student teacher fname lname",
    "displayname realname attn assignedto requester reporter nom prénom prenom nomcomplet nomdefamille patiente",
    "destinataire titulaire vorname nachname familienname geburtsname kunde kundenname ansprechpartner",
    "kontoinhaber empfänger absender mieter mitarbeiter nombre apellido apellidos nombrecompleto paciente titular",
    "cliente destinatario nome cognome nomeecognome paziente intestatario sobrenome nomecompleto naam voornaam",
    "achternaam klant patiënt imię nazwisko imięinazwisko pacjent klient namn förnamn efternamn navn fornavn",
    "etternavn efternavn nimi etunimi sukunimi jméno příjmení jménoapříjmení meno priezvisko név vezetéknév",
    "keresztnév teljesnév nume prenume numecomplet ime prezime priimek ad soyad adsoyad isim имя фамилия фио",
    "отчество пациент клиент імʼя ім'я прізвище піб име фамилия όνομα επώνυμο ονοματεπώνυμο שם שםמלא שםפרטי",
    "élève schüler schülerin alumno alumna allievo allieva leerling uczeń uczennica žák žákyně nabywca odbiorca",
    "auftraggeber acheteur comprador acquirente mottagare modtager ostaja vevő címzett cumpărător kupac alıcı покупатель получатель заказчик",
    "melder melderin bearbeiter bearbeiterin sachbearbeiter sachbearbeiterin kundin patientin ansprechpartnerin",
    "mieterin vermieter vermieterin referanse referens expéditeur mittente remetente odesílatel příjemce odosielateľ",
    "príjemca nadawca adresat feladó expeditor destinatar pošiljatelj primatelj pošiljatelj prejemnik gönderen",
    "отправитель відправник отримувач одержувач клієнт пацієнт корисник путник пошиљалац прималац клиентка подател",
    "vards vārds uzvārds vardas pavardė vardasirpavardė eesnimi perekonnanimi imeinpriimek imeiprezime adısoyadı adıvesoyadı",
    "nomicognoms cognoms имеипрезиме прізвищеімʼя відвідувач відповідальний",
    "שםמשפחה الاسم اسم الاسمالكامل नाम पूरानाम 氏名 名前 お名前 姓名 이름 성명 ชื่อ tên họtên họvàtên namalengkap nama",
    "担当 担当者 ご担当 患者名 利用者名 受取人 差出人 申請者 フリガナ ふりがな 名義人 顧客名 お客様名 社員名 会員名 講師 主治医 保護者 保護者名",
    "المريض المريضة العميل العميلة الزبون المرسل المستفيد المستلم مقدمالطلب مقدمالبلاغ الكفيل الموظف الموظفة",
    "الطالب الطالبة السائق اسمالمريض اسمالعميل اسمالسائق اسمالطالب اسمالموظف الزوجة الزوج وليالأمر نام",
    "نامونامخانوادگی نامخانوادگی نامبیمار نامراننده نامپدر نامدانشآموز ناممشتری مشتری خریدار گیرنده فرستنده",
    "متقاضی راننده بیمار نامکاربر מטופל מטופלת לקוח לקוחה נמען שםהמטופל שםהלקוח שםהתלמיד שםהעובד תלמיד עובד",
    "איששקשר מבוטח نامکامل",
    "kháchhàng khách kh tênkhách tênkháchhàng bệnhnhân bn ngườibáo ngườigửi ngườinhận ngườimua ngườibán",
    "ngườilàmđơn ngườiđạidiện ngườiliênhệ ngườithamchiếu ngườithamkhảo ngườinhà chủhộ họtênchủhộ chữđệmvàtên",
    "nhânviên giámthị bácsĩ bs tàixế thợ namapeserta namapasien namapesakit namawali namapenjaga namamurid",
    "namawarga namapersonil namaorangtua namaibu namaayah pelapor pengadu pemohon penjamin penerima pengirim",
    "pemesan pelanggan pesakit pasien tertanggung panggilan penjaga wali sopir petugas nasabah penyewa anak",
    "bilkepada petugaskami tuan/toko nhânviêngiaothẻ mẹem majina warejelewa mdhaminiwakwanza mdhaminiwapili",
    "lagda kay mulakay jina jinakamili jinalamteja mteja mgonjwa mrithi mdhamini dereva majeruhi mpokeaji",
    "mtumaji pangalan palayaw pangalanngbotante प्रेषक प्राप्तकर्ता ग्राहक ग्राहककानाम मरीज मरीजकानाम रोगी",
    "रोगीकानाम छात्र छात्रा छात्रकानाम विद्यार्थी पिता माता पति पत्नी पिताकानाम माताकानाम शिकायतकर्ता आवेदक",
    "प्रार्थी अभिभावक कर्मचारी संपर्कव्यक्ति किरायेदार चालक डॉक्टर चिकित्सक रुग्ण रुग्णाचेनाव नाव पूर्णनाव",
    "নাম রোগী রোগীরনাম গ্রাহক পিতা মাতা পিতারনাম মাতারনাম আবেদনকারী প্রাপক প্রেরক শিক্ষার্থী ছাত্র அனுப்புநர்",
    "பெறுநர் பெயர் முழுப்பெயர் நோயாளி வாடிக்கையாளர் தந்தை தாய் పేరు రోగి નામ દર્દી ગ્રાહક ਨਾਮ ਮਰੀਜ਼ ಹೆಸರು",
    "പേര് රෝගියා නම ผู้ป่วย ผู้ส่ง ผู้รับ ชื่อ-สกุล ชื่อสกุล ชื่อ-นามสกุล ชื่อผู้ป่วย ลูกค้า ผู้ติดต่อ",
    "ผู้แจ้ง სახელი გვარი სახელიდაგვარი პაციენტი მომხმარებელი անուն ազգանուն անունազգանուն հիվանդ հաճախորդ ስም",
    "ሙሉስም የታካሚስም ታካሚ አመልካች",
  ],
  EMAIL: [
    "email emailaddress mail mailaddress courriel correo correoelectrónico posta postaelettronica epost",
    "sähköposti эл.почта электроннаяпочта πηλεκτρονικόταχυδρομείο メール メールアドレス 邮箱 电子邮件 이메일 דואל بريد",
    "البريدالإلكتروني ईमेल adresemail adresse-mail",
    "baruapepe ইমেইল மின்னஞ்சல் อีเมล ელფოსტა էլփոստ ኢሜይል",
  ],
  PHONE: [
    "phone phonenumber telephone tel mobile mobilenumber mobilephone cell cellphone fax homephone workphone",
    "contactnumber whatsapp msisdn telefon telefonnummer handy handynummer mobil mobilnummer mobiltelefon",
    "téléphone portable teléfono móvil celular telefono cellulare telefone telemóvel telefoonnummer telefoon",
    "mobiel komórka nrtelefonu numertelefonu puhelin puhelinnumero telefonszám gsm телефон мобильный τηλέφωνο",
    "κινητό טלפון נייד هاتف الهاتف جوال फ़ोन मोबाइल 電話 電話番号 手机 电话 手机号 전화 전화번호 휴대폰 โทร điệnthoại sđt telepon",
    "携帯 携帯電話 連絡先 日中の連絡先 緊急連絡先",
    "الجوال موبايل الموبايل رقمالهاتف رقمالجوال هاتفالمرسل هاتفالطوارئ التلفون تلفن تلفنهمراه موبایل",
    "شمارهتماس تماس טל׳ טל פלאפון טלפוןנייד موبائل فون",
    "simu nambayasimu sốđiệnthoại nohp nomorhp nombortelefon मोबाइलनंबर দূরভাষ ফোন মোবাইল தொலைபேசி கைபேசி",
    "ఫోన్ મોબાઇલ ਫ਼ੋਨ ফোননম্বর เบอร์โทร โทรศัพท์ ტელეფონი տելհեռ հեռախոս ስልክ",
  ],
  DATE: [
    "dob dateofbirth birthdate birthday born birthdate geburtsdatum geboren geburtstag datedenaissance néle néele",
    "fechadenacimiento fechanacimiento nacimiento datadinascita natoil dataurodzenia datadenascimento nascimento",
    "geboortedatum födelsedatum fødselsdato fødselsdag syntymäaika datumnarození születésidátum datanașterii",
    "datumrođenja doğumtarihi датарождения датанародження ημερομηνίαγέννησης תאריךלידה تاريخالميلاد जन्मतिथि 生年月日",
    "出生日期 생년월일 ngàysinh tanggallahir",
    "تاريخالولادة تاريخالازدياد تاريخالدخول تاريخالانتهاء التاريخ تاریخ تاریختولد תאריך תלידה תאריךאשפוז תוקף",
    "tgllahir kuzaliwa tareheyakuzaliwa petsangkapanganakan kaarawan petsa tarehe tgl tanggal जन्म जन्मतारीख",
    "जन्मदिनांक जन्मदिन दिनांक तारीख জন্মতারিখ তারিখ பிறந்ததேதி தேதி పుట్టినతేదీ જન્મતારીખ ਜਨਮਮਿਤੀ วันเกิด",
    "วันที่ დაბადებისთარიღი თარიღი ծննդյանամսաթիվ ամսաթիվ የትውልድቀን ቀን",
  ],
  ADDRESS: [
    "address streetaddress street addressline1 addressline2 homeaddress billingaddress shippingaddress",
    "deliveryaddress postaladdress mailingaddress addr line1 line2 zip zipcode postcode postalcode residence",
    "anschrift adresse straße strasse plz wohnort dirección direccion domicilio codigopostal códigopostal cp",
    "indirizzo residenza cap endereço morada cep adres ulica kodpocztowy postnummer postnr gatuadress osoite",
    "postinumero adresa bydliště psč cím lakcím irányítószám адрес индекс διεύθυνση כתובת عنوان العنوان पता 住所 地址",
    "주소 ที่อยู่ địachỉ alamat",
    "現住所 お届け先住所 配送先 配送先住所 送付先 旧住所 新住所",
    "السكن عنوانالسكن مكانالإقامة نشانی آدرس מען כתובתהנכס כתובתלמשלוח",
    "đc tirahan anuani anwani वर्तमानपता स्थायीपता ঠিকানা முகவரி చిరునామా સરનામું ਪਤਾ ವಿಳಾಸ മേൽവിലാസം",
    "მისამართი հասցե አድራሻ",
  ],
  LOCATION: [
    "city town country office placeofbirth birthplace hometown county village ort stadt geburtsort ville lieudenaissance ciudad",
    "lugardenacimiento país pays paese land kraj země città luogodinascita cidade naturalidade plaats woonplaats miasto miejscowość",
    "placeofresidence locality localité lieuderesidence lieuderésidence localidad población municipio lugarderesidencia comune luogodiresidenza",
    "localidade concelho geboorteplaats miejscezamieszkania bostadsort födelseort hjemby fødested syntymäpaikka kotipaikka asuinpaikka",
    "místonarození miestonarodenia lakóhely születésihely település localitate loculnașterii mjestorođenja mesto rojstnikraj doğumyeri ilçe",
    "suburb destination одредиште destinazione destino bestemming cíl",
    "местожительства месторождения місцепроживання місценародження τόποςγέννησης τόποςκατοικίας",
    "miejsceurodzenia stad ort by kommune kaupunki město obec város oraș grad şehir город місто πόλη עיר المدينة",
    "krajrojstva krajprebivališča mjestostanovanja mjesto населеномясто месторождение месторожденија местоживеене gimimovieta gyvenamojivieta dzimšanasvieta dzīvesvieta sünnikoht elukoht tempatlahir kota asal nơisinh quêquán quequán lloc llocdenaixement població",
    "lakhely postort relacija opština općina občina gmina powiat bairro provincia département commune gemeente",
    "शहर",
    "location place lives livesin branch standort filiale einsatzort miejsce lokalizacja oddział filia okres",
    "obce pobočka miesto poslovnica helyszín hely județ judet sucursala lugar local sede luogo lieu vestiging",
    "filiaal sted plats paikka paikkakunta vieta vietovė koht asukoht filiāle yer sehir bær kontor lokasi",
    "mahali tempat τόπος място населённыйпункт филиал место місце",
    "居住地 市区町村 都道府県 出身地 勤務地 所在地 国籍",
    "مكانالميلاد مكانالولادة مكانالازدياد البلد شهر محلتولد محلسکونت مبدأ مقصد استان המקום ישוב יישוב ארץ",
    "ארץלידה מקוםלידה",
    "गाँव गांव ग्राम जिला निवासी जगह जन्मस्थान স্থান গ্রাম জেলা ஊர் ગામ จังหวัด ქალაქი քաղաք ከተማ quê quênquán",
    "kijiji tuyến",
  ],
  ORGANIZATION: [
    "company companyname employer organisation organization firma firmenname arbeitgeber société entreprise",
    "employeur empresa azienda bedrijf werkgever företag yritys cég компания работодатель employerName",
    "school university college hospital clinic bank insurer supplier vendor hotel krankenkasse klinik schule",
    "pracodawca szkoła uczelnia szpital zaměstnavatel škola dodavatel dodávateľ zamestnávateľ poslodavac",
    "delodajalec dobavljač munkáltató iskola kórház szállító munkahely angajator furnizor razónsocial",
    "empleador empregador fornecedor fornitore scuola ospedale datoredilavoro seguradora escola colegio école",
    "établissement fournisseur mutuelle obrasocial leverancier verzekeraar arbeidsgiver arbetsgivare",
    "arbejdsgiver skole skola tööandja kool darbdavys mokykla darbavieta işyeri okul hastane εργοδότης σχολή",
    "σχολείο εκδότης поставщик школа вуз роботодавець постачальник доставчик училище месторабота послодавац",
    "majikan bengkel dealer",
    "会社名 会社 勤務先 取引先 所属 医療機関 病院 学校名 施設名",
    "الشركة جهةالعمل المؤسسة شرکت محلکار מעסיק חברה מקוםעבודה בנק",
    "प्रतिष्ठान विद्यालय कंपनी संस्था अस्पताल প্রতিষ্ঠান நிறுவனம் บริษัท კომპანია աշխատավայր የስራቦታ perusahaan",
    "namaperusahaan sekolah mwajiri côngty cơquan",
  ],
  ID: [
    "id userid empcode employeecode staffcode customerid clientid employeeid patientid accountid memberid ssn socialsecuritynumber",
    "socialsecurity nationalid nationalinsurance ni nino nhs nhsnumber nhsno mrn medicalrecordnumber",
    "hospitalnumber passport passportno passportnumber driverslicense driverlicense drivinglicence licenseplate",
    "licenceplate numberplate registration vin iban bic swift sortcode accountnumber accountno account acct",
    "acctno routingnumber cardnumber cardno card pan creditcard policynumber policyno policy claimno claimnumber",
    "caseno casenumber caseid docketno taxid taxnumber tin vat vatnumber vatid ein itin customerno customernumber",
    "memberno membershipno membershipnumber employeeno employeenumber studentid studentno orderno ordernumber",
    "orderid invoiceno invoicenumber bookingref bookingreference reference referenceno ref refno ticketno ticket",
    "trackingnumber trackingno pnr imei imsi iccid serialno serialnumber deviceid sessionid transactionid txnid",
    "contractno contractnumber insuranceno insurancenumber kontonummer kundennummer kundennr steuernummer",
    "steueridnr steuerid personalausweisnummer ausweisnummer reisepassnummer versichertennummer",
    "versicherungsnummer sozialversicherungsnummer vertragsnummer rechnungsnummer bestellnummer aktenzeichen",
    "kennzeichen numéroclient numérodecompte numérodesécuritésociale nir numérodossier dossier siret siren dni",
    "nie nif cif nss curp rfc rut cuit cpf cnpj rg codicefiscale partitaiva bsn burgerservicenummer",
    "rekeningnummer klantnummer pesel nip regon dowódosobisty numerkonta personnummer organisationsnummer",
    "fødselsnummer cpr henkilötunnus hetu rodnéčíslo ičo dič taj tajszám adószám adóazonosítójel személyiszám",
    "számlaszám cnp oib emso jmbg tckimlikno tckn kimlikno инн снилс паспорт егн αφμ αμκα амка תז תעודתזהות",
    "رقمالهوية आधार पैन マイナンバー 身份证号 身份证 주민등록번호 cccd cmnd nik npwp",
    "個人番号 会員番号 顧客番号 患者番号 社員番号 診察券番号 注文番号 受付番号 予約番号 口座番号 証券番号 登録番号",
    "رقمالجواز رقمالفاتورة رقمالطلب رقمالملف الرقمالضريبي الرقمالوطني الرقمالجامعي رقمالحوالة رقمالبلاغ",
    "رقمالحساب البطاقة رقمالبطاقة رقمالعقد آيبان کدملی شمارهملی کدبیمه شمارهپرونده شمارهفاکتور شمارهحساب",
    "شمارهکارت پلاک شمارهدانشجویی کدرهگیری מספרזהות מספרתיק מסחשבון מספרחשבון פוליסה דרכון רכב לוחית מסלקוח",
    "nisn norm nopolisi norangka nokp nopolis noanggota nokartu nopekerja mst mãbn mãhđ sbd mssv sốphiếu",
    "sốđịnhdanhcánhân nida leseni kitambulisho उपभोक्तानंबर शिकायतक्रमांक पंजीयन पंजीकरण रोलनंबर आधारनंबर",
    "खातानंबर अनुक्रमांक রেজিস্ট্রেশন เลขบัตร เลขบัตรประชาชน รหัสสมาชิก პირადინომერი անձնագիր መታወቂያ",
  ],
  AGE: [
    "age alter âge edad età idade leeftijd wiek ålder alder ikä věk kor életkor vârstă yaş возраст вік ηλικία גיל",
    "edat mosha varsta uzrast starost vek věk vanus vecums amžius aldur узраст старост възраст godine leeftijd usia umri",
    "العمر उम्र आयु 年齢 年龄 나이 tuổi umur",
    "السن سن عمر",
    "umri वय বয়স வயது వయస్సు వయసు ઉંમર ਉਮਰ ವಯಸ್ಸು വയസ്സ് อายุ ასაკი տարիք ዕድሜ usia",
  ],
  IP: ["ip ipaddress ipaddr clientip remoteip remoteaddr lastip srcip dstip xforwardedfor hostip sourceip"],
  USERNAME: [
    "username user login loginname userlogin account_name handle nick nickname screenname benutzername benutzer",
    "nutzername identifiant utilisateur usuario nomeutente utente gebruikersnaam użytkownik användarnamn",
    "brukernavn brugernavn käyttäjätunnus uživatel felhasználónév felhasználó utilizator kullanıcıadı логин",
    "lietotājvārds lietotājs kasutajanimi kasutaja vartotojovardas vartotojas korisničkoime uporabniškoime корисничкоиме налог",
    "логін користувач потребител потребителскоиме brukarnamn usuària nomdusuari",
    "пользователь skype telegram twitter instagram github slack discord",
    "اسمالمستخدم نامکاربری שםמשתמש",
  ],
  PASSWORD: [
    "password passwd pwd pass passphrase passcode pin pincode cvv cvc cvv2 cvc2 securitycode otp onetimecode",
    "verificationcode accesscode securityanswer passwort kennwort zugangscode motdepasse contraseña contrasena",
    "clave passwordtemporanea senha palavrapasse wachtwoord hasło haslo lösenord passord adgangskode salasana",
    "heslo jelszó parola lozinka geslo şifre sifre парола пароль κωδικός סיסמה كلمةالمرور पासवर्ड パスワード 暗証番号 密码",
    "비밀번호 รหัสผ่าน mậtkhẩu katasandi slaptažodis parool salasõna лозинка contrasenya",
    "كلمةالسر الرقمالسري رمزعبور گذرواژه סיסמא הסיסמה",
    "পাসওয়ার্ড கடவுச்சொல் પાસવર્ડ პაროლი գաղտնաբառ nenosiri katalaluan ओटीपी",
  ],
  SECRET: [
    "token accesstoken refreshtoken idtoken authtoken apitoken apikey api_key apisecret secret secretkey",
    "clientsecret accesskey accesskeyid secretaccesskey privatekey publickey encryptionkey signingkey",
    "sharedsecret authorization auth bearer cookie session sessiontoken csrf csrftoken xsrf signature sig key",
    "license licensekey licencekey activationkey serial credential credentials webhooksecret connectionstring jwt",
    "sas accountkey",
  ],
  MONEY: [
    "amount salary income balance total gehalt einkommen betrag salaire montant salario importe stipendio importo",
    "kwota wynagrodzenie znesek iznos износ suma сумма сума belopp beløb beløp tutar összeg částka suma ücret cena",
    "المبلغ الراتب مبلغ کرایه סכום משכורת",
  ],
  HEALTH: [
    "diagnosis diagnoses condition conditions medication medications allergies allergy symptoms medicalhistory",
    "bloodtype bloodgroup disability icd icd10 diagnose befund medikamente medikation allergien vorerkrankungen",
    "diagnostic traitement antécédents allergie allergies diagnóstico medicación alergias diagnosi terapia",
    "allergia diagnoza leki diagnos diagnoosi diagnóza diagnózis диагноз лечение διάγνωση אבחנה التشخيص निदान 診断",
    "诊断 진단",
    "診断名 病名 主病名 傷病名 疾病名 既往 既往歴 服薬 内服薬 処方薬 持病",
    "الدواء تشخیص دارو",
    "रोग बीमारी রোগ রোগনির্ণয় நோய் โรคประจำตัว การวินิจฉัย დიაგნოზი ախտորոշում ህመም chẩnđoán diagnosa dx",
    "alahan ugonjwa",
  ],
};

const BY_WORD = new Map(
  Object.entries(KEYS).flatMap(([label, lines]) =>
    lines.flatMap((line) => line.split(" ")).map((word) => [word.toLowerCase(), label] as const),
  ),
);

/** Beginnings of names of fields that say nothing about the value: "customer_email", "billing address". */
const AROUND =
  /^(?:customer|client|patient|user|billing|shipping|delivery|home|work|primary|secondary|my|your|the|employee|contact|owner|sender|recipient|mobile|private|personal|full|legal|db|database|admin|root|aws|new|old|current|temporary|temp|login|account|card|last|first|bank|from|to|candidate|member|guest|student|tenant|next|emergency|manager|insured)/;
const AFTER = /(?:no|number|nr|num|address|code|id|value|text|field|line|1|2)$/;

/** Names of columns whose cells say what a thing is, how many there are and what it costs, without spaces. */
const THINGS = new Set(
  "sku item article artikel artikelnr articleno itemno artykuł artikl artikul product produkt produit producto prodotto produto product товар артикул назва найменування наименование производ ürün tuote vare varenavn vara nimetus prece prekė megnevezés denumire naziv bezeichnung model modell modèle modelo modello malli typ tip version versión versione versão firmware qty quantity menge anzahl quantité cantidad quantità quantidade aantal ilość množství množstvo mennyiség cantitate količina количество количина кількість adet miktar määrä antal kogus daudzums kiekis σελίδα ποσότητα είδος price unitprice preis einzelpreis prix precio prezzo preço prijs ár preț cijena цена ціна fiyat hinta pris hind kaina charge batch lot seite seiten page pages página pagina stránka strona side sida sivu bin shelf regal lieferzeit".split(
    " ",
  ),
);
/** Returns whether the name of a column is for things. */
export const isOfThings = (name: string) => THINGS.has(name.toLowerCase().replace(/[\s_."'#:*-]+/g, ""));

/** Names of fields that end with one of these are counts, kinds or states of the thing, not the thing. */
const NO_VALUE =
  /(?:count|type|status|state|length|size|format|policy|hint|reset|required|valid|verified|enabled|expires?|expiry|changed|updated|created)$/;

/** Returns the label of a field's values by its name; undefined if the name says nothing. */
export function labelOfKey(name: string): string | undefined {
  const [first, second, third] = name.split("/"); // "Town/City"
  if (second && third === undefined) return labelOfKey(first!) ?? labelOfKey(second);
  const plain = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/\([^)]*\)|[\s_."'#:*-]+/g, "");
  const direct = BY_WORD.get(plain);
  if (direct) return direct;
  if (/氏名$|名前$|者名$/.test(plain)) return "PERSON";
  if (plain.length > 30 || plain.length < 2 || NO_VALUE.test(plain)) return undefined;
  const shorter = plain.replace(AROUND, "");
  return (
    (shorter && BY_WORD.get(shorter)) ||
    BY_WORD.get(plain.replace(AFTER, "")) ||
    BY_WORD.get(shorter.replace(AFTER, "")) ||
    labelOfKorean(plain) ||
    labelOfChineseKey(plain)
  );
}
