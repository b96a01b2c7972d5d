"""`%%bash`, `%%python`, `%%script …`: a whole block for another program."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from typing import Sequence

_BY_ARGUMENT = {"bash": "-c", "sh": "-c", "zsh": "-c", "perl": "-e", "ruby": "-e"}
_PYTHONS = ("python", "python3", "pypy", "pypy3")
WORDS = (*_BY_ARGUMENT, *_PYTHONS, "script")
"""Cell magics that are programs."""
_OF_NOTEBOOKS = ("--no-raise-error", "--bg", "--proc", "--out", "--err")


class ScriptError(Exception):
    """A block for another program that could not be run, or that ended with a status."""

    __module__ = "builtins"  # or tracebacks would name a file of ours


def run(word: str, rest: str, body: str) -> None:
    """Run a block and wait for it. Raises ScriptError, also where it ends with a status."""
    words = shlex.split(rest)
    unknown = next((one for one in words if one.partition("=")[0] in _OF_NOTEBOOKS[1:]), "")
    if unknown:
        raise ScriptError(f"%%{word} knows no {unknown} here: use subprocess.")
    wants_error = _OF_NOTEBOOKS[0] not in words
    words = [one for one in words if one != _OF_NOTEBOOKS[0]]
    command, text = _command(word, words, body)
    if shutil.which(command[0]) is None:
        raise ScriptError(f"There is no {command[0]} on this machine.")
    done = subprocess.run(command, input=text, check=False)
    if done.returncode and wants_error:
        raise ScriptError(f"The commands ended with status {done.returncode}.")


def _command(word: str, words: Sequence[str], body: str) -> tuple[list[str], bytes | None]:
    """What is started, and its standard input where that is the block: not what a person sends."""
    if word == "script":
        if not words:
            raise ScriptError("%%script needs the name of a program.")
        return list(words), body.encode()
    is_own = word in _PYTHONS[:2] and not getattr(sys, "frozen", False)
    program = sys.executable if is_own else word
    flag = _BY_ARGUMENT.get(word, "-c")
    zero = [word] if flag == "-c" and word in _BY_ARGUMENT else []  # the name that $0 has there
    return [program, flag, body, *zero, *words], None
