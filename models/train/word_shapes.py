"""Token types that say how a word is written: the vocabulary has no capital letters, and no lines. webert's tokenizer gives the same ones to a
model whose tokenizer_config.json has `"token_types": "word_shape"` (src/tokenizer/word_shapes.rs has the table)."""

COUNT = 9
LINES = "\t\n\v\f\r\x85\u2028\u2029"


def types(text, encoding):
    """The type of each token of `encoding`, the tokenizer's of `text`."""
    found, words = [], encoding.word_ids
    for first, word in enumerate(words):
        if len(found) > first:
            continue
        end = first + 1
        while end < len(words) and words[end] == word:
            end += 1
        if word is None:
            found += [0] * (end - first)
            continue
        start, stop = encoding.offsets[first][0], encoding.offsets[end - 1][1]
        shape, gap = case(text[start:stop]), gap_before(text, start)
        later = int(shape > 0)
        found += [(later, 2 + shape, 6 + (1 if shape == 3 else shape))[gap]] + [later] * (end - first - 1)
    return found


def case(word):
    """0 for a word without capital letters, 1 for one that begins with its only capital letter, 2 for two or more capital letters alone, 3 for
    others. ASCII digits do not count. A capital letter is a character that has another lower case."""
    capitals = [character.lower() != character for character in word if character not in "0123456789"]
    if not any(capitals):
        return 0
    if capitals[0] and sum(capitals) == 1:
        return 1
    return 2 if all(capitals) else 3


def gap_before(text, start):
    """What is before a word: 0 another word, 1 white space, 2 the beginning of the text, of a line or of a cell."""
    before = text[:start]
    space = before[len(before.rstrip()):]
    if len(space) == len(before) or any(character in LINES for character in space):
        return 2
    return 1 if space else 0
