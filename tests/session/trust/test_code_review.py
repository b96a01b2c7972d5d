"""When a person is asked about code: what is seen of it, what was approved, what they chose."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.trust import Policy, RiskFact
from playhead.execution.risk_reader import RiskReader
from playhead.session.session import Session
from playhead.session.trust.code_review import FREE_REPEATS, CodeReview, code_diff, must_ask
from playhead.session.turn_settings import TurnOptions
from tests.support.jupyter import described
from tests.support.ports import (
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    coded,
    ports_with,
    said,
)
from tests.support.waiting import until

EVERYTHING = Policy()
INSIDE = Policy(files="folder", network="off")
WRITES = (RiskFact(kind="writes_inside", line=1, target="a.csv"),)
DELETES = (RiskFact(kind="deletes", line=1, target="a.csv"),)
HIDDEN = (RiskFact(kind="cannot_be_told", line=1, certainty="unknown"),)


@pytest.mark.parametrize(
    ("policy", "facts", "is_same", "is_asked"),
    [
        (replace(INSIDE, ask="every"), (), True, True),
        (replace(EVERYTHING, ask="every"), (), False, True),
        (replace(INSIDE, ask="outside"), DELETES, False, False),
        (replace(EVERYTHING, ask="outside"), (), True, True),
        (replace(INSIDE, ask="risky"), (), False, False),
        (replace(INSIDE, ask="risky"), WRITES, False, False),
        (replace(INSIDE, ask="risky"), DELETES, False, True),
        (replace(INSIDE, ask="risky"), DELETES, True, False),
        (replace(INSIDE, ask="risky"), HIDDEN, False, True),
        (replace(INSIDE, ask="risky"), None, False, True),
        (replace(EVERYTHING, ask="risky"), (), False, False),
        (replace(EVERYTHING, ask="risky"), WRITES, False, True),
        (replace(EVERYTHING, ask="risky"), DELETES, True, True),
        (replace(EVERYTHING, ask="risky"), HIDDEN, True, True),
        (replace(EVERYTHING, ask="risky"), None, False, True),
    ],
)
def test_the_policy_decides_who_is_asked(
    policy: Policy, facts: tuple[RiskFact, ...] | None, is_same: bool, is_asked: bool
) -> None:
    assert must_ask(policy, facts, is_same=is_same, repeats=0) is is_asked


def test_what_was_approved_is_asked_about_again_after_many_repeats() -> None:
    policy = replace(INSIDE, ask="risky")
    assert not must_ask(policy, DELETES, is_same=True, repeats=FREE_REPEATS - 1)
    assert must_ask(policy, DELETES, is_same=True, repeats=FREE_REPEATS)


def proposal_of(code: str, folder: Path, number: int = 1) -> Proposal:
    return Proposal(
        id=f"p{number}", message_id="m", language="python", code=code, folder=str(folder)
    )


async def test_any_change_to_what_was_approved_is_another_question(tmp_path: Path) -> None:
    policy = replace(INSIDE, ask="risky")
    review = CodeReview(RiskReader(), lambda: policy, now=lambda: 5.0)
    (tmp_path / "tools.py").write_text("def clean(): ...\n")
    code = "import os, tools\nos.remove('a')\ntools.clean()\nprint(1)\n"

    async def look(text: str, folder: Path = tmp_path) -> Proposal:
        return await review.look(proposal_of(text, folder))

    first = await look(code)
    assert review.must_ask(first)
    assert first.facts is not None
    assert [fact.kind for fact in first.facts] == ["deletes"]
    review.approve(first)
    again = await look(code)
    assert (again.approved_at, again.diff, review.must_ask(again)) == (5.0, "", False)
    changed = await look(code.replace("'a'", "'b'"))
    assert review.must_ask(changed)
    assert "-os.remove('a')" in changed.diff
    assert "+os.remove('b')" in changed.diff
    other = tmp_path / "other"
    other.mkdir()
    assert review.must_ask(await look(code, other))
    policy = replace(policy, network="on")
    assert review.must_ask(await look(code))
    policy = replace(policy, network="off")
    (tmp_path / "tools.py").write_text("import shutil\ndef clean(): shutil.rmtree('x')\n")
    moved = await look(code)
    assert review.must_ask(moved)
    assert moved.facts is not None
    assert [fact.module for fact in moved.facts] == ["", "tools.py"]


async def test_a_kernel_that_starts_otherwise_is_another_question(tmp_path: Path) -> None:
    place = described(tmp_path / "kernels" / "lab")
    review = CodeReview(RiskReader(), lambda: replace(INSIDE, ask="risky"))
    wanted = replace(proposal_of("import os\nos.remove('a')", tmp_path), interpreter=place.id)
    first = await review.look(wanted)
    review.approve(first)
    assert not review.must_ask(await review.look(wanted))
    assert review.must_ask(await review.look(replace(wanted, interpreter="")))
    (tmp_path / "kernels" / "lab" / "kernel.json").write_text('{"argv": ["/opt/lab/bin/other"]}')
    assert review.must_ask(await review.look(wanted))


async def test_a_file_that_is_no_text_of_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "secret.py").write_text("import os\nos.remove('x')\n")
    (folder / "link.py").symlink_to(tmp_path / "secret.py")
    import os

    os.mkfifo(folder / "pipe.py")
    look = await RiskReader().look("python", "import link, pipe", str(folder), "")
    assert look.facts == ()


def test_a_diff_is_of_what_is_alike() -> None:
    assert code_diff("a\nb\nc", "x\ny\nz") == ""
    assert code_diff("a\nb\nc", "a\nb\nd") == "@@ -1,3 +1,3 @@\n a\n b\n-c\n+d"


def session_with(
    folder: Path, ask: str, *codes: str, files: str = "folder"
) -> tuple[Session, RecordingExecutor]:
    executor = RecordingExecutor()
    provider = ScriptedProvider(*map(coded, codes), said("Done."))
    ports = ports_with(provider, executor, ReportedSandbox())
    session = Session(Conversation(), replace(ports, risks=RiskReader()), str(folder))
    session.policy.choose(Policy(files=files, network="off", ask=ask))  # type: ignore[arg-type]
    return session, executor


async def test_code_with_nothing_risky_runs_and_other_code_waits(tmp_path: Path) -> None:
    session, executor = session_with(
        tmp_path, "risky", "print(1)", "import os\nos.remove('a')", "import os\nos.remove('a')"
    )
    session.send("go")
    await until(lambda: session.pending)
    assert [request.code for request in executor.requests] == ["print(1)"]
    assert session.pending is not None
    assert session.pending.facts == (RiskFact(kind="deletes", line=2, target="a"),)
    session.approve(session.pending.id)
    await until(lambda: session.state == "idle")
    assert len(executor.requests) == 3  # the same again needs no second answer


async def test_an_edit_is_looked_at_and_is_what_was_approved(tmp_path: Path) -> None:
    code = "import os\nos.remove('b')"
    session, executor = session_with(tmp_path, "risky", "import os\nos.remove('a')", code)
    session.send("go")
    await until(lambda: session.pending)
    assert session.pending is not None
    session.approve(session.pending.id, code)
    await until(lambda: session.state == "idle")
    assert [request.code for request in executor.requests] == [code, code]


async def test_a_program_without_the_right_to_approve_runs_nothing_by_the_policy(
    tmp_path: Path,
) -> None:
    session, executor = session_with(tmp_path, "risky", "print(1)")
    session.take([], TurnOptions(auto_run=False, follows_policy=False))
    await until(lambda: session.pending)
    assert executor.requests == []
    session.stop()
    await until(lambda: session.state == "idle")
