"""The yardstick of a first answer: a new process that asks by bare httpx and prints a word."""

from __future__ import annotations

import asyncio
import json
import sys

import httpx


async def main(api_base: str) -> None:
    """Print the first piece of the answer."""
    body = {
        "model": "test",
        "messages": [{"role": "user", "content": "5 chunks"}],
        "stream": True,
    }
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", f"{api_base}/chat/completions", json=body) as answer,
    ):
        async for line in answer.aiter_lines():
            if line.startswith("data: {"):
                word = json.loads(line[6:])["choices"][0]["delta"].get("content")
                if word:
                    print(word, flush=True)
                    return


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
