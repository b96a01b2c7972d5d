"""Read images, markup, tables and variables from a kernel; all of it can be forged.

What is too long for a mark is sent through the kernel's spool folder.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import shutil
import stat
import sys
import threading
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from playhead.domain.conversation.chunk import Chunk, ChunkType
from playhead.domain.conversation.payloads import Cell, FileChange, FileChanges, Table
from playhead.domain.execution import Candidate, Completions, Description, LineValue, Variable
from playhead.errors import ExecutionError, phrase
from playhead.execution.run_output import file_name
from playhead.kernel import protocol

_SPOOL = "kernel-"
_Answer = TypeVar("_Answer")
_ANSWER_BYTES = 16_000_000


def new_spool_name() -> str:
    """Return a name for the folder of a kernel of this process."""
    return f"{_SPOOL}{os.getpid()}-{uuid.uuid4().hex}"


def remove_left_spools(output_dir: Path) -> None:
    """Remove the folders of kernels whose program was killed before it could."""
    remove_left(output_dir.glob(f"*/{_SPOOL}*"), _SPOOL)


def remove_left(folders: Iterable[Path], prefix: str = "") -> None:
    """Remove those of the folders whose program was killed: its id is in front of the first "-"."""
    for folder in folders:
        pid = folder.name.removeprefix(prefix).partition("-")[0]
        if pid.isdigit() and not _lives(int(pid)) and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    """Return whether a process with this id lives; any does where that cannot be told (Windows)."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


class Spool:
    """Owner of one kernel's folder; running code can put anything there, so nothing is trusted.

    A name never leads to another folder, links are not followed, and only plain files within the
    limit are read. The folder is kept open: a link in its place leads nowhere. Any thread may read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._place: int | None = None
        self._using = threading.RLock()

    def make(self) -> None:
        """Make the folder. Raises OSError."""
        self.folder.mkdir(parents=True, mode=0o700)
        if _BY_DESCRIPTOR:
            self._place = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def remove(self) -> None:
        """Delete it with what was not fetched."""
        with self._using:
            place, self._place = self._place, None
            if place is not None:
                os.close(place)
        shutil.rmtree(self.folder, ignore_errors=True)

    def size(self, name: str) -> int:
        """Return a file's size in bytes; 0 if it is not a file."""
        with self._opened(name) as file:
            return os.fstat(file).st_size if file is not None else 0

    def read(self, name: str, limit: int) -> bytes | None:
        """Return a file's bytes and delete it; None if it is no file or longer than the limit."""
        with self._using, suppress(OSError):
            with self._opened(name, limit) as file:
                data = os.read(file, limit + 1) if file is not None else None
            if data is None or len(data) > limit:
                return None
            with suppress(OSError):
                os.unlink(self._at(name), dir_fd=self._place)
            return data
        return None

    def take(self, name: str, target: Path, limit: int) -> bool:
        """Move a file out; False if it is not one or longer than the limit.

        What has come to `target` is looked at once more: it has to be the file that was opened.
        """
        with self._using, suppress(OSError):
            with self._opened(name, limit) as file:
                facts = os.fstat(file) if file is not None else None
            if facts is None:
                return False
            os.replace(self._at(name), target, src_dir_fd=self._place)
            moved = target.lstat()
            if os.path.samestat(facts, moved) and _is_fit(moved, limit):
                return True
            target.unlink()
        return False

    @contextmanager
    def _opened(self, name: str, limit: int = sys.maxsize) -> Generator[int | None]:
        """Yield a descriptor of a plain file within the limit; None if there is no such file."""
        with self._using:
            file = self._open(name)
            try:
                yield file if file is not None and _is_fit(os.fstat(file), limit) else None
            finally:
                if file is not None:
                    os.close(file)

    def _open(self, name: str) -> int | None:
        if not _is_plain(name) or (self._place is None and _BY_DESCRIPTOR):
            return None
        try:
            return os.open(self._at(name), _OPEN_FLAGS, dir_fd=self._place)
        except OSError:
            return None

    def _at(self, name: str) -> str:
        """Return a name in the open folder; where there is no such thing (Windows), its path."""
        return name if _BY_DESCRIPTOR else str(self.folder / name)


# Not blocking: to open a pipe that code put there would wait for its other end.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd


