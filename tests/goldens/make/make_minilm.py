"""Makes minilm/cosines.json of this folder's parent again from its texts: cosines of all-MiniLM-L6-v2's sentence vectors. Takes a second.

    python3 -m venv VENV; VENV/bin/pip install "transformers==4.57.6" torch
    VENV/bin/python make_minilm.py FOLDER   # of all-MiniLM-L6-v2; models/train/README.md says where it comes from
"""
import json
import sys
from pathlib import Path

from common import setup_torch

torch = setup_torch()
import transformers as T

FILE = Path(__file__).parent.parent / "minilm" / "cosines.json"

texts = json.loads(FILE.read_text())["texts"]
tokenizer = T.AutoTokenizer.from_pretrained(sys.argv[1])
model = T.AutoModel.from_pretrained(sys.argv[1], attn_implementation="eager", dtype=torch.float32).eval()
with torch.no_grad():
    inputs = tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
    mask = inputs["attention_mask"].unsqueeze(-1)
    pooled = (model(**inputs).last_hidden_state * mask).sum(1) / mask.sum(1)
    vectors = torch.nn.functional.normalize(pooled, dim=-1)
cosines = [[round(value, 4) for value in row[:i]] for i, row in enumerate((vectors @ vectors.T).tolist())]
lines = ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in cosines)
FILE.write_text('{"texts": ' + json.dumps(texts, indent=1, ensure_ascii=False) + ',\n"cosines": [\n' + lines + "\n]}\n")
