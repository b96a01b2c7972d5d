"""The answers of the model server by hand, chosen by keywords (its docstring lists them)."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec.structs import replace

from tests.support.model_replies import (
    Reply,
    Request,
    broken_json,
    call,
    calls,
    cited,
    cut,
    error,
    execute,
    hang,
    joined,
    limited,
    no_sse,
    text,
    thought,
)

GOLDEN_CODE = ("34", " /", " ", "24")
_GOLDEN_TEXT = "The| result| of| the| division| |34|/|24| is| approximately| |1|.|42|."
GOLDEN_ANSWER = tuple(_GOLDEN_TEXT.split("|"))


def _lines(code: str) -> tuple[str, ...]:
    """Code in small pieces, about as a model writes it."""
    return tuple(re.findall(r"\s*\w+|\s*[^\w\s]|\s+$", code))


PLOT = """\
import math

try:
    import matplotlib.pyplot as plt
except ModuleNotFoundError:
    plt = None

xs = [step / 10 for step in range(63)]
ys = []
for x in xs:
    ys.append(math.sin(x))

print(f"{len(ys)} points, highest {max(ys):.3f}")
if plt is not None:
    plt.plot(xs, ys)
    plt.title("One wave")
    plt.show()
"""

SLOW_LOOP = """\
import time

total = 0
for number in range(40):
    total += number
    print(number, total)
    time.sleep(0.1)

print("total", total)
"""

FOREVER = "counter = 0\nwhile True:\n    counter += 1\n"

MARKDOWN = """\
# What I found

Three things, **one** of them *new*:

