"""Makes folders.json of this folder's parent again: results of sentence-transformers for folders of all releases.

    python3 -m venv VENV; VENV/bin/pip install "transformers==5.24.0" "sentence-transformers==6.2.0" torch numpy safetensors
    VENV/bin/python make_folders.py
"""
import base64
import json
import os
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import torch
from safetensors.torch import save
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 8
WORDS = "the old house river Berlin OLD music walks at night , . ! query : passage".split()
LETTERS = list("abcdefghijklmnopqrstuvwxyzABHOR")
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS + LETTERS + ["##" + x for x in LETTERS]
TEXTS = ["The OLD house", "music walks at night, the river walks!", "Berlin", "[MASK] the [mask] house"]

random = torch.Generator().manual_seed(7)


def noise(*shape):
    return torch.randn(*shape, generator=random)


def tensors(**named):
    return {"base64": base64.b64encode(save({k.replace("__", "."): v.contiguous() for k, v in named.items()})).decode()}


def encoder():
    """A BERT of two layers over a cased vocabulary."""
    torch.manual_seed(3)
    config = BertConfig(vocab_size=len(VOCAB), hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12, max_position_embeddings=24, initializer_range=0.5)
    model = BertModel(config, add_pooling_layer=False)
    ids = {word: n for n, word in enumerate(VOCAB)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)])
    special = {name + "_token": f"[{name.upper()}]" for name in ["pad", "unk", "cls", "sep", "mask"]}
    fields = dict(config.to_dict(), model_type="bert", architectures=["BertModel"])
    return {
        "config.json": {k: v for k, v in fields.items() if v is not None},
        "model.safetensors": tensors(**{k.replace(".", "__"): v for k, v in model.state_dict().items() if "position_ids" not in k}),
        "tokenizer.json": json.loads(tokenizer.to_str()),
        "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "model_max_length": 24, **special},
    }


OLD = "sentence_transformers.models."
NEW = "sentence_transformers.base.modules."
OWN = "sentence_transformers.sentence_transformer.modules."
PATHS = {"Transformer": NEW + "transformer", "Dense": NEW + "dense", "Normalize": NEW + "normalize", "Pooling": OWN + "pooling", "LayerNorm": OWN + "layer_norm", "WeightedLayerPooling": OWN + "weighted_layer_pooling", "Dropout": OWN + "dropout", "StaticEmbedding": OWN + "static_embedding"}


def modules(*kinds, paths={}, old=False):
    def path(n, kind):
        return paths.get(n, "" if n == 0 else f"{n}_{kind}")

    return {"modules.json": [{"idx": n, "name": str(n), "path": path(n, kind), "type": OLD + kind if old else f"{PATHS[kind]}.{kind}"} for n, kind in enumerate(kinds)]}


POOL = {"embedding_dimension": WIDTH, "pooling_mode": "mean", "include_prompt": True}


def dense(folder, outputs=5, inputs=WIDTH, act="torch.nn.modules.activation.Tanh", **config):
    named = {"linear__weight": noise(outputs, inputs)}
    if config.get("bias", True):
        named["linear__bias"] = noise(outputs)
    if config.get("use_residual") and inputs != outputs:
        named["residual__weight"] = noise(outputs, inputs)
    if act and act.endswith("PReLU"):
        named["activation_function__weight"] = torch.tensor([0.3])
    fields = {"in_features": inputs, "out_features": outputs, "bias": True, **config}
    if act:
        fields["activation_function"] = act
    return {f"{folder}/config.json": fields, f"{folder}/model.safetensors": tensors(**named)}


def norm(folder, width=WIDTH):
    return {f"{folder}/config.json": {"dimension": width}, f"{folder}/model.safetensors": tensors(norm__weight=noise(width), norm__bias=noise(width))}


def mix(folder, start, **config):
    return {f"{folder}/config.json": {"embedding_dimension": WIDTH, "layer_start": start, "num_hidden_layers": 2, **config}, f"{folder}/model.safetensors": tensors(layer_weights=noise(3 - start).abs())}


