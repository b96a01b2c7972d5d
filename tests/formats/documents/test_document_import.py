"""Notebooks and lists of messages that anybody may have written."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, Proposal, RunReport
from playhead.errors import DocumentError
from playhead.formats.documents.document import read_document, write_document
from playhead.formats.documents.imported_conversation import ImportedConversation
from playhead.formats.documents.notebook import TABLE_MIME
from tests.support.conversations import PNG, SVG, TRACEBACK, everything

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


def test_a_notebook_becomes_a_conversation_whose_code_can_be_run_again() -> None:
    back = notebook(
        {"cell_type": "markdown", "source": ["# Sales\n", "by month"], "metadata": {}},
        code("x = 1", {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}),
        code("y = 2", execution_count=None),
    )
    assert shown(back) == [
        ("user", "message", None, "This is the notebook “A name”. Nothing of it was run here."),
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
    assert shown(back)[2:] == [
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