1. a list with `code`
2. a [link](https://example.org)
3. ~~nothing~~

> A quotation of one line.

| name | value |
|------|------:|
| pi   | 3.142 |
| e    | 2.718 |

```text
plain text in a fence stays prose
```
"""

_CODE_ANSWERS: dict[str, tuple[str, ...]] = {
    "slow loop": _lines(SLOW_LOOP),
    "plot": _lines(PLOT),
    "forever": _lines(FOREVER),
    "input": _lines('name = input("Your name: ")\nprint("Hello,", name)\n'),
    "raise": _lines('def broken():\n    raise ValueError("on purpose")\n\nbroken()\n'),
}

_ANSWERS: dict[str, Reply] = {
    "cites": cited(text("It is ", "19 °C", " today."), (6, 11, "https://weather.example/")),
    "at length": limited(text("This ", "is ", "as ", "far ", "as ", "it ", "goes")),
    "filtered": limited(text("I must ", "not"), "content_filter"),
    "hang later": hang("I ", "begin ", "and"),
    "hang": hang(),
    "cut": cut(text("This answer ", "breaks ", "of")),
    "broken json": broken_json("This ", "is "),
    "no sse": no_sse(),
    "tilde": text("In tildes:\n\n", "~~~py", "thon\n", "print(", "6 * 7)\n", "~~~", "\n"),
    "fence": text("Here it is:\n\n", "```", "python\n", "print(", "6 * 7)\n", "```", "\nDone.\n"),
    "parallel": calls(
        execute("print(", "'one')", call_id="call_one"),
        execute("print(", "'two')", index=1, call_id="call_two"),
    ),
    "think": text("<th", "ink>Let me ", "see.</thi", "nk>", "I ", "have ", "thought."),
    "reasoning": joined(thought("Let me ", "see."), text("I ", "have ", "reasoned.")),
    "unicode": call(
        "execute",
        '{"language": "python", "code": "print(\\"gr\\u0',
        "0fc\\u00df \\ud8",
        "3d\\ude",
        '00 naïve 日本\\")"}',
    ),
    "bad arguments": call("execute", '{"language": "python", "code": ', "oops"),
    "long": text(*(f"word{number} " for number in range(600))),
    "markdown": text(*re.findall(r"\s*\S+\s?", MARKDOWN)),
}

_ERRORS = {
    400: ("Bad request", ""),
    401: ("Incorrect API key provided: sk-test", "invalid_api_key"),
    404: ("The model does not exist", "model_not_found"),
    429: ("Rate limit reached for requests", "rate_limit_exceeded"),
}
_ERROR = re.compile(r"\berror (\d{3})(?: after (\d+))?\b")
_CALL = re.compile(r"\bcall ([\w-]+) (?=\{)")
_SAY = re.compile(r"say (.*?)\s*(?=\bcall [\w-]+ \{|\Z)", re.DOTALL)
_USAGE = re.compile(r"\s*\b(?:no usage|usage (\d+) (\d+))\b")
_SLOWLY = re.compile(r"\s*\bslowly\b")
_REASONING = re.compile(r"\s*\bwith reasoning\b")
SLOW_PACE_S = 0.05

_ARITHMETIC = re.compile(r"\d+(?:\.\d+)?(?:\s*(?:[-+*/%]|\*\*|//)\s*\d+(?:\.\d+)?)+")


def default_script(request: Request) -> Reply:
    """The answers by hand; the keywords are listed by `model_server`."""
    question = request.user_text
    for modifier in (_USAGE, _SLOWLY, _REASONING):
        question = modifier.sub("", question)
    reply = _answer(question.strip(), request)
    if _REASONING.search(request.user_text):
        reply = joined(thought("Let me ", "think."), reply)
    if _SLOWLY.search(request.user_text):
        reply = replace(reply, pace_s=SLOW_PACE_S)
    if (usage := _USAGE.search(request.user_text)) is not None:
        reply = replace(reply, usage=(int(usage[1]), int(usage[2])) if usage[1] else None)
    return reply


def _answer(asked: str, request: Request) -> Reply:
    question = asked.lower()
    named = _named_calls(asked)
    sum_asked = _ARITHMETIC.search(question)
    if request.has_result:
        return _after_results(request, [name for name, _ in named], sum_asked)
    if named or asked.startswith("say "):
        return _as_told(asked, named)
    if (failed := _ERROR.search(question)) is not None:
        return _failure(int(failed[1]), failed[2])
    for keyword, reply in _ANSWERS.items():
        if re.search(rf"\b{keyword}\b", question):
            return reply
    for keyword, code in _CODE_ANSWERS.items():
        if re.search(rf"\b{keyword}\b", question):
            return execute(*code)
    if sum_asked is not None:
        return execute(*re.findall(r"\d+(?:\.\d+)?| ?[-+*/%]+|\s", _spaced(sum_asked[0])))
    return text("Hello", "! ", "Ask ", "me ", "**", "What's 34/24?", "**")


def _after_results(request: Request, names: list[str], sum_asked: re.Match[str] | None) -> Reply:
    if names:
        pairs = zip(names, request.results, strict=False)
        return text(*(f"{name} said: {result}. " for name, result in pairs))
    is_golden = sum_asked is not None and "".join(sum_asked[0].split()) == "34/24"
    return text(*GOLDEN_ANSWER) if is_golden else text("That ", "is ", "the ", "result.")


def _failure(status: int, retry_after: str | None) -> Reply:
    message, code = _ERRORS.get(status, ("The server had an error while processing", ""))
    wait_s = int(retry_after) if retry_after else 7 if status == 429 else None
    return error(status, message, code=code, retry_after=wait_s)


def _as_told(asked: str, named: list[tuple[str, dict[str, Any]]]) -> Reply:
    """The text and the calls that the message spells out."""
    said = _SAY.match(asked)
    prose = text(*re.findall(r"\s*\S+\s?|\s+", said[1])) if said else text()
    pieces = [
        call(name, *_pieces(arguments), index=index, call_id=f"call_{name}_{index}")
        for index, (name, arguments) in enumerate(named)
    ]
    return joined(prose, calls(*pieces)) if pieces else prose


def _named_calls(asked: str) -> list[tuple[str, dict[str, Any]]]:
    """`call NAME {JSON}`, as often as it stands there."""
    found: list[tuple[str, dict[str, Any]]] = []
    end = 0
    while (named := _CALL.search(asked, end)) is not None:
        arguments, end = json.JSONDecoder().raw_decode(asked, named.end())
        found.append((named[1], arguments))
    return found


def _pieces(arguments: dict[str, Any]) -> list[str]:
    """The arguments in pieces of a few letters."""
    whole = json.dumps(arguments)
    return [whole[start : start + 6] for start in range(0, len(whole), 6)]


def _spaced(expression: str) -> str:
    """`34/24` as `34 / 24`."""
    return " ".join(re.findall(r"\d+(?:\.\d+)?|[-+*/%]+", expression))
