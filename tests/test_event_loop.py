"""The loop keeps asyncio's promises on Qt's loop."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from playhead import event_loop
from playhead.event_loop import EventLoop
from tests.support.guards import live_timers
from tests.support.waiting import LIMIT_S, until

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")


async def test_ready_callbacks_run_in_the_order_they_were_asked_for():
    loop = asyncio.get_running_loop()
    seen: list[int] = []
    for number in range(1000):
        loop.call_soon(seen.append, number)
    await until(lambda: len(seen) == 1000)
    assert seen == list(range(1000))


async def test_callbacks_from_a_thread_keep_their_order_and_come_with_a_handle():
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def call() -> asyncio.Handle:
        for number in range(100):
            loop.call_soon_threadsafe(seen.append, number)
        return loop.call_soon_threadsafe(seen.append, -1)

    handle = await asyncio.to_thread(call)
    await until(lambda: len(seen) == 101)
    assert seen == [*range(100), -1]
    assert isinstance(handle, asyncio.Handle)


async def test_a_cancelled_callback_does_not_run():
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    loop.call_soon(seen.append, "cancelled").cancel()
    loop.call_later(0, seen.append, "cancelled later").cancel()
    loop.call_later(0.01, seen.append, "kept")
    await until(lambda: seen)
    assert seen == ["kept"]


async def test_sleeps_never_end_early():
    loop = asyncio.get_running_loop()
    early: list[float] = []
    for step in range(40):
        delay = 0.0005 + step * 0.00037
        begun = loop.time()
        await asyncio.sleep(delay)
        if loop.time() - begun < delay:
            early.append(delay)
    assert early == []


async def test_timers_fire_in_the_order_of_their_times():
    loop = asyncio.get_running_loop()
    seen: list[float] = []
    start = loop.time()
    for delay in (0.03, 0.01, 0.02, 0.0, 0.025):
        loop.call_at(start + delay, seen.append, delay)
    await until(lambda: len(seen) == 5)
    assert seen == sorted(seen)


async def test_a_timer_handle_knows_its_time():
    loop = asyncio.get_running_loop()
    handle = loop.call_at(loop.time() + 600, print)
    assert isinstance(handle, asyncio.TimerHandle)
    assert handle.when() > loop.time() + 500
    handle.cancel()


async def test_two_thousand_cancelled_timers_leave_nothing_behind():
    loop = asyncio.get_running_loop()
    assert isinstance(loop, EventLoop)
    for handle in [loop.call_later(600, print) for _ in range(2000)]:
        handle.cancel()
    assert len(live_timers()) <= 5
    assert len(loop._scheduled) <= 200


async def test_a_cancelled_first_timer_does_not_hold_up_the_second():
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    first = loop.call_later(0.005, seen.append, "first")
    loop.call_later(0.02, seen.append, "second")
    first.cancel()
    await until(lambda: seen)
    assert seen == ["second"]


async def test_context_is_kept_by_every_way_to_call():
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    variable.set("mine")

    def note() -> None:
        seen.append(variable.get())

    loop.call_soon(note)
    loop.call_later(0.001, note)
    loop.call_soon_threadsafe(note)
    in_thread = await asyncio.to_thread(variable.get)
    await until(lambda: len(seen) == 3)
    assert seen == ["mine"] * 3
    assert in_thread == "mine"


async def test_a_given_context_is_used():
    context = contextvars.copy_context()
    context.run(variable.set, "given")
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon_threadsafe(
        lambda: future.set_result(variable.get()), context=context
    )
    assert await future == "given"


async def test_readers_and_writers_are_called_in_the_context_they_were_added_in():
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    ours, theirs = socket.socketpair()
    with ours, theirs:
        variable.set("reader")
        loop.add_reader(ours, lambda: (seen.append(variable.get()), loop.remove_reader(ours)))
        variable.set("writer")
        loop.add_writer(theirs, lambda: (seen.append(variable.get()), loop.remove_writer(theirs)))
        variable.set("later")
        await until(lambda: seen == ["writer"])
        theirs.send(b"x")
        await until(lambda: len(seen) == 2)
    assert seen == ["writer", "reader"]


async def test_task_groups_timeouts_and_wait_for_work():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.sleep(0.001, number)) for number in range(5)]
    assert [task.result() for task in tasks] == [0, 1, 2, 3, 4]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), 0.001)


async def test_cancelling_a_task_runs_its_cleanup():
    cleaned: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append("yes")

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned == ["yes"]


async def test_a_child_process_talks_through_pipes():
    process = await asyncio.create_subprocess_exec(
        "cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    text = b"x" * 300_000
    out, _ = await process.communicate(text)
    assert out == text
    assert process.returncode == 0


async def test_a_server_answers_over_tcp():
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello\n")
        assert await reader.readline() == b"HELLO\n"
        writer.close()
        await writer.wait_closed()


async def test_a_signal_handler_runs_while_qt_waits():
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, came.set)
    waits = threading.Event()

    def kill() -> None:
        waits.wait(LIMIT_S)
        os.kill(os.getpid(), signal.SIGUSR1)

    dispatcher = QAbstractEventDispatcher.instance()
    dispatcher.aboutToBlock.connect(waits.set)
    killer = threading.Thread(target=kill)
    killer.start()
    await came.wait()
    killer.join()
    dispatcher.aboutToBlock.disconnect(waits.set)
    loop.remove_signal_handler(signal.SIGUSR1)


async def test_an_endless_chain_of_callbacks_leaves_qt_its_turns():
    loop = asyncio.get_running_loop()
    turns: list[int] = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: turns.append(1))
    timer.start()

    def again() -> None:
        if len(turns) < 3:
            loop.call_soon(again)

    again()
    await until(lambda: len(turns) >= 3)
    timer.stop()


async def test_a_nested_qt_loop_inside_a_task_lets_other_tasks_go_on():
    nested = QEventLoop()

    async def end_it() -> None:
        await asyncio.sleep(0.01)
        nested.quit()

    other = asyncio.create_task(end_it())
    nested.exec()
    me = asyncio.current_task()
    await other
    assert asyncio.current_task() is me


class QuitEvents(QObject):
    """Counts what asks the application to end."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.count = 0
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Quit
        return False


