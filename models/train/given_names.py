"""Writes src/js/redaction/detectors/given-name-list.ts: given names of many languages that are no words, for the detector of that name.

The names are Faker's lists (MIT). A name is left out if a spelling dictionary has it in lower case as a word, because the detector also reads text
without capitals. Dictionaries of names without capitals are read as well, so that the list misses some names rather than taking words.

apt-get install hunspell hunspell-{af,be,bg,bs,ca,cs,da,de-de,el,en-gb,en-us,es,eu,fr,gl,hr,hu,id,is,it,lt,lv,nl,no,pl,pt-br,pt-pt,ro,ru,sk,sl,sr,sv,sw,tr,uk,uz}
apt-get install myspell-et voikko-fi python3-libvoikko
pip install faker
PYTHONPATH=/usr/lib/python3/dist-packages python models/train/given_names.py"""

import importlib
import re
import subprocess
import unicodedata
from pathlib import Path

import libvoikko

# Locales of Faker, and the dictionaries that all their names are looked up in.
LOCALES = "de_DE de_AT de_CH es_ES es_MX es_AR fr_FR fr_CH it_IT pt_PT pt_BR nl_NL nl_BE sv_SE no_NO da_DK fi_FI pl_PL cs_CZ sk_SK hu_HU ro_RO hr_HR sl_SI ru_RU uk_UA en_GB en_US en_IE"
DICTIONARIES = "bg_BG cs_CZ da_DK de_DE el_GR en_GB es_ES fr hr_HR hu_HU it_IT nb_NO nl pl_PL pt_BR pt_PT ro_RO ru_RU sk_SK sl_SI sv_SE tr_TR uk_UA"
# The same for names of further languages. These dictionaries have many names of the first languages in lower case.
MORE_LOCALES = (
    "es_CA es_CL es_CO fr_QC fr_DZ bg_BG mk_MK el_GR tr_TR az_AZ uz_UZ lt_LT lv_LV et_EE id_ID en_IN en_KE en_NG en_NZ en_PK ga_IE sw yo_NG ig_NG ha_NG zu_ZA tw_GH"
)
MORE_DICTIONARIES = "af_ZA be_BY bs_BA ca en_US et_EE eu gl_ES id_ID is_IS lt_LT lv_LV sr_RS sw_KE uz_UZ"
FOLDER = Path("/usr/share/hunspell")
SCRIPTS = {"be": "CYRILLIC", "bg": "CYRILLIC", "ru": "CYRILLIC", "sr": "CYRILLIC", "uk": "CYRILLIC", "el": "GREEK"}  # LATIN otherwise
ROOT = Path(__file__).resolve().parents[2]
# Words of languages without a dictionary here, and forms of address.
WORDS = set("dan ada ini itu dia dengan untuk juga kita bapak ibu mama papa dona sara manja iman dini rini anak moj moja sir don alexa siri chelsea sydney brooklyn washington".split())
# Frequent names that a dictionary has as a rare word, and short forms that the lists miss.
FREQUENT = set(
    "anna maria marta marie daniel david martin peter paul jonas julia laura andrea thomas lucía lucas lukas felix simon tobias petra sabine "
    "claudia nina lena sara luisa juan pedro diego miguel manuel francisco isabel elena cristina teresa paula louis isabelle sofia martina "
    "alessia luca mario roberto paolo joão nuno mariana eva emil erik karin ingrid sofie mikkel kasper magnus lucie jana péter andrei carmen "
    "ana lara charlotte manon иван максим małgorzata zsuzsa zsuzsanna артём артем настя саша маша катя дима женя лёша леша серёжа сережа миша "
    "юля оля таня наташа ваня коля толя вова паша даша ксюша лиза костя гриша ніна оксана kasia basia gosia zosia tomek maciek wojtek krzysiek "
    "piotrek magda steffi uschi basti andi olli pepe paco lola iker itziar ainhoa nerea leire aitor jordi montse xavi núria iñaki íñigo begoña "
    "bastien mathis timéo enzo lilou maëlle gwenaëlle yann erwan loïc antoine benoît benoit quentin thibault thibaud théo océane anaïs élodie "
    "aurélie ginevra ludovica beatrice matilde sveva jeroen maarten wouter sander niels gijs sjoerd femke linnéa "
    "aad aafke abel adela adele afonso agnes aija aino aitana aivars alain aldona aleksa alonso alzira amadeu amadou amaia andraž andris "
    "anicet anita anja anneli annemieke arjan arjen armindo arnar arne arnis arnoud artan artur asier aslaug aurel aurelia ausma babsi "
    "bardh barča bauke benita benito betsy biagio binta bintou birkir birna biruta birutė bjarki bjarni björn bjørn bledar blerim bogna "
    "bojana borghild boris botond boubou bošjan bożena božo bragi branko britt burak bénédicte bérangère børge büşra camila carla carole "
    "caterina cecilia celso cesira cheikh chelo chema chiel claudete cleide conchi corentin corina corrie coumba côme călin dacian daiga "
    "daiva damien daniela daniele danutė dardan davor davíð dejan delfim didier didzis dinko donato donika dorien dorin dorka dragan "
    "dragica dražen driss dritan duško dzidra dóra dženan ece eduardo edyta eelco eelke egidio eglė eike eilif einar ejnar elif elin elina "
    "elira elisa elsa elske elvir elvira elín emidio emine emre emília enrica enrico enrique enza epp erica erlend erling ermal ermira "
    "erzsi estrid eudes eurico evija evka fabien fabio fabrizio farida fatma fatoumata federico felipe ferko ferkó fiete filipe firmin "
    "fisnik fjóla flávia flávio fokke freek freyja fritz frode fríða fuensanta fănel gabija gaetano gaston gatis gaël gaëtan gašper geert "
    "geir gerben gerd germán giacomo giada gianna gianni gigel gilles girgl gisela gitte graziella greta grete guido guilherme gunnel "
    "gustavo guðjón guðný guðrún gyuri gyuszi gyða gísli gülsüm hafdís hajni hajrie halvor hamid hania hanka hanne hanneke hannes hannu "
    "harri hasan hassan havva hege heiki heinzi heleen helmut helvi hendrik hennie henny herdis hervé hetty hilde hildur hilkka hjalti "
    "honza hulda hédi hélder hélio högni hüsnü iacopo iara ilaria ilario ildi ileana ilir ilona ilse imants ineke ingars ingunn ingus "
    "ingvar inmita inácio ionel irena irene irina iringó irma isaura isilda ismail ivan ivana ivar ivett ivo jaan jaanus jaap jacira jacky "
    "jacques jadzia janek janneke jannes jarmo jaryna jelena jens jeppe jernej joaquina jocke joop joosep jorge josemi josine jože jožka "
    "jožko juani juanjo juanma juci juhan julien jupp jurga jutta jérémie jérémy jóhann jóhanna jóhannes jón jóna jónas jóska józek józsi "
    "jöns jørn júlio kaan kalev karsten katia katica katka katrín kazys kersti kickan koffi kofi konrad krenar krzychu kátia kévin kübra "
    "külli laci lacika laima leili lelde lembit lenka lenuța leszek leïla lidka lieven ligita liis liisi liivi ljerka ljubica ljubo loisl "
    "lojze lovisa lovro loïck luana luciana lucica lucyna luigi luiz luminița luzia luís lára láďa lídia maarja madis magdi magnús maimu "
    "majda mamadou manlio manolo marcella marcin marcsi maret mariama marij marija marisa marjan marjo marju marlis martim martín maryla "
    "matej mateo mathilde matti maëlys maťo meelis mehdi melike merete merike micke miep mietek mihkel milada milica milvi mimmo mircea "
    "mireille mirek mirva mislav monča moussa márcia márcio mário míriam móni nadine natércia ndue ndèye neusa nicolas nienk nienke nijaz "
    "nijolė nikola nives noemi nunzia nunzio nándi nélia nóri oddny oddný oddvar ognjen okan olaug olev olga olina olinda oline olivier "
    "oliwia omar onutė orsola oumar oumou ousmane ozan patrik patrizia paulo pavle paľko pekka peppe peppino pepík pertti petrit peťo "
    "philippe piera piero pieter pippo pityu priit primož przemek péťa qamil quique quiterio radka raili rainer raitis raivo ramona ramunė "
    "ramón raquel rayan reidar reinhard reinis renata renate renato renaud rietje rifat riho riivo rikke rinus ritva roald robert rocco "
    "rocío roel roelof rogério rolf romek romeu romina rosendo rron rukiye rutger ruud rysiek régine rémi rúnar rüstem sabrina sadije safet "
    "salif saliha salvatore samuel sandis sandra sandro sanne sanyi saïd sebas selin selma severino shpend sietske sigita sigrún sigurður "
    "sijtje silvana silvi silvia silvio silvo simona simone simão sindre sissel sjaak sjef sjors slávka snorre snorri soazig solfrid sonia "
    "sorin sorina srečko stanko stasia stasys staszek stefa stefán steini stian stine suzana svava svein sven sverre sylvain synne szilvi "
    "szymek sékou sílvia sławek taavi tabea tadek tanguy telma teppo terhi tihana tiit timur tjeerd toader toivo tomislava tomás tonino "
    "tonći tončka toomas tormod torstein tozé triin truus trygve tudor tuija tullio turid tõnis tālis ugo unnur urtė vaida vaike valdis "
    "valdur valdís valeria valmir valter vanja vasile vašek velga verica verner verča vesna vibeke vicente vigdis vigdís villy vinko "
    "viorica virgil virginie virgis viviana vizma vlad vlado vlaďka vojta vroni vânia víctor vítor waldek wanda weronika wiesiek wietske "
    "wiktoria willi wim witek wout xhavit xhemal yago yara yohann yuliet yunus yvon zaira zamira zbyszek zdena zef zeliha zenek zeno zenzi "
    "ziutek zlatan zlatko zoila zoran zrinka zsike zsuzsi zsófi zuza zuzia zuzka zvonko zélia zélie árpi ásdís éliane éloi émeric ísak "
    "ólafur ólafía ólöf óskar ülle ülo þórhildur".split()
)
WIDTH = 140


