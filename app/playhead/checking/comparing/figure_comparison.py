"""Compare figures as they look.

Both are laid on white, reduced to 96 points on their longer side by averaging (which is what is
left of a figure at arm's length: the edge of a letter, drawn by another version of a font library,
is gone; a line that runs elsewhere is not), and compared point by point. A point differs if one of
its colours does by more than `_POINT` of 255; the figures differ if more than `_SHARE` of all
points do, or if their sides are in another proportion. The share, not the mean, is compared: the
mean of a figure, which is white mostly, hardly changes when a curve of it does. With these numbers
a plot of 640 × 480 that was drawn for a finer screen is the same (0.01 % of its points differ), one
with another curve, colour or title is not (0.1 to 2 %).
"""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

from playhead.checking.comparing.outcome import SAME, Match
from playhead.errors import phrase

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""Those that conversations have: others may start programs."""
_SIDE = 96
_POINT = 40
_SHARE = 0.0006
_PROPORTION = 0.03
_MOST_POINTS = 60_000_000
_SVG_VOLATILE = re.compile(
    r"<dc:date>[^<]*</dc:date>|<!--(?:(?!<!--).)*?-->|(?<=[#\"])[a-z]{1,2}[0-9a-f]{8,12}\b|\s+",
    re.DOTALL,
)


def compare_figures(before: bytes, now: bytes) -> Match:
    """Compare two pictures by how they look; vector graphics by what they draw."""
    if before == now and before:
        return SAME
    if b"<svg" in before[:4000] and b"<svg" in now[:4000]:
        return _compare_drawings(before, now)
    first, second = _opened(before), _opened(now)
    if first is None or second is None:
        return Match("differs", phrase("a picture that cannot be read"))
    sides = first.size, second.size
    proportion = (sides[0][0] * sides[1][1]) / (sides[0][1] * sides[1][0])
    if abs(proportion - 1) > _PROPORTION:
        return Match("differs", _sizes_words(*sides))
    share = differing_share(first, second)
    if share > _SHARE:
        return Match(
            "differs", phrase("{share} of the picture looks different", share=_percent(share))
        )
    return Match("same", phrase("the same to the eye"))


def differing_share(first: Image, second: Image) -> float:
    """Return the share of points in which two pictures look different."""
    from PIL import ImageChops

    size = _reduced_size(first.size)
    difference = ImageChops.difference(_reduced(first, size), _reduced(second, size))
    bands = difference.split()
    worst = bands[0]
    for band in bands[1:]:
        worst = ImageChops.lighter(worst, band)
    return sum(worst.histogram()[_POINT + 1 :]) / (size[0] * size[1])


def reduced_picture(data: bytes) -> bytes:
    """Return a small PNG of a picture that compares as the picture does; as it is if it cannot."""
    picture = _opened(data)
    if picture is None:
        return data
    file = io.BytesIO()
    width, height = picture.size
    small = _reduced(picture, _reduced_size((width, height)))
    small.quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def _reduced_size(size: tuple[int, int]) -> tuple[int, int]:
    scale = _SIDE / max(size)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _reduced(picture: Image, size: tuple[int, int]) -> Image:
    from PIL import Image

    return picture.resize(size, Image.Resampling.BOX)


def _opened(data: bytes) -> Image | None:
    """Return a picture on white; None if it cannot be read, or is too large."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
                if picture.width * picture.height > _MOST_POINTS:
                    return None
                shown = picture.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombWarning):
        return None
    ground = Image.new("RGBA", shown.size, "white")
    return Image.alpha_composite(ground, shown).convert("RGB")


def _compare_drawings(before: bytes, now: bytes) -> Match:
    texts = [_SVG_VOLATILE.sub(" ", data.decode("utf-8", "replace")) for data in (before, now)]
    if texts[0] == texts[1]:
        return Match("same", phrase("the same drawing"))
    return Match("differs", phrase("the drawing is another one"))


def _sizes_words(before: tuple[int, int], now: tuple[int, int]) -> str:
    was, is_now = (f"{width} × {height}" for width, height in (before, now))
    return phrase("{before} points, now {now}", before=was, now=is_now)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.1 else f"{share:.0%}"
