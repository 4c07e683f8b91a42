"""fastembed as a contestant of `npm run bench -- many`: `python benches/many_fastembed.py FOLDER FILE THREADS`.

FOLDER is a model with an ONNX graph, FILE its path in FOLDER. Reads the texts, a JSON array, from the first line of standard input. Each later line
is one round: embeds all texts, with tokenizer and mean pooling, and prints the milliseconds of processor time and of the clock.
Needs fastembed."""

import json
import resource
import sys
import time
from pathlib import Path

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

folder, file, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
NAME = "local"
BATCH = 32


def processor_time() -> float:
    """Returns the seconds that this process has computed."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


size = json.loads((Path(folder) / "config.json").read_text())["hidden_size"]
TextEmbedding.add_custom_model(
    NAME, pooling=PoolingType.MEAN, normalization=False, sources=ModelSource(hf=NAME), dim=size, model_file=file
)
model = TextEmbedding(NAME, specific_model_path=folder, threads=threads)
texts = json.loads(sys.stdin.readline())
for _ in sys.stdin:
    before, start = processor_time(), time.perf_counter()
    vectors = sum(1 for _ in model.embed(texts, batch_size=BATCH))
    assert vectors == len(texts)
    print(1e3 * (processor_time() - before), 1e3 * (time.perf_counter() - start), flush=True)
