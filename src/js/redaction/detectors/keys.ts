// Words that say what the value after them is: names of fields in forms, JSON, logs, URLs and headers of tables.

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
  ],
  EMAIL: [
    "email emailaddress mail mailaddress courriel correo correoelectrónico posta postaelettronica epost",
    "sähköposti эл.почта электроннаяпочта πηλεκτρονικόταχυδρομείο メール メールアドレス 邮箱 电子邮件 이메일 דואל بريد",
    "البريدالإلكتروني ईमेल adresemail adresse-mail",
  ],
  PHONE: [
    "phone phonenumber telephone tel mobile mobilenumber mobilephone cell cellphone fax homephone workphone",
    "contactnumber whatsapp msisdn telefon telefonnummer handy handynummer mobil mobilnummer mobiltelefon",
    "téléphone portable teléfono móvil celular telefono cellulare telefone telemóvel telefoonnummer telefoon",
    "mobiel komórka nrtelefonu numertelefonu puhelin puhelinnumero telefonszám gsm телефон мобильный τηλέφωνο",
    "κινητό טלפון נייד هاتف الهاتف جوال फ़ोन मोबाइल 電話 電話番号 手机 电话 手机号 전화 전화번호 휴대폰 โทร điệnthoại sđt telepon",
  ],
  DATE: [
    "dob dateofbirth birthdate birthday born birthdate geburtsdatum geboren geburtstag datedenaissance néle néele",
    "fechadenacimiento fechanacimiento nacimiento datadinascita natoil dataurodzenia datadenascimento nascimento",
    "geboortedatum födelsedatum fødselsdato fødselsdag syntymäaika datumnarození születésidátum datanașterii",
    "datumrođenja doğumtarihi датарождения датанародження ημερομηνίαγέννησης תאריךלידה تاريخالميلاد जन्मतिथि 生年月日",
    "出生日期 생년월일 ngàysinh tanggallahir",
  ],
  ADDRESS: [
    "address streetaddress street addressline1 addressline2 homeaddress billingaddress shippingaddress",
    "deliveryaddress postaladdress mailingaddress addr line1 line2 zip zipcode postcode postalcode residence",
    "anschrift adresse straße strasse plz wohnort dirección direccion domicilio codigopostal códigopostal cp",
    "indirizzo residenza cap endereço morada cep adres ulica kodpocztowy postnummer postnr gatuadress osoite",
    "postinumero adresa bydliště psč cím lakcím irányítószám адрес индекс διεύθυνση כתובת عنوان العنوان पता 住所 地址",
    "주소 ที่อยู่ địachỉ alamat",
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
  ],
  ORGANIZATION: [
    "company companyname employer organisation organization firma firmenname arbeitgeber société entreprise",
    "employeur empresa azienda bedrijf werkgever företag yritys cég компания работодатель employerName",
  ],
  ID: [
    "id userid customerid clientid employeeid patientid accountid memberid ssn socialsecuritynumber",
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
  ],
  AGE: [
    "age alter âge edad età idade leeftijd wiek ålder alder ikä věk kor életkor vârstă yaş возраст вік ηλικία גיל",
    "العمر उम्र आयु 年齢 年龄 나이 tuổi umur",
  ],
  IP: ["ip ipaddress ipaddr clientip remoteip remoteaddr lastip srcip dstip xforwardedfor hostip sourceip"],
  USERNAME: [
    "username user login loginname userlogin account_name handle nick nickname screenname benutzername benutzer",
    "nutzername identifiant utilisateur usuario nomeutente utente gebruikersnaam użytkownik användarnamn",
    "brukernavn brugernavn käyttäjätunnus uživatel felhasználónév felhasználó utilizator kullanıcıadı логин",
    "lietotājvārds lietotājs kasutajanimi kasutaja vartotojovardas vartotojas korisničkoime uporabniškoime корисничкоиме налог",
    "логін користувач потребител потребителскоиме brukarnamn usuària nomdusuari",
    "пользователь skype telegram twitter instagram github slack discord",
  ],
  PASSWORD: [
    "password passwd pwd pass passphrase passcode pin pincode cvv cvc cvv2 cvc2 securitycode otp onetimecode",
    "verificationcode accesscode securityanswer passwort kennwort zugangscode motdepasse contraseña contrasena",
    "clave passwordtemporanea senha palavrapasse wachtwoord hasło haslo lösenord passord adgangskode salasana",
    "heslo jelszó parola lozinka geslo şifre sifre парола пароль κωδικός סיסמה كلمةالمرور पासवर्ड パスワード 暗証番号 密码",
    "비밀번호 รหัสผ่าน mậtkhẩu katasandi slaptažodis parool salasõna лозинка contrasenya",
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
  ],
  HEALTH: [
    "diagnosis diagnoses condition conditions medication medications allergies allergy symptoms medicalhistory",
    "bloodtype bloodgroup disability icd icd10 diagnose befund medikamente medikation allergien vorerkrankungen",
    "diagnostic traitement antécédents allergie allergies diagnóstico medicación alergias diagnosi terapia",
    "allergia diagnoza leki diagnos diagnoosi diagnóza diagnózis диагноз лечение διάγνωση אבחנה التشخيص निदान 診断",
    "诊断 진단",
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
  if (plain.length > 30 || plain.length < 2 || NO_VALUE.test(plain)) return undefined;
  const shorter = plain.replace(AROUND, "");
  return (
    (shorter && BY_WORD.get(shorter)) ||
    BY_WORD.get(plain.replace(AFTER, "")) ||
    BY_WORD.get(shorter.replace(AFTER, ""))
  );
}
