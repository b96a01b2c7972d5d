"""Other machines for tests: a real sshd on loopback with keys of its own, and a bad way to it."""

from __future__ import annotations

import getpass
import os
import select
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SSH = shutil.which("ssh")
KEYGEN = shutil.which("ssh-keygen")
HAS_SSHD = bool(SSHD and SSH and KEYGEN)


class BadWay:
    """A TCP proxy to a port that can cut, swallow and delay what passes."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.delay_s = 0.0
        self.is_swallowing = False
        self.is_refusing = False
        self.accepted = 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._is_open = True
        self._threads = [threading.Thread(target=self._accept, name="bad way")]
        self._threads[0].start()

    def cut(self) -> None:
        """End all connections."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it."""
        self._is_open = False
        self.cut()
        for one in self._threads:
            one.join()
        self._listener.close()

    def _accept(self) -> None:
        self._listener.settimeout(0.05)
        while self._is_open:
            try:
                near, _ = self._listener.accept()
            except TimeoutError:
                continue
            if self.is_refusing:
                near.close()
                continue
            self.accepted += 1
            far = socket.create_connection(("127.0.0.1", self._target))
            for one in (near, far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs.append((near, far))
            for one, other in ((near, far), (far, near)):
                thread = threading.Thread(target=self._pass_on, args=(one, other))
                thread.start()
                self._threads.append(thread)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if self.delay_s:
                    time.sleep(self.delay_s)
                if not self.is_swallowing:
                    other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        one.close()


class Machine:
    """One sshd; `variables` lead a carrier to it under the name of `host`."""

    host = "gpu-box"
    passphrase = "open sesame, please"

    def __init__(self, folder: Path) -> None:
        assert SSHD
        self.folder = folder = folder.resolve()
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        for name in ("host", "user", "stranger", "locked"):
            word = self.passphrase if name == "locked" else ""
            command = [KEYGEN, "-q", "-t", "ed25519", "-N", word, "-f", str(folder / name)]
            subprocess.run([str(one) for one in command], check=True)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # sshd wants it of its own system's start
        self._port = _free_port()
        self._write_server()
        command = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
        self.log = folder / "sshd.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self._port)).close()
                break
            select.select([], [], [], 0.02)
        self.way = BadWay(self._port)
        self.configure()
        self._write_ssh()

    @property
    def variables(self) -> dict[str, str]:
        """The environment of this computer's side."""
        return {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def configure(self, key: str = "user", known: str = "host", **more: str) -> None:
        """Write what ssh reads of its user: the key, and which host's key is known, "" for none."""
        known_hosts = self.folder / "known_hosts"
        public = (self.folder / f"{known}.pub").read_text() if known else ""
        known_hosts.write_text(f"[127.0.0.1]:{self.way.port} {public}" if known else "")
        options = {
            "HostName": "127.0.0.1",
            "Port": str(self.way.port),
            "User": getpass.getuser(),
            "IdentityFile": f'"{self.folder / key}"',
            "IdentitiesOnly": "yes",
            "UserKnownHostsFile": f'"{known_hosts}"',
            "GlobalKnownHostsFile": "/dev/null",
            **more,
        }
        lines = [f"Host {self.host}", *(f"  {name} {value}" for name, value in options.items())]
        (self.folder / "ssh_config").write_text("\n".join(lines) + "\n")

    def close(self) -> None:
        """End it, and what it has started."""
        self.way.close()
        self.process.terminate()
        self.process.wait()

    def _write_server(self) -> None:
        keys = [(self.folder / f"{name}.pub").read_bytes() for name in ("user", "locked")]
        (self.folder / "authorized").write_bytes(b"".join(keys))
        (self.folder / "authorized").chmod(0o600)
        lines = {
            "ListenAddress": "127.0.0.1",
            "Port": self._port,
            "HostKey": self.folder / "host",
            "AuthorizedKeysFile": self.folder / "authorized",
            "PidFile": "none",
            "UsePAM": "no",
            "StrictModes": "no",
            "PasswordAuthentication": "no",
            "KbdInteractiveAuthentication": "no",
            "PermitRootLogin": "yes",
            "MaxStartups": "200",
            "PermitUserEnvironment": "no",
            "SetEnv": f"HOME={self.home} LANG=C.UTF-8",
        }
        text = "".join(f"{name} {value}\n" for name, value in lines.items())
        (self.folder / "sshd_config").write_text(text)

    def _write_ssh(self) -> None:
        program = self.folder / "bin" / "ssh"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {SSH} -F "{self.folder / "ssh_config"}" "$@"\n')
        program.chmod(0o755)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def machine(folder: Path) -> Generator[Machine]:
    """A machine that ends with the block."""
    made = Machine(folder)
    try:
        yield made
    finally:
        made.close()
