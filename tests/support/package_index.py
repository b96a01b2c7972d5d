"""A package index on the loopback interface, with wheels that it makes itself."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def wheel(name: str, files: Mapping[str, str], version: str = "1.0", needs: str = "") -> bytes:
    """A package of plain modules."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = "".join(f"{path},,\n" for path in (*files, f"{info}/METADATA", f"{info}/WHEEL"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", f"{rows}{info}/RECORD,,\n")
    return packed.getvalue()


class PackageIndex:
    """The index at `url`; `asked` are the paths that were asked for, and by whom."""

    def __init__(self) -> None:
        self.wheels: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.is_locked = False
        """Whether it wants a password, which nobody has."""
        self.flows = threading.Event()
        """Cleared, wheels begin and do not go on."""
        self.flows.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        poll = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs=poll)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def add(
        self, name: str, files: Mapping[str, str], version: str = "1.0", needs: str = ""
    ) -> None:
        """Have a version of a package."""
        file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        self.wheels[file] = wheel(name, files, version, needs)

    @contextmanager
    def serving(self) -> Iterator[PackageIndex]:
        """Answer until the block ends."""
        self._thread.start()
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """Refuse connections from now on."""
        if self._thread.is_alive():
            self.flows.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def programs(self) -> set[str]:
        """Who has asked: "uv", "pip"."""
        return {agent.partition("/")[0] for _, agent in self.asked}

    def _answer(self, path: str) -> tuple[str, bytes] | None:
        if path.startswith("/files/"):
            held = self.wheels.get(path.removeprefix("/files/"))
            return ("application/octet-stream", held) if held is not None else None
        name = path.removeprefix("/simple/").strip("/")
        files = [file for file in self.wheels if file.partition("-")[0].replace("_", "-") == name]
        links = "".join(f'<a href="/files/{file}">{file}</a>\n' for file in files)
        return ("text/html", links.encode()) if files else None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.asked.append((self.path, self.headers.get("User-Agent", "")))
                found = index._answer(self.path)
                if found is None or index.is_locked:
                    self.send_error(401 if index.is_locked else 404)
                    return
                kind, data = found
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command == "HEAD":
                    return
                if kind == "text/html":
                    self.wfile.write(data)
                    return
                self.wfile.write(data[:10])
                index.flows.wait()
                self.wfile.write(data[10:])

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Write nothing into the test's output."""

        return Handler
