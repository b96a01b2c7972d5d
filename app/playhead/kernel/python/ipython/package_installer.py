"""Install packages into the Python that runs here: by uv, set as pip is, or by pip.

It needs nothing of the kernel: the set-up of the sources loads this file, too.
"""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple
from urllib.parse import urlsplit

Settings = Dict[str, str]
"""Values of pip's options by their long names; several of one option stand in one value."""

_LISTS = {
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
    "constraint": "--constraint",
}
ARGUMENTS = {
    "index-url": "--default-index",
    "no-index": "--no-index",
    "target": "--target",
    **_LISTS,
}
VARIABLES = {
    "cert": ["SSL_CERT_FILE"],
    "client-cert": ["SSL_CLIENT_CERT"],
    "proxy": ["HTTP_PROXY", "HTTPS_PROXY"],
    "timeout": ["UV_HTTP_TIMEOUT"],
    "default-timeout": ["UV_HTTP_TIMEOUT"],
}
"""pip's options as uv's arguments and variables."""
_IDLE_FLAGS = {
    *("break-system-packages", "disable-pip-version-check", "no-cache-dir", "no-color", "no-input"),
    *("no-warn-script-location", "quiet", "require-virtualenv", "verbose"),
}
_IDLE = {*_IDLE_FLAGS, *("cache-dir", "config-file", "progress-bar", "retries", "root-user-action")}
"""Those that change nothing of what is installed. Any other setting is pip's business alone."""
_SAME_FLAGS = {"pre", "no-deps", "force-reinstall", "require-hashes", "dry-run", "upgrade"}
_SAME = {"requirement", "editable", "only-binary", "no-binary"}
"""Options of a command that mean the same to uv, besides those above."""
_SHORT = {
    "-U": "--upgrade",
    "-r": "--requirement",
    "-c": "--constraint",
    "-e": "--editable",
    "-i": "--index-url",
    "-f": "--find-links",
    "-q": "--quiet",
    "-v": "--verbose",
}
_OF_INDEXES = {"index-url", "extra-index-url", "find-links", "no-index"}
_OWN_INDEXES = re.compile(r"^[ \t]*(\[\[)?(pip\.)?(extra-)?(index|find-links|no-index)", re.M)
_OFF = ("", "0", "false", "no", "off")


class Answer(NamedTuple):
    """The outcome of an installation: whether it was done, its words, and else what helps."""

    is_done: bool
    words: str
    advice: str = ""


class NotForUv(Exception):
    """A setting or an option of pip that uv does not have."""


def pip_settings() -> Settings:
    """Return what files and variables set for `pip install`, without running pip."""
    merged: Dict[str, Settings] = {"global": {}, "install": {}}
    for path in _pip_files():
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            return {path: "unreadable"}  # pip says what is wrong with it
        for section in merged.keys() & set(parser.sections()):
            merged[section].update((_option(name), value) for name, value in parser.items(section))
    variables = {
        _option(name[4:]): value for name, value in os.environ.items() if name.startswith("PIP_")
    }
    found = {**merged["global"], **merged["install"], **variables}
    return {name: value for name, value in found.items() if value.strip()}


def unknown_to_uv(settings: Settings) -> List[str]:
    """Return the settings that only pip can follow."""
    return sorted(settings.keys() - ARGUMENTS.keys() - VARIABLES.keys() - _IDLE)


def uv_arguments(settings: Settings) -> List[str]:
    """Return pip's settings as arguments of `uv pip install`."""
    arguments: List[str] = []
    for name, argument in ARGUMENTS.items():
        if name == "no-index":
            arguments += [argument] * (settings.get(name, "").lower() not in _OFF)
        else:
            value = settings.get(name, "")
            for one in value.split() if name != "target" else filter(None, [value]):
                arguments += [argument, one]
    return arguments


def uv_variables(settings: Settings) -> Dict[str, str]:
    """Return uv's environment: pip's settings, and the system's certificates, as pip has them."""
    variables = dict(os.environ)
    for name in ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        if name in os.environ:
            variables["SSL_CERT_FILE"] = os.environ[name]
    for name, meant in VARIABLES.items():
        if name in settings:
            variables.update(dict.fromkeys(meant, settings[name]))
    if _has_system_certificates():
        variables.setdefault("UV_SYSTEM_CERTS", "1")
    return variables


def _has_system_certificates() -> bool:
    if sys.platform == "darwin":
        return True
    import ssl  # takes a while

    return ssl.create_default_context().cert_store_stats()["x509_ca"] > 0


