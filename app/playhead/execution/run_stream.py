"""Turns the pieces of one run into chunks in their order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from playhead.conversation.chunk import Chunk
from playhead.conversation.payloads import (
    CodeError,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    RunReport,
    RunState,
)
from playhead.execution.output_decoder import Piece
from playhead.execution.run_output import RunOutput
from playhead.kernel.protocol import Mark

_LONGEST_TEXT = 65_536


class RunStream:
    """Keeps the grammar: one console at a time, closed before an image or a question.

    Text is held until a mark or `flush()` ends it, so that what a pipe delivers in pieces is one
    chunk. `take_image` moves an image out of the spool folder and returns its new path.
    """

    def __init__(
        self, run_id: str, output: RunOutput, take_image: Callable[[str], str | None]
    ) -> None:
        self._run_id = run_id
        self._output = output
        self._take_image = take_image
        self._began = time.monotonic()
        self._held: list[str] = []
        self._is_displaying = False
        self._is_open = False
        self._line: int | None = None
        self._report: list[Chunk] = []
        self.is_over = False

    @property
    def line(self) -> int | None:
        """The line that runs, as far as it is known."""
        return self._line

    @property
    def has_held_text(self) -> bool:
        """Whether `flush()` would give something."""
        return bool(self._held) and not self._is_displaying

    def start(self, earlier_output: str = "") -> list[Chunk]:
        """The chunks that open a run; `earlier_output` came between two runs."""
        chunks = [self._run("started"), *self._open()]
        if earlier_output:
            self._held.append(f"[printed between two runs]\n{earlier_output}")
        return chunks

    def feed(self, pieces: Iterable[Piece]) -> list[Chunk]:
        """The chunks of what the kernel said; marks of other runs are dropped."""
        chunks: list[Chunk] = []
        for piece in pieces:
            if isinstance(piece, str):
                self._held.append(piece)
            elif piece.run == self._run_id and not self.is_over:
                chunks += self._on_mark(piece)
        return chunks

    def flush(self) -> list[Chunk]:
        """Let held text go, unless a displayed value is still on its way."""
        return [] if self._is_displaying else self._flush()

    def finish(
        self,
        state: RunState,
        reason: str = "",
        line: int | None = None,
        exit_status: int | None = None,
    ) -> list[Chunk]:
        """The chunks that end a run, whatever was open; nothing comes after them."""
        chunks = self._flush()
        rest = self._output.close()
        chunks += self._text(rest)
        if self._is_open:
            chunks += self._close(is_resting=True)
        stopped_at = (line or self._line) if state != "finished" else None
        self.is_over = True
        return [*chunks, *self._report, self._run(state, stopped_at, exit_status, reason)]

    def _on_mark(self, mark: Mark) -> list[Chunk]:
        chunks = self._flush()
        self._is_displaying = False
        match mark.kind:
            case "line":
                chunks += self._on_line(mark.integer("line"))
            case "display":
                self._is_displaying = True
            case "show" if mark.text("kind") == "png":
                chunks += self._on_image(mark.text("file"))
            case "input":
                chunks += self._on_input(mark)
            case "error":
                self._report.insert(0, _single("error", _code_error(mark)))
            case "timings":
                self._report += [_single("timing", timing) for timing in _timings(mark)]
            case "idle":
                is_interrupted = mark.text("state") == "interrupted"
                state = "interrupted" if is_interrupted else "finished"
                chunks += self.finish(state, line=mark.integer("line"))
            case _:
                pass
        return chunks

    def _on_line(self, line: int | None) -> list[Chunk]:
        if line is None or line < 1:
            return []
        self._line = line
        return [*self._open(), _console("active_line", line)]

    def _on_image(self, name: str) -> list[Chunk]:
        path = self._take_image(name)
        if path is None:
            return []
        chunks = self._close(is_resting=True) if self._is_open else []
        return [
            *chunks,
            Chunk("computer", "image", "path", start=True),
            Chunk("computer", "image", "path", path),
            Chunk("computer", "image", "path", end=True),
        ]

    def _on_input(self, mark: Mark) -> list[Chunk]:
        chunks = self._close(is_resting=False) if self._is_open else []
        request = InputRequest(mark.text("id"), mark.text("prompt"), mark.flag("secret"))
        return [*chunks, _single("input", request)]

    def _flush(self) -> list[Chunk]:
        text = self._output.add("".join(self._held)) if self._held else ""
        self._held = []
        return self._text(text)

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
        return [Chunk("computer", "console", start=True, id=self._run_id)]

    def _close(self, is_resting: bool) -> list[Chunk]:
        """Close the console; the line stays lit while the code waits for an answer."""
        self._is_open = False
        resting = [_console("active_line", None)] if is_resting else []
        return [*resting, Chunk("computer", "console", end=True)]

    def _run(
        self,
        state: RunState,
        line: int | None = None,
        exit_status: int | None = None,
        reason: str = "",
    ) -> Chunk:
        seconds = 0.0 if state == "started" else time.monotonic() - self._began
        report = RunReport(state, seconds, line, exit_status, self._output.path, reason)
        return _single("run", report)


def _single(kind: Any, payload: Payload) -> Chunk:
    return Chunk("computer", kind, content=payload)


def _console(kind: str, content: str | int | None) -> Chunk:
    return Chunk("computer", "console", kind, content)


def _code_error(mark: Mark) -> CodeError:
    frames: list[Frame] = []
    for row in mark.rows("frames"):
        match row:
            case [str(file), int(line), str(name)]:
                frames.append(Frame(file, line, name))
            case _:
                pass
    return CodeError(mark.text("name"), mark.text("message"), tuple(frames))


def _timings(mark: Mark) -> list[LineTiming]:
    timings: list[LineTiming] = []
    for row in mark.rows("times"):
        match row:
            # No int for a float: float() of a forged, endless one would raise.
            case [int(line), float(seconds), int(last), (None | float()) as share]:
                timings.append(LineTiming(line, seconds, last, share))
            case _:
                pass
    return timings
