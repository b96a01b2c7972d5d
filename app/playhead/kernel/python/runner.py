"""Runs a block of Python statement by statement in one namespace that outlives it."""

from __future__ import annotations
import __future__

import ast
import sys
import time
import types
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple, Sequence

from .. import errors
from ..driver import Outcome
from ..imported_packages import ImportedPackages
from ..run_timings import RunTimings
from .interpreter_guard import InterpreterGuard
from .ipython import magic_syntax
from .lines.block_lines import LineTimes
from .lines.line_pauses import LinePauses
from .lines.line_values import LineValues

if TYPE_CHECKING:
    from ..channel import Channel
    from ..interrupts import Interrupts
    from .display_publisher import DisplayPublisher
    from .ipython.shell_stand_in import LateMagics
    from .lines.block_lines import LineSampler

_FUTURE_FLAGS = sum(  # each is a bit of its own
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}
)
_COMPILED_AHEAD = 500
_COROUTINE = 0x80  # inspect.CO_COROUTINE; inspect itself is slow to import


class RunOptions(NamedTuple):
    """The options of a run: its running line, the times of single lines, where it pauses.

    `values`: what its lines assign is looked at.
    """

    lines: bool = True
    times: bool = False
    breakpoints: Sequence[int] = ()
    values: bool = False


