"""Records the values inside the layers of golden models: python3 -P make.py (transformers 5).

inside.json has per model: the inputs of its first case with a mask, the activations of each layer's feed-forward (a hook on the
activation function's module), and the scores of attention before the softmax (a wrapper around torch's softmax in eager attention).
Rows of masked positions and columns of masked keys are zeros. Numbers are rounded to five digits behind the point.
"""

import json
from pathlib import Path

import torch
import transformers as T

HERE = Path(__file__).parent
MODELS = {
    "bert-base-gelu-new-h40": T.BertModel,
    "bert-base-relu-eps": T.BertModel,
    "distilbert-seqcls": T.DistilBertForSequenceClassification,
    "albert-mlm": T.AlbertForMaskedLM,
    "families/roberta-base": T.RobertaModel,
}


def rounded(tensor):
    return [round(x, 5) for x in tensor.flatten().tolist()]


found = {}
for name, cls in MODELS.items():
    folder = HERE.parent / ("families/models/" + name.removeprefix("families/") if "/" in name else "models/" + name)
    model = cls.from_pretrained(folder, attn_implementation="eager").eval()
    cases = json.loads((folder / "cases.json").read_text())["cases"]
    case = next((case for case in cases if case["inputs"].get("attention_mask") is not None), cases[0])
    inputs = {key: torch.tensor(value) for key, value in case["inputs"].items() if value is not None}
    mask = inputs.get("attention_mask", torch.ones_like(inputs["input_ids"]))
    active, scores = [], []
    hooked = ("intermediate_act_fn", "activation")
    handles = [
        module.register_forward_hook(lambda _module, _inputs, output: active.append(output))
        for path, module in model.named_modules()
        if path.endswith(hooked) and "head" not in path and "predictions" not in path and "pooler" not in path
    ]
    softmax = torch.nn.functional.softmax
    torch.nn.functional.softmax = lambda x, *args, **kwargs: (scores.append(x), softmax(x, *args, **kwargs))[1]
    with torch.no_grad():
        model(**inputs)
    torch.nn.functional.softmax = softmax
    for handle in handles:
        handle.remove()
    pairs = (mask[:, None, :, None] * mask[:, None, None, :]).bool()
    width = active[0].shape[-1]
    active = [one.reshape(*mask.shape, width) * mask[..., None] for one in active]
    scores = [torch.where(pairs, one, torch.zeros_like(one)) for one in scores]
    assert len(active) == len(scores) == model.config.num_hidden_layers, (name, len(active), len(scores))
    found[name] = {
        "inputs": {key: value.tolist() for key, value in inputs.items()},
        "activations": [{"dims": list(one.shape), "data": rounded(one)} for one in active],
        "attention_scores": [{"dims": list(one.shape), "data": rounded(one)} for one in scores],
    }
(HERE / "inside.json").write_text(json.dumps(found) + "\n")
