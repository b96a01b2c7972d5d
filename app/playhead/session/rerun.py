"""The code of a conversation runs again, as another version of the same messages."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.errors import SessionError
from playhead.session.branches import is_asked

StopReason = Literal["failed", "stopped", "unanswered"]

_CHANGES_FILES = re.compile(
    r"""\b(?:os|shutil|fs)\.\w*(?:remove|unlink|rmtree|rmdir|rename|replace|move|copy|rm)\w*\(
    | \.(?:unlink|rmdir|write_text|write_bytes|to_(?:csv|excel|parquet|json|pickle|feather))\(
    | \bopen\([^()\n]*,\s*(?:mode\s*=\s*)?["'][rbt]*[wx+]
    | \b(?:savefig|unlink|file\.remove|write\.csv|write_csv|writeFileSync)\(
    | \brm(?:dir)?\s+[-\w."'/*~$] | ["']rm["']
    """,
    re.VERBOSE,
)
_SHELL_CHANGES_FILES = re.compile(
    r"\b(?:rm|rmdir|mv|cp|truncate|del|tee)\s+\S|(?<![>&\d])>\s*(?!/dev/null|&)[\w./~$\"']"
)
_ASKS = re.compile(
    r"(?<![\w.])(?:input|readline|prompt)\(|\bgetpass\(|^\s*read\s+-?\w", re.MULTILINE
)
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "cmd", "powershell"})


class Block(Struct, frozen=True):
    """A block that was run: the code message that it belongs to, and the code with its edits."""

    message_id: str
    language: str
    code: str

    @property
    def may_change_files(self) -> bool:
        """Return whether the code looks as if it deleted or overwrote files."""
        pattern = _SHELL_CHANGES_FILES if self.language in _SHELLS else _CHANGES_FILES
        return pattern.search(_COMMENT.sub("", self.code)) is not None

    @property
    def may_ask(self) -> bool:
        """Return whether the code looks as if it asked the user for input."""
        return _ASKS.search(_COMMENT.sub("", self.code)) is not None


def ran_blocks(messages: Sequence[Message]) -> list[Block]:
    """Return every block that was run, with its edits, in order."""
    return [step for step in _Walk(messages).steps if isinstance(step, Block)]


class _Walk:
    """Separates what was said from what its code did.

    `steps` are the messages that stay as they are and the blocks that run again, in order;
    `first` is the proposal of the first block, None if no code has run.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.steps: list[Message | Block] = []
        self.first: Message | None = None
        self._asked: list[Message] = []
        for message in messages:
            self._take(message)
        self.steps += self._asked

    def _take(self, message: Message) -> None:
        match message.content:
            case Proposal(id=id_):
                if self._asked and _proposal(self._asked).id != id_:
                    self._keep_asked()
                self._asked.append(message)
            case RunReport(state="started") if self._asked:
                self.first = self.first or self._asked[0]
                ran = _proposal(self._asked)
                self.steps.append(Block(ran.message_id, ran.language, ran.code))
                self._asked = []
            case _ if message.role == "computer" and message.type != "tool_result" and self.first:
                pass  # a result, or a report about the kernel
            case _:
                self._keep_asked()
                self.steps.append(message)

    def _keep_asked(self) -> None:
        """Keep what was proposed and did not run."""
        self.steps += self._asked
        self._asked = []


def _proposal(asked: Sequence[Message]) -> Proposal:
    content = asked[-1].content
    assert isinstance(content, Proposal)  # noqa: S101 - only these are put there
    return content


class Rerun:
    """Holds what is still to be done of a run of all blocks. Owner: the session.

    Raises IndexError where no code has run.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        walk = _Walk(messages)
        at = messages.index(walk.first) if walk.first is not None else len(messages)
        before = {message.id for message in messages[:at]}
        steps = [s for s in walk.steps if isinstance(s, Block) or s.id not in before]
        self.place = messages[at - 1].id if at else None
        """The message that both versions follow."""
        self.total = sum(isinstance(step, Block) for step in steps)
        self.number = 0
        """The number of the block that runs or ran last, counted from 1."""
        self.reason: StopReason = "failed"
        self._steps = deque(steps)
        self._copies: dict[str, str] = {}
        self._stopped_at: str | None = None

    @property
    def left(self) -> int:
        """Return how many blocks have not run yet."""
        return self.total - self.number

    def next_block(self, conversation: Conversation) -> tuple[str, Block] | None:
        """Copy the messages before the next block; return the id of its code message and it.

        The first time it leaves the version that is shown.
        """
        if not self.number:
            conversation.change(MoveTo(self.place))
        while self._steps:
            step = self._steps.popleft()
            if isinstance(step, Block):
                self.number += 1
                self._stopped_at = None
                return self._copies.get(step.message_id, step.message_id), step
            self._copy(step, conversation)
        return None

    def halt(self, messages: Sequence[Message]) -> None:
        """Record where it stopped, and why."""
        self._stopped_at = messages[-1].id if messages else None
        reports = (m.content for m in reversed(messages) if isinstance(m.content, RunReport))
        match next(reports, None):
            case RunReport(unanswered=asked) if asked:
                self.reason = "unanswered"
            case RunReport(state="interrupted" | "killed"):
                self.reason = "stopped"
            case _:
                self.reason = "failed"

    def can_go_on(self, messages: Sequence[Message]) -> bool:
        """Return whether the rest can still follow: no question was asked since it stopped."""
        ids = [message.id for message in messages]
        if not self.left or self._stopped_at not in ids:
            return False
        return not any(map(is_asked, messages[ids.index(self._stopped_at) + 1 :]))

    def _copy(self, message: Message, conversation: Conversation) -> None:
        """Repeat a message at the end of the conversation."""
        content = message.content
        if isinstance(content, Proposal):
            about = self._copies.get(content.message_id, content.message_id)
            content = replace(content, message_id=about)
        plain = Chunk(role=message.role, type=message.type, format=message.format)
        told = replace(plain, id=message.call_id, recipient=message.recipient)
        if not isinstance(content, str) or (message.role == "user" and message.type != "code"):
            self._copies[message.id] = conversation.apply(
                replace(told, content=content), at=message.created_at
            )
            return
        self._copies[message.id] = conversation.apply(
            replace(told, start=True), at=message.created_at
        )
        if content:
            conversation.apply(replace(plain, content=content))
        conversation.apply(replace(plain, end=True), is_cut=message.state == "interrupted")


class Reruns:
    """Runs all code of a conversation again. Owner: its session.

    `run` begins a turn that runs the blocks that are left, `expect_idle` raises SessionError while
    there is one.
    """

    def __init__(
        self,
        conversation: Conversation,
        expect_idle: Callable[[], None],
        run: Callable[[Rerun], None],
    ) -> None:
        self._conversation = conversation
        self._expect_idle = expect_idle
        self._run = run
        self._last: Rerun | None = None

    @property
    def stopped(self) -> Rerun | None:
        """Return the last one if it has stopped before its end and can go on."""
        last = self._last
        return last if last is not None and last.can_go_on(self._conversation.messages) else None

    def blocks(self) -> list[Block]:
        """Return what `begin` would run. Raises SessionError if it cannot."""
        self._expect_idle()
        blocks = ran_blocks(self._conversation.messages)
        if not blocks:
            raise SessionError("No code has run in this conversation yet.")
        return blocks

    def begin(self) -> None:
        """Run every block that has run before, until one fails: as another version of them."""
        self.blocks()
        self._last = Rerun(self._conversation.messages)
        self._run(self._last)

    def go_on(self) -> None:
        """Run the blocks that are left after the one at which the last one stopped."""
        self._expect_idle()
        rerun = self.stopped
        if rerun is None:
            raise SessionError("No code is left to run again.")
        self._run(rerun)
