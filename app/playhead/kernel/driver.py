"""Define what a language is to the kernel's host and to the window that offers it."""

from __future__ import annotations

import _thread
import itertools
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence

if TYPE_CHECKING:
    from .channel import Channel
    from .interrupts import Interrupts
    from .streams import Descriptors


class AnswerFiles:
    """Writes the files with the answers; any thread may."""

    def __init__(self, channel: Channel, spool: str) -> None:
        self._channel = channel
        self._spool = spool
        self._numbers = itertools.count(1)

    def send(self, ask: str, found: dict[str, Any]) -> None:
        """Answer the question `ask`."""
        name = "%d-answer-%d.json" % (os.getpid(), next(self._numbers))
        with open(os.path.join(self._spool, name), "w", encoding="ascii") as file:
            file.write(json.dumps(found))  # `dump` goes without the encoder in C
        self._channel.send_unordered("answer", ask=ask, file=name)


class Job(NamedTuple):
    """A block to run: in which folder, with running line, with times of single lines.

    `memory` is its limit in bytes; 0 is no limit. `dpi` is the screen's now, 0 if unknown.
    `breakpoints` are the lines that it pauses before, `values` whether what lines assign is kept,
    where the language can.
    """

    code: str
    folder: str = ""
    lines: bool = True
    times: bool = False
    memory: int = 0
    dpi: float = 0
    breakpoints: Sequence[int] = ()
    values: bool = False


class Outcome(NamedTuple):
    """The end of a block; `line` is where it was interrupted.

    `status` is the exit status of a forked copy of this process that returned from the block,
    `exit_status` that of the block: None if the language has none.
    """

    state: str
    line: int | None = None
    status: int = 0
    exit_status: int | None = None


class DriverContext(NamedTuple):
    """The means of a driver: the channel, the descriptors, the folder for files.

    `program` is the language's own, `uv` installs packages, both found by the parent; `dpi` is the
    screen's, 0 if unknown. `place` says how a kernel that is not ours is started.
    """

    channel: Channel
    descriptors: Descriptors
    interrupts: Interrupts
    spool: str
    program: str = ""
    dpi: float = 0
    uv: str = ""
    place: Mapping[str, Any] = {}


class Driver:
    """One language, and one kernel of it; only the main thread calls `execute` and `answer`."""

    word: str = ""
    """The language in fences and tools."""
    name: str = ""
    """The language's name for people."""
    aliases: Sequence[str] = ()
    """Other words for it, in small letters."""
    programs: Sequence[str] = ()
    """Names of the program that runs it, the best first; none where it needs no program."""
    install: Mapping[str, str] = {}
    """The advice on installing its program, by the start of `sys.platform`; "" for others."""

    only_shows: bool = False
    """Whether a block is shown and nothing of it is run: there is nothing to approve."""

    names_lines = True
    """Whether it names lines that run, as far as its language has that; known once it started."""

    def __init__(self, context: DriverContext) -> None:
        self.context = context
        self.answers = AnswerFiles(context.channel, context.spool)
        self.is_awaited: Callable[[], bool] = lambda: False
        """Returns whether another command waits for the main thread."""

    def start(self) -> str:
        """Make ready for the first block; the language's version."""
        raise NotImplementedError

    def pause_pipe(self) -> int:
        """Return the number of the pipe that is read at a pause; 0 for a language without any."""
        return 0

    def expect_run(self) -> None:
        """Take text from now on as the next block's, which is about to be run (command thread)."""
        self.context.descriptors.expect_run()

    def execute(self, job: Job) -> Outcome:
        """Run a block; what goes wrong in it is reported by marks, never raised."""
        raise NotImplementedError

    def feed(self, text: str, *, is_end: bool) -> None:
        """Give the block text on its standard input, then its end if so (command thread)."""
        self.context.descriptors.feed(text, is_end)

    def read_bytes(self) -> int:
        """Return how much of that text the block, which has just ended, has read."""
        return self.context.descriptors.read_bytes()

    def elsewhere(self) -> str:
        """Return the folder that the last block has gone to; "" if it is the working folder."""
        return ""

    def interrupt(self) -> None:
        """Stop the block (command thread); a SIGINT to this process comes a moment later."""
        _thread.interrupt_main()

    def control(self, command: dict[str, Any]) -> None:
        """Execute one of `CONTROLS` (command thread); most languages cannot."""

    def ask_paused(self, command: dict[str, Any]) -> bool:
        """Have a question answered by the paused block; False if it is not (command thread)."""
        return False

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the variables, while no block runs."""
        self.refuse(command, f"{self.name} tells nothing of its names.")

    def give_up_answer(self, ask: str = "") -> None:
        """Stop an answer that may take long, begun or still to be begun (command thread)."""

    def refuse(self, command: dict[str, Any], reason: str) -> None:
        """Send the reason why there is no answer; any thread may."""
        self.answers.send(command["ask"], {"error": reason})

    def close(self) -> None:
        """End the kernel in an orderly way."""

    def end(self, how: str) -> None:
        """End in an orderly way; `how` says what becomes of code that runs elsewhere."""
        self.close()

    def end_busy(self, how: str) -> None:
        """End although a block runs (command thread), where that is not the parent's to do."""
