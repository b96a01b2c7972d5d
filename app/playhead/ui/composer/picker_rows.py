"""The rows of the model picker: their groups, their short texts and the search among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from playhead.domain.model import ModelFacts
from playhead.domain.settings import Profile
from playhead.domain.text.quantities import format_price
from playhead.ui.widgets.wording import tr

_THOUSAND, _MILLION = 1_000, 1_000_000


def context_text(tokens: int) -> str:
    """Return a size in tokens as text: 8k, 128k, 1M."""
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.3g}M"
    return f"{tokens / _THOUSAND:.0f}k" if tokens >= _THOUSAND else f"{tokens}"


def price_text(facts: ModelFacts) -> str:
    """Return the prices of a million tokens, input and output; '' if they are not known."""
    if facts.input_price is None or facts.output_price is None:
        return ""
    if not facts.input_price and not facts.output_price:
        return tr("free")
    return f"{format_price(facts.input_price)} / {format_price(facts.output_price)}"


def model_badges(facts: ModelFacts) -> list[tuple[str, str]]:
    """Return the model's abilities as pairs of a short mark and the whole words."""
    found: list[tuple[str, str]] = []
    if facts.takes_tools:
        found.append((tr("tools"), tr("calls tools")))
    elif facts.takes_tools is False:
        found.append((tr("no tools"), tr("writes code in fences, as it calls no tools")))
    if facts.supports_images:
        found.append((tr("vision"), tr("sees images")))
    if facts.reasons:
        found.append((tr("reasoning"), tr("thinks before it answers")))
    if facts.context_tokens:
        size = context_text(facts.context_tokens)
        found.append((size, tr("reads {size} tokens", size=size)))
    return found


def facts_text(facts: ModelFacts) -> str:
    """Return all known facts as a sentence; '' if none is known."""
    parts = [whole for _short, whole in model_badges(facts)]
    if price := price_text(facts):
        parts.append(tr("{price} for a million tokens in / out", price=price))
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


RowChoice = Literal["model", "profile", "ask_first", "auto_run", "settings"]


class ModelAddress(Struct, frozen=True):
    """A model at an address; '' is the provider's own address."""

    model: str
    api_base: str = ""

    @property
    def text(self) -> str:
        """Return the favourite as text; no model string has a space in it."""
        return f"{self.model} {self.api_base}".strip()

    @classmethod
    def of(cls, text: str) -> ModelAddress:
        """Return the favourite for a text that `text` returned."""
        model, _, api_base = text.partition(" ")
        return cls(model, api_base)


class PickerRow(Struct, frozen=True, kw_only=True):
    """One row; `name` is a profile's, `is_current` marks the current choice.

    `runs_unasked`: choosing it lets code run at once, so it is shown as a warning.
    """

    kind: RowChoice
    text: str
    group: str
    place: ModelAddress = ModelAddress("")
    name: str = ""
    detail: str = ""
    words: str = ""
    is_current: bool = False
    is_favourite: bool = False
    runs_unasked: bool = False

    @property
    def can_be_starred(self) -> bool:
        """Return whether it is a model that can be a favourite."""
        return self.kind == "model" and bool(self.place.model)


class PickerContents(Struct, frozen=True, kw_only=True):
    """Holds what the rows are made of; `found` are models by the name of their provider."""

    current: ModelAddress
    favourites: Sequence[ModelAddress] = ()
    recent: Sequence[ModelAddress] = ()
    found: Mapping[str, Sequence[ModelAddress]] | None = None
    facts: Mapping[str, ModelFacts] | None = None
    profiles: Sequence[Profile] = ()
    profile: str = ""
    is_auto_run: bool = False


def rows_of(contents: PickerContents) -> list[PickerRow]:
    """Return all rows, each model once: among the favourites, the recent, or its provider's."""
    rows = [_profile_row(contents, profile) for profile in contents.profiles]
    if contents.profile:
        words = tr("No profile: as in the settings")
        rows.append(PickerRow(kind="profile", text=words, group=tr("Profiles")))
    groups = [(tr("Favourites"), contents.favourites), (tr("Recent"), contents.recent)]
    groups += list((contents.found or {}).items())
    seen: set[ModelAddress] = set()
    for group, places in groups:
        for place in places:
            if place.model and place not in seen:
                seen.add(place)
                rows.append(_model_row(contents, place, group))
    return [*rows, *_last_rows(contents)]


def matching_rows(rows: Iterable[PickerRow], query: str) -> list[PickerRow]:
    """Return the rows that contain all words of the query."""
    words = query.casefold().split()
    return [row for row in rows if all(word in _searched(row) for word in words)]


def _searched(row: PickerRow) -> str:
    return f"{row.text} {row.group} {row.place.text} {row.detail} {row.words}".casefold()


def _model_row(contents: PickerContents, place: ModelAddress, group: str) -> PickerRow:
    facts = (contents.facts or {}).get(place.model, ModelFacts(model=place.model))
    short = [mark for mark, _whole in model_badges(facts)]
    price = price_text(facts)
    return PickerRow(
        kind="model",
        text=place.model,
        group=group,
        place=place,
        detail=" · ".join([*short, price] if price else short),
        words=" ".join(part for part in (facts_text(facts), place.api_base) if part),
        is_current=place == contents.current,
        is_favourite=place in contents.favourites,
    )


def _profile_row(contents: PickerContents, profile: Profile) -> PickerRow:
    unasked = tr("runs code without asking") if profile.auto_run else ""
    return PickerRow(
        kind="profile",
        text=profile.name,
        group=tr("Profiles"),
        name=profile.name,
        detail=" · ".join(filter(None, (profile.model, unasked))),
        is_current=profile.name == contents.profile,
        runs_unasked=bool(unasked),
    )


def _last_rows(contents: PickerContents) -> list[PickerRow]:
    code = tr("Code")
    warning = tr("It runs without asking, with all your rights on this computer")
    return [
        PickerRow(
            kind="model",
            text=tr("Direct mode (no model)"),
            group=tr("No model"),
            is_current=not contents.current.model,
        ),
        PickerRow(
            kind="ask_first",
            text=tr("Ask before code runs"),
            group=code,
            is_current=not contents.is_auto_run,
        ),
        PickerRow(
            kind="auto_run",
            text=tr("Run code without asking in this conversation"),
            group=code,
            words=warning,
            is_current=contents.is_auto_run,
            runs_unasked=True,
        ),
        PickerRow(kind="settings", text=tr("Settings…"), group=tr("More")),
    ]
