"""`python models/train/main.py --encoder FOLDER`: from raw text to the shipped models. See README.md."""

import argparse
import random
import sys
from pathlib import Path

try:
    import torch
    from tokenizers import Tokenizer

    import classification
    import corpus
    import evaluate
    import export
    import polarity
    import sources
    from network import Network, bert_config
    from storage import load_checkpoint
    from train import Stage, run_stage
except ModuleNotFoundError as absent:
    sys.exit(f"models/train: the Python package {absent.name} is missing: pip install torch safetensors tokenizers transformers")

SEED = 7
TASKS = ("sentiment", "topic")
STAGES = {
    "first": Stage("first", steps=250, peak=4e-4, end=1.0),
    "second": Stage("second", steps=650, peak=4e-4, end=0.02, warm_up=20, classify={"sentiment": 1, "topic": 1 / 4}),
    "third": Stage("third", steps=400, peak=2.5e-4, end=0.02, warm_up=20, tokens=1024, classify={"sentiment": 4, "topic": 1 / 4}),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2: model.safetensors and tokenizer.json")
    parser.add_argument("--work", type=Path, default=Path("target/train"), help="folder of the checkpoints")
    parser.add_argument("--stage", choices=[*STAGES, "export"], help="only this part, from the checkpoint of the one before")
    parser.add_argument("--minutes", type=float, help="of each stage, instead of its number of steps")
    return parser.parse_args()


def prepare(encoder):
    """(tokenizer, buckets, development buckets, development clozes, labelled)."""
    tokenizer = Tokenizer.from_file(str(sources.need(encoder / "tokenizer.json", "give --encoder the folder of all-MiniLM-L6-v2")))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    clozes = evaluate.clozes(sources.HERE / "development.tsv")
    excluder = corpus.Excluder(corpus.evaluation_sentences() + [sentence for sentence, _ in clozes])
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
    return tokenizer, buckets, corpus.tokenize(held_out_sentences, [1] * len(held_out_sentences), tokenizer), clozes, labelled


def main():
    options = arguments()
    sources.need(export.COMMAND, "the export needs webert built: npm run build")
    print("gathering the text")
    tokenizer, buckets, held_out, clozes, labelled = prepare(options.encoder)
    tensors = load_checkpoint(sources.need(options.encoder / "model.safetensors", "give --encoder the folder of all-MiniLM-L6-v2"))
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # the workers of train.py are the threads
    network = Network(bert_config(tensors), {task: labels for task, (_, _, labels) in labelled.items()})
    network.load_encoder(tensors)
    examples = {task: classification.targets(training, labels, tokenizer) for task, (training, _, labels) in labelled.items()}

    def scores(network):
        found = "clozes %.3f %.3f, held out %.3f %.3f" % (*evaluate.score_clozes(network, tokenizer, clozes), *evaluate.score_held_out(network, held_out))
        return found + "".join(f", {task} {evaluate.score_labels(network, task, tokenizer, development, labels):.3f}"
                               for task, (_, development, labels) in labelled.items())

    names = list(STAGES)
    for name in names if options.stage is None else [options.stage]:
        if name == "export":
            continue
        stage = STAGES[name]
        stage.minutes = options.minutes
        if names.index(name) > 0:
            earlier = options.work / f"{names[names.index(name) - 1]}.safetensors"
            network.load_state_dict(load_checkpoint(sources.need(earlier, "run the stage before it")))
        print("before", name, scores(network), flush=True)
        network.load_state_dict(run_stage(network, stage, buckets, examples, options.work, SEED, scores))
    if options.stage in (None, "export"):
        network.load_state_dict(load_checkpoint(options.work / f"{names[-1]}.safetensors"))
        export.export(network, tokenizer, labelled, options.work)


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
