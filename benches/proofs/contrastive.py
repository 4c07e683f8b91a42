"""Trains on questions and the passages that answer them: ranks of held-out passages before and after, by seed and fold.

The loss is multiple negatives ranking. Usage: python3 contrastive.py FOLDER, which contrastive.mjs writes."""

import math

import torch
from transformers import BertModel

from recipes import Optimizer, answer, shuffled, task, tokenizer

SCALE = 20.0


def embed(model, tokenize, texts):
    """The mean of each text's states, of length 1."""
    inputs = tokenize(texts, padding=True, truncation=True, return_tensors="pt")
    mask = inputs["attention_mask"][..., None]
    states = (model(**inputs).last_hidden_state * mask).sum(1) / mask.sum(1)
    return torch.nn.functional.normalize(states, dim=-1)


def search(model, tokenize, fold):
    """The rank of each held-out question's passage among all passages."""
    model.eval()
    with torch.no_grad():
        questions = embed(model, tokenize, [question for question, _ in fold["held_out"]])
        passages = embed(model, tokenize, [passage for _, passage in fold["held_out"] + fold["train"]])
    scores = questions @ passages.T
    return ((scores > scores.diagonal()[:, None]).sum(-1) + 1).tolist()


def run(folder, arguments, fold, seed):
    torch.manual_seed(seed)
    tokenize = tokenizer(folder / "start")
    model = BertModel.from_pretrained(folder / "start", add_pooling_layer=False)
    before = search(model, tokenize, fold)
    epochs, batch_size = arguments["num_train_epochs"], arguments["per_device_train_batch_size"]
    optimizer = Optimizer(model, arguments, epochs * math.ceil(len(fold["train"]) / batch_size))
    model.train()
    for batch in shuffled(fold["train"], batch_size, epochs, seed):
        questions, passages = (embed(model, tokenize, list(texts)) for texts in zip(*batch))
        optimizer.step(torch.nn.functional.cross_entropy(SCALE * questions @ passages.T, torch.arange(len(batch))))
    return {"before": before, "after": search(model, tokenize, fold)}


folder, recipe = task()
answer([[run(folder, recipe["arguments"], fold, seed) for fold in recipe["folds"]] for seed in recipe["seeds"]])
