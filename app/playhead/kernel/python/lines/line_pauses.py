"""Pause a block before one of its lines, by events that are on only while a pause is wanted.

From Python 3.12 on the events are those of `sys.monitoring`, on the code of the block alone, and a
line that nobody waits for switches its own off: what it costs is gone after one turn of a loop.
Before, it is `sys.settrace`. Without a breakpoint and a wish to pause neither is touched. Only the
main thread is paused, in code of the block itself: other threads and processes go on.
"""

from __future__ import annotations

import _thread
import ast
import os
import sys
import threading
import time
from queue import Empty, SimpleQueue
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Callable, Iterable

from ...streams import above_standard
from .block_lines import with_inner

if TYPE_CHECKING:
    from ...channel import Channel
    from ...interrupts import Interrupts
    from ..interpreter_guard import InterpreterGuard
    from .block_lines import LineSampler

_TOOL_IDS = (0, 3, 4)
"""Numbers of `sys.monitoring`: that of debuggers, then those that it leaves free."""
_WAKES = 64


class LinePauses:
    """Owner of the wait at a line; `answer(command)` is called for what is asked during it.

    `control`, `ask` and `forget` are called by the thread that reads commands, all others by the
    main thread.
    """

    def __init__(
        self,
        channel: Channel,
        sampler: LineSampler,
        interrupts: Interrupts,
        guard: InterpreterGuard,
    ) -> None:
        self._channel = channel
        self._sampler = sampler
        self._guard = guard
        self._main = threading.main_thread().ident
        reader, self._waker = (above_standard(fd) for fd in os.pipe())
        self._reader = reader
        self.inode = os.fstat(reader).st_ino
        """The number of the pipe that a paused main thread reads: that can be seen from outside."""
        self._queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._block = ""
        self._tree: ast.AST | None = None
        self._codes: list[CodeType] = []
        self._lines = BlockStatements(None)
        self._breakpoints: frozenset[int] = frozenset()
        self._wanted_in = ""  # the run that is to pause at its next line
        self._asked_of = ""  # the run whose breakpoints have been changed, and these
        self._asked: list[int] = []
        self._is_armed = self._is_stopped = self._is_child = False
        self._has_signalled = False
        self._paused_s = 0.0
        self.frame: FrameType | None = None
        """The frame that is paused."""
        self.answer: Callable[[dict[str, Any]], None] = lambda command: None
        self.refuse: Callable[[dict[str, Any]], None] = lambda command: None
        self._uses_events = hasattr(sys, "monitoring")
        self._events: LineEvents | LineTraces = (
            LineEvents(self._on_event) if self._uses_events else LineTraces(self._on_line)
        )
        interrupts.before = self._on_signal
        self._interrupts = interrupts
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._on_fork)

    def begin(self, block: str, tree: ast.AST, lines: Iterable[int]) -> None:
        """Take the block that is about to run, and the lines to pause before."""
        self._tree = tree
        self._lines = BlockStatements(None)
        self._codes = []
        self._paused_s = 0.0
        self._is_stopped = False
        self._block = block
        self._breakpoints = frozenset()
        if self._asked_of == self._channel.run:
            lines = self._asked
        if lines or self._wants_next:
            self._set_breakpoints(lines)
            self._arm()

    def enter(self, code: CodeType) -> None:
        """Take the code of the statement that is about to run."""
        self._codes.append(code)
        if self._is_armed:
            self._events.add(self._block, (code,))
        elif self._wants_next:
            self._arm()

    def end(self) -> None:
        """Leave everything as it was: the block has ended."""
        self._block = ""
        self._is_armed = False
        self._breakpoints = frozenset()
        self._events.close()
        self._codes = []
        self._tree = None

    def take_seconds(self) -> float:
        """Return for how long the block was paused since the last call."""
        seconds, self._paused_s = self._paused_s, 0.0
        return seconds

    def control(self, command: dict[str, Any]) -> None:
        """Pause, step, go on, or take other breakpoints (command thread)."""
        kind, run = command["t"], command["run"]
        is_here = run == self._channel.run
        if kind == "breakpoints":
            self._asked_of, self._asked = run, command["lines"]
            if is_here and self._block and not self._is_stopped:
                self._set_breakpoints(self._asked)
                self._arm_from_outside()
        elif is_here and self.frame is not None:
            self._put(command)
        elif kind != "resume":
            self._wanted_in = run
            if is_here and self._block and not self._is_stopped:
                self._arm_from_outside()

    def ask(self, command: dict[str, Any]) -> bool:
        """Have the paused main thread answer; return False if it is not paused."""
        if self.frame is None or command["t"] not in ("variables", "table"):
            return False
        if command.get("by") is not None:
            return False
        self._put(command)
        return True

    def forget(self) -> None:
        """Pause the block no more, since it is being stopped."""
        self._is_stopped = True
        self._wanted_in = ""
        self._breakpoints = frozenset()

    def stop(self) -> None:
        """End the wait: the interrupt has been sent before, and comes when the thread wakes."""
        if self.frame is not None:
            self._put({"t": "stop"})

    @property
    def _wants_next(self) -> bool:
        return self._wanted_in != "" and self._wanted_in == self._channel.run

    def _put(self, command: dict[str, Any]) -> None:
        self._queue.put(command)
        os.write(self._waker, b"p")

    def _set_breakpoints(self, lines: Iterable[int]) -> None:
        if self._lines.tree is not self._tree:
            self._lines = BlockStatements(self._tree)
        self._breakpoints = frozenset(filter(None, map(self._lines.statement_at, lines)))

    def _arm(self) -> None:
        if self._lines.tree is not self._tree:
            self._lines = BlockStatements(self._tree)
        if not self._is_armed:
            self._is_armed = True
            self._events.add(self._block, tuple(self._codes))
        self._events.restart()

    def _arm_from_outside(self) -> None:
        """Have the events of a block on whose code runs now (command thread)."""
        if self._uses_events:
            self._arm()
            if not self._block:  # it has ended meanwhile
                self._events.close()
        elif not self._is_armed and self._interrupts.has_signal:
            self._has_signalled = True
            _thread.interrupt_main()  # only the main thread itself can trace itself

    def _on_signal(self, frame: FrameType | None) -> bool:
        """Trace from here on; return whether the signal was only for that."""
        if not self._has_signalled or self._is_stopped:
            return False
        self._has_signalled = False
        if self._block and (self._wants_next or self._breakpoints):
            self._arm()
            self._events.take_frames(self._block, frame)
        return True

    def _on_event(self, code: CodeType, line: int) -> bool:
        """Wait at a line if that is wanted; return whether its events may be switched off."""
        if self._is_child:
            return True
        is_wanted = line in (self._lines.first if self._wants_next else self._breakpoints)
        if is_wanted and _thread_ident() == self._main:
            frame = _frame_at(2)
            if self._lines.is_begun(line, frame):
                self._wait(line, frame)
            return False
        return not is_wanted

    def _on_line(self, line: int, frame: FrameType) -> None:
        if self._is_child or _thread_ident() != self._main:
            return
        is_wanted = line in (self._lines.first if self._wants_next else self._breakpoints)
        if is_wanted and self._lines.is_begun(line, frame):
            self._wait(line, frame)

    def _wait(self, line: int, frame: FrameType) -> None:
        """Wait for a command to go on. Raises KeyboardInterrupt when the block is stopped."""
        self._guard.restore()
        why = "asked" if self._wants_next else "breakpoint"
        self._wanted_in = ""
        began = time.perf_counter()
        self._sampler.hold(line)
        self.frame = frame
        try:
            self._channel.send("paused", line=line, why=why)
            self._take_commands()
        finally:
            self.frame = None
            self._drop_commands()
            self._channel.send_unordered("resumed")
            self._sampler.go_on()
            self._paused_s += time.perf_counter() - began
        self._is_armed = False
        self._events.close()
        if self._wants_next or self._breakpoints:  # looked at last: who wants it next looks there
            self._arm()

    def _take_commands(self) -> None:
        while True:
            try:
                command = self._queue.get_nowait()
            except Empty:
                os.read(self._reader, _WAKES)
                continue
            kind = command["t"]
            if kind == "step":
                self._wanted_in = self._channel.run
                return
            if kind == "resume":
                return
            if kind == "stop":
                time.sleep(0)  # where the interrupt that came before it is raised
                raise KeyboardInterrupt
            if kind != "pause":
                self.answer(command)

    def _drop_commands(self) -> None:
        while True:
            try:
                command = self._queue.get_nowait()
            except Empty:
                return
            if "ask" in command:
                self.refuse(command)
            elif command["t"] == "pause" and not self._is_stopped:
                self._wanted_in = command["run"]  # it came behind the command to go on

    def _on_fork(self) -> None:
        """Pause nothing in a process that the block has forked."""
        self._is_child = True
        self._events.close()


