"""Nothing is lost and nothing comes twice, however often what carries it is cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.supervisor.keeper import sent_journal
from playhead.supervisor.keeper.resumable_stream import (
    MESSAGE_LIMIT,
    TAKEN,
    LinkError,
    ResumableStream,
    SentBytes,
)
from playhead.supervisor.keeper.sent_journal import SentJournal

MESSAGES = st.lists(
    st.tuples(st.sampled_from([b"o", b"r", b"i"]), st.binary(max_size=300)), max_size=12
)


class Ends:
    """Two ends, and the bytes between them that a cut loses."""

    def __init__(self, near: ResumableStream, far: ResumableStream, chance: random.Random) -> None:
        self.ends = (near, far)
        self.arrived: tuple[list[tuple[bytes, bytes]], ...] = ([], [])
        self._chance = chance
        self._way = [bytearray(), bytearray()]
        self.cuts = 0
        self.cut()

    def cut(self) -> None:
        """Lose what is on its way; begin again with what each end says that it has."""
        self.cuts += 1
        self._way = [bytearray(), bytearray()]
        near, far = self.ends
        near.begin(far.received)
        far.begin(near.received)

    def step(self) -> None:
        """Have one end write, or a part of what is on its way arrive."""
        which = self._chance.randrange(2)
        if self._chance.random() < 0.5:
            self._way[which] += self.ends[which].next_bytes()
        else:
            count = self._chance.randint(0, len(self._way[which]))
            part = bytes(self._way[which][:count])
            del self._way[which][:count]
            self.arrived[1 - which].extend(self.ends[1 - which].feed(part))

    def settle(self) -> None:
        """Let all arrive."""
        while not all(end.is_all_sent for end in self.ends) or any(self._way):
            for which, end in enumerate(self.ends):
                self._way[which] += end.next_bytes()
                part, self._way[which] = bytes(self._way[which]), bytearray()
                self.arrived[1 - which].extend(self.ends[1 - which].feed(part))


@given(MESSAGES, MESSAGES, st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 0.5]))
def test_all_messages_arrive_once_and_in_order(
    there: list[tuple[bytes, bytes]], back: list[tuple[bytes, bytes]], seed: int, cuts: float
) -> None:
    chance = random.Random(seed)
    ends = Ends(ResumableStream(SentBytes()), ResumableStream(SentBytes()), chance)
    waiting = [list(there), list(back)]
    while any(waiting):
        which = chance.randrange(2)
        if waiting[which]:
            ends.ends[which].send(*waiting[which].pop(0))
        for _ in range(chance.randint(0, 4)):
            ends.step()
        if chance.random() < cuts:
            ends.cut()
    ends.settle()
    assert ends.arrived == (back, there)
    assert all(end.unacknowledged == 0 for end in ends.ends)


def test_a_thousand_cuts_lose_nothing_of_a_long_output(tmp_path: Path) -> None:
    chance = random.Random(7)
    journal = SentJournal(str(tmp_path), memory_bytes=4 << 20)
    ends = Ends(ResumableStream(SentBytes()), ResumableStream(journal), chance)
    sent: list[tuple[bytes, bytes]] = []
    while ends.cuts <= 1000:
        message = (b"o", chance.randbytes(chance.choice((3, 700, 9000))))
        sent.append(message)
        ends.ends[1].send(*message)
        for _ in range(chance.randint(0, 6)):
            ends.step()
        if chance.random() < 0.4:
            ends.cut()
    ends.settle()
    assert ends.arrived[0] == sent
    journal.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "data",
    [
        b"X" + bytes(12),
        b"D" + bytes(8) + (MESSAGE_LIMIT + 1).to_bytes(4, "big"),
        b"D" + (9).to_bytes(8, "big") + (1).to_bytes(4, "big") + b"x",
        b"A" + (9).to_bytes(8, "big") + bytes(4),
        b"D" + bytes(8) + (5).to_bytes(4, "big") + b"o" + (MESSAGE_LIMIT + 1).to_bytes(4, "big"),
    ],
    ids=["unknown", "too long", "a gap", "more than was sent", "an endless message"],
)
def test_what_no_end_sends_ends_the_link(data: bytes) -> None:
    with pytest.raises(LinkError):
        ResumableStream(SentBytes()).feed(data)


def test_an_end_learns_that_another_took_its_place() -> None:
    end = ResumableStream(SentBytes())
    end.feed(TAKEN[:5])
    assert not end.is_taken
    end.feed(TAKEN[5:])
    assert end.is_taken


def journal_with(folder: Path, pieces: int, memory_mb: int = 2) -> SentJournal:
    """A journal with so many pieces of half a megabyte, each of one letter."""
    made = SentJournal(str(folder), memory_bytes=memory_mb << 20)
    for number in range(pieces):
        made.append(bytes([number]) * (1 << 19))
    return made


def content(journal: SentJournal, at: int) -> bytes:
    """What is there from an offset on."""
    found = bytearray()
    while part := journal.read(at + len(found), 100_000):
        found += part
    return bytes(found)


def test_what_has_not_arrived_goes_to_the_disk_and_comes_from_there(tmp_path: Path) -> None:
    journal = journal_with(tmp_path, 20)
    assert len(list(tmp_path.iterdir())) >= 8
    assert content(journal, 100) == b"".join(bytes([n]) * (1 << 19) for n in range(20))[100:]
    journal.forget(journal.end)
    journal.begin_run()
    assert not list(tmp_path.iterdir())


def test_who_comes_back_gets_the_run_from_its_start_or_what_is_left_of_it(tmp_path: Path) -> None:
    journal = journal_with(tmp_path, 2)
    journal.begin_run()
    began = journal.end
    for number in range(3):
        journal.append(b"%d" % number * 1000)
    journal.forget(journal.end)
    assert journal.rewind() == began
    assert content(journal, began) == b"0" * 1000 + b"1" * 1000 + b"2" * 1000
    journal.forget(journal.end)
    for _ in range(20):
        journal.append(b"x" * (1 << 19))
        journal.forget(journal.end)
    assert began < journal.rewind() < journal.end
    assert not list(tmp_path.iterdir())


def test_a_full_disk_stops_the_journal_and_says_so(tmp_path: Path) -> None:
    journal = journal_with(tmp_path / "gone", 12)
    assert journal.is_full
    assert journal.problem
    assert content(journal, 0)[-1] == 11
    assert sent_journal.MEMORY_BYTES < sent_journal.DISK_BYTES
