"""Markdown that is read in one go."""

from __future__ import annotations

from playhead.ui.timeline.text.markdown_stream import Block, MarkdownStream


def markdown_blocks(text: str) -> tuple[list[Block], str]:
    """Return the blocks of a whole text, and its link definitions."""
    stream = MarkdownStream()
    stream.feed(text)
    stream.finish()
    return stream.closed, stream.definitions
