"""Whole turns with a real worker and a real server: what models are asked, and when not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Attachment
from playhead.domain.conversation.payloads import Failure
from playhead.domain.model import ModelOverride
from playhead.domain.settings import AppSettings, ConversationConfig
from playhead.providers.provider import Provider
from playhead.session.session import Session
from playhead.session.stops import BUDGET_REACHED, REPEATED_FAILURE, STEP_LIMIT
from tests.support import model_server as ms
from tests.support.asking import provider_of
from tests.support.model_server import ModelServer
from tests.support.ports import RecordingExecutor, ScriptedProvider, SettingsInMemory, ports_with
from tests.support.waiting import until
from tests.support.workers import SharedWorker

MODEL = "openai/test"
FENCE = "Here:\n```python\nprint(6 * 7)\n```\n"
REFUSES_TOOLS = ms.error(400, "This model does not support tools.")
TOO_LONG = ms.error(
    400,
    "This model's maximum context length is 4096 tokens. Please reduce the length.",
    code="context_length_exceeded",
)


def session_on(provider: Provider, server: ModelServer, folder: Path, **settings: Any) -> Session:
    current = AppSettings(model=MODEL, api_base=server.base_url, **settings)
    scripted = ports_with(ScriptedProvider(), RecordingExecutor())
    ports = replace(scripted, provider=provider, settings=SettingsInMemory(current))
    session = Session(Conversation(), ports, str(folder))
    session.set_auto_run(True)
    return session


async def asked(session: Session, text: str) -> None:
    session.send(text)
    await until(lambda: session.is_idle, 60)


def failure_of(session: Session) -> Failure:
    content = session.conversation.messages[-1].content
    assert isinstance(content, Failure)
    return content


async def test_tools_are_tried_once_then_the_model_is_told_to_use_fences(
    model_worker: SharedWorker, tmp_path: Path
):
    def script(request: ms.Request) -> ms.Reply:
        if request.tool_names:
            return REFUSES_TOOLS
        came = "What came of the code" in request.user_text
        return ms.text("It is 42.") if came else ms.text(FENCE)

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "What is 6 * 7?")
            await asked(session, "Once more?")
            await session.close()
    assert [bool(request.tool_names) for request in server.requests] == [True, *[False] * 4]
    first, second = (request.messages[0]["content"] for request in server.requests[:2])
    assert "Call the tool `execute`" in first
    assert "You have no tools" in second
    assert "tool `execute`" not in second
    kinds = [m.type for m in session.conversation.messages if m.role == "assistant"]
    assert kinds == ["message", "code", "message"] * 2
    roles = [message["role"] for message in server.requests[-1].messages]
    assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]


@pytest.mark.parametrize("takes_tools", [True, False])
async def test_what_the_user_says_of_tools_is_obeyed(
    model_worker: SharedWorker, tmp_path: Path, takes_tools: bool
):
    with ModelServer(ms.text("Hello.")) as server:
        async with provider_of(model_worker) as provider:
            overrides = {MODEL: ModelOverride(takes_tools=takes_tools)}
            session = session_on(provider, server, tmp_path, model_overrides=overrides)
            await asked(session, "hi")
            await session.close()
    assert [request.tool_names for request in server.requests] == [
        ["execute"] if takes_tools else []
    ]


EXPLANATION = "\n".join(f"Like this:\n```python\nrm({n})\n```" for n in range(5))


@pytest.mark.parametrize(
    ("takes_tools", "text", "ran"),
    [
        (True, EXPLANATION, []),
        (True, FENCE, []),
        (False, f"{EXPLANATION}\n{'Words. ' * 50}", []),
        (False, EXPLANATION, ["rm(4)"]),
        (False, f"{FENCE}{FENCE[6:]}Done?", ["print(6 * 7)", "print(6 * 7)"]),
    ],
)
async def test_fences_are_code_at_the_end_of_an_answer_of_a_model_without_tools(
    model_worker: SharedWorker, tmp_path: Path, takes_tools: bool, text: str, ran: list[str]
):
    def script(request: ms.Request) -> ms.Reply:
        came = "What came of the code" in request.user_text
        return (
            ms.text("Well.")
            if came
            else ms.text(*(text[n : n + 7] for n in range(0, len(text), 7)))
        )

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            overrides = {MODEL: ModelOverride(takes_tools=takes_tools)}
            session = session_on(provider, server, tmp_path, model_overrides=overrides)
            await asked(session, "How do I delete a file?")
            executor: Any = session._ports.executor
            assert [request.code for request in executor.requests] == ran
            await session.close()


async def test_a_conversation_with_calls_goes_on_with_a_model_without_tools_and_back(
    model_worker: SharedWorker, tmp_path: Path
):
    with ModelServer([ms.execute("6 * 7"), ms.text("42")]) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "first")
            settings = session._ports.settings
            plain = {MODEL: ModelOverride(takes_tools=False)}
            before = settings.current
            await settings.save(
                AppSettings(model=MODEL, api_base=server.base_url, model_overrides=plain)
            )
            await asked(session, "second")
            in_words = server.requests[-1].messages
            await settings.save(before)
            await asked(session, "third")
            as_calls = server.requests[-1].messages
            await session.close()
    assert not any("tool_calls" in message for message in in_words)
    assert "```python\n6 * 7\n```" in in_words[2]["content"]
    assert [m["role"] for m in as_calls[1:4]] == ["user", "assistant", "tool"]


async def test_a_conversation_that_is_too_long_after_all_is_sent_once_more_with_less(
    model_worker: SharedWorker, tmp_path: Path
):
    def script(request: ms.Request) -> ms.Reply:
        return TOO_LONG if len(request.messages) > 6 else ms.text("word " * 300)

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            events: list[str] = []
            session.subscribe(lambda event: events.append(event.kind))
            for number in range(4):
                await asked(session, f"question {number}")
            first_sent = session.preview.first_sent_id
            await session.close()
    assert [len(request.messages) for request in server.requests[:3]] == [2, 4, 6]
    assert len(server.requests) == 5
    assert server.requests[-1].user_text == "question 3"
    assert "are no longer sent to you" in server.requests[-1].messages[0]["content"]
    assert "preview" in events
    shown = session.conversation.message(first_sent)
    assert shown is not None
    assert shown.text.startswith("question")
    assert session.conversation.messages[-1].text.startswith("word")


async def test_a_question_that_never_fits_is_a_failure_in_words(
    model_worker: SharedWorker, tmp_path: Path
):
    with ModelServer(TOO_LONG) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "hi")
            await session.close()
    assert len(server.requests) == 1
    assert "too long" in failure_of(session).title
    assert failure_of(session).code == "upstream_error"


async def test_the_same_failing_code_twice_asks_and_can_go_on(
    model_worker: SharedWorker, tmp_path: Path
):
    replies = [
        ms.execute("fail one"),
        ms.execute("fail two"),
        ms.execute("fail two"),
        ms.text("ok"),
    ]
    with ModelServer(replies) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "go")
            assert failure_of(session).code == REPEATED_FAILURE
            assert failure_of(session).remedy
            assert len(server.requests) == 3
            session.go_on()
            await until(lambda: session.is_idle, 60)
            await session.close()
    assert session.conversation.messages[-1].text == "ok"
    assert server.requests[-1].results == ["ran fail one", *["ran fail two"] * 2]


async def test_at_the_step_limit_a_turn_asks_and_goes_on_with_as_many_steps(
    model_worker: SharedWorker, tmp_path: Path
):
    replies = [ms.execute("1"), ms.execute("2"), ms.execute("3"), ms.text("done")]
    with ModelServer(replies) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path, max_steps=2)
            await asked(session, "go")
            assert failure_of(session).code == STEP_LIMIT
            session.go_on()
            await until(lambda: session.is_idle, 60)
            await session.close()
    assert session.conversation.messages[-1].text == "done"
    assert len(server.requests) == 4


async def test_a_budget_stops_before_the_next_request_and_a_larger_one_goes_on(
    model_worker: SharedWorker, tmp_path: Path
):
    with ModelServer(ms.text("Hello.")) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            session.set_config(
                ConversationConfig(
                    profile="", model="openai/gpt-4o", api_base=server.base_url, budget=0.000001
                )
            )
            await asked(session, "first")
            spent = session.conversation.usages.total.cost
            await asked(session, "second")
            assert failure_of(session).code == BUDGET_REACHED
            assert len(server.requests) == 1
            session.go_on(budget=5.0)
            await until(lambda: session.is_idle, 60)
            await session.close()
    assert spent
    assert len(server.requests) == 2
    assert session.config.budget == 5.0
    assert session.conversation.messages[-1].text == "Hello."


async def test_a_call_with_single_quotes_runs(model_worker: SharedWorker, tmp_path: Path):
    broken = "{'language': 'python', 'code': 'print(\"hi\")',}"
    with ModelServer([ms.call("execute", broken), ms.text("done")]) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "go")
            await session.close()
    assert server.requests[-1].results == ['ran print("hi")']


async def test_the_prompt_tells_of_the_place_and_the_users_own_stands_in_its_stead(
    model_worker: SharedWorker, tmp_path: Path
):
    with ModelServer(ms.text("Hello.")) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path, instructions="Be kind.")
            await asked(session, "first")
            own = ConversationConfig(system_prompt="Work in {folder}, {unknown}, {not a name}.")
            session.set_config(own)
            await asked(session, "second")
            await session.close()
    built_in, other = (request.messages[0]["content"] for request in server.requests)
    assert str(tmp_path) in built_in
    assert "/usr/bin/python3" in built_in
    assert "without anybody asking first" in built_in
    assert built_in.endswith("Be kind.")
    assert other.startswith(f"Work in {tmp_path}, {{unknown}}, {{not a name}}.")
    assert other.endswith("Be kind.")


async def test_what_is_looked_at_is_what_the_server_got(model_worker: SharedWorker, tmp_path: Path):
    with ModelServer(ms.text("Hello.")) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            await asked(session, "hi")
            sent = await session.preview.sent()
            following = await session.preview.next()
            answer = session.conversation.messages[-1]
            before = await session.preview.next(answer.id)
            await session.close()
    assert sent is not None
    assert list(sent.messages) == server.requests[0].messages
    assert list(sent.tools) == server.requests[0].body["tools"]
    assert [m["role"] for m in following.messages] == ["system", "user", "assistant"]
    assert list(before.messages) == list(sent.messages)


async def test_a_picture_goes_to_models_that_see_and_is_named_to_those_that_do_not(
    model_worker: SharedWorker, tmp_path: Path
):
    picture = tmp_path / "plot.png"
    Image.new("RGB", (8, 8), "red").save(picture)
    sent: list[Any] = []
    with ModelServer([ms.execute("6 * 7"), ms.text("Red.")]) as server:
        async with provider_of(model_worker) as provider:
            session = session_on(provider, server, tmp_path)
            settings = session._ports.settings
            for sees, tools in ((True, True), (False, True), (True, False), (False, False)):
                word = ModelOverride(supports_images=sees, takes_tools=tools)
                base = server.base_url
                await settings.save(
                    AppSettings(model=MODEL, api_base=base, model_overrides={MODEL: word})
                )
                if not sent:
                    attached = (Attachment(kind="image", path=str(picture), name="plot.png"),)
                    session.send("What is it?", attached)
                    await until(lambda: session.is_idle, 60)
                else:
                    await asked(session, "And now?")
                sent.append(server.requests[-1].messages[1]["content"])
            await session.close()
    for seen in (sent[0], sent[2]):
        assert "image_url" in [part["type"] for part in seen]
    for told in (sent[1], sent[3]):
        words = told if isinstance(told, str) else " ".join(part["text"] for part in told)
        assert str(picture) in words
        assert "What is it?" in words
