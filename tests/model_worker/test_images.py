"""Images reach models that can see, and others hear where the file is."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from PIL import Image

from playhead.model_worker.images import MAX_SIDE_PX, with_images
from playhead.model_worker.protocol import IMAGE_PART


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
