"""Encode an answer's chunks as the events of a response, or as a whole one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Proposal, RunReport, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.run_ends import run_end_as_output
from playhead.formats.wire.chat_completions.objects import UsageCounter
from playhead.formats.wire.chat_completions.projection import Projection
from playhead.formats.wire.codec import TRUNCATED, Pieces, Wire, split
from playhead.formats.wire.native.encode import is_extended
from playhead.formats.wire.responses.objects import (
    PREFIX,
    ResponseFacts,
    citations_wire,
    error_wire,
    item_key,
    response_wire,
    text_part,
    usage_wire,
)

PictureReader = Callable[[str, str], str | None]
"""Returns the data URL of a picture with this format and content; None if it cannot be read."""


def data_url(format_: str, content: str) -> str | None:
    """Return the data URL of a picture in base64."""
    kind, _, suffix = format_.partition(".")
    return f"data:image/{suffix or 'png'};base64,{content}" if kind == "base64" else None


class Output:
    """The items of a response, each at the place where it began, and the number of its events."""

    def __init__(self, response_id: str) -> None:
        self._own = response_id.removeprefix(PREFIX)
        self._count = 0
        self.items: list[Wire] = []

    def event(self, kind: str, **fields: Any) -> Wire:
        """Return the next event."""
        return {"type": f"response.{kind}", "sequence_number": self.next_number(), **fields}

    def next_number(self) -> int:
        """Return the number of the next event."""
        self._count += 1
        return self._count - 1

    def begin(self, prefix: str, item: Wire) -> tuple[Item, Wire]:
        """Add an item and return it with its first event."""
        made = Item(
            self, len(self.items), {"id": f"{prefix}_{self._own}_{len(self.items)}", **item}
        )
        self.items.append(made.wire)
        return made, self.event("output_item.added", output_index=made.place, item={**made.wire})


class Item:
    """One item that is being written; `wire` is its current state, `texts` the pieces so far."""

    def __init__(self, output: Output, place: int, wire: Wire) -> None:
        self._output = output
        self.place = place
        self.wire = wire
        self.texts: list[str] = []

    def event(self, kind: str, **fields: Any) -> Wire:
        """Return an event about it."""
        return self._output.event(kind, item_id=self.wire["id"], output_index=self.place, **fields)

    def end(self, status: str = "completed") -> Wire:
        """Return its last event."""
        self.wire["status"] = status
        return self._output.event("output_item.done", output_index=self.place, item={**self.wire})


class _Text:
    """A message, or thoughts, with one part of text; it begins with its first piece."""

    def __init__(self, output: Output, *, is_thought: bool) -> None:
        self.is_thought = is_thought
        self.is_whole = False
        self._output = output
        self._annotations: list[Wire] = []
        self._item: Item | None = None
        self._word = "reasoning_summary_text" if is_thought else "output_text"
        self._at = {"summary_index": 0} if is_thought else {"content_index": 0}
        self._more: Wire = {} if is_thought else {"logprobs": []}
        self._delta: Wire = {}
        """The fields of each of its deltas: most events of a stream are deltas."""

    def write(self, text: str) -> list[Wire]:
        """Add a piece."""
        begun: list[Wire] = []
        if self._item is None:
            begun = self._begin()
        assert self._item is not None  # noqa: S101 - it has just begun
        self._item.texts.append(text)
        number = self._output.next_number()
        return [*begun, {**self._delta, "sequence_number": number, "delta": text}]

    def cite(self, citation: Citation) -> list[Wire]:
        """Add a citation; a message without text has nothing to cite."""
        if self._item is None or self.is_thought:
            return []
        events: list[Wire] = []
        for wire in citations_wire(citation):
            place = {"annotation_index": len(self._annotations), "annotation": wire}
            self._annotations.append(wire)
            events.append(self._item.event("output_text.annotation.added", **self._at, **place))
        return events

    def end(self, status: str = "completed") -> list[Wire]:
        """End the part and the item."""
        item = self._item
        if item is None:
            return []
        text = self.settle(status)
        return [
            item.event(f"{self._word}.done", **self._at, text=text, **self._more),
            item.event(f"{self._part_word}.done", **self._at, part=self._part(text)),
            item.end(status),
        ]

    def settle(self, status: str) -> str:
        """Give the item its text and status, and return the text."""
        if self._item is None:
            return ""
        text = "".join(self._item.texts)
        self._item.wire["summary" if self.is_thought else "content"] = [self._part(text)]
        self._item.wire["status"] = status
        return text

    @property
    def _part_word(self) -> str:
        return "reasoning_summary_part" if self.is_thought else "content_part"

    def _part(self, text: str) -> Wire:
        if self.is_thought:
            return {"type": "summary_text", "text": text}
        return text_part(text, self._annotations)

    def _begin(self) -> list[Wire]:
        wire: Wire = {"type": "reasoning", "summary": [], "status": "in_progress"}
        if not self.is_thought:
            wire = {"type": "message", "role": "assistant", "content": [], "status": "in_progress"}
        self._item, added = self._output.begin("rs" if self.is_thought else "msg", wire)
        part = self._item.event(f"{self._part_word}.added", **self._at, part=self._part(""))
        self._delta = {
            "type": f"response.{self._word}.delta",
            "item_id": self._item.wire["id"],
            "output_index": self._item.place,
            **self._at,
            **self._more,
        }
        return [added, part]


class _Calls:
    """The calls of a client's functions, one after the other.

    What would make the arguments whole is held until something follows: a call that was cut off,
    or that is only half of one, must never look like one that can be carried out.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._item: Item | None = None
        self._held = ""
        self._is_written = False

    def begin(self, name: str, call_id: str | None, arguments: str = "") -> list[Wire]:
        """Begin a call."""
        wire: Wire = {"type": "function_call", "name": name, "arguments": "", "call_id": ""}
        self._item, added = self._output.begin("fc", {**wire, "status": "in_progress"})
        own = self._item.wire["id"].removeprefix("fc_")
        self._item.wire["call_id"] = added["item"]["call_id"] = call_id or f"call_{own}"
        return [added, *(self.write(arguments) if arguments else [])]

    def write(self, text: str) -> list[Wire]:
        """Add a piece of the arguments."""
        if self._item is None:
            return []
        self._item.texts.append(text)
        return [self._item.event("function_call_arguments.delta", delta=text)]

    def end(self, held: str) -> None:
        """End the arguments with this, or an empty object, once that is certain."""
        self._is_written = True
        self._held = held or ("" if self._item is None or self._item.texts else "{}")

    def release(self, chunk: Chunk | None = None) -> list[Wire]:
        """Return the end of the call unless this chunk is its result: of half a call."""
        item = self._item
        if item is None or not self._is_written:
            return []
        is_result = chunk is not None and chunk.type == "tool_result" and chunk.start
        if is_result and chunk is not None and chunk.id == item.wire["call_id"]:
            return self.cut()
        last = self.write(self._held) if self._held else []
        self.settle("completed")
        done = item.event(
            "function_call_arguments.done",
            name=item.wire["name"],
            arguments=item.wire["arguments"],
        )
        return [*last, done, item.end()]

    def cut(self) -> list[Wire]:
        """End a call that is only half of one."""
        item = self._item
        self.settle("incomplete")
        return [item.end("incomplete")] if item is not None else []

    def settle(self, status: str) -> None:
        """Give the call its arguments and status, without an event."""
        item, self._item, self._is_written = self._item, None, False
        if item is not None:
            item.wire |= {"arguments": "".join(item.texts), "status": status}


