"""Carries the questions of programs that connect to other machines to the window, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.domain.places import PlaceQuestion

if TYPE_CHECKING:
    from playhead.domain.secret import Secret

Reply = Callable[[str, str | None], None]
Listener = Callable[[PlaceQuestion], None]


class PlaceQuestions:
    """Knows what is asked now, and by whom; without a listener a connection is given up."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._open: dict[str, Reply] = {}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with each question, and with one without a text when it is over."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def take(self, place: str, report: Mapping[str, Any], reply: Reply) -> None:
        """Take what a connection to a place reports; `reply(id, text)` answers it."""
        question = PlaceQuestion(
            id=str(report["id"]),
            place=place,
            text=str(report["text"]),
            is_secret=report["is_secret"] is True,
            is_choice=report["is_choice"] is True,
        )
        if not question.text:
            if self._open.pop(question.id, None) is not None:
                self._emit(question)
            return
        self._open[question.id] = reply
        self._emit(question)
        if not self._listeners:
            self.answer(question.id, None)

    def answer(self, question_id: str, answer: Secret | None) -> None:
        """Answer a question, if it is still open; None gives its connection up."""
        reply = self._open.pop(question_id, None)
        if reply is not None:
            reply(question_id, None if answer is None else answer.reveal())

    def _emit(self, question: PlaceQuestion) -> None:
        for listener in tuple(self._listeners):
            listener(question)
