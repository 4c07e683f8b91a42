"""Writes tests/goldens/retrieval/bge-m3-flag: a tiny XLM-RoBERTa with the three outputs of BGE-M3, as FlagEmbedding computes them.

    python make_bge_m3.py --models tests/goldens/families/models --out tests/goldens/retrieval

`dense`, `sparse` (weights by token) and `colbert` of each text are those of `M3Embedder.encode`; `scores` those of `compute_score` for each pair
of texts. Needs torch, transformers 4.57 and FlagEmbedding 1.4.
"""
import argparse
import json
import pathlib
import shutil

import torch
from FlagEmbedding.inference.embedder.encoder_only.m3 import M3Embedder
from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

args = argparse.ArgumentParser()
args.add_argument("--models", required=True)
args.add_argument("--out", required=True)
args = args.parse_args()
SOURCE = pathlib.Path(args.models) / "xlm-roberta-mlm"
FOLDER = pathlib.Path(args.out) / "bge-m3-flag"
WIDTH = 32
TEXTS = ["the river, the old bridge.", "Ok", "Where is the old bridge? The bridge is over the river, and the river is old."]
PAIRS = [[TEXTS[0], TEXTS[2]], [TEXTS[2], TEXTS[0]], [TEXTS[1], TEXTS[2]]]


def rounded(value):
    return [rounded(one) for one in value] if isinstance(value, list) else float(f"{value:.6g}")


torch.manual_seed(11)
tokenizer = AutoTokenizer.from_pretrained(SOURCE)
config = XLMRobertaConfig(
    hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2, intermediate_size=40, max_position_embeddings=66, type_vocab_size=1,
    vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
)
model = XLMRobertaModel(config, add_pooling_layer=False)
with torch.no_grad():
    for parameter in model.parameters():
        parameter.add_(0.3 * torch.randn(parameter.shape))
shutil.rmtree(FOLDER, ignore_errors=True)
model.save_pretrained(FOLDER)
(FOLDER / "model.safetensors").chmod(0o644)
tokenizer.save_pretrained(FOLDER)
for name, outputs in dict(sparse_linear=1, colbert_linear=WIDTH).items():
    torch.save(torch.nn.Linear(WIDTH, outputs).state_dict(), FOLDER / f"{name}.pt")

embedder = M3Embedder(str(FOLDER), use_fp16=False, devices="cpu", query_max_length=64, passage_max_length=64)
every = dict(return_dense=True, return_sparse=True, return_colbert_vecs=True, max_length=64)
found = embedder.encode(TEXTS, **every)
alone = [embedder.encode(text, **every) for text in TEXTS]
for n, one in enumerate(alone):  # a batch changes nothing but the last digits
    assert torch.allclose(torch.tensor(one["dense_vecs"]), torch.tensor(found["dense_vecs"][n]), atol=1e-5)
scores = embedder.compute_score(PAIRS, max_passage_length=64, max_query_length=64, weights_for_different_modes=[0.4, 0.2, 0.4])
cases = dict(
    texts=TEXTS,
    dense=rounded(found["dense_vecs"].tolist()),
    sparse=[{tokenizer.convert_ids_to_tokens(int(id)): rounded(float(weight)) for id, weight in row.items()} for row in found["lexical_weights"]],
    colbert=[rounded(rows.tolist()) for rows in found["colbert_vecs"]],
    pairs=[[TEXTS.index(text) for text in pair] for pair in PAIRS],
    scores={kind: rounded([float(score) for score in of]) for kind, of in scores.items()},
)
modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
listed = [dict(idx=n, name=str(n), path=path, type=f"sentence_transformers.models.{kind}") for n, (path, kind) in enumerate(modules)]
(FOLDER / "modules.json").write_text(json.dumps(listed))
(FOLDER / "1_Pooling").mkdir()
(FOLDER / "1_Pooling" / "config.json").write_text(json.dumps(dict(word_embedding_dimension=WIDTH, pooling_mode_cls_token=True)))
(FOLDER / "cases.json").write_text(json.dumps(cases, ensure_ascii=False) + "\n")
