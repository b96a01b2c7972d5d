"""What the bodies of requests have in common, as the session understands it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.api.client_names import client_name
from playhead.api.model_state import DIRECT
from playhead.api.schemas import CompletionRequest, LlmConfig
from playhead.domain.model import DIRECT_MODEL, ModelChoice
from playhead.domain.secret import Secret
from playhead.errors import RequestError

if TYPE_CHECKING:
    from aiohttp import web

STOP_GRACE_S = 1.0
"""Between interrupt and kill: two seconds after its client has gone, a run is gone, too."""


def model_choice(
    asked: LlmConfig | CompletionRequest, max_tokens: int | None, place: str = ""
) -> ModelChoice:
    """What holds for this request alone; `place` is where in the body it stands.

    Raises RequestError (`missing_api_key`) for an address without a key of its own.
    """
    if asked.api_base is not None and asked.api_key is None:
        raise RequestError(
            "A request that names an api_base must bring its api_key",
            detail="Kept keys never go to an address that a request names",
            code="missing_api_key",
            param=f"{place}api_key",
        )
    return ModelChoice(
        model=DIRECT_MODEL if asked.model == DIRECT else asked.model,
        api_base=asked.api_base,
        api_key=Secret(asked.api_key) if asked.api_key is not None else None,
        temperature=asked.temperature,
        max_tokens=max_tokens,
        top_p=asked.top_p,
        stop=_stops(asked.stop),
    )


def client_of(request: web.Request) -> str:
    """The program that asks."""
    return client_name(request.headers.get("User-Agent", ""))


def _stops(stop: str | list[str] | None) -> tuple[str, ...]:
    texts = [stop] if isinstance(stop, str) else stop or []
    return tuple(text for text in texts if text)
