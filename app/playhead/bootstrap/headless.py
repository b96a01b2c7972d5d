"""The sessions without a window: over HTTP, or over the pipes of the program that started us."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys

from msgspec import Struct
from PySide6.QtCore import QCoreApplication

from playhead import __version__
from playhead.api.server.server_options import ServerOptions
from playhead.api.stdio import claim_pipes, serve_stdio
from playhead.api.turns.client_request import ApiPolicy
from playhead.bootstrap.core import TOKEN, Core, Overrides, build_core, close_on_signals
from playhead.bootstrap.maintenance import record_errors
from playhead.bootstrap.server import ProgramAccess, make_server, make_turns
from playhead.bootstrap.start_folder import folders_without_window
from playhead.domain.access import Access
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.domain.trust import PolicyWish
from playhead.errors import AppError, StorageError, phrase
from playhead.event_loop import run
from playhead.storage import log_file, paths
from playhead.storage.crash_reports import CrashWatch, record_crashes

_log = logging.getLogger(__name__)

_OWN_PROGRAM = ApiPolicy(
    may_approve=lambda: True, may_auto_run=lambda: True, approve_switch="", auto_run_switch=""
)
"""The program that started us decides about everything."""
PORT_TAKEN = 3
"""The exit status when the port is another program's."""


class ServeOptions(Struct, frozen=True, kw_only=True):
    """Options of `playhead serve`; None uses the setting."""

    host: str = "127.0.0.1"
    port: int = 5001
    model: str | None = None
    api_base: str | None = None
    folder: str | None = None
    allows_auto_run: bool = False
    allows_policy: bool = False
    limits_rate: bool = True
    max_messages: int | None = None
    allowed_hosts: tuple[str, ...] = ()
    tls_cert: str = ""
    tls_key: str = ""
    allowed: tuple[Access, ...] = ()
    key_routes: tuple[str, ...] = ()
    policy: PolicyWish = PolicyWish()
    log_level: str = "warning"


def run_server(options: ServeOptions) -> int:
    """Serve over HTTP until a signal; return the exit status, `PORT_TAKEN` if the port is taken."""
    log_file.begin(paths.logs_dir(), options.log_level)
    app = QCoreApplication([sys.argv[0]])
    try:
        with record_crashes("server") as crashes:
            return run(_serve_http(options, crashes), app)
    except AppError as error:
        sys.stderr.write(f"{error}\n")
        return PORT_TAKEN if error.code == "port_taken" else 1


def run_stdio(options: ServeOptions) -> int:
    """Serve one program over our standard input and output until it closes them."""
    log_file.begin(paths.logs_dir(), options.log_level)
    app = QCoreApplication([sys.argv[0]])
    with record_crashes("server") as crashes:
        return run(_serve_pipes(crashes, options), app)


async def _serve_http(options: ServeOptions, crashes: CrashWatch) -> int:
    if options.folder is not None:  # else code would run elsewhere
        _check_folder(options.folder)
    how = "`model` in the request, or `playhead serve --model openai/gpt-5`"
    core = build_core(
        Overrides(
            model=options.model,
            api_base=options.api_base,
            folder=options.folder,
            folders=folders_without_window(),
            how_to_choose=how,
            program="playhead serve",
            allowed=options.allowed,
            key_routes=options.key_routes,
            policy=options.policy,
        )
    )
    core.worker.on_exit(crashes.record_worker)
    is_closing = asyncio.Event()
    with close_on_signals(is_closing.set), record_errors(crashes):
        try:
            await _open_history(core)
            await _serve_until(is_closing, core, options)
        finally:
            await core.close()
    return 0


