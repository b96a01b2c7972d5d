"""Playhead: a desktop code interpreter, and its Python face.

    from playhead import interpreter            # one interpreter, made at its first use
    from playhead import Interpreter            # or one of your own

    for chunk in interpreter.chat("What's 34/24?", stream=True):
        print(chunk)

    playhead.replay("report.ipynb")["result"]   # runs an export again: "same" or "different"

Importing this starts nothing; the first chat starts `playhead serve --stdio`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = [
    "Interpreter",
    "InterpreterError",
    "__version__",
    "create_message",
    "interpreter",
    "replay",
]

if TYPE_CHECKING:
    from playhead.client.export_check import replay
    from playhead.client.kernel_messages import create_message
    from playhead.errors import InterpreterError
    from playhead.terminal.interpreter import Interpreter

    interpreter: Interpreter


def __getattr__(name: str) -> object:
    if name == "InterpreterError":
        from playhead.errors import InterpreterError

        return InterpreterError
    if name == "create_message":
        from playhead.client.kernel_messages import create_message

        return create_message
    if name == "replay":
        from playhead.client.export_check import replay

        return replay
    if name in ("Interpreter", "interpreter"):
        from playhead.terminal.interpreter import Interpreter

        if name == "Interpreter":
            return Interpreter
        return globals().setdefault("interpreter", Interpreter())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