def names(locales):
    """The names of Faker's lists in lower case: one word of 3 to 12 letters each."""
    found = set()
    for locale in locales.split():
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for attribute in dir(provider):
            value = getattr(provider, attribute)
            if attribute.startswith("first_names") and isinstance(value, (list, tuple, dict)):
                found.update(name.strip().lower() for name in value if isinstance(name, str))
    return {name for name in found if re.fullmatch(r"[^\W\d_]{3,12}", name)}


def accepted(dictionary, words):
    """The words that a dictionary of hunspell has in lower case. It reads no letters outside of its encoding."""
    encoding = re.search(rb"SET\s+(\S+)", (FOLDER / f"{dictionary}.aff").read_bytes())
    name = encoding.group(1).decode() if encoding else "ISO8859-1"
    script = SCRIPTS.get(dictionary[:2], "LATIN")
    asked = [word for word in words if fits(word, name) and unicodedata.name(word[0]).startswith(script)]
    command = ["hunspell", "-d", dictionary, "-i", "utf-8", "-l"]
    wrong = subprocess.run(command, input="\n".join(asked), text=True, capture_output=True, check=True).stdout
    return set(asked) - set(wrong.split("\n"))


def fits(word, encoding):
    try:
        word.encode("cp1251" if encoding == "microsoft-cp1251" else encoding)
    except UnicodeEncodeError:
        return False
    return True


def names_only(locales, dictionaries):
    """The names of these locales that no dictionary has as a word."""
    every = names(locales) - WORDS
    kept = set(every)
    for dictionary in dictionaries.split():
        kept -= accepted(dictionary, kept)
    finnish = libvoikko.Voikko("fi")
    kept = {name for name in kept if not finnish.spell(name)}
    print(f"{len(kept)} of {len(every)} names are no words")
    return kept


def main():
    kept = names_only(LOCALES, DICTIONARIES) | names_only(MORE_LOCALES, f"{DICTIONARIES} {MORE_DICTIONARIES}")
    kept |= FREQUENT
    lines, line = [], ""
    for name in sorted(kept):
        if len(line) + len(name) + 1 > WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {name}".strip()
    body = "\n".join([*lines, line])
    (ROOT / "src/js/redaction/detectors/given-name-list.ts").write_text(
        "// Written by models/train/given_names.py: given names that are no words of the languages with a dictionary. Faker's lists (MIT).\n"
        f"export const GIVEN_NAMES = `{body}`;\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
