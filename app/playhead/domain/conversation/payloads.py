"""Contents of chunks that are more than a text (docs/wire-formats.md, sections 2 and 2a)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from playhead.domain.trust import RiskFact

Cell = str | int | float | bool | None
"""A table's cell: a JSON value."""

RunState = Literal["started", "finished", "interrupted", "killed"]

RunEndKind = Literal[
    "stopped",
    "stopped_early",
    "exited",
    "signalled",
    "time_limit",
    "memory_limit",
    "start_limit",
    "abandoned",
    "restarted",
    "closed",
    "interpreter_changed",
    "policy_changed",
    "other_language",
    "conversation_ended",
    "app_ended",
    "saved_early",
    "other",
]


class Proposal(Struct, frozen=True, kw_only=True):
    """Code that waits for a decision: an immutable snapshot of what would run, where and with what.

    `id` names the pending decision, `message_id` the code message it was made from,
    `folder` and `interpreter` are absolute paths. `facts` are what it is seen to do, None where
    nobody looked. `approved_at` is when exactly this was approved in this conversation, in seconds
    since the epoch, else 0; `diff` is a unified diff to the code of its language approved last.
    """

    id: str
    message_id: str
    language: str
    code: str
    folder: str = ""
    interpreter: str = ""
    facts: tuple[RiskFact, ...] | None = None
    approved_at: float = 0.0
    diff: str = ""


class RunEnd(Struct, frozen=True, kw_only=True):
    """The reason why a run or its kernel ended; `domain.text.run_ends` has the words for it.

    `limit` is in seconds, for memory in bytes. `grace_s` is the time in which code that was to
    stop did not, so that its kernel was killed. `words` are those of another program or version.
    """

    kind: RunEndKind
    exit_status: int | None = None
    signal: int = 0
    limit: float = 0.0
    grace_s: float | None = None
    words: str = ""


class Refused(Struct, frozen=True):
    """A place in the network that a run was refused: `name:port`, and how often."""

    target: str
    count: int = 1


class RunReport(Struct, frozen=True, kw_only=True):
    """The state of a run: `line` is where it was stopped, `seconds` the wall time since its start.

    `output_path` is the file with the run's whole output when the shown output had to be cut;
    `end` says why a run was killed or stopped; None where it was only asked to stop.
    `input_bytes` is how much the run has read of the text that was sent to it, if any of it;
    `unanswered` is the id of the question that it was stopped at, '' if it waited for no answer.
    `printed` is the length of the traceback of a stop at the end of the run's output, if known.
    `hidden` is a path that the code missed because the sandbox hides it, '' for none.
    `refused` are the places in the network that the sandbox has refused to it.
    `is_saved`: of a run whose kernel was lost, the variables from before it are saved for the next.
    `packages` are those that its kernel has imported since the run before, like `numpy 2.3.1`, and
    in its first run its `python 3.12.3`.
    """

    state: RunState
    seconds: float = 0.0
    line: int | None = None
    exit_status: int | None = None
    output_path: str | None = None
    end: RunEnd | None = None
    input_bytes: int | None = None
    unanswered: str = ""
    printed: int | None = None
    hidden: str = ""
    refused: tuple[Refused, ...] = ()
    is_saved: bool | None = None
    packages: tuple[str, ...] = ()


class Frame(Struct, frozen=True):
    """One frame of a traceback; `file` is empty for the block itself."""

    file: str
    line: int
    name: str


class CodeError(Struct, frozen=True, kw_only=True):
    """An exception of the user's code, as data; the traceback's text also goes out as output.

    `remedy` is what to do about it, for what code cannot know of the place it runs in. `printed`
    is the length of the traceback at the end of the run's output in characters, if known.
    """

    name: str
    message: str
    frames: tuple[Frame, ...] = ()
    remedy: str = ""
    printed: int | None = None


def split_printed(output: str, printed: int | None) -> tuple[str, str]:
    """Return the output without the traceback that ends it, and the traceback; '' if not known."""
    at = len(output) - (printed or 0)
    return (output[:at], output[at:]) if 0 <= at < len(output) else (output, "")


class InputRequest(Struct, frozen=True):
    """The running code asks for a line of text; a secret is neither shown nor stored."""

    id: str
    prompt: str
    is_secret: bool = False


class LineTiming(Struct, frozen=True, kw_only=True):
    """Wall time of one top-level statement, by its first line.

    `last_line` is where it ends (0: the same line). `share` is, for a line inside a loop or
    function, its part of the statement around it, from 0 to 1; None for the statement itself.
    """

    line: int
    seconds: float
    last_line: int = 0
    share: float | None = None


class Table(Struct, frozen=True, kw_only=True):
    """A page of a frame: `rows` holds JSON values, column by column as `columns` names them.

    `dtypes` has each column's type as its library writes it. `total_rows` counts all rows of
    the frame, `total_columns` all its columns: both may be more than the page has. `name` is the
    variable's, if it has one; `key` is the kernel's key of the frame as it was shown.
    `missing` has for each column how the library writes a value that is None here, `text` is the
    frame as the output before shows it. `index_columns` of the columns, the first ones, are the
    frame's index: 0 if that only counts the rows from 0, None if there is none or it is unknown.
    A page of sorted rows has their `positions` in the frame.
    """

    columns: tuple[str, ...]
    dtypes: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total_rows: int
    total_columns: int = 0
    name: str = ""
    key: str = ""
    missing: tuple[str, ...] = ()
    text: str = ""
    index_columns: int | None = None
    positions: tuple[int, ...] = ()


