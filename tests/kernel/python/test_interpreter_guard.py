"""A block that damages Python itself is named at once, and the kernel goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kernel.conftest import Talk

NAMED = {
    "builtins.__dict__.clear()": "Restart the kernel: this code took away",
    "builtins.print = None": "(print)",
    "builtins.len = 5; builtins.isinstance = None": "(len, isinstance)",
    "del builtins.__import__": "(__import__)",
    "builtins.__import__ = None; del builtins.__build_class__": "__import__",
    "del builtins.eval, builtins.getattr, builtins.BaseException": "eval",
    "exec('builtins.__dict__.clear(); 1 / 0')": "Restart the kernel",
    "sys.modules.clear()": "the module sys",
    "sys.modules = {}": "sys.modules",
    "del sys.modules['sys'], sys.modules['builtins']": "the module",
    "sys.setrecursionlimit(60)": "the recursion limit",
    "sys.setswitchinterval(100)": "the switch interval",
}
"""Code, and what must be said of it."""

HARMLESS = [
    "sys.stdout = 5",
    "sys.stdout = sys.stderr = None",
    "sys.settrace(lambda *told: 1 / 0)",
    "sys.setprofile(lambda *told: 1 / 0)",
    "sys.settrace(lambda *told: None)",
    "os._exit = os.write = os.getpid = None",
    "os.getpid = lambda: 1; os.write = lambda *told: 0",
    "json.dumps = json.loads = None",
    "time.perf_counter = time.monotonic = None",
    "threading.Thread = threading.Event = threading.get_ident = None",
    "signal.signal = None",
    "sys.exit = sys.flags = None",
    "builtins.print = lambda *told, old=print: old(*told)",
    "sys.excepthook = None",
]


@pytest.fixture(scope="module")
def kernel(make_talk: Callable[..., Talk]) -> Talk:
    talk = make_talk()
    talk.run("import builtins, json, os, signal, sys, threading, time")
    return talk


@pytest.mark.parametrize(("code", "said"), NAMED.items())
def test_what_all_of_python_needs_is_put_back_and_named(kernel: Talk, code: str, said: str) -> None:
    text, _ = kernel.run(f"x = 20\n{code}\nx + 1")
    assert said in text, text
    assert "Restart the kernel" in text
    again, _ = kernel.run("import builtins, sys\nprint(len(str(x)), 'still here')")
    assert again == "2 still here\n", again


@pytest.mark.parametrize("code", HARMLESS)
def test_what_only_the_code_itself_used_is_not_the_kernel_s(
    new_talk: Callable[..., Talk], code: str
) -> None:
    kernel = new_talk()
    text, _ = kernel.run(f"import builtins, json, os, signal, sys, threading, time\n{code}")
    assert "Restart" not in text
    assert "_playhead_kernel" not in text
    again, _ = kernel.run("print(6 * 7)")
    assert again == "42\n", again


def test_values_that_refuse_to_be_compared_are_shown_one_after_the_other(kernel: Talk) -> None:
    never = "class Never:\n    def __eq__(self, other): raise ValueError\n"
    for code in (f"{never}Never()", "Never()", "[Never()]"):
        _, marks = kernel.run(code)
        assert not any(mark.kind == "error" for mark in marks)
