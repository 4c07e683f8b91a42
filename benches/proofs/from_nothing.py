"""Trains a masked LM from nothing: the share of masked tokens of the held-out batches that it predicts.

Usage: python3 from_nothing.py FOLDER, which from-nothing.mjs writes: start/ has config.json and the vocabulary,
recipe.json has texts, and held-out batches with their masks."""

import math

import torch
from transformers import BertConfig, BertForMaskedLM, DataCollatorForLanguageModeling

from recipes import Optimizer, answer, shuffled, task, tokenizer


def evaluate(model, batches):
    model.eval()
    right = count = total = 0
    with torch.no_grad():
        for batch in batches:
            labels = torch.tensor(batch["labels"]["labels"])
            logits = model(**{name: torch.tensor(value) for name, value in batch["inputs"].items()}).logits
            masked = labels != -100
            right += (logits.argmax(-1) == labels)[masked].sum().item()
            total += torch.nn.functional.cross_entropy(logits[masked], labels[masked], reduction="sum").item()
            count += masked.sum().item()
    return {"accuracy": right / count, "loss": total / count}


folder, recipe = task()
arguments = recipe["arguments"]
torch.manual_seed(recipe["seed"])
tokenize = tokenizer(folder / "start")
model = BertForMaskedLM(BertConfig.from_pretrained(folder / "start"))
collate = DataCollatorForLanguageModeling(tokenize, mlm_probability=0.15)
rows = [tokenize(text, truncation=True, max_length=arguments["max_length"], return_special_tokens_mask=True) for text in recipe["texts"]]
epochs, batch_size = arguments["num_train_epochs"], arguments["per_device_train_batch_size"]
optimizer = Optimizer(model, arguments, epochs * math.ceil(len(rows) / batch_size))
model.train()
for batch in shuffled(rows, batch_size, epochs, recipe["seed"]):
    optimizer.step(model(**collate(batch)).loss)
answer(evaluate(model, recipe["held_out"]))
