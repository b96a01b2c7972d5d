"""Valid streams of chunks for property tests, and what two of them have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    Proposal,
    RunReport,
    Source,
    Table,
    Usage,
)

Strategy = st.SearchStrategy[list[Chunk]]

anything = st.text(st.characters(codec=None), max_size=30)
"""Also lone surrogates, control characters and what breaks JSON or markdown."""
tricky = st.sampled_from(
    ["\\", '"', "\\u00", "```", "`", "\n", "\r\n", "\ud83d", "\ude00", "😀", "\0"]
)
pieces = st.lists((anything | tricky).filter(bool), max_size=5)
words = st.sampled_from(["python", "bash", "javascript", "r"])
names = st.text("abcdefghij_-0123456789", min_size=1, max_size=12).filter(lambda n: n != "execute")
ids = st.none() | st.text("abcdef0123456789", min_size=1, max_size=8).map("call_{}".format)


def message_of(
    role: Role,
    kind: ChunkType,
    contents: st.SearchStrategy[list[str]] = pieces,
    formats: st.SearchStrategy[str | None] = st.none(),  # noqa: B008 - strategies are values
    calls: st.SearchStrategy[str | None] = st.none(),  # noqa: B008
) -> Strategy:
    """A message of this kind: start, pieces, end."""
    return st.builds(
        lambda texts, format_, call: [
            Chunk(role=role, type=kind, format=format_, start=True, id=call),
            *(Chunk(role=role, type=kind, format=format_, content=text) for text in texts),
            Chunk(role=role, type=kind, format=format_, end=True),
        ],
        contents,
        formats,
        calls,
    )


def cut(text: str, places: list[int]) -> list[str]:
    """The text in pieces that end at these places."""
    ends = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    found = [text[a:b] for a, b in pairwise(ends)]
    return [piece for piece in found if piece]


arguments = st.builds(
    lambda values, places: cut(json.dumps(values), places),
    st.dictionaries(st.text(max_size=5), st.text(max_size=8) | st.integers(), max_size=3),
    st.lists(st.integers(0, 200), max_size=5),
)


def single(role: Role, kind: ChunkType, contents: st.SearchStrategy[Payload]) -> Strategy:
    """A chunk that is a message by itself."""
    format_ = "execution" if kind == "confirmation" else None
    return contents.map(
        lambda content: [Chunk(role=role, type=kind, format=format_, content=content)]
    )


texts = anything.filter(bool)
numbers = st.integers(0, 2**31)
seconds = st.floats(0, 1e6)
proposals = st.builds(
    lambda language, code: Proposal(id="", message_id="", language=language, code=code),
    words,
    anything,
)
citations = st.builds(
    Citation,
    start=numbers,
    end=numbers,
    text=anything,
    sources=st.lists(
        st.builds(Source, id=anything, title=anything, url=anything, text=anything), max_size=2
    ).map(tuple),
)
failures = st.builds(
    Failure,
    code=st.sampled_from(["upstream_error", "internal_error"]),
    title=texts,
    retry_after_s=st.none() | seconds,
)


cells = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(0, 1) | anything
tables = st.builds(
    Table,
    columns=st.tuples(anything, anything),
    dtypes=st.tuples(anything, anything),
    rows=st.lists(st.tuples(cells, cells), max_size=3).map(tuple),
    total_rows=numbers,
    total_columns=numbers,
    name=anything,
    key=anything,
    missing=st.tuples(anything, anything),
    text=anything,
)


@st.composite
def file_changes(draw: st.DrawFn) -> FileChanges:
    """Each file is in one of the three groups."""
    kinds = st.sampled_from(["text", "image", "other"])
    paths = draw(st.lists(st.text(min_size=1, max_size=9), unique=True, max_size=5))
    found = [
        FileChange(path=path, size_bytes=draw(numbers), kind=draw(kinds), diff=draw(anything))  # type: ignore[arg-type]
        for path in paths
    ]
    groups: dict[str, Any] = {
        "created": tuple(found[:2]),
        "changed": tuple(found[2:3]),
        "deleted": tuple(found[3:]),
    }
    totals: dict[str, Any] = {}
    for name, group in groups.items():
        extra = draw(st.sampled_from([0, 1, 10**6]))
        totals[f"{name}_total"] = len(group) + extra if extra else 0
    return FileChanges(folder="", note=draw(anything), **groups, **totals)


changes = file_changes()


@st.composite
def consoles(draw: st.DrawFn) -> list[Chunk]:
    """Output and running lines, mixed."""
    output = texts.map(
        lambda text: Chunk(role="computer", type="console", format="output", content=text)
    )
    line = (st.none() | st.integers(1, 99)).map(
        lambda number: Chunk(role="computer", type="console", format="active_line", content=number)
    )
    inside = draw(st.lists(output | line, max_size=6))
    start = Chunk(role="computer", type="console", start=True)
    return [start, *inside, Chunk(role="computer", type="console", end=True)]


says = message_of("assistant", "message")
thinks = message_of("assistant", "reasoning")
plans = message_of("assistant", "plan")
codes = message_of("assistant", "code", formats=words, calls=ids)
calls = message_of("assistant", "tool_call", arguments, names, ids)
results = message_of("computer", "tool_result", formats=names, calls=ids)
images = message_of(
    "computer", "image", pieces, st.sampled_from(["path", "base64.png", "base64.jpeg"])
)
markup = message_of("computer", "code", pieces, st.sampled_from(["html", "javascript"]))
plain = st.one_of(
    says,
    thinks,
    plans,
    codes,
    calls,
    results,
    images,
    markup,
    consoles(),
    single("computer", "confirmation", proposals),
    single("assistant", "citation", citations),
)
"""All that a plain native reader has words for."""
extended = st.one_of(
    single(
        "computer",
        "run",
        st.builds(RunReport, state=st.just("finished"), seconds=seconds, line=st.none()),
    ),
    single(
        "computer",
        "error",
        st.builds(
            lambda n, f: CodeError(
                name=n, message=n, frames=(Frame(f, 1, n),), remedy=f, printed=len(f) or None
            ),
            texts,
            anything,
        ),
    ),
    single("computer", "input", st.builds(InputRequest, texts, anything, st.booleans())),
    single(
        "computer",
        "timing",
        st.builds(
            LineTiming,
            line=numbers,
            seconds=seconds,
            last_line=numbers,
            share=st.none() | st.floats(0, 1),
        ),
    ),
    single("computer", "table", tables),
    single("computer", "files", changes),
    single(
        "server",
        "usage",
        st.builds(
            Usage,
            input_tokens=numbers,
            output_tokens=numbers,
            finish_reason=st.just("stop"),
            is_estimated=st.booleans(),
        ),
    ),
)
ends = st.one_of(
    st.sampled_from(["complete", "awaiting_approval", "cancelled"]).map(
        lambda text: [Chunk(role="server", type="status", content=text)]
    ),
    single("server", "error", failures),
)


def streams(parts: Strategy, last: Strategy = ends) -> Strategy:
    """Any number of such messages, then what ends a stream."""
    together = st.lists(parts, max_size=8).map(lambda lists: list(chain.from_iterable(lists)))
    return st.builds(lambda chunks, end: [*chunks, *end], together, last)


def replaced(text: str) -> str:
    """With halves of characters joined, and lone ones as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def essence(chunks: Iterable[Chunk], *, is_with_ids: bool = True) -> list[object]:
    """What must survive: messages without the boundaries of their pieces; empty prose is none."""
    told: list[object] = []
    texts: list[str] = []
    opened: Chunk | None = None
    for chunk in chunks:
        if chunk.start:
            opened, texts = chunk, []
        elif chunk.end:
            assert opened is not None
            content = replaced("".join(texts))
            head = (opened.role, opened.type, opened.format, opened.id if is_with_ids else None)
            told.append((*head, content))
            opened = None
        elif opened is not None and isinstance(chunk.content, str):
            assert chunk.content
            texts.append(chunk.content)
        elif opened is not None:
            told.append(("line", chunk.content))
        else:
            told.append(replace(chunk, id=None))
    assert opened is None
    return told


def of_kinds(chunks: Iterable[Chunk], *kinds: str) -> list[Chunk]:
    """Only the chunks of these types."""
    return [chunk for chunk in chunks if chunk.type in kinds]
