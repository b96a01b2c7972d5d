"""Follows the link to a kernel elsewhere by what its place worker reports."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import Place
from playhead.domain.secret import Secret
from playhead.errors import ExecutionError

if TYPE_CHECKING:
    from playhead.domain.execution import LinkState
    from playhead.execution.environments.place_finder import KernelSpec
    from playhead.kernel.protocol import Mark

TokenOf = Callable[[Place], Awaitable[Secret | None]]
"""Returns what a server wants to see, None where nothing is kept for it."""
_START_LIMIT_S, _FAR_START_LIMIT_S = 30, 300
"""A server may have to be started first."""
_END_GRACE_MS, _FAR_END_GRACE_MS = 500, 5000
_LONGEST_WORDS = 600
_LINK_KINDS = ("link", "resume", "failed", "progress")
_MOST_FACTS = 20


class FarLink:
    """The state of one kernel's link; that of a kernel of this computer never changes."""

    def __init__(self, spec: KernelSpec | None) -> None:
        self._spec = spec
        self.is_elsewhere = spec is not None and spec.place.is_elsewhere
        self.start_limit_s = _FAR_START_LIMIT_S if self.is_elsewhere else _START_LIMIT_S
        self.end_grace_ms = _FAR_END_GRACE_MS if self.is_elsewhere else _END_GRACE_MS
        self.is_carried = spec is not None and spec.place.kind in ("ssh", "container")
        self._key = os.urandom(16).hex()
        """Is in all marks of the carrier itself."""
        self.state: LinkState = "connecting" if self.is_elsewhere else ""
        self.missing = ""
        self.has_facts = False
        self.facts: dict[str, str | int] = {}
        """What it takes to come back to the kernel."""
        self.on_progress: Callable[[float], None] = lambda part: None
        """Is called with the part of a file that has been copied."""
        self.failure: ExecutionError | None = None
        self.code = ""

    def hello(self, resume: dict[str, str | int]) -> dict[str, Any]:
        """Return what a place worker is given, of a kernel to come back to, too; {} for none."""
        facts = _place_facts(self._spec, resume) if self._spec else {}
        signed = {"key": self._key} if self.is_carried else {}
        return {"place": {**facts, **signed}} if facts else {}

    def take(self, mark: Mark) -> bool:
        """Take a mark if it is about the link; return whether it is."""
        if self.is_carried and mark.kind in _LINK_KINDS and mark.text("key") != self._key:
            return True  # the kernel over there has written it
        match mark.kind:
            case "link":
                word = mark.text("state")
                self.state = cast("LinkState", word) if word in ("connecting", "lost") else ""
                self.missing = _plain(mark.text("missing"))
            case "resume":
                self.has_facts = True
                given: Any = mark.fields.get("facts")
                facts = cast("dict[str, object]", given) if isinstance(given, dict) else {}
                self.facts = {
                    name: value
                    for name, value in list(facts.items())[:_MOST_FACTS]
                    if isinstance(value, str | int) and len(str(value)) <= _LONGEST_WORDS
                }
            case "progress":
                done, total = mark.integer("done") or 0, mark.integer("total") or 0
                self.on_progress(min(1.0, done / total) if total > 0 else 1.0)
            case "failed":
                self.code = mark.text("code")
                self.failure = ExecutionError(
                    _plain(mark.text("title")),
                    detail=_plain(mark.text("detail")),
                    remedy=_plain(mark.text("remedy")),
                )
            case _:
                return False
        return self.is_elsewhere

    def end(self, end: RunEnd) -> RunEnd:
        """Return how a kernel has ended: as was said, or else as its process."""
        if self.failure is None:
            return end
        words = (self.failure.title, self.failure.detail)
        return RunEnd(kind="other", words=" ".join(filter(None, words)).rstrip("."))


def _plain(words: str) -> str:
    """Return words from elsewhere without what would not be seen."""
    return "".join(one for one in words[:_LONGEST_WORDS] if one.isprintable())


def _place_facts(spec: KernelSpec, resume: dict[str, str | int]) -> dict[str, Any]:
    """Return what a place worker is given of its kernel."""
    place = spec.place
    if place.kind == "jupyter":
        return {
            "argv": spec.command,
            "env": dict(spec.variables),
            "interrupts": spec.interrupts,
            "name": place.label,
        }
    return {
        "kind": place.kind,
        "name": place.label,
        "address": place.address,
        "program": place.program,
        "folder": place.folder,
        "kernel_id": place.kernel_id,
        "token": spec.secret.reveal() if spec.secret else "",
        "resume": resume,
    }
