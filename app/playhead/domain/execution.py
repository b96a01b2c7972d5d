"""Running code: decisions, requests, limits, interpreters, kernels and installing packages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import quote, unquote

import msgspec
from msgspec import Struct

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.trust import Policy
from playhead.errors import AppError, SessionError, phrase

if TYPE_CHECKING:
    from playhead.domain.saved_variables import BroughtBack, RestoreOffer, WhyLost

PYTHON = "python"
"""The language that every kernel's host has; others may need a program."""


_PIN = re.compile(r"[A-Za-z0-9][\w.-]* [A-Za-z0-9][\w.+!-]*", re.ASCII)


def pins_of(packages: Iterable[str]) -> list[str]:
    """Return packages like `numpy 2.3.1` as requirements; none can be an option or an address."""
    return ["{}=={}".format(*one.split(" ")) for one in packages if _PIN.fullmatch(one)]


class RunLimits(Struct, frozen=True):
    """The limits of a run; 0 is no limit. A run that exceeds one is stopped and reports which.

    `output_bytes` is the size of the output that is kept in its file: over it head and tail are
    kept.
    """

    seconds: float = 0.0
    memory_bytes: int = 0
    output_bytes: int = 200_000_000


class RunRequest(Struct, frozen=True, kw_only=True):
    """Approved code on its way to a kernel; `folder` and `interpreter` are absolute paths.

    `stop_grace_s` is the time between the interrupt and the kill. `shows_lines` False: no running
    line. `times_lines`: the time of single lines inside loops too, where the kernel can (3.12 on).
    `dpi` is what figures are drawn with, 0 as they are. `policy` is the conversation's: a kernel
    that was started under another one is ended first. `breakpoints` are lines to pause before; only
    Python can. `keeps_values`: what its lines assign can be asked for later.
    """

    run_id: str
    conversation_id: str
    language: str
    code: str
    folder: str
    interpreter: str
    stop_grace_s: float = 2.0
    limits: RunLimits = msgspec.field(default_factory=RunLimits)
    shows_lines: bool = True
    times_lines: bool = False
    dpi: float = 0
    policy: Policy = Policy()
    breakpoints: tuple[int, ...] = ()
    keeps_values: bool = False


class Variable(Struct, frozen=True, kw_only=True):
    """A variable of a kernel: `shape` like "3 × 4", `value` a short text of one line.

    `is_changed`: the last run made it or bound it again. `is_table`: it can be opened as a table.
    `frame` is the index of its frame, if it is one of a failure. `survival`: it came back from an
    earlier kernel, is saved for the next, or has not come back, and `why`; then it has no value.
    `again`: the line `line` of the block that made it makes it again.
    """

    name: str
    type: str
    shape: str = ""
    size_bytes: int = 0
    value: str = ""
    is_changed: bool = False
    is_table: bool = False
    frame: int = 0
    survival: Literal["", "back", "saved", "again", "lost"] = ""
    why: WhyLost = ""
    line: int = 0


WhyNoState = Literal["", "behind", "collected", "off", "language"]
"""Why the variables after a run are not kept: the save fell behind, its room was needed, nothing is
saved, another language than Python.
"""


class PastState(Struct, frozen=True, kw_only=True):
    """The variables as they were after a run, saved at `at` (seconds since the epoch).

    Each has the text that it showed, and `survival` says which of them cannot come back. Without
    them `why` says so. `changes` is what the run changed, None if that is not known.
    """

    variables: tuple[Variable, ...] = ()
    changes: VariableChanges | None = None
    at: float = 0.0
    why: WhyNoState = ""

    @property
    def is_kept(self) -> bool:
        """Return whether the variables can be brought back into this state."""
        return not self.why


class CodePlace(Struct, frozen=True):
    """A place in a code that is being written: the text before it and the text after it."""

    before: str
    after: str = ""


class Candidate(Struct, frozen=True):
    """A text that fits at the cursor; `kind` is a word like "function"."""

    text: str
    kind: str


class Completions(Struct, frozen=True):
    """Texts that complete a code; each candidate replaces so many characters before the cursor."""

    length: int = 0
    candidates: tuple[Candidate, ...] = ()


