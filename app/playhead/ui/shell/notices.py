"""Notices in the window's banners: other programs, links before they open, the keyring."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, QUrl, Signal

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.history import ConversationSummary
from playhead.domain.text.file_effects import listed_names
from playhead.domain.text.run_ends import again_line, loss_words
from playhead.domain.text.titles import UNTITLED
from playhead.errors import AppError
from playhead.session.ports import ApiControl, ApiStatus
from playhead.session.session import Session, SessionEvent
from playhead.session.sessions import Sessions
from playhead.ui.shell.session_view import SETTINGS_LINK, SessionBinding, SessionView
from playhead.ui.sidebar.model import client_name
from playhead.ui.sidebar.sidebar import Sidebar
from playhead.ui.widgets.banner import Banner, BannerAction, BannerArea
from playhead.ui.widgets.system_opener import ADDRESS_SCHEMES, open_address
from playhead.ui.widgets.wording import tr, tr_error, tr_n

if TYPE_CHECKING:
    from playhead.domain.saved_variables import BroughtBack, RestoreOffer
    from playhead.ui.shell.window_layout import WindowLayout
    from playhead.ui.widgets.task_owner import TaskOwner

_NOT_LISTENING, _WAITING = "api not listening", "programs waiting"
_BRING_BACK = "variables"
_TITLE_LENGTH = 120
_LOST_LISTED = 6


class ApiIndicator(QObject):
    """Shows the state of the server for other programs. Owner: the main window.

    Signal: `settings_requested()`.
    """

    settings_requested = Signal()

    def __init__(
        self,
        api: ApiControl,
        sidebar: Sidebar,
        notifications: BannerArea,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sidebar = sidebar
        self._notifications = notifications
        sidebar.api_clicked.connect(self.settings_requested)
        self._unsubscribe = api.subscribe(self._on_status)
        self._on_status(api.status)

    def close_down(self) -> None:
        """Unsubscribe from the server."""
        self._unsubscribe()

    def _on_status(self, status: ApiStatus) -> None:
        self._sidebar.show_api(status)
        if status.state != "failed":
            self._notifications.withdraw(_NOT_LISTENING)
            return
        reason = str(tr_error(status.error)) if status.error else ""
        error = AppError(tr("Other programs cannot reach Playhead."), detail=reason)
        action = BannerAction(tr("Settings"), self.settings_requested.emit)
        self._notifications.show_error(error, action, _NOT_LISTENING)


class VariablesOffer(SessionBinding):
    """Asks whether a new kernel gets the variables of the last one, and reports which it got.

    Code waits for the answer. Owner: the main window.
    """

    def __init__(
        self, view: SessionView, parts: WindowLayout, tasks: TaskOwner, parent: QObject
    ) -> None:
        super().__init__(view, parent)
        self._parts = parts
        self._tasks = tasks
        self._offer: RestoreOffer | None = None
        self._left_runs = 0
        self._is_putting_back = False
        self._reported: BroughtBack | None = None

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its kernel."""
        return [
            session.subscribe(self._on_event),
            session.conversation.subscribe(self._on_message),
        ]

    def _on_message(self, event: ConversationEvent) -> None:
        """Look later at what another branch has left: by then the session has looked, too."""
        if event.kind == "moved":
            QTimer.singleShot(0, self, self._look)

    def follow(self) -> None:
        """Show the question of the session, if one waits."""
        super().follow()
        self._reported = self._session.kernel.brought_back if self._session is not None else None
        self._look()

    def leave(self) -> None:
        """Take the question away; it waits until the session is shown again."""
        super().leave()
        self._show(None, 0)

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind == "kernel":
            self._look()

    def _look(self) -> None:
        kernel = self._session.kernel if self._session is not None else None
        runs = self._session.kept_variables.left_runs if self._session is not None else ()
        self._show(kernel.offer if kernel is not None else None, len(runs))
        back = kernel.brought_back if kernel is not None else None
        if self._session is not None and (changes := self._session.files.variables):
            self._parts.timeline.show_variables(changes)
        if back is not self._reported and back is not None:
            self._report(back)
        self._reported = back

    def _show(self, offer: RestoreOffer | None, left_runs: int) -> None:
        if (offer, left_runs) == (self._offer, self._left_runs) or self._is_putting_back:
            return
        self._offer, self._left_runs = offer, left_runs
        area = self._parts.notifications
        area.withdraw(_BRING_BACK)
        if offer is not None and offer.is_branch:
            banner = self._ask_about_branch(offer)
        elif offer is not None:
            banner = self._ask_about_kernel(offer)
        elif left_runs:
            banner = self._offer_files(left_runs)
        else:
            return
        # Its buttons close it, too, before they act.
        banner.closed.connect(lambda: QTimer.singleShot(0, self, self._on_closed))

    def _ask_about_branch(self, offer: RestoreOffer) -> Banner:
        """Ask for the variables of the branch that is shown now, and its files."""
        files = BannerAction(tr("With files"), self._take_back_files)
        return self._parts.notifications.show_notice(
            tr_n(
                "Have %n variables as this branch left them?",
                offer.count,
                one="Have the variable as this branch left it?",
            ),
            tr("{names}. Code waits for the answer.", names=listed_names(offer.names, tr_n)),
            BannerAction(tr("Yes"), lambda: self._answer("yes")),
            _BRING_BACK,
            (
                *((files,) if self._left_runs else ()),
                BannerAction(tr("Always"), self._always),
                BannerAction(tr("No"), lambda: self._answer("no")),
            ),
        )

    def _offer_files(self, left_runs: int) -> Banner:
        return self._parts.notifications.show_notice(
            tr_n(
                "%n runs of the other branch changed files.",
                left_runs,
                one="A run of the other branch changed files.",
            ),
            tr("They are still as it left them."),
            BannerAction(tr("Undo these"), self._take_back_files),
            _BRING_BACK,
            (BannerAction(tr("Keep"), lambda: self._answer("no")),),
        )

    def _take_back_files(self) -> None:
        if self._session is not None:
            self._offer, self._left_runs, self._is_putting_back = None, 0, True
            self._tasks.start(self._put_back(self._session))

    async def _put_back(self, session: Session) -> None:
        try:
            await session.kept_variables.take_back_files()
        finally:
            self._is_putting_back = False
            self._look()

    def _ask_about_kernel(self, offer: RestoreOffer) -> Banner:
        return self._parts.notifications.show_notice(
            tr_n(
                "Bring back {count} of %n variables?",
                offer.total,
                one="Bring back the variable of the last kernel?",
                count=offer.count,
            ),
            tr("They are of the kernel that has ended. The code waits for the answer."),
            BannerAction(tr("Bring back"), lambda: self._answer("yes")),
            _BRING_BACK,
            (
                BannerAction(tr("Always"), self._always),
                BannerAction(tr("No"), lambda: self._answer("no")),
            ),
        )

    def _on_closed(self) -> None:
        if self._offer is not None or self._left_runs:
            self._answer("no")

    def _answer(self, choice: Literal["yes", "no"]) -> None:
        if self._session is not None:
            self._session.kept_variables.answer(choice)
            self._look()

    def _always(self) -> None:
        if self._session is not None:
            self._tasks.start(self._session.kept_variables.answer_always())

    def _report(self, back: BroughtBack) -> None:
        total = len(back.names) + len(back.lost)
        detail = [
            f"{one.name}: {loss_words(one.why, again_line(one), tr)}."
            for one in back.lost[:_LOST_LISTED]
        ]
        if len(back.lost) > _LOST_LISTED:
            detail.append(tr("The panel of variables lists the others."))
        self._parts.timeline.add_note(
            "info",
            tr_n(
                "{count} of %n variables of the last kernel came back.",
                total,
                one="The variable of the last kernel came back.",
                count=len(back.names),
            )
            if back.names
            else tr("No variable of the last kernel came back."),
            "\n".join(detail),
        )


