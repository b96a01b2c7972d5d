"""Values as far as they are known, and the meaning of a path, an address or a name."""

from __future__ import annotations

import posixpath
import re
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

TEXT_LIMIT = 4_096
"""The longest text that is followed through code, in characters."""
TEMPORARY = "\0temporary"
"""The beginning of a path in a folder that code has made for a moment."""
SOMETHING = "…"
"""Stands for a part of a target that is not known."""

ValueKind = Literal["text", "path", "name", "list", "thing"]
Place = Literal["inside", "outside", "temporary", "nowhere", "unknown"]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


class Value(Struct, frozen=True):
    """A value as far as it is known: a text, a path, the full name of something, a list of values.

    A `thing` is what calling the name in `text` has made. `is_partial`: the text goes on in a way
    that is not known.
    """

    kind: ValueKind
    text: str = ""
    is_partial: bool = False
    items: tuple[Value | None, ...] = ()

    @property
    def is_text(self) -> bool:
        """Return whether it is a text or a path."""
        return self.kind in ("text", "path")


class Surroundings(Struct, frozen=True, kw_only=True):
    """The place where code would run: the absolute paths of the working and the home folder."""

    folder: str = "/folder"
    home: str = "/home/someone"


_SECRET_PATHS = re.compile(
    r"""(^|/)\.(ssh|gnupg|aws|azure|kube|password-store|mozilla|thunderbird)(/|$)
    | (^|/)\.(netrc|pypirc|npmrc|pgpass|my\.cnf|git-credentials|vault-token|Xauthority)$
    | (^|/)\.env(\.(?!example$|sample$|template$)\w+)?$
    | (^|/)\.\w*_history$
    | (^|/)\.docker/config\.json$ | (^|/)\.config/(gcloud|gh|rclone|google-chrome|chromium)(/|$)
    | (^|/)\.local/share/(keyrings|kwalletd)(/|$) | (^|/)Library/Keychains(/|$)
    | (^|/)id_(rsa|dsa|ecdsa|ed25519)$ | \.(pem|p12|pfx|kdbx|keystore|jks)$
    | (^|/)(Cookies|Login\ Data|logins\.json|key4\.db)$
    | ^/etc/(shadow|gshadow|sudoers) | ^/proc/(self|\d+)/environ$ | ^/run/secrets/
    | (^|/)(credentials|secrets?|tokens?)(\.(json|ya?ml|toml|ini|txt))?$
    """,
    re.VERBOSE,
)
_SETTINGS_PATHS = re.compile(
    r"""(^|/)\.(bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zprofile|zshenv|inputrc
        |vimrc|gitconfig|npmrc|pypirc|condarc|curlrc|wgetrc|netrc|xprofile|xinitrc|tmux\.conf
        |pam_environment|envrc)$
    | (^|/)\.(ssh|gnupg|config|vscode|idea|docker|kube|aws|mozilla)/
    | (^|/)\.git/(hooks/|config$|info/) | (^|/)\.github/workflows/
    | (^|/)\.local/share/(applications|systemd|dbus-1)/ | \.desktop$
    | (^|/)(sitecustomize|usercustomize)\.py$ | \.pth$
    | ^/(etc|boot|usr|opt|lib|var/spool/cron)/ | (^|/)Library/(LaunchAgents|Preferences)/
    | ^[A-Za-z]:[\\/]Windows
    """,
    re.VERBOSE,
)
SECRET_NAMES = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(_|$)"
    r"|DATABASE_URL|(ACCESS|SECRET)_?KEY|APIKEY",
    re.IGNORECASE,
)
_DEVICES = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "NUL", "-"}
)
_HOME = re.compile(r"^(~|\$HOME|\$\{HOME\})(?=/|$)")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]|^\\\\")
_URL = re.compile(
    r"""^\s*(https?|ftps?|sftp|wss?|s3|gs|hdfs|ssh|git|redis|mongodb(\+srv)?
    |postgres(ql)?(\+\w+)?|mysql(\+\w+)?|amqps?|ldaps?|smtps?|imaps?|tcp|udp
    |mssql(\+\w+)?|oracle(\+\w+)?|nats|mqtts?|kafka|az|abfss?|hf)://""",
    re.IGNORECASE | re.VERBOSE,
)


def is_url(text: str) -> bool:
    """Return whether a text is an address of another machine."""
    return _URL.match(text) is not None


def host_of(text: str) -> str:
    """Return the host of an address, with its port; '' if it has none."""
    address = text.strip() if "://" in text else f"//{text.strip()}"
    try:
        parts = urlsplit(address)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        return ""
    if SOMETHING in host or not host:
        return ""
    return f"{host}:{port}" if port else host


def is_secret(path: str) -> bool:
    """Return whether a path is where keys and passwords are usually kept."""
    return _SECRET_PATHS.search(path) is not None


def is_settings(path: str) -> bool:
    """Return whether a path holds settings of other programs, or what they run by themselves."""
    return _SETTINGS_PATHS.search(path) is not None


def expand(path: str, where: Surroundings) -> str:
    """Return a path with the home folder in place of its signs."""
    return _HOME.sub(lambda _: where.home, path, count=1)


def place_of(path: str, where: Surroundings, *, is_partial: bool = False) -> Place:
    """Return where a path is, as seen from the working folder.

    Of a path that goes on in an unknown way only its beginning is looked at.
    """
    if path in _DEVICES or path.startswith("/dev/fd/"):
        return "nowhere"
    if path.startswith(TEMPORARY):
        return "temporary"
    if "$" in path.replace("$HOME", "") or "\0" in path:
        return "unknown"
    path = expand(path, where)
    if _DRIVE.match(path) and not where.folder.startswith(path[:2]):
        return "outside"
    if is_partial and "/" not in path:
        return "unknown" if not path or path.startswith("~") else "inside"
    if path.startswith("~"):
        return "outside"
    return _place_of_whole(path, where)


def _place_of_whole(path: str, where: Surroundings) -> Place:
    folder = posixpath.normpath(where.folder)
    whole = posixpath.normpath(posixpath.join(folder, path))
    if whole == folder or whole.startswith(folder.rstrip("/") + "/"):
        return "inside"
    return "outside"


def join(parts: list[Value | None]) -> Value:
    """Return the path that parts make, up to the first that is not known."""
    text = ""
    for part in parts:
        if part is None or not part.is_text:
            return Value("path", f"{text}/" if text else "", is_partial=True)
        if part.text.startswith(("/", "~", TEMPORARY)) or _DRIVE.match(part.text):
            text = part.text
        else:
            is_here = text in ("", ".", "./")
            text = part.text if is_here else f"{text.rstrip('/')}/{part.text}"
        if part.is_partial or len(text) > TEXT_LIMIT:
            return Value("path", text[:TEXT_LIMIT], is_partial=True)
    return Value("path", text)
