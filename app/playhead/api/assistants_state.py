"""What is known of threads and their runs, and how it is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from playhead.api.api_turn import ApiTurn, Outbox
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.history import Record
from playhead.domain.model import EXECUTE, ModelChoice
from playhead.formats.wire.assistants.objects import RunFacts, RunStatus, ended_run, ended_step
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.entry import Entry
from playhead.session.ports import Records
from playhead.session.session import Session
from playhead.session.turn_settings import TurnOptions

ACTIVE = frozenset({"queued", "in_progress", "requires_action", "cancelling"})
_CLOSED: Wire = {"code": "server_error", "message": "Playhead ended while the run went on."}
_STEPS_AFTER = {"completed": "completed", "incomplete": "completed"}
"""How steps that are still open end with their run; else as the run itself does."""


class Line(Protocol):
    """The server's end of runs: makes outboxes, and drives runs that nobody streams."""

    def outbox(self) -> Outbox:
        """One that the server's thread can take from."""
        ...

    def start_soon(self, begun: Begun) -> None:
        """Drive a run; from any thread."""
        ...


@dataclass(frozen=True, slots=True)
class MessageAsked:
    """A message for a thread."""

    entry: Entry
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class RunAsked:
    """What a client wants of a run; None leaves it to the assistant.

    `choice` holds all that is said of the model but its default. `settings` are told as they are.
    """

    assistant_id: str
    choice: ModelChoice = field(default_factory=ModelChoice)
    model: str | None = None
    instructions: str | None = None
    more_instructions: str = ""
    messages: tuple[MessageAsked, ...] = ()
    tools: Sequence[Any] | None = None
    tool_choice: object = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    auto_run: bool = False
    client: str = ""
    is_from_own_code: bool = False
    stop_grace_s: float = 1.0


@dataclass(slots=True)
class RunState:
    """A run: as clients see it, and what holds it while it is active."""

    wire: Wire
    steps: dict[str, Wire] = field(default_factory=dict[str, Wire])
    facts: RunFacts | None = None
    options: TurnOptions = field(default_factory=TurnOptions)
    asked: RunAsked | None = None
    line: Line | None = None
    turn: ApiTurn | None = None
    outbox: Outbox | None = None
    proposal: Proposal | None = None
    """The code of it that waits, or waited last."""
    is_deciding: bool = False
    """Whether its client decides at this moment: what waits then goes on for it."""
    releases: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])
    """To be called when it is over."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.wire["id"]

    @property
    def status(self) -> RunStatus:
        """How it stands."""
        return self.wire["status"]

    @property
    def is_active(self) -> bool:
        """Whether its thread belongs to it."""
        return self.status in ACTIVE

    @property
    def required(self) -> list[Wire]:
        """The calls whose outputs it waits for."""
        action = self.wire["required_action"]
        return action["submit_tool_outputs"]["tool_calls"] if action else []

    def end(self, status: RunStatus, error: Wire | None = None) -> None:
        """It ends while nothing of it is streamed."""
        self.wire = ended_run(self.wire, status, now_s(), error)
        self.settle()

    def settle(self) -> None:
        """It is over, and so is all that it held open."""
        status, error = self.status, self.wire["last_error"]
        for step_id, step in self.steps.items():
            if step["status"] == "in_progress":
                how = _STEPS_AFTER.get(status, status)
                self.steps[step_id] = ended_step(step, how, now_s(), error)
        releases, self.releases = self.releases, []
        for release in releases:
            release()
        self.turn = self.outbox = self.asked = self.line = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A run whose turn has begun, or goes on, for the server's thread to drive."""

    conversation_id: str
    facts: RunFacts
    wire: Wire
    turn: ApiTurn
    outbox: Outbox
    resumed: tuple[Wire, ...] = ()
    opened: Wire | None = None
    """Its thread where that is new."""
    spent: Mapping[str, int] | None = None
    """What its earlier streams took."""


@dataclass(slots=True)
class ThreadState:
    """A thread; `kept` is what is known of its messages besides what the conversation has."""

    session: Session
    wire: Wire
    records: Records
    runs: dict[str, RunState] = field(default_factory=dict[str, RunState])
    kept: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    @property
    def id(self) -> str:
        """Its id."""
        return self.wire["id"]

    @property
    def conversation_id(self) -> str:
        """That of its conversation."""
        return self.session.conversation.id

    @property
    def active(self) -> RunState | None:
        """The run that goes on in it."""
        return next((run for run in reversed(self.runs.values()) if run.is_active), None)

    def keep_thread(self) -> None:
        """Write its own fields."""
        self._put("thread", "thread", self.wire)

    def keep_run(self, run: RunState) -> None:
        """Write a run and its steps."""
        self._put("run", run.id, run.wire)
        for step in run.steps.values():
            self._put("step", step["id"], step)

    def keep_message(self, message_id: str) -> None:
        """Write what is known of a message."""
        self._put("message", message_id, self.kept[message_id])

    def read(self, records: Sequence[Record]) -> None:
        """Take what an earlier process wrote; runs that it did not end have failed."""
        for record in records:
            told = json.loads(record.content)
            match told["kind"]:
                case "thread":
                    self.wire = told["wire"]
                case "run":
                    self.runs[record.id] = RunState(told["wire"])
                case "step" if (run := self.runs.get(told["wire"]["run_id"])) is not None:
                    run.steps[record.id] = told["wire"]
                case "message":
                    self.kept[record.id] = told["wire"]
                case _:
                    pass
        for run in self.runs.values():
            self._recover(run)

    def _recover(self, run: RunState) -> None:
        waits = run.status == "requires_action"
        waits_for_code = any(call["function"]["name"] == EXECUTE for call in run.required)
        if waits and (run.wire["expires_at"] or 0) <= now_s():
            run.end("expired")
        elif run.is_active and (not waits or waits_for_code):
            run.end("failed", _CLOSED)

    def _put(self, kind: str, record_id: str, wire: Mapping[str, Any]) -> None:
        content = json.dumps({"kind": kind, "wire": wire}, ensure_ascii=False)
        self.records.put(Record(self.conversation_id, record_id, content))


def now_s() -> int:
    """The time of now, as the format tells times."""
    return int(time.time())