_thread_ident = threading.get_ident
_frame_at = sys._getframe  # pyright: ignore[reportPrivateUsage] - documented


_PREFIXES = 6
"""The bytes of the prefixes that the first instruction of a line can have."""


class BlockStatements:
    """Knows the lines at which the statements of a block begin, its clauses for errors too."""

    def __init__(self, tree: ast.AST | None) -> None:
        self.tree = tree
        self._spans: list[tuple[int, int, int]] = []
        self._long: dict[int, int] = {}
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.stmt, ast.excepthandler)) and _has_code(node):
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(one.lineno for one in decorators)])
                last = node.end_lineno or first
                has_body = isinstance(getattr(node, "body", None), list)
                head = node.lineno if has_body else last
                self._spans.append((first, last, head))
                if head > first:
                    self._long[first] = head
        self._spans.sort()
        self.first = frozenset(first for first, _, _ in self._spans)

    def statement_at(self, line: int) -> int:
        """Return where the statement at a line begins, else the next one; 0 for none."""
        around = [one for one in self._spans if one[0] <= line <= one[1]]
        if around and line <= around[-1][2]:
            return around[-1][0]
        return next((first for first, _, _ in self._spans if first >= line), 0)

    def is_begun(self, line: int, frame: FrameType) -> bool:
        """Return whether a frame that comes to a line begins the statement there.

        It comes back to the first of several lines when it has seen to the others.
        """
        last = self._long.get(line, 0)
        if not last:
            return True
        before, at = 0, frame.f_lasti
        for start, number in _line_starts(frame.f_code):
            if number == line and not line <= before <= last and start <= at <= start + _PREFIXES:
                return True
            before = number or before
        return False


