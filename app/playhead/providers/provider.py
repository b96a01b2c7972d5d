"""The provider of answers: a model through its worker, or Direct mode."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from msgspec import Struct
from msgspec.structs import asdict, replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import AttachedContent
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.payloads import Usage, Waiting
from playhead.domain.execution import named_at
from playhead.domain.model import (
    DIRECT_MODEL,
    EXECUTE,
    ModelFacts,
    ModelParameters,
    ModelSettings,
    merge_parameters,
)
from playhead.domain.settings import given_fields
from playhead.errors import ProviderError, phrase
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Deltas,
    Done,
    ListModels,
    ModelList,
    Rehearsal,
    Retrying,
)
from playhead.providers.catalog import provider_of
from playhead.providers.direct import DIRECT_CHECK, DIRECT_FACTS, DirectMode
from playhead.providers.parser.call_parser import CutOffError
from playhead.providers.parser.delta_parser import (
    CohereParser,
    DeltaParser,
    delta_parts,
    is_large_delta,
)
from playhead.providers.parser.prose_parser import Canonical
from playhead.providers.request_writer import RequestWriter, build_ask, estimate_tokens
from playhead.providers.worker import GoodAnswer, ModelWorker

TOOLS_REFUSED = "tools_refused"
"""The worker's word for a model that takes no tools."""


