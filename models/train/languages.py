"""Text in languages other than English: sentences without personal data, and words.

The sentences are the translations of Django, Wagtail and Oscar (BSD). The words are the words of the sentences and of Faker's lists (MIT),
and Faker makes names, places and addresses of each language. `python models/train/languages.py 20` prints twenty sentences."""

import gettext
import importlib
import random
import re
import sys
from functools import cache

import sources

FOLDER = sources.HERE.parent.parent / "target" / "translations"
HINT = "pip download --no-deps django wagtail django-oscar faker, and unzip the four into target/translations"
# Language → (locales of the translations, Faker's locales for names or None, share of the texts).
LANGUAGES = {
    "de": ("de", "de_DE de_AT de_CH", 3), "fr": ("fr", "fr_FR fr_CH", 3), "es": ("es es_AR es_MX", "es_ES es_MX es_AR", 3), "it": ("it", "it_IT", 3),
    "nl": ("nl", "nl_NL nl_BE", 3), "pt": ("pt pt_BR", "pt_PT pt_BR", 3), "pl": ("pl", "pl_PL", 3), "sv": ("sv", "sv_SE", 2), "da": ("da", "da_DK", 2),
    "nb": ("nb", "no_NO", 2), "fi": ("fi", "fi_FI", 2), "cs": ("cs", "cs_CZ", 2), "sk": ("sk sk_SK", "sk_SK", 1), "hu": ("hu", "hu_HU", 2), "ro": ("ro", "ro_RO", 2),
    "tr": ("tr tr_TR", "tr_TR", 2), "hr": ("hr hr_HR", "hr_HR", 1), "sl": ("sl sl_SI", "sl_SI", 1), "ca": ("ca", None, 1), "id": ("id id_ID", "id_ID", 1),
    "vi": ("vi", "vi_VN", 1), "lt": ("lt", "lt_LT", 1), "et": ("et", "et_EE", 1), "ru": ("ru", "ru_RU", 2), "uk": ("uk", "uk_UA", 1), "bg": ("bg", "bg_BG", 1),
    "el": ("el", "el_GR", 2), "ja": ("ja", "ja_JP", 2), "zh": ("zh_Hans zh_Hant", "zh_CN zh_TW", 2), "ko": ("ko", "ko_KR", 1), "ar": ("ar", "ar_SA", 1),
    "he": ("he he_IL", "he_IL", 1), "fa": ("fa", "fa_IR", 1),
}
OTHERS = "en_GB en_US en_IN en_NG en_KE en_IE hi_IN is_IS ga_IE".split()  # further names for English texts
WORDS = "de_DE fr_FR es_ES it_IT nl_NL pl_PL da_DK cs_CZ ru_RU uk_UA el_GR ja_JP zh_CN he_IL fa_IR vi_VN ar_AA".split()  # lists of words
LATIN = "de fr es it nl pt pl sv da nb fi cs sk hu ro tr hr sl id vi lt et".split()  # whose names occur in English texts
NO_SPACES = ("ja", "zh")
SYLLABLES = "ai bai bo chen cheng chun dan fang fei feng gang guo hai hao hong hua hui jia jian jing jun kai lan lei li lin ling mei min ming na ning peng ping qi qiang qing rong rui shan shu tao ting wei wen xia xiao xin xiu xue yan yang yi ying yong yu yuan yue yun ze zhen zhi".split()
SURNAMES = "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Liang Xie Song Tang Deng Feng Han Cao Zeng Peng Xiao Cai Pan Tian Dong Yuan Yu Ye Jiang Du Su Wei Cheng Lü Ding Shen Ren Yao Lu".split()
PREFIX = re.compile(r"^(?:клх|село|селище|місто|г\.|д\.|с\.|п\.|ст\.|к\.|thành phố|huyện|thị xã|quận)\s+", re.I)  # what Faker writes before some towns
HELD_OUT = 40  # sentences of each language, on which the recipe measures what is taken by mistake
NOT_PLAIN = re.compile(r"[%{}<>&@\n|=_\\/\d#*]|\.\w")


def messages(locales):
    """[(English, translation)] of all files of these locales."""
    sources.need(FOLDER, HINT)
    found = []
    for locale in locales.split():
        for path in sorted(FOLDER.glob(f"**/{locale}/LC_MESSAGES/*.mo")):
            with path.open("rb") as file:
                for key, text in gettext.GNUTranslations(file)._catalog.items():
                    english = key[0] if isinstance(key, tuple) else key
                    found.append((english.split("\x04")[-1], text))
    return found


def is_plain(language, english, text):
    """No markup, number or name. A word with a capital that is the same in English is a name."""
    if NOT_PLAIN.search(text) or not 12 <= len(text) <= 200 or text == english:
        return False
    if len(text.split()) < 3 and language not in NO_SPACES:
        return False
    capitals = lambda of: set(re.findall(r"[A-Z]\w+", of))
    return not capitals(english) & capitals(text)


@cache
def all_sentences(language):
    locales, _, _ = LANGUAGES[language]
    return list(dict.fromkeys(text.strip() for english, text in messages(locales) if is_plain(language, english, text)))


def sentences(language):
    return all_sentences(language)[HELD_OUT:]


