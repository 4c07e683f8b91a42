"""Makes fill-mask, single-label and token-classification: three steps of AdamW of a student of two layers with a teacher of
four, by transformers 4.57.6: python3 distillation.py

The losses are those of DistilBERT's training script (transformers' examples/research_projects/distillation/distiller.py, with
--restrict_ce_to_mask) and of run_squad_w_distillation.py. The student's weights are every second layer of the teacher, moved by
noise. On the CPU, in f32, without dropout.
"""

import copy
import json
from pathlib import Path

import torch
import transformers as t
from torch import nn

HERE = Path(__file__).parent
RATES = [5e-4, 1e-3, 2e-3]
OPTIMIZER = {"weight_decay": 0.01, "max_grad_norm": 1.0}
CONFIG = {
    "vocab_size": 30,
    "hidden_size": 12,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 24,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "initializer_range": 0.4,
    "attn_implementation": "eager",
}
LENGTH, KEPT = 14, [14, 9, 5]
CASES = {
    "fill-mask": (
        t.BertForMaskedLM,
        [{}, {"temperature": 4.0, "alpha_ce": 1.5, "alpha_mlm": 0.5, "alpha_cos": 3.0}, {"alpha_ce": 0.0, "alpha_mlm": 0.0}],
    ),
    "single-label": (
        t.BertForSequenceClassification,
        [{}, {"temperature": 1.0, "alpha_ce": 2.0, "alpha_labels": 0.0, "alpha_cos": 0.5}],
    ),
    "token-classification": (t.BertForTokenClassification, [{"temperature": 3.0}]),
}


def defaults(kind):
    if kind is t.BertForMaskedLM:
        return {"temperature": 2.0, "alpha_ce": 5.0, "alpha_mlm": 2.0, "alpha_cos": 1.0}
    return {"temperature": 2.0, "alpha_ce": 0.5, "alpha_labels": 0.5, "alpha_cos": 0.0}


def distilled(student, teacher, inputs, labels, options):
    """The loss of distiller.py."""
    found = student(**inputs, output_hidden_states=True)
    with torch.no_grad():
        taught = teacher(**inputs, output_hidden_states=True)
    mask = inputs["attention_mask"].bool()
    x, y = found.logits, taught.logits
    if x.dim() == 3:
        chosen = labels != -100
        x, y, labels = x[chosen], y[chosen], labels[chosen]
    temperature = options["temperature"]
    soft = nn.KLDivLoss(reduction="batchmean")(
        nn.functional.log_softmax(x / temperature, dim=-1), nn.functional.softmax(y / temperature, dim=-1)
    )
    loss = options["alpha_ce"] * soft * temperature**2
    alpha_labels = options.get("alpha_mlm", options.get("alpha_labels"))
    loss = loss + alpha_labels * nn.CrossEntropyLoss()(x, labels)
    states, targets = found.hidden_states[-1][mask], taught.hidden_states[-1][mask]
    cosine = nn.CosineEmbeddingLoss(reduction="mean")(states, targets, torch.ones(len(states)))
    return loss + options["alpha_cos"] * cosine


def rounded(number):
    return float(f"{number:.8g}")


def run(student, teacher, inputs, labels, given):
    options = defaults(type(student)) | given
    named = list(student.named_parameters())
    plain = [parameter for name, parameter in named if name.endswith("bias") or "LayerNorm" in name]
    decayed = [parameter for _, parameter in named if all(parameter is not other for other in plain)]
    groups = [{"params": decayed, "weight_decay": OPTIMIZER["weight_decay"]}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.999), eps=1e-8)
    losses, norms = [], []
    for rate in RATES:
        loss = distilled(student, teacher, inputs, labels, options)
        losses.append(rounded(loss.item()))
        optimizer.zero_grad()
        loss.backward()
        norms.append(rounded(nn.utils.clip_grad_norm_(student.parameters(), OPTIMIZER["max_grad_norm"]).item()))
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
    losses.append(rounded(distilled(student, teacher, inputs, labels, options).item()))
    return {"options": given, "loss_before_step": losses, "grad_norm": norms}


def noisy(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)


for seed, (name, (kind, runs)) in enumerate(CASES.items()):
    torch.manual_seed(seed)
    fields = CONFIG if kind is t.BertForMaskedLM else CONFIG | {"num_labels": 3}
    teacher = kind(t.BertConfig(**fields)).eval()
    noisy(teacher)
    student = kind(t.BertConfig(**fields | {"num_hidden_layers": 2})).train()
    weights = {}
    for parameter, value in teacher.state_dict().items():
        parts = parameter.split(".layer.")
        if len(parts) == 1:
            weights[parameter] = value
        elif int(parts[1].split(".")[0]) % 2 == 0:
            number, rest = parts[1].split(".", 1)
            weights[f"{parts[0]}.layer.{int(number) // 2}.{rest}"] = value
    student.load_state_dict({name: value.clone() for name, value in weights.items()})
    noisy(student)
    ids = torch.randint(1, CONFIG["vocab_size"], (3, LENGTH))
    mask = torch.tensor([[int(n < kept) for n in range(LENGTH)] for kept in KEPT])
    ids = torch.where(mask == 1, ids, 0)
    labels = torch.randint(0, 3, (3,))
    if kind is not t.BertForSequenceClassification:
        classes = torch.randint(0, CONFIG["vocab_size"] if kind is t.BertForMaskedLM else 3, (3, LENGTH))
        labels = torch.where((mask == 1) & (torch.rand(3, LENGTH) < 0.4), classes, -100)
    inputs = {"input_ids": ids, "attention_mask": mask}
    for role, model in (("teacher", teacher), ("student", student)):
        model.save_pretrained(HERE / name / role)
        (HERE / name / role / "generation_config.json").unlink(missing_ok=True)
    training = {
        "optimizer": OPTIMIZER,
        "learning_rate": RATES,
        "inputs": {key: value.tolist() for key, value in inputs.items()},
        "labels": {"labels": labels.tolist()},
        "runs": [run(copy.deepcopy(student), teacher, inputs, labels, given) for given in runs],
    }
    (HERE / name / "training.json").write_text(json.dumps(training, indent=1) + "\n", encoding="ascii")
