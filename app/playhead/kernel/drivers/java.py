"""Java, one program for each block; run here with Java 17 and 25."""

from __future__ import annotations

import re

from .one_shot import OneShotDriver

_INSTALL = {
    "linux": "Install a JDK (`sudo apt install default-jdk`).",
    "darwin": "Install it with `brew install openjdk`.",
    "": "Install a JDK, version 11 or newer, from https://adoptium.net.",
}
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_IMPORT = re.compile(r"^[ \t]*import\s[^;\n]+;", re.M)
_HEAD = "import java.util.*; public class Main { public static void main(String[] args) \
throws Exception {"


class Java(OneShotDriver):
    """Compiles and runs a file as `java FILE` does, which needs Java 11."""

    word = "java"
    name = "Java"
    programs = ("java",)
    install = _INSTALL
    suffix = ".java"

    def command(self, path: str) -> list[str]:
        """Return the command, with UTF-8 for all text: before Java 18 it is the locale's."""
        options = [f"-D{name}.encoding=UTF-8" for name in ("file", "stdout", "stderr")]
        return [self.context.program, *options, path]

    def prepare(self, code: str) -> str:
        """Return statements alone as the body of a program, each on its own line as before."""
        if _MAIN.search(code):
            return code
        imports = " ".join(match.group().strip() for match in _IMPORT.finditer(code))
        return f"{imports}{_HEAD}{_IMPORT.sub('', code)}\n}}}}\n"
