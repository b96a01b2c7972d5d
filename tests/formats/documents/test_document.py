"""Conversations as files: what each kind holds, and that every reader takes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import nbformat
import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    FileConflict,
    Proposal,
    RunReport,
    Table,
)
from playhead.domain.text.terminal import line_ends
from playhead.formats.documents.document import read_document, write_document
from playhead.formats.documents.markdown_document import write_markdown
from playhead.formats.documents.reader_view import CodeBlock, changes_words, passages_of
from playhead.formats.documents.script import write_script
from playhead.formats.wire.codec import whole_chunk
from tests.support.chunk_streams import replaced
from tests.support.conversations import (
    PNG,
    SVG,
    TABLE,
    conversations,
    everything,
    printed,
    ran,
    told,
    whole,
)

PICTURE = "/pictures/plot.png"


def read_file(path: str) -> bytes | None:
    return PNG if path == PICTURE else None


def notebook(messages: Iterable[Message]) -> dict[str, Any]:
    return json.loads(write_document("ipynb", messages, "A title", read_file).data)


def messages_of(messages: Iterable[Message]) -> list[dict[str, Any]]:
    return json.loads(write_document("json", messages, "", read_file).data)


def markdown(messages: Iterable[Message]) -> str:
    return write_markdown(messages, "A title", read_file, "doc_files").text


def cells(messages: Iterable[Message], kind: str = "code") -> list[dict[str, Any]]:
    return [cell for cell in notebook(messages)["cells"] if cell["cell_type"] == kind]


def fences(text: str) -> list[tuple[str, str]]:
    """(word, content) of the blocks of code that a reader of markdown sees."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [(token.info, token.content) for token in tokens if token.type == "fence"]


def is_subsequence(wanted: Sequence[object], found: Sequence[object]) -> bool:
    rest = iter(found)
    return all(one in rest for one in wanted)


@given(conversations)
def test_any_conversation_is_a_valid_notebook(messages: tuple[Message, ...]) -> None:
    book = nbformat.reads(
        write_document("ipynb", messages, "\ud800 title", read_file).data.decode(), 4
    )
    nbformat.validate(book)


@given(conversations)
def test_any_conversation_is_a_script_that_compiles(messages: tuple[Message, ...]) -> None:
    compile(write_script(messages, "coding: rot13\n"), "script", "exec", dont_inherit=True)


@given(conversations)
def test_any_markdown_shows_all_code_and_closes_what_it_opens(
    messages: tuple[Message, ...],
) -> None:
    ending = Chunk(role="user", type="message", content="the very end")
    messages = (*messages, *told([ending]))
    blocks = [one for one in passages_of(messages) if isinstance(one, CodeBlock)]
    wanted = [_shown(replaced(one.code)) for one in blocks if one.code]
    text = markdown(messages)
    assert is_subsequence(wanted, [content for _, content in fences(text)])
    tokens = MarkdownIt("commonmark").parse(text)
    assert (tokens[-2].level, tokens[-2].content) == (1, "the very end")


def _shown(code: str) -> str:
    """Code as a reader of markdown sees it."""
    text = line_ends(code).replace("\0", "\ufffd")
    return text if text.endswith("\n") else f"{text}\n"


@given(conversations)
def test_any_conversation_comes_back_from_its_json(messages: tuple[Message, ...]) -> None:
    messages = (*told([Chunk(role="user", type="message", content="first")]), *messages)
    kept = [essence(message) for message in messages]
    wanted = [one for one in kept if one is not None]
    back = read_document(write_document("json", messages).data)
    assert back.left_out == 0
    found = [essence(message) for message in back.messages]
    # Runs that only outputs tell of get their frame, a question that nobody answers goes.
    frame = {"confirmation", "run"}
    assert [one for one in found if one and one[1] not in frame] == [
        one for one in wanted if one[1] not in frame
    ]
    ids = [message.id for message in back.messages]
    assert [message.parent_id for message in back.messages] == [None, *ids[:-1]]


def essence(message: Message) -> tuple[object, ...] | None:
    """What must survive; None for what says nothing."""
    content, format_ = message.content, message.format
    if message.type in ("status", "command", "usage"):
        return None
    if content in (None, "") and message.type not in ("code", "tool_call", "tool_result"):
        return None
    if message.type == "image" and format_ != "svg":
        return (message.role, "picture")
    if isinstance(content, str) and content.startswith(("[A picture that", "[The picture ")):
        return (message.role, "picture")
    if isinstance(content, FileChanges):
        content = replace(content, folder="")
    if isinstance(content, Proposal | Failure):
        content = type(content).__name__
    content = whole_chunk(Chunk(role=message.role, type=message.type, content=content)).content
    return (message.role, message.type, format_, content or "", message.call_id)