async def test_closing_the_last_window_does_not_end_the_loop(qapp: QApplication):
    closed: list[bool] = []
    qapp.lastWindowClosed.connect(lambda: closed.append(True))
    quit_events = QuitEvents(qapp)
    window = QWidget()
    window.show()
    window.close()
    await until(lambda: closed)
    window.deleteLater()
    await asyncio.sleep(0)  # what Qt posts for the end comes before this
    assert quit_events.count == 0


async def test_a_qt_object_that_goes_while_its_callback_waits_does_no_harm():
    thing = QObject()
    gone: list[bool] = []
    thing.destroyed.connect(lambda: gone.append(True))
    asyncio.get_running_loop().call_later(0.01, thing.deleteLater)
    del thing
    gc.collect()  # the waiting callback alone keeps it
    assert gone == []
    await until(lambda: gone)


def test_run_returns_the_result_and_closes_generators_and_threads(qapp: QApplication):
    closed: list[str] = []
    kept: list[AsyncGenerator[int, None]] = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            closed.append("generator")

    async def main() -> str:
        generator = numbers()
        kept.append(generator)
        assert await anext(generator) == 1
        await asyncio.to_thread(lambda: None)
        return "done"

    assert event_loop.run(main(), qapp) == "done"
    assert closed == ["generator"]
    assert not [thread for thread in threading.enumerate() if "asyncio" in thread.name]


def test_what_is_ready_at_the_end_of_a_run_waits_for_the_next(qapp: QApplication):
    loop = EventLoop(qapp)
    seen: list[str] = []
    problems: list[dict[str, object]] = []
    loop.set_exception_handler(lambda _, context: problems.append(context))
    tasks: list[asyncio.Task[None]] = []

    async def other() -> None:
        seen.append("begun")
        await asyncio.sleep(0)
        seen.append("ended")

    async def main() -> None:
        tasks.append(asyncio.create_task(other()))

    loop.run_until_complete(main())
    assert seen == ["begun"]
    loop.run_until_complete(tasks[0])
    loop.close()
    assert seen == ["begun", "ended"]
    assert problems == []


def test_run_cancels_the_tasks_that_are_left(qapp: QApplication):
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def main() -> None:
        main.task = asyncio.create_task(wait())  # pyright: ignore[reportFunctionMemberAccess]
        await asyncio.sleep(0)

    event_loop.run(main(), qapp)
    assert ended == ["cancelled"]


def test_an_error_of_the_main_task_comes_out_of_run(qapp: QApplication):
    async def main() -> None:
        await asyncio.sleep(0)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        event_loop.run(main(), qapp)


def test_system_exit_in_a_callback_comes_out_of_run(qapp: QApplication):
    async def main() -> None:
        asyncio.get_running_loop().call_soon(sys.exit, 7)
        await asyncio.Event().wait()

    with pytest.raises(SystemExit, match="7"):
        event_loop.run(main(), qapp)


def test_a_closed_loop_refuses_callbacks_from_threads(qapp: QApplication):
    loop = EventLoop(qapp)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(print)


async def test_closing_a_stream_early_runs_its_cleanup_at_once():
    closed: list[str] = []

    async def stream() -> AsyncGenerator[int, None]:
        try:
            for number in range(100):
                yield number
                await asyncio.sleep(0)
        finally:
            closed.append("stream")

    async with aclosing(stream()) as numbers:
        async for number in numbers:
            if number == 3:
                break
    assert closed == ["stream"]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    app = Path(event_loop.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(app), "QT_API": "pyqt5"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_headless_no_library_of_a_display_is_loaded():
    done = run_python(
        """
        import asyncio, sys
        from pathlib import Path
        from PySide6.QtCore import QCoreApplication
        from playhead import event_loop
        event_loop.run(asyncio.sleep(0.01), QCoreApplication([]))
        maps = Path("/proc/self/maps").read_text()
        print("core", "libQt6Core" in maps)
        print("gui", "libQt6Gui" in maps or "libQt6Widgets" in maps)
        print("names", "PySide6.QtGui" in sys.modules or "PySide6.QtWidgets" in sys.modules)
        """
    )
    assert done.stdout.split("\n") == ["core True", "gui False", "names False", ""], done.stderr


def test_widgets_can_be_imported_after_the_loop():
    done = run_python(
        """
        import asyncio, os
        from playhead import event_loop
        from PySide6.QtWidgets import QApplication
        event_loop.run(asyncio.sleep(0.01), QApplication([]))
        print("ok", os.environ["QT_API"])
        """
    )
    assert done.stdout == "ok pyqt5\n", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_a_program_that_only_waits():
    done = run_python(
        """
        import asyncio, os, signal, threading
        from PySide6.QtCore import QCoreApplication
        from playhead import event_loop

        async def main():
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                await asyncio.Event().wait()
            finally:
                print("cleaned")

        try:
            event_loop.run(main(), QCoreApplication([]))
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert done.stdout == "cleaned\ninterrupted\n", done.stderr
