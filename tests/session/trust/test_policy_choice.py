"""What code of a conversation may do: the default, a person's choice, and what is not possible."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.settings import (
    AppSettings,
    ConversationConfig,
    Profile,
    consents_of,
    with_consents,
)
from playhead.domain.trust import Attempt, BoundaryReport, Policy, PolicyWish
from playhead.errors import AppError, SessionError
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.session.ports import Sandbox
from playhead.session.session import Session
from playhead.session.trust.policy_choice import policy_at
from playhead.storage.recorded_sandbox import RecordedSandbox
from tests.support.ports import (
    HELD,
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    SettingsInMemory,
    coded,
    ports_with,
)
from tests.support.sandboxes import Place
from tests.support.waiting import until

FOLDER = Policy(files="folder", network="off")
OPEN = replace(
    HELD, attempts=(*HELD.attempts, Attempt(group="files", name="read a key", outcome="through"))
)


def test_what_was_chosen_for_the_sandbox_is_no_right_on_another_machine() -> None:
    inside, everything = Policy(files="folder", ask="risky"), Policy(ask="risky")
    for interpreter in ("", "/usr/bin/python3", "jupyter:r:R:/kernels/ir"):
        assert policy_at(inside, interpreter) == inside
    there = [policy_at(one, "ssh:python:box:box:::") for one in (inside, everything)]
    assert [(one.files, one.ask) for one in there] == [
        ("everything", "every"),
        ("everything", "risky"),
    ]


def session_in(
    folder: str,
    sandbox: Sandbox | None,
    executor: RecordingExecutor | None = None,
    *,
    wish: PolicyWish | None = None,
    is_root: bool = False,
) -> Session:
    ports = ports_with(
        ScriptedProvider(coded("wait"), coded("print(2)")), executor or RecordingExecutor(), sandbox
    )
    ports = replace(ports, policy=wish or PolicyWish(), is_root=is_root)
    return Session(Conversation(), ports, folder)


def last_end(session: Session) -> str:
    """Return why the last run, or the kernel after it, ended."""
    reports = [m.content for m in session.conversation.messages if isinstance(m.content, RunReport)]
    end = reports[-1].end if reports else None
    return end.kind if end else ""


@pytest.mark.parametrize(
    ("report", "folder", "files"),
    [
        (HELD, "/work", "folder"),
        (replace(HELD, gaps=("It cannot hold a thing.",)), "/work", "folder"),
        (HELD, "~", "look"),
        (BoundaryReport(), "/work", "everything"),
        (BoundaryReport(problem="There is no bubblewrap."), "/work", "everything"),
        (OPEN, "/work", "everything"),
        (None, "/work", "everything"),
    ],
)
def test_a_new_conversation_has_the_nearest_policy_that_holds(report, folder, files):
    sandbox = None if report is None else ReportedSandbox(report)
    policy = session_in(str(Path(folder).expanduser()), sandbox).policy.current
    assert policy.files == files
    assert policy.network == ("on" if files == "everything" else "off")
    assert policy.ask == "every"


@pytest.mark.parametrize("report", [BoundaryReport(), OPEN, None])
@pytest.mark.parametrize("ask", ["every", "risky", "outside"])
async def test_where_nothing_was_tested_or_holds_no_code_runs_unasked(report, ask):
    """As in a first `playhead chat` or `serve`: to ask less was chosen for the sandbox."""
    executor, settings = RecordingExecutor(), AppSettings(sandbox_ask=ask)
    sandbox = None if report is None else ReportedSandbox(report)
    ports = ports_with(ScriptedProvider(coded("34 / 24"), []), executor, sandbox)
    ports = replace(ports, settings=SettingsInMemory(settings))
    session = Session(Conversation(), ports, "/work")
    assert session.policy.current == Policy(files="everything", network="on", ask="every")
    session.send("What's 34/24?")
    await until(lambda: session.pending)
    assert session.state == "awaiting_approval"
    assert not executor.requests
    await session.close()


def test_everything_that_a_person_asked_for_asks_as_they_said():
    wish = PolicyWish(files="everything", ask="risky")
    session = session_in("/work", ReportedSandbox(BoundaryReport()), wish=wish)
    assert session.policy.current == Policy(files="everything", network="on", ask="risky")


def test_what_the_command_line_names_is_never_widened():
    wish = PolicyWish(files="folder")
    session = session_in("/work", ReportedSandbox(OPEN), wish=wish)
    assert session.policy.current.files == "folder"
    assert "does not hold" in str(session.policy.problem)


@pytest.mark.parametrize("has_run", [False, True])
async def test_a_boundary_test_that_ends_later_counts_until_code_runs(has_run: bool):
    sandbox, executor = ReportedSandbox(BoundaryReport()), RecordingExecutor()
    session = session_in("/work", sandbox, executor)
    session.send("go")
    await until(lambda: session.pending)
    assert session.pending is not None
    assert session.policy.current.files == "everything"
    if has_run:
        session.approve(session.pending.id)
        await until(lambda: session.state == "running")
    sandbox.tell(HELD)
    files = "everything" if has_run else "folder"
    assert session.policy.current.files == files
    if not has_run:
        session.approve(session.pending.id)
        await until(lambda: session.state == "running")
    sandbox.tell(replace(HELD, gaps=("A gap.",)))
    assert session.policy.current.files == files
    assert [one.policy.files for one in executor.requests] == [files]
    assert session_in("/work", sandbox).policy.current.files == "folder"
    await session.close()


async def test_a_model_is_told_what_code_may_do_now():
    ports = ports_with(provider := ScriptedProvider([], []), RecordingExecutor(), ReportedSandbox())
    session = Session(Conversation(), ports, "/work")
    session.send("go")
    await until(lambda: session.is_idle)
    session.policy.choose(replace(FOLDER, ask="outside"))
    session.send("go on")
    await until(lambda: session.is_idle)
    assert [one.policy.network for one in provider.requests] == ["off", "off"]
    assert [one.runs_unasked for one in provider.requests] == [False, True]
    await session.close()


def test_no_asking_inside_lasts_as_long_as_the_test_holds():
    sandbox = ReportedSandbox()
    session = session_in("/work", sandbox)
    session.policy.choose(replace(FOLDER, ask="outside"))
    assert session.policy.current.ask == "outside"
    sandbox.tell(replace(HELD, gaps=("A gap.",)))
    assert session.policy.current.ask == "risky"
    sandbox.tell(HELD)
    assert session.policy.current.ask == "outside"


@pytest.mark.parametrize(
    ("policy", "report", "is_root", "why"),
    [
        (replace(FOLDER, ask="outside"), HELD, True, "root"),
        (replace(FOLDER, ask="outside"), BoundaryReport(), False, "boundary test"),
        (FOLDER, BoundaryReport(problem="There is no bubblewrap."), False, "bubblewrap"),
        (FOLDER, OPEN, False, "read a key"),
    ],
)
def test_what_is_not_possible_is_refused_with_the_reason(policy, report, is_root, why):
    session = session_in("/work", ReportedSandbox(report), is_root=is_root)
    before = session.policy.chosen
    with pytest.raises(AppError, match=why):
        session.policy.choose(policy)
    assert session.policy.chosen == before


async def test_another_policy_ends_the_kernel_and_counts_for_code_that_waits():
    executor = RecordingExecutor()
    session = session_in("/work", ReportedSandbox(), executor)
    session.send("go")
    await until(lambda: session.pending)
    assert session.pending is not None
    session.approve(session.pending.id)
    await until(lambda: session.state == "running")
    with pytest.raises(SessionError, match="running"):
        session.policy.choose(Policy())
    await executor.interrupt(session.conversation.id)
    await until(lambda: session.pending)
    session.policy.choose(Policy())
    await until(lambda: executor.restarts == 1)
    session.approve(session.pending.id)
    await until(lambda: session.is_idle)
    assert [one.policy for one in executor.requests] == [FOLDER, Policy()]
    session.policy.choose(FOLDER)
    await until(lambda: last_end(session) == "policy_changed")
    session.policy.choose(replace(FOLDER, ask="risky"))
    assert executor.restarts == 2
    await session.close()


def test_less_than_the_defaults_counts_only_with_consent():
    loose = AppSettings(sandbox_network="on", sandbox_ask="outside")
    assert with_consents(loose, ()) == AppSettings()
    assert with_consents(loose, consents_of(loose)) == loose
    strict = AppSettings(sandbox_files="look")
    assert with_consents(strict, ()) == strict


def test_a_profile_has_the_policy_of_its_conversations_until_a_person_chooses() -> None:
    strict = Profile(name="strict", sandbox_files="look", sandbox_ask="every")
    loose = Profile(name="loose", sandbox_network="on", sandbox_ask="outside")
    settings = AppSettings(profiles=(strict, loose), profile="strict", sandbox_ask="risky")
    ports = ports_with(ScriptedProvider(), RecordingExecutor(), ReportedSandbox())
    ports = replace(ports, settings=SettingsInMemory(settings))
    session = Session(Conversation(), ports, "/work")
    assert session.policy.chosen == Policy(files="look", network="off", ask="every")
    session.set_config(ConversationConfig(profile="loose"))
    assert session.policy.chosen == Policy(files="folder", network="on", ask="outside")
    session.policy.choose(FOLDER)
    session.set_config(ConversationConfig(profile="strict"))
    assert session.policy.chosen == FOLDER
    stored = ConversationConfig(profile="loose")  # where code may have written it
    session = Session(Conversation(), ports, "/work", config=stored, is_stored=True)
    assert session.policy.chosen == Policy(files="folder", network="off", ask="risky")


def test_a_profile_that_loosens_the_policy_counts_only_where_a_person_consented() -> None:
    loose = Profile(name="loose", sandbox_network="on", sandbox_ask="outside", sandbox_files="look")
    settings = AppSettings(profiles=(loose,), profile="loose")
    (left,) = with_consents(settings, ()).profiles
    assert left == Profile(name="loose", sandbox_files="look")
    assert with_consents(settings, consents_of(settings)) == settings
    words = consents_of(replace(settings, profile=""))
    assert with_consents(settings, words).profile == ""


async def test_what_is_kept_to_the_sandbox_waits_for_a_test_of_its_own_where_none_was_made():
    sandbox, executor = ReportedSandbox(BoundaryReport()), RecordingExecutor()
    sandbox.tests_at_need, sandbox.next_report = True, HELD
    asked_for = session_in("/work", sandbox, executor, wish=PolicyWish(files="folder"))
    nobody = session_in("/work", sandbox, executor)
    everything = session_in("/work", sandbox, executor, wish=PolicyWish(files="everything"))
    for session, tests in ((nobody, 0), (everything, 0), (asked_for, 1)):
        session.run_code("python", "print(1)")
        await until(lambda session=session: session.is_idle)
        assert sandbox.tests == tests
        await session.close()
    kept = [one.policy.files for one in executor.requests]
    assert kept == ["everything", "everything", "folder"]

    sandbox = ReportedSandbox(HELD)  # an earlier start found that it holds
    sandbox.tests_at_need, sandbox.next_report = True, OPEN
    for wish in (PolicyWish(), PolicyWish(ask="outside")):
        sandbox.tests, sandbox.report = 0, HELD
        session = session_in("/work", sandbox, executor, wish=wish)
        session.send("go")
        await until(lambda session=session: session.is_idle or session.pending is not None)
        if session.pending is not None:
            session.approve(session.pending.id)
        await until(lambda session=session: session.is_idle)
        told = [m.text for m in session.conversation.messages if m.type == "tool_result"]
        assert told[-1].startswith("This code was not run: The sandbox of this computer does not")
        assert len(executor.requests) == 3  # nor is it run outside instead
        await session.close()


@pytest.mark.requires_system("bwrap")
async def test_a_sandbox_that_leaks_is_found_before_its_first_run(tmp_path: Path) -> None:
    found = look_for_sandbox()
    if problem := found.problem or found.weakness:
        pytest.skip(f"no sandbox here: {problem}")
    leaky = tmp_path / "bwrap"
    leaky.write_text(
        "#!/bin/sh\n"
        'for word; do shift; [ "$word" = --unshare-ipc ] || set -- "$@" "$word"; done\n'
        f'exec {found.program} "$@"\n'
    )
    leaky.chmod(0o755)
    (tmp_path / "home").mkdir()
    place = Place(tmp_path / "home")
    real = place.sandbox(program=str(leaky))
    recorded = RecordedSandbox(real, tmp_path / "boundary.json")
    recorded.test_at_need()
    executor = RecordingExecutor()
    session = session_in(str(place.folder), recorded, executor, wish=PolicyWish(files="folder"))
    session.run_code("python", "print(1)")
    await until(lambda: session.is_idle and recorded.report.attempts)
    through = [one.name for one in recorded.report.attempts if one.outcome == "through"]
    assert through == ["shared memory of System V"]
    assert executor.requests == []
    await session.close()