def static(path="", dtype=torch.float32, names=("embedding__weight",), special=True, **truncation):
    ids = {word: n for n, word in enumerate(VOCAB)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if special:
        tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    if truncation:
        tokenizer.enable_truncation(**truncation)
    rows = len(VOCAB) if "mapping" not in names else 9
    named = {names[0]: noise(rows, WIDTH).to(dtype)}
    if "mapping" in names:
        named["mapping"] = torch.randint(0, rows, (len(VOCAB),), generator=random, dtype=torch.int32)
    if "weights" in names:
        named["weights"] = noise(len(VOCAB)).abs().to(torch.float64)
    return {f"{path}model.safetensors": tensors(**named), f"{path}tokenizer.json": json.loads(tokenizer.to_str())}


def settings(**fields):
    return {"config_sentence_transformers.json": fields}


def own(**fields):
    return {"sentence_bert_config.json": fields}


USUAL = {"transformer_task": "feature-extraction", "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}, "module_output_name": "token_embeddings"}
PLAIN = {**modules("Transformer", "Pooling"), "1_Pooling/config.json": POOL, **own(**USUAL)}
ACTIVATIONS = "ReLU ReLU6 LeakyReLU RReLU PReLU ELU CELU SELU GELU SiLU Mish Sigmoid LogSigmoid Tanhshrink Softplus Softsign Softshrink Hardshrink Hardtanh Hardsigmoid Hardswish Softmax Softmin LogSoftmax".split()

# name → files over the encoder's ("static": without them), options of calls
CASES = {
    "plain": (PLAIN, [{}, {"prompt_name": "query"}, {"truncate_dim": 3}]),
    "old-names": ({**modules("Transformer", "Pooling", "Normalize", old=True), "1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True, "pooling_mode_mean_sqrt_len_tokens": True}, **own(max_seq_length=6, do_lower_case=False)}, [{}]),
    "no-flag": ({**modules("Transformer", "Pooling", old=True), "1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False}}, [{}]),
    "all-modes": ({**PLAIN, "1_Pooling/config.json": {**POOL, "pooling_mode": ["lasttoken", "weightedmean", "cls"]}}, [{}]),
    "one-mode-listed": ({**PLAIN, "1_Pooling/config.json": {"embedding_dimension": WIDTH, "pooling_mode": ["max"]}}, [{}]),
    "mode-before-flags": ({**PLAIN, "1_Pooling/config.json": {**POOL, "pooling_mode": "cls", "pooling_mode_mean_tokens": True}}, [{}]),
    "prompt-not-pooled": ({**PLAIN, "1_Pooling/config.json": {**POOL, "pooling_mode": ["weightedmean", "max"], "include_prompt": False}, **settings(prompts={"query": "query: ", "passage": "passage: "}, default_prompt_name="passage")}, [{}, {"prompt_name": "query"}, {"prompt": ""}, {"prompt": "the house "}]),
    "prompt-not-pooled-lowered": ({**PLAIN, "1_Pooling/config.json": {**POOL, "include_prompt": False}, **own(do_lower_case=True, max_seq_length=12)}, [{"prompt": "OLD House "}]),
    "empty-prompts": ({**PLAIN, **settings(prompts={"query": None, "document": "passage: "}, default_prompt_name="query")}, [{}, {"prompt_name": "document"}]),
    "truncate-dim": ({**PLAIN, **modules("Transformer", "Pooling", "Normalize"), **settings(truncate_dim=4)}, [{}, {"truncate_dim": 2}, {"truncate_dim": 100}]),
    "lower": ({**PLAIN, **own(**USUAL, do_lower_case=True)}, [{}]),
    "short": ({**PLAIN, **own(max_seq_length=5)}, [{}]),
    "longer-than-tokenizer": ({**PLAIN, **own(max_seq_length=9), "tokenizer_config.json": {"model_max_length": 4}}, [{}]),
    "tokenizer-decides": ({**PLAIN, **own(**USUAL), "tokenizer_config.json": {"model_max_length": 4}}, [{}]),
    "tokenizer-args": ({**PLAIN, **own(max_seq_length=9, tokenizer_args={"model_max_length": 5}, model_args={"attn_implementation": "eager"})}, [{}]),
    "processing-kwargs": ({**PLAIN, **own(**USUAL, processing_kwargs={"text": {"max_length": 6}})}, [{}]),
    "older-config-name": ({**modules("Transformer", "Pooling", old=True), "1_Pooling/config.json": POOL, "sentence_distilbert_config.json": {"max_seq_length": 5, "do_lower_case": True}}, [{}]),
    "zero-transformer": ({**modules("Transformer", "Pooling", "Normalize", paths={0: "0_Transformer"}, old=True), "1_Pooling/config.json": {**POOL, "pooling_mode": "cls"}, "0_Transformer/sentence_bert_config.json": {"max_seq_length": 5, "do_lower_case": False}}, [{}]),
    "other-paths": ({**modules("Transformer", "Pooling", "Dense", paths={0: "./", 1: "heads/pool", 2: "my.dense/"}), "heads/pool/config.json": POOL, **dense("my.dense")}, [{}]),
    "dropout": ({**PLAIN, **modules("Transformer", "Pooling", "Dropout"), "2_Dropout/config.json": {"dropout": 0.5}}, [{}]),
    "two-dense": ({**PLAIN, **modules("Transformer", "Pooling", "Dense", "Dense", "LayerNorm", "Normalize"), **dense("2_Dense", 6, act="torch.nn.modules.activation.GELU", bias=False), **dense("3_Dense", 4, 6, act="torch.nn.modules.linear.Identity"), **norm("4_LayerNorm", 4)}, [{}, {"normalize": False}]),
    "dense-default-activation": ({**PLAIN, **modules("Transformer", "Pooling", "Dense"), **dense("2_Dense", act=None, module_input_name="sentence_embedding")}, [{}]),
    "dense-residual": ({**PLAIN, **modules("Transformer", "Pooling", "Dense", "Dense"), **dense("2_Dense", WIDTH, use_residual=True), **dense("3_Dense", 3, use_residual=True, act="torch.nn.ReLU")}, [{}]),
    "dense-of-tokens": ({**PLAIN, **modules("Transformer", "Dense", "Pooling"), **dense("1_Dense", module_input_name="token_embeddings", module_output_name="token_embeddings"), "2_Pooling/config.json": {**POOL, "embedding_dimension": 5}}, [{}]),
    "normalized-tokens": ({**PLAIN, **modules("Transformer", "Normalize", "Pooling"), "1_Normalize/config.json": {"module_input_name": "token_embeddings", "module_output_name": "token_embeddings"}, "2_Pooling/config.json": POOL}, [{}]),
    "normalize-too-early": ({**PLAIN, **modules("Transformer", "Normalize", "Pooling", old=True), "2_Pooling/config.json": POOL}, [{}]),
    "pooled-twice": ({**PLAIN, **modules("Transformer", "Pooling", "Dense", "Pooling"), **dense("2_Dense", WIDTH, module_input_name="token_embeddings"), "3_Pooling/config.json": {**POOL, "pooling_mode": "cls"}}, [{}]),
    "layers": ({**PLAIN, **modules("Transformer", "WeightedLayerPooling", "Pooling"), "config.json": {"output_hidden_states": True}, **mix("1_WeightedLayerPooling", 1), "2_Pooling/config.json": POOL}, [{}]),
    "layers-all": ({**PLAIN, **modules("Transformer", "WeightedLayerPooling", "Pooling", "Normalize", old=True), "config.json": {"output_hidden_states": True}, **mix("1_WeightedLayerPooling", 0), "2_Pooling/config.json": {**POOL, "pooling_mode": "cls"}}, [{}]),
    "layers-not-given": ({**PLAIN, **modules("Transformer", "WeightedLayerPooling", "Pooling"), **mix("1_WeightedLayerPooling", 1), "2_Pooling/config.json": POOL}, [{}]),
    "layers-after-dense": ({**PLAIN, **modules("Transformer", "Dense", "Pooling", "WeightedLayerPooling", "Pooling"), "config.json": {"output_hidden_states": True}, **dense("1_Dense", WIDTH, module_input_name="token_embeddings", module_output_name="other"), "2_Pooling/config.json": POOL, **mix("3_WeightedLayerPooling", 2), "4_Pooling/config.json": {**POOL, "pooling_mode": "max"}}, [{}]),
    **{f"dense-{act}": ({**PLAIN, **modules("Transformer", "Pooling", "Dense"), **dense("2_Dense", act=f"torch.nn.modules.activation.{act}")}, [{}]) for act in ACTIVATIONS},
    "static": ({**modules("StaticEmbedding"), **static(), **settings(prompts={"query": "the river "}, default_prompt_name=None)}, [{}, {"prompt_name": "query"}, {"truncate_dim": 3}]),
    "static-no-special-tokens": ({**modules("StaticEmbedding"), **static(special=False)}, [{}]),
    "static-below": ({**modules("StaticEmbedding", "Normalize", paths={0: "0_StaticEmbedding"}, old=True), **static("0_StaticEmbedding/")}, [{}]),
    "static-dense": ({**modules("StaticEmbedding", "Dense", "LayerNorm"), **static(), **dense("1_Dense"), **norm("2_LayerNorm", 5)}, [{}]),
    "static-truncated": ({**modules("StaticEmbedding"), **static(max_length=3)}, [{}]),
    "static-truncated-left": ({**modules("StaticEmbedding"), **static(max_length=3, direction="left")}, [{}]),
    "static-f16": ({**modules("StaticEmbedding"), **static(dtype=torch.float16)}, [{}]),
    "static-f64": ({**modules("StaticEmbedding"), **static(dtype=torch.float64)}, [{}]),
    "static-of-model2vec": ({**modules("StaticEmbedding"), **static(names=("embeddings", "mapping", "weights"))}, [{}]),
}


def lay(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(content["base64"]) if isinstance(content, dict) and "base64" in content else json.dumps(content).encode())


def over(base, files):
    """Files of a case that replace the encoder's; tokenizer_config.json and config.json are merged field by field."""
    merged = dict(base)
    for name, content in files.items():
        merged[name] = {**base[name], **content} if name in ("config.json", "tokenizer_config.json") else content
    return merged


def encode(files, calls):
    with tempfile.TemporaryDirectory() as folder:
        lay(folder, files)
        model = SentenceTransformer(folder, device="cpu").float()
        model.eval()
        found = []
        for call in calls:
            options = dict(call)
            if options.pop("normalize", True) is False:
                kept = [m for m in model if type(m).__name__ != "Normalize"]
                used = SentenceTransformer(modules=kept, device="cpu")
            else:
                used = model
            rows = [used.encode([text], show_progress_bar=False, **options)[0] for text in TEXTS]
            found.append({"options": call, "embeddings": [[float(f"{x:.6g}") for x in np.asarray(row, dtype=np.float64)] for row in rows]})
        return found


def main():
    base = encoder()
    cases = []
    for name, (files, calls) in CASES.items():
        first = files["modules.json"][0]
        is_static = first["type"].endswith("StaticEmbedding")
        below = first["path"] if first["path"] not in ("", "./") else ""
        laid = {} if is_static else {f"{below}/{k}" if below else k: v for k, v in base.items()}
        whole = {**laid, **files} if is_static or below else over(base, files)
        cases.append({"name": name, **({"static": True} if is_static else {}), **({"below": below} if below and not is_static else {}), "files": files, "calls": encode(whole, calls)})
    with open(os.path.join(os.path.dirname(HERE), "folders.json"), "w") as f:
        parts = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        f.write(f'{{"texts":{json.dumps(TEXTS)},"encoder":{json.dumps(base, separators=(",", ":"))},"cases":[\n{parts}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
