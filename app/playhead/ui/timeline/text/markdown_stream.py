"""Cut markdown into blocks while it streams: a closed block is never parsed again.

Markdown that would stall the window is shown as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from playhead.domain.text.fences import Fence, opening_fence
from playhead.ui.timeline.text.math_text import add_formula_rule
from playhead.ui.timeline.text.plain_growth import grows_plainly
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MOST_LINES = 80
MOST_DEPTH = 9
"""The parser itself stops at 20 levels, two for each list."""
MOST_BRACKETS, MOST_MARKS = 400, 700
LONGEST_WORD = 8_000
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")
_LONG_WORD = re.compile(rf"[^\s]{{{LONGEST_WORD}}}")
_PLAIN_PART = re.compile(r"[\s\S]{1,300}")
_PLAIN_PIECE_LINES, _PLAIN_PIECE_CHARS = 40, 4_000

TOO_LONG = mark("Shown as plain text: too long a list or quotation.")
TOO_DEEP = mark("Shown as plain text: nested too deep.")
TOO_MANY = mark("Shown as plain text: too many brackets.")
TOO_MIXED = mark("Shown as plain text: too many changes of type.")
TOO_WIDE = mark("Shown as plain text: too long a word.")


def plain_reason(source: str, top: list[Token]) -> str:
    """Return why a block is shown as it was written, '' if it need not be."""
    if top[0].type in _CONTAINERS:
        if max(token.level for token in top) > 2 * MOST_DEPTH:
            return TOO_DEEP
        if source.count("\n") > MOST_LINES:
            return TOO_LONG
    if source.count("[") > MOST_BRACKETS:
        return TOO_MANY
    if sum(map(source.count, "*_`~")) > MOST_MARKS:
        return TOO_MIXED
    return TOO_WIDE if len(source) > LONGEST_WORD and _LONG_WORD.search(source) else ""


def plain_part(text: str) -> int:
    """Return the length of the text that may still belong to its first block, if a container.

    The block ends at a blank line that is followed by a line without indentation.
    """
    at = 0
    is_after_blank = False
    for line in text.splitlines(keepends=True):
        if is_after_blank and line.strip() and not line[0].isspace():
            return at
        is_after_blank = not line.strip() and line.endswith("\n")
        at += len(line)
    return at


def plain_pieces(text: str) -> list[str]:
    """Return a text as parts that are laid out one by one; more text changes only the last."""
    pieces: list[str] = [""]
    count = 0
    for line in text.splitlines(keepends=True):
        for at, part in enumerate(_PLAIN_PART.findall(line)):
            # Of one long line each part is separate: drawing it is quadratic in its length.
            if (
                at
                or count == _PLAIN_PIECE_LINES
                or len(pieces[-1]) + len(part) > _PLAIN_PIECE_CHARS
            ):
                pieces.append("")
                count = 0
            pieces[-1] += part
        count += 1
    return pieces


FENCE_LINES = 40
CODE_LINE_LIMIT = 500
"""Longer lines of code are cut for display."""
_PIECE_CHARS = 4_000
TABLE_ROWS = 20
LIST_ITEMS, LIST_LINES = 8, 40


class Block(Struct, frozen=True, kw_only=True):
    """A piece of a text that is laid out separately.

    A long fence or table is cut into several: `is_first` and `is_last` say whether this piece opens
    and closes it, `header` holds the two head lines of a table that continues. `links` are the
    stretches of code that lead somewhere.
    """

    kind: Literal["prose", "code", "table", "plain", "title", "console"]
    source: str
    language: str = ""
    is_first: bool = True
    is_last: bool = True
    header: str = ""
    links: tuple[tuple[int, int], ...] = ()


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # not needed for the first paint, and slow to import

    parser = MarkdownIt("commonmark", {"inline_definitions": True}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # inline text is Qt's business
    add_formula_rule(parser)
    return parser


class MarkdownStream:
    """Cuts text into blocks: `feed()` it in pieces, read `closed` and `tail()`, then `finish()`.

    `parsed_chars` counts the characters that were parsed.
    """

    def __init__(self) -> None:
        self.closed: list[Block] = []
        self.definitions = ""
        self.parsed_chars = 0
        self._parser = _parser()
        self._text = ""
        self._prefix = ""
        self._is_plain = False
        self._tail: list[Block] | None = []
        self._seen: set[str] = set()

    def feed(self, text: str) -> None:
        """Take more text; it is parsed only when it is needed, and words that go on are not."""
        tail, before = self._tail, self._text
        self._text += text
        self._tail = None
        last = tail[-1] if tail and tail[-1].kind == "prose" else None
        if tail and last and before.endswith(last.source) and grows_plainly(last.source, text):
            self._tail = [*tail[:-1], Block(kind="prose", source=last.source + text)]

    def finish(self) -> None:
        """Close the tail too, because no more text follows."""
        for block in self.tail():
            self.closed.extend(_cut(block))
        self._text = self._prefix = ""
        self._is_plain = False
        self._tail = []

    def tail(self) -> list[Block]:
        """Return the open end as blocks; blocks that turn out to be closed move to `closed`."""
        if self._tail is None:
            self._tail = self._parse()
        return self._tail

    def _parse(self) -> list[Block]:
        if self._is_plain and (end := plain_part(self._text)) == len(self._text):
            return self._cut_open_plain()
        if self._is_plain:
            self.closed.extend(_plain(self._text[:end], is_first=self._begins_plain()))
            self._text, self._is_plain = self._text[end:], False
        text = self._prefix + self._text
        self.parsed_chars += len(text)
        lines = text.splitlines(keepends=True)
        tokens = self._parser.parse(text)
        self._note_definitions(tokens)
        tops = list(_top_level(tokens))
        complete = len(lines) if text.endswith("\n") else len(lines) - 1
        while len(tops) > 1 and _start(tops[1]) < complete:
            self.closed.extend(self._split(lines, tops.pop(0)))
            self._prefix = ""
        start = _start(tops[0]) if tops else 0
        if start or not self._prefix:
            self._prefix = ""
            self._text = "".join(lines[start:])
        return self._cut_long(lines, tops, [self._whole(lines, top) for top in tops])

    def _whole(self, lines: list[str], top: list[Token]) -> Block:
        token = top[0]
        first, last = _range(token)
        goes_on = bool(self._prefix) and first == 0
        source = "".join(lines[first:last])
        if token.type == "fence":
            return Block(
                kind="code",
                source=token.content.rstrip("\n"),
                language=_word(token.info),
                is_first=not goes_on,
            )
        if token.type == "table_open":
            head = self._prefix if goes_on else ""
            return Block(kind="table", source=source, is_first=not goes_on, header=head)
        if token.type == "code_block":
            return Block(kind="code", source=token.content.rstrip("\n"))
        return Block(kind="prose", source=source)

    def _split(self, lines: list[str], top: list[Token]) -> list[Block]:
        """Return a closed block, cut if it is long."""
        if top[0].type in ("bullet_list_open", "ordered_list_open"):
            return _cut_list(lines, top)
        block = self._whole(lines, top)
        why = plain_reason(block.source, top) if block.kind == "prose" else ""
        return [_note(why), *_plain(block.source)] if why else _cut(block)

    def _cut_long(
        self, lines: list[str], tops: list[list[Token]], blocks: list[Block]
    ) -> list[Block]:
        """Close the full pieces of the one block that is still growing."""
        if len(tops) != 1:
            return blocks
        token, block = tops[0][0], blocks[0]
        first, last = _range(token)
        if token.type == "fence":
            return self._cut_open_fence(lines, first, block)
        if token.type == "table_open":
            return self._cut_open_table(lines, first, last, block)
        if token.type in ("bullet_list_open", "ordered_list_open"):
            blocks = self._cut_open_list(lines, tops[0], block)
        if blocks[0].kind == "prose" and (why := plain_reason(blocks[0].source, tops[0])):
            self.closed.append(_note(why))
            self._is_plain = True
            return self._cut_open_plain()
        return blocks

    def _cut_open_plain(self) -> list[Block]:
        """Return the text as it was written, its end still open."""
        pieces = plain_pieces(self._text)
        kept = "".join(pieces[-2:])  # the end of the block is known by the line before
        is_first = self._begins_plain()
        self.closed.extend(_plain("".join(pieces[:-2]), is_first=is_first))
        self._text = kept
        return _plain(kept, is_first=self._begins_plain())

    def _begins_plain(self) -> bool:
        """Return whether the next plain piece is the first of its block, which follows a note."""
        return not self.closed or self.closed[-1].kind != "plain"

    def _cut_open_fence(self, lines: list[str], first: int, block: Block) -> list[Block]:
        opener = lines[first]
        body = lines[first + 1 :]
        pieces = _pieces(body)
        if len(pieces) == 1 or _closes(opener, body):
            return [block]
        for at, piece in enumerate(pieces[:-1]):
            source = "".join(piece).removesuffix("\n")
            is_first = block.is_first and at == 0
            self.closed.append(
                Block(
                    kind="code",
                    source=source,
                    language=block.language,
                    is_first=is_first,
                    is_last=False,
                )
            )
        self._prefix = opener
        self._text = "".join(pieces[-1])
        rest = self._text.rstrip("\n")
        return [Block(kind="code", source=rest, language=block.language, is_first=False)]

    def _cut_open_table(self, lines: list[str], first: int, last: int, block: Block) -> list[Block]:
        head = "".join(lines[first : first + 2])
        body = lines[first + 2 : last]
        full = (len(body) - 1) // TABLE_ROWS * TABLE_ROWS
        if full <= 0 or last < len(lines):
            return [block]
        for at in range(0, full, TABLE_ROWS):
            rows = "".join(body[at : at + TABLE_ROWS])
            is_first = block.is_first and at == 0
            self.closed.append(
                Block(
                    kind="table",
                    source=head + rows,
                    language="",
                    is_first=is_first,
                    is_last=False,
                    header="" if is_first else head,
                )
            )
        self._prefix = head
        self._text = "".join(lines[first + 2 + full :])
        return [
            Block(
                kind="table",
                source=head + self._text,
                language="",
                is_first=False,
                is_last=True,
                header=head,
            )
        ]

    def _cut_open_list(self, lines: list[str], top: list[Token], block: Block) -> list[Block]:
        starts = [_range(item)[0] for item in _items(top)]
        is_long = len(starts) > LIST_ITEMS or block.source.count("\n") > LIST_LINES
        if not is_long or len(starts) < 3:
            return [block]
        first, cut = _range(top[0])[0], starts[-2]
        self.closed.append(Block(kind="prose", source="".join(lines[first:cut])))
        self._text = "".join(lines[cut:])
        return [Block(kind="prose", source=self._text)]

    def _note_definitions(self, tokens: list[Token]) -> None:
        """Store the targets of other blocks' links; the first of a name counts."""
        for token in tokens:
            if token.type == "definition" and token.meta["id"] not in self._seen:
                self._seen.add(token.meta["id"])
                label = " ".join(token.meta["label"].split())
                self.definitions += f"[{label}]: <{token.meta['url']}>\n"


