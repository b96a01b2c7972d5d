"""Find the code that the decisions of a request are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from playhead.api.turns.client_request import ClientRequest
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.execution import Approve, Decision
from playhead.errors import RequestError
from playhead.formats.wire.entry import Entry
from playhead.session.code_runs import open_calls


def decisions_on_waiting(
    entries: Sequence[Entry], added: Sequence[Entry], waiting: Proposal, messages: Sequence[Message]
) -> dict[str, Decision]:
    """Return the decisions in `added`, by code message; `waiting` is the code of an unnamed one.

    `entries` is the whole request: if it contains the waiting code, that text is what runs.
    """
    open_code = _OpenCode(call for call in open_calls(messages) if call.type == "code")
    decisions: dict[str, Decision] = {}
    for entry in added:
        decision = Approve() if entry.is_yes else entry.decision
        if decision is None:
            continue
        message_id = open_code.named(entry.call_id) if entry.call_id else waiting.message_id
        if message_id is None:
            raise _no_such_call(entry.call_id)
        if decision == Approve() and not (entry.call_id or entry.is_yes):
            decision = Approve(_text_of_request(entries, waiting.message_id, messages))
        decisions[message_id] = decision
    if waiting.message_id not in decisions:
        raise RequestError(
            "The code that waits is not what this decides about.",
            remedy="Decide about the calls of execute in their order, or about all of them.",
            code="invalid_state",
            param="messages",
        )
    return decisions


def decisions_on_history(
    added: Sequence[Entry], messages: Sequence[Message], entries: Sequence[Entry] = ()
) -> dict[str, Decision]:
    """Return the decisions on a history: an unnamed one is about its first open code.

    `entries` is the whole request, if its text of the code is what runs.
    """
    open_code = [call for call in open_calls(messages) if call.type == "code"]
    if not open_code:
        raise RequestError(
            "There is no code that waits for a decision.",
            remedy="Send the history with the code message that the decision is about.",
            code="nothing_to_approve",
            param="messages",
        )
    by_name = _OpenCode(open_code)
    decisions: dict[str, Decision] = {}
    for entry in added:
        decision = Approve() if entry.is_yes else entry.decision
        if decision is None:
            continue
        message_id = by_name.named(entry.call_id) if entry.call_id else open_code[0].id
        if message_id is None:
            raise _no_such_call(entry.call_id)
        if decision == Approve() and not (entry.call_id or entry.is_yes):
            decision = Approve(_text_of_request(entries, message_id, messages))
        decisions[message_id] = decision
    return decisions


def has_decision(entries: Sequence[Entry]) -> bool:
    """Return whether one of these messages certainly decides something."""
    return any(entry.decision is not None for entry in entries)


def has_code(entries: Sequence[Entry]) -> bool:
    """Return whether code is among these messages."""
    return any(chunk.type == "code" for entry in entries for chunk in entry.chunks)


def proposed_by(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """Return the language and the text of code that a client proposes: its only message."""
    if len(entries) != 1 or not entries[0].chunks or entries[0].chunks[0].type != "code":
        return None
    code = "".join(str(c.content) for c in entries[0].chunks if c.content is not None)
    return entries[0].chunks[0].format or "", code


def is_approval(entries: Sequence[Entry]) -> bool:
    """Return whether these messages would make code run."""
    return any(isinstance(entry.decision, Approve) for entry in entries)


def decides(incoming: ClientRequest, added: Sequence[Entry]) -> bool:
    """Return whether these messages decide about the waiting code, in words or as a decision."""
    if has_new_question(added):
        return False
    is_yes = bool(added) and added[-1].is_yes and not incoming.is_call_clients
    return is_yes or has_decision(added)


def has_new_question(added: Sequence[Entry]) -> bool:
    """Return whether the client sends results of its own and a new question with them.

    Raises RequestError if it approves code and asks something else as well.
    """
    first = next((n for n, entry in enumerate(added) if entry.decision is not None), len(added))
    has_question = any(_is_question(entry) for entry in added[first:])
    if has_question and is_approval(added):
        raise RequestError(
            "A message after an approval cannot be answered before the code has run.",
            remedy="Send the approval alone, then the message.",
            param="messages",
        )
    return has_question


def is_edited(added: Sequence[Entry]) -> bool:
    """Return whether these are code messages that the client edited, and a decision about them."""
    *codes, last = added or (Entry(),)
    are_codes = all(entry.chunks and entry.chunks[0].type == "code" for entry in codes)
    return bool(codes) and are_codes and last.decision is not None


def split_history(entries: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Entry]]:
    """Split a history after its last answered message: what is known, and what the client adds."""
    answered = [n for n, entry in enumerate(entries) if any(map(_is_answer, entry.chunks))]
    start = answered[-1] + 1 if answered else 0
    return entries[:start], entries[start:]


def imported_chunks(entries: Sequence[Entry]) -> list[Chunk]:
    """Return the chunks of a history; its decisions become what the model was informed of."""
    chunks = (chunk for entry in entries for chunk in settled_chunks(entry))
    return [chunk for chunk in chunks if chunk.type not in _NOT_IMPORTED]


def tool_results(entries: Sequence[Entry]) -> list[Chunk]:
    """Return the chunks of the results of a client's own tools."""
    found = (entry for entry in entries if entry.decision is None)
    return [c for entry in found for c in entry.chunks if c.type == "tool_result"]


