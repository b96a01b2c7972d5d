"""Answers read by bare httpx, and by the window's own way into a conversation that is not drawn."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from contextlib import aclosing

import httpx

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import ModelSettings
from playhead.domain.secret import Secret
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker
from tests.benchmarks.report import report

ROUNDS = 15


async def read(client: httpx.AsyncClient, api_base: str, prompt: str) -> tuple[int, float]:
    """Ask once: how many pieces of text came, and when the first one did."""
    body = {
        "model": "test",
        "messages": [{"role": "user", "content": prompt}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    count, first_at = 0, 0.0
    async with client.stream("POST", f"{api_base}/chat/completions", json=body) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            choices = json.loads(line[6:])["choices"]
            if choices and choices[0]["delta"].get("content"):
                first_at = first_at or time.perf_counter()
                count += 1
    return count, first_at


async def first_through_us(provider: Provider, api_base: str, prompt: str) -> float:
    """Ask once through the model worker into a conversation: when the first piece came."""
    model = ModelSettings(model="openai/test", api_base=api_base, api_key=Secret("test-key"))
    asked = Message(id="m1", parent_id=None, role="user", type="message", content=prompt)
    first_at = 0.0
    talk = Conversation("c")
    async with aclosing(
        provider.stream(
            TurnRequest(turn_id="t", conversation_id="c", messages=(asked,), model=model)
        )
    ) as chunks:
        async for chunk in chunks:
            first_at = first_at or time.perf_counter()
            talk.apply(chunk)
    return first_at


async def main(api_base: str, chunks: int) -> None:
    """Tell the cost of a piece by httpx, and how much later the first one comes through us."""
    provider = Provider(ModelWorker(), canonical=lambda word: word)
    few, bare_ms, ours_ms = "3 chunks", list[float](), list[float]()
    try:
        await first_through_us(provider, api_base, few)
        async with httpx.AsyncClient() as client:
            await read(client, api_base, few)
            began = time.process_time()
            count, _ = await read(client, api_base, f"{chunks} chunks")
            cpu_s = time.process_time() - began
            began = time.process_time()
            await first_through_us(provider, api_base, f"{chunks} chunks")
            ours_s = time.process_time() - began
            for _ in range(ROUNDS):
                began = time.perf_counter()
                bare_ms.append(((await read(client, api_base, few))[1] - began) * 1000)
                began = time.perf_counter()
                ours_ms.append((await first_through_us(provider, api_base, few) - began) * 1000)
    finally:
        await provider.close()
    overhead_ms = statistics.median(ours_ms) - statistics.median(bare_ms)
    report("read", cpu_s=cpu_s, ours_s=ours_s, count=count, overhead_ms=overhead_ms)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
