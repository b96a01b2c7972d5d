"""How large everything is shown, by keys; Qt takes another size only when a program starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from playhead.domain.settings import SCALES_PERCENT
from playhead.session.ports import Settings
from playhead.ui.notifications import Notifications
from playhead.ui.tasks import TaskOwner
from playhead.ui.wording import tr

_KEY = "scale"


class WindowScale(QObject):
    """Keeps the size for the next start and says so. Owner: the main window."""

    def __init__(
        self, settings: Settings, notifications: Notifications, tasks: TaskOwner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._notifications = notifications
        self._tasks = tasks
        self._shown = settings.current.scale_percent

    @property
    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What the window's commands of these names do."""
        return {
            "larger": lambda: self.choose(stepped(self._settings.current.scale_percent, 1)),
            "smaller": lambda: self.choose(stepped(self._settings.current.scale_percent, -1)),
            "normal_size": lambda: self.choose(100),
        }

    def choose(self, percent: int) -> None:
        """Keep another size."""
        self._tasks.start(
            self._settings.save(replace(self._settings.current, scale_percent=percent))
        )
        if percent == self._shown:
            self._notifications.show_notice(
                tr("The size stays at {percent} %.", percent=percent), key=_KEY
            )
        else:
            self._notifications.show_notice(
                tr("Everything will be shown at {percent} %.", percent=percent),
                tr("From the next start of Playhead on; it is {shown} % now.", shown=self._shown),
                key=_KEY,
            )


def stepped(percent: int, step: int) -> int:
    """The next larger or smaller size that is offered, the outermost at the ends."""
    if step > 0:
        return next((one for one in SCALES_PERCENT if one > percent), SCALES_PERCENT[-1])
    return next((one for one in reversed(SCALES_PERCENT) if one < percent), SCALES_PERCENT[0])
