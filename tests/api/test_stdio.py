"""The lines between a program and the sessions, over real pipes and scripted ports."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from playhead.api.stdio import serve_stdio
from playhead.api.turns.client_request import ApiPolicy
from playhead.api.turns.model_state import ModelState
from playhead.api.turns.turns import Turns
from playhead.domain.execution import place_of
from playhead.domain.model import ModelParameters
from playhead.domain.places import Machine
from playhead.errors import ProviderError
from playhead.session.sessions import Sessions
from playhead.session.trust.route_guard import RouteGuard
from playhead.storage.history.no_history import NoHistory
from tests.support.driver import write_settings
from tests.support.places import KnownPlaces
from tests.support.ports import RecordingExecutor, ScriptedProvider, coded, ports_with, said
from tests.support.waiting import until

Wire = dict[str, Any]
ROOT = Path(__file__).parents[2]
HELLO = [{"role": "user", "type": "message", "content": "hello"}]


class Program:
    """The program at the other end of the pipes."""

    def __init__(self, *answers: list, places: KnownPlaces | None = None) -> None:
        self.places = places
        self.provider = ScriptedProvider(*answers)
        self.executor = RecordingExecutor()
        self.lines: list[Wire] = []
        self.status: int | None = None
        self._commands, self._write_end = os.pipe()
        self._read_end, self._lines_end = os.pipe()
        self._rest = b""

    def tell(self, *commands: Wire | bytes) -> None:
        for command in commands:
            line = command if isinstance(command, bytes) else json.dumps(command).encode()
            os.write(self._write_end, line + b"\n")

    def chat(self, turn: str = "t1", **fields: Any) -> None:
        self.tell({"do": "chat", "turn": turn, "messages": HELLO, **fields})

    async def hears(self, wanted: Callable[[Wire], bool]) -> Wire:
        """The first line from here on that is wanted; those before it are dropped."""
        while True:
            await until(lambda: self.lines)
            line = self.lines.pop(0)
            if wanted(line):
                return line

    async def hears_the_end(self, turn: str = "t1") -> list[Wire]:
        """The chunks up to the end of the turn."""
        chunks: list[Wire] = []
        while True:
            line = await self.hears(lambda line: line.get("turn") == turn)
            if line.get("ended"):
                return chunks
            if "chunk" in line:
                chunks.append(line["chunk"])

    def hang_up(self) -> None:
        os.close(self._write_end)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[Program]:
        ports = replace(ports_with(self.provider, self.executor), places=self.places)
        history = NoHistory(Path("no-such-folder"))
        sessions = Sessions(ports, history)
        models = ModelState(ports.settings, ports.keys, ports.catalog)
        policy = ApiPolicy(
            may_approve=lambda: True,
            may_auto_run=lambda: True,
            approve_switch="",
            auto_run_switch="",
        )
        turns = Turns(sessions, models, policy, history.records)
        routes = RouteGuard(ports.keys, ports.settings, ports.catalog)
        stdin, stdout = os.fdopen(self._commands, "rb"), os.fdopen(self._lines_end, "wb", 0)
        os.set_blocking(self._read_end, False)
        asyncio.get_running_loop().add_reader(self._read_end, self._on_lines)
        task = asyncio.create_task(serve_stdio(sessions, turns, stdin, stdout, "1.2.3", routes))
        try:
            yield self
        finally:  # a test that has failed hangs up as well: its reader would wait for ever
            self.hang_up()
            self.status = await task
            asyncio.get_running_loop().remove_reader(self._read_end)
            stdout.close()
            stdin.close()
            os.close(self._read_end)
            await turns.close()
            await sessions.close()

    def _on_lines(self) -> None:
        *whole, self._rest = (self._rest + os.read(self._read_end, 1 << 20)).split(b"\n")
        self.lines += [json.loads(line) for line in whole]


def is_begun(line: Wire) -> bool:
    return "begun" in line


def is_refused(line: Wire) -> bool:
    return "error" in line


def waits(line: Wire) -> bool:
    return "waits" in line


async def test_it_says_that_it_is_ready_and_ends_with_its_input():
    program = Program()
    async with program.served():
        ready = await program.hears(lambda line: "ready" in line)
        assert ready == {"ready": True, "version": "1.2.3"}
    assert program.status == 0


async def test_a_turn_comes_as_chunks_with_its_status_and_its_end():
    program = Program(said("Hello."))
    async with program.served():
        program.tell({"do": "begin", "messages": [], "config": {}})
        program.chat()
        await program.hears(is_begun)
        chunks = await program.hears_the_end()
    assert [chunk.get("content") for chunk in chunks] == [None, "Hello.", None, "complete"]
    assert chunks[-1] == {"role": "server", "type": "status", "content": "complete"}
    assert not any(chunk["role"] == "user" for chunk in chunks)


async def test_code_waits_for_the_decision_and_runs_as_it_was_edited():
    program = Program(coded("one", call_id="c1"), said("Done."))
    async with program.served():
        program.tell({"do": "begin"})
        program.chat()
        confirmation = await program.hears(
            lambda line: line.get("chunk", {}).get("type") == "confirmation"
        )
        assert confirmation["chunk"]["content"]["content"] == "one"
        assert await program.hears(lambda _: True) == {
            "turn": "t1",
            "waits": True,
            "bounds": "Runs as you, with all your files.",
        }
        assert program.executor.requests == []
        program.tell({"do": "decide", "turn": "t1", "decision": "approve", "code": "two"})
        chunks = await program.hears_the_end()
    assert [request.code for request in program.executor.requests] == ["two"]
    kinds = [chunk["type"] for chunk in chunks]
    assert kinds[:3] == ["confirmation", "run", "console"]
    assert chunks[-1]["content"] == "complete"


async def test_whatever_is_not_the_word_approve_runs_nothing():
    for decision in ("deny", "yes", "", None, {"decision": "approve"}):
        program = Program(coded("one", call_id="c1"), said("Then not."))
        async with program.served():
            program.tell({"do": "begin"})
            program.chat()
            await program.hears(waits)
            program.tell({"do": "decide", "turn": "t1", "decision": decision, "reason": "no"})
            await program.hears_the_end()
        assert program.executor.requests == []
        assert "They say: no" in program.provider.requests[-1].messages[-1].text


async def test_a_decision_for_another_turn_decides_nothing():
    program = Program(coded("one"))
    async with program.served():
        program.tell({"do": "begin"})
        program.chat()
        await program.hears(waits)
        program.tell({"do": "decide", "turn": "t0", "decision": "approve"})
        program.tell({"do": "stop", "turn": "t1"})
        chunks = await program.hears_the_end()
        assert program.executor.requests == []
    assert chunks[-1]["content"] == "cancelled"


async def test_with_auto_run_nothing_waits():
    program = Program(coded("one"), said("Done."))
    async with program.served():
        program.tell({"do": "begin", "config": {"auto_run": True}})
        program.chat()
        await program.hears(is_begun)
        lines = []
        while not (lines and lines[-1].get("ended")):
            lines.append(await program.hears(lambda _: True))
    assert not any(waits(line) for line in lines)
    assert any(line.get("chunk", {}).get("type") == "confirmation" for line in lines)
    assert [request.code for request in program.executor.requests] == ["one"]


async def test_the_next_turn_may_begin_as_soon_as_the_end_was_told():
    program = Program(said("1"), said("2"), said("3"))
    async with program.served():
        program.tell({"do": "begin"})
        for turn in ("t1", "t2", "t3"):
            program.chat(turn)
            chunks = await program.hears_the_end(turn)
            assert chunks[-1]["content"] == "complete"


async def test_a_conversation_is_resumed_and_a_second_begin_forgets_it():
    history = [*HELLO, {"role": "assistant", "type": "message", "content": "Hi."}]
    program = Program(said("a"), said("b"))
    async with program.served():
        program.tell({"do": "begin", "messages": history})
        program.chat()
        await program.hears_the_end()
        program.tell({"do": "begin"})
        program.chat("t2")
        await program.hears_the_end("t2")
    told = [[m.text for m in request.messages] for request in program.provider.requests]
    assert told == [["hello", "Hi.", "hello"], ["hello"]]
    assert program.executor.restarts >= 1


async def test_settings_come_with_the_begin_and_may_change_with_a_chat(tmp_path: Path):
    program = Program(coded("one"), said("a"), said("b"))
    config = {"model": "openai/other", "api_base": "http://localhost:1/v1", "api_key": "sk-mine"}
    extra = {"working_dir": str(tmp_path), "temperature": 0.5, "max_tokens": 9, "auto_run": True}
    async with program.served():
        program.tell({"do": "begin", "config": {**config, **extra, "instructions": "Be brief."}})
        program.chat()
        await program.hears_the_end()
        program.chat("t2", config={"model": "openai/third"})
        await program.hears_the_end("t2")
    first, *_, last = program.provider.requests
    assert (first.model.model, first.model.api_base) == ("openai/other", "http://localhost:1/v1")
    assert first.model.api_key is not None
    assert first.model.api_key.reveal() == "sk-mine"
    assert first.model.parameters == ModelParameters(temperature=0.5, max_tokens=9)
    assert "Be brief." in first.instructions
    assert program.executor.requests[0].folder == str(tmp_path)
    assert last.model.model == "openai/third"


async def test_a_program_runs_its_code_on_another_machine():
    known = KnownPlaces([Machine(address="gpu-box", label="gpu-box")])
    program = Program(coded("one"), said("a"), places=known)
    async with program.served():
        program.tell({"do": "begin", "config": {"place": "nowhere"}})
        refused = await program.hears(is_refused)
        assert "There is no place “nowhere”." in refused["error"]["message"]
        program.tell({"do": "begin", "config": {"place": "gpu-box:~/data"}})
        await program.hears(is_begun)
        program.tell({"do": "places", "asked": "p1"})
        listed = await program.hears(lambda line: line.get("asked") == "p1")
        assert [one["name"] for one in listed["places"]] == ["here", "gpu-box"]
        program.chat()
        asked = await program.hears(
            lambda line: line.get("chunk", {}).get("type") == "confirmation"
        )
        where = asked["chunk"]["content"]
        assert (where["machine"], where["folder"]) == ("gpu-box", "~/data")
        assert "kernel" not in where
        waiting = await program.hears(waits)
        assert waiting["bounds"].startswith("On gpu-box there is no sandbox")
        program.tell({"do": "decide", "turn": "t1", "decision": "approve"})
        await program.hears_the_end()
    place = place_of(program.executor.requests[0].interpreter)
    assert place is not None
    assert (place.address, place.folder) == ("gpu-box", "~/data")


async def test_what_is_refused_is_refused_in_words_and_the_rest_goes_on():
    program = Program(said("Fine."))
    async with program.served():
        program.chat("t0")
        refused = await program.hears(is_refused)
        assert refused["turn"] == "t0"
        assert refused["error"]["code"] == "invalid_state"
        assert (await program.hears(lambda _: True)) == {"turn": "t0", "ended": True}
        program.tell({"do": "begin", "messages": [{"role": "user"}]})
        refused = await program.hears(is_refused)
        assert refused["error"]["code"] == "invalid_messages"
        program.tell({"do": "begin", "config": {"working_dir": "/nowhere"}})
        assert "/nowhere" in (await program.hears(is_refused))["error"]["message"]
        program.tell({"do": "begin"})
        program.tell({"do": "chat", "turn": "t1", "messages": []})
        assert (await program.hears(is_refused))["error"]["message"]
        program.chat("t2", config={"temperature": "hot"})
        assert "temperature" in (await program.hears(is_refused))["error"]["message"]
        program.chat("t2b", config={"stop": [1]})
        refused = (await program.hears(is_refused))["error"]
        assert refused["code"] == "invalid_config"
        assert "stop" in refused["message"]
        program.chat("t3", config={})
        assert (await program.hears_the_end("t3"))[-1]["content"] == "complete"


async def test_a_second_chat_meanwhile_is_refused():
    program = Program(coded("one"))
    async with program.served():
        program.tell({"do": "begin"})
        program.chat()
        await program.hears(waits)
        program.chat("t2")
        refused = await program.hears(is_refused)
        assert (refused["turn"], refused["error"]["code"]) == ("t2", "session_busy")


async def test_lines_that_are_no_commands_harm_nothing():
    program = Program(said("Fine."))
    async with program.served():
        program.tell({"do": "begin"})
        deep = b"[" * 30_000
        program.tell(b"", b"{", b"[]", b"\xff\xfe", b'"do"', deep, {"do": "fly"}, {"do": 5})
        program.tell({"do": "begin", "messages": 5, "config": 5})
        program.chat()
        chunks = await program.hears_the_end()
    assert chunks[-1]["content"] == "complete"
    assert program.status == 0


async def test_a_failure_is_the_last_chunk_with_its_remedy_apart():
    error = ProviderError("It broke.", detail="Half way.", remedy="Try again.")
    program = Program([*said("So far.")[:2], error])
    async with program.served():
        program.tell({"do": "begin"})
        program.chat()
        chunks = await program.hears_the_end()
    assert chunks[-2].get("end")
    told = chunks[-1]["error"]
    assert (told["code"], told["message"]) == ("upstream_error", "It broke.")
    assert (told["detail"], told["remedy"]) == ("Half way.", "Try again.")


async def test_a_program_that_goes_takes_its_run_with_it():
    program = Program(coded("wait"))
    async with program.served():
        program.tell({"do": "begin", "config": {"auto_run": True}})
        program.chat()
        await until(lambda: program.executor.requests)
    assert program.status == 0
    assert program.executor.killed_runs == 1


async def test_an_input_reaches_the_code_that_asked():
    program = Program(coded("wait"))
    async with program.served():
        program.tell({"do": "begin", "config": {"auto_run": True}})
        program.chat()
        await until(lambda: program.executor.requests)
        program.tell({"do": "input", "turn": "t1", "id": "q1", "text": "Bob"})
        await until(lambda: program.executor.answers == [("q1", "Bob")])


async def test_text_for_another_run_reaches_none():
    program = Program(coded("wait"))
    async with program.served():
        program.tell({"do": "begin", "config": {"auto_run": True}})
        program.chat()
        await program.hears(lambda message: message.get("chunk", {}).get("type") == "run")
        for run, text in ((0, "late"), (1, "Bob\n"), (2, "early")):
            program.tell({"do": "text", "turn": "t1", "run": run, "text": text})
        program.tell({"do": "text", "turn": "t1", "text": "any"})
        await until(lambda: ("", "any") in program.executor.answers)
    assert [text for _, text in program.executor.answers] == ["Bob\n", "any"]


async def test_a_program_that_reads_no_more_holds_nothing_up():
    big = "x" * 1_000_000
    program = Program(said(big), said("Later."))
    async with program.served():
        loop = asyncio.get_running_loop()
        program.tell({"do": "begin"})
        await program.hears(is_begun)
        loop.remove_reader(program._read_end)
        program.chat()
        await until(lambda: program.provider.closed_streams == 1)
        loop.add_reader(program._read_end, program._on_lines)
        assert (await program.hears_the_end())[1]["content"] == big


def test_the_process_keeps_its_output_for_the_lines_alone(tmp_path: Path):
    write_settings(tmp_path, interpreter=sys.executable)
    code = (
        "import sys, os\n"
        "from playhead.api import stdio\n"
        "commands, lines = stdio.claim_pipes()\n"
        "print('a stray print', flush=True)\n"
        "os.write(1, b'from C')\n"
        "assert sys.stdin.read() == ''\n"
        "lines.write(commands.readline())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
        input=b'{"do": "nothing"}\n',
        capture_output=True,
        check=False,
    )
    assert done.stdout == b'{"do": "nothing"}\n'
    assert b"a stray print" in done.stderr
    assert b"from C" in done.stderr
