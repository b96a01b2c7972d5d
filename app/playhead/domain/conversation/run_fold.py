"""The runs of code along the shown path of a conversation, each with its place and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.effects import EffectState
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, FileChanges, Proposal, RunReport

RunOutcome = Literal["running", "ok", "failed", "stopped", "undone"]


class Run(Struct, frozen=True, kw_only=True):
    """A run: `message_id` is its code message, the others are where it begins and ends so far.

    `at` is when it began, in seconds since the epoch; `effect_id` names what it did among the
    effects that can be undone, `files` counts the files that it changed.
    """

    message_id: str
    started_id: str
    end_id: str
    language: str
    code: str
    at: float
    outcome: RunOutcome = "running"
    files: int = 0
    effect_id: str = ""


class RunFold:
    """Folds the messages of a path, in order, into its runs. Owner: who shows them."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.runs: list[Run] = []
        self._proposal: Proposal | None = None
        self._has_failed = False
        for message in messages:
            self.take(message)

    def take(self, message: Message) -> bool:
        """Take the next message; return whether a run began or ended with it."""
        match message.content:
            case Proposal() as proposal:
                self._proposal = proposal
            case RunReport(state="started"):
                self._begin(message)
                return True
            case _ if not self.runs or self.runs[-1].outcome != "running":
                pass
            case RunReport() as report:
                self._end(message, report)
                return True
            case _:
                self._go_on(message)
        return False

    def _begin(self, message: Message) -> None:
        if self.runs and self.runs[-1].outcome == "running":  # its end was not recorded
            self._set(outcome="stopped")
        asked, self._proposal = self._proposal, None
        self._has_failed = False
        self.runs.append(
            Run(
                message_id=asked.message_id if asked is not None else "",
                started_id=message.id,
                end_id=message.id,
                language=asked.language if asked is not None else "",
                code=asked.code if asked is not None else "",
                at=message.created_at,
            )
        )

    def _go_on(self, message: Message) -> None:
        if isinstance(message.content, CodeError):
            self._has_failed = True
        if isinstance(message.content, FileChanges):
            changes = message.content
            self._set(files=sum(changes.counts) + changes.moved_count)
            self._set(effect_id=changes.id or self.runs[-1].effect_id)
        if message.type == "console" and message.call_id:
            self._set(effect_id=self.runs[-1].effect_id or message.call_id)
        self._set(end_id=message.id)

    def _end(self, message: Message, report: RunReport) -> None:
        is_done = report.state == "finished"
        has_failed = self._has_failed or bool(report.exit_status)
        ended: RunOutcome = ("failed" if has_failed else "ok") if is_done else "stopped"
        self._set(end_id=message.id, outcome=ended)

    def _set(self, **changes: object) -> None:
        self.runs[-1] = replace(self.runs[-1], **changes)


def with_undone(runs: Iterable[Run], states: Mapping[str, EffectState]) -> list[Run]:
    """Return the runs, those as undone of which all changes were taken back."""
    return [
        replace(run, outcome="undone")
        if run.effect_id in states and states[run.effect_id].is_undone
        else run
        for run in runs
    ]