class Runner:
    """Owner of the namespace; one block after the other."""

    def __init__(
        self,
        channel: Channel,
        sampler: LineSampler,
        display: DisplayPublisher,
        interrupts: Interrupts,
        magics: LateMagics,
    ) -> None:
        self._channel = channel
        self._sampler = sampler
        self._display = display
        self._interrupts = interrupts
        self._magics = magics
        self._guard = InterpreterGuard()
        self.pauses = LinePauses(channel, sampler, interrupts, self._guard)
        self.namespace = _fresh_main()
        self.values = LineValues(self.namespace)
        sampler.on_look = self.values.look
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._count = 0
        self._loop: Any = None
        self._timings = RunTimings()
        self._line_times = LineTimes()
        self._packages = ImportedPackages()
        self.tree: ast.Module | None = None
        """The syntax of the block that ran last; None if it has none."""
        self._at: int | None = None
        self.remark: Callable[[BaseException], str] = lambda error: ""
        self.keep_failure: Callable[[BaseException, list[Any], list[list[Any]]], None] = (
            lambda error, frames, sent: None
        )

    def execute(
        self,
        code: str,
        prepare: Callable[[], None] = lambda: None,
        options: RunOptions = RunOptions(),  # noqa: B008 - a constant
    ) -> Outcome:
        """Run a block after `prepare`; what either raises is reported, never raised."""
        self._count += 1
        self._timings = RunTimings()
        self.tree = None
        self._at = None
        self._sampler.is_on = options.lines
        block = errors.remember_source(self._count, code)
        try:
            try:
                prepare()
                self._interrupts.call(lambda: self._run(block, code, options))
            finally:
                self.pauses.end()
                self.values.end()
                self._guard.end_block()
                self._sampler.rest()
                self._line_times.end()
        except KeyboardInterrupt as error:
            outcome = self._on_interrupt(error, block)
        except SystemExit as error:
            outcome = self._on_exit(error, block)
        except BaseException as error:  # noqa: BLE001 - whatever user code raises is data
            outcome = self._on_failure(error, block)
        else:
            outcome = Outcome("finished")
        if notice := self._guard.take_notice():
            self._channel.complain(notice)
        self._timings.send(self._channel, self.tree)
        self._packages.send(self._channel)
        return outcome

    def _run(self, block: str, code: str, options: RunOptions) -> None:
        tree = self.tree = self._parse(block, code)
        if options.values:
            self.values.begin(code)
        self.pauses.begin(block, tree, options.breakpoints)
        statements = self._compiled(block, tree, hides_value=code.rstrip().endswith(";"))
        if options.times:
            statements = list(statements)
            self._line_times.begin([statement.code for statement in statements])
        try:
            for statement in statements:
                self._run_statement(block, statement)
        except KeyboardInterrupt:
            self._sampler.rest()
            self._magics.close_block()
            self._display.drop_open_figures()
            raise
        except BaseException:
            self._end_display()
            raise
        self._end_display()

    def _end_display(self) -> None:
        self._sampler.rest()
        self._magics.close_block()
        self._display.show_open_figures()

    def _parse(self, block: str, code: str) -> ast.Module:
        """Compile all of it first: a mistake in the last line must not let the first one run."""
        tree = self._tree_of(block, code)
        whole = compile(tree, block, "exec", flags=self._flags, dont_inherit=True)
        # Statements are compiled one by one, `from __future__` must hold for all that follow.
        self._flags |= whole.co_flags & _FUTURE_FLAGS
        return tree

    def _tree_of(self, block: str, code: str) -> Any:
        """Return the syntax tree; only code that is not Python may contain magics."""
        flags = self._flags | ast.PyCF_ONLY_AST
        if magic_syntax.may_hold(code):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SyntaxWarning)
                    compile(code, block, "exec", flags=flags, dont_inherit=True)
            except SyntaxError:
                code = magic_syntax.transform(code) or code
        return compile(code, block, "exec", flags=flags, dont_inherit=True)

    def _compiled(self, block: str, tree: ast.Module, hides_value: bool) -> Iterable[_Statement]:
        """Yield each compiled statement, a few ahead, so that the first starts without delay."""
        last = None if hides_value or not tree.body else tree.body[-1]
        for first in range(0, len(tree.body), _COMPILED_AHEAD):
            nodes = tree.body[first : first + _COMPILED_AHEAD]
            with warnings.catch_warnings():  # `_parse` has given them already
                warnings.simplefilter("ignore", SyntaxWarning)
                statements = [
                    self._compile_one(block, node, first + index, node is last)
                    for index, node in enumerate(nodes)
                ]
            yield from statements

    def _compile_one(self, block: str, node: ast.stmt, index: int, is_last: bool) -> _Statement:
        first = _first_line(node)
        tree: Any = ast.Module([node], [])
        is_shown = is_last and isinstance(node, ast.Expr)
        if is_shown:
            tree = ast.Interactive([node])
        elif index and _is_text(node):  # alone it would be the docstring of the module
            tree = ast.Module([ast.copy_location(ast.Pass(), node)], [])
        mode = "single" if is_shown else "exec"
        code = compile(tree, block, mode, flags=self._flags, dont_inherit=True)
        return _Statement(first, node.end_lineno or first, code, node)

    def _run_statement(self, block: str, statement: _Statement) -> None:
        code = statement.code
        self._at = statement.line
        self._sampler.announce(block, statement.line)
        self.pauses.enter(code)
        self.values.enter(statement.node)
        began = time.perf_counter()
        try:
            result = eval(code, self.namespace)  # noqa: S307 - what this program is for
            if code.co_flags & _COROUTINE:
                self._await(result)
        finally:
            self._guard.restore()
            seconds = time.perf_counter() - began - self.pauses.take_seconds()
            seen, timed = self._sampler.counts(), self._line_times.take()
            self._timings.add(statement.line, statement.last_line, seconds, seen, timed)
        self.values.leave(statement.node)

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
        errors.print_failure(self._channel, error, block)
        line = errors.interrupted_line(error, block) or self._at
        return Outcome("interrupted", line, 130)

    def _on_exit(self, error: SystemExit, block: str) -> Outcome:
        """End the block as the code wanted it; its variables are kept."""
        code = error.code
        if code is None or code == 0:
            return Outcome("finished")
        self._channel.complain(f"SystemExit: {errors.message_of(error)}\n")
        errors.send_failure(self._channel, error, block)
        return Outcome("finished", status=code if isinstance(code, int) else 1)

    def _on_failure(self, error: BaseException, block: str) -> Outcome:
        remarks = errors.remedy(error) + self.remark(error)
        errors.print_failure(self._channel, error, block, remarks)
        sent = errors.send_failure(self._channel, error, block, remarks)
        self.keep_failure(error, errors.frames_of(error, block), sent)
        return Outcome("finished", status=1)


class _Statement(NamedTuple):
    line: int
    last_line: int
    code: types.CodeType
    node: ast.stmt


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_text(node: ast.stmt) -> bool:
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def _fresh_main() -> dict[str, Any]:
    """Return a `__main__` for user code: pickle and dataclasses look names up in it."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    return module.__dict__
