"""Decides when a person is asked about code, by what is seen of it and what was approved."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import astuple, replace

from playhead.domain.conversation.payloads import Proposal
from playhead.domain.trust import CodeLook, Policy, RiskFact
from playhead.session.code_ports import RiskReader
from playhead.session.trust.policy_choice import policy_at

FREE_REPEATS = 20
"""How often in one turn code runs without a question because exactly it was approved before."""

_BOUNDED = frozenset({"writes_inside"})
"""What a sandbox holds to the working folder, where it can be undone."""
_DIFF_LINES, _DIFF_CHARACTERS = 400, 20_000
_COMPARED_LINES = 2_000
_ALIKE = 0.3
"""The part of the lines of two blocks that must be the same for a diff to say anything."""
_KEPT_KEYS = 500


def must_ask(
    policy: Policy, facts: Sequence[RiskFact] | None, *, is_same: bool, repeats: int
) -> bool:
    """Return whether the policy has a person decide about code.

    `facts` None: nobody looked. `is_same`: exactly this was approved in this conversation;
    `repeats`: how often that has already been enough in this turn.
    """
    is_inside = policy.is_bounded
    match policy.ask:
        case "every":
            return True
        case "outside":
            return not is_inside
        case "risky":
            if is_inside and is_same and repeats < FREE_REPEATS:
                return False
            return _is_risky(facts, is_inside=is_inside)


def _is_risky(facts: Sequence[RiskFact] | None, *, is_inside: bool) -> bool:
    """Return whether anything is seen or cannot be told that a person should know of."""
    if facts is None:
        return True
    return any(not (is_inside and fact.kind in _BOUNDED) for fact in facts)


def approval_key(
    proposal: Proposal, look: CodeLook, policy: Policy, grants: tuple[str, ...] = ()
) -> str:
    """Return what names exactly this code, here, under this policy: any change is another one."""
    parts = [
        proposal.language,
        proposal.code,
        proposal.folder,
        proposal.interpreter,
        *look.surroundings,
        "policy",
        *map(str, astuple(policy)),
        "grants",
        *grants,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class _Looked(Struct, frozen=True):
    """A proposal as it was looked at, and what was seen of it."""

    proposal: Proposal
    look: CodeLook


class CodeReview:
    """Looks at proposals and knows what was approved in one conversation. Owner: its session.

    Without a `reader` nothing is seen. `policy` returns the one in force on this computer, `grants`
    what else decides what code may do. Nothing of it is stored.
    """

    def __init__(
        self,
        reader: RiskReader | None = None,
        policy: Callable[[], Policy] = Policy,
        grants: Callable[[], tuple[str, ...]] = tuple,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._reader = reader
        self.policy = policy
        self._grants = grants
        self._now = now
        self._looked: dict[str, _Looked] = {}
        self._approved: dict[str, float] = {}
        self._last: dict[str, str] = {}
        self._repeats = 0

    def begin_turn(self) -> None:
        """Count the repeats of approved code from 0 again."""
        self._repeats = 0

    def policy_of(self, proposal: Proposal) -> Policy:
        """Return the policy in force for a proposal, where it would run."""
        return policy_at(self.policy(), proposal.interpreter)

    async def peek(self, proposal: Proposal, code: str) -> Proposal:
        """Return a proposal with other code, which is being written, and what is seen of that."""
        if self._reader is None:
            return replace(proposal, code=code)
        look = await self._reader.look(
            proposal.language, code, proposal.folder, proposal.interpreter
        )
        return replace(proposal, code=code, facts=look.facts, approved_at=0.0, diff="")

    async def look(self, proposal: Proposal) -> Proposal:
        """Return the proposal with what is seen of its code now."""
        if self._reader is None:
            return proposal
        code = proposal.code
        look = await self._reader.look(
            proposal.language, code, proposal.folder, proposal.interpreter
        )
        self._looked[proposal.id] = looked = _Looked(proposal, look)
        _forget_oldest(self._looked)
        approved_at = self._approved.get(self._key(looked), 0.0)
        last = self._last.get(proposal.language, "")
        diff = "" if approved_at or not last else code_diff(last, code)
        return replace(proposal, facts=look.facts, approved_at=approved_at, diff=diff)

    def must_ask(self, proposal: Proposal) -> bool:
        """Return whether a person decides about a proposal that was looked at.

        One that runs because it was approved before counts.
        """
        policy = self.policy_of(proposal)
        is_same = proposal.approved_at > 0 and self._is_current(proposal)
        is_asked = must_ask(policy, proposal.facts, is_same=is_same, repeats=self._repeats)
        if not is_asked and must_ask(policy, proposal.facts, is_same=False, repeats=0):
            self._repeats += 1
        return is_asked

    def _is_current(self, proposal: Proposal) -> bool:
        looked = self._looked_at(proposal)
        return looked is not None and self._key(looked) in self._approved

    def approve(self, proposal: Proposal) -> None:
        """Record that a person approved exactly this code as it was looked at, as it may do now."""
        looked = self._looked_at(proposal)
        if looked is not None:
            key = self._key(looked)
            self._approved.pop(key, None)
            self._approved[key] = self._now()
            _forget_oldest(self._approved)
            self._last[proposal.language] = proposal.code

    def _looked_at(self, proposal: Proposal) -> _Looked | None:
        looked = self._looked.get(proposal.id)
        is_same = looked is not None and looked.proposal.code == proposal.code
        return looked if is_same else None

    def _key(self, looked: _Looked) -> str:
        policy = self.policy_of(looked.proposal)
        return approval_key(looked.proposal, looked.look, policy, self._grants())


def _forget_oldest(kept: dict[str, _Looked] | dict[str, float]) -> None:
    if len(kept) > _KEPT_KEYS:
        del kept[next(iter(kept))]


def code_diff(before: str, after: str) -> str:
    """Return a unified diff of two codes; '' if they have too little in common, or too many lines.

    The comparison is bounded: it takes a time that grows with the lines that both have.
    """
    from difflib import unified_diff  # not needed until code ran

    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _COMPARED_LINES:
        return ""
    shared = len(set(old) & set(new) - {""})
    if shared < _ALIKE * max(len(set(old)), len(set(new)), 1):
        return ""
    lines = unified_diff(old, new, lineterm="", n=2)
    text = "\n".join(islice(lines, 2, _DIFF_LINES))  # without the names of the files
    return text[:_DIFF_CHARACTERS]
