"""Writes tests/goldens/retrieval: sparse encoders and late interaction, with the outputs of sentence-transformers.

    python make_retrieval.py --models tests/goldens/models --out tests/goldens/retrieval [--seed N]

`sparse` in `cases.json`: the weights of each text's tokens as documents and as queries. `tokens`: the vectors of each
text's tokens, and `scores`, MaxSim of each query with each document. `stanford` and `pylate` have the layouts of those
libraries, read by sentence-transformers. Needs torch, transformers and sentence-transformers 6.2.
"""
import argparse
import json
import pathlib
import shutil

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import MultiVectorEncoder, SparseEncoder
from sentence_transformers.base.modules import Dense, Normalize, Router, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sparse_encoder.modules import MLMTransformer, SparseStaticEmbedding, SpladePooling
from transformers import BertConfig, BertForMaskedLM, BertModel, BertTokenizerFast

args = argparse.ArgumentParser()
args.add_argument("--models", required=True)
args.add_argument("--out", required=True)
args.add_argument("--seed", type=int, default=1)
args = args.parse_args()
OUT = pathlib.Path(args.out)
SOURCE = pathlib.Path(args.models) / "bert-mlm"
WIDTH = 32
SIZES = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2, intermediate_size=40, max_position_embeddings=48)
TEXTS = ["the river, the old bridge.", "Ok", "a b c d e f g h i j k l m n o p q r s t u v w x y z and more after the end"]
QUERIES = ["the river?", TEXTS[2]]


def base(kind, name, seed):
    torch.manual_seed(args.seed + seed)
    tokenizer = BertTokenizerFast.from_pretrained(SOURCE)
    model = kind(BertConfig(**SIZES, vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape))
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder, tokenizer


def rounded(value):
    return [rounded(one) for one in value] if isinstance(value, list) else float(f"{value:.6g}")


def sparse_cases(folder, encoder, tokenizer):
    def rows(embeddings):
        dense = embeddings.to_dense()
        return [{tokenizer.convert_ids_to_tokens(i): rounded(float(row[i])) for i in row.nonzero().flatten().tolist()} for row in dense]

    cases = dict(texts=TEXTS, document=rows(encoder.encode_document(TEXTS)), query=rows(encoder.encode_query(TEXTS)))
    (folder / "cases.json").write_text(json.dumps(cases) + "\n")


def token_cases(folder, encoder):
    queries = encoder.encode_query(QUERIES)
    documents = encoder.encode_document(TEXTS)
    scores = [[float((q @ d.T).max(1).values.sum()) for d in documents] for q in queries]
    lists = [rounded([one.tolist() for one in some]) for some in (queries, documents)]
    cases = dict(queries=QUERIES, documents=TEXTS, query_vectors=lists[0], document_vectors=lists[1], scores=rounded(scores))
    (folder / "cases.json").write_text(json.dumps(cases) + "\n")


def clean(folder):
    for file in folder.rglob("README.md"):
        file.unlink()


def splade(name, seed, **pooling):
    source, tokenizer = base(BertForMaskedLM, f"{name}-source", seed)
    encoder = SparseEncoder(modules=[MLMTransformer(str(source)), SpladePooling(**pooling)], device="cpu", prompts=dict(query="the ", document=""))
    folder = OUT / name
    encoder.save_pretrained(str(folder))
    sparse_cases(folder, encoder, tokenizer)
    shutil.rmtree(source)


def router(name, seed):
    source, tokenizer = base(BertForMaskedLM, f"{name}-source", seed)
    weights = torch.rand(len(tokenizer)) * 3
    route = Router.for_query_document(
        query_modules=[SparseStaticEmbedding(tokenizer=tokenizer, weight=weights, frozen=True)],
        document_modules=[MLMTransformer(str(source)), SpladePooling("max")],
    )
    encoder = SparseEncoder(modules=[route], device="cpu")
    folder = OUT / name
    encoder.save_pretrained(str(folder))
    sparse_cases(folder, encoder, tokenizer)
    shutil.rmtree(source)


