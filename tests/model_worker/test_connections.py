"""The way to a provider: proxy, certificates, extra parameters, addresses that lead elsewhere."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest

from playhead.domain.model import ConnectionSettings
from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support import wire_answers as wire
from tests.support.asking import KEY, chunks_of, contents, provider_of, request
from tests.support.forward_proxy import ForwardProxy
from tests.support.model_server import ModelServer, Reply
from tests.support.workers import SharedWorker


def through(**more: Any) -> dict[str, Any]:
    return {"connection": ConnectionSettings(retries=0, **more)}


@pytest.mark.parametrize(
    ("model", "reply"),
    [
        ("openai/test", ms.text("hi")),
        ("anthropic/claude-sonnet-4-5", wire.anthropic(wire.text_block("hi"))),
        ("cohere/command-a-03-2025", wire.cohere(*wire.cohere_text("hi"))),
    ],
)
async def test_a_proxy_is_used_for_every_kind_of_provider(
    model_worker: SharedWorker, model: str, reply: Reply
):
    with ModelServer(reply) as server, ForwardProxy(server.port) as proxy:
        base = "http://models.example/v1" if model == "openai/test" else "http://models.example"
        async with provider_of(model_worker) as provider:
            asked = request(server, model=model, api_base=base, **through(proxy=proxy.url))
            chunks = await chunks_of(provider, asked)
    assert "hi" in contents(chunks)
    assert proxy.asked[0].startswith("http://models.example/")
    assert KEY not in proxy.asked[0]


async def test_this_machine_is_reached_without_the_proxy(model_worker: SharedWorker):
    with ModelServer(ms.text("hi")) as server, ForwardProxy(server.port) as proxy:
        async with provider_of(model_worker) as provider:
            asked = request(server, **through(proxy=proxy.url))
            assert contents(await chunks_of(provider, asked)) == ["hi"]
    assert not proxy.asked


async def test_requests_with_and_without_a_proxy_do_not_mix(model_worker: SharedWorker):
    with ModelServer(ms.text("hi")) as server, ForwardProxy(server.port) as proxy:
        async with provider_of(model_worker) as provider:
            far = "http://models.example/v1"
            led = request(server, api_base=far, **through(proxy=proxy.url))
            await chunks_of(provider, led)
            with pytest.raises(ProviderError, match="is not known"):
                await chunks_of(provider, request(server, api_base="http://models.invalid/v1"))
    assert len(proxy.asked) == 1


async def test_a_proxy_that_refuses_is_said(model_worker: SharedWorker):
    with ModelServer() as server, ForwardProxy(server.port, refuses=407) as proxy:
        async with provider_of(model_worker) as provider:
            asked = request(
                server, api_base="https://models.example/v1", **through(proxy=proxy.url)
            )
            with pytest.raises(ProviderError, match="proxy refused"):
                await chunks_of(provider, asked)


async def test_a_proxy_that_is_not_there_is_said(model_worker: SharedWorker):
    with ForwardProxy(1) as proxy:
        gone = proxy.url
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            asked = request(server, api_base="http://models.example/v1", **through(proxy=gone))
            with pytest.raises(ProviderError, match="No connection to the proxy"):
                await chunks_of(provider, asked)


@pytest.mark.parametrize("words", ["no certificate at all", None])
async def test_certificates_that_cannot_be_read_are_a_failure_in_words(
    model_worker: SharedWorker, tmp_path: Path, words: str | None
):
    file = tmp_path / "ca.pem"
    if words is not None:
        file.write_text(words, encoding="utf-8")
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="certificates cannot be read") as caught:
                await chunks_of(provider, request(server, **through(ca_file=str(file))))
            assert not server.requests
    assert str(file) in caught.value.detail


@pytest.mark.requires_system("openssl")
async def test_a_certificate_that_nobody_vouches_for_is_said_and_one_of_the_file_is_trusted(
    model_worker: SharedWorker, own_certificate: tuple[Path, Path]
):
    certificate, key = own_certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ModelServer(ms.text("hi"), tls=context) as server:
        base = server.base_url.replace("http://127.0.0.1", "https://localhost")
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="not trusted") as caught:
                await chunks_of(provider, request(server, api_base=base))
            trusting = request(server, api_base=base, **through(ca_file=str(certificate)))
            assert contents(await chunks_of(provider, trusting)) == ["hi"]
    assert "Certificates" in caught.value.remedy


async def test_extra_parameters_reach_the_model_and_change_neither_key_nor_question(
    model_worker: SharedWorker,
):
    extra = {
        "reasoning_effort": "low",
        "seed": 7,
        "messages": [],
        "stream": False,
        "api_key": "another",
        "api_base": "http://elsewhere.example/v1",
        "extra_headers": {"Authorization": "Bearer another", "X-Team": "blue"},
        "fallbacks": ["openai/other"],
    }
    with ModelServer(ms.text("hi")) as server:
        async with provider_of(model_worker) as provider:
            asked = request(server, model="openai/o3-mini", extra=extra)
            assert contents(await chunks_of(provider, asked)) == ["hi"]
    sent = server.requests[0]
    assert (sent.body["seed"], sent.body["reasoning_effort"]) == (7, "low")
    assert sent.user_text == "hello"
    assert sent.body["stream"] is True
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["x-team"] == "blue"


async def test_a_model_that_leads_elsewhere_gets_no_key_there(model_worker: SharedWorker):
    with ModelServer(ms.text("hi")) as elsewhere:
        there = ms.refused(307, {}, Location=f"{elsewhere.base_url}/messages")
        with ModelServer(there) as server:
            base = server.base_url.removesuffix("/v1")
            async with provider_of(model_worker) as provider:
                asked = request(server, model="anthropic/claude-sonnet-4-5", api_base=base)
                with pytest.raises(ProviderError, match="redirects"):
                    await chunks_of(provider, asked)
        assert not elsewhere.requests
