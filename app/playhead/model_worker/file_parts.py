"""Parts of a message that name files become what a server takes: pictures, documents or words."""

from __future__ import annotations

import base64
import errno
import functools
import importlib
import io
import os
import stat
import warnings
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct
from PIL import Image, ImageOps, UnidentifiedImageError

from playhead.model_worker.protocol import DOCUMENT_PART, FILE_PARTS, IMAGE_PART, parts_of

MAX_FILE_BYTES = 256 * 1024 * 1024

Part = dict[str, Any]


class FileError(ValueError):
    """A file that is not read; its text is the reason."""


def file_bytes(path: str, limit_bytes: int = MAX_FILE_BYTES, folder: str = "") -> bytes:
    """Return the file's bytes. Raises FileError, also for a pipe or a device without an end.

    `folder` is one in which code runs, if the file is below it: no link is followed there, since
    code could put one in the place of an attached file and so have another file sent.
    """
    try:
        descriptor = _open(path, folder)
    except OSError as error:
        is_link = error.errno == errno.ELOOP and folder
        raise FileError(
            "a link has taken its place" if is_link else error.strerror or "it cannot be read"
        ) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileError("it is not an ordinary file")
        if status.st_size > limit_bytes:
            has, takes = status.st_size / 1e6, limit_bytes / 1e6
            raise FileError(f"it has {has:,.1f} MB, more than the limit of {takes:,.1f} MB")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit_bytes)
    except OSError as error:
        raise FileError(error.strerror or "it cannot be read") from None
    finally:
        os.close(descriptor)