def _pip_files() -> List[str]:
    """Return the paths of pip's files, the stronger ones last."""
    own = os.environ.get("PIP_CONFIG_FILE", "")
    if own == os.devnull:
        return []
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    folders = [*_system_folders("pip"), os.path.expanduser("~/.pip"), *_user_folders("pip")]
    return [os.path.join(folder, name) for folder in [*folders, sys.prefix]] + [own] * bool(own)


def _system_folders(program: str) -> List[str]:
    if sys.platform == "win32":
        return [os.path.join(os.environ.get("PROGRAMDATA", "C:\\ProgramData"), program)]
    if sys.platform == "darwin":
        return [f"/Library/Application Support/{program}", f"/etc/{program}"]
    shared = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    etc = "/etc" if program == "pip" else f"/etc/{program}"
    return [*(os.path.join(one, program) for one in shared.split(os.pathsep) if one), etc]


def _user_folders(program: str) -> List[str]:
    if sys.platform == "win32":
        return [os.path.join(os.environ.get("APPDATA", ""), program)]
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    mac = os.path.expanduser(f"~/Library/Application Support/{program}")
    return [mac] if os.path.isdir(mac) else [os.path.join(config, program)]


def _option(name: str) -> str:
    return name.lower().replace("_", "-").lstrip("-")


