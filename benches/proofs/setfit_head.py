"""`python benches/proofs/setfit_head.py FOLDER`: accuracy of the setfit package on the tickets of data/, beside the head over sentence vectors of
docs/training.md. FOLDER is an f32 encoder: `python models/train/dequantize.py models/minilm-mlm FOLDER`. Requires `pip install setfit`.
"""

import json
import sys
import time
from pathlib import Path

from datasets import Dataset
from setfit import SetFitModel, Trainer, TrainingArguments

DATA = Path(__file__).parent / "data"


def read(name):
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.strip()]


train, unseen = read("tickets-train.tsv"), read("tickets-unseen.tsv")
labels = sorted({label for label, _ in train})
texts = [text for _, text in train]
ids = [labels.index(label) for label, _ in train]
kept = [labels.index(label) for label, _ in unseen]


def accuracy(model):
    found = model.model_head.predict(model.model_body.encode([text for _, text in unseen]))
    return sum(int(a) == b for a, b in zip(found, kept)) / len(kept)


model = SetFitModel.from_pretrained(sys.argv[1])
model.model_head.fit(model.model_body.encode(texts), ids)
print(json.dumps({"head": accuracy(model)}), flush=True)
for seed in (1, 2, 3):
    model = SetFitModel.from_pretrained(sys.argv[1])
    arguments = TrainingArguments(batch_size=16, num_epochs=1, seed=seed, report_to="none", save_strategy="no")
    rows = Dataset.from_dict({"text": texts, "label": ids})
    start = time.time()
    Trainer(model=model, args=arguments, train_dataset=rows).train()
    print(json.dumps({"seed": seed, "setfit": accuracy(model), "seconds": time.time() - start}), flush=True)
