"""Chooses for each request who answers: a model through the worker, or Direct mode."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.model import DIRECT_MODEL, ModelFacts, ModelSettings


class Answers(Protocol):
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

    def __init__(self, worker: Answers, direct: Answers) -> None:
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

    def _chosen(self, model: ModelSettings) -> Answers:
        return self._direct if model.model == DIRECT_MODEL else self._worker
