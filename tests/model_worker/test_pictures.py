"""Pictures of every kind become what a model takes, and what is none is refused in words."""

from __future__ import annotations

import base64
import contextlib
import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from playhead.model_worker.file_parts import FileLimits, PictureError, fit_picture, limits_for

LIMITS = FileLimits(side_px=64, image_bytes=20_000, formats=("PNG", "JPEG", "GIF"))


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def made(data: bytes, limits: FileLimits = LIMITS) -> tuple[str, Image.Image]:
    kind, sent = fit_picture(data, limits)
    image = Image.open(io.BytesIO(sent))
    image.load()
    return kind, image


def test_what_fits_is_sent_as_it_is():
    for kind in ("PNG", "JPEG", "GIF"):
        data = saved(Image.new("RGB", (30, 20), "red"), kind)
        assert fit_picture(data, LIMITS) == (kind.lower(), data)


@pytest.mark.parametrize("kind", ["BMP", "WEBP", "TIFF", "PPM", "ICO"])
def test_a_format_that_the_model_does_not_know_becomes_png(kind: str):
    name, image = made(saved(Image.new("RGB", (32, 32), "red"), kind, lossless=True))
    assert name == "png"
    assert image.convert("RGB").getpixel((3, 3)) == (255, 0, 0)


def test_a_large_picture_is_scaled_to_the_longest_side_that_is_looked_at():
    _, image = made(saved(Image.new("RGB", (300, 100), "red"), "PNG"))
    assert image.size == (64, 21)


