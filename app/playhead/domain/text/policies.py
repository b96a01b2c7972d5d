"""Texts for what code may do and what its boundary test found: window, terminal, programs.

`tr` and `tr_n` put a text into the language of its reader; without them the words are English.
"""

from __future__ import annotations

import time

from playhead.domain.text.quantities import (
    Translate,
    TranslateNumber,
    count_in_english,
    in_english,
)
from playhead.domain.trust import (
    AskPolicy,
    Attempt,
    AttemptOutcome,
    BoundaryReport,
    FileAccess,
    NetworkAccess,
    Policy,
    Reach,
)

_NOTHING = Reach()


def files_name(files: FileAccess, tr: Translate = in_english) -> str:
    """Return the name of an access to files."""
    match files:
        case "look":
            return tr("Look only")
        case "folder":
            return tr("Working folder")
        case "everything":
            return tr("Everything")


def files_meaning(files: FileAccess, tr: Translate = in_english) -> str:
    """Return in plain words what code can do with files."""
    match files:
        case "look":
            return tr(
                "Code reads the working folder and changes nothing in it. Your other files are "
                "hidden from it."
            )
        case "folder":
            return tr(
                "Code reads and changes the working folder. Your other files are hidden from it."
            )
        case "everything":
            return tr(
                "No sandbox: code runs as you, with all your files and programs, until Playhead "
                "is closed."
            )


def review_meaning(files: FileAccess, tr: Translate = in_english) -> str:
    """Return in plain words what it means to review changes before they land."""
    match files:
        case "folder":
            return tr(
                "Code works in a copy of the folder. Nothing happens to the folder itself before "
                "you apply it, all or a part."
            )
        case "look":
            return tr("Code changes nothing, so that there is nothing to review.")
        case "everything":
            return tr("Only a sandbox can keep code to a copy.")


def network_name(network: NetworkAccess, tr: Translate = in_english) -> str:
    """Return the name of an access to the network."""
    match network:
        case "off":
            return tr("Network off")
        case "listed":
            return tr("Network listed")
        case "on":
            return tr("Network on")


def network_choice(network: NetworkAccess, tr: Translate = in_english) -> str:
    """Return the name of an access to the network where the network is the question."""
    match network:
        case "off":
            return tr("Off")
        case "listed":
            return tr("Listed places")
        case "on":
            return tr("On")


def network_meaning(
    network: NetworkAccess, tr: Translate = in_english, *, is_weaker: bool = False
) -> str:
    """Return in plain words what code can reach, in the weaker sandbox if `is_weaker`."""
    match network:
        case "on" if is_weaker:
            return tr(
                "Code reaches the internet, your own network and the servers of this computer. "
                "What it can read it can also send."
            )
        case "off":
            return tr("Code reaches no other computer, and no program of this one.")
        case "listed":
            return tr("Code reaches the listed places only.")
        case "on":
            return tr(
                "Code reaches public names of the internet, not this computer's own servers nor "
                "those of your network. What it can read it can also send."
            )


def ask_name(ask: AskPolicy, tr: Translate = in_english) -> str:
    """Return when a person is asked, as a choice."""
    match ask:
        case "every":
            return tr("Every block")
        case "risky":
            return tr("Only what is risky")
        case "outside":
            return tr("Not inside the sandbox")


def ask_meaning(ask: AskPolicy, tr: Translate = in_english) -> str:
    """Return in plain words which code waits for a person."""
    match ask:
        case "every":
            return tr("Each block of code waits for your approval.")
        case "risky":
            return tr(
                "Code waits that is seen to delete, to reach outside of the folder or into the "
                "network, or to start or install programs, and code of which that is unclear."
            )
        case "outside":
            return tr(
                "Code runs without a question inside the sandbox. Outside of it each block waits."
            )


def ask_clause(policy: Policy, *, runs_unasked: bool, tr: Translate = in_english) -> str:
    """Return when code of a conversation is asked about, as a part of a line."""
    if runs_unasked:
        return tr("never asks")
    if policy.ask == "outside" and not policy.is_bounded:
        return tr("asks every time")
    match policy.ask:
        case "every":
            return tr("asks every time")
        case "risky":
            return tr("asks if risky")
        case "outside":
            return tr("does not ask")


