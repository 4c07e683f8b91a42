"""Token types by how words are written, tests/goldens/word_shapes.json: rows of [text, tokens, types], made by the code with which
minilm-entities is trained (models/train/word_shapes.py) and the library `tokenizers`."""

import json
import pathlib
import sys

from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "models/train"))
import word_shapes  # noqa: E402

TEXTS = [
    "Anna Kovács met McDonald and O'Brien at NATO; iPhone, eBay, x and I.",
    "Name:\tANNA\tKovács\r\nborn:  May\n\n  Leeds (UK)",
    "a b\u2028C\u2029d\x0bE\x0cf\x85g\u00a0H\u3000I",
    "Straße ÉCOLE Éa İstanbul ŁÓDŹ łódź Ødegård ΑΘΉΝΑ Αθήνα МОСКВА Москва დედა Ⅷ ǅ",
    "A4 B2B AB12 4A xK9s X1 12 3D 4ab",
    "Antidisestablishmentarianism UNCHARACTERISTICALLY deoxyribonucleicAcid",
    "東京のAnnaさんはTokyoに住む。김민수 Kim دکتر Ali",
    "[MASK] Anna[SEP]Bob [CLS]x",
    " leading, trailing ",
    "\nLine\n\tTab A",
    "Anna.Kovacs@Example.org https://Example.ORG/Path?Q=A_b",
    "e\u0301cole E\u0301COLE \u200bZero \u00adSoft \ufeffMark",
    "😀Anna 👍 Bob",
    "",
    " \n ",
]

tokenizer = Tokenizer.from_file(str(ROOT / "models/minilm-mlm/tokenizer.json"))
tokenizer.no_truncation()
tokenizer.no_padding()
rows = [(text, encoding.tokens, word_shapes.types(text, encoding)) for text, encoding in zip(TEXTS, tokenizer.encode_batch(TEXTS))]
out = ROOT / "tests/goldens/word_shapes.json"
out.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