def test_colours_of_print_become_colours_of_a_screen():
    data = saved(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG")
    kind, image = made(data)
    assert (kind, image.mode) == ("jpeg", "RGB")
    red, green, blue = image.getpixel((4, 4))  # pyright: ignore[reportGeneralTypeIssues]
    assert red > 200
    assert max(green, blue) < 80


def test_sixteen_bits_keep_their_shades():
    image = Image.new("I;16", (2, 1))
    image.putpixel((0, 0), 0x2000)
    image.putpixel((1, 0), 0xF000)
    _, shown = made(saved(image, "PNG"))
    assert [shown.getpixel((x, 0)) for x in (0, 1)] == [0x1F, 0xEF]


@pytest.mark.parametrize("mode", ["I", "F"])
def test_numbers_of_any_range_become_shades(mode: str):
    image = Image.new(mode, (2, 1))
    image.putpixel((0, 0), -1000)
    image.putpixel((1, 0), 3000)
    _, shown = made(saved(image, "TIFF"))
    assert [shown.getpixel((x, 0)) for x in (0, 1)] == [0, 255]


def test_a_palette_with_holes_keeps_them():
    image = Image.new("P", (100, 100), 1)
    image.putpalette([255, 0, 0, 0, 255, 0])
    image.paste(0, (0, 0, 50, 100))
    _, shown = made(saved(image, "PNG", transparency=0))
    assert shown.mode == "RGBA"
    assert [shown.getpixel((x, 5))[3] for x in (2, 60)] == [0, 255]  # pyright: ignore[reportIndexIssue, reportOptionalSubscript]


@pytest.mark.parametrize("orientation", range(2, 9))
def test_a_picture_that_a_camera_turned_is_sent_upright(orientation: int):
    exif = Image.Exif()
    exif[0x0112] = orientation
    _, image = made(saved(Image.new("RGB", (40, 20), "red"), "JPEG", exif=exif))
    assert image.size == ((20, 40) if orientation > 4 else (40, 20))
    assert 0x0112 not in image.getexif()


@pytest.mark.parametrize("kind", ["GIF", "PNG"])
def test_of_a_moving_picture_the_first_frame_is_sent(kind: str):
    frames = [Image.new("RGB", (10, 10), colour) for colour in ("red", "blue")]
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
    name, image = made(data)
    assert name == "png"
    assert getattr(image, "n_frames", 1) == 1
    assert image.convert("RGB").getpixel((5, 5)) == (255, 0, 0)


def test_what_has_too_many_bytes_is_made_smaller():
    noise = Image.effect_noise((64, 64), 100).convert("RGB")
    limits = FileLimits(side_px=64, image_bytes=2_000)
    kind, data = fit_picture(saved(noise, "PNG"), limits)
    assert kind == "jpeg"
    assert len(data) <= 2_000


def bomb(width: int, height: int) -> bytes:
    """The head of a PNG of that size, with next to nothing in it."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("side", [9_500, 12_000, 30_000, 100_000])
def test_a_small_file_that_would_fill_the_memory_is_refused_in_words(side: int):
    with pytest.raises(PictureError, match="more than 80 million pixels"):
        fit_picture(bomb(side, side), LIMITS)


def test_a_picture_that_breaks_off_is_refused_in_words():
    data = saved(Image.effect_noise((200, 200), 50), "PNG")
    with pytest.raises(PictureError, match="damaged"):
        fit_picture(data[: len(data) // 2], LIMITS)


def test_without_its_library_heic_is_refused_with_what_to_do():
    with pytest.raises(PictureError, match=r"save it as JPEG or PNG|damaged"):
        fit_picture(b"\0\0\0\x18ftypheic" + b"\0" * 40, LIMITS)


RED_AND_BLUE_HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAXxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAA"
    "AAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABoAABAAAAAAAAAEkAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAAB"
    "AABodmMxAAAAAA5waXRtAAAAAAABAAAA/GlwcnAAAADcaXBjbwAAAHVodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADw"
    "NgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQApQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqrprm4CGgwIAA"
    "AAyAAAADAIRiAAEABkQBwXPBiQAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAA"
    "AAMAAAAAEAAAAQAAAAAf////AAAAAC////0AAAAAIAAAAQcGl4aQAAAAADCAgIAAAAGGlwbWEAAAAAAAAAAQABBYEC"
    "AwWEAAAAUW1kYXQAAABFKAGvEyGoGGj1JyL//2q6n/rQWf9vhoCOwj+FLAFzkfOQWR6+rEk2RS9DbQOrgH4kdOSu38"
    "KseoLcoCt030PAqCNc+RMm"
)
"""48 by 16 pixels: the left half is red, the right one blue."""


def test_heic_is_read_where_its_library_is_installed():
    library = pytest.importorskip("pi_heif")
    assert "libde265" in str(library.libheif_info())
    assert "x265" not in str(library.libheif_info())  # the GPL has no part in it
    kind, data = fit_picture(RED_AND_BLUE_HEIC, LIMITS)
    assert kind == "png"
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (48, 16)
        halves = image.convert("RGB").resize((2, 1)).tobytes()
    assert halves[0] > 150 > halves[2]
    assert halves[3] < 150 < halves[5]
    with pytest.raises(PictureError, match="damaged"):
        fit_picture(RED_AND_BLUE_HEIC[:300], LIMITS)


heads = st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8"])


@given(heads, st.binary(max_size=200))
def test_any_bytes_are_a_picture_or_an_error_in_words(head: bytes, data: bytes):
    with contextlib.suppress(PictureError):
        fit_picture(head + data, LIMITS)


def test_each_provider_has_its_own_limits_and_a_server_of_one_s_own_the_smallest():
    assert limits_for("anthropic/claude-sonnet-4-5", None).side_px == 1568
    assert limits_for("claude-sonnet-4-5", None).side_px == 1568
    assert "GIF" not in limits_for("gemini/gemini-2.5-pro", None).formats
    assert limits_for("gpt-4o", None) == limits_for("openai/gpt-4o", None)
    own = limits_for("openai/llava", "http://127.0.0.1:8080/v1")
    assert own.formats == ("PNG", "JPEG")
    assert limits_for("ollama_chat/llava", None) == own
