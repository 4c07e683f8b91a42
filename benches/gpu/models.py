"""Writes folders of MiniLM and BERT-base with random weights, and the same as ONNX, for benches/dawn.mjs.

pip install torch transformers onnx
python benches/gpu/models.py FOLDER
"""

import sys
from pathlib import Path

import torch
from transformers import BertConfig, BertModel

# name, layers, columns, heads
MODELS = [("MiniLM", 6, 384, 12), ("BERT-base", 12, 768, 12)]
INPUTS = ["input_ids", "attention_mask"]
OUTPUT = "last_hidden_state"


class LastState(torch.nn.Module):
    """A model whose only output is its last state."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def main(folder):
    for name, layers, width, heads in MODELS:
        torch.manual_seed(0)
        config = BertConfig(num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width)
        model = BertModel(config, add_pooling_layer=False).eval()
        (folder / name / "onnx").mkdir(parents=True, exist_ok=True)
        model.save_pretrained(folder / name)
        ids = torch.ones(2, 8, dtype=torch.int64)
        torch.onnx.export(
            LastState(model),
            (ids, ids),
            str(folder / name / "onnx/model.onnx"),
            input_names=INPUTS,
            output_names=[OUTPUT],
            dynamic_axes={tensor: {0: "sequences", 1: "tokens"} for tensor in [*INPUTS, OUTPUT]},
            opset_version=17,
            dynamo=False,
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
