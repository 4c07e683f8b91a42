"""`python models/train/dequantize.py FOLDER OUT`: a copy of a folder with int8 weights whose weights are f32, as transformers and
sentence-transformers read them. The numbers are those that webert computes with: each row's integers times the row's scale."""

import shutil
import sys
from pathlib import Path

import sources
from storage import load_checkpoint, save_checkpoint

SCALE = "_scale"


def exact(tensors):
    """{name: f32 tensor} of {name: tensor}, of which those of int8 have one scale a row under their name and `_scale`."""
    return {name: tensor.float() * tensors[name + SCALE].float().reshape(-1, *[1] * (tensor.ndim - 1)) if name + SCALE in tensors else tensor.float()
            for name, tensor in tensors.items() if not name.endswith(SCALE)}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, out = map(Path, sys.argv[1:])
    weights = sources.need(folder / "model.safetensors", "it is the weights of a folder that shares no other's")
    shutil.copytree(folder, out)
    save_checkpoint(out / "model.safetensors", exact(load_checkpoint(weights)))


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
