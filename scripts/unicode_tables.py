"""Writes src/tokenizer/unicode/data: the Unicode data of Hugging Face's tokenizers, which it finds by calling the library with every code point.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.22.2
    venv/bin/python scripts/unicode_tables.py

The digits and the values of the combining classes come from Python, Unicode 14. Neither changes once it is assigned.
"""

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



classes = ranges((c, k) for c in CHARS if (k := combining_class(c)))

def joins(c, like):
    """Whether ByteLevel's pattern takes `c` for what `like` is."""
    return len(byte_level(like + c + like)) == 1


def code(first, last):
    return f"{ord(first):x}" + ("" if first == last else f"..{ord(last):x}")


def write(name, lines):
    path = Path(__file__).parents[1] / "src/tokenizer/unicode/data" / f"{name}.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def write_ranges(name, characters):
    write(name, (code(first, last) for first, last, _ in ranges((c, 0) for c in characters)))


def is_zero(c):
    return unicodedata.digit(c, 1) == 0 and unicodedata.category(c) == "Nd"


write_ranges("removed", (c for c in CHARS if clean(c) == ""))
write_ranges("punctuation", filter(is_punctuation, CHARS))
write_ranges("marks", (c for c in CHARS if nfd(c) == c and strip(c) == ""))
write_ranges("zeros", filter(is_zero, CHARS))
write("classes", (f"{code(first, last)} {value}" for first, last, value in classes))
syllables = range(0xAC00, 0xD7A4)  # Hangul, which is decomposed by arithmetic
write("decompositions", (c + nfd(c) for c in CHARS if nfd(c) != c and ord(c) not in syllables))

write_ranges("letters", (c for c in CHARS if joins(c, "a")))
write_ranges("numbers", (c for c in CHARS if joins(c, "1")))
write_ranges("all_marks", (c for c in CHARS if strip_all(c) == ""))
write_ranges("not_composed", (c for c in CHARS if nfd(c) != c and nfc(c) != c))
write("compatible", (c + nfkd(c) for c in CHARS if nfkd(c) != nfd(c)))
