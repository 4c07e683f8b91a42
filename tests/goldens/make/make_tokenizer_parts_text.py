"""Writes ../tokenizer-parts-text/cases.json: results of the normalizers and pre-tokenizers of the `tokenizers` library for texts.
About 1 minute.

    python3 make_tokenizer_parts_text.py

`cases`: a normalizer and a pre-tokenizer as in a tokenizer.json, the numbers of some `texts`, and the words of each:
text, first byte, last byte + 1, both in the caller's text. `codepoints`: the same over a text of all code points in order,
as the number of words and a sum over them (see `digest`). `refused`: regular expressions that the library does not compile.
Texts at which the library itself panics are left out.
"""

import json
from pathlib import Path

import tokenizers
from tokenizers import Regex, Tokenizer, models
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P

FOLDER = Path(__file__).parents[1] / "tokenizer-parts-text"
TEXTS = [
    "",
    " ",
    "a",
    "  Two  spaces, don't I'LL they'RE 3.14 1,000,000 (x)…  ",
    "cafe\u0301 na\u00efve \u00c5\u0303\u0323 q\u0323\u0307 \u1e9b\u0323 \ufb01n \u2460\u00bd",
    "\u1112\u1161\u11ab \ud55c\uad6d\uc5b4 日本語カタカナーひらがな漢字ー 我喜欢 北京。2008年",
    "👨‍👩‍👧‍👦👍🏽🇩🇪🇫🇷 ❤️ 𝒳𝓎 𐍈 𠀋𠮷",
    "tab\tnew\nline\r\ncrlf\r\n\r\n\u0085\u2028end\n",
    "\x00\x01\x08\x0b\x1f\x7f\x8f\x9f\xad\u200b\u200d\ufeff\ufffd\u2581▁a",
    "Привет, МИР! ёЁ مرحبا ١٢٣ नमस्ते शָׁ ไทย",
    "ΑΣ ς ΐ ᾳ ᾼ İI ıi ß ẞ ﬀ ﬃ K Å ſs SS ss Straße fi",
    "x²³¹¼½ ⅷ ٣ １２３ Ｆｕｌｌ ﾊﾝｶｸ",
    "a_b-c.d/e\\f:g;h@i#j&k*l+m=n~o`p^q|r{s}t[u]v<w>",
    "CC(=O)Oc1ccccc1C(=O)O.[Na+] ACGTNNACG",
    "def f(x):\n    return x**2  # ok\n\n\n\ty = '''z'''",
    "the-final--countdown aaa   bbb\t\tccc getHTTPResponse2Go",
    "\u0f73\u0f71\u0f72 \u0344 a\u0300\u0301\u0345b \u00a0\u3000\u2003\u202f",
    "!!! ?!?! ... --- ''",
]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
SMILES = r"(\[[^\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|\/|:|~|@|\?|>|\*|\$|\%[0-9]{2}|[0-9])"
PATTERNS = [GPT2, CL100K, LLAMA3, QWEN2, O200K, DEEPSEEK, CLIP, SMILES]
PATTERNS += [r"[ACGTN]{3}", r".{1,6}", r"(?m).{2}", r"\w+|[^\w\s]+", r"[0-9]{1,3}(?=(?:[0-9]{3})*(?![0-9]))", r"[一-龥぀-ゟ゠-ヿ]+"]
PATTERNS += [r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\s+", r"(?<!\s)\s", r"(?<=ab?c?|e)d|(?<=\d{1,3})\D", r"\b", r"\B."]
PATTERNS += [r"^", r"$", r"^.|.$", r"\A.|.\Z", r"\s+\z", r"\R", r"\h+", r"\N+", r"\O{2}", r"[[:punct:]]|\p{^Punct}{2}", r"[[:^alnum:][:digit:]]+"]
PATTERNS += [r"(?i)ss", r"(?i)ß|FFI", r"(?i)[à-ÿk]", r"(?i)[^k-s]+", r"(?i)\p{Lu}+|σ", r"(?i)stra(?-i:SSE)|ı|İ", r"a(?i)b|c", r"(?i)(.)\1"]
PATTERNS += [r"x*", r"", r"(?>a+)b|a*?\n", r"(.)\1", r"(?<q>[a-z]).\k<q>", r"a{2}?b|c{,2}|s{3,1}", r"a{,}|a{|}", r"(?:a|b)*c?|(?:s?)*?x"]
PATTERNS += [r"[a-z&&[^aeiou]]+", r"[]a-]|[^]\d]+", r"[\w-]+", r"\x41|\u0061|\xe3\x83\xbc|\x{1F44D}", r"(?x) a  b # c", r"a\Kb|(?#no)\t"]
PATTERNS += [r"(?:(?!an|in).)+", r"(?=.*\d)\w+", r" {2,}|[^\S\r\n]+", r"\p{Latin}+|\p{cyrl}+", r"[\p{L}&&\p{Greek}]+|\p{M}", r"(?:\r\n|\r|\n)"]
BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
CLASSES = [r"\w", r"[\w]", r"\W", r"\d", r"\s", r"\h", r".", r"[[:punct:]]", r"\p{Punct}", r"[[:graph:]]", r"[[:print:]]", r"[[:cntrl:]]", r"[[:blank:]]"]
CLASSES += [r"\p{Alphabetic}", r"\p{Lower}", r"\p{Upper}", r"(?i)[[:upper:]]", r"(?i)[^a-zσ]", r"\p{Emoji}", r"\p{Extended_Pictographic}", r"\p{C}", r"\p{Cn}"]
CLASSES += [rf"\p{{{name}}}" for name in "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs".split()]
CLASSES += [rf"\p{{{name}}}" for name in "Han Hiragana Katakana Hangul Latin Greek Cyrillic Arabic Hebrew Devanagari Thai Common Inherited".split()]
REFUSED = ["(", ")", "[", "[]", "a)", "*a", "{2}", "^*", r"(?:^|a)+", "[b-a]", r"[\w-z]", r"\2", r"\k<a>", "a\\", r"(?P<a>b)", r"(?s).", r"\p{Foo}", r"\p{L", "(?z)a", r"(?<a>b)\1"]


def split(pattern, behavior="isolated", invert=False):
    return P.Split(Regex(pattern), behavior, invert)


def cases():
    """Names, normalizers, pre-tokenizers and how many texts."""
    for at, pattern in enumerate(PATTERNS):
        yield f"Split {pattern}", None, split(pattern, BEHAVIORS[at % 5] if at > 7 else "isolated", at % 7 == 6)
        if at % 3 == 0:
            yield f"Replace {pattern}", N.Replace(Regex(pattern), ["▁", "", "日x"][at // 3 % 3]), P.WhitespaceSplit()
    for behavior in BEHAVIORS:
        for invert in [False, True]:
            yield f"Split string {behavior} {invert}", None, P.Split("-", behavior, invert)
        yield f"Punctuation {behavior}", None, P.Punctuation(behavior)
        yield f"Split runs {behavior}", N.Lowercase(), split(r"[a-z]{2}|\s", behavior)
    yield "Split empty string", None, P.Split("", "isolated")
    for individual in [False, True]:
        yield f"Digits {individual}", None, P.Sequence([P.Digits(individual), P.UnicodeScripts()])
    for length in [1, 3, 7]:
        yield f"FixedLength {length}", N.NFD(), P.FixedLength(length)
    yield "CharDelimiterSplit", None, P.CharDelimiterSplit("▁")
    yield "UnicodeScripts", N.NFKC(), P.UnicodeScripts()
    for scheme in ["always", "first", "never"]:
        yield f"Metaspace {scheme}", None, P.Sequence([P.Punctuation("merged_with_previous"), P.Metaspace("▁", scheme, True)])
        yield f"Metaspace whole {scheme}", N.Strip(), P.Sequence([split(r"\d"), P.Metaspace("_", scheme, False)])
    yield "ByteLevel then Digits", None, P.Sequence([P.ByteLevel(True), P.Digits(True), P.Whitespace()])
    yield "ByteLevel behind Split", None, P.Sequence([split(LLAMA3), P.ByteLevel(False, use_regex=False)])
    yield "ByteLevel normalizer", N.Sequence([N.NFC(), N.ByteLevel()]), P.ByteLevel(False)
    yield "deepseek", None, P.Sequence([split(r"\p{N}{1,3}"), split(r"[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK), P.ByteLevel(False, use_regex=False)])
    for clean in [False, True]:
        for strip in [None, True, False]:
            normalizer = N.Sequence([N.BertNormalizer(clean, not clean, strip, strip is None), N.Lowercase()])
            yield f"BertNormalizer {clean} {strip}", normalizer, P.BertPreTokenizer()
    yield "Nmt", N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " ")]), P.Metaspace()
    yield "Prepend", N.Sequence([N.Prepend("▁x"), N.Replace(" ", "▁"), N.StripAccents()]), split("▁", "merged_with_next")
    yield "Prepend nothing", N.Prepend(""), P.Whitespace()
    yield "Strip", N.Sequence([N.Strip(True, False), N.NFKD(), N.StripAccents(), N.Strip(False, True)]), P.Whitespace()
    yield "Replace then forms", N.Sequence([N.Replace("'", "''"), N.NFD(), N.Replace(Regex(r"\p{Mn}+"), "^"), N.NFC()]), P.BertPreTokenizer()
    yield "Replace empty string", N.Replace("", "-"), P.WhitespaceSplit()
    yield "Replace at the start", N.Replace(Regex("^"), "▁"), split("▁", "merged_with_next")
    yield "nested", N.Sequence([N.Sequence([N.NFD(), N.Sequence([N.StripAccents()])]), N.Lowercase()]), P.Sequence([P.Sequence([P.WhitespaceSplit()]), P.Punctuation()])
    yield "nothing", N.Sequence([]), P.Sequence([])


def words(normalizer, pre_tokenizer, text):
    """The words of a text: a WordLevel model of all that there are tells their offsets."""
    normalized = normalizer.normalize_str(text) if normalizer else text
    found = [word for word, _ in pre_tokenizer.pre_tokenize_str(normalized)]
    vocab = {word: at + 1 for at, word in enumerate(sorted(set(found)))}
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, **vocab}, unk_token="[UNK]"))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    encoding = tokenizer.encode(text)
    byte = [0]
    for c in text:
        byte.append(byte[-1] + len(c.encode()))
    return [[token, byte[start], byte[end]] for token, (start, end) in zip(encoding.tokens, encoding.offsets)]


