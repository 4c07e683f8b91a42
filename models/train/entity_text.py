"""Sentences with marked personal data: text/entities/templates filled by entity_values.py, and plain sentences without it.

`python models/train/entity_text.py 20` prints twenty of them."""

import random
import re
import sys

import entity_documents
import languages
import sources
from entity_marks import LABELS, joined, lines, segments
from entity_tables import Tables
from entity_values import FOLDER, MONTHS, Values

TAGS = ["O"] + [f"{begin}-{label}" for label in LABELS for begin in "BI"]
COUNT = 108_000  # texts made of templates and fields
PLAIN = 6_000  # of text/everyday
FOREIGN = 9_000  # in other languages, without personal data
NAMED = 20_000  # the same, with a name
DOCUMENTS = 220_000  # parts of whole documents
SPOKEN = 0.11  # the share of the first that is as speech recognition writes it
FIELDS = 0.16  # the share of tables, forms and records
TALK = "calls calls calls calls spoken talk records private places clinic post work plain letters support".split()  # situations that are spoken
FILLERS = ["um", "uh", "er", "you know", "i mean", "like", "well", "okay so", "yeah", "right"]

ENDING = re.compile(r"[^\W\d_]+")  # directly after a name
UNITS = re.compile(r" (?:Jahre alt|Jahre|ans|años|anys|anni|anos|de ani|ani|jaar oud|jaar|år gammal|år gammel|år|lat|lata|let|rokov|roky|godina|godine|metų|éves|"
                   r"vuotta vanha|vuotias|-vuotias|aastane|aastat vana|yaşında|tahun|tuổi|лет|год|года|років|роки|години|ετών|χρονών)\b")  # after an age
CHOICE = re.compile(r"\[\[((?:(?!\[\[|\]\]).)*)\]\]")
SLOT = re.compile(r"\{([a-z_]+(?::[a-z]+)?)\}")


def spoken(rng, parts):
    """As speech recognition writes it: most in lower case and without punctuation, some with a filler."""
    if rng.random() < 0.15:
        return parts
    found = []
    for text, label in parts:
        text = re.sub(r"[.,:;!?()\"|/]+(?= |$)" if label is None else "[.,]", "", text.replace("\n", " "))
        if label is None and rng.random() < 0.12 and text.endswith(" "):
            text += rng.choice(FILLERS) + " "
        found.append((text.lower(), label))
    return found


def marked(path):
    """[(text, spans)] of a file whose personal data is marked."""
    return [joined(parts) for _, parts in entity_documents.read(path)]


def templates():
    """{situation: [template]}."""
    files = sorted((FOLDER / "templates").glob("*.txt"))
    if not files:
        raise sources.Failure(f"{FOLDER / 'templates'} holds no templates")
    return {path.stem: list(sources.lines(path)) for path in files}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.values = Values(rng)
        self.tables = Tables(rng, self.values)
        self.templates = templates()
        self.plain = [text for text, _ in plain_sentences(rng, PLAIN)]
        self.situations = list(self.templates)
        # By the square root of how many templates there are, so that short files count, too.
        self.weights = [len(self.templates[name]) ** 0.5 * (0.8 if name in languages.LANGUAGES else 1) for name in self.situations]

    def example(self):
        """(text, spans): one to six templates of a situation, or fields, with typical carelessness."""
        kind = self.rng.random()
        self.values.is_spoken = kind < SPOKEN
        self.values.language = None
        if kind > 1 - FIELDS:
            return joined(self.careless(lines(self.tables.text())))
        situation = self.rng.choice(TALK) if self.values.is_spoken else self.rng.choices(self.situations, self.weights)[0]
        parts = self.several(situation, self.rng.choices([1, 2, 3, 4, 5, 6], [46, 22, 14, 9, 5, 4])[0])
        parts = spoken(self.rng, parts) if self.values.is_spoken else parts
        return joined(self.careless([part for part in parts if part[0]]))

    def several(self, situation, count):
        """The parts of some templates."""
        between = self.rng.choice([" ", " ", " ", "\n", "\n", ", "])
        parts = []
        for n in range(count):
            if n and self.rng.random() < 0.22:
                language = situation if situation in languages.LANGUAGES else None
                parts += [(between, None), (self.rng.choice(languages.sentences(language) if language else self.plain), None)]
            if n and between == ", " and parts[-1][1] is None:
                parts[-1] = parts[-1][0].rstrip(".!"), None
            other = self.rng.choices(self.situations, self.weights)[0] if self.rng.random() < 0.2 else situation
            parts += ([(between, None)] if n else []) + self.filled(self.rng.choice(self.templates[other]), other)
            if between != ", " and re.search(r"[^\W_]$", parts[-1][0]) and self.rng.random() < 0.4:
                parts.append((self.rng.choice("......!?;,:"), None))
        return parts

    def filled(self, template, situation):
        self.values.language = situation if situation in languages.LANGUAGES else None
        while (match := CHOICE.search(template)) is not None:
            template = template[:match.start()] + self.rng.choice(match[1].split("|")) + template[match.end():]
        parts = segments(SLOT, " ".join(template.split()).replace("\\n", "\n").replace("\\t", "\t"), lambda match: self.values.value(match[1]))
        parts = [part for before, (text, label) in zip([("", None), *parts], parts) for part in self.without_article(before[0], text, label)]
        first, label = parts[0]
        if label is None and first:
            parts[0] = first[0].upper() + first[1:], None
        elif not first and parts[1:] and parts[1] == ("the ", None):
            parts[1] = "The ", None
        return lines([part for part in self.whole_words(parts) if part[0]])

    def whole_words(self, parts):
        """A name with the ending that a template has directly after it, as in "Annának", and an age with its unit."""
        if self.values.language in ("ja", "zh", "ko"):
            return parts
        found = list(parts)
        for n, ((name, label), (after, other)) in enumerate(zip(parts, parts[1:])):
            ending = UNITS.match(after) if label == "AGE" else ENDING.match(after)
            if label in ("PERSON", "LOCATION", "ORGANIZATION", "AGE") and other is None and ending:
                found[n], found[n + 1] = (name + ending[0], label), (after[ending.end():], None)
        return found

    def without_article(self, before, text, label):
        """A name's "the", or the article of a condition, as a separate part without a label; left out if the template has one."""
        if label == "HEALTH" and (article := re.match("an? ", text)):
            return [("" if re.search(r"\ban? $", before.lower()) else article[0], None), (text[article.end():], label)]
        name = text.removeprefix("the ")
        if label is None or name == text:
            return [(text, label)]
        return [("" if before.lower().endswith("the ") else "the ", None), (name, label)]

    def careless(self, parts):
        """Typing errors beside the entities, a missing full stop, all in lower or upper case."""
        rng = self.rng
        if rng.random() < 0.08:
            at = rng.randrange(len(parts))
            text, label = parts[at]
            parts[at] = (text if label else self.mistyped(text)), label
        last, label = parts[-1]
        if label is None and last[-1:] in ".!" and len(last) > 1 and rng.random() < 0.15:
            parts[-1] = last[:-1], None
        case = rng.random()
        if case < 0.1:
            return [(text.lower(), label) for text, label in parts]
        return [(text.upper(), label) for text, label in parts] if case < 0.13 else parts

    def mistyped(self, text):
        at = self.rng.randrange(len(text))
        if not text[at].isalpha():
            return text
        twice, gone, swapped = text[at] * 2, "", text[at + 1:at + 2] + text[at]
        if self.rng.random() < 0.34:
            return text[:at] + swapped + text[at + 2:]
        return text[:at] + self.rng.choice([twice, gone]) + text[at + 1:]


