"""Shared by gen_sentence_transformers.py and gen_fill.py."""
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
from common import *  # noqa: F401,F403  (rng_for, int_seed, setup_torch, f32, jsonable, dump, tiny_vocab, ...)


def parser():
    p = argparse.ArgumentParser()
    p.add_argument("--strings", required=True, help="python file with the words of the tiny vocabularies")
    p.add_argument("--texts", required=True, help="python file with this set's SEED and texts")
    p.add_argument("--out", required=True, help="output directory")
    return p


def start(part):
    a = parser().parse_args()
    a.S, a.X = load_strings(a.strings), load_strings(a.texts)
    a.S.SEED = a.X.SEED
    a.dir = os.path.join(a.out, part)
    shutil.rmtree(a.dir, ignore_errors=True)
    os.makedirs(a.dir)
    return a


def vocab_for(a, size, layout, name, extra=()):
    """tiny_vocab of the strings file with this set's own words put in"""
    r = rng_for(a.X.SEED, "vocab", name)
    v = tiny_vocab(a.S, size - len(extra), layout, r)
    for w in extra:
        if w not in v:
            v.insert(len(v) - (5 if layout == "back" else 0), w)
    while len(v) < size:
        v.insert(len(v) - (5 if layout == "back" else 0), "".join(r.choice("bdfgklmnprstvz") + r.choice("aeiou") for _ in range(3)))
        v = list(dict.fromkeys(v))
    return v


def perturb(m, seed, name):
    """biases and LayerNorm parameters random, and the padding row too"""
    import torch
    g = torch.Generator().manual_seed(int_seed(seed, "perturb", name))
    with torch.no_grad():
        for pn, p in m.named_parameters():
            if p.dim() == 1:
                p.add_(torch.randn(p.shape, generator=g) * 0.2)
            elif "embeddings" in pn and p.dim() == 2:
                z = (p == 0).all(dim=1)
                p[z] = torch.randn((int(z.sum()), p.shape[1]), generator=g) * 0.2


def tidy(folder):
    for f in glob.glob(os.path.join(folder, "**", "README.md"), recursive=True):
        os.remove(f)
    for f in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
        if os.path.isfile(f):
            os.chmod(f, 0o644)


def rewrite(path, fn):
    d = json.load(open(path, encoding="utf-8"))
    d = fn(d) or d
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        json.dump(d, f, indent=2, ensure_ascii=True)
        f.write("\n")