def _is_fit(facts: os.stat_result, limit: int) -> bool:
    """Return whether it is a file that has no other name, where it could be someone else's."""
    return stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1 and facts.st_size <= limit


def _is_plain(name: str) -> bool:
    """Return whether it names something in the folder itself."""
    return bool(name) and name == os.path.basename(name) and name[0] != "." and "\0" not in name


ROW_LIMIT = 1000
COLUMN_LIMIT = 200
VARIABLE_LIMIT = 2000
_TEXT_LIMIT = 2000
_PRINTED_LIMIT = 20_000
_INTEGER_LIMIT = 2**63


def parse_json(data: bytes) -> dict[str, Any] | None:
    """Return a JSON object, or None if it is something else."""
    value = protocol.parse_json(data)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def table_of(fields: dict[str, Any]) -> Table | None:
    """Return the page of a frame, cut to what can be shown; None if it is not one."""
    columns, rows = _list(fields.get("columns")), _list(fields.get("rows"))
    if columns is None or rows is None:
        return None
    names = tuple(_text(name) for name in columns[:COLUMN_LIMIT])
    types = [_text(name) for name in (_list(fields.get("dtypes")) or [])[: len(names)]]
    types += [""] * (len(names) - len(types))
    kept = tuple(_row(row, len(names)) for row in rows[:ROW_LIMIT])
    total_rows = max(_count(fields.get("total_rows")), len(kept))
    total_columns = max(_count(fields.get("total_columns")), len(names))
    missing = [_text(word) for word in (_list(fields.get("missing")) or [])[: len(names)]]
    return Table(
        columns=names,
        dtypes=tuple(types),
        rows=kept,
        total_rows=total_rows,
        total_columns=total_columns,
        name=_text(fields.get("name")),
        key=_text(fields.get("key")),
        missing=tuple(missing),
        text=_printed(fields.get("text")),
        index_columns=_index_columns(fields.get("index_columns"), len(names)),
        positions=_positions(fields.get("positions"), len(kept)),
    )


def variables_of(fields: dict[str, Any]) -> list[Variable]:
    """Return the variables of a namespace; invalid entries are left out."""
    found: list[Variable] = []
    for row in (_list(fields.get("variables")) or [])[:VARIABLE_LIMIT]:
        if isinstance(row, dict) and _text(cast("dict[str, Any]", row).get("name")):
            found.append(_variable(cast("dict[str, Any]", row)))
    return found


def line_values_of(fields: dict[str, Any]) -> list[LineValue]:
    """Return the values along the lines of a block; invalid entries are left out."""
    found: list[LineValue] = []
    for row in (_list(fields.get("values")) or [])[:VARIABLE_LIMIT]:
        match row:
            case [int(line), int(last), str(name), str(text), kind, seen]:
                texts = tuple(_text(one) for one in (_list(seen) or [])[:_SEEN_LIMIT])
                found.append(
                    LineValue(
                        line=line,
                        last_line=last,
                        name=name,
                        text=text,
                        is_exact=kind == "exact",
                        seen=texts,
                    )
                )
            case _:
                pass
    return found


_SEEN_LIMIT = 10
_CANDIDATE_LIMIT = 500
_DOCUMENTATION_LIMIT = 8000


def completions_of(fields: dict[str, Any]) -> Completions:
    """Return what completes a code; invalid candidates are left out."""
    rows = [_list(row) or [] for row in (_list(fields.get("candidates")) or [])[:_CANDIDATE_LIMIT]]
    found = [Candidate(_text(row[0]), _text(row[1])) for row in rows if len(row) == 2]
    return Completions(
        _count(fields.get("length")), tuple(one for one in found if one.text.isprintable())
    )


def description_of(fields: dict[str, Any]) -> Description:
    """Return what is known of an expression."""
    parameters = _list(fields.get("parameters"))
    argument = fields.get("argument")
    words = fields.get("documentation")
    return Description(
        name=_text(fields.get("name")),
        is_callable=parameters is not None,
        parameters=tuple(_text(one) for one in (parameters or [])[:COLUMN_LIMIT]),
        argument=argument if type(argument) is int else -1,
        type=_text(fields.get("type")),
        value=_text(fields.get("value")),
        documentation=words[:_DOCUMENTATION_LIMIT] if isinstance(words, str) else "",
    )


