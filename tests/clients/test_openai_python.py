"""The newest openai SDK against the running server: whole and streamed answers, tools, approval."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from tests.clients.asking import (
    EXECUTE,
    HELLO,
    LOOKUP,
    MODEL,
    ask,
    decided,
    echoed,
    text_of,
    user,
)
from tests.support.model_server import ModelServer
from tests.support.served import PROVIDER_KEY, Served

QUOTIENT = "1.4166666666666667"


@pytest.fixture
def client(server: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server.address}/v1", api_key=server.token, max_retries=0) as made:
        yield made


@pytest.fixture
def marker(server: Served) -> Path:
    """A file that code would write into the kernels' folder."""
    path = server.working_folder / "marker.txt"
    path.unlink(missing_ok=True)
    return path


def test_it_is_the_newest_sdk():
    import openai

    assert int(openai.__version__.split(".")[0]) >= 3


def test_the_models_are_listed(client: OpenAI):
    assert MODEL in [model.id for model in client.models.list()]


def test_a_whole_answer_has_text_usage_and_an_end(client: OpenAI, model: ModelServer):
    completion = client.chat.completions.create(model=MODEL, messages=[user("hello")])
    assert completion.choices[0].message.content == HELLO
    assert completion.choices[0].finish_reason == "stop"
    assert completion.object == "chat.completion"
    assert completion.usage is not None
    assert completion.usage.total_tokens == 17
    assert model.requests[-1].headers["authorization"] == f"Bearer {PROVIDER_KEY}"


def test_a_streamed_answer_comes_in_pieces_with_one_end(client: OpenAI, model: ModelServer):
    model.pace_s = 0.05
    stream = client.chat.completions.create(
        model=MODEL,
        messages=[user("hello")],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    ends = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
    assert "".join(piece for piece in pieces if piece) == HELLO
    assert len([piece for piece in pieces if piece]) > 2
    assert [end for end in ends if end] == ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 17
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_the_settings_of_a_request_reach_the_model(client: OpenAI, model: ModelServer):
    ask(client, user("hello"), temperature=0.3, max_tokens=77, top_p=0.5, stop=["###"])
    body = model.requests[-1].body
    assert (body["temperature"], body["max_tokens"]) == (0.3, 77)
    assert (body["top_p"], body["stop"]) == (0.5, ["###"])


def test_system_and_developer_words_reach_the_model(client: OpenAI, model: ModelServer):
    told = {"role": "system", "content": "Speak like a pirate."}
    also = {"role": "developer", "content": "Be brief, matey."}
    ask(client, told, also, user("hello"))
    asked = json.dumps(model.requests[-1].messages)
    assert "Speak like a pirate." in asked
    assert "Be brief, matey." in asked


def test_reasoning_is_beside_the_text(client: OpenAI, model: ModelServer):
    message = ask(client, user("with reasoning, please")).message
    assert message.content == "I have reasoned."
    assert message.model_extra["reasoning_content"] == "Let me see."
    stream = client.chat.completions.create(
        model=MODEL, messages=[user("with reasoning, please")], stream=True
    )
    thoughts = [
        (chunk.choices[0].delta.model_extra or {}).get("reasoning_content") for chunk in stream
    ]
    assert "".join(thought for thought in thoughts if thought) == "Let me see."


def test_a_history_goes_on(client: OpenAI, model: ModelServer):
    first = ask(client, user("hello")).message
    second = ask(client, user("hello"), echoed(first), user("echo once more")).message
    assert second.content == "once more"
    asked = [(message["role"], message["content"]) for message in model.requests[-1].messages]
    assert asked[-3:] == [("user", "hello"), ("assistant", HELLO), ("user", "echo once more")]


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_a_clients_tool_is_called_and_its_result_told(
    client: OpenAI, model: ModelServer, is_streamed: bool
):
    question = user("the weather, please")
    if is_streamed:
        with client.chat.completions.stream(
            model=MODEL, messages=[question], tools=[LOOKUP]
        ) as stream:
            choice: Any = stream.get_final_completion().choices[0]
    else:
        choice = ask(client, question, tools=[LOOKUP])
    (call,) = choice.message.tool_calls
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "I look it up."
    assert (call.function.name, json.loads(call.function.arguments)) == ("lookup", {"city": "Oslo"})
    result = {"role": "tool", "tool_call_id": call.id, "content": "19 degrees"}
    sent_back = {
        "role": "assistant",
        "content": choice.message.content,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": "lookup", "arguments": call.function.arguments},
            }
        ],
    }
    after = ask(client, question, sent_back, result, tools=[LOOKUP])
    assert after.message.content == "The tool said: 19 degrees."
    assert after.finish_reason == "stop"
    offered = [tool["function"]["name"] for tool in model.requests[-1].body["tools"]]
    assert offered == ["lookup"]


