"""`from playhead import interpreter`: a program's dialogue with a real server, kernel and model."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from playhead import Interpreter, InterpreterError, create_message
from tests.support.display import NO_BUS
from tests.support.driver import write_settings
from tests.support.model_server import (
    GOLDEN_ANSWER,
    GOLDEN_CODE,
    ModelServer,
    Script,
    call,
    cut,
    execute,
    text,
)
from tests.support.package_layers import layered
from tests.support.waiting import until_now
from tests.support.workers import SharedWorker

ROOT = Path(__file__).parents[1]
WAIT_S = 100.0
"""Just below the limit of a test, so that what was waited for is told."""
GOLDEN = [
    json.loads(line)
    for line in (ROOT / "tests/data/division_dialogue.jsonl").read_text("utf-8").splitlines()
]
DIVISION = (execute(*GOLDEN_CODE), text(*GOLDEN_ANSWER))


class Face:
    """One interpreter with its server, started once; each test begins a fresh conversation."""

    def __init__(self, model: ModelServer, worker: SharedWorker, folder: Path) -> None:
        self.model = model
        self.folder = folder

        class SharingInterpreter(Interpreter):
            def _server_command(self) -> list[str]:
                return [*worker.program, "serve", "--stdio"]

        self.interpreter = SharingInterpreter("openai/test", model.base_url, "sk-test")
        self.interpreter.working_dir = folder

    def answers(self, *script: Script) -> Interpreter:
        """The interpreter, for which the model has these answers."""
        self.model.script = list(script)  # type: ignore[assignment]
        self.model._served = 0
        self.model.requests.clear()
        return self.interpreter

    def told_model(self, request: int = -1) -> list[dict]:
        return self.model.requests[request].messages


def live_in(home: Path, patch: pytest.MonkeyPatch) -> Path:
    """A home whose settings name this Python, so that none has to be made; and no display."""
    write_settings(home, interpreter=sys.executable)
    for name in ("data", "config", "cache"):
        patch.setenv(f"PLAYHEAD_{name.upper()}_DIR", str(home / name))
    patch.setenv("DBUS_SESSION_BUS_ADDRESS", NO_BUS)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        patch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="module")
def shared_face(
    tmp_path_factory: pytest.TempPathFactory, model_worker: SharedWorker
) -> Iterator[Face]:
    home = tmp_path_factory.mktemp("face")
    with ModelServer(text("Ready.")) as model:
        face = Face(model, model_worker, home)
        with face.interpreter:
            with pytest.MonkeyPatch.context() as patch:
                live_in(home, patch)
                face.interpreter.chat("Are you there?")  # starts the server
            face.interpreter.reset()
            yield face


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return live_in(tmp_path / "home", monkeypatch)


@pytest.fixture
def face(shared_face: Face) -> Iterator[Face]:
    interpreter = shared_face.interpreter
    yield shared_face
    interpreter.reset()  # ends the kernel
    interpreter.auto_run, interpreter.on_input, interpreter.extended = False, None, False
    interpreter.working_dir, interpreter.model = shared_face.folder, "openai/test"


def marker_code(path: Path) -> str:
    return f"open({str(path)!r}, 'w').close()"


def test_the_division_dialogue_is_yielded_chunk_for_chunk(face: Face):
    interpreter = face.answers(*DIVISION)
    assert list(interpreter.chat("What's 34/24?", stream=True, display=False)) == GOLDEN
    assert interpreter.status == "complete"
    assert [message["content"] for message in interpreter.messages] == [
        "What's 34/24?",
        "34 / 24",
        "1.4166666666666667\n",
        "".join(GOLDEN_ANSWER),
    ]


def test_its_parameters_reach_the_model(face: Face):
    parameters = {"temperature": 0.25, "max_tokens": 77, "top_p": 0.5, "stop": ["END", "FIN"]}
    own = type(face.interpreter)("openai/test", face.model.base_url, "sk-test", **parameters)
    interpreter = face.answers(text("one"))
    before, interpreter.llm = interpreter.llm, own.llm
    try:
        interpreter.chat("hi")
        interpreter.llm.stop = "ONE"
        interpreter.chat("hi")
        interpreter.llm.top_p = 1.5
        with pytest.raises(InterpreterError, match="top_p"):
            interpreter.chat("hi")
    finally:
        interpreter.llm = before
    interpreter.chat("hi")
    told = [
        {name: request.body.get(name) for name in parameters} for request in face.model.requests
    ]
    assert told == [parameters, parameters | {"stop": ["ONE"]}, dict.fromkeys(parameters)]


def test_displaying_does_not_change_the_stream(face: Face, capsys: pytest.CaptureFixture[str]):
    interpreter = face.answers(*DIVISION)
    assert list(interpreter.chat("What's 34/24?", stream=True, display=True)) == GOLDEN
    shown = capsys.readouterr().out
    assert "34 / 24" in shown
    assert "1.4166666666666667" in shown
    assert "The result of the division 34/24 is approximately 1.42." in shown


def test_with_auto_run_the_confirmation_only_announces(face: Face):
    interpreter = face.answers(*DIVISION)
    interpreter.auto_run = True
    assert list(interpreter.chat("What's 34/24?", stream=True)) == GOLDEN
    assert interpreter.pending is None


@pytest.mark.parametrize("way", ["break", "close", "exception", "collected"])
def test_leaving_the_loop_at_the_confirmation_declines(face: Face, tmp_path: Path, way: str):
    marker = tmp_path / "ran"
    interpreter = face.answers(execute(marker_code(marker)), text("Done."), text("Again."))
    stream = interpreter.chat("go", stream=True)
    with contextlib.suppress(ZeroDivisionError):
        for chunk in stream:
            if chunk["type"] == "confirmation":
                if way == "exception":
                    raise ZeroDivisionError
                break
    if way == "close":
        stream.close()
    del stream
    gc.collect()
    face.answers(text("Fine."))
    assert interpreter.chat("And now?")[-1]["content"] == "Fine."  # the turn before has ended
    assert not marker.exists()
    assert "was not run" in json.dumps(face.told_model())


def living_children(pid: int) -> list[str]:
    """The children of a process that still run; one that ended may wait to be asked for its end."""
    with contextlib.suppress(OSError):
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [child for child in found if not _has_ended(child)]
    return []


def _has_ended(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_leaving_the_loop_while_code_runs_ends_the_run(face: Face, tmp_path: Path):
    alive = tmp_path / "pid"
    code = f"import os, time\nopen({str(alive)!r}, 'w').write(str(os.getpid()))\n"
    child = "import subprocess\nsubprocess.run(['sleep', '600'])\n"
    interpreter = face.answers(execute(code + child))
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "console" and alive.exists():
            break
    until_now(lambda: alive.exists(), WAIT_S)
    face.answers(text("Fine."))
    assert interpreter.chat("And now?")[-1]["content"] == "Fine."
    kernel = int(alive.read_text())
    until_now(lambda: not living_children(kernel), WAIT_S)


def test_the_program_may_edit_before_it_goes_on(face: Face):
    interpreter = face.answers(execute("print(1)"), text("Done."))
    chunks = []
    for chunk in interpreter.chat("go", stream=True):
        chunks.append(chunk)
        if chunk["type"] == "confirmation":
            assert interpreter.pending == {**chunk["content"], "facts": []}
            interpreter.approve("print(2)")
    output = [chunk["content"] for chunk in chunks if chunk.get("format") == "output"]
    assert output == ["2\n"]
    assert [chunk["type"] for chunk in chunks].count("confirmation") == 1
    assert interpreter.messages[1]["content"] == "print(2)"
    assert "print(2)" in json.dumps(face.told_model())


def test_code_that_is_written_over_in_the_messages_runs_as_it_stands_there(face: Face):
    interpreter = face.answers(execute("print(1)"), text("Done."))
    output = []
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "confirmation":
            interpreter.messages[-1]["content"] = "print('mine')"
        if chunk.get("format") == "output":
            output.append(chunk["content"])
    assert output == ["mine\n"]


def test_a_rejection_goes_on_and_tells_the_model_why(face: Face, tmp_path: Path):
    marker = tmp_path / "ran"
    interpreter = face.answers(execute(marker_code(marker)), text("As you wish."))
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "confirmation":
            interpreter.reject("too risky")
    assert interpreter.messages[-1]["content"] == "As you wish."
    assert not marker.exists()
    assert "too risky" in json.dumps(face.told_model())


def test_a_whole_answer_does_not_run_what_nobody_approved(face: Face, tmp_path: Path):
    marker = tmp_path / "ran"
    code = f"{marker_code(marker)}\nprint('ran')"
    interpreter = face.answers(execute(code), text("Done."))
    answer = interpreter.chat("go")
    assert [message["type"] for message in answer] == ["code", "confirmation"]
    assert interpreter.pending is not None
    assert interpreter.pending["content"] == code
    assert [fact["kind"] for fact in interpreter.pending["facts"]] == ["writes_outside"]
    assert not marker.exists()
    rest = interpreter.approve()
    assert [message["content"] for message in rest] == ["ran\n", "Done."]
    assert marker.exists()
    assert interpreter.pending is None


def test_a_new_question_declines_what_waited(face: Face, tmp_path: Path):
    marker = tmp_path / "ran"
    interpreter = face.answers(execute(marker_code(marker)))
    interpreter.chat("go")
    face.answers(text("Fine."))
    assert [message["content"] for message in interpreter.chat("No, wait.")] == ["Fine."]
    assert not marker.exists()
    with pytest.raises(InterpreterError, match="No code is waiting"):
        interpreter.approve()


def test_names_stay_between_chats_and_go_with_a_reset(face: Face):
    interpreter = face.answers(execute("kept = 41"), text("Set."))
    interpreter.auto_run = True
    interpreter.chat("go")
    face.answers(execute("print(kept + 1)"), text("Said."))
    assert interpreter.chat("and?")[1]["content"] == "42\n"
    interpreter.reset()
    assert interpreter.messages == []
    face.answers(execute("print(kept + 1)"), text("Oh."))
    assert "NameError" in interpreter.chat("and?")[1]["content"]


def test_a_conversation_is_resumed_from_its_messages(face: Face):
    interpreter = face.answers(*DIVISION)
    interpreter.auto_run = True
    interpreter.chat("What's 34/24?")
    saved = json.loads(json.dumps(interpreter.messages))
    interpreter.reset()
    interpreter.messages = saved
    face.answers(text("As before."))
    assert interpreter.chat("And again?")[0]["content"] == "As before."
    told = json.dumps(face.told_model())
    assert "What's 34/24?" in told
    assert "1.4166666666666667" in told
    assert "not run" not in told
    assert len(interpreter.messages) == len(saved) + 2


def test_what_the_program_changes_in_the_messages_is_what_the_model_is_told(face: Face):
    interpreter = face.answers(text("Your name is Ann."))
    interpreter.chat("My name is Ann.")
    interpreter.messages[0]["content"] = "My name is Bob."
    del interpreter.messages[1]
    face.answers(text("Bob."))
    interpreter.chat("What is my name?")
    told = json.dumps(face.told_model())
    assert "Bob" in told
    assert "Ann" not in told


def test_settings_that_change_between_chats_count_from_the_next_on(face: Face, tmp_path: Path):
    interpreter = face.answers(text("One."), execute("import os; print(os.getcwd())"), text("."))
    interpreter.chat("first")
    interpreter.llm.model = "openai/test-small"
    interpreter.working_dir = tmp_path
    interpreter.auto_run = True
    assert interpreter.chat("where?")[1]["content"] == f"{tmp_path}\n"
    assert [request.body["model"] for request in face.model.requests] == ["test"] + [
        "test-small"
    ] * 2


def test_a_message_may_be_a_dict_or_several(face: Face):
    interpreter = face.answers(text("Yes."))
    interpreter.chat({"role": "user", "type": "message", "content": "one"})
    interpreter.chat([{"content": "two"}, {"role": "user", "content": "three"}])
    assert face.told_model()[-1]["content"] == "two\n\nthree"
    for wrong in ([], [1], 5):
        with pytest.raises(TypeError):
            interpreter.chat(wrong)  # type: ignore[call-overload]


def test_what_came_before_a_failure_is_yielded_and_then_it_raises(face: Face):
    interpreter = face.answers(cut(text("This answer ", "breaks")))
    said: list[dict] = []
    with pytest.raises(InterpreterError) as raised:
        said.extend(interpreter.chat("go", stream=True))
    assert "".join(chunk.get("content", "") for chunk in said) == "This answer breaks"
    assert said[-1].get("end")
    assert raised.value.code == "upstream_truncated"
    assert raised.value.title
    assert raised.value.remedy
    assert interpreter.status == "failed"
    face.answers(text("Back."))
    assert interpreter.chat("again")[0]["content"] == "Back."


def test_a_refused_question_is_no_part_of_the_conversation(face: Face):
    interpreter = face.answers(text("Fine."))
    with pytest.raises(InterpreterError, match="content"):
        interpreter.chat({"role": "user", "type": "message", "content": 5})
    interpreter.working_dir = "/nowhere"
    with pytest.raises(InterpreterError, match="/nowhere is not a folder"):
        interpreter.chat("go")
    interpreter.working_dir = face.folder
    assert interpreter.messages == []
    assert interpreter.chat("go")[0]["content"] == "Fine."


def test_only_an_extended_stream_has_the_kinds_of_our_own_faces(face: Face):
    interpreter = face.answers(execute("1 / 0"), text("Oh."))
    interpreter.auto_run = True
    plain = list(interpreter.chat("go", stream=True))
    face.answers(execute("1 / 0"), text("Oh."))
    extended = list(interpreter.chat("go", stream=True, extended=True))
    kinds = {chunk["type"] for chunk in extended} - {chunk["type"] for chunk in plain}
    assert kinds == {"run", "error", "timing", "usage"}
    assert not any(chunk["role"] == "server" for chunk in plain)
    assert [chunk["type"] for chunk in extended if chunk["role"] == "server"] == ["usage"] * 2


def test_what_code_did_to_files_is_undone_and_done_again(face: Face, tmp_path: Path):
    interpreter = face.answers(execute("open('made.txt', 'w').close()"), text("Done."))
    interpreter.auto_run, interpreter.working_dir = True, tmp_path
    with pytest.raises(InterpreterError, match="nothing to undo"):
        interpreter.undo()
    interpreter.chat("go")
    [effect] = interpreter.effects()
    assert (effect["created"], effect["undone"]) == (["made.txt"], [])
    with pytest.raises(InterpreterError, match="did not change that file"):
        interpreter.undo("other.txt")
    assert interpreter.undo()[0]["deleted"] == ["made.txt"]
    assert not (tmp_path / "made.txt").exists()
    assert interpreter.effects()[0]["undone"] == ["made.txt"]
    assert interpreter.redo("made.txt", effect["id"])[0]["action"] == "redo"
    assert (tmp_path / "made.txt").exists()


def test_code_that_asks_is_answered_by_the_callback(face: Face):
    interpreter = face.answers(execute("print('Hello,', input('Name: '))"), text("Done."))
    interpreter.auto_run = True
    asked = []

    def on_input(prompt: str, is_secret: bool) -> str:
        asked.append((prompt, is_secret))
        return "Bob"

    interpreter.on_input = on_input
    answer = interpreter.chat("go")
    assert asked == [("Name: ", False)]
    assert any("Hello, Bob" in message["content"] for message in answer)


def test_code_that_asks_is_answered_at_its_chunk(face: Face):
    interpreter = face.answers(execute("print('Hello,', input('Name: '))"), text("Done."))
    interpreter.auto_run = True
    said = ""
    for chunk in interpreter.chat("go", stream=True, extended=True):
        if chunk["type"] == "input":
            interpreter.answer_input("Ann")
        if chunk.get("format") == "output":
            said += chunk["content"]
    assert "Hello, Ann" in said
    with pytest.raises(InterpreterError, match="No code is asking"):
        interpreter.answer_input("late")


def test_code_that_asks_nobody_ends_in_words(face: Face):
    interpreter = face.answers(execute("input('Name: ')"), text("Never."))
    interpreter.auto_run = True
    with pytest.raises(InterpreterError) as raised:
        interpreter.chat("go")
    assert raised.value.code == "input_unanswered"
    assert "Name:" in raised.value.detail
    assert len(face.model.requests) == 1


def test_code_that_asks_nobody_ends_the_turn_however_late_the_program_hears(face: Face):
    interpreter = face.answers(execute("input('Name: ')"), text("Never."))
    interpreter.auto_run = True
    connection = interpreter._connection
    asked = [{"role": "user", "type": "message", "content": "go"}]
    turn = connection.ask(asked, interpreter._config())
    kinds = []
    while not turn.is_over:  # it hears, and does nothing about the question
        chunk = turn.hear(turn.take())
        kinds.append(chunk["type"] if chunk else "")
    assert "input" in kinds
    assert turn.status == "cancelled"
    assert len(face.model.requests) == 1


def test_a_child_of_code_that_reads_what_nobody_types_ends_at_once(face: Face):
    reads = "import subprocess\nprint(subprocess.run(['cat']).returncode)"
    interpreter = face.answers(execute(reads), text("It ended."))
    interpreter.auto_run = True
    messages = interpreter.chat("read")
    assert [m["content"] for m in messages if m["type"] == "console"] == ["0\n"]


def test_one_chat_at_a_time(face: Face):
    interpreter = face.answers(text("a", "b"))
    stream = interpreter.chat("go", stream=True)
    next(stream)
    with pytest.raises(InterpreterError, match="middle of a chat") as raised:
        interpreter.chat("me too")
    assert raised.value.code == "session_busy"
    assert [chunk.get("content") for chunk in stream][:2] == ["a", "b"]
    stream.close()


def test_a_chat_is_stopped_from_another_thread(face: Face):
    interpreter = face.answers(execute("while True: pass"), text("Never."))
    interpreter.auto_run = True
    stopper: threading.Thread | None = None
    for chunk in interpreter.chat("go", stream=True):
        if chunk.get("format") == "active_line" and stopper is None:
            stopper = threading.Thread(target=interpreter.stop)
            stopper.start()
    assert stopper is not None
    stopper.join()
    assert interpreter.status == "cancelled"
    assert "KeyboardInterrupt" in interpreter.messages[-1]["content"]


def test_code_is_paused_and_goes_on_step_by_step(face: Face):
    code = "total = 1\ntotal += 1\nprint(total)"
    interpreter = face.answers(execute(code), text("Done."))
    lines: list[int] = []
    for chunk in interpreter.chat("go", stream=True, extended=True):
        if chunk["type"] == "confirmation":
            interpreter.pause([2])
        elif chunk["type"] == "paused":
            lines.append(chunk["content"])
            if chunk["content"] == 2:
                interpreter.resume(to_next=True)
            elif chunk["content"]:
                interpreter.resume()
    assert [line for line in lines if line] == [2, 3]
    assert lines[-1] == 0
    assert interpreter.messages[-2]["content"] == "2\n"


def test_it_works_in_a_thread_beside_a_qt_program(face: Face, qapp: object):
    interpreter = face.answers(*DIVISION)
    heard: list[dict] = []
    thread = threading.Thread(
        target=lambda: heard.extend(interpreter.chat("What's 34/24?", stream=True))
    )
    thread.start()
    thread.join(WAIT_S)
    assert heard == GOLDEN


async def test_it_is_streamed_in_the_loop_of_a_qt_program(face: Face):
    interpreter = face.answers(*DIVISION)
    assert [chunk async for chunk in interpreter.stream("What's 34/24?")] == GOLDEN


def test_it_is_streamed_in_a_plain_asyncio_loop_that_goes_on_meanwhile(face: Face):
    interpreter = face.answers(*DIVISION)

    async def main() -> tuple[list[dict], int]:
        turns = 0

        async def tick() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        ticking = asyncio.create_task(tick())
        chunks = [chunk async for chunk in interpreter.stream("What's 34/24?")]
        ticking.cancel()
        return chunks, turns

    chunks, turns = asyncio.run(main())
    assert chunks == GOLDEN
    assert turns > len(GOLDEN)


def streamed(interpreter: Interpreter, *messages: dict, **options: object) -> list[dict]:
    """All that a stream in the kernel's messages yields."""

    async def read() -> list[dict]:
        return [one async for one in interpreter.stream(messages, **options)]  # type: ignore[arg-type]

    return asyncio.run(read())