class _Codes:
    """Code that runs here, and what came of it; it is written first and runs later, in order."""

    def __init__(
        self,
        output: Output,
        container_id: str,
        read_picture: PictureReader,
        approved: Sequence[tuple[str, str]],
    ) -> None:
        self._output = output
        self._container_id = container_id
        self._read_picture = read_picture
        self._approved = [*approved]
        self._written: Item | None = None
        self._waiting: list[tuple[Item, str | None]] = []
        self._running: Item | None = None
        self._has_failed = False
        self._image: list[str] = []

    @property
    def may_run(self) -> bool:
        """Return whether there is code whose run has not begun."""
        return bool(self._waiting or self._approved)

    def begin(self, language: str, call_id: str | None) -> list[Wire]:
        """Begin a block of code."""
        self._written, added = self._output.begin(
            "ci",
            {
                "type": "code_interpreter_call",
                "status": "in_progress",
                "code": "",
                "container_id": self._container_id,
                "outputs": None,
                "language": language,
            },
        )
        self._waiting.append((self._written, call_id))
        return [added, self._written.event("code_interpreter_call.in_progress")]

    def write(self, text: str) -> list[Wire]:
        """Add a piece of the code."""
        if self._written is None:
            return []
        self._written.texts.append(text)
        return [self._written.event("code_interpreter_call_code.delta", delta=text)]

    def end_writing(self) -> list[Wire]:
        """End the code."""
        item, self._written = self._written, None
        if item is None:
            return []
        item.wire["code"] = "".join(item.texts)
        return [item.event("code_interpreter_call_code.done", code=item.wire["code"])]

    def run(self, proposal: Proposal | None) -> list[Wire]:
        """Begin the run of the first code that waits; that of an earlier response begins here."""
        if self._running is not None:
            return []
        begun: list[Wire] = []
        if not self._waiting:
            language, code = self._approved.pop(0) if self._approved else ("", "")
            if proposal is not None:
                language, code = proposal.language, proposal.code
            begun = self.begin(language, None)
            begun += [event for piece in split(code) for event in self.write(piece)]
            begun += self.end_writing()
        self._running, _ = self._waiting.pop(0)
        self._running.wire |= {"outputs": [], "status": "interpreting"}
        self._has_failed = False
        return [*begun, self._running.event("code_interpreter_call.interpreting")]

    def print(self, text: str) -> None:
        """Add what the code printed; after a picture a new output begins."""
        if self._running is None:
            return
        outputs: list[Wire] = self._running.wire["outputs"]
        if outputs and outputs[-1]["type"] == "logs":
            outputs[-1]["logs"] += text
        else:
            outputs.append({"type": "logs", "logs": text})

    def draw(self, chunk: Chunk) -> None:
        """Take a piece of a picture, and show the whole one."""
        if isinstance(chunk.content, str):
            self._image.append(chunk.content)
        if chunk.start or not self._image or not (chunk.end or chunk.format == "path"):
            return
        url = self._read_picture(chunk.format or "", "".join(self._image))
        self._image.clear()
        if url is not None and self._running is not None:
            self._running.wire["outputs"].append({"type": "image", "url": url})

    def fail(self) -> None:
        """Record that the run lost its kernel, or was stopped."""
        self._has_failed = True

    def end_run(self) -> list[Wire]:
        """End the run and its item."""
        item, self._running = self._running, None
        if item is None:
            return []
        if self._has_failed:
            return [item.end("failed")]
        return [item.event("code_interpreter_call.completed"), item.end()]

    def refuse(self, call_id: str | None) -> list[Wire]:
        """End the code that was declined; it does not run."""
        for place, (item, own) in enumerate(self._waiting):
            if call_id is None or own == call_id:
                del self._waiting[place]
                return [item.end("incomplete")]
        return []

    def leave(self) -> list[Wire]:
        """End the code that has not run: it waits for a decision."""
        waiting, self._waiting = self._waiting, []
        return [item.end("incomplete") for item, _ in waiting]

    def settle(self) -> None:
        """Mark all that is open as incomplete, without events."""
        open_items = [item for item, _ in self._waiting]
        if self._running is not None:
            open_items.append(self._running)
        for item in open_items:
            item.wire["code"] = item.wire["code"] or "".join(item.texts)
            item.wire["status"] = "incomplete"
        self._waiting, self._running = [], None


