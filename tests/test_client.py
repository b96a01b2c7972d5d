"""The client's side of the pipe: folding, decisions, and servers that misbehave."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.client.chat_transcript import ChatTranscript, plain_chunk, run_end_chunks
from playhead.client.interpreter_client import InterpreterClient
from playhead.client.kernel_messages import are_kernel_messages, create_message
from playhead.client.server_process import ServerProcess, server_command, server_environment
from playhead.errors import InterpreterError
from tests.support.waiting import until_now

Wire = dict[str, Any]

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "division_dialogue.jsonl")
    .read_text("utf-8")
    .splitlines()
]

# A server that plays a script: for each chat, a list of lines; `null` in one waits for a command.
# It notes its arguments, its environment and every command.
STUB = """
import json, os, sys
log = open(sys.argv[1], "a")
def note(**fields): log.write(json.dumps(fields) + "\\n"); log.flush()
def say(line): sys.stdout.write(line + "\\n"); sys.stdout.flush()
note(argv=sys.argv, environment=dict(os.environ), pid=os.getpid())
script = json.load(open(sys.argv[2]))
commands = (json.loads(line) for line in sys.stdin)
for command in commands:
    note(**command)
    if command["do"] != "chat" or not script:
        continue
    for line in script.pop(0):
        if line is None:
            note(**next(commands))
        elif line == "die":
            sys.stderr.write("first words\\nlast words\\n")
            sys.exit(7)
        elif isinstance(line, str):
            say(line)
        else:
            say(json.dumps({"turn": command["turn"], **line}))
