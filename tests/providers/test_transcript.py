"""What a model reads of a conversation: never a call without its result."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Failure,
    FileChange,
    FileChanges,
    Proposal,
    RunEnd,
    RunReport,
)
from playhead.model_worker.protocol import DOCUMENT_PART, IMAGE_DATA_PART, IMAGE_PART
from playhead.providers.transcript import (
    NO_RESULT,
    NOT_RUN,
    chat_messages,
    describe_edit,
    shortened,
    unique_ids,
)

_ids = itertools.count(1)


def message(role: Any, kind: Any, content: Any = None, **more: Any) -> Message:
    return Message(
        id=f"m{next(_ids)}", parent_id=None, role=role, type=kind, content=content, **more
    )


def user(text: str) -> Message:
    return message("user", "message", text)


def code(text: str, call_id: str | None = "c1", **more: Any) -> Message:
    return message("assistant", "code", text, format="python", call_id=call_id, **more)


def run(block: Message, output: str = "", ran: str | None = None, **end: Any) -> list[Message]:
    proposal = Proposal(id="p", message_id=block.id, language="python", code=block.text)
    edited = [
        message(
            "computer",
            "confirmation",
            Proposal(id="p", message_id=block.id, language="python", code=ran or ""),
        )
    ]
    return [
        message("computer", "confirmation", proposal),
        *(edited if ran is not None else []),
        message("computer", "run", RunReport(state="started")),
        message("computer", "console", output),
        message("computer", "run", RunReport(**{"state": "finished", **end})),
    ]


def test_a_call_goes_back_with_its_output_as_the_tools_result():
    block = code("34 / 24")
    wire = chat_messages([user("?"), block, *run(block, "1.4\n")], "Be good.")
    assert [one["role"] for one in wire] == ["system", "user", "assistant", "tool"]
    call = wire[2]["tool_calls"][0]
    assert wire[2]["content"] is None
    assert json.loads(call["function"]["arguments"]) == {"language": "python", "code": "34 / 24"}
    assert (wire[3]["tool_call_id"], wire[3]["content"]) == (call["id"], "1.4")


def test_parallel_calls_are_one_message_each_with_its_own_result():
    first, second = code("1", "a"), code("2", "b")
    says = message("assistant", "message", "Two steps.")
    wire = chat_messages([user("?"), says, first, second, *run(first, "one"), *run(second, "two")])
    assert [call["id"] for call in wire[1]["tool_calls"]] == ["a", "b"]
    assert wire[1]["content"] == "Two steps."
    assert [(one["tool_call_id"], one["content"]) for one in wire[2:]] == [
        ("a", "one"),
        ("b", "two"),
    ]


def test_a_declined_call_carries_the_decision_and_a_forgotten_one_says_it_did_not_run():
    first, second = code("1", "a"), code("2", "b")
    declined = message("computer", "tool_result", "The user chose not to.", call_id="a")
    wire = chat_messages([user("?"), first, second, declined])
    assert [one["content"] for one in wire[2:]] == ["The user chose not to.", NOT_RUN]


def test_call_ids_that_a_server_uses_again_are_not_mixed_up():
    first, second = code("1", "call_0"), code("2", "call_0")
    wire = chat_messages([user("?"), first, *run(first, "one"), second, *run(second, "two")])
    assert [one["content"] for one in wire if one["role"] == "tool"] == ["one", "two"]


def test_fenced_code_goes_back_as_text_and_its_output_as_a_note():
    block = code("print(1)", None)
    wire = chat_messages([user("?"), block, *run(block, "1\n"), user("go on")])
    assert wire[1] == {"role": "assistant", "content": "```python\nprint(1)\n```"}
    assert [one["role"] for one in wire] == ["user", "assistant", "user"]
    assert wire[2]["content"].endswith("1\n\ngo on")


def test_an_edit_is_told_with_what_really_ran():
    block = code("old")
    told = chat_messages([user("?"), block, *run(block, "out", ran="new")])[-1]["content"]
    assert "edited" in told
    assert "```python\nnew\n```" in told
    assert told.endswith("out")


def test_a_stop_and_a_kill_are_told():
    block = code("x")
    stopped = run(block, "1\n", state="interrupted", line=3, seconds=12.34)
    told = chat_messages([block, *stopped])[-1]["content"]
    assert "Stopped by the user at line 3 after 12.3 s." in told
    killed = run(block, state="killed", seconds=1.0, end=RunEnd(kind="memory_limit", limit=5e8))
    told = chat_messages([block, *killed])[-1]["content"]
    assert "without variables" in told
    assert "the limit of the settings is 500 MB of memory" in told


def test_no_output_is_said():
    block = code("x = 1")
    assert chat_messages([block, *run(block)])[-1]["content"] == "(no output)"


def test_images_and_files_come_with_the_text_that_follows_them():
    wire = chat_messages(
        [
            message("user", "image", "/a.png", format="path"),
            message("user", "file", "/b.csv", format="path"),
            user("compare"),
        ]
    )
    assert wire[0]["content"] == [
        {"type": IMAGE_PART, "path": "/a.png"},
        {"type": "text", "text": "[Attached file: /b.csv]"},
        {"type": "text", "text": "compare"},
    ]


def test_files_that_a_model_may_look_at_come_with_their_path_and_themselves():
    wire = chat_messages(
        [
            message("user", "file", "report.PDF", format="path"),
            message("user", "file", "/photo.heic", format="path"),
            message("user", "file", "/sums.xlsx", format="path"),
        ],
        folder="/work",
    )
    assert wire[0]["content"] == [
        {"type": "text", "text": "[Attached file: report.PDF]"},
        {"type": DOCUMENT_PART, "path": "/work/report.PDF", "folder": "/work"},
        {"type": "text", "text": "[Attached file: /photo.heic]"},
        {"type": IMAGE_PART, "path": "/photo.heic"},
        {"type": "text", "text": "[Attached file: /sums.xlsx]"},
    ]


def test_thoughts_errors_and_what_is_only_for_the_user_stay_here():
    wire = chat_messages(
        [
            user("?"),
            message("assistant", "reasoning", "hm"),
            message("assistant", "message", "secret", recipient="user"),
            message("server", "error", Failure(code="x", title="y")),
            message("assistant", "message", "Hi."),
        ]
    )
    assert [one["content"] for one in wire] == ["?", "Hi."]


def test_arguments_that_are_no_object_go_back_as_one():
    broken = message("assistant", "tool_call", "{bad", format="execute", call_id="c")
    call = chat_messages([user("?"), broken])[1]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"broken_arguments": "{bad"}


def test_code_that_was_cut_off_is_text_not_a_call():
    wire = chat_messages([user("?"), code("rm -", state="interrupted")])
    assert "tool_calls" not in wire[1]


def test_a_long_output_is_cut_in_the_middle_and_says_so():
    text = shortened("a" * 50_000 + "z" * 50_000)
    assert text.startswith("a")
    assert text.endswith("z")
    assert "88000 characters left out" in text
    assert shortened("short") == "short"


def tool(text: str, call_id: str | None, name: str = "lookup") -> Message:
    return message("assistant", "tool_call", text, format=name, call_id=call_id)


def result(text: str, call_id: str | None = None) -> Message:
    return message("computer", "tool_result", text, call_id=call_id)


def console(text: str) -> Message:
    return message("computer", "console", text)


def results_of(wire: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["tool_call_id"], one["content"]) for one in wire if one["role"] == "tool"]


def test_a_clients_parallel_calls_get_their_own_results_in_the_order_of_the_calls():
    calls = [tool('{"q": 1}', "a"), tool('{"q": 2}', "b"), tool("", "c")]
    results = [result("two", "b"), result("", "c"), result("one", "a")]
    wire = chat_messages([user("?"), *calls, *results, user("and?")])
    assert [one["role"] for one in wire] == ["user", "assistant", "tool", "tool", "tool", "user"]
    sent = wire[1]["tool_calls"]
    assert [(one["id"], one["function"]["arguments"]) for one in sent] == [
        ("a", '{"q": 1}'),
        ("b", '{"q": 2}'),
        ("c", "{}"),
    ]
    assert results_of(wire) == [("a", "one"), ("b", "two"), ("c", "(no output)")]


def test_a_clients_call_that_has_no_result_says_so():
    wire = chat_messages([user("?"), tool("{}", "a"), user("never mind")])
    assert results_of(wire) == [("a", NO_RESULT)]


def test_calls_without_ids_get_some_and_their_results_in_order():
    calls = [tool("{}", None), tool("{}", None)]
    wire = chat_messages([user("?"), *calls, result("one"), result("two")])
    assert [text for _, text in results_of(wire)] == ["one", "two"]
    assert len({call_id for call_id, _ in results_of(wire)}) == 2


def test_two_results_of_one_call_are_one():
    wire = chat_messages([user("?"), tool("{}", "a"), result("one", "a"), result("two", "a")])
    assert results_of(wire) == [("a", "one\ntwo")]


def test_two_calls_of_one_id_get_a_result_each():
    wire = chat_messages(
        [user("?"), tool("1", "a"), tool("2", "a"), result("one", "a"), result("two", "a")]
    )
    assert [text for _, text in results_of(wire)] == ["one", "two"]


def test_a_result_without_its_call_is_told_in_words():
    wire = chat_messages([user("?"), result("19 °C", "gone"), user("so?")])
    assert [one["role"] for one in wire] == ["user"]
    assert "19 °C" in wire[0]["content"]
    late = chat_messages([user("?"), tool("{}", "a"), user("wait"), result("19 °C", "a")])
    assert results_of(late) == [("a", NO_RESULT)]
    assert "19 °C" in late[-1]["content"]


def test_code_that_ran_at_a_client_is_told_with_its_output():
    called = chat_messages([user("?"), code("6 * 7", "a"), console("42\n"), user("and?")])
    assert json.loads(called[1]["tool_calls"][0]["function"]["arguments"])["code"] == "6 * 7"
    assert results_of(called) == [("a", "42")]
    fenced = chat_messages([user("?"), code("6 * 7", None), console("42\n"), user("and?")])
    assert fenced[1]["content"] == "```python\n6 * 7\n```"
    assert "42" in fenced[2]["content"]


def test_rich_results_and_changed_files_are_told_in_words():
    html = message("computer", "code", "<b>7</b>", format="html")
    formula = message("computer", "code", "x^2", format="latex")
    made = tuple(FileChange(path=f"{n}.csv") for n in range(25))
    changes = FileChanges(
        folder="/home", created=made, changed=(FileChange(path="a.txt"),), created_total=4000
    )
    files = message("computer", "files", changes)
    wire = chat_messages([user("?"), code("go()", "a"), console("1\n"), html, formula, files])
    ((_, told),) = results_of(wire)
    assert told.startswith("[A result was shown to the user as html.]\nx^2\nFiles created: 0.csv, ")
    assert "19.csv and 3980 more. Files changed: a.txt.\n1" in told


def test_output_in_two_parts_belongs_to_one_run():
    shown = message("computer", "image", "/plot.png", format="path")
    wire = chat_messages([user("?"), code("plot()", "a"), console("1\n"), shown, console("2\n")])
    assert results_of(wire) == [("a", "[An image was shown to the user.]\n1\n2")]


def test_imported_proposals_find_their_code_by_what_it_says():
    def shows(text: str) -> Message:
        return message(
            "computer", "confirmation", Proposal(id="", message_id="", language="python", code=text)
        )

    blocks = [code("1", "a"), code("2", "b")]
    wire = chat_messages(
        [user("?"), *blocks, shows("2"), console("two"), shows("1"), shows("one"), console("11")]
    )
    (_, first), (_, second) = results_of(wire)
    assert second == "two"
    assert "```python\none\n```" in first
    assert first.endswith("11")


def test_code_that_was_approved_after_more_was_said_is_told_with_its_output():
    block = code("6 * 7")
    wire = chat_messages([user("?"), block, user("hm"), *run(block, "42\n")])
    assert results_of(wire) == [("c1", NOT_RUN)]
    assert "This code was run:\n```python\n6 * 7\n```" in wire[-1]["content"]
    assert wire[-1]["content"].endswith("42")
    assert [one["role"] for one in wire][-1] == "user"


def test_a_proposal_that_nothing_came_of_is_not_told_twice():
    block = code("6 * 7")
    path = [user("?"), block, user("hm"), *run(block)[:1]]
    assert chat_messages(path) == chat_messages(path[:-1])


def test_images_in_base64_and_with_relative_paths_are_given_to_the_worker():
    images = [
        message("user", "image", "plots/a.png", format="path"),
        message("user", "image", "/b.png"),
        message("user", "image", "aGk=", format="base64"),
        message("user", "image", "aGk=", format="base64.jpeg"),
    ]
    parts = chat_messages(images, folder="/home/ada")[0]["content"]
    assert [part.get("path") or part.get("data") for part in parts] == [
        "/home/ada/plots/a.png",
        "/b.png",
        "aGk=",
        "aGk=",
    ]
    assert [part["type"] for part in parts] == [IMAGE_PART] * 2 + [IMAGE_DATA_PART] * 2


@given(st.lists(st.sampled_from(["", "a", "a_1", "call_0", "call_1", "b"]), max_size=8))
def test_every_id_is_its_own_and_the_first_of_a_kind_keeps_its_name(ids: list[str]):
    given_ids = unique_ids(ids)
    assert len(set(given_ids)) == len(ids)
    assert all(given_ids)
    assert {name for name in ids if name} <= set(given_ids)


PROPOSALS = st.builds(
    Proposal,
    id=st.just("p"),
    message_id=st.sampled_from(["", "m0", "m1", "m2", "m3", "gone"]),
    language=st.just("python"),
    code=st.sampled_from(["x", "y"]),
)
REPORTS = st.sampled_from(["started", "finished", "interrupted", "killed"]).map(
    lambda state: RunReport(state=state)  # type: ignore[arg-type]
)
TEXTS = st.sampled_from(["", "  ", "\n", "x", "y", '{"a": 1}', "[1]", "{broken", "# é\ud800"])
SHAPES = st.sampled_from(
    [
        ("user", "message"), ("user", "image"), ("user", "file"), ("user", "command"),
        ("assistant", "message"), ("assistant", "code"), ("assistant", "tool_call"),
        ("assistant", "reasoning"), ("assistant", "plan"), ("computer", "tool_result"),
        ("computer", "console"), ("computer", "image"), ("computer", "code"),
        ("computer", "confirmation"), ("computer", "run"), ("server", "error"),
    ]
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Any messages in any order: what a client may send as a conversation."""
    made: list[Message] = []
    for number, (role, kind) in enumerate(draw(st.lists(SHAPES, max_size=12))):
        content = {"confirmation": PROPOSALS, "run": REPORTS}.get(kind, TEXTS)
        made.append(
            Message(
                id=f"m{number}",
                parent_id=None,
                role=role,  # type: ignore[arg-type]
                type=kind,  # type: ignore[arg-type]
                format=draw(st.sampled_from([None, "python", "path", "base64.png", "lookup"])),
                content=draw(content),  # type: ignore[arg-type]
                call_id=draw(st.sampled_from([None, "", "a", "b", "call_0"])),
                recipient=draw(st.sampled_from([None, "user", "assistant"])),  # type: ignore[arg-type]
                created_at=0.0,
                state=draw(st.sampled_from(["complete", "interrupted"])),  # type: ignore[arg-type]
            )
        )
    return made