def whole(messages: list[dict]) -> list[dict]:
    return [message for message in messages if "status" not in message]


def decided(made: dict, value: object) -> dict:
    result = {"toolCallId": made["id"], "name": made["name"], "value": value}
    return create_message(type="tool_results", results=[result])


def test_messages_of_the_kernel_are_answered_in_those(face: Face):
    interpreter = face.answers(text("Good", " day"), text("Bye"))
    asked = create_message({"type": "input", "text": "Hello!"})
    *deltas, reply = streamed(interpreter, asked)
    assert {"type", "id", "createdAt", "text"} == reply.keys()
    assert [delta["status"] for delta in deltas] == ["created", *["in_progress"] * 2, "completed"]
    assert {(delta["id"], delta["createdAt"]) for delta in deltas} == {
        (reply["id"], reply["createdAt"])
    }
    streamed(interpreter, asked, reply, create_message(type="input", text="And now?"))
    told = [message["content"] for message in face.told_model()[1:]]
    assert told == ["Hello!", "Good day", "And now?"]
    assert interpreter.messages == []
    assert interpreter.status == "complete"


def test_the_kernels_calls_go_on_with_the_decision_and_keep_their_names(face: Face, tmp_path: Path):
    interpreter = face.answers(
        execute("import os; kept = os.getcwd()"), text("Kept."), execute("print(kept)"), text("So.")
    )
    interpreter.working_dir = tmp_path
    history = [create_message(type="input", text="Where are you?")]
    for _ in range(2):
        (proposed,) = streamed(interpreter, *history)
        (asked_for,) = proposed["toolCalls"]
        history += [proposed, decided(asked_for, {"decision": "approve"})]
        told = whole(streamed(interpreter, *history))
        assert [message["type"] for message in told] == ["tool_results", "reply"]
        history += [*told, create_message(type="input", text="Again!")]
    assert told[0]["results"][0]["value"] == f"{tmp_path}\n"