class RowOrder(Struct, frozen=True):
    """An order of a table's rows: by which of its columns, and whether that falls."""

    column: int
    is_falling: bool = False


UncoveredReason = Literal[
    "too_large", "too_much", "unreadable", "special", "left_out", "changing", "moving"
]
"""Why the state of a file before a run is not kept.

It alone, or all together, are larger than what is kept; it may not be read; it is a device or a
socket; it is in a folder that is only counted (`node_modules`, environments, caches); it was being
changed while it was read; it was replaced.
"""
UndoProblem = Literal[
    "", "unsupported", "home", "too_many", "too_slow", "disk_full", "vanished", "no_worker"
]
"""Why nothing of a folder is kept: on this system, of a home folder, of so many files, in time."""


class Uncovered(Struct, frozen=True, kw_only=True):
    """A file that cannot be put back, or a folder in which `files` cannot; and why."""

    path: str
    reason: UncoveredReason
    size_bytes: int = 0
    files: int = 1


class Coverage(Struct, frozen=True, kw_only=True):
    """The files of a folder that could be put back if code ran in it now: `covered` of `files`.

    `uncovered` names the others, the largest first; `uncovered_total` counts them all. With a
    `problem` nothing could. While `is_reading`, more is covered every moment.
    """

    folder: str
    files: int = 0
    covered: int = 0
    uncovered: tuple[Uncovered, ...] = ()
    uncovered_total: int = 0
    problem: UndoProblem = ""
    is_reading: bool = False


FileKind = Literal["text", "image", "folder", "link", "other"]
ChangeAction = Literal["run", "undo", "redo", "keep", "delete", "review", "apply", "discard"]
"""What changed the files: a run, or a person. `review` has changed nothing yet: it is what would
change if the copy that runs work in were applied; `apply` and `discard` ended that."""
ConflictReason = Literal["changed", "in_the_way", "not_kept", "replaced", "refused"]
"""Why a file was not put back: it was changed since, something else has its place, its state was
not kept, a folder on its way is another one now, the system refused it.
"""


class FileChange(Struct, frozen=True, kw_only=True):
    """A file that a run created, changed, deleted or moved.

    `path` is relative to the working folder, with slashes; `old_path` is where a moved file was.
    `diff` is a unified diff where both texts are known and small. `modes` are its permissions
    before and after, `targets` those of a link, if they differ. A line may sum up the `files`
    of a folder. `uncovered` says why it cannot be put back, '' if it can. `may_be_run`: a program
    that a person starts may run it since it has this name.
    """

    path: str
    size_bytes: int = 0
    kind: FileKind = "other"
    diff: str = ""
    old_path: str = ""
    modes: tuple[int, int] | None = None
    targets: tuple[str, str] | None = None
    files: int = 1
    uncovered: UncoveredReason | Literal[""] = ""
    may_be_run: bool = False


class FileConflict(Struct, frozen=True, kw_only=True):
    """A file that an undo left as it is; `diff` is what the undo would have done to its text."""

    path: str
    reason: ConflictReason
    diff: str = ""
    detail: str = ""


WhyLeft = Literal["changed", "joined", "not_kept"]
"""Why a variable was left as it is: it, or one that shares objects with it, was changed since, or
its value from before could not be kept.
"""


class LeftName(Struct, frozen=True):
    """A variable that was left as it is; `detail` says why its value could not be kept."""

    name: str
    why: WhyLeft
    detail: str = ""


