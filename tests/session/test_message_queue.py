"""Messages that wait for the turn that is under way, over scripted ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Attachment
from playhead.errors import ProviderError, SessionError
from playhead.session.message_queue import QueuedMessage
from playhead.session.session import Session
from tests.support.ports import Answer, RecordingExecutor, ScriptedProvider, coded, ports_with, said
from tests.support.waiting import until


class Bench:
    """A session whose model answers by a script, and what the user has sent in it."""

    def __init__(self, *answers: Answer) -> None:
        self.provider = ScriptedProvider(*answers)
        ports = ports_with(self.provider, RecordingExecutor())
        self.session = Session(Conversation(), ports, str(Path.home()))
        self.queue = self.session.queue
        self.told: list[str] = []
        self.session.subscribe(lambda event: self.told.append(event.kind))

    @property
    def sent(self) -> list[str]:
        return [one.text for one in self.session.conversation.messages if one.role == "user"]

    @property
    def waiting(self) -> list[str]:
        return [one.text for one in self.queue.messages]

    async def asked(self) -> str:
        await until(lambda: self.session.pending)
        assert self.session.pending is not None
        return self.session.pending.id

    async def rests(self) -> None:
        await until(lambda: self.session.is_idle)


async def test_what_waits_goes_one_after_the_other_when_the_turn_rests():
    bench = Bench(coded("1"), said("One."), said("Two."), said("Three."))
    bench.session.send("first")
    proposal = await bench.asked()
    bench.queue.add("second")
    bench.queue.add("third", [Attachment(kind="file", path="/a.csv", name="a.csv")])
    assert (bench.sent, bench.waiting) == (["first"], ["second", "third"])
    bench.session.approve(proposal)
    await until(lambda: bench.sent == ["first", "second", "/a.csv", "third"])
    await bench.rests()
    assert bench.waiting == []
    assert len(bench.provider.requests) == 4
    answers = [one.text for one in bench.session.conversation.messages if one.type == "message"]
    assert answers == ["first", "One.", "second", "Two.", "third", "Three."]


async def test_a_stop_keeps_what_waits_until_it_is_asked_for():
    bench = Bench(coded("1"), said("Two."))
    bench.session.send("first")
    await bench.asked()
    bench.queue.add("second")
    bench.session.stop()
    await bench.rests()
    assert (bench.sent, bench.waiting, bench.queue.is_held) == (["first"], ["second"], True)
    bench.queue.resume()
    await bench.rests()
    assert (bench.sent, bench.waiting, bench.queue.is_held) == (["first", "second"], [], False)


async def test_a_stop_of_running_code_keeps_what_waits_too():
    bench = Bench(coded("wait"))
    bench.session.set_auto_run(True)
    bench.session.send("first")
    await until(lambda: bench.session.state == "running")
    bench.queue.add("second")
    bench.session.stop()
    await bench.rests()
    assert (bench.waiting, bench.queue.is_held) == (["second"], True)


async def test_a_restart_of_the_kernel_in_a_run_keeps_what_waits():
    bench = Bench(coded("wait"))
    bench.session.set_auto_run(True)
    bench.session.send("first")
    await until(lambda: bench.session.state == "running")
    bench.queue.add("second")
    bench.session.restart_kernel()
    await bench.rests()
    assert (bench.waiting, bench.queue.is_held) == (["second"], True)


async def test_a_failure_keeps_what_waits():
    bench = Bench([ProviderError("The key was refused.")])
    bench.session.send("first")
    bench.queue.add("second")
    await bench.rests()
    assert (bench.sent, bench.waiting, bench.queue.is_held) == (["first"], ["second"], True)


async def test_what_is_sent_while_others_are_held_goes_before_them():
    bench = Bench(coded("1"), said("Between."))
    bench.session.send("first")
    await bench.asked()
    bench.queue.add("held")
    bench.session.stop()
    await bench.rests()
    bench.session.send("at once")
    await bench.rests()
    assert (bench.sent, bench.waiting) == (["first", "at once"], ["held"])


async def test_an_edited_message_keeps_its_place_and_lets_none_overtake_it():
    bench = Bench(coded("1"))
    bench.session.send("first")
    proposal = await bench.asked()
    bench.queue.add("second")
    bench.queue.add("third")
    bench.queue.begin_edit(bench.queue.messages[0].id)
    bench.session.approve(proposal)
    await bench.rests()
    assert bench.waiting == ["second", "third"]
    bench.queue.end_edit("second, better")
    await until(lambda: bench.sent == ["first", "second, better", "third"])
    await bench.rests()


async def test_a_removed_message_is_never_sent():
    bench = Bench(coded("1"))
    bench.session.send("first")
    proposal = await bench.asked()
    bench.queue.add("second")
    bench.queue.add("third")
    bench.queue.begin_edit(bench.queue.messages[0].id)
    bench.queue.remove(bench.queue.messages[0].id)
    bench.session.approve(proposal)
    await until(lambda: bench.sent == ["first", "third"])
    await bench.rests()


async def test_messages_of_an_earlier_start_wait_to_be_asked_for():
    bench = Bench()
    bench.queue.put_back([QueuedMessage("a", "from before")])
    assert (bench.sent, bench.queue.is_held) == ([], True)
    assert bench.told == ["queue"]
    bench.queue.resume()
    await bench.rests()
    assert bench.sent == ["from before"]


async def test_nothing_does_not_wait():
    with pytest.raises(SessionError):
        Bench().queue.add("  ")
