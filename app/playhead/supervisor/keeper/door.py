"""Runs at the far end of each connection: brings our files, starts a keeper or finds it, waits.

It is sent as text and imports nothing of ours before the files are there. What it says are lines of
JSON; then its standard input and output belong to the keeper.
"""

import errno
import hashlib
import io
import json
import os
import shutil
import socket
import stat
import sys
import time
import zipfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARTS = ("kernel", "supervisor")
_OLD_S = 30 * 24 * 3600
_MOST_BYTES = 64 << 20
_LONGEST_LINE = 1 << 20


def tree_hash(root: str) -> str:
    """Return the hash of our files below a folder: names and contents."""
    found = hashlib.sha256()
    for path in tree_files(root):
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        found.update(b"%s %d\n" % (path.replace(os.sep, "/").encode("utf-8"), len(data)))
        found.update(data)
    return found.hexdigest()[:32]


def tree_files(root: str) -> "list[str]":
    """Return the paths of our files below a folder, in order."""
    found: "list[str]" = []
    for part in PARTS:
        for folder, _, names in os.walk(os.path.join(root, part)):
            inner = os.path.relpath(folder, root)
            found += [os.path.join(inner, name) for name in names if name.endswith(".py")]
    return sorted(found)


class Refusal(Exception):
    """The reason why it goes no further: a word that this end knows, and words for a person."""


def serve() -> None:
    """Serve one connection."""
    try:
        _serve(json.loads(_line()))
    except Refusal as error:
        _say(t="failed", what=error.args[0], words=error.args[1])
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        where = "%s: " % error.filename if error.filename else ""
        words = where + (error.strerror or str(error))
        _say(t="failed", what="disk_full" if is_full else "system", words=words)


def _serve(request: "dict[str, Any]") -> None:
    base = _base()
    if request["ends"]:
        _end(base, *request["ends"].split(" "))
    folder = _folder(base, request["id"])
    line = _connect(folder)
    if line is None:
        if request["mode"] != "start":
            raise Refusal("gone", "Nothing is left of it on %s." % socket.gethostname())
        root = _files(base, request["version"])
        line = _begin(base, folder, root, request)
    root = os.path.join(base, "kernel-" + request["version"])
    facts = json.dumps(request).encode("ascii")
    socket_fds = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, _two_fds())]
    line.sendmsg([facts], socket_fds)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):  # they are the keeper's now: whose end is to be seen
        os.dup2(nothing, fd)
    line.recv(1)


def _folder(base: str, name: str) -> str:
    """Return the folder of a keeper: who sees its name does not know that of the keeper."""
    return os.path.join(base, "kept-" + hashlib.sha256(name.encode("ascii")).hexdigest()[:16])


def _end(base: str, name: str, token: str) -> None:
    """Have a keeper end that could not be reached when it was to."""
    line = _connect(_folder(base, name))
    if line is not None:
        line.sendall(json.dumps({"token": token, "ends": True}).encode("ascii"))
        line.recv(1)
        line.close()


def _two_fds() -> bytes:
    return (0).to_bytes(4, sys.byteorder) + (1).to_bytes(4, sys.byteorder)


def _base() -> str:
    """Return the folder that is ours alone; make it."""
    home = os.path.expanduser("~")
    base = os.path.join(home, ".cache", "playhead")
    try:
        os.makedirs(base, mode=0o700, exist_ok=True)
        is_ours = os.access(base, os.W_OK)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        is_ours = False
    if not is_ours:  # a container whose user has no home
        base = "/tmp/playhead-%d" % os.getuid()  # noqa: S108 - looked at below
        os.makedirs(base, mode=0o700, exist_ok=True)
    facts = os.lstat(base)
    if facts.st_uid != os.getuid() or not stat.S_ISDIR(facts.st_mode):
        raise Refusal("system", base + " belongs to somebody else.")
    if facts.st_mode & 0o077:
        os.chmod(base, 0o700)
    return base


