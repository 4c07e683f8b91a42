"""Code that all recipes share: batches of rows, and AdamW with schedule and clipping as in the Trainer of transformers."""

import json
import math
import random
import sys
from pathlib import Path

import torch
import transformers
from transformers import AutoTokenizer, get_scheduler

transformers.logging.set_verbosity_error()
NO_DECAY = ("bias", "LayerNorm.weight")


def task():
    """(folder, its recipe.json): the folder that the script's argument names."""
    folder = Path(sys.argv[1])
    recipe = json.loads((folder / "recipe.json").read_text())
    torch.set_num_threads(recipe.get("threads", 1))
    return folder, recipe


def answer(figures):
    """Prints what the caller reads: the last line, JSON."""
    print(json.dumps(figures))


def tokenizer(folder):
    return AutoTokenizer.from_pretrained(folder)


def shuffled(rows, batch_size, epochs, seed):
    """The batches of all epochs, each epoch in another order."""
    generator = random.Random(seed)
    for _ in range(epochs):
        order = generator.sample(rows, len(rows))
        for first in range(0, len(order), batch_size):
            yield order[first:first + batch_size]


class Optimizer:
    """AdamW at the rates of a run: of TrainingArguments under their names."""

    def __init__(self, model, arguments, steps):
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        decay = arguments.get("weight_decay", 0.0)
        groups = [{"params": [p for name, p in named if not name.endswith(NO_DECAY)], "weight_decay": decay},
                  {"params": [p for name, p in named if name.endswith(NO_DECAY)], "weight_decay": 0.0}]
        self.parameters = [p for _, p in named]
        self.max_norm = arguments.get("max_grad_norm", 1.0)
        betas = (arguments.get("adam_beta1", 0.9), arguments.get("adam_beta2", 0.999))
        self.adam = torch.optim.AdamW(groups, lr=arguments["learning_rate"], betas=betas, eps=arguments.get("adam_epsilon", 1e-8))
        warmup = arguments.get("warmup_steps") or math.ceil(arguments.get("warmup_ratio", 0.0) * steps)
        self.schedule = get_scheduler(arguments.get("lr_scheduler_type", "linear"), self.adam, warmup, steps)

    def step(self, loss):
        """One step down a loss; gives the loss as a number."""
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        if self.max_norm > 0:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.max_norm)
        self.adam.step()
        self.schedule.step()
        return loss.item()
