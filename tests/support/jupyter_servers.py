"""Real Jupyter servers on this computer for tests, and a link to them that can be cut."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from tests.clients.node import FOLDER as NODE_FOLDER
from tests.clients.node import NODE
from tests.support.jupyter import BESIDE

FOLDER = Path(os.environ.get("JUPYTER_SERVERS_FOLDER") or Path(sys.prefix) / "jupyter")
"""Where Jupyter's servers are: in the environment itself they would change other tests."""
TOKEN = "a-token-of-the-tests"
_ODD = str(Path(__file__).parent / "odd_kernel.py")
_START_LIMIT_S = 60
_RUN = "import runpy; runpy.run_module({!r}, run_name='__main__', alter_sys=True)"
_PROXY = NODE_FOLDER / "node_modules" / "configurable-http-proxy" / "bin"


@contextlib.contextmanager
def jupyter_server(
    folder: Path, program: str = "jupyter_server", options: Sequence[str] = ()
) -> Generator[str]:
    """Yield the address of a server of Jupyter's with kernels of its own."""
    if not (FOLDER / "jupyter_server").is_dir():
        pytest.skip("Jupyter's servers are not installed")
    describe_kernels(folder / "data" / "kernels")
    (folder / "root").mkdir()
    port = free_port()
    name = "KernelGatewayApp" if program == "kernel_gateway" else "ServerApp"
    words = [
        *(sys.executable, "-c", _RUN.format(program), "--debug"),
        *(f"--{name}.ip=127.0.0.1", f"--{name}.port={port}", f"--{name}.port_retries=0"),
    ]
    if name == "ServerApp":
        words += [f"--ServerApp.root_dir={folder / 'root'}", "--ServerApp.open_browser=False"]
        words += [f"--IdentityProvider.token={TOKEN}", "--allow-root"]
    else:
        words += [f"--KernelGatewayApp.auth_token={TOKEN}"]
        words += ["--JupyterWebsocketPersonality.list_kernels=True"]
    with open(folder / "server.log", "wb") as log:
        process = subprocess.Popen(
            [*words, *options], cwd=folder, env=variables_of(folder), stdout=log, stderr=log
        )
        try:
            wait_for_port(port, process, folder / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


@contextlib.contextmanager
def jupyter_hub(folder: Path) -> Generator[tuple[str, str]]:
    """Yield the address of a JupyterHub and the token of a user, whose server does not run yet."""
    if not (FOLDER / "jupyterhub").is_dir() or not _PROXY.is_dir():
        pytest.skip("JupyterHub is not installed")
    describe_kernels(folder / "data" / "kernels")
    own = {**variables_of(folder), "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    own["CONFIGPROXY_AUTH_TOKEN"] = TOKEN
    port, inner, control = free_port(), free_port(), free_port()
    settings = _HUB.format(
        url=f"http://127.0.0.1:{port}",
        inner=inner,
        control=f"http://127.0.0.1:{control}",
        proxy=[str(NODE), str(_PROXY / "configurable-http-proxy")],
        server=[sys.executable, "-m", "jupyterhub.singleuser"],
        variables={name: own[name] for name in own if name.startswith(("JUPYTER_", "PY", "IPY"))},
        root=str(folder),
    )
    (folder / "hub.py").write_text(settings)
    hub = [sys.executable, "-c", _RUN.format("jupyterhub"), "-f", "hub.py"]
    made = subprocess.run(
        [*hub[:3], "token", "-f", "hub.py", "anna"],
        cwd=folder,
        env=own,
        capture_output=True,
        text=True,
        check=True,
    )
    with open(folder / "hub.log", "wb") as log:
        process = subprocess.Popen(
            hub, cwd=folder, env=own, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for_port(port, process, folder / "hub.log")
            _wait_for_hub(f"http://127.0.0.1:{port}/hub/api/")
            yield f"http://127.0.0.1:{port}", made.stdout.split()[-1]
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its proxy
            process.wait()


_HUB = """
c = get_config()
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.Authenticator.allowed_users = {{"anna"}}
c.JupyterHub.spawner_class = "simple"
c.JupyterHub.bind_url = {url!r}
c.JupyterHub.hub_port = {inner}
c.ConfigurableHTTPProxy.api_url = {control!r}
c.ConfigurableHTTPProxy.command = {proxy!r}
c.Spawner.cmd = {server!r}
c.Spawner.args = ["--allow-root"]
c.Spawner.environment = {variables!r}
c.Spawner.notebook_dir = {root!r}
c.SimpleLocalProcessSpawner.home_dir_template = {root!r} + "/home"
c.JupyterHub.log_level = "DEBUG"
"""


def variables_of(folder: Path) -> dict[str, str]:
    """Return the environment in which Jupyter sees nothing of this computer's own."""
    places = {
        f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    own = {
        "PYTHONPATH": os.pathsep.join(map(str, (FOLDER, BESIDE))),
        "IPYTHONDIR": str(folder / "ipython"),
        "HOME": str(folder),
    }
    return {**kept, **places, **own, "JUPYTER_NO_CONFIG": "1"}


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until something listens. Raises AssertionError."""
    deadline = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(log.read_text()[-3000:])


def _wait_for_hub(url: str) -> None:
    """Wait until the Hub itself answers behind its proxy."""
    deadline = time.monotonic() + _START_LIMIT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(url) as answer:
            answer.read()
            return
        time.sleep(0.1)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def describe_kernels(folder: Path) -> None:
    """Write what a server needs to start kernels."""
    python = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    odd = [sys.executable, _ODD, "-f", "{connection_file}"]
    for name, argv, language in (("python3", python, "python"), ("odd", odd, "odd")):
        (folder / name).mkdir(parents=True)
        facts = {"argv": argv, "language": language, "display_name": name}
        (folder / name / "kernel.json").write_text(json.dumps(facts))


class LinkProxy:
    """Passes TCP on to a server, and cuts it, or lets nothing through, when it is told to."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._open = threading.Event()
        self._open.set()
        self._is_closed = False
        self.delay_s = 0.0
        self.is_refusing = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Return the address that leads through it."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Close all connections."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                _close(one)

    def blackhole(self) -> None:
        """Let nothing through any more, without closing anything."""
        self._open.clear()

    def heal(self) -> None:
        """Let new connections through; what was in the hole is gone."""
        self.cut()
        self._open.set()

    def close(self) -> None:
        """Close everything."""
        self._is_closed = True
        self._open.set()
        _close(self._listener)
        self.cut()

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                near, _ = self._listener.accept()
                if self.is_refusing:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                continue
            self._pairs.append((near, far))
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not self._open.is_set():
                    self._open.wait()
                    return
                if self.delay_s:
                    time.sleep(self.delay_s)
                target.sendall(data)
        for one in (source, target):
            _close(one)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
