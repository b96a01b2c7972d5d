"""A program that swaps files and folders for links, as running code could, until it is ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = """
import os, sys
places = list(zip(sys.argv[1::2], sys.argv[2::2]))
print("swapping", flush=True)
while True:
    for place, other in places:
        aside = place + ".aside"
        try:
            os.rename(place, aside)
            os.symlink(other, place)
            os.unlink(place)
            os.rename(aside, place)
        except OSError:  # what is swapped has just been taken away
            try:
                os.unlink(place)
            except OSError:
                pass
            try:
                os.rename(aside, place)
            except OSError:
                pass
"""


@contextmanager
def swapping(places: Sequence[tuple[Path, Path]]) -> Generator[None]:
    """Swap each place for a link to the other one and back, in another process."""
    pairs = [str(path) for pair in places for path in pair]
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, *pairs]
    attacker = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert attacker.stdout is not None
    try:
        assert attacker.stdout.readline() == b"swapping\n"
        yield
    finally:
        attacker.kill()
        attacker.wait()
        attacker.stdout.close()
        for place, _ in places:
            aside = Path(f"{place}.aside")
            is_replaced = place.is_dir() and not place.is_symlink()  # by what was attacked
            if aside.exists() and not is_replaced:
                place.unlink(missing_ok=True)
                os.rename(aside, place)
