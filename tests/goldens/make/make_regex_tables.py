"""Writes src/tokenizer/pipeline/regex/tables.rs: the character properties of the regular expressions in a tokenizer.json, as
the `tokenizers` library matches them, and the scripts of its pre-tokenizer UnicodeScripts. About 1 minute.

    python3 make_regex_tables.py UNICODE_PROPERTIES SCRIPTS_RS

UNICODE_PROPERTIES: Oniguruma's `doc/UNICODE_PROPERTIES`, which lists the names. SCRIPTS_RS: `unicode_scripts/scripts.rs` of the
crate `tokenizers`.

A set is a text of numbers in base 36: how many code points lie before each range, and how many the range has, less 1.
"""

import re
import sys
from pathlib import Path

from tokenizers import Regex, pre_tokenizers

TABLES = Path(__file__).parents[3] / "src/tokenizer/pipeline/regex/tables.rs"
CHARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, CHARS))
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn".split()
CATEGORY_NAMES = """Uppercase_Letter Lowercase_Letter Titlecase_Letter Modifier_Letter Other_Letter Nonspacing_Mark Spacing_Mark
Enclosing_Mark Decimal_Number Letter_Number Other_Number Connector_Punctuation Dash_Punctuation Open_Punctuation
Close_Punctuation Initial_Punctuation Final_Punctuation Other_Punctuation Math_Symbol Currency_Symbol Modifier_Symbol
Other_Symbol Space_Separator Line_Separator Paragraph_Separator Control Format Private_Use Unassigned""".split()
# What of these three is not in Ll, Lu, or L and Nl.
OTHERS = ["Other_Alphabetic", "Other_Lowercase", "Other_Uppercase"]
BINARY = ["Emoji", "Emoji_Presentation", "Emoji_Modifier", "Emoji_Modifier_Base", "Emoji_Component", "Extended_Pictographic"]
BINARY += ["Ideographic", "Unified_Ideograph", "Default_Ignorable_Code_Point", "Regional_Indicator", "Variation_Selector", "Dash", "Math"]


def ranges(name):
    """The ranges of code points that `\\p{name}` matches; None if the library does not know it."""
    try:
        split = pre_tokenizers.Split(Regex(rf"\p{{{name}}}+"), "removed", invert=True)
    except Exception:
        return None
    found = [(CHARS[start], CHARS[end - 1]) for _, (start, end) in split.pre_tokenize_str(TEXT)]
    # A range may reach over the surrogates.
    parts = [part for a, b in found for part in ([(a, 0xD7FF), (0xE000, b)] if a < 0xD800 <= b else [(a, b)])]
    return tuple(parts)


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = digits[number % 36]
    while number := number // 36:
        text = digits[number % 36] + text
    return text


def encoded(parts):
    numbers, end = [], 0
    for first, last in parts:
        numbers += [first - end, last - first]
        end = last + 1
    return " ".join(map(base36, numbers))


def plain(name):
    return re.sub("[ _-]", "", name).lower()


def scripts_of(source):
    """The pre-tokenizer's scripts, which are those of sentencepiece: [(first, last, script)]."""
    found = re.findall(r"^\s*0x([0-9A-F]+)(?:\.\.=0x([0-9A-F]+))? => Script::(\w+)", source, re.M)
    scripts = sorted((int(first, 16), int(last or first, 16), name) for first, last, name in found)
    merged = []
    for first, last, name in scripts:
        name = "Han" if name in ("Hiragana", "Katakana") else name
        parts = [(first, last, name)]
        for special, other in [(0x20, None), (0x30FC, "Han")]:
            parts = [q for a, b, n in parts for q in split_at(a, b, n, special, other)]
        for a, b, n in parts:
            if merged and merged[-1][1] + 1 == a and merged[-1][2] == n:
                merged[-1] = (merged[-1][0], b, n)
            else:
                merged.append((a, b, n))
    return merged


def split_at(a, b, name, special, other):
    if not a <= special <= b:
        return [(a, b, name)]
    parts = [(a, special - 1, name), (special, special, other), (special + 1, b, name)]
    return [(a, b, n) for a, b, n in parts if a <= b and n]


def main():
    listed = Path(sys.argv[1]).read_text().split("\n")
    listed = [name.strip() for name in listed if re.fullmatch(r"\w+", name.strip()) and not name.startswith("In_")]
    sets = {name: ranges(name) for name in [*CATEGORIES, *OTHERS, *BINARY]}
    aliases = {name: {plain(name), plain(long)} for name, long in zip(CATEGORIES, CATEGORY_NAMES)}
    aliases |= {name: {plain(name)} for name in [*OTHERS, *BINARY]}
    known = {ranges: name for name, ranges in sets.items()}
    scripts, order = {}, {}
    for name in listed:
        if (name[0].isupper() and len(name) > 2) and (found := ranges(name)):
            if found in known:
                aliases[known[found]].add(plain(name))
            else:
                scripts.setdefault(found, []).append(name)
    # A script has a name of four letters, too, except these.
    single = "Common Inherited Han Yi Vai Nko Lao Newa Ahom Cham Kawi Lisu Miao Modi Mro Thai Toto Garay".split()
    other = re.compile("ASCII|Changes|Case|Grapheme|I[DS]|XID|Pattern|Bidi|Join|Other|Hex|Default|InCB|Logical|Soft|Unknown|Diacritic|Extender")
    for found, names in scripts.items():
        if not other.match(names[0]) and (names[0] in single or any(len(name) == 4 for name in names[1:])):
            order[names[0]] = found
            aliases[names[0]] = set(map(plain, names))
    sets |= order
    lines = ["//! Written by make_regex_tables.py: code points as numbers in base 36, for each range how many lie before it and how", "//! many it has, less 1.", ""]
    lines += ["/// Properties: their names, and the code points that have them.", "pub(super) const PROPERTIES: &[(&[&str], &str)] = &["]
    for name, found in sets.items():
        names = ", ".join(f'"{alias}"' for alias in sorted(aliases[name]))
        lines += ["    (", f"        &[{names}],", f'        "{encoded(found)}",', "    ),"]
    lines += ["];", ""]
    merged = scripts_of(Path(sys.argv[2]).read_text())
    names = sorted({name for *_, name in merged})
    text, end = [], 0
    for first, last, name in merged:
        text += [base36(first - end), base36(last - first), base36(names.index(name))]
        end = last + 1
    lines += ["/// The scripts of UnicodeScripts: for each range a third number, which is the script's.", "pub(super) const SCRIPTS: &str =", f'    "{" ".join(text)}";']
    TABLES.write_text("\n".join(lines) + "\n")
    print(len(sets), "properties;", len(names), "scripts;", TABLES.stat().st_size, "bytes")
    for name, found in order.items():
        print(name, sorted(aliases[name]), len(found), end="; ")


main()
