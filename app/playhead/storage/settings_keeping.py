"""Keeps in the settings file what this version does not know, wherever it stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from playhead import __version__

WRITTEN_BY = "written_by"
"""The field that names the newest version that wrote the file."""


def is_newer(raw: Mapping[str, object]) -> bool:
    """Whether a later version than this one has written the file."""
    return _parts(raw.get(WRITTEN_BY)) > _parts(__version__)


def version_to_write(raw: Mapping[str, object]) -> object:
    """This version, or the later one that knows more of the file."""
    return raw[WRITTEN_BY] if is_newer(raw) else __version__


def merged(raw: object, before: object, now: object) -> Any:
    """What to write for a value: `raw` is what stood there, read as `before`, and is to be `now`.

    What was not changed stays as it was written, with all that was passed over when reading.
    """
    if now == before:
        return raw
    if isinstance(raw, dict) and isinstance(before, dict) and isinstance(now, dict):
        return merged_fields(
            cast("dict[str, object]", raw),
            cast("dict[str, object]", before),
            cast("dict[str, object]", now),
        )
    if isinstance(raw, list) and isinstance(before, list) and isinstance(now, list):
        return _merged_items(
            cast("list[object]", raw), cast("list[object]", before), cast("list[object]", now)
        )
    return now


def merged_fields(
    raw: dict[str, object], before: dict[str, object], now: dict[str, object]
) -> dict[str, object]:
    """`merged` of objects: `now`, and beside it what was passed over when reading."""
    passed_over = {name: value for name, value in raw.items() if name not in before}
    known = {
        name: merged(raw[name], before[name], value) if name in raw and name in before else value
        for name, value in now.items()
    }
    return {**passed_over, **known}


def _merged_items(raw: list[object], before: list[object], now: list[object]) -> list[object]:
    """Items are told by their names; where not all could be read they have no places to tell."""
    if len(raw) != len(before):
        return now
    written = {_name(item): (old, item) for old, item in zip(raw, before, strict=True)}
    return [merged(*written[_name(item)], item) if _name(item) in written else item for item in now]


def _name(item: object) -> str:
    """The name of something like a profile; else its own text."""
    if isinstance(item, dict):
        fields = cast("dict[str, object]", item)
        return str(fields.get("name", fields))
    return repr(item)


def _parts(version: object) -> tuple[int, ...]:
    """1.10.2 as (1, 10, 2); what is no version comes before all."""
    if not isinstance(version, str):
        return ()
    numbers = version.split("+")[0].split(".")
    return tuple(int(part) for part in numbers if part.isdecimal())
