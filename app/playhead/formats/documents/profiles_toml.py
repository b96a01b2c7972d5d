"""Profiles to and from TOML, to be shared: without keys, and checked when read."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any, cast

import tomli_w
from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.settings import (
    Profile,
    ValueReader,
    flat_fields,
    given_fields,
    tight_profile,
)
from playhead.errors import StorageError, phrase

FORMAT = 1
LARGEST_BYTES = 1_000_000
MOST_PROFILES = 200
LONGEST_NAME = 80


class ReadProfiles(Struct, frozen=True):
    """The profiles of a file; `notes` are sentences about what was left out."""

    profiles: tuple[Profile, ...]
    notes: tuple[str, ...] = ()


def to_toml(profiles: Sequence[Profile]) -> str:
    """Return the text of a file with the profiles; it contains no keys."""
    tables = [given_fields(profile) for profile in profiles]
    return tomli_w.dumps({"playhead_profiles": FORMAT, "profile": tables})


def from_toml(data: bytes) -> ReadProfiles:
    """Read the profiles of a file. Raises StorageError with a message if it is not valid.

    A foreign profile cannot let code run unasked, nor open the network: that is left out and noted.
    """
    found = _parsed(data)
    version = found.get("playhead_profiles")
    if not isinstance(version, int) or isinstance(version, bool):
        raise _refused("It does not say that it holds profiles of Playhead.")
    if version > FORMAT:
        raise _refused("It was written by a newer version of Playhead.")
    tables = found.get("profile", [])
    if not isinstance(tables, list):
        raise _refused("Its “profile” is not a list of tables.")
    if len(cast("list[object]", tables)) > MOST_PROFILES:
        raise _refused(phrase("It holds more than {count} profiles.", count=MOST_PROFILES))
    profiles: list[Profile] = []
    notes: list[str] = []
    for number, table in enumerate(cast("list[object]", tables), 1):
        profiles.append(_profile(table, number, notes))
    if repeated := _repeated([one.name for one in profiles]):
        raise _refused(phrase("Two of its profiles have the name “{name}”.", name=repeated))
    return ReadProfiles(tuple(profiles), tuple(notes))


def _parsed(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST_BYTES:
        raise _refused("It is larger than a megabyte.")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise _refused("It is not text in UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise _refused(phrase("It is not TOML: {reason}.", reason=error)) from None
    except RecursionError:
        raise _refused("It is nested too deeply.") from None
    except ValueError as error:  # a number or a date that Python refuses
        raise _refused(phrase("A value in it cannot be read: {reason}.", reason=error)) from None


def _profile(table: object, number: int, notes: list[str]) -> Profile:
    if not isinstance(table, dict):
        raise _refused(phrase("Profile {number} is not a table.", number=number))
    fields = dict(cast("dict[str, object]", table))
    name = fields.get("name")
    if not isinstance(name, str) or not name.strip():
        raise _refused(phrase("Profile {number} has no name.", number=number))
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise _refused(
            phrase(
                "The name of profile {number} is too long or holds odd characters.", number=number
            )
        )
    for foreign in sorted(set(fields) - set(flat_fields(Profile))):
        notes.append(f"“{name}”: {foreign!r} is not known here and was left out.")
    reader = ValueReader()
    profile = reader.read(Profile, fields)
    notes += [f"“{name}”: the value of {one} cannot be used." for one in reader.refused]
    if (tight := tight_profile(profile)) != profile:
        notes.append(f"“{name}” wants to let code do more in the sandbox: allow that yourself.")
    profile = tight
    if not profile.auto_run:
        return profile
    notes.append(f"“{name}” wants to run code without asking: allow that yourself if you trust it.")
    return replace(profile, auto_run=None)


def _repeated(names: Sequence[str]) -> str:
    return next((name for place, name in enumerate(names) if name in names[:place]), "")


def _refused(reason: str) -> StorageError:
    return StorageError(
        "These profiles cannot be imported.",
        detail=reason,
        remedy="Choose a file that was exported from Playhead.",
    )