async def _serve_until(is_closing: asyncio.Event, core: Core, options: ServeOptions) -> None:
    access = ProgramAccess(core, _policy(options))
    token = core.token or Secret(secrets.token_urlsafe(32))
    given = _server_options(options, core.ports.settings.current)
    server = make_server(core, access, given, lambda: token)
    await server.start()
    try:
        if core.token is None:
            _print_token(token)
        sys.stdout.write(f"listening on {server.address}\n")
        sys.stdout.flush()
        if hidden := core.executor.left_out("", "secrets"):
            _log.info("code does not get %s; --allow-access secrets gives it", ", ".join(hidden))
        core.warm_up()
        await is_closing.wait()
    finally:
        await server.stop()
        await access.close()


def _check_folder(path: str) -> None:
    if not os.path.isdir(path):
        raise AppError(
            phrase("{path} is not a folder", path=path),
            remedy="Give the path of an existing folder.",
        )


async def _open_history(core: Core) -> None:
    """Open the history and log what is wrong with it; raise AppError if another server has it."""
    try:
        notice = await core.sessions.start()
    except StorageError as error:
        notice = str(error)
    problem = core.sessions.storage.problem
    if problem is not None and problem.code == "in_use":
        raise problem
    await core.settings.load()
    await core.boundary.load()
    core.boundary.test_at_need()
    for words in filter(None, (core.ports.settings.notice, notice, _ignored(core))):
        _log.error("%s", words)


def _ignored(core: Core) -> str:
    """Return a sentence about switches of the settings that nobody has switched on."""
    names = ", ".join(sorted(core.settings.ignored))
    return (
        f"The settings switch on what nobody has switched on in Playhead's window: {names}."
        " It does not count. Switch it on there, or take it out of settings.json."
        if names
        else ""
    )


def _policy(options: ServeOptions) -> ApiPolicy:
    """Return the API's policy without a window: the holder of the token approves."""
    return ApiPolicy(
        may_approve=lambda: True,
        may_auto_run=lambda: options.allows_auto_run,
        may_choose_policy=options.allows_policy,
        approve_switch="the client's approval",
        auto_run_switch="--allow-auto-run (an option of `playhead serve`)",
    )


def _server_options(options: ServeOptions, settings: AppSettings) -> ServerOptions:
    return ServerOptions(
        host=options.host,
        port=options.port,
        allowed_hosts=options.allowed_hosts,
        tls_cert=options.tls_cert,
        tls_key=options.tls_key,
        rate_limit=settings.api_rate_limit if options.limits_rate else 0,
        max_messages=options.max_messages or settings.api_max_messages,
    )


def _print_token(made: Secret) -> None:
    sys.stderr.write(f"token: {made.reveal()}\n(set {TOKEN} to choose it yourself)\n")
    sys.stderr.flush()


async def _serve_pipes(crashes: CrashWatch, options: ServeOptions) -> int:
    stdin, stdout = claim_pipes()
    how = (
        "`playhead chat --model openai/gpt-5`, in Python `interpreter.model`;"
        " its key from `PLAYHEAD_PROVIDER_KEY` or the provider's own variable"
    )
    core = build_core(
        Overrides(
            folders=folders_without_window(),
            keeps_history=False,
            how_to_choose=how,
            allowed=options.allowed,
            key_routes=options.key_routes,
            policy=options.policy,
        )
    )
    core.worker.on_exit(crashes.record_worker)
    turns = make_turns(core, _OWN_PROGRAM)
    is_closing = asyncio.Event()
    with close_on_signals(is_closing.set), record_errors(crashes):
        serve = serve_stdio(core.sessions, turns, stdin, stdout, __version__, core.routes)
        serving = asyncio.create_task(serve)
        closing = asyncio.create_task(is_closing.wait())
        try:
            await core.settings.load()
            await core.boundary.load()
            core.boundary.test_at_need()
            if words := _ignored(core):
                sys.stderr.write(f"{words}\n")
            core.warm_up()
            await asyncio.wait({serving, closing}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()  # a defect must not look like an end in order
        finally:
            for task in (serving, closing):
                task.cancel()
            await asyncio.gather(serving, closing, return_exceptions=True)
            await turns.close()
            await core.close()
    return 0