_LARGE_CHARACTERS = 200_000
"""Characters on which the work takes some milliseconds."""
_STEP_DELTAS = 128
"""After so many others get their turn: a step of the loop then takes a millisecond or two."""
_MESSAGE_CHARACTERS = 1_000
"""So many cost as much as a message does by being one."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Provider:
    """Answers by the model that a request names, through the worker; owns the worker.

    `canonical` gives the language that a model's word names, or None (`Executor.canonical`).
    `direct` answers where the request names no model.
    """

    def __init__(
        self,
        worker: ModelWorker,
        canonical: Canonical,
        direct: DirectMode | None = None,
        limits: AnswerLimits | None = None,
    ) -> None:
        self.worker = worker
        self._limits = limits or AnswerLimits()
        self._canonical = canonical
        self._direct = direct or DirectMode(canonical)
        self._writer = RequestWriter()
        self._facts: dict[str, ModelFacts] = {}
        self._blind: set[tuple[str, str | None]] = set()

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the answer as chunks, the last with its cost.

        Raises ProviderError; closing it closes the connection.
        """
        if request.model.model == DIRECT_MODEL:
            for chunk in self._direct.answer(request):
                yield chunk
            return
        for is_again in (False, True):
            reader = await _aside(request, self._reader, request)
            try:
                async with aclosing(self.worker.answers(reader.ask)) as answers:
                    async for answer in answers:
                        if isinstance(answer, Done) and answer.has_refused_images:
                            self._blind.add((request.model.model, request.model.api_base))
                        for chunk in reader.read(answer):
                            if chunk is None:
                                await asyncio.sleep(0)
                            else:
                                yield chunk
                return
            except ProviderError as error:
                if is_again:
                    raise
                self._record_refusal(request, error)

    def _record_refusal(self, request: TurnRequest, error: ProviderError) -> None:
        """Have the model write code in fences from now on, if it refused tools.

        No piece of an answer has come so far. Raises any other error, and the refusal of tools
        that are the program's own.
        """
        if error.code != TOOLS_REFUSED:
            raise error
        if request.tools:
            error.code = ProviderError.default_code
            raise error
        self._writer.record_refusal(request.model)

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """Return the request cut to the model's context; shorter at each further attempt."""
        if request.model.model == DIRECT_MODEL:
            return FittedRequest(request=request)
        await self._writer.prepare(request)
        facts = await self._known(request.model)
        return await _aside(request, self._writer.fitted, request, facts, attempt)

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """Return everything that is sent to the model, for display; never the key."""
        if fitted.request.model.model == DIRECT_MODEL:
            return OutgoingRequest(model=DIRECT_MODEL)
        await self._writer.prepare(fitted.request)
        return await _aside(fitted.request, self._writer.outgoing, fitted)

    async def attached(self, path: str) -> AttachedContent:
        """Return what a model is given of an attached file or folder beside its path."""
        from playhead.providers.attached_files import read_attached  # with the first file

        return await asyncio.to_thread(read_attached, Path(path))

    async def _known(self, model: ModelSettings) -> ModelFacts:
        """Return the facts of a model, asked of the worker once."""
        if model.override.context_tokens is not None:
            return ModelFacts(model=model.model, context_tokens=model.override.context_tokens)
        if model.model not in self._facts:
            known = await self.facts(model)
            if self.worker.status != "ready":
                return known  # nobody could be asked
            self._facts[model.model] = known
        return self._facts[model.model]

    async def warm(self, model: ModelSettings) -> None:
        """Start what asks this model ahead of the first question, without its key."""
        tool = {"type": "function", "function": {"name": EXECUTE}}
        ask = build_ask(replace(model, api_key=None), [], [tool])
        fields = {name: getattr(ask, name) for name in ask.__struct_fields__}
        await self.worker.start(Rehearsal(**fields))

    async def check(self, model: ModelSettings) -> str:
        """Send a small request; return a sentence with what answered.

        Raises ProviderError.
        """
        if model.model == DIRECT_MODEL:
            return DIRECT_CHECK
        question = "This is a test of the connection. Answer with the single word: ready"
        short = merge_parameters(model.parameters, ModelParameters(max_tokens=16))
        model = replace(model, parameters=short)
        ask = build_ask(model, [{"role": "user", "content": question}])
        async with aclosing(self.worker.answers(ask)) as answers:
            async for _ in answers:
                pass
        where = f" at {model.api_base}" if model.api_base else ""
        return f"{model.model}{where} answered."

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """Return the provider's own list, else that of litellm's table. Raises ProviderError."""
        if model.model == DIRECT_MODEL:
            return []
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
        """Return the facts in litellm's table; the user's settings of the model override them."""
        if model.model == DIRECT_MODEL:
            return DIRECT_FACTS
        try:
            known = await self._facts_of(AboutModel(uuid.uuid4().hex, model.model))
        except ProviderError:  # without a worker nothing is known
            known = []
        found = known[0] if known else ModelFacts(model=model.model)
        if (model.model, model.api_base) in self._blind:
            found = replace(found, supports_images=False)
        return _with_user_choice(found, model)

    async def close(self) -> None:
        """End the worker process."""
        await self.worker.close()

    async def _facts_of(self, question: ListModels | AboutModel) -> list[ModelFacts]:
        async with aclosing(self.worker.answers(question)) as answers:
            async for answer in answers:
                if isinstance(answer, ModelList):
                    return [ModelFacts(**asdict(known)) for known in answer.models]
        return []

    def _reader(self, request: TurnRequest) -> _AnswerReader:
        messages = self._writer.messages(request)
        tools = self._writer.tools(request)
        guess = estimate_tokens(messages, tools)

        def learn(counted: int) -> None:
            self._writer.calibration.learn(request.conversation_id, guess, counted)

        return _AnswerReader(
            build_ask(request.model, messages, tools, must_call=request.must_call),
            self._parser(request, takes_tools=bool(tools)),
            learn,
            self._limits,
        )

    def _parser(self, request: TurnRequest, *, takes_tools: bool) -> DeltaParser | CohereParser:
        known_ids = [message.call_id or "" for message in request.messages]
        provider = provider_of(request.model.model)
        # A client with its own `execute` has half the call by then.
        gives_back = all(tool.name != EXECUTE for tool in request.tools)

        def canonical(word: str) -> str | None:
            return named_at(request.interpreter, word) or self._canonical(word)

        if provider == "cohere":
            return CohereParser(
                canonical,
                offers_execute=request.offers_execute,
                known_ids=known_ids,
                gives_back=gives_back,
            )
        return DeltaParser(
            canonical,
            takes_tools=takes_tools,
            offers_execute=request.offers_execute,
            known_ids=known_ids,
            provider=provider,
            gives_back=gives_back,
        )


class AnswerLimits(Struct, frozen=True, kw_only=True):
    """Limits at which an answer is cut: no model needs so much, and some never end."""

    calls: int = 128
    messages: int = 1_000
    characters: int = 20_000_000


