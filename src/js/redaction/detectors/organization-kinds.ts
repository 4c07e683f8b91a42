// Organisations by the words for their kind before or after a name, in the languages of Europe.
import { isNoun } from "../language.js";
import { isPronoun, isWord } from "../words.js";
import { isGivenName } from "./given-name-known.js";
import { lazily, type Match } from "./match.js";
import { MONTHS } from "./months.js";
import { isRole } from "./roles.js";
import { isWeekday } from "./weekdays.js";

const START = "(?<![\\p{L}\\p{M}\\p{N}@._/-])";
const EDGE = "(?![\\p{L}\\p{M}\\p{N}_$@]|-\\p{L})";
const WORD = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’.&-]{0,30}(?<![.'’-])";
const QUOTED = '[«"“„”\'‘][^»"”“„\\n]{2,45}[»"”“\'’]';
const NUMBER = "(?:(?:nr|no|n|č|br|št|num|núm|nro|№|бр)[.°º]{0,2} ?)\\d{1,4}(?:[-/]\\d{1,4})?";
const LINK =
  "(?:de la|de los|de las|de l['’]|dell['’]|delle|degli|dei|della|del|des|de|du|do|da|dos|das|di|d['’]|e|y|i|et|og|och|und|and|&|van|voor|het|zum|zur|am|im|der|św\\.|sv\\.|Sv\\.|Św\\.|im\\.|ім\\.|им\\.|імені|имени|sf\\.|nad|pod|pri|za|of|ja|και|ο|η|το|του|της|των|св\\.|Св\\.)";
const NAME = `(?:${QUOTED}|${NUMBER}|${WORD})(?:[ ](?:${LINK}[ ]){0,2}(?:${WORD}|${QUOTED}|${NUMBER})){0,4}`;

/** Returns the alternatives with a small or capital first letter. */
const cased = (list: string) => list.replace(/(?<=^|\|)\p{Ll}/gu, (letter) => `[${letter.toUpperCase()}${letter}]`);
/** Returns the stems with up to `most` more letters each. */
const stems = (list: string, most = 4) => cased(list).replace(/(?=\||$)/g, `\\p{L}{0,${most}}`);

/** Kinds before a name: stems in Slavic languages in Latin script. */
const SLAVIC = [
  "szpital|nemocnic|bolnic|bolnišnic|klinik|kliničk|poliklinik|przychodni|aptek|lekárn|lekárň|lékárn|ljekarn|lekarn|apoteka|apoteku|apoteke|ordinac|sanatori|hospic|gabinet|zdravotní středisk|szko[łl]|škol|školk|šol|vrtec|vrtc|vrtić|przedszkol|żłob|gimnaz|gymnázi|gymnazi|gimnazij|lice(?:um|a$|u)|technikum|učilišt|uniwersytet|univerzit|politechnik|politechni[ck]|akademi|fakult|fakultet|wydział|sveučilišt|inštitút|institut|ústav",
  "spořiteln|sporiteľň|sporiteľn|záložn|hranilnic|zavarovalnic|štedionic|štedn|osiguranj|pojišťovn|poisťovň|towarzystw|ubezpiecz|restaurac|restauracj|reštaurác|restoran|hospod|hostinc|hostinec|pivovar|browar|kavárn|kaviareň|kaviarn|kawiarni|kavarn|kafan|konob|gostiln|gostilnic|pizzeri|bistr|hotel|hostel|penzion|penzión|pensjonat|schronisk|apartman|kamp|kempink|camping|pekárn|pekáreň|pekar|piekarni|cukierni|cukrárn|cukráreň|slastičarn|slaščičarn|masarni|řeznictv|mäsiarstv|mesnic|mleczarni|mlékárn|mlékarn|mlekar",
  "knjižar|knjigarn|księgarni|knihkupectv|kníhkupectv|květinářstv|kvetinárstv|kwiaciarni|cvjećar|cvećar|autoservis|servis|warsztat|dílny|dílna|sklep|obchod|prodejn|predajň|prodavnic|trgovin|salon|salón|kadeřnictv|kaderníctv|frizer|hurtowni|tartak|stolarni|stolárstv|truhlářstv|zámočníctv|kovářstv|vinařstv|vinárstv|tiskárn|tlačiareň|tlačiarn|drukarni|tiskar|wydawnictw|nakladatelstv|vydavateľstv|založb|izdavač|časopis|gazet|revij|tovarn|tvornic|fabryk|fabrik|zakład|spółk|přepravc|podjetj|preduzeć|poduzeć|tvrtk|společnost|spoločnos|kancelari|kancelář|agencj|agencij|agentur|gospodarstw",
  "ministerstv|ministerstw|ministarstv|urząd|urzęd|úřad|úrad|ured|urad|starostw|sąd|soud|súd|sud|tribunal|komend|komisariat|policejn|prokuratur|općin|opštin|občin|magistrat|mestsk\\p{L}{1,4} úrad|městsk\\p{L}{1,4} úřad|veľvyslanectv|velvyslanectv|veleposlaništv|ambasad|konzulat|konzulát|klub|spolek|spolk|združenj|združeni|sdružení|društv|udrug|udruženj|drużyn|fundacj|nadac|nadáci|fond|stowarzyszeni|asociac|asociáci|spółdzielni|družstv|zadrug|związ|svaz|zväz|savez|zvez|parafi|farnost|farnosť|župnij|kościół|kościele|kostel|crkv|muze|muzej|múze|teatr|divadl|kazališt|gledališč|pozorišt|kino|knihovn|knižnic|knjižnic|bibliote|galeri|obrt|dom (?:kultury|seniorów|seniora|zdravlja)|domov|dům (?:kultury|seniorů)|kultúrny dom",
];
/** Kinds whose stem begins other words, in all their cases. */
const EXACT =
  "bank|banka|banke|banki|banku|banky|bance|bankom|bankou|bankas|banko|firma|firmy|firmě|firmu|firme|firmie|firmi|firmou|firmom|firmą|wytwórni|kopalni|hut[aęyu]|huci[ei]|elektrárn[aěuy]|elektrarn[aei]|stadion\\p{L}{0,2}|zoo|aquapark|centrum|centar|centru|středisk\\p{L}{1,2}|stredisk\\p{L}{1,2}|centr[ae]";
/** Kinds before a name in Romance, Germanic and other languages with few endings. */
const OTHERS = [
  "hospital(?:ul|ului|is)?|hôpital|ospedale|spitalul?u?i?|clinic[ao]|clínica|clinique|policlinic[oa]|poliambulatorio|ambulatori[oa]?|centre hospitalier|centre (?:médical|de santé)|centro (?:médico|de salud|medico|de saúde)|maternité|maternidade?|maternitatea|pharmacie|farmaci[ae]|farmàcia|farmácia|cabinet(?:ul)?|residencia|résidence|casa di riposo|lar|école|ecole|lycée|collège|maternelle|crèche|groupe scolaire|escola|escuela|colegio|colégio|col·legi|colegiul|instituto?|institut(?:ul)?|IES|CEIP|scuola|liceo|istituto|asilo|nido|università|universidade?|universitat(?:ea)?|université|facult(?:ad|é|ade|atea|at)|politecnico|politécnic[ao]|academi[ae]|accademia|académie|grădinița|gradinița|gradinita|creșa|școala|scoala|liceul|seminario",
  "banc[oaă]|banca|banque|caja|caixa|caisse|crédit|mutuelle|assurances?|seguros|assicurazioni|asigurări|aseguradora|financiera|restaurante?|ristorante|trattoria|osteria|pizzeria|taverna|bar|pub|bistrot?|brasserie|caffè|café|cafetería|mesón|bodegas?|cantina|albergo|hotel(?:ul)?|hôtel|hostal|auberge|pensione|pensión|pensiunea|posada|pousada|parador|gîte|camping|agriturismo|panader[ií]a|pastelería|confitería|boulangerie|pâtisserie|boucherie|pasticceria|panificio|forno|brutăria|cofetăria|padaria|pastelaria|carnicería|macelleria|caseificio|oleificio|almazara|fleuriste|floristería|fiorista|librairie|librería|libreria|livraria|papelería|peluquería|coiffure|salon(?:ul)?|estetica|lavandería|tintorería|taller(?:es)?|garage|carrosserie|officina|oficina|autofficina|ferreter[ií]a|ferramenta|quincaillerie|droguería|drogaria|supermercados?|supermarché|magasin|magazinul|boutique|tienda|negozio|merceria|mercería|zapatería|óptica|ottica|optique|menuiserie|plomberie|electricité|électricité|carpintería|fontanería|construcciones|construções|costruzioni|materiales|muebles|mobles|móveis|tecidos|vetreria|tipografi[ae]|imprenta|impremta|imprimerie|gráfica|editur[ai]|editorial|éditions?|editora|cantieri|cantiere|viveros?|transports?|transportes?|trasporti|autotrasporti|spedizioni|mensajería|courrier|curier(?:ul)?|empresa|société|entreprise|établissements|ets|ditta|azienda|società|compañía|companhia|firma|inmobiliaria|immobilière|imobiliária|studio|estudio|estúdio|ateliers?|bufete|gestoría|cooperativa|coopérative|sociedad|granja|herdade|quinta|finca|domaine|château|cascina|tenuta|masia|pesquera|conservas|astilleros",
  "ministero|ministère|ministerio|ministério|ministerul|tribunale?|tribunal(?:ul)?|juzgado|judecătoria|procura|corte|ayuntamiento|ajuntament|concello|câmara municipal|prefeitura|primăria|consiliul|diputación|comune|mairie|commune|conseil|préfecture|sous-préfecture|diocèse|diócesis|rectorat|région|junta|consejería|consulado?|consulat|ambassade|embajada|embaixada|ambasciata|questura|comisaría|gendarmerie|commissariat|policía|poliția|guardia|protección|club(?:ul|e)?|association|associació|associação|asociación|asociația|associazione|fondation|fundación|fundação|fundació|fundația|fondazione|federación|fédération|federazione|syndicat|sindicato|sindicatul|amicale|comité|paroisse|parroquia|parròquia|parrocchia|paróquia|parohia|église|iglesia|església|igreja|chiesa|biserica|basilica|mosquée|oratorio|convento|monasterio|mănăstirea|museo|museu|musée|muzeul|teatro|teatre|théâtre|teatrul|biblioteca|bibliothèque|médiathèque|galería|galerie|galleria|ateneu|coro|orquesta|orchestre|colla|peña|revista|revue|diario|periódico|jornal|journal|giornale|radio|rádio|televisión|festival(?:ul)?|camp|foyer|fanfare|harmonie|ARCA|AMPA|EHPAD|CHU|CHR|CAF|UBS|ASD",
  "Uniklinik(?:um)?|Universitätsklinik(?:um)?|Klinik(?:um|en)?|Krankenhaus|Kinderklinik|Kreisklinik(?:um)?|Kantonsspital|Spital|Kinderhospiz|Hospiz|Tierklinik|Tierarztpraxis|Zahnarztpraxis|Hausarztpraxis|Praxis|Apotheke|Pflegeheim|Seniorenheim|Altenheim|Seniorenzentrum|Pflegedienst|Kita|Kindertagesstätte|Kindergarten|Kinderkrippe|Krippe|Grundschule|Realschule|Hauptschule|Gesamtschule|Berufsschule|Mittelschule|Volksschule|Sekundarschule|Musikschule|Fahrschule|Hochschule|Fachhochschule|Universität|Uni|Technische Universität|TU|FH|HTL|VHS|Volkshochschule|Gymnasium|Sparkasse|Kreissparkasse|Stadtsparkasse|Volksbank|Raiffeisenbank|Raiffeisenkasse|Bankhaus|Bank|Versicherung|Kanzlei|Anwaltskanzlei|Steuerkanzlei|Notariat|Hotel|Gasthaus|Gasthof|Wirtshaus|Pension|Café|Bäckerei|Konditorei|Metzgerei|Fleischerei|Brauerei|Weingut|Molkerei|Mühle|Buchhandlung|Blumen|Gärtnerei|Autohaus|Drogerie|Optik|Möbelhaus|Möbel|Reisebüro|Ingenieurbüro|Architekturbüro|Malermeister|Tischlerei|Schreinerei|Zimmerei|Holzbau|Metallbau|Wohnbau|Hochbau|Tiefbau|Elektro|Sanitär|Dachdeckerei|Spedition|Reederei|Werft|Druckerei|Verlag|Zeitung|Polsterei|Hausverwaltung|Firma|Fa\\.|Stadtwerke|Wasserwerk|Amtsgericht|Landgericht|Oberlandesgericht|Arbeitsgericht|Sozialgericht|Finanzamt|Jobcenter|Standesamt|Einwohnermeldeamt|Bürgerservice|Jugendamt|Landkreis|Stadtverwaltung|Bezirksamt|Polizeiinspektion|Polizeirevier|Feuerwehr|Freiwillige Feuerwehr|JVA|Verein|Turnverein|Sportverein|Schützenverein|Musikverein|Kirchengemeinde|Pfarrgemeinde|Pfarrei|Pfarre|Kloster|Museum|Theater|Stadttheater|Staatstheater|Bibliothek|Stiftung|Schloss|Tierheim|Landesbank|Kantonalbank|Genossenschaft",
  "TSV|SV|FC|SC|VfB|VfL|SSV|DJK|BSV|SpVgg|FSV|TuS|TSG|HSV|HC|UHC|EHC|SK|FK|AFC|CF|UD|CD|SD|US|AS|RC|TJ|VK|RK|KK|MKS|KS|LKS|OSP|ZS|NK|HNK|ŽRK|KUD|ZŠ|MŠ|SŠ|SOU|SOŠ|ZUŠ|OŠ|OU|LO|SP|ŠC|UKC|KBC|ZD|Brf|BRF|SIA|UAB|OÜ|VšĮ|Tmi|PT|SARL|EURL|SCI|GAEC|EARL|SMK|SMA|SMP|SMPN|SMAN|SDN|RS|RSUD|RSU|RSIA|MTs|KPP",
  "ziekenhuis|zorgcentrum|woonzorgcentrum|huisartsenpraktijk|apotheek|tandartspraktijk|praktijk|basisschool|school|college|gymnasium|kinderdagverblijf|universiteit|hogeschool|bakkerij|slagerij|bloemen|tuincentrum|garagebedrijf|autobedrijf|bouwbedrijf|drukkerij|uitgeverij|boekhandel|restaurant|eetcafé|herberg|camping|gemeente|rechtbank|waterschap|stichting|vereniging|parochie|kerk|museum|schouwburg|stadsdrukkerij|transportbedrijf|loodgietersbedrijf|aannemersbedrijf|sykehuset|sjukhuset|lasarettet|legesenteret|apoteket?|vårdcentralen|tandläkare|tannlege|skolen|skolan|barnehagen|förskolan|börnehaven|universitetet|bageriet|bakeriet|konditor|konditori|kafé|restaurangen?|hotell|hotellet|vandrarhemmet|verkstaden|firmaet|firma|advokatfirmaet|advokatfirman|byggefirmaet|møbelgården|murermester|tømrer|elektriker|frisør|frisersalong|foreningen|föreningen|klubben|idrottsföreningen|kommunen|menigheten|kyrkan|kirken|tidningen|avisen|forlaget|förlaget|banken|päiväkoti|ravintola|kahvila|puutarha|leipomo|kampaamo|rakennus|hotelli|yhdistys|íþróttafélagið|veitingahúsið|verslunin|hótel|apótek|félagið|cafe|kavine|kavinė|viešbutis|restoranas|kirpykla|kepykla|viesnīca|kafejnīca|ravintola|kohvik|restoran|hotell|otel|bệnh viện|trường|công ty|cửa hàng|nhà hàng|ngân hàng|khách sạn|đại học|viện|cảng|chợ|rumah sakit|apotek|toko|warung|bank|bengkel|sekolah|universitas|universiti|kedai|klinik|puskesmas|posyandu|hospital|yayasan|masjid|gereja|shule ya|chuo|benki ya|hospitali ya|zahanati ya|kanisa",
];
/** Kinds before a name in Cyrillic and Greek. */
const CYRILLIC = [
  "больниц|госпитал|поликлиник|клиник|стоматологи|аптек|роддом|школ|гимнази|лице[йяею]|детск\\p{L}{2,3} сад|садик|университет|институт|колледж|техникум|училищ|академи|факультет|банк|гостиниц|отел|ресторан|кафе|столов|пекарн|магазин|салон|автосервис|ателье|фабрик|завод|комбинат|компани|фирм|предприяти|агентств|типографи|издательств|газет|журнал",
  "радио|телеканал|фонд|клуб|ассоциаци|обществ|союз|театр|музе[йяею]|библиотек|суд|министерств|администраци|управлени|отдел|храм|церк|монастыр|фабрик|ферм|хозяйств|санатори|пансионат|турбаз|такси|лікарн|поліклінік|клінік|шпитал|гімназі|ліце[йяюї]|садок|садочок|університет|інститут|коледж|академі|готел|кав['’]ярн|крамниц|супермаркет|компані|фірм|видавництв|товариств|спілк|асоціаці|бібліотек|міністерств|управлінн|церкв|хлібзавод|ферм",
  "болниц|МБАЛ|УМБАЛ|ДКЦ|хотел|ресторант|механ|хиж|фирм|сдружени|дружеств|читалищ|НЧ|общин|театър|съд|манастир|детск\\p{L}{2} градин|апотек|вртић|универзитет|факултет|кафан|продавниц|предузећ|удружењ|друштв|општин|министарств|црк|позоришт|музеј|задруг|агенциј|агенці|лавк|лавц|крамничк",
  "ООО|ОАО|ЗАО|ПАО|АО|ИП|ТОВ|ПП|ПАТ|ПрАТ|АТ|ФОП|КП|КНП|ДП|ОСББ|БФ|ЕООД|ООД|ЕТ|АД|ДОО|ТЦ|ТРЦ|СК|ФК|ЖК|СУ|ОУ|ПГ|ДГ|ОШ|СОШ|МБОУ|ГБУЗ|ГБУ|ФГУП|ОВД|УМВД|ТСЖ|СНТ|ЧП|НПО|НИИ|ТУ|ПУ|ДЗ|ЗАТ|ЗЗСО",
];
const GREEK = [
  "νοσοκομεί|κλινικ|φαρμακεί|ιατρεί|σχολεί|σχολ[ήη]|γυμνάσι|λύκει|νηπιαγωγεί|πανεπιστήμι|πανεπιστημι|πολυτεχνεί|ινστιτούτ|τράπεζ|ασφαλιστικ|ταβέρν|εστιατόρι|καφενεί|καφετέρι|ζαχαροπλαστεί|ξενοδοχεί|ξενώνα|φούρνο|αρτοποιεί|συνεργεί|εταιρεί|εταιρί|επιχείρησ|μεταφορικ|εκδόσ|βιβλιοπωλεί|κατάστημ",
  "σύλλογ|συλλόγ|σωματεί|ίδρυμ|ιδρύμ|περιφέρει|δήμο|δήμου|δημαρχεί|υπουργεί|πρωτοδικεί|ειρηνοδικεί|μουσεί|θέατρ|βιβλιοθήκ|ναό|ναού|μονή|μύλο|οινοποιεί|ζυθοποιί|ελαιοτριβεί|κλωστήρι|αφοί|υφοί|ομάδ|γραφεί|γενικ\\p{L}{1,2} νοσοκομεί|ΓΝ|ΔΟΥ|Δ\\.Ο\\.Υ\\.|ΕΠΑΛ|ΤΕΙ|ΚΕΠ|ΑΦΟΙ",
];

const firstOf = (kinds: string) =>
  lazily(
    `${START}(?:(?:\\p{Lu}[\\p{L}\\p{M}-]{1,24}(?:[aáeéíýioyj]|ou|ém|ий|ая|ое|ой|ій|а|у|ή|ό|ού)[ ]){1,2}(?=\\p{Ll}))?(?:${kinds})[ ]{1,2}(?:${LINK}[ ]?){0,2}?(${NAME})${EDGE}`,
    "gu",
  );
/** Expressions for kinds before a name, each with a test whether a text can have one. */
const FIRST = [
  ...SLAVIC.map((list) => [/[A-Z]/, firstOf(stems(list))] as const),
  ...[EXACT, ...OTHERS].map((list) => [/[A-Z]/, firstOf(cased(list))] as const),
  ...CYRILLIC.map((list) => [/\p{Script=Cyrillic}/u, firstOf(stems(list))] as const),
  ...GREEK.map((list) => [/\p{Script=Greek}/u, firstOf(stems(list, 5))] as const),
];

/** Kinds after a name: exact, and stems of languages that put the name first. */
const LAST = [
  "Infirmary|Elementary|Middle School|High School|Primary School|Grammar School|Preschool|Kindergarten|Surgery|Practice|Dental|Dentistry|Vets?|Veterinary(?: Clinic)?|Hospice|Care Home|Nursing Home|Health(?: Centre| Center)?|Medical(?: Centre| Center)?|Orthop(?:a)?edics|Pediatrics|Radiology|Rehab|Wellness|Motel|Resort|Suites|Cabins|Lodge|Guesthouse|Diner|Grill|Tavern|Pizza|Brewing|Brew Co|Arms|Catering|Kitchen|Farms|Ranch|Vineyards?|Winery|Orchards?|Haulage|Trucking|Couriers?|Taxis|Cabs|Coaches|Buses|Ferries|Freight|Tyres|Autos|Garage|Body Shop|Plumbing|Heating|Electrical|Electric|Roofing|Tiling|Drywall|Builders|Construction|Concrete|Hardware|Rentals|Properties|Realty|Lettings|Estates|Housing|Mortgage|Finance|Financial|Mutual|Assurance|Pensions|Attorneys|Solicitors|Chambers|Accountants|Media|Radio|Books|Records|Studios?|Pictures|Tribune|Chronicle|Sentinel|Ledger|Packet|Orchestra|Opera|Ballet|Choir|Sinfonia|Philharmonic|United|Rangers|Rovers|Athletic|Cricket Club|Golf Club|Sailing Club|Bowls Club|Tennis Club|Club|Harriers|Striders|Scouts|Federation|Alliance|Guild|League|Rescue|Food Bank|Ministries|Parish|Cathedral|Chapel|Temple|Priory|Abbey|Deanery|Diocese|District Court|County Court|Sheriff's Office|Police Department|Fire Department|Municipality|Energy|Power|Gas|Water|Wireless|Fibre|Internet|Supplies|Supply|Equipment|Outfitters|Tailors|Tool|Tire|Tiles|Timber|Timbers|Lumber|Textiles|Chemists|Opticians|Eye|Bikes|Cycles|Boats|Marine|Charters|Tours|Travel|Trails|Removals|Storage|Cleaning|Cleaners|Landscaping|Security|Surgical|Labs?|Diagnostics|Therapeutics|Pharma|Biotech|Robotics|Analytics|Software|Digital|Engineering|Fabrications|Steel|Mining|Oils?|Cables|Plastics|Fabrics|Sacco|Microfinance|Co-op|Cooperative",
  "Krankenhaus|Klinik(?:um)?|Gymnasium|Schule|Grundschule|Realschule|Apotheke|Brauerei|Verlag|Bau|Bank|Versicherung|Reisen|Stiftung|Transporte|Spedition|Logistik|Werke|Ziekenhuis|Gasthuis|Lyceum|Kliniek|Bouw|Vervoer|Verzekeringen|Makelaars|kommune|kommun|kunta|kaupunki\\p{L}{0,5}|kommunes|sygehus|sykehus|sjukhus|sjukehus|lasarett|legesenter|legekontor|vårdcentral|apotek|apteekki\\p{L}{0,4}|folkeskole|skole|skola|skolan|gymnasium|gymnasiet|gymnas|förskola|barnehage|børnehave|vgs\\.?|universitet|högskola|højskole|kyrka|domkyrka|kirke|menighet|församling|bibliotek|museum|bageri|bageriet|bakeri|konditori|hotell|kro|IF|IK|BK|FK|SK|IL|IBK|HK|Bygg|Rör|El|Transport|Elektro|Service|Auto|Maskin|Entreprenad|Frivilligsentral|lentoasema\\p{L}{0,4}",
];
const LAST_STEMS = [
  "yliopisto|sairaala|koulu|lukio|kunna|kaupungi|seurakun|päiväko|kirjasto|museo|osuuspank|terveysasema|eläinlääkäri|hammasl|haigla|keskhaigla|gümnaasium|kooli?|põhikool|lasteai?a|lasteaed|ülikool|apteek|apteegi|valla|vald|linnavalitsus|raamatukog|slimnīc|poliklīnik|vidusskol|pamatskol|ģimnāzij|universitāt|bērnudārz|novad|pašvaldīb|bāriņties|aptiek|bibliotēk|muzej|teātr|zobārstniecīb",
  "ligonin|poliklinik|mokykl|gimnazij|progimnazij|universitet|darželi|savivaldyb|seniūnij|vaistin|bibliotek|muziej|teatr|kepykl|klinik|egyetem|gimnázium|kórház|iskol|általános iskol|könyvtár|múzeum|óvod|bölcsőd|gyógyszertár|patik|étterm|étterem|vendéglő|cukrászd|pékség|panzió|szálló|biztosító|takarék|polgármesteri hivatal|önkormányzat|hivatal|színház|rendőrkapitányság|plébáni|szövetkezet|egyesület|alapítván",
];
const TURKISH =
  "Hastanesi|Üniversitesi|Fakültesi|Lisesi|Okulu|İlkokulu|Ortaokulu|Anaokulu|Kreşi|Bankası|Belediyesi|Eczanesi|Oteli|Otel|Lokantası|Restoran|Kargo|Sigorta|İnşaat|Müzesi|Vakfı|Derneği|Spor|Kliniği|Holding|Market|Nakliyat|Turizm|Konağı|Sitesi|Camii|Mahkemesi|Müdürlüğü|Kaymakamlığı|Valiliği|Büfesi|Bufe|Fırını|Pastanesi|Matbaa|Ofset|Tekstil|Gıda|Otomotiv|Emlak|Mobilya";
const LEGAL =
  "k\\. ?s\\.|v\\. ?o\\. ?s\\.|a\\. ?s\\.|d\\. ?d\\.|d\\. ?o\\. ?o\\.|j\\. ?d\\. ?o\\. ?o\\.|s\\. ?p\\.|z\\. ?s\\.|o\\. ?p\\. ?s\\.|o\\. ?z\\.|n\\. ?o\\.|z\\.ú\\.|[Ss]p\\. ?[kjp]\\.|S\\.A\\.S\\.?|S\\.[Nn]\\.[Cc]\\.?|s\\.a\\.s\\.?|S\\.R\\.L\\.?|SRL|S\\.C\\.|SpA|SPA|SNC|EIRL|GbR|gGmbH|e\\.K\\.|e\\.U\\.|Rt\\.?|Nyrt\\.?|Zrt\\.?|Kft\\.?|Bt\\.?|Α\\.?Ε\\.?|Ο\\.?Ε\\.?|Ε\\.?Ε\\.?|Ι\\.?Κ\\.?Ε\\.?|Ε\\.?Π\\.?Ε\\.?|Sdn\\.? Bhd\\.?|CIC|Oy|Oyj|Ky|Tmi|ehf\\.|hf\\.|slf\\.|Tbk|AS|A/S|ApS|AB|HB|ANS|IVS|ЕООД|ООД|ЕАД|АД|ЕТ|ДОО|д\\.о\\.о\\.|SHPK|Sh\\.p\\.k\\.";
const lastOf = (kinds: string) =>
  lazily(`(?<=[\\p{L}\\p{N}»”"“'’.][ ])(?:${kinds})(?:['’:]\\p{Ll}{1,6})?(?!-?\\d)${EDGE}`, "gu");
/** The name before a kind. */
const BEFORE = lazily(
  `${START}(?:${QUOTED}|${WORD}(?:[ ](?:(?:&|and|og|och|ja|und|és|ir|un|e|y|i|of|the|ve|de|di|van)[ ])?${WORD}){0,3})[ ]$`,
  "u",
);
/** Characters before a kind in which its name is. */
const NAME_LENGTH = 90;
const LATER = [...LAST, ...LAST_STEMS.map((list) => stems(list, 6)), TURKISH].map(lastOf);
const WITH_FORM = lazily(
  `${START}${WORD}(?:[ ](?:${LINK}[ ])?${WORD}){0,4},?[ ](?:${LEGAL})(?:[:'’]\\p{Ll}{1,5})?(?![\\p{L}\\p{M}\\p{N}_]|-[\\p{L}\\p{N}])`,
  "gu",
);
/** Names whose last part, after a hyphen or in one word, says what they are. */
const COMPOUND = lazily(
  `${START}(?:\\p{Lu}\\p{L}{1,20}-(?:(?:\\p{Lu}\\p{L}{0,20}\\.?|von|van|der|zu)-){0,4}(?:Schule|Gymnasium|Realschule|Grundschule|Gesamtschule|Kolleg|Klinik|Krankenhaus|Kirche|Haus|Stift|Stiftung|Verein|Bank|Werke?|Apotheke|Universität|Kindergarten|Kita|Halle|Museum|Heim|Hütte|Markt)|\\p{Lu}\\p{Ll}{3,20}(?:skolan|skólinn|skóla|skólanum|sjukhuset|sykehuset|hospitalet|kyrkan|kirken|gymnasiet|museet|teatern|teatret|sykehus|sygehus|slimnīca|haigla|koulu|kórház|bankas?)|St\\.? \\p{Lu}\\p{L}{2,15}['’]s(?: (?:\\p{Lu}\\p{L}+)){0,2})${EDGE}`,
  "gu",
);
/** Words before a kind that name nothing, in English and in languages with the kind after the name. */
const GENERAL =
  /^(?:the|a|an|it['’]s|that['’]s|this|our|your|my|his|her|their|every|each|no|any|some|all|what|which|new|old|good|best|free|local|annual|general|national|regional|public|private|main|mobile|personal|home|car|auto|first|second|next|last|other|more|total|full|part|customer|client|patient|account|online|digital|social|mental|primary|secondary|for|with|and|or|in|on|at|from|to|of|by|please|dear|if|when|is|was|are|life|health|child|day|city|county|state|country|school|church|golf|boat|tea|family|animal|wild|natural|renewable|solar|wind|nuclear|green|clean|drinking|hot|cold|high|low|north|south|east|west|steering|book|fan|night|youth|sports?|football|tennis|chess|insurance|credit|business|corporate|company|staff|team|service|data|cloud|cyber|information|network|web|internet|security|software|medical|emergency|water|electrical|mechanical|civil|chemical|power|gas|oil|food|office|kitchen|bathroom|garden|summer|winter|spring|die|der|das|den|dem|des|(?:[mds]?ein|kein|unser|ihr|dies|jed|welch|neu|alt|groß|klein|nächst|erst|letzt|privat|öffentlich|städtisch|freiwillig)\p{L}{0,3}|onze?|ons|deze|nieuwe|elke|vår[at]?|vores|vårt|denn[ae]|dette|detta|hela|hele|hver|varje|alla|nya|nye|min|mitt|meidän|tämä|joka|uusi|minden|egy|ez|ezt|új|nagy|meie|see|iga|uus|mūsu|šī|mūsų|ši|yeni|bizim|her)$/iu;

const isFree = (word: string) =>
  !isWord(word) && !isPronoun(word) && !isWeekday(word) && !MONTHS.has(word.toLowerCase()) && !isRole(word);
/** Words that no name begins with: titles, and words of forms and rooms after a kind. */
const NO_NAME =
  /^(?:Frau|Herrn?|Mme|M|Mr|Mrs|Ms|Dr|Sr|Sra|Sig|Pan[i]?|Paní|Tel|Tlf|Fax|Email|E-mail|Datum|Date|Data|IBAN|BIC|SWIFT|IČO|DIČ|NIP|PIN|VAT|PDF|Nr|No|Код|ИНН|Тел|Rechnung|Konto|Kunde|Internet|Online|Service|Web|Manager|Director|Inh|Abt|Holidays?|Accounts?|Statements?|Transfers?|Details|Balance|Cards?|Name|Code|Board|Bus|Year|Trip|ID|EUR|USD|GBP)$/u;

/** Finds organisations by kinds before a name. */
export const kindsFirst = FIRST.map(([test, pattern]) => (text: string): Match[] => {
  if (!test.test(text) || !/\p{Lu}|[«„“"]/u.test(text)) return [];
  const found: Match[] = [];
  for (const { 0: whole, 1: name, index } of text.matchAll(pattern())) {
    const first = /[\p{L}\p{M}\p{N}'’-]+/u.exec(name!)?.[0] ?? "";
    if (!isFree(first) || NO_NAME.test(first) || (/^\p{Lu}/u.test(whole) && /^\p{Lu}/u.test(name!) && isNoun(first)))
      continue;
    // a kind in capitals is a word in a text in capitals: "IF YOU ARE LATE"
    if (/^\p{Lu}{2,4} /u.test(whole) && !/\p{Ll}|\d/u.test(name!)) continue;
    if (/^\p{Ll}/u.test(whole) && /^\p{Lu}{1,3}(?:\P{L}|$)/u.test(name!)) continue;
    found.push(...withPlace(text, withoutFirst(whole, index)));
  }
  return found;
});

/** A place of one or two words after an organisation and a comma. */
const AFTER =
  /^,? (?:– )?(\p{Lu}[\p{L}\p{M}'’-]+(?: (?:(?:de|del|nad|am|an der|la|pod|di|na) )?\p{Lu}[\p{L}\p{M}'’-]+)?)(?=[ ]?(?:$|[\n,;|()\t·/]|[-–—:] |\.(?:\s|$)))/u;
/** Returns the organisation and the place that follows it. */
function withPlace(text: string, match: Match): Match[] {
  const [whole, place] = AFTER.exec(text.slice(match.end, match.end + 60)) ?? [];
  if (!whole?.startsWith(",") && !whole?.startsWith(" –")) return [match];
  const words = place!.split(" ");
  if (
    !/\p{Ll}/u.test(place!) ||
    !words.every(isFree) ||
    isNoun(words[0]!) ||
    NO_NAME.test(words[0]!) ||
    isGivenName(words[0]!.toLowerCase())
  )
    return [match];
  const start = match.end + whole.length - place!.length;
  return [match, { start, end: start + place!.length, label: "LOCATION", score: 0.8 }];
}

/** Words for working, studying and being treated before the name of an organisation, by language. */
const AT = lazily(
  `(?<=(?<!\\p{L})(?:(?:[Ww]orks?|[Ww]orked|[Ww]orking|employed|[Jj]ob|[Ss]tudent|[Ss]tud(?:y|ying|ied|ies)|graduated|enrolled|volunteer(?:s|ed|ing)?|intern|appointment|admitted|treated|scan|surgery|shifts?|nurse|teacher|engineer|manager|driver|cashier) (?:at|for|by|with|from|to) (?:the )?|(?:account|loan|policy|claim|insured|mortgage) (?:with|at) |arbeit(?:e|et|en|ete) (?:bei|für)(?: der| dem)? |angestellt bei(?: der)? |(?:[Ww]erk|werkt|werken) (?:bij|voor) |chez |travaille (?:pour|à) |trabaj(?:o|a|é|ó|ando|aba) (?:en|para|con) (?:la |el )?|presso (?:la |il |l['’])?|lavor(?:o|a|avo) (?:per|da|in) |trabalh(?:o|a|ei|ou) (?:n[ao]|em|para a?) ?|hos |[Jj]obb(?:ar|er) (?:på|hos|åt|i) |ansat(?:t|te)? (?:hos|i|ved) |[Pp]rac(?:uję|uje|ował|owała|ować|y) (?:w|we|dla|u) |[Pp]rac(?:uju|uji|uje|oval|ovala) (?:v|ve|pro|pre|u) |[Rr]adi(?:m|o|la)?(?: sam)? (?:u|za|pri) |lucr(?:ez|ează|at) (?:la|pentru) |[Рр]аботал?[аюеи]?\\p{L}{0,2} (?:в|во|на|за) |[Пп]рацю(?:ю|є|вав|вала|вати) (?:в|у|на|для) |[Εε]ργάζ(?:ομαι|εται) στ[οην]{1,2} ))${NAME}${EDGE}`,
  "gu",
);
/** Finds organisations after words for working, studying and being treated. */
export const employers = (text: string): Match[] =>
  Array.from(text.matchAll(AT())).flatMap(({ 0: name, index }) => {
    const first = /[\p{L}\p{M}\p{N}'’-]+/u.exec(name)?.[0] ?? "";
    return isFree(first) && !NO_NAME.test(first) && !isGivenName(first.toLowerCase())
      ? [{ start: index, end: index + name.length, label: "ORGANIZATION", score: 0.9 }]
      : [];
  });

/** Returns a match without function words at its start. */
function withoutFirst(whole: string, index: number): Match {
  const before = /^(?:(?:\p{Lu}[\p{L}\p{M}-]+) )+(?=\p{Ll})/u.exec(whole)?.[0] ?? "";
  let skipped = 0;
  for (const word of before.split(" ").filter(Boolean)) {
    if (isFree(word) && !GENERAL.test(word)) break;
    skipped += word.length + 1;
  }
  return { start: index + skipped, end: index + whole.length, label: "ORGANIZATION" };
}

/** Returns a name with its kind or legal form, without the function words before it, if a word names something. */
function namedWhole(text: string, start: number, whole: string, isCompound: boolean): Match[] {
  const words = whole.split(" ");
  let skipped = 0;
  while (words.length > 1 && (GENERAL.test(words[0]!.replace(/[.,]$/, "")) || !isFree(words[0]!)))
    skipped += words.shift()!.length + 1;
  if (!isCompound && !words.slice(0, -1).some((word) => !GENERAL.test(word))) return [];
  return withPlace(text, { start: start + skipped, end: start + whole.length, label: "ORGANIZATION" });
}

/** Finds organisations by kinds after a name, by legal forms, and by names of which a part says what they are. */
export const kindsLast = [
  ...LATER.map((pattern) => (text: string): Match[] => {
    if (!/\p{Lu}/u.test(text)) return [];
    const found: Match[] = [];
    let last = 0;
    for (const { 0: kind, index } of text.matchAll(pattern())) {
      const name = BEFORE().exec(text.slice(Math.max(last, index - NAME_LENGTH), index))?.[0];
      if (name) found.push(...namedWhole(text, index - name.length, name + kind, false));
      last = index;
    }
    return found;
  }),
  ...[WITH_FORM, COMPOUND].map((pattern) => (text: string): Match[] => {
    if (!/\p{Lu}/u.test(text)) return [];
    return Array.from(text.matchAll(pattern())).flatMap(({ 0: whole, index }) =>
      // two capitals may be the end of a phrase in capitals
      / [A-Z]{2,3}$/.test(whole) && !/\p{Ll}/u.test(whole) ? [] : namedWhole(text, index, whole, pattern === COMPOUND),
    );
  }),
];
