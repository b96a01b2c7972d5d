"""Texts on what runs did to files, shared by the window, the terminal and documents.

`tr` and `tr_n` put a text into the language of its reader; without them the words are English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from playhead.domain.conversation.payloads import (
    Coverage,
    FileChange,
    FileChanges,
    FileConflict,
    LeftName,
    Uncovered,
    UncoveredReason,
    UndoProblem,
    VariableChanges,
)
from playhead.domain.text.quantities import (
    Translate,
    TranslateNumber,
    count_in_english,
    format_size,
    in_english,
)
from playhead.domain.text.run_ends import loss_words

if TYPE_CHECKING:
    from playhead.domain.saved_variables import WhyLost

_NAMES, _PACKAGES, _VARIABLES = 2, 6, 12
"""Files and packages that a sentence names; the others are counted."""


def counts_text(changes: FileChanges, tr_n: TranslateNumber = count_in_english) -> str:
    """Return the numbers of files: 2 created · 1 changed · 1 deleted · 1 moved."""
    created, changed, deleted = changes.counts
    moved = changes.moved_count
    words = (
        created and tr_n("%n created", created, one="1 created"),
        changed and tr_n("%n changed", changed, one="1 changed"),
        deleted and tr_n("%n deleted", deleted, one="1 deleted"),
        moved and tr_n("%n moved", moved, one="1 moved"),
    )
    return " · ".join(word for word in words if word)


def names_text(
    changes: VariableChanges, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> list[str]:
    """Return a line for each kind of change to variables: made: a, b."""
    made, changed, deleted = (
        listed_names(names, tr_n) for names in (changes.made, changes.changed, changes.deleted)
    )
    lines = (
        made and tr("Variables made: {names}", names=made),
        changed and tr("Variables changed: {names}", names=changed),
        deleted and tr("Variables deleted: {names}", names=deleted),
    )
    return [line for line in lines if line]


def variable_lines(changes: FileChanges, wire: object) -> list[str]:
    """Return the changes of a run to variables in lines, with whether they were undone."""
    if changes.variables is None or changes.action != "run":
        return []
    is_undone = (
        isinstance(wire, Mapping) and cast("Mapping[str, object]", wire).get("is_undone") is True
    )
    return [f"undone · {one}" if is_undone else one for one in names_text(changes.variables)]


def left_text(one: LeftName, *, is_run: bool, tr: Translate = in_english) -> str:
    """Return why a variable was left as it is; of a run, why an undo cannot put it back."""
    why = loss_words(cast("WhyLost", one.detail), tr=tr) if one.why == "not_kept" else ""
    if is_run:
        return tr("{name} cannot be put back: {reason}.", name=one.name, reason=why)
    match one.why:
        case "changed":
            return tr("{name} was changed since, so it was left as it is.", name=one.name)
        case "joined":
            return tr(
                "{name} shares objects with a variable that was changed since, so it was left.",
                name=one.name,
            )
        case "not_kept":
            return tr("{name} was left as it is: {reason}.", name=one.name, reason=why)


def listed_names(names: Sequence[str], tr_n: TranslateNumber, most: int = _VARIABLES) -> str:
    """Return names with commas between, of many the first ones and how many more there are."""
    more = len(names) - most
    shown = list(names[:most])
    return ", ".join([*shown, tr_n("%n more", more, one="1 more")] if more > 0 else shown)


def difference_text(change: FileChange, tr: Translate = in_english) -> str:
    """Return what else a run changed about a file: its permissions, the target of a link.

    Also that other programs may run it, since it has this name.
    """
    words: list[str] = []
    if change.modes is not None:
        before, after = (f"{mode & 0o7777:03o}" for mode in change.modes)
        words.append(tr("mode {before} → {after}", before=before, after=after))
    if change.targets is not None:
        before, after = change.targets
        words.append(tr("link {before} → {after}", before=before or "–", after=after or "–"))
    if change.may_be_run:
        words.append(tr("other programs may run it"))
    return " · ".join(words)


def problem_text(problem: UndoProblem, tr: Translate = in_english) -> str:
    """Return why nothing of a folder can be undone; "" without a problem."""
    match problem:
        case "unsupported":
            return tr("this system has no undo of files")
        case "home":
            return tr("the folder is a whole home folder; choose a folder of its own for the code")
        case "too_many":
            return tr("the folder has too many files")
        case "too_slow":
            return tr("reading the folder takes too long")
        case "disk_full":
            return tr("the disk has no room to keep the files as they are")
        case "vanished":
            return tr("the folder is not there")
        case "no_worker":
            return tr("the process that keeps files has failed; the log has the details")
        case "":
            return ""


def reason_text(reason: UncoveredReason, tr: Translate = in_english) -> str:
    """Return why one file is not covered."""
    match reason:
        case "too_large":
            return tr("too large")
        case "too_much":
            return tr("too much in all")
        case "unreadable":
            return tr("may not be read")
        case "special":
            return tr("no ordinary file")
        case "left_out":
            return tr("left out")
        case "changing":
            return tr("was being changed")
        case "moving":
            return tr("was being replaced")


def uncovered_text(
    uncovered: Sequence[Uncovered],
    total: int = 0,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> str:
    """Return the files that cannot be put back: video.mov (4.0 GB), node_modules (812 files)."""
    names = [
        tr("{name} ({detail})", name=one.path, detail=_about(one, tr, tr_n))
        for one in uncovered[:_NAMES]
    ]
    more = max(total, len(uncovered)) - len(names)
    if more > 0:
        names.append(tr_n("%n more", more, one="1 more"))
    return ", ".join(names)


def _about(one: Uncovered, tr: Translate, tr_n: TranslateNumber) -> str:
    if one.reason == "left_out":
        return tr_n("%n files", one.files, one="1 file")
    if one.reason in ("too_large", "too_much"):
        return format_size(one.size_bytes, tr, tr_n)
    return reason_text(one.reason, tr)


def coverage_text(
    coverage: Coverage | None, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> str:
    """Return what undo will not cover of a run that is to begin; "" if it covers everything."""
    if coverage is None or coverage.is_reading:
        return ""
    if coverage.problem:
        return tr("Cannot be undone: {reason}.", reason=problem_text(coverage.problem, tr))
    if not coverage.uncovered and not coverage.uncovered_total:
        return ""
    names = uncovered_text(coverage.uncovered, coverage.uncovered_total, tr, tr_n)
    return tr(
        "Undo covers {covered:,} of {files:,} files; not: {names}",
        covered=coverage.covered,
        files=coverage.files,
        names=names,
    )


def limits_text(
    changes: FileChanges, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> list[str]:
    """Return in sentences what of a run's effect was not seen or cannot be put back."""
    told: list[str] = []
    if changes.problem and not changes.note:
        told.append(tr("Cannot be undone: {reason}.", reason=problem_text(changes.problem, tr)))
    if changes.uncovered or changes.uncovered_total:
        names = uncovered_text(changes.uncovered, changes.uncovered_total, tr, tr_n)
        told.append(tr("Undo does not cover {names}.", names=names))
    if changes.elsewhere:
        names = listed_names(changes.elsewhere, tr_n, _NAMES)
        told.append(tr("In the sandbox's own home, not in yours: {names}.", names=names))
    if changes.installed:
        names = listed_names(changes.installed, tr_n, _PACKAGES)
        told.append(tr("Installed for the code of this folder alone: {names}.", names=names))
    if changes.variables is not None and changes.variables.is_unknown:
        told.append(
            tr("Its variables cannot be put back: the next run came before they were saved.")
        )
    elif changes.variables is not None:
        told += [
            left_text(one, is_run=changes.action == "run", tr=tr) for one in changes.variables.left
        ]
    if changes.unwatched:
        names = listed_names(changes.unwatched, tr_n, _NAMES)
        told.append(
            tr("It was also let change {names}: not watched, and not undone here.", names=names)
        )
    if changes.note:
        told.append(tr(changes.note) if changes.note.isprintable() else changes.note)
    return told


