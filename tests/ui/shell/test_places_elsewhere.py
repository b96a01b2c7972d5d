"""A conversation that runs on another machine: chosen, asked about, its link, ssh's questions."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu

from playhead.domain.execution import KernelStatus, place_of
from playhead.domain.places import Machine, PlaceQuestion, key_of, machine_place
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings, SavedServer
from playhead.ui.places.place_sheets import MachineSheet, ServerSheet
from playhead.ui.widgets.theme import Theme
from tests.support.places import LAB, KnownPlaces, LinkedExecutor
from tests.support.ports import HELD, ReportedSandbox, coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

BOX = machine_place("gpu-box", "~/data")
HOSTS = [Machine(address="gpu-box", label="gpu-box"), Machine(address="cluster", label="cluster")]
HOST_KEY = """\
The authenticity of host 'gpu-box (10.0.0.7)' can't be established.
ED25519 key fingerprint is SHA256:Hn5XHrTr2JTOVc5JqGzA4nZJ8aX7c7n0k0yq0c5xRbE.
Are you sure you want to continue connecting (yes/no/[fingerprint])?"""


def look(bench: Bench, name: str, *, is_menu: bool = False) -> None:
    """Take a picture, if a folder for pictures is named."""
    if folder := os.environ.get("TEST_PICTURES"):
        screen = bench.window.screen()
        shown = screen.grabWindow(0) if is_menu else bench.window.grab()
        shown.save(f"{folder}/{name}.png")


def words_of(bench: Bench) -> str:
    """Return what the chips of attachments say."""
    labels = bench.parts.composer.chips.findChildren(QLabel)
    return " ".join(one.text() for one in labels)


def row(menu: QMenu, words: str) -> QAction:
    return next(one for one in menu.actions() if words in one.text())


async def test_a_machine_is_chosen_and_everything_says_so(theme: Theme, tmp_path: Path) -> None:
    made = LinkedExecutor()
    async with opened(
        theme,
        tmp_path,
        coded("print(1)"),
        said("Done."),
        executor=made,
        sandbox=ReportedSandbox(HELD),
        places=KnownPlaces(HOSTS),
    ) as bench:
        bench.session.set_folder(str(tmp_path))
        menu = bench.window.places.open_interpreter_menu("")
        await until(lambda: any("cluster" in one.text() for one in menu.actions()))
        titles = [one.text() for one in menu.actions()]
        assert {"This computer", "Jupyter servers", "Add a server…", "Other machines"} <= {*titles}
        look(bench, "menu", is_menu=True)
        row(menu, "gpu-box").trigger()
        menu.close()
        bench.session.set_interpreter(BOX.id)
        header, bar, pane = bench.parts.header, bench.parts.approval, bench.parts.pane
        assert header.policy_pill.accessibleName().startswith("What code may do: Everything on gpu")
        assert pane.status.folder.text() == "gpu-box: ~/data"

        bench.send("One")
        await bench.asked()
        assert bar.accessibleName().startswith("Run this Python on gpu-box in ~/data?")
        assert "On gpu-box there is no sandbox, no undo of files" in bar.accessibleName()
        look(bench, "asked")
        bench.click(bar.run_button)
        await bench.rests()
        request = made.requests[-1]
        assert (request.interpreter, request.policy.files) == (BOX.id, "everything")
        assert bench.session.policy.current.files == "folder"  # that of code on this computer

        bench.parts.show_editor(False)
        chip = header.interpreter_chip
        await until(lambda: chip.isVisible() and chip.text() == "Runs on gpu-box · Python")
        look(bench, "head")
        bench.window.new_conversation()
        assert not pane.status.folder.text().startswith("gpu-box")
        assert header.folder_chip.property("kind") == "chip"
        folder_menu = bench.window.places.open_folder_menu("", BOX.id)
        assert folder_menu.actions()[0].text() == "~/data on gpu-box"
        folder_menu.close()


async def test_a_long_name_is_cut_in_the_head_and_whole_in_the_question(
    theme: Theme, tmp_path: Path
) -> None:
    host = "anna@ec2-203-0-113-25.eu-central-1.compute.example.org"
    place = machine_place(host, "~/projects/2026/data", "/opt/conda/bin/python3")
    async with opened(theme, tmp_path, coded("1"), places=KnownPlaces()) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.session.set_interpreter(place.id)
        bench.parts.show_editor(False)
        chip, name = bench.parts.header.interpreter_chip, "Runs on anna@ec2-203-0-113-25 · python3"
        await until(lambda: chip.isVisible() and chip.text() == name)
        assert host in chip.toolTip()
        bench.send("Go")
        await bench.asked()
        words = f"Run this Python on {host} in ~/projects/2026/data?"
        assert bench.parts.approval.accessibleName().startswith(words)
        bench.session.stop()
        await bench.rests()


async def test_the_link_is_told_while_it_is_lost_and_when_it_is_back(
    theme: Theme, tmp_path: Path
) -> None:
    made = LinkedExecutor()
    async with opened(theme, tmp_path, executor=made, places=KnownPlaces(HOSTS)) as bench:
        bench.session.set_interpreter(BOX.id)
        pill, conversation = bench.parts.header.state_pill, bench.session.conversation.id
        status = KernelStatus(state="busy", interpreter=BOX.id, link="connecting")
        made.report(conversation, status)
        assert pill.text() == "connecting…"
        made.report(conversation, replace(status, link="lost"))
        assert pill.text() == "lost for 1 s: your code runs on"
        look(bench, "lost")
        made.report(conversation, replace(status, state="stopping", link="lost"))
        assert pill.text() == "lost for 1 s: Stop follows when it is back"
        made.report(conversation, replace(status, link=""))
        assert pill.text() == "back: nothing is missing"


async def test_a_server_says_who_it_is_before_it_is_kept(theme: Theme, tmp_path: Path) -> None:
    places = KnownPlaces()
    async with opened(theme, tmp_path, places=places) as bench:
        bench.window.places.add_server()
        sheet = bench.window.places.sheet
        assert isinstance(sheet, ServerSheet)
        QApplication.clipboard().setText(f"{LAB}/lab?token=wrong")
        sheet.address.paste()
        assert (sheet.address.text(), sheet.token.text()) == (LAB, "wrong")
        assert sheet.token.echoMode() == QLineEdit.EchoMode.Password
        bench.click(sheet.ask_button)
        await until(lambda: "Give another one." in sheet.note.text())
        look(bench, "refused", is_menu=True)
        assert bench.settings.current.servers == ()
        sheet.token.setText("right")
        bench.click(sheet.ask_button)
        await until(sheet.run_button.isVisible)
        assert sheet.note.text().startswith("Jupyter Server 2.21 answered: 2 kinds of kernels, 1 r")
        look(bench, "answered", is_menu=True)
        sheet.kernels.setCurrentIndex(2)
        bench.click(sheet.run_button)
        await until(lambda: bench.session.interpreter != "")
        place = place_of(bench.session.interpreter)
        assert place is not None
        assert (place.kind, place.address, place.kernel_id) == ("server", LAB, "9c-1")
        assert bench.settings.current.servers == (SavedServer("lab.uni.edu", LAB),)
        kept = (await bench.ports.keys.get(key_of(LAB))).secret
        assert kept is not None
        assert kept.reveal() == "right"
        assert "right" not in repr(bench.settings.current)
        sheet.reject()


async def test_nothing_is_sent_unencrypted_without_a_click(theme: Theme, tmp_path: Path) -> None:
    places = KnownPlaces()
    async with opened(theme, tmp_path, places=places) as bench:
        bench.window.places.add_server("http://lab.uni.edu:8888")
        sheet = bench.window.places.sheet
        assert isinstance(sheet, ServerSheet)
        sheet.token.setText("right")
        assert sheet.open_way.text().endswith("unencrypted to lab.uni.edu:8888")
        assert not sheet.ask_button.isEnabled()
        sheet.ask()
        assert places.asked == []
        look(bench, "unencrypted", is_menu=True)
        sheet.open_way.setChecked(True)
        bench.click(sheet.ask_button)
        await until(sheet.run_button.isVisible)
        sheet.reject()


async def test_a_servers_menu_asks_it_only_when_it_is_opened(theme: Theme, tmp_path: Path) -> None:
    places = KnownPlaces(has_ssh=False)
    servers = tuple(SavedServer(f"lab{n}.uni.edu", f"https://lab{n}.uni.edu") for n in range(9))
    settings = AppSettings(model="openai/test", servers=servers)
    async with opened(theme, tmp_path, settings=settings, places=places) as bench:
        await bench.ports.keys.set(key_of("https://lab3.uni.edu"), Secret("right"))
        menu = bench.window.places.open_interpreter_menu("")
        await until(lambda: any("no ssh program" in one.text() for one in menu.actions()))
        assert places.asked == []
        below = [one.menu() for one in menu.actions() if "lab" in one.text() and one.menu()]
        for number in (2, 3):
            shown = below[number]
            assert isinstance(shown, QMenu)
            shown.aboutToShow.emit()
            await until(lambda shown=shown: "Asking" not in shown.actions()[0].text())
        refused, fine = ([one.text() for one in below[n].actions()] for n in (2, 3))  # type: ignore[union-attr]
        assert refused[:2] == ["The server refuses the token.", "It answered 401."]
        assert refused[-2:] == ["Another token…", "Forget this server"]
        assert fine[:3] == ["Jupyter Server 2.21", "Python 3 (GPU)", "R 4.4"]
        assert "shares its names with analysis.ipynb" in fine
        assert len(places.asked) == 2
        look(bench, "servers", is_menu=True)
        menu.close()


async def test_another_machine_is_typed_and_remembered(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, places=KnownPlaces()) as bench:
        bench.window.places.add_machine()
        sheet = bench.window.places.sheet
        assert isinstance(sheet, MachineSheet)
        assert sheet.focusWidget() is sheet.host
        sheet.host.setText("-oProxyCommand=x")
        sheet.run_button.setEnabled(True)
        bench.click(sheet.run_button)
        assert "is no name of a machine" in sheet.note.text()
        sheet.host.setText("anna@gpu-box")
        sheet.folder.setText("~/data")
        look(bench, "machine", is_menu=True)
        bench.click(sheet.run_button)
        typed = machine_place("anna@gpu-box", "~/data")
        await until(lambda: bench.settings.current.machines == (typed.id,))
        assert bench.session.interpreter == typed.id


async def test_the_questions_of_ssh_are_quoted_and_answered_one_by_one(
    theme: Theme, tmp_path: Path
) -> None:
    places = KnownPlaces(HOSTS)
    async with opened(theme, tmp_path, places=places) as bench:
        ask, placing = places.ask, bench.window.placing
        ask(PlaceQuestion(id="1", place="gpu-box", text=HOST_KEY, is_secret=False, is_choice=True))
        ask(PlaceQuestion(id="2", place="gpu-box", text="anna@gpu-box's password: \u202e"))
        ask(PlaceQuestion(id="3", place="gpu-box", text="Verification code:"))
        first = placing.sheet
        assert first is not None
        assert first.quoted.toPlainText() == HOST_KEY
        await until(first.yes_button.isEnabled)
        look(bench, "hostkey", is_menu=True)
        bench.click(first.yes_button)
        await until(lambda: placing.sheet is not None and placing.sheet is not first)
        second = placing.sheet
        assert second is not None
        assert "\u202e" not in second.quoted.toPlainText()
        assert second.answer.echoMode() == QLineEdit.EchoMode.Password
        await until(second.send_button.isEnabled)
        QTest.keyClicks(second.answer, "s3cret")
        look(bench, "password", is_menu=True)
        bench.click(second.send_button)
        await until(lambda: placing.sheet is not None and placing.sheet is not second)
        ask(PlaceQuestion(id="3", place="gpu-box", text=""))  # the connection was given up
        await until(lambda: placing.sheet is None)
        assert places.answers == [("1", "yes"), ("2", "s3cret")]


async def test_closing_lets_code_elsewhere_run_unless_it_is_to_stop(
    theme: Theme, tmp_path: Path
) -> None:
    made = LinkedExecutor()
    places = KnownPlaces(HOSTS)
    wait = coded("wait")
    async with opened(theme, tmp_path, wait, executor=made, places=places, far_side=made) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.session.set_interpreter(BOX.id)
        bench.send("Go")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.state == "running")
        made.report(bench.session.conversation.id, KernelStatus(state="busy", interpreter=BOX.id))
        ended: list[bool] = []
        bench.window.close_requested.connect(lambda: ended.append(True))
        bench.window.closing.quit()
        box = bench.window.closing.box
        assert box is not None
        assert box.text() == "Code is running on gpu-box."
        assert box.defaultButton().text() == "Let it run"
        look(bench, "closing", is_menu=True)
        box.defaultButton().click()
        await until(lambda: ended)
        assert made.left == [bench.session.conversation.id]
        bench.session.stop()
        await bench.rests()


async def test_attachments_are_there_before_their_message_is_sent(
    theme: Theme, tmp_path: Path
) -> None:
    made = LinkedExecutor()
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n")
    places = KnownPlaces(HOSTS)
    done = said("I see.")
    async with opened(theme, tmp_path, done, executor=made, places=places, far_side=made) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.session.set_interpreter(BOX.id)
        bench.parts.composer.attach_paths([str(tmp_path / "sales.csv")])
        bench.send("Look at it")
        chips = bench.parts.composer.chips
        await until(lambda: "40 %" in words_of(bench))
        assert "→ gpu-box:~/data, 40 %" in words_of(bench)
        assert not bench.session.conversation.messages
        look(bench, "on-its-way")
        made.may_arrive.set()
        await until(lambda: len(bench.session.conversation.messages) == 3)
        await bench.rests()
        sent = bench.session.conversation.messages[1].text
        assert sent == "Look at it\n\n(sales.csv was copied to ~/data/sales.csv on gpu-box.)"
        assert made.put == [(BOX.id, str(tmp_path / "sales.csv"))]
        assert chips.attachments == []


async def test_code_for_a_cluster_is_put_up_and_its_stop_is_honest(
    theme: Theme, tmp_path: Path
) -> None:
    code = "import dask"
    async with opened(theme, tmp_path, coded(f"wait # for it\n{code}"), said("Stopped.")) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.window.actions_by_name["dask"].trigger()
        assert "Client(" in bench.parts.pane.text()
        assert bench.ran == []
        bench.send("Go")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.state == "running")
        bench.session.stop()
        await bench.rests()
        rows = bench.parts.timeline.model.rows
        notes = [row.note.title for row in rows if row.note is not None]
        assert notes == ["The scheduler may still be working."]
