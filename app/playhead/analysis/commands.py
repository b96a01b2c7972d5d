"""Tell what a command of a shell does, from its name and arguments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.targets import Value, is_url, word_set

_IN_PLACE = re.compile(r"-[nEr]\w*i")
Arguments = Sequence[Value | None]
_Handler = Callable[[FactCollector, int, str, Arguments], None]

QUIET = word_set(
    """: [ [[ alias arch awk base64 basename bc break bunzip2 bzcat cal cat cd cksum clear
    cmp column comm command continue csplit cut date declare df diff dir dircolors dirname
    dirs du echo egrep eval exit expand export expr factor false fg fgrep file find fmt
    fold free getopts gawk getconf grep groups hash head help hexdump history hostname
    iconv id jobs join jq less let local locale ls lsb_release lscpu lsblk lsof mapfile
    md5sum mktemp more nl nproc numfmt od paste pathchk popd pr printenv printf ps pushd
    pwd read readarray readlink readonly realpath return rev rg sed seq set shasum sha1sum
    sha256sum sha512sum shift shopt shuf sleep sort stat strings sum tac tail test time
    timeout top tr tree trap true tsort tty type typeset ulimit umask unalias uname
    unexpand uniq unset uptime users vdir vmstat wait wc which who whoami xxd yes yq zcat
    zgrep fc-list lsmod getent groups ldd nm objdump readelf strace ss netstat ip"""
)
"""Commands that only look, print or compute, unless what they are given says otherwise."""
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_PYTHONS = frozenset({"python", "python3", "python2", "pypy", "pypy3", "ipython"})
_INTERPRETERS = {"node": "javascript", "nodejs": "javascript", "ruby": "ruby"}
_PREFIXES = frozenset(
    [
        "sudo",
        "doas",
        "nohup",
        "nice",
        "ionice",
        "time",
        "exec",
        "command",
        "builtin",
        "stdbuf",
        "setsid",
        "env",
        "timeout",
        "xvfb-run",
        "then",
        "do",
    ]
)
_READERS = word_set(
    """cat less more head tail cp mv grep egrep base64 xxd od hexdump strings cut sed awk tar
    zip rsync scp source . openssl jq yq sort tee curl"""
)
_REMOTE = word_set(
    """curl wget ssh scp sftp rsync ftp lftp telnet nc ncat netcat socat ping ping6
    traceroute dig nslookup host whois aria2c http https httpie xh nmap mosh aws gcloud az
    gsutil s3cmd rclone gh glab hub heroku kubectl helm psql mysql mongosh mongo redis-cli
    mosquitto_pub sendmail mail mutt huggingface-cli hf kaggle yt-dlp youtube-dl speedtest
    twine"""
)
_TAKES_HOST = word_set(
    """ssh ping nc telnet curl wget host dig nslookup sftp ftp whois traceroute nmap mosh"""
)
_TOOL_OPTIONS = word_set(
    """-o -O -d -H -X -u -A -e -F -T -b -c -p -P -i -l -m -n -t -U -C -f -w -r -x --data
    --header --request --user --output --user-agent --form --cookie --max-time --url
    --retry --data-raw --data-binary --output-document --directory-prefix
    --connect-timeout"""
)


def run_command(collector: FactCollector, line: int, argv: Arguments) -> None:
    """Add what a command does."""
    argv = _without_prefixes(collector, line, argv)
    if not argv:
        return
    first = argv[0]
    if first is None or not first.is_text or first.is_partial or not first.text:
        collector.program(line, first)
        collector.unknown(line, "program")
        return
    name, arguments = posixpath.basename(first.text), argv[1:]
    _read_secrets(collector, line, name, arguments)
    handler = _HANDLERS.get(name)
    if handler is not None:
        handler(collector, line, name, arguments)
    elif name in _REMOTE:
        _reach(collector, line, name, arguments)
    elif name in SHELLS or name in _INTERPRETERS or _is_python(name):
        _interpret(collector, line, name, arguments)
    elif name not in QUIET or (
        "/" in first.text and not first.text.startswith(("/bin", "/usr/bin"))
    ):
        collector.program(line, first)
        if "/" in first.text:
            collector.starts_script(first.text)


def _without_prefixes(collector: FactCollector, line: int, argv: Arguments) -> Arguments:
    """Return the command that `sudo`, `env` and others of their kind start."""
    while argv and _text(argv[0]).rpartition("/")[2] in _PREFIXES:
        name, argv = _text(argv[0]), argv[1:]
        while argv and (_text(argv[0]).startswith("-") or "=" in _text(argv[0])):
            takes_value = _text(argv[0]) in ("-u", "-n", "-g", "-i", "-o") and len(argv) > 1
            argv = argv[2:] if takes_value and name in ("sudo", "nice", "doas") else argv[1:]
        if name == "timeout" and argv:
            argv = argv[1:]
    return argv


def _text(value: Value | None) -> str:
    return value.text if value is not None and value.is_text else ""


def _operands(arguments: Arguments, with_value: frozenset[str] = frozenset()) -> list[Value | None]:
    """Return the arguments that are no options."""
    found: list[Value | None] = []
    skips = False
    is_ended = False
    for argument in arguments:
        text = _text(argument)
        if skips:
            skips = False
        elif text == "--" and not is_ended:
            is_ended = True
        elif is_ended or not text.startswith("-") or text == "-":
            found.append(argument)
        else:
            skips = text in with_value
    return found


def _option(arguments: Arguments, *names: str) -> tuple[bool, Value | None]:
    """Return whether an option is given, and its value."""
    for at, argument in enumerate(arguments):
        text = _text(argument)
        if text in names:
            return True, arguments[at + 1] if at + 1 < len(arguments) else None
        for name in names:
            if name.startswith("--") and text.startswith(f"{name}="):
                assert argument is not None  # noqa: S101 - it has a text
                value = Value("text", text.partition("=")[2], argument.is_partial)
                return True, value
            if len(name) == 2 and text.startswith(name) and not text.startswith("--"):
                return True, Value("text", text[2:])
    return False, None


def _read_secrets(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    if name in _READERS:
        for argument in arguments:
            if argument is not None and not is_url(_text(argument)):
                text = _text(argument).removeprefix("@")
                collector.read(line, Value("text", text, argument.is_partial))


def _is_python(name: str) -> bool:
    return name in _PYTHONS or (name.startswith("python3.") and name[8:].isdigit())


# What single commands do.


def _delete(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    for operand in _operands(arguments) or [None]:
        collector.delete(line, operand)


def _write_all(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    with_value = frozenset({"-t", "-d", "-r", "-s", "-m", "--date", "--reference", "--size"})
    for operand in _operands(arguments, with_value) or [None]:
        collector.write(line, operand)


def _write_later(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    """Add writes to all operands but the first, which is a mode or an owner."""
    for operand in _operands(arguments)[1:] or [None]:
        collector.write(line, operand)


def _copy(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    is_given, folder = _option(arguments, "-t", "--target-directory")
    operands = _operands(arguments, frozenset({"-t", "--target-directory", "-m", "-o", "-g", "-S"}))
    sources = operands if is_given else operands[:-1]
    collector.write(line, folder if is_given else operands[-1] if operands else None)
    if name == "mv":
        for source in sources:
            collector.write(line, source)


def _sync(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    operands = _operands(arguments, frozenset({"-e", "-i", "-P", "-p", "--exclude", "--include"}))
    for operand in operands:
        if _is_remote(_text(operand)):
            host = _text(operand).partition(":")[0].rpartition("@")[2]
            collector.network(line, Value("text", host))
    if operands and not _is_remote(_text(operands[-1])):
        collector.write(line, operands[-1])
    if _option(arguments, "--delete", "--delete-after")[0]:
        collector.delete(line, operands[-1] if operands else None)


def _is_remote(text: str) -> bool:
    head, colon, _rest = text.partition(":")
    return bool(colon) and "/" not in head and len(head) > 1


def _dd(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    for argument in arguments:
        if argument is not None and argument.text.startswith("of="):
            collector.write(line, Value("text", argument.text[3:], argument.is_partial))


def _sed(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    in_place = any(
        text.startswith(("-i", "--in-place")) or _IN_PLACE.match(text)
        for text in map(_text, arguments)
    )
    if in_place:
        operands = _operands(arguments, frozenset({"-e", "-f", "-pe", "-ne"}))
        has_script = any(_text(one) in ("-e", "-f", "-pe", "-ne") for one in arguments)
        for operand in operands[0 if has_script else 1 :] or [None]:
            collector.write(line, operand)
    elif name == "perl":
        is_code, code = _option(arguments, "-e", "-ne", "-pe")
        collector.program(line, Value("text", name))
        if is_code and code is not None:
            collector.unknown(line, name)


def _find(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    start = arguments[0] if arguments and not _text(arguments[0]).startswith("-") else None
    root = (
        Value("text", ".")
        if start is None and _text(arguments[0] if arguments else None)
        else start
    )
    for at, argument in enumerate(arguments):
        if _text(argument) == "-delete":
            collector.delete(line, _within(root))
        elif _text(argument) in ("-exec", "-execdir", "-ok", "-okdir"):
            command = [
                _within(root) if _text(one) == "{}" else one
                for one in arguments[at + 1 :]
                if _text(one) not in (";", "\\;", "+")
            ]
            run_command(collector, line, command)


def _within(root: Value | None) -> Value | None:
    if root is None or not root.is_text:
        return None
    return Value("path", root.text.rstrip("/") + "/", is_partial=True)


def _xargs(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    at = 0
    while at < len(arguments) and _text(arguments[at]).startswith("-"):
        at += 2 if _text(arguments[at]) in ("-n", "-I", "-P", "-d", "-L", "-a", "-s") else 1
    if command := list(arguments[at:]):
        run_command(
            collector, line, [*(None if _text(one) == "{}" else one for one in command), None]
        )


def _archive(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    flags = "".join(_text(one).lstrip("-") for one in arguments[:1])
    texts = [_text(one) for one in arguments]
    is_extract = "x" in flags or "--extract" in texts or "--get" in texts
    is_create = "c" in flags or "r" in flags or "u" in flags or "--create" in texts
    has_folder, folder = _option(arguments, "-C", "--directory")
    if is_extract and "O" not in flags:
        collector.write(line, folder if has_folder else Value("text", "."))
    elif is_create and "f" in flags and len(arguments) > 1:
        collector.write(line, arguments[1])
    elif is_create:
        collector.write(line, _option(arguments, "--file", "-f")[1])
    if "--remove-files" in texts:
        collector.delete(line, None)


def _unzip(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    if any(_text(one) in ("-l", "-p", "-t", "-Z", "l", "t") for one in arguments):
        return
    has_folder, folder = _option(arguments, "-d")
    collector.write(line, folder if has_folder else Value("text", "."))


def _zip(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    operands = _operands(arguments)
    if name == "7z":
        operands = operands[1:]
    collector.write(line, operands[0] if operands else None)


def _compress(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    texts = [_text(one) for one in arguments]
    if any(one in ("-c", "-l", "-t", "--stdout", "--list", "-dc", "-cd") for one in texts):
        return
    for operand in _operands(arguments):
        collector.write(line, operand)


def _reach(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    """Add that a tool reaches other machines, and the files that it writes."""
    found = [one for one in arguments if one is not None and is_url(one.text)]
    operands = _operands(arguments, _TOOL_OPTIONS)
    if not found and name in _TAKES_HOST:
        hosts = [one for one in operands if one is not None and "." in one.text + "."]
        if hosts and name in ("ssh", "sftp", "mosh"):
            hosts = [Value("text", hosts[0].text.rpartition("@")[2], hosts[0].is_partial)]
        port = _text(operands[1]) if name in ("nc", "telnet") and len(operands) > 1 else ""
        found = [
            Value("text", f"{one.text}:{port}" if port else one.text, one.is_partial)
            for one in hosts[:1]
        ]
    for one in found or [None]:
        collector.network(line, one)
    _write_downloads(collector, line, name, arguments, found)


def _write_downloads(
    collector: FactCollector, line: int, name: str, arguments: Arguments, found: list[Value]
) -> None:
    if name == "curl":
        has_file, file = _option(arguments, "-o", "--output")
        if has_file:
            collector.write(line, file)
        elif any(
            _text(one) in ("-O", "-LO", "-OL", "--remote-name", "-sSLO", "-fsSLO")
            for one in arguments
        ):
            _write_name(collector, line, found)
    elif name == "wget":
        has_file, file = _option(arguments, "-O", "--output-document")
        has_folder, folder = _option(arguments, "-P", "--directory-prefix")
        if has_file:
            collector.write(line, file)
        elif has_folder:
            collector.write(line, folder)
        else:
            _write_name(collector, line, found)
    elif name == "ssh" and len(_operands(arguments, _TOOL_OPTIONS)) > 1:
        collector.unknown(line, "ssh")


def _write_name(collector: FactCollector, line: int, found: list[Value]) -> None:
    """Add a write of the file that an address ends with."""
    name = found[0].text.partition("?")[0].rpartition("/")[2] if found else ""
    collector.write(line, Value("text", name) if name else None)


def _interpret(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    """Add what an interpreter runs: a module, code in an argument, a script."""
    collector.program(line, Value("text", name))
    language = "bash" if name in SHELLS else _INTERPRETERS.get(name, "python")
    is_module, module = _option(arguments, "-m") if language == "python" else (False, None)
    if is_module:
        _run_module(collector, line, _text(module), arguments)
        return
    flag = "-c" if language in ("bash", "python") else "-e"
    for at, argument in enumerate(arguments):
        text = _text(argument)
        is_code = text == flag or (language == "bash" and text[:1] == "-" and text.endswith("c"))
        if is_code:
            code = arguments[at + 1] if at + 1 < len(arguments) else None
            collector.code_in_text(line, language, code)
            return
    operands = _operands(arguments, frozenset({"-W", "-X", "-r", "-o"}))
    if operands and operands[0] is not None and not operands[0].is_partial:
        if _text(operands[0]) != "-":
            collector.starts_script(_text(operands[0]))
    elif operands:
        collector.unknown(line, language)


def _run_module(collector: FactCollector, line: int, module: str, arguments: Arguments) -> None:
    texts = [_text(one) for one in arguments]
    rest = arguments[texts.index("-m") + 2 :] if "-m" in texts else arguments
    if module in ("pip", "ensurepip", "pipx", "uv", "conda"):
        _install(collector, line, module, rest)
    elif module == "http.server":
        collector.network(line, Value("text", "localhost:8000"))
    elif module == "venv":
        _write_all(collector, line, module, rest)


_INSTALLS = word_set(
    """install add i ci sync inject create update upgrade uninstall remove download reinstall
    full-upgrade purge require bundle tap get -S -Sy -Syu dist-upgrade"""
)


def _install(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    """Add what a package manager installs; its other words only look."""
    operands = _operands(arguments, frozenset({"-r", "-c", "-i", "--index-url", "-t", "-n", "-p"}))
    words = [_text(one) for one in operands]
    if name == "ensurepip":
        collector.add("installs_packages", line, "pip")
        return
    if name in ("npx", "bunx"):
        collector.add("installs_packages", line, words[0] if words else "", "likely")
        collector.program(line, operands[0] if operands else None)
        return
    if name == "pacman":
        words = [_text(one) for one in arguments]
    if not words and name in ("yarn", "bundle"):
        words = ["install"]
    at = 1 if words[:1] in (["pip"], ["global"], ["env"], ["tool"]) else 0
    if not words[at:] or words[at] not in _INSTALLS:
        if words[at : at + 1] in (["run"], ["exec"], ["start"], ["test"], ["tool"]):
            collector.program(line, Value("text", " ".join([name, *words[at : at + 2]])))
        return
    names = words[at + 1 :]
    file = _option(arguments, "-r", "--requirement")[1]
    for package in names or [_text(file)]:
        collector.add("installs_packages", line, package, "certain" if package else "unknown")
        if is_url(package.removeprefix("git+")):
            collector.network(line, Value("text", package.removeprefix("git+")))


def _git(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    operands = _operands(arguments, frozenset({"-C", "-c", "-m", "-b", "--depth", "--branch"}))
    word = _text(operands[0]) if operands else ""
    texts = [_text(one) for one in arguments]
    rest = operands[1:]
    if word in ("clone", "fetch", "pull", "push", "ls-remote") or (
        word in ("submodule", "remote", "lfs") and texts[-1:] and {"update", "pull"} & set(texts)
    ):
        _git_remote(collector, line, word, rest)
    elif word == "config" and {"--global", "--system"} & set(texts):
        collector.add("changes_settings", line, "~/.gitconfig")
    elif word in ("clean", "rm"):
        for operand in rest or [Value("text", ".")]:
            collector.delete(line, operand)
    elif word in ("reset", "checkout", "restore", "switch", "stash", "rebase", "merge", "apply",
                  "am", "revert", "cherry-pick", "init", "add", "commit", "mv", "tag", "config",
                  "branch", "gc"):  # fmt: skip
        is_hard = word == "reset" and "--hard" in texts
        collector.write(line, Value("text", "." if is_hard or word in ("mv", "stash") else ".git"))
        if word == "branch" and {"-D", "-d", "--delete"} & set(texts):
            collector.delete(
                line, Value("text", f".git/refs/heads/{_text(rest[0] if rest else None)}")
            )


def _git_remote(collector: FactCollector, line: int, word: str, rest: Arguments) -> None:
    address = _text(rest[0]) if rest else ""
    if _is_remote(address) and not is_url(address):
        address = address.partition(":")[0].rpartition("@")[2]
    is_named = is_url(address) or "." in address
    collector.network(line, Value("text", address) if is_named else None)
    if word == "clone":
        name = _text(rest[0]).rstrip("/").rpartition("/")[2].removesuffix(".git") if rest else ""
        collector.write(line, rest[1] if len(rest) > 1 else Value("text", name))
    elif word in ("pull", "fetch"):
        collector.write(line, Value("text", "." if word == "pull" else ".git"))


def _change_settings(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    texts = [_text(one) for one in arguments]
    if {"-l", "list", "get", "read", "status", "--version", "show", "is-active"} & set(texts):
        return
    collector.add("changes_settings", line, " ".join([name, *texts[:2]]).strip())
    collector.program(line, Value("text", name))


def _download_image(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    word = _text(arguments[0]) if arguments else ""
    collector.program(line, Value("text", name))
    if word in ("pull", "push", "login", "run", "build"):
        collector.network(line, None)
    if word in ("rm", "rmi", "prune") or "prune" in map(_text, arguments):
        collector.delete(line, None)


def _kill(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    names = " ".join(_text(one) for one in arguments if not _text(one).startswith("-"))
    collector.program(line, Value("text", f"{name} {names}".strip()))


def _environment(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    operands = _operands(arguments)
    if not operands:
        collector.add("reads_secrets", line, "environment", "likely")
    for operand in operands:
        collector.variable(line, _text(operand))


def _eval(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    known = [one for one in arguments if one is not None and not one.is_partial]
    if len(known) != len(arguments):
        collector.unknown(line, "eval")
    else:
        text = " ".join(one.text for one in known)
        collector.code_in_text(line, "bash", Value("text", text))


def _source(collector: FactCollector, line: int, name: str, arguments: Arguments) -> None:
    text = _text(arguments[0]) if arguments else ""
    if arguments and arguments[0] is not None and not arguments[0].is_partial:
        if not text.endswith("/activate"):
            collector.starts_script(text)
            collector.program(line, Value("text", text))
    else:
        collector.unknown(line, name)


def _table(entries: Mapping[str, _Handler]) -> dict[str, _Handler]:
    return {name: handler for names, handler in entries.items() for name in names.split()}


_HANDLERS = _table(
    {
        "rm rmdir unlink shred srm trash trash-put rimraf del erase rd": _delete,
        "touch mkdir tee truncate mkfifo split fallocate install-info setfacl": _write_all,
        "chmod chown chgrp": _write_later,
        "cp mv install ln": _copy,
        "rsync scp": _sync,
        "dd": _dd,
        "sed gsed perl": _sed,
        "find fd": _find,
        "xargs parallel": _xargs,
        "tar bsdtar": _archive,
        "unzip unrar": _unzip,
        "zip 7z": _zip,
        "gzip gunzip bzip2 xz unxz zstd": _compress,
        "pip pip3 pipx uv conda mamba apt apt-get dnf yum zypper pacman brew npm pnpm yarn bun gem "
        "bundle cargo go snap flatpak npx bunx poetry pdm easy_install apk port choco "
        "winget": _install,
        "git": _git,
        "crontab systemctl gsettings dconf defaults update-alternatives chsh usermod useradd "
        "passwd launchctl sysctl ufw iptables xdg-mime xdg-settings setx reg service visudo "
        "at": _change_settings,
        "docker podman": _download_image,
        "kill pkill killall shutdown reboot halt poweroff": _kill,
        "printenv": _environment,
        "eval": _eval,
        "source .": _source,
    }
)