def test_the_kernels_calls_can_be_edited_and_denied(face: Face, tmp_path: Path):
    interpreter = face.answers(execute("1 / 0"), text("So."), execute(marker_code(tmp_path / "x")))
    asked = create_message(type="input", text="Go")
    (first,) = streamed(interpreter, asked)
    edit = {"decision": "approve", "code": "print('mine')"}
    told = whole(streamed(interpreter, asked, first, decided(first["toolCalls"][0], edit)))
    assert told[0]["results"][0]["value"] == "mine\n"
    again = create_message(type="input", text="Go on")
    (second,) = streamed(interpreter, asked, first, *told, again)
    interpreter = face.answers(text("Well."))
    denial = decided(second["toolCalls"][0], {"decision": "deny", "reason": "no"})
    streamed(interpreter, asked, first, *told, again, second, denial)
    assert not (tmp_path / "x").exists()
    assert "no" in face.told_model()[-1]["content"]


def test_the_kernels_tools_are_called_by_the_program(face: Face):
    interpreter = face.answers(call("lookup", '{"q": 1}'), text("Nine."))
    tool = {"type": "function", "name": "lookup", "description": "", "parameters": {}}
    asked = create_message(type="input", text="Look!")
    (called,) = streamed(interpreter, asked, tools=[tool])
    assert called["toolCalls"][0]["args"] == {"q": 1}
    results = decided(called["toolCalls"][0], {"n": 9})
    assert whole(streamed(interpreter, asked, called, results, tools=[tool]))[0]["text"] == "Nine."


