"""Encode an answer's chunks as messages of @unternet/kernel, or as a whole answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import cast

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Proposal, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.json_text import read_json
from playhead.domain.text.run_ends import run_end_as_output
from playhead.domain.text.unicode import whole_characters
from playhead.formats.wire.chat_completions.objects import failure_text
from playhead.formats.wire.codec import TRUNCATED, Pieces, Wire
from playhead.formats.wire.native.encode import is_extended

_WHOLE = frozenset({"reasoning", "plan", "code", "tool_call", "tool_result"})
"""Types of messages that go out once they are whole."""
PLAN_TITLE = "plan"
_RESULT_LIMIT = 500_000
"""Characters of one result: it goes out in one line, which must not be longer than a million."""


class Encoder:
    """Every event that it gives is one message; what ends the stream is the writer's.

    `now_ms` is the clock, `prefix` what the ids of its messages begin with. `call_ids` are calls of
    `execute` made before, whose code runs in this answer. Calls of other tools go out only with
    `has_tools`. All calls of one turn of the model are one message, and so are their results.
    """

    def __init__(
        self,
        prefix: str,
        now_ms: Callable[[], int],
        *,
        has_tools: bool = False,
        call_ids: Sequence[str] = (),
    ) -> None:
        self._prefix = prefix
        self._now_ms = now_ms
        self._has_tools = has_tools
        self._pieces = Pieces()
        self._count = 0
        self._reply: Wire | None = None
        self._texts: list[str] = []
        self._opened: Chunk | None = None
        self._calls: list[Wire] = []
        self._to_run = list(call_ids)
        self._result: Wire | None = None
        self._results: list[Wire] = []
        self._wholes: list[Wire] = []
        self._is_over = False
        self.failure: Failure | None = None
        """The failure that ended the answer, if any."""

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the messages that are certain after this chunk."""
        if self._is_over or isinstance(chunk.content, Usage):
            return []
        shown = (chunk, *run_end_as_output(chunk))
        pieces = (piece for one in shown for piece in self._pieces.feed(one))
        events = [event for piece in pieces for event in self._events(piece)]
        self._wholes += [event for event in events if not event["type"].endswith(".delta")]
        return events

    def finish(self) -> list[Wire]:
        """Return the last messages; a stream that ended without its last chunk failed."""
        if self._is_over:
            return []
        return self.encode(Chunk(role="server", type="error", content=TRUNCATED))

    def answer(self) -> Wire:
        """Return the whole answer: its messages without their deltas."""
        return {"messages": self._wholes}

    def _events(self, chunk: Chunk) -> list[Wire]:
        match chunk.role:
            case "assistant" if chunk.type in ("code", "tool_call"):
                return [*self._flush_results(), *self._of_whole(chunk)]
            case "assistant":
                return [*self._flush_calls(), *self._flush_results(), *self._of_prose(chunk)]
            case "computer" if chunk.type == "tool_result" and chunk.start and self._drop(chunk.id):
                return []
            case "computer":
                return [*self._flush_calls(), *self._of_computer(chunk)]
            case "server":
                return self._of_server(chunk)
            case _:
                return []

    def _of_prose(self, chunk: Chunk) -> list[Wire]:
        if chunk.type == "message":
            return self._of_reply(chunk)
        return self._of_whole(chunk) if chunk.type in _WHOLE else []

    def _of_reply(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            self._reply = self._message("reply")
            self._texts = []
            return [self._delta("created")]
        if self._reply is None:
            return []
        if isinstance(chunk.content, str):
            self._texts.append(chunk.content)
            return [self._delta("in_progress", chunk.content)]
        return self._end_reply()

    def _end_reply(self) -> list[Wire]:
        if self._reply is None:
            return []
        last = [self._delta("completed"), {**self._reply, "text": "".join(self._texts)}]
        self._reply = None
        return last

    def _of_whole(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            self._opened, self._texts = chunk, []
        elif isinstance(chunk.content, str):
            self._texts.append(chunk.content)
        elif chunk.end and self._opened is not None:
            opened, self._opened = self._opened, None
            return self._made(opened, "".join(self._texts))
        return []

    def _made(self, opened: Chunk, text: str) -> list[Wire]:
        match opened.type:
            case "reasoning" | "plan":
                title = PLAN_TITLE if opened.type == "plan" else ""
                return [{**self._message("reasoning"), "title": title, "summary": text}]
            case "code":
                args: object = {"language": opened.format or "", "code": text}
                self._to_run.append(self._call(opened.id, EXECUTE, args))
            case "tool_call" if self._has_tools and opened.format != EXECUTE:
                self._call(opened.id, opened.format or "unknown", _arguments(text))
            case "tool_result":
                result = {"toolCallId": opened.id or "", "name": opened.format or "unknown"}
                self._results.append({**result, "value": text[:_RESULT_LIMIT]})
            case _:
                pass
        return []

    def _call(self, call_id: str | None, name: str, args: object) -> str:
        self._count += 0 if call_id else 1
        call_id = call_id or f"call_{self._prefix}_{self._count}"
        self._calls.append({"id": call_id, "name": name, "args": args})
        return call_id

    def _drop(self, call_id: str | None) -> bool:
        """Drop a call that has a result before it was sent: it was only half of one."""
        kept = [call for call in self._calls if call["id"] != call_id]
        is_half = len(kept) < len(self._calls)
        self._calls = kept
        self._to_run = [one for one in self._to_run if not (is_half and one == call_id)]
        return is_half

    def _of_computer(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Proposal):
            self._end_result()
        elif chunk.type == "tool_result":
            self._end_result()
            return self._of_whole(chunk)
        elif chunk.type == "console" and chunk.format != "active_line":
            self._print(chunk.content if isinstance(chunk.content, str) else "")
        elif chunk.type == "image" and not is_extended(chunk):
            is_path = chunk.format == "path" and isinstance(chunk.content, str)
            self._print(f"[image: {chunk.content}]\n" if is_path else "")
        return []

    def _print(self, text: str) -> None:
        """Encode printed text of the code that runs; a run without a call gets an id too."""
        if self._result is None:
            self._count += 0 if self._to_run else 1
            made = f"call_{self._prefix}_{self._count}"
            call_id = self._to_run.pop(0) if self._to_run else made
            self._result = {"toolCallId": call_id, "name": EXECUTE, "value": ""}
        value = cast(str, self._result["value"])
        self._result["value"] = value + text[: max(0, _RESULT_LIMIT - len(value))]

    def _of_server(self, chunk: Chunk) -> list[Wire]:
        self._is_over = True
        if isinstance(chunk.content, Failure):
            self.failure = chunk.content
            self._calls.clear()  # what was cut off is never offered
            error = {"code": self.failure.code, "message": failure_text(self.failure)}
            last = [{**self._message("error"), "error": error}]
        else:
            last = self._flush_calls()
        return [*self._end_reply(), *self._flush_results(), *last]

    def _flush_calls(self) -> list[Wire]:
        calls, self._calls = self._calls, []
        return [{**self._message("tool_calls"), "toolCalls": calls}] if calls else []

    def _end_result(self) -> None:
        if self._result is not None:
            self._results.append(self._result)
            self._result = None

    def _flush_results(self) -> list[Wire]:
        self._end_result()
        results, self._results = self._results, []
        return [{**self._message("tool_results"), "results": results}] if results else []

    def _delta(self, status: str, text: str = "") -> Wire:
        reply = self._reply or {}
        delta = {"text": text} if text else {}
        return {**reply, "type": "reply.delta", "status": status, "delta": delta}

    def _message(self, kind: str) -> Wire:
        self._count += 1
        return {
            "type": kind,
            "id": f"msg_{self._prefix}_{self._count}",
            "createdAt": self._now_ms(),
        }


def _arguments(text: str) -> object:
    """Return the object of the arguments; a text that is not an object is sent unchanged."""
    try:
        told: object = read_json(text or "{}")
        if isinstance(told, dict):
            written = json.dumps(told, ensure_ascii=False, allow_nan=False)
            is_whole = whole_characters(written) == written
            return cast(Wire, told) if is_whole else read_json(whole_characters(written))
    except ValueError:
        pass
    return text
