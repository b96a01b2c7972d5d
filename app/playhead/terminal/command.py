"""The command `playhead chat`: one question, or a conversation at the terminal."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.domain.access import ACCESSES, names_of
from playhead.domain.grants import GRANT_SCOPES
from playhead.domain.policy_options import add_policy_options, keep_policy
from playhead.domain.text.terminal import without_controls
from playhead.errors import AppError
from playhead.terminal import keyboard
from playhead.terminal.interpreter import Interpreter
from playhead.terminal.keyboard import TypeAhead, waiting_lines

if TYPE_CHECKING:
    from playhead.terminal.terminal_display import TerminalDisplay

Wire = dict[str, Any]

COMPLETE, FAILED, USAGE, NOT_APPROVED, STOPPED = 0, 1, 2, 3, 130
_EPILOG = """\
exit status: 0 done, 1 failed, 2 wrong usage, 3 code was not run because nobody could approve it,
130 stopped. The model's key is read from PLAYHEAD_PROVIDER_KEY or the provider's own variable,
else from the keyring; with --api-base only from PLAYHEAD_PROVIDER_KEY.
"""
_HELP = """\
/reset  forget the conversation and end its kernel
/files  what the code that ran did to files
/undo   take back what the last run did to files; /undo FILE only that file
/redo   do again what was undone last; /redo FILE only that file
/keep   put what was set aside in its place; /keep FILE only that file
/delete delete what was set aside; /delete FILE only that file
/review what code did in a copy of the folder (--review on) and was not applied
/apply  apply that to the folder; /apply FILE only that file
/discard  delete the copy; the kernel ends
/grants what code in the sandbox may reach besides, numbered
/grant  let it: /grant read PATH, write PATH, host NAME, packages pypi, variable NAME, and then
        run, conversation (if nothing is said) or folder; /deny keeps it from that
/revoke NUMBER takes one back
/packages what code in the sandbox has installed for itself; /packages keep NAME … installs it into
        its environment, outside of the sandbox (/packages build NAME …: also without a wheel)
