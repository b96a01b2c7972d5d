"""One warmed model worker for the tests that ask a real model server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.workers import SharedWorker, shared_worker


@pytest.fixture(scope="session")
def model_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedWorker]:
    with shared_worker(tmp_path_factory.mktemp("worker")) as worker:
        yield worker
