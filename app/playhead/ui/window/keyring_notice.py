"""Says that the system's keyring is waited for: its prompt may stand behind the window."""

from __future__ import annotations

from playhead.ui.notifications import Notifications
from playhead.ui.wording import tr

_KEY = "keyring"


def show_keyring_wait(notifications: Notifications, *, is_waiting: bool) -> None:
    """Show the notice, or take it away when the keyring has answered."""
    if not is_waiting:
        notifications.withdraw(_KEY)
        return
    notifications.show_notice(
        tr("Waiting for the system's keyring"),
        tr("It may be asking you to unlock it, in a window of its own. Stop ends the waiting."),
        key=_KEY,
    )
