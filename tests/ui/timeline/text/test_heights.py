from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.timeline.text.heights import Heights

some = st.lists(st.integers(0, 90), max_size=40)


@given(some, some, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 90)), max_size=20))
def test_sums_and_searches_agree_with_a_plain_list_after_any_changes(first, more, changes):
    plain = list(first)
    heights = Heights(first)
    for height in more:
        heights.append(height)
        plain.append(height)
    for place, height in changes:
        if place % 5 == 4 and plain:
            length = place % len(plain)
            heights.truncate(length)
            del plain[length:]
        elif plain:
            heights.set(place % len(plain), height)
            plain[place % len(plain)] = height
    assert heights.total == sum(plain)
    assert len(heights) == len(plain)
    offsets = [0, *accumulate(plain)]
    assert [heights.offset(index) for index in range(len(plain) + 1)] == offsets
    for y in range(0, sum(plain), 7):
        index = heights.index_at(y)
        assert offsets[index] <= y < offsets[index + 1]


def test_outside_the_nearest_one_is_found():
    heights = Heights([10, 20])
    assert heights.index_at(-5) == 0
    assert heights.index_at(30) == 1
    assert Heights().index_at(3) == 0
