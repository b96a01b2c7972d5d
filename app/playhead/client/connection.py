"""One conversation with a server process, and its turns.

Both are started when needed, and again when the process is gone.
"""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Literal

from playhead.client.chat_transcript import ChatTranscript
from playhead.client.server_process import ServerProcess, to_line
from playhead.errors import InterpreterError

Wire = dict[str, Any]
Status = Literal["", "complete", "cancelled", "failed"]

# There, a lock that is waited for without a limit cannot be interrupted by Ctrl-C.
_POLL_S = 0.25 if sys.platform == "win32" else None


class RemoteTurn:
    """Owned by one reader (a generator); `deliver` is called in the server's reading thread.

    `leave()` may be called from anywhere, also while a generator is collected: the server stops
    the turn, and what it still says only completes the transcript.
    """

    def __init__(self, turn_id: str, server: ServerProcess, transcript: ChatTranscript) -> None:
        self.id = turn_id
        self.status: Status = ""
        self.proposal: Wire | None = None
        """The confirmation chunk that the program has seen last and may decide about."""
        self.question: Wire | None = None
        """The question of the running code, until it is answered."""
        self.is_waiting = False
        """Whether the server waits for a decision about `proposal`."""
        self.bounds = ""
        """What the sandbox makes of the code that waits, in words."""
        self.is_paused = False
        """Whether the turn waits while no one reads it."""
        self.was_refused = False
        """Whether the server did not take the question."""
        self.is_left = False
        self.done = threading.Event()
        self._server = server
        self._transcript = transcript
        self._inbox = SimpleQueue[Wire | None]()
        self._ahead: list[Wire | None] = []
        self._wake: Callable[[], None] | None = None
        self._has_answer = False
        self._decision: Wire | None = None
        self._echo: str | None = None
        self._failure: InterpreterError | None = None
        self._lock = threading.RLock()

    # The server's side

    def deliver(self, message: Wire | None) -> None:
        """Take what the server says (None: it is gone)."""
        if message is not None and message.get("turn", self.id) != self.id:
            return  # of a turn before, which was left
        self._inbox.put(message)
        with self._lock:
            if self.is_left:
                self._hear_quietly()
        if self._wake is not None:
            self._wake()

    def _hear_quietly(self) -> None:
        while not self.done.is_set():
            try:
                self.hear(self.take_now())
            except Empty:
                return

    # The program's side

    def take(self) -> Wire | None:
        """Wait for the server's next message and return it."""
        while not self._ahead:
            try:
                return self._inbox.get(timeout=_POLL_S)
            except Empty:
                continue
        return self._ahead.pop()

    def take_now(self) -> Wire | None:
        """Return a message that has arrived already, without waiting. Raises queue.Empty."""
        return self._ahead.pop() if self._ahead else self._inbox.get_nowait()

    def awaits_decision(self) -> bool:
        """Return whether the server asks about the proposal or only announces it.

        That is in its next message, which this waits for.
        """
        if self.proposal is None or self.is_over:
            return False
        message = self.take()
        self._ahead.append(message)
        if message is None or "waits" not in message:
            return False
        self.bounds = str(message.get("bounds", ""))
        return True

    def on_arrival(self, wake: Callable[[], None] | None) -> None:
        """Call `wake` (in the server's reading thread) whenever there is something to take."""
        self._wake = wake

    def hear(self, message: Wire | None) -> Wire | None:
        """Process a message; return the chunk in it that is for the program, if any."""
        with self._lock:
            if self.done.is_set():
                return None
            if message is None:
                self._lose()
            elif "chunk" in message:
                return self._hear_chunk(message["chunk"])
            elif "message" in message:  # of @unternet/kernel: the program reads it as it is
                self._has_answer = True
                return message["message"]
            elif "waits" in message:
                self.is_waiting = True
            elif "paused" in message:
                return {"role": "server", "type": "paused", "content": message["paused"]}
            elif "route" in message:  # a question to the person, which is no part of the answer
                return {"role": "server", "type": "key_route", "content": message["route"]}
            elif "error" in message:
                self._refuse(_refusal(message["error"]))
            elif "ended" in message:
                self.done.set()
        return None

    @property
    def is_over(self) -> bool:
        """Return whether there is nothing more to read."""
        return self.done.is_set() or self.is_left

    def raise_failure(self) -> None:
        """Raise what the turn failed with, if it did."""
        if self._failure is not None and self.status in ("", "failed"):
            self.status = "failed"
            raise self._failure

    def pause(self) -> Wire | None:
        """Stop reading without leaving the turn: the proposal keeps waiting for a decision."""
        self.is_paused = True
        return self.proposal

    def go_on(self) -> None:
        """Continue the turn with the decision that the program has made; that approves by
        default.
        """
        if not self.is_waiting:
            return
        decision = self._decision or self._approval(self._transcript.edit)
        if self.proposal is None:  # nothing that the program has not seen is ever approved
            decision = self._command("decide", decision="deny")
        code = decision.get("code")
        if self.proposal is not None and code == self.proposal["content"].get("content"):
            del decision["code"]
        elif code is not None:
            self._transcript.replace_code(code)
            self._echo = code
        self.is_waiting, self._decision, self.proposal = False, None, None
        self._server.send(decision)

    def approve(self, code: str | None) -> None:
        """Approve the proposal, or `code` in its place, for when the program continues."""
        self._decision = self._approval(code)

    def reject(self, reason: str) -> None:
        """Reject the proposal and give the model the reason."""
        self._decision = self._command("decide", decision="deny", reason=reason)

    def answer(self, text: str | None) -> None:
        """Send the line that the running code asked for; None: it comes by `send_text`."""
        if self.question is not None:
            if text is not None:
                self._server.send(self._command("input", id=self.question["id"], text=text))
            self.question = None

    def answer_route(self, answer: str) -> None:
        """Answer whether a key may take another way: new, old, remove or later."""
        self._server.send(self._command("route", answer=answer))

    def send_text(self, text: str, is_end: bool, run: int | None) -> None:
        """Give what the running code has started text on its standard input, then its end."""
        if not self.is_over:
            only = {} if run is None else {"run": run}
            self._server.send(self._command("text", text=text, end=is_end, **only))

    def fail(self, error: InterpreterError) -> None:
        """Stop the turn because of this error."""
        self._failure = self._failure or error
        self.status = "failed"
        self.question = None
        self.stop()

    def stop(self) -> None:
        """Ask the server to end the turn and its code; the rest still comes."""
        if not self.done.is_set():
            self._server.send(self._command("stop"))

    def steer(self, verb: str, **fields: Any) -> None:
        """Pause the code that runs, or have it go on."""
        if not self.done.is_set():
            self._server.send(self._command(verb, **fields))

    def leave(self) -> None:
        """Leave the turn: decline the code that waits and stop the code that runs."""
        with self._lock:
            if self.is_over:
                return
            self.is_left = True
            self.proposal = None
            self.stop()
            self._hear_quietly()
        self._inbox.put({})  # wakes a reader in another thread
        if self._wake is not None:
            self._wake()

    def _refuse(self, error: InterpreterError) -> None:
        """Keep the first refusal as the cause and remove the question from the conversation."""
        if self._has_answer:
            return  # of a decision that came too late
        if not self.was_refused:
            self._transcript.retract()
            self.was_refused = True
        self._failure = self._failure or error

    def _hear_chunk(self, chunk: Wire) -> Wire | None:
        self._has_answer = True
        self.proposal = self.question = None
        echo, self._echo = self._echo, None  # it would come at once, before anything else
        match chunk:
            case {"role": "server", "type": "status"}:
                self.status = self.status or chunk.get("content", "complete")
                return None
            case {"role": "server", "type": "error"}:
                self.status = "failed"
                self._failure = self._failure or _failure(chunk)
                return None
            case {"type": "confirmation", "content": {"content": str() as code}} if code == echo:
                return None  # it only repeats the edit that the program itself has made
            case {"type": "confirmation"}:
                self.proposal = chunk
            case {"role": "computer", "type": "input"}:
                self.question = chunk.get("content")
            case _:
                pass
        self._transcript.feed(chunk)
        return chunk

    def _lose(self) -> None:
        self._failure = InterpreterError(
            "Playhead's server process ended unexpectedly.",
            detail=self._server.obituary(),
            remedy="Chat again: a fresh one is started with this conversation. "
            "Names that the code had made are gone.",
            code="server_lost",
        )
        self.status = "failed"
        self.done.set()

    def _approval(self, code: str | None) -> Wire:
        edit = {} if code is None else {"code": code}
        return self._command("decide", decision="approve", **edit)

    def _command(self, verb: str, **fields: str | bool | int) -> Wire:
        return {"do": verb, "turn": self.id, **fields}


