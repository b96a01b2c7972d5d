"""Options that models refuse: a request is repeated without, and later ones never have them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from playhead.model_worker.errors import (
    RETRY_STATUSES,
    Refusal,
    RefusedError,
    kind_of,
    needs_tools,
)
from playhead.model_worker.protocol import Ask
from playhead.model_worker.request_arguments import tries_images

T = TypeVar("T")

IMAGES, TOOLS, USAGE = "images", "tools", "stream_options"

_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_choice|function.?call", re.IGNORECASE)
_ABOUT_USAGE = re.compile(r"stream.?options|include.?usage", re.IGNORECASE)
_ABOUT_IMAGES = re.compile(
    r"\bimages?\b|image_url|vision\b|multi-?modal|mmproj|unknown variant"
    r"|content\W.{0,40}must be a string",
    re.IGNORECASE,
)
_ABOUT_ONE_IMAGE = re.compile(
    r"too (?:large|big|many|small)|exceed|pixels|dimensions|decode|corrupt|invalid image",
    re.IGNORECASE,
)
_REFUSING = (400, 404, 422, 500)
"""llama.cpp refuses pictures with status 500."""


class RefusedOptions:
    """Remembers the options that a model at an address refuses: tools, pictures, usage."""

    def __init__(self) -> None:
        self._refused: dict[tuple[str, str | None], frozenset[str]] = {}

    async def opened(
        self, ask: Ask, offered: Collection[str], send: Callable[[frozenset[str]], Awaitable[T]]
    ) -> tuple[T, bool]:
        """Return what `send` does without the refused options, and whether pictures are new there.

        Raises RefusedError for a refusal that is about none of those `offered`, and StreamFailure.
        """
        where = (ask.model, ask.api_base)
        refused = before = self._refused.get(where, frozenset[str]())
        offered = {*offered, IMAGES} if tries_images(ask) else set(offered)
        is_lasting = True
        while True:
            try:
                answer = await send(refused)
                break
            except RefusedError as error:
                name = refused_option(error.refusal, offered - refused)
                if name is None:
                    raise
                if name == IMAGES and _ABOUT_ONE_IMAGE.search(error.refusal.body):
                    is_lasting = False  # another picture may be taken
            if name == TOOLS and ask.needs_tools:
                raise needs_tools(ask.model)
            refused |= {name}
        self._refused[where] = refused if is_lasting else refused - {IMAGES}
        return answer, IMAGES in refused - before


def refused_option(refusal: Refusal, options: Collection[str]) -> str | None:
    """Return the option that a server's refusal is about; None if it is about something else.

    Strict servers answer an unknown field with 400 or 422, and not all of them name it.
    """
    status, text = refusal.status, refusal.body
    if status not in _REFUSING:
        return None
    if IMAGES in options and _ABOUT_IMAGES.search(text):
        return IMAGES
    if status in RETRY_STATUSES:
        return None
    if USAGE in options and _ABOUT_USAGE.search(text):
        return USAGE
    if TOOLS in options and _ABOUT_TOOLS.search(text):
        return TOOLS
    kind = kind_of(status, text)
    if status == 404 or kind in ("context", "policy"):
        return None
    if USAGE in options:
        return USAGE
    return IMAGES if IMAGES in options and kind == "refused" else None