def code_message(language: str, code: str) -> list[Chunk]:
    """Return a whole code message."""
    return [
        Chunk(role="assistant", type="code", format=language, start=True),
        Chunk(role="assistant", type="code", format=language, content=code),
        Chunk(role="assistant", type="code", format=language, end=True),
    ]


def already_decided() -> RequestError:
    """Return the error for a second decision about the same code."""
    return RequestError(
        "Nothing waits for a decision: it was already made.", code="invalid_state", param="messages"
    )


_NOT_IMPORTED = frozenset({"confirmation", "status", "usage", "command", "run"})


def _is_answer(chunk: Chunk) -> bool:
    return chunk.role == "assistant" or (chunk.role == "computer" and chunk.type != "tool_result")


def _is_question(entry: Entry) -> bool:
    return any(chunk.role == "user" for chunk in entry.chunks) and not entry.is_yes


def settled_chunks(entry: Entry) -> tuple[Chunk, ...]:
    """Return an old decision as the chunks that inform the model of it."""
    match entry.decision:
        case None:
            return entry.chunks
        case Approve():
            text = "The user approved it, and it ran; the answer shows its output."
        case decision:
            text = getattr(decision, "text", "") or "The user chose not to run this code."
    return (
        Chunk(
            role="computer",
            type="tool_result",
            format="execute",
            start=True,
            id=entry.call_id or None,
        ),
        Chunk(role="computer", type="tool_result", format="execute", content=text),
        Chunk(role="computer", type="tool_result", format="execute", end=True),
    )


class _OpenCode:
    """Code that waits, by the ids that clients know.

    Code that a model wrote without a call has no id: clients got a generated one and refer to such
    code by its order.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        self._named: dict[str, str] = {}
        self._unnamed: list[str] = []
        for message in messages:
            if message.call_id:
                self._named[message.call_id] = message.id
            else:
                self._unnamed.append(message.id)

    def named(self, call_id: str) -> str | None:
        """Return the message of the code with this id."""
        if call_id not in self._named and self._unnamed:
            self._named[call_id] = self._unnamed.pop(0)
        return self._named.get(call_id)


def _text_of_request(
    entries: Iterable[Entry], message_id: str, messages: Sequence[Message]
) -> str | None:
    """Return the waiting code as the request has it, by its position among the code messages."""
    known = [m for m in _since_last_question(messages) if (m.role, m.type) == _CODE]
    place = next((n for n, m in enumerate(known) if m.id == message_id), 0)
    held = _last_codes(entries)
    if not held:
        return None
    return held[place] if place < len(held) else held[-1]


_CODE = ("assistant", "code")


def _since_last_question(messages: Sequence[Message]) -> list[Message]:
    start = max((n for n, m in enumerate(messages) if m.role == "user"), default=-1)
    return list(messages[start + 1 :])


def _last_codes(entries: Iterable[Entry]) -> list[str]:
    """Return the code messages after the last question of a request."""
    codes: list[str] = []
    for entry in entries:
        if any(chunk.role == "user" for chunk in entry.chunks) and not entry.is_yes:
            codes = []
        texts = [
            chunk.content
            for chunk in entry.chunks
            if (chunk.role, chunk.type) == _CODE and isinstance(chunk.content, str)
        ]
        if texts:
            codes.append("".join(texts))
    return codes


def _no_such_call(call_id: str) -> RequestError:
    return RequestError(
        f"No code with the call id {call_id!r} waits for a decision.",
        code="invalid_state",
        param="messages",
    )
