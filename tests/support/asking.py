"""Real answers for tests: a provider on the shared worker, asked about a loopback server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.conversation.payloads import Usage
from playhead.domain.model import ConnectionSettings, ModelSettings
from playhead.domain.secret import Secret
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker
from tests.support.model_server import ModelServer
from tests.support.workers import SharedWorker

KEY = "sk-this-is-a-very-secret-key"


def canonical(word: str) -> str | None:
    return {"py": "python", "python": "python"}.get(word)


@asynccontextmanager
async def provider_of(worker: SharedWorker, **more: Any) -> AsyncIterator[Provider]:
    provider = Provider(ModelWorker(worker.command, **more), canonical)
    try:
        yield provider
    finally:
        await provider.close()


def request(server: ModelServer, text: str = "hello", **model: Any) -> TurnRequest:
    settings = {
        "model": "openai/test",
        "api_base": server.base_url,
        "api_key": Secret(KEY),
        "connection": ConnectionSettings(retries=0),
    }
    asked = Message(id="m1", parent_id=None, role="user", type="message", content=text)
    return TurnRequest(
        turn_id="t",
        conversation_id="c",
        messages=(asked,),
        model=ModelSettings(**{**settings, **model}),
    )


async def chunks_of(provider: Provider, asked: TurnRequest) -> list[Chunk]:
    return [chunk async for chunk in provider.stream(asked)]


def contents(chunks: list[Chunk]) -> list[object]:
    said = (chunk.content for chunk in chunks if chunk.type != "usage")
    return [content for content in said if content is not None]


def usage_of(chunks: list[Chunk]) -> Usage:
    """What the last chunk says; no other tells usage."""
    assert [chunk.type == "usage" for chunk in chunks[:-1]] == [False] * (len(chunks) - 1)
    assert isinstance(chunks[-1].content, Usage)
    return chunks[-1].content
