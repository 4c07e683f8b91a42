"""Makes heads/deberta-*, camembert-*, data2vec-* and ernie-*: three steps of AdamW over tiny models of transformers 4.57.6,
deberta-v1-* of transformers 5.24: python3 deberta.py NAME..., or without a name all of them.

On the CPU, in f32, without dropout. The files are those of the other heads.
"""

import json
import sys
from pathlib import Path

import torch
import transformers as t

HERE = Path(__file__).parent / "heads"
RATES = [5e-4, 1e-3, 2e-3]
OPTIMIZER = {
    "optim": "adamw_torch",
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_epsilon": 1e-8,
    "weight_decay": 0.01,
    "max_grad_norm": 1.0,
}
SIZES = {
    "vocab_size": 30,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 24,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["p2c", "c2p"],
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "position_buckets": 6,
    "initializer_range": 0.4,
    "pad_token_id": 0,
}
PLAIN = {
    **{name: SIZES[name] for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")},
    **{"max_position_embeddings": 24, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.4},
    "attn_implementation": "eager",
}
ROBERTA = PLAIN | {"type_vocab_size": 1, "pad_token_id": 1}
FIRST = {name: field for name, field in SIZES.items() if name not in ("share_att_key", "norm_rel_ebd", "position_buckets")}
LENGTH, KEPT = 14, [14, 9, 5]
MODELS = {
    "deberta-classes": (t.DebertaV2ForSequenceClassification, SIZES | {"num_labels": 3}, {"labels": [2, 0, 1]}),
    "deberta-tokens": (
        t.DebertaV2ForTokenClassification,
        SIZES | {"num_labels": 3, "share_att_key": False, "norm_rel_ebd": "none", "position_buckets": -1},
        None,
    ),
    "deberta-answers": (
        t.DebertaV2ForQuestionAnswering,
        SIZES,
        {"start_positions": [3, 2, 1], "end_positions": [5, 7, 2]},
    ),
    "camembert-classes": (t.CamembertForSequenceClassification, ROBERTA | {"num_labels": 3}, {"labels": [1, 2, 0]}),
    "data2vec-tokens": (t.Data2VecTextForTokenClassification, ROBERTA | {"num_labels": 3}, None),
    "ernie-answers": (
        t.ErnieForQuestionAnswering,
        PLAIN | {"pad_token_id": 0, "use_task_id": False},
        {"start_positions": [2, 3, 0], "end_positions": [6, 4, 2]},
    ),
    "deberta-v1-classes": (
        t.DebertaForSequenceClassification,
        FIRST | {"num_labels": 3, "max_relative_positions": 6},
        {"labels": [1, 0, 2]},
    ),
    "deberta-v1-tokens": (
        t.DebertaForTokenClassification,
        FIRST | {"num_labels": 3, "pos_att_type": ["p2c"], "position_biased_input": True, "type_vocab_size": 2},
        None,
    ),
    "deberta-v1-answers": (
        t.DebertaForQuestionAnswering,
        FIRST | {"pos_att_type": ["c2p"]},
        {"start_positions": [3, 2, 1], "end_positions": [5, 7, 2]},
    ),
}


def rounded(number):
    return float(f"{number:.8g}")


def run(model, inputs, labels):
    named = list(model.named_parameters())
    plain = [parameter for name, parameter in named if name.endswith("bias") or "LayerNorm" in name]
    decayed = [parameter for _, parameter in named if all(parameter is not other for other in plain)]
    groups = [{"params": decayed, "weight_decay": OPTIMIZER["weight_decay"]}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.999), eps=1e-8)
    losses, norms, summary = [], [], {}
    for rate in RATES:
        loss = model(**inputs, **labels).loss
        losses.append(rounded(loss.item()))
        optimizer.zero_grad()
        loss.backward()
        if not summary:
            for name, parameter in named:
                gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
                first = [rounded(number) for number in gradient.flatten()[:8].tolist()]
                summary[name] = {
                    "shape": list(parameter.shape),
                    "l2": rounded(gradient.double().norm().item()),
                    "first8": first,
                }
        norms.append(rounded(torch.nn.utils.clip_grad_norm_(model.parameters(), OPTIMIZER["max_grad_norm"]).item()))
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
    losses.append(rounded(model(**inputs, **labels).loss.item()))
    return {
        "name": "base",
        "options": {},
        "loss_before_step": losses,
        "grad_norm": norms,
        "learning_rate": RATES,
        "gradient_summary": summary,
    }


for seed, (name, (kind, fields, labels)) in enumerate(MODELS.items()):
    if name not in (sys.argv[1:] or MODELS):
        continue
    torch.manual_seed(seed)
    model = kind(kind.config_class(**fields)).train()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:  # norms and biases are 1 and 0 at first
                parameter += 0.2 * torch.randn_like(parameter)
    pad = fields["pad_token_id"]
    ids = torch.randint(pad + 1, SIZES["vocab_size"], (3, LENGTH))
    mask = torch.tensor([[int(n < kept) for n in range(LENGTH)] for kept in KEPT])
    ids = torch.where(mask == 1, ids, pad)
    if labels is None:
        classes = torch.randint(0, 3, (3, LENGTH))
        labels = {"labels": torch.where(mask == 1, classes, -100).tolist()}
    inputs = {"input_ids": ids, "attention_mask": mask}
    model.save_pretrained(HERE / name)
    (HERE / name / "generation_config.json").unlink(missing_ok=True)
    training = {
        "name": name,
        "model_class": kind.__name__,
        "mode": "train(), dropout 0, float32, eager attention",
        "optimizer": OPTIMIZER,
        "inputs": {key: value.tolist() for key, value in inputs.items()},
        "labels": labels,
        "runs": [run(model, inputs, {key: torch.tensor(value) for key, value in labels.items()})],
    }
    (HERE / name / "training.json").write_text(json.dumps(training, indent=1) + "\n", encoding="ascii")
