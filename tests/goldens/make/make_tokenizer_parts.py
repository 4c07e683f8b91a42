"""tests/goldens/tokenizer-parts/: models, decoders and post-processors of tokenizer.json, by the library `tokenizers`.

    python make_tokenizer_parts.py OUT

Random combinations with a fixed seed. `models.json`: whole files. `decoders.json` and `processors.json`: one file, and a
part to put into it per case. Offsets are in code points. A row that the library panics at is left out; a row with `error`
is one that it refuses.
"""

import json
import os
import random
import sys

from tokenizers import Tokenizer

R = random.Random(35)
TEXTS = [
    "Hello world", "Don't stop!", " two  spaces ", "naïve CAFÉ", "日本語 text", "🙂 12 345", "<s> a </s>", "a<unk>b <mask> c", "\tTab\nline",
    "ﬁ Å e\u0301", "it 's n't .", "supercalifragilistic", "x", "",
]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
ADDED = [
    dict(id=at, content=text, single_word=False, lstrip=text == "<mask>", rstrip=False, normalized=False, special=True)
    for at, text in enumerate(SPECIAL)
]
BYTES = ["<0x%02X>" % byte for byte in range(256)]


def file(model, **parts):
    none = dict.fromkeys(["truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"])
    return {"version": "1.0", "added_tokens": ADDED, **none, **parts, "model": model}


def library(json_file):
    return Tokenizer.from_str(json.dumps(json_file))


def byte_level(**options):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True, **options}


def metaspace(scheme="always", replacement="▁", split=True):
    return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": split}


def bert(**options):
    return {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True, **options}


BEFORE = [
    (None, None), (bert(), {"type": "BertPreTokenizer"}), (bert(lowercase=False, handle_chinese_chars=False), {"type": "Whitespace"}),
    ({"type": "Lowercase"}, {"type": "WhitespaceSplit"}), ({"type": "NFKC"}, {"type": "Sequence", "pretokenizers": []}),
    ({"type": "Sequence", "normalizers": [{"type": "NFD"}, bert(strip_accents=True, lowercase=False)]}, byte_level()),
    (None, byte_level(add_prefix_space=True, use_regex=False)), ({"type": "Strip", "strip_left": True, "strip_right": True}, metaspace("first")),
    (None, {"type": "Sequence", "pretokenizers": [byte_level(), {"type": "BertPreTokenizer"}, metaspace("never")]}),
    ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, None), (bert(), metaspace(split=False)), ({"type": "Prepend", "prepend": "▁"}, {"type": "Whitespace"}),
]


