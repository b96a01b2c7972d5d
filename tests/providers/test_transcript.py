"""What a model reads of a conversation: never a call without its result."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from playhead.conversation.message import Message
from playhead.conversation.payloads import Failure, Proposal, RunReport
from playhead.model_worker.protocol import IMAGE_PART
from playhead.providers.transcript import NOT_RUN, chat_messages, shortened

_ids = itertools.count(1)


def message(role: str, kind: str, content: Any = None, **more: Any) -> Message:
    return Message(f"m{next(_ids)}", None, role, kind, content=content, **more)  # type: ignore[arg-type]


def user(text: str) -> Message:
    return message("user", "message", text)


def code(text: str, call_id: str | None = "c1", **more: Any) -> Message:
    return message("assistant", "code", text, format="python", call_id=call_id, **more)


def run(block: Message, output: str = "", ran: str | None = None, **end: Any) -> list[Message]:
    proposal = Proposal("p", block.id, "python", block.text)
    edited = [message("computer", "confirmation", Proposal("p", block.id, "python", ran or ""))]
    return [
        message("computer", "confirmation", proposal),
        *(edited if ran is not None else []),
        message("computer", "run", RunReport("started")),
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
    assert "stopped it at line 3 after 12.3 s" in chat_messages([block, *stopped])[-1]["content"]
    killed = run(block, state="killed", reason="Out of memory.")
    told = chat_messages([block, *killed])[-1]["content"]
    assert "names are gone" in told
    assert "Out of memory." in told


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


def test_thoughts_errors_and_what_is_only_for_the_user_stay_here():
    wire = chat_messages(
        [
            user("?"),
            message("assistant", "reasoning", "hm"),
            message("assistant", "message", "secret", recipient="user"),
            message("server", "error", Failure("x", "y")),
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
                path.append(message("server", "error", Failure("x", "y")))
    wire = chat_messages(path)
    for index, one in enumerate(wire):
        expected = [call["id"] for call in one.get("tool_calls", ())]
        follow = [later["tool_call_id"] for later in wire[index + 1 :][: len(expected)]]
        assert follow == expected
        assert one["content"] or expected
