"""The interpreter object of a program: its settings, the conversation and chats over the pipe."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, cast, overload

from playhead.client.connection import Connection, RemoteTurn, Status
from playhead.client.kernel_messages import are_kernel_messages
from playhead.client.server_process import server_command, start_folder
from playhead.client.turn_reader import Display, OnInput, TurnReader
from playhead.errors import InterpreterError

Wire = dict[str, Any]
Asked = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]


@dataclass(slots=True)
class ModelFields:
    """Holds the choice of the model; None uses the one in the app's settings."""

    model: str | None = None
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: str | Sequence[str] | None = None


class TrustVerbs(ABC):
    """Takes back or keeps what runs did to files, and chooses what sandboxed code may reach."""

    _connection: Connection

    @abstractmethod
    def _config(self, display: bool = False, extended: bool | None = None) -> Wire:
        """Return the settings as they are now."""

    def effects(self) -> list[Wire]:
        """Return what the runs of the conversation did to files, the oldest first.

        Each has an `id`, the paths that were created, changed, deleted and moved, and those of them
        that are `undone` now; what was `set_aside` and is `waiting` to be kept or deleted.
        """
        return self._connection.request("effects")

    def undo(self, path: str = "", effect: str = "") -> list[Wire]:
        """Undo what the last run, or that of an effect, did to files or to one file.

        Return the undo as an effect; files that were changed since are left, as its `conflicts`.
        """
        return self._connection.request("undo", path=path, effect=effect)

    def redo(self, path: str = "", effect: str = "") -> list[Wire]:
        """Do again what was undone last, or of an effect, for all of its files or for one."""
        return self._connection.request("redo", path=path, effect=effect)

    def keep(self, path: str = "", effect: str = "") -> list[Wire]:
        """Put what was set aside of runs in the sandbox, or one file, where the code had put it.

        Effects name such files as `set_aside`: other programs would run them.
        """
        return self._connection.request("keep", path=path, effect=effect)

    def delete(self, path: str = "", effect: str = "") -> list[Wire]:
        """Delete what was set aside of runs in the sandbox, or one file of it."""
        return self._connection.request("delete", path=path, effect=effect)

    def review(self) -> list[Wire]:
        """Return what would change if the copy that runs work in were applied; [] for nothing.

        Runs work in a copy of the folder with PLAYHEAD_REVIEW=on.
        """
        return self._connection.request("review")

    def apply(self, path: str = "") -> list[Wire]:
        """Apply what waits in the copy, or one file of it, to the folder; return the effect.

        Files that others have changed meanwhile are left, as its `conflicts`, unless named.
        """
        return self._connection.request("apply", path=path)

    def discard(self) -> list[Wire]:
        """Delete the copy with all that waits in it; the kernel ends."""
        return self._connection.request("discard")

    def grants(self) -> list[Wire]:
        """Return what code of the conversation is granted and denied beyond its policy."""
        return self._connection.request_grants("grants", self._config())

    def grant(
        self, kind: str, target: str, scope: str = "conversation", *, deny: bool = False
    ) -> Wire:
        """Let code in the sandbox reach something, or deny it; return that grant.

        `kind`: read or write (a folder or file), host, packages (pypi, cran, npm), variable.
        `scope`: run, conversation or folder, for all conversations with the working folder.
        """
        fields = {"kind": kind, "target": target, "scope": scope, "deny": deny}
        return self._connection.request_grants("grant", self._config(), **fields)[0]

    def revoke(self, grant_id: str) -> None:
        """Take a grant or a denial back, for code that runs, too."""
        self._connection.request_grants("revoke", self._config(), grant=grant_id)

    def packages(self) -> list[Wire]:
        """Return the packages that code in the sandbox has installed, and its environment has not.

        Each has `name`, `version` and `there`, the version that the environment has.
        """
        return self._connection.request_packages("packages", self._config())

    def places(self, server: str = "") -> list[Wire]:
        """Return where code can run, each with the `name` that `place` may be set to.

        With the name of a Jupyter server also its kernels, which it is asked for.
        """
        return self._connection.request_places(self._config(), server)

    def keep_packages(self, packages: Sequence[str], *, builds: bool = False) -> list[Wire]:
        """Install some of these, like "numpy 2.3.1", into the environment, outside of the sandbox.

        They are downloaded again. With `builds` also those that have no wheel: what builds them is
        code of their own, which may do what you may.
        """
        fields = {"packages": list(packages), "builds": builds}
        return self._connection.request_packages("keep_packages", self._config(), **fields)


