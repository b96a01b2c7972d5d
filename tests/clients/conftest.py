"""A real server and a model for the tests of clients; the newest openai SDK, not litellm's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.clients.answers import answer
from tests.support.model_server import ModelServer
from tests.support.served import Served, served

NEWEST_OPENAI = Path(sys.prefix) / "newest-openai"
if str(NEWEST_OPENAI) not in sys.path:
    sys.path.insert(0, str(NEWEST_OPENAI))


@pytest.fixture(scope="session")
def shared_model() -> Iterator[ModelServer]:
    with ModelServer(answer) as server:
        yield server


# Starting it, and the model's library with it, takes seconds.
@pytest.fixture(scope="session")
def server(shared_model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Lets clients have code run unasked, and ask as often as they like."""
    arguments = ("--allow-auto-run", "--no-rate-limit")
    home = tmp_path_factory.mktemp("served")
    with served(home, api_base=shared_model.base_url, arguments=arguments) as running:
        warm_up(running)
        yield running


def warm_up(server: Served) -> None:
    """Wait for the model's library: an answer that takes over 20 s begins with a 200."""
    asked = {"messages": [{"role": "user", "type": "message", "content": "echo warm"}]}
    address, headers = f"{server.address}/v1/chat", server.headers
    with suppress(httpx.TimeoutException):  # a busy machine: the first test waits for the rest
        httpx.post(address, json=asked, headers=headers, timeout=60)


@pytest.fixture(scope="module")
def strict_server(
    shared_model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One with all its limits, three requests a minute among them."""
    home = tmp_path_factory.mktemp("strict")
    base, settings = shared_model.base_url, {"api_rate_limit": 3}
    with served(home, api_base=base, settings=settings) as running:
        yield running


@pytest.fixture
def model(shared_model: ModelServer) -> ModelServer:
    """The model with an empty record of what it was asked."""
    shared_model.requests.clear()
    shared_model.script = answer
    shared_model.pace_s = 0.0
    return shared_model
