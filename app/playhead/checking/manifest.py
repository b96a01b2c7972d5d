"""The manifest of a hand-over: the packages, inputs and outputs of what was recorded.

It is in the export: of a notebook in the metadata, of a script as inline metadata (PEP 723), which
`uv run` and `pipx run` understand.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from playhead.atomic_file import open_inside
from playhead.checking.input_files import find_inputs
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import FileChanges, RunReport
from playhead.formats.documents.reader_view import CodeBlock, passages_of

_MOST_BYTES = 2_000_000_000
"""Of all files together, whose contents are recorded."""


class FileRecord(Struct, frozen=True, kw_only=True):
    """A file as it was at the export; `path` is relative to the working folder, with slashes.

    `is_later`: it was written after the last run, so that the runs may have seen another one.
    """

    path: str
    size_bytes: int
    sha256: str
    is_later: bool = False


class Manifest(Struct, frozen=True, kw_only=True):
    """The surroundings of the recorded runs: `packages` like `numpy 2.3.1`.

    `inputs` are the files that the code names and did not make, `outputs` those that it made.
    `is_whole` False: it is of an export that records nothing of the files.
    """

    python: str = ""
    packages: tuple[str, ...] = ()
    inputs: tuple[FileRecord, ...] = ()
    outputs: tuple[FileRecord, ...] = ()
    is_whole: bool = False


def blocks_that_ran(messages: Iterable[Message]) -> list[CodeBlock]:
    """Return the blocks that were run, in order."""
    found = (one for one in passages_of(messages) if isinstance(one, CodeBlock))
    return [one for one in found if one.has_run and one.code.strip()]


def packages_of(messages: Iterable[Message]) -> tuple[str, tuple[str, ...]]:
    """Return the version of Python and the packages of runs; of two versions the last one."""
    versions: dict[str, str] = {}
    for message in messages:
        if isinstance(message.content, RunReport):
            for words in message.content.packages:
                name, _, version = words.partition(" ")
                versions.pop(name, None)
                versions[name] = version
    python = versions.pop("python", "")
    return python, tuple(f"{name} {versions[name]}" for name in sorted(versions, key=str.lower))


def manifest_of(messages: Sequence[Message], folder: str) -> Manifest:
    """Return the manifest of a conversation that works in a folder. Reads files: in a thread."""
    python, packages = packages_of(messages)
    blocks = blocks_that_ran(messages)
    made = made_by_runs(messages)
    is_watched = any(isinstance(one.content, FileChanges) for one in messages)
    named = find_inputs([(one.language.lower() or "python", one.code) for one in blocks], folder)
    ends = [one.began_at + one.report.seconds for one in blocks if one.began_at and one.report]
    last = max(ends, default=0.0)
    if not is_watched:
        made |= {path for path in named if _is_written_by(blocks, os.path.join(folder, path))}
    left = [_MOST_BYTES]
    inputs = [_record(folder, path, last, left) for path in named if path not in made]
    outputs = [_record(folder, path, 0.0, left) for path in sorted(made)]
    return Manifest(
        python=python,
        packages=packages,
        inputs=tuple(one for one in inputs if one is not None),
        outputs=tuple(one for one in outputs if one is not None),
        is_whole=True,
    )


def made_by_runs(messages: Iterable[Message]) -> set[str]:
    """Return the files that runs have made, and not deleted again."""
    made: set[str] = set()
    for message in messages:
        match message.content:
            case FileChanges(action="run") as changes:
                gone = {one.path for one in changes.deleted} | {
                    one.old_path for one in changes.moved
                }
                moved = {one.path for one in changes.moved if one.old_path in made}
                made = (made - gone) | {one.path for one in changes.created} | moved
            case FileChanges(action="undo") as changes:
                made -= {one.path for one in changes.deleted}
            case _:
                pass
    return made


def _is_written_by(blocks: Sequence[CodeBlock], path: str) -> bool:
    """Return whether a file was written last while a block ran, where nobody watched the files."""
    try:
        changed_at = os.stat(path).st_mtime
    except OSError:
        return False
    return any(
        one.began_at <= changed_at <= one.began_at + one.report.seconds
        for one in blocks
        if one.began_at and one.report is not None
    )


def _record(folder: str, path: str, last: float, left: list[int]) -> FileRecord | None:
    whole = os.path.join(folder, path)
    try:
        facts = os.stat(whole)
        left[0] -= facts.st_size
        if left[0] < 0:
            return None
        is_later = bool(last) and facts.st_mtime > last
        digest = hash_of(whole)
        path.encode()
    except (OSError, UnicodeEncodeError):  # a name that no document can hold
        return None
    return FileRecord(path=path, size_bytes=facts.st_size, sha256=digest, is_later=is_later)


def hash_of(path: str, folder: str = "") -> str:
    """Return the SHA-256 of a regular file. Raises OSError.

    Of what is below `folder` no link is followed.
    """
    with open(open_inside(path, folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest_wire(manifest: Manifest) -> dict[str, Any]:
    """Return the manifest as JSON values, without what is empty."""
    told = cast("dict[str, Any]", msgspec.to_builtins(manifest))
    return {name: value for name, value in told.items() if value}


def read_manifest(told: object) -> Manifest:
    """Return a manifest that anybody may have written; an empty one if it is not valid."""
    try:
        found = msgspec.convert(told, Manifest)
    except msgspec.ValidationError:
        return Manifest()
    return msgspec.structs.replace(
        found,
        inputs=tuple(one for one in found.inputs if _is_inside(one.path)),
        outputs=tuple(one for one in found.outputs if _is_inside(one.path)),
    )


def _is_inside(path: str) -> bool:
    """Return whether a path is one, and stays in its folder."""
    if "\0" in path or path != path.encode("utf-8", "replace").decode():
        return False
    parts = path.replace("\\", "/").split("/")
    return bool(path) and not os.path.isabs(path) and ".." not in parts and "" not in parts
