"""The kernel's process: takes commands from the parent, runs blocks, reports the end of each."""

from __future__ import annotations

import json
import os
import signal
import sys
from queue import Empty, SimpleQueue
from typing import Any, Callable, Iterator

from .channel import Channel
from .driver import Driver, DriverContext, Job
from .interrupts import Interrupts, start_thread
from .protocol import CONTROLS, QUESTIONS
from .python.interpreter_guard import Failure, InterpreterGuard, own_modules
from .streams import Descriptors

_BUSY = "The kernel is busy with code."
_WAKES = 64
_LONGEST_FOLDER = 1000


MakeDriver = Callable[[DriverContext], Driver]


def serve(wake: tuple[int, int] | None = None, make_driver: MakeDriver | None = None) -> int:
    """Run until the parent sends `exit` or ends; without `make_driver`, its language's driver."""
    boot_module = sys.modules["__main__"]  # kept alive: user code gets a fresh one
    descriptors = Descriptors()
    commands = _commands(descriptors.commands)
    hello = next(commands, None)
    if hello is None:
        return 0
    host = Host(descriptors, hello, wake or os.pipe(), make_driver)
    host.serve(commands)
    del boot_module
    return 0


class Host:
    """One kernel of one language: the main thread runs code, another one reads commands.

    The main thread waits for commands by reading the pipe `wake`: that can be seen from outside.
    """

    def __init__(
        self,
        descriptors: Descriptors,
        hello: dict[str, Any],
        wake: tuple[int, int],
        make_driver: MakeDriver | None = None,
    ) -> None:
        self._wake, self._waker = wake
        self._channel = Channel(descriptors.output, hello["nonce"])
        self._queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._pid = os.getpid()
        self._is_busy = False
        interrupts = Interrupts()
        interrupts.install()
        context = DriverContext(
            self._channel,
            descriptors,
            interrupts,
            hello["spool"],
            hello.get("program") or "",
            hello.get("dpi") or 0,
            hello.get("uv") or "",
            hello.get("place") or {},
        )
        word = hello.get("language") or "python"
        self._driver = make_driver(context) if make_driver else _make_driver(word, context)
        self._driver.is_awaited = lambda: not self._queue.empty()
        self._guard = InterpreterGuard()

    def serve(self, commands: Iterator[dict[str, Any]]) -> None:
        """Take commands until `exit`."""
        version = self._driver.start()
        own_modules(__package__ or "")
        start_thread(lambda: self._read_commands(commands), "playhead-commands")
        pauses = self._driver.pause_pipe()
        lines = self._driver.names_lines
        self._channel.send("ready", pid=self._pid, version=version, pauses=pauses, lines=lines)
        while True:
            command = self._next_command()
            if command["t"] == "exit":
                self._driver.end(command.get("how") or "")
                return
            if command["t"] == "execute":
                self._execute(command)
            elif self._is_busy and (command["t"] == "save" or command.get("by") is not None):
                self._driver.refuse(command, _BUSY)  # code came behind it
            elif command["t"] in QUESTIONS:
                self._driver.answer(command)

    def _next_command(self) -> dict[str, Any]:
        while True:
            try:
                return self._queue.get_nowait()
            except Empty:
                os.read(self._wake, _WAKES)

    def _execute(self, command: dict[str, Any]) -> None:
        self._channel.run = command["run"]
        job = Job(
            command["code"],
            command.get("folder") or "",
            command.get("lines", True),
            command.get("times", False),
            command.get("memory") or 0,
            command.get("dpi") or 0,
            command.get("breakpoints") or (),
            command.get("values", False),
        )
        outcome = self._driver.execute(job)
        if os.getpid() != self._pid:  # user code forked and the child returned here
            self._channel.flush()
            os._exit(outcome.status & 0xFF)
        self._is_busy = False
        said: dict[str, Any] = {}
        if outcome.exit_status is not None:
            said["status"] = outcome.exit_status
        if read_bytes := self._driver.read_bytes():
            said["read"] = read_bytes  # the rest of what was typed is still the person's
        folder = self._driver.elsewhere()
        if 0 < len(folder) <= _LONGEST_FOLDER:
            said["folder"] = folder
        self._channel.send("idle", state=outcome.state, line=outcome.line, **said)
        self._channel.run = ""

    def _read_commands(self, commands: Iterator[dict[str, Any]]) -> None:
        try:
            self._take_commands(commands)
        finally:
            _end_group()  # the parent is gone, or code has closed what we need

    def _take_commands(self, commands: Iterator[dict[str, Any]]) -> None:
        for command in commands:
            try:
                self._take(command)
            except Failure:  # code that runs took away builtins
                self._guard.restore()
                self._take(command)

    def _take(self, command: dict[str, Any]) -> None:
        """Take a command in the thread that reads them."""
        kind = command["t"]
        if kind == "input":
            self._driver.feed(command["text"] + "\n", is_end=False)
        elif kind == "text":
            self._driver.feed(command["text"], is_end=command["end"])
        elif kind == "stop":
            self._stop(command["run"])
        elif kind == "environment":
            _change_environment(command["set"], command["unset"])
        elif kind in CONTROLS:
            self._driver.control(command)
        elif kind in QUESTIONS and self._is_busy:
            self._ask_busy(command)
        elif kind == "give_up":
            self._driver.give_up_answer(command["ask"])
        else:
            self._enqueue(command)

    def _enqueue(self, command: dict[str, Any]) -> None:
        """Leave a command to the main thread."""
        kind = command["t"]
        if kind in ("execute", "exit"):
            self._driver.give_up_answer()
        if kind == "exit" and self._is_busy:
            self._driver.end_busy(command.get("how") or "")
        if kind == "execute":
            self._is_busy = True
            self._driver.expect_run()
        self._queue.put(command)
        os.write(self._waker, b"c")

    def _ask_busy(self, command: dict[str, Any]) -> None:
        """Have a question answered by a block that is paused, or refuse it."""
        if not self._driver.ask_paused(command):
            self._driver.refuse(command, _BUSY)

    def _stop(self, run: str) -> None:
        """Interrupt, also where SIGINT is lost: `os.system` ignores it meanwhile."""
        if run == self._channel.run:
            self._driver.interrupt()
            self._channel.send_unordered("stopping")


def _change_environment(given: dict[str, str], taken: list[str]) -> None:
    """Set variables for the code that runs from now on, and for what it starts."""
    os.environ.update(given)
    for name in taken:
        os.environ.pop(name, None)


def _make_driver(word: str, context: DriverContext) -> Driver:
    """Return the driver of a language; Python, which starts most often, needs no other import."""
    if word == "python":
        from .drivers.python import Python

        return Python(context)
    from .drivers import registry

    return registry.driver_of(word)(context)


def _commands(fd: int) -> Iterator[dict[str, Any]]:
    """Yield the parent's commands until the parent ends.

    Other processes of the user's can open the pipe: what follows the first line has the secret
    that is in it, and all before that in a line is not the parent's.
    """
    guard = InterpreterGuard()
    secret = b""
    with os.fdopen(fd, "rb") as file:
        for line in file:
            _, found, command = line.rpartition(secret) if secret else (b"", b"x", line)
            if not found:
                continue
            try:
                fields = json.loads(command)
            except Failure:  # code that runs took away builtins
                guard.restore()
                fields = json.loads(command)
            secret = secret or fields.get("secret", "").encode("ascii")
            yield fields


def _end_group() -> None:
    """Kill this process with all that it started in its own group."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
