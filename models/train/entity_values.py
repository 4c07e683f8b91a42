"""Values for the slots of text/entities/templates: names of many cultures, and numbers, dates, amounts and addresses in the forms of
many countries. Everything is drawn from one random.Random."""

import re
import string
import unicodedata

import entity_cases
import languages
import sources
from entity_private import Private
from entity_spoken import Spoken

FOLDER = sources.TEXT / "entities"
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
SHORT = [month[:3] for month in MONTHS]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
LANGUAGE_MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
    "lt": "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    "et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
}
WORD_NAMES = """Grace Hope Will Mark Rose Art Bill May June April Dawn Faith Jack Amber Summer Chase Frank Rich Sunny Ivy Joy Pat Sue Rob Drew Violet
Daisy Lily Holly Olive Ruby Pearl Jasmine Heather Hunter Miles Grant Clay Dean Gene Guy Bob Rusty Sandy Robin Jay Wren Reed Brook Cliff Glen Max""".split()
ONES = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
twenty-one twenty-two twenty-five thirty thirty-six forty forty-eight fifty sixty seventy-five eighty ninety ninety-nine""".split()
HOSTS = "db web api cache worker queue node mail proxy auth build gateway search store edge cron batch index replica pool".split()
FOLDERS = "var log app src users home tmp lib data orders items config server client index main utils cache session report export backup images static v1 v2 search login health".split()
PRODUCTS = "iPhone Galaxy Kindle Windows Android Office Excel Photoshop PlayStation Xbox Civic Golf Corolla Fiesta Thermomix ThinkPad MacBook Surface Chrome Firefox Linux Ubuntu Python Java Rust Docker Kubernetes Bluetooth Lego Monopoly Aspirin Nutella".split()
CURRENCIES = """dollars euros pounds yen rupees francs pesos kroner kronor zloty lira dirhams naira shillings rand yuan won baht reais dinars
crowns forints roubles cents pence bucks quid""".split()
# What the people of a language write after an amount, or before it with "…".
LOCAL_CURRENCIES = {
    "de": "€|Euro|EUR|CHF …|Fr. …|Franken|Euronen", "fr": "€|euros|EUR|$|dollars|francs|balles", "es": "€|euros|$ …|pesos|MXN|pavos|$ … MXN", "it": "€|euro|EUR|€ …",
    "nl": "€ …|euro|EUR|€ …,-", "pt": "€|euros|R$ …|reais|R$…|contos", "pl": "zł|złotych|PLN|zł|tys. zł", "sv": "kr|kronor|SEK|:-|spänn", "da": "kr.|kr|kroner|DKK|kr. …",
    "nb": "kr|kroner|NOK|kr …|kr …,-", "fi": "€|euroa|EUR|e|euron", "cs": "Kč|korun|CZK|,- Kč|tisíc korun", "sk": "€|eur|EUR|euro", "hu": "Ft|forint|HUF|forintot|ezer forint|euró",
    "ro": "lei|RON|de lei|euro|leu", "hr": "€|eura|EUR|kuna", "sl": "€|EUR|evrov|eur", "lt": "€|Eur|eurų|EUR", "et": "€|eurot|EUR|eur", "tr": "TL|₺|lira|TRY|bin lira|₺…",
    "ru": "руб.|рублей|₽|тыс. рублей|р.|р", "uk": "грн|гривень|₴|UAH|тисяч гривень", "bg": "лв.|лева|лв|евро|BGN", "el": "€|ευρώ|EUR|€ …", "ca": "€|euros|EUR",
    "id": "Rp …|Rp…|rupiah|ribu rupiah|ribu|juta|juta rupiah|IDR …", "vi": "đồng|đ|VND|nghìn đồng|triệu đồng|triệu|k|VNĐ", "ja": "円|万円|¥…", "zh": "元|块|人民币|万元|¥…", "ko": "원|만원|₩…",
    "ar": "ريال|درهم|جنيه", "he": "ש\"ח|₪|שקל",
}
# Some ages in words.
LOCAL_AGES = {
    "de": "sieben|zwölf|achtzehn|vierundzwanzig|einunddreißig|dreiundvierzig|fünfzig|siebenundsechzig|achtzig", "fr": "sept|douze|dix-huit|vingt-quatre|trente et un|quarante-trois|cinquante|soixante-sept|quatre-vingts",
    "es": "siete|doce|dieciocho|veinticuatro|treinta y uno|cuarenta y tres|cincuenta|sesenta y siete|ochenta", "it": "sette|dodici|diciotto|ventiquattro|trentuno|quarantatré|cinquanta|sessantasette|ottanta",
    "nl": "zeven|twaalf|achttien|vierentwintig|eenendertig|drieënveertig|vijftig|zevenenzestig|tachtig", "pt": "sete|doze|dezoito|vinte e quatro|trinta e um|quarenta e três|cinquenta|sessenta e sete|oitenta",
    "pl": "siedem|dwanaście|osiemnaście|trzydzieści jeden|czterdzieści trzy|pięćdziesiąt|osiemdziesiąt", "sv": "sju|tolv|arton|tjugofyra|trettioett|fyrtiotre|femtio|sextiosju|åttio", "da": "syv|tolv|atten|fireogtyve|enogtredive|treogfyrre|halvtreds|firs",
    "nb": "sju|tolv|atten|tjuefire|trettién|førtitre|femti|sekstisju|åtti", "cs": "sedm|dvanáct|osmnáct|třicet jedna|čtyřicet tři|padesát|osmdesát", "hu": "hét|tizenkét|tizennyolc|huszonnégy|harmincegy|negyvenhárom|ötven|nyolcvan",
    "ro": "șapte|doisprezece|optsprezece|treizeci și unu|patruzeci și trei|cincizeci|optzeci", "tr": "yedi|on iki|on sekiz|yirmi dört|otuz bir|kırk üç|elli|seksen", "ru": "семь|двенадцать|восемнадцать|тридцать один|сорок три|пятьдесят|восемьдесят",
    "fi": "seitsemän|kaksitoista|kahdeksantoista|kolmekymmentäyksi|viisikymmentä", "hr": "sedam|dvanaest|osamnaest|trideset jednu|pedeset", "el": "επτά|δώδεκα|δεκαοκτώ|τριάντα ενός|πενήντα", "id": "tujuh|dua belas|delapan belas|tiga puluh|lima puluh",
}
CODES = "USD EUR GBP CHF JPY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF TRY AED SAR ZAR NGN KES GHS BRL MXN ARS CNY KRW SGD HKD THB".split()
SIGNS = ["$", "$", "€", "€", "£", "£", "¥", "₹", "₩", "₦", "US$", "C$", "A$", "R$", "CHF ", "Rs. ", "kr ", "R ", "KSh "]
DOMAINS = """mail post inbox letters web net box swift home office shop city cloud north river star green blue maple cedar fox atlas
orbit nova pixel quick happy mountain ocean valley""".split()
ENDINGS = "com com com org net co.uk de fr es it nl pl se no dk fi ch at be pt gr cz hu ro com.tr com.br com.au co.nz co.za co.in ng ke jp co.kr cn ru ua ca ie io dev app info me edu gov".split()
MAILBOXES = "info contact support sales office hello help admin team billing press jobs hr booking reservations orders service noreply".split()
SYLLABLES = "ba be bi bo ka ke ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to va ve vi za zo an en in on ar er or el al is us ana ino eva osh ell ind ant".split()
IBANS = {"DE": 22, "FR": 27, "GB": 22, "ES": 24, "IT": 27, "NL": 18, "BE": 16, "AT": 20, "CH": 21, "PL": 28, "PT": 25, "SE": 24, "NO": 15, "DK": 18, "IE": 22, "GR": 27, "TR": 26, "CZ": 24, "FI": 18}


def groups(name):
    """{group: [entry]} of a list whose lines are `group: entry, entry …`; lines without a group are under ""."""
    found = {}
    for line in sources.lines(FOLDER / f"{name}.txt"):
        match = re.match(r"(\w+): (.*)", line)
        group, entries = match.groups() if match else ("", line)
        separator = "|" if name == "streets" and group != "name" else ", "
        found.setdefault(group, []).extend(entry.strip() for entry in entries.split(separator))
    return found


def ascii_of(text):
    """Letters without accents, in lower case."""
    plain = unicodedata.normalize("NFD", text.lower().replace("ł", "l").replace("ø", "o").replace("ß", "ss").replace("ı", "i"))
    return "".join(letter for letter in plain if letter in string.ascii_lowercase)


class Values(Private, Spoken):
    """`value(slot)` → (text, label or None) for a slot of a template, as `{person}` or `{id:passport}`."""

    local_ages = LOCAL_AGES

    def __init__(self, rng):
        self.rng = rng
        self.given, self.family = groups("given")[""], groups("family")[""]
        self.places, self.organizations, self.streets = groups("places"), groups("organizations"), groups("streets")
        self.words = {group: entries for group, entries in groups("words").items()}
        self.ailments, self.blocks = groups("health"), [line.split(": ", 1)[1] for line in sources.lines(FOLDER / "addresses.txt")]
        self.local, self.language = languages.Local(rng), None
        self.is_spoken = False  # numbers in words, as in a transcript

    def latin(self, name):
        """A name's letters for a user name or an e-mail address."""
        return ascii_of(name)

    def of_language(self, kind):
        """A value as people of the text's language have it, or None: half of the values in other languages, some of those in English."""
        if not self.chance(0.6 if self.language else 0.25):
            return None
        latin = self.language is None and kind != "address" and self.chance(0.6)
        return self.local.draw(self.rng.choice(languages.LATIN) if latin else self.language or "en", kind)

    def value(self, slot):
        name, _, detail = slot.partition(":")
        if name == "address" and not detail and not self.language and not self.is_spoken and self.chance(0.5):
            return ", ".join(self.block()), "ADDRESS"
        made = (self.is_spoken and getattr(self, "spoken_id" if name in ("iban", "card") else f"spoken_{name}", None)) or getattr(self, f"slot_{name}", None)
        if made is None:
            if name not in self.words:
                raise sources.Failure(f"a template has the slot {{{slot}}}, and there is no such list")
            return self.rng.choice(self.words[name]), None
        return made(detail) if detail and name not in ("id", "date") or detail and not self.is_spoken else made()

    # --- small things

    def chance(self, share):
        return self.rng.random() < share

    def digits(self, count):
        return "".join(self.rng.choice(string.digits) for _ in range(count))

    def letters(self, count):
        return "".join(self.rng.choice(string.ascii_uppercase) for _ in range(count))

    def filled(self, pattern):
        """`#` becomes a digit, `1` a digit except 0, `@` a letter; other characters stay."""
        draw = {"#": lambda: self.digits(1), "1": lambda: self.rng.choice("123456789"), "@": lambda: self.letters(1)}
        return "".join(draw[sign]() if sign in draw else sign for sign in pattern)

    def invented(self):
        return "".join(self.rng.choice(SYLLABLES) for _ in range(self.rng.randint(2, 4))).capitalize()

    # --- people, places, organisations

    def given_name(self):
        return self.invented() if self.chance(0.06) else self.rng.choice(self.given)

    def family_name(self):
        return self.invented() if self.chance(0.08) else self.rng.choice(self.family)

    def slot_given(self):
        return self.of_language("given") or self.given_name(), "PERSON"

    def slot_family(self):
        return self.of_language("family") or self.family_name(), "PERSON"

    def slot_person(self):
        known = self.of_language("person")
        if known:
            return known, "PERSON"
        given, family = self.given_name(), self.family_name()
        form = self.rng.random()
        if form < 0.62:
            return f"{given} {family}", "PERSON"
        if form < 0.74:
            return given, "PERSON"
        if form < 0.80:
            return f"{given} {self.rng.choice(string.ascii_uppercase)}. {family}", "PERSON"
        if form < 0.85:
            return f"{given[0]}. {family}", "PERSON"
        if form < 0.90:
            return f"{given} {self.given_name()} {family}", "PERSON"
        if form < 0.94:
            return self.rare_name(given, family), "PERSON"
        return (f"{family}, {given}" if form < 0.97 else f"{family} {given}"), "PERSON"

    def rare_name(self, given, family):
        """A name with a particle, a nickname, several family names, or initials only."""
        rng, other = self.rng, self.family_name()
        initials = ". ".join(self.letters(rng.choice([1, 2]))) + "."
        particle = rng.choice("van|van der|van den|von|de|de la|del|dos|da|di|le|el|al|bin|ben|ibn|Mac|St.|O'|d'|ter|zu".split("|"))
        return rng.choice([
            f"{given} {family}-{other}", f"{given} {family}-{other}", f"{given} {family} {other}", f"{given} {particle}{'' if particle[-1] in chr(39) else ' '}{family}", f"{initials} {family}", f"{given} {family} Jr.",
            f"{given} {family} III", f'{given} "{rng.choice(self.given)}" {family}', f"{given} '{rng.choice(self.given)}' {family}", f"{family} {given[0]}.", f"{given} {family[0]}.", f"{given}-{self.given_name()} {family}",
            f"{given} {self.letters(1)} {family}", f"{family.upper()} {given}", f"{family}, {given} {self.letters(1)}."])

    def in_case(self, value):
        """A (name, label) whose name is in a case that the text's language has beside the nominative."""
        name, label = value
        return entity_cases.in_case(self.rng, self.language, name), label

    def slot_given_case(self):
        return self.in_case(self.slot_given())

    def slot_family_case(self):
        return self.in_case(self.slot_family())

    def slot_person_case(self):
        return self.in_case(self.slot_person())

    def slot_city_case(self):
        return self.in_case(self.slot_city())

    def slot_wordname(self):
        """A given name that is a word, too."""
        return self.rng.choice(WORD_NAMES), "PERSON"

    def slot_title(self):
        return self.rng.choice(["Mr", "Mrs", "Ms", "Miss", "Dr", "Mr.", "Mrs.", "Dr.", "Prof.", "Professor", "Sir", "Judge", "Captain", "Sister",
                                "Father", "Uncle", "Aunt", "Aunty", "Coach", "Nurse", "Herr", "Frau", "Madame", "Señora", "Officer"]), None

    def place_of(self, group):
        """An article before it stays: see `Generator.filled`."""
        return self.rng.choice(self.places[group])

    def slot_city(self):
        known = self.of_language("city")
        if known:
            return known, "LOCATION"
        if self.chance(0.05):
            return self.invented() + self.rng.choice(["", "", "ville", "burg", "ton", "ford", "grad", "dorf", "pur", "abad"]), "LOCATION"
        return self.rng.choice(self.places["city"]), "LOCATION"

    def slot_country(self):
        return self.place_of("country"), "LOCATION"

    def slot_region(self):
        return self.place_of("region"), "LOCATION"

    def slot_nature(self):
        if self.chance(0.25):
            name = self.rng.choice([self.family_name(), self.rng.choice(self.streets["name"]), self.invented()])
            return self.rng.choice(["Lake {}", "{} Lake", "the River {}", "Mount {}", "{} Valley", "{} Bay", "{} Island", "the {} Islands", "{} Beach", "{} Forest", "{} Moor", "Cape {}", "{} Creek",
                                    "{} Falls"]).format(name), "LOCATION"
        return self.place_of("nature"), "LOCATION"

    def slot_sight(self):
        if self.chance(0.2):
            kind = self.rng.choice(["Street", "Road", "Lane", "Square", "Bridge", "Station", "Park", "Market", "Hill", "Gardens", "Airport", "Beach"])
            return f"{self.rng.choice(self.streets['name'] + self.places['city'])} {kind}", "LOCATION"
        return self.place_of("sight"), "LOCATION"

    def slot_road(self):
        """A street without a number."""
        name = self.rng.choice([self.rng.choice(self.streets["name"]), self.family_name(), self.rng.choice(self.places["city"])])
        return self.rng.choice(["{} Street", "{} Street", "{} Road", "{} Road", "{} Lane", "{} Avenue", "{} Square", "{} Drive", "{} Close", "{}straße", "{}platz", "Rue {}", "Calle {}", "Via {}", "{}straat",
                                "{}gatan", "Avenida {}", "ul. {}", "the {} Bridge", "{} Roundabout"]).format(name), "LOCATION"

    def slot_place(self):
        return self.rng.choice([self.slot_city, self.slot_city, self.slot_city, self.slot_country, self.slot_region])()

    def slot_organization(self):
        known = self.of_language("organization") if self.language else None
        if known:
            return known, "ORGANIZATION"
        made = self.rng.random()
        kinds = self.organizations
        if made < 0.3:
            return self.rng.choice(kinds["known"]), "ORGANIZATION"
        if made < 0.52:
            return self.slot_institution()
        if made < 0.6:
            return self.slot_eatery()
        if made < 0.76:
            return self.inner(self.rng.choice(kinds["local"])), "ORGANIZATION"
        return self.slot_company()

    def slot_institution(self):
        name = self.inner(self.rng.choice(self.organizations["institution"]))
        has_article = re.match(r"(University|Bank|Port|Embassy|Ministry|Department|Institute|Royal|National|Federal|Environment|Tax|Land) ", name)
        return ("the " + name if has_article and self.chance(0.7) else name), "ORGANIZATION"

    def slot_eatery(self):
        return self.inner(self.rng.choice(self.organizations["eatery"])), "ORGANIZATION"

    def slot_company(self):
        """Half of them are made from a name or words, a trade and a legal form."""
        kinds = self.organizations
        draw = lambda group: self.rng.choice(kinds[group])
        head = self.rng.choice([self.family_name, self.invented, lambda: draw("word"), lambda: draw("word") + draw("word").lower(),
                                lambda: f"{draw('word')} {draw('word')}", lambda: f"{self.family_name()} & {self.family_name()}",
                                lambda: self.rng.choice(self.places["city"]), lambda: self.letters(3)])()
        tail = self.rng.random()
        if tail < 0.45:
            return f"{head} {draw('trade')}", "ORGANIZATION"
        if tail < 0.7:
            return f"{head} {draw('kind')}", "ORGANIZATION"
        if tail < 0.9:
            return f"{head} {draw('trade')} {draw('kind')}", "ORGANIZATION"
        return self.invented() + self.rng.choice(["", "", "tech", "soft", "corp", "ify", "ly"]), "ORGANIZATION"

    def inner(self, pattern):
        """A pattern that contains names as parts of the entity."""
        names = {"city": lambda: self.rng.choice(self.places["city"]), "country": lambda: self.rng.choice(self.places["country"]).removeprefix("the "),
                 "given": self.given_name, "family": self.family_name, "animal": lambda: self.rng.choice(self.words["animal"]).capitalize(),
                 "trade": lambda: self.rng.choice(self.organizations["trade"]), "word": lambda: self.rng.choice(self.organizations["word"])}
        return re.sub(r"\{(\w+)\}", lambda match: names[match[1]](), pattern)

    # --- dates

    def slot_date(self, language=""):
        rng = self.rng
        language = language or self.language
        if language in LANGUAGE_MONTHS:
            return self.foreign_date(language), "DATE"
        day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(1930, 2035)
        name, short = MONTHS[month], SHORT[month] + rng.choice(["", "", "."])
        ordinal = f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
        two = f"{day:02}/{month + 1:02}"
        forms = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{day} {name}", f"{name} {day}", f"{ordinal} of {name}", f"{name} {ordinal}",
                 f"{ordinal} {name} {year}", f"{ordinal} of {name}, {year}", f"{name} {year}", f"{name} of {year}", f"{name}", f"{year}", f"{day}. {name} {year}",
                 f"{two}/{year}", f"{two}/{year % 100:02}", f"{month + 1}/{day}/{year}", f"{day:02}.{month + 1:02}.{year}", f"{day}.{month + 1}.{year}",
                 f"{day}.{month + 1}.", f"{year}-{month + 1:02}-{day:02}", f"{year}/{month + 1:02}/{day:02}", f"{day}-{SHORT[month]}-{year}", f"{day} {short}",
                 f"{short} {day}", f"{day} {short} {year}", f"{month + 1:02}/{year}", f"{rng.choice(DAYS)}, {day} {name}", f"{rng.choice(DAYS)} {day} {name} {year}",
                 f"{rng.choice(DAYS)}, {name} {day}", f"{rng.choice(DAYS)} {ordinal} {name}", f"{rng.choice(['spring', 'summer', 'autumn', 'winter', 'Easter', 'Christmas'])} {year}",
                 f"{day:02}-{month + 1:02}-{year}", f"{two}", f"{short} {year}", f"{year}", f"{name} {ordinal}, {year}", f"{ordinal} {SHORT[month]} {year}", f"{day}.{month + 1}.{year % 100:02}",
                 f"{SHORT[month]} '{year % 100:02}", f"{year}{month + 1:02}{day:02}", f"{day} {SHORT[month]} {year % 100:02}", f"{day:02}-{SHORT[month].upper()}-{year}", f"{SHORT[month]}. {day}, {year}",
                 f"{day}/{month + 1}/{year % 100:02}"]
        date = rng.choice(forms)
        return ("the " + date if date.startswith(ordinal) and self.chance(0.6) else date), "DATE"

    def foreign_date(self, language):
        rng = self.rng
        day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(1930, 2035)
        name = LANGUAGE_MONTHS[language].split()[month]
        joint = " de " if language in ("es", "pt", "ca") else ". " if language == "de" else " "
        before = joint if language in ("es", "pt", "ca") else " "
        if language == "hu":
            return rng.choice([f"{year}. {name} {day}.", f"{name} {day}.", f"{year}.{month + 1:02}.{day:02}."])
        if language in ("da", "nb", "fi", "cs", "sk", "hr", "sl", "et"):
            joint = ". "
        return rng.choice([f"{day}{joint}{name}{before}{year}", f"{day}{joint}{name}", f"{name}{before}{year}", f"{day:02}.{month + 1:02}.{year}",
                           f"{day}/{month + 1}/{year}", f"{day:02}-{month + 1:02}-{year}"])

    def slot_word(self, language=""):
        return self.rng.choice(languages.words(language or self.language)), None

    # --- what programs write

    def slot_day(self):
        """The date of a line of a log, which says nothing about a person."""
        rng = self.rng
        day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(2012, 2031)
        return rng.choice([f"{year}-{month + 1:02}-{day:02}"] * 3 + [f"{year}/{month + 1:02}/{day:02}", f"{day:02}/{SHORT[month]}/{year}", f"{SHORT[month]} {day:02}", f"{day:02}.{month + 1:02}.{year}",
                                                                     f"{year}{month + 1:02}{day:02}", f"[{year}-{month + 1:02}-{day:02}"]), None

    def slot_stamp(self):
        return f"{self.rng.randint(0, 23):02}:{self.filled('1#')[:1]}{self.digits(1)}:{self.digits(2)}{self.rng.choice(['Z', '', '.' + self.digits(3) + 'Z', '+02:00'])}", None

    def slot_host(self):
        rng = self.rng
        return rng.choice([f"{rng.choice(HOSTS)}-{rng.randint(1, 40):02}", f"{rng.choice(HOSTS)}{rng.randint(1, 9)}", f"{rng.choice(HOSTS)}-{rng.choice(['prod', 'test', 'eu', 'us'])}-{rng.randint(1, 9)}",
                           f"{rng.choice(HOSTS)}.internal"]), None

    def slot_path(self):
        rng = self.rng
        parts = rng.choices(FOLDERS, k=rng.randint(1, 4))
        return rng.choice(["/", "/", "./", "C:\\", "~/"]) + "/".join(parts) + rng.choice(["", "", ".log", ".py", ".json", ".conf", ".txt", ".ts"]), None

    def slot_call(self):
        rng = self.rng
        return rng.choice([f"{rng.choice('GET POST PUT DELETE PATCH'.split())} /{'/'.join(rng.choices(FOLDERS, k=2))} {rng.choice([200, 201, 301, 404, 500, 503])}",
                           f"{rng.choice(FOLDERS)}.{rng.choice(FOLDERS)}()", f"{rng.choice(HOSTS)}={rng.choice(['true', 'false', 'null', str(rng.randint(0, 9999))])}",
                           f"0x{self.digits(4)}00{self.digits(2)}", f"{rng.choice('E W ERR TS CS NU'.split())}{self.digits(4)}", f"took {rng.randint(1, 9000)}ms", f"pid {rng.randint(100, 40000)}",
                           f"[{rng.choice(HOSTS)}:{rng.randint(1, 900)}]"]), None

    def slot_product(self):
        rng = self.rng
        return f"{rng.choice(PRODUCTS)}{rng.choice(['', f' {rng.randint(2, 15)}', f' {rng.randint(100, 900)}', ' Pro', ' Plus', ' Mini', f' X{rng.randint(1, 9)}'])}", None

    def slot_month(self):
        """A month alone."""
        known = entity_cases.MONTHS.get(self.language) or LANGUAGE_MONTHS.get(self.language)
        return self.rng.choice(known.split() if known else MONTHS), "DATE"

    def slot_year(self):
        return str(self.rng.randint(1850, 2040)), "DATE"

    def slot_birthday(self):
        while True:
            date, label = self.slot_date()
            if re.search(r"\d{2}$|\d{4}", date) and re.search(r"\d.*\D.*\d|\w \d{1,2}, ", date):
                return date, label

    # --- what one is reached by

    def slot_email(self):
        rng = self.rng
        given, family = ascii_of(self.given_name()) or "a", ascii_of(self.family_name()) or "b"
        number = rng.choice(["", "", "", str(rng.randint(1, 99)), str(rng.randint(1950, 2012))])
        local = rng.choice([f"{given}.{family}", f"{given}{family}", f"{given[0]}.{family}", f"{given[0]}{family}", f"{family}.{given}", given, f"{given}_{family}",
                            f"{family}{given[0]}", f"{given}-{family}", f"{rng.choice(self.words['adjective'])}.{rng.choice(self.words['animal'])}".replace(" ", ""),
                            f"the{rng.choice(self.words['job'])}".replace(" ", ""), rng.choice(MAILBOXES), f"{given}+{rng.choice(MAILBOXES)}"]) + number
        word = rng.choice(DOMAINS)
        company = ascii_of(self.slot_company()[0])[:18] or word
        domain = rng.choice([f"{word}{rng.choice(DOMAINS)}", company, f"{word}-{rng.choice(DOMAINS)}", f"{family}", "example", f"mail.{company}", "gmail", "yahoo", "outlook", "hotmail", "gmx", "proton"])
        address = f"{local}@{domain}.{rng.choice(ENDINGS)}"
        return (address.upper() if self.chance(0.03) else address), "EMAIL"

    def slot_phone(self):
        patterns = self.words["phone"]
        number = self.filled(self.rng.choice(patterns))
        if self.chance(0.05):
            number += self.rng.choice([" ext. ", " x", ", ext. ", " extension "]) + self.filled("1#" if self.chance(0.5) else "1##")
        return number, "PHONE"

    def slot_address(self, form=""):
        rng = self.rng
        known = self.of_language("address") if self.language and not form else None
        if known:
            return known, "ADDRESS"
        country = rng.choice([group for group in self.streets if group != "name"] + ["en"] * 8)
        small = lambda: str(rng.randint(1, 30))
        fields = {"n": lambda: str(rng.choice([rng.randint(1, 40), rng.randint(1, 299), rng.randint(1, 12000)])) + (rng.choice("abcABC") if self.chance(0.06) else ""),
                  "k": small, "b": lambda: self.filled("1#" if self.chance(0.3) else "1###"), "c": lambda: rng.choice("abcd"), "C": lambda: rng.choice("ABCD"),
                  "name": lambda: rng.choice(self.streets["name"] + [self.family_name()])}
        line = re.sub(r"\{(\w+)\}", lambda match: fields[match[1]](), rng.choice(self.streets[country]))
        if form == "street" or self.chance(0.3):
            return line, "ADDRESS"
        city, code = rng.choice(self.places["city"]), self.postcode(country)
        tail = rng.choice([f"{city} {code}", f"{city}, {code}"] if country in ("en", "in", "af") else [f"{code} {city}", f"{code} {city}", f"{city} {code}"])
        if self.chance(0.25):
            tail = city
        elif self.chance(0.15):
            tail += f", {self.place_of('country')}"
        return f"{line}, {tail}", "ADDRESS"

    def block(self):
        """The lines of a whole address of some country."""
        rng = self.rng
        fields = {"n": lambda: str(rng.choice([rng.randint(1, 60), rng.randint(1, 400), rng.randint(100, 9999)])), "k": lambda: str(rng.randint(1, 28)),
                  "b": lambda: str(rng.randint(10, 99999)), "c": lambda: rng.choice("abcd"), "C": lambda: rng.choice("ABCD"),
                  "name": lambda: rng.choice([rng.choice(self.streets["name"]), rng.choice(self.streets["name"]), self.family_name(), self.given_name()]),
                  "city": lambda: self.slot_city()[0], "town": lambda: rng.choice([self.slot_city()[0], rng.choice(self.streets["name"]) + rng.choice(["ton", "ham", " Park", "field", " Hill"])]),
                  "county": lambda: self.place_of("region").removeprefix("the "), "state": lambda: self.place_of("region").removeprefix("the "),
                  "street": lambda: rng.choice("Street Road Lane Close Avenue Drive Gardens Terrace Crescent Way Grove Mews Row Rise View Walk Rd St Ave".split()),
                  "avenue": lambda: rng.choice("Street Avenue Drive Road Lane Boulevard Court Circle Way Place St Ave Dr Rd Blvd Ln Ct Pkwy Trail St. Ave.".split()),
                  "house": lambda: rng.choice("Rectory Mill Barn Forge Vicarage School Bakery".split()), "compass": lambda: rng.choice("N S E W NW SE North West".split()),
                  "st": lambda: rng.choice("AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MO MT NE NV NH NJ NM NY NC OH OK OR PA SC TN TX UT VT VA WA WI".split()),
                  "ordinal": lambda: rng.choice(["1st", "2nd", "3rd", "5th", "12th", "42nd", "Fifth", "Third", "23rd"])}
        patterns = re.sub(r"\{(\w+)\}", lambda match: fields[match[1]]().replace("1", "\x01").replace("#", "\x02").replace("@", "\x03"), rng.choice(self.blocks))
        return re.sub("[@#1]", lambda match: self.filled(match[0]), patterns).replace("\x01", "1").replace("\x02", "#").replace("\x03", "@").split(" / ")

    def slot_lines(self):
        """A whole address on several lines."""
        return "\n".join(self.block()), "ADDRESS"

    def postcode(self, country):
        forms = {"en": ["@1 1@@", "@@1 1@@", "@@1# 1@@", "@1# 1@@", "1####", "@@ 1####", "1####-####", "####", "@1@ 1@1"], "nl": ["1### @@"], "pl": ["1#-###", "1####", "1## ##", "1###"],
                 "pt": ["1###-###", "#####-###"], "north": ["1## ##", "1###", "FI-####1"], "in": ["1#####", "1## ###"], "jp": ["1##-####", "1####", "1#####"], "af": ["1###", "1#####", "00###"],
                 "de": ["1####", "D-1####", "CH-1###", "1###"]}
        return self.filled(self.rng.choice(forms.get(country, ["1####"])))

    def slot_postcode(self):
        return self.postcode(self.rng.choice(["en", "en", "nl", "de", "pl", "in"])), "ADDRESS"

    # --- amounts and numbers

    def local_money(self):
        """An amount as people of the text's language write it."""
        rng = self.rng
        size = rng.choice([rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 99999), rng.randint(1, 90) * 100])
        groups = rng.choice([".", ".", " ", "", ","])
        amount = f"{size:,}".replace(",", groups) + rng.choice(["", "", f",{self.digits(2)}", f".{self.digits(2)}" if groups != "." else ""])
        currency = rng.choice(LOCAL_CURRENCIES[self.language].split("|"))
        if "…" in currency:
            return currency.replace("…", amount)
        return amount + ("" if currency in ("k", "đ", "₺", ":-", "e", "р", ",- Kč", "円", "万円", "元", "块", "원", "만원") or self.chance(0.1) else " ") + currency

    def slot_money(self):
        rng = self.rng
        if self.language in LOCAL_CURRENCIES and self.chance(0.65):
            return self.local_money(), "MONEY"
        size = rng.choice([rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 99999), rng.randint(1, 20) * 1000, rng.randint(100000, 9999999)])
        plain = rng.choice([str(size), f"{size:,}", f"{size:,}.{self.digits(2)}", f"{size}.{self.digits(2)}", f"{size:,}".replace(",", "."), f"{size},{self.digits(2)}",
                            f"{size:,}".replace(",", ".") + f",{self.digits(2)}", f"{size:,}".replace(",", " ")])
        large = f"{rng.randint(1, 90)}{rng.choice(['', f'.{rng.randint(1, 9)}'])}"
        scale = rng.choice(["million", "billion", "thousand", "m", "bn", "k"])
        word, code, sign = rng.choice(CURRENCIES), rng.choice(CODES), rng.choice(SIGNS)
        spelled = f"{rng.choice(ONES + ['a hundred', 'a thousand', 'two hundred', 'five hundred', 'twenty-five', 'ten thousand', 'a million', 'half a million'])} {word}"
        nation = rng.choice(["US", "Canadian", "Swiss", "Hong Kong", "Australian", "Danish", "British", "Indian", "Kenyan", "Mexican"])
        forms = [f"{sign}{plain}", f"{sign}{plain}", f"{sign}{plain}", f"{plain} {word}", f"{plain} {word}", f"{code} {plain}", f"{plain} {code}", f"{plain} €", f"{plain}€", spelled,
                 spelled, f"{sign}{large} {scale}", f"{sign}{large}{scale}", f"{large} {scale} {word}", f"{plain} {nation} {rng.choice(['dollars', 'francs', 'rupees', 'pesos', 'crowns'])}",
                 f"{plain} kr", f"{plain} zł", f"{plain} Kč", f"{rng.randint(1, 99)}p", f"{rng.randint(1, 99)} pounds {rng.randint(10, 99)}", f"{code}{plain}"]
        forms += [f"{rng.randint(1, 90)}k {word}", f"{sign}{rng.randint(1, 900)}k", f"{rng.randint(2, 90)} grand", rng.choice(["a fiver", "a tenner", "a grand", "fifty quid", "two bucks"]),
                  f"{large} {rng.choice(['lakh', 'crore', 'mio.', 'Mio'])} {rng.choice(['rupees', 'INR', 'EUR', 'Euro'])}", f"{plain} {sign.strip()}"]
        return rng.choice(forms), "MONEY"

    def slot_card(self):
        number = self.luhn(self.rng.choice([("4", 16), ("4", 16), ("5" + self.rng.choice("12345"), 16), ("37", 15), ("34", 15), ("6011", 16), ("35" + self.rng.choice("345678"), 16), ("36", 14), ("6759", 16), ("62", 16)]))
        size = len(number)
        if self.chance(0.25):
            return number, "ID"
        cuts = [4, 10] if size == 15 else [4, 10] if size == 14 else [4, 8, 12]
        parts = [number[a:b] for a, b in zip([0, *cuts], [*cuts, size])]
        return self.rng.choice([" ", " ", " ", "-", "."]).join(parts), "ID"

    def luhn(self, kind):
        head, size = kind
        body = head + self.digits(size - len(head) - 1)
        total = sum(sum(divmod(int(digit) * (2 if n % 2 == 0 else 1), 10)) for n, digit in enumerate(reversed(body)))
        return body + str(-total % 10)

    def slot_iban(self):
        country = self.rng.choice(list(IBANS))
        account = (self.letters(4) if country in ("GB", "NL", "IE") else "") + self.digits(30)
        body = account[:IBANS[country] - 4]
        check = 98 - int("".join(str(int(sign, 36)) for sign in body + country + "00")) % 97
        code = f"{country}{check:02}{body}"
        return (code if self.chance(0.4) else " ".join(code[i:i + 4] for i in range(0, len(code), 4))), "ID"

    def slot_id(self, kind=""):
        patterns = self.words.get(f"id_{kind}") if kind else self.words["id"] + self.words[self.rng.choice([name for name in self.words if name.startswith("id_")])]
        if not patterns:
            raise sources.Failure(f"a template has the slot {{id:{kind}}}, and text/entities/words.txt no line id_{kind}")
        return self.filled(self.rng.choice(patterns)), "ID"

    # --- numbers that are nobody's

    def slot_model(self):
        """The name of a model, part, flight, road or form."""
        rng = self.rng
        return rng.choice([f"{self.letters(2)}-{rng.randint(100, 9900)}", f"{self.letters(1)}{rng.randint(1, 99)}", f"{rng.choice(['BA', 'LH', 'AF', 'KL', 'EK', 'UA', 'FR'])} {rng.randint(10, 4999)}",
                           f"{rng.randint(10, 99)}-{rng.randint(1000, 9999)}", f"{self.letters(1)}{rng.randint(1, 9)}.{rng.randint(1, 40):02}", f"M{rng.randint(1, 90)}", f"{self.letters(2)}{rng.randint(10, 999)}{rng.choice('XSE')}",
                           f"Mk {rng.randint(2, 9)}", f"{rng.randint(1, 60)}{self.letters(1)}", f"0x{self.digits(4)}", f"form {rng.randint(10, 1099)}{rng.choice(['', 'A', '-EZ'])}"]), None

    def slot_promo(self):
        return self.rng.choice(["SAVE", "SUMMER", "WELCOME", "SPRING", "FREESHIP", "VIP", "HELLO", "BLACKFRIDAY"]) + self.rng.choice(["", "10", "15", "20", "25", "50"]), None

    def slot_hash(self):
        return "".join(self.rng.choice("0123456789abcdef") for _ in range(self.rng.choice([7, 7, 8]))), None

    def slot_ailment(self):
        """An illness of nobody in particular."""
        return re.sub("^an? ", "", self.rng.choice(self.ailments["condition"])), None

    def slot_drug(self):
        return self.rng.choice(self.ailments["medicine"]), None

    def slot_number(self):
        return self.rng.choice([str(self.rng.randint(2, 30)), str(self.rng.randint(2, 999)), f"{self.rng.randint(1000, 99999):,}", self.rng.choice(ONES)]), None

    def slot_small(self):
        return self.rng.choice([str(self.rng.randint(2, 20)), self.rng.choice(ONES[:12])]), None

    def slot_time(self):
        hour, minute = self.rng.randint(0, 23), self.rng.choice(["00", "15", "30", "45", self.filled("1#")[:1] + "0", "05"])
        return self.rng.choice([f"{hour}:{minute}", f"{hour:02}:{minute}", f"{hour % 12 + 1} o'clock", f"{hour % 12 + 1} am", f"{hour % 12 + 1}pm", f"{hour % 12 + 1}.{minute} pm", "noon", "midnight",
                                f"half past {self.rng.choice(ONES[:12])}", f"quarter to {self.rng.choice(ONES[:12])}", f"{hour:02}:{minute}:{self.digits(2)}"]), None

    def slot_weekday(self):
        return self.rng.choice(DAYS), None

    def slot_version(self):
        draw = lambda top: str(self.rng.randint(0, top))
        return self.rng.choice([f"{draw(12)}.{draw(20)}", f"{draw(5)}.{draw(30)}.{draw(40)}", f"v{draw(9)}.{draw(9)}", f"{draw(9)}.{draw(9)}.{draw(9)}-beta", f"{draw(20)}.{draw(9)}"]), None

    def slot_score(self):
        draw = lambda top: str(self.rng.randint(0, top))
        return self.rng.choice([f"{draw(6)}-{draw(6)}", f"{draw(5)} to {draw(5)}", f"{draw(120)}-{draw(120)}", f"{draw(7)}-{draw(6)}, {draw(7)}-{draw(6)}", f"{draw(4)}:{draw(4)}", f"{draw(300)} for {draw(9)}"]), None

    def slot_percent(self):
        return self.rng.choice([f"{self.rng.randint(1, 100)} %", f"{self.rng.randint(1, 100)}%", f"{self.rng.randint(1, 99)}.{self.digits(1)} percent", f"{self.rng.choice(ONES)} per cent"]), None

    def slot_measure(self):
        unit = self.rng.choice("kg g km m cm mm ml litres miles feet inches pounds ounces degrees hours minutes seconds days weeks months years metres kilos tonnes watts volts GB MB MHz pages kilometres calories mg".split())
        return f"{self.rng.choice([str(self.rng.randint(2, 900)), f'{self.rng.randint(0, 40)}.{self.digits(1)}', self.rng.choice(ONES)])} {unit}", None
