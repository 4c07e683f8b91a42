"""Makes the goldens of training with LoRA: PyTorch and PEFT over ../seqcls, without dropout of the model.

    python make.py [CASE...]

The case "dropout" has dropout of the adapters' inputs. Its masks are those of webert's generator, so that both train on
the same numbers: PEFT's dropout modules are replaced by modules that multiply by these masks.

Each case has `NAME.json` (the adapter's config, the losses before each step and after the last one, the norms of all gradients, the logits after it) and two files of factors
as PEFT saves them: `NAME-start.safetensors` and `NAME-end.safetensors`. All factors start with random values, so that
the first step has gradients of both.
"""

import json
import sys
from pathlib import Path

import numpy as np
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
    "dropout": {"r": 2, "lora_alpha": 12, "lora_dropout": 0.25, "target_modules": ["query", "value", "dense"]},
}
SEED = 42
# The order in which a forward pass draws the masks: PARTS for each layer, then the pooler.
PARTS = ["attention.self.query", "attention.self.key", "attention.self.value"]
PARTS += ["attention.output.dense", "intermediate.dense", "output.dense"]


def philox(counter, key):
    """Philox 4x32-10 of counters [4, n]: four words each."""
    counter = [np.asarray(word, dtype=np.uint64) for word in counter]
    key, low = list(key), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        high = lambda product: product >> np.uint64(32)
        counter = [high(b) ^ counter[1] ^ np.uint64(key[0]), b & low, high(a) ^ counter[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(counter)


# Known answers of Random123 1.14, tests/kat_vectors.
assert philox([[0]] * 4, [0, 0])[:, 0].tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([[0x243F6A88], [0x85A308D3], [0x13198A2E], [0x03707344]], [0xA4093822, 0x299F31D0])[:, 0].tolist() == [
    0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1,
]  # fmt: skip


def factors(rate, site, step, rows, columns):
    """What webert multiplies by: 0 or 1 / (1 - rate) for each element of [rows, columns]."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    counter = [column // 4, row, np.full_like(row, site), np.full_like(row, step)]
    words = philox(counter, [SEED & 0xFFFFFFFF, SEED >> 32])[column % 4, np.arange(rows * columns)]
    kept = words >= round(rate * 2**32)
    return torch.tensor(np.where(kept, np.float32(1 / (1 - rate)), 0).reshape(rows, columns), dtype=torch.float32)


class Masked(torch.nn.Module):
    """Dropout with webert's mask. webert packs the tokens that are not padding, so a row is a place among these."""

    def __init__(self, rate, site, mask):
        super().__init__()
        self.rate, self.site, self.mask, self.step = rate, site, mask, 0

    def forward(self, x):
        if not self.training:
            return x
        self.step += 1
        if x.dim() == 2:
            return x * factors(self.rate, self.site, self.step - 1, *x.shape)
        of_tokens = factors(self.rate, self.site, self.step - 1, int(self.mask.sum()), x.shape[-1])
        of_all = torch.ones_like(x)
        of_all[self.mask.bool()] = of_tokens
        return x * of_all


def mask_dropouts(model, rate, mask):
    """Replaces the dropout of each adapter's input."""
    layers = range(model.config.num_hidden_layers)
    order = [f"encoder.layer.{layer}.{part}" for layer in layers for part in PARTS] + ["pooler.dense"]
    adapted = {name.split(".bert.")[1]: module for name, module in model.named_modules() if hasattr(module, "lora_dropout")}
    for number, name in enumerate(name for name in order if name in adapted):
        adapted.pop(name).lora_dropout["default"] = Masked(rate, 2**31 + number, mask)
    assert not adapted, adapted.keys()


def batch():
    golden = json.loads((BASE / "training.json").read_text())
    inputs = {**golden["inputs"], **golden["labels"]}
    return {name: torch.tensor(values) for name, values in inputs.items() if values is not None}


def state_of(model):
    return {name: tensor.clone().contiguous() for name, tensor in get_peft_model_state_dict(model).items()}


for name in sys.argv[1:] or CASES:
    options = CASES[name]
    torch.manual_seed(7)
    model = AutoModelForSequenceClassification.from_pretrained(BASE)
    model = get_peft_model(model, LoraConfig(task_type="SEQ_CLS", init_lora_weights=False, **options))
    for module, dropout in model.named_modules():
        if isinstance(dropout, torch.nn.Dropout):
            dropout.p = 0.0
    if options.get("lora_dropout"):
        mask_dropouts(model, options["lora_dropout"], batch()["attention_mask"])
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
    model.train()
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