def test_a_failure_ends_a_stream_of_the_kernels_messages_by_an_error(face: Face):
    interpreter = face.answers(cut(text("It breaks ", "of")))
    with pytest.raises(InterpreterError) as raised:
        streamed(interpreter, create_message(type="input", text="Go"))
    assert raised.value.code == "upstream_truncated"
    with pytest.raises(InterpreterError, match="must be a string"):
        streamed(interpreter, {"type": "input"})
    assert interpreter.status == "failed"


def test_leaving_a_stream_of_the_kernels_messages_ends_its_code(face: Face, tmp_path: Path):
    interpreter = face.answers(execute(f"{marker_code(tmp_path / 'x')}\nwhile True: pass"))
    interpreter.auto_run = True

    async def leave() -> None:
        asked = [create_message(type="input", text="Go")]
        async for message in interpreter.stream(asked):
            assert message["type"] == "tool_calls"
            break

    asyncio.run(leave())
    interpreter = face.answers(text("Still here."))
    assert interpreter.chat("Hello?")[-1]["content"] == "Still here."


def test_a_plain_chat_works_inside_a_running_loop_as_in_a_notebook(face: Face):
    interpreter = face.answers(*DIVISION)

    async def cell() -> list[dict]:
        return list(interpreter.chat("What's 34/24?", stream=True))

    assert asyncio.run(cell()) == GOLDEN


