"""The sources of the text. A missing source ends the run with a clear message."""

import re
from pathlib import Path

HERE = Path(__file__).parent
TEXT = HERE / "text"
EVAL = HERE.parent / "eval"
TICKETS = HERE.parent.parent / "benches" / "proofs" / "data"
WORDNET = Path("/usr/share/wordnet")
FORTUNES = Path("/usr/share/games/fortunes")

# The books of prose and sayings; the others are ASCII art, code, chat or jokes at the expense of peoples.
FORTUNE_BOOKS = ["cookie", "education", "food", "fortunes", "humorists", "kids", "literature", "love", "medicine", "miscellaneous", "people",
                 "pets", "platitudes", "politics", "science", "sports", "wisdom", "work", "art", "law", "news", "definitions"]


class Failure(Exception):
    """An error that the user can fix; the message describes how."""


def need(path, remedy):
    if not Path(path).exists():
        raise Failure(f"{path} is missing: {remedy}")
    return Path(path)


def wordnet_folder():
    return need(WORDNET / "data.noun", "install WordNet's database (Debian: apt-get install wordnet-base)").parent


def fortune_sentences():
    folder = need(FORTUNES / "fortunes", "install the fortunes (Debian: apt-get install fortunes)").parent
    for book in FORTUNE_BOOKS:
        for saying in need(folder / book, "the fortunes are incomplete").read_text(encoding="utf-8", errors="replace").split("\n%\n"):
            saying = re.sub(r"\n\s*--.*", "", saying, flags=re.S)  # who said it
            for sentence in re.split(r"(?<=[.!?])\s+", " ".join(saying.split())):
                if 4 <= len(sentence.split()) <= 40 and re.fullmatch(r"[\x20-\x7e]+", sentence) and sentence[-1] in ".!?":
                    yield sentence


def lines(path):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def everyday_sentences():
    files = sorted((TEXT / "everyday").glob("*.txt"))
    if not files:
        raise Failure(f"{TEXT / 'everyday'} holds no text")
    for path in files:
        yield from lines(path)


def labelled(name):
    """[(label, text)] of text/labelled/NAME*.tsv."""
    files = sorted((TEXT / "labelled").glob(f"{name}*.tsv"))
    if not files:
        raise Failure(f"{TEXT / 'labelled'} holds no {name}*.tsv")
    return [pair for path in files for pair in pairs(path)]


def pairs(path):
    found = []
    for line in lines(path):
        left, tab, right = line.partition("\t")
        if not tab:
            raise Failure(f"{path}: no tab in {line!r}")
        found.append((left.strip(), right.strip()))
    return found
