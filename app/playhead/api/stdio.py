"""Serve sessions to a program over two pipes, as JSON lines both ways.

From the program, one object a line, by `do`:
    begin   messages (native, to resume from), config: a fresh conversation; also a reset. A config
            has model, api_base, api_key, the model's parameters by OpenAI's names, instructions,
            auto_run, has_input, working_dir, place (a name of `places`)
    chat    turn, messages (native, new), config (if it changed): ask
    decide  turn, decision (approve, deny), code, reason: about the code that waits
    kernel  turn, messages (of @unternet/kernel, the whole history), tools, config: ask in these;
            its conversation is apart from that of `chat`, and recognised by the history
    forget  ends what `kernel` has begun, with its kernels
    stop    turn: end the turn and its code
    pause, step, resume  turn: pause its code before the next line, go on up to the next statement,
            go on (Python only); `breakpoints` with lines: pause before these lines of the code that
            waits or runs
    input   turn, id, text: a line for the code that asks for one; with has_input false in config
            no one types one: standard input ends where a run begins, a question ends the turn
    (chat, again) is_typed in config: a person typed the text of the last message letter for letter,
            so that as code for Direct mode it needs no decision, unless the settings ask for one
    (any)   answers_routes in config: the program asks a person whether a key may take another way
    route   turn, answer (new, old, remove, later): about the key that waits
    text    turn, text, end: unchanged text for the reader of standard input, and its end if `end`;
            with `run` only for that run of the turn, the first being 1. The report of the run's end
            has the number of its bytes (as UTF-8) that were read as `input_bytes`, if not 0
    effects asked: what the runs of the conversation did to files
    undo, redo  asked, effect, path: take that back, or do it again; without `effect` the last one,
            without `path` all files of it
    keep, delete  asked, effect, path: put what was set aside into its place, or delete it; likewise
    grants  asked: what code of the conversation is granted and denied beyond its policy
    grant   asked, kind (read, write, host, packages, variable), target, scope (run, conversation,
            folder), deny: grant or deny it
    revoke  asked, grant (its id): take that back
    packages  asked: the packages of the folder's code in the sandbox that its environment has not
    places  asked, server: where code can run; with a server's name also its kernels
    keep_packages  asked, packages (a list of `name version`), builds: install these there, outside
The end of the lines ends everything.

To the program: {"ready", "version"} once; {"begun"}; {"turn", "chunk"} with native chunks of all
kinds, the last of them server/status or server/error; {"turn", "waits", "bounds"} after a
confirmation that needs a decision, with what the sandbox makes of a run in words; {"turn",
"paused"} with the line that its code is paused before, 0 when it goes on; {"turn", "route"}
with key, lines and can_remove where the settings have another way for a key than was confirmed;
{"turn", "message"} of a `kernel`, before a last chunk; {"turn", "ended"}; {"asked", "effects"} with
the `asked` of `effects`, `undo`, `redo`, `keep` or `delete`; {"asked", "grants"} with that of
`grants`, `grant` and `revoke`; {"asked", "environment", "packages"} with that of `packages` and
`keep_packages`; {"asked", "places"} with that of `places`; {"error": {"code", "message"}, "turn"?,
"asked"?} for a refused command. A refused chat ends as well.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, BinaryIO, cast

from msgspec.structs import replace

from playhead.api.schemas import KernelRequest, SentParameters
from playhead.api.server.request_body import read_value
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import ClientRequest, sent_parameters
from playhead.api.turns.code_grants import (
    keep_packages,
    list_grants,
    list_packages,
    make_grant,
    revoke_grant,
)
from playhead.api.turns.code_places import choose_place, list_places
from playhead.api.turns.kernel_turn import KernelTurn, kernel_turn_request
from playhead.api.turns.run_effects import (
    list_effects,
    list_review,
    settle,
    settle_review,
    take_back,
)
from playhead.api.turns.turns import Turns
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Echo, Failure, InputRequest, RunReport, Waiting
from playhead.domain.execution import place_of
from playhead.domain.key_route import RouteAnswer, RouteQuestion
from playhead.domain.model import ModelChoice, named_model
from playhead.domain.places import short_name
from playhead.domain.secret import Secret
from playhead.domain.text import policies
from playhead.domain.text.json_text import read_json
from playhead.domain.text.risk_words import Limits, held_text
from playhead.errors import AppError, RequestError, SessionError
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import encode_chunk
from playhead.formats.wire.native.requests import read_messages
from playhead.session.session import Session, SessionEvent
from playhead.session.session_events import expect_idle
from playhead.session.sessions import Sessions
from playhead.session.trust.route_guard import RouteGuard, route_lines
from playhead.session.turn_settings import TurnOptions

_ASKED = frozenset(
    {"effects", "undo", "redo", "keep", "delete", "review", "apply", "discard"}
    | {"grants", "grant", "revoke", "packages", "keep_packages", "places"}
)
"""The commands that are answered with what they ask for."""
STOP_GRACE_S = 1.0
"""Short, as for other clients that disconnected: the kill follows the interrupt soon."""

Send = Callable[[Mapping[str, Any]], bool]


def turn_options(config: Mapping[str, Any]) -> TurnOptions:
    """Return the options of a turn from the program's settings. Raises RequestError."""
    key, model = _text(config, "api_key"), _text(config, "model")
    choice = ModelChoice(
        model=None if model is None else named_model(model),
        api_base=_text(config, "api_base"),
        api_key=Secret(key) if key else None,
        parameters=sent_parameters(read_value(dict(config), SentParameters, code="invalid_config")),
    )
    return TurnOptions(
        choice=choice,
        instructions=_text(config, "instructions") or "",
        auto_run=config.get("auto_run") is True,
        stop_grace_s=STOP_GRACE_S,
        has_input=config.get("has_input") is not False,
    )


