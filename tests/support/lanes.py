"""One request through both lanes to a model: what each of them makes of the same answer."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from playhead.model_worker.protocol import Ask, Delta, Deltas, Done, Failed, Tokens
from playhead.providers.worker import LITELLM, WorkerProcess
from tests.support.model_server import ModelServer, Reply, Request
from tests.support.workers import SharedWorker

QUESTION = [{"role": "user", "content": "What's 34/24?"}]


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a request: the deltas, how it ended, or the code of its failure."""

    deltas: tuple[Delta, ...]
    reason: str = ""
    tokens: Tokens | None = None
    failure: str = ""

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.deltas)

    @property
    def reasoning(self) -> str:
        return "".join(delta.reasoning for delta in self.deltas)

    @property
    def calls(self) -> dict[int, tuple[str, str, str]]:
        """Id, name and arguments of each call, whole."""
        found: dict[int, tuple[str, str, str]] = {}
        for piece in (piece for delta in self.deltas for piece in delta.calls):
            call_id, name, arguments = found.get(piece.index, ("", "", ""))
            found[piece.index] = (
                call_id or piece.id,
                name or piece.name,
                arguments + piece.arguments,
            )
        return found


class Lanes:
    """The worker of each lane, on a server that gives both the same answer."""

    def __init__(self, server: ModelServer, http: WorkerProcess, litellm: WorkerProcess) -> None:
        self.server = server
        self._workers = (http, litellm)

    async def ask(self, reply: Reply, model: str, **more: Any) -> tuple[Outcome, Outcome]:
        """Return what the HTTP lane makes of the answer, and what litellm does."""
        self.server.script = reply
        path = "" if model.startswith(("anthropic/", "cohere/")) else "/v1"
        base = self.server.base_url.removesuffix("/v1") + path
        fields = {"messages": QUESTION, "api_base": base, "api_key": "sk-lanes", **more}
        ask = Ask(turn="", model=model, **fields)
        outcomes = [await _outcome(worker, ask) for worker in self._workers]
        return outcomes[0], outcomes[1]

    def asked(self) -> tuple[Request, Request]:
        """Return what the last request was in each lane."""
        return self.server.requests[-2], self.server.requests[-1]


@asynccontextmanager
async def both_lanes(shared: SharedWorker) -> AsyncGenerator[Lanes]:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(ModelServer())
        workers: list[WorkerProcess] = []
        for command in (shared.command, (*shared.command, LITELLM)):
            worker = await WorkerProcess.start(command, {})
            stack.push_async_callback(worker.close)
            assert await worker.ready()
            workers.append(worker)
        yield Lanes(server, *workers)


async def _outcome(worker: WorkerProcess, ask: Ask) -> Outcome:
    ask = replace(ask, turn=uuid.uuid4().hex)
    answers = worker.open(ask.turn)
    await worker.send(ask)
    deltas: list[Delta] = []
    while True:
        match await answers.get():
            case Deltas(deltas=more):
                deltas += more
            case Done(finish_reason=reason, usage=tokens):
                return Outcome(deltas=tuple(deltas), reason=reason, tokens=tokens)
            case Failed(code=code):
                return Outcome(deltas=tuple(deltas), failure=code)
            case other:
                raise AssertionError(f"neither an answer nor a failure: {other}")
