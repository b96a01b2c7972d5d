"""Deltas of a model come out as the right messages, however they are cut."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation
from playhead.model_worker.protocol import CallPiece, CitedPage, Delta
from playhead.providers.parser.call_parser import CutOffError
from playhead.providers.parser.delta_parser import DeltaParser
from tests.support.model_server import GOLDEN_ANSWER, GOLDEN_CODE, Reply, calls, execute

Folded = tuple[str, str | None, str, str | None]

WORDS = {"python": "python", "py": "python", "bash": "bash", "sh": "bash", "console": "bash"}


def parse(deltas: list[Delta], *, reason: str = "stop", takes_tools: bool = False):
    parser = DeltaParser(WORDS.get, takes_tools=takes_tools)
    chunks = [chunk for delta in deltas for chunk in parser.feed(delta)]
    return chunks + parser.finish(reason)


def fold(chunks: list[Chunk]) -> list[Folded]:
    """The messages; fails where chunks nest, are empty or do not fit."""
    messages: list[Folded] = []
    opened: Chunk | None = None
    text = ""
    for chunk in chunks:
        assert chunk.role == "assistant"
        if chunk.start:
            assert opened is None
            opened, text = chunk, ""
            continue
        assert opened is not None
        assert (chunk.type, chunk.format) == (opened.type, opened.format)
        if chunk.end:
            messages.append((opened.type, opened.format, text, opened.id))
            opened = None
        else:
            assert isinstance(chunk.content, str)
            assert chunk.content
            text += chunk.content
    assert opened is None
    return messages


def of_text(text: str, *, takes_tools: bool = False) -> list[Folded]:
    return fold(parse([Delta(text=text)], takes_tools=takes_tools))


def of_reply(reply: Reply) -> list[Delta]:
    deltas: list[Delta] = []
    for raw in reply.deltas:
        pieces = tuple(
            CallPiece(
                index=piece["index"],
                id=piece.get("id", ""),
                name=piece["function"].get("name", ""),
                arguments=piece["function"].get("arguments", ""),
            )
            for piece in raw.get("tool_calls", ())
        )
        deltas.append(
            Delta(
                text=raw.get("content", ""),
                reasoning=raw.get("reasoning_content", ""),
                calls=pieces,
            )
        )
    return deltas


def call(arguments: str, name: str = "execute", index: int = 0) -> list[Delta]:
    return [Delta(calls=(CallPiece(index=index, id=f"id{index}", name=name, arguments=arguments),))]


def contents(chunks: list[Chunk]) -> list[object]:
    return [chunk.content for chunk in chunks if chunk.content is not None]


def test_the_golden_code_keeps_the_boundaries_of_its_deltas() -> None:
    chunks = parse(of_reply(execute(*GOLDEN_CODE)))
    assert chunks == [
        Chunk(role="assistant", type="code", format="python", start=True, id="call_0"),
        *(
            Chunk(role="assistant", type="code", format="python", content=piece)
            for piece in GOLDEN_CODE
        ),
        Chunk(role="assistant", type="code", format="python", end=True),
    ]


def test_the_golden_answer_keeps_the_boundaries_of_its_deltas() -> None:
    chunks = parse([Delta(text=piece) for piece in GOLDEN_ANSWER])
    assert contents(chunks) == list(GOLDEN_ANSWER)


def test_code_streams_while_it_is_still_inside_the_arguments() -> None:
    parser = DeltaParser(WORDS.get)
    chunks = parser.feed(call('{"language": "py", "code": "x = ')[0])
    assert contents(chunks) == ["x = "]


def test_code_waits_for_a_language_that_comes_after_it() -> None:
    parser = DeltaParser(WORDS.get)
    assert parser.feed(call('{"code": "1', index=0)[0]) == []
    rest = parser.feed(Delta(calls=(CallPiece(index=0, arguments='+1", "language": "python"}'),)))
    assert fold([*rest, *parser.finish()]) == [("code", "python", "1+1", "id0")]
    assert contents(rest) == ["1", "+1"]


def test_parallel_calls_come_one_after_the_other() -> None:
    reply = calls(execute("print(", "1)"), execute("print(", "2)", index=1))
    assert fold(parse(of_reply(reply))) == [
        ("code", "python", "print(1)", "call_0"),
        ("code", "python", "print(2)", "call_1"),
    ]


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    arguments = json.dumps({"language": "python", "code": "1"})
    deltas = [
        Delta(calls=(CallPiece(index=0, id=name, name="execute", arguments=arguments),))
        for name in ("a", "b")
    ]
    assert [message[3] for message in fold(parse(deltas))] == ["a", "b"]


def test_text_that_comes_during_a_call_waits_for_its_end() -> None:
    first, second = '{"language": "python", "code": "1', '2"}'
    deltas = [
        *call(first),
        Delta(text="between"),
        Delta(calls=(CallPiece(index=0, arguments=second),)),
    ]
    assert fold(parse(deltas)) == [
        ("code", "python", "12", "id0"),
        ("message", None, "between", None),
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"language": "cobol", "code": "DISPLAY 1"}',
        '{"language": "python"}',
        '{"code": "1"}',
        '{"language": 7, "code": "1"}',
        "[1]",
        '{"language": "python", oops',
        "",
    ],
)
def test_an_execute_that_cannot_be_run_comes_out_as_a_tool_call(arguments: str) -> None:
    whole = arguments or "{}"  # content is never empty
    assert fold(parse(call(arguments))) == [("tool_call", "execute", whole, "id0")]


def test_a_call_of_another_tool_streams_its_arguments() -> None:
    deltas = [*call('{"q":', "lookup"), Delta(calls=(CallPiece(index=0, arguments=' "x"}'),))]
    chunks = parse(deltas)
    assert fold(chunks) == [("tool_call", "lookup", '{"q": "x"}', "id0")]
    assert contents(chunks) == ['{"q":', ' "x"}']


def test_where_no_code_may_run_nothing_is_code() -> None:
    parser = DeltaParser(WORDS.get, offers_execute=False)
    deltas = [*call('{"language": "python", "code": "1"}'), Delta(text="```python\n1\n```")]
    chunks = [chunk for delta in deltas for chunk in parser.feed(delta)]
    assert fold(chunks + parser.finish()) == [
        ("tool_call", "execute", '{"language": "python", "code": "1"}', "id0"),
        ("message", None, "```python\n1\n```", None),
    ]
    assert parser.has_called


def test_ids_that_a_server_uses_again_or_leaves_out_become_ids_of_their_own() -> None:
    parser = DeltaParser(WORDS.get, known_ids=["id0"])
    pieces = [
        CallPiece(index=0, id="id0", name="a", arguments="{"),
        CallPiece(index=0, id="id0", arguments="}"),  # some servers repeat it in each piece
        CallPiece(index=1, id="", name="b", arguments="{}"),
        CallPiece(index=2, id="new", name="c", arguments="{}"),
        CallPiece(index=3, id="new", name="d", arguments="{}"),
    ]
    chunks = [chunk for piece in pieces for chunk in parser.feed(Delta(calls=(piece,)))]
    messages = fold(chunks + parser.finish())
    assert [(name, text) for _, name, text, _ in messages] == [
        ("a", "{}"), ("b", "{}"), ("c", "{}"), ("d", "{}")
    ]  # fmt: skip
    ids = [call_id or "" for *_, call_id in messages]
    assert len({"id0", "", *ids}) == 6
    assert ids[2] == "new"


def test_half_a_call_is_never_closed() -> None:
    with pytest.raises(CutOffError):
        parse(call('{"language": "python", "code": "rm -rf /tmp'))
    with pytest.raises(CutOffError):
        parse(call('{"language": "pyth'), reason="length")
    with pytest.raises(CutOffError):
        parse(call('{"language": "python", "code": "rm -rf /tmp'), reason="length")


def test_half_a_call_that_the_model_took_for_a_whole_one_is_given_back() -> None:
    half = call('{"language": "python", "code": "rm -rf /tmp')
    *code, start, text, end = parse(half, reason="tool_calls")
    assert fold(code) == [("code", "python", "rm -rf /tmp", "id0")]
    assert (start.type, start.id, start.start, end.end) == ("tool_result", "id0", True, True)
    assert "broke off" in str(text.content)
    parser = DeltaParser(WORDS.get, gives_back=False)
    parser.feed(half[0])
    with pytest.raises(CutOffError):
        parser.finish("tool_calls")


def test_whole_code_is_taken_though_its_brace_is_missing() -> None:
    assert fold(parse(call('{"language": "python", "code": "1"'))) == [
        ("code", "python", "1", "id0")
    ]


def test_what_follows_the_arguments_is_dropped_however_it_comes() -> None:
    code = '{"language": "python", "code": "1"}'
    late = Delta(calls=(CallPiece(index=0, arguments=" oops"),))
    for deltas in (call(code + " oops"), [*call(code), late]):
        assert fold(parse(deltas)) == [("code", "python", "1", "id0")]
    assert fold(parse(call("{}0", "lookup"))) == [("tool_call", "lookup", "{}", "id0")]


def test_a_fence_that_the_length_limit_cut_is_never_closed() -> None:
    with pytest.raises(CutOffError):
        parse([Delta(text="```python\nrm")], reason="length")
    assert fold(parse([Delta(text="```python\n1\n```")], reason="length"))[0][2] == "1"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("A\n```python\n1\n\n2\n```\nB", ["message:A\n", "code:1\n\n2", "message:B"]),
        ("~~~py\n1\n~~~", ["code:1"]),
        ("````py\n```\n1\n```\n````", ["code:```\n1\n```"]),
        ("```py\n~~~\n```", ["code:~~~"]),
        ("```python\nprint(1)\n", ["code:print(1)"]),
        ("```python title=x\n1\n```", ["code:1"]),
        ("  ```python\n  if x:\n    y\n  ```\nB", ["code:if x:\n  y", "message:B"]),
        ("    ```python\n    1\n", ["message:    ```python\n    1\n"]),
        ("```python\n1\n```\n\n```bash\nls\n```\n", ["code:1", "code:ls"]),
        ("```\nx\n```\n", ["message:```\nx\n```\n"]),
        ("```json\n```python\n1\n```\n", ["message:```json\n```python\n1\n```\n"]),
        ("```console\n$ ls\n```", ["message:```console\n$ ls\n```"]),
        ("```python\n```\nB", ["message:B"]),
        ("Use ```python in text", ["message:Use ```python in text"]),
        ("```py`x`\nA", ["message:```py`x`\nA"]),
        ("```python", ["message:```python"]),
        ("```python\r\n1\r\n```\r\nB", ["code:1\r", "message:B"]),
        ("```py\n``` x\n```", ["code:``` x"]),
        ("<think>a</think>\n\nB", ["reasoning:a", "message:B"]),
        ("A <think> B", ["message:A <think> B"]),
        ("<think>```python\n1\n```</think>B", ["reasoning:```python\n1\n```", "message:B"]),
        ("<think>no end", ["reasoning:no end"]),
        ("```python\n<think>\n```", ["code:<think>"]),
        ("\n\n", []),
        ("\n  A", ["message:  A"]),
    ],
)
def test_fences_and_thoughts_are_found_in_text(text: str, messages: list[str]) -> None:
    assert [f"{kind}:{body}" for kind, _, body, _ in of_text(text)] == messages


def test_fences_are_prose_for_a_model_that_takes_tools_and_after_a_call() -> None:
    text = "```python\n1\n```\n"
    assert of_text(text, takes_tools=True) == [("message", None, text, None)]
    deltas = [*call('{"language": "python", "code": "1"}'), Delta(text=text)]
    assert fold(parse(deltas))[1] == ("message", None, text, None)


def test_reasoning_has_messages_of_its_own() -> None:
    deltas = [Delta(reasoning="Let "), Delta(reasoning="me"), Delta(text="A")]
    assert fold(parse(deltas)) == [
        ("reasoning", None, "Let me", None),
        ("message", None, "A", None),
    ]


def test_reasoning_in_the_middle_of_code_does_not_end_the_code() -> None:
    deltas = [Delta(text="```python\n1"), Delta(reasoning="hm"), Delta(text="2\n```\n")]
    assert fold(parse(deltas)) == [
        ("code", "python", "12", None),
        ("reasoning", None, "hm", None),
    ]


def test_halves_of_a_character_are_joined_and_lone_ones_replaced() -> None:
    assert of_text("\ud83d") == [("message", None, "\ufffd", None)]
    assert fold(parse([Delta(text="a\ud83d"), Delta(text="\ude00b")]))[0][2] == "a😀b"
    arguments = '{"language": "python", "code": "\\ud83d\\ude00 \\ud83dx \\q"}'
    assert fold(parse(call(arguments)))[0][2] == "😀 \ufffdx \\q"


def test_prose_that_only_looked_special_keeps_its_pieces() -> None:
    assert contents(
        parse([Delta(text="A\n"), Delta(text="  "), Delta(text="`"), Delta(text="b` c")])
    ) == [
        "A\n",
        "  ",
        "`",
        "b` c",
    ]


PIECES = st.sampled_from(
    [
        *("```", "~~~", "````", "``", "`", "python", "bash", "json", "<think>", "</think>"),
        *("\n", " ", "   ", "x = 1", "text", "é😀", "\t"),
    ]
)


def cut_at(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@given(st.lists(PIECES, max_size=24).map("".join), st.lists(st.integers(0, 400), max_size=12))
def test_every_split_of_a_text_gives_the_same_messages(text: str, places: list[int]) -> None:
    whole = of_text(text)
    assert fold(parse([Delta(text=piece) for piece in cut_at(text, places) if piece])) == whole
    assert fold(parse([Delta(text=letter) for letter in text])) == whole


ARGUMENTS = st.one_of(
    st.builds(
        lambda code, language, is_ascii: json.dumps(
            {"language": language, "code": code}, ensure_ascii=is_ascii
        ),
        st.text(max_size=30),
        st.sampled_from(["python", "py", "cobol"]),
        st.booleans(),
    ),
    st.builds(lambda code: json.dumps({"code": code, "language": "python"}), st.text(max_size=30)),
    st.text(alphabet='{}[]":,\\u0d8 ', max_size=20),
)


@given(ARGUMENTS, st.lists(st.integers(0, 200), max_size=12))
def test_every_split_of_arguments_gives_the_same_messages(text: str, places: list[int]) -> None:
    def messages(pieces: list[str]) -> object:
        deltas = [
            Delta(calls=(CallPiece(index=0, id="id0", name="execute", arguments=piece),))
            for piece in pieces
        ]
        try:
            return fold(parse(deltas))
        except CutOffError:
            return "cut off"

    whole = messages([text])
    assert messages(cut_at(text, places)) == whole
    assert messages(list(text) or [""]) == whole


@given(st.text(max_size=40), st.sampled_from(["python", "bash"]))
def test_code_comes_out_of_its_arguments_unchanged(code: str, language: str) -> None:
    for arguments in ({"language": language, "code": code}, {"code": code, "language": language}):
        messages = fold(parse(call(json.dumps(arguments))))
        assert messages == [("code", language, code, "id0")]


def cites(*deltas: Delta) -> list[tuple[int, int, str]]:
    found = [chunk.content for chunk in parse(list(deltas)) if chunk.type == "citation"]
    return [(one.start, one.end, one.text) for one in found if isinstance(one, Citation)]


def page(start: int, end: int) -> Delta:
    return Delta(citations=(CitedPage(start=start, end=end, title="t", url="https://a.example/"),))


@pytest.mark.parametrize("before", ["", "\n\n", "<think>19</think>", "```text\n19\n```\n", "19 "])
def test_a_citation_counts_from_the_beginning_of_its_message(before: str) -> None:
    start = len(before) + 6
    found = cites(Delta(text=before + "It is 1"), Delta(text="9 °C."), page(start, start + 5))
    text = "".join(part for kind, _, part, _ in fold(parse([Delta(text=before + "It is 19 °C.")]))
                   if kind == "message")  # fmt: skip
    assert found == [(text.index("19 °C"), text.index("19 °C") + 5, "19 °C")]


def test_a_citation_stands_before_the_call_that_follows_its_message() -> None:
    deltas = [Delta(text="See this."), page(4, 8), page(4, 8), *call("{}", "lookup")]
    kinds = [chunk.type for chunk in parse(deltas)]
    assert kinds == ["message"] * 3 + ["citation"] + ["tool_call"] * 3


@pytest.mark.parametrize("place", [(90, 95), (4, 4)])
def test_a_citation_of_nothing_is_left_out(place: tuple[int, int]) -> None:
    assert cites(Delta(text="It is 19 °C."), page(*place)) == []
    assert cites(Delta(text="```python\n1\n```\n"), page(0, 3)) == []
