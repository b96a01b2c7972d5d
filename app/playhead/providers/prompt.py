"""The system prompt and the tool that models are offered, with facts about the Python that runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from playhead.atomic_file import read_plain
from playhead.domain.execution import place_of
from playhead.domain.model import EXECUTE, ToolOffer
from playhead.domain.trust import Policy

BUILT_IN_PROMPT = """\
You are the assistant inside Playhead, a desktop program in which people get things done on their \
own computer by talking to you. You can run code there.

How code runs:
{calls}
{approval}{limits}
- Names, imports and data live on from one block to the next, until you are told otherwise.
- The working folder is {folder}. Attached files are given to you as paths.
- Python is {python}. Packages there: {packages}. Today is {date}.
- Nothing else can be assumed about the computer: look first. Output that is very long reaches \
you shortened.

How to work:
- Go in small steps: run a little, read the output, then go on. Do not guess results that code can \
give.
- When code fails, read the traceback, mend the cause, try again; after a few failures say what \
stands in the way.
- Figures and the value of a last expression are shown to the person; there is no need to save \
them unless asked.
- Never delete or overwrite what you were not asked to.
- When the work is done, answer in short, plain Markdown."""
"""The default text, which the user's own prompt replaces."""

PLACEHOLDERS: Mapping[str, str] = {
    "calls": "how code is written: by tool calls or in fences, as the model can",
    "approval": "whether the person is asked before code runs",
    "limits": "what the sandbox holds the code to, on lines of their own; empty without one",
    "languages": "the languages that can be run here",
    "folder": "the working folder",
    "python": "the version and path of the interpreter",
    "packages": "some of the packages that are installed there",
    "date": "the day of today",
}
"""The placeholders of a prompt, in braces, and their meanings."""

_CALLS = """\
- Call the tool `execute` with a language ({languages}) and the code; the output comes back to you.
- Code in a fence is only shown: use one for examples, and the tool for what is to run."""
_FENCES = """\
- You have no tools. Write the code in a fence that names its language ({languages}), as \
```python. The fences at the end of your answer are run, in order, if nothing is between them; a \
fence with text after it is only shown, as an example.
- End your answer after the code and wait: the output comes back to you in the next message. \
Never write an output yourself."""
_ASKED = """\
- The person sees the code, may edit it and decides whether it runs. If they decline a block, do \
not offer the same again: ask, or find another way."""
_UNASKED = """\
- The code runs at once, without anybody asking first: be all the more careful with what cannot \
be undone."""
_LIMITS = """
- Code runs in a sandbox. Of the person's files it has the working folder{may_write} and the \
attached files, which it can read; the rest of their computer is not there, however a path is \
written. {results}{network} The person alone can allow more, above the conversation under “What \
code may do”: when a task needs it, say what and why, and never try to get around the sandbox."""
_RESULTS = """\
The home folder is an empty one of the sandbox, which the person does not see: write what they \
shall have into the working folder. """
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class PromptValues(Struct, frozen=True, kw_only=True):
    """The values of a prompt's placeholders: where and how the model's code runs.

    `python` is the version and path, `packages` the notable ones; `date` like
    "Monday, 3 March 2025". `policy` is what code may do.
    """

    languages: tuple[str, ...] = ("python",)
    folder: str = ""
    python: str = ""
    packages: tuple[str, ...] = ()
    date: str = ""
    takes_tools: bool = True
    runs_unasked: bool = False
    policy: Policy = Policy()


def system_prompt(prompt_values: PromptValues, instructions: str = "", own_text: str = "") -> str:
    """Return the prompt, or the user's own in its place, with their instructions at its end.

    A prompt of the user's that does not say what the sandbox holds code to is followed by that.
    """
    values = _placeholder_values(prompt_values)

    def value(found: re.Match[str]) -> str:
        return values.get(found[1], found[0])

    text = own_text.strip() or BUILT_IN_PROMPT
    prompt = _PLACEHOLDER.sub(value, text if "{limits}" in text else f"{text}{{limits}}")
    if instructions.strip():
        prompt += f"\n\nThe person's own instructions:\n{instructions.strip()}"
    return prompt


def _placeholder_values(found: PromptValues) -> dict[str, str]:
    languages = ", ".join(found.languages)
    calls = _CALLS if found.takes_tools else _FENCES
    return {
        "calls": calls.replace("{languages}", languages),
        "approval": _UNASKED if found.runs_unasked else _ASKED,
        "limits": _limits(found.policy),
        "languages": languages,
        "folder": found.folder or "the person's home folder",
        "python": found.python or "the one that Playhead has made for this",
        "packages": ", ".join(found.packages) or "not known; look before you import",
        "date": found.date or "not known",
    }


