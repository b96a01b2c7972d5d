"""Words for what code is seen to do, shared by the window and the terminal.

`tr` puts a text into the language of its reader; without one the words are English. The words never
claim that code is without risk: what is not seen may still be there.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.grants import Wanted, verdict_of, wanted_by
from playhead.domain.text.grant_words import short_path
from playhead.domain.text.quantities import Translate, in_english
from playhead.domain.trust import Policy, Reach, RiskFact, RiskKind

_ORDER: tuple[RiskKind, ...] = (
    "deletes",
    "writes_outside",
    "reads_secrets",
    "changes_settings",
    "network",
    "starts_programs",
    "installs_packages",
    "cannot_be_told",
    "writes_inside",
)
_TARGETS = 3
_TARGET_CHARACTERS = 36
_LINES = 6


class RiskGroup(Struct, frozen=True, kw_only=True):
    """Lines of one kind in a few words: `text` is short, `tip` names all targets.

    `lines` are those of the code itself, in order; a group of modules has none. `is_loud`: a person
    should look at it. `wanted` is what a person could grant, where the sandbox lets none of it.
    """

    kind: RiskKind
    text: str
    tip: str
    lines: tuple[int, ...] = ()
    is_loud: bool = True
    wanted: tuple[Wanted, ...] = ()


class Limits(Struct, frozen=True, kw_only=True):
    """The bounds under which facts are seen: policy, reach and working folder of their code."""

    policy: Policy = Policy()
    reach: Reach = Reach()
    folder: str = ""


NO_LIMITS = Limits()


def nothing_seen(tr: Translate = in_english) -> str:
    """Return what is said of code without facts."""
    return tr("Nothing risky seen")


def risk_groups(
    facts: Sequence[RiskFact],
    tr: Translate = in_english,
    limits: Limits = NO_LIMITS,
    language: str = "",
) -> list[RiskGroup]:
    """Return the facts in groups, those that matter most first; a group says if it is held."""
    groups: list[RiskGroup] = []
    for kind in _ORDER:
        same = [fact for fact in facts if fact.kind == kind]
        if same:
            groups.append(_with_verdict(_group(kind, same, tr), same, limits, language, tr))
    return groups


def held_text(facts: Sequence[RiskFact], limits: Limits, tr: Translate = in_english) -> str:
    """Return what of the facts the sandbox will not let code do, as a sentence; '' for nothing."""
    names: dict[str, None] = {}
    for fact in facts:
        verdict = verdict_of(fact, limits.policy, limits.reach, limits.folder)
        if verdict:
            target = _short(short_path(fact.target)) if fact.target else _label(fact.kind, tr)
            names[target] = None
    shown = [*names][:_TARGETS]
    more = "…" if len(names) > len(shown) else ""
    return tr("Not let through: {what}.", what=", ".join(shown) + more) if shown else ""


def _with_verdict(
    group: RiskGroup, facts: Sequence[RiskFact], limits: Limits, language: str, tr: Translate
) -> RiskGroup:
    """Return the group with what the sandbox makes of it, if that is the same of all its facts."""
    verdicts = [verdict_of(one, limits.policy, limits.reach, limits.folder) for one in facts]
    wanted = (
        wanted_by(one, language) for one, verdict in zip(facts, verdicts, strict=True) if verdict
    )
    group = replace(group, wanted=tuple(dict.fromkeys(filter(None, wanted)))[:_TARGETS])
    if "" in verdicts:
        return group
    word = tr("blocked") if "blocked" in verdicts else tr("hidden")
    return replace(group, text=f"{group.text} · {word}")


def _group(kind: RiskKind, facts: Sequence[RiskFact], tr: Translate) -> RiskGroup:
    lines = tuple(dict.fromkeys(fact.line for fact in facts if not fact.module))
    modules = tuple(dict.fromkeys(fact.module for fact in facts if fact.module))
    targets = tuple(dict.fromkeys(fact.target for fact in facts if fact.target))
    is_all_known = all(fact.target for fact in facts)
    label = _label(kind, tr)
    if kind != "cannot_be_told" and is_all_known and len(targets) <= _TARGETS:
        text = f"{label}: {', '.join(_short(short_path(one)) for one in targets)}"
    elif lines:
        text = f"{label} · {_numbers(lines)}"
    else:
        text = label
    if modules:
        text += f" ({', '.join(map(_short, modules[:2]))})"
    return RiskGroup(
        kind=kind,
        text=text,
        tip="\n".join(_sentence(fact, tr) for fact in facts[:20]),
        lines=lines,
        is_loud=kind != "writes_inside",
    )


def _label(kind: RiskKind, tr: Translate) -> str:
    match kind:
        case "deletes":
            return tr("deletes")
        case "writes_outside":
            return tr("writes outside")
        case "writes_inside":
            return tr("writes")
        case "network":
            return tr("network")
        case "starts_programs":
            return tr("starts")
        case "installs_packages":
            return tr("installs")
        case "reads_secrets":
            return tr("reads secrets")
        case "changes_settings":
            return tr("changes settings")
        case "cannot_be_told":
            return tr("cannot be told")


def _sentence(fact: RiskFact, tr: Translate) -> str:
    """Return one fact with its place."""
    place = tr("Line {line}", line=fact.line)
    if fact.module:
        place = tr("{module}, line {line}", module=fact.module, line=fact.line)
    target = f": {fact.target}" if fact.target else ""
    unsure = {
        "certain": "",
        "likely": f" ({tr('likely')})",
        "unknown": "" if fact.kind == "cannot_be_told" else f" ({tr('where is not known')})",
    }
    return f"{place}: {_label(fact.kind, tr)}{target}{unsure[fact.certainty]}"


def _short(target: str) -> str:
    """Return a target that fits a chip: its end says most."""
    if len(target) <= _TARGET_CHARACTERS:
        return target
    return f"…{target[1 - _TARGET_CHARACTERS :]}"


def _numbers(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_LINES]))
    return f"{shown} …" if len(lines) > _LINES else shown
