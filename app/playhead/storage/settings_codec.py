"""AppSettings ↔ the JSON of the settings file, field by field."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from playhead.conversation.requests import SCALES_PERCENT, AppSettings


def decode(raw: Mapping[str, object]) -> tuple[AppSettings, list[str]]:
    """The settings, and the names of the fields whose values were unusable and fell back."""
    hints = typing.get_type_hints(AppSettings)
    values: dict[str, Any] = {}
    refused: list[str] = []
    for field in dataclasses.fields(AppSettings):
        if field.name not in raw:
            continue
        value = raw[field.name]
        if _fits(value, hints[field.name]) and _is_sensible(field.name, value):
            values[field.name] = value
        else:
            refused.append(field.name)
    return AppSettings(**values), refused


def encode(settings: AppSettings) -> dict[str, Any]:
    """The fields as JSON values; there is no key among them."""
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    return {
        name: dict(typing.cast("Mapping[str, object]", value))
        if isinstance(value, Mapping)
        else value
        for name, value in values.items()
    }


def _fits(value: object, hint: Any) -> bool:
    """Whether a JSON value has the type of the field (an int is a float, a bool is no number)."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, argument) for argument in arguments)
    if origin is Literal:
        return value in arguments
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, arguments[0]) and _fits(item, arguments[1])
            for key, item in typing.cast("Mapping[object, object]", value).items()
        )
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _is_sensible(name: str, value: object) -> bool:
    if name in ("max_steps", "max_tokens") and isinstance(value, int):
        return value >= 1
    return name != "scale_percent" or value in SCALES_PERCENT
