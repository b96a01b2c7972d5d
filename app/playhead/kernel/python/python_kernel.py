"""Joins what makes the host's own process a place for blocks of Python."""

from __future__ import annotations

import builtins
import faulthandler
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

from .. import streams
from ..driver import AnswerFiles, DriverContext, Job, Outcome
from ..memory_limit import MemoryLimit
from ..working_folder import WorkingFolder
from .display_publisher import DisplayPublisher, choose_formats
from .frames import TableReader
from .import_hooks import ImportHooks, display_patches, patch_context, patch_reduction
from .ipython import display_functions, magic_syntax, shell_stand_in
from .ipython.ipython_stand_in import StandInFinder
from .lines.block_lines import LineSampler
from .runner import Runner, RunOptions
from .saving.saver import Saver
from .variables import FailedFrames, VariableInspector, Variables

if TYPE_CHECKING:
    from .code_help import CodeHelp
    from .ipython.magic_commands import MagicCommands

_GOES_ON = "The code goes on."


class PythonKernel:
    """Owner of this process's streams, hooks and namespace."""

    def __init__(self, context: DriverContext, files: AnswerFiles) -> None:
        self._descriptors = context.descriptors
        channel = context.channel
        self._folder = WorkingFolder()
        self._memory = MemoryLimit()
        source = streams.install(channel, context.descriptors)
        # A crash prints its place, in our own copy of the output.
        faulthandler.enable(context.descriptors.output, all_threads=False)
        sampler = LineSampler(channel)
        self._display = display = DisplayPublisher(channel, sampler, context.spool, context.dpi)
        sys.displayhook = display.show_value
        relatives = display_functions.install(display)
        ImportHooks(
            {
                **display_patches(display),
                "multiprocessing.context": patch_context,
                "multiprocessing.reduction": patch_reduction,
            }
        ).install()
        # The threads are ours; the warning does not concern a fork by user code.
        warnings.filterwarnings("ignore", r"This process .* is multi-threaded", DeprecationWarning)
        sys.argv = [""]
        sys.path.insert(0, self._folder.path)
        magics = shell_stand_in.LateMagics(lambda: self._magics(context))
        setattr(builtins, magic_syntax.CALL, magics)
        shell = shell_stand_in.install(magics)
        StandInFinder(
            lambda *names: choose_formats(display, names),
            get_ipython=lambda: shell,
            **relatives,
        ).install()
        self._runner = Runner(channel, sampler, display, context.interrupts, magics)
        self._runner.remark = self._memory.remark
        self.pauses = self._runner.pauses
        self.values = self._runner.values
        self.values.typed_secrets = source.secrets
        self._variables = Variables(self._runner.namespace)
        self._tables = TableReader(self._runner.namespace, display.kept)
        self._failure = FailedFrames(self._runner.namespace, context.interrupts)
        self._runner.keep_failure = self._failure.keep
        self._answers = VariableInspector(
            files,
            self._variables,
            self._tables,
            self._failure,
            self._code_help,
            context.interrupts,
        )
        self.saver = Saver(
            self._runner.namespace, files, context.spool, context.interrupts, source.secrets
        )

        self.pauses.answer = self.answer
        self.pauses.refuse = lambda command: files.send(command["ask"], {"error": _GOES_ON})
        self._variables.paused_frame = lambda: self.pauses.frame

    def execute(self, job: Job) -> Outcome:
        """Run a block in the one namespace."""
        self._descriptors.repair()
        streams.repair_streams()
        self._failure.forget()
        self._variables.remember()
        self._tables.forget_orders()
        self._memory.begin(job.memory)
        self._display.dpi = job.dpi or self._display.dpi
        try:
            options = RunOptions(job.lines, job.times, job.breakpoints, job.values)
            return self._runner.execute(job.code, lambda: self._enter(job.folder), options)
        finally:
            self._memory.end()
            self.saver.note(self._runner.tree, job.code)

    # A start does not wait for these.

    def _magics(self, context: DriverContext) -> MagicCommands:
        from .ipython.magic_commands import MagicCommands

        return MagicCommands(context.channel, self._display, context.uv)

    def _code_help(self) -> CodeHelp:
        from .code_help import CodeHelp

        return CodeHelp(self._runner.namespace)

    def elsewhere(self) -> str:
        """Return the folder that the code has gone to; "" if it is the working folder."""
        return self._folder.elsewhere()

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the namespace, save it, or bring it back."""
        if command["t"] == "save":
            self.saver.save(command)
        elif command["t"] == "restore":
            self.saver.restore(command)
        else:
            self._answers.answer(command)

    def give_up_answer(self, ask: str) -> None:
        """Stop the sorting of a table (another thread)."""
        self._answers.give_up(ask)

    def _enter(self, folder: str) -> None:
        """Go to the working folder when it is another one than before."""
        wanted, before = self._folder.find(folder), self._folder.path
        if wanted:
            os.chdir(wanted)
            self._folder.entered(folder)
            if before in sys.path:  # user code may have put others before it
                sys.path[sys.path.index(before)] = folder
