"""Writes the expected results in tokenizer/*.jsonl again, from the inputs in the same files.

    python3 -m venv venv && venv/bin/pip install transformers==4.57.6 tokenizers==0.22.2
    venv/bin/python gen_tokenizer.py

Running it with these versions changes nothing. To add a case, append a line with its inputs (an id,
texts and options) and run it.
"""

import json
import os
from pathlib import Path

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers  # noqa: E402
from transformers import BertTokenizerFast  # noqa: E402

HERE = Path(__file__).parent.parent / "tokenizer"
VARIANTS = {
    "": {},
    "_strip_false": {"strip_accents": False},
    "_strip_true": {"strip_accents": True},
    "_nochinese": {"tokenize_chinese_chars": False},
}
TOKENIZERS = {
    vocab + suffix: BertTokenizerFast(
        vocab_file=str(HERE / f"vocab-{vocab}.txt"),
        do_lower_case=vocab == "uncased",
        model_max_length=512,
        **options,
    )
    for vocab in ("uncased", "cased")
    for suffix, options in VARIANTS.items()
}


def flat(offsets):
    return [x for pair in offsets for x in pair]


def rewrite(name, outputs):
    """Replaces the values that `outputs` returns in every line of a file."""
    path = HERE / name
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    with path.open("w", newline="\n") as file:
        for row in rows:
            inputs = {k: v for k, v in row.items() if k not in EXPECTED}
            file.write(json.dumps(inputs | outputs(inputs), separators=(",", ":")) + "\n")


EXPECTED = {*TOKENIZERS, "outputs", "error"} | {
    f"skip{skip}_clean{clean}" for skip in (0, 1) for clean in (0, 1)
}


def single(row):
    """A string under every option; options that change nothing are left out."""
    results = {}
    for name, tokenizer in TOKENIZERS.items():
        e = tokenizer(row["text"]).encodings[0]
        n = len(e.ids)
        # Leave out the parts that all cases share: [CLS], the text, [SEP].
        assert e.special_tokens_mask == [1] + [0] * (n - 2) + [1]
        assert e.type_ids == [0] * n and e.attention_mask == [1] * n
        result = {"ids": e.ids[1:-1], "offsets": flat(e.offsets[1:-1]), "words": e.word_ids[1:-1]}
        if result != results.get(name.split("_")[0]):
            results[name] = result
    return results


def encoding(e):
    assert e.special_tokens_mask == [int(s is None) for s in e.sequence_ids]
    return {
        "ids": e.ids,
        "type_ids": e.type_ids,
        "offsets": flat(e.offsets),
        "words": e.word_ids,
        "sequences": e.sequence_ids,
        "attention_mask": e.attention_mask,
    }


def call(row):
    """A call with options, of one input or of a batch; sides are attributes of the tokenizer."""
    tokenizer = TOKENIZERS[row["tokenizer"]]
    options = dict(row["options"])
    tokenizer.padding_side = options.pop("padding_side", "right")
    tokenizer.truncation_side = options.pop("truncation_side", "right")
    try:
        batch = tokenizer(row["text"], row.get("text_pair"), **options)
    except BaseException as error:  # a panic in Rust is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"error": type(error).__name__}
    samples = batch.get("overflow_to_sample_mapping", range(len(batch.encodings)))
    outputs = [encoding(e) for e in batch.encodings]
    if isinstance(row["text"], list):
        for output, sample in zip(outputs, samples):
            output["sample"] = sample
    return {"outputs": outputs}


def decode(row):
    tokenizer = TOKENIZERS[row["tokenizer"]]
    return {
        f"skip{skip}_clean{clean}": tokenizer.decode(
            row["ids"], skip_special_tokens=bool(skip), clean_up_tokenization_spaces=bool(clean)
        )
        for skip in (0, 1)
        for clean in (0, 1)
    }


def added(row):
    """Added tokens with their flags, and the normalizer of a `tokenizer.json`."""
    vocab = {token: id for id, token in enumerate(row["vocab"])}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    if row["normalizer"]:
        tokenizer.normalizer = normalizers.BertNormalizer(**row["normalizer"])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    for token in row["added"]:
        token = AddedToken(**token)
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    return {"outputs": [encoding(tokenizer.encode(text)) for text in row["texts"]]}


def ranges(code_points):
    out = []
    for c in code_points:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def code_points():
    """The result for every single code point; ranges are inclusive."""
    chars = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)

    def changed(option):
        normalizer = normalizers.BertNormalizer(**off | {option: True})
        results = ((c, normalizer.normalize_str(c)) for c in chars)
        return {c: result for c, result in results if result != c}

    clean, strip = changed("clean_text"), changed("strip_accents")
    split = {c: [s for s, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(f"a{c}b")] for c in chars}
    return {
        "removed": ranges(ord(c) for c, s in clean.items() if s == ""),
        "space": ranges(ord(c) for c, s in clean.items() if s == " "),
        "cjk": ranges(map(ord, changed("handle_chinese_chars"))),
        "punctuation": ranges(ord(c) for c in chars if split[c] == ["a", c, "b"]),
        "pretokenizer_whitespace": ranges(ord(c) for c in chars if split[c] == ["a", "b"]),
        # Hangul syllables decompose by arithmetic and are not listed.
        "strip_accents": [[ord(c), s] for c, s in strip.items() if not 0xAC00 <= ord(c) <= 0xD7A3],
        "lowercase": [[ord(c), s] for c, s in changed("lowercase").items()],
    }


rewrite("single.jsonl", single)
rewrite("pairs-truncation.jsonl", call)
rewrite("sliding-window.jsonl", call)
rewrite("padding.jsonl", call)
rewrite("decode.jsonl", decode)
rewrite("added-tokens.jsonl", added)
text = json.dumps(code_points(), separators=(",", ":"))
(HERE / "codepoints.json").write_text(text + "\n", newline="\n")
