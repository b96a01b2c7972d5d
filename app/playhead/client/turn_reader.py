"""Read a turn as chunks, in an asyncio loop too, or as a whole; a display may render it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from queue import Empty
from typing import Any, Literal, Protocol

from playhead.client.chat_transcript import is_extended, plain_chunk, run_end_chunks
from playhead.client.connection import RemoteTurn
from playhead.errors import InterpreterError

Wire = dict[str, Any]
Verdict = tuple[Literal["approve", "reject"], str | None]
"""A decision, with the code that replaces the proposed one, or with the reason."""


class Display(Protocol):
    """Renders a chat beside its stream."""

    def show(self, chunk: Wire) -> None:
        """Render one chunk of any kind."""
        ...

    def decide(self, proposal: Wire) -> Verdict | None:
        """Ask a person about a confirmation; return None if there is no one to ask."""
        ...

    def ask(self, prompt: str, is_secret: bool) -> str | None:
        """Ask a person for a line that running code wants; return None if there is no one to
        ask.
        """
        ...

    def close(self) -> None:
        """Release what the display holds; the chat is over."""
        ...


Answer = str | None
OnInput = Callable[[str, bool], "Answer | Awaitable[Answer]"]
"""Called with the prompt of code that asks for a line, and whether the answer is a secret."""


class TurnReader:
    """Reads one turn and leaves it when its reader goes, however that is.

    `shown` renders beside, `on_input` answers code that asks, `wants_extended` says whether the
    kinds that a plain reader has no word for are passed on.
    """

    def __init__(
        self,
        turn: RemoteTurn,
        shown: Display | None,
        on_input: OnInput | None,
        wants_extended: bool,
    ) -> None:
        self._turn = turn
        self._shown = shown
        self._on_input = on_input or (shown.ask if shown is not None else _nobody)
        self._wants_extended = wants_extended

    def chunks(self) -> Generator[Wire]:
        """Yield the chunks as they come; asking for the one after a confirmation approves it."""
        turn = self._turn
        with self._reading():
            while not turn.is_over:
                chunk = self._heard(turn.take())
                yield from self._wanted(chunk)
                if turn.question is not None:
                    _settle(turn, _at_once(self._answer(turn.question)))
        turn.raise_failure()

    async def chunks_async(self) -> AsyncGenerator[Wire, None]:
        """Yield the chunks as they come, in an asyncio loop."""
        turn = self._turn
        with self._reading(), _arrivals(turn) as arrival:
            while not turn.is_over:
                chunk = self._heard(await arrival())
                for one in self._wanted(chunk):
                    yield one
                if turn.question is not None:
                    answer = self._answer(turn.question)
                    _settle(turn, await answer if inspect.isawaitable(answer) else answer)
        turn.raise_failure()

    def whole(self) -> Wire | None:
        """Read to the end, or up to a confirmation that no one decides; return that
        confirmation.
        """
        turn = self._turn
        with self._reading():
            while not turn.is_over:
                self._show(turn.hear(turn.take()))
                if turn.is_waiting and turn.proposal is not None:
                    verdict = None if self._shown is None else self._shown.decide(turn.proposal)
                    if verdict is None:
                        return turn.pause()
                    _apply(turn, verdict)
                turn.go_on()
                if turn.question is not None:
                    _settle(turn, _at_once(self._answer(turn.question)))
        turn.raise_failure()
        return None

    def _heard(self, message: Wire | None) -> Wire | None:
        chunk = self._turn.hear(message)
        self._turn.go_on()  # the program has come back from the confirmation before
        self._show(chunk)
        return chunk

    def _show(self, chunk: Wire | None) -> None:
        if chunk is not None and self._shown is not None:
            self._shown.show(chunk)

    def _wanted(self, chunk: Wire | None) -> list[Wire]:
        """Return the chunks that the program gets for a chunk of the server."""
        if chunk is None or self._wants_extended:
            return [] if chunk is None else [chunk]
        return run_end_chunks(chunk) if is_extended(chunk) else [plain_chunk(chunk)]

    def _answer(self, question: Wire) -> Answer | Awaitable[Answer]:
        return self._on_input(str(question.get("prompt", "")), question.get("is_secret") is True)

    @contextlib.contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        finally:
            if not self._turn.is_paused:
                self._turn.leave()
            if self._shown is not None:
                self._shown.close()


def _nobody(_prompt: str, _is_secret: bool) -> None:
    return None


def _at_once(answer: Answer | Awaitable[Answer]) -> Answer:
    if answer is None or isinstance(answer, str):
        return answer
    raise TypeError("on_input must return a text here; only stream() can wait for an awaitable")


def _settle(turn: RemoteTurn, answer: Answer) -> None:
    """Answer the code that asks, or end the turn in words: it would wait for ever."""
    question = turn.question
    if question is None:  # the program has answered meanwhile
        return
    if answer is not None:
        turn.answer(answer)
        return
    turn.fail(
        InterpreterError(
            "The code asks for input, and there is no one to answer.",
            detail=f"It asked “{str(question.get('prompt', '')).strip()}”.",
            remedy="Run it where someone can answer: at a terminal, or with `on_input` set.",
            code="input_unanswered",
        )
    )


def _apply(turn: RemoteTurn, verdict: Verdict) -> None:
    kind, text = verdict
    if kind == "approve":
        turn.approve(text)
    else:
        turn.reject(text or "")


@contextlib.contextmanager
def _arrivals(turn: RemoteTurn) -> Generator[Callable[[], Awaitable[Wire | None]]]:
    """Yield functions that wait for the server's next message without blocking the loop."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is no waiter left
            loop.call_soon_threadsafe(arrived.set)

    async def arrival() -> Wire | None:
        while True:
            arrived.clear()
            try:
                return turn.take_now()
            except Empty:
                await arrived.wait()

    turn.on_arrival(wake)
    try:
        yield arrival
    finally:
        turn.on_arrival(None)
