"""Which kind of row a message is drawn as."""

from __future__ import annotations

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, FileChanges, InputRequest, Table
from playhead.ui.timeline.rows import RowKind
from playhead.ui.wording import tr

_KINDS: dict[tuple[str, str], RowKind] = {
    ("assistant", "message"): "answer",
    ("computer", "message"): "answer",
    ("user", "message"): "question",
    ("user", "file"): "attachment",
    ("user", "image"): "image",
    ("assistant", "image"): "image",
    ("computer", "file"): "attachment",
    ("assistant", "reasoning"): "reasoning",
    ("assistant", "plan"): "plan",
    ("assistant", "code"): "code",
    ("user", "code"): "code",
    ("computer", "console"): "console",
    ("server", "error"): "failure",
    ("assistant", "tool_call"): "tool_call",
    ("computer", "tool_result"): "tool_result",
    ("assistant", "citation"): "citation",
}
_RESULTS: dict[str, tuple[type, RowKind]] = {
    "table": (Table, "table"),
    "files": (FileChanges, "files"),
    "error": (CodeError, "problem"),
    "input": (InputRequest, "input"),
}
_UNSEEN = frozenset({"timing", "status", "usage", "run", "confirmation", "command"})
_PICTURES = ("path", "svg", "base64")


def kind_of(message: Message) -> RowKind | None:
    """The kind of row; None for what is not for the reader.

    What the code gave back and this version cannot show is `unknown`: one quiet line.
    """
    if message.role == "computer":
        return _result_kind(message)
    return _KINDS.get((message.role, message.type))


def unknown_words(message: Message) -> str:
    """What to say in the place of a result that cannot be shown."""
    what = message.type.replace("_", " ")
    kind = f"{what} ({message.format})" if message.format else what
    return tr("A result that this version of Playhead does not show: {kind}.", kind=kind)


def _result_kind(message: Message) -> RowKind | None:
    form = message.format or ""
    if message.type in _UNSEEN:
        return None
    if message.type in _RESULTS:
        wanted, kind = _RESULTS[message.type]
        return kind if isinstance(message.content, wanted) else "unknown"
    if message.type == "code":
        return _markup_kind(form)
    if message.type == "image":
        return "image" if not form or form.partition(".")[0] in _PICTURES else "unknown"
    return _KINDS.get((message.role, message.type), "unknown")


def _markup_kind(form: str) -> RowKind:
    match form.lower():
        case "html" | "javascript":
            return "page"
        case "markdown":
            return "rendered"
        case _:
            return "markup"