_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def _open(path: str, folder: str) -> int:
    """Open a file; below a folder each name in the descriptor of the one before. Raises OSError."""
    if not folder:
        return os.open(path, _FLAGS)
    if os.open not in os.supports_dir_fd:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return os.open(path, _FLAGS)
    place = os.open(folder, os.O_RDONLY)
    try:
        *folders, name = os.path.relpath(path, folder).split(os.sep)
        for one in folders:
            inner = os.open(one, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(name, _FLAGS | _NO_LINK, dir_fd=place)
    finally:
        os.close(place)


def text_part(text: str) -> Part:
    """Return a text in place of a file, in brackets to show that it is not the user's."""
    return {"type": "text", "text": f"[{text}]"}


_MB = 1_000_000
_EVERYWHERE = ("PNG", "JPEG")
_COMMON = ("PNG", "JPEG", "GIF", "WEBP")


class FileLimits(Struct, frozen=True, kw_only=True):
    """`side_px` is the longest side that a model looks at, `image_bytes` and `document_bytes` the
    sizes of a file before base64; `formats` are Pillow's names of what is taken as it is."""

    side_px: int = 2048
    image_bytes: int = 5 * _MB
    formats: tuple[str, ...] = _EVERYWHERE
    document_bytes: int = 10 * _MB


_LIMITS_BY_PROVIDER = {
    # platform.openai.com/docs/guides/images-vision and /pdf-files
    "openai": FileLimits(
        side_px=2048, image_bytes=20 * _MB, formats=_COMMON, document_bytes=32 * _MB
    ),
    "azure": FileLimits(
        side_px=2048, image_bytes=20 * _MB, formats=_COMMON, document_bytes=32 * _MB
    ),
    "openrouter": FileLimits(
        side_px=2048, image_bytes=5 * _MB, formats=_COMMON, document_bytes=20 * _MB
    ),
    # docs.anthropic.com/en/docs/build-with-claude/vision: larger ones are scaled to 1568 there;
    # 5 MB is what the base64 may have
    "anthropic": FileLimits(
        side_px=1568, image_bytes=3_750_000, formats=_COMMON, document_bytes=22 * _MB
    ),
    "bedrock": FileLimits(
        side_px=1568, image_bytes=3_750_000, formats=_COMMON, document_bytes=4_500_000
    ),
    # ai.google.dev/gemini-api/docs/image-understanding: a whole request has 20 MB, no GIF
    "gemini": FileLimits(
        side_px=3072, image_bytes=7 * _MB, formats=("PNG", "JPEG", "WEBP"), document_bytes=14 * _MB
    ),
    "vertex_ai": FileLimits(
        side_px=3072, image_bytes=7 * _MB, formats=("PNG", "JPEG", "WEBP"), document_bytes=14 * _MB
    ),
    "mistral": FileLimits(
        side_px=2048, image_bytes=10 * _MB, formats=_COMMON, document_bytes=10 * _MB
    ),
    "cohere": FileLimits(side_px=2048, image_bytes=5 * _MB, formats=_COMMON),
    "cohere_chat": FileLimits(side_px=2048, image_bytes=5 * _MB, formats=_COMMON),
    "groq": FileLimits(side_px=2048, image_bytes=3 * _MB, formats=_EVERYWHERE),
    "xai": FileLimits(side_px=2048, image_bytes=10 * _MB, formats=_EVERYWHERE),
}
_OTHER_LIMITS = FileLimits()
"""Servers on this machine and gateways: llama.cpp reads no WebP, and only small requests."""


def limits_for(model: str, api_base: str | None) -> FileLimits:
    """Return the limits of the provider that a model string names; another address has its own."""
    provider, slash, _ = model.partition("/")
    if not slash:
        provider = "anthropic" if model.startswith("claude") else "openai"
    if api_base and provider == "openai":
        return _OTHER_LIMITS
    return _LIMITS_BY_PROVIDER.get(provider.lower(), _OTHER_LIMITS)


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
    """A picture that cannot be sent; its text is the reason, for the model and the user."""


def fit_picture(data: bytes, limits: FileLimits) -> tuple[str, bytes]:
    """Return the format's name, as in `image/png`, and the picture within the limits."""
    try:
        with _opened(data) as image:
            if _is_fit(image, data, limits):
                return str(image.format).lower(), data
            return _encoded(_plain(image, limits.side_px), limits, is_photo=image.format == "JPEG")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PictureError(_too_many()) from None
    except UnidentifiedImageError:
        raise PictureError(_why_unknown(data)) from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(_DAMAGED) from None


def _opened(data: bytes) -> Image.Image:
    if is_heif(data):
        _register_heif()
    image = Image.open(io.BytesIO(data))
    if image.width * image.height > MAX_PIXELS:
        image.close()
        raise PictureError(_too_many())
    return image


def _is_fit(image: Image.Image, data: bytes, limits: FileLimits) -> bool:
    """Return whether it can be sent unchanged: only a few models take a moving picture."""
    return (
        image.format in limits.formats
        and max(image.size) <= limits.side_px
        and len(data) <= limits.image_bytes
        and image.mode in _PLAIN_MODES
        and getattr(image, "n_frames", 1) == 1
        and image.getexif().get(_ORIENTATION_TAG, _UPRIGHT) == _UPRIGHT
    )


def _plain(image: Image.Image, side_px: int) -> Image.Image:
    """Return the first frame, upright, at its size, in grey or colour of 8 bits."""
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
    """Return the picture with its whole range in 256 steps; Pillow's own conversion cuts at 255."""
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
    """Return whether it is a HEIF picture, as phones make them."""
    return data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS


@functools.cache
def _register_heif() -> bool:
    """Let Pillow read HEIC if pi-heif is installed: libheif and libde265, both LGPL, no GPL part.

    (Its sister pillow-heif carries x265, which is GPL.)
    """
    try:
        importlib.import_module("pi_heif").register_heif_opener()
    except ImportError:
        return False
    return True


def _why_unknown(data: bytes) -> str:
    if not is_heif(data):
        return "it is no picture that is known here"
    if _register_heif():
        return _DAMAGED
    return "HEIC pictures are not read here; save it as JPEG or PNG"


def _too_many() -> str:
    return f"it has more than {MAX_PIXELS // 1_000_000} million pixels"


_UNSEEN = "You cannot see images: say so, or have code look at it"
_UNKNOWN_PICTURE = "it is no picture that is known here"


def image_parts(part: Part, limits: FileLimits, *, can_see: bool) -> list[Part]:
    """Return the picture with its file's path, which code may need; else why it is missing."""
    path = str(part["path"]) if part["type"] == IMAGE_PART else ""
    named = f"Image file: {path}" if path else "Image"
    if not can_see:
        return [text_part(f"{named}. {_UNSEEN}")]
    try:
        folder = str(part.get("folder", ""))
        found = file_bytes(path, folder=folder) if path else _decoded(part["data"])
        kind, data = fit_picture(found, limits)
    except ValueError as error:
        why = str(error) if isinstance(error, PictureError | FileError) else _UNKNOWN_PICTURE
        return [text_part(f"{named}. It cannot be shown to you: {why}")]
    text = base64.b64encode(data).decode("ascii")
    shown: Part = {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{text}"}}
    return [shown, text_part(named)] if path else [shown]


def _decoded(text: str) -> bytes:
    """Return the bytes of a base64 text or a data URL."""
    data = text.rpartition(",")[2] if text.startswith("data:") else text
    return base64.b64decode(data)


_PDF_MARK = b"%PDF-"
_PDF_HEAD_BYTES = 1024


class InputSupport(Struct, frozen=True):
    """The kinds of files that the model can read."""

    can_see: bool = False
    takes_documents: bool = False
    limits: FileLimits = msgspec.field(default_factory=FileLimits)


def with_files(messages: list[dict[str, Any]], reader: InputSupport) -> list[dict[str, Any]]:
    """Return the messages with our parts replaced. It reads and scales: call it in a thread."""
    return [_message(message, reader) for message in messages]


def _message(message: dict[str, Any], reader: InputSupport) -> dict[str, Any]:
    if not isinstance(message.get("content"), list):
        return message
    parts = [new for part in parts_of(message) for new in _server_parts(part, reader)]
    if all(part.get("type") == "text" for part in parts):
        # Plain text is understood by every server, a list of parts is not.
        return {**message, "content": "\n\n".join(part["text"] for part in parts)}
    return {**message, "content": parts}


def _server_parts(part: Part, reader: InputSupport) -> list[Part]:
    if part.get("type") == DOCUMENT_PART:
        return _document(str(part["path"]), reader, str(part.get("folder", "")))
    if part.get("type") in FILE_PARTS:
        return image_parts(part, reader.limits, can_see=reader.can_see)
    return [part]


def _document(path: str, reader: InputSupport, folder: str) -> list[Part]:
    """Return the PDF itself; its path is in the message, so nothing is returned without support."""
    if not reader.takes_documents:
        return []
    name = Path(path).name
    try:
        data = file_bytes(path, reader.limits.document_bytes, folder)
        if _PDF_MARK not in data[:_PDF_HEAD_BYTES]:
            raise FileError("it is not a PDF")
    except FileError as error:
        return [text_part(f"{name} is not shown to you: {error}. Have code read it")]
    url = f"data:application/pdf;base64,{base64.b64encode(data).decode('ascii')}"
    return [{"type": "file", "file": {"filename": name, "file_data": url}}]
