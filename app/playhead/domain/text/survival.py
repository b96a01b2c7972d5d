"""Words for variables that came back from an earlier kernel, or did not.

`tr` puts a text into the language of its reader; without one the words are English.
"""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.saved_variables import SavedName, WhyLost
from playhead.domain.text.quantities import Translate, in_english

_LISTED = 40


def loss_words(why: WhyLost, line: int = 0, tr: Translate = in_english) -> str:
    """Return why a variable did not come back, as the end of a sentence.

    With a line, that one makes it again.
    """
    words = _reasons(tr).get(why) or tr("it is lost")
    if line <= 0:
        return words
    return tr("{words}; line {line} of its block makes it again", words=words, line=line)


def note_for_model(back: Sequence[str], lost: Sequence[SavedName], *, is_done: bool) -> str:
    """Return the sentences that a model gets in place of "names no longer exist"."""
    when = "were" if is_done else "are"
    then = "" if is_done else " before the next code runs, unless the user refuses"
    parts = [f"These names {when} brought back{then}: {_listed(back)}."] if back else []
    missing = [f"{one.name} ({loss_words(one.why, again_line(one))})" for one in lost]
    if missing:
        parts.append(f"Not brought back: {_listed(missing)}.")
    return " ".join([*parts, "All other names and data from those runs no longer exist."])


def again_line(lost: SavedName) -> int:
    """Return the line that makes a variable again; 0 if none does."""
    return lost.line if lost.verdict == "again" else 0


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _LISTED
    return ", ".join(words[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _reasons(tr: Translate) -> dict[WhyLost, str]:
    return {
        "generator": tr("a generator cannot be kept"),
        "file": tr("an open file cannot be kept"),
        "lock": tr("a lock cannot be kept"),
        "socket": tr("a socket cannot be kept"),
        "connection": tr("an open connection cannot be kept"),
        "process": tr("a running program cannot be kept"),
        "thread": tr("a thread cannot be kept"),
        "view": tr("a view of memory cannot be kept"),
        "gpu": tr("it is in the memory of a graphics card"),
        "frame": tr("a frame cannot be kept"),
        "reference": tr("a weak reference cannot be kept"),
        "local_class": tr("its class is not defined at the top of a block"),
        "class_changed": tr("its class was defined again since"),
        "unpicklable": tr("it cannot be pickled"),
        "too_large": tr("it is too large"),
        "secret": tr("it looks like a secret"),
        "slow": tr("saving it took too long, or failed"),
        "no_module": tr("its module cannot be imported"),
        "unreadable": tr("it could not be read again"),
        "missing": tr("its file is missing or was changed"),
        "other_python": tr("another Python has saved it"),
    }
