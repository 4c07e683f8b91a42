"""Folders of sentence-transformers, cross-encoders and model2vec, with the results of encode(), predict() and rank()."""
from extras import *

torch = setup_torch()
import logging
logging.disable(logging.WARNING)
import transformers as T
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, decoders
from sentence_transformers import SentenceTransformer, CrossEncoder
from sentence_transformers.sentence_transformer.modules import Pooling, Normalize
from sentence_transformers.base.modules import Dense, Transformer
from safetensors.torch import load_file
from model2vec import StaticModel

a = start("sentence-transformers")
S, X = a.S, a.X
EAGER = dict(model_kwargs=dict(attn_implementation="eager"), device="cpu")
R = rng_for(X.SEED, "embed")
TMP = os.path.join(a.out, ".tmp")
shutil.rmtree(TMP, ignore_errors=True)


def bert(name, cls=T.BertModel, lower=True, layout="front", size=200, length=48, hidden=24, **kw):
    """a tiny random BERT with its tokenizer in TMP/name"""
    folder = os.path.join(TMP, name)
    v = vocab_for(a, size, layout, name, extra=["query", "passage", "A", "The"] if not lower else ["query", "passage"])
    write_vocab(v, os.path.join(folder, "vocab.txt"))
    tok = T.BertTokenizerFast(os.path.join(folder, "vocab.txt"), do_lower_case=lower, model_max_length=length)
    cfg = T.BertConfig(vocab_size=len(v), hidden_size=hidden, num_attention_heads=3 if hidden % 3 == 0 else 2, num_hidden_layers=2, intermediate_size=40, max_position_embeddings=length, initializer_range=0.2, pad_token_id=v.index("[PAD]"), attn_implementation="eager", **kw)
    torch.manual_seed(int_seed(X.SEED, "weights", name))
    m = cls(cfg)
    perturb(m, X.SEED, name)
    if cls is T.BertForSequenceClassification:   # scores that differ from pair to pair
        with torch.no_grad():
            o = torch.cat([m(**tok(*p, return_tensors="pt", truncation=True)).logits for p in X.PAIRS])
            k = 1.5 / (o - o.mean(0)).std().item()
            m.classifier.weight *= k
            m.classifier.bias.copy_((m.classifier.bias - o.mean(0)) * k + torch.randn(o.shape[1], generator=torch.Generator().manual_seed(3)) * 0.3)
    m.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


# ------------------------------------------------------------------ 1 sentence-transformers
LEGACY_POOL = [("cls", "pooling_mode_cls_token"), ("mean", "pooling_mode_mean_tokens"), ("max", "pooling_mode_max_tokens"), ("mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"), ("weightedmean", "pooling_mode_weightedmean_tokens"), ("lasttoken", "pooling_mode_lasttoken")]


def legacy(folder, max_seq_length=None, lower=False):
    """the same folder in the older format"""
    short = {"Transformer": "sentence_transformers.models.Transformer", "Pooling": "sentence_transformers.models.Pooling", "Dense": "sentence_transformers.models.Dense", "Normalize": "sentence_transformers.models.Normalize"}
    rewrite(os.path.join(folder, "modules.json"), lambda d: [dict(m, type=short[m["type"].split(".")[-1]]) for m in d])
    dump(dict(max_seq_length=max_seq_length, do_lower_case=lower), os.path.join(folder, "sentence_bert_config.json"), indent=4)

    def pool(d):
        modes = [d["pooling_mode"]] if isinstance(d["pooling_mode"], str) else d["pooling_mode"]
        new = dict(word_embedding_dimension=d["embedding_dimension"], **{k: m in modes for m, k in LEGACY_POOL})
        if not d["include_prompt"]:
            new["include_prompt"] = False
        return new
    for f in glob.glob(os.path.join(folder, "*_Pooling", "config.json")):
        rewrite(f, pool)
    for f in glob.glob(os.path.join(folder, "*_Dense", "config.json")):
        rewrite(f, lambda d: {k: d[k] for k in ("in_features", "out_features", "bias", "activation_function")})
    rewrite(os.path.join(folder, "config_sentence_transformers.json"), lambda d: dict({k: v for k, v in d.items() if k not in ("model_type", "similarity_fn_name")}, __version__=dict(sentence_transformers="2.2.2", transformers="4.18.0", pytorch="1.11.0+cu102")))