class _LimitedAnswer:
    """Counts the chunks of an answer until a limit is reached."""

    def __init__(self, limits: AnswerLimits) -> None:
        self._limits = limits
        self._calls = self._messages = self._characters = 0
        self._last_call = ""

    def chunks(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield the chunks. Raises ProviderError at a limit; the model is informed of its own."""
        for chunk in chunks:
            if chunk.start:
                if chunk.id and self._calls == self._limits.calls:
                    yield from _call_note(self._last_call, self._limits.calls)
                    raise _cut_error(
                        phrase("It had more than {most} tool calls.", most=self._limits.calls)
                    )
                self._count_start(chunk)
            if isinstance(chunk.content, str):
                self._count_text(chunk.content)
            yield chunk

    def _count_start(self, chunk: Chunk) -> None:
        self._messages += 1
        if chunk.id and chunk.role == "assistant":
            self._calls, self._last_call = self._calls + 1, chunk.id
        if self._messages > self._limits.messages:
            most = f"{self._limits.messages:,}"
            raise _cut_error(phrase("It had more than {most} parts.", most=most))

    def _count_text(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > self._limits.characters:
            most = f"{self._limits.characters:,}"
            raise _cut_error(phrase("It was longer than {most} characters.", most=most))


def _call_note(call_id: str, most: int) -> list[Chunk]:
    """Return a result that informs the model that its further calls were left out."""

    def part(**more: Any) -> Chunk:
        return Chunk(role="computer", type="tool_result", format=EXECUTE, **more)

    text = f"The answer was cut: it had more than {most} calls, and none of them ran. Make fewer."
    return [part(start=True, id=call_id), part(content=text), part(end=True)]


def _cut_error(detail: str) -> ProviderError:
    return ProviderError(
        "The answer was cut.",
        detail=detail,
        remedy="Ask for less in one message, or choose another model.",
    )


class _AnswerReader:
    """Turns the worker's answers to one `ask` into chunks; `learn` gets the tokens counted."""

    def __init__(
        self,
        ask: Ask,
        parser: DeltaParser | CohereParser,
        learn: Callable[[int], None],
        limits: AnswerLimits,
    ) -> None:
        self.ask = ask
        self._limited = _LimitedAnswer(limits)
        self._parser = parser
        self._learn = learn
        self._in_step = 0

    def read(self, answer: GoodAnswer) -> Iterator[Chunk | None]:
        """Yield the chunks of the answer; None where others are to get their turn."""
        if isinstance(answer, Deltas):
            for delta in answer.deltas:
                if not is_large_delta(delta):
                    yield from self._limited.chunks(self._parser.feed(delta))
                    self._in_step = (self._in_step + 1) % _STEP_DELTAS
                    if not self._in_step:
                        yield None
                    continue
                for part in delta_parts(delta):
                    yield from self._limited.chunks(self._parser.feed(part))
                    yield None
        elif isinstance(answer, Retrying):
            yield _waiting_chunk(answer)
        elif isinstance(answer, Done):
            chunks = _last_chunks(self._parser, answer, self.ask.model)
            yield from self._limited.chunks(chunks)
            if not answer.usage.is_estimated:
                self._learn(answer.usage.input_tokens)


async def _aside(request: TurnRequest, work: Callable[[*Ts], T], *given: *Ts) -> T:
    """Return the result of work on a request: of a large one in a thread."""
    size = 0
    for message in request.messages:
        size += len(message.text) + _MESSAGE_CHARACTERS
        if size > _LARGE_CHARACTERS:
            return await asyncio.to_thread(work, *given)
    return work(*given)


def _with_user_choice(known: ModelFacts, model: ModelSettings) -> ModelFacts:
    """Return the facts with the user's settings of the model in place of the table's."""
    chosen = given_fields(model.override)
    chosen.pop("through_litellm", None)  # a way to it, and no fact
    return replace(known, **chosen)


def _usage_chunk(parser: DeltaParser | CohereParser, done: Done, model: str) -> Chunk:
    """Return the cost of the answer and why it ended, as OpenAI's finish reasons."""
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
        has_refused_images=done.has_refused_images,
    )
    return Chunk(role="server", type="usage", content=usage)


def _waiting_chunk(answer: Retrying) -> Chunk:
    waiting = Waiting(
        seconds=answer.seconds,
        attempt=answer.attempt,
        attempts=answer.attempts,
        reason=answer.reason,
    )
    return Chunk(role="server", type="retry", content=waiting)


def _last_chunks(parser: DeltaParser | CohereParser, done: Done, model: str) -> list[Chunk]:
    try:
        return [*parser.finish(done.finish_reason), _usage_chunk(parser, done, model)]
    except CutOffError as error:
        is_limit = done.finish_reason == "length"
        raise ProviderError(
            "The answer broke off in the middle of code.",
            detail="It reached its maximum length." if is_limit else "The call was incomplete.",
            remedy="Raise “Max tokens” in the settings." if is_limit else "Try again.",
            code="upstream_truncated",
        ) from error
