"""The answers of the model server by hand, chosen by keywords (its docstring lists them)."""

from __future__ import annotations

import re

from tests.support.model_replies import (
    Reply,
    Request,
    broken_json,
    call,
    calls,
    cut,
    error,
    execute,
    hang,
    joined,
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
    "error 401": error(401, "Incorrect API key provided: sk-test", code="invalid_api_key"),
    "error 429": error(429, "Rate limit reached for requests", retry_after=7),
    "error 404": error(404, "The model does not exist", code="model_not_found"),
    "error 500": error(500, "The server had an error while processing your request"),
    "error 400": error(400, "Bad request"),
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

_ARITHMETIC = re.compile(r"\d+(?:\.\d+)?(?:\s*(?:[-+*/%]|\*\*|//)\s*\d+(?:\.\d+)?)+")


def default_script(request: Request) -> Reply:
    """The answers by hand; the module's docstring lists the keywords."""
    question = request.user_text.lower()
    sum_asked = _ARITHMETIC.search(question)
    if request.has_result:
        is_golden = sum_asked is not None and "".join(sum_asked[0].split()) == "34/24"
        return text(*GOLDEN_ANSWER) if is_golden else text("That ", "is ", "the ", "result.")
    for keyword, reply in _ANSWERS.items():
        if re.search(rf"\b{keyword}\b", question):
            return reply
    for keyword, code in _CODE_ANSWERS.items():
        if re.search(rf"\b{keyword}\b", question):
            return execute(*code)
    if sum_asked is not None:
        return execute(*re.findall(r"\d+(?:\.\d+)?| ?[-+*/%]+|\s", _spaced(sum_asked[0])))
    return text("Hello", "! ", "Ask ", "me ", "**", "What's 34/24?", "**")


def _spaced(expression: str) -> str:
    """`34/24` as `34 / 24`."""
    return " ".join(re.findall(r"\d+(?:\.\d+)?|[-+*/%]+", expression))
