"""The sessions' face for a program at the other end of two pipes: JSON lines both ways.

From the program, one object a line, by `do`:
    begin   messages (native, to resume from), config: a fresh conversation; also a reset
    chat    turn, messages (native, new), config (if it changed): ask
    decide  turn, decision (approve, deny), code, reason: about the code that waits
    kernel  turn, messages (of @unternet/kernel, the whole history), tools, config: ask in those;
            its conversation is apart from that of `chat`, and recognised by the history
    forget  ends what `kernel` has begun, with its kernels
    stop    turn: end the turn and its code
    input   turn, id, text: a line for the code that asks for one; with has_input false in config
            nobody will: standard input ends where a run begins, a question ends the turn
    text    turn, text, end: text as it is for what reads standard input, and its end if `end`;
            with `run` only for that run of the turn, the first being 1. The report of the run's end
            has the number of its bytes (as UTF-8) that were read as `input_bytes`, if not 0
The end of the lines ends everything.

To the program: {"ready", "version"} once; {"begun"}; {"turn", "chunk"} with native chunks of all
kinds, the last of them server/status or server/error; {"turn", "waits"} after a confirmation that
needs a decision; {"turn", "message"} of a `kernel`, before a last chunk; {"turn", "ended"};
{"error": {"code", "message"}, "turn"?} for what was refused. A refused chat ends as well.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, BinaryIO, cast

from playhead.api.stdio_kernel import StdioKernelTurn
from playhead.api.stdio_turn import StdioTurn, options_of
from playhead.api.turns import Turns
from playhead.domain.conversation.chunk import Chunk
from playhead.errors import AppError, RequestError, SessionError
from playhead.formats.wire.native.requests import read_messages
from playhead.session.session import Session
from playhead.session.sessions import Sessions

LIMIT_BYTES = 64_000_000
"""More than this may not wait for a program that has stopped reading."""

_log = logging.getLogger(__name__)


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the lines alone.

    Who prints from now on prints to stderr, and no child of ours gets hold of the pipes.
    """
    sys.stdout.flush()
    commands, lines = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, lines


async def serve_stdio(
    sessions: Sessions, turns: Turns, stdin: BinaryIO, stdout: BinaryIO, version: str
) -> int:
    """Serve one program until its end; the exit status. Who owns sessions and turns closes them."""
    lines = LineWriter(stdout)
    service = _Service(sessions, turns, lines)
    lines.send({"ready": True, "version": version})
    try:
        async with aclosing(_commands(stdin)) as commands:
            async for command in commands:
                await service.do(command)
    finally:
        await service.close()
        await lines.close()
    return 0


class LineWriter:
    """Writes lines in a thread of its own, as many at once as wait."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._waiting: list[bytes] = []
        self._size = 0
        self._is_closed = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="stdio-writer", daemon=True)
        self._thread.start()

    def send(self, message: Mapping[str, Any]) -> bool:
        """Queue a line; False when the program no longer reads."""
        line = json.dumps(message).encode("ascii") + b"\n"
        with self._change:
            if self._is_closed or self._size > LIMIT_BYTES:
                return False
            self._waiting.append(line)
            self._size += len(line)
            self._change.notify()
        return True

    async def close(self) -> None:
        """Write what waits, unless nobody reads."""
        with self._change:
            self._is_closed = True
            self._change.notify()
        await asyncio.to_thread(self._thread.join, 2.0)

    def _write(self) -> None:
        while data := self._next():
            try:
                while data:
                    data = data[self._stdout.write(data) :]
            except (OSError, ValueError):  # it has closed the pipe, or we have
                _log.info("the program at the other end reads no more")
                with self._change:
                    self._is_closed = True

    def _next(self) -> bytes:
        with self._change:
            while not self._waiting and not self._is_closed:
                self._change.wait()
            data = b"".join(self._waiting)
            self._waiting, self._size = [], 0
            return data


async def _commands(stdin: BinaryIO) -> AsyncGenerator[Mapping[str, Any], None]:
    """The program's commands; a thread waits for them, which works for every kind of pipe."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue[bytes]()

    def read() -> None:
        try:
            while line := stdin.readline():
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, b"")
        except (OSError, ValueError, RuntimeError):  # the pipe, or the loop, is closed
            _log.debug("the program's commands ended early")

    threading.Thread(target=read, name="stdio-reader", daemon=True).start()
    while line := await queue.get():
        try:
            command: object = json.loads(line)
        except (ValueError, RecursionError):
            command = None
        yield cast("Mapping[str, Any]", command) if isinstance(command, dict) else {}


