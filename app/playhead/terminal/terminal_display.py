"""Render chunks in the terminal: prose, code, output, results; ask the person there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from playhead.client.chat_transcript import read_facts, read_file_changes, read_run_report
from playhead.client.turn_reader import Verdict
from playhead.domain.access import missing_access, names_of
from playhead.domain.conversation.closing_code import ClosingCode
from playhead.domain.text.python_syntax import syntax_fault
from playhead.domain.text.risk_words import nothing_seen, risk_groups
from playhead.domain.text.terminal import OutputFilter, visible, without_controls
from playhead.errors import AppError
from playhead.terminal import keyboard
from playhead.terminal.screen import Prose, Screen

if TYPE_CHECKING:
    from playhead.domain.conversation.payloads import RunReport

_DIFF_LINES = 30
_WHOLE_LINES, _CONTEXT_LINES = 100, 50
"""Up to the first, all earlier lines are read again for the colours, then only some of them."""


class CodeLines:
    """A line is given as soon as it is whole."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []
        self._rest = ""

    def feed(self, text: str) -> list[Text]:
        """Return the lines that are complete after this text."""
        *whole, self._rest = (self._rest + text).split("\n")
        return self._add(whole)

    def finish(self) -> list[Text]:
        """Return the last line, which may have no line break."""
        rest, self._rest = self._rest, ""
        return self._add([rest]) if rest else []

    def _add(self, lines: list[str]) -> list[Text]:
        if not lines:
            return []
        first = len(self._lines)
        self._lines += [visible(line) for line in lines]
        start = 0 if first <= _WHOLE_LINES else first - _CONTEXT_LINES
        coloured = _coloured("\n".join(self._lines[start:]), self._language)
        numbered = list(enumerate(coloured, start + 1))[first - start :]
        return [Text.assemble((f"{number:>4} │ ", "dim"), line) for number, line in numbered]


def _coloured(code: str, language: str) -> list[Text]:
    syntax = Syntax("", language, theme="ansi_dark", background_color="default")
    text = syntax.highlight(code)
    lines = list(text.split("\n", allow_blank=True))
    return lines[: code.count("\n") + 1]


