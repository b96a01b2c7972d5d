"""Write a conversation as a Markdown document, with its pictures beside it or inside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

import msgspec
from markdown_it import MarkdownIt
from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    Failure,
    FileChanges,
    InputRequest,
    RunReport,
    Table,
    split_printed,
)
from playhead.domain.text.fences import fenced, quoted
from playhead.domain.text.tables import as_markdown
from playhead.domain.text.terminal import line_ends, one_line, plain
from playhead.domain.text.unicode import whole_characters
from playhead.formats.documents.picture import Picture, ReadFile, no_files, picture_of
from playhead.formats.documents.reader_view import (
    CodeBlock,
    Passage,
    changes_words,
    error_words,
    failure_words,
    file_name,
    input_words,
    missing_picture_words,
    passages_of,
    report_words,
    run_end_words,
    source_address,
    source_words,
    sources_of,
)

_SENTINEL = "closed"
_CLOSERS = ("", "```", "~~~", "-->", "</pre>", "</script>", "</style>", "</textarea>")
_RARE_CLOSERS = ("?>", "]]>", ">")
_FENCE = re.compile(r"^[ >\t]*(?:[-*+]\s+|\d+[.)]\s+)*(`{3,}|~{3,})", re.MULTILINE)


class MarkdownCloser:
    """Ends what a text of markdown leaves open, so that what follows it is not swallowed."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").disable("inline").enable("table")

    def closed(self, text: str) -> str:
        """Return the text, closed if necessary, in the worst case as a block of code."""
        text = line_ends(text)
        for closer in (*_CLOSERS, *_long_fences(text), *_RARE_CLOSERS):
            candidate = f"{text}\n{closer}" if closer else text
            if self._ends(candidate):
                return candidate
        return fenced(text, "markdown")

    def _ends(self, text: str) -> bool:
        """Return whether a heading after the text is a heading of the document."""
        tokens = self._parser.parse(f"{text}\n\n# {_SENTINEL}\n")
        if len(tokens) < 3:
            return False
        opening, inside = tokens[-3], tokens[-2]
        is_heading = opening.type == "heading_open" and opening.level == 0
        return is_heading and inside.content == _SENTINEL


def _long_fences(text: str) -> list[str]:
    """Return the marks of the text's own fences that are longer than three."""
    return sorted({mark for mark in _FENCE.findall(text) if len(mark) > 3})


_SPEAKERS = {"user": "You", "assistant": "Assistant"}
_MARKUP = ("html", "javascript", "css", "xml")


class MarkdownDocument(Struct, frozen=True):
    """The text, and the pictures that it shows: what they are called in it, and their bytes."""

    text: str
    pictures: dict[str, bytes] = msgspec.field(default_factory=dict[str, bytes])


def write_markdown(
    messages: Iterable[Message],
    title: str = "",
    read_file: ReadFile = no_files,
    folder: str | None = None,
) -> MarkdownDocument:
    """Return the document; its pictures are files in `folder`, or embedded if that is None.

    `folder` is the prefix of the pictures' names in the text.
    """
    writer = _Writer(read_file, folder)
    if title:
        writer.add(f"# {_inline(title)}")
    for item in passages_of(messages):
        if isinstance(item, CodeBlock):
            writer.block(item)
        else:
            writer.passage(item)
    return MarkdownDocument(whole_characters(writer.text), writer.pictures)


