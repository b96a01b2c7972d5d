"""Plays a conversation as it was, with the running line: read-only, no model and no key needed."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.playback import Course, Moment, with_own_ids
from playhead.ui.editor.editor_follower import EditorFollower
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.timeline.view import TimelineView
from playhead.ui.widgets.theme import GAP_L, GAP_M, Theme, fit_on_screen
from playhead.ui.widgets.wording import tr

_WIDTH_PX, _HEIGHT_PX = 1080, 680
_FRAME_MS = 33
_STEPS_PER_S = 10
_MOST_STEPS = 1_000_000
"""What a slider can have is 2,147,483,647: the steps of seven years."""
_SPEEDS = (0.5, 1.0, 2.0, 4.0, 16.0)
_SLICE_S = 0.008
_AT_ONCE = 100
"""Chunks of one frame at most: what is more comes in the next ones."""


class Player(QObject):
    """Puts the moments of a conversation into a copy of it, at their times.

    Signals: `changed()` when it began, paused or ended; `moved()` with each step; `left()` when it
    goes far, which takes some steps; `arrived(Conversation)` after that, with the copy, which is
    another one if it went back.
    """

    changed = Signal()
    moved = Signal()
    left = Signal()
    arrived = Signal(object)

    def __init__(self, course: Course, parent: QObject) -> None:
        super().__init__(parent)
        self._course = course
        self._moments: Sequence[Moment] = course.whole
        self._times = [one.at for one in self._moments]
        self._next = 0
        self._ids: dict[str, str] = {}
        self._last_tick = 0.0
        self._wanted = 0
        self._is_away = False
        self.copy = Conversation()
        self.position_s = 0.0
        self.speed = 1.0
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._clock.timeout.connect(self._tick)
        self._next_slice = QTimer(self)
        self._next_slice.setSingleShot(True)
        self._next_slice.timeout.connect(self._go_on)

    @property
    def length_s(self) -> float:
        """Return for how long it plays at its own speed."""
        return self._times[-1] if self._times else 0.0

    @property
    def is_playing(self) -> bool:
        """Return whether it plays."""
        return self._clock.isActive()

    @property
    def is_at_end(self) -> bool:
        """Return whether all of it was played."""
        return self._next >= len(self._moments)

    def play(self) -> None:
        """Go on; from the beginning if it is at the end."""
        if self.is_at_end:
            self.seek(0.0)
        self._last_tick = time.monotonic()
        self._clock.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stay where it is."""
        self._clock.stop()
        self.changed.emit()

    def stop(self) -> None:
        """Go back to the beginning and stay there."""
        self._clock.stop()
        self.seek(0.0)
        self.changed.emit()

    def skip_waits(self, is_on: bool) -> None:
        """Leave out the time in which nothing ran and nothing was said; stay at the same moment."""
        self._moments = self._course.short if is_on else self._course.whole
        self._times = [one.at for one in self._moments]
        if self._next:
            self.position_s = self._times[self._next - 1]
        self.moved.emit()

    def seek(self, position_s: float) -> None:
        """Go to a time, at once."""
        wanted = bisect_right(self._times, position_s) if position_s > 0 else 0
        self.position_s = min(max(0.0, position_s), self.length_s)
        if self._is_away or wanted < self._next or wanted - self._next > _AT_ONCE:
            self._go_far(wanted)
        else:
            self._apply_until(wanted)
        self.moved.emit()

    def _go_far(self, wanted: int) -> None:
        """Go to a moment in slices, with nobody who follows the copy."""
        if not self._is_away:
            self._is_away = True
            self.left.emit()
        if wanted < self._next:
            self._next, self._ids, self.copy = 0, {}, Conversation()
        self._wanted = wanted
        self._go_on()

    def _go_on(self) -> None:
        until = time.perf_counter() + _SLICE_S
        while self._next < self._wanted and time.perf_counter() < until:
            self._apply_until(min(self._wanted, self._next + _AT_ONCE))
        if self._next < self._wanted:
            self._next_slice.start(0)
        elif self._is_away:
            self._is_away = False
            self.arrived.emit(self.copy)

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._last_tick = now - self._last_tick, now
        if self._is_away:
            return
        self.position_s = min(self.length_s, self.position_s + passed * self.speed)
        wanted = bisect_right(self._times, self.position_s)
        self._apply_until(min(wanted, self._next + _AT_ONCE))
        self.moved.emit()
        if self.is_at_end:
            self.pause()

    def _apply_until(self, wanted: int) -> None:
        while self._next < wanted:
            moment = self._moments[self._next]
            self._next += 1
            made = self.copy.apply(with_own_ids(moment.chunk, self._ids))
            if made:
                self._ids.setdefault(moment.message_id, made)


