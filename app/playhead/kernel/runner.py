"""Runs a block of Python statement by statement in one namespace that outlives it."""

from __future__ import annotations
import __future__

import ast
import sys
import time
import types
import warnings
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from . import failures

if TYPE_CHECKING:
    from .channel import Channel
    from .display import Display
    from .interrupts import Interrupts
    from .line_sampler import LineSampler

_FUTURE_FLAGS = sum(  # each is a bit of its own
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
)
_COROUTINE = 0x80  # inspect.CO_COROUTINE; inspect itself is slow to import
_TIMINGS_KEPT = 200
_TIMINGS_PER_MARK = 80


class Outcome(NamedTuple):
    """How a block ended; `line` is where it was interrupted."""

    state: str
    line: int | None = None


class Runner:
    """The driver of Python; every driver has `execute(code) -> Outcome`."""

    def __init__(
        self, channel: Channel, sampler: LineSampler, display: Display, interrupts: Interrupts
    ) -> None:
        self._channel = channel
        self._sampler = sampler
        self._display = display
        self._interrupts = interrupts
        self._namespace = _fresh_main()
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._count = 0
        self._loop: Any = None
        self._timings: list[tuple[int, float, int]] = []

    def execute(self, code: str, prepare: Callable[[], None] = lambda: None) -> Outcome:
        """Run a block after `prepare`; what either raises is reported, never raised."""
        self._count += 1
        self._timings = []
        block = failures.remember_source(self._count, code)
        try:
            try:
                prepare()
                self._interrupts.call(lambda: self._run(block, code))
            finally:
                self._sampler.rest()
        except KeyboardInterrupt as error:
            return self._on_interrupt(error, block)
        except BaseException as error:  # noqa: BLE001 - whatever user code raises is data
            self._on_failure(error, block)
        self._send_timings()
        return Outcome("finished")

    def _run(self, block: str, code: str) -> None:
        body = self._parse(block, code)
        hides_value = code.rstrip().endswith(";")
        try:
            for index, node in enumerate(body):
                is_shown = index == len(body) - 1 and isinstance(node, ast.Expr) and not hides_value
                self._run_statement(block, node, is_shown)
        finally:
            if not isinstance(sys.exc_info()[1], KeyboardInterrupt):
                self._sampler.rest()
                self._display.show_open_figures()

    def _parse(self, block: str, code: str) -> list[ast.stmt]:
        """Compile all of it first: a mistake in the last line must not let the first one run."""
        flags = self._flags | ast.PyCF_ONLY_AST
        tree = compile(code, block, "exec", flags=flags, dont_inherit=True)
        whole = compile(tree, block, "exec", flags=self._flags, dont_inherit=True)
        # Statements are compiled one by one, `from __future__` must hold for all that follow.
        self._flags |= whole.co_flags & _FUTURE_FLAGS
        return tree.body

    def _run_statement(self, block: str, node: ast.stmt, is_shown: bool) -> None:
        line = _first_line(node)
        tree = ast.Interactive([node]) if is_shown else ast.Module([node], [])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # _parse has warned already
            mode = "single" if is_shown else "exec"
            code = compile(tree, block, mode, flags=self._flags, dont_inherit=True)
        self._sampler.announce(block, line)
        began = time.perf_counter()
        try:
            result = eval(code, self._namespace)  # noqa: S307 - what this program is for
            if code.co_flags & _COROUTINE:
                self._await(result)
        finally:
            last = node.end_lineno or line
            self._timings.append((line, time.perf_counter() - began, last))

    def _await(self, coroutine: Any) -> None:
        import asyncio

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        task = self._loop.create_task(coroutine)
        try:
            self._loop.run_until_complete(task)
        finally:
            if not task.done():  # interrupted: its cleanup runs before the block ends
                task.cancel()
                self._loop.run_until_complete(asyncio.gather(task, return_exceptions=True))

    def _on_interrupt(self, error: BaseException, block: str) -> Outcome:
        self._channel.complain(failures.format_failure(error, block))
        self._send_timings()
        return Outcome("interrupted", failures.interrupted_line(error, block))

    def _on_failure(self, error: BaseException, block: str) -> None:
        self._channel.complain(failures.format_failure(error, block))
        failures.send_failure(self._channel, error, block)

    def _send_timings(self) -> None:
        """Send all times, or those of the slowest statements if there are very many."""
        slowest = sorted(self._timings, key=lambda timing: -timing[1])[:_TIMINGS_KEPT]
        times = [[line, round(seconds, 6), last, None] for line, seconds, last in sorted(slowest)]
        for start in range(0, len(times), _TIMINGS_PER_MARK):
            self._channel.send("timings", times=times[start : start + _TIMINGS_PER_MARK])


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _fresh_main() -> dict[str, Any]:
    """A `__main__` for user code: pickle and dataclasses look names up in it."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    return module.__dict__
