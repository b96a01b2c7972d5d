"""The pill, its sheet and the approval bar: what code may do, as a person sees and changes it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from playhead.domain.settings import AppSettings
from playhead.domain.trust import Attempt, BoundaryReport, Policy
from playhead.ui.dialogs.policy_sheet import PolicySheet
from tests.support.ports import HELD, ReportedSandbox, coded
from tests.support.waiting import until
from tests.support.window import Bench, opened

SETTINGS = AppSettings(model="openai/test")
MISSING = BoundaryReport(
    problem="bubblewrap is not installed.", remedy="Install it: sudo apt install bubblewrap"
)
OPEN = replace(
    HELD, attempts=(*HELD.attempts, Attempt(group="files", name="read a key", outcome="through"))
)


def sheet_of(bench: Bench) -> PolicySheet:
    bench.click(bench.parts.header.policy_pill)
    assert bench.window.policies.sheet is not None
    return bench.window.policies.sheet


def buttons_of_notes(bench: Bench) -> list[str]:
    notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
    return [note.action[0] for note in notes if note.action]


async def test_the_pill_and_the_bar_say_what_code_may_do_and_a_change_counts_at_once(
    theme, tmp_path
):
    box = ReportedSandbox()
    async with opened(theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=box) as bench:
        bench.session.set_folder(str(tmp_path))
        pill = bench.parts.header.policy_pill
        assert pill.text() == "Working folder · Network off · asks every time"
        bench.send("go")
        await bench.asked()
        assert (
            "Inside the sandbox: this folder, no network." in bench.parts.approval.accessibleName()
        )
        sheet = sheet_of(bench)
        QTest.keyClick(sheet.files.buttons["everything"], Qt.Key.Key_Space)
        assert sheet.network.isHidden()
        assert bench.session.policy.chosen.files == "folder"  # until Apply
        QTest.keyClick(sheet, Qt.Key.Key_Return)
        assert pill.text() == "Everything · asks every time"
        assert pill.property("kind") == "exposed"
        assert "Runs as you, with all your files." in bench.parts.approval.accessibleName()
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        assert bench.executor.requests[0].policy == Policy()


async def test_what_is_not_possible_is_grey_with_its_reason_and_runs_nothing(theme, tmp_path):
    box = ReportedSandbox()
    async with opened(theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=box) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.send("go")
        await bench.asked()
        box.tell(OPEN)
        bar = bench.parts.approval
        assert "does not hold" in bar.accessibleName()
        assert not bar.run_button.isEnabled()
        bar.run_action.trigger()
        bar.run_rest_action.trigger()
        assert bench.session.pending is not None
        sheet = sheet_of(bench)
        assert not sheet.files.buttons["look"].isEnabled()
        assert "read a key" in sheet.files.buttons["look"].accessibleDescription()
        assert not sheet.asking.buttons["outside"].isEnabled()
        assert sheet.status.words.text().endswith("1 of 4 attempts got through.")
        sheet.reject()
        box.tell(HELD)
        assert bar.run_button.isEnabled()
        assert bench.ran == []


async def test_the_first_run_waits_for_the_first_test_and_says_so(theme, tmp_path):
    box = ReportedSandbox(BoundaryReport())
    box.next_report = HELD
    box.may_end.clear()
    async with opened(theme, tmp_path, settings=SETTINGS, sandbox=box) as bench:
        bench.session.set_folder(str(tmp_path))

        def notes() -> list[str]:
            return [row.note.title for row in bench.parts.timeline.model.rows if row.note]

        for _ in range(2):
            bench.session.run_code("python", "print(1)")
            await until(lambda: notes() == ["The sandbox of this computer is being tested…"])
            assert bench.session.state == "asking"
            await bench.session.stopped()
            assert (bench.ran, notes()) == ([], [])
        bench.session.run_code("python", "print(2)")
        await until(lambda: notes() != [])
        box.may_end.set()
        await bench.rests()
        assert bench.ran == ["print(2)"]
        assert bench.executor.requests[0].policy.files == "folder"
        assert notes() == []
        bench.session.run_code("python", "print(3)")
        await until(lambda: bench.session.is_idle and len(bench.ran) == 2)
        bench.session.policy.choose(Policy())
    chosen = ReportedSandbox(BoundaryReport())
    chosen.may_end.clear()
    async with opened(theme, tmp_path, settings=SETTINGS, sandbox=chosen) as bench:
        bench.session.policy.choose(Policy(ask="risky"))
        bench.session.run_code("python", "print(4)")  # who has chosen does not wait
        await until(lambda: bench.ran == ["print(4)"])


async def test_a_test_is_made_again_by_click_and_its_attempts_are_shown(theme, tmp_path):
    box = ReportedSandbox(BoundaryReport())
    async with opened(theme, tmp_path, settings=SETTINGS, sandbox=box) as bench:
        bench.session.set_folder(str(tmp_path))
        assert bench.parts.header.policy_pill.text().startswith("Everything")
        box.next_report = HELD
        box.may_end.clear()
        sheet = sheet_of(bench)
        assert sheet.status.words.text() == "Not tested on this computer yet."
        bench.click(sheet.status.test_button)
        await until(lambda: box.tests == 1)
        assert sheet.status.progress.isVisible()
        assert not sheet.status.test_button.isEnabled()
        box.may_end.set()
        await until(lambda: not sheet.status.progress.isVisible())
        assert "3 of 3 attempts refused." in sheet.status.words.text()
        bench.click(sheet.status.show_button)
        rows = sheet.status.list
        groups = [rows.topLevelItem(n) for n in range(rows.topLevelItemCount())]
        assert [(one.text(0), one.text(1)) for one in groups if one] == [
            ("files", "2 of 2"),
            ("network", "1 of 1"),
        ]
        assert bench.parts.header.policy_pill.text().startswith("Working folder")


async def test_without_a_sandbox_the_line_that_helps_can_be_copied(theme, tmp_path):
    async with opened(
        theme, tmp_path, settings=SETTINGS, sandbox=ReportedSandbox(MISSING)
    ) as bench:
        sheet = sheet_of(bench)
        status = sheet.status
        assert "bubblewrap is not installed." in status.problem.text()
        bench.click(status.copy_button)
        assert QApplication.clipboard().text() == "sudo apt install bubblewrap"


async def test_the_weaker_sandbox_says_what_it_does_not_hold_and_what_would_help(theme, tmp_path):
    times = Attempt(group="files", name="change the times", outcome="open")
    gap = "It can change the times of your files."
    weaker = replace(
        HELD, attempts=(*HELD.attempts, times), gaps=(gap,), remedy="sudo apt install bubblewrap"
    )
    async with opened(theme, tmp_path, settings=SETTINGS, sandbox=ReportedSandbox(weaker)) as bench:
        bench.session.set_folder(str(tmp_path))
        assert bench.parts.header.policy_pill.text().startswith("Working folder")
        sheet = sheet_of(bench)
        assert sheet.files.buttons["folder"].isEnabled()
        assert not sheet.asking.buttons["outside"].isEnabled()
        status = sheet.status
        assert "3 of 4 attempts refused." in status.words.text()
        assert "servers of this computer." in sheet.network.buttons["on"].accessibleDescription()
        assert gap in status.gaps.text()
        assert "sudo apt install bubblewrap" in status.remedy.text()
        bench.click(status.show_button)
        head = status.list.topLevelItem(0)
        assert head is not None
        assert (head.text(1), head.isExpanded()) == ("2 of 3", True)
        rows = [row for n in range(head.childCount()) if (row := head.child(n)) is not None]
        named = {row.text(0): row.text(1) for row in rows}
        assert named["change the times"] == "not held by this sandbox"


@pytest.mark.parametrize(("width", "text"), [(900, "Working folder"), (480, "")])
async def test_a_narrow_window_has_fewer_words_and_all_of_them_for_readers(
    theme, tmp_path, width, text
):
    async with opened(
        theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=ReportedSandbox()
    ) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.send("go")
        await bench.asked()
        bench.window.resize(width, 600)
        pill = bench.parts.header.policy_pill
        await until(lambda: pill.text() == text)
        assert pill.isVisible()
        assert pill.accessibleName() == (
            "What code may do: Working folder, Network off, asks every time"
        )


async def test_a_kernel_of_another_policy_is_ended_and_that_is_said(theme, tmp_path):
    box = ReportedSandbox()
    async with opened(theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=box) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.send("go")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        sheet = sheet_of(bench)
        bench.click(sheet.network.buttons["on"])
        assert sheet.note.text() == ""
        bench.click(sheet.files.buttons["look"])
        assert "variables are lost" in sheet.note.text()
        bench.click(sheet.apply_button)
        await until(lambda: bench.executor.restarts == 1)
        await until(lambda: "Run all again" in buttons_of_notes(bench))
