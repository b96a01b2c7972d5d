"""Colours as numbers: blue-green-red with alpha, and one colour laid over another."""

from __future__ import annotations


def bgr(colour: str) -> int:
    """`#rrggbb` as a blue-green-red number."""
    red, green, blue = _parts(colour)
    return red | green << 8 | blue << 16


def mixed(ground: str, over: str, share: float) -> str:
    """A colour between two."""
    pairs = zip(_parts(ground), _parts(over), strict=True)
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def wash(mixed_colour: str, under: str) -> int:
    """The most transparent colour (with alpha) that gives `mixed_colour` when laid over `under`.

    What is painted over line numbers must let them through.
    """
    pairs = list(zip(_parts(mixed_colour), _parts(under), strict=True))
    alpha = max(_least_alpha(over, base) for over, base in pairs)
    alpha = max(alpha, 1 / 255)
    red, green, blue = (
        min(255, max(0, round(base + (over - base) / alpha))) for over, base in pairs
    )
    return red | green << 8 | blue << 16 | round(alpha * 255) << 24


def _least_alpha(over: int, base: int) -> float:
    if over < base:
        return (base - over) / base
    return (over - base) / max(255 - base, 1)


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
