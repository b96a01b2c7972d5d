"""Says in plain text what went wrong, with neither keys nor anything that somebody wrote."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from playhead import __version__

_MOST_FRAMES = 60
_LEFT_OUT = "(What the error says is left out: it could hold words of a conversation.)"
_TRACE_LINE = re.compile(
    r'\s*File "|Fatal Python error: |Windows fatal exception: |Thread 0x|Current thread 0x'
    r"|Traceback \(most recent|\s*\.\.\.|Extension modules: "
)
_ERROR_LINE = re.compile(r"((?:\w+\.)*\w+(?:Error|Exception|Exit|Interrupt))(?::|$)")


def header(program: str) -> str:
    """What a report begins with; cheap, for every start writes one."""
    machine = " ".join(os.uname()[i] for i in (0, 2, 4)) if hasattr(os, "uname") else sys.platform
    form = " (packaged)" if getattr(sys, "frozen", False) else ""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    python = sys.version.split()[0]
    return f"Playhead {__version__}{form} · {program}\n{now}\nPython {python} · {machine}\n\n"


def of_exception(error: BaseException) -> str:
    """Types and places of an error and of those behind it, never their words."""
    return "\n".join([*_chain(error, set()), "", _LEFT_OUT, ""])


def of_worker(status: int, lines: Iterable[str]) -> str:
    """How a child of the program ended, with the trace that it may have left."""
    kept = list(_trace(lines))
    return "\n".join([f"It {_ending(status)}.", "", *(kept or ["It left no trace."]), ""])


def without_home(text: str) -> str:
    """The text with the user's folder as `~`: its name is a person's."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _chain(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _chain(before, seen)
        yield "\nwhich led to\n"
    yield f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    for frame in traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]:
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
        if frame.line:
            yield f"    {frame.line}"


def _trace(lines: Iterable[str]) -> Iterator[str]:
    """What names places and types; a line that could be words of somebody's is none."""
    for line in lines:
        if _TRACE_LINE.match(line):
            yield line
        elif found := _ERROR_LINE.match(line):
            yield found.group(1)


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"was ended by signal {-status}"