class ResponseWriter:
    """Begins and ends the items; see `Encoder` for the switches."""

    def __init__(
        self, output: Output, codes: _Codes, *, is_call_clients: bool, has_tools: bool
    ) -> None:
        self._output = output
        self._is_call_clients = is_call_clients
        self._has_tools = has_tools
        self._text: _Text | None = None
        self._calls = _Calls(output)
        self._codes = codes
        self._proposal: Proposal | None = None

    def feed(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        before = self._calls.release(chunk)
        if self._text is not None and self._text.is_whole and chunk.type != "citation":
            before += self.end_text()
        match chunk.role:
            case "assistant":
                events = self._of_assistant(chunk)
            case "computer":
                events = self._of_computer(chunk)
            case _:
                return before
        return [*before, *events] if before else events

    def end_text(self, status: str = "completed") -> list[Wire]:
        """End the message or the thoughts."""
        text, self._text = self._text, None
        return text.end(status) if text else []

    def finish(self, *, is_awaiting: bool) -> list[Wire]:
        """End all items; also ask the question, if code waits that is not a call."""
        events = [*self._calls.release(), *self.end_text(), *self._codes.end_run()]
        events += self._codes.leave()
        if is_awaiting and not self._is_call_clients:
            question = Projection()
            question.ask(self._proposal)
            self._text = _Text(self._output, is_thought=False)
            for piece in split(question.take()):
                events += self._text.write(piece)
            events += self.end_text()
        return events

    def fail(self) -> None:
        """Leave all that is open incomplete, because the answer was cut off."""
        self._calls.settle("incomplete")
        if self._text is not None:
            self._text.settle("incomplete")
        self._codes.settle()

    def _of_assistant(self, chunk: Chunk) -> list[Wire]:
        match chunk.type:
            case "message" | "reasoning" | "plan":
                return self._on_text(chunk)
            case "citation" if isinstance(chunk.content, Citation) and self._text:
                return self._text.cite(chunk.content)
            case "code" if self._is_call_clients:
                return self._on_code_call(chunk)
            case "code":
                return self._on_code(chunk)
            case "tool_call" if self._has_tools and chunk.format != EXECUTE:
                return self._on_call(chunk)
            case _:
                return []

    def _of_computer(self, chunk: Chunk) -> list[Wire]:
        content = chunk.content
        if isinstance(content, Proposal):
            self._proposal = content
            return self._codes.end_run()
        if isinstance(content, RunReport):
            return self._on_report(content)
        if chunk.type == "console" and chunk.format != "active_line":
            begun = self._run()
            if isinstance(content, str):
                self._codes.print(content)
            return begun
        if chunk.type == "image" and not is_extended(chunk):
            begun = self._run()
            self._codes.draw(chunk)
            return begun
        if chunk.type == "tool_result" and chunk.start:
            self._proposal = None
            return self._codes.refuse(chunk.id)
        return []

    def _on_report(self, report: RunReport) -> list[Wire]:
        if report.state == "started":
            return self._run() if self._proposal or self._codes.may_run else []
        if report.state in ("killed", "interrupted"):
            self._codes.fail()
        return []

    def _run(self) -> list[Wire]:
        proposal, self._proposal = self._proposal, None
        return self._codes.run(proposal)

    def _on_text(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            ended = [*self.end_text(), *self._codes.end_run()]
            self._text = _Text(self._output, is_thought=chunk.type != "message")
            return ended
        if self._text is None:
            return []
        self._text.is_whole = chunk.end
        return self._text.write(chunk.content) if isinstance(chunk.content, str) else []

    def _on_code(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            return [*self._codes.end_run(), *self._codes.begin(chunk.format or "", chunk.id)]
        if isinstance(chunk.content, str):
            return self._codes.write(chunk.content)
        return self._codes.end_writing() if chunk.end else []

    def _on_code_call(self, chunk: Chunk) -> list[Wire]:
        """Encode code as a call of the client's `execute`."""
        if isinstance(chunk.content, str):
            return self._calls.write(_json(chunk.content)[1:-1])
        if chunk.start:
            begin = f'{{"language": {_json(chunk.format or "")}, "code": "'
            return [*self._codes.end_run(), *self._calls.begin(EXECUTE, chunk.id, begin)]
        self._calls.end('"}')
        return []

    def _on_call(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, str):
            return self._calls.write(chunk.content)
        if chunk.start:
            name = chunk.format or "unknown"
            return [*self._codes.end_run(), *self._calls.begin(name, chunk.id)]
        self._calls.end("")
        return []


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


class Encoder:
    """Makes events whose names are their types; `answer()` is the response at any time.

    With `is_call_clients` code is sent as calls of the function `execute`, else as calls of the
    code interpreter, with a question at the end if it waits. Other calls are sent only with
    `has_tools`. `approved` is the code of earlier responses that this request lets run, by its
    language and text. `prompt_tokens` is an estimate, where no provider counts them.
    """

    def __init__(
        self,
        facts: ResponseFacts,
        *,
        is_call_clients: bool = False,
        has_tools: bool = False,
        approved: Sequence[tuple[str, str]] = (),
        read_picture: PictureReader = data_url,
        prompt_tokens: int = 0,
    ) -> None:
        self._facts = facts
        self._output = Output(facts.id)
        codes = _Codes(self._output, facts.container_id, read_picture, approved)
        self._writer = ResponseWriter(
            self._output, codes, is_call_clients=is_call_clients, has_tools=has_tools
        )
        self._pieces = Pieces()
        self._cost = UsageCounter(prompt_tokens)
        self.has_begun = False
        """Whether there has been an event."""
        self._last = response_wire(facts, "in_progress", ())
        self.is_over = False
        """Whether the last chunk of the answer has been encoded."""

    def begin(self) -> list[Wire]:
        """Return the events that precede those of the model; [] at the second call."""
        if self.has_begun:
            return []
        self.has_begun = True
        return [self._stands("created"), self._stands("in_progress")]

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if self.is_over:
            return []
        events = self.begin()
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            is_cut = chunk.content.finish_reason == "length"
            return [*events, *(self._writer.end_text("incomplete") if is_cut else [])]
        for one in (chunk, *run_end_as_output(chunk)):
            for piece in self._pieces.feed(one):
                events += self._events(piece)
        return events

    def finish(self) -> list[Wire]:
        """Return the last events; a stream that ended without its last chunk failed."""
        if self.is_over:
            return []
        return self.encode(Chunk(role="server", type="error", content=TRUNCATED))

    def answer(self) -> Wire:
        """Return the response in its current state."""
        if self.is_over:
            return self._last
        return {**self._last, "output": [*self._output.items]}

    def keys(self) -> list[str]:
        """Return the keys of the items when a client sends them back."""
        return [item_key(item) for item in self._output.items]

    def _events(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Failure):
            self._writer.fail()
            return [self._ends("failed", "failed", error=error_wire(chunk.content))]
        if (chunk.role, chunk.type) == ("server", "status"):
            return self._finished(str(chunk.content))
        if chunk.role == "assistant" and isinstance(chunk.content, str):
            self._cost.count(chunk.content)
        return self._writer.feed(chunk)

    def _finished(self, status: str) -> list[Wire]:
        if status == "cancelled":
            self._writer.fail()
            return [self._ends("incomplete", "cancelled")]
        events = self._writer.finish(is_awaiting=status == "awaiting_approval")
        if self._cost.finish_reason == "length":
            reason = {"reason": "max_output_tokens"}
            return [*events, self._ends("incomplete", "incomplete", incomplete=reason)]
        return [*events, self._ends("completed", "completed")]

    def _stands(self, kind: str) -> Wire:
        return self._output.event(kind, response=self._last)

    def _ends(
        self, kind: str, status: str, *, error: Wire | None = None, incomplete: Wire | None = None
    ) -> Wire:
        self.is_over = True
        self._last = response_wire(
            self._facts,
            status,
            self._output.items,
            usage=usage_wire(self._cost),
            error=error,
            incomplete=incomplete,
        )
        return self._output.event(kind, response=self._last)
