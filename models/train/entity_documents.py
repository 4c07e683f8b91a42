"""Whole documents with marked personal data, text/entities/documents, with other values at each draw.

`python models/train/entity_documents.py 20` prints twenty parts of them."""

import random
import re
import string
import sys

import languages
import sources
from entity_marks import MARK, joined, lines, segments
from entity_values import FOLDER, Values, ascii_of

LENGTH = 320  # code units that `redact` gives the model at once
LONGEST = 1300  # code units of a longer part, because a pipeline gives the model whole texts
LONG = 0.25  # the share of longer parts
NAMES = 0.55  # the share of the documents in which names are replaced
NAMES_IN_CASES = 0.3  # the same in languages whose names have endings
CASES = "pl cs sk hu hr sl sr lt lv et fi ru uk bg el tr".split()
OTHERS = 0.35  # the share of other values that are replaced by one of another document
HEADING = re.compile(r"# \w+ (\w\w[\w-]*)")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
DIGITS = "one two three four five six seven eight nine oh zero".split()
DIGIT = re.compile(rf"\b(?:{'|'.join(DIGITS)})\b")
SWAPPED = ("LOCATION", "ORGANIZATION", "ADDRESS", "HEALTH")


def read(path):
    """[(language, [(text, label or None)])] of a file; above the documents of a kind and language stands `# KIND LANGUAGE`.
    Other lines that begin with "# " are comments."""
    found, language = [], "en"
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            language = heading[1][:2]
        elif line.strip() and not line.startswith("# "):
            parts = segments(MARK, line.replace("\\n", "\n").replace("\\t", "\t"), lambda match: (match[1], match[2]))
            found.append((language, [(text, label if label != "IP" else None) for text, label in lines(parts) if text]))
    return found


def documents():
    """What `read` returns for all files."""
    files = sorted((FOLDER / "documents").glob("*.txt"))
    if not files:
        raise sources.Failure(f"{FOLDER / 'documents'} holds no documents")
    return [document for path in files for document in read(path)]


