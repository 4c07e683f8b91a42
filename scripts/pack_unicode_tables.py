"""Writes src/tokenizer/unicode/packed.rs from the tables of data/, and lower case from the compiler.

    python3 scripts/pack_unicode_tables.py && cargo fmt
"""

import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "src/tokenizer/unicode"


def rows(name):
    """First, last and perhaps a value of each line."""
    for line in (FOLDER / f"data/{name}.txt").read_text().splitlines():
        span, *value = line.split()
        first, _, last = span.partition("..")
        yield int(first, 16), int(last or first, 16), *map(int, value)


def varint(n):
    out = []
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return out + [n]


def literal(name, data):
    lines = ["".join(f"\\x{byte:02x}" for byte in data[at : at + 22]) for at in range(0, len(data), 22)]
    text = "\\\n".join(lines)
    return f'pub(super) const {name}: &[u8] = b"\\\n{text}";'


def packed_lines(name, lines):
    """Lines of a character and what it becomes: its distance from the last line's times 4 plus the number of parts less one; of each
    part the distance from the part at that place before, twice it, or twice it less one if it is negative."""
    data, before, last = [], 0, [0] * 4
    for line in lines:
        c, *parts = map(ord, line)
        data += varint((c - before) * 4 + len(parts) - 1)
        before = c
        for at, part in enumerate(parts):
            by = part - last[at]
            data += varint(by * 2 if by >= 0 else -by * 2 - 1)
            last[at] = part
    return literal(name, data)


def packed(name, rows):
    """Rows of first, last and perhaps a value as bytes: a row's distance from the last one's end, its length less one, its value."""
    data, end = [], 0
    for first, last, *value in rows:
        for number in (first - end, last - first, *value):
            data += varint(number)
        end = last
    return literal(name, data)


COMPILED = 'fn main() { for c in \'\\0\'..=char::MAX { let mut to = c.to_lowercase(); if let (Some(l), None) = (to.next(), to.next()) { if l != c { println!("{} {}", c as u32, l as u32) } } } }'


def lower_runs():
    """Runs of letters at one distance from their lower case, each or every second one a letter, as the compiler has them."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "lower.rs"
        source.write_text(COMPILED)
        subprocess.run(["rustc", "--edition", "2024", source, "-o", source.with_suffix("")], check=True)
        lines = subprocess.run([source.with_suffix("")], check=True, capture_output=True, text=True).stdout.split("\n")
    runs = []
    for c, lower in (map(int, line.split()) for line in lines if line):
        run = runs[-1] if runs else None
        if run and run[3] == lower - c and (c - run[1] == run[2] or (run[0] == run[1] and c - run[1] == 2)):
            run[1], run[2] = c, c - run[1]
        else:
            runs.append([c, c, 1, lower - c])
    # The lowest bit: every second one. Then the sign.
    return [(first, last, abs(by) << 2 | (by < 0) << 1 | step - 1) for first, last, step, by in runs]


TABLES = [
    ("REMOVED", "NUL, U+FFFD, Cc, Cf, Co."),
    ("PUNCTUATION", "P*, and all ASCII symbols."),
    ("MARKS", "Mn."),
    ("CLASSES", "Canonical combining classes other than 0."),
]
decompositions = (FOLDER / "data/decompositions.txt").read_text(encoding="utf-8").split("\n")
parts = [f"/// {doc}\n{packed(name, list(rows(name.lower())))}\n" for name, doc in TABLES]
parts.append(
    "/// Letters and what lower case adds to each, as `Runs` reads it; U+0130, of two characters, is left out.\n"
    + packed("LOWER", lower_runs())
    + "\n"
)
parts.append(
    "/// Characters and their canonical decompositions, in order, as `unpacked` reads them; Hangul is left out.\n"
    + packed_lines("DECOMPOSITIONS", [line for line in decompositions if line])
    + "\n"
)
(FOLDER / "packed.rs").write_text(
    "//! Written by scripts/pack_unicode_tables.py: the tables of `data/` that every binary has, as numbers of few bytes, and\n"
    "//! the lower case of the compiler.\n\n" + "\n".join(parts)
)
