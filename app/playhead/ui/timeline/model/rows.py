"""The rows of the timeline: one per message that is drawn, its kind, and its folding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from playhead.domain.conversation.conversation import Versions
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    FileChanges,
    FileConflict,
    InputRequest,
    OutputTail,
    RowOrder,
    Table,
    VariableChanges,
)
from playhead.domain.text.file_effects import action_text
from playhead.domain.text.risk_words import RiskGroup
from playhead.ui.widgets.wording import tr, tr_n

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
    "undone",
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


class Note(Struct, kw_only=True):
    """A line of the window itself that is not a message."""

    kind: Literal["info", "warning", "error"]
    title: str
    detail: str = ""
    action: Action | None = None


class Sorting(Struct, frozen=True, kw_only=True):
    """Holds the order of a table's rows.

    `page` has the first rows in `order`. `wanted` is the order that is being found, for `seconds`
    so far; `reason` says why the last one could not be. `refused` has the columns that cannot be
    sorted, with the reasons.
    """

    order: RowOrder | None = None
    page: Table | None = None
    wanted: RowOrder | None = None
    seconds: float = 0.0
    reason: str = ""
    refused: Mapping[int, str] = {}


class FileEffect(Struct, frozen=True, kw_only=True):
    """The state of a run's changes to files after later undos and redos.

    `conflicts` are those that the last of them left as they are, `refused` says why it could not be
    at all. `is_busy` while one is under way. `variables` are those that the run changed, too.
    """

    state: EffectState = EffectState()
    conflicts: Mapping[str, FileConflict] = {}
    refused: str = ""
    is_busy: bool = False
    variables: VariableChanges | None = None


def file_effects(messages: Iterable[Message]) -> dict[str, FileEffect]:
    """Return the states of the effects of runs of which something was undone, by their ids.

    A conflict is one until its file is undone after all, or done again.
    """
    taken = [one for one in messages if isinstance(one.content, FileChanges) and one.content.of]
    states = effect_states(taken)
    origins: dict[str, str] = {}
    conflicts: dict[str, dict[str, FileConflict]] = {}
    for message in taken:
        match message.content:
            case FileChanges(action="undo" | "redo") as changes:
                origin = origins[changes.id] = origins.get(changes.of, changes.of)
                before = {} if changes.is_whole else conflicts.get(origin, {})
                done = {one.path for one in changes.listed}
                kept = {path: one for path, one in before.items() if path not in done}
                conflicts[origin] = kept | {one.path: one for one in changes.conflicts}
            case _:
                pass
    return {
        id_: FileEffect(state=state, conflicts=conflicts.get(id_, {}))
        for id_, state in states.items()
    }


class Row(Struct, eq=False, kw_only=True):
    """One card's worth: a message, or a note, with its text so far.

    `state` and `detail` are the state of a run (code and console) or of an input's answer;
    `is_last` marks the end of a turn, where an answer shows its actions. `items` are the sources
    of a citation, the traceback of a problem, the files that are opened in a list, the file with
    the whole output. `is_typing` means that code shows a field for text to the programs
    that it has started; `began_at` is when it began to run (seconds since the epoch). `versions`
    are those of the question, or of the answer that ends with the row. `origin` is the code that
    a problem came from, `blocks` the code of the cells that its traceback names, `cells` their
    names, for which the kernel has others, `failure` the variables of its frames, once they were
    read; `traced` are stretches of an output that are
    marked, counted in lines from 0, to None for its end; `foot` says what the turn that ends here
    has cost, `sorting` how the rows of a table are shown. `edition` changes when the text is
    replaced: what was taken in of the one before is of no use then. `tail` are the last lines of an
    output that is too long to be in the text as it goes on. `group` are the rows of code that is
    decided about at once, shown as one card: all but one of them `is_hidden`. `paused_line` is the
    line that the code is paused before, 0 while it is not. `going_on` says what computes on after
    its end, or that it goes on although it says that it is over. `facts` are what code is seen to
    do, in groups. `effect` is the state of changes to files and variables, `run_id`
    names the last run of code.
    """

    key: str
    kind: RowKind
    message: Message | None = None
    note: Note | None = None
    state: str = ""
    detail: str = ""
    going_on: str = ""
    paused_line: int = 0
    is_streaming: bool = False
    is_open: bool = False
    is_last: bool = False
    is_edited: bool = False
    is_typing: bool = False
    origin: str = ""
    blocks: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    cells: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    failure: str = ""
    foot: str = ""
    sorting: Sorting = Sorting()
    effect: FileEffect = FileEffect()
    group: list[Row] = msgspec.field(default_factory=list["Row"])
    is_hidden: bool = False
    cited: tuple[Citation, ...] = ()
    versions: Versions | None = None
    began_at: float = 0.0
    traced: Sequence[tuple[int, int | None]] = ()
    items: list[str] = msgspec.field(default_factory=list[str])
    pieces: list[str] = msgspec.field(default_factory=list[str])
    size: int = 0
    edition: int = 0
    tail: OutputTail | None = None
    facts: Sequence[RiskGroup] = ()
    run_id: str = ""

    @property
    def text(self) -> str:
        """Return the text so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def set_text(self, text: str) -> None:
        """Replace the text, unless it is the same."""
        if text != self.text:
            self.pieces = [text] if text else []
            self.size = len(text)
            self.edition += 1

    def append(self, text: str) -> None:
        """Append text."""
        self.pieces.append(text)
        self.size += len(text)

    @property
    def language(self) -> str:
        """Return the language of code, or the tool's name."""
        return (self.message.format or "") if self.message else ""

    @property
    def role(self) -> str:
        """Return the role of the message."""
        return self.message.role if self.message else ""


