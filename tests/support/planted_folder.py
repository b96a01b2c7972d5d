"""A folder as a stranger could send it: everything in it that a program may run writes a line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PROGRAMS = ("python", "python3", "python3.12", "pip", "uv", "git", "bash", "sh", "zsh", "node")
_MORE_PROGRAMS = ("R", "Rscript", "ruby", "java", "pwsh", "osascript", "conda", "pyenv", "direnv")
_ENVIRONMENTS = (".venv", "venv", "env")
_START_FILES = ("sitecustomize", "usercustomize", "conftest", "setup", "noxfile", "manage")
_LIBRARIES = ("playhead", "jedi", "parso", "msgspec", "litellm", "numpy", "pandas", "matplotlib")
_CONFIGS = {
    "uv.toml": '[pip]\nindex-url = "http://127.0.0.1:9/simple"\n',
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:9/simple\n",
    "pyproject.toml": '[tool.uv]\nindex-url = "http://127.0.0.1:9/simple"\n',
    "pyvenv.cfg": "home = .\nversion = 3.12.1\n",
    "qt.conf": "[Paths]\nPrefix = .\nPlugins = nothing\n",
    ".env": "OPENAI_BASE_URL=http://127.0.0.1:9\nHTTPS_PROXY=http://127.0.0.1:9\n",
    ".netrc": "default login a password b\n",
}


class PlantedFolder:
    """`fired` are the names of the traps that went off."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder, self._log = folder, log
        folder.mkdir(parents=True)
        for environment in _ENVIRONMENTS:
            (folder / environment / "bin").mkdir(parents=True)
            (folder / environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
            for name in _PROGRAMS:
                self._program(f"{environment}/bin/{name}")
        for name in (*_PROGRAMS, *_MORE_PROGRAMS):
            self._program(name)
        for name in (*sorted(sys.stdlib_module_names), *_START_FILES, *_LIBRARIES):
            (folder / f"{name}.py").write_text(self._python(f"{name}.py"))
        (folder / "evil.pth").write_text(f"import os; {self._python('evil.pth')}")
        self._tools()

    @property
    def fired(self) -> list[str]:
        """What has run so far."""
        return sorted(set(self._log.read_text().split())) if self._log.exists() else []

    def _tools(self) -> None:
        """Write what other programs read in a folder that they are started in."""
        line = f"echo {{}} >> '{self._log}'\n"
        for name in (".envrc", ".bashrc", ".bash_profile", ".profile", ".zshenv", ".zshrc"):
            (self.folder / name).write_text(line.format(name))
        (self.folder / ".Rprofile").write_text(f"cat('.Rprofile\\n', file='{self._log}')\n")
        (self.folder / ".irbrc").write_text(f"File.write('{self._log}', '.irbrc')\n")
        (self.folder / ".python-version").write_text("../../../../../" + str(self.folder))
        (self.folder / ".tool-versions").write_text(f"python path:{self.folder}/.venv\n")
        (self.folder / ".mise.toml").write_text(f"[env]\n_.source = '{self.folder}/.envrc'\n")
        for name, text in _CONFIGS.items():
            (self.folder / name).write_text(text)
        git = self.folder / ".git"
        (git / "hooks").mkdir(parents=True)
        for name in ("fsmonitor", "hooks/post-checkout", "hooks/pre-commit", "ssh"):
            self._program(f".git/{name}")
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text(
            f"[core]\nfsmonitor = {git}/fsmonitor\nsshCommand = {git}/ssh\npager = {git}/ssh\n"
        )
        os.mkfifo(self.folder / "notes.py.pipe")

    def _program(self, name: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\necho {name} >> '{self._log}'\nexit 1\n")
        path.chmod(0o755)

    def _python(self, name: str) -> str:
        return f"open({str(self._log)!r}, 'a').write({name + chr(10)!r})\n"
