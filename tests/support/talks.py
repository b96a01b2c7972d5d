"""Conversations of any shape, for tests of what a model is sent."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure, Proposal, RunReport

_ids = itertools.count(1)
_words = st.text(alphabet="ab \n`é中", max_size=30)


def question(message: Message) -> bool:
    """Whether the user says something, rather than runs it."""
    return message.role == "user" and message.type != "code"


def _message(role: Any, kind: Any, content: Any = None, **more: Any) -> Message:
    return Message(
        id=f"t{next(_ids)}", parent_id=None, role=role, type=kind, content=content, **more
    )


@st.composite
def _run(draw: st.DrawFn, role: str = "assistant") -> list[Message]:
    """Code with what came of it, or with nothing."""
    call_id = draw(st.sampled_from([None, "call_0", "call_0", f"call_{next(_ids)}"]))
    code = draw(_words)
    state = draw(st.sampled_from(["complete", "complete", "interrupted"]))
    own_id = call_id if role == "assistant" else None
    block = _message(role, "code", code, format="python", call_id=own_id, state=state)
    if state != "complete":
        return [block]
    proposal = _message(
        "computer",
        "confirmation",
        Proposal(id="p", message_id=block.id, language="python", code=code),
    )
    told = [
        [],
        [proposal],
        [
            proposal,
            _message("computer", "run", RunReport(state="started")),
            _message("computer", "console", draw(_words)),
            _message("computer", "run", RunReport(state="finished")),
        ],
        [_message("computer", "tool_result", draw(_words), format="execute", call_id=own_id)],
    ]
    return [block, *draw(st.sampled_from(told))]


@st.composite
def _call(draw: st.DrawFn) -> list[Message]:
    """A call of another tool, with or without its result."""
    call_id = f"call_{next(_ids)}"
    arguments = draw(st.sampled_from(['{"q": 1}', "", "broken {"]))
    call = _message("assistant", "tool_call", arguments, format="lookup", call_id=call_id)
    result = _message("computer", "tool_result", draw(_words), format="lookup", call_id=call_id)
    return draw(st.sampled_from([[call], [call, result]]))


@st.composite
def _turn(draw: st.DrawFn) -> list[Message]:
    asked = [_message("user", "message", draw(st.text(alphabet="xy ", min_size=1, max_size=20)))]
    if draw(st.booleans()):
        kind = draw(st.sampled_from(["file", "image"]))
        asked.insert(0, _message("user", kind, "/tmp/a.png"))
    said = _words.map(lambda text: [_message("assistant", "message", text)])
    thought = _words.map(lambda text: [_message("assistant", "reasoning", text)])
    failed = st.builds(lambda: [_message("server", "error", Failure(code="x", title="y"))])
    shown = st.builds(lambda: [_message("computer", "image", "aGk=", format="base64.png")])
    pieces = st.one_of(said, thought, _run(), _call(), failed, shown)
    answer = draw(st.lists(pieces, max_size=3))
    own = draw(st.lists(_run("user"), max_size=1))
    return [*asked, *itertools.chain(*answer), *itertools.chain(*own)]


def talks() -> st.SearchStrategy[list[Message]]:
    """Several turns; the last one may just have been asked."""
    start = st.lists(_run(), max_size=1).map(lambda runs: list(itertools.chain(*runs)))
    turns = st.lists(_turn(), min_size=1, max_size=3).map(lambda all_: list(itertools.chain(*all_)))
    return st.tuples(start, turns).map(lambda both: [*both[0], *both[1]])