class StdioTurn:
    """A turn, made before the session begins it; `is_over` once its end was sent to the program."""

    def __init__(self, turn_id: str, session: Session, send: Send, has_input: bool) -> None:
        self.id = turn_id
        self._has_input = has_input
        self.is_over = False
        self.runs = 0
        """Number of runs of code that were reported to the program."""
        self._session = session
        self._send = send
        self._has_last = False
        self._has_begun = False
        self._paused = 0
        self._error: AppError | None = None
        self._unsubscribe = (
            session.subscribe(self._on_session),
            session.conversation.subscribe(self._on_message),
        )

    def close(self) -> None:
        """Stop listening to the turn."""
        self.is_over = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def _on_message(self, event: ConversationEvent) -> None:
        chunk = event.chunk
        if chunk is None or chunk.role == "user" or not self._has_begun:
            return
        if isinstance(chunk.content, Waiting | Echo):  # of no use to a program
            return
        self._send_chunk(chunk)
        if isinstance(chunk.content, InputRequest) and not self._has_input:
            # Now, for the code meets the end of its input at once, and the model would be asked on.
            self._session.stop()
        if chunk.role == "server" and chunk.type in ("status", "error"):
            self._has_last = True
            self._end_at_rest()

    def _on_session(self, event: SessionEvent) -> None:
        if event.kind == "pending" and self._session.pending is not None:
            self._send_line({"waits": True, "bounds": _bounds(self._session)})
        elif event.kind == "error":
            self._error = event.error
        elif event.kind == "kernel" and self._session.kernel.paused_line != self._paused:
            self._paused = self._session.kernel.paused_line
            self._send_line({"paused": self._paused})
        elif event.kind == "state" and self._session.state != "idle":
            self._has_begun = True
        elif event.kind == "state":
            # The status of a turn that was cancelled comes right after this.
            asyncio.get_running_loop().call_soon(self._end_at_rest, True)

    def _end_at_rest(self, is_certain: bool = False) -> None:
        """Send the end of the turn when the session can take the next one."""
        if self.is_over or self._session.state != "idle":
            return
        if not self._has_last:
            if not is_certain:
                return
            self._send_chunk(Chunk(role="server", type="error", content=self._failure()))
        self.close()
        self._send_line({"ended": True})

    def _failure(self) -> Failure:
        """Return the reason of a turn that ended without reporting one."""
        error = self._error or AppError(
            "Something in Playhead itself went wrong.",
            remedy="Its log file has the details. If it keeps happening, please report it.",
        )
        return Failure(code=error.code, title=error.title, detail=error.detail, remedy=error.remedy)

    def _send_chunk(self, chunk: Chunk) -> None:
        wire = encode_chunk(chunk)
        if isinstance(chunk.content, RunReport) and chunk.content.state == "started":
            self.runs += 1
        if isinstance(chunk.content, Failure):  # our own client reads the remedy separately
            words = {"detail": chunk.content.detail, "remedy": chunk.content.remedy}
            wire["error"] = {**wire["error"], **words}
        self._send_line({"chunk": wire})

    def _send_line(self, message: Mapping[str, Any]) -> None:
        if not self._send({"turn": self.id, **message}):
            self._session.stop()  # without a reader no code must run unseen


