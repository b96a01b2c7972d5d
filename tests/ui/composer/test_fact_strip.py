"""What code is seen to do is below the question: chips that lead to their lines."""

from __future__ import annotations

from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.payloads import Proposal
from playhead.domain.trust import RiskFact
from playhead.ui.composer.decision_bars import ApprovalBar
from playhead.ui.widgets.theme import Theme

PROPOSAL = Proposal(id="p1", message_id="m1", language="python", code="x = 1\n" * 9)
FACTS = (
    RiskFact(kind="deletes", line=2, target="build"),
    RiskFact(kind="network", line=4, target="api.example.com"),
    RiskFact(kind="cannot_be_told", line=7, target="exec", certainty="unknown"),
    RiskFact(kind="writes_inside", line=8, target="a.csv"),
)


def bar_at(qtbot: QtBot, theme: Theme, width: int) -> ApprovalBar:
    bar = ApprovalBar(theme, arming_ms=0)
    qtbot.addWidget(bar)
    bar.resize(width, 120)
    bar.show()
    return bar


def shown(bar: ApprovalBar) -> list[str]:
    return [chip.text() for chip in bar.facts.chips if chip.isVisible()]


def test_a_chip_for_each_kind_asks_for_its_lines(qtbot: QtBot, theme: Theme) -> None:
    bar = bar_at(qtbot, theme, 1_000)
    bar.ask(replace(PROPOSAL, facts=FACTS))
    qtbot.waitUntil(lambda: len(shown(bar)) == 4)
    assert shown(bar) == [
        "deletes: build",
        "network: api.example.com",
        "cannot be told · 7",
        "writes: a.csv",
    ]
    asked: list[tuple[str, object]] = []
    bar.lines_requested.connect(lambda key, lines: asked.append((key, lines)))
    bar.facts.chips[1].click()
    assert asked == [("m1", (4,))]
    assert "cannot be told · 7" in bar.facts.words


def test_chips_that_do_not_fit_are_in_a_menu(qtbot: QtBot, theme: Theme) -> None:
    bar = bar_at(qtbot, theme, 360)
    bar.ask(replace(PROPOSAL, facts=FACTS))
    qtbot.waitUntil(lambda: bar.facts.more_button.isVisible() and 0 < len(shown(bar)) < 4)
    hidden = 4 - len(shown(bar))
    assert bar.facts.more_button.text() == f"+{hidden}"
    actions = bar.facts.more_button.menu().actions()
    named = [one.text() for one in actions if not one.text().startswith(" ")]
    assert named == [one.text for one in bar.facts.groups[-hidden:]]
    assert len(actions) == 2 * hidden  # below each, a pause before its lines
    bar.resize(1_000, 120)
    qtbot.waitUntil(lambda: len(shown(bar)) == 4 and bar.facts.more_button.isHidden())


def test_nothing_seen_and_the_same_again_are_said_quietly(qtbot: QtBot, theme: Theme) -> None:
    bar = bar_at(qtbot, theme, 800)
    bar.ask(PROPOSAL)
    assert bar.facts.isHidden()  # nobody looked
    bar.ask(replace(PROPOSAL, facts=(), approved_at=1_700_000_000.0))
    assert bar.facts.quiet_label.text().startswith("Nothing risky seen · Same as approved at ")
    assert bar.facts.diff_button.isHidden()
    bar.ask(replace(PROPOSAL, facts=FACTS, diff="-a\n+b"))
    assert not bar.facts.diff_button.isHidden()


def test_an_edit_is_looked_at_in_place_of_what_was_proposed(qtbot: QtBot, theme: Theme) -> None:
    bar = bar_at(qtbot, theme, 800)
    bar.ask(replace(PROPOSAL, facts=FACTS))
    bar.set_edit("m1", "y = 2")
    bar.show_look(replace(PROPOSAL, code="old", facts=()))
    assert len(bar.facts.chips) == 4  # of an older edit
    bar.show_look(replace(PROPOSAL, code="y = 2", facts=()))
    assert bar.facts.quiet_label.text() == "Nothing risky seen"
