"""Images reach models that can see, and others hear where the file is and that they cannot see."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from playhead.model_worker.file_parts import FileLimits, InputSupport, with_files
from playhead.model_worker.protocol import DOCUMENT_PART, IMAGE_DATA_PART, IMAGE_PART
from playhead.model_worker.request_arguments import has_files

SEES = InputSupport(can_see=True, limits=FileLimits(side_px=64))
BLIND = InputSupport()
READS = InputSupport(takes_documents=True, limits=FileLimits(document_bytes=1_000))


def asking(path: Path, kind: str = IMAGE_PART) -> list[dict[str, Any]]:
    parts = [{"type": "text", "text": "What is it?"}, {"type": kind, "path": str(path)}]
    return [{"role": "system", "content": "s"}, {"role": "user", "content": parts}]


def content(path: Path, reader: InputSupport, kind: str = IMAGE_PART) -> Any:
    return with_files(asking(path, kind), reader)[1]["content"]


def decoded(part: dict[str, Any]) -> tuple[str, Image.Image]:
    head, _, data = part["image_url"]["url"].partition(",")
    return head, Image.open(io.BytesIO(base64.b64decode(data)))


def test_an_image_is_sent_with_the_place_of_its_file(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.new("RGB", (30, 20), "red").save(path)
    question, picture, place = content(path, SEES)
    head, image = decoded(picture)
    assert question["text"] == "What is it?"
    assert head == "data:image/png;base64"
    assert image.size == (30, 20)
    assert place == {"type": "text", "text": f"[Image file: {path}]"}


def test_a_large_image_is_scaled_down(tmp_path: Path):
    path = tmp_path / "a.jpg"
    Image.new("RGB", (128, 64), "red").save(path)
    head, image = decoded(content(path, SEES)[1])
    assert head == "data:image/jpeg;base64"
    assert image.size == (64, 32)


def test_a_model_that_cannot_see_is_told_so_and_the_path(tmp_path: Path):
    told = content(tmp_path / "a.png", BLIND)
    assert told.startswith(f"What is it?\n\n[Image file: {tmp_path / 'a.png'}. You cannot see")


def test_a_file_that_is_no_image_is_named_and_breaks_nothing(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_text("no image")
    for missing_or_broken in (path, tmp_path / "gone.png"):
        told = content(missing_or_broken, SEES)
        assert str(missing_or_broken) in told
        assert "cannot be shown" in told


@pytest.mark.parametrize(("kind", "reader"), [(IMAGE_PART, SEES), (DOCUMENT_PART, READS)])
def test_a_pipe_is_no_file_and_stops_nothing(tmp_path: Path, kind: str, reader: InputSupport):
    path = tmp_path / "a.png"
    os.mkfifo(path)
    assert "not an ordinary file" in content(path, reader, kind)


def encoded(size: tuple[int, int], kind: str = "PNG") -> str:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


def sent(data: str, reader: InputSupport = SEES) -> Any:
    message = {"role": "user", "content": [{"type": IMAGE_DATA_PART, "data": data}]}
    return with_files([message], reader)[0]["content"]


@pytest.mark.parametrize("head", ["", "data:image/png;base64,"])
def test_an_image_in_base64_is_sent_as_it_is(head: str):
    data = encoded((30, 20))
    assert sent(head + data)[0]["image_url"]["url"] == f"data:image/png;base64,{data}"


def test_a_large_image_in_base64_is_scaled_down_and_its_kind_is_looked_up():
    head, image = decoded(sent(encoded((128, 10), "JPEG"))[0])
    assert head == "data:image/jpeg;base64"
    assert image.size[0] == 64


@pytest.mark.parametrize("data", ["AAAA", "no base64 at all!", "ünïcode", "QQ"])
def test_data_that_is_no_image_is_said_and_never_quoted(data: str):
    told = sent(data)
    assert "cannot be shown" in told
    assert data not in told


def test_a_model_that_cannot_see_hears_that_there_was_an_image():
    assert sent(encoded((2, 2)), BLIND).startswith("[Image. You cannot see images")


def test_a_pdf_is_sent_to_a_model_that_reads_them(tmp_path: Path):
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.7 and so on")
    _, part = content(path, READS, DOCUMENT_PART)
    url = "data:application/pdf;base64," + base64.b64encode(path.read_bytes()).decode()
    assert part == {"type": "file", "file": {"filename": "report.pdf", "file_data": url}}


def test_others_get_nothing_but_the_path_that_stands_beside_it(tmp_path: Path):
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.7")
    assert content(path, BLIND, DOCUMENT_PART) == "What is it?"


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"%PDF-" + b"x" * 1_000, "limit"), (b"<html>", "not a PDF"), (None, "No such")],
)
def test_a_pdf_that_cannot_be_sent_is_said(tmp_path: Path, data: bytes | None, why: str):
    path = tmp_path / "report.pdf"
    if data is not None:
        path.write_bytes(data)
    told = content(path, READS, DOCUMENT_PART)
    assert "report.pdf is not shown to you" in told
    assert why in told


def test_messages_without_files_are_left_alone(tmp_path: Path):
    plain = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": None}]
    assert not has_files(plain)
    assert with_files(plain, SEES) == plain
    assert has_files(asking(tmp_path))
