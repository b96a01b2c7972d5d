"""A key that is several secrets reaches its provider as what it is, and no log."""

from __future__ import annotations

import json

from msgspec.structs import replace

from playhead.domain.model import ModelSettings
from playhead.domain.secret import Secret
from playhead.model_worker.protocol import Ask
from playhead.providers.request_writer import key_and_extra
from tests.support.asking import chunks_of, contents, provider_of, request
from tests.support.bedrock_server import BedrockServer, said
from tests.support.model_server import ModelServer
from tests.support.workers import SharedWorker

PARTS = {"aws_access_key_id": "AKIA-EXAMPLE", "aws_secret_access_key": "hush-hush-hush"}
CLAUDE = "bedrock/invoke/anthropic.claude-3-haiku-20240307-v1:0"


def test_the_parts_of_a_key_stand_beside_the_other_parameters():
    key = Secret(json.dumps(PARTS | {"endpoint": "https://evil.example"}))
    model = ModelSettings(model="bedrock/x", api_key=key, extra={"aws_region_name": "eu-west-1"})
    assert key_and_extra(model) == (None, {"aws_region_name": "eu-west-1", **PARTS})


def test_a_plain_key_stays_one():
    for text in ("sk-1", "[1]", "7"):
        assert key_and_extra(ModelSettings(model="bedrock/x", api_key=Secret(text))) == (text, {})
    text = json.dumps(PARTS)
    assert key_and_extra(ModelSettings(model="openai/x", api_key=Secret(text))) == (text, {})
    assert key_and_extra(ModelSettings(model="bedrock/x")) == (None, {})


def test_a_question_shows_no_part_of_its_key():
    assert "hush" not in repr(Ask(turn="t", model="bedrock/x", messages=[], extra=dict(PARTS)))


async def test_bedrock_is_asked_with_a_signature_of_the_kept_secrets(model_worker: SharedWorker):
    with ModelServer() as plain, BedrockServer() as server:
        server.answers = [said("Hel", "lo")]
        asked = request(plain)
        model = ModelSettings(
            model=CLAUDE,
            api_base=server.base_url,
            api_key=Secret(json.dumps(PARTS)),
            extra={"aws_region_name": "eu-west-1"},
        )
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, replace(asked, model=model))
    assert "".join(str(one) for one in contents(chunks)) == "Hello"
    signature = server.asked[0].authorization
    assert "AKIA-EXAMPLE/" in signature
    assert "/eu-west-1/bedrock/" in signature
    assert "hush" not in signature + server.asked[0].path