class PlaybackView(QDialog):
    """A window that plays a conversation. What is clicked in it changes nothing."""

    def __init__(self, course: Course, title: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(tr("Replay of “{title}”", title=title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.player = Player(course, self)
        self.timeline = TimelineView(theme, self)
        self.pane = EditorPane(theme, self)
        self.pane.header.hide()
        self.pane.status.hide()
        self.pane.tab_shown.connect(lambda: self.pane.editor.set_read_only(True))
        self._follower = EditorFollower(self.pane, self)
        self._make_controls()
        self._lay_out()
        self._show_copy(self.player.copy)
        self.player.left.connect(lambda: self._show_copy(None))
        self.player.arrived.connect(self._show_copy)
        self.player.moved.connect(self._on_moved)
        self.player.changed.connect(self._on_changed)
        self.finished.connect(self._end)
        theme.changed.connect(self._on_changed)
        self._on_moved()
        self._on_changed()
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)

    def _make_controls(self) -> None:
        player = self.player
        self.play_button = QPushButton(self)
        self.play_button.setProperty("kind", "primary")
        self.play_button.clicked.connect(
            lambda: player.pause() if player.is_playing else player.play()
        )
        self.stop_button = QPushButton(tr("Stop"), self)
        self.stop_button.clicked.connect(player.stop)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(tr("Time of the replay"))
        self.slider.setSingleStep(_STEPS_PER_S)
        self.slider.setPageStep(10 * _STEPS_PER_S)
        self.slider.valueChanged.connect(self._on_slider)
        self.time_label = QLabel(self)
        self.time_label.setProperty("kind", "mute")
        self.speed = QComboBox(self)
        self.speed.setAccessibleName(tr("Speed"))
        for speed in _SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setCurrentIndex(_SPEEDS.index(1.0))
        self.speed.currentIndexChanged.connect(self._on_speed)
        self.waits = QCheckBox(tr("Skip waits"), self)
        self.waits.toggled.connect(player.skip_waits)

    def _lay_out(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        splitter.addWidget(self.timeline)
        splitter.addWidget(self.pane)
        splitter.setSizes([_WIDTH_PX * 11 // 20, _WIDTH_PX * 9 // 20])
        controls = QHBoxLayout()
        controls.setContentsMargins(GAP_L, 0, GAP_L, GAP_L)
        controls.setSpacing(GAP_M)
        for widget in (self.play_button, self.stop_button):
            controls.addWidget(widget)
        controls.addWidget(self.slider, 1)
        for widget in (self.time_label, self.speed, self.waits):
            controls.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_M)
        layout.addWidget(splitter, 1)
        layout.addLayout(controls)

    def _show_copy(self, copy: Conversation | None) -> None:
        self.timeline.set_conversation(copy)
        self._follower.follow(copy)

    def _on_slider(self, value: int) -> None:
        self.player.seek(value / self._steps_per_s())

    def _steps_per_s(self) -> float:
        return min(_STEPS_PER_S, _MOST_STEPS / max(1.0, self.player.length_s))

    def _on_speed(self) -> None:
        self.player.speed = self.speed.currentData()

    def _on_moved(self) -> None:
        player = self.player
        self.slider.blockSignals(True)
        steps = self._steps_per_s()
        self.slider.setMaximum(max(1, round(player.length_s * steps)))
        at = self.slider.maximum() if player.is_at_end else round(player.position_s * steps)
        self.slider.setValue(at)
        self.slider.blockSignals(False)
        self.time_label.setText(f"{_clock(player.position_s)} / {_clock(player.length_s)}")

    def _on_changed(self) -> None:
        is_playing = self.player.is_playing
        self.play_button.setText(tr("Pause") if is_playing else tr("Play"))

    def _end(self) -> None:
        self.player.pause()
        self._show_copy(None)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