def part(of, name):
    """The part as it stands in a tokenizer.json."""
    tokenizer = Tokenizer(models.BPE())
    if of:
        setattr(tokenizer, name, of)
    return json.loads(tokenizer.to_str())[name]


def digest(rows):
    total = 0
    for start, end in rows:
        total = (total * 31 + start * 7 + end) % 2**32
    return [len(rows), total]


def codepoints():
    text = "".join(chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    byte = [0]
    for c in text:
        byte.append(byte[-1] + len(c.encode()))
    parts = [split(rf"{pattern}+", "removed", True) for pattern in CLASSES]
    parts += [P.Digits(False), P.Punctuation("contiguous"), P.UnicodeScripts(), P.Whitespace(), P.WhitespaceSplit(), P.BertPreTokenizer()]
    for pre_tokenizer in parts:
        rows = [(byte[start], byte[end]) for _, (start, end) in pre_tokenizer.pre_tokenize_str(text)]
        yield {"pre_tokenizer": part(pre_tokenizer, "pre_tokenizer"), "digest": digest(rows)}


def main():
    made = []
    for at, (name, normalizer, pre_tokenizer) in enumerate(cases()):
        rows = []
        for number in [0, 1, *range(2 + at % 2, len(TEXTS), 2)]:
            try:
                rows.append([number, words(normalizer, pre_tokenizer, TEXTS[number])])
            except BaseException as error:  # a panic of the library
                print(name, number, str(error)[:60])
        made.append({"name": name, "normalizer": part(normalizer, "normalizer"), "pre_tokenizer": part(pre_tokenizer, "pre_tokenizer"), "rows": rows})
    for pattern in REFUSED:
        try:
            split(pattern)
            raise SystemExit(f"{pattern} is not refused")
        except Exception:
            pass
    file = {"library": f"tokenizers {tokenizers.__version__}", "texts": TEXTS, "refused": REFUSED}
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in made)
    points = ",\n".join(json.dumps(case, separators=(",", ":")) for case in codepoints())
    head = json.dumps(file, ensure_ascii=False)[:-1]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "cases.json").write_text(f'{head}, "cases": [\n{lines}\n], "codepoints": [\n{points}\n]}}\n')
    print(len(made), "cases;", (FOLDER / "cases.json").stat().st_size, "bytes")


main()
