"""Makes models/deberta-*: tiny random DeBERTa models of transformers 4.57.6 with `cases.json`: python3 -P deberta.py
(without -P, select.py beside it would hide a module of Python).

The configs have the field values of published models, scaled down. Ids are random; masks are on the right, on the left and
in between. Numbers are rounded to six digits behind the point.
"""

import json
from pathlib import Path

import torch
import transformers as t

HERE = Path(__file__).parent / "models"
SIZES = dict(
    vocab_size=40,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=20,
    max_position_embeddings=48,
    hidden_dropout_prob=0.1,
    relative_attention=True,
    position_biased_input=False,
    initializer_range=0.6,
)
V3 = dict(
    SIZES, pos_att_type="p2c|c2p", share_att_key=True, norm_rel_ebd="layer_norm", position_buckets=8, pad_token_id=0
)
V1 = dict(SIZES, pos_att_type="c2p|p2c", pad_token_id=0)
MODELS = {
    "deberta-v1-base": (t.DebertaModel, V1),
    "deberta-v1-mlm": (t.DebertaForMaskedLM, V1 | {"max_relative_positions": 12}),
    "deberta-v2-conv": (
        t.DebertaV2ForTokenClassification,
        V3 | {"conv_kernel_size": 3, "conv_act": "gelu", "num_labels": 3},
    ),
    "deberta-v2-conv-groups": (
        t.DebertaV2ForSequenceClassification,
        V3 | {"conv_kernel_size": 5, "conv_groups": 2, "num_hidden_layers": 1, "num_labels": 3},
    ),
    "deberta-v2-c2p": (
        t.DebertaV2Model,
        SIZES | {"pos_att_type": ["c2p"], "share_att_key": False, "norm_rel_ebd": "none", "pad_token_id": 0},
    ),
    "deberta-v2-p2c": (
        t.DebertaV2ForMultipleChoice,
        V3 | {"pos_att_type": ["p2c"], "share_att_key": False},
    ),
    "deberta-v2-absolute": (
        t.DebertaV2ForSequenceClassification,
        SIZES
        | {
            "relative_attention": False,
            "position_biased_input": True,
            "type_vocab_size": 2,
            "embedding_size": 12,
            "pooler_hidden_act": "tanh",
        },
    ),
    "deberta-v3-seqcls": (t.DebertaV2ForSequenceClassification, V3 | {"num_labels": 3}),
    "deberta-v3-mlm": (t.DebertaV2ForMaskedLM, V3),
    "deberta-v3-newer-mlm": (t.DebertaV2ForMaskedLM, V3 | {"legacy": False, "tie_word_embeddings": False}),
    "deberta-v3-qa": (t.DebertaV2ForQuestionAnswering, V3),
}


def rounded(value):
    return [rounded(of) for of in value] if isinstance(value, list) else round(value, 6)


def cases(model, choices):
    def ids(batch, length):
        return torch.randint(1, SIZES["vocab_size"], (batch, length))

    def mask(length, *kept):
        return torch.tensor([[int(n in row) for n in range(length)] for row in kept])

    yield "states", ids(1, 9), None, True
    yield "one-token", ids(1, 1), None, False
    yield "right-padded", ids(2, 20), mask(20, range(20), range(7)), False
    yield "left-padded", ids(2, 12), mask(12, range(5, 12), range(1, 10)), False
    yield "gaps", ids(1, 12), mask(12, [0, 1, 2, 4, 5, 9, 11]), False
    yield "long", ids(1, 48), None, False


def run(model, ids, mask, states, is_choice):
    inputs = {"input_ids": ids} | ({} if mask is None else {"attention_mask": mask})
    if getattr(model.config, "type_vocab_size", 0):
        inputs["token_type_ids"] = (torch.arange(ids.shape[1]) > 4).long().expand(ids.shape)
    if is_choice:
        inputs = {name: value[None].expand(2, *value.shape).clone() for name, value in inputs.items()}
        inputs["input_ids"][1] = torch.flip(inputs["input_ids"][1], [-1])
    with torch.no_grad():
        out = model(**inputs, output_hidden_states=states, output_attentions=states)
    outputs = {}
    for name, value in out.items():
        outputs[name] = rounded([of.tolist() for of in value] if isinstance(value, tuple) else value.tolist())
    return {"inputs": {name: value.tolist() for name, value in inputs.items()}, "outputs": outputs}


for seed, (name, (kind, fields)) in enumerate(MODELS.items()):
    torch.manual_seed(seed)
    model = kind(kind.config_class(**fields)).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:  # norms and biases are 1 and 0 at first
            torch.nn.init.normal_(parameter, float(parameter[0]), 0.2)
    model.save_pretrained(HERE / name)
    (HERE / name / "generation_config.json").unlink(missing_ok=True)
    is_choice = kind is t.DebertaV2ForMultipleChoice
    made = []
    for case, ids, mask, states in cases(model, is_choice):
        made.append({"name": case} | run(model, ids, mask, states and not is_choice, is_choice))
    (HERE / name / "cases.json").write_text(json.dumps({"cases": made}, separators=(",", ":")) + "\n", encoding="ascii")
