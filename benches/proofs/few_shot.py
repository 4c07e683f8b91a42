"""Trains a classifier with a few sentences for each class over a pretrained encoder: accuracy on unseen ones, by seed.

Usage: python3 few_shot.py FOLDER, which few-shot.mjs writes."""

import math

import torch
from transformers import BertForSequenceClassification

from recipes import Optimizer, answer, shuffled, task, tokenizer


def accuracy(model, tokenize, rows, labels):
    model.eval()
    inputs = tokenize([text for _, text in rows], padding=True, return_tensors="pt")
    with torch.no_grad():
        found = model(**inputs).logits.argmax(-1)
    return (found == torch.tensor([labels.index(label) for label, _ in rows])).float().mean().item()


def run(folder, recipe, arguments, freeze, seed):
    torch.manual_seed(seed)
    tokenize, labels, rows = tokenizer(folder / "start"), recipe["labels"], recipe["train"]
    model = BertForSequenceClassification.from_pretrained(folder / "start", num_labels=len(labels))
    for name, parameter in model.bert.named_parameters():
        # in webert, the pooler belongs to the head
        parameter.requires_grad = not freeze or name.startswith("pooler")
    epochs, batch_size = arguments["num_train_epochs"], arguments["per_device_train_batch_size"]
    optimizer = Optimizer(model, arguments, epochs * math.ceil(len(rows) / batch_size))
    model.train()
    if freeze:  # the states of a frozen encoder are computed once, without dropout
        model.bert.embeddings.eval(), model.bert.encoder.eval()
    for batch in shuffled(rows, batch_size, epochs, seed):
        inputs = tokenize([text for _, text in batch], padding=True, return_tensors="pt")
        targets = torch.tensor([labels.index(label) for label, _ in batch])
        optimizer.step(model(**inputs, labels=targets).loss)
    return accuracy(model, tokenize, recipe["unseen"], labels)


folder, recipe = task()
answer({name: [run(folder, recipe, how["arguments"], how["freeze"] == "encoder", seed) for seed in recipe["seeds"]]
        for name, how in recipe["runs"].items()})
