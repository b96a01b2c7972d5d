"""Pictures of any kind become what a model takes: scaled, turned upright, in a known format."""

from __future__ import annotations

import functools
import importlib
import io
import warnings
from typing import Any, cast

from PIL import Image, ImageOps, UnidentifiedImageError

from playhead.model_worker.file_limits import FileLimits

MAX_PIXELS = 80_000_000
"""Larger ones take hundreds of MB when they are decoded, however small their file is."""

_DAMAGED = "it is damaged or of an unknown kind"
_UPRIGHT = 1
_ORIENTATION_TAG = 0x0112
_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
_PLAIN_MODES = ("L", "LA", "RGB", "RGBA", "P", "1")
_QUALITIES = (90, 80, 65, 50)
_MOST_TRIES = 12
_SMALLER = 0.75

# Half of what is refused already is a warning of Pillow's; here it is refused in words.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("error", category=Image.DecompressionBombWarning)


class PictureError(ValueError):
    """A picture that cannot be sent; its text says why, for the model and the user."""


def fitted(data: bytes, limits: FileLimits) -> tuple[str, bytes]:
    """The format's name, as in `image/png`, and the picture as the limits want it."""
    try:
        with _opened(data) as image:
            if _is_fit(image, data, limits):
                return str(image.format).lower(), data
            return _encoded(_plain(image, limits.side_px), limits, is_photo=image.format == "JPEG")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PictureError(_too_many()) from None
    except UnidentifiedImageError:
        raise PictureError(_unknown(data)) from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(_DAMAGED) from None


def _opened(data: bytes) -> Image.Image:
    if is_heif(data):
        _learn_heif()
    image = Image.open(io.BytesIO(data))
    if image.width * image.height > MAX_PIXELS:
        image.close()
        raise PictureError(_too_many())
    return image


def _is_fit(image: Image.Image, data: bytes, limits: FileLimits) -> bool:
    """Whether it can go as it is: even a moving picture is one that only a few models take."""
    return (
        image.format in limits.formats
        and max(image.size) <= limits.side_px
        and len(data) <= limits.image_bytes
        and image.mode in _PLAIN_MODES
        and getattr(image, "n_frames", 1) == 1
        and image.getexif().get(_ORIENTATION_TAG, _UPRIGHT) == _UPRIGHT
    )


def _plain(image: Image.Image, side_px: int) -> Image.Image:
    """The first frame, upright, at its size, in grey or colour of 8 bits."""
    if image.format == "JPEG":
        image.draft(None, (side_px, side_px))  # decoded at about the size that is wanted
    image.seek(0)
    picture = _eight_bits(image)
    picture = ImageOps.exif_transpose(picture)
    picture.thumbnail((side_px, side_px), Image.Resampling.LANCZOS)
    return picture


def _eight_bits(image: Image.Image) -> Image.Image:
    if image.mode in ("I", "F") or image.mode.startswith("I;"):
        return _grey(image)
    if image.mode in ("1", "L", "RGB", "RGBA"):
        return image.convert("L") if image.mode == "1" else image.copy()
    has_holes = "A" in image.mode or "a" in image.mode or "transparency" in image.info
    return image.convert("RGBA" if has_holes else "RGB")


def _grey(image: Image.Image) -> Image.Image:
    """All of the range becomes 256 steps; Pillow's own conversion cuts at 255."""
    is_short = image.mode.startswith("I;16")
    wide = image.convert("I") if is_short else image
    low, high = (0.0, 65535.0) if is_short else cast("tuple[float, float]", wide.getextrema())
    scale = 255.0 / (high - low) if high > low else 1.0

    def stretched(value: Any) -> Any:
        return value * scale + -low * scale

    return cast("Any", wide.point)(stretched).convert("L")


def _encoded(picture: Image.Image, limits: FileLimits, *, is_photo: bool) -> tuple[str, bytes]:
    if not is_photo:
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        if buffer.tell() <= limits.image_bytes:
            return "png", buffer.getvalue()
    flat = _on_white(picture)
    for attempt in range(_MOST_TRIES):
        buffer = io.BytesIO()
        flat.save(buffer, "JPEG", quality=_QUALITIES[min(attempt, len(_QUALITIES) - 1)])
        if buffer.tell() <= limits.image_bytes:
            return "jpeg", buffer.getvalue()
        if attempt >= len(_QUALITIES) - 1:
            size = (max(1, int(side * _SMALLER)) for side in flat.size)
            flat = flat.resize(cast("tuple[int, int]", tuple(size)))
    raise PictureError("it cannot be made small enough for this model")


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode != "RGBA":
        return picture if picture.mode in ("L", "RGB") else picture.convert("RGB")
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    return ground


def is_heif(data: bytes) -> bool:
    """Whether it is a picture as telephones make them."""
    return data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS


@functools.cache
def _learn_heif() -> bool:
    """Let Pillow read HEIC if pi-heif is installed: libheif and libde265, both LGPL, no GPL part.

    (Its sister pillow-heif carries x265, which is GPL.)
    """
    try:
        importlib.import_module("pi_heif").register_heif_opener()
    except ImportError:
        return False
    return True


def _unknown(data: bytes) -> str:
    if not is_heif(data):
        return "it is no picture that is known here"
    if _learn_heif():
        return _DAMAGED
    return "HEIC pictures are not read here; save it as JPEG or PNG"


def _too_many() -> str:
    return f"it has more than {MAX_PIXELS // 1_000_000} million pixels"
