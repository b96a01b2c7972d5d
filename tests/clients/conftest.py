"""A real server and a model for the tests of clients; the newest openai SDK, not litellm's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.answers import answer
from tests.support.model_server import ModelServer
from tests.support.served import Served, served
from tests.support.workers import SharedWorker

NEWEST_OPENAI = Path(sys.prefix) / "newest-openai"
if str(NEWEST_OPENAI) not in sys.path:
    sys.path.insert(0, str(NEWEST_OPENAI))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave all tests of this folder to the whole run."""
    item.add_marker(pytest.mark.slow_group("clients"))


@pytest.fixture(scope="session")
def shared_model() -> Iterator[ModelServer]:
    with ModelServer(answer) as server:
        yield server


# Starting it takes a second.
@pytest.fixture(scope="session")
def server(
    shared_model: ModelServer, model_worker: SharedWorker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Lets clients have code run unasked, and ask as often as they like."""
    arguments = ("--allow-auto-run", "--no-rate-limit")
    home, base = tmp_path_factory.mktemp("served"), shared_model.base_url
    with served(home, program=model_worker.program, api_base=base, arguments=arguments) as running:
        yield running


@pytest.fixture(scope="module")
def strict_server(
    shared_model: ModelServer, model_worker: SharedWorker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One with all its limits, three requests a minute among them."""
    home = tmp_path_factory.mktemp("strict")
    base, settings = shared_model.base_url, {"api_rate_limit": 3}
    with served(home, program=model_worker.program, api_base=base, settings=settings) as running:
        yield running


@pytest.fixture
def model(shared_model: ModelServer) -> ModelServer:
    """The model with an empty record of what it was asked."""
    shared_model.requests.clear()
    shared_model.script = answer
    shared_model.pace_s = 0.0
    return shared_model