def _text(config: Mapping[str, Any], name: str) -> str | None:
    value = config.get(name)
    if value is None or isinstance(value, str):
        return value
    raise _refused(name, "a text")


def _refused(name: str, wanted: str) -> RequestError:
    return RequestError(f"{name} must be {wanted}.", code="invalid_config", param=name)


_COMPLETE = Chunk(role="server", type="status", content="complete")


class StdioKernelTurn:
    """The sink of a turn's chunks: sends messages, and the end as a native chunk."""

    def __init__(self, turn_id: str, turns: Turns, send: Send) -> None:
        self.id = turn_id
        self.is_over = False
        self._is_whole = False
        self._turns = turns
        self._send = send
        self._turn: ApiTurn | None = None
        self._answer: KernelTurn | None = None
        self._early: list[Chunk] = []

    async def begin(self, command: Mapping[str, Any], config: Mapping[str, Any]) -> str:
        """Start it; the id of its conversation. Raises RequestError and SessionError."""
        self._turn = turn = await self._turns.begin(_kernel_request(command, config), self)
        self._answer = KernelTurn(turn)
        for chunk in self._early:
            self.put(chunk)
        return turn.session.conversation.id

    def stop(self) -> None:
        """End it and its code."""
        if self._turn is not None:
            self._turns.cancel(self._turn)

    def put(self, chunk: Chunk) -> bool:
        """Send what is certain after this chunk; False when the program reads no more."""
        if self._answer is None:
            self._early.append(chunk)
            return True
        is_read = True
        for event in self._answer.encode(chunk):
            if event["type"] != "error":  # reported by its chunk, with its whole text
                is_read = self._send({"turn": self.id, "message": event})
        if (chunk.role, chunk.type) == ("server", "error"):
            is_read = self._send({"turn": self.id, "chunk": encode_chunk(chunk)})
        elif (chunk.role, chunk.type) == ("server", "status"):
            end = chunk if chunk.content == "cancelled" else _COMPLETE
            is_read = self._send({"turn": self.id, "chunk": encode_chunk(end)})
            self._is_whole = True
        return is_read

    def close(self) -> None:
        """End the turn: nothing follows."""
        if self.is_over:
            return
        self.is_over = True
        if self._is_whole and self._turn is not None and self._answer is not None:
            self._turns.remember(self._turn, self._answer.keys())
        self._send({"turn": self.id, "ended": True})


def _kernel_request(command: Mapping[str, Any], config: Mapping[str, Any]) -> ClientRequest:
    asked = KernelRequest(
        messages=command.get("messages") or [],
        tools=command.get("tools"),
        auto_run=config.get("auto_run") is True,
    )
    incoming, own = kernel_turn_request(asked, "Python"), turn_options(config)
    parts = (own.instructions, incoming.options.instructions)
    options = replace(
        incoming.options,
        choice=own.choice,
        instructions="\n\n".join(part for part in parts if part),
        stop_grace_s=own.stop_grace_s,
    )
    folder = str(config.get("working_dir") or "")
    if folder and not os.path.isdir(folder):
        raise RequestError(f"{folder} is not a folder", code="invalid_config", param="working_dir")
    return replace(incoming, options=options, folder=folder)


LIMIT_BYTES = 64_000_000
"""More than this may not wait for a program that has stopped reading."""

