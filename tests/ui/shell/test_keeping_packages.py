"""A person takes packages of sandboxed code into the environment, by clicks."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import Qt

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import FileChanges
from playhead.domain.settings import AppSettings
from playhead.execution.environments.package_keeper import PackageKeeper
from tests.support.package_index import PackageIndex
from tests.support.package_layers import environment, has, layered
from tests.support.ports import ReportedSandbox, coded
from tests.support.waiting import until
from tests.support.window import opened


async def test_the_card_of_a_run_offers_what_it_installed_and_the_index_gives_it(
    theme, tmp_path, qtbot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    folder, python = tmp_path / "work", environment(tmp_path / "env")
    folder.mkdir()
    keeper = PackageKeeper(layered(tmp_path, folder, "tiny 1.0", "other 1.0").packages)
    with PackageIndex().serving() as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        index.add("tiny", {"tiny.py": "one = 1\n"})
        async with opened(
            theme,
            tmp_path,
            coded("print(1)"),
            settings=AppSettings(model="openai/test", interpreter=str(python)),
            sandbox=ReportedSandbox(),
            packages=keeper,
        ) as bench:
            bench.session.set_folder(str(folder))
            done = FileChanges(folder=str(folder), is_bounded=True, installed=("tiny 1.0",))
            bench.session.conversation.apply(Chunk(role="computer", type="files", content=done))
            view, effects = bench.parts.timeline, bench.window.results.effects
            await until(lambda: view.canvas.visible_rows())
            [spot] = [
                one
                for one in view.canvas.sheet.card(0).spots(True)
                if one.label == "Keep in the environment…"
            ]
            point = spot.rect.translated(view.canvas.card_rect(0).topLeft()).center()
            qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
            await until(lambda: effects.dialog is not None)
            dialog = effects.dialog
            assert dialog is not None
            assert [*dialog.boxes] == ["other 1.0", "tiny 1.0"]
            assert dialog.install_button.text() == "Install 2 packages"
            bench.click(dialog.install_button)
            await until(lambda: "could not be installed" in dialog.note.text())
            assert has(python, "tiny") == "ModuleNotFoundError"
            dialog.builds.click()
            assert "may do all that you may" in dialog.note.text()
            dialog.builds.click()
            dialog.boxes["other 1.0"].click()
            bench.click(dialog.install_button)
            await until(lambda: effects.dialog is None)
            assert has(python, "tiny") == "1"
            assert [one.title for one in bench.parts.notifications.banners] == [
                "The packages are in the environment now."
            ]
