"""What a program holds in its hand: settings, the conversation, and chats over the pipe."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import os
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from queue import Empty
from typing import Any, Literal, Protocol, Self, cast, overload

from playhead.client.process import ServerProcess, server_command
from playhead.client.transcript import Transcript, is_extended, plain
from playhead.client.turn import Status, Turn
from playhead.errors import InterpreterError

Wire = dict[str, Any]
Asked = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]
Verdict = tuple[Literal["approve", "reject"], str | None]
OnInput = Callable[[str, bool], str | Awaitable[str | None] | None]

_REST_S = 15.0
"""How long the turn before may take to end once it was left."""


class Display(Protocol):
    """Renders a chat beside its stream."""

    def show(self, chunk: Wire) -> None:
        """Render one chunk of any kind."""
        ...

    def decide(self, proposal: Wire) -> Verdict | None:
        """Ask the person at the terminal; None: there is nobody."""
        ...

    def ask(self, prompt: str, is_secret: bool) -> str | None:
        """Ask the person at the terminal for a line; None: there is nobody."""
        ...

    def close(self) -> None:
        """The chat is over."""
        ...


@dataclass(slots=True)
class ModelFields:
    """Which model answers; None leaves it to the settings of the app."""

    model: str | None = None
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None


class InterpreterClient:
    """One conversation with its kernels, in a server process that the first chat starts.

    Attributes may be set at any time; they count from the next chat on. Usable from any thread,
    one chat at a time. `close()` it, use it in a `with`, or leave it to the end of the program.
    """

    def __init__(
        self,
        model: str | None = None,
        api_base: str | None = None,
        api_key: str | None = None,
        auto_run: bool = False,
        working_dir: str | os.PathLike[str] | None = None,
        messages: Iterable[Mapping[str, Any]] | None = None,
        extended: bool = False,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        instructions: str = "",
        on_input: OnInput | None = None,
    ) -> None:
        self.llm = ModelFields(model, api_base, api_key, temperature, max_tokens)
        self.auto_run = auto_run
        self.working_dir = working_dir
        self.instructions = instructions
        self.extended = extended
        self.on_input = on_input
        self._transcript = Transcript(messages or ())
        self._server: ServerProcess | None = None
        self._turn: Turn | None = None
        self._is_paused = False
        self._is_begun = False
        self._told_config: Wire = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    @property
    def model(self) -> str | None:
        """The model's name, as in "openai/gpt-5"; None: as the settings of the app say."""
        return self.llm.model

    @model.setter
    def model(self, name: str | None) -> None:
        self.llm.model = name

    @property
    def api_base(self) -> str | None:
        """The address of the model's server; it is given `api_key` and no stored key."""
        return self.llm.api_base

    @api_base.setter
    def api_base(self, address: str | None) -> None:
        self.llm.api_base = address

    @property
    def api_key(self) -> str | None:
        """The key for the model; None: as the environment or the keyring has it."""
        return self.llm.api_key

    @api_key.setter
    def api_key(self, key: str | None) -> None:
        self.llm.api_key = key

    @property
    def messages(self) -> list[Wire]:
        """The whole conversation. What is changed in it counts from the next chat on.

        The kernel then starts anew, so names that earlier code made are gone.
        """
        return self._transcript.messages

    @messages.setter
    def messages(self, messages: Iterable[Mapping[str, Any]]) -> None:
        with self._lock:
            self._rest()
            self._transcript = Transcript(messages)
            self._is_begun = False

    @property
    def pending(self) -> Wire | None:
        """The code that waits for a decision: {"type": "code", "format", "content"}."""
        turn = self._turn
        return turn.proposal["content"] if turn is not None and turn.proposal else None

    @property
    def status(self) -> Status:
        """How the last chat ended: complete, cancelled or failed; "" while it is under way."""
        return self._turn.status if self._turn is not None else ""

    @overload
    def chat(
        self, message: Asked, *, stream: Literal[True], display: bool = ..., extended: bool = ...
    ) -> Generator[Wire]: ...
    @overload
    def chat(
        self, message: Asked, *, stream: Literal[False] = ..., display: bool = ...
    ) -> list[Wire]: ...
    @overload
    def chat(
        self, message: Asked, *, stream: bool, display: bool = ..., extended: bool = ...
    ) -> Generator[Wire] | list[Wire]: ...
    def chat(
        self,
        message: Asked,
        *,
        stream: bool = False,
        display: bool = False,
        extended: bool | None = None,
    ) -> Generator[Wire] | list[Wire]:
        """Ask. With `stream` the chunks of the answer as they come, else its folded messages.

        At a confirmation chunk, going on runs the code; leaving the loop declines it and stops
        the turn. `approve(code)` and `reject(reason)` before going on decide otherwise. (With
        `auto_run` it only announces what runs already.)

        Without `stream` nobody can decide: unless `auto_run`, code is not run, and a confirmation
        is the last message; then `approve()` or `reject()` go on. `display` renders in the
        terminal, and there may be somebody to ask. Raises InterpreterError.
        """
        asked = _messages_of(message)
        if stream:
            return self._streamed(asked, display, self._wants_extended(extended))
        with self._lock:
            turn = self._open_turn(asked)
        return self._read_whole(turn, display)

    def stream(
        self, message: Asked, *, display: bool = False, extended: bool | None = None
    ) -> AsyncGenerator[Wire, None]:
        """The same as an asynchronous generator, for any asyncio loop that is running."""
        asked = _messages_of(message)
        return self._streamed_async(asked, display, self._wants_extended(extended))

    def approve(self, code: str | None = None) -> list[Wire]:
        """Let the pending code run, or `code` in its place.

        A stream does so when it goes on. After a whole answer that ended in a confirmation, the
        messages that follow.
        """
        self._pending_turn().approve(code)
        return self._go_on_paused()

    def reject(self, reason: str = "") -> list[Wire]:
        """Do not run the pending code and tell the model why; the turn goes on as in `approve`."""
        self._pending_turn().reject(reason)
        return self._go_on_paused()

    def answer_input(self, text: str) -> None:
        """Answer the code that asks for a line, at an `input` chunk of an extended stream."""
        turn = self._turn
        if turn is None or turn.question is None:
            raise InterpreterError("No code is asking for input.", code="invalid_state")
        turn.answer(text)

    def stop(self) -> None:
        """End the chat under way, from whatever thread: its reader gets the rest, then the end."""
        if self._turn is not None:
            self._turn.stop()

    def reset(self) -> None:
        """Forget the conversation and end its kernels; a chat under way ends."""
        with self._lock:
            if self._turn is not None:
                self._turn.leave()
            self._rest()
            self._transcript = Transcript()
            if self._server is not None and self._server.is_usable:
                self._begin(self._server)

    def close(self) -> None:
        """End the server process with all that runs in it. A later chat starts another."""
        with self._lock:
            if self._turn is not None:
                self._turn.leave()
            server, self._server = self._server, None
            self._is_begun = False
        if server is not None:
            server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_display(self) -> Display:
        """What `display=True` renders with; who has a terminal overrides it."""
        raise InterpreterError("There is nothing here to display a chat with.")

    def _server_command(self) -> list[str]:
        return server_command()

    def _wants_extended(self, extended: bool | None) -> bool:
        return self.extended if extended is None else extended

    # Beginning

    def _config(self) -> Wire:
        folder = os.path.abspath(self.working_dir or os.getcwd())
        given = {**asdict(self.llm), "instructions": self.instructions, "working_dir": folder}
        named = {name: value for name, value in given.items() if value not in (None, "")}
        return {**named, "auto_run": bool(self.auto_run)}

    def _open_turn(self, asked: list[Wire]) -> Turn:
        with self._lock:
            self._rest()
            server = self._usable_server()
            if not self._is_begun or self._transcript.is_changed:
                self._begin(server)
            config = self._config()
            changed = {} if config == self._told_config else {"config": config}
            self._told_config = config
            turn = Turn(f"t{next(self._numbers)}", server, self._transcript)
            self._turn, self._is_paused = turn, False
            self._transcript.add(asked)
            server.listen(turn.deliver)
            server.send({"do": "chat", "turn": turn.id, "messages": asked, **changed})
            return turn

    def _rest(self) -> None:
        """Wait for the end of a turn that was left. Raises InterpreterError if one is read."""
        turn = self._turn
        if turn is None or turn.done.is_set():
            return
        if self._is_paused:
            turn.leave()
        if not turn.is_left:
            raise InterpreterError(
                "This interpreter is in the middle of a chat.",
                remedy="Read it to its end or stop it, or use another Interpreter.",
                code="session_busy",
            )
        if not turn.done.wait(_REST_S) and self._server is not None:
            self._server.kill()
            turn.done.wait(_REST_S)

    def _usable_server(self) -> ServerProcess:
        if self._server is None or not self._server.is_usable:
            self._server = ServerProcess(self._server_command())
            self._is_begun = False
            weakref.finalize(self, self._server.end).atexit = False  # it has its own
        return self._server

    def _begin(self, server: ServerProcess) -> None:
        self._transcript = Transcript(self._transcript.messages)
        self._told_config = self._config()
        messages = self._transcript.messages
        server.send({"do": "begin", "messages": messages, "config": self._told_config})
        self._is_begun = True

    # Reading

    def _streamed(self, asked: list[Wire], display: bool, extended: bool) -> Generator[Wire]:
        turn = self._open_turn(asked)
        with self._reading(turn, display) as shown:
            while not turn.done.is_set() and not turn.is_left:
                chunk = turn.hear(turn.take())
                turn.go_on()  # the program has come back from the confirmation
                if chunk is None:
                    continue
                if shown is not None:
                    shown.show(chunk)
                if extended or not is_extended(chunk):
                    yield chunk if extended else plain(chunk)
                if turn.question is not None:
                    _settle(turn, self._answer(turn.question, shown))
        turn.end()

    async def _streamed_async(
        self, asked: list[Wire], display: bool, extended: bool
    ) -> AsyncGenerator[Wire, None]:
        await asyncio.to_thread(self._rest)  # else a turn that was left would hold up the loop
        turn = self._open_turn(asked)
        with self._reading(turn, display) as shown, _arrivals(turn) as arrival:
            while not turn.done.is_set() and not turn.is_left:
                chunk = turn.hear(await arrival())
                turn.go_on()
                if chunk is None:
                    continue
                if shown is not None:
                    shown.show(chunk)
                if extended or not is_extended(chunk):
                    yield chunk if extended else plain(chunk)
                if turn.question is not None:
                    answer = self._answer(turn.question, shown)
                    _settle(turn, await answer if inspect.isawaitable(answer) else answer)
        turn.end()

    def _read_whole(self, turn: Turn, display: bool, seen: int | None = None) -> list[Wire]:
        """Read up to the end, or to code that nobody here can decide about."""
        seen = len(self.messages) if seen is None else seen
        self._is_paused = False
        with self._reading(turn, display) as shown:
            while not turn.done.is_set() and not turn.is_left:
                chunk = turn.hear(turn.take())
                if chunk is not None and shown is not None:
                    shown.show(chunk)
                if turn.is_waiting and turn.proposal is not None:
                    verdict = None if shown is None else shown.decide(turn.proposal)
                    if verdict is None:
                        self._is_paused = True
                        return [*self._copies(seen), dict(turn.proposal)]
                    _apply(turn, verdict)
                    turn.go_on()
                if turn.question is not None:
                    _settle(turn, self._answer(turn.question, shown))
        turn.end()
        return self._copies(seen)

    def _copies(self, first: int) -> list[Wire]:
        return [dict(message) for message in self.messages[first:]]

    @contextlib.contextmanager
    def _reading(self, turn: Turn, display: bool) -> Generator[Display | None]:
        """Leave the turn when its reader goes, however that is."""
        shown = self._new_display() if display else None
        try:
            yield shown
        finally:
            if not turn.done.is_set() and not self._is_paused:
                turn.leave()
            if shown is not None:
                shown.close()

    def _answer(self, question: Wire, shown: Display | None) -> Any:
        """The line for code that asks: of the program's callback, or of the terminal."""
        prompt, is_secret = str(question.get("prompt", "")), question.get("is_secret") is True
        if self.on_input is not None:
            return self.on_input(prompt, is_secret)
        return None if shown is None else shown.ask(prompt, is_secret)

    def _pending_turn(self) -> Turn:
        turn = self._turn
        if turn is None or turn.proposal is None or turn.done.is_set():
            raise InterpreterError("No code is waiting for a decision.", code="invalid_state")
        return turn

    def _go_on_paused(self) -> list[Wire]:
        turn = self._turn
        if not self._is_paused or turn is None:
            return []
        seen = len(self.messages)
        turn.go_on()
        return self._read_whole(turn, display=False, seen=seen)


