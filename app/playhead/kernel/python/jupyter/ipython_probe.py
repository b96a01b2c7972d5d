"""The parts of this kernel that are put beside the shell of IPython, in a Jupyter kernel.

Output goes straight to the pipe that the place worker has inherited to this process, with the
marks between: their order is right by construction, and a program that prints too much waits.
IPython runs a block statement by statement by `run_code`, so that each is announced there.
"""

from __future__ import annotations

import contextlib
import dis
import io
import os
import sys
import threading
import time
import traceback
from typing import Any, Callable, Dict

from ... import errors
from ...channel import Channel
from ...driver import AnswerFiles
from ...interrupts import Interrupts, start_thread
from ...run_timings import RunTimings
from ...streams import open_output
from ...working_folder import WorkingFolder
from .. import frames, representations
from ..code_help import CodeHelp
from ..display_publisher import DisplayPublisher
from ..frames import TableReader
from ..lines.block_lines import LineSampler
from ..variables import FailedFrames, VariableInspector, Variables

_END_KIND = "application/vnd.playhead.end+json"
_NOT_SHOWN = ("In", "Out", "exit", "quit", "get_ipython", "open")


class ShellVariables(Variables):
    """The variables of a namespace in which IPython has its own, too."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell.user_ns)
        self._shell = shell

    def _items(self) -> list[tuple[Any, Any]]:
        hidden = self._shell.user_ns_hidden
        return [
            (name, value)
            for name, value in super()._items()
            if name not in _NOT_SHOWN and (name not in hidden or hidden[name] is not value)
        ]


_PACE_S = 1 / 30
_MANY_LINES = 100
"""So many lines in a thirtieth of a second are a flood."""


class PacedOutput:
    """Standard output that is written line by line, and in a flood 30 times a second.

    A write for each line would take most of the time of a block that prints very many.
    """

    def __init__(self) -> None:
        self._raw = _CountingFile(1)
        self._running = threading.Event()
        self.stream = io.TextIOWrapper(
            io.BufferedWriter(self._raw, 1 << 16),
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )
        start_thread(self._pace, "playhead-output")
        if hasattr(os, "register_at_fork"):  # else the child would print the rest once more
            os.register_at_fork(before=self._flush)
        sys.addaudithook(self._on_event)

    def begin(self) -> None:
        """Watch the output while a block runs."""
        self._running.set()

    def end(self) -> None:
        """Write all, and line by line from now on."""
        self._running.clear()
        self._set_lines(is_on=True)

    def _pace(self) -> None:
        pause = threading.Event()
        while self._running.wait():
            before = self._raw.writes, self._raw.bytes
            pause.wait(_PACE_S)
            if self.stream.line_buffering:
                if self._raw.writes - before[0] > _MANY_LINES:
                    self._set_lines(is_on=False)
            else:
                self._flush()
                is_flood = self._raw.bytes - before[1] > _MANY_LINES
                if not is_flood or not self._running.is_set():
                    self._set_lines(is_on=True)

    def _set_lines(self, *, is_on: bool) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed by the block
            self.stream.reconfigure(line_buffering=is_on)

    def _flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.stream.flush()

    def _on_event(self, event: str, given: Any) -> None:
        if event in _STARTS and not self.stream.line_buffering:
            self._flush()  # what a child prints comes behind it


_STARTS = frozenset({"os.system", "os.posix_spawn", "os.exec", "subprocess.Popen"})


class _CountingFile(io.FileIO):
    """A descriptor that counts what is written."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, "w", closefd=False)
        self.writes = self.bytes = 0

    def write(self, data: Any, /) -> int:
        """Write, and count it."""
        self.writes += 1
        self.bytes += len(data)
        return super().write(data) or 0


