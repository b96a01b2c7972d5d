"""The dialogue that the chunk format is known by, through every real part but the window."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.settings import AppSettings
from playhead.execution.process_executor import ProcessExecutor
from playhead.formats.wire.native.encode import encode_chunk, is_extended
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker
from playhead.session.ports import SessionPorts
from playhead.session.session import Session
from tests.support.model_server import GOLDEN_ANSWER, GOLDEN_CODE, ModelServer, execute, text
from tests.support.ports import KeysInMemory, OneInterpreter, SettingsInMemory, SmallCatalog
from tests.support.waiting import until
from tests.support.workers import SharedWorker

GOLDEN = Path(__file__).parents[1] / "data" / "division_dialogue.jsonl"


LIMIT_S = 100.0  # for a machine with much else to do


@pytest.mark.parametrize("pace_s", [0.0, 0.03], ids=["flat out", "paced"])
async def test_the_division_dialogue_comes_out_chunk_for_chunk(
    model_worker: SharedWorker, tmp_path: Path, pace_s: float
):
    with ModelServer([execute(*GOLDEN_CODE), text(*GOLDEN_ANSWER)]) as server:
        server.pace_s = pace_s
        executor = ProcessExecutor(tmp_path / "outputs")
        provider = Provider(ModelWorker(model_worker.command), executor.canonical)
        settings = AppSettings(
            model="openai/test", api_base=server.base_url, interpreter=sys.executable
        )
        ports = SessionPorts(
            provider=provider,
            executor=executor,
            interpreters=OneInterpreter(),
            settings=SettingsInMemory(settings),
            keys=KeysInMemory(openai="sk-test"),
            catalog=SmallCatalog(),
        )
        session = Session(Conversation(), ports, str(tmp_path))
        told: list[dict[str, object]] = []
        session.conversation.subscribe(lambda event: _note(event, told))
        try:
            session.send("What's 34/24?")
            await until(lambda: session.pending, timeout=LIMIT_S)
            assert session.pending is not None
            session.approve(session.pending.id)
            await until(lambda: session.state == "idle", timeout=LIMIT_S)
        finally:
            await session.close()
            await executor.close()
            await provider.close()
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert told[:-1] == golden
    assert told[-1] == {"role": "server", "type": "status", "content": "complete"}
    result = server.requests[-1].body["messages"][-1]
    assert (result["role"], result["content"]) == ("tool", "1.4166666666666667")


def _note(event: ConversationEvent, told: list[dict[str, object]]) -> None:
    """What a plain reader is told: neither the user's own words nor our faces' kinds."""
    chunk = event.chunk
    if chunk is None or chunk.role == "user" or chunk.type == "usage" or is_extended(chunk):
        return
    wire = encode_chunk(chunk)
    wire.pop("id", None)  # the call's own, which the format allows on a start
    told.append(wire)
