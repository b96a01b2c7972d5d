"""The yardstick for the server's cost: a loop that reads the model worker and drops what comes."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import aclosing

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import ModelSettings
from playhead.domain.secret import Secret
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker
from tests.benchmarks.report import report


async def read(provider: Provider, api_base: str, prompt: str) -> int:
    """Ask once; the chunks that came."""
    model = ModelSettings(model="openai/test", api_base=api_base, api_key=Secret("test-key"))
    asked = Message(id="m1", parent_id=None, role="user", type="message", content=prompt)
    count = 0
    async with aclosing(
        provider.stream(
            TurnRequest(turn_id="t", conversation_id="c", messages=(asked,), model=model)
        )
    ) as chunks:
        async for _ in chunks:
            count += 1
    return count


async def main(api_base: str, prompt: str, times: int) -> None:
    """Warm up, then read the answer so many times and tell what that cost."""
    provider = Provider(ModelWorker(), canonical=lambda word: word)
    try:
        await read(provider, api_base, "10 chunks")
        began = time.process_time()
        for _ in range(times):
            await read(provider, api_base, prompt)
        report("read", cpu_s=time.process_time() - began)
    finally:
        await provider.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
