"""The texts whose sentence vectors the network is to have. A target needs no label, so these are of many more kinds than what the masked LM
reads: what people search through is not everyday language alone.

`python models/train/vector_text.py 20` prints twenty of each kind that is made here."""

import ast
import importlib.util
import random
import re
import sys
import sysconfig
from pathlib import Path

import sources

COUNT = 110_000  # of all sources together, of each the same number as far as it has them
MAX_TOKENS = 128
PACKAGES = ("torch", "transformers", "numpy")  # which the recipe needs anyway: BSD, Apache-2.0, BSD
LEFT_OUT = {"site-packages", "test", "tests", "testing", "idlelib", "lib2to3", "encodings"}
SENTENCE = re.compile(r"[A-Z][A-Za-z0-9 ,;:'()\"/-]+[.!?]")
# Blocks of Unicode of whose characters the vocabulary has many as tokens of their own.
SCRIPTS = ((0x3B1, 0x3CA), (0x430, 0x450), (0x5D0, 0x5EB), (0x627, 0x64B), (0x905, 0x93A), (0x3042, 0x3094), (0x30A2, 0x30F4), (0x4E00, 0x9FA6))
SYMBOLS = [*map(chr, range(0x1F600, 0x1F645)), *map(chr, range(0x1F680, 0x1F6A4)), *"!?.,:;-+*/=()[]#%&@$"]


def texts(sentences, tagged, held_out, vocabulary, seed):
    """sentences: {source: [sentence]}; tagged: [(text, spans)]; held_out: texts to leave out."""
    rng = random.Random(seed)
    plain = [sentence for part in sentences.values() for sentence in part]
    kinds = {"docstrings": docstrings(), "joined": joined(plain, rng), "fragments": fragments(plain, rng), "scripts": scripts(vocabulary, rng)}
    parts = [sorted(set(part) - held_out) for part in [*sentences.values(), [text for text, _ in tagged], *kinds.values()]]
    return [text for part in parts for text in rng.sample(part, min(len(part), COUNT // len(parts)))]


def docstrings():
    """Sentences from the docstrings of Python's own modules and of the recipe's packages: English about computing and mathematics."""
    folders = [Path(sysconfig.get_paths()["stdlib"])]
    folders += [Path(importlib.util.find_spec(name).submodule_search_locations[0]) for name in PACKAGES]
    found = set()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if LEFT_OUT.isdisjoint(path.relative_to(folder).parts):
                found.update(sentences_of(path))
    return sorted(found)


def sentences_of(path):
    """Sentences of 4 to 40 words from the docstrings of a file; none from a file that this Python version cannot parse."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split())):
                    if 4 <= len(sentence.split()) <= 40 and SENTENCE.fullmatch(sentence):
                        yield sentence


def joined(plain, rng, count=8000):
    """Two to six sentences one after the other."""
    return [" ".join(rng.choices(plain, k=rng.randint(2, 6))) for _ in range(count)]


def fragments(plain, rng, count=12_000):
    """One to six words of a sentence, some as a question, as in a search box; and the empty text."""
    found = [""]
    for sentence in rng.choices(plain, k=count):
        words = sentence.split()
        start = rng.randrange(len(words))
        text = " ".join(words[start:start + rng.randint(1, 6)])
        found.append(text.rstrip(".!?") + "?" if rng.random() < 0.15 else text)
    return found


def scripts(vocabulary, rng, count=6000):
    """Characters of a script other than the Latin one, and symbols beside a few words."""
    blocks = [[chr(code) for code in range(*block) if chr(code) in vocabulary] for block in SCRIPTS]
    words = sorted(word for word in vocabulary if word.isalpha() and word.isascii())
    found = []
    for _ in range(count // 2):
        block = rng.choice(blocks)
        found.append("".join(rng.choices(block, k=rng.randint(1, 14))) + rng.choice(["", "", ".", "。", "?"]))
        parts = rng.choices(words, k=rng.randint(0, 4)) + rng.choices(SYMBOLS, k=rng.randint(1, 3))
        found.append(" ".join(rng.sample(parts, len(parts))))
    return found


if __name__ == "__main__":
    rng, everyday = random.Random(7), list(sources.everyday_sentences())
    vocabulary = {*" ".join(everyday).lower().split(), *(chr(code) for block in SCRIPTS for code in range(*block))}
    for made in (docstrings(), joined(everyday, rng), fragments(everyday, rng), scripts(vocabulary, rng)):
        print("\n".join(rng.sample(made, int(sys.argv[1]))), end="\n\n")
