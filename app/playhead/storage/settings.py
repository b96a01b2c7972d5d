"""The user's settings in a JSON file that survives crashes, hand edits and newer versions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec.structs import replace

from playhead import __version__
from playhead.atomic_file import read_plain, write_private
from playhead.domain.key_route import Witness
from playhead.domain.settings import (
    ASKS_TYPED,
    SCALES_PERCENT,
    AppSettings,
    ValueReader,
    consents_of,
    to_plain,
    with_consents,
)
from playhead.domain.text.json_text import read_json
from playhead.errors import StorageError, phrase
from playhead.storage.files import free_name, put_aside

if TYPE_CHECKING:
    import asyncio


def decode_settings(raw: Mapping[str, object]) -> tuple[AppSettings, list[str]]:
    """Return the settings, and the names of the fields with unusable values, set to defaults."""
    reader = ValueReader()
    settings = reader.read(AppSettings, raw)
    return settings, reader.refused


def encode_settings(settings: AppSettings) -> dict[str, Any]:
    """Return the fields as JSON values; keys are not among them."""
    return to_plain(settings)


_LIMIT_BYTES = 16_000_000
WRITTEN_BY = "written_by"
"""The field that names the newest version that wrote the file."""


def is_newer(raw: Mapping[str, object]) -> bool:
    """Return whether a later version than this one has written the file."""
    return _parts(raw.get(WRITTEN_BY)) > _parts(__version__)


def version_to_write(raw: Mapping[str, object]) -> object:
    """Return this version, or the later one that wrote the file."""
    return raw[WRITTEN_BY] if is_newer(raw) else __version__


def merged(raw: object, before: object, now: object) -> Any:
    """Return what to write for a value: `raw` was read as `before`, and is to be `now`.

    Unchanged values stay as they were written, with all that was skipped when reading.
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
    """Return `merged` of objects: `now`, and with it what was skipped when reading."""
    passed_over = {name: value for name, value in raw.items() if name not in before}
    known = {
        name: merged(raw[name], before[name], value) if name in raw and name in before else value
        for name, value in now.items()
    }
    return {**passed_over, **known}


def _merged_items(raw: list[object], before: list[object], now: list[object]) -> list[object]:
    """Return items matched by their names; `now` if not all of them could be read."""
    if len(raw) != len(before):
        return now
    written = {_name(item): (old, item) for old, item in zip(raw, before, strict=True)}
    return [merged(*written[_name(item)], item) if _name(item) in written else item for item in now]


def _name(item: object) -> str:
    """Return the name of something like a profile; else its own text."""
    if isinstance(item, dict):
        fields = cast("dict[str, object]", item)
        return str(fields.get("name", fields))
    return repr(item)


def _parts(version: object) -> tuple[int, ...]:
    """Return 1.10.2 as (1, 10, 2); () for what is not a version."""
    if not isinstance(version, str):
        return ()
    numbers = version.split("+")[0].split(".")
    return tuple(int(part) for part in numbers if part.isdecimal())


