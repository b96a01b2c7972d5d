"""What there is of the Assistants format in the core: assistants, threads, runs."""

from __future__ import annotations

from dataclasses import dataclass

from playhead.api.assistants_runs import WAITS_S, Asks, Runs
from playhead.api.assistants_shelf import Shelf
from playhead.api.assistants_threads import Threads
from playhead.api.model_state import ModelState
from playhead.session.ports import Records
from playhead.session.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Assistants:
    """All of it belongs to the core's thread."""

    shelf: Shelf
    threads: Threads
    runs: Runs


def make_assistants(
    sessions: Sessions,
    turns: Asks,
    models: ModelState,
    records: Records,
    waits_s: float = WAITS_S,
) -> Assistants:
    """The parts, joined; runs that nobody decides about end after `waits_s`."""
    shelf, threads = Shelf(records, models), Threads(sessions, records)
    return Assistants(shelf, threads, Runs(turns, threads, shelf, waits_s))