def far_changes_of(fields: dict[str, Any]) -> FileChanges | None:
    """Return the files that were changed on another machine; None if none were."""
    created, changed, deleted = (
        _changes(fields.get(kind)) for kind in ("created", "changed", "deleted")
    )
    if not (created or changed or deleted):
        return None
    is_whole = fields.get("is_whole") is True
    return FileChanges(
        folder=_text(fields.get("folder")),
        note=_ONLY_FOLDER if is_whole else _NOT_WHOLE,
        created=created,
        changed=changed,
        deleted=deleted,
        created_total=_count(fields.get("created_total")),
        changed_total=_count(fields.get("changed_total")),
        deleted_total=_count(fields.get("deleted_total")),
    )


def _changes(value: Any) -> tuple[FileChange, ...]:
    rows = [_list(row) or [] for row in (_list(value) or [])[:_FILE_LIMIT]]
    return tuple(
        FileChange(path=_text(row[0]), size_bytes=_count(row[1])) for row in rows if len(row) == 2
    )


_FILE_LIMIT = 200
_ONLY_FOLDER = "Only this folder there was looked at. Nothing of it can be undone."
_NOT_WHOLE = "There are more files in this folder than were looked at."


def _variable(row: dict[str, Any]) -> Variable:
    return Variable(
        name=_text(row.get("name")),
        type=_text(row.get("type")),
        shape=_text(row.get("shape")),
        size_bytes=_count(row.get("size_bytes")),
        value=_text(row.get("value")),
        is_changed=row.get("is_changed") is True,
        is_table=row.get("is_table") is True,
        frame=_count(row.get("frame")),
    )


def _row(row: Any, width: int) -> tuple[Cell, ...]:
    cells = [_cell(cell) for cell in (_list(row) or [])[:width]]
    return tuple(cells + [None] * (width - len(cells)))


