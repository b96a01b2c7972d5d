"""The pending decision: nothing runs before it, and it is made exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playhead.domain.conversation.payloads import Proposal
from playhead.domain.execution import Decision


class Approval:
    """Holds at most one proposal, those of the same answer behind it, and the future decision.

    `on_change` is called whenever `pending` changes.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._proposal: Proposal | None = None
        self.later: tuple[Proposal, ...] = ()
        """The proposals of the same answer that come after the one that waits."""
        self._decision: asyncio.Future[Decision] | None = None

    @property
    def pending(self) -> Proposal | None:
        """Return the proposal that waits, or None."""
        return self._proposal

    async def decide(self, proposal: Proposal, later: tuple[Proposal, ...] = ()) -> Decision:
        """Put the proposal up and wait for its decision."""
        self._decision = asyncio.get_running_loop().create_future()
        self._proposal, self.later = proposal, later
        self._on_change()
        try:
            return await self._decision
        finally:
            self._proposal, self.later, self._decision = None, (), None
            self._on_change()

    def settle(self, proposal_id: str, decision: Decision) -> bool:
        """Decide; return False if that proposal does not wait any more (a second decision)."""
        if self._proposal is None or self._proposal.id != proposal_id:
            return False
        if self._decision is None or self._decision.done():
            return False
        self._decision.set_result(decision)
        return True
