"""Fakes behind the ports of `session`: scripted, but true to what the ports promise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from playhead.domain.access import Access
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import AttachedContent
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.payloads import CodeError, Frame, RowOrder, RunReport, Table
from playhead.domain.execution import (
    Completions,
    Description,
    EnvironmentStatus,
    Interpreter,
    KernelStatus,
    LineValue,
    PauseVerb,
    RunRequest,
    Variable,
)
from playhead.domain.key_route import Witness
from playhead.domain.model import LocalServer, ModelFacts, ModelSettings, ProviderPage
from playhead.domain.secret import KeyInfo, KeyringStatus, KeySource, Secret
from playhead.domain.settings import AppSettings
from playhead.domain.trust import Attempt, BoundaryReport, Policy, Reach
from playhead.errors import AppError, ExecutionError, phrase
from playhead.providers.attached_files import read_attached
from playhead.providers.catalog import PROVIDER_PAGES, ModelCatalog
from playhead.session.code_ports import Unsubscribe
from playhead.session.ports import ApiStatus, Sandbox, SessionPorts

Answer = Sequence[Chunk | Exception]


def said(text: str) -> list[Chunk]:
    """A whole assistant message."""
    return _whole("message", None, text)


def coded(code: str, language: str = "python", call_id: str | None = None) -> list[Chunk]:
    """A whole code message."""
    return _whole("code", language, code, call_id)


def called(tool: str, arguments: str, call_id: str = "call_1") -> list[Chunk]:
    """A whole call of a tool that is not ours, or one with broken arguments."""
    return _whole("tool_call", tool, arguments, call_id)


def _whole(kind: str, format_: str | None, text: str, call_id: str | None = None) -> list[Chunk]:
    return [
        Chunk(role="assistant", type=kind, format=format_, start=True, id=call_id),  # type: ignore[arg-type]
        Chunk(role="assistant", type=kind, format=format_, content=text),  # type: ignore[arg-type]
        Chunk(role="assistant", type=kind, format=format_, end=True),  # type: ignore[arg-type]
    ]


class ScriptedProvider:
    """Answers one script after the other, then rests; an exception in a script is raised there.

    With a `gate`, an answer waits before each chunk until it lets one go. `known` are the models
    that it lists and knows facts of.
    """

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[TurnRequest] = []
        self.known: list[ModelFacts] = []
        self.fits: Callable[[TurnRequest, int], FittedRequest] = lambda request, _: FittedRequest(
            request=request
        )
        self.closed_streams = 0
        self.gate: asyncio.Semaphore | None = None

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else []
        try:
            for item in answer:
                if self.gate is not None:
                    await self.gate.acquire()
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.closed_streams += 1

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        return self.fits(request, attempt)

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        said = [{"role": m.role, "content": m.text} for m in fitted.request.messages]
        counts = tuple(len(one["content"]) for one in said)
        return OutgoingRequest(
            model=fitted.request.model.model, messages=tuple(said), tokens=counts
        )

    async def check(self, model: ModelSettings) -> str:
        return f"{model.model} answered."

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        provider = model.model.partition("/")[0]
        return [known for known in self.known if known.model.startswith(f"{provider}/")]

    async def facts(self, model: ModelSettings) -> ModelFacts:
        found = (known for known in self.known if known.model == model.model)
        return next(found, ModelFacts(model=model.model))

    async def attached(self, path: str) -> AttachedContent:
        return await asyncio.to_thread(read_attached, Path(path))

    async def close(self) -> None:
        return None


class RecordingExecutor:
    """Says what it was asked to run; the code's first word decides how the run ends.

    `fail` raises in the code, `need` does until a package was installed, `wait` runs until it is
    interrupted, `die` kills the kernel, all else prints its own text.
    """

    languages = ("python",)

    def __init__(self) -> None:
        self.requests: list[RunRequest] = []
        self.answers: list[tuple[str, str]] = []
        self.ended_inputs: list[str] = []
        self.expected: list[tuple[str, Policy]] = []
        self.ratios: list[float] = []
        self.breakpoints: tuple[int, ...] = ()
        self.killed_runs = 0
        self.restarts = 0
        self.hidden: dict[Access, tuple[str, ...]] = {}
        self.allowed: list[tuple[str, Access, bool]] = []
        self.reach = Reach()
        self.reaches: list[Reach] = []
        self._interrupted: asyncio.Event | None = None
        self._status = KernelStatus()

    def left_out(self, conversation_id: str | None, access: Access) -> tuple[str, ...]:
        given = [one[2] for one in self.allowed if one[:2] == (conversation_id, access)]
        return () if given[-1:] == [True] else self.hidden.get(access, ())

    def allow(self, conversation_id: str, access: Access, is_on: bool = True) -> None:
        self.allowed.append((conversation_id, access, is_on))

    def takes(self, conversation_id: str, reach: Reach, policy: Policy | None = None) -> bool:
        return self._status.state == "none" or self.reach == reach

    async def set_reach(
        self, conversation_id: str, reach: Reach, policy: Policy | None = None
    ) -> None:
        if not self.takes(conversation_id, reach):
            await self.restart(conversation_id)
        self.reach = reach

    def canonical(self, word: str) -> str | None:
        return "python" if word in ("python", "py") else None

    def set_screen_ratio(self, ratio: float) -> None:
        self.ratios.append(ratio)

    def why_not(self, word: str) -> str:
        return "COBOL is not installed here. Ask the bank." if word == "cobol" else ""

    def only_shows(self, word: str) -> bool:
        return word == "html"

    async def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        self.reaches.append(self.reach)
        self._interrupted = asyncio.Event()
        self._status = KernelStatus(state="busy")
        yield Chunk(role="computer", type="run", content=RunReport(state="started"))
        yield Chunk(role="computer", type="console", start=True, id=request.run_id)
        yield Chunk(role="computer", type="console", format="active_line", content=1)
        word = request.code.partition(" ")[0]
        try:
            if word == "wait":
                await self._interrupted.wait()
            yield Chunk(
                role="computer", type="console", format="output", content=f"ran {request.code}\n"
            )
        except BaseException:
            self.killed_runs += 1
            raise
        yield Chunk(role="computer", type="console", format="active_line")
        yield Chunk(role="computer", type="console", end=True)
        if error := self._error_of(word):
            yield Chunk(role="computer", type="error", content=error)
        state: Any = {"wait": "interrupted", "die": "killed"}.get(word, "finished")
        self._status = KernelStatus(state="idle")
        yield Chunk(
            role="computer", type="run", content=RunReport(state=state, seconds=0.1, line=1)
        )

    def _error_of(self, word: str) -> CodeError | None:
        if word == "fail":
            return CodeError(name="ValueError", message="no")
        if word == "need" and not any(one.code.startswith("%pip") for one in self.requests):
            return CodeError(name="ModuleNotFoundError", message="No module named 'yaml'")
        return None

    def expect(self, conversation_id: str, policy: Policy) -> None:
        self.expected.append((conversation_id, policy))

    async def interrupt(self, conversation_id: str) -> None:
        if self._interrupted is not None:
            self._interrupted.set()

    async def pause(self, conversation_id: str, verb: PauseVerb, lines: Sequence[int] = ()) -> None:
        self.breakpoints = tuple(lines) if verb == "breakpoints" else self.breakpoints
        line = 1 if verb == "pause" else 0
        self._status = replace(self._status, paused_line=line)

    async def line_values(self, conversation_id: str, code: str) -> list[LineValue]:
        return []

    async def answer_input(self, conversation_id: str, input_id: str, text: str) -> None:
        self.answers.append((input_id, text))

    async def send_text(self, conversation_id: str, text: str, *, is_end: bool = False) -> None:
        self.answers.append(("", text))
        if is_end:
            self.ended_inputs.append(self.requests[-1].code)

    async def variables(self, conversation_id: str, frames: Sequence[Frame] = ()) -> list[Variable]:
        return []

    async def complete(self, conversation_id: str, code: str, *, is_asked: bool) -> Completions:
        return Completions()

    async def describe(self, conversation_id: str, code: str, *, is_call: bool) -> Description:
        return Description()

    async def table(
        self,
        conversation_id: str,
        name: str,
        first_row: int,
        rows: int,
        order: RowOrder | None = None,
    ) -> Table:
        return Table(
            columns=("a",),
            dtypes=("int64",),
            rows=((1,),),
            total_rows=1,
            total_columns=1,
            name=name,
        )

    async def restart(self, conversation_id: str) -> None:
        self.restarts += 1
        await self.interrupt(conversation_id)
        self._status = KernelStatus()

    def status(self, conversation_id: str) -> KernelStatus:
        return self._status

    def subscribe(self, listener: Callable[[str, KernelStatus], None]) -> Callable[[], None]:
        return lambda: None

    async def close(self) -> None:
        return None


class OneInterpreter:
    """A machine with one Python."""

    python = Interpreter(path="/usr/bin/python3", version="3.12.0", label="Python 3.12")
    status = EnvironmentStatus("ready", python)

    async def make_for(self, folder: str) -> Interpreter:
        return self.python

    async def found(self, folder: str = "") -> list[Interpreter]:
        return [self.python]

    async def probe(self, path: str) -> Interpreter:
        return self.python

    async def default(self) -> Interpreter:
        return self.python

    def subscribe(self, listener: Callable[[EnvironmentStatus], None]) -> Callable[[], None]:
        return lambda: None


class SettingsInMemory:
    """Settings that forget themselves."""

    notice = ""

    def __init__(self, current: AppSettings | None = None) -> None:
        self.current = current or AppSettings(model="openai/test")

    async def save(self, settings: AppSettings) -> None:
        self.current = settings


class KeysInMemory:
    """Keys that forget themselves."""

    def __init__(self, **keys: str) -> None:
        self.keys = {name: Secret(text) for name, text in keys.items()}
        self._witness = Witness()

    async def get(self, name: str) -> KeyInfo:
        secret = self.keys.get(name)
        return KeyInfo(secret, "session") if secret else KeyInfo()

    async def set(self, name: str, secret: Secret, address: str | None = None) -> KeySource:
        self.keys[name] = secret
        return "session"

    async def witness(self) -> Witness:
        return self._witness

    async def confirm(self, change: Callable[[Witness], Witness]) -> bool:
        self._witness = change(self._witness)
        return False

    async def delete(self, name: str) -> None:
        self.keys.pop(name, None)

    async def status(self) -> KeyringStatus:
        return KeyringStatus(is_usable=False, error=AppError("No keyring."))

    async def unlock(self) -> KeyringStatus:
        return await self.status()

    def on_waiting(self, listener: Callable[[bool], None]) -> None:
        pass


class SmallCatalog:
    """Knows providers by the first word of the model string."""

    def key_name(self, model: str, api_base: str) -> str:
        return model.partition("/")[0]

    def key_variable(self, model: str) -> str:
        return f"{model.partition('/')[0].upper()}_API_KEY"

    def needs_key(self, model: str, api_base: str) -> bool:
        return "/" in model and not api_base

    def suggestions(self) -> Sequence[str]:
        return ("openai/test",)

    def providers(self) -> Sequence[ProviderPage]:
        return PROVIDER_PAGES

    def page_of(self, model: str, api_base: str) -> ProviderPage:
        return ModelCatalog().page_of(model, api_base)

    def built_in_prompt(self) -> tuple[str, Mapping[str, str]]:
        return ModelCatalog().built_in_prompt()

    async def local_servers(self) -> list[LocalServer]:
        return []


class ApiInMemory:
    """A server that does not listen: it follows the settings; `taken` are ports that refuse.

    `message` is what it says while it listens.
    """

    def __init__(self, settings: SettingsInMemory) -> None:
        self.status = ApiStatus()
        self.taken: set[int] = set()
        self.message = ""
        self.made_tokens = 0
        self.applied = 0
        self._settings = settings
        self._listeners: list[Callable[[ApiStatus], None]] = []

    def subscribe(self, listener: Callable[[ApiStatus], None]) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    @property
    def listener_count(self) -> int:
        return len(self._listeners)

    async def apply(self) -> None:
        self.applied += 1
        current = self._settings.current
        address = f"http://127.0.0.1:{current.api_port}"
        if not current.api_enabled:
            self.tell(ApiStatus())
        elif current.api_port in self.taken:
            taken = phrase("Port {port} is taken.", port=current.api_port)
            error = AppError(taken, remedy="Choose another port in the settings.")
            self.tell(ApiStatus("failed", error=error))
        else:
            self.tell(ApiStatus("listening", address, self.message))

    def tell(self, status: ApiStatus) -> None:
        """Stand like this from now on."""
        self.status = status
        for listener in tuple(self._listeners):
            listener(status)

    async def token(self) -> Secret:
        self.made_tokens = max(1, self.made_tokens)
        return Secret(f"token-{self.made_tokens}")

    async def renew_token(self) -> Secret:
        self.made_tokens += 1
        return await self.token()


HELD = BoundaryReport(
    tested_at=1_700_000_000.0,
    attempts=(
        Attempt(group="files", name="write a new file in the home", outcome="private"),
        Attempt(group="files", name="read an ssh key", outcome="invisible"),
        Attempt(group="network", name="connect to 127.0.0.1", outcome="refused"),
        Attempt(group="network", name="send to a raw socket", outcome="skipped"),
    ),
)


class ReportedSandbox:
    """A sandbox with this report, for all folders but the home; a test finds `next_report`."""

    def __init__(self, report: BoundaryReport = HELD) -> None:
        self.report = report
        self.next_report = report
        self.tests = 0
        self.tests_at_need = False
        self.may_end = asyncio.Event()
        self.may_end.set()
        self._listeners: list[Callable[[BoundaryReport], None]] = []

    async def test(self) -> BoundaryReport:
        self.tests += 1
        await self.may_end.wait()
        self.tell(self.next_report)
        return self.report

    def is_awaited(self, *, is_needed: bool) -> bool:
        return (self.tests_at_need and is_needed and not self.tests) or not self.may_end.is_set()

    async def settled(self, *, is_needed: bool) -> None:
        if self.is_awaited(is_needed=is_needed):
            await self.test()

    def tell(self, report: BoundaryReport) -> None:
        """Have found this from now on."""
        self.report = report
        for listener in tuple(self._listeners):
            listener(report)

    def why_not(self, policy: Policy, folder: str) -> AppError | None:
        if not policy.is_bounded:
            return None
        if self.report.problem:
            return ExecutionError(self.report.problem, remedy=self.report.remedy)
        if policy.files == "folder" and folder == str(Path.home()):
            return ExecutionError("The working folder is your home folder.")
        return None

    def why_not_reach(self, reach: Reach, folder: str) -> AppError | None:
        if str(Path.home()) in (*reach.readable, *reach.writable):
            return ExecutionError("This folder holds all your files.")
        return None

    def subscribe(self, listener: Callable[[BoundaryReport], None]) -> Unsubscribe:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


def ports_with(
    provider: ScriptedProvider,
    executor: RecordingExecutor,
    sandbox: Sandbox | None = None,
) -> SessionPorts:
    """All ports of a session, those that matter handed in."""
    return SessionPorts(
        sandbox=sandbox,
        provider=provider,
        executor=executor,
        interpreters=OneInterpreter(),
        settings=SettingsInMemory(),
        keys=KeysInMemory(openai="sk-1"),
        catalog=SmallCatalog(),
    )
