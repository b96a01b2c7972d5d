"""A conversation as its reader follows it: passages, blocks of code with their results, and the
sentences that describe them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath, PureWindowsPath

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    InputRequest,
    Proposal,
    RunReport,
    Source,
    Table,
)
from playhead.domain.model import EXECUTE
from playhead.domain.text.run_ends import run_end_text
from playhead.domain.text.terminal import one_line
from playhead.errors import AppError

_UNTOLD = frozenset({"timing", "status", "usage", "command", "retry", "echo"})
_RESULTS = frozenset({"console", "image", "code", "table", "files", "error", "input"})


class Passage(Struct, frozen=True):
    """A passage that is not code; `citations` refer to its text."""

    message: Message
    citations: tuple[Citation, ...] = ()


class CodeBlock(Struct, frozen=True, kw_only=True):
    """Code with its results.

    `code` is what ran, with the user's edits, or what would run; `written` is what the model wrote.
    Results without known code are in a block without code. `notes` are results in words, such as
    that the user declined. `report` is the end of the run, None while it is open, and `began_at`
    its begin (seconds since the epoch). `role` is the author of the code.
    """

    language: str = ""
    written: str = ""
    code: str = ""
    has_run: bool = False
    results: tuple[Message, ...] = ()
    notes: tuple[str, ...] = ()
    report: RunReport | None = None
    began_at: float = 0.0
    role: str = "assistant"

    @property
    def is_edited(self) -> bool:
        """Return whether the user changed the code before it ran."""
        return bool(self.written) and self.code != self.written

    @property
    def error(self) -> CodeError | None:
        """Return the exception that ended the code, if any."""
        errors = [one.content for one in self.results if isinstance(one.content, CodeError)]
        return errors[-1] if errors else None


def passages_of(messages: Iterable[Message]) -> list[Passage | CodeBlock]:
    """Return the messages as a reader is shown them, in the order of their beginnings.

    Content for the model alone, times of lines and empty texts are left out.
    """
    fold = _Fold()
    for message in messages:
        if message.recipient != "assistant" and message.type not in _UNTOLD:
            fold.add(message)
    return fold.finish()


class _Open:
    """A block that may still get results."""

    def __init__(self, message: Message | None) -> None:
        self.message = message
        language = (message.format or "") if message else ""
        text = message.text if message else ""
        role = message.role if message else "assistant"
        self.block = CodeBlock(language=language, written=text, code=text, role=role)

    def is_of(self, proposal: Proposal) -> bool:
        """Return whether a proposal is for this code; an imported one does not name its message."""
        if self.message is None:
            return False
        if proposal.message_id:
            return self.message.id == proposal.message_id
        return not self.is_settled and self.block.written == proposal.code

    @property
    def is_settled(self) -> bool:
        return self.block.has_run or bool(self.block.notes)

    def change(self, **fields: object) -> None:
        self.block = replace(self.block, **fields)  # type: ignore[arg-type]


class _Fold:
    """Joins results to their code."""

    def __init__(self) -> None:
        self._items: list[Passage | _Open] = []
        self._blocks: list[_Open] = []
        self._current: _Open | None = None

    def finish(self) -> list[Passage | CodeBlock]:
        return [item.block if isinstance(item, _Open) else item for item in self._items]

    def add(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                self._propose(proposal)
            case RunReport() as report:
                self._report(report, message)
            case Citation() as citation:
                self._cite(citation, message)
            case _ if message.type == "code" and message.role != "computer":
                self._begin(message)
            case _ if message.role == "computer" and message.type in _RESULTS:
                self._result(message)
            case _ if message.type == "tool_result":
                self._answer(message)
            case _:
                self._say(message)

    def _say(self, message: Message) -> None:
        if message.role == "user":
            self._blocks, self._current = [], None
        if message.content not in (None, "") or message.type in ("tool_call", "tool_result"):
            self._items.append(Passage(message))

    def _begin(self, message: Message | None) -> _Open:
        block = _Open(message)
        self._items.append(block)
        self._blocks.append(block)
        return block

    def _propose(self, proposal: Proposal) -> None:
        known = [block for block in self._blocks if block.is_of(proposal)]
        waiting = [block for block in self._blocks if not block.is_settled]
        if known:
            self._current = known[0]
        elif proposal.message_id or not waiting:
            self._current = self._begin(None)
        elif self._current not in waiting:  # else an edit of the code that waits
            self._current = waiting[0]
        assert self._current is not None  # noqa: S101 - each way above sets it
        language = self._current.block.language or proposal.language
        self._current.change(code=proposal.code, language=language)

    def _report(self, report: RunReport, message: Message) -> None:
        block = self._current or self._unsettled()
        if block is None or block.block.report is not None:
            self._items.append(Passage(message))  # of the kernel, such as that it was restarted
        elif report.state == "started":
            block.change(has_run=True, began_at=message.created_at)
        else:
            block.change(has_run=True, report=report)

    def _result(self, message: Message) -> None:
        if message.content in (None, ""):
            return
        block = self._current or self._unsettled() or self._begin(None)
        results = block.block.results
        if isinstance(message.content, Table):
            results = _without_frame(results, message.content)
        block.change(has_run=True, results=(*results, message))

    def _answer(self, message: Message) -> None:
        """Add a tool's result, as a note of the code that was to run or as its own passage."""
        named = [
            block
            for block in self._blocks
            if message.call_id and block.message and block.message.call_id == message.call_id
        ]
        if named:
            self._note(named[0], message.text)
        elif message.format == EXECUTE and (block := self._waiting()):
            self._note(block, message.text)
        else:
            self._say(message)

    def _note(self, block: _Open, text: str) -> None:
        block.change(notes=(*block.block.notes, *filter(None, [text])))

    def _cite(self, citation: Citation, message: Message) -> None:
        last = self._items[-1] if self._items else None
        if isinstance(last, Passage):
            self._items[-1] = replace(last, citations=(*last.citations, citation))
        else:
            self._items.append(Passage(message, (citation,)))

    def _waiting(self) -> _Open | None:
        """Return the block whose code was asked for, or else the most likely one."""
        is_asked = self._current is not None and not self._current.is_settled
        return self._current if is_asked else self._unsettled()

    def _unsettled(self) -> _Open | None:
        waiting = (block for block in self._blocks if not block.is_settled)
        return next(waiting, self._blocks[-1] if self._blocks else None)


