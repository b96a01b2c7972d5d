"""`make soak`: mixed blocks; with `ARGS=kills`, `sandbox`, `undo`, `saves`, `variables` … others.

`python -m tests.soak [languages] [BLOCKS]` runs blocks, with `languages` of all that are installed
here; `kills [N]`, `sandbox [N]`, `saves [N]`, `variables [N]`, `handovers`, `fuzz [N]`, `hours [H]`
and `undo [MIXES] [KILLS]` do what their modules say. Each prints what it did, and fails with what
was wrong.
"""

from __future__ import annotations

import sys

from tests.soak import (
    blocks,
    fuzz,
    handovers,
    hours,
    kills,
    sandbox_kills,
    saves,
    undo,
    undone_runs,
)


def main(arguments: list[str]) -> int:
    """Do the part that the arguments name."""
    numbers = [float(word) for word in arguments if word.replace(".", "", 1).isdigit()]
    match arguments:
        case ["kills", *_]:
            return kills.main(*map(int, numbers))
        case ["sandbox", *_]:
            return sandbox_kills.main(*map(int, numbers))
        case ["fuzz", *_]:
            return fuzz.main(*map(int, numbers))
        case ["handovers", *_]:
            return handovers.main()
        case ["saves", *_]:
            return saves.main(*map(int, numbers))
        case ["variables", *_]:
            return undone_runs.main(*map(int, numbers))
        case ["hours", *_]:
            return hours.main(*numbers)
        case ["undo", *_]:
            return undo.main(*map(int, numbers))
        case _:
            return blocks.main("languages" in arguments, *map(int, numbers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
