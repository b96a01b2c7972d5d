"""The contents of native chunks that are more than a text, to and from JSON objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

import msgspec

from playhead.domain.conversation.payloads import (
    ChangeAction,
    Citation,
    CodeError,
    Echo,
    Failure,
    FileChange,
    FileChanges,
    FileKind,
    Frame,
    InputRequest,
    LineTiming,
    OutputTail,
    Payload,
    PrintedLines,
    Proposal,
    Refused,
    RunReport,
    RunState,
    Source,
    Table,
    Usage,
    VariableChanges,
    Waiting,
)
from playhead.domain.execution import place_of
from playhead.domain.places import folder_there, short_name
from playhead.domain.text.run_ends import parse_run_end, run_end_reason
from playhead.domain.trust import Certainty, RiskFact, RiskKind
from playhead.formats.wire.codec import Wire

_STATES = frozenset(get_args(RunState))
_RISK_KINDS = frozenset(get_args(RiskKind))
_CERTAINTIES = frozenset(get_args(Certainty))


class UnknownContentError(ValueError):
    """A content that this version cannot read, or that lacks required fields."""


def encode_payload(payload: Payload) -> Wire:
    """Return the fields of a chunk for its content."""
    match payload:
        case Failure():
            return _failure(payload)
        case Proposal():
            return {"content": _proposed(payload)}
        case Citation():
            sources = [_without_empty(msgspec.to_builtins(source)) for source in payload.sources]
            return {"content": {**msgspec.structs.asdict(payload), "sources": sources}}
        case FileChanges():
            return {"content": _files(payload)}
        case Waiting() | Echo() | PrintedLines() | OutputTail():
            return {}
        case RunReport():
            values = {**msgspec.structs.asdict(payload), "reason": run_end_reason(payload.end)}
            values["refused"] = msgspec.to_builtins(payload.refused) or ""
            values["packages"] = list(payload.packages) or ""
            del values["end"]
            return {"content": _without_empty(values)}
        case CodeError() | InputRequest() | LineTiming() | Table() | Usage():
            return {"content": _without_empty(msgspec.to_builtins(payload))}


def decode_payload(kind: str, content: object) -> Payload:
    """Return the payload of a chunk of type `kind`. Raises UnknownContentError."""
    if not isinstance(content, Mapping):
        raise UnknownContentError(f"{kind} must be an object")
    if kind not in _READERS:
        raise UnknownContentError(kind)
    return _READERS[kind](_Fields(cast("Mapping[str, Any]", content)))


def decode_failure(wire: Mapping[str, Any]) -> Failure:
    """Return the failure of a server/error; the text after its title is the detail."""
    content = wire.get("content")
    told = content if isinstance(content, str) else ""
    error = wire.get("error")
    fields = _Fields(cast("Mapping[str, Any]", error if isinstance(error, Mapping) else {}))
    title = fields.text_or("message", told) or "The stream failed."
    detail = told[len(title) :].strip() if told.startswith(title) else ""
    wait_s = fields.values.get("retry_after_s")
    return Failure(
        code=fields.text_or("code", "internal_error"),
        title=title,
        detail=detail,
        retry_after_s=float(cast(float, wait_s)) if _is_number(wait_s) else None,
    )


class _Fields:
    """Typed access to an object that anybody may have written."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name)
        value = default if value is None else value
        if not isinstance(value, str):
            raise UnknownContentError(f"{name} must be a string")
        return value

    def text_or(self, name: str, default: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else default

    def integer(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or not _is_number(value):
            raise UnknownContentError(f"{name} must be an integer")
        return value

    def integer_or_none(self, name: str) -> int | None:
        return None if self.values.get(name) is None else self.integer(name)

    def items(self, name: str) -> tuple[Any, ...]:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list | tuple):
            raise UnknownContentError(f"{name} must be a list")
        return tuple(cast("list[Any]", value or []))

    def texts(self, name: str) -> tuple[str, ...]:
        items = self.items(name)
        if not all(isinstance(item, str) for item in items):
            raise UnknownContentError(f"{name} must be a list of strings")
        return items

    def number(self, name: str, default: float | None = None) -> float:
        value = self.values.get(name)
        value = default if value is None else value
        if not _is_number(value):
            raise UnknownContentError(f"{name} must be a number")
        return float(cast(float, value))

    def objects(self, name: str) -> list[_Fields]:
        items = self.items(name)
        if not all(isinstance(item, Mapping) for item in items):
            raise UnknownContentError(f"{name} must be a list of objects")
        return [_Fields(cast("Mapping[str, Any]", item)) for item in items]


def _failure(failure: Failure) -> Wire:
    told = " ".join(part for part in (failure.title, failure.detail, failure.remedy) if part)
    error: Wire = {"code": failure.code, "message": failure.title}
    if failure.retry_after_s is not None:
        error["retry_after_s"] = failure.retry_after_s
    return {"content": told, "error": error}


def _proposed(proposal: Proposal) -> Wire:
    """Return the code that waits; what is seen of it where somebody looked.

    With the name of the kernel that would run it, where that is another program's, and with the
    machine and its folder, where that is another one.
    """
    code: Wire = {"type": "code", "format": proposal.language, "content": proposal.code}
    if (place := place_of(proposal.interpreter)) is not None:
        if place.kind in ("jupyter", "server"):
            code["kernel"] = place.label
        if place.is_elsewhere:
            code |= {"machine": short_name(place), "folder": folder_there(place)}
    if proposal.facts is not None:
        code["facts"] = [_without_empty(msgspec.to_builtins(fact)) for fact in proposal.facts]
    if proposal.approved_at:
        code["approved_at"] = proposal.approved_at
    return code | ({"diff": proposal.diff} if proposal.diff else {})


def _facts(fields: _Fields) -> tuple[RiskFact, ...] | None:
    """Return the facts in a proposal; those of a kind that is not known are left out."""
    if fields.values.get("facts") is None:
        return None
    return tuple(
        RiskFact(
            kind=cast("RiskKind", fact.text("kind")),
            line=fact.integer("line"),
            target=fact.text("target", ""),
            certainty=cast("Certainty", fact.text("certainty", "certain")),
            module=fact.text("module", ""),
        )
        for fact in fields.objects("facts")
        if fact.values.get("kind") in _RISK_KINDS
        and fact.values.get("certainty", "certain") in _CERTAINTIES
    )


def _proposal(fields: _Fields) -> Proposal:
    """Decode both forms: `{type, format, content}` and `{language, code}`."""
    language = fields.text_or("format", "") or fields.text("language", "")
    code = fields.values.get("content")
    return Proposal(
        id="",
        message_id="",
        language=language,
        code=code if isinstance(code, str) else fields.text("code"),
        facts=_facts(fields),
        approved_at=fields.number("approved_at", 0.0),
        diff=fields.text("diff", ""),
    )


def _code_error(fields: _Fields) -> CodeError:
    frames = tuple(
        Frame(frame.text("file", ""), frame.integer("line"), frame.text("name", ""))
        for frame in fields.objects("frames")
    )
    return CodeError(
        name=fields.text("name"),
        message=fields.text("message", ""),
        frames=frames,
        remedy=fields.text("remedy", ""),
        printed=fields.integer_or_none("printed"),
    )


def _input_request(fields: _Fields) -> InputRequest:
    is_secret = fields.values.get("is_secret") is True
    return InputRequest(fields.text("id"), fields.text("prompt", ""), is_secret)


def _run_report(fields: _Fields) -> RunReport:
    state = fields.text("state")
    if state not in _STATES:
        raise UnknownContentError(f"no run can be {state}")
    return RunReport(
        state=cast(RunState, state),
        seconds=fields.number("seconds", 0.0),
        line=fields.integer_or_none("line"),
        exit_status=fields.integer_or_none("exit_status"),
        output_path=fields.text("output_path", "") or None,
        end=parse_run_end(fields.text("reason", "")),
        input_bytes=fields.integer_or_none("input_bytes"),
        unanswered=fields.text("unanswered", ""),
        printed=fields.integer_or_none("printed"),
        refused=tuple(
            Refused(target=one.text("target"), count=one.integer("count"))
            for one in fields.objects("refused")
        ),
        hidden=fields.text("hidden", ""),
        is_saved=fields.values.get("is_saved") is True or None,
        packages=fields.texts("packages"),
    )


def _citation(fields: _Fields) -> Citation:
    sources = tuple(
        Source(**{name: source.text(name, "") for name in ("id", "title", "url", "text")})
        for source in fields.objects("sources")
    )
    return Citation(
        start=fields.integer("start"),
        end=fields.integer("end"),
        text=fields.text("text", ""),
        sources=sources,
    )


def _timing(fields: _Fields) -> LineTiming:
    has_share = fields.values.get("share") is not None
    return LineTiming(
        line=fields.integer("line"),
        seconds=fields.number("seconds"),
        last_line=fields.integer_or_none("last_line") or 0,
        share=fields.number("share") if has_share else None,
    )


def _table(fields: _Fields) -> Table:
    rows = fields.items("rows")
    if not all(isinstance(row, list | tuple) for row in rows):
        raise UnknownContentError("rows must be a list of lists")
    cells = tuple(tuple(cast("list[Any]", row)) for row in rows)
    if any(isinstance(cell, list | dict) for row in cells for cell in row):
        raise UnknownContentError("rows must hold texts, numbers, booleans and nulls")
    return Table(
        columns=fields.texts("columns"),
        dtypes=fields.texts("dtypes"),
        rows=cells,
        total_rows=fields.integer("total_rows"),
        total_columns=fields.integer_or_none("total_columns") or 0,
        name=fields.text("name", ""),
        key=fields.text("key", ""),
        missing=fields.texts("missing"),
        text=fields.text("text", ""),
        index_columns=fields.integer_or_none("index_columns"),
    )


_CHANGES = ("created", "changed", "deleted", "moved")
_ACTIONS = frozenset(get_args(ChangeAction))
_FILE_KINDS = frozenset(get_args(FileKind))


def _files(changes: FileChanges) -> Wire:
    """Return lists of paths, and the known facts on each file; not the folder they are in."""
    found = {name: cast("tuple[FileChange, ...]", getattr(changes, name)) for name in _CHANGES}
    if not changes.moved:  # programs know the three others
        del found["moved"]
    paths: Wire = {name: [change.path for change in files] for name, files in found.items()}
    files = [_file(change) for group in found.values() for change in group]
    counts = dict(zip(_CHANGES, (*changes.counts, changes.moved_count), strict=True))
    totals = {name: count for name, count in counts.items() if count > len(found.get(name, ()))}
    action = "" if changes.action == "run" else changes.action
    rest: Wire = {
        "note": changes.note,
        "totals": totals or None,
        "id": changes.id,
        "action": action,
        "of": changes.of,
        "is_whole": changes.is_whole or None,
        "set_aside": [_file(change) for change in changes.set_aside] or None,
        "conflicts": [_without_empty(msgspec.to_builtins(one)) for one in changes.conflicts]
        or None,
        "uncovered": [msgspec.to_builtins(one) for one in changes.uncovered] or None,
        "problem": changes.problem,
        "is_bounded": changes.is_bounded or None,
        "elsewhere": list(changes.elsewhere) or None,
        "installed": list(changes.installed) or None,
        "variables": _variables(changes.variables) if changes.variables is not None else None,
        "unwatched": list(changes.unwatched) or None,
    }
    return {**paths, "files": files, **_without_empty(rest)}


def _variables(changes: VariableChanges) -> Wire:
    """Return the names that were made, changed and deleted, and those that were left."""
    kinds = {"made": changes.made, "changed": changes.changed, "deleted": changes.deleted}
    fields: Wire = {kind: list(names) for kind, names in kinds.items()}
    left = [_without_empty(msgspec.to_builtins(one)) for one in changes.left]
    if changes.is_unknown:
        fields["is_unknown"] = True
    return {**fields, "left": left} if left else fields


def _file(change: FileChange) -> Wire:
    fields = _without_empty(msgspec.to_builtins(change))
    if change.files == 1:
        del fields["files"]
    if not change.may_be_run:
        del fields["may_be_run"]
    return fields


def _file_changes(fields: _Fields) -> FileChanges:
    known = {told.text("path"): told for told in fields.objects("files")}

    def group(name: str) -> tuple[FileChange, ...]:
        return tuple(_file_change(path, known.get(path)) for path in fields.texts(name))

    told = fields.values.get("totals")
    totals = _Fields(cast("Mapping[str, Any]", told if isinstance(told, Mapping) else {}))
    action = fields.text("action", "run")
    return FileChanges(
        folder="",
        created=group("created"),
        changed=group("changed"),
        deleted=group("deleted"),
        moved=group("moved"),
        note=fields.text("note", ""),
        created_total=totals.integer_or_none("created") or 0,
        changed_total=totals.integer_or_none("changed") or 0,
        deleted_total=totals.integer_or_none("deleted") or 0,
        moved_total=totals.integer_or_none("moved") or 0,
        action=cast("ChangeAction", action) if action in _ACTIONS else "run",
        of=fields.text("of", ""),
        is_whole=fields.values.get("is_whole") is True,
    )


def _file_change(path: str, told: _Fields | None) -> FileChange:
    if told is None:
        return FileChange(path=path)
    kind = told.text_or("kind", "other")
    return FileChange(
        path=path,
        size_bytes=told.integer_or_none("size_bytes") or 0,
        kind=cast("FileKind", kind) if kind in _FILE_KINDS else "other",
        diff=told.text("diff", ""),
        old_path=told.text("old_path", ""),
        files=told.integer_or_none("files") or 1,
    )


def _usage(fields: _Fields) -> Usage:
    return Usage(
        input_tokens=fields.integer("input_tokens"),
        output_tokens=fields.integer("output_tokens"),
        finish_reason=fields.text("finish_reason", "stop"),
        is_estimated=fields.values.get("is_estimated") is True,
        model=fields.text_or("model", ""),
        cached_tokens=fields.integer_or_none("cached_tokens") or 0,
        reasoning_tokens=fields.integer_or_none("reasoning_tokens") or 0,
        cost=float(cast("float", cost)) if _is_number(cost := fields.values.get("cost")) else None,
        has_refused_images=fields.values.get("has_refused_images") is True,
    )


def _without_empty(fields: Wire) -> Wire:
    return {name: value for name, value in fields.items() if value not in (None, "", ())}


def _is_number(value: object) -> bool:
    """Return whether the value is finite and small enough for every place that stores numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63


_READERS: Mapping[str, Callable[[_Fields], Payload]] = {
    "confirmation": _proposal,
    "run": _run_report,
    "error": _code_error,
    "input": _input_request,
    "timing": _timing,
    "table": _table,
    "files": _file_changes,
    "citation": _citation,
    "usage": _usage,
}
PAYLOAD_TYPES = frozenset(_READERS)
"""Types of chunks whose content is an object; a server/error has a text and an `error` beside."""