@pytest.mark.parametrize("way", ["break", "cancel"])
def test_leaving_the_asynchronous_loop_declines(face: Face, tmp_path: Path, way: str):
    marker = tmp_path / "ran"
    interpreter = face.answers(execute(marker_code(marker)))

    async def read(reached: asyncio.Event) -> None:
        async for chunk in interpreter.stream("go"):
            if chunk["type"] == "confirmation":
                reached.set()
                if way == "break":
                    return
                await asyncio.Event().wait()

    async def main() -> None:
        reached = asyncio.Event()
        task = asyncio.create_task(read(reached))
        await reached.wait()
        if way == "cancel":
            task.cancel()
        await asyncio.wait([task])
        face.answers(text("Fine."))
        chunks = [chunk async for chunk in interpreter.stream("And now?")]
        assert chunks[1]["content"] == "Fine."

    asyncio.run(main())
    assert not marker.exists()


def test_a_callback_may_be_awaited_in_the_asynchronous_twin(face: Face):
    interpreter = face.answers(execute("print('Hello,', input('Name: '))"), text("Done."))
    interpreter.auto_run = True

    async def on_input(prompt: str, is_secret: bool) -> str:
        await asyncio.sleep(0)
        return "Eve"

    interpreter.on_input = on_input

    async def main() -> str:
        said = [chunk async for chunk in interpreter.stream("go")]
        return "".join(chunk["content"] for chunk in said if chunk.get("format") == "output")

    assert "Hello, Eve" in asyncio.run(main())