class _Writer:
    """Adds paragraphs."""

    def __init__(self, read_file: ReadFile, folder: str | None) -> None:
        self.pictures: dict[str, bytes] = {}
        self._read_file = read_file
        self._folder = folder
        self._parts: list[str] = []
        self._speaker = ""
        self._closer = MarkdownCloser()
        self._pictures = 0

    @property
    def text(self) -> str:
        return "\n\n".join(self._parts) + "\n"

    def add(self, *parts: str) -> None:
        self._parts += [part for part in parts if part]

    def passage(self, passage: Passage) -> None:
        message = passage.message
        self._speak(message.role)
        match message.type:
            case "message" | "citation":
                self.add(self._prose(message.text), _sources(passage))
            case "reasoning" | "plan":
                title = f"*{message.type.capitalize()}*"
                self.add(quoted(f"{title}\n\n{self._prose(message.text)}"))
            case "image":
                self._picture(message)
            case "file":
                self.add(f"Attached: {_code_span(file_name(message.text))}")
            case _:
                self._other(message)

    def block(self, block: CodeBlock) -> None:
        """Write the code that ran, its results, and the model's code if something else ran."""
        self._speak(block.role)
        if block.is_edited:
            self.add("*The model wrote:*", fenced(block.written, block.language))
            self.add("*You edited it. This ran:*" if block.has_run else "*You edited it:*")
        if block.code or block.written:
            self.add(fenced(block.code, block.language))
        for message in self._shown(block):
            self._result(message)
        if words := run_end_words(block):
            self.add(f"*{_inline(words)}*")

    def _shown(self, block: CodeBlock) -> list[Message]:
        """Return the results without the exception if its traceback was printed."""
        error = block.error
        printed = [one.text for one in block.results if one.type == "console"]
        if error is None or not printed or not split_printed(printed[-1], error.printed)[1]:
            return list(block.results)
        return [one for one in block.results if not isinstance(one.content, CodeError)]

    def _result(self, message: Message) -> None:
        match message.content:
            case CodeError() as error:
                self.add(fenced(error_words(error), "text"))
            case InputRequest() as asked:
                self.add(fenced(input_words(asked), "text"))
            case Table() as table:
                self.add(as_markdown(table))
            case FileChanges() as changes:
                self.add("\n".join(f"- {_inline(line)}" for line in changes_words(changes)))
            case _ if message.type == "image":
                self._picture(message)
            case _ if message.type == "console":
                self.add(_output(message.text))
            case _ if (message.format or "").lower() in _MARKUP:
                self.add(fenced(message.text, message.format or ""))
            case _:
                self.add(self._prose(message.text))

    def _other(self, message: Message) -> None:
        name = _code_span(message.format or "")
        match message.content:
            case Failure() as failure:
                self.add(quoted(f"**Failed.** {_inline(failure_words(failure))}"))
            case RunReport() as report:
                self.add(quoted(_inline(report_words(report))))
            case _ if message.type == "tool_call":
                self.add(f"*Call of the tool* {name}", fenced(message.text, "json"))
            case _ if message.type == "tool_result":
                self.add(f"*Result of the tool* {name}", fenced(message.text, "text"))
            case _:
                self.add(fenced(message.text, message.format or ""))

    def _speak(self, role: str) -> None:
        """Write a heading when the speaker changes; the machine's output belongs to the answer."""
        speaker = _SPEAKERS.get(role, self._speaker)
        if speaker != self._speaker:
            self._speaker = speaker
            self.add(f"## {speaker}")

    def _prose(self, text: str) -> str:
        return self._closer.closed(text.strip("\n")) if text.strip() else ""

    def _picture(self, message: Message) -> None:
        picture = picture_of(message, self._read_file)
        if picture is None:
            self.add(f"*{_inline(missing_picture_words(message))}*")
            return
        self._pictures += 1
        self.add(f"![Picture {self._pictures}]({self._address(picture)})")

    def _address(self, picture: Picture) -> str:
        if self._folder is None:
            return f"data:{picture.mime};base64,{picture.base64}"
        name = f"picture-{self._pictures}.{picture.suffix}"
        self.pictures[name] = picture.data
        folder = quote(whole_characters(self._folder))
        return f"{folder}/{name}" if folder else name


def _output(text: str) -> str:
    text = plain(text)
    return fenced(text, "text") if text.strip() else ""


def _sources(passage: Passage) -> str:
    rows: list[str] = []
    for number, source in enumerate(sources_of(passage.citations), 1):
        address = source_address(source)
        words = _inline(source_words(source))
        rows.append(f"{number}. " + (f"[{words}](<{address}>)" if address else words))
    return "Sources:\n\n" + "\n".join(rows) if rows else ""


def _inline(text: str) -> str:
    """Return the text on one line, with markup escaped."""
    text = one_line(text)
    for mark in ("\\", "`", "*", "_", "[", "]", "<", "#", "|", "~", "!", "&"):
        text = text.replace(mark, "\\" + mark)
    return text


def _code_span(text: str) -> str:
    text = one_line(text)
    return f"`` {text} ``" if "`" in text else f"`{text}`" if text else ""
