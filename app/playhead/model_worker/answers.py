"""Chooses who asks a model, and asks again where that helps."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

from playhead.model_worker.cohere_stream import CohereStream, is_cohere
from playhead.model_worker.connections import Connections
from playhead.model_worker.failures import describe, may_try_again, retry_after
from playhead.model_worker.known_models import about
from playhead.model_worker.litellm_stream import LitellmStream
from playhead.model_worker.model_lists import listed
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Delta,
    Done,
    ListModels,
    ModelList,
    Retrying,
)

FIRST_WAIT_S = 1.0
MAX_WAIT_S = 120.0
"""Whoever asks to wait for longer is not waited for: the user may want to do something else."""


class Answers:
    """Everything that the worker can say of models and have them say."""

    def __init__(self) -> None:
        self._connections = Connections()
        self._connections.serve_litellm()
        self._litellm = LitellmStream(self._connections)
        self._cohere = CohereStream(self._connections)

    async def warm(self) -> None:
        """Pay for what the first request would have to wait for."""
        await self._litellm.warm()

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta | Retrying | Done, None]:
        """The pieces of the answer, at last how it ended and what it cost.

        Closing the generator closes the connection. Raises whatever a provider's code raises.
        """
        for attempt in range(1, ask.retries + 2):
            has_begun = False
            try:
                async with aclosing(self._asked(ask)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except Exception as error:
                is_last = has_begun or attempt > ask.retries
                seconds = _wait_s(error, attempt)
                if is_last or seconds > MAX_WAIT_S or not may_try_again(error, ask):
                    raise
                reason = describe(error, ask).title
            yield Retrying(ask.turn, round(seconds, 1), attempt, ask.retries, reason)
            await asyncio.sleep(seconds)

    async def listed(self, ask: ListModels) -> ModelList:
        """The models of a provider. Raises StreamFailure or what the HTTP client raises."""
        return ModelList(ask.turn, tuple(await listed(ask, self._connections)))

    def known(self, ask: AboutModel) -> ModelList:
        """What the table of models says about one."""
        return ModelList(ask.turn, (about(ask.model),))

    def _asked(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        asker = self._cohere if is_cohere(ask.model) else self._litellm
        return asker.stream(ask)


def _wait_s(error: Exception, attempt: int) -> float:
    """What the server asks for; else longer each time, and not for all clients the same."""
    backoff_s = FIRST_WAIT_S * 2 ** (attempt - 1)
    jitter_s = random.uniform(0, backoff_s / 2)  # noqa: S311 - nobody guesses it for gain
    asked_s = retry_after(error)
    return jitter_s / 4 + asked_s if asked_s is not None else backoff_s / 2 + jitter_s
