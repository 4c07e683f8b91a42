"""Logistic regressions of scikit-learn over random features, and a folder of sentence-transformers whose last module makes
the scores of labels. Usage: python make_sentence_classification.py (scikit-learn, sentence-transformers 5 or newer)

fits.json: a list of {features [rows, width], labels (of each row, or an array of them), C, class_weights, scores}: the
decision values of each row; with two labels the difference of the labels' scores.
folder: a mean of dense-identity's encoder, then a Dense with a bias and four labels. folder.json: {texts, logits}.
"""
import json
import os
import shutil

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "sentence-classification")
random = np.random.default_rng(44)


def rounded(values):
    return np.asarray(values, np.float32).astype(float).round(7).tolist()


def fit(classes, rows, width, C, class_weights=None, several=False):
    X = random.normal(size=(rows, width)).astype(np.float32)
    if several:
        Y = random.random((rows, classes)) < 0.4
        Y[0], Y[1] = True, False
    else:
        Y = np.arange(rows) % classes
    weights = None if class_weights is None else dict(enumerate(class_weights))
    model = LogisticRegression(C=C, tol=1e-10, max_iter=100_000, class_weight=weights)
    model = (OneVsRestClassifier(model) if several else model).fit(X.astype(np.float64), Y)
    labels = [np.flatnonzero(y).tolist() for y in Y] if several else Y.tolist()
    scores = model.decision_function(X.astype(np.float64))
    return dict(features=rounded(X), labels=labels, classes=classes, C=C, class_weights=class_weights, scores=rounded(scores))


fits = [
    fit(3, 12, 5, 1.0),
    fit(2, 9, 4, 1.0),
    fit(2, 10, 20, 50.0),
    fit(4, 30, 6, 0.05, class_weights=[1.0, 2.0, 0.5, 3.0]),
    fit(3, 20, 5, 2.0, several=True),
]
os.makedirs(OUT, exist_ok=True)
json.dump(fits, open(os.path.join(OUT, "fits.json"), "w"))

source = os.path.join(HERE, "..", "sentence-transformers", "dense-identity")
model = SentenceTransformer(source, device="cpu", model_kwargs=dict(attn_implementation="eager"))
kept = [module for module in model.children() if type(module).__name__ in ("Transformer", "Pooling")]
width = kept[-1].get_embedding_dimension()
generator = torch.Generator().manual_seed(44)
dense = Dense(
    width,
    4,
    activation_function=torch.nn.Identity(),
    init_weight=torch.randn((4, width), generator=generator) * 3,
    init_bias=torch.randn(4, generator=generator),
)
folder = os.path.join(OUT, "folder")
shutil.rmtree(folder, ignore_errors=True)
model = SentenceTransformer(modules=[*kept, dense], device="cpu")
model.save_pretrained(folder, create_model_card=False)
config = json.load(open(os.path.join(folder, "config.json")))
labels = ["refund", "login", "bug", "delivery"]
config |= dict(id2label=dict(enumerate(labels)), label2id={label: n for n, label in enumerate(labels)})
json.dump(config, open(os.path.join(folder, "config.json"), "w"), indent=1)
texts = ["the cat", "a dog and the cat", "query", "passage of a text", "A"]
logits = SentenceTransformer(folder, device="cpu", model_kwargs=dict(attn_implementation="eager")).encode(texts)
json.dump(dict(texts=texts, logits=rounded(logits)), open(os.path.join(OUT, "folder.json"), "w"))
