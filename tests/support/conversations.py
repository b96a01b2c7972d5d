"""Conversations to write into documents: any at all, and one with something of everything."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk, Content
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    InputRequest,
    LineTiming,
    Proposal,
    RunReport,
    Source,
    Table,
)
from tests.support.chunk_streams import anything, extended, plain, streams, tricky

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M1 1H8V8"/></svg>'
TRACEBACK = (
    "\x1b[31mTraceback (most recent call last):\x1b[0m\n"
    '  File "<block 2>", line 1, in <module>\n'
    "    1 / 0\n"
    "ZeroDivisionError: division by zero\n"
)

_prose = st.lists(
    anything
    | tricky
    | st.sampled_from(
        ["# head", "~~~", "````", "<!--", "<pre>", "> ", "- ```", "    code", "\n\n", "```py\nx"]
    ),
    max_size=6,
).map("".join)
user_parts = st.one_of(
    _prose.filter(bool).map(lambda text: [Chunk(role="user", type="message", content=text)]),
    anything.filter(bool).map(
        lambda text: [Chunk(role="user", type="file", format="path", content=text)]
    ),
    st.just(
        [
            Chunk(
                role="user",
                type="image",
                format="base64.png",
                content=base64.b64encode(PNG).decode(),
            )
        ]
    ),
)


def _said(text: str) -> list[Chunk]:
    return whole("assistant", "message", None, text)


_odd_code = st.sampled_from(
    [
        "!ls",
        "%pip install x\nx = 1",
        "if x:\n    !ls",
        "%%bash\necho",
        "%%time\nx = 1",
        "from __future__ import annotations\nx = 1",
        "return 1",
        "await f()",
        "x = 1",
        "global x",
        '"""unclosed',
        "(" * 300,
        "```\nfence",
        "# %% cell",
        "x = !ls",
        "print(7)",
    ]
)


@st.composite
def runs(draw: st.DrawFn) -> list[Chunk]:
    """Code that ran, perhaps edited, with some output."""
    code = draw(_odd_code | _prose)
    ran = draw(st.just(code) | _odd_code)
    language = draw(st.sampled_from(["python", "py", "bash", "r", "c++", "weird lang", ""]))
    return [
        *whole("assistant", "code", language, code),
        Chunk(
            role="computer",
            type="confirmation",
            format="execution",
            content=Proposal(id="", message_id="", language=language, code=ran),
        ),
        Chunk(role="computer", type="run", content=RunReport(state="started")),
        *whole("computer", "console", None, draw(_prose)),
        Chunk(role="computer", type="run", content=RunReport(state="finished", seconds=0.1)),
    ]


conversations = streams(plain | extended | user_parts | _prose.map(_said) | runs()).map(
    lambda chunks: told(chunks)
)
"""The messages of any conversation."""


def whole(role: str, kind: str, format_: str | None, text: str) -> list[Chunk]:
    """A message of text: start, content, end."""
    start = Chunk(role=role, type=kind, format=format_, start=True)  # type: ignore[arg-type]
    inside = "output" if kind == "console" else format_
    content = Chunk(role=role, type=kind, format=inside, content=text)  # type: ignore[arg-type]
    end = Chunk(role=role, type=kind, format=format_, end=True)  # type: ignore[arg-type]
    return [start, content, end] if text else [start, end]


def told(chunks: Iterable[Chunk]) -> tuple[Message, ...]:
    """The messages that the chunks make."""
    conversation = Conversation()
    for chunk in chunks:
        conversation.apply(chunk)
    return tuple(conversation.messages)


def computer(kind: str, content: Content, format_: str | None = None) -> list[Chunk]:
    """A single chunk of the machine."""
    return [Chunk(role="computer", type=kind, format=format_, content=content)]  # type: ignore[arg-type]


def ran(code: str, *results: Sequence[Chunk], edited: str = "", language: str = "python"):
    """Code that ran, with its results."""
    proposals = computer(
        "confirmation", Proposal(id="p", message_id="", language=language, code=code), "execution"
    )
    if edited:
        proposals += computer(
            "confirmation",
            Proposal(id="p", message_id="", language=language, code=edited),
            "execution",
        )
    return [
        *whole("assistant", "code", language, code),
        *proposals,
        *computer("run", RunReport(state="started")),
        *(chunk for result in results for chunk in result),
        *computer("run", RunReport(state="finished", seconds=0.25)),
    ]


def printed(text: str) -> list[Chunk]:
    """Output of a run."""
    return whole("computer", "console", None, text)


TABLE = Table(
    columns=("name", "n|m"),
    dtypes=("object", "int64"),
    rows=(("a<b", 1), ("c|d", None)),
    total_rows=500,
    total_columns=2,
    name="df",
)


def everything(picture: str) -> tuple[Message, ...]:
    """A conversation with something of every kind; `picture` is the path of an image."""
    changes = FileChanges(
        folder="/w",
        created=(FileChange(path="out.csv", size_bytes=9),),
        changed=(),
        deleted=(FileChange(path="old.txt"),),
    )
    citation = Citation(
        start=0,
        end=4,
        text="Seen",
        sources=(Source(id="s", title="A page", url="https://example.org/a", text="x"),),
    )
    return told(
        [
            Chunk(role="user", type="file", format="path", content="/home/me/data/sales.csv"),
            Chunk(role="user", type="image", format="path", content=picture),
            Chunk(role="user", type="message", content="What is in **it**?"),
            *whole("assistant", "reasoning", None, "First look.\n\nThen think."),
            *whole("assistant", "message", None, "Seen. I look:\n\n```text\nunclosed"),
            Chunk(role="assistant", type="citation", content=citation),
            *ran(
                "import pandas\ndf = 1",
                printed("\x1b[32mgreen\x1b[0m\n10 %\r99 %\n"),
                whole("computer", "image", "path", picture),
                whole("computer", "image", "svg", SVG),
                computer("table", TABLE),
                computer("input", InputRequest("i", "Name? ")),
                whole("computer", "code", "html", "<b>bold</b>"),
                whole("computer", "code", "markdown", "*done*"),
                computer("timing", LineTiming(line=1, seconds=0.1)),
                computer("files", changes),
                edited="import pandas\ndf = 2",
            ),
            *ran("1 / 0", printed(f"before\n{TRACEBACK}"), computer("error", _error)),
            *ran("echo hi", printed("hi\n"), language="bash"),
            *whole("assistant", "code", "python", "never()"),
            *whole("computer", "tool_result", "execute", "The user chose not to run this code."),
            *whole("assistant", "tool_call", "lookup", '{"q": 1}'),
            *whole("computer", "tool_result", "lookup", "nothing"),
            Chunk(role="server", type="error", content=_failure),
            Chunk(role="user", type="message", content="Thanks"),
        ]
    )


_failure = Failure(code="upstream_error", title="It broke.", detail="500", remedy="Wait.")
_error = CodeError(name="ZeroDivisionError", message="division by zero", printed=len(TRACEBACK))