MONEY_WORDS = "dollar|euro|pound|penny|pence|cent|yen|rupee|franc|peso|krone|crown|shilling"
NOT_PLAIN = re.compile(rf"\d|\b({'|'.join(MONTHS)})\b|\b({MONEY_WORDS})s?\b|(?<=[a-z,;:] )(?!I\b)[A-Z]|[\"'“”]|[.!?] \S")


def plain_sentences(rng, count):
    """[(text, [])]: everyday sentences without names: no digits, months, money, or capital letters after the first. Their first word occurs
    elsewhere in lower case."""
    everyday = list(sources.everyday_sentences())
    known = {word for sentence in everyday for word in re.findall(r"(?<= )[a-z]+\b", sentence)}

    def is_plain(sentence):
        first = re.match(r"[A-Z][a-z]*", sentence)
        return first is not None and (first[0] == "I" or first[0].lower() in known) and not NOT_PLAIN.search(sentence)

    found = [sentence for sentence in dict.fromkeys(everyday) if is_plain(sentence)]
    rng.shuffle(found)
    return [(sentence, []) for sentence in found[:count]]


def examples(seed, excluder, count=COUNT, plain=PLAIN, foreign=FOREIGN, named=NAMED, documents=DOCUMENTS):
    """[(text, spans)] in English and other languages, without texts close to an evaluation sentence."""
    rng = random.Random(seed)
    generator = Generator(rng)
    made = [generator.example() for _ in range(count)] + plain_sentences(rng, plain) + languages.plain(rng, foreign) + languages.named(
        rng, generator.values, named) + entity_documents.examples(rng, generator.values, documents)
    kept = [(text, spans) for text, spans in made if not excluder.drops(text)]
    print(f"  entities: {len(kept):,} sentences, {len(made) - len(kept):,} dropped as too near to an evaluation sentence")
    rng.shuffle(kept)
    return kept


def tags(encoding, spans):
    """The index of each token's tag in TAGS, by the token's characters; -100, which losses ignore, for [CLS] and [SEP]."""
    found = []
    for (start, end), special in zip(encoding.offsets, encoding.special_tokens_mask):
        if special:
            found.append(-100)
            continue
        span = next((span for span in spans if span[0] < end and start < span[1]), None)
        begins = span is not None and start <= span[0]
        found.append(0 if span is None else TAGS.index(f"{'B' if begins else 'I'}-{span[2]}"))
    return found


if __name__ == "__main__":
    generator = Generator(random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7))
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        text, spans = generator.example()
        for start, end, label in reversed(spans):
            text = f"{text[:start]}[{text[start:end]}]({label}){text[end:]}"
        print(text)
