"""Makes tiny random models of the later families in models/: python3 -P later.py NAME..., or "all" (-P: select.py is no module).

transformers 5 makes the ones whose classes it alone has, and ESM, whose older code ignores the mask in token dropout; 4.57 makes
the others (`FOUR`). A name that the installed version does not make is skipped. Each folder has config.json, model.safetensors and
cases.json: inputs, outputs, and in the first case the states of every layer. Numbers are rounded to six digits behind the point.
"""

import json
import sys
from pathlib import Path

import torch
import transformers as T

TARGET = Path(__file__).parent / "models"
IS_FIVE = T.__version__.startswith("5.")
SIZES = dict(
    hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=20, vocab_size=50, attn_implementation="eager"
)
THREE = dict(num_labels=3)
ROBERTA = dict(max_position_embeddings=40, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
ROPE = dict(max_position_embeddings=64)
EUROBERT = ROPE | dict(pad_token_id=3, bos_token_id=0, eos_token_id=1, mask_token_id=4)
ESM = ROPE | dict(pad_token_id=1, mask_token_id=4, token_dropout=True, position_embedding_type="rotary")

# name: class, fields of its config
FOUR = {
    "camembert-mlm": ("CamembertForMaskedLM", ROBERTA),
    "data2vec-text-seqcls": ("Data2VecTextForSequenceClassification", ROBERTA | THREE),
    "xlm-roberta-xl-mlm": ("XLMRobertaXLForMaskedLM", ROBERTA),
    "xlm-roberta-xl-seqcls": ("XLMRobertaXLForSequenceClassification", ROBERTA | THREE),
    "roberta-prelayernorm-base": ("RobertaPreLayerNormModel", ROBERTA),
    "roberta-prelayernorm-mlm": ("RobertaPreLayerNormForMaskedLM", ROBERTA),
    "ernie-mlm": ("ErnieForMaskedLM", dict(max_position_embeddings=40, use_task_id=True, task_type_vocab_size=3)),
    "ernie-choice": ("ErnieForMultipleChoice", dict(max_position_embeddings=40, use_task_id=False)),
    "rembert-seqcls": ("RemBertForSequenceClassification", THREE | dict(max_position_embeddings=40, input_embedding_size=12, output_embedding_size=28)),
    "rembert-mlm": ("RemBertForMaskedLM", dict(max_position_embeddings=40, input_embedding_size=12, output_embedding_size=28)),
    "megatron-bert-base": ("MegatronBertModel", dict(max_position_embeddings=40)),
    "megatron-bert-qa": ("MegatronBertForQuestionAnswering", dict(max_position_embeddings=40)),
    "megatron-bert-pretraining": ("MegatronBertForPreTraining", dict(max_position_embeddings=40)),
    "roformer-mlm": ("RoFormerForMaskedLM", dict(max_position_embeddings=64, embedding_size=12)),
    "roformer-values-seqcls": ("RoFormerForSequenceClassification", THREE | dict(max_position_embeddings=64, rotary_value=True)),
    "squeezebert-mlm": ("SqueezeBertForMaskedLM", dict(max_position_embeddings=40, embedding_size=24, output_groups=2)),
    "squeezebert-base": ("SqueezeBertModel", dict(max_position_embeddings=40, embedding_size=24, v_groups=2, post_attention_groups=3)),
    "bert-relative-key": ("BertForTokenClassification", THREE | dict(max_position_embeddings=40, position_embedding_type="relative_key")),
    "roberta-relative-key-query": ("RobertaModel", ROBERTA | dict(position_embedding_type="relative_key_query")),
}
FIVE = {
    "nomic-bert-mlm": ("NomicBertForMaskedLM", ROPE),
    "nomic-bert-seqcls": ("NomicBertForSequenceClassification", ROPE | THREE),
    "gte-mlm": ("GteForMaskedLM", ROPE),
    "gte-seqcls": ("GteForSequenceClassification", ROPE | THREE | dict(type_vocab_size=0)),
    "jina-embeddings-v3-base": ("JinaEmbeddingsV3Model", ROPE),
    "jina-embeddings-v3-mlm": ("JinaEmbeddingsV3ForMaskedLM", ROPE),
    "eurobert-base": ("EuroBertModel", EUROBERT | dict(num_key_value_heads=2)),
    "eurobert-mlm": ("EuroBertForMaskedLM", EUROBERT | dict(tie_word_embeddings=True, mlp_bias=True)),
    "eurobert-late": ("EuroBertForSequenceClassification", EUROBERT | THREE),
    "eurobert-mean": ("EuroBertForSequenceClassification", EUROBERT | THREE | dict(classifier_pooling="mean", attention_bias=True)),
    "eurobert-bos": ("EuroBertForSequenceClassification", EUROBERT | THREE | dict(classifier_pooling="bos")),
    "esm2-mlm": ("EsmForMaskedLM", ESM),
    "esm2-seqcls": ("EsmForSequenceClassification", ESM | THREE),
}

MOBILE = dict(
    max_position_embeddings=40, embedding_size=8, intra_bottleneck_size=12, num_feedforward_networks=3, normalization_type="no_norm"
)
CONV = dict(max_position_embeddings=40, embedding_size=12, conv_kernel_size=3)
# Added later, so that the seeds of the others stay.
MORE_FOUR = {
    "mobilebert-base": ("MobileBertModel", MOBILE),
    "mobilebert-mlm": ("MobileBertForMaskedLM", MOBILE | dict(num_feedforward_networks=1)),
    "mobilebert-pretraining": ("MobileBertForPreTraining", MOBILE | dict(normalization_type="layer_norm", classifier_activation=False, trigram_input=False)),
    "mobilebert-narrow-seqcls": ("MobileBertForSequenceClassification", MOBILE | THREE | dict(normalization_type="layer_norm", use_bottleneck_attention=True)),
    "mobilebert-plain-base": ("MobileBertModel", MOBILE | dict(normalization_type="layer_norm", use_bottleneck=False, classifier_activation=False, intra_bottleneck_size=24)),
    "mobilebert-whole-qa": ("MobileBertForQuestionAnswering", MOBILE | dict(normalization_type="layer_norm", key_query_shared_bottleneck=False, intra_bottleneck_size=24)),
    "convbert-base": ("ConvBertModel", CONV),
    "convbert-groups-mlm": ("ConvBertForMaskedLM", CONV | dict(num_groups=2, conv_kernel_size=5)),
    "convbert-one-head-base": ("ConvBertModel", CONV | dict(embedding_size=24, head_ratio=8)),
    "convbert-seqcls": ("ConvBertForSequenceClassification", CONV | THREE | dict(hidden_act="relu")),
}
ESM1B = ESM | dict(position_embedding_type="absolute")
MORE_FIVE = {
    "esm1b-mlm": ("EsmForMaskedLM", ESM1B | dict(emb_layer_norm_before=True)),
    "esm1b-seqcls": ("EsmForSequenceClassification", ESM1B | THREE | dict(token_dropout=False)),
}
ALL = FOUR | FIVE | MORE_FOUR | MORE_FIVE


def rounded(value):
    if isinstance(value, torch.Tensor):
        return rounded(value.tolist())
    if isinstance(value, (list, tuple)):
        return [rounded(of) for of in value]
    return round(value, 6) if isinstance(value, float) else value


def inputs_of(config, choices):
    """A text with every kind of id, two texts padded on the right, the same on the left, and one token."""
    pad, mask = config.pad_token_id, getattr(config, "mask_token_id", None) or 4
    first, second = [5, 9, 44, 17, mask, 23, 8, 31, 12], [7, mask, 30, 41, 6]
    gap = [pad] * (len(first) - len(second))
    ones, zeros = [1] * len(second), [0] * len(gap)
    right = {"input_ids": [first, second + gap], "attention_mask": [[1] * len(first), ones + zeros]}
    left = {"input_ids": [first, gap + second], "attention_mask": [[1] * len(first), zeros + ones]}
    cases = {"ids_only": {"input_ids": [first]}, "right_padded": right, "left_padded": left, "one_token": {"input_ids": [[7]]}}
    if getattr(config, "type_vocab_size", 0) > 1:
        cases["ids_only"]["token_type_ids"] = [[0] * 5 + [1] * 4]
    if choices:
        for case in cases.values():
            for name in case:
                case[name] = [case[name]]
    return cases


def make(name, architecture, fields, seed):
    fields = SIZES | fields
    config_class = getattr(T, architecture).config_class
    config = config_class(**fields)
    torch.manual_seed(seed)
    model = getattr(T, architecture)(config).eval()
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if parameter.requires_grad:
                center = 1.0 if parameter_name.lower().endswith(("norm.weight", "ln.weight")) else 0.0
                parameter.copy_(center + 0.3 * torch.randn(parameter.shape))
        if hasattr(model, "tie_weights"):
            model.tie_weights()
    folder = TARGET / name
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    cases = []
    for case, inputs in inputs_of(config, "MultipleChoice" in architecture).items():
        states = case == "ids_only"
        attentions = states and not IS_FIVE
        with torch.no_grad():
            tensors = {of: torch.tensor(ids) for of, ids in inputs.items()}
            found = model(**tensors, output_hidden_states=states, output_attentions=attentions)
        outputs = {of: rounded(value) for of, value in found.items() if of != "past_key_values"}
        cases.append({"name": case, "inputs": inputs, "outputs": outputs})
    text = json.dumps({"cases": cases}, separators=(",", ":"))
    (folder / "cases.json").write_text(text + "\n", encoding="ascii")
    for more in folder.glob("generation_config.json"):
        more.unlink()


torch.set_num_threads(1)
mine = FIVE | MORE_FIVE if IS_FIVE else FOUR | MORE_FOUR
wanted = list(ALL) if sys.argv[1:] == ["all"] else sys.argv[1:]
for seed, name in enumerate(ALL):
    if name in mine and name in wanted:
        make(name, *mine[name], seed)
        print(name)
