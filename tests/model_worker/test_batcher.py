"""The first delta leaves at once, the rest in few lines, none is lost or joined."""

from __future__ import annotations

import asyncio

from playhead.model_worker.protocol import Delta, DeltaBatcher


async def test_the_first_delta_is_sent_at_once():
    sent: list[tuple[Delta, ...]] = []
    assert DeltaBatcher(sent.append).add(Delta(text="a"))
    assert sent == [(Delta(text="a"),)]


async def test_a_burst_becomes_few_lines_with_every_delta_in_order():
    sent: list[tuple[Delta, ...]] = []
    batcher = DeltaBatcher(sent.append)
    burst = [Delta(text=str(number)) for number in range(500)]
    for delta in burst:
        batcher.add(delta)
    batcher.flush()
    assert [delta for line in sent for delta in line] == burst
    assert len(sent) < len(burst)


async def test_what_waits_leaves_by_itself():
    done = asyncio.Event()
    sent: list[tuple[Delta, ...]] = []

    def send(deltas: tuple[Delta, ...]) -> None:
        sent.append(deltas)
        if len(sent) == 2:
            done.set()

    batcher = DeltaBatcher(send)
    batcher.add(Delta(text="a"))
    batcher.add(Delta(text="b"))
    async with asyncio.timeout(10):
        await done.wait()
    assert sent == [(Delta(text="a"),), (Delta(text="b"),)]