def test_a_notebook_holds_everything_where_it_belongs() -> None:
    found = cells(everything(PICTURE))
    first, failed, shell, declined = found
    assert "".join(first["source"]) == "import pandas\ndf = 2"
    assert first["metadata"]["playhead"]["written"] == "import pandas\ndf = 1"
    assert [cell["execution_count"] for cell in found] == [1, 2, 3, None]
    shown = [output.get("data", {}) for output in first["outputs"]]
    assert "".join(first["outputs"][0]["text"]) == "\x1b[32mgreen\x1b[0m\n10 %\r99 %\n"
    assert any("image/png" in data for data in shown)
    assert any("".join(data.get("image/svg+xml", [])) == SVG for data in shown)
    [table] = [data for data in shown if "text/html" in data and "<table" in data["text/html"][0]]
    assert "a&lt;b" in "".join(table["text/html"])
    assert "2 of 500 rows" in "".join(table["text/plain"])
    assert failed["outputs"][0]["text"] == ["before\n"]
    error = failed["outputs"][1]
    assert (error["ename"], error["evalue"]) == ("ZeroDivisionError", "division by zero")
    assert error["traceback"][0].startswith("\x1b[31mTraceback")
    assert shell["source"][0] == "%%bash\n"
    assert declined["outputs"] == []
    assert declined["metadata"]["playhead"]["notes"] == ["The user chose not to run this code."]
    prose = "\n".join("".join(cell["source"]) for cell in cells(everything(PICTURE), "markdown"))
    for word in ("# A title", "**it**", "sales.csv", "First look", "example.org", "It broke."):
        assert word in prose
    assert "/home/me" not in json.dumps(notebook(everything(PICTURE)))


def test_markdown_holds_everything_and_its_pictures_lie_beside_it() -> None:
    document = write_markdown(everything(PICTURE), "A title", read_file, "a (b)_files")
    assert list(document.pictures) == ["picture-1.png", "picture-2.png", "picture-3.svg"]
    assert "![Picture 1](a%20%28b%29_files/picture-1.png)" in document.text
    assert ("python", "import pandas\ndf = 2\n") in fences(document.text)
    assert ("python", "import pandas\ndf = 1\n") in fences(document.text)
    assert ("text", "green\n99 %\n") in fences(document.text)
    for words in ("| a\\<b | 1 |", "*2 of 500 rows*", "## You", "## Assistant", "Not run"):
        assert words in document.text
    assert document.text.count("ZeroDivisionError") == 1
    assert "\x1b" not in document.text
    assert "/home/me" not in document.text


def test_markdown_without_a_folder_holds_its_pictures_itself() -> None:
    document = write_markdown(everything(PICTURE), "", read_file)
    assert document.pictures == {}
    assert "![Picture 1](data:image/png;base64,iVBOR" in document.text


def test_a_picture_that_is_gone_is_told_in_words() -> None:
    messages = everything("/pictures/gone.png")
    assert "gone.png could not be read" in markdown(messages)
    assert "gone.png could not be read" in json.dumps(notebook(messages))


def test_a_file_that_is_no_picture_stays_out() -> None:
    secret = b"-----BEGIN PRIVATE KEY-----"
    for kind in ("md", "ipynb", "json"):
        data = write_document(kind, everything("/key.png"), "", lambda _path: secret).data
        assert b"PRIVATE KEY" not in data
        assert b"LS0tLS1CRUdJ" not in data


def test_code_that_the_user_ran_is_theirs_in_markdown_and_comes_back_as_theirs() -> None:
    message = Message(
        id="1", parent_id=None, role="user", type="code", format="python", content="print(1)"
    )
    assert markdown([message]).split("\n\n")[1:3] == ["## You", "```python\nprint(1)\n```"]
    back = read_document(write_document("json", [message]).data).messages
    assert [(one.role, one.type, one.text) for one in back] == [("user", "code", "print(1)")]


def test_a_fence_in_code_gets_a_longer_one_around_it() -> None:
    code = 'text = """\n```python\n````\n"""'
    assert ("python", f"{code}\n") in fences(markdown(told(ran(code))))


def test_a_script_is_the_code_that_ran_and_says_what_it_leaves_out() -> None:
    script = write_script(everything(PICTURE), "A title")
    code = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert code == ["import pandas", "df = 2", "1 / 0"]
    for words in (
        "# When it ran it failed: ZeroDivisionError: division by zero.",
        "# This ran as bash, not as Python.\n# echo hi",
        "# Not run. The user chose not to run this code.\n# never()",
        "# You:\n# What is in **it**?",
    ):
        assert words in script


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("%pip install x\nx = 1", ["x = 1"]),
        ("if True:\n    !ls", ["if True:", "    pass  # Left out, this is not Python: !ls"]),
        ("%%time\nx = 1", ["x = 1"]),
        ("%%bash\nls", []),
        ("x = !ls\ny = 2", ["y = 2"]),
        ("print('%d' %\n3)", ["print('%d' %", "3)"]),
        ("def f(:", []),
        ("x = '''\n%pip\n'''", ["x = '''", "%pip", "'''"]),
    ],
)
def test_magics_stand_in_a_script_as_comments(code: str, kept: list[str]) -> None:
    lines = write_script(told(ran(code))).splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == kept
    assert all(any(part.strip() in line for line in lines) for part in code.split("\n"))