def check_calls(wire: list[dict[str, Any]]) -> None:
    """Every call has an id of its own, an object of arguments, and one result right after it."""
    left = list(wire)
    while left:
        one = left.pop(0)
        assert one["role"] in ("system", "user", "assistant")
        calls = one.get("tool_calls", [])
        assert "tool_calls" not in one or calls
        ids = [call["id"] for call in calls]
        assert len(set(ids)) == len(ids)
        assert all(ids)
        for call in calls:
            assert call["type"] == "function"
            assert call["function"]["name"]
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            answer = left.pop(0)
            assert set(answer) == {"role", "tool_call_id", "content"}
            assert (answer["role"], answer["tool_call_id"]) == ("tool", call["id"])
            assert answer["content"].strip()


@given(histories())
def test_any_history_is_a_valid_list_of_chat_messages(history: list[Message]):
    wire = chat_messages(history, "Be good.", "/home/ada")
    assert [one["role"] for one in wire].count("system") == 1
    check_calls(wire)
    for one in wire:
        content = one["content"]
        if one["role"] == "assistant" and one.get("tool_calls"):
            assert content is None or content.strip()
        elif isinstance(content, list):
            assert all(part.get("text") or part.get("path") or part.get("data") for part in content)
        else:
            assert content


@given(histories())
def test_no_output_and_no_result_is_lost_on_the_way_to_the_model(history: list[Message]):
    marked = [
        replace(one, content=f"«{place}»")
        if (one.role, one.type) in (("computer", "console"), ("computer", "tool_result"))
        else one
        for place, one in enumerate(history)
    ]
    told = json.dumps(chat_messages(marked), ensure_ascii=False)
    for place, one in enumerate(marked):
        if one.text == f"«{place}»":
            assert told.count(one.text) == (one.recipient != "user")


