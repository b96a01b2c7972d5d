"""Arrows between the versions of a question or of an answer: ‹ 2/3 ›."""

from __future__ import annotations

from PySide6.QtCore import QRect

from playhead.domain.conversation.conversation import Versions
from playhead.ui.timeline.cards.card import Card, Intent, Spot
from playhead.ui.timeline.painting import text_width
from playhead.ui.wording import tr

_ARROW = 24
HEIGHT = 26


def versions_width(card: Card, versions: Versions | None) -> int:
    """How much room the arrows take."""
    return 2 * _ARROW + _label_width(card, versions) if versions is not None else 0


def version_spots(card: Card, right: int, middle: int, versions: Versions | None) -> list[Spot]:
    """The arrows, ending at `right`; the one that leads nowhere is not enabled."""
    if versions is None:
        return []
    width = _label_width(card, versions)
    label = _label(versions)
    left = right - versions_width(card, versions)
    box = QRect(left + _ARROW, middle - _ARROW // 2, width, _ARROW)
    tip = tr("Version {number} of {count}", number=versions.number, count=len(versions.ids))
    return [
        _arrow(
            left,
            middle,
            "chevron-left",
            tr("{tip}: show the one before", tip=tip),
            versions.previous,
        ),
        Spot(box, Intent("version"), tip, label=label, look="label", is_enabled=False),
        _arrow(
            right - _ARROW,
            middle,
            "chevron-right",
            tr("{tip}: show the next", tip=tip),
            versions.following,
        ),
    ]


def _arrow(left: int, middle: int, icon: str, tip: str, target: str) -> Spot:
    rect = QRect(left, middle - _ARROW // 2, _ARROW, _ARROW)
    return Spot(rect, Intent("version", target), tip, icon, is_enabled=bool(target))


def _label(versions: Versions) -> str:
    return f"{versions.number}/{len(versions.ids)}"


def _label_width(card: Card, versions: Versions | None) -> int:
    return text_width(card.theme, _label(versions), 12) + 6 if versions is not None else 0


class VersionsCard(Card):
    """The arrows of an answer that does not end with prose, on a line of their own."""

    gap = 6

    def frame_height(self) -> int:
        """One line."""
        return HEIGHT

    def spots(self, is_hovered: bool) -> list[Spot]:
        """The arrows, where those of other answers are."""
        return version_spots(self, self.width, HEIGHT // 2, self.row.versions)

    def source(self) -> str:
        """Nothing that anybody said."""
        return ""
