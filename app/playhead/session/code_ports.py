"""The ports to code: its executor and sandbox, and those that read it or keep what it did."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from playhead.domain.access import Access
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    Coverage,
    FileChanges,
    Frame,
    RowOrder,
    Table,
    VariableChanges,
)
from playhead.domain.execution import (
    CodePlace,
    Completions,
    Description,
    KernelStatus,
    LineValue,
    PastState,
    PauseVerb,
    RunRequest,
    Variable,
)
from playhead.domain.trust import (
    BoundaryReport,
    CodeLook,
    LayerPackage,
    PackageOffer,
    Policy,
    Reach,
)
from playhead.errors import AppError

if TYPE_CHECKING:
    from playhead.domain.saved_variables import RestoreOffer

Unsubscribe = Callable[[], None]


class Executor(Protocol):
    """Runs approved code in kernels, one per conversation and language."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that can be run, as fence words in their canonical form."""
        ...

    def canonical(self, word: str) -> str | None:
        """Return the offered language for a name used by a model (`py` → `python`), or None."""
        ...

    def why_not(self, word: str) -> str:
        """Return in a sentence what a known language needs in order to run here; else ""."""
        ...

    def only_shows(self, word: str) -> bool:
        """Return whether blocks of a language are only shown, so that they need no approval."""
        ...

    def set_screen_ratio(self, ratio: float) -> None:
        """Set the ratio of pixels to points of the window's screen."""
        ...

    def expect(self, conversation_id: str, policy: Policy) -> None:
        """Prepare for a run that a person may approve soon; nothing of it is started."""
        ...

    def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        """Run code and stream its chunks, in this order, messages never nested:

        `run` (started) · console start · active_line, output … · active_line None · console end ·
        `error` if the code failed · `timing` … · `files` if the run changed any ·
        `run` (finished, interrupted or killed).
        An image or input in between closes the console first and opens it again lazily.
        Raises ExecutionError when nothing could be started. Closing the generator kills the run.
        """
        ...

    async def interrupt(self, conversation_id: str) -> None:
        """Stop the running code: interrupt, then kill after the grace; the run's stream reports."""
        ...

    async def pause(self, conversation_id: str, verb: PauseVerb, lines: Sequence[int] = ()) -> None:
        """Pause the running code, or have it go on; its status has the line.

        `lines` are those to pause before from now on, and no others, for the verb "breakpoints".
        Raises ExecutionError for a language whose code cannot be paused.
        """
        ...

    async def line_values(self, conversation_id: str, code: str) -> list[LineValue]:
        """Return what lines of exactly this code assigned when it ran last; [] if not known.

        Raises ExecutionError when the kernel does not answer in time.
        """
        ...

    async def answer_input(self, conversation_id: str, input_id: str, text: str) -> None:
        """Give the running code the line it asked for."""
        ...

    async def send_text(self, conversation_id: str, text: str, *, is_end: bool = False) -> None:
        """Give a child of the running code text on its standard input, then the end if `is_end`."""
        ...

    async def variables(self, conversation_id: str, frames: Sequence[Frame] = ()) -> list[Variable]:
        """Return the variables of the idle Python kernel; [] without a kernel.

        With `frames` those of the failure that had them, if it was the last that ran.
        Raises ExecutionError when the kernel is busy or does not answer in time.
        """
        ...

    async def table(
        self,
        conversation_id: str,
        name: str,
        first_row: int,
        rows: int,
        order: RowOrder | None = None,
    ) -> Table:
        """Return a page of a variable that is a table, or of a shown table by its key.

        Raises ExecutionError like `variables`. With an order, which may take long to find, all
        rows are sorted and not one of the frame is moved; cancelling stops the sorting.
        """
        ...

    async def complete(self, conversation_id: str, code: str, *, is_asked: bool) -> Completions:
        """Return what can follow Python code, with the names of the idle kernel.

        `is_asked`: by a key, not by typing. Raises ExecutionError like `variables`.
        """
        ...

    async def describe(self, conversation_id: str, code: str, *, is_call: bool) -> Description:
        """Return what is known of the expression that Python code ends with, or of its call.

        Raises ExecutionError like `variables`.
        """
        ...

    async def restart(self, conversation_id: str) -> None:
        """End the conversation's kernels; the next run starts a fresh one."""
        ...

    def left_out(self, conversation_id: str | None, access: Access) -> tuple[str, ...]:
        """Return the names of variables that a conversation's code does not get.

        For None: all that code gets only if that is allowed.
        """
        ...

    def allow(self, conversation_id: str, access: Access, is_on: bool = True) -> None:
        """Give code of a conversation a kind of access, or take it back."""
        ...

    def takes(self, conversation_id: str, reach: Reach, policy: Policy | None = None) -> bool:
        """Return whether its kernels can be given this reach, and a policy, as they are."""
        ...

    async def set_reach(
        self, conversation_id: str, reach: Reach, policy: Policy | None = None
    ) -> None:
        """Let its code reach this beyond its policy, and no more: from now on, and if it runs.

        With a `policy` that is another one from now on. A kernel that cannot be given or refused
        it is ended.
        """
        ...

    def status(self, conversation_id: str) -> KernelStatus:
        """Return the kernel of the conversation as it is now."""
        ...

    def subscribe(self, listener: Callable[[str, KernelStatus], None]) -> Unsubscribe:
        """Call `listener(conversation_id, status)` on changes, for memory at most once a second."""
        ...

    async def close(self) -> None:
        """End all kernels with their children."""
        ...