class Description(Struct, frozen=True, kw_only=True):
    """The facts known of an expression; without a `name` there are none.

    `parameters` are those of what can be called, `argument` the place of the one under the cursor,
    -1 for none. Other values have a `type` and a short text.
    """

    name: str = ""
    is_callable: bool = False
    parameters: tuple[str, ...] = ()
    argument: int = -1
    type: str = ""
    value: str = ""
    documentation: str = ""


KernelState = Literal["none", "starting", "idle", "busy", "stopping"]
LinkState = Literal["", "connecting", "lost"]


class LineValue(Struct, frozen=True, kw_only=True):
    """The short text of a name's value after a line of a run, from `line` to `last_line`.

    Unless it `is_exact`, it is the value at the end of the loop or other statement around the line;
    `seen` are values that it had on the way there.
    """

    line: int
    last_line: int
    name: str
    text: str
    is_exact: bool = True
    seen: tuple[str, ...] = ()


PauseVerb = Literal["pause", "step", "resume", "breakpoints"]
"""Pause before the next line; go on up to the next statement; go on; pause before given lines."""


class GoingOn(Struct, frozen=True):
    """The parts of a kernel that compute although no block runs, as they are seen from outside.

    `main`: its main thread; `threads`: how many others; `processes`: how many that code started.
    """

    main: bool = False
    threads: int = 0
    processes: int = 0

    def __bool__(self) -> bool:
        return self.main or self.threads > 0 or self.processes > 0


class KernelStatus(Struct, frozen=True, kw_only=True):
    """The state of a conversation's kernel; `memory_bytes` is its resident size.

    `folder` is where code has gone to, by `cd` say; "" while that is the working folder.

    `is_silent`: it says neither which line runs nor which variables it has.
    `is_disputed`: its block has said that it is over, and its main thread is seen to go on.
    While there is an `offer`, the run waits for its answer; `brought_back` is what the kernel got
    from the one before. `is_behind`: what the last runs changed is not saved yet.

    `paused_line` is the line that its block is paused before, 0 while it is not. `place` is the run
    after which its variables are as they are, once that is saved. `link` is that to a kernel on
    another machine, "" while it holds; "lost" is no end of the code, which goes on there. `missing`
    says in words what of the output could not be had when it was back.
    """

    state: KernelState = "none"
    pid: int | None = None
    memory_bytes: int | None = None
    language: str = ""
    interpreter: str = ""
    is_disputed: bool = False
    is_silent: bool = False
    going_on: GoingOn = GoingOn()
    folder: str = ""
    offer: RestoreOffer | None = None
    brought_back: BroughtBack | None = None
    is_behind: bool = False
    paused_line: int = 0
    place: str = ""
    link: LinkState = ""
    missing: str = ""


class Interpreter(Struct, frozen=True, kw_only=True):
    """A Python that can run code; `path` is absolute, `version` like "3.12.1".

    Also a kernel of another program, kind "jupyter": then `path` is the id of a place.
    """

    path: str
    version: str
    label: str
    kind: Literal["managed", "venv", "conda", "system", "bundled", "chosen", "jupyter"] = "system"
    has_pip: bool = True


PlaceKind = Literal["jupyter", "server", "ssh", "container"]
_PLACE_KINDS = ("jupyter", "server", "ssh", "container")
_AS_IT_IS = " ().,+"
"""What a label keeps in an id, besides letters and digits."""


class Place(Struct, frozen=True, kw_only=True):
    """A place where code runs that is no Python of this computer; its `id` is used like a path.

    `language` is the word of its fences and `label` its name for people. By kind:

    - "jupyter", a kernel here: `folder` has the file `kernel.json` that says how it is started;
    - "server", a kernel of a Jupyter server: `address` is the server's URL without a token,
      `program` the name of its kernelspec; `kernel_id` is that of a running kernel which is joined;
      `folder` is relative to the server's root;
    - "ssh", our kernel on a machine: `address` is the host's name for `ssh`, `program` its Python
      ("" finds one) and `folder` the working folder there ("" is the home folder);
    - "container", our kernel in one: the same, with an address such as `docker:NAME`.

    It has all that is known of a place, so that who approves code for one approves it for no other.
    """

    kind: PlaceKind = "jupyter"
    language: str
    label: str
    folder: str = ""
    address: str = ""
    program: str = ""
    kernel_id: str = ""

    @property
    def id(self) -> str:
        """Return its word in settings, in conversations and in approvals."""
        words = [self.kind, self.language, quote(self.label, safe=_AS_IT_IS)]
        if self.is_elsewhere:
            words += [quote(one, safe="") for one in (self.address, self.program, self.kernel_id)]
        return ":".join([*words, self.folder])

    @property
    def is_elsewhere(self) -> bool:
        """Return whether its files and its processes are not those of this computer."""
        return self.kind != "jupyter"