def _settle(turn: Turn, answer: str | None) -> None:
    """Answer the code that asks, or end the turn in words: it would wait for ever."""
    if turn.question is None:
        return
    if answer is not None:
        turn.answer(answer)
        return
    turn.fail(
        InterpreterError(
            "The code asks for input, and there is nobody to answer.",
            detail=f"It asked “{str(turn.question.get('prompt', '')).strip()}”.",
            remedy="Run it where somebody can answer: at a terminal, or with `on_input` set.",
            code="input_unanswered",
        )
    )
    turn.question = None


def _apply(turn: Turn, verdict: Verdict) -> None:
    kind, text = verdict
    if kind == "approve":
        turn.approve(text)
    else:
        turn.reject(text or "")


@contextlib.contextmanager
def _arrivals(turn: Turn) -> Generator[Callable[[], Awaitable[Wire | None]]]:
    """What waits, without blocking the loop, for the next thing that the server says."""
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
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


def _messages_of(asked: Asked) -> list[Wire]:
    """A text, a message or several, as messages in their whole form."""
    if isinstance(asked, str):
        given: list[Mapping[str, Any]] = [{"content": asked}]
    elif isinstance(asked, Mapping):
        given = [cast("Mapping[str, Any]", asked)]
    else:
        given = list(asked)
    if not given or not all(isinstance(message, Mapping) for message in given):
        raise TypeError("chat() takes a text, a message (a dict) or a list of messages")
    return [{"role": "user", "type": "message", **message} for message in given]