_LONGEST = 200_000
_TITLE = re.compile(r"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


class Result:
    """Gathers the text of one result, then shows it."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Add a piece of the text."""
        self._pieces.append(text)

    def show(self, screen: Screen) -> None:
        """Write it; what a terminal cannot show is named on one line."""
        text = "".join(self._pieces)
        if self._form == "markdown" and len(text) <= _LONGEST:
            from rich.markdown import Markdown  # slow to import, and rarely needed

            screen.write_block(Markdown(without_controls(text), hyperlinks=False))
        elif self._form in ("markdown", "latex"):
            screen.write_line(without_controls(text).strip("\n"))
        elif text:
            screen.write_line(f"{_named(self._form, text)} (not shown in a terminal)", "magenta")


def _named(form: str, text: str) -> str:
    title = _TITLE.search(text) if form == "html" else None
    words = f" “{' '.join(without_controls(title[1]).split())}”" if title else ""
    return f"{without_controls(form)}{words}, {len(text):,} characters"


Wire = dict[str, Any]

_READ_CHARACTERS = 20_000
_FILES_SHOWN = 8
_ANSWERS = "[y]es, [n]o, [e]dit"


class AnswerBlocks:
    """Counts the code of one answer that is asked about, and keeps a decision about all of it."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._closing = ClosingCode()
        self._calls = 0
        self._number = 0
        self.for_all: Verdict | None = None

    @property
    def _count(self) -> int:
        return self._calls + len(self._closing.waiting)

    @property
    def is_later(self) -> bool:
        """Return whether another block was asked about before this one."""
        return 1 < self._number <= self._count

    def question(self, content: Wire) -> str:
        """Return the question about the current block, which names a kernel and a machine."""
        kernel, machine = str(content.get("kernel", "")), str(content.get("machine", ""))
        where = f" in the Jupyter kernel “{visible(kernel)}”" if kernel else ""
        if machine:
            where += f" on {visible(machine)} in {visible(str(content.get('folder', '')))}"
        if self._count < 2:
            return f"Run this code{where}? {_ANSWERS}: "
        more = ", [a]ll, [s]kip all" if self._number < self._count else ""
        return f"Run block {self._number} of {self._count}{where}? {_ANSWERS}{more}: "

    def decide_all(self, word: str, rest: str) -> bool:
        """Take an answer about this block and all after it; return whether it is one."""
        if self._number < self._count and word in ("a", "all") and not rest:
            self.for_all = "approve", None
        elif self._number < self._count and word in ("s", "skip"):
            self.for_all = "reject", rest
        return self.for_all is not None

    def feed(self, chunk: Wire) -> None:
        """Read a chunk of the answer."""
        match chunk:
            case {"role": "assistant", "type": "code", "start": True}:
                if self._number:  # this is the next answer
                    self._begin()
                self._add(has_call=bool(chunk.get("id")))
            case {"role": "assistant", "type": "message", "content": str(text)}:
                self._closing.add_prose(text)
            case {"type": "confirmation"}:
                self._number += 1
            case _:
                pass

    def _add(self, *, has_call: bool) -> None:
        if has_call:
            self._closing.give_up()
            self._calls += 1
        else:
            self._closing.add_code("")


class TerminalDisplay:
    """Shows one chunk after the other, of all kinds; asks who sits there.

    `is_asking` while a person is being asked.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stdout, force_jupyter=False)
        self.screen = Screen(self._console)
        self.is_asking = False
        self.paused_line = 0
        """The line that the code is paused before; 0 while it is not."""
        self._prose = Prose()
        self._code = CodeLines("python")
        self._output = OutputFilter()
        self._result = Result("")
        self._code_lines: list[str] = []
        self._blocks = AnswerBlocks()
        self._running = ""
        self._printed = ""
        self._typed_ahead = ""
        self._has_said = False

    def show(self, chunk: Wire) -> None:
        """Render one chunk."""
        content = chunk.get("content")
        self._blocks.feed(chunk)
        if chunk.get("start"):
            self._open(chunk)
        elif chunk.get("end"):
            self._close(chunk)
        elif chunk["type"] in ("message", "reasoning", "plan") and isinstance(content, str):
            self._show_prose(content, "" if chunk["type"] == "message" else "dim italic")
        elif chunk["type"] == "code" and chunk["role"] == "assistant":
            self._show_code(self._code.feed(str(content)))
        elif chunk["type"] in ("console", "paused"):
            self._show_console(chunk)
        elif chunk["type"] == "confirmation":
            self._code_lines = str(_fields(chunk).get("content", "")).split("\n")
        elif chunk["type"] == "run":
            self._show_run(chunk)
        elif chunk["type"] == "code":
            self._result.add(str(content))
        elif chunk["type"] in ("files", "tool_result", "tool_call", "image", "usage"):
            self._show_aside(chunk)

    def show_effect(self, content: Wire) -> None:
        """Show what a run did to files and variables, or an undo, and what was left as it is."""
        changes = read_file_changes(content)
        if changes is None:
            return
        from playhead.domain.text import file_effects as texts

        self.screen.end_line()
        head = texts.action_text(changes)
        if changes.action == "run":
            head = f"files: {head}" if head else "variables" if changes.variables else ""
            head = head or "files: not looked at"
            head += "   (/undo takes that back)" if changes.id else ""
        if changes.action == "review":
            head += "   (nothing has happened to the folder: /apply or /discard)"
        self.screen.write_line(visible(head), "dim")
        aside = [one.path for one in changes.set_aside] if "undone" not in content else []
        lines = texts.effect_lines(changes, _FILES_SHOWN)
        for line in lines if changes.action in ("run", "review") or len(lines) > 1 else ():
            self.screen.write_line(f"  {visible(line)}", "dim")
        for line in texts.variable_lines(changes, content.get("variables")):
            self.screen.write_line(f"  {visible(line)}", "dim")
        for conflict in changes.conflicts:
            words = f"{conflict.path}: {texts.conflict_text(conflict)}"
            self.screen.write_line(f"  ! {visible(words)}", "yellow")
        if undone := ", ".join(map(str, content.get("undone") or ())):
            self.screen.write_line(f"  undone: {visible(undone)}", "dim")
        if waiting := ", ".join(map(str, content.get("waiting", aside) or ())):
            words = f"set aside, since other programs would run it: {waiting}"
            self.screen.write_line(f"  ! {visible(words)}   (/keep or /delete)", "yellow")
        for limit in texts.limits_text(changes):
            self.screen.write_line(f"  {visible(limit)}", "dim")

    def show_grants(self, grants: Sequence[Wire]) -> None:
        """Show what code is granted and denied, with the numbers by which one is revoked."""
        for number, grant in enumerate(grants, 1):
            scope = {"run": "for this run", "folder": "for this folder"}.get(grant["scope"], "")
            parts = (scope or "for this conversation", str(grant["cause"]))
            words = f"{number}  {grant['text']}   ({' · '.join(filter(None, parts))})"
            self.screen.write_line(visible(words), "yellow" if grant["deny"] else "")
        if not grants:
            self.screen.write_line("Nothing is granted or denied.", "dim")

    def wait(self) -> None:
        """Show that the model is being asked."""
        self.screen.live("…")

    def decide(self, proposal: Wire, bounds: str = "") -> Verdict | None:
        """Ask whether the code runs; return None if there is no one to ask.

        `bounds` are what the sandbox makes of it, in words.
        """
        if not keyboard.is_interactive():
            return None
        content = proposal["content"]
        language, code = str(content["format"]), str(content["content"])
        before, blocks = code, self._blocks
        if blocks.for_all is not None:
            return blocks.for_all
        if blocks.is_later:  # it was shown above the output of the block before
            self._show_again(code, language)
        self._show_fault(code, language)
        self._show_facts(proposal)
        self._typed_ahead += keyboard.take_typed()
        self._show_bounds(bounds)
        while True:
            answer = self._ask(blocks.question(content))
            if answer is None:
                return "reject", ""
            word, _, rest = answer.strip().partition(" ")
            match word.lower():
                case "y" | "yes" if not rest.strip():  # "yes but …" is not a clear yes
                    return "approve", None if code == before else code
                case "n" | "no":
                    return "reject", rest.strip()
                case "e" | "edit":
                    code = self._edit(code, language)
                case other if blocks.decide_all(other, rest.strip()):
                    is_edited = word.lower().startswith("a") and code != before
                    return ("approve", code) if is_edited else blocks.for_all
                case _:
                    self.screen.write_line("Answer y, n (and why, if you like) or e.", "dim")

    def _show_bounds(self, words: str) -> None:
        if words:
            self.screen.write_line(visible(words), "dim")

    def ask_route(self, question: Wire) -> str:
        """Ask whether a key may take another way; return new, old, remove or later."""
        if not keyboard.is_interactive():
            return "later"
        key = visible(str(question.get("key", "")))
        self.screen.write_line(f"The key “{key}” would go another way:", "yellow")
        for line in question.get("lines", ()):
            self.screen.write_line(f"  {visible(str(line))}")
        self._typed_ahead += keyboard.take_typed()
        can_remove = question.get("can_remove") is True
        answers = {"u": "new", "k": "old", "n": "later", **({"r": "remove"} if can_remove else {})}
        more = ", [r]emove the key" if can_remove else ""
        while True:
            answer = self._ask(f"[u]se the new way, [k]eep the old{more}, [n]either: ")
            if answer is None:
                return "later"
            if (chosen := answers.get(answer.strip().lower()[:1])) is not None:
                return chosen

    def take_typed_ahead(self) -> str:
        """Return what was typed before the questions about code, which is no answer to them."""
        typed, self._typed_ahead = self._typed_ahead, ""
        return typed

    def ask(self, prompt: str, is_secret: bool) -> str | None:
        """Ask for the input that the running code wants; return None if there is no one to ask."""
        if not keyboard.is_interactive():
            return None
        *before, question = without_controls(prompt).split("\n")
        for line in before:
            self.screen.write_line(line)
        return self._ask(question or "> ", is_secret)

    def show_question(self, prompt: str) -> None:
        """Show what the running code wants to know, where what is typed goes to it anyway."""
        *before, question = without_controls(prompt).split("\n")
        for line in before:
            self.screen.write_line(line)
        self.screen.end_line()
        self.screen.write(question or "> ")

    def show_unread(self, lines: Sequence[str]) -> None:
        """Show what was typed while code ran and that the code has not read."""
        for line in filter(str.strip, lines):
            self.screen.write_line(f"typed ahead, not read by the code: {visible(line)}", "dim")

    def fail(self, error: AppError) -> None:
        """Show what went wrong and what to do."""
        self.screen.end_line()
        screen = Screen(Console(stderr=True, force_jupyter=False))
        for text, style in ((f"✗ {error.title}", "bold red"), (error.explanation, "")):
            screen.write_words([(without_controls(text), style)])
            screen.end_line()

    def close(self) -> None:
        """Leave the terminal at the start of a line."""
        self._finish_prose("")
        self.screen.end_line()
        self.show_unread(self.take_typed_ahead().split("\n"))

    def _ask(self, question: str, is_secret: bool = False) -> str | None:
        """Ask for a line; return None at the end of input."""
        self.screen.end_line()
        self.is_asking = True
        try:
            return keyboard.ask_secret(question) if is_secret else keyboard.ask_line(question)
        except EOFError:
            self.screen.write("\n")
            return None
        except KeyboardInterrupt:
            self.screen.write("\n")
            raise
        finally:
            self.is_asking = False

    def _show_fault(self, code: str, language: str) -> None:
        fault = syntax_fault(code) if language == "python" else None
        if fault is not None:
            self.screen.write_line(f"{' ' * (fault.column + 6)}^ {visible(fault.text)}", "red")

    def _edit(self, code: str, language: str) -> str:
        try:
            code = keyboard.edit_code(code, language)
        except (OSError, ValueError) as error:
            self.screen.write_line(f"The editor could not be used: {error}", "red")
            self.screen.write_line("Name one in VISUAL or EDITOR.", "dim")
            return code
        self._show_again(code, language)
        self._code_lines = code.split("\n")
        self._show_fault(code, language)
        return code

    def _show_facts(self, proposal: Wire) -> None:
        """Show what is seen of the code, and what has changed since the code approved last."""
        facts = read_facts(proposal)
        if facts is None:
            return
        content = _fields(proposal)
        for group in risk_groups(facts):
            sign, style = ("⚠ ", "yellow") if group.is_loud else ("", "dim")
            self.screen.write_line(f"  {sign}{visible(group.text)}", style)
        if not facts:
            self.screen.write_line(f"  {nothing_seen()}.", "dim")
        if approved_at := content.get("approved_at"):
            at = datetime.fromtimestamp(approved_at).strftime("%H:%M")
            self.screen.write_line(f"  Same as approved at {at}.", "dim")
        for line in str(content.get("diff", "")).splitlines()[:_DIFF_LINES]:
            style = {"+": "green", "-": "red"}.get(line[:1], "dim")
            self.screen.write_line(f"    {visible(line)}", style)

    def _show_again(self, code: str, language: str) -> None:
        self._code = CodeLines(language)
        self._show_code(self._code.feed(code))
        self._show_code(self._code.finish())

    def _open(self, chunk: Wire) -> None:
        self._finish_prose("")
        self.screen.end_line()
        if self._has_said:  # a blank line between the parts
            self.screen.write("\n")
        self._has_said = chunk["type"] == "message"
        if chunk["type"] == "code" and chunk["role"] == "assistant":
            self.screen.write_line(visible(str(chunk.get("format") or "code")), "dim")
            self._code = CodeLines(str(chunk.get("format") or "text"))
        elif chunk["type"] == "console":
            self._output = OutputFilter()
        elif chunk["type"] == "code":
            self._result = Result(str(chunk.get("format") or "code"))

    def _close(self, chunk: Wire) -> None:
        if chunk["type"] == "code":
            if chunk["role"] == "assistant":
                self._show_code(self._code.finish())
            else:
                self._result.show(self.screen)
            return
        self._finish_prose("" if chunk["type"] == "message" else "dim italic")
        self.screen.end_line()

    def _show_prose(self, text: str, style: str) -> None:
        pieces = self._prose.feed(without_controls(text))
        self.screen.write_words([(part, own or style) for part, own in pieces], is_whole=False)

    def _finish_prose(self, style: str) -> None:
        self.screen.write_words([(part, own or style) for part, own in self._prose.finish()])
        self._prose = Prose()

    def _show_code(self, lines: list[Text]) -> None:
        for line in lines:
            self.screen.write_line(line)

    def _show_console(self, chunk: Wire) -> None:
        content = chunk.get("content")
        if chunk["type"] == "paused":
            self.paused_line = content if isinstance(content, int) else 0
            self._running = self._named_line(self.paused_line) if self.paused_line else ""
        elif chunk.get("format") == "output":
            self._printed = (self._printed + str(content))[-_READ_CHARACTERS:]
            self.screen.write_output(self._output.feed(str(content)))
        else:
            self._running = "" if content is None else self._named_line(int(content))
        self.screen.live(self._running)

    def _named_line(self, number: int) -> str:
        source = self._code_lines[number - 1] if 0 < number <= len(self._code_lines) else ""
        if number == self.paused_line:
            return f"‖ paused before {number} {visible(source.strip())}   (Ctrl-\\ goes on)"
        return f"▶ {number} {visible(source.strip())}   (Ctrl-C stops)"

    def _show_run(self, chunk: Wire) -> None:
        self.paused_line = 0
        if _fields(chunk).get("state") == "started":
            self._printed = ""
            self.screen.live("▶ running   (Ctrl-C stops)")
        elif (report := read_run_report(chunk)) is not None:
            self._show_run_end(report)

    def _show_run_end(self, report: RunReport) -> None:
        from playhead.domain.text.run_ends import refused_text, run_end_text

        text = without_controls(run_end_text(report))
        match report.state:
            case "killed":
                self.screen.write_line(f"■ {text}", "red")
            case "interrupted":
                self.screen.write_line(f"■ {text}", "yellow")
            case "started" | "finished":
                told = f"ran for {report.seconds:.1f} s" + (f". {text}" if text else "")
                self.screen.write_line(told, "yellow" if text else "dim")
        if refused := without_controls(refused_text(report)):
            self.screen.write_line(refused, "yellow")

        if report.hidden:
            from playhead.domain.text.grant_words import hidden_text, short_path

            folder = short_path(os.path.dirname(report.hidden))
            place = short_path(report.hidden) if folder == "~" else folder
            told = f"{hidden_text(report.hidden)} /grant read {place} lets code read it."
            self.screen.write_line(visible(told), "yellow")
        access = missing_access(self._printed)
        if access is not None and names_of(access, os.environ):
            told = f"Code does not reach it; start with --allow-access {access} to let it."
            self.screen.write_line(told, "yellow")

    def _show_aside(self, chunk: Wire) -> None:
        """Show where to find what a terminal cannot show, or that it exists."""
        content = without_controls(str(chunk.get("content", "")))
        match chunk["type"]:
            case "image" if chunk.get("format") == "path":
                self.screen.write_line(f"image: {content}", "magenta")
            case "usage":
                if _fields(chunk).get("has_refused_images"):
                    told = "The model's server takes no pictures; the model got their paths."
                    self.screen.write_line(told, "dim")
            case "files":
                self.show_effect(_fields(chunk))
            case "image":
                self.screen.write_line("image (not shown in a terminal)", "magenta")
            case _:
                self.screen.write_line(content, "dim")


def _fields(chunk: Wire) -> Wire:
    content = chunk.get("content")
    return cast(Wire, content) if isinstance(content, dict) else {}
