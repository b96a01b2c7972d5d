"""Nothing is lost between the core and a client, and a slow client costs no memory."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from playhead.api.server.outbox import JOIN_FROM, Outbox
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Table

START = Chunk(role="assistant", type="message", start=True)
END = Chunk(role="assistant", type="message", end=True)


def said(text: str) -> Chunk:
    return Chunk(role="assistant", type="message", content=text)


def printed(text: str) -> Chunk:
    return Chunk(role="computer", type="console", format="output", content=text)


def folded(chunks: list[Chunk]) -> list[tuple[object, ...]]:
    """The stream with neighbouring texts of a message as one."""

    def kind(chunk: Chunk) -> tuple[object, ...]:
        return (chunk.role, chunk.type, chunk.format, chunk.start, chunk.end, chunk.recipient)

    def is_text(chunk: Chunk) -> bool:
        return isinstance(chunk.content, str) and chunk.role != "server"

    return [
        (*key[1:], "".join(str(chunk.content) for chunk in group) if key[0] else list(group))
        for key, group in groupby(chunks, lambda chunk: (is_text(chunk), *kind(chunk)))
    ]


async def all_of(outbox: Outbox) -> list[Chunk]:
    chunks: list[Chunk] = []
    while taken := await outbox.take():
        chunks += taken
    return chunks


async def test_chunks_come_out_as_they_went_in() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    sent = [
        START,
        said("a"),
        said("b"),
        END,
        Chunk(role="server", type="status", content="complete"),
    ]
    assert all(outbox.put(chunk) for chunk in sent)
    outbox.close()
    assert await all_of(outbox) == sent
    assert await outbox.take() == []
    assert not outbox.put(START)


async def test_who_waits_is_woken_from_another_thread() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    sent = [START, *(said(f"{number} ") for number in range(2000)), END]

    def put() -> None:
        for chunk in sent:
            outbox.put(chunk)
        outbox.close()

    taking = asyncio.create_task(all_of(outbox))
    await asyncio.sleep(0)
    core = threading.Thread(target=put)
    core.start()
    assert folded(await taking) == folded(sent)
    core.join()


async def test_giving_up_waiting_loses_nothing() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    taking = asyncio.create_task(outbox.take())
    await asyncio.sleep(0)
    outbox.put(START)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    assert await outbox.take() == [START]


async def test_pieces_that_come_at_once_keep_their_boundaries() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    taking = asyncio.create_task(outbox.take())
    await asyncio.sleep(0)
    sent = [START, *(said(f"{number} ") for number in range(1_000)), END]
    for chunk in sent:
        outbox.put(chunk)
    assert await taking == sent


async def test_a_taker_in_another_thread_is_woken_after_the_step_that_put() -> None:
    core = asyncio.get_running_loop()
    made: asyncio.Future[Outbox] = core.create_future()
    taken: asyncio.Future[list[Chunk]] = core.create_future()

    async def take() -> None:
        outbox = Outbox(asyncio.get_running_loop())
        taking = asyncio.create_task(outbox.take())
        await asyncio.sleep(0)
        core.call_soon_threadsafe(made.set_result, outbox)
        chunks = await taking
        core.call_soon_threadsafe(taken.set_result, chunks)

    taker = threading.Thread(target=asyncio.run, args=(take(),))
    taker.start()
    outbox = await made
    sent = [START, *(said(f"{number} ") for number in range(3_000)), END]
    for chunk in sent:
        outbox.put(chunk)
    assert await taken == sent
    taker.join()


async def test_many_waiting_pieces_of_a_message_become_one() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    for chunk in (START, *(said("x") for _ in range(10_000)), END):
        outbox.put(chunk)
    outbox.close()
    chunks = await all_of(outbox)
    assert len(chunks) <= JOIN_FROM + 2
    assert folded(chunks) == [*folded([START, said("x" * 10_000), END])]


async def test_pieces_of_different_kinds_stay_apart() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    start, end = (
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", end=True),
    )
    line = Chunk(role="computer", type="console", format="active_line", content=3)
    filling = [chunk for _ in range(JOIN_FROM) for chunk in (START, END)]
    sent = [*filling, start, printed("a"), line, printed("b"), end, START, said("c"), END]
    for chunk in sent:
        outbox.put(chunk)
    outbox.close()
    assert await all_of(outbox) == sent


async def test_pieces_of_different_formats_stay_apart_though_many_wait() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    start, end = (
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", end=True),
    )
    filling = [chunk for _ in range(JOIN_FROM) for chunk in (START, END)]
    sent = [
        *filling,
        start,
        printed("a"),
        Chunk(role="computer", type="console", format="log", content="b"),
        end,
    ]
    for chunk in sent:
        outbox.put(chunk)
    outbox.close()
    assert await all_of(outbox) == sent


async def test_messages_of_one_piece_each_stay_apart_though_many_wait() -> None:
    outbox = Outbox(asyncio.get_running_loop())
    sent = [
        Chunk(role="user", type="message", content=str(number)) for number in range(2 * JOIN_FROM)
    ]
    for chunk in sent:
        outbox.put(chunk)
    outbox.close()
    assert await all_of(outbox) == sent


async def test_a_client_that_does_not_read_is_given_up() -> None:
    outbox = Outbox(asyncio.get_running_loop(), limit_bytes=100_000)
    overrun = asyncio.Event()
    outbox.on_overrun = overrun.set
    outbox.put(START)
    number = 0
    while outbox.put(said("x" * 1000)):
        number += 1
    assert number < 100
    assert not outbox.put(END)
    await overrun.wait()
    *chunks, end, error = await all_of(outbox)
    assert (end.type, end.end) == ("message", True)
    assert isinstance(error.content, Failure)
    assert error.content.code == "client_too_slow"
    assert sum(len(str(chunk.content)) for chunk in chunks if chunk.content) == 1000 * (number + 1)


async def test_what_waits_is_bounded_in_memory_also_in_tiny_pieces() -> None:
    outbox = Outbox(asyncio.get_running_loop(), limit_bytes=1_000_000)
    outbox.put(START)
    tracemalloc.start()
    try:
        while outbox.put(said("x")):
            pass
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 4_000_000


def test_a_loop_that_has_ended_takes_no_more() -> None:
    async def opened() -> Outbox:
        return Outbox(asyncio.get_running_loop())

    outbox = asyncio.run(opened())
    assert not outbox.put(START)
    outbox.close()


@given(st.lists(st.lists(st.text(min_size=1), max_size=40), max_size=10), st.integers(1, 9))
def test_any_reader_gets_the_same_texts(messages: list[list[str]], pace: int) -> None:
    sent = [chunk for texts in messages for chunk in (START, *(said(text) for text in texts), END)]

    async def sent_and_taken() -> list[Chunk]:
        outbox = Outbox(asyncio.get_running_loop())
        taken: list[Chunk] = []
        for number, chunk in enumerate(sent):
            outbox.put(chunk)
            if number % (pace * 17) == 0:
                taken += await outbox.take()
        outbox.close()
        return taken + await all_of(outbox)

    assert folded(asyncio.run(sent_and_taken())) == folded(sent)


def test_tables_count_by_their_size():
    async def fill() -> bool:
        outbox = Outbox(asyncio.get_running_loop(), limit_bytes=100_000)
        rows = tuple(("a rather long text in a cell",) for _ in range(1000))
        table = Chunk(
            role="computer",
            type="table",
            content=Table(columns=("a",), dtypes=("object",), rows=rows, total_rows=1000),
        )
        return all(outbox.put(table) for _ in range(10))

    assert not asyncio.run(fill())
