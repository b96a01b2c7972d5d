"""Notebooks and lists of messages that anybody may have written."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    Frame,
    Proposal,
    RunEnd,
    RunReport,
    Table,
)
from playhead.domain.text.run_ends import run_end_text
from playhead.errors import DocumentError
from playhead.formats.documents.document import read_document, write_document
from playhead.formats.documents.imported_conversation import ImportedConversation, MessageBuilder
from playhead.formats.documents.notebook import TABLE_MIME
from tests.support.conversations import PNG, SVG, TRACEBACK, everything

WRITTEN_BY_JUPYTER = Path(__file__).parents[2] / "data" / "written_by_jupyter.json"
PICTURE = base64.b64encode(PNG).decode()
KEYS = (
    *("cell_type", "source", "outputs", "output_type", "data", "text", "name", "ename", "evalue"),
    *("traceback", "metadata", "playhead", "attachments", "image/png", "image/svg+xml"),
    *("text/html", "text/plain", TABLE_MIME, "execution_count", "language", "written", "run"),
    *("role", "type", "format", "content", "message", "code", "output", "id", "recipient", "state"),
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=6)
    | st.sampled_from(["code", "markdown", "stream", "error", "display_data", PICTURE]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def read(raw: object) -> ImportedConversation:
    return read_document(json.dumps(raw).encode(), "A name")


def notebook(*cells: object, **facts: Any) -> ImportedConversation:
    return read({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells} | facts)


def code(source: object, *outputs: object, **facts: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": outputs, "metadata": {}} | facts


def shown(
    imported: ImportedConversation, *left_out: str
) -> list[tuple[str, str, str | None, object]]:
    hidden = {"confirmation", "run", *left_out}
    return [
        (message.role, message.type, message.format, message.content)
        for message in imported.messages
        if message.type not in hidden
    ]


@given(st.lists(anything, max_size=5))
def test_any_cells_are_read_or_counted_and_never_break_it(cells: list[object]) -> None:
    try:
        back = notebook(*cells)
    except DocumentError:
        return
    assert all(isinstance(message, Message) for message in back.messages)
    for kind in ("md", "ipynb", "py", "json"):
        write_document(kind, back.messages)


@given(anything)
def test_any_json_is_read_or_refused_in_words(raw: object) -> None:
    for document in (raw, [raw], {"messages": [raw, raw]}, {"nbformat": 4, "cells": raw}):
        try:
            back = read(document)
        except DocumentError:
            continue
        write_document("json", back.messages)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"no json",
        b"[" * 100_000,
        b'{"a": ' * 100_000,
        b"[" + b"9" * 10_000 + b"]",
        b"{}",
        b"[]",
        b"[1, null]",
        b'"text"',
        b'{"nbformat": 3, "worksheets": []}',
        b'{"nbformat": 5, "cells": []}',
        b'{"nbformat": 4}',
        b'{"nbformat": 4, "cells": []}',
        b'{"cells": "x"}',
    ],
    ids=lambda data: data[:20].decode("latin-1"),
)
def test_what_is_no_conversation_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        read_document(data)
    assert caught.value.title
    assert caught.value.remedy


def test_old_notebooks_are_told_how_to_become_new_ones() -> None:
    with pytest.raises(DocumentError, match="old version 3"):
        read({"nbformat": 3, "worksheets": [{"cells": []}]})


def test_a_notebook_of_jupyter_comes_with_its_tables_times_and_errors() -> None:
    back = read_document(WRITTEN_BY_JUPYTER.read_bytes(), "sales")
    assert back.left_out == 0
    assert {one.role for one in back.messages} == {"assistant", "computer"}
    tables = [one.content for one in back.messages if isinstance(one.content, Table)]
    first, described, head = tables
    assert first.columns == ("region", "units", "share")
    assert first.rows == (("North", 7.0, 0.25), ("South", 12.0, 0.5), ("East", None, 0.25))
    assert (described.index_columns, described.columns) == (1, ("", "units", "share"))
    assert described.rows[1][0] == "mean"
    assert head.dtypes[1:] == ("float64", "float64"), "by the schema that pandas has added"
    errors = [one.content for one in back.messages if isinstance(one.content, CodeError)]
    assert [(one.name, one.message) for one in errors] == [("KeyError", "'price'")]
    printed = [one.text for one in back.messages if one.type == "console"]
    assert printed[1].startswith("warm\ncareful\n")
    assert "from a shell\n" in printed
    runs = [one.content for one in back.messages if isinstance(one.content, RunReport)]
    assert [run.state for run in runs] == ["started", "finished"] * 5
    assert all(0.001 < run.seconds < 10 for run in runs[1::2])
    assert runs[3].seconds > 0.2, "it slept so long"
    days = {int(one.created_at // 86400) for one in back.messages if one.type == "run"}
    assert days == {20780}, "23 November 2026"
    assert back.messages[-1].text == "never = 'run'"


def test_a_notebook_gets_no_words_that_are_not_its_own() -> None:
    back = notebook(code("x = 1"), {"cell_type": "markdown", "source": "So.", "metadata": {}})
    assert shown(back) == [
        ("assistant", "code", "python", "x = 1"),
        ("assistant", "message", None, "So."),
    ]


def test_a_notebook_becomes_a_conversation_whose_code_can_be_run_again() -> None:
    back = notebook(
        {"cell_type": "markdown", "source": ["# Sales\n", "by month"], "metadata": {}},
        code("x = 1", {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}),
        code("y = 2", execution_count=None),
    )
    assert shown(back) == [
        ("assistant", "message", None, "# Sales\nby month"),
        ("assistant", "code", "python", "x = 1"),
        ("computer", "console", None, "a\nb\n"),
        ("assistant", "code", "python", "y = 2"),
    ]
    ran = [m.content for m in back.messages if m.type in ("confirmation", "run")]
    assert [type(one) for one in ran] == [Proposal, RunReport, RunReport]
    assert isinstance(ran[0], Proposal)
    assert ran[0].code == "x = 1"


def test_outputs_come_in_their_richest_known_form() -> None:
    def output(**data: object) -> dict[str, object]:
        named = {name.replace("__", "/"): value for name, value in data.items()}
        return {"output_type": "display_data", "data": named, "metadata": {}}

    svg = {"output_type": "display_data", "data": {"image/svg+xml": SVG}}
    back = notebook(
        code(
            "show()",
            output(image__png=PICTURE, text__plain="<Figure>"),
            svg,
            output(text__html="<b>x</b>", text__plain="x"),
            output(text__html='<table border="1" class="dataframe"></table>', text__plain="a 1"),
            output(application__javascript="alert(1)"),
            output(text__latex="$x$"),
            output(image__png="!!", text__plain="gone"),
            {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["T", "E: no"]},
        )
    )
    assert shown(back)[1:] == [
        ("computer", "image", "base64.png", PICTURE),
        ("computer", "image", "svg", SVG),
        ("computer", "code", "html", "<b>x</b>"),
        ("computer", "console", None, "a 1\n"),
        ("computer", "code", "javascript", "alert(1)"),
        ("computer", "code", "latex", "$x$"),
        ("computer", "console", None, "[A picture that could not be read.]\nT\nE: no\n"),
        ("computer", "error", None, CodeError(name="E", message="no", printed=len("T\nE: no\n"))),
    ]


def test_cells_of_other_languages_keep_them() -> None:
    back = notebook(code("%%bash\nls"), code("%%script node\n1"), code("plot(1)"), code("%%who\nx"))
    found = [(m.format, m.content) for m in back.messages if m.type == "code"]
    assert found == [
        ("bash", "ls"),
        ("javascript", "1"),
        ("python", "plot(1)"),
        ("python", "%%who\nx"),
    ]
    kernel = {"metadata": {"kernelspec": {"language": "R", "name": "ir", "display_name": "R"}}}
    assert [m.format for m in notebook(code("plot(1)"), **kernel).messages if m.type == "code"] == [
        "r"
    ]


def test_pictures_in_prose_are_taken_and_huge_ones_left_out() -> None:
    cell = {
        "cell_type": "markdown",
        "source": "![a](attachment:a.png)",
        "attachments": {"a.png": {"image/png": PICTURE}},
    }
    assert ("computer", "image", "base64.png", PICTURE) in shown(notebook(cell))
    huge = base64.b64encode(PNG + bytes(64_000_000)).decode()
    back = notebook(code("x", {"output_type": "display_data", "data": {"image/png": huge}}))
    assert "image" not in [message.type for message in back.messages]
    assert back.left_out == 1


def test_our_own_notebook_comes_back() -> None:
    messages = everything("/plot.png")
    data = write_document("ipynb", messages, "The title", lambda _path: PNG).data
    back = read_document(data, "file name")
    assert back.title == "The title"
    found = shown(back)
    assert ("user", "message", None, "What is in **it**?") in found
    assert ("assistant", "reasoning", None, "First look.\n\nThen think.") in found
    assert ("assistant", "code", "bash", "echo hi") in found
    assert ("user", "image", "base64.png", PICTURE) in found
    assert ("assistant", "code", "python", "import pandas\ndf = 1") in found
    ran = [m.content.code for m in back.messages if isinstance(m.content, Proposal)]
    assert ran == ["import pandas\ndf = 2", "1 / 0", "echo hi"]
    errors = [m.content for m in back.messages if isinstance(m.content, CodeError)]
    assert errors == [
        CodeError(name="ZeroDivisionError", message="division by zero", printed=len(TRACEBACK))
    ]


def jupyter_times(began: str, ended: str) -> dict[str, Any]:
    """What JupyterLab and nbconvert write when they record times."""
    return {
        "execution": {
            "iopub.status.busy": began,
            "iopub.execute_input": began,
            "shell.execute_reply.started": began,
            "shell.execute_reply": ended,
            "iopub.status.idle": ended,
        }
    }


@pytest.mark.parametrize(
    ("facts", "began", "seconds"),
    [
        (jupyter_times("2024-03-01T10:00:00.500000Z", "2024-03-01T10:00:02.75Z"), 0.5, 2.25),
        (
            {"execution": {"iopub.status.busy": "2024-03-01T11:00:00+01:00"}},
            0.0,
            0.0,
        ),
        (
            {"papermill": {"start_time": "2024-03-01T10:00:01", "end_time": "2024-03-01T10:00:05"}},
            1.0,
            4.0,
        ),
        (
            {
                "ExecuteTime": {
                    "start_time": "2024-03-01T10:00:01.5Z",
                    "end_time": "2024-03-01T10:00:02Z",
                }
            },
            1.5,
            0.5,
        ),
        ({"executionInfo": {"timestamp": 1709287203000, "elapsed": 2000}}, 1.0, 2.0),
    ],
    ids=["jupyter", "unfinished", "papermill", "ExecuteTime", "colab"],
)
def test_a_run_has_the_times_that_the_notebook_has(
    facts: dict[str, Any], began: float, seconds: float
) -> None:
    back = notebook(code("x", metadata=facts, execution_count=3))
    started, ended = (one for one in back.messages if isinstance(one.content, RunReport))
    at_ten = 1709287200.0
    assert started.created_at == at_ten + began
    assert ended.content == RunReport(state="finished", seconds=seconds)
    assert ended.created_at == at_ten + began + seconds


@pytest.mark.parametrize(
    "facts",
    [
        {},
        jupyter_times("yesterday", "today"),
        jupyter_times("2024-03-01T10:00:02Z", "2024-03-01T10:00:00Z"),
        {"executionInfo": {"timestamp": True, "elapsed": -1}},
        {"execution": [], "papermill": 3},
    ],
)
def test_a_time_that_is_not_known_is_not_made_up(facts: dict[str, Any]) -> None:
    back = notebook(code("x", metadata=facts, execution_count=3))
    assert back.messages[-1].content == RunReport(state="finished")


def test_frames_are_tables_with_what_was_printed_of_them() -> None:
    markup = (
        '<table class="dataframe"><thead><tr><th></th><th>a</th></tr></thead>'
        "<tbody><tr><th>0</th><td>1</td></tr></tbody></table>"
    )
    data = {"text/html": [markup], "text/plain": ["   a\n", "0  1"]}
    schema = {"fields": [{"name": "a", "type": "integer"}], "pandas_version": "1.4.0"}
    resource = {"application/vnd.dataresource+json": {"schema": schema, "data": [{"a": 5}]}}
    back = notebook(
        code("df", {"output_type": "execute_result", "data": data, "execution_count": 1}),
        code("df", {"output_type": "display_data", "data": data | resource}),
    )
    tables = [one.content for one in back.messages if isinstance(one.content, Table)]
    assert [(one.columns, one.rows, one.text) for one in tables] == [
        (("a",), ((1,),), "   a\n0  1"),
        (("a",), ((5,),), "   a\n0  1"),
    ]
    assert [one.text for one in back.messages if one.type == "console"] == ["   a\n0  1\n"] * 2


def test_the_whole_of_our_own_conversation_comes_back_from_a_notebook() -> None:
    messages = everything("/plot.png")
    back = read_document(write_document("ipynb", messages, "T", lambda _path: PNG).data)
    found = [(one.role, one.type) for one in back.messages]
    expected = [(one.role, one.type) for one in messages if one.type != "timing"]
    expected.remove(("computer", "confirmation"))  # of code that the user edited then
    at = expected.index(("computer", "table"))
    expected.insert(at, ("computer", "console"))  # the table as text, for models
    assert found == expected
    kept = {kind: [m.content for m in messages if m.type == kind] for kind in ("citation", "input")}
    for kind, contents in kept.items():
        assert [m.content for m in back.messages if m.type == kind] == contents
    assert ("user", "file", "path", "sales.csv") in shown(back)
    assert ("assistant", "tool_call", "lookup", '{"q": 1}') in shown(back)
    assert ("assistant", "message", None, "Seen. I look:\n\n```text\nunclosed") in shown(back)


def test_how_and_when_a_run_of_ours_ended_comes_back() -> None:
    end = RunEnd(kind="time_limit", limit=5.0)
    report = RunReport(state="killed", seconds=5.25, line=3, exit_status=-9, end=end)
    error = CodeError(
        name="E", message="no", frames=(Frame("", 3, "f"),), remedy="Do that.", printed=2
    )
    builder = MessageBuilder()
    builder.created_at = 1709287200.5
    message = builder.add("assistant", "code", "x", "python")
    builder.begin_run("python", "x", message)
    builder.add("computer", "console", "T\n")
    builder.add("computer", "error", error)
    builder.end_run(report)
    for _ in range(2):  # the second time from what the first has read
        book = write_document("ipynb", builder.messages).data
        back = read_document(book)
        builder.messages = list(back.messages)
        ended = back.messages[-1].content
        assert isinstance(ended, RunReport)
        assert replace(ended, end=None) == replace(report, end=None)
        assert run_end_text(ended) == run_end_text(report)
        assert [m.content for m in back.messages if m.type == "error"] == [error]
        assert [m.text for m in back.messages if m.type == "console"] == ["T\n"]
        assert next(m.created_at for m in back.messages if m.type == "run") == 1709287200.5
    facts = json.loads(book)["cells"][0]["metadata"]["execution"]
    assert facts["shell.execute_reply"] == "2024-03-01T10:00:05.750000Z"


def test_code_that_was_not_run_stays_so() -> None:
    builder = MessageBuilder()
    builder.add("assistant", "code", "x", "python")
    builder.add("computer", "tool_result", "The user chose not to run this code.", "execute")
    back = read_document(write_document("ipynb", builder.messages).data)
    assert shown(back) == [
        ("assistant", "code", "python", "x"),
        ("computer", "tool_result", "execute", "The user chose not to run this code."),
    ]
    assert not any(isinstance(one.content, RunReport) for one in back.messages)


def test_lists_of_old_versions_are_read() -> None:
    back = read(
        [
            {"role": "user", "message": "Plot it"},
            {
                "role": "assistant",
                "message": "So:",
                "language": "python",
                "code": "p",
                "output": "o",
            },
            {"role": "assistant", "type": "code", "language": "shell", "content": "ls"},
            {"role": "computer", "type": "console", "format": "output", "content": "files"},
            {"role": "computer", "type": "console", "format": "active_line", "content": "3"},
            {"role": "user", "content": [{"type": "text", "text": "See"}, _url()]},
            {"role": "user", "type": "image", "format": "base64", "content": PICTURE},
        ]
    )
    assert shown(back) == [
        ("user", "message", None, "Plot it"),
        ("assistant", "message", None, "So:"),
        ("assistant", "code", "python", "p"),
        ("computer", "console", None, "o"),
        ("assistant", "code", "shell", "ls"),
        ("computer", "console", None, "files"),
        ("user", "message", None, "See"),
        ("user", "image", "base64.png", PICTURE),
        ("user", "image", "base64.png", PICTURE),
    ]
    assert back.left_out == 0
    ran = [m.content.code for m in back.messages if isinstance(m.content, Proposal)]
    assert ran == ["p", "ls"]


def _url() -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}


def test_pictures_by_path_are_told_and_not_followed() -> None:
    back = read(
        [
            {"role": "user", "type": "image", "format": "path", "content": "/home/me/.secret.png"},
            {"role": "computer", "type": "image", "format": "path", "content": "C:\\a\\plot.png"},
        ]
    )
    assert shown(back) == [
        ("user", "message", None, "[The picture .secret.png is not in the imported file.]"),
        ("computer", "console", None, "[The picture plot.png is not in the imported file.]"),
    ]


def run_of(text: str) -> list[dict[str, Any]]:
    told = {"type": "code", "format": "python", "content": text}
    return [
        {"role": "computer", "type": "confirmation", "format": "execution", "content": told},
        {"role": "computer", "type": "run", "content": {"state": "started"}},
        {"role": "computer", "type": "run", "content": {"state": "finished"}},
    ]


@pytest.mark.parametrize("more", [[], run_of("last")[:1]], ids=["settled", "asked at the end"])
def test_no_code_hides_in_a_proposal_that_no_entry_shows(more: list[dict[str, Any]]) -> None:
    shown_code = {"role": "assistant", "type": "code", "format": "python", "content": "shown"}
    wires = [shown_code, *run_of("edited"), *run_of("hidden"), shown_code, *run_of("shown")]
    messages = read([*wires, *more]).messages
    asked = [one.content for one in messages if isinstance(one.content, Proposal)]
    codes = {one.id: one.text for one in messages if one.type == "code"}
    assert [one.code for one in asked] == ["edited", "shown"]
    assert [codes[one.message_id] for one in asked] == ["shown", "shown"]
    assert len({one.message_id for one in asked}) == 2


def test_the_file_that_a_run_names_as_its_output_is_not_followed() -> None:
    report = {"state": "finished", "seconds": 1.5, "output_path": "/home/me/.secret"}
    back = read(
        [
            {"role": "assistant", "type": "code", "format": "python", "content": "1"},
            {"role": "computer", "type": "run", "content": {"state": "started"}},
            {"role": "computer", "type": "run", "content": report},
        ]
    )
    assert back.messages[-1].content == RunReport(state="finished", seconds=1.5)


def test_what_is_not_understood_is_counted() -> None:
    back = read([{"role": "user", "type": "message", "content": "x"}, {"role": "robot"}, 7])
    assert len(back.messages) == 1
    assert back.left_out == 2