@pytest.mark.requires_system("bwrap")
def test_grants_and_packages_are_listed_and_changed_before_the_first_chat(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    work, shown = tmp_path / "work", tmp_path / "shown"
    work.mkdir()
    shown.mkdir()
    layered(places / "data", work, "tiny 1.0")
    monkeypatch.setenv("PLAYHEAD_SANDBOX", "folder")
    with Interpreter("openai/test", "http://127.0.0.1:9", "sk-test", working_dir=work) as own:
        assert own.grants() == []
        read = own.grant("read", str(shown))
        assert (read["kind"], read["target"], read["scope"]) == ("read", str(shown), "conversation")
        denied = own.grant("host", "evil.example", "folder", deny=True)
        assert own.grants() == [read, denied]
        with pytest.raises(InterpreterError, match="There is no folder or file"):
            own.grant("read", str(tmp_path / "nowhere"))
        with pytest.raises(InterpreterError, match="There is no such grant"):
            own.revoke("unknown")
        own.revoke(read["id"])
        assert [one["id"] for one in own.grants()] == [denied["id"]]
        assert own.packages() == [{"name": "tiny", "version": "1.0", "there": ""}]
        with pytest.raises(InterpreterError, match="do not wait for the environment"):
            own.keep_packages(["tiny 1.1"])


def test_a_killed_server_is_said_in_words_and_the_next_chat_goes_on(places: Path):
    with Interpreter(working_dir=places) as mine:
        mine.auto_run = True
        mine.chat("kept = 1")
        mine.auto_run = False
        stream = mine.chat("What's 34/24?", stream=True)
        next(stream)
        os.kill(server_pid(mine), signal.SIGKILL)
        with pytest.raises(InterpreterError) as raised:
            list(stream)
        assert raised.value.code == "server_lost"
        assert "-9" in raised.value.detail
        mine.auto_run = True
        assert mine.chat("print(6 * 7)")[-1]["content"] == "42\n"
        assert mine.messages[0]["content"] == "kept = 1"


def test_closing_ends_the_server_and_the_kernel(places: Path):
    mine = Interpreter(working_dir=places, auto_run=True)
    kernel = int(mine.chat("import os; print(os.getpid())")[1]["content"])
    server = server_pid(mine)
    mine.close()
    for pid in (server, kernel):
        until_now(lambda pid=pid: not Path(f"/proc/{pid}").exists(), WAIT_S)


# In Direct mode, which needs no model.
PROGRAM = """
import json, sys
from playhead import interpreter
for chunk in interpreter.chat(sys.argv[1], stream=True, display=False):
    print(json.dumps(chunk), flush=True)
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"PySide6", "shiboken6", "qasync", "litellm", "aiohttp", "rich"}), flush=True)
"""


def program_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "app")}


