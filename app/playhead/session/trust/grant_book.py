"""The book of grants: what persons let code reach, or denied it, and which of it holds where.

Only a person adds to it, in the window, at the command line or in the settings; a client of the API
where the owner lets it. Revoked is revoked at once, for code that runs, too.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from playhead.domain.grants import (
    Grant,
    GrantKind,
    GrantScope,
    denied_hosts,
    under_grants,
    word_of,
)
from playhead.domain.text.grant_words import hidden_path
from playhead.domain.trust import Policy, Reach, is_below
from playhead.errors import AppError, SessionError, StorageError, phrase
from playhead.session.code_ports import Unsubscribe
from playhead.session.ports import Grants, SessionPorts

_log = logging.getLogger(__name__)


class GrantBook:
    """All grants of this program, in the order in which they were made. Owner: `Sessions`.

    Without a `store` they are in memory only, as those for one run always are.
    """

    def __init__(self, store: Callable[[], Grants] | None = None) -> None:
        self._store = store
        self._grants: dict[str, Grant] = {}
        self._listeners: list[Callable[[], None]] = []

    async def load(self) -> None:
        """Read what earlier runs of the program have stored. What cannot be read grants nothing."""
        if self._store is None:
            return
        try:
            stored = await self._store().all()
        except StorageError as error:
            _log.warning("The grants could not be read: %s", error)
            return
        earlier = sorted((one for one in stored), key=lambda one: one.made_at)
        self._grants = {one.id: one for one in earlier} | self._grants
        self._emit()

    @property
    def grants(self) -> tuple[Grant, ...]:
        """Return all of them."""
        return tuple(self._grants.values())

    def put(self, grant: Grant) -> None:
        """Add a grant, or put it in the place of what it was."""
        is_new = grant.id not in self._grants
        self._grants[grant.id] = grant
        if self._store is not None and grant.scope != "run":
            self._store().put(grant)
        if is_new:
            self._emit()

    def drop(self, *grant_ids: str) -> None:
        """Take grants out, those that are in it."""
        gone = [self._grants.pop(one) for one in grant_ids if one in self._grants]
        for grant in gone:
            if self._store is not None and grant.scope != "run":
                self._store().drop(grant.id)
        if gone:
            self._emit()

    def forget(self, conversation_id: str) -> None:
        """Take out what was granted to a conversation that is deleted."""
        own = [one for one in self.grants if one.conversation_id == conversation_id]
        self.drop(*(one.id for one in own if one.scope != "folder"))

    def subscribe(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call the listener when a grant came or went."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _emit(self) -> None:
        for listener in tuple(self._listeners):
            listener()


class ConversationGrants:
    """The grants and denials for the code of one conversation. Owner: its session.

    `folder` returns its working folder, '' while it has none of its own; `policy` the policy that a
    person chose, which `known` waits for. `on_changed` is called when something else holds than
    before.
    """

    def __init__(
        self,
        book: GrantBook,
        ports: SessionPorts,
        conversation_id: str,
        folder: Callable[[], str],
        policy: Callable[[], Policy],
        on_changed: Callable[[], None],
        known: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._known = known
        self.book = book
        self._ports = ports
        self._conversation_id = conversation_id
        self._folder = folder
        self._policy = policy
        self._on_changed = on_changed
        self._held = self.words()
        self._unsubscribe = book.subscribe(self._on_book)

    @property
    def held(self) -> tuple[Grant, ...]:
        """Return what holds for its code now, the first one first."""
        folder = self._real_folder()
        return tuple(one for one in self.book.grants if one.is_for(self._conversation_id, folder))

    def words(self) -> tuple[str, ...]:
        """Return what of it decides what code may do, for the key of an approval."""
        return tuple(sorted({one.words for one in self.held}))

    def in_force(self) -> Policy:
        """Return the policy in force without the names that are denied."""
        return under_grants(self._policy(), self.held)[0]

    @property
    def reach(self) -> Reach:
        """Return what code reaches beyond its policy."""
        return under_grants(self._policy(), self.held)[1]

    @property
    def problem(self) -> AppError | None:
        """Return why code cannot be run under the denials; None if it can be."""
        return self.why_not_open(self._policy())

    def why_not_open(self, policy: Policy) -> AppError | None:
        """Return why a policy opens what is denied; None if it does not."""
        closed = denied_hosts(self.held)
        if policy.network != "on" or not policy.is_bounded or not closed:
            return None
        return SessionError(
            "An open network could not keep code from what is denied.",
            detail=phrase("Denied: {names}.", names=", ".join(closed)),
            remedy="Revoke the denial, or turn the network off or to a list.",
            code="policy_impossible",
        )

    def why_not(self, kind: GrantKind, target: str, *, is_denial: bool = False) -> AppError | None:
        """Return why code cannot be granted, or denied, a target; None if it can be."""
        policy, sandbox = self._policy(), self._ports.sandbox
        if sandbox is None or not policy.is_bounded:
            return SessionError(
                "Code of this conversation runs outside of the sandbox.",
                detail="It reaches all that you can.",
                remedy="Let it run in the sandbox first.",
                code="policy_impossible",
            )
        new = self._grant(kind, target, "run", is_denial=is_denial)
        if is_denial and (error := self._why_not_closed(policy, new)) is not None:
            return error
        if not is_denial and (error := self._why_not_open(policy, new)) is not None:
            return error
        reach = under_grants(policy, (*self.held, new))[1]
        return sandbox.why_not_reach(reach, self._folder())

    def _why_not_open(self, policy: Policy, new: Grant) -> AppError | None:
        """Return why a grant would change nothing, if it would not."""
        denials = [one for one in self.held if one.is_denial]
        if under_grants(policy, (*denials, new))[1] != under_grants(policy, denials)[1]:
            return None
        if policy.network == "on" and new.kind in ("host", "packages"):
            return SessionError("The network is open already.", code="invalid_grant")
        return SessionError(
            "This was denied.", remedy="Take the denial back first.", code="invalid_grant"
        )

    def _why_not_closed(self, policy: Policy, denial: Grant) -> AppError | None:
        if policy.network == "on" and denied_hosts((denial,)):
            return SessionError(
                "An open network could not keep code from a place.",
                remedy="Turn the network off or to a list first.",
                code="policy_impossible",
            )
        return None

    def restarts(self, kind: GrantKind, text: str, *, is_denial: bool = False) -> bool:
        """Return whether granting or denying this ends the kernel, with its variables."""
        new = self._grant(kind, text, "run", is_denial=is_denial)
        reach = under_grants(self._policy(), (*self.held, new))[1]
        return not self._ports.executor.takes(self._conversation_id, reach)

    def would_restart(self, kind: GrantKind, text: str) -> bool:
        """Return whether granting what a text names ends the kernel; False for what is no name."""
        try:
            return self.restarts(kind, self._target(kind, text))
        except SessionError:
            return False

    def give(
        self,
        kind: GrantKind,
        text: str,
        scope: GrantScope,
        *,
        is_denial: bool = False,
        cause: str = "",
        message_id: str = "",
    ) -> Grant:
        """Grant, or deny, what a text names. Raises the AppError that says why that cannot be."""
        target = self._target(kind, text)
        same = [one for one in self.held if (one.kind, one.target) == (kind, target)]
        known = [one for one in same if (one.scope, one.is_denial) == (scope, is_denial)]
        if known:
            return known[0]
        if (error := self.why_not(kind, target, is_denial=is_denial)) is not None:
            raise error
        if scope == "folder" and not self._folder():
            raise SessionError(
                "This conversation has no folder yet.",
                remedy="Grant it for the conversation.",
                code="invalid_grant",
            )
        grant = self._grant(kind, target, scope, is_denial, cause, message_id)
        self.book.put(grant)
        return grant

    def hidden_path(self, printed: str) -> str:
        """Return the path that code missed, by what it printed, because it is hidden from it."""
        return hidden_path(printed, self._real_folder(), self.reach)

    def offer_for(self, path: str) -> str:
        """Return what may be granted for a hidden path: its folder, else the file alone.

        '' where there is nothing, or nothing that may be granted: keys and such are not offered.
        """
        real = os.path.realpath(path)
        home = os.path.expanduser("~")
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        for one in (folder, real):
            private = is_below(one, (home,)) and os.path.relpath(one, home).startswith(".")
            is_there = os.path.isdir(one) or os.path.isfile(one)
            if is_there and not private and self.why_not("read", one) is None:
                return one
        return ""

    def attach(self, path: str) -> None:
        """Let code read what a person has attached, if it is not one of the program's own files."""
        sandbox, real = self._ports.sandbox, os.path.realpath(path)
        is_known = any(one.kind == "read" and one.target == real for one in self.held)
        if sandbox is None or is_known or real != os.path.normpath(path):
            return
        if is_below(real, (os.path.realpath(self._folder() or "/nowhere"),)):
            return
        if sandbox.why_not_reach(Reach(readable=(real,)), self._folder()) is None:
            cause = "You attached it."
            self.book.put(self._grant("read", real, "conversation", cause=cause))

    def revoke(self, grant_id: str) -> None:
        """Take back a grant or a denial that holds here. Raises SessionError for another one."""
        if all(one.id != grant_id for one in self.held):
            raise SessionError("There is no such grant.", code="not_found")
        self.book.drop(grant_id)

    async def wait_for_test(self) -> None:
        """Wait until the policy of the first run is known; see `PolicyChoice`."""
        if self._known is not None:
            await self._known()

    async def begin_run(self) -> None:
        """Give the kernel what holds now, and count that as a use. Raises the AppError if not."""
        if (error := self.problem) is not None:
            raise error
        await self._ports.executor.set_reach(self._conversation_id, self.reach)
        if self._policy().is_bounded:
            now = time.time()
            for one in self.held:
                self.book.put(replace(one, uses=one.uses + 1, used_at=now))

    def end_run(self) -> None:
        """Take back what was granted for the run that has ended."""
        own = (one for one in self.held if one.scope == "run")
        self.book.drop(*(one.id for one in own))

    def follow_place(self) -> None:
        """Find out what holds in another working folder, or under another policy."""
        self._on_book()

    def close(self) -> None:
        """Follow the book no more."""
        self._unsubscribe()

    def _on_book(self) -> None:
        before, self._held = self._held, self.words()
        if before != self._held:
            self._on_changed()

    def _real_folder(self) -> str:
        folder = self._folder()
        return os.path.realpath(folder) if folder else ""

    def _target(self, kind: GrantKind, text: str) -> str:
        if kind not in ("read", "write"):
            return word_of(kind, text.strip())
        named = os.path.expanduser(text)
        path = os.path.realpath(named)
        if os.path.isabs(named) and (os.path.isdir(path) or os.path.isfile(path)):
            return path
        raise SessionError(
            phrase("There is no folder or file {path}.", path=text[:500]),
            remedy="Name it by its whole path.",
            code="invalid_grant",
        )

    def _grant(
        self,
        kind: GrantKind,
        target: str,
        scope: GrantScope,
        is_denial: bool = False,
        cause: str = "",
        message_id: str = "",
    ) -> Grant:
        return Grant(
            id=uuid.uuid4().hex,
            kind=kind,
            target=target,
            scope=scope,
            conversation_id=self._conversation_id,
            folder=self._real_folder(),
            is_denial=is_denial,
            cause=cause,
            message_id=message_id,
            made_at=time.time(),
        )