def sentence(name, pool, dense=None, norm=False, old=False, include_prompt=True, prompts=None, default=None, max_seq_length=None, truncate=None, lower_config=False, calls=None, bare=False, **kw):
    src = bert("st-" + name, **kw)
    folder = os.path.join(a.dir, name)
    if bare:
        shutil.copytree(src, folder)
    else:
        tr = Transformer(src, model_kwargs=dict(attn_implementation="eager"))
        p = Pooling(tr.get_embedding_dimension(), pool, include_prompt=include_prompt)
        mods = [tr, p]
        g = torch.Generator().manual_seed(int_seed(X.SEED, "dense", name))
        for out, act, bias in dense or []:
            n = mods[-1].get_embedding_dimension()
            mods.append(Dense(n, out, bias=bias, activation_function=act, init_weight=torch.randn((out, n), generator=g) * 0.4, init_bias=torch.randn(out, generator=g) * 0.3 if bias else None))
        if norm:
            mods.append(Normalize())
        m = SentenceTransformer(modules=mods, prompts=prompts, default_prompt_name=default, truncate_dim=truncate, device="cpu")
        if max_seq_length and not old:
            m.max_seq_length = max_seq_length
        m.save_pretrained(folder, create_model_card=False)
        if old:
            legacy(folder, max_seq_length, lower_config)
    tidy(folder)
    m = SentenceTransformer(folder, **EAGER)
    cases = []
    for opt in [{}] + (calls or []):
        e = m.encode(X.ENCODE, batch_size=5, show_progress_bar=False, **opt)
        assert e.shape[0] == len(X.ENCODE) and np.isfinite(e).all()
        # the same one by one: padding does not change a result
        one = np.stack([m.encode(t, show_progress_bar=False, **opt) for t in X.ENCODE])
        assert np.abs(one - e).max() < 2e-5, (name, np.abs(one - e).max())
        cases.append(dict(options=opt, embeddings=f32(e)))
    dump(dict(name=name, modules=[type(x).__name__ for x in m], max_seq_length=m.max_seq_length, texts=X.ENCODE, input_ids=m.tokenizer(X.ENCODE, truncation=True)["input_ids"], cases=cases), os.path.join(folder, "cases.json"))
    print("st:", name, [type(x).__name__ for x in m], "max", m.max_seq_length, len(cases), "calls")


I, Tanh = torch.nn.Identity(), torch.nn.Tanh()
PR = {"query": "query: ", "passage": "passage: ", "long": "the query of a student in the summer: "}
sentence("mean", "mean", calls=[dict(normalize_embeddings=True), dict(truncate_dim=7), dict(truncate_dim=7, normalize_embeddings=True)])
sentence("mean-legacy", "mean", old=True, norm=True, max_seq_length=48, layout="bert")
sentence("cls", "cls")
sentence("cls-legacy", "cls", old=True, layout="back")
sentence("max", "max")
sentence("mean-sqrt-len", "mean_sqrt_len_tokens", old=True)
sentence("weightedmean", "weightedmean")
sentence("lasttoken", "lasttoken", old=True)
sentence("mean-then-cls", ("mean", "cls"), norm=True)
sentence("cls-max-legacy", ("max", "cls"), old=True)
sentence("dense-tanh-normalize", "mean", dense=[(16, Tanh, True)], norm=True, old=True)
sentence("dense-identity", ("cls", "mean"), dense=[(20, I, False)])
sentence("dense-twice", "mean", dense=[(32, Tanh, True), (10, I, True)])
sentence("prompts-default", "mean", norm=True, prompts=PR, default="query", calls=[dict(prompt_name="passage"), dict(prompt=""), dict(prompt="the ")])
sentence("prompts-excluded", "mean", include_prompt=False, prompts=PR, calls=[dict(prompt_name="query"), dict(prompt_name="long")])
sentence("prompts-excluded-weighted-legacy", ("cls", "weightedmean"), include_prompt=False, prompts=PR, default="query", old=True, calls=[dict(prompt="the piano ")])
sentence("max-seq-length", "mean", max_seq_length=12)
sentence("max-seq-length-legacy", "mean", max_seq_length=9, old=True, prompts=PR, calls=[dict(prompt_name="long")])
sentence("truncate-dim", "mean", norm=True, truncate=10, calls=[dict(truncate_dim=5), dict(normalize_embeddings=True)])
sentence("lowercase-legacy", "mean", old=True, lower_config=True, lower=False)
sentence("no-modules", None, bare=True)

# ------------------------------------------------------------------ 2 cross-encoders
a.dir = os.path.join(a.out, "cross-encoder")
shutil.rmtree(a.dir, ignore_errors=True)


def ranked(rows):
    return [dict(r, score=float(str(np.float32(r["score"])))) for r in rows]


