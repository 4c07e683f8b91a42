"""Writes tables.rs and pipeline/form_tables.rs: what the reference knows of Unicode, found by asking it about every code point.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.22.2
    venv/bin/python make_tables.py && cargo fmt

Only the digits and the values of the combining classes are Python's own, of Unicode 14; they never
change once they are given.
"""

import subprocess
import tempfile
import unicodedata
from pathlib import Path

from tokenizers import normalizers, pre_tokenizers

OFF = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
CHARS = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
nfd = normalizers.NFD().normalize_str
clean = normalizers.BertNormalizer(**OFF | {"clean_text": True}).normalize_str
strip = normalizers.BertNormalizer(**OFF | {"strip_accents": True}).normalize_str
split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
nfc, nfkd = normalizers.NFC().normalize_str, normalizers.NFKD().normalize_str
strip_all = normalizers.StripAccents().normalize_str
byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str


def is_punctuation(c):
    return [s for s, _ in split(f"a{c}b")] == ["a", c, "b"]


def combining_class(c):
    """0 where the reference does not reorder: a mark of class 1 after it, it after one of 240."""
    if nfd(c) != c or (nfd(c + "\u0334") == c + "\u0334" and nfd("\u0345" + c) == "\u0345" + c):
        return 0
    return unicodedata.combining(c)


def ranges(values):
    """(first, last, value) for every run of equal values."""
    out = []
    for c, value in values:
        if out and ord(out[-1][1]) == ord(c) - 1 and out[-1][2] == value:
            out[-1][1] = c
        else:
            out.append([c, c, value])
    return out


def escaped(text):
    return "".join(f"\\u{{{ord(c):x}}}" for c in text)


def table(doc, name, values):
    rows = [f"('{escaped(a)}', '{escaped(b)}')" for a, b, _ in ranges((c, 0) for c in values)]
    return f"/// {doc}\npub(super) const {name}: [(char, char); {len(rows)}] = [{', '.join(rows)}];\n"


def packed_table(doc, name, values):
    return f"/// {doc}\n" + packed(name, [(ord(a), ord(b)) for a, b, _ in ranges((c, 0) for c in values)]) + "\n"


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


classes = ranges((c, k) for c in CHARS if (k := combining_class(c)))

def joins(c, like):
    """Whether ByteLevel's pattern takes `c` for what `like` is."""
    return len(byte_level(like + c + like)) == 1


def string(doc, name, lines):
    text = "\\n\\\n".join(lines)
    return f'/// {doc}\npub(super) const {name}: &str = "\\\n{text}";\n'


zeros = [f"'{escaped(c)}'" for c in CHARS if unicodedata.digit(c, 1) == 0 and unicodedata.category(c) == "Nd"]
syllables = range(0xAC00, 0xD7A4)
lines = [c + nfd(c) for c in CHARS if nfd(c) != c and ord(c) not in syllables]
Path(__file__).with_name("tables.rs").write_text(
    "//! Written by make_tables.py. Ranges are inclusive; those of a byte string are as `Runs` reads them.\n\n"
    + packed_table("NUL, U+FFFD, Cc, Cf, Co.", "REMOVED", (c for c in CHARS if clean(c) == ""))
    + "\n"
    + packed_table("P*, and all ASCII symbols.", "PUNCTUATION", filter(is_punctuation, CHARS))
    + "\n"
    + packed_table("Mn.", "MARKS", (c for c in CHARS if nfd(c) == c and strip(c) == ""))
    + f"\n/// The digit 0 of every script.\npub(super) const ZEROS: [char; {len(zeros)}] = [{', '.join(zeros)}];\n"
    + "\n/// Canonical combining classes other than 0.\n"
    + packed("CLASSES", [(ord(a), ord(b), k) for a, b, k in classes])
    + "\n\n/// Letters and what lower case adds to each, as `Runs` reads it; U+0130, of two characters, is left out.\n"
    + packed("LOWER", lower_runs())
    + "\n\n"
    + "/// Characters and their canonical decompositions, in order, as `unpacked` reads them; Hangul is left out.\n"
    + packed_lines("DECOMPOSITIONS", lines)
    + "\n"
)
compatible = [escaped(c + nfkd(c)) for c in CHARS if nfkd(c) != nfd(c)]
excluded = (c for c in CHARS if nfd(c) != c and nfc(c) != c)
(Path(__file__).with_name("pipeline") / "form_tables.rs").write_text(
    "//! Written by make_tables.py. Ranges are inclusive.\n\n"
    + table("L*.", "LETTERS", (c for c in CHARS if joins(c, "a")))
    + "\n"
    + table("N*.", "NUMBERS", (c for c in CHARS if joins(c, "1")))
    + "\n"
    + table("M*.", "ALL_MARKS", (c for c in CHARS if strip_all(c) == ""))
    + "\n"
    + table("Decomposed, but never composed.", "NOT_COMPOSED", excluded)
    + "\n"
    + string("A character and its compatibility decomposition a line, in order, where it is not the canonical one.", "COMPATIBLE", compatible)
)
