"""Makes models/ and pipelines/ of this folder's parent again, in about 1 minute.

    python3 -m venv VENV; VENV/bin/pip install "transformers==4.57.6" torch numpy safetensors
    VENV/bin/python make.py
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDENS = os.path.dirname(HERE)
# Long texts test nothing beyond the random batches, so only some models keep a case at full length.
DROPPED = {"text_batch", "text_pair_batch"}
LONG = {"full_length", "longer"}
KEEP_LONG = {"bert-base-gelu", "bert-qa", "roberta-mlm"}


def generate(out):
    env = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    for script in ("gen_models.py", "gen_pipelines.py"):
        subprocess.run([sys.executable, script, "--strings", "strings_dev.py", "--out", out], cwd=HERE, env=env, check=True)


def copy_model(source, target, name):
    os.makedirs(target, exist_ok=True)
    for file in sorted(os.listdir(source)):
        if file.startswith("model") or file in ("config.json", "vocab.txt", "tokenizer_config.json"):
            shutil.copyfile(os.path.join(source, file), os.path.join(target, file))
    with open(os.path.join(source, "cases.json")) as f:
        golden = json.load(f)
    cases = [c for c in golden["cases"] if c["name"] not in DROPPED and (c["name"] not in LONG or name in KEEP_LONG)]
    for case in cases:
        case.pop("texts", None)
        case.pop("text_pairs", None)
    with open(os.path.join(target, "cases.json"), "w") as f:
        json.dump({"name": golden["name"], "model_class": golden["model_class"], "cases": cases}, f, separators=(",", ":"))


def main():
    with tempfile.TemporaryDirectory() as out:
        generate(out)
        models = os.path.join(out, "models")
        for name in sorted(os.listdir(models)):
            if os.path.isdir(os.path.join(models, name)):
                copy_model(os.path.join(models, name), os.path.join(GOLDENS, "models", name), name)
        pipelines = os.path.join(GOLDENS, "pipelines")
        os.makedirs(pipelines, exist_ok=True)
        for file in os.listdir(os.path.join(out, "pipelines")):
            if file != "counts.json":
                shutil.copyfile(os.path.join(out, "pipelines", file), os.path.join(pipelines, file))


main()