def cross(name, labels, edit=None, v5=None, length=48, calls=({},), **kw):
    src = bert("ce-" + name, cls=T.BertForSequenceClassification, num_labels=labels, length=length, **kw)
    folder = os.path.join(a.dir, name)
    if v5:
        m = CrossEncoder(src, **EAGER, **v5)
        m.save_pretrained(folder, create_model_card=False)
    else:
        shutil.copytree(src, folder)
    if edit:
        rewrite(os.path.join(folder, "config.json"), edit)
    tidy(folder)
    m = CrossEncoder(folder, **EAGER)
    d = dict(name=name, num_labels=labels, activation_fn=type(m.activation_fn).__name__, max_seq_length=m.max_seq_length, pairs=X.PAIRS, predict=[], rank=[])
    d["input_ids"] = m.tokenizer([p[0] for p in X.PAIRS], [p[1] for p in X.PAIRS], truncation=True)["input_ids"]
    for opt in calls:
        py = {k: (torch.nn.Identity() if v == "identity" else torch.nn.Sigmoid()) if k == "activation_fn" else v for k, v in opt.items()}
        d["predict"].append(dict(options=opt, scores=f32(m.predict(X.PAIRS, batch_size=3, show_progress_bar=False, **py))))
    if labels == 1:
        for q, docs in X.RANK:
            for opt in ({}, dict(top_k=2, return_documents=True), dict(top_k=100)):
                d["rank"].append(dict(query=q, documents=docs, options=opt, output=ranked(m.rank(q, docs, show_progress_bar=False, **opt))))
    dump(d, os.path.join(folder, "cases.json"))
    print("ce:", name, d["activation_fn"], d["max_seq_length"], [round(float(x), 3) for x in np.ravel(d["predict"][0]["scores"])[:6]])


cross("one-label", 1, calls=({}, dict(activation_fn="identity")))
cross("one-label-identity-v4", 1, edit=lambda d: d.update(sentence_transformers=dict(activation_fn="torch.nn.modules.linear.Identity", version="4.1.0")), layout="bert")
cross("one-label-identity-v3", 1, edit=lambda d: d.update(sbert_ce_default_activation_function="torch.nn.modules.linear.Identity"))
cross("one-label-identity-v5", 1, v5=dict(activation_fn=torch.nn.Identity(), max_length=24), calls=({}, dict(activation_fn="sigmoid")))
cross("three-labels", 3, edit=lambda d: d.update(id2label={"0": "contradiction", "1": "entailment", "2": "neutral"}, label2id=dict(contradiction=0, entailment=1, neutral=2)), calls=({}, dict(apply_softmax=True)), layout="back")

# ------------------------------------------------------------------ 3 model2vec
a.dir = os.path.join(a.out, "model2vec")
shutil.rmtree(a.dir, ignore_errors=True)


def static(name, normalize, dim=20, size=220, dtype=None, quant=None, weights=False, calls=({},), layout="front", lower=True):
    g = np.random.default_rng(int_seed(X.SEED, "m2v", name))
    v = vocab_for(a, size, layout, "m2v-" + name)
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(v)}, unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lower)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", v.index("[CLS]")), ("[SEP]", v.index("[SEP]"))])
    t.decoder = decoders.WordPiece()
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    e = (g.standard_normal((size, dim)) * g.uniform(0.3, 2, (size, 1))).astype(np.float32)
    w = m = None
    if quant:   # fewer vectors than tokens: mapping token -> vector, and a weight a token
        m = g.integers(0, quant, size).astype(np.int64)
        e = e[:quant]
    if quant or weights:
        w = g.uniform(0.1, 2, size).astype(np.float32)
    cfg = dict(model_type="model2vec", architectures=["StaticModel"], tokenizer_name="tiny", apply_pca=dim, sif_coefficient=1e-4, hidden_dim=dim, seq_length=1000000, normalize=normalize, pooling="mean")
    if dtype == "int8":
        e = np.clip(np.rint(e / np.abs(e).max() * 127), -127, 127).astype(np.int8)
    elif dtype:
        e = e.astype(dtype)
    folder = os.path.join(a.dir, name)
    StaticModel(e, t, config=cfg, weights=w, token_mapping=m, normalize=normalize).save_pretrained(folder)
    tidy(folder)
    sm = StaticModel.from_pretrained(folder)
    d = dict(name=name, normalize=sm.normalize, median_token_length=sm.median_token_length, texts=X.ENCODE, cases=[])
    for opt in calls:
        out = sm.encode(X.ENCODE, **opt)
        d["cases"].append(dict(options=opt, tokens=sm.tokenize(X.ENCODE, opt.get("max_length", 512)), dtype=str(out.dtype), embeddings=f32(out)))
    dump(d, os.path.join(folder, "cases.json"))
    print("m2v:", name, d["cases"][0]["dtype"], "median", sm.median_token_length, load_file(os.path.join(folder, "model.safetensors")).keys())


LEN = ({}, dict(max_length=6), dict(max_length=None))
static("plain", False, calls=LEN)
static("normalize", True, calls=LEN, layout="bert")
static("weights", True, weights=True)
static("quantized-vocabulary", True, quant=60)
static("fp16", True, dtype=np.float16)
static("int8", False, dtype="int8", layout="back")
shutil.rmtree(TMP)
