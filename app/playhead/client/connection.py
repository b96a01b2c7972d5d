"""One conversation with a server process: begun when it is needed, begun anew when it is gone."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playhead.client.process import ServerProcess, to_line
from playhead.client.transcript import Transcript
from playhead.client.turn import Turn
from playhead.errors import InterpreterError

Wire = dict[str, Any]

_REST_S = 15.0
"""How long the turn before may take to end once it was left."""


class Connection:
    """Owner of the server process, the transcript and the turn. Raises InterpreterError.

    `turn` is the last one. Its methods may be called from any thread.
    """

    def __init__(self, command: Sequence[str], messages: Iterable[Mapping[str, Any]]) -> None:
        self.transcript = Transcript(messages)
        self.turn: Turn | None = None
        self._command = list(command)
        self._server: ServerProcess | None = None
        self._is_begun = False
        self._told: Wire = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    def ask(self, asked: Sequence[Wire], config: Wire) -> Turn:
        """Begin a turn, and before it the server and the conversation where needed."""
        with self._lock:
            self.rest()
            server = self._usable_server()
            if self.turn is not None and self.turn.was_refused:
                self._is_begun = False
            if not self._is_begun or self.transcript.is_changed:
                self._begin(server, config)
            changed = {} if config == self._told else {"config": config}
            turn = Turn(f"t{next(self._numbers)}", server, self.transcript)
            command = {"do": "chat", "turn": turn.id, "messages": list(asked), **changed}
            line = to_line(command)  # what is no JSON fails before anything has begun
            self._told = config
            self.turn = turn
            self.transcript.add(asked)
            server.listen(turn.deliver)
            server.send_line(line)
            return turn

    def ask_kernel(self, asked: Sequence[Wire], tools: Sequence[Wire], config: Wire) -> Turn:
        """Begin a turn in the kernel's messages; the conversation of `ask` is another one."""
        with self._lock:
            self.rest()
            turn_id = f"t{next(self._numbers)}"
            told = {"messages": list(asked), "tools": list(tools), "config": config}
            line = to_line({"do": "kernel", "turn": turn_id, **told})
            server = self._usable_server()
            self.turn = turn = Turn(turn_id, server, Transcript())
            server.listen(turn.deliver)
            server.send_line(line)
            return turn

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
        """Let these be the conversation, from the next turn on."""
        with self._lock:
            self.rest()
            self.transcript = Transcript(messages)
            self._is_begun = False

    def reset(self, config: Wire) -> None:
        """Forget all conversations and end their kernels at once; a turn under way is left."""
        with self._lock:
            self._leave()
            self.rest()
            self.transcript = Transcript()
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
        self.transcript = Transcript(messages)
        self._told = config
        server.send_line(line)
        self._is_begun = True
