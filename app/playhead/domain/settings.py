"""The user's settings, in the app, a profile or a conversation, to and from plain data.

Fields that do not fit get their defaults.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from playhead.domain.model import DIRECT_MODEL, AtLeastOne, ModelOverride, ModelParameters
from playhead.domain.trust import AskPolicy

Dollars = Annotated[float, Meta(ge=0)]
LimitSeconds = Annotated[float, Meta(gt=0, le=24 * 3600)]
"""Up to a day: longer than any model thinks."""
Retries = Annotated[int, Meta(ge=0, le=20)]
ProfileName = Annotated[str, Meta(pattern=r"\S")]
ScalePercent = Literal[80, 90, 100, 110, 125, 150, 175, 200]
ZoomPercent = Literal[50, 60, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300]
TypePx = Annotated[int, Meta(ge=8, le=32)]

SCALES_PERCENT: tuple[ScalePercent, ...] = typing.get_args(ScalePercent)
"""The scales at which everything can be shown."""
ZOOMS_PERCENT: tuple[ZoomPercent, ...] = typing.get_args(ZoomPercent)
"""The sizes of text and pictures."""


class ConversationConfig(Struct, frozen=True, kw_only=True):
    """Settings of a conversation that override the user's; None leaves these unchanged.

    `profile` names a set of such values of the user's; the other fields override its values.
    `budget` is in US dollars, 0 for no limit.
    """

    profile: str | None = None
    model: str | None = None
    api_base: str | None = None
    parameters: ModelParameters = ModelParameters()
    system_prompt: str | None = None
    instructions: str | None = None
    auto_run: bool | None = None
    budget: Dollars | None = None


class Profile(Struct, frozen=True, kw_only=True):
    """A named set of settings for a kind of work; None leaves the user's setting.

    `model` comes with its address: without an `api_base` it is the provider's own. The `sandbox_…`
    ones are the policy of its conversations, where there is a sandbox.
    """

    name: ProfileName
    model: str | None = None
    api_base: str | None = None
    parameters: ModelParameters = ModelParameters()
    max_steps: AtLeastOne | None = None
    budget: Dollars | None = None
    system_prompt: str | None = None
    instructions: str | None = None
    auto_run: bool | None = None
    sandbox_files: Literal["look", "folder"] | None = None
    sandbox_network: Literal["off", "on"] | None = None
    sandbox_ask: AskPolicy | None = None


class SavedServer(Struct, frozen=True):
    """A Jupyter server that the user added, by its address without a token."""

    name: ProfileName
    address: ProfileName


class AppSettings(Struct, frozen=True, kw_only=True):
    """Everything a user can set but keys; `interpreter` empty means the managed environment.

    `system_prompt` empty means the built-in one. `budget` is in US dollars for a conversation, 0
    for none. `extra_parameters` is a JSON object that is sent with models of the provider
    of `model`; `provider_fields` are parameters too, of the provider before the dot
    ("azure.api_version"). `model_overrides` is by model string, `profile` names one of `profiles`.
    The three `…_limit_s` of reaching a model are as `Connection` has them.
    The `api_…` ones are of the server for other programs: whether it listens, where, whether who
    holds its token may approve code or have it run unasked, and how many requests a minute.
    The `run_…` ones are limits of a run in seconds and MB, 0 for none; `output_limit_mb` is how
    much of a run's output is kept. `keeps_variables` is whether variables are saved for the next
    kernel, `restores_variables` whether that gets them; `scale_percent` is how large everything is
    shown, `zoom_percent` how large text and pictures are in conversation and editor; `text_px` and
    `code_px` are the sizes of type there at 100 %, `code_font` empty means the shipped font.
    The `sandbox_…` ones are the policy of new conversations, where there is a sandbox.
    `asks_typed_code`: code that a person typed in Direct mode waits for an approval, too.
    `notifies`: of what ends or waits while the window is not in front, `notifies_aloud`: with the
    system's sound. `close_keeps_running` is empty until the user was asked. `shortcuts` are those
    that differ, by "place.command". `servers` are those of Jupyter, `machines` the ids of places on
    machines and in containers that the user named.
    """

    model: str = DIRECT_MODEL
    api_base: str = ""
    parameters: ModelParameters = ModelParameters()
    instructions: str = ""
    max_steps: AtLeastOne = 20
    theme: Literal["system", "light", "dark"] = "system"
    contrast: Literal["system", "normal", "high"] = "system"
    scale_percent: ScalePercent = 100
    zoom_percent: ZoomPercent = 100
    text_px: TypePx = 14
    code_px: TypePx = 13
    code_font: str = ""
    interpreter: str = ""
    folder: str = ""
    api_enabled: bool = False
    api_port: int = 5001
    api_client_approves: bool = False
    api_auto_run: bool = False
    api_rate_limit: int = 120
    api_max_messages: int = 10_000
    shows_running_line: bool = True
    times_lines: bool = False
    keeps_values: bool = True
    sandbox_files: Literal["look", "folder"] = "folder"
    sandbox_network: Literal["off", "on"] = "off"
    sandbox_ask: AskPolicy = "every"
    asks_typed_code: bool = False
    run_limit_s: int = 0
    run_limit_mb: int = 0
    output_limit_mb: int = 200
    keeps_variables: bool = True
    restores_variables: Literal["ask", "always", "never"] = "ask"
    system_prompt: str = ""
    budget: Dollars = 0.0
    extra_parameters: str = ""
    provider_fields: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    model_overrides: Mapping[str, ModelOverride] = msgspec.field(
        default_factory=dict[str, ModelOverride]
    )
    favourite_models: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    profile: str = ""
    proxy: str = ""
    ca_file: str = ""
    connect_limit_s: LimitSeconds = 10.0
    first_limit_s: LimitSeconds = 60.0
    silence_limit_s: LimitSeconds = 30.0
    retries: Retries = 3
    notifies: bool = True
    notifies_aloud: bool = False
    close_keeps_running: Literal["", "yes", "no"] = ""
    shortcuts: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    servers: tuple[SavedServer, ...] = ()
    machines: tuple[str, ...] = ()
    window: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


ASKS_TYPED = "asks_typed_code"
"""The consent that makes more be asked, not less."""


def consents_of(settings: AppSettings) -> frozenset[str]:
    """Return the names of what has code do more, or run or be approved, without the person's own
    decision.
    """
    words = {one for one in ("api_client_approves", "api_auto_run") if getattr(settings, one)}
    words |= {"sandbox_network"} if settings.sandbox_network == "on" else set()
    words |= {f"sandbox_ask {settings.sandbox_ask}"} if settings.sandbox_ask != "every" else set()
    words |= {word for profile in settings.profiles for word in _policy_consents(profile)}
    unasked = {profile.name for profile in settings.profiles if profile.auto_run}
    words |= {f"auto_run of {name}" for name in unasked}
    loose = unasked | {profile.name for profile in settings.profiles if _policy_consents(profile)}
    return frozenset(words | ({f"profile {settings.profile}"} & {f"profile {n}" for n in loose}))


def _policy_consents(profile: Profile) -> frozenset[str]:
    """Return the names of what a profile has code do more in the sandbox, or ask less."""
    words: set[str] = set()
    if profile.sandbox_network == "on":
        words.add(f"sandbox_network of {profile.name}")
    if profile.sandbox_ask not in (None, "every"):
        words.add(f"sandbox_ask {profile.sandbox_ask} of {profile.name}")
    return frozenset(words)


def tight_profile(profile: Profile) -> Profile:
    """Return a profile that opens no network and has all code asked about as the settings have."""
    is_open, asks_less = profile.sandbox_network == "on", profile.sandbox_ask not in (None, "every")
    return msgspec.structs.replace(
        profile,
        sandbox_network=None if is_open else profile.sandbox_network,
        sandbox_ask=None if asks_less else profile.sandbox_ask,
    )


def with_consents(settings: AppSettings, consents: Collection[str]) -> AppSettings:
    """Return the settings without what a person has not consented to."""
    lacking = consents_of(settings) - set(consents)
    profiles = tuple(
        msgspec.structs.replace(one, auto_run=None) if f"auto_run of {one.name}" in lacking else one
        for one in (
            tight_profile(profile) if _policy_consents(profile) & lacking else profile
            for profile in settings.profiles
        )
    )
    is_safe = f"profile {settings.profile}" not in lacking
    return msgspec.structs.replace(
        settings,
        api_client_approves=settings.api_client_approves and "api_client_approves" not in lacking,
        api_auto_run=settings.api_auto_run and "api_auto_run" not in lacking,
        sandbox_network="off" if "sandbox_network" in lacking else settings.sandbox_network,
        sandbox_ask="every"
        if f"sandbox_ask {settings.sandbox_ask}" in lacking
        else settings.sandbox_ask,
        asks_typed_code=settings.asks_typed_code or ASKS_TYPED in consents,
        profiles=profiles,
        profile=settings.profile if is_safe else "",
    )


T = TypeVar("T", bound=Struct)
_MISSING = object()


class _UnfitError(ValueError):
    """A value that has not the type of its field, or is out of its bounds."""


class ValueReader:
    """Reads plain data as values; `refused` names each field that could not be used."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def read(self, shape: type[T], raw: Mapping[str, object], path: str = "") -> T:
        """Return an object of `shape`; fields that do not fit have their defaults.

        Raises ValueError if a field without a default is missing or does not fit.
        """
        hints = typing.get_type_hints(shape, include_extras=True)
        values: dict[str, Any] = {}
        for name in shape.__struct_fields__:
            if hints[name] is ModelParameters:
                values[name] = self.read(ModelParameters, raw, path)
                continue
            if name not in raw:
                continue
            value = self._field(hints[name], raw[name], path + name)
            if value is not _MISSING:
                values[name] = value
        try:
            return shape(**values)
        except TypeError as error:  # a field that has no default
            raise _UnfitError(path) from error

    def _field(self, hint: Any, raw: object, path: str) -> Any:
        try:
            return self._value(hint, raw, path)
        except _UnfitError:
            self.refused.append(path)
            return _MISSING

    def _value(self, hint: Any, raw: object, path: str) -> Any:
        """Return the raw value as the type that the hint names. Raises _UnfitError."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self._one_of(arguments, raw, path)
        if origin is tuple:
            return self._items(arguments[0], raw, path)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return self._entries(arguments, raw, path)
        if isinstance(hint, type) and issubclass(hint, Struct):
            _expect(raw, isinstance(raw, Mapping))
            return self.read(hint, typing.cast("Mapping[str, object]", raw), path=f"{path}.")
        return _plain(hint, raw)

    def _one_of(self, hints: Sequence[Any], raw: object, path: str) -> Any:
        for hint in hints:
            try:
                return self._value(hint, raw, path)
            except _UnfitError:
                continue
        raise _UnfitError(path)

    def _items(self, hint: Any, raw: object, path: str) -> tuple[Any, ...]:
        """Return the items of a list that fit; the places of the others are added to `refused`."""
        _expect(raw, isinstance(raw, list))
        found: list[Any] = []
        for place, item in enumerate(typing.cast("list[object]", raw), 1):
            try:
                found.append(self._value(hint, item, f"{path} {place}"))
            except _UnfitError:
                self.refused.append(f"{path} {place}")
        return tuple(found)

    def _entries(self, hints: Sequence[Any], raw: object, path: str) -> dict[Any, Any]:
        _expect(raw, isinstance(raw, Mapping))
        found: dict[Any, Any] = {}
        for key, item in typing.cast("Mapping[object, object]", raw).items():
            try:
                name = self._value(hints[0], key, path)
                found[name] = self._value(hints[1], item, f"{path} {name}")
            except _UnfitError:
                self.refused.append(f"{path} {key}")
        return found


def flat_fields(shape: type[Struct]) -> list[str]:
    """Return the names that the fields of a value have in files, in the order of the fields.

    Those of its model parameters are among them, in place of a field that holds them.
    """
    hints = typing.get_type_hints(shape)
    found: list[str] = []
    for name in shape.__struct_fields__:
        is_parameters = hints[name] is ModelParameters
        found += ModelParameters.__struct_fields__ if is_parameters else (name,)
    return found


def to_plain(value: object) -> Any:
    """Return a value as data of dicts, lists, strings, numbers and None, as files have it."""
    if isinstance(value, Struct):
        found: dict[str, Any] = {}
        for name, item in asdict(value).items():
            plain = to_plain(item)
            found |= plain if isinstance(item, ModelParameters) else {name: plain}
        return found
    if isinstance(value, Mapping):
        entries = typing.cast("Mapping[object, object]", value)
        return {key: to_plain(item) for key, item in entries.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in typing.cast("Sequence[object]", value)]
    return value


def given_fields(value: object) -> dict[str, Any]:
    """Return the fields of a value that are not None, as plain data."""
    return {name: item for name, item in to_plain(value).items() if item is not None}


def _plain(hint: Any, raw: object) -> Any:
    """Return what fits its type and bounds; an int is a float too, and no number is infinite.

    Raises _UnfitError.
    """
    if isinstance(raw, float) and not math.isfinite(raw):
        raise _UnfitError
    try:
        msgspec.convert(raw, hint)
    except (msgspec.ValidationError, UnicodeError) as error:  # a lone surrogate is no choice
        raise _UnfitError from error
    return raw


def _expect(raw: object, fits: bool) -> object:
    if not fits:
        raise _UnfitError
    return raw