def _limits(policy: Policy) -> str:
    """Return what the sandbox holds code to, with the line break before it; '' without one."""
    if not policy.is_bounded:
        return ""
    match policy.network:
        case "off":
            network = "There is no network: nothing can be downloaded or installed."
        case "listed":
            network = f"Of the network only these names are there: {', '.join(policy.hosts)}."
        case "on":
            network = "Of the network all public names are there, by TCP; nothing of this computer."
    may_write = policy.files == "folder"
    return _LIMITS.format(
        may_write="" if may_write else " (to read: nothing in it can be changed)",
        results=_RESULTS if may_write else "",
        network=network,
    )


def execute_tool(languages: tuple[str, ...]) -> dict[str, Any]:
    """Return the tool `execute` in OpenAI's shape; the language is first, so code can stream."""
    return {
        "type": "function",
        "function": {
            "name": EXECUTE,
            "description": "Run code on the person's computer after they approve it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "language": {"type": "string", "enum": list(languages)},
                    "code": {"type": "string", "description": "The code to run."},
                },
                "required": ["language", "code"],
            },
        },
    }


def offered_tools(
    tools: Sequence[ToolOffer], languages: tuple[str, ...], *, offers_execute: bool
) -> list[dict[str, Any]]:
    """Return the client's tools, and ours unless the client has its own of that name."""
    offered = [_client_tool(tool) for tool in tools]
    if offers_execute and all(tool.name != EXECUTE for tool in tools):
        offered.append(execute_tool(languages))
    return offered


def _client_tool(tool: ToolOffer) -> dict[str, Any]:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


NOTABLE_PACKAGES = (
    "numpy", "pandas", "polars", "matplotlib", "seaborn", "plotly", "scipy", "scikit-learn",
    "statsmodels", "sympy", "pillow", "opencv-python", "torch", "tensorflow", "requests", "httpx",
    "beautifulsoup4", "lxml", "openpyxl", "pypdf", "python-docx", "sqlalchemy", "duckdb", "ipython",
)  # fmt: skip
"""Packages that matter for how a task is done; the prompt names them in this order."""

_DISTRIBUTION = re.compile(r"^(?P<name>.+?)-(?P<version>\d[^-]*)(?:-.*)?\.(?:dist|egg)-info$")
_VERSIONED_NAME = re.compile(r"python(3\.\d+)$")


def describe_python(interpreter: str) -> str:
    """Return the version, if the folders show it, and the path; '' for no interpreter."""
    if place := place_of(interpreter):
        if place.kind in ("ssh", "container"):
            return f"a Python on another machine, “{place.label}”; the user's files are not there"
        where = " on a server; the user's files are not there" if place.is_elsewhere else ""
        return f"the Jupyter kernel “{place.label}”{where}, which runs {place.language}"
    if not interpreter:
        return ""
    version = _python_version(Path(interpreter))
    return f"{version} ({interpreter})".strip()


def find_packages(interpreter: str) -> tuple[str, ...]:
    """Return the names of the notable packages that are installed; () if none can be read."""
    found = {
        _normalized(name)
        for folder in _package_folders(Path(interpreter))
        for name in _package_names(folder)
    }
    return tuple(name for name in NOTABLE_PACKAGES if _normalized(name) in found)


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _package_names(folder: Path) -> list[str]:
    try:
        entries = [entry.name for entry in folder.iterdir()]
    except OSError:
        return []
    return [match["name"] for entry in entries if (match := _DISTRIBUTION.match(entry))]


def _package_folders(interpreter: Path) -> Iterable[Path]:
    """Yield the folders in which packages may be, for the usual layouts of Pythons."""
    if not interpreter.name:
        return
    yield from _folders_beside(interpreter)
    settings = _venv_settings(interpreter)
    is_alone = settings.get("include-system-site-packages", "false").lower() != "true"
    if settings and not is_alone and (home := settings.get("home")):
        yield from _folders_beside(Path(home) / interpreter.name)


def _folders_beside(interpreter: Path) -> Iterable[Path]:
    prefix = interpreter.parent.parent
    yield interpreter.parent / "Lib" / "site-packages"  # Windows, no environment
    yield prefix / "Lib" / "site-packages"
    for base in (prefix, prefix / "local"):
        yield from (base / "lib").glob("python3*/site-packages")
        yield from (base / "lib").glob("python3*/dist-packages")


def _python_version(interpreter: Path) -> str:
    settings = _venv_settings(interpreter)
    if said := settings.get("version") or settings.get("version_info"):
        return ".".join(said.split(".")[:3])
    if found := _VERSIONED_NAME.search(_resolved(interpreter).name):
        return found[1]
    if str(interpreter) == sys.executable:
        return ".".join(map(str, sys.version_info[:3]))
    return ""


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path


_SETTINGS_BYTES = 100_000


def _venv_settings(interpreter: Path) -> dict[str, str]:
    """Return the settings of an environment; {} for a Python that is not one."""
    try:
        found = read_plain(interpreter.parent.parent / "pyvenv.cfg", _SETTINGS_BYTES)
    except OSError:
        return {}
    lines = (found or b"").decode(errors="replace").splitlines()
    pairs = (line.partition("=") for line in lines)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}
