"""The policy of a conversation: what a person chose, what is in force, and why not something else.

Owned by the session; only a person in the window, at the command line or in the settings chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from playhead.domain.execution import is_elsewhere, is_place
from playhead.domain.settings import AppSettings
from playhead.domain.trust import AskPolicy, BoundaryReport, FileAccess, NetworkAccess, Policy
from playhead.errors import AppError, ExecutionError, SessionError, phrase
from playhead.session.ports import SessionPorts

_NO_SANDBOX = (
    "There is no sandbox on this computer.",
    "Code runs as you, with all your files.",
)


def fitted(policy: Policy) -> Policy:
    """Return a policy without what has no meaning outside of a sandbox."""
    if policy.files == "look":  # there is nothing that could land
        return replace(policy, is_reviewed=False)
    if policy.is_bounded:
        return policy if policy.network == "listed" else replace(policy, hosts=())
    return replace(policy, network="on", hosts=(), is_reviewed=False)


def bounds_of(policy: Policy) -> Policy:
    """Return the part of a policy that a kernel keeps for its life.

    The network of a sandbox can be another one under the same kernel; the rest is about asking.
    """
    bounds = replace(fitted(policy), ask="every")
    return replace(bounds, network="off", hosts=()) if bounds.is_bounded else bounds


def policy_at(policy: Policy, interpreter: str) -> Policy:
    """Return what of a policy is in force where code runs: no sandbox reaches another machine.

    To ask less was chosen for code that is kept to something, if it was here.
    """
    if not is_elsewhere(interpreter):
        return policy
    ask = "every" if policy.is_bounded else policy.ask
    return fitted(replace(policy, files="everything", ask=ask))


class PolicyChoice:
    """The policy of one conversation, until the program ends.

    Until its first turn begins (or its first run, where no boundary test has ended before that), or
    a person chooses, it is the default of the settings: the working folder where the last boundary
    test held, else everything, with a question about each block. `folder` returns its folder,
    `is_running` whether its code runs, `refuses` why a policy would open what was denied,
    `settings` those of its profile; `on_changed` is called with what was in force before a person
    chose, `on_waiting` when a run begins to wait for the test or goes on. `interpreters` returns
    those of the code that waits for a decision.
    """

    def __init__(
        self,
        ports: SessionPorts,
        folder: Callable[[], str],
        is_running: Callable[[], bool],
        on_changed: Callable[[Policy], None],
        refuses: Callable[[Policy], AppError | None] = lambda policy: None,
        settings: Callable[[], AppSettings] | None = None,
        on_waiting: Callable[[], None] = lambda: None,
        interpreters: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._interpreters = interpreters
        self._refuses = refuses
        self._settings = settings or (lambda: ports.settings.current)
        self._ports = ports
        self._folder = folder
        self._is_running = is_running
        self._on_changed = on_changed
        self._on_waiting = on_waiting
        self._chosen: Policy | None = None
        self.is_waiting = False
        """Whether its first run waits for the boundary test."""

    @property
    def report(self) -> BoundaryReport:
        """Return what the last boundary test on this machine found."""
        sandbox = self._ports.sandbox
        if sandbox is not None:
            return sandbox.report
        title, detail = _NO_SANDBOX
        return BoundaryReport(problem=f"{title} {detail}")

    @property
    def chosen(self) -> Policy:
        """Return what was chosen, else the default of now."""
        return self._chosen or self._default()

    @property
    def current(self) -> Policy:
        """Return the policy in force: it asks more than was chosen where no test holds any more."""
        chosen = self.chosen
        is_held = self.why_not_ask(chosen.ask, chosen.files) is None
        return chosen if is_held else replace(chosen, ask="risky")

    @property
    def problem(self) -> AppError | None:
        """Return why code cannot be run under the policy here; None if it can be."""
        waiting = tuple(self._interpreters())
        if waiting and all(map(is_elsewhere, waiting)):  # the sandbox of this computer is no matter
            return None
        return self._why_not(self.chosen) or self._why_not_in_kernel(waiting)

    def settle(self, *, is_run: bool = False) -> None:
        """Keep what is the default now: a turn begins, or a run.

        A turn may begin before the first boundary test has ended, whose result then counts.
        """
        if is_run or self.report.status != "untested":
            self._chosen = self.chosen

    async def wait_for_test(self) -> None:
        """Wait until it is known what a run is kept to, and that it holds.

        Where nobody has chosen yet, it would run outside of a sandbox that turns out to hold.
        Raises ExecutionError where the sandbox that was chosen does not hold: the code is not run.
        """
        sandbox, is_bounded = self._ports.sandbox, self.current.is_bounded
        if is_bounded:
            self.settle(is_run=True)  # what the test finds must not open what was asked about
        is_chosen = self._chosen is not None or self._ports.policy.files is not None
        is_wanted = is_bounded or (not is_chosen and self.report.status == "untested")
        if sandbox is not None and is_wanted and sandbox.is_awaited(is_needed=is_bounded):
            self.is_waiting = True
            self._on_waiting()
            try:
                await sandbox.settled(is_needed=is_bounded)
            finally:
                self.is_waiting = False
                self._on_waiting()
        if is_bounded and (found := self.problem) is not None:
            raise ExecutionError(found.title, detail=found.detail, remedy=found.remedy)

    def choose(self, policy: Policy) -> None:
        """Choose another policy. Raises the AppError that says why it is not possible now."""
        policy = fitted(policy)
        refusal = self._why_not(policy) or self.why_not_ask(policy.ask, policy.files)
        if self._is_running():
            refusal = SessionError(
                "Code is running.",
                detail="What it may do cannot be changed meanwhile.",
                remedy="Wait until it has ended, or stop it first.",
                code="session_busy",
            )
        if refusal is not None:
            raise refusal
        before, self._chosen = self.current, policy
        if policy != before:
            self._on_changed(before)

    def why_not_files(self, files: FileAccess) -> AppError | None:
        """Return why code here cannot be held to this access to files; None if it can be."""
        return self._why_not(replace(self.chosen, files=files, network="off", is_reviewed=False))

    def why_not_network(self, network: NetworkAccess, files: FileAccess) -> AppError | None:
        """Return why code cannot have this network with this access to files."""
        if files == "everything":
            if network == "on":
                return None
            return SessionError("Only a sandbox can shut the network.", code="policy_impossible")
        return self._why_not(replace(self.chosen, files=files, network=network))

    def why_not_ask(self, ask: AskPolicy, files: FileAccess) -> AppError | None:
        """Return why code cannot be asked about no more than this."""
        if ask != "outside" or files == "everything":  # where all of it is outside
            return None
        if self._ports.is_root:
            reason = "Playhead runs as root, whom a sandbox holds less."
        elif self.report.status != "held":
            reason = "It can be chosen only while the boundary test of this computer holds."
        else:
            return None
        return SessionError(
            "Code inside the sandbox is asked about, too.", detail=reason, code="policy_impossible"
        )

    def _why_not_in_kernel(self, waiting: Iterable[str]) -> AppError | None:
        """Return why the kernel that waiting code is for cannot be held to the policy."""
        is_weaker = self.chosen.is_bounded and self.report.is_weaker
        here = (one for one in waiting if not is_elsewhere(one))
        if not is_weaker or not any(map(is_place, here)):
            return None
        return SessionError(
            "This kernel can only run at Everything.",
            detail="The weaker sandbox of this computer gives code no sockets, by which a kernel "
            "of Jupyter is spoken to.",
            remedy="Choose Everything for this conversation, or a Python.",
            code="policy_impossible",
        )

    def _why_not(self, policy: Policy) -> AppError | None:
        if not policy.is_bounded:
            return None
        if self._ports.sandbox is None:
            title, detail = _NO_SANDBOX
            return SessionError(title, detail=detail, code="policy_impossible")
        error = self._ports.sandbox.why_not(policy, self._folder()) or self._found_open()
        return error or self._refuses(policy)

    def _found_open(self) -> AppError | None:
        """Return why the sandbox is not to be relied on, if the boundary test has found that."""
        through = [one.name for one in self.report.attempts if one.outcome == "through"]
        if not through:
            return None
        return SessionError(
            "The sandbox of this computer does not hold.",
            detail=phrase("The boundary test got out of it: {names}.", names=", ".join(through)),
            code="policy_impossible",
        )

    def _default(self) -> Policy:
        """Return the policy of the command line, else of the settings, as far as it is possible."""
        settings, wish = self._settings(), self._ports.policy
        wanted = Policy(
            files=wish.files or settings.sandbox_files,
            network=wish.network or settings.sandbox_network,
            ask=wish.ask or settings.sandbox_ask,
            hosts=wish.hosts or (),
            is_reviewed=bool(wish.is_reviewed),
        )
        if wish.files is None:  # nobody asked for just this: the nearest that holds
            files = self._nearest(wanted)
            # To ask less was chosen for code that is kept to something.
            ask = "every" if files == "everything" else wanted.ask
            wanted = replace(wanted, files=files, ask=ask)
        return fitted(wanted)

    def _nearest(self, wanted: Policy) -> FileAccess:
        if self.report.status not in ("held", "partly"):
            return "everything"
        if self._why_not(wanted) is None:
            return wanted.files
        return "look" if self._why_not(replace(wanted, files="look")) is None else "everything"
