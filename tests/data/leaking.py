"""Tests that each leave something behind, for test_guards.py to see them fail."""

import asyncio
import logging
import os
import subprocess
import threading

import pytest

kept = []


def test_a_thread():
    release = threading.Event()
    kept.append(release)
    threading.Thread(target=release.wait, daemon=True).start()


def test_a_process():
    kept.append(subprocess.Popen(["sleep", "60"]))


def test_an_orphan():
    subprocess.run(["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 &"], check=True)


def test_a_path_for_processes():
    os.environ["PYTHONPATH"] = "/nowhere"


def test_a_warning_in_the_log():
    logging.getLogger("somewhere").warning("careful")


def test_an_expected_warning_that_does_not_come(expect_log):
    expect_log("never said")


async def test_a_task():
    kept.append(asyncio.create_task(asyncio.sleep(100)))


async def test_a_timer():
    from PySide6.QtCore import QTimer

    timer = QTimer()
    timer.start(100_000)
    kept.append(timer)


async def test_a_window():
    from PySide6.QtWidgets import QWidget

    kept.append(QWidget())


async def test_an_error_in_a_slot():
    from PySide6.QtCore import QTimer

    QTimer.singleShot(0, lambda: 1 / 0)
    await asyncio.sleep(0.05)


async def test_a_qt_warning():
    from PySide6.QtCore import qWarning

    qWarning("careful")


async def test_a_coroutine_never_awaited():
    asyncio.sleep(1)


async def test_a_lost_error_of_a_task():
    async def fail():
        raise ValueError("lost")

    asyncio.create_task(fail())  # noqa: RUF006
    await asyncio.sleep(0.01)


async def test_a_failed_assertion_in_a_coroutine():
    await asyncio.sleep(0)
    assert 1 == 2


def test_an_open_file():
    open(__file__)  # noqa: SIM115


def test_an_error_in_a_thread():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


@pytest.mark.requires_system("no-such-program")
def test_a_missing_program():
    raise AssertionError("it should have been skipped")


def test_fine_nothing():
    pass


async def test_fine_an_expected_warning(expect_log):
    expect_log("careful")
    logging.getLogger("somewhere").warning("be careful")
    await asyncio.to_thread(lambda: None)
