"""Collects what code does: each call of its methods is one thing that a line was seen to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from playhead.analysis.targets import (
    SECRET_NAMES,
    SOMETHING,
    Surroundings,
    Value,
    host_of,
    is_secret,
    is_settings,
    is_url,
    join,
    place_of,
)
from playhead.domain.trust import Certainty, RiskFact, RiskKind

FACTS_LIMIT = 500
_TARGET_LIMIT = 200
_NESTING_LIMIT = 3
"""How deep code in the texts of code is read."""

_SQL_DELETES = re.compile(
    r"\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX)(?:\s+IF\s+EXISTS)?"
    r"|DELETE\s+FROM|TRUNCATE\s+TABLE)\s+[\"'`\[]?([\w.]+)",
    re.IGNORECASE,
)


class FactCollector:
    """Holds the facts of one code; `module` names the local module that it is, '' for the block.

    `nested` reads code of another language in a text, such as a line for the shell.
    """

    def __init__(
        self,
        where: Surroundings,
        module: str = "",
        nested: Callable[[FactCollector, str, str], None] = lambda collector, language, code: None,
    ) -> None:
        self.where = where
        self.module = module
        self.depth = 0
        self.facts: dict[RiskFact, None] = {}
        self.modules: dict[str, None] = {}
        """The names of what the code imports, in order."""
        self.scripts: dict[str, None] = {}
        """The paths of the scripts that it starts."""
        self._nested = nested
        self._line = 0
        self._folder: Value | None = Value("path")

    def add(
        self, kind: RiskKind, line: int, target: str = "", certainty: Certainty = "certain"
    ) -> None:
        """Add a fact once."""
        if len(self.facts) < FACTS_LIMIT:
            target = target.strip()[:_TARGET_LIMIT]
            line = self._line or line
            fact = RiskFact(
                kind=kind, line=line, target=target, certainty=certainty, module=self.module
            )
            self.facts[fact] = None

    def delete(self, line: int, value: Value | None) -> None:
        """Add that a file or folder is deleted."""
        self._add_path("deletes", line, value)

    def write(self, line: int, value: Value | None) -> None:
        """Add that a file or folder is written or changed."""
        if value is not None and value.kind == "thing":
            return  # in memory
        if value is not None and value.is_text and is_url(value.text):
            self.network(line, value)
            return
        self._add_path("writes_inside", line, value)

    def read(self, line: int, value: Value | None) -> None:
        """Add a fact if what is read is a secret or on another machine."""
        if value is None or not value.is_text:
            return
        if is_url(value.text):
            self.network(line, value)
        elif is_secret(value.text):
            self.add("reads_secrets", line, _shown(value), _certainty(value))

    def network(self, line: int, value: Value | None) -> None:
        """Add that another machine is reached; the value is an address or a host."""
        host = host_of(value.text) if value is not None and value.is_text else ""
        if value is not None and value.is_partial and "/" not in value.text.partition("://")[2]:
            host = ""  # the name may go on
        self.add("network", line, host, "certain" if host else "unknown")

    def variable(self, line: int, name: str) -> None:
        """Add a fact if a variable of the environment holds a secret by its name."""
        if SECRET_NAMES.search(name):
            self.add("reads_secrets", line, name)

    def program(self, line: int, value: Value | None) -> None:
        """Add that a program is started."""
        if value is None or not value.is_text or not value.text:
            self.add("starts_programs", line, "", "unknown")
        else:
            self.add("starts_programs", line, _shown(value), _certainty(value))

    def unknown(self, line: int, why: str) -> None:
        """Add that it cannot be told what a line does; `why` names what hides it."""
        self.add("cannot_be_told", line, why, "unknown")

    def sql(self, line: int, value: Value | None) -> None:
        """Add what a text of SQL deletes."""
        if value is not None and value.is_text:
            for found in _SQL_DELETES.finditer(value.text):
                self.add("deletes", line, found[1])

    def code_in_text(self, line: int, language: str, value: Value | None) -> None:
        """Read code in a text; all its facts are of this line."""
        is_known = value is not None and value.is_text and not value.is_partial
        if not is_known or self.depth >= _NESTING_LIMIT:
            self.unknown(line, "shell" if language == "bash" else language)
            return
        assert value is not None  # noqa: S101 - it is known
        self.depth += 1
        outer, self._line = self._line, self._line or line
        try:
            self._nested(self, language, value.text)
        finally:
            self._line = outer
            self.depth -= 1

    def code_at(self, line: int, language: str, code: str) -> None:
        """Read code that begins at a line; its facts have their own lines."""
        before = set(self.facts)
        self.depth += 1
        try:
            self._nested(self, language, code)
        finally:
            self.depth -= 1
        found = [one for one in self.facts if one not in before]
        for fact in found:
            del self.facts[fact]
        for fact in found:
            self.facts[replace(fact, line=fact.line + line - 1)] = None

    def partial_shell(self, line: int, text: str) -> None:
        """Add what is in the beginning of a line for the shell; its end is not known."""
        words = text.split()
        if words and self.depth < _NESTING_LIMIT:
            self.code_in_text(line, "bash", Value("text", f'{text}"$UNKNOWN"'))

    def command(
        self,
        line: int,
        argv: Sequence[Value | None],
        run: Callable[[FactCollector, int, Sequence[Value | None]], None],
    ) -> None:
        """Add what a command line does that is given as a list."""
        self.depth += 1
        try:
            if self.depth <= _NESTING_LIMIT:
                run(self, line, argv)
        finally:
            self.depth -= 1

    def change_folder(self, value: Value | None) -> None:
        """Have relative paths begin in another folder from now on; None: it is not known."""
        if value is None or self._folder is None:
            self._folder = None
        else:
            self._folder = join([self._folder, value]) if self._folder.text else value

    def imports(self, name: str) -> None:
        """Record that a module is imported, which may be a local one."""
        self.modules[name] = None

    def starts_script(self, path: str) -> None:
        """Record that a script is started, which may be a local one."""
        self.scripts[path] = None

    def _add_path(self, kind: RiskKind, line: int, value: Value | None) -> None:
        if value is None or not value.is_text:
            self.add(kind, line, "", "unknown")
            return
        value = self._placed(value)
        place = place_of(value.text, self.where, is_partial=value.is_partial)
        if place in ("nowhere", "temporary"):
            return
        if place == "unknown":
            self.add(kind, line, _shown(value), "unknown")
            return
        if kind == "writes_inside" and place == "outside":
            kind = "writes_outside"
        self.add(kind, line, _shown(value), _certainty(value))
        if is_settings(value.text):
            self.add("changes_settings", line, _shown(value), _certainty(value))

    def _placed(self, value: Value) -> Value:
        """Return a path as seen from the folder in which the code begins."""
        text = value.text
        if self._folder is not None and not self._folder.text:
            return value
        if text.startswith(("/", "~", "\0", "$")) or re.match(r"[A-Za-z]:[\\/]", text):
            return value
        return join([self._folder, value]) if self._folder else Value("path", "", is_partial=True)


def sorted_facts(facts: Sequence[RiskFact]) -> tuple[RiskFact, ...]:
    """Return facts in the order of their lines, those of modules behind the code's own."""
    return tuple(sorted(facts, key=lambda fact: (fact.module, fact.line)))


def _certainty(value: Value) -> Certainty:
    return "likely" if value.is_partial else "certain"


def _shown(value: Value) -> str:
    return value.text + SOMETHING if value.is_partial else value.text
