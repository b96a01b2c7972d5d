"""Which tools a request offers the model, and whose calls of `execute` are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from playhead.domain.model import EXECUTE, ToolOffer
from playhead.errors import RequestError


@dataclass(frozen=True, slots=True)
class Offering:
    """`tools` are the client's, `offers_execute` says whether the model may have code run.

    `must_call`: the answer has to be a call. With `is_call_clients` the client decides about calls
    of `execute`: it offered that tool.
    """

    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    is_call_clients: bool = False
    must_call: bool = False


def offering_of(tools: tuple[ToolOffer, ...], choice: object, *, is_auto_run: bool) -> Offering:
    """What comes of the client's tools; `choice` is the request's `tool_choice`.

    A client without tools has code run here. One with tools of its own gets their calls alone,
    unless it also lets code run. Raises RequestError for a choice of what is not there.
    """
    chosen = _chosen(tools, choice)
    if not chosen:  # it has none, or wants none called
        return Offering(offers_execute=choice != "none")
    has_execute = any(tool.name == EXECUTE for tool in chosen)
    must_call = choice == "required" or _named(choice) is not None
    return Offering(chosen, has_execute or is_auto_run, has_execute, must_call)


def _chosen(tools: tuple[ToolOffer, ...], choice: object) -> tuple[ToolOffer, ...]:
    """A named tool is the only one on offer: not every provider can be told to call just that."""
    if choice == "none":
        return ()
    name = _named(choice)
    if name is None:
        return tools
    chosen = tuple(tool for tool in tools if tool.name == name)
    if not chosen:
        raise RequestError(
            f"tool_choice names {name!r}, which is not among the tools",
            code="invalid_tools",
            param="tool_choice",
        )
    return chosen


def _named(choice: object) -> str | None:
    """The tool that must be called; None where any may be."""
    if choice in (None, "auto", "required"):
        return None
    if isinstance(choice, Mapping):
        fields = cast(Mapping[str, Any], choice)
        function = fields.get("function")
        name = cast(Mapping[str, Any], function).get("name") if _is_object(function) else None
        if fields.get("type") == "function" and isinstance(name, str):
            return name
        if fields.get("type") == "allowed_tools":
            return None
    raise RequestError(
        "tool_choice must be none, auto, required or a function's name",
        code="invalid_tools",
        param="tool_choice",
    )


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)
