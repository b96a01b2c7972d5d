"""A kernel of Jupyter that says and does what its code names; started as a script."""

from __future__ import annotations

import os
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(sys.prefix) / "ipykernel"))
kernelapp: Any = import_module("ipykernel.kernelapp")
kernelbase: Any = import_module("ipykernel.kernelbase")


class OddKernel(kernelbase.Kernel):
    """Each line of a block is a word with its value."""

    implementation = "odd"
    implementation_version = banner = "1"
    language_info = {"name": "odd", "mimetype": "text/plain", "file_extension": ".odd"}  # noqa: RUF012

    async def do_execute(
        self, code: str, silent: bool, *given: Any, **named: Any
    ) -> dict[str, Any]:
        """Execute the lines one after the other."""
        try:
            for line in code.splitlines():
                word, _, value = line.partition(" ")
                getattr(self, f"on_{word}")(value)
        except KeyboardInterrupt:
            self._publish("stream", name="stdout", text="interrupted\n")
            return {"status": "error", "ename": "Interrupted", "evalue": "", "traceback": []}
        except ValueError as error:
            failure = {"ename": "Odd", "evalue": str(error)}
            self._publish("error", traceback=[f"\x1b[31mOdd\x1b[0m: {error}, line 2"], **failure)
            return {"status": "error", "traceback": [], **failure}
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}

    def on_print(self, value: str) -> None:
        """Print a text."""
        self._publish("stream", name="stdout", text=value + "\n")

    def on_flood(self, value: str) -> None:
        """Print lines, each in a message of its own."""
        for number in range(int(value)):
            self._publish("stream", name="stdout", text=f"{number}\n")

    def on_late(self, value: str) -> None:
        """Print after the block has ended."""
        parent, session = self.get_parent(), cast("Any", self.session)

        def print_late() -> None:
            for number in range(int(value)):
                session.send(
                    self.iopub_socket,
                    "stream",
                    {"name": "stdout", "text": f"late {number}\n"},
                    parent=parent,
                )
                time.sleep(0.01)

        threading.Thread(target=print_late).start()

    def on_show(self, value: str) -> None:
        """Show a value in a form."""
        kind, _, data = value.partition(" ")
        self._publish("display_data", data={kind: data, "text/plain": "plain"}, metadata={})

    def on_fail(self, value: str) -> None:
        """Fail with a message."""
        raise ValueError(value)

    def on_ask(self, value: str) -> None:
        """Ask for a line, and print it."""
        self._allow_stdin = True
        self.on_print(self.raw_input(value))

    def on_die(self, value: str) -> None:
        """End the process."""
        os._exit(int(value))

    def on_sleep(self, value: str) -> None:
        """Wait for an interrupt; a second one comes too early, and is the end."""
        try:
            time.sleep(float(value))
        except KeyboardInterrupt:
            try:
                time.sleep(0.5)
            except KeyboardInterrupt:
                os._exit(9)
            raise

    def _publish(self, kind: str, **content: Any) -> None:
        self.send_response(self.iopub_socket, kind, content)


if __name__ == "__main__":
    if "--dies" in sys.argv:
        sys.exit("It cannot be started here.")
    kernelapp.IPKernelApp.launch_instance(kernel_class=OddKernel)
