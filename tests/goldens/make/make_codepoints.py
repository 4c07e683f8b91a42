"""Writes ../families/codepoints.json: the tokens of every Unicode scalar value, as sums over blocks, about
10 minutes.

    python3 make_codepoints.py [FOLDER]              FOLDER has further tokenizers, a folder each
    python3 make_codepoints.py FOLDER NAME FIRST     prints the results of a block, which begins at FIRST (hexadecimal)

The texts of a code point are itself and `TEXTS[1]` with it; of each the ids and the offsets, in code points, without special
tokens. The CRC-32 of these numbers, as little-endian 32 bits each with their count first, is the code point's number; a block
has the sum of them and the sum of them times their places in the block (from 1), of which follows where a single one differs.
"""

import json
import sys
import zlib
from array import array
from pathlib import Path

from tokenizers import Tokenizer

FAMILIES = Path(__file__).parents[1] / "families"
# The second shows the ends of grapheme clusters to a charsmap, which treats U+00AA and its combining marks as one text.
TEXTS = ["{}", "a{}b \u00aa{}\u00aa"]
# "bytes" and "code points": another model replaces the file's model, whose unknown token hides the output of the normalizers.
NAMES = ["roberta", "modernbert", "unigram-bytefallback", *(f"{name} bytes" for name in ["xlmr-old", "albert-old", "xlmr", "albert"])]
NAMES.append("mpnet code points")
SPECIAL = ["<unk>", "[CLS]", "[SEP]", "[PAD]"]


def blocks():
    """Blocks of 256 in the first two planes, which have most assigned characters, and of 4,096 in the others."""
    for first in [*range(0, 0x20000, 256), *range(0x20000, 0x110000, 4096)]:
        if not 0xD800 <= first < 0xE000:
            yield range(first, first + (256 if first < 0x20000 else 4096))


def with_bytes(file):
    """The same normalizers and pre-tokenizers before a model of `a`, `b`, U+2581 and all bytes."""
    pieces = [*SPECIAL, "a", "b", "\u2581"]
    vocab = [[piece, -1.0] for piece in pieces] + [[f"<0x{byte:02X}>", -2.0] for byte in range(256)]
    model = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": True}
    return file | {"model": model, "added_tokens": [], "post_processor": None, "decoder": None}


def all_code_points(file):
    """The same before a WordPiece of every code point, beginning a word and continuing one; no token has white space."""
    tokens = ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            tokens += [chr(code), "##" + chr(code)]
    model = file["model"] | {"unk_token": "[UNK]", "vocab": {token: id for id, token in enumerate(tokens)}}
    return file | {"model": model, "added_tokens": [], "post_processor": None, "decoder": None}


def load(folder, name):
    base, _, model = name.partition(" ")
    file = json.loads((folder / base / "tokenizer.json").read_text(encoding="utf-8"))
    made = {"": lambda file: file, "bytes": with_bytes, "code points": all_code_points}[model](file)
    tokenizer = Tokenizer.from_str(json.dumps(made))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def results(tokenizer, block):
    texts = [text.replace("{}", chr(code)) for code in block for text in TEXTS]
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    for at, code in enumerate(block):
        yield code, [(e.ids, e.offsets) for e in encodings[at * len(TEXTS) : (at + 1) * len(TEXTS)]]


def number(result):
    numbers = array("I")
    for ids, offsets in result:
        numbers.append(len(ids))
        numbers.extend(ids)
        for offset in offsets:
            numbers.extend(offset)
    return zlib.crc32(numbers.tobytes())


def sums(tokenizer):
    text = ""
    for block in blocks():
        numbers = [number(result) for _, result in results(tokenizer, block)]
        placed = sum(at * number for at, number in enumerate(numbers, 1))
        text += f"{sum(numbers) & 0xFFFFFFFF:08x}{placed & 0xFFFFFFFF:08x}"
    return text


if len(sys.argv) > 2:
    first = int(sys.argv[3], 16)
    tokenizer = load(Path(sys.argv[1]), sys.argv[2])
    for code, result in results(tokenizer, next(block for block in blocks() if block.start == first)):
        print(f"U+{code:04X}", *[f"{ids} {[list(offset) for offset in offsets]}" for ids, offsets in result])
else:
    folders = [FAMILIES, *map(Path, sys.argv[1:])]
    golden = {}
    for name in NAMES:
        folder = next((folder for folder in folders if (folder / name.split()[0]).exists()), None)
        if folder is not None:
            print(name, flush=True)
            golden[name] = sums(load(folder, name))
    (FAMILIES / "codepoints.json").write_text(json.dumps(golden, indent=1) + "\n", encoding="ascii")
