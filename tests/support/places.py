"""Places on other machines, behind the ports: a server that answers, and hosts that are known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from playhead.domain.execution import KernelStatus
from playhead.domain.places import Machine, PlaceQuestion, RunningKernel, ServerAnswer, ServerSpec
from playhead.domain.secret import Secret
from playhead.errors import ExecutionError
from playhead.session.code_ports import Unsubscribe
from tests.support.ports import RecordingExecutor

LAB = "https://lab.uni.edu"
SPECS = (ServerSpec("python3", "Python 3 (GPU)"), ServerSpec("ir", "R 4.4", "r"))
RUNNING = (
    RunningKernel(id="9c-1", spec="python3", label="Python 3", notebook="work/analysis.ipynb"),
)


class KnownPlaces:
    """A server that wants the token `right`, and machines; records what it was asked."""

    def __init__(self, machines: Sequence[Machine] = (), *, has_ssh: bool = True) -> None:
        self.known = list(machines)
        self.has_ssh = has_ssh
        self.asked: list[tuple[str, str]] = []
        self.answers: list[tuple[str, str | None]] = []
        self.refusal: ExecutionError | None = None
        self._listeners: list[Callable[[PlaceQuestion], None]] = []

    async def ask_server(self, address: str, token: Secret | None = None) -> ServerAnswer:
        self.asked.append((address, token.reveal() if token else ""))
        await asyncio.sleep(0)
        if self.refusal is not None:
            raise self.refusal
        if token is None or token.reveal() != "right":
            raise ExecutionError(
                "The server refuses the token.",
                detail="It answered 401.",
                remedy="Give another one.",
                code="place_unauthorized",
            )
        title = "Jupyter Server 2.21"
        return ServerAnswer(title=title, address=address, specs=SPECS, running=RUNNING)

    async def machines(self) -> list[Machine]:
        return self.known

    async def why_no_machines(self) -> str:
        return "" if self.has_ssh else "There is no ssh program on this computer."

    def subscribe(self, listener: Callable[[PlaceQuestion], None]) -> Unsubscribe:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def answer(self, question_id: str, answer: Secret | None) -> None:
        self.answers.append((question_id, answer.reveal() if answer else None))

    def ask(self, question: PlaceQuestion) -> None:
        """Ask the person something."""
        for listener in tuple(self._listeners):
            listener(question)


class LinkedExecutor(RecordingExecutor):
    """Says of its kernel what a test has it say; takes files, and what is left to run."""

    def __init__(self) -> None:
        super().__init__()
        self._watching: list[Callable[[str, KernelStatus], None]] = []
        self.put: list[tuple[str, str]] = []
        self.left: list[str] = []
        self.may_arrive = asyncio.Event()

    def subscribe(self, listener: Callable[[str, KernelStatus], None]) -> Unsubscribe:
        self._watching.append(listener)
        return lambda: self._watching.remove(listener)

    def report(self, conversation_id: str, status: KernelStatus) -> None:
        """Have the kernel be in another state."""
        self._status = status
        for listener in tuple(self._watching):
            listener(conversation_id, status)

    async def put_file(
        self,
        conversation_id: str,
        interpreter: str,
        path: str,
        on_progress: Callable[[float], None],
    ) -> str:
        self.put.append((interpreter, path))
        on_progress(0.4)
        await self.may_arrive.wait()
        on_progress(1.0)
        return "~/data/" + path.rpartition("/")[2]

    async def fetch_file(self, conversation_id: str, path_there: str, target: str) -> str:
        return target

    async def leave(self, conversation_id: str) -> None:
        self.left.append(conversation_id)
