"""The vocabulary of the models: the original's without the tokens [unused0] to [unused993], which no text gives. The last tokens take their ids, so
that all other tokens keep theirs."""

import json
import re

import torch
from tokenizers import Tokenizer

UNUSED = re.compile(r"\[unused\d+\]")
TABLE = "embeddings.word_embeddings.weight"  # of the original's tensors


def order(vocabulary):
    """[the original's id] by id. vocabulary: {token: id} of the original."""
    by_id = sorted(vocabulary, key=vocabulary.get)
    used = [i for i, token in enumerate(by_id) if not UNUSED.fullmatch(token)]
    last = iter(used[::-1])
    return [next(last) if UNUSED.fullmatch(token) else i for i, token in enumerate(by_id[:len(used)])]


def compact(tokenizer, tensors):
    """(the tokenizer, {name: tensor}) of the original, without the unused tokens."""
    chosen = order(tokenizer.get_vocab())
    state = json.loads(tokenizer.to_str())
    state["model"]["vocab"] = {tokenizer.id_to_token(old): new for new, old in enumerate(chosen)}
    return Tokenizer.from_str(json.dumps(state)), tensors | {TABLE: tensors[TABLE][torch.tensor(chosen)]}
