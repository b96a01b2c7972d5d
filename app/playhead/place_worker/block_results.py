"""Shows what the messages of a kernel say about one block, and knows when no more is to come."""

from __future__ import annotations

import json
import os
import re
import time
from html.parser import HTMLParser
from typing import Any, cast

from playhead.kernel.driver import DriverContext, Outcome
from playhead.kernel.errors import send_error
from playhead.kernel.python.representations import Representation, from_bundle
from playhead.place_worker.jupyter_messages import Message, text_of

END_KIND = "application/vnd.playhead.end+json"
"""What our parts say about the end of a block, in a message of the kernel."""
_QUIET_S, _LONGEST_QUIET_S = 0.05, 1.0
"""Some kernels send output after they have said that they are idle."""
_REPLY_LIMIT_S = 1.0
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LINE = re.compile(r"(?:\bline |<anonymous>:|<text>[:#]|Cell In\[\d+\], line )(\d{1,9})(?!\d)")
_MOST_CELLS = 20_000
_MOST_CHARACTERS = 2_000_000


class BlockResults:
    """One run: what its messages say, and what is to be shown of them."""

    def __init__(self, context: DriverContext, has_probe: bool, code: str) -> None:
        self._context = context
        self._has_probe = has_probe
        self._lines = code.count("\n") + 1
        self._count = 0
        self._is_idle = False
        self._reply: dict[str, Any] | None = None
        self._last_at = 0.0
        self.end: dict[str, Any] = {}

    @property
    def is_over(self) -> bool:
        """Return whether nothing more is to come."""
        is_ended = self._is_idle and self._reply is not None and self._has_probe
        return is_ended or 0 < self._last_at < time.monotonic()

    def limit_s(self) -> float | None:
        """Return how long to wait for the next message; None while the code runs."""
        if not self._is_idle and self._reply is None:
            return None
        longest = _LONGEST_QUIET_S if self._is_idle else _REPLY_LIMIT_S
        self._last_at = self._last_at or time.monotonic() + longest
        left = max(0.0, self._last_at - time.monotonic())
        return min(_QUIET_S, left) if self._is_idle and self._reply is not None else left

    def take(self, message: Message) -> None:
        """Take a message about the block."""
        match message.kind:
            case "execute_reply":
                self._reply = message.content
            case "status":
                self._is_idle |= message.content.get("execution_state") == "idle"
            case "stream":
                self._context.channel.complain(message.text("text"))
            case "display_data" | "execute_result" | "update_display_data":
                data = message.content.get("data")
                if isinstance(data, dict):
                    self._show(cast("dict[str, Any]", data))
            case "error" if not self.end.get("is_reported"):
                self._report(message)
            case _:
                pass

    def outcome(self, *, is_stopped: bool) -> Outcome:
        """Return how the block has ended."""
        reply = self._reply or {}
        has_failed = reply.get("status") != "ok"
        line = self.end.get("line")
        state = "interrupted" if is_stopped and has_failed else "finished"
        is_known = state == "interrupted" and isinstance(line, int)
        return Outcome(state, line if is_known else None)

    def _show(self, bundle: dict[str, Any]) -> None:
        if END_KIND in bundle:
            end = bundle[END_KIND]
            self.end = cast("dict[str, Any]", end) if isinstance(end, dict) else {}
            return
        data = {kind: text_of(one) or one for kind, one in bundle.items()}
        text = text_of(data.get("text/plain"))
        table = table_in(text_of(data.get("text/html")), text)
        if table:
            self._print(text)
            self._write(Representation("table", json.dumps(table).encode("ascii"), "json"))
        elif (shown := from_bundle(data)) and not (text and _says_no_more(data)):
            self._write(shown)
        elif text:
            self._print(text)

    def _print(self, text: str) -> None:
        self._context.channel.send_unordered("display")
        self._context.channel.complain(text + "\n")

    def _write(self, shown: Representation) -> None:
        self._count += 1
        run = self._context.channel.run
        name = f"{os.getpid()}-{run}-{self._count}.{shown.suffix}"
        try:
            with open(os.path.join(self._context.spool, name), "wb") as file:
                file.write(shown.data)
        except OSError as error:  # the disk is full: the kernel goes on
            self._context.channel.complain(f"[A result is not shown: {error.strerror}.]\n")
            return
        self._context.channel.send_unordered("show", kind=shown.kind, file=name)

    def _report(self, message: Message) -> None:
        """Print the traceback and send the error as data, with the line that it names."""
        channel = self._context.channel
        parts = message.content.get("traceback")
        rows = cast("list[object]", parts) if isinstance(parts, list) else []
        printed = "\n".join(map(text_of, rows))
        name, words = message.text("ename") or "Error", message.text("evalue")
        channel.send_unordered(
            "traceback", length=channel.complain((printed or f"{name}: {words}").rstrip() + "\n")
        )
        found = [int(one) for one in _LINE.findall(_ANSI.sub("", printed + words))]
        lines = [line for line in found if 1 <= line <= self._lines]
        send_error(channel, name, _ANSI.sub("", words), [("", line, "") for line in lines[-1:]])


def _says_no_more(data: dict[str, Any]) -> bool:
    """Return whether it is a plain value that was put into all forms there are, as R's are."""
    is_text = not any(kind.startswith("image/") for kind in data)
    return is_text and data.keys() >= {"text/html", "text/latex", "text/markdown"}


def table_in(html: str, text: str = "") -> dict[str, Any] | None:
    """Return the fields of a `table` to show, None for HTML that is anything else.

    `text` is what the model reads of it.
    """
    if html.count("<table") != 1 or len(html) > _MOST_CHARACTERS:
        return None
    reader = _TableReader()
    try:
        reader.feed(html)
        reader.close()
    except AssertionError:  # of Python's parser, where a word processor's conditions are no HTML
        return None
    width = len(reader.head)
    rows = reader.rows
    if not rows or not width or any(len(row) != width for row in rows):
        return None
    return {
        "columns": reader.head,
        "dtypes": reader.types if len(reader.types) == width else [""] * width,
        "missing": [""] * width,
        "rows": rows,
        "total_rows": len(rows),
        "total_columns": width,
        "name": "",
        "index_columns": None,
        "positions": [],
        "text": text,
    }


class _TableReader(HTMLParser):
    """Collects the cells of the head and of the rows; R's second head has the types."""

    def __init__(self) -> None:
        super().__init__()
        self.head: list[str] = []
        self.types: list[str] = []
        self.rows: list[list[str]] = []
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._is_head = False
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "thead":
            self._is_head = True
        elif tag == "tr":
            self._row = []
        elif tag in ("th", "td") and self._row is not None:
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        """End a row or a cell."""
        if tag == "thead":
            self._is_head = False
        elif tag in ("th", "td") and self._row is not None and self._cell is not None:
            self._row.append("".join(self._cell).strip())
            self._cell = None
            self._cells += 1
        elif tag == "tr" and self._row is not None:
            self._end_row(self._row)
            self._row = None

    def handle_data(self, data: str) -> None:
        """Add to a cell."""
        if self._cell is not None:
            self._cell.append(data)

    def _end_row(self, row: list[str]) -> None:
        if not self._is_head:
            if self._cells <= _MOST_CELLS:
                self.rows.append(row)
        elif not self.head:
            self.head = row
        elif not self.types:
            self.types = [word.strip("<>") for word in row]
