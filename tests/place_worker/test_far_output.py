"""Output from elsewhere is whole, however its pieces come, and messages are read back."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from playhead.kernel.protocol import encode_mark
from playhead.kernel.python.jupyter.server_probe import OutputJournal
from playhead.place_worker.jupyter_messages import channel_of, decode_frame, encode_frame
from playhead.place_worker.server_driver import FarOutput

NONCE = "0123456789abcdef"


def shown(pieces: Sequence[object]) -> bytes:
    return b"".join(one if isinstance(one, bytes) else b"<mark>" for one in pieces)


@given(
    st.lists(st.one_of(st.binary(max_size=40), st.just(b"mark")), max_size=12),
    st.lists(st.sampled_from(["deliver", "drop", "cut", "again"]), max_size=60),
    st.integers(1, 30),
)
def test_each_byte_comes_once_and_in_order_whatever_the_link_does(
    parts: list[bytes], fates: list[str], size: int
) -> None:
    """The journal and the reader, joined by a link that drops, repeats and is cut."""
    mark = encode_mark(NONCE, "line", "run", {"line": 3})
    written = [mark if one == b"mark" else one for one in parts]
    journal, far = OutputJournal(away_s=1000), FarOutput(NONCE)
    seen: list[object] = []
    for part in written:
        journal.append(part)
    last = (0, b"")
    for fate in fates:
        at, data = journal.next_piece(size)
        pieces: Sequence[object] | None = []
        if fate in ("deliver", "again"):
            pieces = far.take(at, data)
            last = (at, data)
        if fate == "again":
            seen += pieces or []
            pieces = far.take(*last)
        if pieces is None or fate == "cut":
            journal.resume(far.next)
        seen += pieces or []
    journal.resume(far.next)
    while (piece := journal.next_piece(size))[1]:
        seen += far.take(*piece) or []
    seen += far.skip_to(far.next + 1)
    expected = b"".join(b"<mark>" if one == mark else one for one in written)
    assert shown(seen) == expected


def test_a_journal_holds_a_writer_back_while_its_reader_is_there() -> None:
    journal = OutputJournal(limit_bytes=10, away_s=1000)
    journal.append(b"0123456789")
    writer = threading.Thread(target=journal.append, args=(b"ab",), daemon=True)
    writer.start()
    assert journal.next_piece() == (0, b"0123456789")
    journal.release(4)
    writer.join(10)
    assert (journal.start, journal.end) == (4, 12)
    assert journal.resume(4) == 4
    assert journal.next_piece() == (4, b"456789ab")


def test_a_journal_forgets_the_oldest_while_nobody_asks() -> None:
    journal = OutputJournal(limit_bytes=10, away_s=-1)
    journal.append(b"0123456789")
    journal.append(b"ab")
    assert journal.resume(0) == 2
    far = FarOutput(NONCE)
    assert far.skip_to(2) == []
    assert far.take(*journal.next_piece()) == [b"23456789ab"]
    assert far.lost == 2


@given(st.binary(max_size=200), st.booleans())
def test_a_frame_is_read_as_it_was_written(data: bytes, is_v1: bool) -> None:
    parts = [{"msg_id": "a", "msg_type": "stream"}, {"msg_id": "b"}, {}, {"text": "ä"}]
    frame = encode_frame("iopub", parts, [data] if data else [], is_v1=is_v1)
    found = decode_frame(frame, is_v1=is_v1)
    assert found is not None
    assert channel_of(frame, is_v1=is_v1) == "iopub"
    assert (found.kind, found.id, found.parent, found.content) == (
        "stream",
        "a",
        "b",
        {"text": "ä"},
    )
    assert b"".join(found.buffers) == data


@given(st.one_of(st.binary(max_size=80), st.text(max_size=40)), st.booleans())
def test_what_is_no_frame_is_no_error(frame: bytes | str, is_v1: bool) -> None:
    channel_of(frame, is_v1=is_v1)
    decode_frame(frame, is_v1=is_v1)
