"""Facts with many phrasings: text/relations/*.tsv.

A line that begins with @ is a phrasing, in which {1}, {2} … stand for the columns; every other line is a fact,
its columns separated by tabs. A phrasing with a column that a fact leaves empty is left out.
"""

import re

import sources

MOST_PHRASINGS = 14  # of one fact, chosen anew for each, so that long tables do not drown the rest


def sentences(rng):
    for path in sorted((sources.TEXT / "relations").glob("*.tsv")):
        lines = list(sources.lines(path))
        phrasings = [line[1:].strip() for line in lines if line.startswith("@")]
        for line in lines:
            if not line.startswith("@"):
                yield from phrase(line.split("\t"), phrasings, path, rng)


def phrase(columns, phrasings, path, rng):
    for phrasing in rng.sample(phrasings, min(MOST_PHRASINGS, len(phrasings))):
        used = [int(number) for number in re.findall(r"\{(\d)\}", phrasing)]
        if max(used, default=0) > len(columns):
            raise sources.Failure(f"{path}: {columns} has no column {max(used)} for {phrasing!r}")
        if all(columns[i - 1].strip() for i in used):
            sentence = re.sub(r"\{(\d)\}", lambda match: columns[int(match[1]) - 1].strip(), phrasing)
            yield capital(articles(sentence))


def articles(sentence):
    """`a apple` → `an apple`; a phrasing always says `a`."""
    return re.sub(r"\b([Aa]) (?=[aeio]|u(?!ni|s|r|k|til)|hour|honest)(?!one\b|once|eu)", r"\1n ", sentence, flags=re.I)


def capital(sentence):
    return sentence[:1].upper() + sentence[1:]
