from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playhead.kernel import protocol
from tests.support.guards import descendants
from tests.support.waiting import LIMIT_S, until_now

KERNEL = Path(protocol.__file__).parent


def test_the_path_begins_with_the_working_folder_and_gains_nothing_else(
    new_talk: Callable[[], Any], tmp_path: Path
) -> None:
    text, _ = new_talk().run("import sys\nprint('\\n'.join(sys.path))")
    plain = subprocess.run(
        [sys.executable, "-c", "import sys; print('\\n'.join(sys.path[1:]))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert text == f"{tmp_path}\n{plain.stdout}"


@pytest.mark.parametrize(
    "name", ["protocol", "display", "runner", "errors", "json", "ast", "queue"]
)
def test_the_users_own_modules_are_found_first(
    new_talk: Callable[[], Any], tmp_path: Path, name: str
) -> None:
    (tmp_path / f"{name}.py").write_text("mine = 'yes'")
    text, _ = new_talk().run(
        f"import sys\nsys.modules.pop({name!r}, 0)\nimport {name}\n{name}.mine"
    )
    assert text == "'yes'\n"


def test_the_end_of_commands_ends_the_kernel_with_its_children(
    new_talk: Callable[[], Any],
) -> None:
    before = set(descendants())
    kernel = new_talk()
    kernel.run("import subprocess\nchild = subprocess.Popen(['sleep', '600'])")
    kernel.process.stdin.close()
    kernel.process.wait(LIMIT_S)
    kernel.process.stdout.close()
    until_now(lambda: not set(descendants()) - before)


def test_the_kernel_needs_nothing_but_the_standard_library() -> None:
    script = (
        "import sys, importlib.util as u\n"
        f"s = u.spec_from_file_location('k', r'{KERNEL / '__init__.py'}',"
        f" submodule_search_locations=[r'{KERNEL}'])\n"
        "m = u.module_from_spec(s); sys.modules['k'] = m; s.loader.exec_module(m)\n"
        "import k.host\n"
        "assert 'playhead' not in sys.modules"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True)


def test_it_can_serve_from_inside_the_program(tmp_path: Path) -> None:
    commands = protocol.encode_command("hello", nonce="cafe", spool=str(tmp_path))
    commands += protocol.encode_command("execute", run="r", code="6 * 7", folder=str(tmp_path))
    commands += protocol.encode_command("exit")
    script = "import sys; from playhead.kernel.boot import main; sys.exit(main(['--kernel']))"
    kernel = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(KERNEL.parents[1])},
        start_new_session=True,
    )
    assert kernel.stdin
    assert kernel.stdout
    kernel.stdin.write(commands)
    kernel.stdin.flush()
    output = kernel.stdout.read()
    assert kernel.wait(LIMIT_S) == 0
    kernel.stdin.close()
    kernel.stdout.close()
    assert b"42\n" in output
