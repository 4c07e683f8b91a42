"""Loads what webert saved in Hugging Face's classes: logits, one AdamW step on a batch, and the model saved again.

Usage: python3 round_trip.py FOLDER. round-trip.mjs writes FOLDER: saved/ is the model. This script writes back/."""

import torch
import transformers

from recipes import Optimizer, answer, task, tokenizer


def tensors(values):
    return {name: torch.tensor(value) for name, value in values.items()}


def logits(model, inputs):
    """The scores of all tokens that are none of padding."""
    with torch.no_grad():
        output = model(**inputs)
    scores = output.logits
    return scores[inputs["attention_mask"].bool()] if scores.dim() == 3 else scores


folder, recipe = task()
# eval mode also for the training step, because the comparison needs no dropout
model = getattr(transformers, recipe["class"]).from_pretrained(folder / "saved").eval()
tokenize = tokenizer(folder / "saved")
inputs, labels = tensors(recipe["inputs"]), tensors(recipe["labels"])
figures = {"same_ids": tokenize(recipe["texts"], padding=True)["input_ids"] == recipe["ids"],
           "before": logits(model, inputs).flatten().tolist()}
figures["loss"] = Optimizer(model, recipe["arguments"], 1).step(model(**inputs, **labels).loss)
figures["after"] = logits(model, inputs).flatten().tolist()
model.save_pretrained(folder / "back")
tokenize.save_pretrained(folder / "back")
answer(figures)
