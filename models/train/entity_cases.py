"""Names and months in the cases of other languages, roughly: in "do Agnieszki" the name of a template is not in its dictionary form."""

import re

# Language → [(ending, endings of other cases)], the first that fits a word counts.
ENDINGS = {
    "pl": [("[sc]ki", "iego iemu im"), ("[sc]ka", "iej ą"), ("ka", "i ę ą"), ("ga", "i ę ą"), ("[ij]a", "i ę ą"), ("a", "y ę ie ą"), ("ek", "ka kowi kiem"),
           ("iec", "ca cowi cem"), ("ów", "owa owie owem"), ("[eoy]", ""), ("", "a owi em u ie")],
    "cs": [("ová", "é ou"), ("á", "é ou"), ("ý", "ého ému ým"), ("í", "ího ímu"), ("ka", "y u ou"), ("a", "y u ou ovi"), ("ek", "ka kovi kem"), ("ec", "ce ci cem"),
           ("o", "a u"), ("e", "i í"), ("", "a ovi em u e")],
    "sk": [("ová", "ej ú ou"), ("á", "ej ú ou"), ("ý", "ého ému ým"), ("a", "y u ou e ovi"), ("ek", "ka kovi kom"), ("ec", "ca covi com"), ("o", "a u"), ("e", "i"), ("", "a ovi om u e")],
    "hr": [("a", "e i u om"), ("ac", "ca cu cem"), ("[oe]", "a u"), ("i", ""), ("", "a u om em")],
    "sl": [("a", "e i o"), ("ec", "ca cu cem"), ("[oe]", "a u"), ("i", ""), ("", "a u om")],
    "ru": [("ская", "ой ую"), ("(?:ов|ев|ин)а", "ой у"), ("[иы]й", "ого ому им"), ("а", "ы е у ой"), ("я", "и е ю ей"), ("ь", "я ю и"), ("й", "я ю ем"), ("[оеиую]", ""), ("", "а у ом е")],
    "uk": [("ська", "ої у"), ("ий", "ого ому им"), ("а", "и і у ою"), ("я", "і ю ею"), ("о", "а у ові"), ("ь", "я ю і"), ("й", "я ю єм"), ("[еиую]", ""), ("", "а у ові ом і")],
    "lt": [("as", "o ą ui e"), ("[iy]s", "io į iui yje"), ("us", "aus ų ui uje"), ("a", "os ą ai oje"), ("ė", "ės ę ei ėje"), ("", "")],
    "el": [("ος", "ου ο"), ("ης", "η"), ("ας", "α"), ("[αά]", "ας άς"), ("η", "ης"), ("", "")],
    "ro": [("a", "ei"), ("", "")],
    "hu": [("", "nak nek t val vel hoz hez tól től ra re ban ben ból ből ék ról ről")],
    "fi": [("nen", "sen selle sella sta"), ("", "n lle lta ssa sta lla a kin")],
    "et": [("", "le lt ga s st ni")],
}
KEPT = {"pl": "[sc]k|k|g|i|j", "cs": "ov|k", "sk": "ov", "ru": "ск|ов|ев|ин", "uk": "ськ"}  # what of an ending stays before another

# The month alone, as it stands after a preposition.
MONTHS = {
    "pl": "styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu październiku listopadzie grudniu",
    "cs": "lednu únoru březnu dubnu květnu červnu červenci srpnu září říjnu listopadu prosinci",
    "sk": "januári februári marci apríli máji júni júli auguste septembri októbri novembri decembri",
    "hr": "siječnju veljači ožujku travnju svibnju lipnju srpnju kolovozu rujnu listopadu studenom prosincu",
    "sl": "januarju februarju marcu aprilu maju juniju juliju avgustu septembru oktobru novembru decembru",
    "lt": "sausį vasarį kovą balandį gegužę birželį liepą rugpjūtį rugsėjį spalį lapkritį gruodį",
    "ru": "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
    "uk": "січні лютому березні квітні травні червні липні серпні вересні жовтні листопаді грудні",
    "hu": "januárban februárban márciusban áprilisban májusban júniusban júliusban augusztusban szeptemberben októberben novemberben decemberben",
    "fi": "tammikuussa helmikuussa maaliskuussa huhtikuussa toukokuussa kesäkuussa heinäkuussa elokuussa syyskuussa lokakuussa marraskuussa joulukuussa",
    "et": "jaanuaris veebruaris märtsis aprillis mais juunis juulis augustis septembris oktoobris novembris detsembris",
    "el": "Ιανουάριο Φεβρουάριο Μάρτιο Απρίλιο Μάιο Ιούνιο Ιούλιο Αύγουστο Σεπτέμβριο Οκτώβριο Νοέμβριο Δεκέμβριο",
}


LAST_ONLY = ("hu", "fi", "et", "ro")  # only the last word of a name has an ending
LONG = str.maketrans("ae", "áé")  # a Hungarian vowel before an ending


def in_case(rng, language, name):
    """A name in some case other than the nominative. Languages without rules here, initials and numbers keep it."""
    words = name.split(" ")
    unchanged = len(words) - 1 if language in LAST_ONLY else 0
    return " ".join(words[:unchanged] + [word_in_case(rng, language, word) for word in words[unchanged:]])


def word_in_case(rng, language, word):
    if language not in ENDINGS or not re.fullmatch(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*", word):
        return word
    ending, others = next((ending, others.split()) for ending, others in ENDINGS[language] if re.search(f"{ending}$", word))
    if not others:
        return word
    stem = re.sub(f"{ending}$", "", word)
    if language == "hu":
        stem = stem[:-1] + stem[-1].translate(LONG)
    kept = re.match(KEPT.get(language, "$^"), word[len(stem):])
    return stem + (kept[0] if kept and len(kept[0]) < len(word) - len(stem) else "") + rng.choice(others)
