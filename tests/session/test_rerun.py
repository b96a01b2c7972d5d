"""All code of a conversation runs again as another version of the same messages."""

from __future__ import annotations

import pytest

from playhead.domain.conversation.payloads import Proposal
from playhead.errors import SessionError
from playhead.session.rerun import Block
from tests.session.test_session import Bench
from tests.support.ports import coded, said
from tests.support.waiting import until


def texts(bench: Bench) -> list[tuple[str, str, str]]:
    messages = bench.session.conversation.messages
    return [(m.role, m.type, m.text) for m in messages if m.type != "confirmation"]


async def ran_two_turns(bench: Bench) -> None:
    for question in ("first", "second"):
        bench.session.send(question)
        await until(lambda: bench.session.pending)
        assert bench.session.pending
        edit = "edited" if question == "second" else None
        bench.session.approve(bench.session.pending.id, edit)
        await bench.rests()


async def test_the_conversation_does_not_grow_and_the_earlier_results_are_a_version():
    bench = Bench(coded("one", call_id="c1"), said("One."), coded("two"), said("Two."))
    await ran_two_turns(bench)
    before = texts(bench)
    ids = [message.id for message in bench.session.conversation.messages]
    bench.executor.requests.clear()
    bench.session.reruns.begin()
    await bench.rests()
    assert bench.ran == ["one", "edited"]
    assert texts(bench) == before
    assert len(bench.provider.requests) == 4
    [versions] = bench.session.conversation.versions().values()
    assert versions.number == 2
    bench.session.choose_version(versions.previous)
    assert [message.id for message in bench.session.conversation.messages] == ids


async def test_the_copied_proposals_are_about_the_copied_code():
    bench = Bench(coded("one"), said("One."), coded("two"), said("Two."))
    await ran_two_turns(bench)
    bench.session.reruns.begin()
    await bench.rests()
    messages = bench.session.conversation.messages
    codes = [message.id for message in messages if message.type == "code"]
    proposals = [m.content for m in messages if isinstance(m.content, Proposal)]
    assert [(p.message_id, p.code) for p in proposals] == [
        (codes[0], "one"),
        (codes[1], "two"),
        (codes[1], "edited"),
    ]


async def test_what_was_said_keeps_its_time_and_the_results_have_a_new_one():
    bench = Bench(coded("one"), said("One."), coded("two"), said("Two."))
    await ran_two_turns(bench)
    before = bench.session.conversation.messages
    bench.session.reruns.begin()
    await bench.rests()
    for old, new in zip(before, bench.session.conversation.messages, strict=True):
        is_result = old.role == "computer"
        assert (new.created_at > before[-1].created_at) == is_result, old.type


async def test_code_that_was_skipped_is_not_run_but_stays():
    bench = Bench(coded("one"), said("One."), coded("no"), said("Not."))
    bench.session.send("go")
    await until(lambda: bench.session.pending)
    bench.session.approve((await bench.proposes()).id)
    await bench.rests()
    bench.session.send("and this")
    bench.session.reject((await bench.proposes()).id)
    await bench.rests()
    before = texts(bench)
    bench.session.reruns.begin()
    await bench.rests()
    assert bench.ran == ["one", "one"]
    assert texts(bench) == before


async def test_several_blocks_of_one_answer_run_in_their_order_as_often_as_wanted():
    blocks = [*said("First:"), *coded("one"), *coded("need yaml"), *coded("three"), *said("Ok?")]
    bench = Bench(blocks, said("Done."))
    bench.session.set_auto_run(True)
    bench.session.run_code("python", "%pip install pyyaml")
    await bench.rests()
    bench.session.send("go")
    await bench.rests()
    before = texts(bench)
    bench.session.reruns.begin()
    await bench.rests()
    assert texts(bench) == before
    assert bench.ran[4:] == ["%pip install pyyaml", "one", "need yaml", "three"]
    bench.session.reruns.begin()
    await bench.rests()
    assert bench.session.reruns.stopped is None
    assert [len(one.ids) for one in bench.session.conversation.versions().values()] == [3]


async def test_it_stops_at_the_first_failure_and_goes_on_when_asked():
    bench = Bench()
    for code in ("one", "fail here", "three"):
        bench.session.run_code("python", code)
        await bench.rests()
    bench.executor.requests.clear()
    bench.session.reruns.begin()
    await bench.rests()
    assert bench.ran == ["one", "fail here"]
    stopped = bench.session.reruns.stopped
    assert stopped is not None
    assert (stopped.number, stopped.total, stopped.left, stopped.reason) == (2, 3, 1, "failed")
    bench.session.reruns.go_on()
    await bench.rests()
    assert bench.ran == ["one", "fail here", "three"]
    assert bench.session.reruns.stopped is None
    assert bench.kinds.count("user/code") == 3
    with pytest.raises(SessionError):
        bench.session.reruns.go_on()


async def test_a_stop_is_where_it_can_go_on_until_another_question_is_asked():
    bench = Bench(said("Fine."))
    bench.session.run_code("python", "wait")
    await until(lambda: bench.ran)
    bench.session.stop()
    await bench.rests()
    bench.session.run_code("python", "two")
    await bench.rests()
    bench.session.reruns.begin()
    await until(lambda: len(bench.ran) == 3)
    bench.session.stop()
    await bench.rests()
    stopped = bench.session.reruns.stopped
    assert stopped is not None
    assert (stopped.reason, stopped.left) == ("stopped", 1)
    bench.session.run_code("python", "mended")
    await bench.rests()
    assert bench.session.reruns.stopped is stopped
    bench.session.send("what now?")
    await bench.rests()
    assert bench.session.reruns.stopped is None


async def test_without_code_there_is_nothing_to_run():
    bench = Bench()
    with pytest.raises(SessionError):
        bench.session.reruns.begin()


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import os\nos.remove('a')"),
        ("python", "Path('a').unlink()"),
        ("python", "shutil.rmtree(folder)"),
        ("python", "frame.to_csv('a.csv')"),
        ("python", "with open('a', 'w') as file:\n    pass"),
        ("python", "open(path, mode='wb')"),
        ("python", "!rm -r build"),
        ("bash", "rm -rf build"),
        ("bash", "echo 1 > a.txt"),
    ],
)
def test_what_may_delete_or_overwrite_files_is_seen(language: str, code: str):
    assert Block("", language, code).may_change_files


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "names.remove('a')\ndel names"),
        ("python", "# os.remove('a')"),
        ("python", "open('a')\nopen('b', 'r').read()"),
        ("python", "text.replace('a', 'b')\na > b"),
        ("python", "print('a farm is warm')"),
        ("bash", "ls 2>&1 >/dev/null"),
    ],
)
def test_other_code_is_not_said_to(language: str, code: str):
    assert not Block("", language, code).may_change_files


def test_what_asks_for_input_is_seen():
    assert Block("", "python", "name = input('Name? ')").may_ask
    assert Block("", "bash", "read -p 'Name? ' name").may_ask
    assert not Block("", "python", "form.input('x')\nread_csv('a')").may_ask