def run_program(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with its question, which has to end well."""
    done = subprocess.run(
        [*command, "What's 34/24?"],
        env=program_environment(),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_program_without_display_loads_neither_qt_nor_litellm(places: Path, tmp_path: Path):
    done = run_program([sys.executable, "-c", PROGRAM], tmp_path)
    *chunks, loaded = done.stdout.splitlines()
    told = [json.loads(line).get("content") for line in chunks]
    assert "34 / 24" in told
    assert "1.4166666666666667\n" in told
    assert loaded == "[]"
    assert done.stderr == ""


def test_modules_of_the_current_folder_do_not_stand_in_for_ours(places: Path, tmp_path: Path):
    for name in ("playhead.py", "json.py", "logging.py"):
        (tmp_path / name).write_text("raise SystemExit('not this one')\n")
    script = tmp_path / "elsewhere" / "program.py"
    script.parent.mkdir()
    script.write_text(PROGRAM)
    run_program([sys.executable, str(script)], tmp_path)


def test_server_and_kernel_end_with_a_program_that_is_killed(places: Path, tmp_path: Path):
    code = "import os, time\nprint(os.getpid(), os.getppid(), flush=True)\ntime.sleep(600)"
    program = PROGRAM.replace("print(json.dumps(chunk)", "print(chunk.get('content')")
    command = [sys.executable, "-c", program]
    running = subprocess.Popen(
        [*command, code],
        env=program_environment(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    with running:
        assert running.stdout is not None
        found = (re.fullmatch(r"(\d+) (\d+)\n", line) for line in running.stdout)
        pids = next(pair for pair in found if pair).groups()
        running.kill()
    for pid in pids:
        until_now(lambda pid=pid: not Path(f"/proc/{pid}").exists(), WAIT_S)


def test_importing_starts_nothing_and_costs_nothing():
    code = (
        "import sys, threading, playhead\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "assert playhead.__version__\n"
        "assert not names & {'PySide6', 'litellm', 'asyncio', 'rich', 'subprocess'}, names\n"
        "from playhead import interpreter, Interpreter, InterpreterError\n"
        "assert isinstance(interpreter, Interpreter)\n"
        "assert playhead.interpreter is interpreter\n"
        "assert threading.active_count() == 1\n"
        "assert not hasattr(playhead, 'nothing')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=program_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def server_pid(interpreter: Interpreter) -> int:
    server = interpreter._connection._server
    assert server is not None
    return server.pid