_ROW_KINDS: dict[tuple[str, str], RowKind] = {
    ("assistant", "message"): "answer",
    ("computer", "message"): "answer",
    ("user", "message"): "question",
    ("user", "file"): "attachment",
    ("user", "image"): "image",
    ("assistant", "image"): "image",
    ("computer", "file"): "attachment",
    ("assistant", "reasoning"): "reasoning",
    ("assistant", "plan"): "plan",
    ("assistant", "code"): "code",
    ("user", "code"): "code",
    ("computer", "console"): "console",
    ("server", "error"): "failure",
    ("assistant", "tool_call"): "tool_call",
    ("computer", "tool_result"): "tool_result",
    ("assistant", "citation"): "citation",
}
_RESULTS: dict[str, tuple[type, RowKind]] = {
    "table": (Table, "table"),
    "files": (FileChanges, "files"),
    "error": (CodeError, "problem"),
    "input": (InputRequest, "input"),
}
_UNSEEN = frozenset({"timing", "status", "usage", "run", "confirmation", "command"})
_PICTURES = ("path", "svg", "base64")
_BLANK_LINES = re.compile(r"\n\s*\n")
_WHOLE = re.compile(r"\${1,2}([^$]+)\${1,2}")
_EQUATION = re.compile(r"\\(?:begin|end)\{(?:equation|displaymath|math)\*?\}")
_ALIGN = re.compile(r"\\(begin|end)\{(?:align|eqnarray|gather)\*?\}")


def kind_of(message: Message) -> RowKind | None:
    """Return the kind of row; None for a message that is not shown.

    A result of the code that this version cannot show is `unknown`: one quiet line.
    """
    if message.role == "computer":
        return _result_kind(message)
    return _ROW_KINDS.get((message.role, message.type))


def row_text(message: Message, kind: RowKind) -> str:
    """Return the text that a row shows of its message: a formula as Markdown has it."""
    if kind == "unknown":
        return _unknown_text(message)
    if isinstance(message.content, FileChanges):
        return _files_text(message.content)
    is_latex = kind == "rendered" and (message.format or "").lower() == "latex"
    return _typeset(message.text) if is_latex else message.text


def _typeset(latex: str) -> str:
    """Return what a library gives as LaTeX: a formula in its own line, or prose with formulas."""
    latex = _BLANK_LINES.sub("\n", latex.strip())
    if (whole := _WHOLE.fullmatch(latex)) is not None:
        latex = whole[1].strip()
    elif any(sign in latex for sign in ("$", "\\(", "\\[")):
        return latex
    latex = _ALIGN.sub(r"\\\1{aligned}", _EQUATION.sub("", latex)).strip()
    return f"$${latex}$$" if latex else ""


def _unknown_text(message: Message) -> str:
    """Return the text in place of a result that cannot be shown."""
    what = message.type.replace("_", " ")
    kind = f"{what} ({message.format})" if message.format else what
    return tr("A result that this version of Playhead does not show: {kind}.", kind=kind)


_NAMED_FILES = 20


def _files_text(changes: FileChanges) -> str:
    """Return what happened to files and their names, for a screen reader."""
    names = [one.path for one in (*changes.set_aside, *changes.listed)[:_NAMED_FILES]]
    return "\n".join([action_text(changes, tr, tr_n), *names])


def _result_kind(message: Message) -> RowKind | None:
    form = message.format or ""
    if message.type in _UNSEEN:
        return None
    if message.type in _RESULTS:
        wanted, kind = _RESULTS[message.type]
        if isinstance(message.content, FileChanges):
            kind = "files" if message.content.action in ("run", "apply") else "undone"
        return kind if isinstance(message.content, wanted) else "unknown"
    if message.type == "code":
        return _markup_kind(form)
    if message.type == "image":
        return "image" if not form or form.partition(".")[0] in _PICTURES else "unknown"
    return _ROW_KINDS.get((message.role, message.type), "unknown")


def _markup_kind(form: str) -> RowKind:
    match form.lower():
        case "html" | "javascript":
            return "page"
        case "markdown" | "latex":
            return "rendered"
        case _:
            return "markup"


UNSENT = "unsent"
"""The key of the line; there is at most one."""


def with_unsent_line(rows: Sequence[Row], before: int | None) -> list[Row]:
    """Return the rows, with the line before the row at the index `before` if that is not None."""
    line = next((row for row in rows if row.key == UNSENT), None)
    target = rows[before] if before is not None and 0 < before < len(rows) else None
    others = [row for row in rows if row.key != UNSENT]
    if target is None or target.key == UNSENT:
        return others if target is None else list(rows)
    at = others.index(target)
    return [*others[:at], line or Row(key=UNSENT, kind="note", note=_unsent_note()), *others[at:]]


def _unsent_note() -> Note:
    return Note(
        kind="info",
        title=tr("Messages above this line are no longer sent to the model."),
        detail=tr(
            "The conversation is longer than the model takes; the oldest turns were left out."
        ),
    )
