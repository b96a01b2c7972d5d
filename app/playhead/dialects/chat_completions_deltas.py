"""Chunks of an answer as the deltas of OpenAI chat."""

from __future__ import annotations

from urllib.parse import quote

from playhead.dialects.chat_completions_answer import annotations_of
from playhead.dialects.chat_completions_calls import CallWriter
from playhead.dialects.chat_completions_text import OUTPUT, Projection
from playhead.dialects.codec import Wire
from playhead.dialects.lmc_chunks import is_extended
from playhead.dialects.pieces import split
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Proposal, RunReport
from playhead.domain.model import EXECUTE


class DeltaWriter:
    """Keeps what it has written, for the whole answer; see `Encoder` for the two switches."""

    def __init__(self, answer_id: str, *, is_call_clients: bool, has_tools: bool) -> None:
        self._is_call_clients = is_call_clients
        self._has_tools = has_tools
        self._projection = Projection()
        self._calls = CallWriter(answer_id)
        self._proposal: Proposal | None = None
        self._message_at: int | None = 0
        self._last_said = ""
        self._image: list[str] = []
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.annotations: list[Wire] = []

    @property
    def calls(self) -> list[Wire]:
        """All calls, whole."""
        return self._calls.wires

    @property
    def has_open_calls(self) -> bool:
        """Whether a call waits for its client."""
        return self._calls.has_unsettled

    def feed(self, chunk: Chunk) -> list[Wire]:
        """The deltas that are certain after this chunk."""
        released = self._calls.release()
        match chunk.role:
            case "assistant":
                return [*released, *self._of_assistant(chunk)]
            case "computer":
                return [*released, *self._of_computer(chunk)]
            case _:
                return released

    def finish(self, *, is_awaiting: bool) -> list[Wire]:
        """What is left; the question, if code waits and is no call."""
        released = self._calls.release()
        if is_awaiting and not self._is_call_clients:
            self._projection.ask(self._proposal)
        return [*released, *self._said()]

    def fail(self) -> None:
        """The answer was cut off: what is half stays half."""
        self._calls.drop()

    def _of_assistant(self, chunk: Chunk) -> list[Wire]:
        match chunk.type:
            case "message":
                return self._on_message(chunk)
            case "code" if self._is_call_clients:
                return self._on_code_call(chunk)
            case "code":
                return self._on_fence(chunk, chunk.format or "")
            case "tool_call" if self._has_tools and chunk.format != EXECUTE:
                return self._on_call(chunk)
            case "tool_call":  # nobody's: the server answers it, as it does a broken `execute`
                self._projection.separate()
                return []
            case "reasoning" | "plan":
                return self._on_thought(chunk)
            case "citation":
                return self._on_citation(chunk)
            case _:
                return []

    def _of_computer(self, chunk: Chunk) -> list[Wire]:
        content = chunk.content
        if isinstance(content, Proposal):
            self._proposal = content
        elif isinstance(content, RunReport) or chunk.type == "console":
            self._on_run()
        elif chunk.type == "tool_result" and chunk.start:
            self._proposal = None
            self._calls.settle(chunk.id)
            self._projection.separate()
        if chunk.type == "console":
            return self._on_fence(chunk, OUTPUT)
        is_shown = chunk.type == "image" and not is_extended(chunk)
        return self._on_image(chunk) if is_shown else []

    def _on_run(self) -> None:
        """What was proposed runs here: its call needs no decision any more."""
        if self._proposal is not None:
            self._proposal = None
            self._calls.settle_code()

    def _on_message(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            self._message_at = None
        if not isinstance(chunk.content, str):
            return []
        is_first = self._message_at is None
        if is_first and self._last_said == "message":
            self._projection.separate()  # nothing else would tell the two apart
        self._projection.message(chunk.content)
        if is_first:
            self._message_at = self._projection.length - len(chunk.content)
        self._last_said = "message"
        return self._said()

    def _on_fence(self, chunk: Chunk, word: str) -> list[Wire]:
        if isinstance(chunk.content, str):
            self._projection.fenced(chunk.content)
        elif chunk.start:
            self._projection.begin_fence(word)
        elif chunk.end:
            self._projection.end_fence()
        return self._said()

    def _on_thought(self, chunk: Chunk) -> list[Wire]:
        if not isinstance(chunk.content, str):
            return []
        self._last_said = chunk.type
        self.thoughts.append(chunk.content)
        return [{"reasoning_content": chunk.content}]

    def _on_code_call(self, chunk: Chunk) -> list[Wire]:
        self._last_said = "code"
        if isinstance(chunk.content, str):
            return [self._calls.code(chunk.content)]
        if chunk.start:
            return [self._calls.begin_code(chunk.format or "", chunk.id)]
        self._calls.end_code()
        return []

    def _on_call(self, chunk: Chunk) -> list[Wire]:
        self._last_said = "tool_call"
        if isinstance(chunk.content, str):
            return [self._calls.arguments(chunk.content)]
        if chunk.start:
            return [self._calls.begin(chunk.format or "unknown", chunk.id)]
        self._calls.end()
        return []

    def _on_citation(self, chunk: Chunk) -> list[Wire]:
        if not isinstance(chunk.content, Citation):
            return []
        found = annotations_of(chunk.content, self._message_at or 0)
        first = len(self.annotations)
        self.annotations += found
        # Without an index the accumulator of the openai library fails at a second delta of them.
        numbered = [{"index": first + place, **wire} for place, wire in enumerate(found)]
        return [{"annotations": numbered}] if found else []

    def _on_image(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, str):
            self._image.append(chunk.content)
        if chunk.start or not self._image:
            return []
        if chunk.end or chunk.format == "path":
            self._projection.block(_picture(chunk.format or "", "".join(self._image)))
            self._image.clear()
        return self._said()

    def _said(self) -> list[Wire]:
        text = self._projection.take()
        if text:
            self.texts.append(text)
        return [{"content": piece} for piece in split(text)]


def _picture(format_: str, content: str) -> str:
    """A link to a file of this machine, or words in its place: data would fill the answer."""
    if format_ != "path":
        return f"*(an image: {format_.rpartition('.')[2]})*"
    path = quote(content.replace("\\", "/"), safe="/:")
    is_absolute = path.startswith("/") or path[1:2] == ":"
    return f"![image]({'file:///' if is_absolute else ''}{path.removeprefix('/')})"
