import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, QThreadPool
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from playhead.ui.timeline.cards.picture_decoder import (
    LIMIT_CHARS,
    PictureDecoder,
    decode_picture,
    draw_svg,
)
from tests.support.waiting import LIMIT_S

LIMIT = QSize(400, 300)
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def svg(inside: str, more: str = 'width="200" height="100"') -> str:
    return f"{HEAD} {more}>{inside}</svg>"


def test_a_drawing_is_as_large_as_there_is_room(qapp) -> None:
    image, problem = draw_svg(svg('<rect width="200" height="100" fill="#3B5BDB"/>'), LIMIT)
    assert problem == ""
    assert image.size() == QSize(400, 200)
    assert image.pixelColor(200, 100).name() == "#3b5bdb"


def test_a_drawing_that_refers_to_itself_is_drawn(qapp) -> None:
    path = '<defs><path id="g" d="M0 0 H200 V100 H0 Z"/></defs><use xlink:href="#g" fill="red"/>'
    doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">'
    image, problem = draw_svg(doctype + svg(path), LIMIT)
    assert problem == ""
    assert image.pixelColor(200, 100).name() == "#ff0000"


def test_a_file_of_the_computer_is_never_drawn(qapp, tmp_path: Path) -> None:
    picture = QImage(10, 10, QImage.Format.Format_RGB32)
    picture.fill(0xFFFF0000)
    picture.save(str(tmp_path / "secret.png"))
    for address in (f"{tmp_path}/secret.png", f"file://{tmp_path}/secret.png", "//host/x.png"):
        for name in ("href", "xlink:href"):
            image, problem = draw_svg(
                svg(f'<image {name}="{address}" width="200" height="100"/>'), LIMIT
            )
            assert image.isNull()
            assert "outside" in problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<svg", "not well-formed"),
        ("", "not well-formed"),
        (svg('<g id="a"><use href="#a"/></g>'), "repeats itself"),
        (svg('<g id="b"><use href="#c"/></g><g id="c"/><use href="#b"/>'), "repeats itself"),
        ('<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + svg("<text>&a;</text>"), "entities"),
        (svg("<g/>" * 200_001), "elements"),
        (svg(" " * LIMIT_CHARS), "larger than"),
        (svg('<image href="data:image/svg+xml;base64,AA"/>'), "outside"),
        (svg("<foreignObject/>"), "foreignObject"),
        ("<html/>", "cannot be read"),
    ],
)
def test_what_is_too_much_or_no_drawing_is_refused_in_words(qapp, text: str, words: str) -> None:
    image, problem = draw_svg(text, LIMIT)
    assert image.isNull()
    assert words in problem


def test_a_pipe_in_the_place_of_a_picture_is_not_waited_for(qapp, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    image, problem = decode_picture(str(tmp_path / "a.png"), "path", QSize(10, 10))
    assert image.isNull()
    assert problem == "The picture is not a regular file."


def test_a_picture_is_read_once_its_path_is_there(qtbot: QtBot, tmp_path: Path) -> None:
    path = str(tmp_path / "plot.png")
    QImage(10, 10, QImage.Format.Format_RGB32).save(path)
    decoder = PictureDecoder()
    assert decoder.get("row", "", "path", 100) is None  # a card that is measured in between
    QThreadPool.globalInstance().waitForDone()
    with qtbot.waitSignal(decoder.ready):
        decoder.get("row", path, "path", 100)
    found = decoder.get("row", path, "path", 100)
    assert found is not None
    assert found[1] == ""


BOTH_READ = """
import sys, threading
from types import SimpleNamespace
from PySide6.QtCore import QBuffer, QSize
from PySide6.QtGui import QGuiApplication, QImage
from playhead.ui.timeline.cards.picture_decoder import decode_picture
from playhead.ui.timeline.scroll.copier import _PictureJob

def read():
    for _ in range(2000):
        assert not decode_picture(path, "path", QSize(9, 9))[0].isNull()

def copy():
    for _ in range(2000):
        _PictureJob(path, "path", SimpleNamespace(_read=lambda image: None)).run()

app, path = QGuiApplication([]), sys.argv[1]
QImage(10, 10, QImage.Format.Format_RGB32).save(path)
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=work) for work in (read, copy, read)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_pictures_are_read_and_copied_at_the_same_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BOTH_READ, tmp_path / "a.png"]
    subprocess.run(command, check=True, timeout=LIMIT_S)