def plain_blocks(text: str) -> list[Block]:
    """Return a text as it was typed, with only its fences as code."""
    blocks: list[Block] = []
    plain: list[str] = []
    code: list[str] | None = None
    fence: Fence | None = None
    language = ""
    for line in text.split("\n"):
        if code is None and (fence := opening_fence(line)):
            _add_plain(blocks, plain)
            code, language = [], _word(fence.info)
        elif code is not None and fence is not None and fence.closes(line):
            blocks.extend(_cut_code(Block(kind="code", source="\n".join(code), language=language)))
            code = None
        else:
            (plain if code is None else code).append(line)
    if code is not None:
        blocks.extend(_cut_code(Block(kind="code", source="\n".join(code), language=language)))
    _add_plain(blocks, plain)
    return blocks


def cut_plain(text: str, kind: Literal["plain", "code"], language: str = "") -> list[Block]:
    """Return lines as blocks of a size that can be laid out in one step."""
    return [
        Block(
            kind=kind,
            source=piece.source,
            language=language,
            is_first=piece.is_first,
            is_last=piece.is_last,
        )
        for piece in _cut_code(Block(kind="code", source=text, language=language))
    ]


def _add_plain(blocks: list[Block], lines: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    lines.clear()
    if text:
        blocks.extend(cut_plain(text, "plain"))


def _top_level(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of one top-level block after the other."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            if block[0].map:
                yield block
            block = []


def _items(top: list[Token]) -> list[Token]:
    return [token for token in top if token.type == "list_item_open" and token.level == 1]


def _range(token: Token) -> tuple[int, int]:
    first, last = token.map or (0, 0)
    return first, last


def _start(top: list[Token]) -> int:
    return _range(top[0])[0]


def _word(info: str) -> str:
    words = info.split()
    return words[0].lower() if words else ""


def _closes(opener: str, body: list[str]) -> bool:
    fence = opening_fence(opener)
    return fence is not None and bool(body) and fence.closes(body[-1])


def _cut(block: Block) -> list[Block]:
    if block.kind == "code":
        return _cut_code(block)
    return _cut_table(block) if block.kind == "table" else [block]


def _cut_code(block: Block) -> list[Block]:
    pieces = _pieces(block.source.split("\n"))
    last = len(pieces) - 1
    return [
        Block(
            kind="code",
            source="\n".join(piece),
            language=block.language,
            is_first=block.is_first and at == 0,
            is_last=block.is_last and at == last,
        )
        for at, piece in enumerate(pieces)
    ]


def _pieces(lines: list[str]) -> list[list[str]]:
    """Return lines in groups that are laid out in one step; more lines change only the last."""
    pieces: list[list[str]] = [[]]
    size = 0
    for line in lines:
        length = min(len(line), CODE_LINE_LIMIT)
        if pieces[-1] and (len(pieces[-1]) == FENCE_LINES or size + length > _PIECE_CHARS):
            pieces.append([])
            size = 0
        pieces[-1].append(line)
        size += length
    return pieces


def _cut_table(block: Block) -> list[Block]:
    lines = block.source.splitlines(keepends=True)
    head, body = "".join(lines[:2]), lines[2:]
    if len(body) <= TABLE_ROWS:
        return [block]
    starts = range(0, len(body), TABLE_ROWS)
    return [
        Block(
            kind="table",
            source=head + "".join(body[at : at + TABLE_ROWS]),
            language="",
            is_first=block.is_first and at == 0,
            is_last=at == starts[-1],
            header="" if block.is_first and at == 0 else head,
        )
        for at in starts
    ]


def _cut_list(lines: list[str], top: list[Token]) -> list[Block]:
    first, last = _range(top[0])
    cuts = [first]
    items = [_range(item) for item in _items(top)]
    count = 0
    for begin, end in items:
        if count == LIST_ITEMS or (count and end - cuts[-1] > LIST_LINES):
            cuts.append(begin)
            count = 0
        count += 1
    blocks: list[Block] = []
    for one, other in pairwise([*cuts, last]):
        source = "".join(lines[one:other])
        inside = [token for token in top if token.map and one <= token.map[0] < other]
        why = plain_reason(source, [top[0], *inside])
        blocks += [_note(why), *_plain(source)] if why else [Block(kind="prose", source=source)]
    return blocks


def _note(why: str) -> Block:
    return Block(kind="prose", source=f"*{tr(why)}*\n")


def _plain(text: str, *, is_first: bool = True) -> list[Block]:
    pieces = [piece.rstrip("\n") for piece in plain_pieces(text) if piece.strip()]
    return [
        Block(kind="plain", source=one, language="", is_first=is_first and not at)
        for at, one in enumerate(pieces)
    ]