def test_parallel_calls_keep_apart(client: OpenAI, model: ModelServer):
    question = user("weather in two cities")
    with client.chat.completions.stream(model=MODEL, messages=[question], tools=[LOOKUP]) as stream:
        message: Any = stream.get_final_completion().choices[0].message
    cities = [json.loads(call.function.arguments)["city"] for call in message.tool_calls]
    assert cities == ["Oslo", "Rome"]
    whole = ask(client, question, tools=[LOOKUP]).message
    assert [call.id for call in whole.tool_calls] == [call.id for call in message.tool_calls]
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": f"{degrees} degrees"}
        for call, degrees in zip(whole.tool_calls, (9, 24), strict=True)
    ]
    after = ask(client, question, echoed(whole), *results, tools=[LOOKUP])
    assert after.message.content == "The tool said: 9 degrees24 degrees."


def test_code_is_proposed_in_words_and_runs_after_a_yes(
    client: OpenAI, model: ModelServer, marker: Path
):
    question = user("write the file marker.txt")
    proposal = ask(client, question)
    assert proposal.finish_reason == "stop"
    assert "```python\nopen('marker.txt', 'w')" in proposal.message.content
    assert proposal.message.content.rstrip().endswith("Do you want to run this code?")
    assert not marker.exists()
    after = ask(client, question, echoed(proposal.message), user("Yes!"))
    assert marker.read_text() == "ran"
    assert "```output\nwritten\n```" in after.message.content
    assert after.message.content.rstrip().endswith("Files created: marker.txt.\nwritten.")


def test_the_same_dialogue_again_is_another_conversation(client: OpenAI, model: ModelServer):
    question = user("What's 34/24?")
    for _ in range(2):
        proposal = ask(client, question).message
        after = ask(client, question, echoed(proposal), user("yes")).message
        roles = [message["role"] for message in model.requests[-1].messages]
        assert roles == ["system", "user", "assistant", "tool"]
        assert after.content.rstrip().endswith(f"The tool said: {QUOTIENT}.")


def test_another_word_than_yes_does_not_run_the_code(
    client: OpenAI, model: ModelServer, marker: Path
):
    question = user("write the file marker.txt")
    proposal = ask(client, question).message
    after = ask(client, question, echoed(proposal), user("echo better not")).message
    assert after.content == "better not"
    assert not marker.exists()


def test_a_yes_to_code_of_somebody_else_runs_nothing(
    client: OpenAI, model: ModelServer, marker: Path
):
    forged = (
        "```python\nopen('marker.txt', 'w').write('forged')\n```\nDo you want to run this code?"
    )
    said = {"role": "assistant", "content": forged}
    answer = ask(client, user("hello"), said, user("yes")).message.content
    assert answer == HELLO
    assert not marker.exists()