class VariableChanges(Struct, frozen=True, kw_only=True):
    """The names of a kernel that a run, or an undo, has made, changed and deleted.

    `left` are those that an undo did not put back; of a run, those that an undo could not. `id`
    names an undo among those of variables; of a run it is '', the run's own id does. `is_unknown`:
    they were not saved before the next run.
    """

    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    left: tuple[LeftName, ...] = ()
    id: str = ""
    is_unknown: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return all of them but those that were left."""
        return (*self.made, *self.changed, *self.deleted)


class FileChanges(Struct, frozen=True, kw_only=True):
    """Changes to the files of a working folder; `note` names what was not searched.

    The totals count the files that are not listed too; 0 if all of them are listed.

    `id` names the effect among those that are kept, '' if nothing of it can be undone. An undo is
    an effect with its own id, `of` is the one that it took back, and so is a redo, which takes back
    an undo. `is_whole`: all of that effect but the conflicts, else only what is listed.
    `set_aside` are files that were moved away since other programs would run them; each waits
    to be kept or deleted, which are effects `of` this one, too. `is_bounded`: the run was in a
    sandbox; else what it did outside of the folder was not watched. `elsewhere` are files, like
    `~/report.csv`, that it wrote into the sandbox's own home, where the person does not see them.
    `installed` are packages, like `numpy 2.3.1`, that are there for the code of this folder alone,
    `unwatched` are other folders and files that it was granted to change. `variables` are those of
    its kernel that it changed, too, as far as they are saved.
    """

    folder: str
    created: tuple[FileChange, ...] = ()
    changed: tuple[FileChange, ...] = ()
    deleted: tuple[FileChange, ...] = ()
    note: str = ""
    created_total: int = 0
    changed_total: int = 0
    deleted_total: int = 0
    moved: tuple[FileChange, ...] = ()
    moved_total: int = 0
    id: str = ""
    action: ChangeAction = "run"
    of: str = ""
    is_whole: bool = False
    conflicts: tuple[FileConflict, ...] = ()
    conflicts_total: int = 0
    set_aside: tuple[FileChange, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    uncovered_total: int = 0
    problem: UndoProblem = ""
    is_bounded: bool = False
    elsewhere: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    variables: VariableChanges | None = None
    unwatched: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of created, changed and deleted files."""
        return (
            max(self.created_total, len(self.created)),
            max(self.changed_total, len(self.changed)),
            max(self.deleted_total, len(self.deleted)),
        )

    @property
    def moved_count(self) -> int:
        """Return the number of moved files."""
        return max(self.moved_total, len(self.moved))

    @property
    def listed(self) -> tuple[FileChange, ...]:
        """Return all files that are listed, in the order in which they are shown."""
        return (*self.created, *self.changed, *self.moved, *self.deleted)


class Failure(Struct, frozen=True, kw_only=True):
    """The reason why a stream failed, for the timeline, the history and the wire.

    `retry_after_s` is set when the provider named a time to wait. `phrases` has the template and
    the values of the texts that were made of some, for a window in another language.
    """

    code: str
    title: str
    detail: str = ""
    remedy: str = ""
    retry_after_s: float | None = None
    phrases: dict[str, tuple[str, dict[str, str]]] = {}


class Waiting(Struct, frozen=True, kw_only=True):
    """A model's server that could not answer yet is asked again in `seconds`.

    `reason` explains why in a sentence; it is attempt `attempt` of at most `attempts` repeated
    ones.
    """

    seconds: float
    attempt: int
    attempts: int
    reason: str


class Echo(Struct, frozen=True):
    """Data that a provider wants back unchanged with the answer that it belongs to.

    `provider` names the only one that it is for, `data` is a JSON text (signed thinking, for one).
    It is neither shown nor exported nor sent to programs.
    """

    provider: str
    data: str


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens and the cost of one answer of a model, and why it ended.

    `finish_reason` is stop, length, tool_calls or content_filter. `is_estimated` is whether the
    provider gave no numbers. Of the tokens, `cached_tokens` were read from the provider's cache
    and `reasoning_tokens` were used for thinking. `cost` is in US dollars, None without a price.
    `has_refused_images`: the server refused pictures, so that the model was asked without them.
    """

    input_tokens: int
    output_tokens: int
    finish_reason: str = "stop"
    is_estimated: bool = False
    model: str = ""
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    has_refused_images: bool = False


class PrintedLines(Struct, frozen=True):
    """The places in an output where the running line changed: kept beside a console, not streamed.

    From the line of output `starts[n]` (counted from 0; with .5 in the middle of it) on,
    `lines[n]` of the code was running, 0 if it is not known.
    """

    starts: tuple[float, ...]
    lines: tuple[int, ...]


class OutputTail(Struct, frozen=True):
    """The last lines of a long output that still goes on: shown for now, neither kept nor sent.

    They follow the console's text; `lines` is how many were left out in between.
    """

    lines: int
    text: str


class Source(Struct, frozen=True, kw_only=True):
    """The source of a cited statement: a page, a document or a tool's result."""

    id: str = ""
    title: str = ""
    url: str = ""
    text: str = ""


class Citation(Struct, frozen=True, kw_only=True):
    """A stretch of the message before it, in code points, and its sources."""

    start: int
    end: int
    text: str
    sources: tuple[Source, ...] = ()


Payload = (
    Proposal
    | RunReport
    | CodeError
    | InputRequest
    | LineTiming
    | Table
    | FileChanges
    | Failure
    | Waiting
    | Echo
    | Usage
    | PrintedLines
    | OutputTail
    | Citation
)


def lines_that_printed(printed: PrintedLines, number: int) -> tuple[int, ...]:
    """Return the lines of code that printed a line of output (counted from 0), in order."""
    first = max(bisect_right(printed.starts, number) - 1, 0)
    last = bisect_left(printed.starts, number + 1)
    return tuple(dict.fromkeys(line for line in printed.lines[first:last] if line))


def output_of_lines(
    printed: PrintedLines, first: int, last: int
) -> Iterator[tuple[int, int | None]]:
    """Yield the ranges of output, from and to (None: the end), that these lines of code printed."""
    ends = [*printed.starts[1:], None]
    for start, end, line in zip(printed.starts, ends, printed.lines, strict=True):
        if first <= line <= last:
            yield int(start), None if end is None else math.ceil(end) - 1