class FarSide(Protocol):
    """Reaches what is on the machine where a conversation's code runs, if that is another one."""

    async def put_file(
        self,
        conversation_id: str,
        interpreter: str,
        path: str,
        on_progress: Callable[[float], None],
    ) -> str:
        """Copy a file to where code of a conversation runs with this interpreter.

        Return its path over there; `on_progress` gets the part that is there. Raises
        ExecutionError.
        """
        ...

    async def fetch_file(self, conversation_id: str, path_there: str, target: str) -> str:
        """Copy a file from where the code runs to `target`; return the path of the copy.

        Raises ExecutionError.
        """
        ...

    async def leave(self, conversation_id: str) -> None:
        """Leave the kernels of a conversation that are elsewhere: their code runs on."""
        ...


class SavedVariables(Protocol):
    """Saves the variables of kernels, for the next kernel of their conversation."""

    def saved(self, conversation_id: str) -> RestoreOffer | None:
        """Return how many variables the next kernel can get from the last one; None for none."""
        ...

    def answer(self, conversation_id: str, choice: Literal["yes", "no"]) -> None:
        """Answer the offer of a kernel's status to bring the variables of the last one back."""
        ...

    def ask_again(self, conversation_id: str) -> None:
        """Have the next kernel get no variables without a question: a person wants a new one."""
        ...

    async def state_at(self, conversation_id: str, run_id: str) -> PastState:
        """Return the variables as they were after a run; nothing of them is read but their rows."""
        ...

    def place(self, conversation_id: str) -> str:
        """Return the run or undo after which the variables are as they are; '' for none."""
        ...

    def changes(self, conversation_id: str) -> Mapping[str, VariableChanges]:
        """Return what each run, or undo, that can be taken back has changed, by their ids."""
        ...

    async def settle(self, conversation_id: str) -> None:
        """Save the variables as they are now, before they are changed. Raises ExecutionError."""
        ...

    async def load(self, conversation_id: str) -> None:
        """Read what is kept of a conversation, so that its changes are known."""
        ...

    async def take_back(
        self, conversation_id: str, effect_id: str, undo_id: str
    ) -> VariableChanges | None:
        """Take back what a run, or an undo, did to variables, as an undo with an id of its own.

        A living kernel is changed; without one, what the next one gets. What was changed since is
        left. Return what was done; None where nothing is kept. Raises ExecutionError.
        """
        ...

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        """Have the variables as they were after a run, or an undo; return what that changed.

        Raises ExecutionError if they are not kept, or the kernel is busy.
        """
        ...

    def move(self, conversation_id: str, place: str) -> None:
        """Take up that a branch is shown whose last run, or undo, is this one; '' for none.

        The variables become as they were there, by themselves or after a question, as a person
        wants new kernels to get them. The next run waits for that.
        """
        ...

    async def survivors(self, conversation_id: str) -> Callable[[], str]:
        """Return what says what a model gets to know of the variables from before the kernel."""
        ...

    async def forget(self, conversation_id: str) -> None:
        """Delete what is saved of a conversation's variables."""
        ...


