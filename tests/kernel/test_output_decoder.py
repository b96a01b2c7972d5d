from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from playhead.kernel import protocol
from playhead.kernel.output_decoder import OutputDecoder, Piece
from playhead.kernel.protocol import Mark, encode_mark

NONCE = "0123456789abcdef"
PREFIX = protocol.mark_prefix(NONCE)


def line_mark(line: int, run: str = "r") -> bytes:
    return encode_mark(NONCE, "line", run, {"line": line})


STREAMS = st.lists(
    st.one_of(
        st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=8),
        st.integers(1, 9).map(line_mark),
        st.just(PREFIX),
        st.just(PREFIX + b"{broken"),
        st.just(b"\x1b"),
        st.just(b"\x1b\\"),
        st.just(line_mark(3)[:-5]),
        st.just(line_mark(3).replace(NONCE.encode(), b"f" * 16)),
    ),
    max_size=12,
).map(b"".join)


def decode(parts: list[bytes]) -> list[Piece]:
    decoder = OutputDecoder(NONCE)
    pieces = [piece for part in parts for piece in decoder.feed(part)]
    return joined(pieces + decoder.finish())


def joined(pieces: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    for piece in pieces:
        last = result[-1] if result else None
        if isinstance(piece, bytes) and isinstance(last, bytes):
            result[-1] = last + piece
        else:
            result.append(piece)
    return result


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(STREAMS, st.lists(st.integers(0, 10_000), max_size=20))
def test_any_split_gives_the_same_pieces(data: bytes, places: list[int]) -> None:
    assert decode(cut(data, places)) == decode([data])


@given(STREAMS)
def test_byte_by_byte_gives_the_same_pieces(data: bytes) -> None:
    assert decode([bytes([byte]) for byte in data]) == decode([data])


@given(st.binary())
def test_output_without_marks_comes_out_as_it_went_in(data: bytes) -> None:
    assert b"".join(piece for piece in decode([data]) if isinstance(piece, bytes)) == data


def test_output_and_marks_come_out_in_their_order() -> None:
    pieces = decode([b"a" + line_mark(1) + "é".encode() + line_mark(2)])
    assert [piece if isinstance(piece, bytes) else piece.integer("line") for piece in pieces] == [
        b"a",
        1,
        "é".encode(),
        2,
    ]


def test_a_mark_with_another_nonce_is_output() -> None:
    forged = line_mark(7).replace(NONCE.encode(), b"f" * 16)
    assert decode([forged]) == [forged]


def test_what_only_begins_like_a_mark_is_text_and_hides_no_mark() -> None:
    pieces = decode([PREFIX + b"no json" + line_mark(4)])
    assert pieces[0] == PREFIX + b"no json"
    assert isinstance(pieces[1], Mark)


def test_an_endless_mark_does_not_hold_output_back() -> None:
    decoder = OutputDecoder(NONCE)
    pieces = decoder.feed(PREFIX + b"x" * protocol.MARK_LIMIT)
    assert sum(len(piece) for piece in pieces) > protocol.MARK_LIMIT


def test_fields_of_a_forged_mark_read_as_empty() -> None:
    (mark,) = decode([encode_mark(NONCE, "line", "r", {"line": "x", "file": 3, "times": {}})])
    assert isinstance(mark, Mark)
    assert (mark.integer("line"), mark.text("file"), mark.rows("times")) == (None, "", [])