def _connect(folder: str) -> "socket.socket | None":
    """Return a connection to the keeper of a folder; None if there is none."""
    line = socket.socket(socket.AF_UNIX)
    before = os.getcwd()
    try:
        os.chdir(folder)  # the path of a socket has to be short
        line.connect("socket")
    except OSError:
        line.close()
        return None
    finally:
        os.chdir(before)
    return line


def _files(base: str, version: str) -> str:
    """Return the folder of our files in this version, which are asked for if they are not whole."""
    root = os.path.join(base, "kernel-" + version)
    if not os.path.isdir(root) or tree_hash(root) != version:
        _bring(base, root, version)
    os.utime(root)
    for name in os.listdir(base):
        path = os.path.join(base, name)
        if name.startswith("kernel-") and time.time() - os.lstat(path).st_mtime > _OLD_S:
            shutil.rmtree(path, ignore_errors=True)
    return root


def _bring(base: str, root: str, version: str) -> None:
    _say(t="need")
    size = json.loads(_line())["size"]
    if not 0 < size <= _MOST_BYTES:
        raise Refusal("system", "Files of %d bytes." % size)
    data = sys.stdin.buffer.read(size)
    new = "%s.%d" % (root, os.getpid())
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(new)
        if tree_hash(new) != version:
            raise Refusal("system", "Our files did not arrive whole.")
        os.chmod(new, 0o700)
        old = new + ".old"
        if os.path.isdir(root):
            os.rename(root, old)
            shutil.rmtree(old, ignore_errors=True)
        os.rename(new, root)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _begin(base: str, folder: str, root: str, request: "dict[str, Any]") -> socket.socket:
    """Start a keeper, which is no child of the connection's; return a connection to it."""
    start = request["start"]
    start["folder"] = _working_folder(start["folder"])
    if start["python"]:
        start["python"] = os.path.abspath(sys.executable)
    else:
        os.environ["PATH"] = _login_path()
    os.mkdir(folder, 0o700)
    os.chdir(folder)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind("socket")
        listener.listen(4)
        if not os.fork():
            _become_keeper(root, folder, listener, request)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    listener.close()
    line = _connect(folder)
    if line is None:
        raise Refusal("system", "The keeper did not start.")
    os.chdir("/")
    return line


def _become_keeper(
    root: str, folder: str, listener: socket.socket, request: "dict[str, Any]"
) -> None:
    """Leave the connection's session; never returns."""
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1):
            os.dup2(nothing, fd)
        errors = os.open("errors", os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(errors, 2)
        os.chdir("/")
        sys.path.insert(0, root)
        keeper: Any = __import__("supervisor.keeper.keeper", fromlist=["keeper"])
        keeper.main(folder, listener, request)
        os._exit(0)
    except BaseException:
        import traceback

        traceback.print_exc()
        raise
    finally:
        os._exit(1)


def _working_folder(folder: str) -> str:
    path = os.path.realpath(os.path.expanduser(folder or "~"))
    if not os.path.isdir(path):
        if folder:
            raise Refusal("no_folder", folder)
        return "/"
    return path


def _login_path() -> str:
    """Return the PATH that a person has who logs in; ours if the shell does not tell."""
    import subprocess

    own = os.environ.get("PATH", os.defpath)
    shell = os.environ.get("SHELL", "")
    if not os.path.isabs(shell):
        return own
    mark = os.urandom(8).hex()
    script = "printf %%s %s; command env -0; printf %%s %s" % (mark, mark)
    try:
        asked = subprocess.run(
            [shell, "-ilc", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return own
    parts = asked.stdout.split(mark.encode("ascii"))
    for line in parts[1].split(b"\0") if len(parts) == 3 else []:
        if line.startswith(b"PATH="):
            return os.fsdecode(line[5:])
    return own


def _line() -> bytes:
    return sys.stdin.buffer.readline(_LONGEST_LINE)


def _say(**fields: "Any") -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()