class InterpreterClient(TrustVerbs):
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
        place: str = "",
        temperature: float | None = None,
        max_tokens: int | None = None,
        top_p: float | None = None,
        stop: str | Sequence[str] | None = None,
        instructions: str = "",
        on_input: OnInput | None = None,
    ) -> None:
        self.llm = ModelFields(model, api_base, api_key, temperature, max_tokens, top_p, stop)
        self.auto_run = auto_run
        self.working_dir = working_dir
        self.instructions = instructions
        self.place = place
        self.extended = extended
        self.on_input = on_input
        self._connection = Connection(self._server_command(), messages or ())

    @property
    def model(self) -> str | None:
        """Return the model's name, as in "openai/gpt-5"; None uses the app's settings."""
        return self.llm.model

    @model.setter
    def model(self, name: str | None) -> None:
        self.llm.model = name

    @property
    def api_base(self) -> str | None:
        """Return the address of the model's server; it gets `api_key` and never a stored key."""
        return self.llm.api_base

    @api_base.setter
    def api_base(self, address: str | None) -> None:
        self.llm.api_base = address

    @property
    def api_key(self) -> str | None:
        """Return the key for the model; None uses the environment or the keyring."""
        return self.llm.api_key

    @api_key.setter
    def api_key(self, key: str | None) -> None:
        self.llm.api_key = key

    @property
    def messages(self) -> list[Wire]:
        """Return the whole conversation. Changes to it take effect with the next chat.

        The kernel is then restarted, so variables of earlier code are lost.
        """
        return self._connection.transcript.messages

    @messages.setter
    def messages(self, messages: Iterable[Mapping[str, Any]]) -> None:
        self._connection.replace(messages)

    @property
    def pending(self) -> Wire | None:
        """Return the code that waits for a decision: {"type": "code", "format", "content"}."""
        turn = self._connection.turn
        return turn.proposal["content"] if turn is not None and turn.proposal else None

    def awaits_decision(self) -> bool:
        """Return whether the confirmation that was just read asks; else it only announces a run."""
        turn = self._connection.turn
        return turn is not None and turn.awaits_decision()

    @property
    def status(self) -> Status:
        """Return how the last chat ended: complete, cancelled or failed; "" while it is running."""
        turn = self._connection.turn
        return turn.status if turn is not None else ""

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
        """Ask the model. Return the chunks of the answer with `stream`, else its folded messages.

        At a confirmation chunk, continuing the loop runs the code; leaving the loop declines it and
        stops the turn. Call `approve(code)` or `reject(reason)` before continuing to decide
        differently. (With `auto_run` the chunk only announces code that runs already.)

        Without `stream` there is no one to decide: unless `auto_run` is set, code does not run and
        a confirmation is the last message; `approve()` or `reject()` then continue the turn.
        `display` renders in the terminal, where a person may be asked. Raises InterpreterError.
        """
        asked = _messages_of(message)
        if stream:
            return self._streamed(asked, display, extended)
        turn = self._connection.ask(asked, self._config(display))
        return self._read_whole(turn, display)

    def stream(
        self,
        message: Asked,
        *,
        display: bool = False,
        extended: bool | None = None,
        tools: Iterable[Mapping[str, Any]] = (),
    ) -> AsyncGenerator[Wire, None]:
        """Ask as `chat` does and return an asynchronous generator, for any running asyncio loop.

        Messages of @unternet/kernel (see `create_message`) are answered in the same format: deltas
        and whole messages. They are the whole history each time, apart from `messages`; a stream
        that ends in `tool_calls` continues with their `tool_results`, which for `execute` are the
        decision. `tools` are for that format only.
        """
        given = _listed(message)
        if are_kernel_messages(given):
            asked, offered = map(dict, given), map(dict, tools)
            return self._streamed_kernel(list(asked), list(offered))
        return self._streamed_async(_native(given), display, extended)

    def approve(self, code: str | None = None) -> list[Wire]:
        """Run the pending code, or `code` in its place.

        A stream runs it when it continues. After a whole answer that ended in a confirmation,
        return the messages that follow.
        """
        turn = self._pending_turn()
        turn.approve(code)
        return self._go_on_paused(turn)

    def reject(self, reason: str = "") -> list[Wire]:
        """Reject the pending code and give the model the reason; the turn continues as in
        `approve`.
        """
        turn = self._pending_turn()
        turn.reject(reason)
        return self._go_on_paused(turn)

    def answer_input(self, text: str | None) -> None:
        """Answer the code that asks for a line, at an `input` chunk of an extended stream.

        None: the line comes by `send_text`, or has come by it already.
        """
        turn = self._connection.turn
        if turn is None or turn.question is None:
            raise InterpreterError("No code is asking for input.", code="invalid_state")
        turn.answer(text)

    def send_text(self, text: str, is_end: bool = False, run: int | None = None) -> None:
        """Give what the running code has started text on its standard input, then its end.

        Nothing happens where nothing runs, or another run of the chat than `run`, the first being
        1; how many bytes of the text were read is `input_bytes` at the run's end. From whatever
        thread.
        """
        if self._connection.turn is not None:
            self._connection.turn.send_text(text, is_end, run)

    def stop(self) -> None:
        """End the chat under way, from whatever thread: its reader gets the rest, then the end."""
        if self._connection.turn is not None:
            self._connection.turn.stop()

    def pause(self, lines: Sequence[int] | None = None) -> None:
        """Pause the Python code that runs before its next line, from whatever thread.

        With `lines` it pauses before these and no others; the code may still wait for a decision.
        In an extended stream a chunk `server/paused` then has the line, 0 when the code goes on.
        """
        if lines is None:
            self._steer("pause")
        else:
            self._steer("breakpoints", lines=list(lines))

    def resume(self, *, to_next: bool = False) -> None:
        """Have paused code go on, or only up to its next statement."""
        self._steer("step" if to_next else "resume")

    def _steer(self, verb: str, **fields: Any) -> None:
        if self._connection.turn is not None:
            self._connection.turn.steer(verb, **fields)

    def reset(self) -> None:
        """Forget the conversation and end its kernels; a chat under way ends."""
        self._connection.reset(self._config())

    def open(self) -> None:
        """Start the server process ahead of the first chat."""
        self._connection.open()

    def close(self) -> None:
        """End the server process with all that runs in it. A later chat starts another."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_display(self) -> Display:
        """Return the display for `display=True`; the terminal's subclass overrides it."""
        raise InterpreterError("There is nothing here to display a chat with.")

    def _has_input(self, display: bool, extended: bool) -> bool:
        """Return whether code may ask for a line of input: only an extended reader sees the
        question.
        """
        return extended or self.on_input is not None

    def _server_command(self) -> list[str]:
        return server_command()

    def _config(self, display: bool = False, extended: bool | None = None) -> Wire:
        folder = os.path.abspath(self.working_dir) if self.working_dir else start_folder()
        own = {"instructions": self.instructions, "working_dir": folder, "place": self.place}
        given = {**asdict(self.llm), **own}
        named = {name: value for name, value in given.items() if value not in (None, "")}
        has_input = self._has_input(display, self.extended if extended is None else extended)
        return {**named, "auto_run": bool(self.auto_run), "has_input": has_input}

    def _reader(self, turn: RemoteTurn, display: bool, extended: bool | None = None) -> TurnReader:
        shown = self._new_display() if display else None
        wants_extended = self.extended if extended is None else extended
        return TurnReader(turn, shown, self.on_input, wants_extended)

    def _streamed(self, asked: list[Wire], display: bool, extended: bool | None) -> Generator[Wire]:
        turn = self._connection.ask(asked, self._config(display, extended))
        yield from self._reader(turn, display, extended).chunks()

    async def _streamed_async(
        self, asked: list[Wire], display: bool, extended: bool | None
    ) -> AsyncGenerator[Wire, None]:
        await asyncio.to_thread(self._connection.rest)  # a turn that was left takes its time
        turn = self._connection.ask(asked, self._config(display, extended))
        async with aclosing(self._reader(turn, display, extended).chunks_async()) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _streamed_kernel(
        self, asked: list[Wire], tools: list[Wire]
    ) -> AsyncGenerator[Wire, None]:
        await asyncio.to_thread(self._connection.rest)
        turn = self._connection.ask_kernel(asked, tools, self._config())
        async with aclosing(TurnReader(turn, None, None, True).chunks_async()) as messages:
            async for message in messages:
                yield message

    def _read_whole(self, turn: RemoteTurn, display: bool) -> list[Wire]:
        """Read up to the end, or up to code that waits for a decision."""
        seen = len(self.messages)
        proposal = self._reader(turn, display).whole()
        told = [dict(message) for message in self.messages[seen:]]
        return told if proposal is None else [*told, dict(proposal)]

    def _pending_turn(self) -> RemoteTurn:
        turn = self._connection.turn
        if turn is None or turn.proposal is None or turn.is_over:
            raise InterpreterError("No code is waiting for a decision.", code="invalid_state")
        return turn

    def _go_on_paused(self, turn: RemoteTurn) -> list[Wire]:
        if not turn.is_paused:
            return []  # the reader of the stream continues it
        turn.is_paused = False
        turn.go_on()
        return self._read_whole(turn, display=False)


def _messages_of(asked: Asked) -> list[Wire]:
    return _native(_listed(asked))


def _native(given: Iterable[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages in their whole form."""
    return [{"role": "user", "type": "message", **message} for message in given]


def _listed(asked: Asked) -> list[Mapping[str, Any]]:
    """Return a text, a message or several messages as a list of messages."""
    if isinstance(asked, str):
        given: list[Mapping[str, Any]] = [{"content": asked}]
    elif isinstance(asked, Mapping):
        given = [cast("Mapping[str, Any]", asked)]
    else:
        given = list(asked)
    if not given or not all(isinstance(message, Mapping) for message in cast("list[Any]", given)):
        raise TypeError("chat() takes a text, a message (a dict) or a list of messages")
    return given