def _cell(value: Any) -> Cell:
    match value:
        case None | bool():
            return value
        case int():
            return value if abs(value) < _INTEGER_LIMIT else _digits(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value[:_TEXT_LIMIT]
        case _:
            return json.dumps(value)[:_TEXT_LIMIT]


def _digits(value: int) -> str:
    """Return an integer that JSON readers would change as text; `str` refuses very long ones."""
    return str(value) if value.bit_length() < 4000 else "(a very long number)"


def _text(value: Any) -> str:
    return value[:_TEXT_LIMIT] if isinstance(value, str) else ""


def _printed(value: Any) -> str:
    """Return the whole text or none: a part could not be found in the output."""
    return value if isinstance(value, str) and len(value) <= _PRINTED_LIMIT else ""


def _count(value: Any) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < _INTEGER_LIMIT else 0


def _index_columns(value: Any, width: int) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= width else None


def _positions(value: Any, rows: int) -> tuple[int, ...]:
    """Return the position of each row; none if there is not one for each."""
    positions = tuple(_count(one) for one in _list(value) or [])
    return positions if len(positions) == rows else ()


def _list(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None


IMAGE_LIMIT = 64_000_000
MARKUP_LIMIT = 8_000_000
TABLE_LIMIT = 2_000_000
_KEPT_LIMIT = 1_000_000_000
_LONGEST_TEXT = 65_536


class Results:
    """The results of one run, fetched from the kernel's spool folder."""

    def __init__(self, spool: Spool, output_dir: Path, run_id: str) -> None:
        self._spool = spool
        self._stem = output_dir / file_name(run_id)

    def take(self, kind: str, name: str) -> list[Chunk] | str:
        """Return whole messages that show it, or a text for the console; [] if it is not valid."""
        match kind:
            case "png":
                return self._image(name)
            case "svg":
                return self._markup("image", kind, name)
            case "html" | "javascript" | "markdown" | "latex":
                return self._markup("code", kind, name)
            case "table":
                return self._table(name)
            case "text":
                return self._too_long(kind, name) or self._text(name)
            case "files":
                return self._files(name)
            case _:
                return []

    def _image(self, name: str) -> list[Chunk]:
        path = self._place(name, "png")
        if not self._spool.take(name, path, IMAGE_LIMIT):
            return []
        return list(whole_message("image", "path", str(path)))

    def _markup(self, kind: ChunkType, form: str, name: str) -> list[Chunk] | str:
        return self._too_long(form, name) or list(whole_message(kind, form, self._text(name)))

    def _table(self, name: str) -> list[Chunk]:
        data = self._spool.read(name, TABLE_LIMIT)
        table = table_of(parse_json(data) or {}) if data else None
        return [] if table is None else [Chunk(role="computer", type="table", content=table)]

    def _files(self, name: str) -> list[Chunk]:
        """Return what a run has changed in its folder on another machine."""
        data = self._spool.read(name, TABLE_LIMIT)
        found = far_changes_of(parse_json(data) or {}) if data else None
        return [] if found is None else [Chunk(role="computer", type="files", content=found)]

    def _text(self, name: str) -> str:
        return (self._spool.read(name, MARKUP_LIMIT) or b"").decode("utf-8", "replace")

    def _too_long(self, form: str, name: str) -> str:
        """Return a note in place of what is too long to be shown; it is kept as a file."""
        size = self._spool.size(name)
        path = self._place(name, form)
        if size <= MARKUP_LIMIT or not self._spool.take(name, path, _KEPT_LIMIT):
            return ""
        return f"[{form} of {size:,} bytes, too long to be shown: {path}]\n"

    def _place(self, name: str, suffix: str) -> Path:
        stem = file_name(name.removesuffix("." + suffix))
        return self._stem.with_name(f"{self._stem.name}-{stem}.{suffix}")


def whole_message(kind: ChunkType, form: str, text: str) -> Iterator[Chunk]:
    """Yield a whole message of this text; nothing for ""."""
    if not text:
        return
    yield Chunk(role="computer", type=kind, format=form, start=True)
    for at in range(0, len(text), _LONGEST_TEXT):
        yield Chunk(role="computer", type=kind, format=form, content=text[at : at + _LONGEST_TEXT])
    yield Chunk(role="computer", type=kind, format=form, end=True)


class Questions:
    """Owner of what is asked and not yet answered; `write` sends a command to the kernel."""

    def __init__(self, spool: Spool, write: Callable[[bytes], None]) -> None:
        self._spool = spool
        self._write = write
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._has_asked = False

    async def ask(
        self,
        read: Callable[[dict[str, Any]], _Answer],
        command: str,
        limit_s: float | None,
        **fields: Any,
    ) -> _Answer:
        """Return what `read`, in a thread, makes of the fields of the answer.

        Raises ExecutionError if no answer comes in time. To cancel it stops a sorting.
        """
        number = str(next(self._numbers))
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._has_asked = True
        self._write(protocol.encode_command(command, ask=number, **fields))
        try:
            async with asyncio.timeout(limit_s):
                name = await future
        except TimeoutError:
            raise _no_answer(
                phrase("It sent nothing for {limit} s.", limit=f"{limit_s:g}")
            ) from None
        except asyncio.CancelledError:
            self._write(protocol.encode_command("give_up", ask=number))
            raise
        finally:
            del self._waiting[number]
        return await asyncio.to_thread(lambda: read(self._read(name)))

    def asked_since_last(self) -> bool:
        """Return whether anything was asked since this was called last, or waits."""
        has_asked, self._has_asked = self._has_asked, False
        return has_asked or bool(self._waiting)

    def settle(self, mark: protocol.Mark) -> None:
        """Settle the question that an answer belongs to; an answer without one is dropped."""
        future = self._waiting.get(mark.text("ask"))
        if future is not None and not future.done():
            future.set_result(mark.text("file"))

    def give_up(self, reason: str) -> None:
        """Fail all questions: the kernel has ended."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(_no_answer(phrase("It has ended: {reason}.", reason=reason)))

    def _read(self, name: str) -> dict[str, Any]:
        data = self._spool.read(name, _ANSWER_BYTES)
        fields = parse_json(data) if data is not None else None
        if fields is None:
            raise _no_answer("Its answer cannot be read.")
        problem = fields.get("error")
        if problem is not None:
            remedy = fields.get("remedy")
            raise ExecutionError(
                str(problem)[:500], remedy=remedy if isinstance(remedy, str) else ""
            )
        return fields


def _no_answer(detail: str) -> ExecutionError:
    return ExecutionError(
        "The kernel did not answer.", detail=detail, remedy="Try again, or restart the kernel."
    )
