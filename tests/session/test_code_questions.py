"""What can follow code comes from the idle kernel first, then from what reads the code."""

from __future__ import annotations

import asyncio

from playhead.domain.execution import Candidate, CodePlace, Completions, Description
from playhead.errors import ExecutionError
from playhead.session.code_runs import CodeQuestions
from tests.support.ports import RecordingExecutor
from tests.support.waiting import until

PLACE = CodePlace("np.")


def these(*texts: str, length: int = 0) -> Completions:
    return Completions(length, tuple(Candidate(text, "function") for text in texts))


class Kernel(RecordingExecutor):
    """A kernel that answers when it is allowed to; without an answer it is busy."""

    def __init__(self, found: Completions | None, told: str = "") -> None:
        super().__init__()
        self.found, self.told = found, told
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.asked: list[str] = []

    async def complete(self, conversation_id: str, code: str, *, is_asked: bool) -> Completions:
        self.asked.append(code)
        await self.may_answer.wait()
        if self.found is None:
            raise ExecutionError("The kernel is busy.")
        return self.found

    async def describe(self, conversation_id: str, code: str, *, is_call: bool) -> Description:
        await self.may_answer.wait()
        if self.found is None:
            raise ExecutionError("The kernel is busy.")
        return Description(name=self.told)


class Reader:
    """What reads code; it keeps the places that it was asked about."""

    def __init__(self, found: Completions, told: str = "") -> None:
        self.found, self.told = found, told
        self.asked: list[tuple[str, str]] = []

    async def complete(
        self, place: CodePlace, folder: str, interpreter: str, *, is_asked: bool
    ) -> Completions:
        self.asked.append((folder, interpreter))
        return self.found

    async def describe(
        self, place: CodePlace, folder: str, interpreter: str, *, is_call: bool
    ) -> Description:
        self.asked.append((folder, interpreter))
        return Description(name=self.told)

    async def close(self) -> None:
        return None


def questions(kernel: Kernel, reader: Reader | None) -> CodeQuestions:
    return CodeQuestions(kernel, reader, "c", lambda: ("/folder", "/python"))


async def yielded(asking: CodeQuestions) -> list[Completions]:
    return [found async for found in asking.completions(PLACE, is_asked=False)]


async def test_an_idle_kernel_answers_first_and_no_name_is_listed_twice():
    reader = Reader(these("abs", "zeros"))
    found = await yielded(questions(Kernel(these("abs", "array")), reader))
    assert found == [these("abs", "array"), these("zeros")]
    assert reader.asked == [("/folder", "/python")]


async def test_candidates_for_another_part_of_the_text_are_not_mixed():
    found = await yielded(questions(Kernel(these("a")), Reader(these("'a'", length=1))))
    assert found == [these("a")]
    found = await yielded(questions(Kernel(these()), Reader(these("'a'", length=1))))
    assert found == [these("'a'", length=1)]


async def test_a_busy_or_slow_kernel_holds_nothing_up():
    assert await yielded(questions(Kernel(None), Reader(these("abs")))) == [these("abs")]
    slow = Kernel(these("abs", "mine"))
    slow.may_answer.clear()
    asking = questions(slow, Reader(these("abs"))).completions(PLACE, is_asked=False)
    assert await anext(asking) == these("abs")
    slow.may_answer.set()
    assert [one async for one in asking] == [these("mine")]


async def test_nothing_is_found_once():
    assert await yielded(questions(Kernel(None), Reader(these()))) == [Completions()]
    assert await yielded(questions(Kernel(these()), None)) == [Completions()]


async def test_of_the_questions_that_wait_for_the_kernel_only_the_newest_is_asked():
    kernel = Kernel(these("abs"))
    kernel.may_answer.clear()
    asking = questions(kernel, None)
    places = [CodePlace("a" * number) for number in (1, 2, 3)]

    async def ask(place: CodePlace) -> list[Completions]:
        return [found async for found in asking.completions(place, is_asked=False)]

    tasks = [asyncio.create_task(ask(place)) for place in places]
    await until(lambda: kernel.asked)
    kernel.may_answer.set()
    assert [await task for task in tasks] == [[these("abs")], [Completions()], [these("abs")]]
    assert kernel.asked == ["a", "aaa"]


async def test_what_the_kernel_does_not_know_is_described_by_what_reads_the_code():
    describe = questions(Kernel(these(), told="live"), Reader(these(), told="read")).describe
    assert (await describe(PLACE, is_call=False)).name == "live"
    describe = questions(Kernel(these()), Reader(these(), told="read")).describe
    assert (await describe(PLACE, is_call=False)).name == "read"
    describe = questions(Kernel(None), Reader(these(), told="read")).describe
    assert (await describe(PLACE, is_call=True)).name == "read"
    assert (await questions(Kernel(None), None).describe(PLACE, is_call=True)).name == ""
    slow = Kernel(these(), told="live")
    slow.may_answer.clear()
    describe = questions(slow, Reader(these(), told="read")).describe
    assert (await describe(PLACE, is_call=False)).name == "read"
