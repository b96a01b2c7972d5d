"""Writes a table to a file, with all its rows if the kernel still has them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from playhead.domain.conversation.payloads import Cell, RowOrder, Table
from playhead.errors import ExecutionError
from playhead.ui.timeline.cards.table_columns import table_as_text
from playhead.ui.widgets.wording import tr, tr_error

Fetch = Callable[[int, int, RowOrder | None], Coroutine[Any, Any, Table]]
"""Returns rows of a table in an order: from which row on, and how many."""
Rows = Sequence[Sequence[Cell]]
_PAGE_ROWS = 1_000


def expect_same(table: Table, page: Table) -> Table:
    """Return a page of a table. Raises ExecutionError if its name has another one now."""
    is_same = (page.columns, page.total_rows) == (table.columns, table.total_rows)
    if is_same and (not table.key or page.key in ("", table.key)):
        return page
    raise ExecutionError(tr("“{name}” is a different table now.", name=table.name or tr("Table")))


async def write_table(
    table: Table, path: Path, fetch: Fetch | None, order: RowOrder | None = None
) -> tuple[int, str]:
    """Write a page that is in an order, and the rows behind it.

    Returns the number of rows written, and why some are missing. Raises OSError.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        count, why = await _write_all(table, part, path, _pages(table, fetch, order))
        await asyncio.to_thread(os.replace, part, path)
    finally:
        part.unlink(missing_ok=True)
    return count, why


async def _write_all(
    table: Table, part: Path, path: Path, all_pages: AsyncGenerator[Rows, None]
) -> tuple[int, str]:
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    head = table_as_text(table.columns, (), separator)
    count, why = 0, ""
    with await asyncio.to_thread(part.open, "w", encoding="utf-8", errors="replace") as file:
        await asyncio.to_thread(file.write, head)
        try:
            async with aclosing(all_pages) as pages:
                async for rows in pages:
                    text = await asyncio.to_thread(table_as_text, table.columns, rows, separator)
                    await asyncio.to_thread(file.write, text.removeprefix(head))
                    count += len(rows)
        except ExecutionError as error:
            why = str(tr_error(error))
        await asyncio.to_thread(file.flush)
    return count, why


async def _pages(
    table: Table, fetch: Fetch | None, order: RowOrder | None
) -> AsyncGenerator[Rows, None]:
    """Yield the rows that are shown, then those that the kernel still has."""
    yield table.rows
    count = len(table.rows)
    while fetch is not None and count < table.total_rows:
        page = expect_same(table, await fetch(count, _PAGE_ROWS, order))
        if not page.rows:
            return
        yield page.rows
        count += len(page.rows)
