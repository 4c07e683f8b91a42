"""`python models/train/main.py --encoder FOLDER`: from raw text to the shipped models. See README.md."""

import argparse
import os
import random
import sys
from pathlib import Path

try:
    import torch
    from tokenizers import Tokenizer

    import classification
    import corpus
    import entities
    import entity_text
    import evaluate
    import export
    import polarity
    import sources
    import vectors
    from dequantize import exact
    from network import Network, bert_config
    from storage import load_checkpoint
    from train import DEVICE, Stage, run_stage
except ModuleNotFoundError as absent:
    sys.exit(f"models/train: the Python package {absent.name} is missing: pip install torch safetensors tokenizers transformers")

SEED = 7
TASKS = ("sentiment", "topic")
STAGES = {
    "masks": Stage("masks", steps=600, peak=4e-4, end=0.02, tokens=2048),
    "second": Stage("second", steps=500, peak=2.5e-4, end=0.1, warm_up=20, tokens=1792, share=0.6,
                    tasks={"vectors": 2, "sentiment": 1, "topic": 1 / 4, "entities": 1}),
    "third": Stage("third", steps=300, peak=1.5e-4, end=0.02, warm_up=20, tokens=1792,
                   tasks={"vectors": 2, "sentiment": 2, "topic": 1 / 4, "entities": 1}),
}
SHARES = {"masks": 0.4, "second": 0.4, "third": 0.2}  # of the minutes, where a run is given minutes
VECTOR_TEXTS = 40_000  # sentences whose vectors the network is to have


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2: model.safetensors and tokenizer.json")
    parser.add_argument("--work", type=Path, default=Path("target/train"), help="folder of the checkpoints")
    parser.add_argument("--stage", choices=[*STAGES, "export"], help="only this part, from the checkpoint of the one before")
    parser.add_argument("--masks", type=Path, help="folder of a masked LM in int8 that an earlier run made, in place of the first stage")
    parser.add_argument("--minutes", type=float, help="of all stages together, instead of their numbers of steps")
    return parser.parse_args()


def prepare(encoder):
    """(tokenizer, buckets, development buckets, development clozes, labelled, entities' examples, entities' development examples)."""
    tokenizer = Tokenizer.from_file(str(sources.need(encoder / "tokenizer.json", "give --encoder the folder of all-MiniLM-L6-v2")))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    clozes = evaluate.clozes(sources.HERE / "development.tsv")
    marked = entity_text.marked(sources.HERE / "development_entities.txt")
    excluder = corpus.Excluder(corpus.evaluation_sentences() + [sentence for sentence, _ in clozes] + [text for text, _ in marked])
    labelled = {}
    for task in TASKS:
        pairs = [(label, text) for label, text in sources.labelled(task) if not excluder.drops(text)]
        labelled[task] = classification.split(pairs)
    training, development, labels = labelled["sentiment"]
    phrased = [pair for pair in polarity.sentences(random.Random(SEED)) if not excluder.drops(pair[1])]
    labelled["sentiment"] = training + phrased, development, labels
    held_out = {text for _, development, _ in labelled.values() for _, text in development}
    gathered = corpus.gather(tokenizer.get_vocab(), SEED)
    gathered["labelled"] = [text for text in gathered["labelled"] if text not in held_out]
    training, development = corpus.split(gathered, excluder, SEED)
    sentences = [(sentence, corpus.COPIES[name]) for name, part in training.items() for sentence in part]
    random.Random(SEED).shuffle(sentences)
    buckets = corpus.tokenize(*zip(*sentences), tokenizer)
    total = sum(bucket.ids.size for bucket, _ in buckets.values())
    print(f"  {len(sentences):,} sentences, {total:,} tokens", flush=True)
    held_out_sentences = development["everyday"]
    held_out = corpus.tokenize(held_out_sentences, [1] * len(held_out_sentences), tokenizer)
    return tokenizer, buckets, held_out, clozes, labelled, entity_text.examples(SEED, excluder), marked


def vector_texts(labelled, tagged):
    """What sentence vectors are kept on: plain, labelled and personal text in equal parts."""
    rng = random.Random(SEED)
    held_out = {text for _, development, _ in labelled.values() for _, text in development}
    parts = [list(sources.everyday_sentences()), [text for training, _, _ in labelled.values() for _, text in training], [text for text, _ in tagged]]
    return [text for part in parts for text in rng.sample(part, min(len(part), VECTOR_TEXTS // 3)) if text not in held_out]


def main():
    options = arguments()
    sources.need(export.COMMAND, "the export needs webert built: npm run build")
    print("gathering the text")
    tokenizer, buckets, held_out, clozes, labelled, tagged, marked = prepare(options.encoder)
    tensors = load_checkpoint(sources.need(options.encoder / "model.safetensors", "give --encoder the folder of all-MiniLM-L6-v2"))
    torch.manual_seed(SEED)
    torch.set_num_threads(os.cpu_count() or 1)  # for the original's vectors
    network = Network(bert_config(tensors), {task: labels for task, (_, _, labels) in labelled.items()}, entity_text.TAGS)
    network.load_encoder(tensors)
    network.to(DEVICE)
    original = {name: tensor.clone() for name, tensor in network.mlm.bert.named_parameters()}
    data = {task: classification.Examples(classification.targets(training, labels, tokenizer), SEED)
            for task, (training, _, labels) in labelled.items()}
    data["entities"] = entities.Tagged(tagged, tokenizer, SEED)
    if options.stage != "export":
        data["vectors"] = vectors.Targets(network, tokenizer, vector_texts(labelled, tagged), SEED)
    torch.set_num_threads(1)  # from here the workers of train.py are the threads
    near = evaluate.Vectors(network, tokenizer, [text for _, development, _ in labelled.values() for _, text in development[:200]])

    def scores(network):
        found = "clozes %.3f %.3f, held out %.3f %.3f" % (*evaluate.score_clozes(network, tokenizer, clozes), *evaluate.score_held_out(network, held_out))
        found += "".join(f", {task} {evaluate.score_labels(network, task, tokenizer, development, labels):.3f}"
                         for task, (_, development, labels) in labelled.items())
        return found + ", entities %.3f, vectors %.3f %.3f, few-shot %.3f" % (entities.score(network, tokenizer, marked), *near.score(network))

    names = list(STAGES)
    for name in names if options.stage is None else [options.stage]:
        if name == "export" or name == names[0] and options.masks:
            continue
        stage = STAGES[name]
        stage.minutes = options.minutes and options.minutes * SHARES[name]
        if name == names[1] and options.masks:
            network.load_masked_lm(exact(load_checkpoint(sources.need(options.masks / "model.safetensors", "give --masks a masked LM's folder"))))
        elif name != names[0]:
            earlier = options.work / f"{names[names.index(name) - 1]}.safetensors"
            network.load_state_dict(load_checkpoint(sources.need(earlier, "run the stage before it")))
        network.mix_encoder(original, stage.share)
        print("before", name, scores(network), flush=True)
        network.load_state_dict(run_stage(network, stage, buckets, data, options.work, SEED, scores))
    if options.stage in (None, "export"):
        network.load_state_dict(load_checkpoint(options.work / f"{names[-1]}.safetensors"))
        export.export(network, tokenizer, labelled, entity_text.TAGS, options.work)


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
