"""Trains a masked LM further on given batches: the loss before each step and the losses of the held-out batches.

Usage: python3 continued.py FOLDER. continued.mjs writes FOLDER: start/ is the model, recipe.json has batches with masks."""

import torch
from transformers import BertForMaskedLM

from recipes import Optimizer, answer, task


def tensors(batch):
    return {name: torch.tensor(value) for name, value in (batch["inputs"] | batch["labels"]).items()}


def held_out(model, batches):
    """The mean over the masked tokens of all batches."""
    total = count = 0
    with torch.no_grad():
        for batch in map(tensors, batches):
            masked = (batch["labels"] != -100).sum().item()
            total += model(**batch).loss.item() * masked
            count += masked
    return total / count


folder, recipe = task()
model = BertForMaskedLM.from_pretrained(folder / "start").train()
optimizer = Optimizer(model, recipe["arguments"], len(recipe["batches"]))
losses, evaluated = [], [held_out(model, recipe["held_out"])]
for step, batch in enumerate(map(tensors, recipe["batches"]), 1):
    losses.append(optimizer.step(model(**batch).loss))
    if step % recipe["eval_steps"] == 0:
        evaluated.append(held_out(model, recipe["held_out"]))
answer({"losses": losses, "held_out": evaluated})
