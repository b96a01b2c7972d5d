"""The protocol of a kernel and its parent: JSON lines in, marks between the output out.

A mark is `ESC _ nonce ; json ESC \\`, written by one write of at most `MARK_LIMIT` bytes: a POSIX
pipe keeps such a write whole, so a mark is exactly where it was made in the output of the
code and of its children. ECMA-48 calls `ESC _ … ESC \\` an application program command; terminals
skip it. JSON is ASCII here, hence no mark holds an escape in its middle.

Commands, one JSON object a line, by their `t`:
    hello      secret (before each line that follows, which is dropped without it; "" for none),
               nonce, spool (folder for files), dpi (of images, 0: the library's own), language,
               program (the language's own, "" for Python), uv (the program that installs packages,
               "" if there is none), place (for a place worker: argv, env, mode of interrupts and
               name of a Jupyter kernel; or kind "server", name, address, token, program, folder,
               kernel_id, resume, the facts of an earlier `resume`): the first line, answered by the
               mark `ready`
    execute    run, code, folder, lines (announce and sample lines), times (time lines inside loops
               too, where it can), memory (bytes it may take, 0: no limit), dpi (of
               images from now on, 0: as before), breakpoints (lines to pause before), values (keep
               what lines assign); Python only, as all that pauses
    input      run, id, text: a line for the running code's standard input
    text       run, text, end: text as it is for what reads standard input, and its end if `end`
    values     ask, code: what the lines of the last run of exactly that code assigned; answered by
               `answer`
    pause      run: pause before the next line of its code
    breakpoints run, lines: pause before these lines from now on, and no others
    resume     run: go on after a pause
    step       run: go on, and pause before the next statement; as `pause` where it is not paused
    stop       run: as an interrupt, for where a signal does not reach
    variables  ask, frames (as a mark `error` had them, none for the namespace): the variables of
               the namespace, or of the frames of the last failure; answered by `answer`
    table      ask, name, first, rows, by, falling: a page of a variable, or of a table that was
               shown, by its key; sorted by the column of the number `by` unless that is null, which
               may take long; answered by `answer`
    give_up    ask: stop that sorting; `execute` stops any
    complete   ask, code (up to the cursor), asked (by a key, not by typing): what can follow;
               answered by `answer`
    describe   ask, code (up to the end of a name), call (the call that the end is in, and not the
               name): signature and documentation; answered by `answer`
    save       ask, known (keys of groups that the parent has), limit (bytes in all), most_forked
               (bytes of a process that may be forked), seconds: what may have changed since the
               last one; answered by `answer` when it is written, which may be long after
    restore    ask, file (in the spool: {"python", "delete": [name], "rows": [all fields of a saved
               name, for each that is to come back], "imports": [{name, module}], "classes": [{name,
               line, source}], "groups": [{file (in the spool, or an absolute path), key, names,
               size, is_sealed}]}), seconds: what another kernel has saved, or this one; the names
               of no list stay; answered by `answer`
    put        ask, path (here), name: copy a file to where the code runs; answered by {"path"},
               on the way the mark `progress`
    get        ask, path (there), file (a name in the spool folder): copy one from there
    environment set, unset: variables of the environment from now on, and names that go
    exit       how (what becomes of code that runs elsewhere: "" ends its kernel, "leave" lets it
               run, "restart" ends its names): end in an orderly way

Marks, by their `t`; each carries `run`:
    ready    pid, version (of the language), pauses (the inode of the pipe that the main thread
             reads while code is paused, 0 for none), lines: whether it names those that run
    link     state ("connecting", "lost", "" while it holds), missing (what could not be had, in
             words): the link to a kernel elsewhere
    resume   facts: what a later place worker needs to come back to this kernel, {} where it cannot
    failed   code, title, detail, remedy: why a kernel elsewhere could not be had, or has ended
    progress ask, done, total: bytes of a file that is copied to or from elsewhere
    driver   pid: the program of another language, which is not part of any run
    stopping the kernel has taken the stop: what its code waits for may be signalled now
    line     line: the statement that runs now
    paused   line, why (asked, breakpoint): the code is paused before that line; `variables` and
             `table` are answered meanwhile, the names are those of the function that it is in
    resumed  it goes on
    display  what follows up to the next mark is one displayed value
    show     kind (one of `SHOWN`), file: name of a file inside the spool folder that holds it.
             A table is JSON {columns, dtypes, missing, rows, total_rows, total_columns, name, key,
             text, index_columns, positions}; its text goes out as displayed before it
    input    id, prompt, secret
    traceback length: the output just before ends with a traceback of so many characters
    error    name, message, remedy (what to do, "" where nothing is known), frames
             [[file, line, name], …], file "" for the block itself
    timings  times [[line, seconds, last_line, share], …], share null for a whole statement
    packages names [[name, version], …]: what was imported since the run before; in the first one
             also Python itself
    answer   ask, file: name of a file inside the spool folder with JSON: {"variables": […]} (the
             fields name, type, shape, size_bytes, value, is_changed, is_table; of a failure also
             frame, its index in the error's frames), a table as above,
             {"values": [[line, last_line, name, text, kind (exact, last), [text, …]], …]},
             {"length": characters before the cursor that a candidate replaces, "candidates":
             [[text, kind], …]}, for `save` {"is_same": true} or {"names": [{name, type, verdict
             (one of `VERDICTS`), why (one of `WHY_LOST`), line, size, module, source, hash (of the
             content, or the `key` of its group), shape, value, size_bytes}], "groups":
             [{key, names, file ("" if its key was known), size, is_sealed}], "python", "pause_s"},
             for `restore` {"back": [{name}], "failed": [{name, why}]},
             {"name": "" for nothing known, "parameters": [text, …] or null,
             "argument": place of the one under the cursor, "type", "value", "documentation"}, or
             {"error": why not, "remedy": what to do, if it is known}
    idle     state (finished, interrupted), line, status (where the language has one), folder (that
             code has gone to, if it is not the working folder): the end of the run, always the last
             of its marks
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, cast

MARK_OPEN = b"\x1b_"
MARK_CLOSE = b"\x1b\\"
MANAGED = "playhead-environment.json"
"""The file in an environment that the program made for itself and may install into as it likes."""
MARK_LIMIT = 4096
SHOWN = ("png", "svg", "html", "markdown", "latex", "javascript", "table", "text")
"""The kinds of a `show` mark."""
QUESTIONS = ("variables", "table", "complete", "describe", "save", "restore")
"""The commands that an idle kernel answers, and a busy one refuses."""
CONTROLS = ("pause", "breakpoints", "resume", "step", "values", "put", "get")
"""The commands that a busy kernel takes, too, if its language can."""

VERDICTS = ("kept", "import", "source", "again", "lost")
"""The ways in which a name survives its kernel: by its value, its module, its source, or not."""
WHY_LOST = (
    *("generator", "file", "lock", "socket", "connection", "process", "thread", "view", "gpu"),
    *("frame", "reference", "local_class", "class_changed", "unpicklable", "too_large", "secret"),
    *("slow", "no_module", "unreadable"),
)


class Mark(NamedTuple):
    """One mark; the accessors never fail, because running code can forge any of it."""

    kind: str
    run: str
    fields: dict[str, Any]

    def text(self, name: str) -> str:
        """Return a field if it is a text, else the empty text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def integer(self, name: str) -> int | None:
        """Return a field if it is an integer, else None."""
        value = self.fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """Return whether a field is true."""
        return self.fields.get(name) is True

    def rows(self, name: str) -> list[list[Any]]:
        """Return a field's rows if it is a list of lists."""
        value = self.fields.get(name)
        if not isinstance(value, list):
            return []
        rows = cast("list[Any]", value)
        return [cast("list[Any]", row) for row in rows if isinstance(row, list)]