def held_out():
    """[(text, [])]: sentences that are in no training text."""
    return [(text, []) for language in LANGUAGES for text in all_sentences(language)[:HELD_OUT]]


@cache
def words(language):
    """Words in lower case."""
    found = {word.lower() for sentence in sentences(language) for word in re.findall(r"[^\W\d_]{2,}", sentence)}
    for locale in WORDS:
        if not locale.startswith(language):
            continue
        file = sources.need(FOLDER / f"faker/providers/lorem/{locale}/__init__.py", HINT)
        found |= {word.lower() for word in re.findall(r'^\s+"([^"\W\d_]{2,})",$', file.read_text(encoding="utf-8"), flags=re.M)}
    return sorted(found)


def plain(rng, count):
    """[(text, [])]: one to three sentences of a language, or some of its words in any order; some in lower case."""
    names = list(LANGUAGES)
    shares = [LANGUAGES[name][2] for name in names]
    found = []
    for language in rng.choices(names, shares, k=count):
        between = "" if language in NO_SPACES else " "
        if rng.random() < 0.3:
            text = between.join(rng.choices(words(language), k=rng.randint(3, 12)))
            text = text[0].upper() + text[1:] + rng.choice([".", "", "?"])
        else:
            text = between.join(rng.choices(sentences(language), k=rng.choice([1, 1, 2, 2, 3])))
        found.append((text.lower() if rng.random() < 0.2 else text, []))
    return found


@cache
def faker(locale):
    sources.need(FOLDER / "faker", HINT)
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module("faker").Faker(locale)


@cache
def fakers(language, provider):
    """Faker's generators for a language, by its code or "en", whose lists of a provider are of that language: "person", "address", "company"."""
    locales = OTHERS if language == "en" else (LANGUAGES[language][1] or "").split()
    return [faker(locale) for locale in locales if (FOLDER / f"faker/providers/{provider}/{locale}").exists()]


PROVIDERS = {"given": "person", "family": "person", "person": "person", "city": "address", "address": "address", "organization": "company"}


class Local:
    """Names, places and addresses of a language, drawn from one random.Random."""

    def __init__(self, rng):
        self.rng = rng

    def draw(self, language, kind):
        """A value of a kind, or None where Faker knows none for the language. Kinds: given, family, person, city, organization, address."""
        if language == "en" and (kind not in ("given", "family", "person") or self.rng.random() < 0.3):
            return self.romanised(kind)
        known = fakers(language, PROVIDERS[kind])
        if not known:
            return None
        own = self.rng.choice(known)
        own.seed_instance(self.rng.getrandbits(32))
        between = "" if language in NO_SPACES or language == "ko" else " "
        forms = {
            "given": own.first_name, "family": own.last_name, "city": lambda: PREFIX.sub("", own.city()), "organization": own.company,
            "person": lambda: self.whole(own.first_name(), own.last_name(), between, language),
            "address": lambda: own.address().replace("\n", ", ") if language in NO_SPACES else f"{own.street_address()}, {own.postcode()} {own.city()}".replace("\n", ", "),
        }
        return forms[kind]()

    def whole(self, given, family, between, language):
        if language in ("ja", "zh", "ko", "hu", "vi"):
            return f"{family}{between}{given}"
        return self.rng.choices([f"{given}{between}{family}", f"{given[0]}. {family}", f"{family}, {given}"], [8, 1, 1])[0]

    def romanised(self, kind):
        """A Chinese or Japanese name in Latin letters."""
        if kind not in ("given", "family", "person"):
            return None
        if self.rng.random() < 0.4:
            own = faker("ja_JP")
            own.seed_instance(self.rng.getrandbits(32))
            given, family = own.first_romanized_name(), own.last_romanized_name()
        else:
            given = self.rng.choice(["", "-", ""]).join(self.rng.choices(SYLLABLES, k=self.rng.choice([1, 2, 2]))).capitalize()
            family = self.rng.choice(SURNAMES)
        return {"given": given, "family": family}.get(kind) or self.rng.choice([f"{given} {family}", f"{family} {given}"])


def named(rng, values, count):
    """[(text, spans)]: a sentence of a language with a name before, within or after it."""
    names = list(LANGUAGES)
    shares = [LANGUAGES[name][2] for name in names]
    found = []
    for language in rng.choices(names, shares, k=count):
        values.language = language
        name, label = rng.choices([values.slot_given, values.slot_person, values.slot_city, values.slot_organization], [3, 4, 3, 1])[0]()
        sentence = rng.choice(sentences(language))
        words = sentence.split()
        form = rng.random()
        if form < 0.55 and len(words) > 3:
            at = rng.randint(1, len(words) - 1)
            before, after = " ".join(words[:at]) + " ", " " + " ".join(words[at:])
        elif form < 0.7:
            before, after = "", rng.choice([", ", ": ", " "]) + sentence[0].lower() + sentence[1:]
        elif form < 0.85:
            before, after = sentence + rng.choice([" ", " ", "\n", " - "]), rng.choice(["", ".", ""])
        else:
            before, after = sentence.rstrip(".!?") + ", ", rng.choice(["?", "!", "."])
        name = name.removeprefix("the ")
        found.append((before + name + after, [(len(before), len(before) + len(name), label)]))
    values.language = None
    return found


if __name__ == "__main__":
    for text, _ in plain(random.Random(7), int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        print(text)
