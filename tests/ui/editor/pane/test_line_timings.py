"""Notes and heat say where a run's time went, and no more than is known."""

from __future__ import annotations

from playhead.domain.conversation.payloads import LineTiming
from playhead.ui.editor.pane.running_line import LineHeat, LineTimings


def timed(*timings: LineTiming) -> LineTimings:
    made = LineTimings()
    for timing in timings:
        made.add(timing)
    return made


def test_a_loop_is_heated_as_a_whole_when_only_its_time_is_known() -> None:
    timings = timed(LineTiming(line=1, seconds=0.01), LineTiming(line=2, seconds=0.99, last_line=5))
    assert list(timings.heat()) == [LineHeat(2, 5, 4)]
    assert list(timings.shares()) == []


def test_lines_are_heated_by_themselves_when_their_times_are_known() -> None:
    timings = timed(
        LineTiming(line=2, seconds=1.0, last_line=5),
        LineTiming(line=7, seconds=1.0),
        LineTiming(line=2, seconds=0.01, last_line=2, share=0.01),
        LineTiming(line=3, seconds=0.29, last_line=3, share=0.29),
        LineTiming(line=4, seconds=0.7, last_line=4, share=0.7),
    )
    assert list(timings.heat()) == [LineHeat(7, 7, 3), LineHeat(3, 3, 1), LineHeat(4, 4, 2)]
    assert dict(timings.shares()) == {3: "29%", 4: "70%"}


def test_the_time_of_a_statement_stays_though_its_first_line_has_a_share() -> None:
    timings = LineTimings()
    assert timings.add(LineTiming(line=2, seconds=1.0, last_line=5)) == "1.0 s"
    assert timings.add(LineTiming(line=2, seconds=0.5, last_line=2, share=0.5)) == ""
    assert list(timings.shares()) == []


def test_a_run_in_which_nothing_was_slow_has_no_heat() -> None:
    assert (
        list(timed(LineTiming(line=1, seconds=0.02), LineTiming(line=2, seconds=0.02)).heat()) == []
    )


def test_hardly_any_time_is_no_heat() -> None:
    assert list(
        timed(LineTiming(line=1, seconds=0.03), LineTiming(line=2, seconds=0.97)).heat()
    ) == [LineHeat(2, 2, 4)]