_log = logging.getLogger(__name__)


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the lines only.

    Everything else that prints from now on prints to stderr, and child processes do not inherit the
    pipes.
    """
    sys.stdout.flush()
    commands, lines = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, lines


async def serve_stdio(
    sessions: Sessions,
    turns: Turns,
    stdin: BinaryIO,
    stdout: BinaryIO,
    version: str,
    routes: RouteGuard,
) -> int:
    """Serve one program until it ends and return the exit status. The caller closes the
    sessions.
    """
    lines = LineWriter(stdout)
    service = _Service(sessions, turns, lines, routes)
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
    """Writes lines in its own thread, joining the lines that wait."""

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
        """Write the lines that wait, unless the reader is gone."""
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


def _bounds(session: Session) -> str:
    """Return what the sandbox makes of a run, or why the code cannot be run."""
    problem = session.policy.problem
    if problem is not None:
        return str(problem)
    policy, reach = session.grants.in_force(), session.grants.reach
    if session.pending is not None:
        place = place_of(session.pending.interpreter)
        if place is not None and place.is_elsewhere:
            return policies.elsewhere_text(short_name(place))
    words = policies.bounds_text(policy, reach)
    limits = Limits(policy=policy, reach=reach, folder=os.path.realpath(session.folder))
    proposals = (session.pending, *session.pending_later) if session.pending is not None else ()
    facts = [fact for one in proposals for fact in one.facts or ()]
    return f"{words} {held_text(facts, limits)}".rstrip()


async def _commands(stdin: BinaryIO) -> AsyncGenerator[Mapping[str, Any], None]:
    """Yield the program's commands; a thread waits for them, which works for every kind of pipe."""
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
            command: object = read_json(line)
        except ValueError:
            command = None
        yield cast("Mapping[str, Any]", command) if isinstance(command, dict) else {}


