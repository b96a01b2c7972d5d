"""A person grants, sees and revokes what code reaches, by clicks."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Refused, RunReport
from playhead.domain.settings import AppSettings
from playhead.domain.trust import Reach
from playhead.execution.risk_reader import RiskReader
from tests.support.ports import ReportedSandbox, coded
from tests.support.waiting import until
from tests.support.window import Bench, opened

SETTINGS = AppSettings(model="openai/test")
FETCH = "import urllib.request\nurllib.request.urlopen('https://api.example.com/x')\n"


def choose(menu: QMenu | None, *words: str) -> list[str]:
    """Trigger the entry after the line with the first words that has the last; return all."""
    assert menu is not None
    texts = [action.text() for action in menu.actions()]
    if words:
        start = next(number for number, text in enumerate(texts) if words[0] in text)
        chosen = next(one for one in menu.actions()[start:] if one.text() == words[1])
        assert chosen.isEnabled()
        chosen.trigger()
    menu.close()
    return texts


def notes_of(bench: Bench) -> list[tuple[str, str]]:
    notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
    return [(note.title, note.detail) for note in notes]


async def test_a_blocked_chip_offers_the_place_and_the_list_revokes_it(theme, tmp_path):
    async with opened(
        theme,
        tmp_path,
        coded(FETCH),
        settings=SETTINGS,
        sandbox=ReportedSandbox(),
        risks=RiskReader(),
    ) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.send("Get the weather")
        await bench.asked()
        strip = bench.parts.approval.facts
        await until(
            lambda: [g.text for g in strip.groups] == ["network: api.example.com · blocked"]
        )
        bench.click(strip.chips[0])
        choose(strip.allow_menu, "Allow api.example.com", "For this conversation")
        assert bench.session.grants.reach == Reach(hosts=("api.example.com",))
        assert strip.groups[0].text == "network: api.example.com"
        assert "1 place in the network" in bench.parts.approval.accessibleName()
        assert "Network: 1 place" in bench.parts.header.policy_pill.text()
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        assert bench.executor.reaches == [Reach(hosts=("api.example.com",))]
        bench.click(bench.parts.header.policy_pill)
        sheet = bench.window.policies.sheet
        assert sheet is not None
        (grant,) = bench.session.grants.held
        assert (grant.uses, grant.cause) == (1, "“Get the weather”")
        bench.click(sheet.grants.revoke_buttons[grant.id])
        assert bench.session.grants.held == ()
        await until(lambda: bench.executor.reach == Reach())
        sheet.grants.add_button.click()
        form = sheet.grants.form
        form.kind.setCurrentIndex(form.kind.findData("host"))
        form.target.setText("nowhere")
        form.deny_button.click()
        assert "not the name of a place" in form.note.text()
        form.target.setText("evil.example")
        form.deny_button.click()
        assert [one.words for one in bench.session.grants.held] == ["deny host evil.example"]
        assert not sheet.network.buttons["on"].isEnabled()
        sheet.reject()


async def test_a_hidden_path_is_offered_below_the_run_that_missed_it(theme, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    downloads, work = tmp_path / "Downloads", tmp_path / "work"
    downloads.mkdir()
    work.mkdir()
    async with opened(
        theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=ReportedSandbox()
    ) as bench:
        bench.session.set_folder(str(work))
        report = RunReport(state="finished", exit_status=1, hidden=str(downloads / "a.csv"))
        bench.session.conversation.apply(Chunk(role="computer", type="run", content=report))
        assert notes_of(bench) == [
            ("~/Downloads/a.csv is outside of the sandbox.", "Let it read ~/Downloads?")
        ]
        notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
        assert notes[0].action is not None
        notes[0].action[1]()
        menu = bench.window.policies.allow_menu
        assert choose(menu, "Let it read ~/Downloads", "For this folder")[1:] == [
            "For this run",
            "For this conversation",
            "For this folder",
            "",
        ]
        assert bench.session.grants.reach == Reach(readable=(str(downloads),))
        assert notes_of(bench) == [("Granted: ~/Downloads.", "For this folder")]
        QApplication.processEvents()


async def test_a_refused_place_is_offered_below_the_run_by_its_name(theme, tmp_path):
    async with opened(
        theme, tmp_path, coded("print(1)"), settings=SETTINGS, sandbox=ReportedSandbox()
    ) as bench:
        bench.session.set_folder(str(tmp_path))
        refused = (Refused("api.example.com:443", 2), Refused("10.0.0.7:5432"))
        report = RunReport(state="finished", refused=refused)
        bench.session.conversation.apply(Chunk(role="computer", type="run", content=report))
        ((title, words),) = notes_of(bench)
        assert "api.example.com:443" in title
        assert words == "The model knows."
        (note,) = [row.note for row in bench.parts.timeline.model.rows if row.note]
        assert note.action is not None
        note.action[1]()
        menu = bench.window.policies.allow_menu
        assert len(choose(menu, "Allow api.example.com", "For this run")) == 5
        assert bench.session.grants.reach == Reach(hosts=("api.example.com",))


async def test_a_listed_network_is_chosen_with_its_names(theme, tmp_path):
    async with opened(theme, tmp_path, settings=SETTINGS, sandbox=ReportedSandbox()) as bench:
        bench.session.set_folder(str(tmp_path))
        bench.click(bench.parts.header.policy_pill)
        sheet = bench.window.policies.sheet
        assert sheet is not None
        assert sheet.hosts.isHidden()
        bench.click(sheet.network.buttons["listed"])
        sheet.hosts.field.setPlainText("api.example.com\nno name")
        assert not sheet.apply_button.isEnabled()
        sheet.hosts.field.setPlainText("api.example.com\nexample.org:8443")
        bench.click(sheet.apply_button)
        assert bench.session.policy.chosen.hosts == ("api.example.com", "example.org:8443")
        assert "Network: 2 places" in bench.parts.header.policy_pill.text()