def words(normalizer, pre_tokenizer):
    found = library(file({"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}, normalizer=normalizer, pre_tokenizer=pre_tokenizer))
    all_words = set()
    for text in TEXTS:
        text = found.normalizer.normalize_str(text) if normalizer else text
        split = found.pre_tokenizer.pre_tokenize_str(text) if pre_tokenizer else [(text, None)]
        all_words |= {word for word, _ in split if word}
    return sorted(all_words)


def parts_of(all_words, count):
    found = set()
    for _ in range(count):
        word = R.choice(all_words)
        start = R.randrange(len(word))
        found.add(word[start:start + R.randint(1, 5)])
    return sorted(found)


def numbered(tokens):
    return {token: at for at, token in enumerate(dict.fromkeys(tokens))}


def letters(all_words, share=0.85):
    return [c for c in sorted({c for word in all_words for c in word}) if R.random() < share]


def word_piece(all_words, special, prefix="##", most=100):
    some = letters(all_words)
    tokens = special + some + [prefix + c for c in some] + parts_of(all_words, 30) + [prefix + part for part in parts_of(all_words, 30)]
    return {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": prefix, "max_input_chars_per_word": most, "vocab": numbered(tokens)}


def word_level(all_words, special):
    return {"type": "WordLevel", "vocab": numbered(special + R.sample(all_words, len(all_words) * 2 // 3)), "unk_token": "<unk>"}


def unigram(all_words, special, unk=True, byte_fallback=False):
    tokens = list(dict.fromkeys(special + letters(all_words) + parts_of(all_words, 40) + (BYTES if byte_fallback else [])))
    vocab = [[token, 0.0 if token in SPECIAL else -R.randint(1, 4000) / 256] for token in tokens]
    return {"type": "Unigram", "unk_id": tokens.index("<unk>") if unk else None, "vocab": vocab, "byte_fallback": byte_fallback}


def bpe(all_words, special, prefix=None, suffix=None, byte_fallback=False, lines=False, share=0.85, **options):
    before, behind = prefix or "", suffix or ""
    some = letters(all_words, share)
    tokens = dict.fromkeys(special + some + [before + c for c in some] + [c + behind for c in some] + [before + c + behind for c in some] + (BYTES if byte_fallback else []))
    merges = []
    for _ in range(60):
        word = R.choice(all_words)
        units = [(before if at else "") + c + (behind if at == len(word) - 1 else "") for at, c in enumerate(word)]
        for left, right in merges:
            at = 0
            while at < len(units) - 1:
                if (units[at], units[at + 1]) == (left, right):
                    units[at:at + 2] = [left + right[len(before):]]
                else:
                    at += 1
        if len(units) > 1:
            at = R.randrange(len(units) - 1)
            left, right = units[at], units[at + 1]
            if left in tokens and right in tokens and (left, right) not in merges and " " not in left + right:
                merges.append((left, right))
                tokens[left + right[len(before):]] = None
    pairs = [" ".join(pair) for pair in merges] if lines else [list(pair) for pair in merges]
    base = dict(dropout=None, unk_token="<unk>", fuse_unk=False, ignore_merges=False)
    marks = dict(continuing_subword_prefix=prefix, end_of_word_suffix=suffix, byte_fallback=byte_fallback)
    return {"type": "BPE", **base, **options, **marks, "vocab": numbered(tokens), "merges": pairs}


WITHOUT = [token for token in SPECIAL if token != "<unk>"]
MODELS = [
    (word_piece, {}), (word_piece, dict(prefix="@@", most=7)), (word_piece, dict(prefix="")), (word_piece, dict(most=300)), (word_piece, dict(special=WITHOUT)),
    (word_level, {}), (word_level, dict(special=WITHOUT)),
    (unigram, {}), (unigram, dict(unk=False)), (unigram, dict(byte_fallback=True)), (unigram, dict(unk=False, byte_fallback=True)), (unigram, dict(unk=False, share=1)),
    (bpe, {}), (bpe, dict(fuse_unk=True, lines=True)), (bpe, dict(unk_token=None)), (bpe, dict(special=WITHOUT)), (bpe, dict(prefix="##", ignore_merges=True)),
    (bpe, dict(suffix="</w>", fuse_unk=True)), (bpe, dict(prefix="@", suffix="</w>", lines=True)), (bpe, dict(byte_fallback=True)),
    (bpe, dict(byte_fallback=True, suffix="</w>")), (bpe, dict(dropout=1.0, ignore_merges=True)), (bpe, dict(dropout=0.0, ignore_merges=True)), (bpe, dict(prefix="", suffix="")),
]


def answers(found, text, pair=None, special=True, most=None):
    row = dict(text=text, special=special) | (dict(pair=pair) if pair is not None else {}) | (dict(most=most) if most else {})
    try:
        found.no_truncation()
        if most:
            found.enable_truncation(most)
        encoding = found.encode(text, pair, add_special_tokens=special)
    except Exception as error:  # what the library refuses; a panic is no Exception
        return row | dict(error=str(error))
    except BaseException:
        return None
    row |= dict(ids=encoding.ids, types=encoding.type_ids)
    return row if pair is not None else row | dict(offsets=encoding.offsets)


def models():
    cases = []
    for at, (make, options) in enumerate(MODELS):
        for shift in (0, 5):
            normalizer, pre_tokenizer = BEFORE[(at + shift) % len(BEFORE)]
            options_here = dict(options)
            if make is unigram:
                options_here.pop("share", None)
            special = options_here.pop("special", SPECIAL)
            model = make(words(normalizer, pre_tokenizer), special, **options_here)
            # Half of them trim offsets, by what the tokens are written as.
            post_processor = PROCESSORS[2] if shift else None
            case = file(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer, post_processor=post_processor)
            rows = [answers(library(case), text) for text in TEXTS]
            cases.append(dict(file=case, rows=[row for row in rows if row]))
    return cases


DECODERS = [
    byte_level(), *[dict(type="WordPiece", prefix=prefix, cleanup=cleanup) for prefix in ("##", "@@", "") for cleanup in (True, False)],
    *[metaspace(scheme, replacement) for scheme, replacement in (("always", "▁"), ("first", "_"), ("never", "▁"))],
    *[dict(type="BPEDecoder", suffix=suffix) for suffix in ("</w>", "a", "")],
    *[dict(type="CTC", pad_token=pad, word_delimiter_token=mark, cleanup=cleanup) for pad, mark, cleanup in (("<pad>", "|", True), ("a", "b", True), ("<pad>", "|", False), ("", "", True))],
    *[dict(type="Replace", pattern={"String": pattern}, content=content) for pattern, content in (("▁", " "), ("##", ""), ("a", "xy"), ("", "-"))],
    dict(type="Fuse"), dict(type="ByteFallback"), *[dict(type="Strip", content=content, start=start, stop=stop) for content, start, stop in ((" ", 1, 0), ("▁", 2, 1), ("a", 0, 1))],
]


def decoders():
    tokens = SPECIAL + [
        "a", "b", "##a", "@@b", "▁x", "_y", "▁", "▁▁z▁", "w</w>", "</w>", "|", "Ġthe", "Ã©", "é", "<0xE2>", "<0x82>", "<0xAC>", "<0xe2>", "<0xGG>", "n't", ".", "'", "do", "not", "'s", "aa", " sp", "日",
    ]
    base = file(dict(type="WordLevel", vocab=numbered(tokens), unk_token="<unk>"))
    parts = list(DECODERS) + [None]
    for _ in range(90):
        parts.append(dict(type="Sequence", decoders=[R.choice(DECODERS) for _ in range(R.randint(0, 5))]))
    parts.append(dict(type="Sequence", decoders=[dict(type="Sequence", decoders=DECODERS[9:11]), dict(type="Fuse")]))
    cases = []
    for part in parts:
        found = library(base | dict(decoder=part))
        rows = []
        for _ in range(6):
            ids = [R.randrange(len(tokens)) for _ in range(R.randint(0, 12))]
            if R.random() < 0.3:
                ids += [19, 20, 21]
            for skip in (False, True):
                try:
                    rows.append(dict(ids=ids, skip=skip, text=found.decode(ids, skip_special_tokens=skip)))
                except BaseException:
                    pass
        cases.append(dict(decoder=part, rows=rows))
    return dict(file=base, cases=cases)


def template(single, pair):
    pieces = {"A": "Sequence", "B": "Sequence"}
    part = lambda name, type_id: {pieces.get(name, "SpecialToken"): {"id": name, "type_id": type_id}}
    ids = {"<s>": [0], "</s>": [2], "two": [0, 4]}
    special = {name: dict(id=name, ids=ids[name], tokens=[SPECIAL[id] for id in ids[name]]) for name in ids}
    return dict(type="TemplateProcessing", single=[part(*one) for one in single], pair=[part(*one) for one in pair], special_tokens=special)


PROCESSORS = [
    dict(type="BertProcessing", sep=["</s>", 2], cls=["<s>", 0]),
    *[dict(type="RobertaProcessing", sep=["</s>", 2], cls=["<s>", 0], trim_offsets=trim, add_prefix_space=space) for trim, space in ((True, True), (True, False), (False, True))],
    *[byte_level(trim_offsets=trim, add_prefix_space=space) for trim, space in ((True, True), (True, False), (False, True))],
    template([("<s>", 0), ("A", 0), ("</s>", 0)], [("<s>", 0), ("A", 0), ("</s>", 0), ("B", 1), ("</s>", 1)]),
    template([("A", 3), ("two", 5)], [("B", 2), ("</s>", 4), ("A", 1)]), template([("A", 0)], [("A", 0), ("B", 1)]), template([("two", 0), ("A", 0)], [("A", 0), ("two", 0), ("B", 0)]),
]


def processors():
    pre_tokenizer = byte_level(add_prefix_space=True)
    model = bpe(words(None, pre_tokenizer), SPECIAL, share=1)
    base = file(model, pre_tokenizer=pre_tokenizer)
    parts = list(PROCESSORS) + [None] + [dict(type="Sequence", processors=[first, then]) for first in PROCESSORS for then in PROCESSORS]
    for _ in range(40):
        parts.append(dict(type="Sequence", processors=[R.choice(PROCESSORS) for _ in range(R.randint(0, 4))]))
    cases = []
    for part in parts:
        found = library(base | dict(post_processor=part))
        rows = [answers(found, R.choice(TEXTS[:7]), special=special) for special in (True, False)]
        rows += [answers(found, R.choice(TEXTS[:7]), R.choice(TEXTS[:7]), special=special) for special in (True, False)]
        rows += [answers(found, " two  spaces  a", most=9), answers(found, "Hello world", " two  spaces", most=12)]
        rows = [row for row in rows if row]
        # Where the library panics at a text with special tokens, the file is no use.
        cases.append(dict(post_processor=part, rows=rows, panics=len(rows) < 6))
    return dict(file=base, cases=cases)


os.makedirs(sys.argv[1], exist_ok=True)
for name, made in (("models", models()), ("decoders", decoders()), ("processors", processors())):
    with open(os.path.join(sys.argv[1], name + ".json"), "w", encoding="utf8") as out:
        json.dump(made, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")