def network_part(
    policy: Policy,
    reach: Reach,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> str:
    """Return the state of the network with the number of places that code reaches."""
    count = len({host.partition(":")[0] for host in (*policy.hosts, *reach.hosts)})
    if policy.network == "on" or not count:
        return network_name(policy.network, tr)
    return tr_n("Network: %n places", count, one="Network: 1 place")


def policy_parts(
    policy: Policy,
    *,
    reach: Reach = _NOTHING,
    runs_unasked: bool = False,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> list[str]:
    """Return a policy in parts, of which the first says the most; a line joins them by dots."""
    network = [network_part(policy, reach, tr, tr_n)] if policy.is_bounded else []
    asking = ask_clause(policy, runs_unasked=runs_unasked, tr=tr)
    review = [tr("review first")] if policy.is_reviewed else []
    return [files_name(policy.files, tr), *review, *network, asking]


def bounds_text(
    policy: Policy,
    reach: Reach = _NOTHING,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> str:
    """Return what the sandbox makes of a run under a policy and by grants, as a sentence."""
    if not policy.is_bounded:
        return tr("Runs as you, with all your files.")
    place = tr("a copy of this folder") if policy.is_reviewed else tr("this folder")
    parts = [
        tr("it can only read this folder") if policy.files == "look" else place,
        *_granted_places(reach, tr, tr_n),
        places_text(policy, reach, tr, tr_n),
    ]
    return tr("Inside the sandbox: {what}.", what=", ".join(parts))


def elsewhere_text(machine: str, tr: Translate = in_english) -> str:
    """Return what holds code on another machine, which is nothing of ours."""
    return tr(
        "On {machine} there is no sandbox, no undo of files, and no variables are saved.",
        machine=machine,
    )


def elsewhere_part(machine: str, tr: Translate = in_english) -> str:
    """Return what code may do on another machine, for a narrow place."""
    return tr("Everything on {machine}", machine=machine)


def _granted_places(reach: Reach, tr: Translate, tr_n: TranslateNumber) -> list[str]:
    readable, writable = len(reach.readable), len(reach.writable)
    parts: list[str] = []
    if writable:
        parts.append(tr_n("%n more to change", writable, one="1 more to change"))
    if readable:
        parts.append(tr_n("%n more to read", readable, one="1 more to read"))
    if reach.variables:
        parts.append(tr_n("%n variables", len(reach.variables), one="1 variable"))
    return parts


def places_text(
    policy: Policy,
    reach: Reach = _NOTHING,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> str:
    """Return which places in the network code reaches, as a part of a line."""
    if policy.network == "on":
        return tr("with the network")
    count = len({host.partition(":")[0] for host in (*policy.hosts, *reach.hosts)})
    if not count:
        return tr("no network")
    return tr_n("%n places in the network", count, one="1 place in the network")


def lasting_gaps(tr: Translate = in_english) -> list[str]:
    """Return what no sandbox here can hold, as sentences; they make no report worse."""
    return [
        tr(
            "Other programs may run files that code writes into the working folder under names "
            "that they look for, as a Makefile or package.json."
        ),
        tr("A mistake in the system's kernel is not covered: a sandbox is not a virtual machine."),
    ]


def outcome_text(outcome: AttemptOutcome, tr: Translate = in_english) -> str:
    """Return how an attempt of the boundary test ended."""
    match outcome:
        case "refused":
            return tr("refused")
        case "invisible":
            return tr("not visible")
        case "private":
            return tr("only in a private copy")
        case "limited":
            return tr("limited")
        case "open":
            return tr("not held by this sandbox")
        case "through":
            return tr("got through")
        case "skipped":
            return tr("cannot be tried here")


def made_attempts(report: BoundaryReport) -> list[Attempt]:
    """Return the attempts that could be made here."""
    return [one for one in report.attempts if one.outcome != "skipped"]


def report_text(
    report: BoundaryReport,
    when: str,
    tr: Translate = in_english,
    tr_n: TranslateNumber = count_in_english,
) -> str:
    """Return what the boundary test found, as a sentence; `when` is its time in words."""
    if report.problem:
        return tr("Code runs as you, with all your files: there is no sandbox on this computer.")
    made = made_attempts(report)
    if not made:
        return tr("Not tested on this computer yet.")
    through = sum(1 for one in made if one.outcome == "through")
    if through:
        found = tr_n(
            "%n of {total} attempts got through.",
            through,
            one="1 of {total} attempts got through.",
        )
    elif held := sum(1 for one in made if one.outcome != "open"):
        found = tr_n("%n of {total} attempts refused.", held, one="1 of {total} attempts refused.")
    else:
        found = tr("No attempt was refused.")
    found = found.replace("{total}", f"{len(made):,}")
    return tr("Tested here {when}: {found}", when=when, found=found)


def time_text(seconds: float, now: float, tr: Translate = in_english) -> str:
    """Return a time of the past for a sentence: today 14:02, on 2026-11-20."""
    then, day = time.localtime(seconds), time.localtime(now)
    if then[:3] == day[:3]:
        return tr("today {clock}", clock=time.strftime("%H:%M", then))
    return tr("on {date}", date=time.strftime("%Y-%m-%d", then))