class _Service:
    """One conversation at a time, for one program."""

    def __init__(
        self, sessions: Sessions, turns: Turns, lines: LineWriter, routes: RouteGuard
    ) -> None:
        self._routes = routes
        self._route: asyncio.Future[RouteAnswer] | None = None
        self._sessions = sessions
        self._turns = turns
        self._lines = lines
        self._kernel_turn: StdioKernelTurn | None = None
        self._kernel_ids: set[str] = set()
        self._session: Session | None = None
        self._turn: StdioTurn | None = None
        self._config: Mapping[str, Any] = {}
        self._place = ""

    async def do(self, command: Mapping[str, Any]) -> None:
        """Execute one command, or report why that is not possible."""
        verb, turn = command.get("do"), command.get("turn")
        try:
            if verb == "begin":
                await self._begin(command)
            elif verb == "chat":
                await self._chat(str(turn), command)
            elif verb == "kernel":
                await self._stream(str(turn), command)
            elif verb == "forget":
                await self._forget()
            elif verb == "route":
                self._answer_route(command)
            elif verb in _ASKED:
                answer = await self._answer(str(verb), command)
                self._lines.send({"asked": command.get("asked"), **answer})
            else:
                self._steer(str(turn), command)
        except AppError as error:
            refused: dict[str, Any] = {"error": {"code": error.code, "message": str(error)}}
            if (asked := command.get("asked")) is not None:
                refused["asked"] = asked
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
        self._turn, self._place = None, ""
        self._session = self._sessions.new(is_kept=False, client="Python")
        try:
            self._configure(self._session, command.get("config"))
            await self._take_place(self._session, command.get("config"))
        except AppError:
            await self.close()  # what follows must not run in another folder than was meant
            raise
        self._session.add(history)
        self._lines.send({"begun": True})

    def _configure(self, session: Session, config: object) -> None:
        if not isinstance(config, dict):
            return
        self._config = cast("dict[str, Any]", config)
        self._routes.ask = self._ask_route if self._config.get("answers_routes") is True else None
        folder = self._config.get("working_dir")
        if folder and folder != session.folder:
            session.set_folder(str(folder))

    async def _take_place(self, session: Session, config: object) -> None:
        """Have code run where the program says, if that is another place than before."""
        given = cast("dict[str, Any]", config) if isinstance(config, dict) else {}
        words = _text(given, "place")
        if words is not None and words != self._place:
            expect_idle(session.state)
            await choose_place(session, self._sessions.places, words)
            self._place = words

    async def _chat(self, turn_id: str, command: Mapping[str, Any]) -> None:
        session = self._expect_session()
        await self._take_place(session, command.get("config"))
        if self._turn is not None and not self._turn.is_over:
            raise SessionError("The turn before has not ended.", code="session_busy")
        chunks = _chunks(command.get("messages"))
        if not chunks:
            raise RequestError("There is nothing to answer.", param="messages")
        self._configure(session, command.get("config"))
        options = turn_options(self._config)
        if self._config.get("is_typed") is True:
            options = replace(options, typed=str(chunks[-1].content or ""))
        self._turn = StdioTurn(turn_id, session, self._lines.send, options.has_input)
        try:
            session.take(chunks, options)
        except AppError:
            self._turn.close()
            raise

    async def _stream(self, turn_id: str, command: Mapping[str, Any]) -> None:
        config = command.get("config")
        options = cast("dict[str, Any]", config) if isinstance(config, dict) else {}
        turn = StdioKernelTurn(turn_id, self._turns, self._lines.send)
        self._kernel_ids.add(await turn.begin(command, options))
        self._kernel_turn = turn

    async def _forget(self) -> None:
        if self._kernel_turn is not None:
            self._kernel_turn.stop()
        ids, self._kernel_ids = self._kernel_ids, set()
        for conversation_id in ids:
            await self._sessions.delete(conversation_id)

    async def _answer(self, verb: str, command: Mapping[str, Any]) -> Wire:
        """Answer what is asked of effects on files, a review, grants, packages or places."""
        match verb:
            case "places":
                server = str(command.get("server") or "")
                return await list_places(self._sessions.places, server)
            case "packages":
                return await list_packages(self._expect_session())
            case "keep_packages":
                chosen = [str(one) for one in command.get("packages") or ()]
                builds = command.get("builds") is True
                return await keep_packages(self._expect_session(), chosen, builds=builds)
            case _:
                return await self._answer_effects(verb, command)

    async def _answer_effects(self, verb: str, command: Mapping[str, Any]) -> Wire:
        """Answer what is asked of effects on files, the copy for a review, or grants."""
        session = self._expect_session()
        effect, path = str(command.get("effect") or ""), str(command.get("path") or "")
        match verb:
            case "undo" | "redo":
                return await take_back(session, verb, effect, path)
            case "keep" | "delete":
                return await settle(session, verb, effect, path)
            case "review":
                return await list_review(session)
            case "apply" | "discard":
                return await settle_review(session, verb, (path,) if path else ())
            case "grants":
                return list_grants(session)
            case "grant":
                return make_grant(session, command)
            case "revoke":
                return revoke_grant(session, str(command.get("grant") or ""))
            case _:
                return await list_effects(session)

    async def _ask_route(self, question: RouteQuestion) -> RouteAnswer:
        """Have the program ask its person about the way of a key."""
        self._route = asyncio.get_running_loop().create_future()
        asked = {
            "key": question.key,
            "lines": route_lines(question),
            "can_remove": question.source in ("keyring", "session"),
        }
        turn = {} if self._turn is None else {"turn": self._turn.id}
        self._lines.send({**turn, "route": asked})
        return await self._route

    def _answer_route(self, command: Mapping[str, Any]) -> None:
        match command.get("answer"):
            case "new" | "old" | "remove" | "later" as answer:
                if self._route is not None and not self._route.done():
                    self._route.set_result(answer)
            case _:
                raise RequestError("The answer must be new, old, remove or later.", param="answer")

    def _steer(self, turn_id: str, command: Mapping[str, Any]) -> None:
        if self._kernel_turn is not None and self._kernel_turn.id == turn_id:
            if command.get("do") == "stop":
                self._kernel_turn.stop()
            return
        session, turn = self._expect_session(), self._turn
        if turn is None or turn.is_over or turn.id != turn_id:
            return  # it came too late, which is not an error
        match command:
            case {"do": "stop"}:
                session.stop()
            case {"do": "pause" | "step" | "resume" | "breakpoints"}:
                _pause(session, command)
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


def _pause(session: Session, command: Mapping[str, Any]) -> None:
    match command.get("do"):
        case "pause" | "step" | "resume" as verb:
            session.pauses.do(verb)
        case _:
            lines, pending = cast("object", command.get("lines")), session.pending
            if not isinstance(lines, list):
                raise RequestError("lines must be a list of numbers", param="lines")
            code = session.pauses.running if pending is None else pending.code
            numbers = cast("list[object]", lines)
            session.pauses.set_lines(code, [one for one in numbers if isinstance(one, int)])


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
