"""The languages that code can be run in: their words, other words for them, their names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """One language: `word` is what fences and tools call it here."""

    word: str
    name: str
    aliases: frozenset[str]


LANGUAGES: tuple[Language, ...] = (
    Language("python", "Python", frozenset({"py", "python3", "py3", "ipython", "ipython3"})),
)


def canonical(word: str) -> str | None:
    """The language that a word of a model or a person names, or None if it cannot be run."""
    wanted = word.strip().lower()
    for language in LANGUAGES:
        if wanted == language.word or wanted in language.aliases:
            return language.word
    return None


def display_name(word: str) -> str:
    """How a language is called in the window; unknown words stay as they are."""
    for language in LANGUAGES:
        if language.word == word:
            return language.name
    return word
