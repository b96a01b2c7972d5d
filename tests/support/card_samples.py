"""One conversation for each kind and state of card, for the pictures of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk, ChunkType, Content, Role
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    FileConflict,
    Frame,
    InputRequest,
    Proposal,
    RunReport,
    Source,
    Table,
    Uncovered,
    Usage,
)

CODE = "total = 0\nfor number in range(10):\n    total += number  # to 45\nprint(total)"
LONG = "\n".join(f"line_{number} = {number}" for number in range(40))
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="120">'
    '<rect width="400" height="120" fill="#3B5BDB"/><circle cx="60" cy="60" r="40" fill="#fff"/>'
    "</svg>"
)
ANSWER = "The **sum** is 45.\n\n- a list\n- of `two`\n\n```python\nprint(45)\n```"
CITED = "Ten is even. Eleven is odd."
DIFF = "--- a/notes.md\n+++ b/notes.md\n@@ -1 +1,2 @@\n-old\n+new\n+more\n"
ERROR = CodeError(
    name="ZeroDivisionError",
    message="division by zero",
    frames=(Frame("", 3, "<module>"), Frame("", 1, "share")),
)


class Sample(Conversation):
    """A real conversation that is filled in a few words."""

    def say(self, role: Role, kind: ChunkType, text: str, form: str | None = None) -> str:
        """A whole message."""
        message_id = self.begin(role, kind, text, form)
        self.apply(Chunk(role=role, type=kind, format=form, end=True))
        return message_id

    def begin(self, role: Role, kind: ChunkType, text: str, form: str | None = None) -> str:
        """A message that is still written."""
        message_id = self.apply(Chunk(role=role, type=kind, format=form, start=True))
        self.apply(Chunk(role=role, type=kind, format=form, content=text))
        return message_id

    def give(self, kind: ChunkType, content: Content, form: str | None = None) -> str:
        """A result of the code."""
        return self.apply(Chunk(role="computer", type=kind, format=form, content=content))

    def run(self, state: str, code: str = CODE, form: str = "python") -> str:
        """Code that has come as far as that."""
        key = self.say("assistant", "code", code, form)
        if state == "written":
            return key
        self.give(
            "confirmation",
            Proposal(id=f"p{key}", message_id=key, language=form, code=code),
            "execution",
        )
        if state == "waiting":
            return key
        self.give("run", RunReport(state="started"))
        if state == "failed":
            self.give("error", ERROR)
        if state == "stopped":
            self.give("run", RunReport(state="interrupted", seconds=2.5, line=3))
        elif state != "running":
            status = 1 if state == "failed" else None
            self.give("run", RunReport(state="finished", seconds=1.25, exit_status=status))
        return key


def _code(state: str, **more: str) -> Callable[[Sample], object]:
    return lambda talk: talk.run(state, **more)


def _console(text: str, report: RunReport | None = None) -> Callable[[Sample], object]:
    def fill(talk: Sample) -> None:
        talk.give("run", RunReport(state="started"))
        talk.say("computer", "console", text)
        if report is not None:
            talk.give("run", report)

    return fill


def _given(
    kind: ChunkType, content: Content, form: str | None = None
) -> Callable[[Sample], object]:
    return lambda talk: talk.give(kind, content, form)


def _said(
    role: Role, kind: ChunkType, text: str, form: str | None = None
) -> Callable[[Sample], object]:
    return lambda talk: talk.say(role, kind, text, form)


def _writing(talk: Sample) -> None:
    talk.begin("assistant", "code", "import math\nmath.sq", "python")


def _several(talk: Sample) -> None:
    first = talk.say("assistant", "code", CODE, "python")
    talk.say("assistant", "code", "print(2)", "bash")
    talk.give(
        "confirmation",
        Proposal(id="p", message_id=first, language="python", code=CODE),
        "execution",
    )


def _skipped(talk: Sample) -> None:
    talk.run("waiting")
    talk.say("user", "message", "Something else.")


def _edited(talk: Sample) -> None:
    key = talk.say("assistant", "code", CODE, "python")
    talk.give(
        "confirmation",
        Proposal(id="p", message_id=key, language="python", code=CODE + "\nprint('mine')"),
        "execution",
    )


def _foot(talk: Sample) -> None:
    talk.say("user", "message", "How much is it?")
    talk.say("assistant", "message", "It is 45.")
    talk.apply(
        Chunk(
            role="server",
            type="usage",
            content=Usage(input_tokens=1_234, output_tokens=56, is_estimated=True),
        )
    )


def _cited(talk: Sample) -> None:
    talk.say("assistant", "message", CITED)
    numbers = Source(title="Numbers, a primer", url="https://example.org/numbers")
    book = Source(title="A book without an address")
    for start, end, sources in ((0, 12, (numbers,)), (13, 27, (numbers, book))):
        citation = Citation(start=start, end=end, text=CITED[start:end], sources=sources)
        talk.apply(Chunk(role="assistant", type="citation", content=citation))


def _thought(talk: Sample) -> None:
    talk.say("assistant", "reasoning", "First the *numbers*, then the sum.")


def _problem(talk: Sample) -> None:
    talk.run("running")
    talk.give("error", ERROR)


def _missing(talk: Sample) -> None:
    talk.run("running")
    error = replace(ERROR, name="FileNotFoundError", message="no such file: 'data.csv'", frames=())
    talk.give("error", replace(error, remedy="Attach the file, or choose its folder."))


def table(rows: int = 200, total: int = 12_000, columns: int = 3) -> Table:
    """A page of a frame."""
    names = ("region", "units", "share", *(f"more {number}" for number in range(columns - 3)))
    cells = (("North", n * 7, n / 3, *[n] * (columns - 3)) for n in range(rows - 1))
    last = ("East", 1, None, *[2] * (columns - 3))
    return Table(
        columns=names,
        dtypes=("object", "int64", "float64"),
        rows=(*cells, last) if rows else (),
        total_rows=total,
        total_columns=columns,
        name="df",
    )


RUN_FILES = FileChanges(
    folder="/data",
    id="run",
    created=(FileChange(path="out/report.pdf", size_bytes=20_480),),
    changed=(
        FileChange(path="notes.md", size_bytes=120, kind="text", diff=DIFF),
        FileChange(path="run.sh", size_bytes=90, modes=(0o100644, 0o100755)),
        FileChange(path="latest", kind="link", targets=("2024.csv", "2025.csv")),
        FileChange(path="video.mov", size_bytes=4_000_000_000, uncovered="too_large"),
    ),
    moved=(FileChange(path="old/names.txt", old_path="names.txt", size_bytes=300),),
    deleted=(FileChange(path="old.csv"),),
)
UNDONE = FileChanges(
    folder="/data",
    id="undo",
    action="undo",
    of="run",
    is_whole=True,
    created=RUN_FILES.deleted,
    changed=RUN_FILES.changed[1:3],
    moved=(FileChange(path="names.txt", old_path="old/names.txt"),),
    deleted=RUN_FILES.created,
    conflicts=(FileConflict(path="notes.md", reason="changed", diff=DIFF),),
)
SET_ASIDE = FileChanges(
    folder="/data",
    id="run",
    created=(FileChange(path="a.txt", size_bytes=4),),
    set_aside=(FileChange(path=".vscode/tasks.json"), FileChange(path=".envrc")),
    uncovered=(Uncovered(path="node_modules", reason="left_out", files=812),),
    uncovered_total=14,
)
KEPT = FileChanges(
    folder="/data", id="keep", action="keep", of="run", created=(FileChange(path=".envrc"),)
)


def _effects(*effects: FileChanges) -> Callable[[Sample], object]:
    """Show what became of a run's files: the sample is drawn with all that was done since."""
    return lambda talk: [talk.give("files", one) for one in effects]


