"""Begins checks of exports: reads what was written, and shows what would run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.execution import Interpreter
from playhead.session.session import Session
from playhead.ui.widgets.theme import Theme

if TYPE_CHECKING:
    from playhead.checking.checker import Checker, CheckPlan
    from playhead.ui.checks.check_view import CheckView


class ExportChecks:
    """Checks exports under the policy of their conversations. Owner: bootstrap.

    `python` returns the interpreter of conversations without their own. `view` is the last window.
    """

    def __init__(
        self,
        checker: Checker,
        python: Callable[[], Awaitable[Interpreter]],
        theme: Theme,
        window: QWidget,
    ) -> None:
        self._checker = checker
        self._python = python
        self._theme = theme
        self._window = window
        self.view: CheckView | None = None

    async def begin(self, session: Session, path: Path) -> None:
        """Show what a check of an export would run; a click there runs it. Raises AppError."""
        from playhead.ui.checks.check_view import CheckView  # not needed for the first paint

        plan, data = await self._plan(session, path)
        self.view = CheckView(self._checker, plan, path, data, self._theme, self._window)
        self.view.show()

    async def play(self, conversation: Conversation) -> None:
        """Show a conversation as it was, by time: nothing of it runs."""
        from playhead.domain.playback import course_of
        from playhead.ui.playback.playback_view import PlaybackView  # as above

        messages = tuple(conversation.messages)
        course = await asyncio.to_thread(course_of, messages, conversation.printed)
        view = PlaybackView(course, conversation.title, self._theme, self._window)
        view.show()
        view.player.play()

    async def _plan(self, session: Session, path: Path) -> tuple[CheckPlan, bytes]:
        from playhead.checking.checker import CheckPlan
        from playhead.checking.recorded_cells import recording_of
        from playhead.session.turn_settings import limits_of

        if (problem := session.policy.problem) is not None:
            raise problem
        data = await asyncio.to_thread(path.read_bytes)
        recording = await asyncio.to_thread(recording_of, data, path.name)
        interpreter = session.interpreter or session.settings.interpreter
        plan = CheckPlan(
            recording=recording,
            folder=session.folder,
            interpreter=interpreter or (await self._python()).path,
            policy=session.grants.in_force(),
            reach=session.grants.reach,
            limits=limits_of(session.settings),
        )
        return plan, data
