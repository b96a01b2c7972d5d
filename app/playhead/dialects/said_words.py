"""What documents say in words of a block, a failure, an attachment or a source."""

from __future__ import annotations

from pathlib import PurePath, PureWindowsPath

from playhead.dialects.passages import CodeBlock
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    InputRequest,
    RunReport,
    Source,
)
from playhead.domain.text.terminal import one_line
from playhead.errors import AppError

_NAMES_TOLD = 50
_WEB = ("http://", "https://")


def fate(block: CodeBlock) -> str:
    """How the code ended if not by itself, or that it did not run; else ''."""
    if not block.code and not block.written:
        return ""
    if not block.has_run:
        return "Not run. " + one_line(" ".join(block.notes)) if block.notes else "Not run."
    return report_words(block.report) if block.report is not None else ""


def report_words(report: RunReport) -> str:
    """The end of a run; '' for one that ended by itself."""
    line = f" at line {report.line}" if report.line else ""
    reason = f" {one_line(report.reason)}" if report.reason else ""
    match report.state:
        case "interrupted":
            return f"Interrupted{line} after {report.seconds:.1f} s.{reason}"
        case "killed":
            return reason.strip() or f"The kernel ended{line}."
        case "started" | "finished":
            return ""


def failure_words(failure: Failure) -> str:
    """Why an answer failed."""
    return one_line(str(AppError(failure.title, detail=failure.detail, remedy=failure.remedy)))


def error_words(error: CodeError) -> str:
    """An exception on one line."""
    return one_line(f"{error.name}: {error.message}" if error.message else error.name)


def input_words(asked: InputRequest) -> str:
    """That the code asked for a line; what was typed is not kept."""
    return f"[asked for input: {one_line(asked.prompt)}]" if asked.prompt else "[asked for input]"


def changes_words(changes: FileChanges) -> list[str]:
    """Which files a run made, changed and deleted."""
    groups = (
        ("created", changes.created), ("changed", changes.changed), ("deleted", changes.deleted)
    )  # fmt: skip
    told = [
        f"Files {kind}: {_names(found, count)}"
        for (kind, found), count in zip(groups, changes.counts, strict=True)
        if count
    ]
    return [*told, *filter(None, [one_line(changes.note)])]


def source_words(source: Source) -> str:
    """A source by its name, or else by whatever there is of it."""
    return one_line(source.title or source.url or source.id or source.text) or "source"


def source_address(source: Source) -> str:
    """Where the source stands in the web; '' for all that is no such address."""
    address = source.url.strip()
    is_safe = address.lower().startswith(_WEB) and not set(address) & set(" <>()\"'`\n\r\t")
    return address if is_safe and address.isascii() else ""


def sources_of(citations: tuple[Citation, ...]) -> list[Source]:
    """Each source once, in the order of citing."""
    return list(dict.fromkeys(source for one in citations for source in one.sources))


def file_name(path: str) -> str:
    """The last part of a path of any system."""
    return one_line(PureWindowsPath(PurePath(path).name).name) or one_line(path)


def _names(found: tuple[FileChange, ...], count: int) -> str:
    names = [one_line(change.path) for change in found[:_NAMES_TOLD]]
    more = count - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")