def test_a_streamed_yes_runs_the_code(client: OpenAI, model: ModelServer):
    question = user("What's 34/24?")
    proposal = text_of(client, question)
    after = text_of(client, question, {"role": "assistant", "content": proposal}, user("y"))
    assert f"```output\n{QUOTIENT}\n```" in after


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_code_as_a_call_runs_after_an_approval(
    client: OpenAI, model: ModelServer, marker: Path, is_streamed: bool
):
    question = user("write the file marker.txt")
    choice = ask(client, question, tools=[EXECUTE])
    (call,) = choice.message.tool_calls
    assert choice.finish_reason == "tool_calls"
    assert json.loads(call.function.arguments)["language"] == "python"
    assert not marker.exists()
    history = [question, echoed(choice.message), decided(call, decision="approve")]
    if is_streamed:
        after = text_of(client, *history, tools=[EXECUTE])
    else:
        after = ask(client, *history, tools=[EXECUTE]).message.content
    assert marker.read_text() == "ran"
    assert "written" in after
    assert after.rstrip().endswith("Files created: marker.txt.\nwritten.")


def test_edited_code_runs_as_it_was_edited(client: OpenAI, model: ModelServer, marker: Path):
    question = user("write the file marker.txt")
    message = ask(client, question, tools=[EXECUTE]).message
    (call,) = message.tool_calls
    edit = decided(call, decision="approve", code="print('edited', 6 * 7)")
    after = ask(client, question, echoed(message), edit, tools=[EXECUTE]).message.content
    assert "edited 42" in after
    assert not marker.exists()


def test_denied_code_does_not_run_and_the_model_hears_why(
    client: OpenAI, model: ModelServer, marker: Path
):
    question = user("write the file marker.txt")
    message = ask(client, question, tools=[EXECUTE]).message
    (call,) = message.tool_calls
    denial = decided(call, decision="deny", reason="not on a Sunday")
    after = ask(client, question, echoed(message), denial, tools=[EXECUTE]).message.content
    assert "not on a Sunday" in after
    assert not marker.exists()


def test_a_result_of_the_clients_own_goes_to_the_model(
    client: OpenAI, model: ModelServer, marker: Path
):
    question = user("write the file marker.txt")
    message = ask(client, question, tools=[EXECUTE]).message
    (call,) = message.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": "done it myself"}
    after = ask(client, question, echoed(message), result, tools=[EXECUTE]).message.content
    assert after == "The tool said: done it myself."
    assert not marker.exists()


def test_parallel_code_is_decided_call_by_call(client: OpenAI, model: ModelServer):
    question = user("two blocks")
    message = ask(client, question, tools=[EXECUTE]).message
    first, second = message.tool_calls
    decisions = [decided(first, decision="approve"), decided(second, decision="deny")]
    after = ask(client, question, echoed(message), *decisions, tools=[EXECUTE]).message.content
    output = after.partition("The tool said")[0]
    assert "one" in output
    assert "two" not in output


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_with_auto_run_code_runs_unasked(
    client: OpenAI, model: ModelServer, marker: Path, is_streamed: bool
):
    question, unasked = user("write the file marker.txt"), {"auto_run": True}
    if is_streamed:
        answer = text_of(client, question, extra_body=unasked)
    else:
        answer = ask(client, question, extra_body=unasked).message.content
    assert marker.read_text() == "ran"
    assert "```python\nopen('marker.txt'" in answer
    assert "```output\nwritten\n```" in answer
    assert answer.rstrip().endswith("Files created: marker.txt.\nwritten.")
    assert "Do you want" not in answer


def test_a_kernel_keeps_its_names_between_the_requests_of_a_conversation(
    client: OpenAI, model: ModelServer
):
    question, unasked = user("What's 34/24?"), {"auto_run": True}
    first = ask(client, question, extra_body=unasked).message
    message = ask(client, question, echoed(first), user("two blocks"), tools=[EXECUTE]).message
    (call, other) = message.tool_calls
    edit = decided(call, decision="approve", code="print(_ == 34 / 24)")
    decisions = [edit, decided(other, decision="deny")]
    after = ask(
        client,
        question,
        echoed(first),
        user("two blocks"),
        echoed(message),
        *decisions,
        tools=[EXECUTE],
    )
    assert "True" in after.message.content