def _failure(chunk: Wire) -> InterpreterError:
    """Return a server/error as an exception with the same text."""
    error: Wire = chunk.get("error") or {}
    return InterpreterError(
        str(error.get("message") or chunk.get("content") or "The turn failed."),
        detail=str(error.get("detail", "")),
        remedy=str(error.get("remedy", "")),
        code=str(error.get("code") or "internal_error"),
    )


def _refusal(error: Wire) -> InterpreterError:
    return InterpreterError(
        str(error.get("message") or "The server refused."),
        code=str(error.get("code") or "internal_error"),
    )


def _next(answers: SimpleQueue[Wire | None]) -> Wire | None:
    while True:
        try:
            return answers.get(timeout=_POLL_S)
        except Empty:
            continue


_REST_S = 15.0
"""Time that the previous turn gets to end after it was left."""


class Connection:
    """Owner of the server process, the transcript and the turn. Raises InterpreterError.

    `turn` is the last one. Its methods may be called from any thread.
    """

    def __init__(self, command: Sequence[str], messages: Iterable[Mapping[str, Any]]) -> None:
        self.transcript = ChatTranscript(messages)
        self.turn: RemoteTurn | None = None
        self._command = list(command)
        self._server: ServerProcess | None = None
        self._is_begun = False
        self._told: Wire = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    def open(self) -> None:
        """Start the server process, if there is none."""
        with self._lock:
            self._usable_server()

    def ask(self, asked: Sequence[Wire], config: Wire) -> RemoteTurn:
        """Begin a turn, and before it the server and the conversation where needed."""
        with self._lock:
            self.rest()
            server = self._usable_server()
            if self.turn is not None and self.turn.was_refused:
                self._is_begun = False
            if not self._is_begun or self.transcript.is_changed:
                self._begin(server, config)
            changed = {} if config == self._told else {"config": config}
            turn = RemoteTurn(f"t{next(self._numbers)}", server, self.transcript)
            command = {"do": "chat", "turn": turn.id, "messages": list(asked), **changed}
            line = to_line(command)  # values that are not JSON fail before the turn begins
            self._told = config
            self.turn = turn
            self.transcript.add(asked)
            server.listen(turn.deliver)
            server.send_line(line)
            return turn

    def ask_kernel(self, asked: Sequence[Wire], tools: Sequence[Wire], config: Wire) -> RemoteTurn:
        """Begin a turn in the kernel's messages; the conversation of `ask` is another one."""
        with self._lock:
            self.rest()
            turn_id = f"t{next(self._numbers)}"
            told = {"messages": list(asked), "tools": list(tools), "config": config}
            line = to_line({"do": "kernel", "turn": turn_id, **told})
            server = self._usable_server()
            self.turn = turn = RemoteTurn(turn_id, server, ChatTranscript())
            server.listen(turn.deliver)
            server.send_line(line)
            return turn

    def request(self, verb: str, **fields: str) -> list[Wire]:
        """Ask for the effects of runs on files, or have one undone; return those that it names."""
        with self._lock:
            self.rest()
            if self._server is None or not self._server.is_usable or not self._is_begun:
                raise InterpreterError("No code has run in this conversation.", code="no_effects")
            return self._answer_to(self._server, verb, fields)["effects"]

    def request_grants(self, verb: str, config: Wire, **fields: Any) -> list[Wire]:
        """Ask for the grants of the conversation or change them; return those that it names."""
        return self._begun_answer(verb, config, fields)["grants"]

    def request_packages(self, verb: str, config: Wire, **fields: Any) -> list[Wire]:
        """Ask for the packages of the folder's code, or have some installed; return these."""
        return self._begun_answer(verb, config, fields)["packages"]

    def request_places(self, config: Wire, server: str) -> list[Wire]:
        """Ask where code can run, and for the kernels of a server if it is named."""
        return self._begun_answer("places", config, {"server": server})["places"]

    def _begun_answer(self, verb: str, config: Wire, fields: Mapping[str, Any]) -> Wire:
        """Return an answer about the conversation, which begins with it, if it has not yet."""
        with self._lock:
            self.rest()
            server = self._usable_server()
            if not self._is_begun or self.transcript.is_changed:
                self._begin(server, config)
            return self._answer_to(server, verb, fields)

    def _answer_to(self, server: ServerProcess, verb: str, fields: Mapping[str, Any]) -> Wire:
        asked = f"a{next(self._numbers)}"
        answers = SimpleQueue[Wire | None]()
        server.listen(answers.put)
        server.send({"do": verb, "asked": asked, **fields})
        while (answer := _next(answers)) is not None:
            if answer.get("asked") == asked:
                break
        if answer is None:
            raise InterpreterError(
                "Playhead's server process ended unexpectedly.", code="server_lost"
            )
        if "error" in answer:
            raise _refusal(answer["error"])
        return answer

    def rest(self) -> None:
        """Wait for the end of a turn that was left; one that is being read is not disturbed."""
        turn = self.turn
        if turn is None or turn.done.is_set():
            return
        if turn.is_paused:
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

    def replace(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Replace the conversation with these messages, from the next turn on."""
        with self._lock:
            self.rest()
            self.transcript = ChatTranscript(messages)
            self._is_begun = False

    def reset(self, config: Wire) -> None:
        """Forget all conversations and end their kernels at once; a turn under way is left."""
        with self._lock:
            self._leave()
            self.rest()
            self.transcript = ChatTranscript()
            if self._server is not None and self._server.is_usable:
                self._begin(self._server, config)
                self._server.send({"do": "forget"})

    def close(self) -> None:
        """End the server process; the transcript stays."""
        with self._lock:
            self._leave()
            server, self._server = self._server, None
            self._is_begun = False
        if server is not None:
            server.close()

    def _leave(self) -> None:
        if self.turn is not None:
            self.turn.leave()

    def _usable_server(self) -> ServerProcess:
        if self._server is None or not self._server.is_usable:
            self._server = ServerProcess(self._command)
            self._is_begun = False
            weakref.finalize(self, self._server.end).atexit = False  # it has its own
        return self._server

    def _begin(self, server: ServerProcess, config: Wire) -> None:
        messages = self.transcript.messages
        line = to_line({"do": "begin", "messages": messages, "config": config})
        self.transcript = ChatTranscript(messages)
        self._told = config
        server.send_line(line)
        self._is_begun = True
