"""Turns the pieces of one run into chunks in their order."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    CodeError,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    RunEnd,
    RunReport,
    RunState,
)
from playhead.domain.execution import RunRequest
from playhead.errors import ExecutionError, phrase
from playhead.execution.run_output import RunOutput
from playhead.kernel.output_decoder import Piece
from playhead.kernel.protocol import Mark, encode_command

_LONGEST_TEXT = 65_536
_HELD_LIMIT = 262_144
_LAST_LINE = 10_000_000
_LINES_TOLD = 1000
"""After so many lines, only the last of those that arrive together is reported."""
_TIMES_LIMIT = 2000
_PACKAGES_LIMIT = 400
_LONGEST_PACKAGE = 80
_LAST_STATUS = 2**32
_ENDED_BY_INTERRUPT = 128 + 2
"""A shell's exit status when the command that it waited for was ended by SIGINT."""


class RunPause:
    """Knows whether a run is paused, and for how long it was; `on_change` is called with that.

    Code that runs can forge the mark: it counts only while a pause `is_wanted`, and only as long as
    the main thread is seen to wait, which is for `on_change` to find out.
    """

    def __init__(self) -> None:
        self.is_wanted = False
        self.line = 0
        self.on_change: Callable[[], None] = lambda: None
        self._began = 0.0
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """Return for how long it was paused."""
        return self._seconds + (time.monotonic() - self._began if self.line else 0.0)

    def take(self, mark: Mark) -> int | None:
        """Take a mark; return the line that the run is paused before, if that is believed."""
        line = mark.integer("line")
        if mark.kind == "resumed":
            self.end()
            return None
        if not self.is_wanted or line is None or not 1 <= line <= _LAST_LINE:
            return None
        if not self.line:
            self._began = time.monotonic()
        self.line = line
        self.on_change()
        return line

    def end(self) -> None:
        """Go on."""
        if self.line:
            self._seconds, self.line = self.seconds, 0
            self.on_change()


