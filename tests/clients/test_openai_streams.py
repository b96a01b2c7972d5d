"""Many streams at once, and streams that their clients leave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from openai import AsyncOpenAI, OpenAI

from tests.clients.asking import HELLO, MODEL, user
from tests.support.model_server import ModelServer
from tests.support.served import Served
from tests.support.waiting import until_now


def test_the_async_client_streams_and_answers_whole(server: Served, model: ModelServer):
    async def both() -> tuple[str, str]:
        async with _client(server) as client:
            whole = await client.chat.completions.create(model=MODEL, messages=[user("hello")])
            return whole.choices[0].message.content or "", await _streamed(client, "hello")

    assert asyncio.run(both()) == (HELLO, HELLO)


def test_a_hundred_streams_at_once_do_not_mix(server: Served, model: ModelServer):
    questions = [" ".join(f"{word}-{number}" for word in "abcdefgh") for number in range(100)]

    async def all_of_them() -> list[str]:
        async with _client(server) as client:
            return await asyncio.gather(
                *(_streamed(client, f"echo {question}") for question in questions)
            )

    assert asyncio.run(all_of_them()) == questions


def test_a_client_that_leaves_ends_the_models_stream(server: Served, model: ModelServer):
    with _blocking_client(server) as client:
        question = [user("fall silent")]
        stream = client.chat.completions.create(model=MODEL, messages=question, stream=True)
        assert next(chunk for chunk in stream if chunk.choices[0].delta.content)
        stream.close()
    assert model.requests[-1].disconnected.wait(10)


def test_a_client_that_leaves_before_the_first_piece_ends_the_models_stream(
    server: Served, model: ModelServer
):
    async def leave_early() -> None:
        async with _client(server) as client:
            asking = asyncio.create_task(_streamed(client, "say nothing"))
            await asyncio.to_thread(model.wait_for_requests, 1)
            asking.cancel()
            await _ended(asking)

    asyncio.run(leave_early())
    assert model.requests[-1].disconnected.wait(10)


def test_a_client_that_leaves_kills_the_running_code_and_its_children(
    server: Served, model: ModelServer
):
    pid_file = server.working_folder / "child.pid"
    pid_file.unlink(missing_ok=True)
    with _blocking_client(server) as client:
        stream = client.chat.completions.create(
            model=MODEL,
            messages=[user("child process")],
            stream=True,
            extra_body={"auto_run": True},
        )
        text = ""
        while "started" not in text.partition("```output")[2]:
            text += next(stream).choices[0].delta.content or ""
        pid = int(pid_file.read_text())
        assert pid in server.processes()
        stream.close()
    until_now(lambda: pid not in server.processes())  # the kernel may leave it as a zombie


def _blocking_client(server: Served) -> OpenAI:
    return OpenAI(base_url=f"{server.address}/v1", api_key=server.token, max_retries=0)


def _client(server: Served) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"{server.address}/v1", api_key=server.token, max_retries=0)


async def _streamed(client: AsyncOpenAI, question: str) -> str:
    stream = await client.chat.completions.create(
        model=MODEL, messages=[user(question)], stream=True
    )
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


async def _ended(task: Awaitable[object]) -> None:
    try:
        await task
    except asyncio.CancelledError:
        return
    raise AssertionError("it had an answer")
