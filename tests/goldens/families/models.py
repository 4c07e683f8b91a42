"""Copies a part of the goldens of the families' models and pipelines to models/ and pipelines/: python3 models.py FOLDER.

FOLDER has models/NAME (tiny random models as save_pretrained of transformers 4.57.6 writes them, with `cases.json`: inputs,
outputs, states and attention of every layer) and pipelines/TASK.json (inputs, options and outputs of its pipelines). Numbers
are rounded to six digits behind the point. A pipeline's model is called "families/NAME", as tests/common knows it.
"""

import json
import sys
from pathlib import Path

SOURCE, TARGET = Path(sys.argv[1]), Path(__file__).parent
FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
# the tests have other models of these families' heads
LEFT_OUT = ["roberta-mlm", "roberta-qa", "albert-base", "albert-mlm"]
# maximum numbers of a case, except cases that every model has or that show a window
MOST = 1500
TAKEN = ["ids_only", "attentions_18", "length_40_padded"]
# rows of a pipeline and model; rows with options that no earlier row had come first
ROWS = 8


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(of) for name, of in value.items()}
    if isinstance(value, list):
        return [rounded(of) for of in value]
    return round(value, 6) if isinstance(value, float) else value


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, separators=(",", ":")) + "\n", encoding="ascii")


def numbers(value):
    if isinstance(value, (dict, list)):
        return sum(map(numbers, value.values() if isinstance(value, dict) else value))
    return 1


def is_taken(model, case):
    # the first token is masked and nothing is in reach of it: the value that the head reads depends on the padding
    if (model, case["name"]) == ("modernbert-seqcls", "left_padded"):
        return False
    if case["name"] in TAKEN[1:]:
        return model == "modernbert-base"
    return case["name"] in TAKEN or numbers(case["outputs"]) <= MOST


names = [path.name for path in sorted((SOURCE / "models").iterdir()) if path.is_dir() and path.name not in LEFT_OUT]
for name in names:
    source, target = SOURCE / "models" / name, TARGET / "models" / name
    target.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        (target / file).write_bytes((source / file).read_bytes())
    golden = json.loads((source / "cases.json").read_text(encoding="ascii"))
    cases = [case for case in golden["cases"] if is_taken(name, case)]
    write(target / "cases.json", {"cases": rounded(cases)})

for source in sorted((SOURCE / "pipelines").glob("*-*.json")):
    rows, seen, later, counts = [], set(), [], {}
    for row in json.loads(source.read_text(encoding="ascii")):
        options = (row["model"], json.dumps(row["options"]), "error" in row, type(row["inputs"]).__name__)
        (later if options in seen else rows).append(row)
        seen.add(options)
    taken = []
    for row in rows + later:
        model = row["model"]
        if model in names and counts.get(model, 0) < ROWS:
            counts[model] = counts.get(model, 0) + 1
            row.pop("output_utf16", None)
            taken.append(row | {"model": f"families/{model}"})
    write(TARGET / "pipelines" / source.name, rounded(taken))
