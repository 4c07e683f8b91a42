"""Makes sentence-transformers/ and fill/ of this folder's parent again, in about 1 minute.

    python3 -m venv VENV; VENV/bin/pip install "transformers==4.57.6" "sentence-transformers==5.7.0" "model2vec==0.10.0" torch numpy safetensors
    VENV/bin/python make_sentence_transformers.py [FOLDER]

FOLDER has the generators' output already; without it they run.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDENS = os.path.dirname(HERE)
# By the generators' folder: the cases to keep, and the prefix of their names here.
KEPT = {
    "sentence-transformers": (
        "",
        [
            "cls-max-legacy",
            "dense-identity",
            "dense-tanh-normalize",
            "lowercase-legacy",
            "max-seq-length-legacy",
            "mean-sqrt-len",
            "prompts-default",
            "prompts-excluded-weighted-legacy",
            "truncate-dim",
        ],
    ),
    "model2vec": ("static-", ["fp16", "int8", "normalize", "quantized-vocabulary", "weights"]),
    "cross-encoder": ("cross-encoder-", ["one-label", "one-label-identity-v5"]),
}
# A folder's tokenizer.json repeats vocab.txt and tokenizer_config.json; special_tokens_map.json adds nothing.
LEFT_OUT = {"tokenizer.json", "special_tokens_map.json", "cases.json"}
FACTS = {"name", "num_labels", "activation_fn", "max_seq_length", "input_ids", "modules", "normalize", "median_token_length"}


def generate(out):
    env = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    for script in ("gen_sentence_transformers.py", "gen_fill.py"):
        subprocess.run([sys.executable, script, "--strings", "strings_dev.py", "--texts", "texts_dev.py", "--out", out], cwd=HERE, env=env, check=True)


def compact(source, target, rows=lambda x: x):
    with open(source) as f:
        found = json.load(f)
    with open(target, "w") as f:
        json.dump(rows(found), f, separators=(",", ":"))


def copy_folder(source, target):
    shutil.rmtree(target, ignore_errors=True)
    has_vocab = os.path.exists(os.path.join(source, "vocab.txt"))
    for folder, _, files in os.walk(source):
        to = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(to, exist_ok=True)
        for file in files:
            if file not in LEFT_OUT or (file == "tokenizer.json" and not has_vocab):
                shutil.copyfile(os.path.join(folder, file), os.path.join(to, file))
    facts = lambda found: {k: v for k, v in found.items() if k not in FACTS}
    compact(os.path.join(source, "cases.json"), os.path.join(target, "cases.json"), facts)


def copy_fill(out):
    """All scores, and every fourth run without the fields that follow from others."""
    to = os.path.join(GOLDENS, "fill")
    os.makedirs(to, exist_ok=True)
    name = lambda row: dict(row, model=os.path.basename(row["model"]))
    scores = lambda rows: [{k: v for k, v in name(row).items() if k != "input_ids"} for row in rows]
    left_out = {"input_ids", "output_ids", "token_strs"}
    runs = lambda rows: [{k: v for k, v in name(row).items() if k not in left_out} for row in rows[::4]]
    compact(os.path.join(out, "fill", "pll.json"), os.path.join(to, "scores.json"), scores)
    compact(os.path.join(out, "fill", "fills.json"), os.path.join(to, "runs.json"), runs)


def main(out):
    copy_fill(out)
    for part, (prefix, names) in KEPT.items():
        for name in names:
            copy_folder(os.path.join(out, part, name), os.path.join(GOLDENS, "sentence-transformers", prefix + name))


if len(sys.argv) > 1:
    main(sys.argv[1])
else:
    with tempfile.TemporaryDirectory() as out:
        generate(out)
        main(out)
