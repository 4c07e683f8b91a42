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
    import languages
    import polarity
    import sources
    import vector_text
    import vectors
    import vocabulary
    import word_shapes
    from initial import Initial
    from storage import load_checkpoint, save_checkpoint
    from train import Stage, run_stage
except ModuleNotFoundError as absent:
    sys.exit(f"models/train: the Python package {absent.name} is missing: pip install torch safetensors tokenizers transformers")

SEED = 7
VECTORS = (6, 18, 6)  # ranks of the adapter for sentence vectors
TASKS = ("sentiment", "topic")
STAGES = {
    "masks": Stage("masks", steps=1500, peak=4e-4, end=0.02, tokens=2048, tasks={"sentiment": 1, "topic": 1 / 4}),
    "encoder": Stage("encoder", steps=1200, peak=2.5e-4, end=0.02, tokens=2048, ranks=VECTORS,
                     tasks={"vectors": 2, "sentiment": 1, "topic": 1 / 4}),
    "embeddings": Stage("embeddings", steps=1700, peak=6e-4, end=0.02, warm_up=20, batches=0, between=100.0, ranks=VECTORS,
                        tasks={"vectors": 2}),
    "entities": Stage("entities", steps=1600, peak=1.4e-3, end=0.02, warm_up=60, batches=0, average=0.998, types=word_shapes.COUNT, ranks=(16, 26, 0),
                      tasks={"entities": 4}),
}
SHARES = {"masks": 0.33, "encoder": 0.35, "embeddings": 0.2, "entities": 0.12}  # of the minutes, where a run is given minutes
MOMENT_TEXTS = 2000  # of them, for what the linear layers get


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2: model.safetensors and tokenizer.json")
    parser.add_argument("--work", type=Path, default=Path("target/train"), help="folder of the checkpoints")
    parser.add_argument("--stage", choices=STAGES, help="only this one")
    parser.add_argument("--masks", type=Path, help="folder of minilm-mlm and its classifiers in int8, in place of the first stage")
    parser.add_argument("--resume", action="store_true", help="the stages embeddings and entities start with the adapters of models/, cut to the stage's ranks")
    parser.add_argument("--runs", type=int, default=1, help="of the stage entities, each with another seed; the average of their weights ships")
    parser.add_argument("--export", action="store_true", help="only write the folders, of the checkpoints in --work")
    parser.add_argument("--minutes", type=float, help="of all stages that run together, instead of their numbers of steps")
    return parser.parse_args()


def original_of(folder):
    """(tokenizer, {name: tensor}) of the original, without the tokens that no text gives."""
    files = [sources.need(folder / name, "give --encoder the folder of all-MiniLM-L6-v2") for name in ("tokenizer.json", "model.safetensors")]
    tokenizer = Tokenizer.from_file(str(files[0]))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return vocabulary.compact(tokenizer, load_checkpoint(files[1]))


def prepare(tokenizer):
    """(sentences by source, buckets, development buckets, development clozes, labelled, entities' examples, and entities' three development
    sets)."""
    clozes = evaluate.clozes(sources.HERE / "development.tsv")
    held_out_marked = {name: entity_text.marked(sources.HERE / f"development_{name}.txt") for name in ("entities", "kinds", "documents")}
    excluder = corpus.Excluder(corpus.evaluation_sentences() + [sentence for sentence, _ in clozes] + [text for part in held_out_marked.values() for text, _ in part])
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
    return training, buckets, held_out, clozes, labelled, entity_text.examples(SEED, excluder), held_out_marked


def average(network, runs, run):
    """The mean weights of several runs, which all begin with the network's: `run(seed)` returns the weights of one."""
    begin = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    total = {}
    for n in range(runs):
        network.load_state_dict(begin)
        total = {name: total.get(name, 0) + tensor / runs for name, tensor in run(SEED + n).items()}
    return total


def main():
    options = arguments()
    sources.need(export.COMMAND, "the export needs webert built: npm run build")
    print("gathering the text")
    tokenizer, tensors = original_of(options.encoder)
    sentences, buckets, held_out, clozes, labelled, tagged, marked = prepare(tokenizer)
    torch.set_num_threads(os.cpu_count() or 1)  # for the original's vectors
    initial = Initial(tensors, labelled, SEED, options)
    original = initial.bare().requires_grad_(False)
    data = {task: classification.Examples(classification.targets(training, labels, tokenizer), SEED)
            for task, (training, _, labels) in labelled.items()}
    held_out_labelled = {text for _, development, _ in labelled.values() for _, text in development}
    texts = vector_text.texts(sentences, tagged, held_out_labelled, tokenizer.get_vocab(), SEED)
    sample = random.Random(SEED).sample(texts, MOMENT_TEXTS)
    data["entities"] = entities.Tagged(tagged, tokenizer, SEED)
    data["vectors"] = vectors.Targets(original, tokenizer, texts, SEED)
    near = evaluate.Vectors(original, tokenizer, [text for _, development, _ in labelled.values() for _, text in development[:200]])
    torch.set_num_threads(1)  # from here the workers of train.py are the threads

    def mask_scores(network):
        found = "clozes %.3f %.3f, held out %.3f %.3f" % (*evaluate.score_clozes(network, tokenizer, clozes), *evaluate.score_held_out(network, held_out))
        return found + "".join(f", {task} {evaluate.score_labels(network, task, tokenizer, development, labels):.3f}"
                               for task, (_, development, labels) in labelled.items())

    def vector_scores(network):
        return "vectors %.3f %.3f, few-shot %.3f" % near.score(network)

    def ship_entities(network, work):
        print("  entities: temperature %.2f" % entities.calibrate(network, tokenizer, marked["documents"]))
        export.entities(network, entity_text.TAGS, work)

    scores = {"masks": mask_scores, "embeddings": vector_scores,
              "encoder": lambda paths: f"{mask_scores(paths.path('mlm'))}, {vector_scores(paths.path('vectors'))}",
              "entities": lambda network: "entities %.3f, of kinds and languages %.3f, of documents %.3f, taken in other languages %.3f" % (
                  *(entities.score(network, tokenizer, part) for part in marked.values()),
                  entities.taken(network, tokenizer, languages.held_out()))}
    exports = {"encoder": lambda network, work: export.encoder(network, tokenizer, labelled, work),
               "embeddings": export.embeddings,
               "entities": ship_entities}

    names = [options.stage] if options.stage else [name for name in STAGES if name != "masks" or not options.masks]
    for name in names:
        stage = STAGES[name]
        stage.minutes = options.minutes and options.minutes * (SHARES[name] / sum(SHARES[run] for run in names))
        network = initial.of(stage, original, lambda encoder: vectors.encoded(encoder, tokenizer, sample, vectors.own))
        if options.export:
            network.load_state_dict(initial.checkpoint(name))
        else:
            print("before", name, scores[name](network), flush=True)
            teacher = initial.masked_lm().requires_grad_(False) if name == "encoder" else None
            runs = options.runs if name == "entities" else 1
            weights = average(network, runs, lambda seed: run_stage(network, stage, buckets, data, options.work, seed, scores[name], teacher))
            save_checkpoint(options.work / f"{name}.safetensors", weights)
            network.load_state_dict(weights)
            print("after", name, scores[name](network), flush=True)
        if name in exports:
            exports[name](network, options.work)


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
