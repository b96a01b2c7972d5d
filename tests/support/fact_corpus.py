"""The corpus of snippets with the facts that a person gave them, and how many of these are seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from playhead.analysis.code_facts import facts_of
from playhead.analysis.targets import Surroundings
from playhead.domain.trust import RiskFact

FOLDER = Path(__file__).parents[1] / "data" / "facts"
WHERE = Surroundings(folder="/home/me/work", home="/home/me")
JUDGED = ("deletes", "writes_outside", "network", "starts_programs")
"""The kinds whose recall has a bar."""


class Snippet(Struct, frozen=True, kw_only=True):
    """A code with its labels, pairs of kind and target; `is_held_back` from those who tune."""

    name: str
    language: str
    code: str
    labels: tuple[tuple[str, str], ...]
    is_held_back: bool

    @property
    def facts(self) -> Sequence[RiskFact]:
        """Return what is seen of it."""
        return facts_of(self.language, self.code, WHERE).facts

    def missed(self, kinds: Sequence[str] = JUDGED) -> list[tuple[str, str]]:
        """Return the labels of these kinds that no fact has, with the target if there is one."""
        seen = {(fact.kind, fact.target) for fact in self.facts}
        found = {kind for kind, _target in seen}
        return [
            (kind, target)
            for kind, target in self.labels
            if kind in kinds and ((kind, target) not in seen if target else kind not in found)
        ]


def snippets(name: str) -> Iterator[Snippet]:
    """Yield the snippets of a file; every third one is held back."""
    parts = ("\n" + (FOLDER / f"{name}.txt").read_text()).split("\n=== ")[1:]
    for number, part in enumerate(parts, 1):
        head, _, code = part.partition("\n")
        language, _, labels = head.partition(":")
        pairs = [label.strip().partition(" ") for label in labels.split(",") if label.strip()]
        yield Snippet(
            name=f"{name} {number}",
            language=language.strip(),
            code=code,
            labels=tuple((kind, target) for kind, _, target in pairs),
            is_held_back=number % 3 == 0,
        )


def risky(*, is_held_back: bool) -> list[Snippet]:
    """Return the snippets with labels."""
    found = [*snippets("python"), *snippets("others")]
    return [one for one in found if one.is_held_back == is_held_back]


def harmless(*, is_held_back: bool) -> list[Snippet]:
    """Return the snippets of which nothing is to be seen."""
    return [one for one in snippets("harmless") if one.is_held_back == is_held_back]


def recall(chosen: Sequence[Snippet], kinds: Sequence[str] = JUDGED) -> float:
    """Return the share of labels of these kinds that are seen, with their targets."""
    wanted = sum(kind in kinds for one in chosen for kind, _target in one.labels)
    missed = sum(len(one.missed(kinds)) for one in chosen)
    return 1 - missed / wanted


def false_alarms(chosen: Sequence[Snippet]) -> float:
    """Return the share of harmless snippets of which anything is seen."""
    return sum(bool(one.facts) for one in chosen) / len(chosen)
