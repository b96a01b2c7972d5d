"""Texts on their way into a widget: their length in bytes, and what no widget can hold."""

from __future__ import annotations


def utf8_length(text: str) -> int:
    """How many bytes the text has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def printable(text: str) -> str:
    """The text with a mark in the place of halves of characters, which UTF-8 cannot hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