SAMPLES: dict[str, Callable[[Sample], object]] = {
    "question": _said("user", "message", "How much is the sum?"),
    "answer": _said("assistant", "message", ANSWER),
    "answer-foot": _foot,
    "citations": _cited,
    "reasoning": _thought,
    "plan": _said("assistant", "plan", "1. Read the file\n2. Draw it"),
    "tool-call": _said("assistant", "tool_call", '{"query": "sum"}', "search"),
    "tool-result": _said("computer", "tool_result", "45", "search"),
    "attachment": _said("user", "file", "/data/sales 2025.csv", "path"),
    "code-written": _code("written"),
    "code-long": _code("written", code=LONG),
    "code-writing": _writing,
    "code-waiting": _code("waiting"),
    "code-several": _several,
    "code-running": _code("running"),
    "code-ran": _code("ran"),
    "code-zsh": _code("ran", code="print -l *.csv", form="zsh"),
    "code-stopped": _code("stopped"),
    "code-failed": _code("failed"),
    "code-skipped": _skipped,
    "code-edited": _edited,
    "output": _console("45\n\x1b[32mgreen\x1b[0m \x1b[1mbold\x1b[0m\n 10 %\r100 %\n"),
    "output-long": _console(
        "".join(f"row {n}\n" for n in range(9_000)),
        RunReport(state="finished", seconds=3.5, exit_status=0, output_path="/data/output.txt"),
    ),
    "image-svg": _given("image", SVG, "svg"),
    "image-damaged": _given("image", "iVBORw0KGgoAAAANSUhEUg==", "base64.png"),
    "table": _given("table", table()),
    "table-empty": _given("table", table(0, 0)),
    "table-wide": _given("table", table(4, 4, 40)),
    "page": _said("computer", "code", "<h1>Sum</h1><p>45</p>", "html"),
    "markdown-result": _said("computer", "code", "# Sum\n\n**45**", "markdown"),
    "files": _effects(RUN_FILES),
    "files-undone": _effects(RUN_FILES, UNDONE),
    "files-set-aside": _effects(SET_ASIDE, KEPT),
    "error": _problem,
    "error-remedy": _missing,
    "input": _given("input", InputRequest("i", "Your name: ")),
    "failure": lambda talk: talk.apply(
        Chunk(
            role="server",
            type="error",
            content=Failure(
                code="rate",
                title="The model is busy.",
                detail="HTTP 429",
                remedy="Wait 20 seconds.",
            ),
        )
    ),
    "unknown": _given("image", "x", "hologram"),
}
OPEN = ("code-long", "reasoning", "page", "error", "files", "table", "output-long")
"""These have a second picture, unfolded."""


def names() -> Iterator[str]:
    """Of all pictures."""
    for name in SAMPLES:
        yield name
        if name in OPEN:
            yield f"{name}-open"
