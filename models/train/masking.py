"""Batches of sentences of one length, with whole words masked as in the paper: 80 % [MASK], 10 % another token, 10 % left."""

import numpy as np

MASK_ID = 103
FIRST_WORD_ID = 1996  # the tokens before it are special, single characters or the rarest


def mask(ids, words, weights, rate, rng, vocabulary_size):
    """ids, words, weights [rows, length] → (input ids, chosen [rows, length] of bool): about `rate` of a row's words, one at least."""
    rows, length = ids.shape
    count = words.max(axis=1) + 1
    wanted = np.maximum(1, np.floor(count * rate + rng.random(rows))).astype(int)
    # Weighted sampling without replacement: the smallest of exponential variables with the words' weights as rates.
    keys = np.full((rows, length + 1), np.inf)
    draws = rng.exponential(size=(rows, length)) / np.maximum(weights, 1e-9)
    np.put_along_axis(keys, np.where(words < 0, length, words), draws, axis=1)
    keys[:, length] = np.inf
    threshold = np.take_along_axis(np.sort(keys, axis=1), wanted[:, None] - 1, axis=1)
    chosen = (words >= 0) & (np.take_along_axis(keys, np.where(words < 0, length, words).astype(np.int64), axis=1) <= threshold)
    fate = rng.random((rows, length))
    inputs = np.where(chosen & (fate < 0.8), MASK_ID, ids)
    inputs = np.where(chosen & (fate > 0.9), rng.integers(FIRST_WORD_ID, vocabulary_size, (rows, length)), inputs)
    return inputs, chosen


class Batches:
    """Endless batches of about `tokens` tokens; every pass sees each sentence as often as its copies say, in a new order."""

    def __init__(self, buckets, tokens, rate, seed, vocabulary_size):
        self.buckets, self.tokens, self.rate, self.vocabulary_size = buckets, tokens, rate, vocabulary_size
        self.rng = np.random.default_rng(seed)
        self.queue = []
        self.passes = 0

    def fill(self):
        for length, (_, copies) in self.buckets.items():
            times = np.floor(copies + self.rng.random(len(copies))).astype(int)
            order = self.rng.permutation(np.repeat(np.arange(len(copies)), times))
            size = max(1, self.tokens // length)
            self.queue += [(length, order[i:i + size]) for i in range(0, len(order), size)]
        self.rng.shuffle(self.queue)
        self.passes += 1

    def next(self):
        """(input ids [rows, length], indices of the chosen in the flattened batch, their true ids)."""
        if not self.queue:
            self.fill()
        length, rows = self.queue.pop()
        bucket = self.buckets[length][0]
        ids = bucket.ids[rows]
        inputs, chosen = mask(ids, bucket.words[rows].astype(np.int64), bucket.weights[rows], self.rate, self.rng, self.vocabulary_size)
        return inputs, np.flatnonzero(chosen), ids[chosen]
