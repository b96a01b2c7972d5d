"""The rows of the model picker: which there are, in which groups, and what a search leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from playhead.domain.model import ModelFacts
from playhead.domain.settings import Profile
from playhead.ui.models.words import facts_words, marks, price_words
from playhead.ui.wording import tr

Kind = Literal["model", "profile", "ask_first", "auto_run", "settings"]


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model at an address; '' is the provider's own."""

    model: str
    api_base: str = ""

    @property
    def text(self) -> str:
        """How a favourite is written; no model string has a space in it."""
        return f"{self.model} {self.api_base}".strip()

    @classmethod
    def of(cls, text: str) -> ModelPlace:
        """The favourite that was written like this."""
        model, _, api_base = text.partition(" ")
        return cls(model, api_base)


@dataclass(frozen=True, slots=True)
class PickerRow:
    """One row; `name` is a profile's, `is_current` marks what is in force.

    `runs_unasked`: to choose it is to allow code at once, and it is shown as a warning.
    """

    kind: Kind
    text: str
    group: str
    place: ModelPlace = ModelPlace("")
    name: str = ""
    detail: str = ""
    words: str = ""
    is_current: bool = False
    is_favourite: bool = False
    runs_unasked: bool = False

    @property
    def can_be_starred(self) -> bool:
        """Whether it is a model that one may come back to."""
        return self.kind == "model" and bool(self.place.model)


@dataclass(frozen=True, slots=True)
class PickerContents:
    """What the rows are made of; `found` are models by the name of their provider."""

    current: ModelPlace
    favourites: Sequence[ModelPlace] = ()
    recent: Sequence[ModelPlace] = ()
    found: Mapping[str, Sequence[ModelPlace]] | None = None
    facts: Mapping[str, ModelFacts] | None = None
    profiles: Sequence[Profile] = ()
    profile: str = ""
    is_auto_run: bool = False


def rows_of(contents: PickerContents) -> list[PickerRow]:
    """All rows, each model once: among the favourites, else the recent, else its provider's."""
    rows = [_profile_row(contents, profile) for profile in contents.profiles]
    if contents.profile:
        words = tr("No profile: as in the settings")
        rows.append(PickerRow("profile", words, tr("Profiles")))
    groups = [(tr("Favourites"), contents.favourites), (tr("Recent"), contents.recent)]
    groups += list((contents.found or {}).items())
    seen: set[ModelPlace] = set()
    for group, places in groups:
        for place in places:
            if place.model and place not in seen:
                seen.add(place)
                rows.append(_model_row(contents, place, group))
    return [*rows, *_last_rows(contents)]


def matching(rows: Iterable[PickerRow], query: str) -> list[PickerRow]:
    """Those with all words of the query in what they say."""
    words = query.casefold().split()
    return [row for row in rows if all(word in _searched(row) for word in words)]


def _searched(row: PickerRow) -> str:
    return f"{row.text} {row.group} {row.place.text} {row.detail} {row.words}".casefold()


def _model_row(contents: PickerContents, place: ModelPlace, group: str) -> PickerRow:
    facts = (contents.facts or {}).get(place.model, ModelFacts(place.model))
    short = [mark for mark, _whole in marks(facts)]
    price = price_words(facts)
    return PickerRow(
        "model",
        place.model,
        group,
        place,
        detail=" · ".join([*short, price] if price else short),
        words=" ".join(part for part in (facts_words(facts), place.api_base) if part),
        is_current=place == contents.current,
        is_favourite=place in contents.favourites,
    )


def _profile_row(contents: PickerContents, profile: Profile) -> PickerRow:
    unasked = tr("runs code without asking") if profile.auto_run else ""
    return PickerRow(
        "profile",
        profile.name,
        tr("Profiles"),
        name=profile.name,
        detail=" · ".join(filter(None, (profile.model, unasked))),
        is_current=profile.name == contents.profile,
        runs_unasked=bool(unasked),
    )


def _last_rows(contents: PickerContents) -> list[PickerRow]:
    code = tr("Code")
    warning = tr("It runs at once, with all your rights on this computer")
    return [
        PickerRow(
            "model",
            tr("Direct mode (no model)"),
            tr("No model"),
            is_current=not contents.current.model,
        ),
        PickerRow(
            "ask_first", tr("Ask before code runs"), code, is_current=not contents.is_auto_run
        ),
        PickerRow(
            "auto_run",
            tr("Run code without asking in this conversation"),
            code,
            words=warning,
            is_current=contents.is_auto_run,
            runs_unasked=True,
        ),
        PickerRow("settings", tr("Settings…"), tr("More")),
    ]
