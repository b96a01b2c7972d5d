"""Images reach models that can see, and others hear where the file is."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from playhead.model_worker.images import MAX_SIDE_PX, with_images
from playhead.model_worker.protocol import IMAGE_DATA_PART, IMAGE_PART


def asking(path: Path) -> list[dict[str, Any]]:
    parts = [{"type": "text", "text": "What is it?"}, {"type": IMAGE_PART, "path": str(path)}]
    return [{"role": "system", "content": "s"}, {"role": "user", "content": parts}]


def shown(path: Path) -> tuple[str, Image.Image]:
    url = with_images(asking(path), can_see=True)[1]["content"][1]["image_url"]["url"]
    head, _, data = url.partition(",")
    return head, Image.open(io.BytesIO(base64.b64decode(data)))


def test_a_small_image_is_sent_as_it_is(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.new("RGB", (30, 20), "red").save(path)
    head, image = shown(path)
    assert head == "data:image/png;base64"
    assert image.size == (30, 20)


def test_a_large_image_is_scaled_down(tmp_path: Path):
    path = tmp_path / "a.jpg"
    Image.new("RGB", (MAX_SIDE_PX * 2, MAX_SIDE_PX), "red").save(path)
    head, image = shown(path)
    assert head == "data:image/jpeg;base64"
    assert image.size == (MAX_SIDE_PX, MAX_SIDE_PX // 2)


def test_a_format_that_models_do_not_know_becomes_png(tmp_path: Path):
    path = tmp_path / "a.bmp"
    Image.new("RGB", (3, 2), "red").save(path)
    assert shown(path)[0] == "data:image/png;base64"


def test_a_model_that_cannot_see_is_told_the_path(tmp_path: Path):
    content = with_images(asking(tmp_path / "a.png"), can_see=False)[1]["content"]
    assert content == f"What is it?\n\n[Image file: {tmp_path / 'a.png'}]"


def test_a_file_that_is_no_image_is_named_and_breaks_nothing(tmp_path: Path):
    path = tmp_path / "a.png"
    path.write_text("no image")
    for missing_or_broken in (path, tmp_path / "gone.png"):
        content = with_images(asking(missing_or_broken), can_see=True)[1]["content"]
        assert str(missing_or_broken) in content
        assert "cannot be shown" in content


def test_a_pipe_is_no_image_and_stops_nothing(tmp_path: Path):
    path = tmp_path / "a.png"
    os.mkfifo(path)
    assert "cannot be shown" in with_images(asking(path), can_see=True)[1]["content"]


def encoded(size: tuple[int, int], kind: str = "PNG") -> str:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


def sent(data: str, *, can_see: bool = True) -> Any:
    message = {"role": "user", "content": [{"type": IMAGE_DATA_PART, "data": data}]}
    return with_images([message], can_see=can_see)[0]["content"]


@pytest.mark.parametrize("head", ["", "data:image/png;base64,"])
def test_an_image_in_base64_is_sent_as_it_is(head: str):
    data = encoded((30, 20))
    url = sent(head + data)[0]["image_url"]["url"]
    assert url == f"data:image/png;base64,{data}"


def test_a_large_image_in_base64_is_scaled_down_and_its_kind_is_looked_up():
    url = sent(encoded((MAX_SIDE_PX * 2, 10), "JPEG"))[0]["image_url"]["url"]
    head, _, data = url.partition(",")
    assert head == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size[0] == MAX_SIDE_PX


@pytest.mark.parametrize("data", ["AAAA", "no base64 at all!", "ünïcode", "QQ"])
def test_data_that_is_no_image_is_said_and_never_quoted(data: str):
    told = sent(data)
    assert "Image that cannot be shown" in told
    assert data not in told


def test_a_model_that_cannot_see_hears_that_there_was_an_image():
    assert sent(encoded((3, 3)), can_see=False) == "[Image that this model cannot see]"