class _Service:
    """One conversation at a time, for one program."""

    def __init__(self, sessions: Sessions, turns: Turns, lines: LineWriter) -> None:
        self._sessions = sessions
        self._turns = turns
        self._lines = lines
        self._kernel_turn: StdioKernelTurn | None = None
        self._kernel_ids: set[str] = set()
        self._session: Session | None = None
        self._turn: StdioTurn | None = None
        self._config: Mapping[str, Any] = {}

    async def do(self, command: Mapping[str, Any]) -> None:
        """Carry out one command, or say why not."""
        verb, turn = command.get("do"), command.get("turn")
        try:
            if verb == "begin":
                await self._begin(command)
            elif verb == "chat":
                self._chat(str(turn), command)
            elif verb == "kernel":
                await self._stream(str(turn), command)
            elif verb == "forget":
                await self._forget()
            else:
                self._steer(str(turn), command)
        except AppError as error:
            refused = {"error": {"code": error.code, "message": str(error)}}
            self._lines.send(refused if turn is None else {"turn": turn, **refused})
            if verb in ("chat", "kernel"):
                self._lines.send({"turn": turn, "ended": True})

    async def close(self) -> None:
        """End the conversation with its turn and kernels."""
        session, self._session = self._session, None
        if session is not None:
            await self._sessions.delete(session.conversation.id)

    async def _begin(self, command: Mapping[str, Any]) -> None:
        history = _chunks(command.get("messages"))
        await self.close()
        self._turn = None
        self._session = self._sessions.new(is_kept=False, client="Python")
        try:
            self._configure(self._session, command.get("config"))
        except AppError:
            await self.close()  # what follows must not run in another folder than was meant
            raise
        self._session.add(history)
        self._lines.send({"begun": True})

    def _configure(self, session: Session, config: object) -> None:
        if not isinstance(config, dict):
            return
        self._config = cast("dict[str, Any]", config)
        folder = self._config.get("working_dir")
        if folder and folder != session.folder:
            session.set_folder(str(folder))

    def _chat(self, turn_id: str, command: Mapping[str, Any]) -> None:
        session = self._expect_session()
        if self._turn is not None and not self._turn.is_over:
            raise SessionError("The turn before has not ended.", code="session_busy")
        chunks = _chunks(command.get("messages"))
        if not chunks:
            raise RequestError("There is nothing to answer.", param="messages")
        self._configure(session, command.get("config"))
        options = options_of(self._config)
        self._turn = StdioTurn(turn_id, session, self._lines.send, options.has_input)
        try:
            session.take(chunks, options)
        except AppError:
            self._turn.close()
            raise

    async def _stream(self, turn_id: str, command: Mapping[str, Any]) -> None:
        config = command.get("config")
        told = cast("dict[str, Any]", config) if isinstance(config, dict) else {}
        begun = StdioKernelTurn(turn_id, self._turns, self._lines.send)
        self._kernel_ids.add(await begun.begin(command, told))
        self._kernel_turn = begun

    async def _forget(self) -> None:
        if self._kernel_turn is not None:
            self._kernel_turn.stop()
        ids, self._kernel_ids = self._kernel_ids, set()
        for conversation_id in ids:
            await self._sessions.delete(conversation_id)

    def _steer(self, turn_id: str, command: Mapping[str, Any]) -> None:
        if self._kernel_turn is not None and self._kernel_turn.id == turn_id:
            if command.get("do") == "stop":
                self._kernel_turn.stop()
            return
        session, turn = self._expect_session(), self._turn
        if turn is None or turn.is_over or turn.id != turn_id:
            return  # it came too late, which is nobody's fault
        match command:
            case {"do": "stop"}:
                session.stop()
            case {"do": "input", "id": str() as asked, "text": str() as text}:
                session.answer_input(asked, text)
            case {"do": "text", "text": str() as text}:
                if command.get("run", turn.runs) == turn.runs:
                    session.send_text(text, is_end=command.get("end") is True)
            case {"do": "decide"}:
                _decide(session, command)
            case _:
                raise RequestError("This command is not known.", code="invalid_json")

    def _expect_session(self) -> Session:
        if self._session is None:
            raise SessionError("No conversation has begun.", remedy="Begin one first.")
        return self._session


def _decide(session: Session, command: Mapping[str, Any]) -> None:
    """Approve only by the very word; whatever else was meant, nothing runs."""
    pending = session.pending
    if pending is None:
        raise SessionError("No code is waiting for a decision.")
    code = command.get("code")
    if command.get("decision") == "approve":
        session.approve(pending.id, code if isinstance(code, str) else None)
    else:
        session.reject(pending.id, str(command.get("reason") or ""))


def _chunks(messages: object) -> list[Chunk]:
    if not messages:
        return []
    return [chunk for entry in read_messages(messages) for chunk in entry.chunks]
