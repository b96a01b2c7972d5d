"""Models through the worker process: a turn's request in, chunks out."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from playhead.conversation.chunk import Chunk
from playhead.conversation.payloads import Usage
from playhead.conversation.requests import ModelFacts, ModelSettings, TurnRequest
from playhead.errors import ProviderError
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Delta,
    Deltas,
    Done,
    ListModels,
    ModelList,
)
from playhead.providers.delta_parser import Canonical, CutOffError, DeltaParser
from playhead.providers.live_worker import LiveWorker, WorkerStatus
from playhead.providers.system_prompt import offered_tools, system_prompt
from playhead.providers.transcript import chat_messages
from playhead.providers.worker_process import worker_command, worker_environment

__all__ = ["WorkerProvider", "WorkerStatus"]

_Value = TypeVar("_Value", bool, int)


class WorkerProvider:
    """Owns the worker and translates for it.

    `canonical` gives the language that a model's word names, or None (`Executor.canonical`).
    What the worker writes to stderr goes to `log_path`, without keys, or else to our own log.
    """

    def __init__(
        self,
        canonical: Canonical,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        log_path: Path | None = None,
    ) -> None:
        self._canonical = canonical
        inherited = worker_environment(os.environ if environment is None else environment)
        self._worker = LiveWorker(tuple(command or worker_command()), inherited, log_path)

    @property
    def status(self) -> WorkerStatus:
        """How the worker stands; while it is starting, a request waits for it."""
        return self._worker.status

    @property
    def worker_pid(self) -> int | None:
        """The worker's process number, if there is one."""
        return self._worker.pid

    def subscribe(self, listener: Callable[[WorkerStatus], None]) -> Callable[[], None]:
        """Tell `listener` of every change of `status`; call the result to end that."""
        return self._worker.subscribe(listener)

    async def start(self) -> None:
        """Start and warm the worker ahead of the first request; failures show there."""
        await self._worker.start()

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer as chunks, at last what it cost.

        Raises ProviderError; closing it closes the connection.
        """
        messages = chat_messages(request.messages, _system(request), request.folder)
        parser = DeltaParser(
            self._canonical,
            has_called_tools=request.has_called_tools,
            offers_execute=request.offers_execute,
            known_ids=(message.call_id or "" for message in request.messages),
        )
        async with aclosing(self._pieces(_ask(request.model, messages, request))) as pieces:
            async for piece in pieces:
                for chunk in _parsed(parser, piece, request.model.model):
                    yield chunk

    async def check(self, model: ModelSettings) -> str:
        """One small request; a sentence that says what answered. Raises ProviderError."""
        question = "This is a test of the connection. Answer with the single word: ready"
        ask = _ask(model, [{"role": "user", "content": question}], max_tokens=16)
        async with aclosing(self._pieces(ask)) as pieces:
            async for _ in pieces:
                pass
        where = f" at {model.api_base}" if model.api_base else ""
        return f"{model.model}{where} answered."

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """What the provider's own list says, else litellm's table. Raises ProviderError."""
        question = ListModels(
            turn=uuid.uuid4().hex,
            model=model.model,
            api_base=model.api_base or None,
            api_key=model.api_key.reveal() if model.api_key else None,
            proxy=model.connection.proxy,
            ca_file=model.connection.ca_file,
            connect_s=model.connection.connect_s,
            first_s=model.connection.first_s,
        )
        return await self._facts_of(question)

    async def facts(self, model: ModelSettings) -> ModelFacts:
        """What litellm's table says of a model, under the user's own word."""
        try:
            known = await self._facts_of(AboutModel(uuid.uuid4().hex, model.model))
        except ProviderError:  # no worker: nothing is known
            known = []
        return _with_word(known[0] if known else ModelFacts(model.model), model)

    async def close(self) -> None:
        """End the worker process."""
        await self._worker.close()

    async def _facts_of(self, question: ListModels | AboutModel) -> list[ModelFacts]:
        async with aclosing(self._worker.answers(question)) as answers:
            async for answer in answers:
                if isinstance(answer, ModelList):
                    return [ModelFacts(**asdict(known)) for known in answer.models]
        return []

    async def _pieces(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        async with aclosing(self._worker.answers(ask)) as answers:
            async for answer in answers:
                if isinstance(answer, Deltas):
                    for delta in answer.deltas:
                        yield delta
                elif isinstance(answer, Done):
                    yield answer


def _with_word(known: ModelFacts, model: ModelSettings) -> ModelFacts:
    """What the user says of a model counts over what a table says."""
    return replace(
        known,
        takes_tools=_first(model.takes_tools, known.takes_tools),
        takes_images=_first(model.supports_images, known.takes_images),
        context_tokens=_first(model.context_tokens, known.context_tokens),
    )


def _first(said: _Value | None, known: _Value | None) -> _Value | None:
    return known if said is None else said


def _ask(
    model: ModelSettings,
    messages: list[dict[str, Any]],
    request: TurnRequest | None = None,
    max_tokens: int | None = None,
) -> Ask:
    """The question; without a `request` no tools are offered."""
    return Ask(
        turn=uuid.uuid4().hex,
        model=model.model,
        messages=messages,
        tools=_offered(request) if request else [],
        needs_tools=bool(request and request.tools),
        tool_choice="required" if request is not None and request.must_call else None,
        api_base=model.api_base or None,
        api_key=model.api_key.reveal() if model.api_key else None,
        temperature=model.temperature,
        max_tokens=max_tokens or model.max_tokens,
        top_p=model.top_p,
        stop=list(model.stop),
        supports_images=model.supports_images,
        connect_s=model.connection.connect_s,
        first_s=model.connection.first_s,
        between_s=model.connection.between_s,
        extra=dict(model.extra),
        proxy=model.connection.proxy,
        ca_file=model.connection.ca_file,
        retries=model.connection.retries,
    )


def _system(request: TurnRequest) -> str:
    """Ours is about running code; without that, only what the request says itself."""
    if not request.offers_execute:
        return request.instructions.strip()
    return system_prompt(request.languages, request.folder, request.instructions)


def _offered(request: TurnRequest) -> list[dict[str, Any]]:
    return offered_tools(request.tools, request.languages, offers_execute=request.offers_execute)


def _usage(parser: DeltaParser, done: Done, model: str) -> Chunk:
    """What the answer cost and why it ended, in the words of OpenAI's finish reasons."""
    reason = done.finish_reason
    if reason not in ("length", "content_filter"):
        reason = "tool_calls" if parser.has_called else "stop"
    tokens = done.usage
    usage = Usage(
        input_tokens=tokens.input_tokens,
        output_tokens=tokens.output_tokens,
        finish_reason=reason,
        is_estimated=tokens.is_estimated,
        model=model,
        cached_tokens=tokens.cached_tokens,
        reasoning_tokens=tokens.reasoning_tokens,
        cost=tokens.cost,
    )
    return Chunk("server", "usage", content=usage)


def _parsed(parser: DeltaParser, piece: Delta | Done, model: str) -> list[Chunk]:
    if isinstance(piece, Delta):
        return parser.feed(piece)
    try:
        return [*parser.finish(piece.finish_reason), _usage(parser, piece, model)]
    except CutOffError as error:
        is_limit = piece.finish_reason == "length"
        raise ProviderError(
            "The answer broke off in the middle of code.",
            detail="It reached the limit of its length." if is_limit else "The call was not whole.",
            remedy="Raise the maximum of tokens in the settings." if is_limit else "Press Retry.",
            code="upstream_truncated",
        ) from error
