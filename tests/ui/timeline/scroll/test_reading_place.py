"""What is read stays where it is, whatever happens around it."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from playhead.domain.conversation.chunk import Chunk
from playhead.ui.widgets.theme import TypeLook

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
]


def prose(rng, length):
    return " ".join(rng.choice(WORDS) + str(rng.randrange(10_000)) for _ in range(length))


def fill(talk, rng, turns=25):
    for number in range(turns):
        talk.ask(f"Question {number}: {prose(rng, rng.randrange(3, 80))}")
        talk.code("\n".join(f"x{line} = {line}" for line in range(rng.randrange(1, 30))))
        talk.output("out\n" * rng.randrange(0, 60))
        paragraphs = [prose(rng, rng.randrange(5, 200)) for _ in range(rng.randrange(1, 5))]
        talk.answer("\n\n".join([*paragraphs, "| a | b |\n|---|---|\n| 1 | two |\n"]))


def line_at_top(view):
    """The key of the entry at the top, the place where its line begins, and the line's row."""
    line = view.canvas.sheet.line_at(view.canvas.top)
    return line.key, line.place, -line.above


def row_of(view, key, place):
    """On which pixel row of the view the line of a place stands."""
    index = view.model.index_of(key)
    card = view.canvas.sheet.card(index)
    inside = card.text_box().top() + card.column.y_of(place)
    return view.canvas.card_rect(index).top() + inside


def scroll_into_text(view, rng):
    for _ in range(200):
        view.canvas.scroll_to(rng.randrange(view.canvas.max_top() - 400))
        if view.canvas.sheet.line_at(view.canvas.top).place is not None:
            return
    raise AssertionError("no text anywhere")


@pytest.mark.parametrize("seed", range(4))
def test_the_line_at_the_top_stays_while_things_above_grow(view, talk, painted, seed, tmp_path):
    rng = random.Random(seed)
    path = tmp_path / "a.png"
    QImage(640, 360, QImage.Format.Format_RGB32).save(str(path))
    fill(talk, rng)
    for _ in range(3):
        talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
        fill(talk, rng, 2)
    view.set_conversation(talk)
    for _ in range(12):
        scroll_into_text(view, rng)
        key, place, row = line_at_top(view)
        first = view.model.index_of(key)
        for _ in range(6):
            above = rng.randrange(max(1, first))
            match rng.choice(("fold", "grow", "below", "theme")):
                case "fold":
                    view.canvas.sheet.rows[above].is_open ^= True
                    view.canvas.row_changed(view.canvas.sheet.rows[above].key)
                case "grow":
                    view.canvas.sheet.rows[above].append(prose(rng, 30) + "\n")
                    view.canvas.row_changed(view.canvas.sheet.rows[above].key)
                case "below":
                    talk.answer(prose(rng, 40))
                case _:
                    view.theme.set_mode(rng.choice(("light", "dark")))
            painted()
            assert abs(row_of(view, key, place) - row) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_the_same_words_stay_at_the_top_whatever_the_width(view, talk, painted, seed, qtbot):
    rng = random.Random(100 + seed)
    fill(talk, rng)
    view.set_conversation(talk)
    for _ in range(4):
        scroll_into_text(view, rng)
        key, place, row = line_at_top(view)
        for _ in range(6):
            view.resize(rng.randrange(300, 1_000), 500)
            painted()
            assert abs(row_of(view, key, place) - row) <= 1
            # The place is in the line at the top, and not merely near it.
            column = view.canvas.sheet.card(view.model.index_of(key)).column
            assert column.y_of(place) == column.y_of(line_at_top(view)[1])


@pytest.mark.parametrize("seed", range(2))
def test_the_same_words_stay_at_the_top_at_any_zoom(view, talk, painted, seed):
    rng = random.Random(200 + seed)
    fill(talk, rng)
    view.set_conversation(talk)
    for _ in range(3):
        view.theme.set_type(TypeLook())
        painted()
        scroll_into_text(view, rng)
        key, place, row = line_at_top(view)
        for percent in (50, 300, 110, 200, 100):
            view.theme.set_type(TypeLook(zoom_percent=percent))
            painted()
            assert abs(row_of(view, key, place) - row) <= 1


def test_an_image_that_arrives_above_moves_nothing(view, talk, painted, tmp_path, qtbot):
    rng = random.Random(7)
    path = tmp_path / "a.png"
    QImage(800, 200, QImage.Format.Format_RGB32).save(str(path))
    fill(talk, rng, 3)
    picture = talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
    talk.answer(prose(rng, 900))
    view.set_conversation(talk)
    index = view.model.index_of(picture)
    view.canvas.scroll_to(view.canvas.sheet.bottom_of(index) + 30)
    key, place, row = line_at_top(view)
    # The place of a row far above may still be a guess, which can be as high as the picture.
    guess = view.canvas.sheet.card(index).frame_height()
    painted()
    view.canvas.scroll_by(-60)
    view.canvas.scroll_by(60)
    qtbot.waitUntil(lambda: view.canvas.sheet.card(index).frame_height() != guess)
    painted()
    assert abs(row_of(view, key, place) - row) <= 1


def test_the_button_counts_what_came_while_something_else_was_read(view, talk, painted, qtbot):
    rng = random.Random(1)
    fill(talk, rng)
    view.set_conversation(talk)
    view.canvas.scroll_by(-600)
    assert view._jump.accessibleName() == "Jump to latest"
    talk.begin("assistant", "message")
    for _ in range(5):
        talk.apply(Chunk(role="assistant", type="message", content="Some words. "))
        painted()
    talk.apply(Chunk(role="assistant", type="message", end=True))
    talk.code("x = 1")
    talk.output("1\n")
    painted()
    assert view._jump.text() == "3 new"
    assert view._jump.accessibleName() == "Jump to latest, 3 new"
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.canvas.top == view.canvas.max_top()
    assert not view._jump.isVisible()
    assert view._jump.count == 0


def test_what_was_scrolled_to_is_not_new_any_more(view, talk, painted):
    rng = random.Random(2)
    fill(talk, rng)
    view.set_conversation(talk)
    view.canvas.scroll_by(-300)
    for _ in range(3):
        talk.answer(prose(rng, 150))
    painted()
    assert view._jump.count == 3
    view.canvas.scroll_by(500)
    assert 0 < view._jump.count < 3