class SettingsFile:
    """Reads the file once, when made; writes it atomically in a thread.

    A file that cannot be understood is put aside, never overwritten. Fields that this version
    does not know are kept, and of a newer version's file its values too. Keys are never in it.
    Owned by `bootstrap`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._raw: dict[str, object] = {}
        self._before: dict[str, Any] = {}
        self._notice = ""
        self._is_blocked = False
        self._current = AppSettings()
        self._read()

    @cached_property
    def _saving(self) -> asyncio.Lock:
        import asyncio

        return asyncio.Lock()

    @property
    def current(self) -> AppSettings:
        """Return the settings in force."""
        return self._current

    @property
    def notice(self) -> str:
        """Return a sentence if something in the file could not be used, else ''."""
        return self._notice

    async def save(self, settings: AppSettings) -> None:
        """Put them in force and write them. Raises StorageError; the old file stays whole."""
        self._current = settings
        async with self._saving:  # two saves end in the order in which they were asked for
            text = json.dumps(self._encoded(settings), indent=2, ensure_ascii=False)
            import asyncio

            await asyncio.to_thread(self._write, text + "\n")

    def _encoded(self, settings: AppSettings) -> dict[str, object]:
        """Return the fields, with the unknown ones that the file had beside and in them."""
        now = merged_fields(self._raw, self._before, encode_settings(settings))
        return {**now, WRITTEN_BY: version_to_write(self._raw)}

    def _read(self) -> None:
        try:
            raw = _stored(self._path)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._put_aside(str(error))
            return
        if not isinstance(raw, dict):
            self._put_aside("it holds no JSON object")
            return
        self._raw = cast("dict[str, object]", raw)
        self._current, refused = decode_settings(self._raw)
        self._before = encode_settings(self._current)
        if not refused:
            return
        if is_newer(self._raw):
            self._notice = (
                f"{self._path} was written by a newer Playhead. Some of its settings mean nothing "
                f"to this one and are kept for the newer: {', '.join(refused)}."
            )
            return
        for name in {field.split(".")[0].split(" ")[0] for field in refused}:
            del self._raw[name]  # a copy has it
        self._keep_refused(refused)

    def _put_aside(self, reason: str) -> None:
        try:
            aside = put_aside(self._path)
        except OSError as error:
            self._is_blocked = True
            self._notice = (
                f"The settings in {self._path} cannot be read ({reason}) and could not be put aside"
                f" ({error.strerror}): changes will not be saved. Move or repair that file."
            )
        else:
            self._notice = (
                f"The settings could not be read ({reason}). They are kept as {aside};"
                " Playhead starts with its defaults."
            )

    def _keep_refused(self, refused: list[str]) -> None:
        """Copy the file with the unusable values, which saving will replace."""
        copy = free_name(self._path, "corrupt")
        kept = ""
        with suppress(OSError):
            shutil.copyfile(self._path, copy)
            copy.chmod(0o600)
            kept = f" The file as it was is kept as {copy}."
        self._notice = (
            f"Some settings had unusable values and fell back to their defaults: "
            f"{', '.join(refused)}.{kept}"
        )

    def _write(self, text: str) -> None:
        if self._is_blocked:
            raise StorageError(
                "The settings were not saved.",
                detail=phrase("{path} is unreadable and could not be put aside.", path=self._path),
                remedy="Move or repair that file, then start Playhead again.",
            )
        try:
            write_private(self._path, text)
        except OSError as error:
            raise StorageError(
                "The settings were not saved.",
                detail=f"{self._path}: {error.strerror or error}",
                remedy="They apply until Playhead is closed. Free some space, then save again.",
            ) from error


def _stored(path: Path) -> object:
    """Return the JSON value of a file. Raises OSError and ValueError."""
    data = read_plain(path, _LIMIT_BYTES)
    if data is None:
        raise ValueError("it is not a regular file of at most 16 MB")
    return read_json(data.decode("utf-8"))


def stored_scale(path: Path) -> int:
    """Return the scale in the file before the settings are read; 100 if it has none."""
    try:
        raw = _stored(path)
    except (OSError, ValueError):
        return 100
    wanted = cast("dict[str, object]", raw).get("scale_percent") if isinstance(raw, dict) else None
    return next((one for one in SCALES_PERCENT if one == wanted), 100)


class OverriddenSettings:
    """The settings with some of them overridden for this run; those are never written."""

    def __init__(self, stored: SettingsFile, overrides: Mapping[str, Any]) -> None:
        self._stored = stored
        self._overrides = dict(overrides)

    @property
    def current(self) -> AppSettings:
        """Return the settings in force."""
        return replace(self._stored.current, **self._overrides)

    @property
    def notice(self) -> str:
        """Return the notice of the settings file."""
        return self._stored.notice

    async def save(self, settings: AppSettings) -> None:
        """Write all but the settings overridden for this run. Raises StorageError."""
        kept = {name: getattr(self._stored.current, name) for name in self._overrides}
        await self._stored.save(replace(settings, **kept))


Learn = Callable[[AppSettings, AppSettings], Awaitable[None]]


class WitnessedSettings:
    """The settings of a file, in which running code may have switched something on.

    What has code run without the person's decision counts if the person has switched it on, which
    is kept beside the keys; until `load` nothing of it counts. `learn` is called with the settings
    before and after each change of the person's. Owned by `bootstrap`.
    """

    def __init__(self, stored: SettingsFile | OverriddenSettings, keys: Witnesses) -> None:
        self._stored = stored
        self._keys = keys
        self._consents: frozenset[str] = frozenset()
        self.learn: Learn | None = None

    @property
    def current(self) -> AppSettings:
        """Return the settings in force."""
        seen = self._keys.seen_witness.consents
        return with_consents(self._stored.current, {*self._consents, *({ASKS_TYPED} & {*seen})})

    @property
    def notice(self) -> str:
        """Return the notice of the settings file."""
        return self._stored.notice

    @property
    def ignored(self) -> frozenset[str]:
        """Return what the file switches on and the person has not."""
        return consents_of(self._stored.current) - self._consents

    async def load(self) -> None:
        """Read what the person has switched on, if the file claims anything of that kind."""
        if consents_of(self._stored.current):
            self._consents = frozenset((await self._keys.witness()).consents)

    async def save(self, settings: AppSettings) -> None:
        """Write them, and before that what the person has switched on. Raises StorageError."""
        before = self.current
        if self.learn is not None:
            await self.learn(before, settings)
        now, then = _switched(settings), _switched(before)
        if now != then:
            self._consents = (self._consents | now) - (then - now)
            await self._keys.confirm(lambda witness: _with_switches(witness, now, then))
        await self._stored.save(settings)


class Witnesses(Protocol):
    """Keeps what a person has confirmed."""

    @property
    def seen_witness(self) -> Witness:
        """Return what is known of it."""
        ...

    async def witness(self) -> Witness:
        """Return it."""
        ...

    async def confirm(self, change: Callable[[Witness], Witness]) -> bool:
        """Change it."""
        ...


def _switched(settings: AppSettings) -> frozenset[str]:
    more = frozenset({ASKS_TYPED}) if settings.asks_typed_code else frozenset[str]()
    return consents_of(settings) | more


def _with_switches(witness: Witness, now: frozenset[str], then: frozenset[str]) -> Witness:
    consents = (frozenset(witness.consents) | now) - (then - now)
    return Witness(witness.routes, tuple(sorted(consents)))
