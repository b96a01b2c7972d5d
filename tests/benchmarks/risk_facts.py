"""How long the reading of code for its risks takes: processor time of its thread, best of nine."""

from __future__ import annotations

import argparse
import inspect
import shutil
import subprocess
import time
import zipfile
from collections.abc import Iterator

from playhead.analysis.code_facts import CODE_LIMIT, facts_of
from playhead.analysis.targets import Surroundings
from tests.support.fact_corpus import harmless, risky

_RUNS = 9
_LANGUAGES = ("python", "bash", "javascript", "ruby", "java")
_LINES = 2_000


def risk_facts() -> dict[str, float]:
    """Figures for a thousand lines: of modules of Python, and of snippets that do one risky thing
    after the other, in the slowest language.
    """
    modules = [inspect.getsource(one) for one in (argparse, shutil, subprocess, zipfile)]
    dense = {language: "".join(_lines_of(language)) for language in _LANGUAGES}
    return {
        "facts_ms_per_1000_lines": max(_per_1000_lines("python", code) for code in modules),
        "dense_facts_ms_per_1000_lines": max(_per_1000_lines(*one) for one in dense.items()),
    }


def _per_1000_lines(language: str, code: str) -> float:
    best = min(_spent(language, code) for _ in range(_RUNS))
    return best * 1_000 / code.count("\n") * 1_000


def _spent(language: str, code: str) -> float:
    began = time.thread_time()
    facts_of(language, code, Surroundings())
    return time.thread_time() - began


def _lines_of(language: str) -> Iterator[str]:
    """Yield snippets of the corpus, over and over: denser in calls than any real program."""
    chosen = [*harmless(is_held_back=False), *risky(is_held_back=False)]
    codes = [one.code for one in chosen if one.language == language and _is_whole(one.code)]
    lines = size = 0
    while lines < _LINES:
        for code in codes:
            lines += code.count("\n") + 1
            size += len(code) + 1
            if size >= CODE_LIMIT:
                return
            yield code.rstrip("\n") + "\n"


def _is_whole(code: str) -> bool:
    """Return whether a snippet can be one of many in a program."""
    return "%" not in code[:2] and not code.startswith(("!", "def broken", "pip ", "len?"))