class RunStream:
    """Keeps the grammar: one console at a time, closed before an image or a question.

    Output is held until a mark or `flush()` ends it, so that what a pipe delivers in pieces is
    one chunk. Its marks name it by `nonce`; those of other runs are dropped. `take` fetches what a
    mark `show` announces: by kind and file name, as messages or as text for the console.
    """

    def __init__(
        self,
        run_id: str,
        output: RunOutput,
        take: Callable[[str, str], list[Chunk] | str],
        nonce: str,
    ) -> None:
        self._run_id = run_id
        self._nonce = nonce
        self._output = output
        self._take = take
        self._began = time.monotonic()
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._is_displaying = False
        self._is_open = False
        self._line: int | None = None
        self._lines = 0
        self._error: CodeError | None = None
        self._printed: int | None = None  # of a traceback, as long as it ends the output
        self._times: list[Chunk] = []
        self._packages: list[str] = []
        self._files: list[Chunk] | str = []
        self._input_bytes: int | None = None
        self.pause = RunPause()
        self.stop_cause: RunEnd | None = None
        self.is_stopping = False
        self.is_over = False

    @property
    def line(self) -> int | None:
        """Return the line that runs, as far as it is known."""
        return self._line

    @property
    def has_held_text(self) -> bool:
        """Return whether `flush()` would return anything."""
        return bool(self._held or self._output.has_news) and not self._is_displaying

    def start(self, earlier_output: bytes = b"") -> list[Chunk]:
        """Return the chunks that open a run; `earlier_output` was printed between two runs."""
        chunks = [self._run("started"), *self._open()]
        if earlier_output:
            self._held.append(b"[printed between two runs]\n" + earlier_output)
        return chunks

    def feed(self, pieces: Iterable[Piece]) -> list[Chunk]:
        """Return the chunks of the kernel's pieces; marks of other runs are dropped."""
        chunks: list[Chunk] = []
        for piece in self._without_hurried(list(pieces)):
            if isinstance(piece, bytes):
                chunks += self._hold(piece)
            elif piece.run == self._nonce:
                chunks += self._on_mark(piece)
        return chunks

    def flush(self) -> list[Chunk]:
        """Let held text go, or the last lines of long output; not while a value is on its way."""
        return [] if self._is_displaying else [*self._flush(), *self._tail()]

    def finish(
        self,
        state: RunState,
        end: RunEnd | None = None,
        line: int | None = None,
        exit_status: int | None = None,
    ) -> list[Chunk]:
        """Return the chunks that end a run and whatever is open; no chunks follow them."""
        chunks = self._flush()
        rest = self._output.close()
        chunks += self._text(rest)
        if self._is_open:
            chunks += self._close(is_resting=True)
        error = self._error
        printed = self._output.unbroken_end(self._printed or 0) or None
        errors = [] if error is None else [_single("error", replace(error, printed=printed))]
        is_line = line is not None and 1 <= line <= _LAST_LINE
        stopped_at = (line if is_line else self._line) if state != "finished" else None
        end = end if state != "finished" else None
        self.is_over = True
        report = self._run(
            state, stopped_at, _in_bounds(exit_status), end, None if errors else printed
        )
        files = self._files if isinstance(self._files, list) else []
        return [*chunks, *errors, *self._times, *files, report]

    def _without_hurried(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces, after very many lines without those that could not be seen."""
        if self._lines < _LINES_TOLD:
            return pieces
        return [
            piece
            for piece, following in pairwise([*pieces, b""])
            if not (self._is_line(piece) and self._is_line(following))
        ]

    def _is_line(self, piece: Piece) -> bool:
        return isinstance(piece, Mark) and piece.kind == "line" and piece.run == self._nonce

    def _on_mark(self, mark: Mark) -> list[Chunk]:
        chunks = self._flush()
        self._is_displaying = False
        match mark.kind:
            case "line":
                chunks += self._on_line(mark.integer("line"))
            case "display":
                self._is_displaying = True
            case "show":
                chunks += self._on_result(mark.text("kind"), mark.text("file"))
            case "input":
                chunks += self._on_input(mark)
            case "error":
                self._error = _code_error(mark)
            case "traceback":
                self._printed = mark.integer("length")
            case "timings" | "packages" | "files":
                self._collect(mark)
            case "paused" | "resumed":
                chunks += self._on_line(self.pause.take(mark))
            case "idle":
                chunks += self._on_idle(mark)
            case _:
                pass
        return chunks

    def _collect(self, mark: Mark) -> None:
        """Keep what is known at the end of the run for its last chunks."""
        if mark.kind == "timings":
            self._times += [_single("timing", timing) for timing in _timings(mark)]
            del self._times[_TIMES_LIMIT:]
        elif mark.kind == "files":
            self._files = self._take(mark.kind, mark.text("file"))
        else:
            self._packages += _package_names(mark)
            del self._packages[_PACKAGES_LIMIT:]

    def _on_idle(self, mark: Mark) -> list[Chunk]:
        line, status = mark.integer("line"), mark.integer("status")
        is_interrupted = mark.text("state") == "interrupted" or (
            self.is_stopping and status == _ENDED_BY_INTERRUPT
        )
        state = "interrupted" if is_interrupted else "finished"
        self._input_bytes = _in_bounds(mark.integer("read"))
        return self.finish(state, self.stop_cause, line=line, exit_status=status)

    def _on_line(self, line: int | None) -> list[Chunk]:
        if line is None or not 1 <= line <= _LAST_LINE:
            return []
        self._line = line
        self._lines += 1
        return [*self._open(), _console("active_line", line)]

    def _on_result(self, kind: str, name: str) -> list[Chunk]:
        result = self._take(kind, name)
        if isinstance(result, str):
            return self._print(result.encode("utf-8", "backslashreplace"))
        if not result:
            return []
        return [*self._settle(is_resting=True), *result]

    def _on_input(self, mark: Mark) -> list[Chunk]:
        chunks = self._settle(is_resting=False)
        request = InputRequest(mark.text("id"), mark.text("prompt"), mark.flag("secret"))
        return [*chunks, _single("input", request)]

    def _hold(self, data: bytes) -> list[Chunk]:
        """Keep output back; when it is much, let it go at once: memory stays flat."""
        self._held.append(data)
        self._held_bytes += len(data)
        is_much = self._output.is_cut or self._held_bytes > _HELD_LIMIT
        return self._flush() if is_much else []

    def _flush(self) -> list[Chunk]:
        data = b"".join(self._held)
        self._held, self._held_bytes = [], 0
        return self._print(data) if data else []

    def _print(self, data: bytes) -> list[Chunk]:
        self._printed = None
        return self._text(self._output.add(data))

    def _tail(self) -> list[Chunk]:
        if not self._output.has_news:
            return []
        tail = Chunk(role="computer", type="console", format="tail", content=self._output.tail())
        return [*self._open(), tail]

    def _settle(self, is_resting: bool) -> list[Chunk]:
        """Close the console, with what is to be kept of its long output."""
        chunks = self._text(self._output.settle())
        return [*chunks, *(self._close(is_resting) if self._is_open else [])]

    def _text(self, text: str) -> list[Chunk]:
        if not text:
            return []
        starts = range(0, len(text), _LONGEST_TEXT)
        pieces = [_console("output", text[at : at + _LONGEST_TEXT]) for at in starts]
        return [*self._open(), *pieces]

    def _open(self) -> list[Chunk]:
        if self._is_open:
            return []
        self._is_open = True
        return [Chunk(role="computer", type="console", start=True, id=self._run_id)]

    def _close(self, is_resting: bool) -> list[Chunk]:
        """Close the console; the line stays lit while the code waits for an answer."""
        self._is_open = False
        resting = [_console("active_line", None)] if is_resting else []
        return [*resting, Chunk(role="computer", type="console", end=True)]

    def _run(
        self,
        state: RunState,
        line: int | None = None,
        exit_status: int | None = None,
        end: RunEnd | None = None,
        printed: int | None = None,
    ) -> Chunk:
        seconds = 0.0 if state == "started" else time.monotonic() - self._began - self.pause.seconds
        path = self._output.path
        report = RunReport(
            state=state,
            seconds=seconds,
            line=line,
            exit_status=exit_status,
            output_path=path,
            end=end,
            input_bytes=self._input_bytes,
            printed=printed,
            packages=() if state == "started" else tuple(self._packages),
        )
        return _single("run", report)


def _single(kind: Any, payload: Payload) -> Chunk:
    return Chunk(role="computer", type=kind, content=payload)


def _console(kind: str, content: str | int | None) -> Chunk:
    return Chunk(role="computer", type="console", format=kind, content=content)


def _code_error(mark: Mark) -> CodeError:
    frames: list[Frame] = []
    for row in mark.rows("frames"):
        match row:
            case [str(file), int(line), str(name)]:
                frames.append(Frame(file, line, name))
            case _:
                pass
    remedy = mark.text("remedy")
    return CodeError(
        name=mark.text("name"), message=mark.text("message"), frames=tuple(frames), remedy=remedy
    )


def _package_names(mark: Mark) -> list[str]:
    names: list[str] = []
    for row in mark.rows("names"):
        match row:
            case [str(name), str(version)] if len(name) + len(version) < _LONGEST_PACKAGE:
                words = f"{name} {version}"
                names += [words] if words.isprintable() and name and version else []
            case _:
                pass
    return names


def _timings(mark: Mark) -> list[LineTiming]:
    timings: list[LineTiming] = []
    for row in mark.rows("times"):
        match row:
            # No int for a float: float() of a forged, endless one would raise.
            case [int(line), float(seconds), int(last), (None | float()) as share] if (
                0 < line <= _LAST_LINE and 0 <= last <= _LAST_LINE and math.isfinite(seconds)
            ):
                is_share = share is not None and 0 <= share <= 1
                timings.append(
                    LineTiming(
                        line=line,
                        seconds=seconds,
                        last_line=last,
                        share=share if is_share else None,
                    )
                )
            case _:
                pass
    return timings


def _in_bounds(status: int | None) -> int | None:
    return status if status is not None and abs(status) <= _LAST_STATUS else None


def no_pause(language: str) -> ExecutionError:
    """Return the error for code in a language that cannot be paused."""
    return ExecutionError(
        phrase("{language} code cannot be paused.", language=language),
        detail="Only Python code can.",
        remedy="Stop it, or let it go on.",
    )


def stopped_before_start() -> tuple[Chunk, Chunk]:
    """Return the chunks of a run that was stopped while its kernel was starting."""
    report = RunReport(state="interrupted", end=RunEnd(kind="stopped_early"))
    return (
        Chunk(role="computer", type="run", content=RunReport(state="started")),
        Chunk(role="computer", type="run", content=report),
    )


def execute_command(request: RunRequest, nonce: str) -> bytes:
    """Return the line that has a kernel begin a run; `nonce` is that of its marks."""
    return encode_command(
        "execute",
        run=nonce,
        code=request.code,
        folder=request.folder,
        lines=request.shows_lines,
        times=request.times_lines,
        memory=request.limits.memory_bytes,
        dpi=request.dpi,
        breakpoints=list(request.breakpoints),
        values=request.keeps_values,
    )
