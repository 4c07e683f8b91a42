"""`python models/train/dequantize.py FOLDER OUT`: copies a folder with int8 weights to one with f32 weights, for transformers and
sentence-transformers. Each row's integers are multiplied by the row's scale, and adapters are added to their matrices. The copy contains the
encoder that the folder shares with others."""

import json
import shutil
import sys
from pathlib import Path

import sources
from adapters import merged
from storage import load_checkpoint, save_checkpoint

INDEX = "model.safetensors.index.json"
SCALE = "_scale"


def exact(tensors):
    """{name: f32 tensor} of {name: tensor}. An int8 tensor has one scale per row, under its name and `_scale`."""
    return {name: tensor.float() * tensors[name + SCALE].float().reshape(-1, *[1] * (tensor.ndim - 1)) if name + SCALE in tensors else tensor.float()
            for name, tensor in tensors.items() if not name.endswith(SCALE)}


def weights_of(folder):
    """{name: tensor} of a folder, from all files that its index names, if it has one."""
    index = folder / INDEX
    if not index.exists():
        return load_checkpoint(sources.need(folder / "model.safetensors", "there are no weights"))
    names = json.loads(index.read_text())["weight_map"]
    tensors = {}
    for file in sorted(set(names.values())):
        tensors |= {name: tensor for name, tensor in load_checkpoint(folder / file).items() if names.get(name) == file}
    return tensors


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, out = map(Path, sys.argv[1:])
    tensors = merged(exact(weights_of(folder)))
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns("*.safetensors", INDEX))
    save_checkpoint(out / "model.safetensors", tensors)
    config = json.loads((out / "config.json").read_text())
    config.pop("transformers_weights", None)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    tokenizer = json.loads((out / "tokenizer_config.json").read_text())
    shared = tokenizer.pop("tokenizer_file", None)
    if shared:
        shutil.copy(folder / shared, out / "tokenizer.json")
        (out / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
