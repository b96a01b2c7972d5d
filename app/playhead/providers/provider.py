"""Providers of answers: a model through its worker, and the choice between it and Direct mode."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec.structs import asdict, replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.payloads import Usage, Waiting
from playhead.domain.model import DIRECT_MODEL, ModelFacts, ModelSettings
from playhead.errors import ProviderError
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Delta,
    Deltas,
    Done,
    ListModels,
    ModelList,
    Retrying,
)
from playhead.providers.catalog import provider_of
from playhead.providers.parser.call_parser import CutOffError
from playhead.providers.parser.delta_parser import (
    CohereParser,
    DeltaParser,
    delta_parts,
    is_large_delta,
)
from playhead.providers.parser.prose_parser import Canonical
from playhead.providers.request_writer import RequestWriter, build_ask, estimate_tokens
from playhead.providers.worker import ModelWorker, WorkerStatus, worker_command, worker_environment

TOOLS_REFUSED = "tools_refused"
"""The worker's word for a model that takes no tools."""

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
        self._writer = RequestWriter()
        self._facts: dict[str, ModelFacts] = {}
        self._worker = ModelWorker(tuple(command or worker_command()), inherited, log_path)

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

    def on_death(self, listener: Callable[[int, list[str]], None]) -> None:
        """Tell of a worker that ends unasked: its status, and its last lines on stderr."""
        self._worker.on_death(listener)

    async def start(self) -> None:
        """Start and warm the worker ahead of the first request; failures show there."""
        await self._worker.start()

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer as chunks, at last what it cost.

        Raises ProviderError; closing it closes the connection.
        """
        try:
            async with aclosing(self._chunks(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        except ProviderError as error:
            if error.code != TOOLS_REFUSED:
                raise
            if request.tools:
                raise ProviderError(
                    error.title, detail=error.detail, remedy=error.remedy
                ) from error
        # It is told anew how to write code: in fences. No piece of an answer has come so far.
        self._writer.note_refusal(request.model)
        async with aclosing(self._chunks(request)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """What of the request its model takes; less at each further attempt."""
        await self._writer.prepare(request.interpreter)
        return self._writer.fitted(request, await self._known(request.model), attempt)

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """All that goes to the model, to be looked at; never the key."""
        await self._writer.prepare(fitted.request.interpreter)
        return self._writer.outgoing(fitted)

    async def _chunks(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        messages = self._writer.messages(request)
        tools = self._writer.tools(request)
        guess = estimate_tokens(messages, tools)
        parser = self._reader(request, takes_tools=bool(tools))
        ask = build_ask(request.model, messages, tools, must_call=request.must_call)
        async with aclosing(self._pieces(ask)) as pieces:
            async for piece in pieces:
                for chunk in _read_piece(parser, piece, request.model.model):
                    yield chunk
                if isinstance(piece, Done) and not piece.usage.is_estimated:
                    counted = piece.usage.input_tokens
                    self._writer.calibration.learn(request.conversation_id, guess, counted)

    async def _known(self, model: ModelSettings) -> ModelFacts:
        """The facts of a model, asked of the worker once."""
        if model.context_tokens is not None:
            return ModelFacts(model=model.model, context_tokens=model.context_tokens)
        if model.model not in self._facts:
            known = await self.facts(model)
            if self.status != "ready":
                return known  # nobody could be asked
            self._facts[model.model] = known
        return self._facts[model.model]

    async def check(self, model: ModelSettings) -> str:
        """One small request; a sentence that says what answered. Raises ProviderError."""
        question = "This is a test of the connection. Answer with the single word: ready"
        ask = build_ask(model, [{"role": "user", "content": question}], max_tokens=16)
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
        return _with_user_choice(known[0] if known else ModelFacts(model=model.model), model)

    async def close(self) -> None:
        """End the worker process."""
        await self._worker.close()

    async def _facts_of(self, question: ListModels | AboutModel) -> list[ModelFacts]:
        async with aclosing(self._worker.answers(question)) as answers:
            async for answer in answers:
                if isinstance(answer, ModelList):
                    return [ModelFacts(**asdict(known)) for known in answer.models]
        return []

    def _reader(self, request: TurnRequest, *, takes_tools: bool) -> DeltaParser | CohereParser:
        known_ids = [message.call_id or "" for message in request.messages]
        provider = provider_of(request.model.model)
        if provider == "cohere":
            return CohereParser(
                self._canonical, offers_execute=request.offers_execute, known_ids=known_ids
            )
        return DeltaParser(
            self._canonical,
            has_called_tools=takes_tools and request.has_called_tools,
            offers_execute=request.offers_execute,
            known_ids=known_ids,
            provider=provider,
        )

    async def _pieces(self, ask: Ask) -> AsyncGenerator[Delta | Retrying | Done, None]:
        async with aclosing(self._worker.answers(ask)) as answers:
            async for answer in answers:
                if isinstance(answer, Deltas):
                    for delta in answer.deltas:
                        if not is_large_delta(delta):
                            yield delta
                            continue
                        for part in delta_parts(delta):
                            yield part
                            await asyncio.sleep(0)  # the window has other things to do
                elif not isinstance(answer, ModelList):
                    yield answer


def _with_user_choice(known: ModelFacts, model: ModelSettings) -> ModelFacts:
    """What the user says of a model counts over what a table says."""
    return replace(
        known,
        takes_tools=_first_known(model.takes_tools, known.takes_tools),
        takes_images=_first_known(model.supports_images, known.takes_images),
        context_tokens=_first_known(model.context_tokens, known.context_tokens),
    )


def _first_known(said: _Value | None, known: _Value | None) -> _Value | None:
    return known if said is None else said


def _usage_chunk(parser: DeltaParser | CohereParser, done: Done, model: str) -> Chunk:
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
    return Chunk(role="server", type="usage", content=usage)


def _waiting_chunk(piece: Retrying) -> Chunk:
    waiting = Waiting(
        seconds=piece.seconds, attempt=piece.attempt, attempts=piece.attempts, reason=piece.reason
    )
    return Chunk(role="server", type="retry", content=waiting)


def _read_piece(
    parser: DeltaParser | CohereParser, piece: Delta | Retrying | Done, model: str
) -> list[Chunk]:
    if isinstance(piece, Delta):
        return parser.feed(piece)
    if isinstance(piece, Retrying):
        return [_waiting_chunk(piece)]
    try:
        return [*parser.finish(piece.finish_reason), _usage_chunk(parser, piece, model)]
    except CutOffError as error:
        is_limit = piece.finish_reason == "length"
        raise ProviderError(
            "The answer broke off in the middle of code.",
            detail="It reached the limit of its length." if is_limit else "The call was not whole.",
            remedy="Raise the maximum of tokens in the settings." if is_limit else "Try again.",
            code="upstream_truncated",
        ) from error


class _Provider(Protocol):
    """What both have in common."""

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer."""
        ...

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """What of a request goes to its model."""
        ...

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """All of it, to be looked at."""
        ...

    async def check(self, model: ModelSettings) -> str:
        """One small request."""
        ...

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """The provider's models."""
        ...

    async def facts(self, model: ModelSettings) -> ModelFacts:
        """What is known of a model."""
        ...

    async def close(self) -> None:
        """End what is open."""
        ...


class RoutedProvider:
    """One provider out of two; owns both."""

    def __init__(self, worker: _Provider, direct: _Provider) -> None:
        self._worker = worker
        self._direct = direct

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer of whoever the request's model names."""
        return self._chosen(request.model).stream(request)

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """What of the request its model takes; less at each further attempt."""
        return await self._chosen(request.model).fit(request, attempt)

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """All that goes to the model, to be looked at; never the key."""
        return await self._chosen(fitted.request.model).outgoing(fitted)

    async def check(self, model: ModelSettings) -> str:
        """One small request; a sentence that says what answered. Raises ProviderError."""
        return await self._chosen(model).check(model)

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """The models of the provider that the model string names. Raises ProviderError."""
        return await self._chosen(model).models(model)

    async def facts(self, model: ModelSettings) -> ModelFacts:
        """What is known of a model."""
        return await self._chosen(model).facts(model)

    async def close(self) -> None:
        """End both."""
        await self._worker.close()
        await self._direct.close()

    def _chosen(self, model: ModelSettings) -> _Provider:
        return self._direct if model.model == DIRECT_MODEL else self._worker
