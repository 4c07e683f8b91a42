"""Labelled sentences for the classifiers: batches, the loss, the split."""

import random

import numpy as np
import torch
import torch.nn.functional as F

BATCH = 48
WEIGHT = 0.5  # of the classifiers' losses beside the masked LM's
SMOOTHING = 0.05  # so that probabilities mean something
MAX_TOKENS = 64
NEUTRAL = "neutral"  # no label of the classifier: such a text is to be split evenly among the labels


def split(pairs, seed, held_out=0.1):
    """[(label, text)] → (training, development, labels in order of name)."""
    pairs = list(dict.fromkeys(pairs))
    random.Random(seed).shuffle(pairs)
    cut = int(held_out * len(pairs))
    return pairs[cut:], pairs[:cut], sorted({label for label, _ in pairs} - {NEUTRAL})


def padded(encodings):
    """(ids, mask) of [rows, the longest length]."""
    rows = [encoding.ids[:MAX_TOKENS] for encoding in encodings]
    length = max(map(len, rows))
    ids = np.zeros((len(rows), length), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
    return torch.from_numpy(ids), torch.from_numpy(ids != 0)


class Examples:
    """Endless batches of each task: {task: [(encoding, target distribution over the labels)]}."""

    def __init__(self, tasks, seed):
        self.tasks = tasks
        self.rng = random.Random(seed)
        self.queues = {task: [] for task in tasks}

    def next(self, task):
        """(ids, mask, targets [rows, labels])."""
        queue = self.queues[task]
        while len(queue) < BATCH:
            examples = list(self.tasks[task])
            self.rng.shuffle(examples)
            queue[:0] = examples
        taken = [queue.pop() for _ in range(BATCH)]
        ids, mask = padded([encoding for encoding, _ in taken])
        return ids, mask, torch.stack([target for _, target in taken])


def target(label, labels):
    """What the probabilities [labels] should be: smoothed, and even for a neutral text."""
    if label == NEUTRAL:
        return torch.full((len(labels),), 1 / len(labels))
    return F.one_hot(torch.tensor(labels.index(label)), len(labels)) * (1 - SMOOTHING) + SMOOTHING / len(labels)


def targets(pairs, labels, tokenizer):
    """[(encoding, target)]."""
    encodings = tokenizer.encode_batch([text for _, text in pairs])
    return [(encoding, target(label, labels)) for encoding, (label, _) in zip(encodings, pairs)]


def loss(logits, target):
    return -(target * F.log_softmax(logits, dim=-1)).sum(-1).mean()
