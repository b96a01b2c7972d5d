"""The driver of the place worker: a Jupyter kernel runs the blocks.

A kernel of IPython gets our own parts beside its shell (`kernel/python/jupyter`): it then
writes output, marks, tables and answers itself, as our kernel does, and its messages only say when
a block asks for input and when it has ended. Of other kernels the messages are all there is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from queue import Empty
from typing import TYPE_CHECKING, Any, cast

from playhead.kernel import boot
from playhead.kernel.driver import Driver, DriverContext, Job, Outcome
from playhead.place_worker.backlog import EXITED
from playhead.place_worker.block_results import BlockResults
from playhead.place_worker.jupyter_messages import Message, MessageGaps, text_of

if TYPE_CHECKING:
    from playhead.place_worker.kernel_connection import KernelConnection

_ASK_AGAIN_S = 0.2
_FIRST_LIMIT_S = 2.0
_SAME_STOP_S = 0.2
_LONGEST_VERSION = 40
_END_OF_INPUT = "\x04"
_MISSING = "[{count:,} messages are missing above: {name} drops what it sends too fast.]\n"
_CHANGE = "This kernel stays in %s: restart it to have code begin in %s.\n"


class JupyterDriver(Driver):
    """Owner of one Jupyter kernel, whose end is the end of this process."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self.name = context.place.get("name") or "The kernel"
        self._connection: Any = self._start_kernel()
        self._info: dict[str, Any] = {}
        self._has_probe = False
        self._folder = os.getcwd()
        self._is_waiting = False
        self._is_stopped, self._stopped_at = False, 0.0
        self._input = threading.Condition()
        self._typed, self._has_input_end, self._read_bytes = "", False, 0
        self._asking: Message | None = None
        self._elsewhere = ""
        self._count = 0

    def start(self) -> str:
        """Wait for the kernel; return its version. Raises SystemExit if it ends."""
        if not self._meet():
            self._connection.clear()
            if self._connection.status == 0:
                raise SystemExit(f"{self.name} ended at its start.")
            self._connection = self._start_kernel(is_tcp=True)
            if not self._meet():
                self._connection.clear()
                raise SystemExit(f"{self.name} ended at its start.")
        language: Any = self._info.get("language_info")
        if self._info.get("implementation") == "ipython":
            self._has_probe = self._install_probe()
        self.names_lines = self._has_probe
        threading.Thread(target=self._watch, name="playhead-end", daemon=True).start()
        facts = cast("dict[str, Any]", language) if isinstance(language, dict) else {}
        version = text_of(facts.get("version"))[:_LONGEST_VERSION]
        return "".join(one for one in version if one.isprintable())

    def expect_run(self) -> None:
        """Take text from now on as the next block's."""
        with self._input:
            self._typed, self._has_input_end, self._read_bytes = "", False, 0

    def feed(self, text: str, *, is_end: bool) -> None:
        """Answer what the block asks for, or will."""
        with self._input:
            self._typed += text
            self._has_input_end |= is_end
            self._answer_input()

    def read_bytes(self) -> int:
        """Return how much of the text the block has taken."""
        return self._read_bytes

    def elsewhere(self) -> str:
        """Return the folder that the code has gone to, where our parts say that."""
        return self._elsewhere

    def interrupt(self) -> None:
        """Interrupt the kernel once; IPython a second time if it goes on, which others lose."""
        now = time.monotonic()
        is_again = self._is_stopped and now - self._stopped_at > _SAME_STOP_S
        if self._is_stopped and not (is_again and self._has_probe):
            return
        self._is_stopped, self._stopped_at = True, now
        self._connection.interrupt(self.context.place.get("interrupts") or "signal")

    def execute(self, job: Job) -> Outcome:
        """Have the kernel run a block."""
        os.set_blocking(self.context.descriptors.output, True)
        self._is_stopped, self._asking = False, None
        with contextlib.suppress(Empty):
            while True:
                self._take_late(*self._connection.receive(0))
        if not self._has_probe and job.folder and job.folder != self._folder:
            self.context.channel.complain(_CHANGE % (self._folder, job.folder))
            self._folder = job.folder
        marks = {
            "run": self.context.channel.run,
            "lines": job.lines,
            "folder": job.folder,
        }
        with self._awaited(), self.context.interrupts.diverted(self.interrupt):
            return self._run(job, {"playhead": marks} if self._has_probe else {})

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the namespace, where our parts are beside it."""
        if not self._has_probe or command["t"] in ("save", "restore"):
            self.refuse(command, f"{self.name} tells nothing of its names.")
            return
        with self._awaited():
            asked = self._execute(_call("answer", command), is_silent=True)
            if self._wait_for_reply(asked) is None:
                self._end_with_kernel()

    def give_up_answer(self, ask: str = "") -> None:
        """Stop the sorting of a table."""
        if self._has_probe and self._is_waiting:
            self._connection.interrupt(self.context.place.get("interrupts") or "signal")

    def close(self) -> None:
        """Let the kernel end."""
        self._is_waiting = True  # its end is wanted
        self._connection.close()

    def _start_kernel(self, *, is_tcp: bool = False) -> KernelConnection:
        from playhead.place_worker.kernel_connection import KernelConnection

        place = self.context.place
        return KernelConnection(
            place["argv"],
            place.get("env") or {},
            self.context.spool,
            (self.context.descriptors.output,),
            is_tcp=is_tcp,
        )

    def _meet(self) -> bool:
        """Ask who it is, until it has answered and its output arrives; False if it ends."""
        self.context.channel.send_unordered("driver", pid=self._connection.pid)
        last_at, replied_at = 0.0, 0.0
        is_subscribed = False
        while not (replied_at and is_subscribed):
            now = time.monotonic()
            if replied_at and now - replied_at > _FIRST_LIMIT_S:
                return True
            if now - last_at > _ASK_AGAIN_S:
                self._connection.send("shell", "kernel_info_request", {})
                last_at = now
            with contextlib.suppress(Empty):
                channel, message = self._connection.receive(_ASK_AGAIN_S)
                if channel == EXITED:
                    return False
                is_subscribed |= channel == "iopub" and message is not None
                if message is not None and message.kind == "kernel_info_reply":
                    self._info, replied_at = message.content, now
        return True

    def _install_probe(self) -> bool:
        """Put our parts beside its shell; False where that cannot be done."""
        context = self.context
        given = [context.descriptors.output, context.channel.nonce, context.spool]
        place = os.path.join(os.path.dirname(boot.__file__), "boot.py")  # in the bundle, beside it
        reply = self._wait_for_reply(self._execute(_LOAD % (given, place), is_silent=True))
        return reply is not None and reply.content.get("status") == "ok"

    def _execute(
        self, code: str, metadata: dict[str, Any] | None = None, *, is_silent: bool = False
    ) -> str:
        content: dict[str, Any] = {
            "code": code,
            "silent": is_silent,
            "store_history": not is_silent,
            "user_expressions": {},
            "allow_stdin": not is_silent,
            "stop_on_error": False,
        }
        return self._connection.send("shell", "execute_request", content, metadata)

    def _wait_for_reply(self, name: str) -> Message | None:
        """Return the reply to a request; None if the kernel has ended."""
        while True:
            channel, message = self._connection.receive()
            if channel == EXITED:
                return None
            if channel == "shell" and message is not None and message.parent == name:
                return message

    def _run(self, job: Job, metadata: dict[str, Any]) -> Outcome:
        block = BlockResults(self.context, self._has_probe, job.code)
        name = self._execute(job.code, metadata)
        gaps = MessageGaps()
        while not block.is_over:
            try:
                channel, message = self._connection.receive(block.limit_s())
            except Empty:
                break
            if message is not None:
                gaps.take(message)
            if message is None or message.parent != name:
                self._take_late(channel, message)
            elif channel == "stdin":
                self._ask(message)
            else:
                block.take(message)
        if gaps.missing:
            self.context.channel.complain(_MISSING.format(count=gaps.missing, name=self.name))
        self._elsewhere = text_of(block.end.get("folder"))
        return block.outcome(is_stopped=self._is_stopped)

    def _take_late(self, channel: str, message: Message | None) -> None:
        """Print what an earlier block still prints; end with the kernel."""
        if channel == EXITED:
            self._end_with_kernel()
        elif channel == "iopub" and message is not None and message.kind == "stream":
            self.context.channel.complain(message.text("text"))

    def _ask(self, request: Message) -> None:
        """Ask the person for a line, unless it has been typed ahead."""
        with self._input:
            self._asking = request
            if self._answer_input():
                return
            self._count += 1
            self.context.channel.send_unordered(
                "input",
                id=f"{self.context.channel.run}-{self._count}",
                prompt=request.text("prompt")[:500],
                secret=request.content.get("password") is True,
            )

    def _answer_input(self) -> bool:
        if not self._is_asked or not ("\n" in self._typed or self._has_input_end):
            return False
        line, _, rest = self._typed.partition("\n")
        is_end = not self._typed
        self._read_bytes += len(self._typed.encode()) - len(rest.encode())
        self._typed = rest
        self._send_answer(None if is_end else line)
        return True

    @property
    def _is_asked(self) -> bool:
        return self._asking is not None

    def _send_answer(self, value: str | None) -> None:
        """Send a line that was asked for, None for the end of input."""
        content = {"value": _END_OF_INPUT if value is None else value}
        self._connection.send("stdin", "input_reply", content, parent=self._asking)
        self._asking = None

    @contextlib.contextmanager
    def _awaited(self) -> Any:
        """Take the end of the kernel, should it come, as that of what is waited for."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def _watch(self) -> None:
        self._connection.has_ended.wait()
        if not self._is_waiting:
            self._end_with_kernel()

    def _end_with_kernel(self) -> None:
        """End as the kernel has ended: the parent takes this process's end for it."""
        status = self._connection.status
        self._connection.clear()
        if status < 0:
            with contextlib.suppress(OSError, ValueError):  # of SIGKILL there is nothing to set
                signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        os._exit(status)


_LOAD = (
    "(lambda g: (exec(compile(open(g['__file__']).read(), g['__file__'], 'exec'), g),"
    " g['load_by_file']('python.jupyter.ipython_probe').install(get_ipython(), *%r)))"
    "({'__name__': '_playhead_boot', '__file__': %r})"
)
"""Loads our parts from their files, with no name left in the namespace of the code."""


def _call(name: str, command: dict[str, Any]) -> str:
    module = "_playhead_kernel.python.jupyter.ipython_probe"
    return f"__import__('sys').modules[{module!r}].{name}({command!r})"