def _sets_indexes_for_uv() -> bool:
    """Return whether uv has settings of its own for where packages come from."""
    names = ("INDEX", "DEFAULT_INDEX", "INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "CONFIG_FILE")
    if any(os.environ.get(f"UV_{name}") for name in names):
        return True
    for folder in [*_system_folders("uv"), *_user_folders("uv")]:
        try:
            with open(os.path.join(folder, "uv.toml"), encoding="utf-8") as file:
                if _OWN_INDEXES.search(file.read()):
                    return True
        except (OSError, UnicodeDecodeError):
            pass
    return False


def for_uv(words: Sequence[str], settings: Settings) -> Tuple[List[str], Dict[str, str]]:
    """Return arguments and variables for uv that mean what `pip install WORDS` does.

    Raises NotForUv. What the person has set for uv itself is uv's business, and stronger.
    """
    has_own = _sets_indexes_for_uv()
    if has_own:
        settings = {name: settings[name] for name in settings.keys() - _OF_INDEXES}
    if unknown := unknown_to_uv(settings):
        raise NotForUv(f"pip's setting {', '.join(unknown)}")
    kept, settings = _split(words, settings)
    variables = uv_variables(settings)
    if not has_own and "extra-index-url" in settings:  # pip asks all and takes the newest
        variables.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    # Not the folder's own settings: pip does not read them, and anybody may have written them.
    return ["--project", sys.prefix, *uv_arguments(settings), *_upgrade(kept)], variables


def _split(words: Sequence[str], settings: Settings) -> Tuple[List[str], Settings]:
    """Return the words without what is a setting, too, and the settings with it."""
    settings, kept = dict(settings), list[str]()
    for name, value in _options(words):
        if not name or name in _SAME | _SAME_FLAGS:
            kept += [f"--{name}"] * bool(name) + [value] * (name not in _SAME_FLAGS)
        elif name in _LISTS:
            settings[name] = f"{settings.get(name, '')} {value}"
        elif name not in _IDLE:
            settings[name] = value
    return kept, settings


def _options(words: Sequence[str]) -> Iterator[Tuple[str, str]]:
    """Yield the long names of options with their values, and "" with what is no option's.

    Raises NotForUv.
    """
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-"):
            yield "", word
            continue
        option, has_value, value = _SHORT.get(word, word).partition("=")
        name = option[2:]
        if name in _SAME_FLAGS | _IDLE_FLAGS | {"no-index"}:
            yield name, "1"
            continue
        is_known = name in _SAME | _IDLE | ARGUMENTS.keys() | VARIABLES.keys()
        if not is_known or not (has_value or waiting):
            raise NotForUv(option)  # pip says what is missing
        yield name, value if has_value else waiting.pop(0)


def _upgrade(words: List[str]) -> List[str]:
    """Return the words so that uv, as pip does, upgrades what is named and no more than needed."""
    names = [re.match(r"[A-Za-z0-9][\w.-]*(?![\w.:/\\-])", word) for word in words]
    options = [word for word in words if word.startswith("-")]
    if "--upgrade" not in words or not {"--requirement", "--editable"}.isdisjoint(options):
        return words
    found = [name[0] for name in names if name]
    if len(found) + len(options) != len(words):  # paths and addresses have no name to upgrade by
        return words
    chosen = [part for name in found for part in ("--upgrade-package", name)]
    return [*(word for word in words if word != "--upgrade"), *chosen]


def install(words: Sequence[str], uv: str, show: Callable[[str], None]) -> Answer:
    """Do `pip install WORDS`, by uv where a path to it is given; `show` gets line after line.

    Raises whatever interrupts it, when nothing is half installed.
    """
    is_shut = _is_shut(words)
    answer = _installed(words, uv, show, is_shut)
    return answer if answer.is_done else answer._replace(advice=_advice(answer, words, is_shut))


def _installed(words: Sequence[str], uv: str, show: Callable[[str], None], is_shut: bool) -> Answer:
    if not uv:
        return _by_pip(words, show, is_shut)
    try:
        arguments, variables = for_uv(words, pip_settings())
    except NotForUv as reason:
        show(f"Using pip, not uv, because of {reason}.")
        if not get_pip(uv, show):
            return Answer(False, "There is no pip in this environment, and it could not be had.")
        return _by_pip(words, show, is_shut)
    if is_shut:
        return _by_uv(uv, ["--offline", *arguments], variables, show)
    answer = _by_uv(uv, arguments, variables, show)
    if not answer.is_done and _UNREACHED.search(answer.words):
        kept = _by_uv(uv, ["--offline", *arguments], variables, show)
        return kept if kept.is_done else answer
    is_final = _NO_SUCH.search(answer.words) or _REFUSED.search(answer.words)
    if answer.is_done or is_final or not importlib.util.find_spec("pip"):
        return answer
    show("uv could not do it; trying pip, which takes longer.")
    by_pip = _by_pip(words, show)
    return by_pip if by_pip.is_done else Answer(False, f"{answer.words}\n{by_pip.words}")


_UNREACHED = re.compile(
    r"error sending request|dns error|operation timed out|NewConnectionError|ConnectTimeout"
    r"|Temporary failure in name resolution|Network connectivity is disabled"
)
_NO_SUCH = re.compile(r"was not found in the package registry")
_NETWORK = (
    "The package index cannot be reached. Check the network; behind a proxy or with an index of"
    " your own, set it for pip: `pip config set global.proxy URL`, or global.index-url."
)


_REFUSED = re.compile(r"(?i)\b(401 Unauthorized|403 Forbidden|407 Proxy)|Proxy Authentication")
_LOGIN = (
    "Code is not given the passwords in variables of the environment unless it is allowed secrets."
    " Put that of a package index into ~/.netrc or into pip's file."
)


_NO_NETWORK = "The sandbox has no network. A person can allow %s, or turn it on; code cannot."
_NOT_LISTED = (
    "The index is not among the places that the sandbox lets code reach. A person can allow %s."
)
_INDEX_HOSTS = ("pypi.org", "files.pythonhosted.org")
_SANDBOX = "PLAYHEAD_SANDBOX"
"""The variable that has the state of the sandbox's network: off, listed or on."""
_CONNECT_LIMIT_S = 5.0


def _advice(answer: Answer, words: Sequence[str], is_shut: bool) -> str:
    """Return what a person can do about a failure; "" if nothing is known."""
    if is_shut:
        known = _NO_NETWORK if os.environ.get(_SANDBOX) == "off" else _NOT_LISTED
        return known % " and ".join(host for host, _ in _places(words))
    for sign, advice in ((_REFUSED, _LOGIN), (_UNREACHED, _NETWORK)):
        if sign.search(answer.words):
            return advice
    return ""


def _is_shut(words: Sequence[str]) -> bool:
    """Return whether the sandbox lets nobody reach the index: each try would be another wait.

    It is tried once, so that the report of the run has what was refused.
    """
    state = os.environ.get(_SANDBOX)
    if state not in ("off", "listed"):
        return False
    import socket  # rarely needed

    is_refused = False
    for place in _places(words):
        try:
            socket.create_connection(place, _CONNECT_LIMIT_S).close()
        except ConnectionRefusedError:
            is_refused = True
        except OSError:  # that may pass
            continue
    return is_refused or state == "off"


def _places(words: Sequence[str]) -> List[Tuple[str, int]]:
    """Return the names and ports that an installation has to reach."""
    address = pip_settings().get("index-url", "")
    for number, word in enumerate(words):
        option, has_value, value = _SHORT.get(word, word).partition("=")
        if option == "--index-url":
            address = value if has_value else "".join(words[number + 1 : number + 2])
    index = urlsplit(address)
    if index.hostname:
        return [(index.hostname, index.port or (80 if index.scheme == "http" else 443))]
    return [(host, 443) for host in _INDEX_HOSTS]


def _by_uv(
    uv: str, arguments: Sequence[str], variables: Mapping[str, str], show: Callable[[str], None]
) -> Answer:
    command = [uv, "pip", "install", "--python", sys.executable, "--color", "never", *arguments]
    folder = sysconfig.get_path("purelib")
    before = _entries(folder)
    with _started_deaf(command, variables) as child:
        said: List[str] = []
        try:
            status = _read(child, said, show)
        except BaseException:
            _finish(child, lambda: _entries(folder) != before)
            raise
    first = next((at for at, line in enumerate(said) if line.startswith("error")), 0)
    return Answer(not status, _outcome(said) if not status else "\n".join(said[first:]))


def _by_pip(words: Sequence[str], show: Callable[[str], None], is_shut: bool = False) -> Answer:
    variables = {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if is_shut:
        variables["PIP_RETRIES"] = "0"
    command = [sys.executable, "-m", "pip", "install", *words]
    with _started(command, variables) as child:
        said: List[str] = []
        try:
            status = _read(child, said, show)
        except BaseException:
            if hasattr(signal, "pthread_kill"):
                child.send_signal(signal.SIGINT)  # it puts back what it was about to replace
            else:
                child.kill()
            _wait_through(child)
            raise
    return Answer(not status, _outcome(said) if not status else "\n".join(said))


def get_pip(uv: str, show: Callable[[str], None]) -> bool:
    """Return whether there is a pip here; into an environment made without it, uv installs it."""
    if importlib.util.find_spec("pip") is not None:
        return True
    if not uv:
        return False
    try:
        answer = _by_uv(uv, *for_uv(["pip"], pip_settings()), show)
    except NotForUv:
        return False
    importlib.invalidate_caches()
    return answer.is_done


def _started(command: Sequence[str], variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start a program that nothing can be asked: a question would be a line that never ends."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def _started_deaf(command: Sequence[str], variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start it without SIGINT: uv would end at once, with packages that are there by halves."""
    if not hasattr(signal, "pthread_sigmask"):
        return _started(command, variables)
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return _started(command, variables)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _read(child: "subprocess.Popen[str]", said: List[str], show: Callable[[str], None]) -> int:
    for line in child.stdout or ():
        said.append(line.rstrip())
        show(line.rstrip())
    return child.wait()


def _finish(child: "subprocess.Popen[str]", has_begun: Callable[[], bool]) -> None:
    """End uv, unless it has begun to write into the environment: that takes a moment only."""
    can_pause = hasattr(signal, "SIGSTOP")
    if can_pause:
        child.send_signal(signal.SIGSTOP)
    if not has_begun():
        child.kill()
    elif can_pause:
        child.send_signal(signal.SIGCONT)
    _wait_through(child)


def _wait_through(child: "subprocess.Popen[str]") -> None:
    """Wait for the end, however often Stop is pressed; the program's own limit ends it then."""
    while child.poll() is None:
        try:
            while child.stdout and child.stdout.read(65536):
                pass
            child.wait()
        except KeyboardInterrupt:
            pass


def _entries(folder: str) -> Dict[str, int]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat(follow_symlinks=False).st_mtime_ns for entry in entries}
    except OSError:
        return {}


def remove_halves() -> None:
    """Forget packages whose installation was cut off, which uv would take for whole or refuse."""
    folder = sysconfig.get_path("purelib")
    for name in _entries(folder):
        place = os.path.join(folder, name)
        if name.endswith(".dist-info") and not os.path.isfile(os.path.join(place, "RECORD")):
            shutil.rmtree(place, ignore_errors=True)


def _outcome(said: Sequence[str]) -> str:
    """Return in one line what was installed, or why nothing had to be."""
    by_uv = [line.strip()[2:] for line in said if line.startswith((" + ", " ~ "))]
    if by_uv:
        return f"Successfully installed {' '.join(by_uv)}"
    by_pip = [line for line in said if line.startswith("Successfully installed")]
    if by_pip:
        return by_pip[-1]
    last = said[-1] if said else ""
    return "All of it is installed already." if last.startswith(("Audited", "Checked")) else last
