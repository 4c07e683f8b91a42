"""Makes train/ of this folder's parent again from the inputs in the same files, except masking.json, a table of expected frequencies.

    python3 -m venv VENV; VENV/bin/pip install "tokenizers==0.22.2" "transformers==4.57.6" torch seqeval scikit-learn scipy
    VENV/bin/python gen_train.py [wordpiece] [metrics] [schedules]
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRAIN = os.path.join(os.path.dirname(HERE), "train")


def load(name):
    with open(os.path.join(TRAIN, name), encoding="utf-8") as f:
        return json.load(f)


def dump(value, name, **kw):
    with open(os.path.join(TRAIN, name), "w", encoding="utf-8", newline="\n") as f:
        f.write(json.dumps(value, **kw) + "\n")


def wordpiece():
    """The library's own order of ties is random; wp_reference.py is the library's algorithm with ties by code point."""
    import wp_reference
    from tokenizers import BertWordPieceTokenizer

    golden, vocabularies = load("wordpiece/cases.json"), {}
    for case in golden["cases"]:
        library = BertWordPieceTokenizer(**case["tokenizer"])
        files = [os.path.join(TRAIN, "wordpiece", name) for name in case["corpus"]]
        lines = [line for name in files for line in open(name, encoding="utf-8", newline="").read().split("\n")]
        counts = wp_reference.word_counts(lines, library.normalizer, library._tokenizer.pre_tokenizer)
        t = case["trainer"]
        vocabularies[case["name"]], info = wp_reference.train(counts, t["vocab_size"], t["min_frequency"], t["special_tokens"], limit_alphabet=t.get("limit_alphabet", 1000), initial_alphabet=t.get("initial_alphabet", ()))
        case["word_count"] = dict(distinct=len(counts), total=sum(counts.values()))
        # with the library's order of "##" pieces, the reference returns the library's vocabulary
        library.train_from_iterator(lines, show_progress=False, **t)
        found = [token for token, _ in sorted(library.get_vocab().items(), key=lambda entry: entry[1])]
        if not info["alphabet_tie"]:
            again, _ = wp_reference.train(counts, t["vocab_size"], t["min_frequency"], t["special_tokens"], limit_alphabet=t.get("limit_alphabet", 1000), initial_alphabet=t.get("initial_alphabet", ()), hashed_order=found[info["alphabet_end"]:info["base_end"]])
            assert again == found, case["name"]
    dump(golden, "wordpiece/cases.json", indent=1)
    rows = [f"{json.dumps(name)}: {json.dumps(tokens, separators=(',', ':'))}" for name, tokens in vocabularies.items()]
    with open(os.path.join(TRAIN, "wordpiece/vocabularies.json"), "w", encoding="utf-8", newline="\n") as f:
        f.write("{\n" + ",\n".join(rows) + "\n}\n")


def entities():
    import seqeval.metrics as seqeval
    from seqeval.metrics.sequence_labeling import get_entities

    golden = load("entities.json")
    reference, prediction = ([case[name] for case in golden["sequences"]] for name in ("reference", "prediction"))
    report = seqeval.classification_report(reference, prediction, output_dict=True, zero_division=0)
    scores = lambda row: dict(precision=float(row["precision"]), recall=float(row["recall"]), f1=float(row["f1-score"]), support=int(row["support"]))
    chunks = lambda labels: [dict(type=kind, start=start, end=last + 1) for kind, start, last in get_entities(labels)]
    golden = dict(
        overall={name: scores(row) for name, row in report.items() if not name.startswith(("macro", "weighted"))},
        accuracy=float(seqeval.accuracy_score(reference, prediction)),
        sequences=[dict(reference=r, prediction=p, reference_entities=chunks(r), prediction_entities=chunks(p)) for r, p in zip(reference, prediction)],
    )
    dump(golden, "entities.json")


def squad():
    from transformers.data.metrics.squad_metrics import compute_exact, compute_f1, normalize_answer

    cases = load("squad.json")["cases"]
    for case in cases:
        best = lambda score: float(max(score(answer, case["prediction"]) for answer in case["answers"]))
        case.update(exact_match=best(compute_exact), f1=best(compute_f1), normalized=normalize_answer(case["prediction"]))
    mean = lambda name: 100 * sum(case[name] for case in cases) / len(cases)
    dump(dict(cases=cases, exact_match=mean("exact_match"), f1=mean("f1")), "squad.json")


def scores():
    import numpy as np
    from scipy import stats
    from sklearn import metrics

    golden = load("scores.json")
    correlation, classification, multi_label = [], [], []
    for case in golden["correlation"]:
        x, y = case["predictions"], case["references"]
        defined = len(set(y)) > 1
        pearson, spearman = (float(stats.pearsonr(x, y)[0]), float(stats.spearmanr(x, y)[0])) if defined else (None, None)
        correlation.append(dict(predictions=x, references=y, pearson=pearson, spearmanr=spearman, mse=float(np.mean((np.array(x) - np.array(y)) ** 2))))
    for case in golden["classification"]:
        p, y = case["predictions"], case["references"]
        classification.append(dict(predictions=p, references=y, accuracy=float(metrics.accuracy_score(y, p)), f1_macro=float(metrics.f1_score(y, p, average="macro", zero_division=0))))
    for case in golden["multi_label"]:
        p, y = case["predictions"], case["references"]
        f1 = lambda average: float(metrics.f1_score(y, p, average=average, zero_division=0))
        multi_label.append(dict(predictions=p, references=y, f1_micro=f1("micro"), f1_macro=f1("macro"), exact=float(metrics.accuracy_score(y, p))))
    dump(dict(correlation=correlation, classification=classification, multi_label=multi_label), "scores.json")


def schedules():
    import torch
    import transformers

    cases = load("schedules.json")["cases"]
    for case in cases:
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=case["learning_rate"])
        scheduler = transformers.get_scheduler(case["lr_scheduler_type"], optimizer, num_warmup_steps=case["warmup_steps"], num_training_steps=case["max_steps"])
        case["rates"] = []
        for _ in range(case["max_steps"]):
            case["rates"].append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
        case["after"] = scheduler.get_last_lr()[0]
    dump(dict(note="rates[k]: the rate at which step k (from 0) is taken; double precision", cases=cases), "schedules.json", separators=(",", ":"))


parts = sys.argv[1:] or ["wordpiece", "metrics", "schedules"]
if "wordpiece" in parts:
    wordpiece()
if "metrics" in parts:
    entities()
    squad()
    scores()
if "schedules" in parts:
    schedules()
