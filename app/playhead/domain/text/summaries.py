"""Sentences about domain values, worded once for all layers: how a run ended."""

from __future__ import annotations

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RunReport


def run_end_as_output(chunk: Chunk) -> list[Chunk]:
    """Return a console message in place of a report that the rest of the stream does not show."""
    words = _words(chunk.content) if isinstance(chunk.content, RunReport) else ""
    if not words:
        return []
    return [
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="output", content=f"[{words}]\n"),
        Chunk(role="computer", type="console", end=True),
    ]


def _words(report: RunReport) -> str:
    """Return a sentence; "" for an expected end, or one that a traceback has shown."""
    place = f" in line {report.line}" if report.line else ""
    after = f"{place} after {report.seconds:.1f} s"
    reason = report.reason.removeprefix("the kernel ended: ")
    reason = f": {reason}" if reason else ""
    match report.state:
        case "killed":
            return f"The kernel ended{after}{reason}. Its names are gone."
        case "interrupted":
            return f"Stopped{after}{reason}." if report.reason else ""
        case "started" | "finished":
            status = report.exit_status
            return f"It ended with status {status}." if status else ""