class IPythonProbe:
    """Owner of what is hooked into one shell; made once in a kernel's process."""

    def __init__(self, shell: Any, fd: int, nonce: str, spool: str) -> None:
        self._shell = shell
        self._channel = channel = Channel(fd, nonce)
        self._fd = fd
        os.set_inheritable(fd, False)
        self._open_descriptors()
        self._output = PacedOutput()
        self._complaints = open_output(2)
        self._set_streams()
        interrupts = Interrupts()
        self._sampler = LineSampler(channel)
        self._display = DisplayPublisher(channel, self._sampler, spool)
        self._variables = ShellVariables(shell)
        self._tables = TableReader(shell.user_ns, self._display.kept)
        self._failure = FailedFrames(shell.user_ns, interrupts)
        self._answers = VariableInspector(
            AnswerFiles(channel, spool),
            self._variables,
            self._tables,
            self._failure,
            lambda: CodeHelp(shell.user_ns),
            interrupts,
        )
        self._folder = WorkingFolder()
        self._timings = RunTimings()
        self._block = ""
        self._at: int | None = None
        self._is_running = False
        self._value: object = None
        self._hook()

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the namespace."""
        self._answers.answer(command)

    def _hook(self) -> None:
        shell = self._shell
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)
        shell.run_code = _around(shell.run_code, self._begin_statement, self._end_statement)
        # What has failed is known at the end of the block; IPython's traceback takes 0.1 s to make.
        self._replace(shell, "showtraceback", _show_error)
        self._replace(shell, "showsyntaxerror", _keep_error)
        self._replace(shell, "showindentationerror", _keep_error)
        self._replace(shell.compile, "get_code_name", _block_name)
        formatter, shows = shell.display_formatter, shell.displayhook
        plain_format, plain_publish = formatter.format, shell.display_pub.publish

        def format_value(value: object, *given: Any, **named: Any) -> Any:
            self._value = value
            return plain_format(value, *given, **named)

        def publish(data: Dict[str, Any], metadata: Any = None, **named: Any) -> None:
            value, self._value = self._value, None
            if self._is_running and _END_KIND not in data:
                self._show(data, value)
            else:
                plain_publish(data, metadata, **named)

        def write(data: Any, metadata: Any = None) -> None:
            value, self._value = self._value, None
            self._show(data, value)

        formatter.format = format_value
        shell.display_pub.publish = publish
        for name in ("start_displayhook", "write_output_prompt", "finish_displayhook"):
            self._replace(shows, name, lambda: None)
        self._replace(shows, "write_format_data", write)

    def _replace(self, owner: Any, name: str, ours: Callable[..., Any]) -> None:
        """Put a function of ours in a place, for our blocks: others may run code here, too."""
        plain = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            return (ours if self._is_running else plain)(*given, **named)

        setattr(owner, name, call)

    def _show(self, data: dict[str, Any], value: object) -> None:
        """Show a value that IPython's formatters have made data of."""
        if frames.is_frame(value):
            self._display.show(value)
            return
        shown = representations.from_bundle(data)
        if shown is not None:
            self._display.send(shown)
        elif text := data.get("text/plain"):
            self._display.show_text(str(text))

    def _open_descriptors(self) -> None:
        """Let C code and child programs write where we do, also after a block has closed that."""
        for number in (1, 2):
            os.dup2(self._fd, number)

    def _set_streams(self) -> None:
        """Put our streams in the place of the kernel's own."""
        sys.stdout = sys.__stdout__ = self._output.stream  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = self._complaints  # type: ignore[misc]

    def _leave_streams(self) -> None:
        """Do nothing: all that runs here is ours."""

    def _wanted(self) -> dict[str, Any]:
        """Return what the place worker wants of the block; nothing for code of others."""
        return self._shell.parent_header.get("metadata", {}).get("playhead") or {}

    def _begin(self, info: Any) -> None:
        wanted = self._wanted()
        self._is_running = bool(wanted)
        if not wanted:
            return
        self._open_descriptors()
        self._output.begin()
        self._channel.run = wanted.get("run", "")
        self._sampler.is_on = wanted.get("lines", True)
        self._timings, self._at, self._block = RunTimings(), None, ""
        self._failure.forget()
        self._variables.remember()
        self._tables.forget_orders()
        folder = self._folder.find(wanted.get("folder") or "")
        if folder:
            os.chdir(folder)
            self._folder.entered(folder)

    def _begin_statement(self, code: Any) -> None:
        if not self._is_running:
            return
        lines = [line for _, line in dis.findlinestarts(code) if line]
        self._block, self._at = code.co_filename, min(lines, default=1)
        self._sampler.announce(self._block, self._at)

    def _end_statement(self, code: Any, seconds: float) -> None:
        if self._is_running and self._at is not None:
            lines = [line for _, line in dis.findlinestarts(code) if line]
            last, seen = max(lines, default=self._at), self._sampler.counts()
            self._timings.add(self._at, last, seconds, seen, {})

    def _end(self, result: Any) -> None:
        if not self._is_running:
            return
        self._sampler.rest()
        error: Any = result.error_before_exec or result.error_in_exec
        line = self._at
        if result.error_before_exec is not None:
            error = error.with_traceback(None)  # it has the frames of IPython alone
        if isinstance(error, BaseException):
            line = self._report(error)
        self._timings.send(self._channel, None)
        self._output.end()
        self._is_running = False
        self._leave_streams()
        folder, is_stopped = self._folder.elsewhere(), isinstance(error, KeyboardInterrupt)
        end = {"line": line, "is_reported": True, "is_stopped": is_stopped, "folder": folder}
        self._send_end(end)

    def _send_end(self, end: dict[str, Any]) -> None:
        """Send how a block has ended."""
        self._shell.display_pub.publish({_END_KIND: end})

    def _report(self, error: BaseException) -> int | None:
        """Print and send what ended the block; return the line at which it was interrupted."""
        block = self._block or getattr(error, "filename", None) or ""
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return None
        errors.print_failure(self._channel, error, block)
        if isinstance(error, KeyboardInterrupt):
            return errors.interrupted_line(error, block) or self._at
        sent = errors.send_failure(self._channel, error, block)
        self._failure.keep(error, errors.frames_of(error, block), sent)
        return self._at


def _show_error(
    found: Any = None,
    *given: Any,
    exception_only: bool = False,
    running_compiled_code: bool = False,
    **named: Any,
) -> None:
    """Print an error that a magic has caught; that of the block itself is sent at its end."""
    _keep_error()
    if not (exception_only or running_compiled_code):
        kind, value, trace = found or sys.exc_info()
        traceback.print_exception(kind, value, trace)


def _keep_error(*given: Any, **named: Any) -> None:
    """Keep the error for a debugger, in the place of IPython's printing it."""
    sys.last_type, sys.last_value, sys.last_traceback = sys.exc_info()


def _block_name(raw: str, code: str, number: int) -> str:
    """Return the file name of a block, as tracebacks have it."""
    return "<block %d>" % number


def _around(
    run_code: Callable[..., Any],
    begin: Callable[[Any], None],
    end: Callable[[Any, float], None],
) -> Callable[..., Any]:
    """Return IPython's `run_code` with something done before and after each statement."""

    async def run(code: Any, result: Any = None, **named: Any) -> Any:
        begin(code)
        began = time.perf_counter()
        try:
            return await run_code(code, result, **named)
        finally:
            end(code, time.perf_counter() - began)

    return run


_probes: list[IPythonProbe] = []


def install(shell: Any, fd: int, nonce: str, spool: str) -> None:
    """Hook everything into a shell."""
    _probes.append(IPythonProbe(shell, fd, nonce, spool))


def answer(command: dict[str, Any]) -> None:
    """Answer a question about its namespace."""
    _probes[-1].answer(command)
