"""Colours of terminal output (ECMA-48 SGR) as spans with a style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_SGR = re.compile(r"\x1b\[([\d;:]*)m")
_CUBE = (0, 95, 135, 175, 215, 255)


@dataclass(frozen=True, slots=True)
class Style:
    """How a span looks; a colour is a number of the theme's sixteen or `#RRGGBB`."""

    ink: int | str | None = None
    ground: int | str | None = None
    is_bold: bool = False
    is_faint: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_reversed: bool = False


PLAIN = Style()


def spans(line: str, style: Style = PLAIN) -> Iterator[tuple[str, Style]]:
    """Texts with their styles, beginning in `style`; the last one may be empty: the style after."""
    at = 0
    for match in _SGR.finditer(line):
        if match.start() > at:
            yield line[at : match.start()], style
        style = _after(style, match[1])
        at = match.end()
    yield line[at:].replace("\x1b", ""), style


def _after(style: Style, parameters: str) -> Style:
    codes = [int(code) if code else 0 for code in re.split("[;:]", parameters)]
    rest = iter(codes)
    for code in rest:
        if code in (38, 48):
            colour = _extended(rest)
            if colour is not None:
                style = replace(style, **{"ink" if code == 38 else "ground": colour})
        else:
            style = _simple(style, code)
    return style


def _extended(rest: Iterator[int]) -> int | str | None:
    match next(rest, None):
        case 5:
            number = next(rest, None)
            return None if number is None else _indexed(number)
        case 2:
            red, green, blue = (min(255, next(rest, 0)) for _ in range(3))
            return f"#{red:02X}{green:02X}{blue:02X}"
        case _:
            return None


def _indexed(number: int) -> int | str:
    if number < 16:
        return number
    if number < 232:
        number -= 16
        red, green, blue = (_CUBE[number // step % 6] for step in (36, 6, 1))
        return f"#{red:02X}{green:02X}{blue:02X}"
    grey = 8 + 10 * (min(number, 255) - 232)
    return f"#{grey:02X}{grey:02X}{grey:02X}"


_SWITCHES = {
    1: ("is_bold", True),
    2: ("is_faint", True),
    3: ("is_italic", True),
    4: ("is_underlined", True),
    7: ("is_reversed", True),
    23: ("is_italic", False),
    24: ("is_underlined", False),
    27: ("is_reversed", False),
    39: ("ink", None),
    49: ("ground", None),
}


def _simple(style: Style, code: int) -> Style:
    if code == 0:
        return PLAIN
    if code == 22:
        return replace(style, is_bold=False, is_faint=False)
    if code in _SWITCHES:
        name, value = _SWITCHES[code]
        return replace(style, **{name: value})
    for first, name, base in (
        (30, "ink", 0),
        (90, "ink", 8),
        (40, "ground", 0),
        (100, "ground", 8),
    ):
        if first <= code < first + 8:
            return replace(style, **{name: code - first + base})
    return style