class Documents:
    """Parts of documents: `example()` → (text, spans)."""

    def __init__(self, rng, known, values):
        """known: what `documents` returns; values: a `Values` with the same random numbers."""
        self.rng, self.known = rng, known
        self.values, self.local = values, values.local
        self.pool = {}  # {(language, label): values of all documents}
        for language, parts in known:
            for text, label in parts:
                if label in SWAPPED:
                    self.pool.setdefault((language, label), []).append(text)

    def example(self):
        language, parts = self.rng.choice(self.known)
        parts = self.changed(language, parts)
        return self.cased(*self.window(*joined(parts)))

    def cased(self, text, spans):
        """Some in lower, some in upper case."""
        case = self.rng.random()
        changed = text.lower() if case < 0.1 else text.upper() if case < 0.13 else text
        return (changed, spans) if len(changed) == len(text) else (text, spans)

    def window(self, text, spans):
        """A part as `redact` reads it, or a longer one: from a random line, up to the last end of a line or sentence within its length."""
        starts = [0] + [match.end() for match in re.finditer(r"\n+|[.!?]\s+", text) if match.end() < len(text) - 20]
        start = 0 if self.rng.random() < 0.4 else self.rng.choice(starts)
        most = LENGTH if self.rng.random() >= LONG else self.rng.randint(LENGTH, LONGEST)
        end = min(len(text), start + (most if self.rng.random() < 0.8 else self.rng.randint(30, most)))
        if end < len(text):
            ends = [match.end() for match in re.finditer(r"\n|[.!?。]\s", text[start:end]) if match.end() > (end - start) // 2]
            end = start + ends[-1] if ends else end
        kept = [(max(first, start) - start, min(last, end) - start, label) for first, last, label in spans if first < end and last > start]
        return text[start:end], kept

    def changed(self, language, parts):
        """The parts with other values. A name that occurs twice has one new name."""
        rng, known = self.rng, {}
        renames = rng.random() < (NAMES_IN_CASES if language in CASES else NAMES)
        found = []
        for text, label in parts:
            if label is None:
                text = re.sub(r"\d{3,}", self.number, text) if rng.random() < 0.5 else text
            elif label == "PERSON":
                text = self.renamed(language, text, known) if renames else text
            elif label in SWAPPED:
                text = self.other(language, text, label)
            elif label == "DATE":
                text = re.sub(r"\d+", self.date_number, text)
            elif label == "AGE":
                text = re.sub(r"\d{2,3}", lambda match: str(rng.randint(11, 96)), text)
            elif label in ("EMAIL", "USERNAME"):
                text = self.address(text) if renames or rng.random() < 0.3 else text
            elif label in ("PASSWORD", "SECRET"):
                text = self.scrambled(text, label)
            else:
                text = DIGIT.sub(lambda match: rng.choice(DIGITS), text) if language == "en" else text
                text = re.sub(r"\d", lambda match: rng.choice(string.digits), text) if label == "ID" else self.amount(text)
            found.append((text, label))
        return found

    def number(self, match):
        """Other digits after the first."""
        return match[0][0] + "".join(self.rng.choice(string.digits) for _ in match[0][1:])

    def amount(self, text):
        return re.sub(r"\d+", lambda match: self.number(match) if len(match[0]) > 1 else self.rng.choice(string.digits[1:]), text)

    def date_number(self, match):
        """A day, a month or a year for one."""
        number, rng = int(match[0][:9]), self.rng
        if len(match[0]) == 4:
            return str(rng.randint(1935, 2027)) if 1900 <= number <= 2100 else match[0]
        if len(match[0]) > 2:
            return match[0]
        made = rng.randint(1, 12) if number <= 12 else rng.randint(13, 28) if number <= 31 else rng.randint(32, 99)
        return str(made).zfill(len(match[0])) if match[0].startswith("0") or number > 9 else str(min(made, 9))

    def name(self, language, kind):
        """A given or family name."""
        drawn = None
        if language != "en" or self.rng.random() < 0.4:
            drawn = self.local.draw(language if language in languages.LANGUAGES else "en", kind)
        return drawn or self.rng.choice({"given": self.values.given, "family": self.values.family}[kind])

    def renamed(self, language, text, known):
        """Another name in the same form; known: {old word: new word}, which grows."""
        words = list(WORD.finditer(text))
        if language in ("ja", "zh", "ko", "th") or not words:
            if text not in known:
                known[text] = self.local.draw(language, "person" if len(text) > 2 else "family") if language in languages.LANGUAGES else None
            return known[text] or text
        for n, word in reversed(list(enumerate(words))):
            own = word[0]
            if len(own) < 2:
                text = text[:word.start()] + self.rng.choice(string.ascii_uppercase if own.isascii() and own.isupper() else own) + text[word.end():]
                continue
            if own.lower() not in known:
                is_family = n == len(words) - 1 and (n > 0 or self.rng.random() < 0.4)
                known[own.lower()] = self.name(language, "family" if is_family else "given")
            new = known[own.lower()]
            new = new.lower() if own.islower() else new.upper() if own.isupper() and len(own) > 2 else new
            text = text[:word.start()] + new + text[word.end():]
        return text

    def other(self, language, text, label):
        """A value of another document, or another town, or the same with other numbers."""
        rng, lower = self.rng, text.islower()
        if rng.random() < OTHERS:
            text = rng.choice(self.pool[language, label])
        elif label == "LOCATION" and language not in CASES and rng.random() < 0.4:
            city = self.local.draw(language, "city") if language in languages.LANGUAGES else rng.choice(rng.choice(list(self.values.places.values())))
            text = (city or text).removeprefix("the ")
        text = self.amount(text) if label == "ADDRESS" else text
        return text.lower() if lower else text

    def address(self, text):
        """An e-mail address or a user name with another name in it."""
        def other(match):
            if len(match[0]) < 4 or self.rng.random() < 0.5:
                return match[0]
            made = ascii_of(self.rng.choice(self.rng.choice([self.values.given, self.values.family])))
            return made.upper() if match[0].isupper() else made
        local, at, domain = text.partition("@") if not text.startswith("@") else (text, "", "")
        return re.sub(r"\d", lambda match: self.rng.choice(string.digits), re.sub(r"[A-Za-z]+", other, local)) + at + domain

    def scrambled(self, text, label):
        """Other letters and digits in a password or a key, but not in the prefix of a key."""
        rng = self.rng
        share = rng.choice([0, 0.3, 1]) if label == "SECRET" or re.search(r"\d", text) else 0
        kept = 4 if label == "SECRET" else 0

        def other(sign):
            kinds = [kind for kind in (string.digits, string.ascii_lowercase, string.ascii_uppercase) if sign in kind]
            return rng.choice(kinds[0]) if kinds and (sign.isdigit() or rng.random() < share) else sign
        return text[:kept] + "".join(map(other, text[kept:]))


def examples(rng, values, count):
    """[(text, spans)]"""
    drawn = Documents(rng, documents(), values)
    return [drawn.example() for _ in range(count)]


if __name__ == "__main__":
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    for text, spans in examples(rng, Values(rng), int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        for start, end, label in reversed(spans):
            text = f"{text[:start]}[{text[start:end]}]({label}){text[end:]}"
        print(text)
        print("-----")
