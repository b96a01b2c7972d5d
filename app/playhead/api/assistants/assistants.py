"""The parts of the Assistants format in the core: assistants, threads, runs."""

from __future__ import annotations

from msgspec import Struct

from playhead.api.assistants.assistant_store import AssistantStore
from playhead.api.assistants.runs import DECISION_TIMEOUT_S, Runs, TurnStarter
from playhead.api.assistants.threads import Threads
from playhead.api.turns.model_state import ModelState
from playhead.session.ports import Records
from playhead.session.sessions import Sessions


class Assistants(Struct, frozen=True):
    """All of it belongs to the core's thread."""

    store: AssistantStore
    threads: Threads
    runs: Runs


def make_assistants(
    sessions: Sessions,
    turns: TurnStarter,
    models: ModelState,
    records: Records,
    waits_s: float = DECISION_TIMEOUT_S,
) -> Assistants:
    """Return the connected parts; a run whose calls no one decides about ends after `waits_s`."""
    store, threads = AssistantStore(records, models), Threads(sessions, records)
    return Assistants(store, threads, Runs(turns, threads, store, waits_s))
