"""The kernel's process: takes commands from the parent, runs blocks, says when each is over."""

from __future__ import annotations

import _thread
import builtins
import faulthandler
import json
import os
import queue
import sys
import warnings
from typing import Any, Iterator

from . import foreign, magics, orphans, showing, streams
from .answers import Answers
from .channel import Channel
from .display import Display
from .import_hooks import ImportHooks
from .interrupts import Interrupts, start_thread
from .ipython_stand_in import StandInFinder
from .line_sampler import LineSampler
from .magic_words import MagicWords
from .memory_limit import MemoryLimit
from .runner import Options, Runner
from .spawning import patch_reduction
from .variables import Variables


def serve() -> int:
    """Run until the parent says `exit` or goes away."""
    boot_module = sys.modules["__main__"]  # kept alive: user code gets a fresh one
    orphans.start_watcher()
    orphans.die_with_parent()
    descriptors = streams.Descriptors()
    commands = _commands(descriptors.commands)
    hello = next(commands, None)
    if hello is None:
        return 0
    host = Host(descriptors, hello)
    host.serve(commands)
    del boot_module
    return 0


class Host:
    """One kernel: the main thread runs code, another one reads commands."""

    def __init__(self, descriptors: streams.Descriptors, hello: dict[str, Any]) -> None:
        self._descriptors = descriptors
        self._channel = Channel(descriptors.output, hello["nonce"])
        self._queue: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._interrupts = Interrupts()
        self._interrupts.install()
        self._pid = os.getpid()
        self._folder = os.getcwd()
        self._is_busy = False
        self._memory = MemoryLimit()
        streams.install(self._channel)
        # A crash says where it was, in our own copy of the way out.
        faulthandler.enable(descriptors.output, all_threads=False)
        sampler = LineSampler(self._channel)
        display = Display(self._channel, sampler, hello["spool"], hello.get("dpi") or 0)
        sys.displayhook = display.show_value
        showing.install(display)
        ImportHooks(
            {**foreign.patches(display), "multiprocessing.reduction": patch_reduction}
        ).install()
        StandInFinder(lambda *names: foreign.choose_formats(display, names)).install()
        # The threads are ours; a fork that user code makes is none of their business.
        warnings.filterwarnings("ignore", r"This process .* is multi-threaded", DeprecationWarning)
        sys.argv = [""]
        sys.path.insert(0, self._folder)
        words = MagicWords(self._channel, display)
        setattr(builtins, magics.CALL, words)
        self._runner = Runner(self._channel, sampler, display, self._interrupts, words)
        self._runner.remark = self._memory.remark
        self._variables = Variables(self._runner.namespace)
        self._answers = Answers(self._channel, self._variables, self._interrupts, hello["spool"])

    def serve(self, commands: Iterator[dict[str, Any]]) -> None:
        """Take commands until `exit`."""
        start_thread(lambda: self._read_commands(commands), "playhead-commands")
        self._channel.send("ready", pid=self._pid, version=sys.version.split()[0])
        while True:
            command = self._queue.get()
            if command["t"] == "exit":
                return
            if command["t"] == "execute":
                self._execute(command)
            elif command["t"] in ("variables", "table"):
                self._answers.answer(command)

    def _execute(self, command: dict[str, Any]) -> None:
        self._channel.run = command["run"]
        self._descriptors.repair()
        streams.repair_streams()
        folder = command.get("folder") or ""
        self._variables.remember()
        self._memory.begin(command.get("memory") or 0)
        options = Options(command.get("lines", True), command.get("times", False))
        outcome = self._runner.execute(command["code"], lambda: self._enter(folder), options)
        self._memory.end()
        if os.getpid() != self._pid:  # user code forked and the child came back here
            self._channel.flush()
            os._exit(outcome.status & 0xFF)
        self._is_busy = False
        self._channel.send("idle", state=outcome.state, line=outcome.line)
        self._channel.run = ""

    def _enter(self, folder: str) -> None:
        """Go to the working folder when the parent names another one than before."""
        if folder and folder != self._folder:
            os.chdir(folder)
            if self._folder in sys.path:  # user code may have put others before it
                sys.path[sys.path.index(self._folder)] = folder
            self._folder = folder

    def _read_commands(self, commands: Iterator[dict[str, Any]]) -> None:
        for command in commands:
            kind = command["t"]
            if kind == "input":
                self._descriptors.feed(command["text"] + "\n")
            elif kind == "text":
                self._descriptors.feed(command["text"], command["end"])
            elif kind == "stop":
                self._stop(command["run"])
            elif kind in ("variables", "table") and self._is_busy:
                self._answers.refuse(command, "The kernel is busy with code.")
            else:
                if kind == "execute":
                    self._is_busy = True
                    self._descriptors.expect_run()
                self._queue.put(command)
        orphans.end_group()  # the parent is gone

    def _stop(self, run: str) -> None:
        """Interrupt the main thread also where SIGINT is lost: `os.system` ignores it meanwhile."""
        if run == self._channel.run:
            _thread.interrupt_main()


def _commands(fd: int) -> Iterator[dict[str, Any]]:
    """The parent's commands; ends when the parent does."""
    with os.fdopen(fd, "rb") as file:
        for line in file:
            yield json.loads(line)
