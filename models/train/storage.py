"""Writes complete files only: each is written beside its place and then renamed."""

import os
import shutil
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from sources import Failure


def save_checkpoint(path, tensors):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part, metadata={"format": "pt"})
        os.replace(part, path)
    except SafetensorError as error:  # a full disk among others
        raise Failure(f"{path} could not be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def load_checkpoint(path):
    return load_file(path)


def replace_folder(built, place):
    """Replaces the folder `place` by `built`; the old folder is removed once the new one is in place."""
    old = place.with_name(place.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    built.rename(place)
    shutil.rmtree(old, ignore_errors=True)