class Sandbox(Protocol):
    """Bounds what code may do on this machine, and finds out by attempts whether it does."""

    @property
    def report(self) -> BoundaryReport:
        """Return what the last test found; one with a `problem` where there is no sandbox."""
        ...

    async def test(self) -> BoundaryReport:
        """Make the attempts now, in two seconds; who calls while they run gets the same report."""
        ...

    def is_awaited(self, *, is_needed: bool) -> bool:
        """Return whether `settled` has something to wait for."""
        ...

    async def settled(self, *, is_needed: bool) -> None:
        """Wait for the end of the test that the program makes at its start, if it makes one.

        `is_needed`: the code is to be kept to the sandbox, so that a test is made now where the
        program makes one only for such code.
        """
        ...

    def why_not(self, policy: Policy, folder: str) -> AppError | None:
        """Return why code of a folder cannot be run under a policy; None if it can be.

        Nothing is asked of the system: what is found only at the start of a kernel is raised there.
        """
        ...

    def why_not_reach(self, reach: Reach, folder: str) -> AppError | None:
        """Return why code of a folder cannot be given this beyond its policy; None if it can be."""
        ...

    def subscribe(self, listener: Callable[[BoundaryReport], None]) -> Unsubscribe:
        """Call the listener with each new report."""
        ...


class CodeReader(Protocol):
    """Reads code that is being written and the libraries it names, without running any of it.

    `interpreter` is the Python that would run it in `folder`; '' if none is known. A later question
    takes the place of an older one, whose answer is empty.
    """

    async def complete(
        self, place: CodePlace, folder: str, interpreter: str, *, is_asked: bool
    ) -> Completions:
        """Return what can follow Python code; `is_asked`: by a key, not by typing."""
        ...

    async def describe(
        self, place: CodePlace, folder: str, interpreter: str, *, is_call: bool
    ) -> Description:
        """Return what is known of the expression that Python code ends with, or of its call."""
        ...

    async def close(self) -> None:
        """End what reads."""
        ...


class RiskReader(Protocol):
    """Reads what code would do, without running it."""

    async def look(self, language: str, code: str, folder: str, interpreter: str) -> CodeLook:
        """Return what code is seen to do in a folder, and what else decides that."""
        ...


class FileEffects(Protocol):
    """Puts files back that runs have changed; what they were is kept on the disk.

    All of these raise ExecutionError if the effect is no longer kept, or the folder is not the one
    that it was. What was changed since by others is left as it is, as a conflict of the result.
    """

    async def cover(self, folder: str) -> Coverage:
        """Keep the files of a folder as they are now; return what of it could be put back."""
        ...

    async def undo(self, folder: str, effect_id: str, paths: Sequence[str] = ()) -> FileChanges:
        """Take back an effect, or what it did to these paths. To redo is to take back an undo."""
        ...

    async def settle(self, folder: str, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        """Put a file that was set aside into its place, or delete it."""
        ...

    async def review(self, folder: str, conversation_id: str) -> FileChanges | None:
        """Return what would change if the copy that runs work in were applied; None without one."""
        ...

    async def apply(
        self, folder: str, conversation_id: str, paths: Sequence[str] = ()
    ) -> FileChanges:
        """Carry out what a copy has changed, or that of these paths."""
        ...

    async def discard(self, folder: str, conversation_id: str) -> None:
        """Delete a copy in which no code works any more."""
        ...

    async def forget(self, conversation_id: str) -> None:
        """Delete the copies of a conversation that is deleted."""
        ...

    async def unreported(self, conversation_id: str) -> list[FileChanges]:
        """Return the effects of runs of a conversation that ended with the program, once each.

        What the runs of all others did is found out, too, and kept until that is asked for.
        """
        ...


class LayerPackages(Protocol):
    """Installs packages that code in the sandbox has for itself into the environment, outside.

    Both raise ExecutionError for an environment that code of the folder could have changed:
    `within` are the folders that it may change.
    """

    async def offered(
        self, folder: str, interpreter: str, within: Sequence[str] = ()
    ) -> PackageOffer:
        """Return the packages that a folder's code has and an environment has not."""
        ...

    async def install(
        self,
        interpreter: str,
        packages: Sequence[LayerPackage],
        within: Sequence[str] = (),
        *,
        builds: bool = False,
    ) -> None:
        """Download and install exactly these; `builds`: also by code of packages without a wheel.

        Nothing is copied of what the folder's code has. Raises ExecutionError.
        """
        ...

    def close(self) -> None:
        """End what installs."""
        ...
