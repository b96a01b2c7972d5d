"""How soon the first word of the first answer after a start is there, against bare httpx."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from tests.benchmarks.answers import many_chunks
from tests.benchmarks.child import Child
from tests.benchmarks.homes import measured_home
from tests.benchmarks.raw_rows import keep_rows, median
from tests.support.model_server import ModelServer

ROUNDS = 5
FIRST_WORD = b"Streaming"


def first_answers() -> dict[str, float]:
    """Medians of whole processes in turns: bare httpx, the terminal, the window.

    The terminal's time is from the start of the process, the window's from Enter, pressed when the
    composer takes input for the first time.
    """
    rows: list[dict[str, float]] = []
    with (
        ModelServer(many_chunks) as server,
        measured_home(model="openai/test", api_base=server.base_url) as environment,
    ):
        bare = [sys.executable, "-m", "tests.benchmarks.bare_first", server.base_url]
        options = ["--model", "openai/test", "--api-base", server.base_url]
        terminal = [sys.executable, "-P", "-m", "playhead", "chat", *options, "5 chunks"]
        for turn in range(ROUNDS + 1):
            row = {
                "httpx_s": _seconds(bare, environment),
                "terminal_s": _seconds(terminal, environment),
                "window_s": _window_s(environment),
            }
            if turn:  # the first one warms the byte code and the disk
                rows.append(row)
    keep_rows("first_answer", rows)
    raw_s = median(rows, "httpx_s")
    return {
        "first_answer_terminal_ms": round(median(rows, "terminal_s") * 1000, 1),
        "first_answer_window_ms": round(median(rows, "window_s") * 1000, 1),
        "first_answer_httpx_ms": round(raw_s * 1000, 1),
        "first_answer_ratio_terminal": round(median(rows, "terminal_s") / raw_s, 3),
        "first_answer_ratio_window": round(median(rows, "window_s") / raw_s, 3),
    }


def _seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """From the start of a process to the first word that it prints."""
    began = time.monotonic()
    with subprocess.Popen(
        command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        printed = b""
        while FIRST_WORD not in printed:
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                raise RuntimeError(f"{command} printed no answer: {printed!r}")
            printed += piece
        seconds = time.monotonic() - began
        process.stdout.read()
    return seconds


def _window_s(environment: Mapping[str, str]) -> float:
    """From Enter to the first frame with a word of the answer."""
    child = Child("tests.benchmarks.measured_app", environment)
    child.wait_for("usable")
    child.send("send 5 chunks, please")
    seconds = child.wait_for("first_word")["seconds"]
    child.close()
    return seconds
