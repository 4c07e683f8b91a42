"""Makes the goldens of training with LoRA: PyTorch and PEFT over ../seqcls, without dropout.

    python make.py

Each case has `NAME.json` (the adapter's config, the losses before each step and after the last one, the norms of all gradients, the logits after it) and two files of factors
as PEFT saves them: `NAME-start.safetensors` and `NAME-end.safetensors`. All factors start with random values, so that
the first step has gradients of both.
"""

import json
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors.torch import save_file
from transformers import AutoModelForSequenceClassification

HERE = Path(__file__).parent
BASE = HERE.parent / "seqcls"
STEPS = 5
CASES = {
    "default": {"r": 4, "lora_alpha": 16, "target_modules": ["query", "value"]},
    "dense": {"r": 2, "lora_alpha": 3, "use_rslora": True, "target_modules": ["key", "dense"]},
    "layers": {"r": 2, "target_modules": ["query"], "layers_to_transform": [1]},
}


def batch():
    golden = json.loads((BASE / "training.json").read_text())
    inputs = {**golden["inputs"], **golden["labels"]}
    return {name: torch.tensor(values) for name, values in inputs.items() if values is not None}


def state_of(model):
    return {name: tensor.clone().contiguous() for name, tensor in get_peft_model_state_dict(model).items()}


for name, options in CASES.items():
    torch.manual_seed(7)
    model = AutoModelForSequenceClassification.from_pretrained(BASE)
    model = get_peft_model(model, LoraConfig(task_type="SEQ_CLS", init_lora_weights=False, **options))
    for module, dropout in model.named_modules():
        if isinstance(dropout, torch.nn.Dropout):
            dropout.p = 0.0
    model.config._attn_implementation = "eager"
    with torch.no_grad():
        for tensor_name, tensor in model.named_parameters():
            if "lora_" in tensor_name:
                tensor.normal_(0.0, 0.05)
    save_file(state_of(model), HERE / f"{name}-start.safetensors")
    trained = [(tensor_name, tensor) for tensor_name, tensor in model.named_parameters() if tensor.requires_grad]
    decays = lambda tensor_name: not tensor_name.endswith("bias") and "LayerNorm" not in tensor_name
    optimizer = torch.optim.AdamW(
        [
            {"params": [tensor for n, tensor in trained if decays(n)], "weight_decay": 0.01},
            {"params": [tensor for n, tensor in trained if not decays(n)], "weight_decay": 0.0},
        ],
        lr=1e-3,
    )
    losses, norms = [], []
    inputs = batch()
    for _ in range(STEPS):
        loss = model(**inputs).loss
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.sqrt(sum((tensor.grad**2).sum() for _, tensor in trained)).item())
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        output = model(**inputs)
        logits = output.logits
        losses.append(output.loss.item())
    save_file(state_of(model), HERE / f"{name}-end.safetensors")
    golden = {"options": options, "trained": sorted(n for n, _ in trained), "losses": losses, "norms": norms, "logits": logits.tolist()}
    (HERE / f"{name}.json").write_text(json.dumps(golden))
    print(name, losses, list(state_of(model))[:3], list(state_of(model))[-2:])
