"""Full collections of garbage wait for the pauses between answers."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from playhead.bootstrap.window_life import GarbageSchedule

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="this Python collects in small steps by itself"
)


class Work(QObject):
    """Something that streams or not, and the full collections meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.is_busy = True
        self.full = 0
        self.schedule = GarbageSchedule(lambda: self.is_busy, self)

    def go_on(self, middle_collections: int) -> None:
        for _ in range(middle_collections):
            gc.collect(1)
        self.schedule.look()

    def count(self, phase: str, info: dict[str, int]) -> None:
        self.full += phase == "start" and info["generation"] == 2


@pytest.fixture
def work(qapp: QApplication) -> Iterator[Work]:
    before = gc.get_threshold()
    gc.collect()
    work = Work()
    work.schedule.begin()
    gc.callbacks.append(work.count)
    try:
        yield work
    finally:
        gc.callbacks.remove(work.count)
        gc.set_threshold(*before)
        gc.unfreeze()
        work.deleteLater()


def test_what_streams_is_not_held_up_by_a_full_collection(work: Work):
    work.go_on(50)
    assert work.full == 0
    work.is_busy = False
    work.go_on(0)
    assert work.full == 1


def test_nothing_is_collected_while_little_is_made(work: Work):
    work.is_busy = False
    work.go_on(2)
    assert work.full == 0


def test_an_answer_without_end_cannot_fill_the_memory(work: Work):
    work.go_on(100)
    assert work.full == 1


def test_objects_of_the_start_are_not_looked_at_again(work: Work):
    assert gc.get_freeze_count() > 10_000
    assert gc.isenabled()
