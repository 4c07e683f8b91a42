"""Makes explain/ of this folder's parent again: attributions by captum on models of models/. About 1 minute.

    python3 -m venv VENV; VENV/bin/pip install "transformers==4.57.6" "captum==0.9.0" torch numpy safetensors
    VENV/bin/python make_explain.py
"""
import json
import os

from common import setup_torch

torch = setup_torch()
import transformers as T
from captum.attr import LayerGradientXActivation, LayerIntegratedGradients

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDENS = os.path.dirname(HERE)
N_STEPS = 32
# folder, class of the model, explained target, inputs, options of the call
CASES = [
    ("bert-seqcls-3", "SequenceClassification", "text-classification", "the coffee was very good and the service was slow", {"target": "positive"}),
    ("bert-seqcls-3", "SequenceClassification", "text-classification", "the old teacher walked to the bridge .", {"target": 1, "n_steps": 7}),
    ("bert-seqcls-nli", "SequenceClassification", "text-classification", ["a man is sleeping", "the man walks to the station"], {"target": 2}),
    ("distilbert-seqcls", "SequenceClassification", "text-classification", "the coffee was very good", {"target": 0}),
    ("bert-tokencls-bio", "TokenClassification", "token-classification", "anna lives in the old house near berlin", {"index": 2, "target": 1}),
    ("bert-qa", "QuestionAnswering", "question-answering", ["where is the piano ?", "the piano is near the window of the old house ."], {"start": 17, "end": 21}),
    ("bert-mlm", "MaskedLM", "fill-mask", "the coffee was [MASK] and the [MASK] slow", {"mask": 1, "target": 40}),
    ("../families/models/albert-seqcls", "SequenceClassification", "text-classification", "the coffee was very good today", {"target": 1}),
    ("../families/models/roberta-seqcls", "SequenceClassification", "text-classification", "the coffee was very good today", {"target": 0}),
    ("bert-pretraining", "PreTraining", "fill-mask", "the coffee was [MASK] today", {"target": 50}),
]


def explain(folder, head, task, texts, options):
    path = os.path.join(GOLDENS, "models", folder)
    tok = T.AutoTokenizer.from_pretrained(path)
    model = getattr(T, f"AutoModelFor{head}").from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
    body = getattr(model, model.base_model_prefix)
    encoded = tok(*([texts] if isinstance(texts, str) else texts), return_tensors="pt", return_special_tokens_mask=True, return_offsets_mapping=True)
    ids = encoded["input_ids"]
    special = encoded["special_tokens_mask"][0].bool() | (ids[0] == (tok.mask_token_id if tok.mask_token_id is not None else -1))
    baseline = torch.where(special, ids, torch.full_like(ids, tok.pad_token_id))
    extra = {"attention_mask": torch.ones_like(ids)}
    if "token_type_ids" in encoded:
        extra["token_type_ids"] = encoded["token_type_ids"]
    if body.config.model_type == "roberta":  # positions do not hang on which tokens are padding
        extra["position_ids"] = torch.arange(ids.shape[1])[None] + tok.pad_token_id + 1
    names = list(extra)
    masks = (ids[0] == tok.mask_token_id).nonzero().flatten().tolist() if task == "fill-mask" else []
    target = options.get("target")
    if isinstance(target, str):
        target = model.config.label2id[target]

    def forward(ids, *others):
        out = model(input_ids=ids, **dict(zip(names, others)))
        if task == "question-answering":
            return out.start_logits[:, options["start"]] + out.end_logits[:, options["end"]]
        if task == "token-classification":
            return out.logits[:, options["index"], target]
        if task == "fill-mask":
            logits = out.prediction_logits if head == "PreTraining" else out.logits
            return logits[:, masks[options.get("mask", 0)], target]
        return out.logits[:, target]

    args = tuple(extra.values())
    n_steps = options.get("n_steps", N_STEPS)
    integrated = LayerIntegratedGradients(forward, body.embeddings)
    attributions, delta = integrated.attribute(ids, baseline, additional_forward_args=args, n_steps=n_steps, return_convergence_delta=True)
    times_input = LayerGradientXActivation(forward, body.embeddings).attribute(ids, additional_forward_args=args)
    with torch.no_grad():
        score, baseline_score = float(forward(ids, *args)[0]), float(forward(baseline, *args)[0])
    rounded = lambda x: [float(f"{float(y):.7g}") for y in x[0].detach().sum(-1)]
    return dict(
        model=folder, task=task, input=texts, options=options, tokens=ids[0].tolist(), offsets=encoded["offset_mapping"][0].tolist(), score=score, baseline_score=baseline_score,
        integrated_gradients=rounded(attributions), convergence_delta=float(delta[0]), gradient_x_input=rounded(times_input),
    )


rows = [explain(*case) for case in CASES]
for row in rows:
    print(row["model"], row["score"], row["baseline_score"], row["convergence_delta"])
os.makedirs(os.path.join(GOLDENS, "explain"), exist_ok=True)
with open(os.path.join(GOLDENS, "explain", "attributions.json"), "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
