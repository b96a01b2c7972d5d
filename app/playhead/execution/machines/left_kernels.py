"""Keeps what it takes to come back to kernels elsewhere, beside their conversations' output."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from playhead.atomic_file import read_plain
from playhead.domain.text.json_text import read_json

_FILE_LIMIT = 20_000

Facts = dict[str, str | int]
_OFFSET = "offset"
"""It changes while output comes; from an older one on some of it comes again."""


class LeftKernels:
    """Knows the kernels that were left, by conversation and language; files outlive the program."""

    def __init__(self, output_dir: Path) -> None:
        self._output_dir = output_dir
        self._known: dict[tuple[str, str], tuple[str, Facts]] = {}

    def facts(self, key: tuple[str, str], interpreter: str) -> Facts:
        """Return what is known of the kernel at a place; {} where there is none to come back to."""
        if key not in self._known:
            self._known[key] = self._read(key)
        place, facts = self._known[key]
        return facts if place == interpreter else {}

    def put(self, key: tuple[str, str], interpreter: str, facts: Facts) -> None:
        """Take what a place worker says now; {} once its kernel has ended."""
        before, self._known[key] = self._known.get(key), (interpreter, dict(facts))
        if (
            before is not None
            and before[0] == interpreter
            and _lasting(before[1]) == _lasting(facts)
        ):
            return
        path = self._path(key)
        with suppress(OSError):  # a full disk: it is known as long as the program runs
            if not facts:
                path.unlink(missing_ok=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps({"interpreter": interpreter, "facts": facts}).encode("ascii")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data)

    def _read(self, key: tuple[str, str]) -> tuple[str, Facts]:
        try:
            found: Any = read_json(read_plain(self._path(key), _FILE_LIMIT) or b"")
            given = cast("Mapping[str, Any]", found["facts"])
            return str(found["interpreter"]), {
                name: one for name, one in given.items() if isinstance(one, str | int)
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return "", {}

    def _path(self, key: tuple[str, str]) -> Path:
        from playhead.execution.run_output import file_name

        conversation, language = key
        return self._output_dir / file_name(conversation) / f"left-{file_name(language)}.json"


def _lasting(facts: Facts) -> Facts:
    return {name: one for name, one in facts.items() if name != _OFFSET}
