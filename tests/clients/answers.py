"""What the model says to the clients: by words of the question alone, so they may overlap."""

from __future__ import annotations

import json
import re

from tests.support.model_server import (
    Reply,
    Request,
    call,
    calls,
    cut,
    default_script,
    error,
    execute,
    hang,
    joined,
    text,
    thought,
)

CHILD = """\
import subprocess, sys
code = '''
import os, pathlib, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
pathlib.Path("child.pid").write_text(str(os.getpid()))
print("started", flush=True)
time.sleep(600)
'''
subprocess.Popen([sys.executable, "-c", code]).wait()
"""
"""Starts a child of its own that ignores an interrupt, and waits for it."""

DOT = """\
from base64 import b64decode

class Dot:
    def _repr_png_(self):
        return b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
            "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        )

Dot()
"""
"""Shows a picture of one point."""

_TOOL_TEXT = "The tool said: "


def answer(request: Request) -> Reply:
    """Tool results are repeated; `echo …` is repeated; else by keyword, else the usual script."""
    question = request.user_text
    if request.has_result:
        return text(_TOOL_TEXT, *_results(request), ".")
    if question.startswith("echo "):
        return text(*re.findall(r"\S+\s*", question.removeprefix("echo ")))
    for keyword, reply in _ANSWERS.items():
        if keyword in question:
            return reply
    if written := re.search(r"write the file (\S+)", question):
        return execute("open(", repr(written[1]), ", 'w').write('ran')", "\nprint('written')")
    return default_script(request)


def _lookup(city: str, index: int = 0) -> Reply:
    arguments = json.dumps({"city": city})
    half = len(arguments) // 2
    call_id = f"call_{city.lower()}"
    return call("lookup", arguments[:half], arguments[half:], index=index, call_id=call_id)


_ANSWERS = {
    "weather in two cities": calls(_lookup("Oslo"), _lookup("Rome", 1)),
    "weather": joined(text("I look ", "it up."), _lookup("Oslo")),
    "with reasoning": joined(thought("Let me ", "see."), text("I ", "have ", "reasoned.")),
    "break off": cut(text("This answer ", "breaks ", "of")),
    "fall silent": hang("I ", "begin ", "and"),
    "say nothing": hang(),
    "two blocks": calls(
        execute("print(", "'one')", call_id="call_one"),
        execute("print(", "'two')", index=1, call_id="call_two"),
    ),
    "child process": execute(*re.findall(r"\S+|\s+", CHILD)),
    "draw a dot": execute(*re.findall(r"\S+|\s+", DOT)),
    "too many": error(429, "Rate limit reached for requests", retry_after=7),
    "wrong key": error(401, "Incorrect API key provided: sk-…", code="invalid_api_key"),
    "out of order": error(500, "The server had an error while processing your request"),
}


def _results(request: Request) -> list[str]:
    """The results after the last user message."""
    places = [place for place, message in enumerate(request.messages) if message["role"] == "user"]
    return [
        str(message["content"])
        for message in request.messages[places[-1] :]
        if message["role"] == "tool"
    ]