/places where code can run; /place NAME runs it there from now on, /place here on this computer
/quit   leave (also Ctrl-D)
Ctrl-C stops the answer or the code that runs. Code runs only after your y; e opens it in $EDITOR.
Ctrl-\\ pauses Python code before its next line, and lets it go on.
Without a model (Direct mode) Python that you type here, and do not paste, runs at once.
"""
_EFFECT_VERBS: Mapping[str, Callable[[Interpreter, str], list[Wire]]] = {
    "/files": lambda interpreter, _: interpreter.effects(),
    "/undo": Interpreter.undo,
    "/redo": Interpreter.redo,
    "/keep": Interpreter.keep,
    "/delete": Interpreter.delete,
    "/review": lambda interpreter, _: interpreter.review(),
    "/apply": Interpreter.apply,
    "/discard": lambda interpreter, _: interpreter.discard(),
}
_KEEP_ADVICE = (
    "/packages keep NAME downloads it again and installs it into the environment, outside of the"
    " sandbox: code that imports it there runs it as you. Code may have named any of these."
)
_ALLOW = "PLAYHEAD_ALLOW_ACCESS"
_NOBODY = "This code was not run: nobody could approve it. Start with --yes to run code unasked."
_NOTHING_ASKED = """\
Nothing was asked: standard input was empty. Ask at a terminal, or by a pipe:
    printf "What's 34/24?\\n" | {} {}"""


def run(arguments: Sequence[str], in_place_of: str = "") -> int:
    """Chat as the arguments say and return the exit status.

    If the command `in_place_of` could not open a window, words name files as they do there, and an
    empty input is not an error.
    """
    options = _parser().parse_args(arguments)
    options.in_place_of = in_place_of
    if in_place_of:
        options.file, options.prompt = [*options.file, *options.prompt], []
    keep_policy(options, os.environ)
    if options.allow_access:  # which the server that we start reads
        os.environ[_ALLOW] = ",".join(options.allow_access)
    with _interpreter(options) as interpreter:
        try:
            return _chat(interpreter, options)
        except BrokenPipeError:  # the reader of our output stopped, as `head` does
            _write_no_more()
            return FAILED
        except OSError as error:  # a full disk, as a rule
            _write_no_more()
            return _refuse(f"The chat cannot go on: {error.strerror or error}", FAILED)
        except KeyboardInterrupt:
            return STOPPED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="playhead chat",
        description="Ask a model in the terminal, approve its code, watch it run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("prompt", nargs="*", metavar="PROMPT", help="what to ask; else, a chat")
    parser.add_argument("--model", metavar="M", help="such as openai/gpt-5 or playhead/direct")
    parser.add_argument("--api-base", metavar="URL", help="the address of the model's server")
    parser.add_argument("--working-dir", metavar="D", help="where code runs (default: here)")
    parser.add_argument(
        "--place", metavar="P", default="", help="run code elsewhere: gpu-box:~/data, or a server"
    )
    parser.add_argument(
        "--file", action="append", default=[], metavar="F", help="give it a file or a folder"
    )
    parser.add_argument("--yes", action="store_true", help="run code without asking")
    parser.add_argument(
        "--allow-access",
        action="append",
        default=[],
        choices=ACCESSES,
        help="let code reach your display, desktop or agent, or get secrets of the environment",
    )
    add_policy_options(parser.add_argument)
    parser.add_argument("--data-dir", metavar="DIR", help="keep all files below this folder")
    parser.add_argument("--json", action="store_true", help="print the chunks, one a line")
    return parser


class _Chat(Interpreter):
    """The interpreter of this terminal, which asks the person at it, if there is one.

    `typed` is the line that this person typed letter for letter; as code it is approved by that.
    """

    typed = ""
    answers_routes = False

    def _config(self, display: bool = False, extended: bool | None = None) -> Wire:
        own = {"is_typed": bool(self.typed), "answers_routes": self.answers_routes}
        return {**super()._config(display, extended), **own}

    def answer_route(self, answer: str) -> None:
        """Answer whether a key may take another way."""
        if self._connection.turn is not None:
            self._connection.turn.answer_route(answer)

    @property
    def bounds(self) -> str:
        """Return what the sandbox makes of the code that waits."""
        turn = self._connection.turn
        return turn.bounds if turn is not None else ""

    def attach(self, paths: Sequence[str]) -> None:
        """Let code in the sandbox read what the person has given on the command line."""
        for path in map(os.path.abspath, paths):
            fields = {"kind": "read", "target": path, "cause": "You attached it."}
            with contextlib.suppress(AppError):  # without a sandbox all can be read
                self._connection.request_grants("grant", self._config(), **fields)

    def _has_input(self, display: bool, extended: bool) -> bool:
        return keyboard.is_interactive()


def _interpreter(options: argparse.Namespace) -> _Chat:
    return _Chat(
        options.model,
        options.api_base,
        os.environ.get("PLAYHEAD_PROVIDER_KEY"),
        auto_run=options.yes,
        working_dir=options.working_dir,
        place=options.place,
        extended=True,
    )


def _chat(interpreter: _Chat, options: argparse.Namespace) -> int:
    for path in options.file:
        if not os.path.exists(path):
            return _refuse(f"There is no {path}.")
    prompt, files = " ".join(options.prompt), _attached(options.file)
    interpreter.attach(options.file)
    if not prompt and not keyboard.is_interactive():
        prompt = sys.stdin.read()
        if not prompt.strip() and options.in_place_of:
            given = "ARGS=--yes" if options.in_place_of.startswith("make") else "--yes"
            return _refuse(_NOTHING_ASKED.format(options.in_place_of, given), COMPLETE)
        if not prompt.strip():
            return _refuse("There is nothing to ask: standard input was empty.")
    if options.json:
        if not prompt:
            return _refuse("--json needs a PROMPT, or one from a pipe.")
        return _print_chunks(interpreter, [*files, _said(prompt)])
    interpreter.open()  # it starts while we import what draws
    from playhead.terminal.terminal_display import TerminalDisplay

    display = TerminalDisplay()
    if prompt:
        typing = TypeAhead(interpreter.send_text)
        status = _answer(interpreter, display, typing, [*files, _said(prompt)])
        display.show_unread(_lines(typing.unread))
        return status
    return _converse(interpreter, display, files)


def _said(prompt: str) -> Wire:
    return {"role": "user", "type": "message", "content": prompt}


def _attached(paths: Sequence[str]) -> list[Wire]:
    """Return files, pictures and folders as messages that precede the question."""
    messages: list[Wire] = []
    for path in map(os.path.abspath, paths):
        if path.lower().endswith((".png", ".jpg", ".jpeg")):
            messages.append({"role": "user", "type": "image", "format": "path", "content": path})
        else:
            messages.append({"role": "user", "type": "file", "format": "path", "content": path})
    return messages


def _print_chunks(interpreter: Interpreter, asked: Sequence[Wire]) -> int:
    """Print the native stream, with its status or error at the end; return the exit status."""
    with _stopped_by_ctrl_c(interpreter, lambda: False):
        try:
            for chunk in interpreter.chat(asked, stream=True, extended=False):
                _print_chunk(chunk)
                if _asks(interpreter, chunk):
                    return _refuse(_NOBODY, NOT_APPROVED)
        except AppError as error:
            content = {"content": str(error), "error": {"code": error.code, "message": error.title}}
            _print_chunk({"role": "server", "type": "error", **content})
            return FAILED
    _print_chunk({"role": "server", "type": "status", "content": interpreter.status})
    return STOPPED if interpreter.status == "cancelled" else COMPLETE


def _asks(interpreter: Interpreter, chunk: Wire) -> bool:
    """Return whether a chunk asks for a decision."""
    if chunk["type"] != "confirmation" or interpreter.auto_run:
        return False
    return interpreter.awaits_decision()


def _print_chunk(chunk: Wire) -> None:
    sys.stdout.write(json.dumps(chunk) + "\n")
    sys.stdout.flush()


def _answer(
    interpreter: _Chat, display: TerminalDisplay, typing: TypeAhead, asked: Sequence[Wire]
) -> int:
    """Ask, show the answer, ask the person about its code."""
    interpreter.on_input = display.ask
    interpreter.answers_routes = keyboard.is_interactive()
    with (
        _stopped_by_ctrl_c(interpreter, lambda: display.is_asking),
        _paused_by_key(interpreter, display),
    ):
        try:
            display.wait()
            for chunk in interpreter.chat(asked, stream=True):
                if typing.take_new_line():
                    display.screen.column = 0
                if chunk["type"] == "key_route":
                    answer = display.ask_route(chunk["content"])
                    typing.unread += display.take_typed_ahead()
                    interpreter.answer_route(answer)
                    continue
                display.show(chunk)
                _let_type(interpreter, display, typing, chunk)
                if _asks(interpreter, chunk):
                    verdict = display.decide(chunk, interpreter.bounds)
                    typing.unread += display.take_typed_ahead()
                    if verdict is None:
                        display.close()
                        return _refuse(_NOBODY, NOT_APPROVED)
                    if verdict[0] == "reject":
                        interpreter.reject(verdict[1] or "")
                    else:
                        interpreter.approve(verdict[1])
                if chunk.get("end") or chunk["type"] == "run":
                    display.wait()
        except AppError as error:
            display.fail(error)
            return FAILED
        finally:
            typing.end()
            display.close()
    return STOPPED if interpreter.status == "cancelled" else COMPLETE


def _let_type(
    interpreter: Interpreter, display: TerminalDisplay, typing: TypeAhead, chunk: Wire
) -> None:
    """Send typed text to the code while it runs, including answers to its questions."""
    if chunk["type"] == "run":
        report: Wire = chunk["content"]
        if report["state"] == "started":
            typing.begin()
        else:
            typing.end(report.get("input_bytes", 0))
    elif chunk["type"] == "input" and typing.is_on:
        question: Wire = chunk["content"]
        if question.get("is_secret"):
            typing.hide()
        display.show_question(str(question.get("prompt", "")))
        interpreter.answer_input(None)


def _lines(typed: str) -> list[str]:
    return [line for line in typed.split("\n") if line.strip()]


def _converse(interpreter: _Chat, display: TerminalDisplay, files: Sequence[Wire]) -> int:
    """Ask questions until the end of input, /quit or a second Ctrl-C; `files` go with the first."""
    with contextlib.suppress(ImportError):  # gives input() its editing, and a history in memory
        importlib.import_module("readline")
    # Processes started by a script's `&` inherit that it is ignored; but here is a person.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    display.screen.write_line("Playhead. /help says what can be typed.", "dim")
    was_interrupted = False
    prompt = keyboard.Prompt()
    unread: list[str] = []
    while True:
        try:
            line = prompt.ask("> ", unread.pop(0) if unread else "").strip()
        except EOFError:
            display.screen.write("\n")
            return COMPLETE
        except KeyboardInterrupt:
            display.screen.write("\n")
            if was_interrupted:
                return STOPPED
            was_interrupted = True
            display.screen.write_line("Ctrl-C again, Ctrl-D or /quit leaves.", "dim")
            continue
        was_interrupted = False
        if line == "/quit":
            return COMPLETE
        if _is_command(interpreter, display, line):
            continue
        typing = TypeAhead(interpreter.send_text)
        interpreter.typed = line if prompt.is_typed else ""
        with contextlib.suppress(KeyboardInterrupt):  # only the turn was left; the chat continues
            _answer(interpreter, display, typing, [*files, _said(line)])
        files = ()
        if typing.unread:  # what was typed after it must not overtake it
            unread += _lines(typing.unread + waiting_lines())
            display.show_unread(unread)


def _is_command(interpreter: Interpreter, display: TerminalDisplay, line: str) -> bool:
    """Execute a line that is a command; return whether it was one."""
    if line == "/reset":
        interpreter.reset()
        display.screen.write_line("A new conversation.", "dim")
    elif line == "/help":
        display.screen.write(_HELP)
        hidden = ", ".join(names_of("secrets", os.environ))
        if hidden and "secrets" not in os.environ.get(_ALLOW, ""):
            told = f"Code does not get {hidden}; --allow-access secrets hands them over."
            display.screen.write_line(without_controls(told))
    elif (verb := line.partition(" ")[0]) in _EFFECT_VERBS:
        _show_effects(interpreter, display, verb, line.partition(" ")[2].strip())
    elif verb in ("/grants", "/grant", "/deny", "/revoke"):
        _change_grants(interpreter, display, verb, line.split()[1:])
    elif verb in ("/places", "/place"):
        _choose_place(interpreter, display, verb, line.partition(" ")[2].strip())
    elif verb == "/packages":
        _keep_packages(interpreter, display, line.split()[1:])
    elif line.startswith("/") and " " not in line and "/" not in line[1:]:
        display.screen.write_line(f"{line} is not known; /help says what is.", "dim")
    elif line:
        return False
    return True


def _show_effects(interpreter: Interpreter, display: TerminalDisplay, verb: str, path: str) -> None:
    """List what runs did to files, or take it back, or do it again."""
    try:
        effects = _EFFECT_VERBS[verb](interpreter, path)
    except AppError as error:
        display.fail(error)
        return
    for effect in effects:
        display.show_effect(effect)
    if not effects:
        words = "No code has changed files in this conversation."
        display.screen.write_line("Nothing waits." if verb == "/review" else words, "dim")


def _change_grants(
    interpreter: Interpreter, display: TerminalDisplay, verb: str, words: list[str]
) -> None:
    """List what code is granted and denied, add to that or take one of it back."""
    write = display.screen.write_line
    try:
        if verb == "/grants":
            display.show_grants(interpreter.grants())
        elif verb == "/revoke" and len(words) == 1 and words[0].isdecimal():
            held = interpreter.grants()
            chosen = held[int(words[0]) - 1 : int(words[0])] if int(words[0]) else []
            for grant in chosen:
                interpreter.revoke(grant["id"])
                write(without_controls(f"Revoked: {grant['text']}."), "dim")
            if not chosen:
                write("There is no grant of that number; /grants lists them.", "dim")
        elif verb != "/revoke" and len(words) >= 2:
            scope = words.pop() if len(words) > 2 and words[-1] in GRANT_SCOPES else "conversation"
            target, is_denial = " ".join(words[1:]), verb == "/deny"
            if words[0] in ("read", "write"):
                target = os.path.abspath(os.path.expanduser(target))
            interpreter.grant(words[0], target, scope, deny=is_denial)
            display.show_grants(interpreter.grants())
        else:
            write("/help says how that is written.", "dim")
    except AppError as error:
        display.fail(error)


def _choose_place(interpreter: Interpreter, display: TerminalDisplay, verb: str, name: str) -> None:
    """List where code can run, or have it run there from now on."""
    write = display.screen.write_line
    if verb == "/place" and name:
        interpreter.place = name
        write(without_controls(f"Code runs on {name} from now on."), "dim")
        return
    try:
        for one in interpreter.places(name):
            words = " · ".join(filter(None, (one["name"], one.get("title"), one.get("address"))))
            write(without_controls(words), "" if one["kind"] != "here" else "dim")
    except AppError as error:
        display.fail(error)


def _keep_packages(interpreter: Interpreter, display: TerminalDisplay, words: list[str]) -> None:
    """List the packages that code has for itself, or install some of them outside."""
    write = display.screen.write_line
    try:
        offered = {one["name"]: one for one in interpreter.packages()}
        if not words:
            for one in offered.values():
                there = f" (the environment has {one['there']})" if one["there"] else ""
                write(without_controls(f"{one['name']} {one['version']}{there}"), "")
            write(_KEEP_ADVICE if offered else "No code has installed packages here.", "dim")
        elif words[0] not in ("keep", "build") or not words[1:] or {*words[1:]} - offered.keys():
            write("/packages lists what can be installed: /packages keep NAME.", "dim")
        else:
            chosen = [f"{name} {offered[name]['version']}" for name in words[1:]]
            interpreter.keep_packages(chosen, builds=words[0] == "build")
            write(without_controls(f"Installed: {', '.join(chosen)}."), "dim")
    except AppError as error:
        display.fail(error)


@contextlib.contextmanager
def _stopped_by_ctrl_c(interpreter: Interpreter, is_asking: Callable[[], bool]) -> Generator[None]:
    """Stop the turn in order at Ctrl-C; at a question, or a second time, leave it."""
    presses = 0

    def on_interrupt(*_: object) -> None:
        nonlocal presses
        presses += 1
        if is_asking() or presses > 1:
            raise KeyboardInterrupt
        interpreter.stop()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _paused_by_key(interpreter: Interpreter, display: TerminalDisplay) -> Generator[None]:
    r"""Pause the code that runs at Ctrl-\, or have it go on, where terminals send a signal then."""
    if not hasattr(signal, "SIGQUIT"):
        yield
        return

    def on_key(*_: object) -> None:
        if display.paused_line:
            interpreter.resume()
        else:
            interpreter.pause()

    before = signal.signal(signal.SIGQUIT, on_key)
    try:
        yield
    finally:
        signal.signal(signal.SIGQUIT, before)


def _write_no_more() -> None:
    """Discard what is still buffered for standard output: it would fail again at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _refuse(words: str, status: int = USAGE) -> int:
    from rich.console import Console

    Console(stderr=True, force_jupyter=False).print(words, highlight=False, markup=False)
    return status
