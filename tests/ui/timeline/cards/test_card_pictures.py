"""Each card and state looks as it did, in both themes; `CARD_PICTURES=write` stores anew.

The cards are painted onto an image of their own, without a window: the fonts are the ones that
are shipped, the scale is 1. What remains between machines is covered by a tolerance.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRect, QThreadPool
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from playhead.ui.timeline.cards.card import CardTools, PaintState
from playhead.ui.timeline.cards.card_factory import make_card
from playhead.ui.timeline.cards.picture_decoder import PictureDecoder
from playhead.ui.timeline.model.rows import file_effects
from playhead.ui.timeline.model.timeline_model import TimelineModel
from playhead.ui.timeline.text.document_maker import DocumentMaker
from playhead.ui.widgets.theme import Theme
from tests.support.card_samples import SAMPLES, Sample, names

STORED = Path(__file__).parents[3] / "data" / "cards"
RESOURCES = Path(__file__).parents[4] / "resources"
WIDTH, MOST = 560, 460
CHANNEL, SHARE = 8, 0.001
IS_WRITING = os.environ.get("CARD_PICTURES") == "write"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems draw the same letters with other edges"
)


@pytest.fixture(scope="module", params=["light", "dark"])
def tools(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[CardTools]:
    theme = Theme(RESOURCES, request.param)
    theme.apply(qapp)
    yield CardTools(
        theme=theme,
        maker=DocumentMaker(theme, None),
        pictures=PictureDecoder(),
        can_run=lambda word: True,
        why_not=lambda word: "",
        has_model=lambda: True,
    )
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    theme.deleteLater()


def painted(name: str, tools: CardTools) -> QImage:
    """All cards of a sample under each other."""
    talk, model = Sample(), TimelineModel()
    talk.subscribe(model.apply)
    SAMPLES[name.removesuffix("-open")](talk)
    turns = (replace(turn, seconds=3.5) for turn in talk.usages.turns)
    model.set_costs(turns, "openai/gpt-x")
    model.set_effects(file_effects(talk.everything))
    image = QImage(WIDTH + 32, MOST, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(tools.theme.tokens.bg))
    painter = QPainter(image)
    top = 0
    for row in model.rows:
        row.is_open = name.endswith("-open") or row.kind == "unknown"
        row.detail = "1.5 s" if row.kind == "reasoning" else row.detail
        row.items += ["notes.md"] if row.is_open and row.kind == "files" else []
        card = make_card(row, tools)
        height = _laid_out(card)
        top += card.gap
        painter.save()
        painter.translate(16, top)
        card.paint(
            painter, PaintState(clip=QRect(0, 0, WIDTH, MOST), is_hovered=row.kind == "image")
        )
        painter.restore()
        top += height
    painter.end()
    return image.copy(0, 0, image.width(), min(MOST, top + 12))


def _laid_out(card) -> int:
    """Its height, once its pictures are decoded too."""
    height = card.lay_out(WIDTH, 0, MOST)
    QThreadPool.globalInstance().waitForDone()
    QApplication.processEvents()
    return card.lay_out(WIDTH, 0, MOST) if card.row.kind == "image" else height


def difference(first: QImage, second: QImage) -> float:
    """The share of points that differ by more than can be seen."""
    if first.size() != second.size():
        return 1.0
    kind = QImage.Format.Format_RGB32
    one, other = (bytes(image.convertToFormat(kind).constBits()) for image in (first, second))
    if one == other:
        return 0.0
    width = first.width() * 4
    differing = 0
    for at in range(0, len(one), width):
        row, stored = one[at : at + width], other[at : at + width]
        if row != stored:
            apart = [abs(a - b) > CHANNEL for a, b in zip(row, stored, strict=True)]
            differing += sum(any(apart[pixel : pixel + 3]) for pixel in range(0, width, 4))
    return differing / (first.width() * first.height())


@pytest.mark.parametrize("name", list(names()))
def test_a_card_looks_as_it_did(name: str, tools: CardTools, tmp_path: Path) -> None:
    image = painted(name, tools)
    path = STORED / f"{name}-{tools.theme.tokens.name}.png"
    if IS_WRITING:
        STORED.mkdir(parents=True, exist_ok=True)
        image.convertToFormat(QImage.Format.Format_RGB888).save(str(path))
        return
    stored = QImage(str(path))
    assert not stored.isNull(), f"{path.name} is missing: CARD_PICTURES=write makes it"
    if (share := difference(image, stored)) >= SHARE:
        image.save(str(tmp_path / path.name))
        pytest.fail(f"{share:.2%} of {path.name} differ; it looks so now: {tmp_path / path.name}")


def test_a_small_change_of_a_card_is_seen(tools: CardTools) -> None:
    image = painted("code-ran", tools)
    changed = image.copy()
    painter = QPainter(changed)
    painter.fillRect(10, 10, 30, 10, QColor("#FF0000"))
    painter.end()
    assert difference(image, image.copy()) == 0
    assert difference(image, changed) >= SHARE
