"""Pseudo-log-likelihoods and the filling of several masks, on the masked-language models of models/."""
from extras import *

torch = setup_torch()
import transformers as T

a = start("fill")
X = a.X
M = os.path.join(HERE, "..", "models")
MODELS = ["bert-mlm", "bert-mlm-untied", "bert-mlm-vocab2000"]
pll, fills = [], []
GAP_TOKEN, GAP_CONF = 2e-3, 1e-4     # logits between first and second; probabilities that decide an order


class Tie(Exception):
    pass


def load(name):
    f = os.path.join(M, name)
    return T.AutoModelForMaskedLM.from_pretrained(f, attn_implementation="eager", dtype=torch.float32).eval(), T.AutoTokenizer.from_pretrained(f)


def logits(m, rows):
    with torch.no_grad():
        return m(input_ids=torch.tensor(rows), attention_mask=torch.ones((len(rows), len(rows[0])), dtype=torch.long)).logits


def predict(m, ids, pos, bad):
    """position -> (token, probability): argmax and softmax over the whole vocabulary"""
    l = logits(m, [ids])[0]
    out = {}
    for p in pos:
        top = l[p].topk(2)
        if float(top.values[0] - top.values[1]) < GAP_TOKEN or int(top.indices[0]) in bad:
            raise Tie(f"token at {p}")
        out[p] = (int(top.indices[0]), float(l[p].softmax(-1).max()))
    return out


def apart(values):
    v = sorted(values)
    if any(y - x < GAP_CONF for x, y in zip(v, v[1:])):
        raise Tie("confidence")


def left_to_right(m, ids, masks, bad):
    for p in masks:
        t, c = predict(m, ids, [p], bad)[p]
        ids = ids[:p] + [t] + ids[p + 1:]
        yield dict(filled=[p], probabilities=[c], ids=ids)


def confidence_first(m, ids, masks, bad):
    left = list(masks)
    while left:
        y = predict(m, ids, left, bad)
        apart([y[p][1] for p in left])
        p = max(left, key=lambda q: (y[q][1], -q))
        ids = ids[:p] + [y[p][0]] + ids[p + 1:]
        left.remove(p)
        yield dict(filled=[p], probabilities=[y[p][1]], ids=ids)


def mask_predict(m, ids, masks, bad, mask_id, steps):
    n, conf = len(masks), {}
    todo = list(masks)
    for t in range(steps):
        if t:
            k = max(1, n * (steps - t) // steps)
            if k < n:
                apart(conf.values())
            todo = sorted(sorted(masks, key=lambda p: (conf[p], p))[:k])
            ids = [mask_id if i in todo else x for i, x in enumerate(ids)]
        y = predict(m, ids, todo, bad)
        masked = list(todo)
        for p in todo:
            conf[p] = y[p][1]
            ids = ids[:p] + [y[p][0]] + ids[p + 1:]
        yield dict(masked=masked, filled=masked, probabilities=[conf[p] for p in masked], ids=ids)


for name in MODELS:
    m, tok = load(name)
    bad = set(tok.all_special_ids)
    texts = X.PLL if name == "bert-mlm" else X.PLL[:4]
    for s in texts:
        e = tok(s, return_offsets_mapping=True, return_special_tokens_mask=True)
        ids = e["input_ids"]
        at = [i for i, x in enumerate(e["special_tokens_mask"]) if not x]
        rows = [[tok.mask_token_id if j == i else x for j, x in enumerate(ids)] for i in at]
        # one at a time and in double for the sum
        lp = [float(logits(m, [r])[0, i].double().log_softmax(-1)[ids[i]]) for i, r in zip(at, rows)]
        u = utf16_index(s)
        pll.append(dict(model=name, text=s, input_ids=ids, score=float(np.float32(sum(lp))), pseudo_perplexity=float(np.float32(np.exp(-sum(lp) / len(lp)))),
                        tokens=[dict(index=i, id=ids[i], token_str=tok.convert_ids_to_tokens(ids[i]), score=float(str(np.float32(x))), start=e["offset_mapping"][i][0], end=e["offset_mapping"][i][1], start_utf16=u[e["offset_mapping"][i][0]], end_utf16=u[e["offset_mapping"][i][1]]) for i, x in zip(at, lp)]))
    texts = list(X.FILL)
    r = rng_for(X.SEED, "fill", name)
    words = [w for w in a.S.WORDS if len(tok.tokenize(w)) == 1]
    for _ in range(14):    # more, made of words the tokenizer knows
        n = r.randint(4, 12)
        k = r.randint(2, min(8, n))
        ws = [r.choice(words) for _ in range(n)]
        for i in r.sample(range(n), k):
            ws[i] = "[MASK]"
        texts.append(" ".join(ws) + " .")
    skipped = 0
    for s in texts:
        ids = tok(s)["input_ids"]
        masks = [i for i, x in enumerate(ids) if x == tok.mask_token_id]
        jobs = [("left-to-right", {}, lambda: left_to_right(m, ids, masks, bad)), ("confidence-first", {}, lambda: confidence_first(m, ids, masks, bad))]
        jobs += [("mask-predict", dict(num_steps=t), lambda t=t: mask_predict(m, ids, masks, bad, tok.mask_token_id, t)) for t in (1, 2, 4, 10)]
        for strategy, opt, go in jobs:
            try:
                steps = list(go())
            except Tie:
                skipped += 1
                continue
            for st in steps:
                st["probabilities"] = [float(str(np.float32(x))) for x in st["probabilities"]]
            fin = steps[-1]["ids"]
            fills.append(dict(model=name, text=s, strategy=strategy, options=opt, input_ids=ids, masks=masks, steps=steps, output_ids=fin, tokens=[fin[p] for p in masks], token_strs=[tok.decode([fin[p]]) for p in masks], sequence=tok.decode(fin, skip_special_tokens=True)))
    print(name, "fills", sum(f["model"] == name for f in fills), "skipped as too close", skipped)
dump(pll, os.path.join(a.dir, "pll.json"))
dump(fills, os.path.join(a.dir, "fills.json"))
from collections import Counter
print("pll", len(pll), "fills", len(fills), Counter((f["strategy"], f["options"].get("num_steps")) for f in fills))
diffs = {}
for f in fills:
    diffs.setdefault((f["model"], f["text"]), set()).add(tuple(f["tokens"]))
print("texts whose strategies differ:", sum(len(v) > 1 for v in diffs.values()), "of", len(diffs))