def new_nonce() -> str:
    """Return a random word that output does not contain by chance."""
    return os.urandom(8).hex()


def mark_prefix(nonce: str) -> bytes:
    """Return the bytes that open every mark of one kernel."""
    return MARK_OPEN + nonce.encode("ascii") + b";"


def encode_mark(nonce: str, kind: str, run: str, fields: dict[str, Any]) -> bytes:
    """Return the bytes of a mark. Raises ValueError if it is too long for one write."""
    body = json.dumps({"t": kind, "run": run, **fields}, separators=(",", ":")).encode("ascii")
    mark = mark_prefix(nonce) + body + MARK_CLOSE
    if len(mark) > MARK_LIMIT:
        raise ValueError("a mark of %d bytes" % len(mark))
    return mark


def parse_mark(body: bytes) -> Mark | None:
    """Return the mark between nonce and end, or None if it is not one."""
    fields = parse_json(body)
    if not isinstance(fields, dict):
        return None
    known = cast("dict[str, Any]", fields)
    kind, run = known.get("t"), known.get("run")
    if not isinstance(kind, str) or not isinstance(run, str):
        return None
    return Mark(kind, run, known)


def parse_json(data: bytes) -> Any:
    """Return a value of JSON, None if it is invalid; lone surrogates in it are replaced.

    Python lets code make texts with these, which cannot be written.
    """
    try:
        value: Any = json.loads(data)
        return _without_halves(value) if b"\\ud" in data.lower() else value
    except (ValueError, RecursionError):
        return None


def _without_halves(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [_without_halves(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        return {_without_halves(name): _without_halves(item) for name, item in known.items()}
    return value


def encode_command(kind: str, **fields: Any) -> bytes:
    """Return a command as the line that is written to the kernel."""
    return json.dumps({"t": kind, **fields}).encode("ascii") + b"\n"