def test_imports_from_the_future_stand_at_the_top() -> None:
    script = write_script(told([*ran("x = 1"), *ran("from __future__ import annotations\ny = 2")]))
    assert script.index("import annotations") < script.index("x = 1")
    compile(script, "script", "exec", dont_inherit=True)


def test_blocks_that_are_valid_only_alone_become_comments() -> None:
    script = write_script(told([*ran("x = 1"), *ran("global x"), *ran("z = 3")]))
    compile(script, "script", "exec", dont_inherit=True)
    assert "# global x" in script
    assert "\nz = 3" in script


def test_json_is_the_list_that_open_interpreter_reads() -> None:
    found = messages_of(everything(PICTURE))
    assert {"role": "user", "type": "message", "content": "What is in **it**?"} in found
    code = next(one for one in found if one["type"] == "code")
    assert (code["role"], code["format"]) == ("assistant", "python")
    output = next(one for one in found if one["type"] == "console")
    assert output["format"] == "output"
    picture = next(one for one in found if one["type"] == "image")
    assert picture["format"] == "base64.png"
    known = ("message", "code", "console", "image", "file")
    others = [one for one in found if one["type"] not in known]
    assert others
    assert all(one["recipient"] == "user" for one in others)  # it skips these


def test_streams_that_were_cut_come_back_as_such() -> None:
    [message] = told(whole("assistant", "message", None, "half"))
    data = write_document("json", [replace(message, state="interrupted")]).data
    assert read_document(data).messages[0].state == "interrupted"


def test_a_run_that_was_going_on_comes_back_ended() -> None:
    chunks = ran("x", printed("y"))[:-1]
    back = read_document(write_document("json", told(chunks)).data).messages
    assert isinstance(back[-1].content, RunReport)
    assert back[-1].content.state == "killed"


def test_code_that_waits_comes_back_without_its_question() -> None:
    chunks = ran("x")[:4]
    assert chunks[-1].type == "confirmation"
    back = read_document(write_document("json", told(chunks)).data).messages
    assert [message.type for message in back] == ["code"]


def test_an_interrupted_run_is_told_in_words() -> None:
    report = Chunk(
        role="computer", type="run", content=RunReport(state="interrupted", seconds=2.0, line=3)
    )
    messages = told([*ran("loop()", printed("a"))[:-1], report])
    words = "Stopped at line 3 after 2.0 s."
    assert words in markdown(messages)
    assert words in write_script(messages)
    [cell] = cells(messages)
    assert cell["outputs"][-1]["name"] == "stderr"
    assert words in cell["outputs"][-1]["text"][0]


def test_an_error_without_a_traceback_is_told_all_the_same() -> None:
    error = Chunk(role="computer", type="error", content=CodeError(name="Oops", message="no"))
    messages = told(ran("x", [error]))
    assert cells(messages)[0]["outputs"][0]["traceback"] == ["Oops: no"]
    assert ("text", "Oops: no\n") in fences(markdown(messages))


def test_a_table_comes_back_whole_from_a_notebook() -> None:
    chunk = Chunk(role="computer", type="table", content=TABLE)
    back = read_document(write_document("ipynb", told(ran("df", [chunk]))).data)
    [table] = [one.content for one in back.messages if isinstance(one.content, Table)]
    assert replace(table, text="") == TABLE
    [output] = [one.text for one in back.messages if one.type == "console"]
    assert output == f"{table.text}\n"  # what a model is told of it


def test_a_frame_that_was_printed_too_is_shown_once() -> None:
    table = replace(TABLE, text="  name  n|m\n0  a<b  1.0", missing=("None", "NaN"))
    shown = Chunk(role="computer", type="table", content=table)
    messages = told(ran("df", printed(f"before\n{table.text}\n"), [shown]))
    assert fences(markdown(messages))[1:] == [("text", "before\n")]
    assert "| c\\|d | NaN |" in markdown(messages)
    assert "".join(cells(messages)[0]["outputs"][0]["text"]) == "before\n"
    back = read_document(write_document("ipynb", messages).data).messages
    assert [one.text for one in back if one.type == "console"] == [f"before\n{table.text}\n"]
    assert [one.content for one in back if one.type == "table"] == [table]


def test_a_document_says_what_was_undone() -> None:
    run = FileChanges(folder="/w", id="r", created=(FileChange(path="a.txt"),))
    undo = FileChanges(
        folder="/w",
        id="u",
        action="undo",
        of="r",
        deleted=(FileChange(path="a.txt"),),
        conflicts=(FileConflict(path="b.txt", reason="changed"),),
    )
    assert changes_words(run) == ["Files created: a.txt"]
    assert changes_words(undo) == ["Undone by the user: a.txt; left as changed since: b.txt"]