class WaitingPrograms(QObject):
    """Announces programs whose code waits for a decision, without disturbing what the user does.

    One banner for all of them. Owner: the main window. Signals: `show_requested(str id)` when the
    user wants to see one, `added()` when another has begun to wait.
    """

    show_requested = Signal(str)
    added = Signal()

    def __init__(
        self, sessions: Sessions, notifications: BannerArea, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._notifications = notifications
        self._known: set[str] = set()
        self._dismissed: set[str] = set()
        self._announced: tuple[ConversationSummary, ...] = ()

    def look(self, shown_id: str) -> None:
        """See which wait now; the one that is shown asks for itself."""
        waiting = list(self._waiting())
        ids = {row.id for row in waiting}
        self._dismissed &= ids
        is_new = bool(ids - self._known)
        self._known = ids
        rest = [row for row in waiting if row.id != shown_id and row.id not in self._dismissed]
        self._announce(tuple(sorted(rest, key=lambda row: row.created_at)))
        if is_new:
            self.added.emit()

    def _waiting(self) -> Iterator[ConversationSummary]:
        """Yield the rows of those that wait; also the user's own if a program asks in one."""
        for row in self._sessions.summaries:
            session = self._sessions.get(row.id)
            if session is not None and session.client and session.state == "awaiting_approval":
                yield replace(row, client=session.client)

    def _announce(self, waiting: tuple[ConversationSummary, ...]) -> None:
        if [row.id for row in waiting] == [row.id for row in self._announced]:
            return
        self._announced = waiting
        if not waiting:
            self._notifications.withdraw(_WAITING)
            return
        title, detail = waiting_words(waiting)
        action = BannerAction(tr("Show"), self._show_first(waiting))
        banner = self._notifications.show_notice(title, detail, action, _WAITING)
        banner.closed.connect(lambda: self._on_closed(waiting))

    def _show_first(self, waiting: tuple[ConversationSummary, ...]) -> Callable[[], None]:
        def show() -> None:
            self._dismissed -= {row.id for row in waiting[1:]}  # they have not been looked at
            self.show_requested.emit(waiting[0].id)

        return show

    def _on_closed(self, waiting: tuple[ConversationSummary, ...]) -> None:
        self._announced = ()
        self._dismissed |= {row.id for row in waiting}


def waiting_words(waiting: tuple[ConversationSummary, ...]) -> tuple[str, str]:
    """Return the title and the detail of the banner; the oldest comes first."""
    title = " ".join((waiting[0].title or tr(UNTITLED)).split())
    detail = title if len(title) <= _TITLE_LENGTH else f"{title[:_TITLE_LENGTH]}…"
    first = client_name(waiting[0].client)
    if len(waiting) == 1:
        return tr("{first} wants to run code.", first=first), detail
    return tr_n("{first} and %n more want to run code.", len(waiting) - 1, first=first), detail


class LinkOpener(QObject):
    """Owner: the main window."""

    def __init__(
        self,
        on_settings: Callable[[], object],
        notifications: BannerArea,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._on_settings = on_settings
        self._notifications = notifications

    def open(self, address: str) -> None:
        """Open our own addresses immediately, others after the user has seen where they lead."""
        if address == SETTINGS_LINK:
            self._on_settings()
        elif QUrl(address).scheme() in ADDRESS_SCHEMES:
            action = BannerAction(tr("Open"), lambda: open_address(address))
            self._notifications.show_notice(tr("Open this address?"), address, action)
        else:
            self._notifications.show_notice(tr("This link is not opened."), address)


_KEYRING, _IGNORED = "keyring", "ignored switches"


def show_disk_notice(notifications: BannerArea, notice: str) -> None:
    """Show what was found damaged, or could not be read, at the start."""
    title = tr("Something on the disk was not as it should be.")
    notifications.show_notice(title, notice, key=notice)  # it stays until it was read


def show_keyring_wait(notifications: BannerArea, *, is_waiting: bool) -> None:
    """Show the notice, or take it away when the keyring has answered."""
    if not is_waiting:
        notifications.withdraw(_KEYRING)
        return
    notifications.show_notice(
        tr("Waiting for the system's keyring"),
        tr("It may be asking you to unlock it, in a window of its own. Stop ends the waiting."),
        key=_KEYRING,
    )


def show_ignored_switches(
    notifications: BannerArea, names: Collection[str], on_settings: Callable[[], object]
) -> None:
    """Show that the settings' file switches on what the user has not switched on."""
    notifications.show_notice(
        tr("Switches in the settings' file do not count."),
        tr(
            "They would have code do more, or run without your decision, and were not switched on "
            "in this window: {names}.",
            names=", ".join(map(_switch_words, sorted(names))),
        ),
        BannerAction(tr("Settings"), on_settings),
        key=_IGNORED,
    )


def _switch_words(name: str) -> str:
    # Neither is needed for the first paint.
    from playhead.ui.settings.api_page import SWITCH_LABELS
    from playhead.ui.settings.running_page import POLICY_LABELS

    word, _, of = name.partition(" ")
    if word in POLICY_LABELS:
        return tr("“{switch}”", switch=tr(POLICY_LABELS[word]))
    if word in SWITCH_LABELS:
        return tr("“{switch}”", switch=tr(SWITCH_LABELS[word]))
    if word == "profile":
        return tr("the profile “{profile}” for all new conversations", profile=of)
    profile = of.removeprefix("of ")
    return tr("“Run code without asking” of the profile “{profile}”", profile=profile)
