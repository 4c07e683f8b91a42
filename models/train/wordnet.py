"""WordNet as plain sentences: its glosses, its examples, and its relations between everyday words.

Reads the database files as Debian's wordnet-base lays them (wndb(5WN)): a line of data.POS is a synset,
`offset file type count (word id)* pointers (symbol offset pos source/target)* … | gloss`.
"""

import re
from collections import namedtuple
from pathlib import Path

Synset = namedtuple("Synset", "pos words pointers definition examples")
Pointer = namedtuple("Pointer", "symbol target source_word target_word")

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
COMMON_SENSES = 2  # of a word, in WordNet's order of frequency; the later ones are seldom what a reader thinks of


def read_synsets(folder):
    """(pos, offset) → Synset."""
    found = {}
    for pos, name in FILES.items():
        for line in (Path(folder) / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            found[pos, line[:8]] = parse_synset(line, pos)
    return found


def parse_synset(line, pos):
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    count = int(fields[3], 16)
    words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4:4 + 2 * count:2]]
    at = 4 + 2 * count
    pointers = []
    for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
        symbol, offset, target_pos, ends = fields[i:i + 4]
        key = ("a" if target_pos == "s" else target_pos, offset)
        pointers.append(Pointer(symbol, key, int(ends[:2], 16), int(ends[2:], 16)))
    examples = re.findall(r'"([^"]+)"', gloss)
    definition = re.sub(r'[;:]?\s*"[^"]*".*$', "", gloss.strip()).strip(" ;:")
    return Synset(pos, words, pointers, definition, examples)


def read_senses(folder):
    """(pos, word) → the keys of its synsets, the most frequent sense first."""
    senses = {}
    for pos, name in FILES.items():
        for line in (Path(folder) / f"index.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split()
            senses[pos, fields[0].replace("_", " ")] = [(pos, offset) for offset in fields[-int(fields[2]):]]
    return senses


def article(words):
    return ("an " if words[0].lower() in "aeiou" else "a ") + words


def named(word):
    """A noun as the beginning of a sentence: names without, other nouns with an article."""
    return word if word[0].isupper() else article(word)


def definitions(synsets, senses, is_plain, rng):
    """A sentence for each common sense of each plain word."""
    shapes = {
        "n": ["{a} is {d}.", "{a}: {d}.", "the word {w} means {d}."],
        "v": ["to {w} is to {d}.", "to {w} means to {d}."],
        "a": ["{w} means {d}.", "something {w} is {d}."],
        "r": ["{w} means {d}."],
    }
    for (pos, word), keys in senses.items():
        if not is_plain(word):
            continue
        for key in keys[:COMMON_SENSES]:
            synset = synsets[key]
            surface = next((w for w in synset.words if w.lower() == word), word)
            definition = re.sub(r"\([^)]*\)\s*", "", synset.definition).strip()
            if definition:
                yield rng.choice(shapes[pos]).format(a=named(surface), w=surface, d=definition)


def examples(synsets):
    for synset in synsets.values():
        for example in synset.examples:
            if len(example.split()) >= 3:
                yield example if example[-1] in ".!?" else example + "."


# {a}, {b}: the words; {aa}, {ab}: with their articles.
KINDS = ["{aa} is a kind of {b}.", "{aa} is {ab}.", "{ab}, such as {aa}.", "Is {aa} a type of {b}? Yes, it is."]
PARTS = ["{ab} has {aa}.", "{aa} is part of {ab}.", "The {a} of the {b} is broken.", "The {b} has {aa}."]
OPPOSITES = ["The opposite of {a} is {b}.", "{a} is the opposite of {b}.", "It is not {a}, it is {b}.", "If it is not {a}, it is {b}.",
             "Not {a} but {b}.", "One is {a}, the other is {b}."]


def relations(synsets, senses, is_plain, rng):
    """Opposites, kinds and parts among plain words in their first sense."""
    def plain(word):
        return " " not in word and word.islower() and is_plain(word)

    def fill(shape, a, b):
        return shape.format(a=a, b=b, aa=article(a), ab=article(b))

    for (pos, word), keys in senses.items():
        synset = synsets[keys[0]]
        if not plain(word) or word not in synset.words:
            continue
        for pointer in synset.pointers:
            other = synsets[pointer.target]
            target = other.words[max(0, pointer.target_word - 1)]
            if not plain(target) or target == "entity":
                continue
            if pointer.symbol == "!" and synset.words[pointer.source_word - 1] == word:
                for shape in rng.sample(OPPOSITES, 3):
                    yield fill(shape, word, target)
            elif pos == "n" and pointer.symbol in ("@", "#p"):
                yield fill(rng.choice(KINDS if pointer.symbol == "@" else PARTS), word, target)
