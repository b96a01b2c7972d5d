"""Policies of what code may do, facts seen of it before it runs, and results of the boundary test.

The policy of a conversation is chosen by a person; no model, client or code ever changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

FileAccess = Literal["look", "folder", "everything"]
NetworkAccess = Literal["off", "listed", "on"]
AskPolicy = Literal["every", "risky", "outside"]
"""When an approval is asked for: every block, only what is risky, only outside the sandbox."""


class Policy(Struct, frozen=True, kw_only=True):
    """The limits of a conversation's code, and when a person is asked about it.

    `files`: only look at the working folder, change it, or everything that the person may, which
    is no sandbox at all. `hosts` are the names (`host` or `host:port`) of a listed network.
    `is_reviewed`: runs work in a copy of the folder, and a person says what of it is kept.
    """

    files: FileAccess = "everything"
    network: NetworkAccess = "on"
    hosts: tuple[str, ...] = ()
    ask: AskPolicy = "every"
    is_reviewed: bool = False

    @property
    def is_bounded(self) -> bool:
        """Return whether code runs in a sandbox."""
        return self.files != "everything"


class Reach(Struct, frozen=True, kw_only=True):
    """The names, paths and variables that code reaches beyond its policy, or is kept from.

    `hosts` are names as those of a policy. `readable` and `writable` are shown to it, `fixed` can
    only be read although what is around it can be written, `hidden` cannot be seen although what
    is around it can be: absolute, real paths. `variables` come from the environment of the program;
    those `kept_out` do not, although others like them do.
    """

    hosts: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    kept_out: tuple[str, ...] = ()

    def shows(self, path: str) -> bool:
        """Return whether a path is shown by it."""
        is_shown = is_below(path, (*self.readable, *self.writable))
        return is_shown and not is_below(path, self.hidden)


class LayerPackage(Struct, frozen=True):
    """A package that code in the sandbox has installed for one folder, as its files name it.

    `there` is the version that the environment has, '' for none.
    """

    name: str
    version: str
    there: str = ""

    @property
    def words(self) -> str:
        """Return it as `numpy 2.3.1`."""
        return f"{self.name} {self.version}"


class PackageOffer(Struct, frozen=True):
    """Holds the packages of a folder that an environment, named by its Python, does not have."""

    interpreter: str
    packages: tuple[LayerPackage, ...] = ()


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path is one of these folders, or somewhere in one of them."""
    return any(path == one or path.startswith(one.rstrip("/") + "/") for one in folders)


class PolicyWish(Struct, frozen=True, kw_only=True):
    """The choice of a command line for the conversations of a process; None leaves the setting."""

    files: FileAccess | None = None
    network: NetworkAccess | None = None
    ask: AskPolicy | None = None
    hosts: tuple[str, ...] | None = None
    is_reviewed: bool | None = None


AttemptOutcome = Literal["refused", "invisible", "private", "limited", "open", "through", "skipped"]
"""How an attempt ended, as seen from outside of the sandbox.

`private`: it reached only a copy that nobody else reads. `open`: it got through, as the gaps of the
weaker sandbox say. `skipped`: it cannot be made here.
"""
BoundaryStatus = Literal["held", "partly", "none", "untested"]


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt of the boundary test to get out: its group, its name, how it ended."""

    group: str
    name: str
    outcome: AttemptOutcome
    detail: str = ""


class BoundaryReport(Struct, frozen=True, kw_only=True):
    """The result of the boundary test on this machine; the time is in seconds since the epoch.

    `problem` says why there is no sandbox, `remedy` what to do about it (a line to run, if one
    helps); `gaps` are sentences about what it cannot hold.
    """

    tested_at: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    problem: str = ""
    remedy: str = ""
    gaps: tuple[str, ...] = ()

    @property
    def is_weaker(self) -> bool:
        """Return whether it is about the weaker sandbox, which names what it does not hold."""
        return any(one.outcome == "open" for one in self.attempts)

    @property
    def status(self) -> BoundaryStatus:
        """Return what may be said of the boundary."""
        if self.problem:
            return "none"
        if not self.attempts:
            return "untested"
        if any(one.outcome == "through" for one in self.attempts):
            return "none"
        return "partly" if self.gaps else "held"


RiskKind = Literal[
    "deletes",
    "writes_outside",
    "writes_inside",
    "network",
    "starts_programs",
    "installs_packages",
    "reads_secrets",
    "changes_settings",
    "cannot_be_told",
]
Certainty = Literal["certain", "likely", "unknown"]


class RiskFact(Struct, frozen=True, kw_only=True):
    """One thing that code is seen to do, before it runs.

    `line` counts from 1. `target` is the path, host, program or package if a literal has it;
    `module` names the local module that holds the line, '' for the code itself.
    """

    kind: RiskKind
    line: int
    target: str = ""
    certainty: Certainty = "certain"
    module: str = ""


class CodeLook(Struct, frozen=True):
    """The facts of code before it runs.

    `surroundings` name what else decides what it does: its folder and interpreter as they are now,
    and the local modules that it imports, by the hashes of their texts.
    """

    facts: tuple[RiskFact, ...] = ()
    surroundings: tuple[str, ...] = ()
