"""The fold of a conversation's events into rows; knows nothing of pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import msgspec
from msgspec import Struct

from playhead.domain.conversation.conversation import Versions
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    FileChanges,
    InputRequest,
    Proposal,
    RunReport,
    Table,
    split_printed,
)
from playhead.domain.conversation.usage import TurnUsage
from playhead.domain.text.risk_words import risk_groups
from playhead.domain.text.run_ends import has_ended_by_itself, run_end_place, run_end_text
from playhead.domain.text.terminal import without_colours
from playhead.ui.timeline.model.console_text import places_in, without_frame
from playhead.ui.timeline.model.rows import (
    UNSENT,
    FileEffect,
    Note,
    Row,
    RowKind,
    Sorting,
    kind_of,
    row_text,
    with_unsent_line,
)
from playhead.ui.timeline.model.sources import cite, cited_by, source_lines
from playhead.ui.timeline.model.turn_cost import turn_summary
from playhead.ui.widgets.wording import format_seconds, tr

_TURN_ENDS = ("answer", "citation")
_CODE = ("code", "assistant")
_MOST_BLOCKS = 200
"""Blocks before a failure that are searched for the code that its traceback shows."""
_BESIDE = ("note", "versions", "undone")
"""Rows that are no part of what a turn says."""
_AFTER_TURNS = ("question", "attachment", *_BESIDE)


class Changes(Struct):
    """The changes of a step to the rows, by their keys; `is_reset` if the list was replaced.

    A row may be gone again that was added or changed before it. `grown` are those of the changed
    ones that only got more text.
    """

    added: list[str] = msgspec.field(default_factory=list[str])
    changed: set[str] = msgspec.field(default_factory=set[str])
    grown: set[str] = msgspec.field(default_factory=set[str])
    is_reset: bool = False

    @property
    def only_grew(self) -> bool:
        """Return whether rows got more text, and nothing else changed."""
        return not self.added and not self.is_reset and self.changed == self.grown


_BEGUN = ("running", "ran", "stopped", "failed")
"""The states of code that runs or ran."""


class TimelineModel:
    """Holds the rows in the order in which they are drawn.

    `take_changes()` returns the changes since the last call.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._index: dict[str, int] = {}
        self._changes = Changes()
        self._code: int | None = None
        self._going_on: Row | None = None
        self._paused_line = 0
        self._run_console: int | None = None
        self._open_inputs: list[str] = []
        self._has_failed = False
        self._notes = 0

    def take_changes(self) -> Changes:
        """Return the changes since the last call."""
        changes, self._changes = self._changes, Changes()
        groups = [row.group for row in self.rows_of(changes.changed)]
        changes.changed.update(row.key for group in groups for row in group)
        return changes

    def index_of(self, key: str) -> int | None:
        """Return the index of a message or note; None if it is not drawn."""
        return self._index.get(key)

    def rows_of(self, keys: Iterable[str]) -> list[Row]:
        """Return the rows of those keys that are drawn."""
        return [self.rows[self._index[key]] for key in keys if key in self._index]

    def reset(self, messages: Iterable[Message]) -> None:
        """Show these messages; rows that were there keep their folding."""
        old = {row.key: row for row in self.rows}
        self.rows = []
        self._index = {}
        self._code = self._run_console = None
        self._open_inputs.clear()
        for message in messages:
            self._take(message)
            if (before := old.get(message.id)) and message.id in self._index:
                self.rows[self._index[message.id]].is_open = before.is_open
        self._changes = Changes(is_reset=True)

    def apply(self, event: ConversationEvent) -> None:
        """Fold one event; `removed` and `moved` need a `reset` instead."""
        match event.kind:
            case "started" | "added" if event.message is not None:
                self._take(event.message)
            case "grew" if event.chunk is not None and isinstance(event.chunk.content, str):
                self._grow(event.message_id, event.chunk.content)
            case "tail":
                for row in self.rows_of([event.message_id]):
                    row.tail = event.tail
                self.mark(event.message_id)
            case "ended" if event.message is not None:
                self._end(event.message)
            case "transient" if event.chunk is not None and event.chunk.content == "cancelled":
                self._leave_code()
                self._add_stop()
            case _:
                pass

    def set_code_state(self, message_id: str, state: str, detail: str = "") -> None:
        """Set the state of a message's code."""
        index = self._index.get(message_id)
        if index is not None:
            self.rows[index].state, self.rows[index].detail = state, detail
            self.mark(message_id)

    def set_sorting(self, message_id: str, sorting: Sorting) -> None:
        """Set how a table's rows are sorted."""
        index = self._index.get(message_id)
        if index is not None:
            self.rows[index].sorting = sorting
            self.mark(message_id)

    def set_effects(self, effects: Mapping[str, FileEffect]) -> None:
        """Set what became of changes to files and variables, by the ids of these.

        The code of a run without changes to files shows what it did to variables.
        """
        named: set[str] = set()
        for row in reversed(self.rows):
            content = row.message.content if row.message is not None else None
            if isinstance(content, FileChanges) and content.id:
                named.add(content.id)
                self._set_effect(row, effects.get(content.id, FileEffect()))
            elif row.run_id:
                effect = effects.get(row.run_id, FileEffect())
                self._set_effect(row, effect if row.run_id not in named else FileEffect())

    def _set_effect(self, row: Row, effect: FileEffect) -> None:
        if row.effect != effect:
            row.effect = effect
            if row.kind != "code":
                row.detail = tr("undone") if effect.state.is_undone else ""
            self.mark(row.key)

    def choose(self, key: str) -> None:
        """Show this row of the group that it is in, and hide the others."""
        index = self._index.get(key)
        if index is not None and (group := self.rows[index].group):
            for row in group:
                row.is_hidden = row.key != key
            self.mark(key)

    @property
    def running(self) -> Row | None:
        """Return the row of the running code; None if none runs."""
        row = self.rows[self._code] if self._code is not None else None
        return row if row is not None and row.state == "running" else None

    def mark(self, key: str) -> None:
        """Mark a row to be drawn again."""
        self._changes.changed.add(key)
        self._changes.grown.discard(key)

    def settle_inputs(self, unanswered: str = "") -> None:
        """Mark the questions of the code as answered, but one that was stopped before that."""
        for row in self.rows_of(self._open_inputs):
            if not row.state:
                request = input_of(row)
                is_stopped = request is not None and request.id == unanswered
                row.state = "stopped" if is_stopped else "answered"
                self.mark(row.key)
        self._open_inputs.clear()

    def add_note(self, note: Note) -> str:
        """Add a line at the end that is not a message; return its key."""
        self._notes += 1
        key = f"note:{self._notes}"
        self._add(Row(key=key, kind="note", note=note))
        return key

    def change_note(self, key: str, note: Note) -> None:
        """Change a line that is not a message, if it is still there."""
        index = self._index.get(key)
        if index is not None and self.rows[index].note != note:
            self.rows[index].note = note
            self.mark(key)

    def drop_note(self, key: str) -> None:
        """Remove one note."""
        self._replace_rows([row for row in self.rows if row.key != key])

    def clear_notes(self) -> None:
        """Remove all notes."""
        self._replace_rows([row for row in self.rows if row.kind != "note" or row.key == UNSENT])

    def set_unsent(self, first_id: str, path: Sequence[str]) -> None:
        """Draw a line above the oldest message that is still sent; '' for none."""
        index = self._first_drawn(path, first_id) if first_id in path else None
        self._replace_rows(with_unsent_line(self.rows, index))

    def set_versions(self, versions: Mapping[str, Versions], path: Sequence[str]) -> None:
        """Set the messages of the path that have other versions; the arrows are at their ends."""
        on_rows, extra = self._places_of(versions, path)
        for row in self.rows:
            if row.kind != "versions" and row.versions != on_rows.get(row.key):
                row.versions = on_rows.get(row.key)
                self.mark(row.key)
        rows: list[Row] = []
        known = {row.key: row for row in self.rows if row.kind == "versions"}
        for row in self.rows:
            if row.kind != "versions":
                rows.append(row)
            if (found := extra.get(row.key)) is not None:
                key = f"versions:{found.ids[found.shown]}"
                rows.append(line := known.get(key, Row(key=key, kind="versions")))
                line.versions = found
                self.mark(key)
        self._replace_rows(rows)

    def _places_of(
        self, versions: Mapping[str, Versions], path: Sequence[str]
    ) -> tuple[dict[str, Versions], dict[str, Versions]]:
        """Return versions by the row that shows them, and by the row before their own line."""
        on_rows: dict[str, Versions] = {}
        extra: dict[str, Versions] = {}
        for message_id, found in versions.items():
            index = self._first_drawn(path, message_id)
            if index is None:
                continue
            if self.rows[index].kind == "question":
                on_rows[self.rows[index].key] = found
                continue
            last = self._last_of_turn(index)
            is_foot = last.kind in _TURN_ENDS
            (on_rows if is_foot else extra)[last.key] = found
        return on_rows, extra

    def _first_drawn(self, path: Sequence[str], message_id: str) -> int | None:
        """Return the row of a message, or of the first later one that has a row."""
        if (index := self._index.get(message_id)) is not None:
            return index
        later = path[path.index(message_id) :]
        return next((self._index[one] for one in later if one in self._index), None)

    def _last_of_turn(self, index: int) -> Row:
        last = self.rows[index]
        for row in self.rows[index + 1 :]:
            if row.kind in ("question", "attachment") or row.is_streaming:
                break
            if row.kind not in _BESIDE:
                last = row
        return last

    def _replace_rows(self, kept: list[Row]) -> None:
        """Show the kept rows, with lines that are not messages."""
        if kept == self.rows:
            return
        current = self.rows[self._code].key if self._code is not None else None
        console = self.rows[self._run_console].key if self._run_console is not None else None
        self.rows = kept
        self._index = {row.key: index for index, row in enumerate(kept)}
        self._code = self._index.get(current) if current else None
        self._run_console = self._index.get(console) if console else None
        self._changes.is_reset = True

    def _take(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                self._propose(proposal)
            case RunReport() as report:
                self._report(report, message)
            case _ if message.recipient == "assistant":
                pass
            case _ if message.type == "tool_result" and message.format == "execute":
                if message.state != "streaming":
                    self._skip(message)
            case CodeError(name="KeyboardInterrupt"):
                pass  # the run's report says that it was stopped
            case _ if kind := kind_of(message):
                self._draw(message, kind)
            case _:
                pass

    def _draw(self, message: Message, kind: RowKind) -> None:
        cited = cited_by(message) if kind == "citation" else None
        if cited is not None and self._cite(cited):
            return
        row = Row(
            key=message.id, kind=kind, message=message, is_streaming=message.state == "streaming"
        )
        row.set_text(row_text(message, kind))
        if cited is not None:
            row.items = source_lines((), cited)
            self._mark_cited(cited, row.items)
        if kind == "input":
            self.settle_inputs()
            self._open_inputs.append(row.key)
        if kind == "question":
            self._leave_code()
        if isinstance(message.content, Table):
            self._cut_frame(message.content)
        if isinstance(message.content, CodeError):
            self._has_failed = True
            row.items = self._cut_traceback(message.content.printed)
            row.origin = self.rows[self._code].key if self._code is not None else ""
            self._name_cells(row)
        self._add(row)
        if kind == "code":
            self._code = len(self.rows) - 1
            row.state = "writing" if row.is_streaming else ""
            self._mark_cut(row, message)
        elif kind == "console":
            if self._code is not None:
                self.rows[self._code].run_id = message.call_id or ""
            self._run_console = len(self.rows) - 1

    def _add(self, row: Row) -> None:
        if self.rows:
            self._update_is_last(self._last_said(), is_last=row.kind in _AFTER_TURNS)
            self._time_thought(self.rows[-1], row)
        self._index[row.key] = len(self.rows)
        self.rows.append(row)
        self._changes.added.append(row.key)
        self._update_is_last(len(self.rows) - 1, is_last=True)

    def _time_thought(self, row: Row, after: Row) -> None:
        """End the measurement of the model's thinking when something else begins."""
        if row.kind != "reasoning" or row.detail or row.message is None or after.message is None:
            return
        if (seconds := after.message.created_at - row.message.created_at) > 0:
            row.detail = format_seconds(seconds)

    def _cite(self, citation: Citation) -> bool:
        """Add sources to the last line of sources; return whether there is one."""
        last = self._last_said()
        if last < 0 or self.rows[last].kind != "citation":
            return False
        self.rows[last].items = source_lines(self.rows[last].items, citation)
        self._mark_cited(citation, self.rows[last].items)
        self.mark(self.rows[last].key)
        return True

    def _mark_cited(self, citation: Citation, items: Sequence[str]) -> None:
        """Put the numbers of the sources after the words that cite them."""
        at = len(self.rows) - 1
        while at >= 0 and self.rows[at].kind in ("citation", "note", "versions"):
            at -= 1
        if at >= 0 and self.rows[at].kind == "answer" and (row := self.rows[at]).message:
            row.cited = (*row.cited, citation)
            row.set_text(cite(row.message.text, row.cited, items))
            self.mark(row.key)

    def set_costs(self, turns: Iterable[TurnUsage], model: str = "") -> None:
        """Set the costs of turns, shown at their ends; `model` is for turns without a model."""
        by_question = {turn.question_id: turn for turn in turns}
        if not by_question:
            return
        end: int | None = None
        for index in range(len(self.rows) - 1, -1, -1):
            row = self.rows[index]
            if row.kind == "question" and (turn := by_question.get(row.key)) is not None:
                self._set_foot(end, turn_summary(turn, model))
            if row.role == "user":
                end = None
            elif end is None and row.kind not in _BESIDE:
                end = index

    def _set_foot(self, index: int | None, words: str) -> None:
        if index is not None and self.rows[index].is_last and self.rows[index].foot != words:
            self.rows[index].foot = words
            self.mark(self.rows[index].key)

    def _last_said(self) -> int:
        """Return the index of the last row that is more than a line of the window's own."""
        last = len(self.rows) - 1
        while last > 0 and self.rows[last].kind in _BESIDE:
            last -= 1
        return last

    def _update_is_last(self, index: int, *, is_last: bool) -> None:
        row = self.rows[index]
        ends = is_last and row.kind in _TURN_ENDS and not row.is_streaming
        if ends != row.is_last:
            row.is_last = ends
            self.mark(row.key)

    def _grow(self, message_id: str, text: str) -> None:
        if (index := self._index.get(message_id)) is not None:
            row, changes = self.rows[index], self._changes
            if message_id not in changes.changed and row.tail is None:
                changes.grown.add(message_id)
            changes.changed.add(message_id)
            row.tail = None
            row.append(text)

    def _end(self, message: Message) -> None:
        index = self._index.get(message.id)
        if index is None:
            self._take(message)
            return
        row = self.rows[index]
        row.message, row.tail = message, None
        row.is_streaming = False
        row.set_text(row_text(message, row.kind))
        if row.kind == "code" and row.state == "writing":
            row.state = "queued" if self._is_busy_before(index) else ""
        self._mark_cut(row, message)
        self._update_is_last(index, is_last=index == self._last_said())
        self.mark(row.key)

    def _is_busy_before(self, index: int) -> bool:
        """Return whether other code of the same turn waits or runs, because calls run in order."""
        for row in reversed(self.rows[:index]):
            if row.kind == "question":
                return False
            if row.kind == "code" and row.state in ("waiting", "running", "queued"):
                return True
        return False

    def _mark_cut(self, row: Row, message: Message) -> None:
        if row.kind == "code" and message.state == "interrupted":
            row.detail = tr("cut off")

    def _propose(self, proposal: Proposal) -> None:
        index = self._index.get(proposal.message_id)
        if index is None:
            return
        row = self.rows[index]
        self._code = index
        if not row.group:
            self._group(index)
        self.choose(row.key)
        if proposal.code != row.text:
            row.set_text(proposal.code)
            row.is_edited = True
        row.state, row.detail = "waiting", ""
        row.facts = risk_groups(proposal.facts or (), tr)
        self.mark(row.key)
        for other in self.rows[index + 1 :]:
            if other.kind == "code" and not other.state and not other.is_streaming:
                other.state = "queued"
                self.mark(other.key)

    def _group(self, index: int) -> None:
        """Show the code of one answer, from this row on, as one card."""
        after = self.rows[index + 1 :]
        rows = list(takewhile(lambda row: (row.kind, row.role) == _CODE, after))
        if rows:
            group = [self.rows[index], *rows]
            for row in group:
                row.group = group

    def _skip(self, message: Message) -> None:
        """Show the result of a call that was not run, its only trace in the history."""
        index = self._code
        if index is not None and self.rows[index].state in ("", "queued", "waiting"):
            self.rows[index].state = "skipped"
            self.mark(self.rows[index].key)
        elif message.text:
            self._draw(message, "tool_result")

    def _report(self, report: RunReport, message: Message) -> None:
        self.settle_inputs(report.unanswered)
        is_running = self._code is not None and self.rows[self._code].state == "running"
        if report.state == "started":
            self._has_failed = False
            self._forget_failure()
            self._set_run("running", "")
            if self._code is not None:
                self.rows[self._code].began_at = message.created_at
            self._run_console = None
            return
        if report.state == "finished":
            state = "failed" if self._has_failed or report.exit_status else "ran"
            seconds = format_seconds(report.seconds) if report.seconds else ""
            status = report.exit_status
            ended = tr("exit {exit_status}", exit_status=status) if status is not None else ""
            self._set_run(state, seconds, " · ".join(filter(None, (ended, seconds))))
            self._store_output_path(report)
            return
        if report.state == "interrupted":
            self._cut_traceback(report.printed)
        if is_running:
            seconds = format_seconds(report.seconds) if report.seconds else ""
            if has_ended_by_itself(report):
                self._set_run("failed", seconds, seconds)
            else:
                self._set_run("stopped", run_end_place(report, tr), seconds)
            self._store_output_path(report)
        row = Row(key=message.id, kind="run", message=message)
        row.set_text(run_end_text(report, tr))
        self._add(row)

    def _forget_failure(self) -> None:
        """Mark the last failure as past: the kernel lets go of its variables at the next run."""
        for index in range(len(self.rows) - 1, -1, -1):
            row = self.rows[index]
            if row.kind == "problem":
                row.state = "past"
                self.mark(row.key)
                return

    def _leave_code(self) -> None:
        """End the turn: undecided code is marked as not run, code without an end as cut off."""
        for row in self.rows[self._code or 0 :]:
            if row.kind == "code" and row.state in ("queued", "waiting", "running"):
                row.state = "stopped" if row.state == "running" else "skipped"
                row.is_typing = False
                self.mark(row.key)

    def _add_stop(self) -> None:
        """Add a line for a turn that was stopped before its first word."""
        if self.rows and self.rows[-1].kind in ("question", "attachment"):
            row = Row(key=f"stop:{self.rows[-1].key}", kind="run")
            row.set_text(tr("Stopped before the answer began."))
            self._add(row)

    def _cut_frame(self, table: Table) -> None:
        """Remove the printed form of a data frame from the output above its table."""
        index = len(self.rows) - 1
        if index >= 0 and index == self._run_console:
            console = self.rows[index]
            console.set_text(without_frame(console.text, table))
            self.mark(console.key)

    def _cut_traceback(self, printed: int | None) -> list[str]:
        """Remove the traceback, which the error's card shows, from the output above; return it."""
        console = self.rows[self._run_console] if self._run_console is not None else None
        if console is None:
            return []
        output, trace = split_printed(console.text, printed)
        if not trace:
            return []
        console.set_text(output)
        self.mark(console.key)
        return [without_colours(trace).rstrip("\n")]

    def _name_cells(self, row: Row) -> None:
        """Have a traceback name blocks of the conversation as the editor's tabs do."""
        codes = [one.key for one in self.rows if one.kind == "code"]
        for block, key in self._blocks_in("".join(row.items)).items():
            cell = f"<{tr('cell {number}', number=codes.index(key) + 1)}>"
            row.cells = {**row.cells, block: cell}
            row.blocks = {**row.blocks, cell: key}
            row.items = [text.replace(f'"{block}"', f'"{cell}"') for text in row.items]

    def _blocks_in(self, trace: str) -> dict[str, str]:
        """Return the code of the blocks that a traceback names, known by the lines it shows."""
        found: dict[str, str] = {}
        last = self._code if self._code is not None else len(self.rows) - 1
        codes = [row for row in reversed(self.rows[: last + 1]) if row.kind == "code"]
        for place in places_in(trace):
            if place.source and place.file.startswith("<block ") and place.file not in found:
                for row in codes[:_MOST_BLOCKS]:
                    lines = row.text.split("\n", place.line)
                    if place.line <= len(lines) and lines[place.line - 1].strip() == place.source:
                        found[place.file] = row.key
                        break
        return found

    def _set_run(self, state: str, detail: str, console_detail: str = "") -> None:
        if self._code is not None:
            row = self.rows[self._code]
            row.state, row.detail = state, detail
            row.paused_line = self._paused_line if state == "running" else 0
            row.is_typing = row.is_typing and state == "running"
            self.mark(row.key)
        if self._run_console is not None and state != "running":
            console = self.rows[self._run_console]
            console.detail = " · ".join(filter(None, (self._block_name(), console_detail)))
            self.mark(console.key)

    def show_pause(self, line: int) -> None:
        """Show before which line the code that runs is paused; 0 while it is not."""
        self._paused_line = line
        row = self.rows[self._code] if self._code is not None else None
        if row is not None and row.state == "running" and row.paused_line != line:
            row.paused_line = line
            self.mark(row.key)

    def show_going_on(self, text: str) -> None:
        """Show beside the code that ran last what computes on; '' for nothing."""
        ran = (row for row in reversed(self.rows) if row.kind == "code" and row.state in _BEGUN)
        row = next(ran, None) if text else None
        shown, self._going_on = self._going_on, row
        if shown is not None and shown is not row:
            shown.going_on = ""
            self.mark(shown.key)
        if row is not None and row.going_on != text:
            row.going_on = text
            self.mark(row.key)

    def _block_name(self) -> str:
        """Return which of several blocks the output is of; '' if there is only one."""
        row = self.rows[self._code] if self._code is not None else None
        if row is None or not row.group:
            return ""
        return tr("block {number}", number=row.group.index(row) + 1)

    def _store_output_path(self, report: RunReport) -> None:
        """Store the path of the whole output if only a part was shown."""
        if self._run_console is not None and report.output_path:
            self.rows[self._run_console].items = [report.output_path]


def input_of(row: Row) -> InputRequest | None:
    """Return the question of an input row."""
    content = row.message.content if row.message else None
    return content if isinstance(content, InputRequest) else None