"""


class Stub:
    """An interpreter whose server plays a script."""

    def __init__(self, folder: Path) -> None:
        self.log, self.script = folder / "log", folder / "script"
        self.log.touch()
        stub = folder / "stub.py"
        stub.write_text(STUB)
        command = [sys.executable, str(stub), str(self.log), str(self.script)]

        class StubbedInterpreter(InterpreterClient):
            def _server_command(self) -> list[str]:
                return command

        self.interpreter = StubbedInterpreter("openai/test", api_key="sk-secret-of-the-test")

    def plays(self, *turns: Sequence[Wire | str | None]) -> InterpreterClient:
        self.script.write_text(json.dumps(turns))
        return self.interpreter

    def notes(self, verb: str = "") -> list[Wire]:
        noted = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [note for note in noted if note.get("do", "") == verb]


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[Stub]:
    stub = Stub(tmp_path)
    with stub.interpreter:
        yield stub


def said(text: str) -> list[Wire]:
    head = {"role": "assistant", "type": "message"}
    return [
        {"chunk": {**head, "start": True}},
        {"chunk": {**head, "content": text}},
        {"chunk": {**head, "end": True}},
    ]


def coded(code: str) -> list[Wire]:
    head = {"role": "assistant", "type": "code", "format": "python"}
    return [
        {"chunk": {**head, "start": True, "id": "call_1"}},
        {"chunk": {**head, "content": code}},
        {"chunk": {**head, "end": True}},
    ]


def confirmation(code: str) -> Wire:
    content = {"type": "code", "format": "python", "content": code}
    head = {"role": "computer", "type": "confirmation", "format": "execution"}
    return {"chunk": {**head, "content": content}}


WAITS: Wire = {"waits": True}
STARTED: Wire = {"chunk": {"role": "computer", "type": "run", "content": {"state": "started"}}}
COMPLETE: list[Wire] = [
    {"chunk": {"role": "server", "type": "status", "content": "complete"}},
    {"ended": True},
]


# Folding


def test_the_division_dialogue_folds_into_its_messages():
    transcript = ChatTranscript()
    transcript.add([{"role": "user", "type": "message", "content": "What's 34/24?"}])
    for chunk in GOLDEN:
        transcript.feed(chunk)
    assert transcript.messages[1:] == [
        {"role": "assistant", "type": "code", "format": "python", "content": "34 / 24"},
        {
            "role": "computer",
            "type": "console",
            "format": "output",
            "content": "1.4166666666666667\n",
        },
        {
            "role": "assistant",
            "type": "message",
            "content": "The result of the division 34/24 is approximately 1.42.",
        },
    ]
    assert not transcript.is_changed


@given(st.text(min_size=1), st.data())
def test_however_a_text_is_split_its_message_is_the_same(text: str, data: st.DataObject):
    head = {"role": "assistant", "type": "message"}
    transcript = ChatTranscript()
    transcript.feed({**head, "start": True})
    rest = text
    while rest:
        length = data.draw(st.integers(1, len(rest)))
        transcript.feed({**head, "content": rest[:length]})
        rest = rest[length:]
        if data.draw(st.booleans()):
            assert transcript.messages[-1]["content"] == text[: len(text) - len(rest)]
    transcript.feed({**head, "end": True})
    assert transcript.messages == [{**head, "content": text}]


def test_code_that_ran_without_output_leaves_an_empty_console():
    transcript = ChatTranscript()
    for chunk in (GOLDEN[7], GOLDEN[8], GOLDEN[10], GOLDEN[11]):
        transcript.feed(chunk)
    head = {"role": "computer", "type": "console", "format": "output"}
    assert transcript.messages == [{**head, "content": ""}]


def test_an_empty_message_leaves_nothing():
    transcript = ChatTranscript()
    transcript.feed({"role": "assistant", "type": "message", "start": True})
    transcript.feed({"role": "assistant", "type": "message", "end": True})
    assert transcript.messages == []


@pytest.mark.parametrize(
    "change",
    [
        lambda messages: messages.pop(),
        lambda messages: messages.append({"role": "user", "type": "message", "content": "x"}),
        lambda messages: messages[0].update(content="other"),
        lambda messages: messages.clear(),
    ],
    ids=["taken away", "added", "written over", "cleared"],
)
def test_what_the_program_changes_is_noticed(change: Callable[[list[Wire]], object]):
    transcript = ChatTranscript([{"role": "user", "type": "message", "content": "one"}])
    assert not transcript.is_changed
    change(transcript.messages)
    assert transcript.is_changed


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (
            {"state": "killed", "seconds": 0.25, "line": 2, "reason": "the kernel ended: status 3"},
            "[The kernel ended at line 2 after 0.2 s: status 3. Its variables were lost.]\n",
        ),
        (
            {"state": "interrupted", "seconds": 5.0, "reason": "the limit of the settings"},
            "[Stopped after 5.0 s: the limit of the settings.]\n",
        ),
        ({"state": "finished", "seconds": 1.0, "exit_status": 3}, "[It ended with status 3.]\n"),
    ],
)
def test_a_run_that_did_not_end_well_is_told_as_output(report: Wire, said: str):
    chunk = {"role": "computer", "type": "run", "content": report}
    transcript = ChatTranscript()
    transcript.feed(chunk)
    head = {"role": "computer", "type": "console", "format": "output"}
    assert transcript.messages == [{**head, "content": said}]
    assert run_end_chunks(chunk)[1]["content"] == said


@pytest.mark.parametrize("state", ["started", "finished", "interrupted"])
def test_an_ordinary_end_is_told_by_nothing(state: str):
    chunk = {"role": "computer", "type": "run", "content": {"state": state, "seconds": 1.0}}
    assert run_end_chunks(chunk) == []


def test_a_made_message_has_an_id_and_a_time_and_keeps_its_own():
    first, second = create_message({"type": "input", "text": "Hi"}), create_message(type="input")
    assert first["id"] != second["id"]
    assert (first["type"], first["text"], type(first["createdAt"])) == ("input", "Hi", int)
    assert create_message(first, id="own")["id"] == "own"
    with pytest.raises(TypeError, match="type"):
        create_message(text="Hi")


@pytest.mark.parametrize(
    ("messages", "are_kernels"),
    [
        ([{"type": "input", "text": "Hi"}], True),
        ([{"type": "tool-results", "results": []}, {"type": "reply", "text": ""}], True),
        ([{"type": "message", "content": "Hi"}], False),
        ([{"role": "computer", "type": "error", "content": {}}], False),
        ([{"type": "input", "text": "Hi"}, {"content": "Hi"}], False),
        ([], False),
    ],
)
def test_messages_of_the_kernel_are_told_from_native_ones(messages: list, are_kernels: bool):
    assert are_kernel_messages(messages) is are_kernels


def test_a_plain_reader_sees_no_ids_of_calls():
    assert plain_chunk({"role": "assistant", "type": "code", "id": "1", "start": True}) == {
        "role": "assistant",
        "type": "code",
        "start": True,
    }
    call = {"role": "assistant", "type": "tool_call", "format": "look", "id": "1", "start": True}
    assert plain_chunk(call) == call


# Decisions


def test_of_equal_codes_each_confirmation_is_about_its_own(stub: Stub):
    interpreter = stub.plays(
        [
            *coded("same"),
            *coded("same"),
            confirmation("same"),
            WAITS,
            None,
            STARTED,
            confirmation("same"),
            WAITS,
            None,
            confirmation("other"),
            STARTED,
            *COMPLETE,
        ]
    )
    seen = 0
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "confirmation":
            seen += 1
            if seen == 2:
                interpreter.approve("other")
    assert [message["content"] for message in interpreter.messages] == ["go", "same", "other"]
    first, second = stub.notes("decide")
    assert "code" not in first
    assert second["code"] == "other"


def test_a_wait_for_code_that_was_never_shown_is_denied(stub: Stub):
    interpreter = stub.plays([WAITS, None, *COMPLETE])
    list(interpreter.chat("go", stream=True))
    assert [note["decision"] for note in stub.notes("decide")] == ["deny"]


def test_the_echo_of_an_edit_hides_no_later_proposal(stub: Stub):
    """The same code proposed again is a new proposal: going on unseen would approve it."""
    interpreter = stub.plays(
        [
            *coded("one"),
            confirmation("one"),
            WAITS,
            None,
            confirmation("two"),
            STARTED,
            *coded("two"),
            confirmation("two"),
            WAITS,
            None,
            *COMPLETE,
        ]
    )
    seen = []
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "confirmation":
            seen.append(chunk["content"]["content"])
            if len(seen) == 1:
                interpreter.approve("two")
            else:
                interpreter.reject("enough")
    assert seen == ["one", "two"]
    assert [note["decision"] for note in stub.notes("decide")] == ["approve", "deny"]


def test_approving_the_code_as_it_is_is_no_edit(stub: Stub):
    interpreter = stub.plays([*coded("one"), confirmation("one"), WAITS, None, *COMPLETE])
    for chunk in interpreter.chat("go", stream=True):
        if chunk["type"] == "confirmation":
            interpreter.approve("one")
    assert "code" not in stub.notes("decide")[0]


def test_a_stream_that_is_left_stops_its_turn_without_an_approval(stub: Stub):
    interpreter = stub.plays([*coded("one"), confirmation("one"), WAITS, None, *COMPLETE], [])
    stream = interpreter.chat("go", stream=True)
    while next(stream)["type"] != "confirmation":
        pass
    stream.close()
    until_now(lambda: stub.notes("stop"))
    assert stub.notes("decide") == []


def test_a_reset_ends_a_chat_that_another_thread_reads(stub: Stub):
    interpreter = stub.plays([*said("a"), None, *COMPLETE])
    stream = interpreter.chat("go", stream=True)
    assert next(stream)["start"]
    interpreter.reset()
    assert list(stream) == []
    assert interpreter.messages == []
    until_now(lambda: [note["messages"] for note in stub.notes("begin")] == [[], []])


# The process


def test_the_key_is_on_the_pipe_alone(stub: Stub):
    interpreter = stub.plays([*said("Hi."), *COMPLETE])
    interpreter.chat("hello")
    start, begin = stub.notes()[0], stub.notes("begin")[0]
    assert begin["config"]["api_key"] == "sk-secret-of-the-test"
    assert "sk-secret-of-the-test" not in json.dumps(start)
    assert "sk-secret-of-the-test" not in repr(interpreter.llm)


def test_settings_that_stay_are_told_once(stub: Stub):
    interpreter = stub.plays(*[[*said("Hi."), *COMPLETE]] * 3)
    interpreter.chat("one")
    interpreter.chat("two")
    interpreter.auto_run = True
    interpreter.chat("three")
    assert [note.get("config", {}).get("auto_run") for note in stub.notes("chat")] == [
        None,
        None,
        True,
    ]
    assert len(stub.notes("begin")) == 1


def test_a_server_that_dies_is_quoted_and_replaced(stub: Stub):
    interpreter = stub.plays([*said("Half")[:2], "die"])
    with pytest.raises(InterpreterError) as raised:
        interpreter.chat("go")
    assert raised.value.code == "server_lost"
    assert "status 7" in raised.value.detail
    assert "last words" in raised.value.detail
    assert interpreter.messages[-1]["content"] == "Half"
    stub.plays([*said("Whole."), *COMPLETE])
    assert interpreter.chat("again")[-1]["content"] == "Whole."
    first, second = (note["messages"] for note in stub.notes("begin"))
    assert (first, [message["content"] for message in second]) == ([], ["go", "Half"])
    assert len({note["pid"] for note in stub.notes()}) == 2


def test_a_server_that_died_between_chats_is_replaced_unseen(stub: Stub):
    interpreter = stub.plays([*said("One."), *COMPLETE, "die"])
    interpreter.chat("one")
    stub.plays([*said("Two."), *COMPLETE])
    server = interpreter._connection._server
    assert server is not None
    until_now(lambda: not server.is_usable)
    assert interpreter.chat("two")[-1]["content"] == "Two."


def test_lines_that_are_not_understood_are_skipped(stub: Stub):
    odd = ["", "no json", "[1]", "5", '{"new": "kind"}', '{"turn": "t0", "ended": true}']
    interpreter = stub.plays([*odd, *said("Fine."), {"later": 1}, *COMPLETE])
    assert [message["content"] for message in interpreter.chat("go")] == ["Fine."]


def test_a_server_that_cannot_be_started_is_said_in_words():
    with pytest.raises(InterpreterError) as raised:
        ServerProcess(["/nowhere/playhead"])
    assert "/nowhere/playhead" in raised.value.detail
    assert raised.value.remedy


def test_after_closing_a_chat_starts_another_server(stub: Stub):
    interpreter = stub.plays([*said("One."), *COMPLETE])
    interpreter.chat("one")
    interpreter.close()
    interpreter.close()
    stub.plays([*said("Two."), *COMPLETE])
    assert interpreter.chat("two")[-1]["content"] == "Two."
    assert len(interpreter.messages) == 4


def test_an_interpreter_that_is_forgotten_takes_its_server_with_it(tmp_path: Path):
    stub = Stub(tmp_path)
    stub.plays([*said("One."), *COMPLETE]).chat("one")
    server = stub.interpreter._connection._server
    assert server is not None
    del stub
    gc.collect()
    until_now(lambda: not server.is_usable)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_leaves_its_parents_server_alone(stub: Stub):
    interpreter = stub.plays([*said("One."), *COMPLETE], [*said("Two."), *COMPLETE])
    interpreter.chat("one")
    pid = os.fork()
    if pid == 0:  # as a worker of multiprocessing that ends its interpreter
        try:
            interpreter.close()
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert interpreter.chat("two")[-1]["content"] == "Two."


def test_the_frozen_program_is_its_own_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert server_command() == [sys.executable, "serve", "--stdio"]


def test_the_server_finds_the_package_and_what_the_program_has_in_reach():
    environment = server_environment({"PYTHONPATH": "/mine", "OTHER": "1"})
    source, mine = environment["PYTHONPATH"].split(os.pathsep)
    assert (Path(source) / "playhead" / "__init__.py").exists()
    assert (mine, environment["OTHER"]) == ("/mine", "1")


def test_a_question_that_is_no_json_leaves_the_interpreter_as_it_was(stub: Stub):
    interpreter = stub.plays([*said("yes"), *COMPLETE])
    with pytest.raises(TypeError):
        interpreter.chat([{"content": object()}])
    assert interpreter.messages == []
    assert interpreter.chat("Really?")[-1]["content"] == "yes"
