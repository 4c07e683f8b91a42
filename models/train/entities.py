"""The token classifier for personal data: batches, the loss, scores."""

import math
import random
import re

import torch
import torch.nn.functional as F

import word_shapes
from entity_text import TAGS, tags

BATCH = 2600  # tokens, with padding
MAX_TOKENS = 448  # of a text; `redact` gives the model about 160 at once
POOL = 2000  # texts of which batches of like lengths are made
NOISE = 0.12  # the share of the tokens of names that are replaced by any others, so that the words around them count
NAMES = range(1, 1 + 2 * 3)  # the tags of people, places and organisations
WITHOUT_TYPES = 0.07  # the share of the texts whose token types are all 0, as libraries give them that do not know word shapes
WEIGHT = 1.0  # of this loss beside the masked LM's


class Tagged:
    """Endless batches of (inputs, mask, tags) of texts with similar lengths: inputs are ids and types [2, rows, length]; the tag -100 is
    ignored."""

    def __init__(self, examples, tokenizer, seed):
        """examples: [(text, spans)]."""
        encodings = tokenizer.encode_batch([text for text, _ in examples])
        self.rows = [tuple(part[:MAX_TOKENS] for part in (encoding.ids, word_shapes.types(text, encoding), tags(encoding, spans)))
                     for encoding, (text, spans) in zip(encodings, examples)]
        self.pieces = torch.tensor([i for piece, i in tokenizer.get_vocab().items() if re.fullmatch("(##)?[a-z]{2,}", piece)])
        self.rng = random.Random(seed)
        self.queue = []

    def next(self):
        if not self.queue:
            rows = self.rng.sample(self.rows, len(self.rows))
            for i in range(0, len(rows), POOL):
                self.queue += batches_of(sorted(rows[i:i + POOL], key=lambda row: len(row[0])))
            self.rng.shuffle(self.queue)
        (ids, types), mask, targets = batch(self.queue.pop())
        types = types * (torch.rand(len(types), 1) >= WITHOUT_TYPES)
        return torch.stack([noised(ids, targets, self.pieces), types]), mask, targets


def batches_of(rows):
    """[[row]]: rows, which are ordered by length, in batches of at most BATCH tokens with padding."""
    found = [[]]
    for row in rows:
        if found[-1] and len(row[0]) * (len(found[-1]) + 1) > BATCH:
            found.append([])
        found[-1].append(row)
    return found


def noised(ids, targets, pieces):
    """ids in which a share of the tokens of names is replaced by any of `pieces`."""
    is_name = (targets >= NAMES.start) & (targets < NAMES.stop)
    others = pieces[torch.randint(len(pieces), ids.shape)]
    return torch.where(is_name & (torch.rand(ids.shape) < NOISE), others, ids)


def batch(rows):
    """(inputs, mask, tags) of rows of (ids, types, tags), as `Tagged` gives them."""
    length = max(len(ids) for ids, _, _ in rows)
    inputs = torch.zeros(2, len(rows), length, dtype=torch.long)
    targets = torch.full((len(rows), length), -100)
    for i, (ids, types, known) in enumerate(rows):
        inputs[:, i, :len(ids)], targets[i, :len(ids)] = torch.tensor([ids, types]), torch.tensor(known)
    return inputs, inputs[0] != 0, targets


def loss(network, inputs, mask, targets):
    logits = network.tag(*inputs, mask)
    return WEIGHT * F.cross_entropy(logits.flatten(0, 1), targets.flatten().to(logits.device), ignore_index=-100)


@torch.no_grad()
def outputs(network, tokenizer, text):
    """(encoding, logits [tokens, tags])."""
    encoding = tokenizer.encode(text)
    ids, types = torch.tensor([encoding.ids]), torch.tensor([word_shapes.types(text, encoding)])
    return encoding, network.tag(ids, types, None)[0].float()


def grouped(encoding, logits):
    """{(start, end, label): score} as webert's aggregation "first" groups tokens: a word has its first token's tag and score, and `I-` of
    the same label continues a group, whose score is the mean of its words'."""
    scores, best = (part.tolist() for part in logits.softmax(-1).max(-1))
    groups, last = [], None
    for i, word in enumerate(encoding.word_ids):
        if word is None:
            continue
        start, end = encoding.offsets[i]
        if word == last:
            groups[-1][1] = end
            continue
        last = word
        begin, _, label = TAGS[best[i]].rpartition("-")
        if groups and begin != "B" and groups[-1][2] == label:
            groups[-1][1] = end
            groups[-1][3].append(scores[i])
        else:
            groups.append([start, end, label, [scores[i]]])
    return {(start, end, label): sum(own) / len(own) for start, end, label, own in groups if label != "O"}


def found(network, tokenizer, text):
    """{(start, end, label)} of a text."""
    return set(grouped(*outputs(network, tokenizer, text)))


TEMPERATURES = [0.5 + 0.05 * n for n in range(71)]


def temperature(network, tokenizer, examples):
    """By which to divide the logits, so that the score of a span is the probability that its bounds and label are right: the one with the
    least cross-entropy over the spans found in [(text, spans)]."""
    read = [(*outputs(network, tokenizer, text), set(spans)) for text, spans in examples]

    def cost(divisor):
        found = [(score, span in spans) for encoding, logits, spans in read for span, score in grouped(encoding, logits / divisor).items()]
        return -sum(math.log(max(1e-6, score if right else 1 - score)) for score, right in found)

    return min(TEMPERATURES, key=cost)


@torch.no_grad()
def calibrate(network, tokenizer, examples):
    """Folds into the head the temperature of the scores on [(text, spans)]. Returns the temperature."""
    divisor = temperature(network, tokenizer, examples)
    for parameter in network.tagger.parameters():
        parameter /= divisor
    return divisor


def score(network, tokenizer, examples):
    """The F1 of exact spans over [(text, spans)]."""
    right = there = given = 0
    for text, spans in examples:
        groups = found(network, tokenizer, text)
        right += len(groups & set(spans))
        there += len(spans)
        given += len(groups)
    return 2 * right / max(1, there + given)


def taken(network, tokenizer, examples):
    """The share of the letters of texts without personal data, [(text, [])], that is taken for such."""
    letters = lambda text: sum(sign.isalnum() for sign in text)
    hidden = sum(letters(text[start:end]) for text, _ in examples for start, end, _ in found(network, tokenizer, text))
    return hidden / max(1, sum(letters(text) for text, _ in examples))
