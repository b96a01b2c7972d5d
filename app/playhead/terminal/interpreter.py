"""The interpreter of the Python face: a client that can show its chats in the terminal."""

from __future__ import annotations

from playhead.client.display import Display
from playhead.client.interpreter import InterpreterClient


class Interpreter(InterpreterClient):
    """One conversation with a model whose code runs on this machine; see `InterpreterClient`."""

    def _new_display(self) -> Display:
        from playhead.terminal.display import TerminalDisplay  # rich is for who displays

        return TerminalDisplay()