def conflict_text(conflict: FileConflict, tr: Translate = in_english) -> str:
    """Return why an undo left a file as it is."""
    match conflict.reason:
        case "changed":
            return tr("Changed since, so it was left as it is.")
        case "in_the_way":
            return tr("Something else is in its place now and was left there.")
        case "not_kept":
            return tr("It was not kept as it was, so it cannot be put back.")
        case "replaced":
            return tr("A folder on its way is another one now, so nothing was written there.")
        case "refused":
            return tr("The system did not allow it.")


def conflict_advice(conflict: FileConflict, is_gone: bool, tr: Translate = in_english) -> str:
    """Return what a person can do to get a file as it was before a run; "" for nothing.

    `is_gone`: the run deleted it, so that what is there now is another one.
    """
    if conflict.reason == "in_the_way" or (conflict.reason == "changed" and is_gone):
        return tr("To get the earlier version, rename this one and undo this file again.")
    return tr("The difference is what an undo would do to it.") if conflict.diff else ""


def action_text(
    changes: FileChanges, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> str:
    """Return what a person did to the effect of a run: undone, redone, kept, deleted."""
    listed = changes.listed
    count = sum((*changes.counts, changes.moved_count))
    names = listed[0].path if count == 1 and listed else tr_n("%n files", count, one="1 file")
    if changes.variables is not None and (variables := changes.variables.names):
        told = tr_n("%n variables", len(variables), one="the variable %n")
        told = told if len(variables) > _NAMES else ", ".join(variables)
        names = f"{names} · {told}" if count else told
    match changes.action:
        case "undo":
            return tr("Undone: {names}", names=names)
        case "redo":
            return tr("Done again: {names}", names=names)
        case "keep":
            return tr("Kept: {names}", names=names)
        case "delete":
            return tr("Deleted: {names}", names=names)
        case "apply":
            return tr("Applied: {names}", names=names)
        case "discard":
            return tr("Discarded: {names}", names=names)
        case "run":
            return counts_text(changes, tr_n)
        case "review":
            return tr("In the copy: {counts}", counts=counts_text(changes, tr_n))


def effect_lines(changes: FileChanges, most: int) -> list[str]:
    """Return a line for each file with a sign before it, and how many more there are."""
    signs = (
        ("+", changes.created),
        ("~", changes.changed),
        ("→", changes.moved),
        ("-", changes.deleted),
    )
    lines = [f"{sign} {_name(one)}" for sign, files in signs for one in files]
    total = sum((*changes.counts, changes.moved_count))
    more = total - min(most, len(lines))
    return [*lines[:most], *([f"… and {more:,} more"] if more > 0 else [])]


def _name(change: FileChange) -> str:
    name = f"{change.old_path} → {change.path}" if change.old_path else change.path
    difference = difference_text(change)
    return f"{name} ({difference})" if difference else name