kinds = st.sampled_from(["user", "say", "code", "fence", "tool", "run", "decline", "error", "cut"])


@given(st.lists(kinds, max_size=12))
def test_whatever_happened_every_call_is_followed_by_its_result(story: list[str]):
    path: list[Message] = []
    blocks: list[Message] = []
    for number, step in enumerate(story):
        match step:
            case "user":
                path.append(user("u"))
            case "say":
                path.append(message("assistant", "message", "s"))
            case "code" | "fence" | "cut":
                state = "interrupted" if step == "cut" else "complete"
                blocks.append(code("x", None if step == "fence" else f"c{number % 3}", state=state))
                path.append(blocks[-1])
            case "tool":
                path.append(
                    message("assistant", "tool_call", "{}", format="f", call_id=f"t{number}")
                )
            case "run" if blocks:
                path += run(blocks[-1], "o")
            case "decline" if blocks:
                call_id = blocks[-1].call_id
                path.append(message("computer", "tool_result", "no", call_id=call_id))
            case _:
                path.append(message("server", "error", Failure(code="x", title="y")))
    wire = chat_messages(path)
    for index, one in enumerate(wire):
        expected = [call["id"] for call in one.get("tool_calls", ())]
        follow = [later["tool_call_id"] for later in wire[index + 1 :][: len(expected)]]
        assert follow == expected
        assert one["content"] or expected


def test_a_small_edit_is_told_as_its_changes() -> None:
    before = "\n".join(f"line_{n} = {n}" for n in range(40))
    told = describe_edit(before, before.replace("line_7 = 7", "line_7 = 70"), "python")
    assert "-line_7 = 7\n+line_7 = 70" in told
    assert "line_30" not in told


def test_an_edit_that_leaves_little_is_told_as_what_ran() -> None:
    assert "```python\nb = 2\n```" in describe_edit("a = 1\nc = 3", "b = 2", "python")
    assert "a = 1 \n" in describe_edit("a = 1", "a = 1 \n", "python")