def multi_vector(name, seed):
    source, _ = base(BertModel, f"{name}-source", seed)
    expansion = dict(strategy="fixed", length=9, attend=False)
    encoder = MultiVectorEncoder(
        modules=[
            Transformer(str(source), document_length=14, query_expansion=expansion),
            Dense(WIDTH, 8, bias=False, activation_function=torch.nn.Identity(), module_input_name="token_embeddings"),
            MultiVectorMask(skiplist_words=[".", ","]),
            Normalize(module_input_name="token_embeddings"),
        ],
        device="cpu",
        prompts=dict(query="a ", document="b "),
    )
    folder = OUT / name
    encoder.save_pretrained(str(folder))
    token_cases(folder, encoder)
    shutil.rmtree(source)


def stanford(name, seed):
    folder, _ = base(BertModel, name, seed)
    tensors = {f"bert.{of}": tensor for of, tensor in load_file(folder / "model.safetensors").items()}
    save_file({**tensors, "linear.weight": torch.randn(8, WIDTH)}, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    metadata = dict(query_token_id="[unused0]", doc_token_id="[unused1]", query_maxlen=10, doc_maxlen=16, mask_punctuation=True, attend_to_mask_tokens=False)
    (folder / "artifact.metadata").write_text(json.dumps(metadata))
    token_cases(folder, MultiVectorEncoder(str(folder), device="cpu"))


def pylate(name, seed):
    folder, _ = base(BertModel, name, seed)
    modules = [("", "sentence_transformers.models.Transformer"), ("1_Dense", "pylate.models.Dense.Dense")]
    listed = [dict(idx=n, name=str(n), path=path, type=kind) for n, (path, kind) in enumerate(modules)]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "sentence_bert_config.json").write_text(json.dumps(dict(max_seq_length=40, do_lower_case=False)))
    settings = dict(model_type="ColBERT", query_prefix="[unused0]", document_prefix="[unused1]", query_length=9, document_length=14)
    settings |= dict(attend_to_expansion_tokens=True, skiplist_words=["."], do_query_expansion=True, similarity_fn_name="MaxSim")
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    dense = folder / "1_Dense"
    dense.mkdir()
    shape = dict(in_features=WIDTH, out_features=8, bias=True, activation_function="torch.nn.modules.linear.Identity", use_residual=False)
    (dense / "config.json").write_text(json.dumps(shape))
    save_file({"linear.weight": torch.randn(8, WIDTH), "linear.bias": torch.randn(8)}, dense / "model.safetensors")
    token_cases(folder, MultiVectorEncoder(str(folder), device="cpu"))


def bge_m3(name, seed):
    """The layers and formulas of `BGEM3FlagModel` (FlagEmbedding 1.3), written out: the library is not needed."""
    folder, tokenizer = base(BertModel, name, seed)
    sparse, colbert = torch.nn.Linear(WIDTH, 1), torch.nn.Linear(WIDTH, WIDTH)
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    torch.save(colbert.state_dict(), folder / "colbert_linear.pt")
    model = BertModel.from_pretrained(folder).eval()
    unused = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id, tokenizer.unk_token_id}
    weights, vectors, dense = [], [], []
    with torch.no_grad():
        for text in TEXTS:
            inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=SIZES["max_position_embeddings"])
            states = model(**inputs).last_hidden_state[0]
            row = {}
            for token, weight in zip(inputs["input_ids"][0].tolist(), torch.relu(sparse(states))[:, 0].tolist()):
                if token not in unused and weight > row.get(token, 0):
                    row[token] = weight
            weights.append({tokenizer.convert_ids_to_tokens(token): rounded(weight) for token, weight in row.items()})
            vectors.append(rounded(torch.nn.functional.normalize(colbert(states[1:]), dim=-1).tolist()))
            dense.append(rounded(torch.nn.functional.normalize(states[0], dim=-1).tolist()))
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    listed = [dict(idx=n, name=str(n), path=path, type=f"sentence_transformers.models.{kind}") for n, (path, kind) in enumerate(modules)]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(dict(word_embedding_dimension=WIDTH, pooling_mode_cls_token=True)))
    (folder / "cases.json").write_text(json.dumps(dict(texts=TEXTS, dense=dense, sparse=weights, colbert=vectors)) + "\n")


splade("splade-max-log", 1, pooling_strategy="max", activation_function="log1p_relu")
splade("splade-sum", 2, pooling_strategy="sum")
router("idf-queries", 3)
multi_vector("multi-vector", 4)
stanford("stanford", 5)
pylate("pylate", 6)
bge_m3("bge-m3", 7)
clean(OUT)