def _has_code(node: ast.AST) -> bool:
    """Return whether a statement is seen to begin: until Python 3.10 `while True:` is not."""
    is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    return not is_endless or hasattr(CodeType, "co_lines")  # Python 3.10


def _line_starts(code: CodeType) -> Iterable[tuple[int, int | None]]:
    if hasattr(code, "co_lines"):  # Python 3.10
        return [(start, line) for start, _, line in code.co_lines()]
    import dis

    return dis.findlinestarts(code)


class LineEvents:
    """The events of lines by `sys.monitoring`; any thread may switch them on."""

    def __init__(self, on_event: Callable[[CodeType, int], bool]) -> None:
        self._on_event = on_event
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool: int | None = None
        self._codes: list[CodeType] = []

    def add(self, block: str, codes: Iterable[CodeType]) -> None:
        """Have events of these code objects and of all in them."""
        if self._tool is None and not self._take_tool():
            return
        line = self._monitoring.events.LINE
        for code in codes:
            for inner in with_inner(code):
                self._monitoring.set_local_events(self._tool, inner, line)
                self._codes.append(inner)

    def restart(self) -> None:
        """Have the events again that were switched off."""
        if self._tool is not None:
            self._monitoring.restart_events()

    def take_frames(self, block: str, frame: FrameType | None) -> None:
        """Do nothing: code that runs already has its events."""

    def close(self) -> None:
        """Leave the interpreter as it was."""
        if self._tool is None:
            return
        tool, self._tool = self._tool, None
        for code in self._codes:
            self._monitoring.set_local_events(tool, code, 0)
        self._codes = []
        self._monitoring.register_callback(tool, self._monitoring.events.LINE, None)
        self._monitoring.free_tool_id(tool)

    def _take_tool(self) -> bool:
        for tool in _TOOL_IDS:
            if self._monitoring.get_tool(tool) is None:
                self._monitoring.use_tool_id(tool, "playhead")
                self._monitoring.register_callback(
                    tool, self._monitoring.events.LINE, self._on_line
                )
                self._tool = tool
                return True
        return False  # user code has all of them

    def _on_line(self, code: CodeType, line: int) -> Any:
        return self._monitoring.DISABLE if self._on_event(code, line) else None


class LineTraces:
    """The events of lines by `sys.settrace`, for the main thread, which alone can switch it on.

    A trace function of the user's own is left in its place.
    """

    def __init__(self, on_line: Callable[[int, FrameType], None]) -> None:
        self._on_line = on_line
        self._block = ""

    def add(self, block: str, codes: Iterable[CodeType]) -> None:
        """Trace the code of a block."""
        self._block = block
        if sys.gettrace() is None and _thread_ident() == threading.main_thread().ident:
            sys.settrace(self._on_call)

    def restart(self) -> None:
        """Do nothing: no event was switched off."""

    def take_frames(self, block: str, frame: FrameType | None) -> None:
        """Trace the code of a block that runs already, from its innermost frame on."""
        while frame is not None:
            if frame.f_code.co_filename == block:
                frame.f_trace = self._on_frame
            frame = frame.f_back

    def close(self) -> None:
        """Leave the interpreter as it was."""
        self._block = ""
        if sys.gettrace() == self._on_call:
            sys.settrace(None)

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._on_frame if self._block and frame.f_code.co_filename == self._block else None

    def _on_frame(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and self._block:
            self._on_line(frame.f_lineno, frame)
        return self._on_frame if self._block else None
