"""The sandbox of this machine: whether it is there, what was found to hold, what a kernel gets."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.trust import BoundaryReport, Policy, Reach, is_below
from playhead.errors import AppError, ExecutionError, phrase
from playhead.sandbox.bubblewrap import (
    WAKE,
    Availability,
    bubblewrap_arguments,
    look_for_sandbox,
    packed,
    supervised,
)
from playhead.sandbox.landlock_rules import (
    is_kept,
    landlock_arguments,
    landlock_gaps,
    with_known_gaps,
)
from playhead.sandbox.surroundings import (
    FolderParts,
    HomeLook,
    clear_way,
    git_identity,
    kernel_parameters,
    kind_of,
    own_code,
    packages_since,
    private_folders,
    program_parts,
    r_packages_since,
    remove_place,
    resolver,
    resolver_files,
    root_links,
    roots_secrets,
    system_folders,
    top_folders,
    written_since,
)
from playhead.sandbox.syscall_filter import filter_program
from playhead.sandbox.view import (
    PACKAGES,
    R_PACKAGES,
    Surroundings,
    View,
    can_change,
    denied_mounts,
    granted_mounts,
    is_inside,
    living_parts,
    misplaced,
    mounted_on,
    network_variables,
    upper_over,
    variables_let_in,
    view_of,
)
from playhead.supervisor.protocol import INSIDE

if TYPE_CHECKING:
    from playhead.sandbox.boundary_test import Claim, Stage

LANDLOCK = "landlock"
"""What follows the filter in the arguments of a supervisor whose kernel keeps itself to rules."""
_COPY = "@copy:"
_PROCESSES, _PROCESSES_PER_CPU, _PROCESSES_UNLIMITED = 400, 32, 1 << 22
_GIT = ".gitconfig"
_NOTHING = Reach()
_STAGING = ".staging"
SPACE_STEPS = ("namespaces", "mounts", "network")
_NEVER_GRANTED = ("/proc", "/sys", "/dev", "/run", "/boot")
_NO_SANDBOX = "There is no sandbox on this computer."


class PrivatePlaces(Struct, frozen=True, kw_only=True):
    """The folders that no code in the sandbox may see or be given: those of the program itself.

    `never_inside` are those within which no working folder may be, either. `homes` gets a private
    home for each working folder.
    """

    home: str
    homes: Path
    outside: tuple[str, ...] = ()
    never_inside: tuple[str, ...] = ()


class FolderCopy(Struct, frozen=True, kw_only=True):
    """The copy of the working folder that a kernel works in: what overlayfs wants for it."""

    upper: str
    work: str


class Confinement(Struct, frozen=True, kw_only=True):
    """The bounds of one kernel: its policy, and the machine as it was found before the start."""

    policy: Policy
    around: Surroundings
    availability: Availability
    reach: Reach = Reach()
    copy: FolderCopy | None = None
    staging: str = ""
    home: HomeLook
    outside: Mapping[str, Any] | None = None

    def with_copy(self, upper: str, work: str) -> Confinement:
        """Return the same bounds for a kernel that works in a copy of the folder."""
        return replace(self, copy=FolderCopy(upper=upper, work=work))

    @property
    def copy_words(self) -> list[str]:
        """Return the argument by which the supervisor puts the copy over the folder, if any."""
        if self.copy is None:
            return []
        facts, folder = os.lstat(self.around.folder), self.around.folder
        command = {"folder": folder, "identity": [facts.st_dev, facts.st_ino]}
        return [_COPY + json.dumps({**command, "upper": self.copy.upper, "work": self.copy.work})]

    def view(self, spool: str) -> View:
        """Return what is seen inside by a kernel with this folder for its files."""
        return view_of(self.policy, self.around, spool, self.staging)

    @property
    def steps(self) -> tuple[str, ...]:
        """Return what the supervisor must have done before a kernel may begin."""
        return SPACE_STEPS if self.staging else ()

    def space(self, view: View) -> dict[str, Any]:
        """Return what the supervisor's own namespaces are to be; {} where it has none."""
        if not self.staging:
            return {}
        fixed = {
            "staging": self.staging,
            "tops": list(self.around.tops),
            "made": [
                (path, source == "" or os.path.isdir(source))
                for path, source in mounted_on(view, self.around)
            ],
            "outside": self.outside,
        }
        return {**fixed, **self.living()}

    def living(self) -> dict[str, Any]:
        """Return the part of it that can be changed while a kernel lives."""
        return {
            "network": self.network,
            "hosts": sorted({*self.policy.hosts, *self.reach.hosts}),
            "mounts": living_parts(self.around, self.staging),
        }

    @property
    def network(self) -> str:
        """Return what of the network code reaches: nothing (off), what is listed, or all (on)."""
        has_named = self.policy.hosts or self.reach.hosts
        return "listed" if self.policy.network == "off" and has_named else self.policy.network

    @property
    def network_variables(self) -> dict[str, str]:
        """Return the variables by which programs see whether there is a network."""
        return network_variables(self.network)

    def can_become(self, reach: Reach, policy: Policy, view: View) -> bool:
        """Return whether a living kernel with a view can be given another reach and policy."""
        own = self.policy
        if (own.files, own.is_reviewed) != (policy.files, policy.is_reviewed):
            return False
        changed = _paths_of(self.reach) ^ _paths_of(reach)
        is_same = (own.network, own.hosts) == (policy.network, policy.hosts)
        is_named = self.reach.hosts == reach.hosts
        if not changed and is_same and is_named:
            return True
        return view.is_in_space and can_change(changed, view)

    def arguments(self, view: View, kernel: Sequence[str]) -> list[str]:
        """Return the arguments of a supervisor that starts a kernel inside."""
        limit = max(_PROCESSES, _PROCESSES_PER_CPU * (os.cpu_count() or 1))
        command = [*kernel, INSIDE, WAKE, str(limit)]
        filtered = base64.b64encode(filter_program(platform.machine())).decode("ascii")
        inner = bubblewrap_arguments(view, command, self.availability.lacks)
        space = packed(self.space(view))
        return [INSIDE, filtered, space, *self.copy_words, self.availability.program, *inner]

    def variables(
        self, variables: Mapping[str, str], allowed: frozenset[str] = frozenset()
    ) -> dict[str, str]:
        """Return the environment inside; `allowed` are names that a person has let in."""
        allowed |= set(self.reach.variables)
        inside = variables_let_in(variables, self.around.home, self.network, allowed)
        return {name: inside[name] for name in inside if name not in self.reach.kept_out}

    def written(self, since: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files, like `~/report.csv`, that code has written to its own home since then.

        With them the packages that were installed for the folder, with their versions. `since` is
        in seconds since the epoch. Hidden files are no results: caches and settings.
        """
        home = self.around.private_home
        files = tuple(f"~/{name}" for name in written_since(home, since))
        python = packages_since(os.path.join(home, PACKAGES), since)
        return files, (*python, *r_packages_since(os.path.join(home, R_PACKAGES), since))

    def clear(self, spool: str) -> None:
        """Remove what a kernel has left in the private home: its spool's place; look no more."""
        self.home.close()
        if is_inside(spool, self.around.home):
            remove_place(self.around.private_home, os.path.relpath(spool, self.around.home))

    def misplaced(self, view: View, pid: int) -> str:
        """Return the part of the folder that a kernel sees in another place; "" for none."""
        for path in (*self.reach.readable, *self.reach.writable):
            if not _is_seen_as_is(pid, path):
                return path
        folder = view.folder
        try:
            inside, here = os.stat(f"/proc/{pid}/root{folder}"), os.lstat(folder)
            mounts = Path(f"/proc/{pid}/mountinfo").read_text()
            part = misplaced(mounts, view)
        except OSError as error:
            return f"{folder}: {error.strerror}"
        if self.copy is not None:
            return part if upper_over(mounts, folder) == self.copy.upper else folder
        is_same = os.path.samestat(inside, here) and os.path.realpath(folder) == folder
        return part if is_same else folder


class LandlockConfinement(Confinement, frozen=True, kw_only=True):
    """The bounds of one kernel where the system makes no namespaces: rules and a filter."""

    def arguments(self, view: View, kernel: Sequence[str]) -> list[str]:
        """Return the arguments of a supervisor whose kernel keeps itself to rules."""
        program = filter_program(platform.machine(), shared_network=view.has_network)
        filtered = base64.b64encode(program).decode("ascii")
        command = [*kernel, INSIDE, WAKE, str(_PROCESSES_UNLIMITED)]
        return [INSIDE, filtered, LANDLOCK, *landlock_arguments(view, command)]

    def variables(
        self, variables: Mapping[str, str], allowed: frozenset[str] = frozenset()
    ) -> dict[str, str]:
        """Return the environment inside: the private home has its own path there."""
        network = "on" if self.policy.network == "on" else "off"
        return variables_let_in(variables, self.around.private_home, network, allowed)

    def misplaced(self, view: View, pid: int) -> str:
        """Return what is wrong with a kernel's process as it is seen from outside; "" for nothing.

        The rules cannot be seen, but the process gets no further without them.
        """
        try:
            is_fine = is_kept(Path(f"/proc/{pid}/status").read_text())
        except OSError as error:
            return f"{view.folder}: {error.strerror}"
        return "" if is_fine else view.folder


class Sandbox:
    """Owner of the last report; what blocks runs in threads. The attempts are made by `python`.

    `known` returns the report that people are shown, by default the own one. `outside` is the
    network of tests: the addresses of names, and where these lead to.
    """

    def __init__(
        self,
        places: PrivatePlaces,
        look: Callable[[], Availability] = look_for_sandbox,
        python: str = sys.executable,
        known: Callable[[], BoundaryReport] | None = None,
        outside: Mapping[str, Any] | None = None,
    ) -> None:
        self._outside = outside
        self._places = places
        self._known = known or (lambda: self._report)
        self._python = python
        self._look = look
        self._availability: Availability | None = None
        self._report = BoundaryReport()
        self._testing: asyncio.Task[BoundaryReport] | None = None
        self._listeners: list[Callable[[BoundaryReport], None]] = []

    @property
    def report(self) -> BoundaryReport:
        """Return what the last test found."""
        return self._report

    def subscribe(self, listener: Callable[[BoundaryReport], None]) -> Callable[[], None]:
        """Call the listener with each new report."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def test(self) -> BoundaryReport:
        """Make the attempts now; who calls while they run gets the same report."""
        if self._testing is None or self._testing.done():
            self._testing = asyncio.create_task(self._test(), name="boundary test")
        return await asyncio.shield(self._testing)

    async def _test(self) -> BoundaryReport:
        self._availability = None
        self._report = await asyncio.to_thread(self._tested)
        for listener in tuple(self._listeners):
            listener(self._report)
        return self._report

    def _tested(self) -> BoundaryReport:
        from playhead.sandbox import boundary_test  # a kernel's start needs none of it

        available = self._available()
        if available.problem:
            return boundary_test.problem_report(available.problem, available.remedy)
        try:
            with boundary_test.Stage(self._places.home) as stage:
                claims, complaint = self._attempt(stage)
                return _weighed(boundary_test.report_of(stage.judge(claims), complaint), available)
        except (OSError, subprocess.SubprocessError, AppError) as error:
            return boundary_test.problem_report(f"The sandbox could not be tested: {error}.")

    def _attempt(self, stage: Stage) -> tuple[list[Claim], str]:
        """Have the attempts made with what code of a working folder gets."""
        from playhead.sandbox import attempts, boundary_test

        # The widest that is near: with the network on nothing of this computer may be reached.
        policy = Policy(files="folder", network="on" if self.has_space() else "off")
        folder = str(stage.folder)
        places = replace(self._places, homes=stage.place / "homes")
        bounds = Sandbox(places, self._available, self._python)
        inside = bounds._confine(policy, folder, (self._python, attempts.__file__))
        spool = stage.place / "spool"
        spool.mkdir()
        variables = {**os.environ, "PLAYHEAD_TEST_API_KEY": stage.mark}
        view, attempt = inside.view(str(spool)), boundary_test.attempts_command(self._python)
        kept = inside.variables(variables)
        try:
            command = supervised(inside.arguments(view, attempt))
            with boundary_test.control() as (number, name):
                return boundary_test.make_attempts(
                    stage, command, {**kept, name: str(number)}, (number,)
                )
        finally:
            shutil.rmtree(inside.around.private_home, ignore_errors=True)

    def why_not(self, policy: Policy, folder: str) -> AppError | None:
        """Return why code of a folder cannot be run under a policy; None if it can be."""
        if not policy.is_bounded:
            return None
        if self._report.problem:
            return _no_sandbox(self._report.problem, self._report.remedy)
        if self._availability and (error := _no_network(self._availability, policy, _NOTHING)):
            return error
        return self._unfit(folder)

    def _unfit(self, folder: str) -> AppError | None:
        """Return why a folder cannot be the one that code is kept to."""
        real = os.path.realpath(folder)
        remedy = "Choose a folder of its own for this conversation."
        if real == "/" or is_inside(self._places.home, real):
            return ExecutionError(
                "This folder holds all your files, so that nothing would be hidden.",
                detail=folder,
                remedy=remedy,
            )
        for place in (*self._places.outside, *self._places.never_inside):
            if is_inside(place, real):
                return ExecutionError(
                    "Playhead itself, or its data, is in this folder.", detail=folder, remedy=remedy
                )
        if any(is_inside(real, place) for place in self._places.never_inside):
            return ExecutionError(
                "This folder is in Playhead's data.", detail=folder, remedy=remedy
            )
        if is_inside(real, "/usr") or is_inside(real, "/etc") or real in ("/tmp", "/run", "/dev"):  # noqa: S108
            return ExecutionError("This folder is the system's.", detail=folder, remedy=remedy)
        return None

    def why_not_reach(self, reach: Reach, folder: str) -> AppError | None:
        """Return why code of a folder cannot be given this beyond its policy; None if it can be."""
        if reach.hosts:
            listed = Policy(files="folder", network="listed", hosts=reach.hosts)
            if (error := self.why_not(listed, folder)) is not None:
                return error
        real = os.path.realpath(folder)
        if is_below(real, reach.hidden):
            return ExecutionError(
                "Code was denied the working folder.",
                detail=folder,
                remedy="Take the denial back, or choose another folder.",
            )
        for path in (*reach.readable, *reach.writable):
            if (error := self._why_not_path(path)) is not None:
                return error
        for path in reach.writable:
            if is_inside(real, path):
                return ExecutionError(
                    "This folder has the working folder in it.",
                    detail=path,
                    remedy="Choose it as the working folder instead.",
                )
        return None

    def _why_not_path(self, path: str) -> AppError | None:
        """Return why code cannot be let see a path."""
        private = (*self._places.outside, *self._places.never_inside)
        if not os.path.isabs(path) or is_inside(self._places.home, path):
            title = "This folder holds all your files, so that nothing would be hidden."
        elif any(is_inside(place, path) for place in private):
            title = "Playhead itself, or its data, is in this folder."
        elif any(is_inside(path, place) for place in private):
            title = "This folder is in Playhead's data."
        elif is_below(path, _NEVER_GRANTED):
            title = "This folder is the system's."
        else:
            return None
        return ExecutionError(title, detail=path, remedy="Name a smaller folder, or a file.")

    async def confine(
        self,
        policy: Policy,
        folder: str,
        programs: Sequence[str],
        reach: Reach = _NOTHING,
    ) -> Confinement | None:
        """Return what a kernel is started with; None for a policy without bounds.

        `programs` are what it needs: its interpreter and the language's own. Raises
        ExecutionError where there is no sandbox: nothing is ever started outside instead.
        """
        if not policy.is_bounded:
            return None
        error = self.why_not(policy, folder) or self.why_not_reach(reach, folder)
        if error is not None:
            raise error
        return await asyncio.to_thread(lambda: self._confine(policy, folder, programs, reach))

    def _confine(
        self,
        policy: Policy,
        folder: str,
        programs: Sequence[str],
        reach: Reach = _NOTHING,
    ) -> Confinement:
        available = self._available()
        if available.problem:
            raise _no_sandbox(available.problem, available.remedy)
        if available.landlock and (policy.ask == "outside" or _is_of_better(self._known())):
            raise ExecutionError(
                "The sandbox of this computer is weaker than the one that was tested.",
                detail=available.weakness,
                remedy="Test it again.",
            )
        if available.landlock and policy.is_reviewed:
            raise ExecutionError(
                "The weaker sandbox of this computer has no review.",
                detail=available.weakness,
                remedy=available.remedy,
            )
        if (error := _no_network(available, policy, reach)) is not None:
            raise error
        folder = os.path.normpath(folder)
        real = os.path.realpath(folder)
        top = "/" + folder.split("/")[1]
        links = ((top, os.readlink(top)),) if os.path.islink(top) else ()  # as `/home` may be
        if real != os.path.join(os.path.realpath(top), os.path.relpath(folder, top)):
            raise ExecutionError(
                "The way to the working folder leads over a link.",
                detail=phrase("{folder} is {real}.", folder=folder, real=real),
                remedy="Choose the folder that the link points to.",
            )
        try:
            around = self._surroundings(real, programs, links)
            around = self._with_reach(around, policy, reach)
            staging = self._staging() if self.has_space() else ""
        except OSError as error:
            raise ExecutionError(
                "The sandbox has no place for its private home.",
                detail=f"{self._places.homes}: {error.strerror}.",
                remedy="Free disk space or make the folder writable.",
            ) from error
        kind = LandlockConfinement if available.landlock else Confinement
        return kind(
            policy=policy,
            around=around,
            availability=available,
            reach=reach,
            staging=staging,
            home=HomeLook(around.private_home, (PACKAGES, R_PACKAGES)),
            outside=self._outside,
        )

    async def with_reach(self, inside: Confinement, reach: Reach, policy: Policy) -> Confinement:
        """Return the bounds of a kernel with another reach and policy. Raises ExecutionError."""
        around = await asyncio.to_thread(
            lambda: self._with_reach(inside.around, inside.policy, reach)
        )
        return replace(inside, around=around, reach=reach, policy=policy)

    def _staging(self) -> str:
        """Return the empty folder over which each supervisor mounts what is its own."""
        staging = self._places.homes / _STAGING
        staging.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(staging)

    def _with_reach(self, around: Surroundings, policy: Policy, reach: Reach) -> Surroundings:
        """Return the parts of this machine with what a person has granted and denied.

        What has gone is left out. Raises ExecutionError for a link where there was none.
        """
        wanted = (*reach.readable, *reach.writable)
        there = [path for path in wanted if os.path.isdir(path) or os.path.isfile(path)]
        for path in there:
            if os.path.realpath(path) != path:
                raise ExecutionError(
                    "The way to a granted folder leads over a link.",
                    detail=path,
                    remedy="Revoke it, and grant the folder that the link points to.",
                )
            if not self.has_space() and is_inside(path, self._places.home):
                clear_way(around.private_home, os.path.relpath(path, self._places.home))
        seen = replace(
            reach,
            readable=tuple(path for path in reach.readable if path in there),
            writable=tuple(path for path in reach.writable if path in there),
        )
        roots = {**dict.fromkeys(seen.readable, False), **dict.fromkeys(seen.writable, True)}
        roots[around.folder] = policy.files == "folder"
        return replace(
            around,
            granted=granted_mounts(seen, around.folder, FolderParts),
            denied=denied_mounts(reach, roots, kind_of),
        )

    @property
    def knows_space(self) -> bool:
        """Return whether they are known to have them."""
        return self._availability is not None and self.has_space()

    def has_space(self) -> bool:
        """Return whether supervisors can have namespaces of their own; it blocks the first time."""
        return not (self._available().lacks_space or self._available().landlock)

    def _available(self) -> Availability:
        if self._availability is None:
            self._availability = self._look()
        return self._availability

    def _surroundings(
        self,
        folder: str,
        programs: Sequence[str],
        links: tuple[tuple[str, str], ...],
    ) -> Surroundings:
        places = self._places
        private = (places.home, *private_folders(places.home), *places.never_inside)
        parts = FolderParts(folder)
        readable = {*own_code(), *program_parts(programs, private), *resolver_files()}
        return Surroundings(
            folder=folder,
            home=places.home,
            private_home=str(self._private_home(folder)),
            system=system_folders(),
            links=(*root_links(), *links),
            readable=tuple(path for path in readable if not is_inside(path, "/usr")),
            held=tuple(parts.held),
            pinned=tuple(parts.pinned),
            hidden=tuple(parts.hidden),
            masked=roots_secrets(),
            parameters=kernel_parameters(),
            tops=top_folders(),
            resolver=resolver(),
        )

    def packages(self, folder: str) -> list[str]:
        """Return the packages of Python, like `numpy 2.3.1`, that code of a folder has for itself.

        Code may have written anything there: these are words, and no more than that.
        """
        return packages_since(str(self._home_of(os.path.realpath(folder)) / PACKAGES), 0.0)

    def _home_of(self, folder: str) -> Path:
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
        return self._places.homes / name

    def _private_home(self, folder: str) -> Path:
        """Return the home of a working folder: caches stay in it, and no other folder's code."""
        home = self._home_of(folder)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (PACKAGES, R_PACKAGES):
            place = home / name
            if place.is_symlink() or not place.is_dir():  # code may have put anything there
                place.unlink(missing_ok=True)
            place.mkdir(exist_ok=True)
        if not (home / _GIT).exists() and (identity := git_identity(self._places.home)):
            with contextlib.suppress(FileExistsError), (home / _GIT).open("x") as file:
                file.write(identity)
        return home


def _is_of_better(report: BoundaryReport) -> bool:
    """Return whether a report is about a sandbox of namespaces."""
    return bool(report.attempts) and not report.is_weaker


def _weighed(report: BoundaryReport, available: Availability) -> BoundaryReport:
    """Return the report of a test, with what is known not to hold where only rules are had."""
    if report.problem or not available.landlock:
        return report
    gaps = landlock_gaps(available.landlock, available.weakness)
    return replace(
        report,
        attempts=with_known_gaps(report.attempts, available.landlock),
        gaps=(*gaps, *report.gaps),
        remedy=available.remedy,
    )


def _is_seen_as_is(pid: int, path: str) -> bool:
    """Return whether a process inside sees a path that is here, if it is, as it is here."""
    try:
        here = os.lstat(path)
    except OSError:
        return True
    try:
        is_same = os.path.samestat(os.stat(f"/proc/{pid}/root{path}"), here)
    except OSError:
        return False
    return is_same and os.path.realpath(path) == path


def _paths_of(reach: Reach) -> set[str]:
    return {*reach.readable, *reach.writable, *reach.fixed, *reach.hidden}


def _no_network(available: Availability, policy: Policy, reach: Reach) -> ExecutionError | None:
    """Return why code cannot have the network of a policy and a reach here; None if it can."""
    problem = available.weakness if available.landlock else available.lacks_space
    is_shared = available.landlock > 0 and policy.network == "on"  # as its gaps say
    if not problem or is_shared or (policy.network == "off" and not reach.hosts):
        return None
    return ExecutionError(
        "A network for some names only cannot be made on this computer.",
        detail=phrase("Playhead may not make namespaces of its own: {problem}", problem=problem),
        remedy="Turn the network off.",
    )


def _no_sandbox(problem: str, remedy: str) -> ExecutionError:
    return ExecutionError(_NO_SANDBOX, detail=problem, remedy=remedy)