def is_place(interpreter: str) -> bool:
    """Return whether it is the id of a place, and not the path of a Python."""
    return place_of(interpreter) is not None


def is_elsewhere(interpreter: str) -> bool:
    """Return whether it is the id of a place that is not on this computer."""
    place = place_of(interpreter)
    return place is not None and place.is_elsewhere


def place_of(interpreter: str) -> Place | None:
    """Return the place with this id; None for the path of a Python, and for ""."""
    kind = next((one for one in _PLACE_KINDS if interpreter.startswith(f"{one}:")), None)
    if kind is None:
        return None
    count = 3 if kind == "jupyter" else 6
    _, *parts = interpreter.split(":", count)
    needed = parts if kind == "jupyter" else parts[:3]
    if len(parts) != count or not all(needed):
        return None
    language, label, *rest, folder = parts
    address, program, kernel_id = map(unquote, rest or ("", "", ""))
    return Place(
        kind=cast("PlaceKind", kind),
        language=language,
        label=unquote(label),
        folder=folder,
        address=address,
        program=program,
        kernel_id=kernel_id,
    )


def chosen_for(interpreter: str, language: str) -> str:
    """Return what was chosen if it has to do with a language; "" for a place of another one.

    A place elsewhere has to do with all: what runs here was not chosen.
    """
    place = place_of(interpreter)
    is_its = place is None or place.is_elsewhere or place.language == language
    return interpreter if is_its else ""


def runs_at(interpreter: str, language: str, *, is_here: bool) -> bool:
    """Return whether a language runs where this was chosen; `is_here`: on this computer."""
    place = place_of(interpreter)
    if place is None:
        return is_here
    return not place.is_elsewhere or place.language == language


def named_at(interpreter: str, word: str) -> str | None:
    """Return the language of a place if the word names it."""
    place = place_of(interpreter)
    return place.language if place and place.language == word.strip().lower() else None


def languages_at(interpreter: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the languages that run where this was chosen, a place's own first.

    Another machine has no others: they would run on this one.
    """
    place = place_of(interpreter)
    if place is None:
        return languages
    if place.is_elsewhere:
        return (place.language,)
    if place.is_elsewhere:
        return (place.language,)
    return (place.language, *(word for word in languages if word != place.language))


class EnvironmentStatus(Struct, frozen=True):
    """The state of the managed environment; `message` says what is made, `error` what failed."""

    state: Literal["absent", "creating", "ready", "failed"]
    interpreter: Interpreter | None = None
    message: str = ""
    error: AppError | None = None


class Approve(Struct, frozen=True):
    """Run it; `code` replaces the proposed text, `rest_of_turn` stops the asking in this turn."""

    code: str | None = None
    rest_of_turn: bool = False


class Deny(Struct, frozen=True):
    """Do not run it; the model gets the reason."""

    reason: str = ""


class Answered(Struct, frozen=True):
    """A client carried the call out by itself: its result, as text for the model."""

    text: str


Decision = Approve | Deny | Answered

# Modules whose package on PyPI has another name; the ones that models use most.
_PACKAGES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "PIL": "pillow",
    "pptx": "python-pptx",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def package_for(module: str) -> str:
    """Return the package that provides a module. Raises SessionError if the name is invalid."""
    if not _MODULE.fullmatch(module):
        raise SessionError(phrase("“{module}” is not the name of a module.", module=module))
    top = module.partition(".")[0]
    return _PACKAGES.get(top, top)


def install_code(module: str) -> str:
    """Return the block that installs the module's package into the Python that runs it."""
    return f"%pip install {package_for(module)}"
