"""Turn an error of user code into a traceback without the kernel's own frames, and into data."""

from __future__ import annotations

import errno
import linecache
import os
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .channel import Channel

_BLOCK_NAME = "<block %d>"
_LIMITS = ((10, 1200), (5, 400), (1, 120), (0, 60))


def _here() -> str:
    return os.path.dirname(_here.__code__.co_filename)


def remember_source(number: int, code: str) -> str:
    """Give a block a file name under which tracebacks of any later block find its lines."""
    name = _BLOCK_NAME % number
    # No modification time: `checkcache` then keeps the entry although there is no such file.
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    return name


def print_failure(channel: Channel, error: BaseException, block: str, remarks: str = "") -> None:
    """Print the traceback with remarks on it, and send how long it is: nobody has to parse it."""
    length = channel.complain(format_failure(error, block) + remarks)
    channel.send("traceback", length=length)


def format_failure(error: BaseException, block: str) -> str:
    """Return the traceback as Python prints it, without the kernel's frames."""
    summary = traceback.TracebackException(type(error), error, _from_block(error, block))
    _drop_own_frames(summary, set())
    return "".join(summary.format())


def remedy(error: BaseException) -> str:
    """Return a sentence on what is not possible here, for the errors that it causes; else ""."""
    is_terminal = issubclass(type(error), OSError) and getattr(error, "filename", "") == "/dev/tty"
    if not is_terminal or getattr(error, "errno", 0) not in (errno.ENXIO, errno.ENOENT):
        return ""
    return "There is no terminal here. Ask with input() or getpass.getpass().\n"


def send_failure(
    channel: Channel, error: BaseException, block: str, remarks: str = ""
) -> list[list[Any]]:
    """Send the exception as data, with remarks on it. Return the frames that were sent."""
    name, frames = type(error).__name__, _frames(error, block)
    return send_error(channel, name, message_of(error), frames, remarks.strip())


def send_error(
    channel: Channel,
    name: str,
    message: str,
    frames: list[tuple[str, int, str]],
    remedy: str = "",
) -> list[list[Any]]:
    """Send what went wrong, cut down until it fits into a mark; the block's own file is "".

    Return the frames that were sent, the last ones.
    """
    for frame_limit, text_limit in _LIMITS:
        kept = frames[len(frames) - min(frame_limit, len(frames)) :]
        sent = [[file[-text_limit:], line, where[:100]] for file, line, where in kept]
        try:
            channel.send(
                "error",
                name=name[:100],
                message=message[:text_limit],
                remedy=remedy[:400],
                frames=sent,
            )
            return sent
        except ValueError:
            continue  # too long: JSON writes other scripts with six bytes a letter
    return []


def interrupted_line(error: BaseException, block: str) -> int | None:
    """Return the line of the block at which the exception arrived."""
    lines = [line for file, line, _ in _frames(error, block) if file == ""]
    return lines[-1] if lines else None


def message_of(error: BaseException) -> str:
    """Return the exception's message, even if its class fails."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a __str__ of user code may do anything
        return "<its message could not be read>"


def _from_block(error: BaseException, block: str) -> Any:
    """Return the traceback from the first frame of the block on, if there is one."""
    trace = error.__traceback__
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename != block:
        start = start.tb_next
    return start or trace


def frames_of(error: BaseException, block: str) -> list[Any]:
    """Return the frames of the code, as `send_failure` names them; None for a line without one."""
    found: list[Any] = []
    trace = _from_block(error, block)
    while trace is not None:
        if not _is_own(trace.tb_frame.f_code.co_filename):
            found.append(trace.tb_frame)
        trace = trace.tb_next
    is_syntax = isinstance(error, SyntaxError) and error.filename == block
    return [*found, None] if is_syntax else found


def _frames(error: BaseException, block: str) -> list[tuple[str, int, str]]:
    stack = traceback.extract_tb(_from_block(error, block))
    frames = [(f.filename, f.lineno or 0, f.name) for f in stack if not _is_own(f.filename)]
    if isinstance(error, SyntaxError) and error.filename == block:
        frames.append((block, error.lineno or 0, "<module>"))
    return [("" if file == block else file, line, name) for file, line, name in frames]


def _is_own(file: str) -> bool:
    return file.startswith(_here() + os.sep)


def _drop_own_frames(summary: traceback.TracebackException, seen: set[int]) -> None:
    if id(summary) in seen:
        return
    seen.add(id(summary))
    kept = [frame for frame in summary.stack if not _is_own(frame.filename)]
    summary.stack = traceback.StackSummary.from_list(kept)
    related = [
        summary.__cause__,
        summary.__context__,
        *(getattr(summary, "exceptions", None) or ()),
    ]
    for other in related:
        if other is not None:
            _drop_own_frames(other, seen)
