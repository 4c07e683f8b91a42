"""Collects all training text, removes overlap with the evaluation sets, splits and tokenizes it."""

import random
import re
from collections import Counter, defaultdict

import numpy as np

import entity_marks
import relations
import sources
import wordnet

# How often a sentence of each source is seen in one pass: plain language is what the model is for.
COPIES = {"everyday": 3, "relations": 1.2, "labelled": 1.5, "examples": 0.7, "kinds": 0.2, "definitions": 0.1, "fortunes": 0.2}
MAX_TOKENS = 48
# The sets of ../eval with marked personal data.
MARKED = "entities redaction kinds further unseen names_seen names_unseen twelve_kinds_seen twelve_kinds_unseen twelve_kinds_held_out twelve_kinds_open twelve_kinds_open_2 twelve_kinds_blind twelve_kinds_blind_2".split()

STOP = set("""a an the and or but so if then than that this these those there here it its is am are was were be been being do does did done has have had
i you he she we they me him her us them my your his our their mine yours to of in on at by for from with without into onto out up down off over under
as not no nor yes very too also just only all any some each every both many much more most few as about after before when while where who whom whose
which what why how will would can could shall should may might must let one us s t""".split())


def content_words(text):
    """The content words, crudely stemmed."""
    words = re.findall(r"[a-z0-9]+", text.lower().replace("[mask]", " "))
    return frozenset(re.sub(r"(?<=\w{3})(ies|es|ed|ing|s|y|e)$", "", word) for word in words if word not in STOP)


class Excluder:
    """Keeps evaluation sentences out of the training text.

    A training sentence is dropped when it holds all content words of an evaluation sentence (of a cloze: all but its answer)
    and these are at least half of its own.
    """

    def __init__(self, sentences):
        self.sets = list({words for words in map(content_words, sentences) if words})
        self.holders = defaultdict(list)
        for i, words in enumerate(self.sets):
            for word in words:
                self.holders[word].append(i)

    def drops(self, sentence):
        own = content_words(sentence)
        hits = Counter(i for word in own for i in self.holders.get(word, ()))
        return any(hit == len(self.sets[i]) and 2 * hit >= len(own) for i, hit in hits.items())


def evaluation_sentences():
    """The evaluation sentences of ../eval."""
    def rows(name):
        return sources.pairs(sources.need(sources.EVAL / name, "it is part of the repository"))

    def marked(name):
        return [text for line in sources.lines(sources.need(sources.EVAL / f"{name}.txt", "it is part of the repository"))
                for text in re.split(r"\\[nt]", entity_marks.MARK.sub(r"\1", line))]

    return [cloze for cloze, _ in rows("cloze.tsv")] + [text for name in ("sentiment.tsv", "topic.tsv") for _, text in rows(name)] + [
        text for name in MARKED for text in marked(name)] + [text for _, text in rows("plain.txt")]


def gather(vocabulary, seed):
    """{source: [sentence]}, without duplicates."""
    rng = random.Random(seed)
    folder = sources.wordnet_folder()
    synsets, senses = wordnet.read_synsets(folder), wordnet.read_senses(folder)

    def is_plain(words):
        return all(word.isalpha() and word.lower() in vocabulary for word in words.split())

    gathered = {
        "everyday": sources.everyday_sentences(),
        "relations": relations.sentences(rng),
        "labelled": [text for name in ("sentiment", "topic") for _, text in sources.labelled(name)],
        "examples": wordnet.examples(synsets),
        "kinds": wordnet.relations(synsets, senses, is_plain, rng),
        "definitions": wordnet.definitions(synsets, senses, is_plain, rng),
        "fortunes": sources.fortune_sentences(),
    }
    return {name: list(dict.fromkeys(sentences)) for name, sentences in gathered.items()}


def split(gathered, excluder, seed, held_out=0.03):
    """(training, development): {source: [sentence]} each; only everyday text is held out."""
    rng = random.Random(seed)
    dropped = Counter()
    training, development = {}, {}
    for name, sentences in gathered.items():
        kept = [sentence for sentence in sentences if not excluder.drops(sentence)]
        dropped[name] = len(sentences) - len(kept)
        if name == "everyday":
            rng.shuffle(kept)
            cut = min(400, int(held_out * len(kept)))
            development[name], kept = kept[:cut], kept[cut:]
        training[name] = kept
    for name in training:
        print(f"  {name}: {len(training[name]):,} sentences, {dropped[name]:,} dropped as too near to an evaluation sentence")
    return training, development


class Tokens:
    """Sentences of one length as arrays [sentences, length]: ids, the number of each token's word, its weight for masking."""

    def __init__(self, ids, words, weights):
        self.ids, self.words, self.weights = ids, words, weights


def tokenize(sentences, copies, tokenizer):
    """{length: (Tokens, copies of each)} with [CLS] and [SEP], sentences longer than MAX_TOKENS left out."""
    by_length = defaultdict(list)
    for encoding, count in zip(tokenizer.encode_batch(sentences), copies):
        if 4 <= len(encoding.ids) <= MAX_TOKENS:
            by_length[len(encoding.ids)].append((encoding, count))
    buckets = {}
    for length, rows in sorted(by_length.items()):
        ids = np.array([encoding.ids for encoding, _ in rows], dtype=np.int32)
        words = np.array([[-1 if word is None else word for word in encoding.word_ids] for encoding, _ in rows], dtype=np.int16)
        weights = np.stack([mask_weights(encoding) for encoding, _ in rows]).astype(np.float32)
        buckets[length] = Tokens(ids, words, weights), np.array([count for _, count in rows])
    return buckets


def mask_weights(encoding):
    """The relative probability that each token's word is masked: content words twice as likely as others, the last of them four times."""
    weights = np.zeros(len(encoding.ids))
    last = None
    for i, (token, word) in enumerate(zip(encoding.tokens, encoding.word_ids)):
        if word is None:
            continue
        whole = token.removeprefix("##")
        if not whole.isalnum():
            weights[i] = 0.3
        elif whole in STOP:
            weights[i] = 1
        else:
            weights[i], last = 2, word
    return np.where([word is not None and word == last for word in encoding.word_ids], 4.0, weights)
