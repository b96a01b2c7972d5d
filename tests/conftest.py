"""How every test runs: coroutine tests on our loop, a home of its own, nothing left behind."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.display import is_available, virtual_display
from tests.support.examples import choose_examples
from tests.support.guards import LogGuard, guarded, mark_descendants
from tests.support.isolation import forget_keys, settle_in, skip_unless_all_run, skip_without
from tests.support.loops import run_coroutine_test
from tests.support.workers import SharedWorker, WorkerHost

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


MOST_WORKERS = 4
_shared = ExitStack()
"""What the processes of a run share, and a screen for each: closed when all of them have ended."""
_worker = pytest.StashKey[SharedWorker]()


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a script's background job has it
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what we start inherits it
    for marker in (
        "requires_system(*programs): skipped by name when a program is missing",
        "slow_group(name): skipped by name unless all tests run",
    ):
        config.addinivalue_line("markers", marker)
    choose_examples(config.getoption("--hypothesis-profile"))
    forget_keys()
    given: dict[str, Any] | None = getattr(config, "workerinput", None)
    if given is None:
        host = WorkerHost()
        _shared.callback(host.close)
        config.stash[_worker] = host.worker
    else:
        os.environ.update(given["screen"])
        config.stash[_worker] = SharedWorker(Path(given["worker"]))
    mark_descendants()


def pytest_unconfigure() -> None:
    _shared.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """What `-n auto` means: one more than there are cores, as tests wait for other processes.

    Files that are named are quicker in one process, without workers.
    """
    if all(Path(argument.partition("::")[0]).is_file() for argument in config.args):
        return 0
    return min((os.cpu_count() or 1) + 1, MOST_WORKERS)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """One model worker for all, a screen for each: two windows would take each other's focus."""
    node.workerinput["worker"] = str(node.config.stash[_worker].folder)
    has_screen = "DISPLAY" in os.environ and is_available()
    node.workerinput["screen"] = _shared.enter_context(virtual_display()) if has_screen else {}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing made here is garbage: searches for it take a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Coroutine tests run inside Qt, so they need the application."""
    if isinstance(item, pytest.Function) and _is_coroutine_test(item):
        item.fixturenames.insert(0, "qapp")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("slow_group"):
        skip_unless_all_run(*marker.args)
    for marker in item.iter_markers("requires_system"):
        skip_without(*marker.args)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not _is_coroutine_test(pyfuncitem):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}
    run_coroutine_test(pyfuncitem.obj, arguments, pyfuncitem.funcargs["qapp"])
    return True


def _is_coroutine_test(item: pytest.Function) -> bool:
    return inspect.iscoroutinefunction(item.obj)


@pytest.fixture(autouse=True)
def _log_guard(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LogGuard]:
    """A home of its own for each test, and the guards around it and its other fixtures."""
    settle_in(tmp_path_factory.mktemp("home"), monkeypatch)
    with guarded(uses_qt="qapp" in request.fixturenames) as log:
        yield log


@pytest.fixture(scope="module", autouse=True)
def _forget_the_trees() -> Iterator[None]:
    """They are millions of objects, which every search among what was set aside would look at."""
    yield
    if (source := sys.modules.get("tests.support.source_tree")) is not None:
        source.tree.cache_clear()


@pytest.fixture
def expect_log(_log_guard: LogGuard) -> Callable[[str], None]:
    """`expect_log(pattern)`: this warning or error must come, and does not fail the test."""
    return _log_guard.expect


@pytest.fixture(scope="session")
def model_worker(pytestconfig: pytest.Config) -> SharedWorker:
    """Return the warmed model worker of this run."""
    worker = pytestconfig.stash[_worker]
    worker.warm_up()
    return worker