def _without_frame(results: tuple[Message, ...], table: Table) -> tuple[Message, ...]:
    """Return the results without the text of a frame that precedes it in the output."""
    if not results or not table.text or results[-1].type != "console":
        return results
    last = results[-1]
    kept = last.text.removesuffix("\n").removesuffix(table.text)
    if kept == last.text.removesuffix("\n"):
        return results
    return (*results[:-1], replace(last, content=kept)) if kept else results[:-1]


_NAMES_TOLD = 50
_WEB = ("http://", "https://")


def run_end_words(block: CodeBlock) -> str:
    """Return text on why the code ended early or did not run; else ''."""
    if not block.code and not block.written:
        return ""
    if not block.has_run:
        return "Not run. " + one_line(" ".join(block.notes)) if block.notes else "Not run."
    return report_words(block.report) if block.report is not None else ""


def report_words(report: RunReport) -> str:
    """Return text on the end of a run; '' if it ended normally."""
    return "" if report.state in ("started", "finished") else one_line(run_end_text(report))


def failure_words(failure: Failure) -> str:
    """Return text on the reason why an answer failed."""
    return one_line(str(AppError(failure.title, detail=failure.detail, remedy=failure.remedy)))


def error_words(error: CodeError) -> str:
    """Return an exception on one line."""
    return one_line(f"{error.name}: {error.message}" if error.message else error.name)


def input_words(asked: InputRequest) -> str:
    """Return text on the code's question; the typed answer is not kept."""
    return f"[asked for input: {one_line(asked.prompt)}]" if asked.prompt else "[asked for input]"


def changes_words(changes: FileChanges) -> list[str]:
    """Return lines of text on the files that a run has changed, or of which that was undone."""
    if changes.action != "run":
        return [one_line(f"{_ACTIONS[changes.action]}: {_taken_back(changes)}")]
    groups = (
        ("created", changes.created), ("changed", changes.changed), ("deleted", changes.deleted),
        ("moved", changes.moved),
    )  # fmt: skip
    told = [
        f"Files {kind}: {_names(found, count)}"
        for (kind, found), count in zip(groups, (*changes.counts, changes.moved_count), strict=True)
        if count
    ]
    aside = _names(changes.set_aside, len(changes.set_aside))
    told += [f"Files set aside: {aside}"] if aside else []
    return [*told, *filter(None, [one_line(changes.note)])]


_ACTIONS = {
    "review": "In a copy",
    "apply": "Applied by the user",
    "discard": "Discarded by the user",
    "undo": "Undone by the user",
    "redo": "Done again by the user",
    "keep": "Kept by the user",
    "delete": "Deleted by the user",
}


def _taken_back(changes: FileChanges) -> str:
    """Return the names of the files of an undo, and of those that it left as they are."""
    count = sum((*changes.counts, changes.moved_count))
    left = ", ".join(one_line(one.path) for one in changes.conflicts[:_NAMES_TOLD])
    names = _names(changes.listed[:_NAMES_TOLD], count)
    return f"{names}; left as changed since: {left}" if left else names


def source_words(source: Source) -> str:
    """Return a source's title, or else another field that identifies it."""
    return one_line(source.title or source.url or source.id or source.text) or "source"


def source_address(source: Source) -> str:
    """Return the web address of the source; '' if it has none."""
    address = source.url.strip()
    is_safe = address.lower().startswith(_WEB) and not set(address) & set(" <>()\"'`\n\r\t")
    return address if is_safe and address.isascii() else ""


def sources_of(citations: tuple[Citation, ...]) -> list[Source]:
    """Return each source once, in the order of citation."""
    return list(dict.fromkeys(source for one in citations for source in one.sources))


def file_name(path: str) -> str:
    """Return the last part of a path of any system."""
    return one_line(PureWindowsPath(PurePath(path).name).name) or one_line(path)


def _names(found: tuple[FileChange, ...], count: int) -> str:
    names = [one_line(change.path) for change in found[:_NAMES_TOLD]]
    more = count - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def missing_picture_words(message: Message) -> str:
    """Return the text that replaces a picture that could not be read."""
    name = file_name(message.text) if (message.format or "path") == "path" else ""
    return f"[The picture {name} could not be read.]".replace("  ", " ")
