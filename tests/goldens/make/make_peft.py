"""Writes tests/goldens/peft: LoRA and DoRA adapters of models/bert-seqcls-3, and the outputs of the base with each.

    python make_peft.py --models tests/goldens/models --out tests/goldens/peft [--seed N]

Each folder is what `save_pretrained` of peft writes. `cases.json` has `head`, `inputs` and `outputs`, by the name of the
output. Needs torch, transformers and peft.
"""
import argparse
import json
import pathlib

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoModelForSequenceClassification, AutoModelForTokenClassification

args = argparse.ArgumentParser()
args.add_argument("--models", required=True)
args.add_argument("--out", required=True)
args.add_argument("--seed", type=int, default=1)
args = args.parse_args()
BASE = pathlib.Path(args.models) / "bert-seqcls-3"
INPUTS = {"input_ids": [[7, 30, 41, 52, 63, 8], [7, 99, 120, 8, 0, 0]], "attention_mask": [[1] * 6, [1, 1, 1, 1, 0, 0]]}
QV = ["query", "value"]
SEQ, TOKEN, BARE = AutoModelForSequenceClassification, AutoModelForTokenClassification, AutoModel

ADAPTERS = {
    "lora": (SEQ, {}, dict(task_type="SEQ_CLS", target_modules=QV)),
    "patterns": (
        SEQ,
        {},
        dict(
            task_type="SEQ_CLS",
            target_modules="all-linear",
            use_rslora=True,
            rank_pattern={"query": 2, r"encoder\.layer\.1\.output\.dense": 5},
            alpha_pattern={"value": 3},
        ),
    ),
    "dora": (SEQ, {}, dict(task_type="SEQ_CLS", target_modules=[*QV, "intermediate.dense"], use_dora=True)),
    "table": (SEQ, {}, dict(task_type="SEQ_CLS", target_modules=["word_embeddings", "query"])),
    "biases": (SEQ, {}, dict(task_type="SEQ_CLS", target_modules=QV, bias="all", modules_to_save=["pooler", "classifier"])),
    "five-labels": (TOKEN, dict(num_labels=5), dict(task_type="TOKEN_CLS", target_modules=QV, layers_to_transform=[0, 2])),
    "states": (BARE, {}, dict(task_type="FEATURE_EXTRACTION", target_modules=QV)),
}


def make(name, kind, options, config):
    torch.manual_seed(args.seed)
    model = kind.from_pretrained(BASE, ignore_mismatched_sizes=True, attn_implementation="eager", **options)
    model = get_peft_model(model, LoraConfig(r=4, lora_alpha=12, base_model_name_or_path="../../models/bert-seqcls-3", **config))
    with torch.no_grad():
        for of, parameter in model.named_parameters():
            if parameter.requires_grad or ("bias" in of and config.get("bias") == "all"):
                parameter.add_(0.2 * torch.randn(parameter.shape))
    model.eval()
    model.peft_config["default"].base_model_name_or_path = "../../models/bert-seqcls-3"
    folder = pathlib.Path(args.out) / name
    model.save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink()
    with torch.no_grad():
        outputs = model(**{of: torch.tensor(ids) for of, ids in INPUTS.items()})
    field = "last_hidden_state" if kind is BARE else "logits"
    rounded = [[*map(rounding, row)] for row in outputs[field].tolist()]
    cases = dict(head=kind.__name__, inputs=INPUTS, outputs={field: rounded})
    (folder / "cases.json").write_text(json.dumps(cases) + "\n")
    return model


def rounding(value):
    return [rounding(one) for one in value] if isinstance(value, list) else float(f"{value:.7g}")


for name, (kind, options, config) in ADAPTERS.items():
    make(name, kind, options, config)
# peft up to 0.8 wrote PyTorch's format by default
lora, old = pathlib.Path(args.out) / "lora", pathlib.Path(args.out) / "lora-bin"
old.mkdir(exist_ok=True)
for file in ["adapter_config.json", "cases.json"]:
    (old / file).write_text((lora / file).read_text())
torch.save(load_file(lora / "adapter_model.safetensors"), old / "adapter_model.bin")
