"""What the timeline shows: one row per message that is drawn, and the user's folds of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from playhead.domain.conversation.conversation import Versions
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation

RowKind = Literal[
    "answer",
    "question",
    "attachment",
    "reasoning",
    "plan",
    "code",
    "markup",
    "page",
    "rendered",
    "console",
    "image",
    "table",
    "files",
    "unknown",
    "problem",
    "failure",
    "run",
    "tool_call",
    "tool_result",
    "input",
    "citation",
    "note",
    "versions",
]
CodeState = Literal[
    "", "writing", "queued", "waiting", "running", "ran", "stopped", "failed", "skipped"
]
Action = tuple[str, Callable[[], object]]


@dataclass(slots=True)
class Note:
    """A line of the window's own that is no message."""

    kind: Literal["info", "warning", "error"]
    title: str
    detail: str = ""
    action: Action | None = None


@dataclass(slots=True, eq=False)
class Row:
    """One card's worth: a message, or a note, with its text so far.

    `state` and `detail` say how a run stands (code and console) or whether an input is answered;
    `is_last` marks the end of a turn, where an answer shows its actions. `items` are the sources
    of a citation, the traceback of a problem, the files that are opened in a list, the file with
    the whole of an output. `is_typing` means that code shows a field for text to the programs
    that it has started; `began_at` is when it began to run (seconds since the epoch). `versions`
    are those of the question, or of the answer that ends with the row. `origin` is the code that
    a problem came from; `traced` are stretches of an output that are marked, counted in lines from
    0, to None for its end; `foot` says what the turn that ends here has cost.
    """

    key: str
    kind: RowKind
    message: Message | None = None
    note: Note | None = None
    state: str = ""
    detail: str = ""
    is_streaming: bool = False
    is_open: bool = False
    is_last: bool = False
    is_edited: bool = False
    is_typing: bool = False
    origin: str = ""
    foot: str = ""
    cited: tuple[Citation, ...] = ()
    versions: Versions | None = None
    began_at: float = 0.0
    traced: Sequence[tuple[int, int | None]] = ()
    items: list[str] = field(default_factory=list[str])
    pieces: list[str] = field(default_factory=list[str])
    size: int = 0

    @property
    def text(self) -> str:
        """The text so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def set_text(self, text: str) -> None:
        """Another text instead."""
        self.pieces = [text] if text else []
        self.size = len(text)

    def append(self, text: str) -> None:
        """More text at the end."""
        self.pieces.append(text)
        self.size += len(text)

    @property
    def language(self) -> str:
        """The language of code, or the tool's name."""
        return (self.message.format or "") if self.message else ""

    @property
    def role(self) -> str:
        """Who says it."""
        return self.message.role if self.message else ""
