"""Makes models/NAME/q8.json and q8-gpu.json for some of the DeBERTa models: the outputs of transformers 5.24 over weights and
activations that are rounded to 8 bits as docs/quantization.md describes for the CPU and for a GPU: python3 -P q8.py (without
-P, select.py beside it would hide a module of Python).

Rounded are the rows of each matrix, and the rows that a linear layer reads. Each is rotated by Hadamard matrices first. On the
CPU a row has one scale, and a matrix spans at most 128 columns. On a GPU each block of 32 columns has a scale and a matrix.
Numbers are rounded to six digits behind the point.
"""

import json
from pathlib import Path

import torch
import transformers as t

HERE = Path(__file__).parent / "models"
BOTH = ["q8.json", "q8-gpu.json"]
MODELS = {
    "deberta-v1-base": (t.DebertaModel, BOTH),
    "deberta-v2-c2p": (t.DebertaV2Model, BOTH[:1]),
    "deberta-v3-mlm": (t.DebertaV2ForMaskedLM, BOTH[:1]),
    "deberta-v3-qa": (t.DebertaV2ForQuestionAnswering, BOTH),
    "deberta-v3-seqcls": (t.DebertaV2ForSequenceClassification, BOTH),
}


def hadamard(order):
    matrix = torch.ones(1, 1)
    while len(matrix) < order:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    return matrix / len(matrix) ** 0.5


def rotate(rows):
    """Rotates rows. A block is 2ⁿ groups of four columns, at most 32; up to three last columns stay."""
    blocks, start, groups = [], 0, rows.shape[-1] // 4
    while groups > 0:
        order = min(32, 1 << (groups.bit_length() - 1))
        block = rows[..., start : start + 4 * order]
        four = block.reshape(*block.shape[:-1], order, 4)
        blocks.append(torch.einsum("gh,...hc->...gc", hadamard(order), four).reshape(block.shape))
        start, groups = start + 4 * order, groups - order
    return torch.cat([*blocks, rows[..., start:]], -1)


def to_integers(rows):
    """Returns rows of 255 different numbers each."""
    scale = rows.abs().amax(-1, keepdim=True) / 127
    return torch.round(rows / scale.clamp_min(1e-30)) * scale


def blocks_of_32(rows):
    return torch.nn.functional.pad(rows, (0, -rows.shape[-1] % 32)).unflatten(-1, (-1, 8, 4))


def rounded_rows(rows):
    """Returns rows that are rotated and rounded."""
    if is_gpu:
        rotated = torch.einsum("gh,...hc->...gc", hadamard(8), blocks_of_32(rows))
        return to_integers(rotated.flatten(-2)).flatten(-2)
    return to_integers(rotate(rows))


def dequantized(rows):
    """Returns rows that are rotated, rounded and rotated back."""
    if is_gpu:
        whole = torch.einsum("gh,...hc->...gc", hadamard(8), blocks_of_32(rounded_rows(rows)))
        return whole.flatten(-3)[..., : rows.shape[-1]]
    return rotate(rounded_rows(rows))


def linear(self, x):
    y = rounded_rows(x) @ rounded_rows(self.weight).T
    return y if self.bias is None else y + self.bias


def lookup(self, ids):
    return dequantized(self.weight)[ids]


def rounded(value):
    return [rounded(of) for of in value] if isinstance(value, list) else round(value, 6)


torch.nn.Linear.forward = linear
torch.nn.Embedding.forward = lookup
# DeBERTa reads the table of relative positions without a call.
for encoder in (t.models.deberta.modeling_deberta.DebertaEncoder, t.models.deberta_v2.modeling_deberta_v2.DebertaV2Encoder):
    plain = encoder.get_rel_embedding

    def read(self, plain=plain):
        if self.relative_attention and not getattr(self, "is_rounded", False):
            self.is_rounded = True
            self.rel_embeddings.weight.copy_(dequantized(self.rel_embeddings.weight))
        return plain(self)

    encoder.get_rel_embedding = read

for name, file in ((name, file) for name, (_, files) in MODELS.items() for file in files):
    is_gpu = file == "q8-gpu.json"
    model = MODELS[name][0].from_pretrained(HERE / name, attn_implementation="eager").eval()
    made = []
    for case in json.loads((HERE / name / "cases.json").read_text())["cases"]:
        inputs = {key: torch.tensor(value) for key, value in case["inputs"].items()}
        with torch.no_grad():
            out = model(**inputs)
        outputs = {key: rounded(value.tolist()) for key, value in out.items()}
        made.append({"name": case["name"], "inputs": case["inputs"], "outputs": outputs})
    (HERE / name / file).write_text(json.dumps({"cases": made}, separators=(",", ":")) + "\n", encoding="ascii")
