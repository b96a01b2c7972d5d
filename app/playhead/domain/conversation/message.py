"""A message, which is the fold of its chunks, and the attachments that a user adds to one."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from playhead.domain.conversation.chunk import ChunkType, Content, Recipient, Role

MessageState = Literal["streaming", "complete", "interrupted"]


class Message(Struct, frozen=True, kw_only=True):
    """One node of a conversation's tree.

    `created_at` is in seconds since the epoch (UTC). `content` is the joined text, or the payload
    of a single chunk. `call_id` is the provider's id of the call that made the message
    (code, tool_call, tool_result) or the run's id (console).
    """

    id: str
    parent_id: str | None
    role: Role
    type: ChunkType
    format: str | None = None
    content: Content = None
    call_id: str | None = None
    recipient: Recipient | None = None
    created_at: float = 0.0
    state: MessageState = "complete"

    @property
    def text(self) -> str:
        """Return the content if it is text, else the empty text."""
        return self.content if isinstance(self.content, str) else ""


class AttachedContent(Struct, frozen=True, kw_only=True):
    """Holds what a model is given of a file or folder beside its path; its text may be empty.

    `rows` are those of a table, the entries of a tree or the pages of a PDF; `is_cut`: the tree
    has more.
    """

    kind: Literal["", "table", "tree", "pages"] = ""
    text: str = ""
    columns: int = 0
    rows: int = 0
    is_cut: bool = False


class Attachment(Struct, frozen=True, kw_only=True):
    """A file, image or folder that the user adds to a message; `path` is absolute."""

    kind: Literal["file", "image", "folder"]
    path: str
    name: str = ""
    size_bytes: int = 0
