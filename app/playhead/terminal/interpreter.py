"""The interpreter of the Python face: a client that can show its chats in the terminal."""

from __future__ import annotations

from playhead.client.interpreter_client import InterpreterClient
from playhead.client.turn_reader import Display
from playhead.terminal import keyboard


class Interpreter(InterpreterClient):
    """One conversation with a model whose code runs on this machine; see `InterpreterClient`."""

    def _new_display(self) -> Display:
        from playhead.terminal.terminal_display import TerminalDisplay  # imports rich

        return TerminalDisplay()

    def _has_input(self, display: bool, extended: bool) -> bool:
        return super()._has_input(display, extended) or (display and keyboard.is_interactive())
