"""What is asked again with the same Idempotency-Key is made once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx

from tests.support.assistants_face import asking, said_by
from tests.support.http_face import Face, face
from tests.support.ports import said


async def post(api: Face, path: str, body: dict[str, Any], key: str) -> httpx.Response:
    return await api.client.post(path, json=body, headers={"Idempotency-Key": key})


async def test_a_request_that_comes_again_gets_the_first_answer(tmp_path: Path):
    async with face(tmp_path) as api:
        first, again = [await post(api, "/v1/threads", {}, "key") for _ in range(2)]
        other = await post(api, "/v1/threads", {}, "other key")
        assert first.json() == again.json()
        assert other.json() != first.json()
        assert len(api.sessions.summaries) == 2


async def test_requests_at_the_same_time_are_one(tmp_path: Path):
    async with face(tmp_path, said("Once")) as api:
        asked = await asking(api)
        body = {"additional_messages": [said_by("go")]}
        answers = await asyncio.gather(
            *(post(api, f"{asked.path}/runs", body, "key") for _ in range(5))
        )
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.json()["id"] for answer in answers}) == 1
        asked.run_id = answers[0].json()["id"]
        await asked.rested()
        assert len(api.provider.requests) == 1


async def test_a_key_is_for_one_body_on_one_path(tmp_path: Path):
    async with face(tmp_path) as api:
        thread = (await post(api, "/v1/threads", {}, "key")).json()
        refused = await post(api, "/v1/threads", {"metadata": {"k": "v"}}, "key")
        error = refused.json()["error"]
        assert (refused.status_code, error["param"]) == (400, "Idempotency-Key")
        path = f"/v1/threads/{thread['id']}/messages"
        assert (await post(api, path, said_by("hi"), "key")).status_code == 200


async def test_what_failed_may_be_tried_again(tmp_path: Path):
    async with face(tmp_path, said("Now")) as api:
        asked = await asking(api)
        path, body = f"{asked.path}/runs", {}
        assert (await post(api, path, body, "key")).status_code == 400
        await api.post(f"{asked.path}/messages", said_by("hi"))
        assert (await post(api, path, body, "key")).status_code == 200


async def test_a_stream_is_not_sent_twice(tmp_path: Path):
    async with face(tmp_path, said("Once"), said("Twice")) as api:
        asked = await asking(api, messages=[said_by("go")])
        first = await post(api, f"{asked.path}/runs", {"stream": True}, "key")
        assert first.text.endswith("data: [DONE]\n\n")
        again = await post(api, f"{asked.path}/runs", {"stream": True}, "key")
        assert again.status_code == 400
        assert len(api.provider.requests) == 1
