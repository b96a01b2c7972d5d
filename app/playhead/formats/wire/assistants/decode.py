"""Decode the events of an Assistants run, from any server, into chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.domain.execution import PYTHON
from playhead.domain.model import EXECUTE
from playhead.formats.wire.codec import TRUNCATED, MessageGatherer
from playhead.formats.wire.cohere.objects import first_object, text_of
from playhead.formats.wire.entry import text_message
from playhead.formats.wire.incoming_calls import IncomingCalls
from playhead.formats.wire.kernel_messages.objects import objects_of

_SILENT = frozenset(
    {
        *("thread.created", "done", "thread.run.created", "thread.run.queued"),
        *("thread.run.in_progress", "thread.run.cancelling", "thread.run.step.created"),
        *("thread.run.step.in_progress", "thread.run.step.failed", "thread.run.step.cancelled"),
        *("thread.run.step.expired", "thread.message.in_progress"),
    }
)
_EXPIRED = Failure(
    code="timeout", title="The run expired before its outputs came.", remedy="Ask again."
)


class Decoder:
    """Takes `{event, data}`; what a resumed stream reports on earlier calls is their results."""

    def __init__(self) -> None:
        self.skipped = 0
        self._messages = MessageGatherer()
        self._calls = IncomingCalls(self._messages)
        self._places: dict[tuple[str, object], int] = {}
        self._names: dict[int, str] = {}
        self._code: int | None = None
        self._printing: int | None = None
        self._citations: list[Citation] = []
        self._streamed: set[str] = set()
        self._is_over = False

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this event."""
        if not self._is_over:
            self._take(text_of(event, "event"), first_object(event.get("data")))
        return self._messages.take()

    def finish(self) -> list[Chunk]:
        """Return the chunks that close open messages; a stream that was cut ends in a
        server/error.
        """
        if not self._is_over:
            self._fail(TRUNCATED)
        return self._messages.take()

    def _take(self, name: str, data: Mapping[str, Any]) -> None:
        delta = first_object(data.get("delta"))
        match name:
            case "thread.message.created":
                self._close()
            case "thread.message.delta":
                self._streamed.add(text_of(data, "id"))
                self._take_content(objects_of(delta, "content"))
            case "thread.message.completed" | "thread.message.incomplete":
                if text_of(data, "id") not in self._streamed:
                    self._take_content(objects_of(data, "content"))
                self._close()
            case "thread.run.step.delta":
                details = first_object(delta.get("step_details"))
                self._take_calls(text_of(data, "id"), objects_of(details, "tool_calls"))
            case "thread.run.step.completed":
                self._take_step(text_of(data, "id"), first_object(data.get("step_details")))
            case "error":
                self._fail(_failure(data.get("error", data)))
            case _:
                self._take_end(name, data)

    def _take_end(self, name: str, data: Mapping[str, Any]) -> None:
        match name:
            case "thread.run.requires_action" | "thread.run.completed" | "thread.run.incomplete":
                self._end(name.rpartition(".")[2], data)
            case "thread.run.cancelled":
                self._close()
                self._finish("cancelled")
            case "thread.run.failed":
                self._fail(_failure(data.get("last_error")))
            case "thread.run.expired":
                self._fail(_EXPIRED)
            case _:
                self.skipped += name not in _SILENT

    def _take_content(self, parts: list[Mapping[str, Any]]) -> None:
        for part in parts:
            text = first_object(part.get("text"))
            if value := text_of(text, "value"):
                if self._messages.open_kind != "message":
                    self._close()
                    self._messages.open("message")
                self._messages.write(value)
            for annotation in objects_of(text, "annotations"):
                self._take_annotation(annotation)

    def _take_annotation(self, annotation: Mapping[str, Any]) -> None:
        start, end = annotation.get("start_index"), annotation.get("end_index")
        if not isinstance(start, int) or not isinstance(end, int):
            self.skipped += 1
            return
        file = first_object(annotation.get("file_citation") or annotation.get("file_path"))
        source = Source(id=text_of(file, "file_id"), text=text_of(file, "quote"))
        self._citations.append(
            Citation(start=start, end=end, text=text_of(annotation, "text"), sources=(source,))
        )

    def _take_calls(self, step_id: str, calls: list[Mapping[str, Any]]) -> None:
        for call in calls:
            place = self._place(step_id, call.get("index"))
            function, code = call.get("function"), call.get("code_interpreter")
            if isinstance(function, Mapping):
                self._take_function(place, call, cast("Mapping[str, Any]", function))
            elif isinstance(code, Mapping):
                self._take_code(place, call, cast("Mapping[str, Any]", code))
            else:
                self.skipped += 1

    def _place(self, step_id: str, index: object) -> int:
        """Return a call's number: indices begin at 0 in each step, here they are numbered
        throughout.
        """
        key = (step_id, index if isinstance(index, int) else None)
        return self._places.setdefault(key, len(self._places))

    def _take_function(
        self, place: int, call: Mapping[str, Any], function: Mapping[str, Any]
    ) -> None:
        if not self._calls.is_busy:
            self._close()
        call_id, name = text_of(call, "id"), text_of(function, "name")
        if name:
            self._names[place] = name
        if name or function.get("arguments"):
            self._calls.take(place, call_id, name, text_of(function, "arguments"))
        if output := text_of(function, "output"):
            self._take_output(call_id, self._names.get(place, "unknown"), output)

    def _take_code(self, place: int, call: Mapping[str, Any], code: Mapping[str, Any]) -> None:
        if place not in self._names:
            self._close()
            self._names[place] = EXECUTE
            language = text_of(code, "language") or PYTHON
            self._messages.open("code", language, text_of(call, "id") or None)
            self._code = place
        if text := text_of(code, "input"):
            if self._code == place:
                self._messages.write(text)
            else:
                self.skipped += 1  # its message has ended
        for output in objects_of(code, "outputs"):
            self._print(place, text_of(output, "logs"))

    def _print(self, place: int, text: str) -> None:
        if not text:
            return
        if self._printing != place:
            self._close()
            self._printing = place
            self._messages.open_console()
        self._messages.write(text)

    def _take_step(self, step_id: str, details: Mapping[str, Any]) -> None:
        """Read the outputs of calls that were made in an earlier stream."""
        is_known = any(step == step_id for step, _ in self._places)
        for call in [] if is_known else objects_of(details, "tool_calls"):
            function = first_object(call.get("function"))
            output, name = text_of(function, "output"), text_of(function, "name")
            if output and name != EXECUTE:  # the output of a code call is a decision
                self._take_output(text_of(call, "id"), name or "unknown", output)
        self._close()

    def _take_output(self, call_id: str, name: str, text: str) -> None:
        self._close()
        result = text_message(
            "computer", "tool_result", text, format_=name, call_id=call_id or None
        )
        for chunk in result:
            self._messages.add(chunk)

    def _end(self, status: str, run: Mapping[str, Any]) -> None:
        self._close(is_cut=status == "incomplete")
        if self._is_over:
            return
        reason = {"incomplete": "length", "requires_action": "tool_calls"}.get(status, "stop")
        usage = first_object(run.get("usage"))
        asked, answered = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(asked, int) and isinstance(answered, int):
            self._messages.add(
                Chunk(
                    role="server",
                    type="usage",
                    content=Usage(input_tokens=asked, output_tokens=answered, finish_reason=reason),
                )
            )
        is_asking = status == "requires_action" and self._calls.has_code
        self._finish("awaiting_approval" if is_asking else "complete")

    def _finish(self, status: str) -> None:
        if not self._is_over:
            self._messages.add(Chunk(role="server", type="status", content=status))
        self._is_over = True

    def _fail(self, failure: Failure) -> None:
        self._shut()
        self._messages.add(Chunk(role="server", type="error", content=failure))
        self._is_over = True

    def _close(self, *, is_cut: bool = False) -> None:
        """Close everything that is open; calls that this cuts off are dropped."""
        if self._calls.finish(is_cut=is_cut):
            self._shut()
        else:
            self._fail(TRUNCATED)

    def _shut(self) -> None:
        """Close the open message; its citations follow it."""
        self._messages.close()
        self._code = self._printing = None
        citations, self._citations = self._citations, []
        for citation in citations:
            self._messages.add(Chunk(role="assistant", type="citation", content=citation))


def _failure(error: object) -> Failure:
    fields = first_object(error)
    title = text_of(fields, "message") or "The run failed."
    code = text_of(fields, "code")
    return Failure(code=code if code == "rate_limit_exceeded" else "upstream_error", title=title)
