"""Copies a part of the goldens of the families' tokenizers to this folder: python3 select.py FOLDER.

FOLDER has a tokenizer a folder, as save_pretrained of transformers 4.57.6 and tokenizers 0.22.2 writes it, with what
these give for strings, pairs, windows and batches (JSON lines) beside it. Of every kind of string and of every file
some rows are taken.
"""

import json
import sys
from pathlib import Path

SOURCE, TARGET = Path(sys.argv[1]), Path(__file__).parent
NAMES = ["roberta", "roberta-prefix", "roberta-added", "modernbert", "xlmr-old", "albert-old", "unigram-bytefallback", "mpnet"]
FILES = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
ROWS = {"single": 2, "lone-surrogates": 2, "pairs-truncation": 12, "sliding-window": 5, "padding": 4, "decode": 10}
FIELDS = {"tokens", "offsets_utf16", "special_tokens_mask", "sequence_ids", "default", "tokens_to_string"}


def bare(row):
    outputs = [bare(output) for output in row["outputs"]] if "outputs" in row else None
    row = {k: v for k, v in row.items() if k not in FIELDS}
    return row | ({"outputs": outputs} if outputs is not None else {})


for name in NAMES:
    (TARGET / name).mkdir(exist_ok=True)
    older = ["vocab.json", "merges.txt"] if name == "roberta" else ["vocab.txt"] if name == "mpnet" else []
    for file in FILES + older:
        (TARGET / name / file).write_bytes((SOURCE / name / file).read_bytes())
    for file, count in ROWS.items():
        path = SOURCE / name / f"{file}.jsonl"
        if not path.exists():
            continue
        rows, taken = [], {}
        for line in path.read_text(encoding="ascii").splitlines():
            row = json.loads(line)
            kind = row.get("category", "")
            if "same_as" in row or len(line) > 6000 or taken.get(kind, 0) >= count:
                continue
            taken[kind] = taken.get(kind, 0) + 1
            rows.append(json.dumps(bare(row), separators=(",", ":")) + "\n")
        (TARGET / name / f"{file}.jsonl").write_text("".join(rows), encoding="ascii")
