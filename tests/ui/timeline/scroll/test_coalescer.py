from playhead.ui.timeline.scroll.coalescer import Coalescer


def test_the_first_piece_is_drawn_at_once_and_a_burst_in_one_step(qtbot):
    flushed = []
    coalescer = Coalescer(lambda: flushed.append(len(flushed)))
    coalescer.due()
    assert len(flushed) == 1
    for _ in range(100):
        coalescer.due()
    assert len(flushed) == 1
    qtbot.waitUntil(lambda: len(flushed) == 2)
    qtbot.waitUntil(lambda: not coalescer._timer.isActive())
    assert len(flushed) == 2


def test_what_is_due_can_be_had_before_the_frame_ends(qtbot):
    flushed = []
    coalescer = Coalescer(lambda: flushed.append(1))
    coalescer.flush_now()
    assert flushed == []
    coalescer.due()
    coalescer.due()
    coalescer.flush_now()
    assert len(flushed) == 2
    qtbot.waitUntil(lambda: not coalescer._timer.isActive())


def test_what_nobody_can_see_is_drawn_once_it_can_be_seen(qtbot):
    flushed = []
    coalescer = Coalescer(lambda: flushed.append(1))
    coalescer.due()
    coalescer.due()
    coalescer.hold(True)
    qtbot.waitUntil(lambda: not coalescer._timer.isActive())
    coalescer.due()
    assert len(flushed) == 1
    coalescer.hold(False)
    assert len(flushed) == 2
    qtbot.waitUntil(lambda: not coalescer._timer.isActive())
