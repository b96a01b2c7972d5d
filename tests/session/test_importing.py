"""A conversation that was read from a file becomes one of the list."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from playhead.errors import StorageError
from playhead.formats.documents.document import read_document, write_document
from playhead.session.sessions import Sessions
from playhead.storage.history.sqlite_history import SqliteHistory
from tests.support.conversations import PNG, everything
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with


def sessions_in(folder: Path, executor: RecordingExecutor | None = None) -> Sessions:
    ports = ports_with(ScriptedProvider(), executor or RecordingExecutor())
    return Sessions(ports, SqliteHistory(folder / "history.sqlite3", folder / "outputs"))


def read(path: str) -> bytes:
    return Path(path).read_bytes()


def document() -> bytes:
    return write_document("json", everything("/plot.png"), "", lambda _path: PNG).data


async def test_it_is_stored_with_its_pictures_and_nothing_runs(tmp_path: Path) -> None:
    executor = RecordingExecutor()
    sessions = sessions_in(tmp_path, executor)
    await sessions.start()
    imported = read_document(document(), "From elsewhere")
    added = await sessions.add(imported)
    assert [(row.id, row.title) for row in sessions.summaries] == [(added, "From elsewhere")]
    await sessions.close()

    later = sessions_in(tmp_path, executor)
    await later.start()
    session = await later.open(added)
    messages = session.conversation.messages
    assert [message.type for message in messages] == [one.type for one in imported.messages]
    pictures = [m for m in messages if m.type == "image" and m.format == "path"]
    assert [read(m.text) for m in pictures] == [PNG, PNG]
    assert {Path(m.text).parent for m in pictures} == {tmp_path / "outputs" / added}
    assert session.has_lost_variables
    assert not session.has_run_here
    assert executor.requests == []
    session.reruns.begin()
    await session.stopped()
    await later.delete(added)
    assert not (tmp_path / "outputs" / added).exists()
    await later.close()


async def test_messages_keep_their_times_and_others_have_that_of_the_one_before(
    tmp_path: Path,
) -> None:
    times = {
        "iopub.execute_input": "2024-03-01T10:00:00Z",
        "shell.execute_reply": "2024-03-01T10:00:02Z",
    }
    ran = {
        "cell_type": "code",
        "source": "x",
        "outputs": [],
        "execution_count": 1,
        "metadata": {"execution": times},
    }
    prose = {"cell_type": "markdown", "source": "So.", "metadata": {}}
    book = json.dumps({"nbformat": 4, "cells": [prose, ran, prose]}).encode()
    sessions = sessions_in(tmp_path)
    await sessions.start()
    added = await sessions.add(read_document(book, "x"))
    messages = (await sessions.open(added)).conversation.messages
    began = 1709287200.0
    assert [(one.type, one.created_at - began) for one in messages] == [
        ("message", 0.0),
        ("code", 0.0),
        ("confirmation", 0.0),
        ("run", 0.0),
        ("run", 2.0),
        ("message", 2.0),
    ]
    await sessions.close()


async def test_where_its_pictures_cannot_be_written_there_is_no_such_conversation(
    tmp_path: Path,
) -> None:
    (tmp_path / "outputs").write_text("in the way")
    sessions = sessions_in(tmp_path)
    await sessions.start()
    with pytest.raises(StorageError, match="could not be written"):
        await sessions.add(read_document(document(), "x"))
    assert sessions.summaries == []
    await sessions.close()


async def test_a_long_one_arrives_whole(tmp_path: Path) -> None:
    sessions = sessions_in(tmp_path)
    await sessions.start()
    rows = b",".join(b'{"role": "user", "type": "message", "content": "x"}' for _ in range(1200))
    added = await sessions.add(read_document(b"[" + rows + b"]", "long"))
    assert len((await sessions.open(added)).conversation.messages) == 1200
    await sessions.close()


def test_pictures_are_kept_as_they_are() -> None:
    imported = read_document(document())
    pictures = [m for m in imported.messages if (m.format or "").startswith("base64")]
    assert [base64.b64decode(m.text) for m in pictures] == [PNG, PNG]
