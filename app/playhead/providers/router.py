"""Chooses who answers: the model worker, or Direct mode while no model is set."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from playhead.conversation.chunk import Chunk
from playhead.conversation.requests import DIRECT_MODEL, ModelSettings, TurnRequest


class _Answering(Protocol):
    """What both answer by; the session's port says it in full."""

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]: ...

    async def check(self, model: ModelSettings) -> str: ...

    async def close(self) -> None: ...


class RoutedProvider:
    """One provider in front of two; owns both."""

    def __init__(self, model: _Answering, direct: _Answering) -> None:
        self._model = model
        self._direct = direct

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer of whoever the request's model names."""
        return self._chosen(request.model).stream(request)

    async def check(self, model: ModelSettings) -> str:
        """One small request to whoever the model names. Raises ProviderError."""
        return await self._chosen(model).check(model)

    async def close(self) -> None:
        """Close both."""
        await self._model.close()
        await self._direct.close()

    def _chosen(self, model: ModelSettings) -> _Answering:
        return self._direct if model.model == DIRECT_MODEL else self._model
