"""Packages that code of a conversation has in the sandbox, and their way into the environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playhead.domain.trust import PackageOffer
from playhead.errors import SessionError
from playhead.session.ports import SessionPorts
from playhead.session.trust.grant_book import ConversationGrants


class KeptPackages:
    """Says which packages the environment could get, and installs them there for a person.

    What code has installed in the sandbox is for the code of its folder alone, and code could have
    changed it: the same versions are downloaded again, outside of the sandbox. `where` returns the
    folder and the Python of the code, `grants` have what else code may change. Both verbs raise
    ExecutionError, `keep` SessionError while a turn is under way.
    """

    def __init__(
        self,
        ports: SessionPorts,
        where: Callable[[], tuple[str, str]],
        grants: ConversationGrants,
        expect_idle: Callable[[], None],
    ) -> None:
        self._ports = ports
        self._where = where
        self._grants = grants
        self._expect_idle = expect_idle

    async def offer(self) -> PackageOffer:
        """Return the packages that the environment does not have as the folder's code has them."""
        folder, interpreter = self._where()
        if self._ports.packages is None:
            return PackageOffer(interpreter)
        interpreter = interpreter or (await self._ports.interpreters.default()).path
        return await self._ports.packages.offered(folder, interpreter, self._within(folder))

    async def keep(self, chosen: Sequence[str], *, builds: bool = False) -> PackageOffer:
        """Install what is named like `numpy 2.3.1` into the environment; return what it was.

        `builds`: packages without a wheel are built, by code of their own.
        """
        self._expect_idle()
        offer = await self.offer()
        wanted = tuple(one for one in offer.packages if one.words in chosen)
        if self._ports.packages is None or len(wanted) != len(set(chosen)) or not wanted:
            raise SessionError(
                "These packages do not wait for the environment.",
                remedy="Look at those that do.",
                code="not_found",
            )
        within = self._within(self._where()[0])
        await self._ports.packages.install(offer.interpreter, wanted, within, builds=builds)
        return PackageOffer(offer.interpreter, wanted)

    def _within(self, folder: str) -> tuple[str, ...]:
        return (folder, *self._grants.reach.writable)
