"""Texts with marked personal data, the form of ../eval/entities.txt: `[Anna](PERSON) is ill.`"""

import re

import sources

LABELS = ["PERSON", "LOCATION", "ORGANIZATION", "DATE", "EMAIL", "PHONE", "ADDRESS", "MONEY", "ID", "AGE", "USERNAME", "PASSWORD", "SECRET", "HEALTH"]
MARK = re.compile(r"\[((?:[^\[\]]|\[(?!\[))+?)\]\(([A-Z]+)(?:/[a-z]+)?\)")


def segments(pattern, line, of_match):
    """[(text, label or None)]: the result of `of_match` for each match, and the text between matches."""
    found, end = [], 0
    for match in pattern.finditer(line):
        found += [(line[end:match.start()], None), of_match(match)]
        end = match.end()
    return found + [(line[end:], None)]


def joined(parts):
    """(text, [(start, end, label)]) of segments. Raises Failure for an unknown label."""
    text, spans = "", []
    for part, label in parts:
        if label is not None:
            if label not in LABELS:
                raise sources.Failure(f"there is no label {label}, only {', '.join(LABELS)}")
            spans.append((len(text), len(text) + len(part), label))
        text += part
    return text, spans


def lines(parts):
    """[(text, label)] in which no entity is longer than a line."""
    found = []
    for text, label in parts:
        for n, line in enumerate(text.split("\n") if label else [text]):
            found += ([("\n", None)] if n else []) + [(line, label)]
    return found
