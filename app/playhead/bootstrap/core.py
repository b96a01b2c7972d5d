"""Everything but the faces: the adapters, the sessions, and the order in which they end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import Struct

from playhead.domain.access import Access
from playhead.domain.model import DIRECT_MODEL, named_model
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.domain.trust import PolicyWish
from playhead.errors import AppError
from playhead.execution.process_executor import ProcessExecutor
from playhead.providers.catalog import ModelCatalog, key_variables
from playhead.session.model_choice import api_base_for, describe_model, settings_for
from playhead.session.ports import Records, SessionPorts
from playhead.session.sessions import Sessions
from playhead.session.trust.route_guard import RoutedProvider, RouteGuard
from playhead.storage import paths
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import KeyringEntries, KeyringKeys
from playhead.storage.process_privacy import hide_process, take_from_environment
from playhead.storage.recorded_sandbox import RecordedSandbox
from playhead.storage.settings import OverriddenSettings, SettingsFile, WitnessedSettings
from playhead.storage.working_folders import WorkingFolders

if TYPE_CHECKING:
    from playhead.checking.checker import Checker
    from playhead.domain.execution import Place
    from playhead.domain.trust import BoundaryReport
    from playhead.execution.code_reader import CodeReader
    from playhead.execution.environments.interpreters import InterpreterFinder
    from playhead.execution.environments.package_keeper import PackageKeeper
    from playhead.execution.file_watch import FileWatch
    from playhead.execution.keeping.variable_keeper import VariableKeeper
    from playhead.execution.machines.other_places import OtherPlaces
    from playhead.execution.risk_reader import RiskReader
    from playhead.providers.provider import Provider
    from playhead.providers.worker import ModelWorker
    from playhead.sandbox.sandbox import Sandbox
    from playhead.storage.history.no_history import NoHistory
    from playhead.storage.history.sqlite_history import SqliteHistory

T = TypeVar("T")

_log = logging.getLogger(__name__)
PROVIDER_KEY = "PLAYHEAD_PROVIDER_KEY"
TOKEN = "PLAYHEAD_TOKEN"  # noqa: S105 - the name of a variable


class Overrides(Struct, frozen=True, kw_only=True):
    """Settings that a command line overrides; None keeps the setting.

    `folders` are those of new conversations. `keeps_history` False: conversations live as long as
    the process. `how_to_choose` says how a model is chosen, where there is no window. `program`
    names this process where another one wants the same data folder. `allowed` is what code of all
    conversations gets of the desktop and the environment, `key_routes` are digests of ways of keys
    that were confirmed, `policy` is what code of new conversations may do. `has_window`: a person
    can be asked before a new kernel gets the variables of the last one.
    """

    model: str | None = None
    api_base: str | None = None
    folder: str | None = None
    folders: WorkingFolders | None = None
    keeps_history: bool = True
    how_to_choose: str = ""
    program: str = "Playhead's window"
    allowed: tuple[Access, ...] = ()
    key_routes: tuple[str, ...] = ()
    policy: PolicyWish = PolicyWish()
    has_window: bool = False


class Core(Struct, frozen=True, kw_only=True):
    """Everything but the faces. `token` is what clients of the server present, where given."""

    ports: SessionPorts
    settings: WitnessedSettings
    routes: RouteGuard
    executor: ProcessExecutor
    reader: CodeReader
    files: FileWatch
    provider: Provider
    worker: ModelWorker
    interpreters: InterpreterFinder
    keys: KeyStore
    history: SqliteHistory | NoHistory
    sessions: Sessions
    boundary: RecordedSandbox
    checker: Checker
    token: Secret | None
    _chores: list[asyncio.Task[None]] = msgspec.field(default_factory=list[asyncio.Task[None]])

    @property
    def records(self) -> Records:
        """Return what keeps the records of programs."""
        return self.history.records

    def warm_up(self) -> None:
        """Start what takes seconds ahead of the first message and the first run."""
        settings = settings_for(self.ports.settings.current, self.ports.catalog)
        self._chores.append(asyncio.create_task(self.warm_model(settings)))
        self._chores.append(asyncio.create_task(self.executor.prepare()))
        if not self.ports.settings.current.interpreter:  # else the managed one is not needed
            self._chores.append(asyncio.create_task(self._prepare_python()))

    async def warm_model(self, settings: AppSettings) -> None:
        """Start what asks the model of these settings; without one nothing is loaded for it."""
        catalog = self.ports.catalog
        model = describe_model(settings.model, settings, catalog)
        if model.model == DIRECT_MODEL:
            return
        address = api_base_for(settings.model, settings, catalog)
        await self.provider.warm(msgspec.structs.replace(model, api_base=address or None))

    async def _prepare_python(self) -> None:
        with contextlib.suppress(AppError):  # reported where the interpreter is shown, and at a run
            await self.interpreters.default()

    def supervisors(self) -> tuple[int, ...]:
        """Return the ids of the parents of all kernels, those of checks too."""
        checks = self.checker.supervisors() if is_made(self.checker) else ()
        return self.executor.supervisors() + checks

    async def close(self) -> None:
        """End sessions, kernels and the workers; write what is left."""
        async with contextlib.AsyncExitStack() as parts:  # one that fails must not keep the others
            parts.callback(self.keys.close)
            parts.push_async_callback(self.interpreters.close)
            parts.push_async_callback(self.ports.provider.close)
            parts.callback(self._close_packages)
            parts.push_async_callback(self.files.close)
            parts.push_async_callback(self.ports.executor.close)
            if is_made(self.checker):
                parts.push_async_callback(self.checker.close)
            parts.push_async_callback(self.reader.close)
            parts.push_async_callback(self.sessions.close)
        await asyncio.gather(*self._chores, return_exceptions=True)

    def _close_packages(self) -> None:
        if self.ports.packages is not None:
            self.ports.packages.close()


def build_core(overrides: Overrides | None = None, stored: SettingsFile | None = None) -> Core:
    """Take the keys out of the environment and make the adapters, over `stored` settings if any."""
    wanted = overrides or Overrides()
    variables = key_variables()
    secrets = take_from_environment(variables.values())
    hide_process()
    chosen = _settings(wanted, stored or SettingsFile(paths.settings_path()))
    catalog = ModelCatalog()
    keys = _make_keys(secrets, variables | _operator_key(catalog, chosen.current, secrets))
    settings = WitnessedSettings(chosen, keys)
    routes = RouteGuard(keys, settings, catalog, wanted.key_routes, wanted.api_base)
    settings.learn = routes.learn
    sandbox = deferred(lambda: _make_sandbox(lambda: boundary.report, paths.homes_dir()))
    boundary = RecordedSandbox(sandbox, paths.boundary_path())
    files = deferred(lambda: _make_files(executor))
    keeper = _make_keeper(wanted, settings)
    executor = _make_executor(wanted, tuple(variables.values()), sandbox, files, keeper, keys)
    worker, interpreters = deferred(_make_worker), deferred(_make_interpreters)
    reader = deferred(lambda: _make_reader(variables))
    history = deferred(lambda: _make_history(wanted))
    provider = deferred(lambda: _make_provider(worker, executor, wanted.how_to_choose))
    ports = SessionPorts(
        provider=deferred(lambda: RoutedProvider(provider, routes)),
        executor=executor,
        interpreters=interpreters,
        settings=settings,
        keys=keys,
        catalog=catalog,
        folders=wanted.folders,
        reader=reader,
        sandbox=boundary,
        policy=wanted.policy,
        is_root=_is_root(),
        risks=deferred(_make_risks),
        files=files,
        packages=deferred(lambda: _make_packages(sandbox)),
        saved_variables=keeper,
        places=deferred(lambda: _make_places(executor)),
        far_side=deferred(lambda: executor.far_side),
    )
    return Core(
        ports=ports,
        settings=settings,
        routes=routes,
        executor=executor,
        reader=reader,
        files=files,
        provider=provider,
        worker=worker,
        interpreters=interpreters,
        keys=keys,
        history=history,
        sessions=Sessions(ports, history),
        boundary=boundary,
        checker=deferred(lambda: _make_checker(variables, lambda: boundary.report)),
        token=secrets.get(TOKEN),
    )


def _make_keys(secrets: Mapping[str, Secret], names: Mapping[str, str]) -> KeyStore:
    return KeyStore(secrets, names, KeyringKeys(KeyringEntries(), paths.keyring_lock_path()))


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _make_executor(
    wanted: Overrides,
    drop: tuple[str, ...],
    sandbox: Sandbox,
    files: FileWatch,
    keeper: VariableKeeper | None,
    keys: KeyStore,
) -> ProcessExecutor:
    async def token_of(place: Place) -> Secret | None:
        from playhead.domain.places import key_of  # not needed for the first paint

        return (await keys.get(key_of(place.address))).secret

    return ProcessExecutor(
        paths.outputs_dir(),
        drop=drop,
        files=files,
        make_folder=wanted.folders.make if wanted.folders else lambda folder: False,
        allowed=wanted.allowed,
        sandbox=sandbox,
        keeper=keeper,
        token_of=token_of,
    )


def _make_places(executor: ProcessExecutor) -> OtherPlaces:
    from playhead.execution.machines.other_places import OtherPlaces

    return OtherPlaces(executor.place_questions)


def _make_keeper(wanted: Overrides, settings: WitnessedSettings) -> VariableKeeper | None:
    """Return what keeps variables; nothing where conversations are not kept either."""
    if not wanted.keeps_history:
        return None

    def make() -> VariableKeeper:
        from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
        from playhead.storage.variable_store import VariableStore

        def wish() -> Saving:
            now = settings.current
            return Saving(now.keeps_variables, now.restores_variables)

        store = VariableStore(paths.variables_dir())
        return VariableKeeper(store, wish, asks=wanted.has_window)

    return deferred(make)


class _Deferred:
    """Stands for an object that is made when something of it is first used."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._made: object = None
        self.then: list[Callable[[Any], object]] = []

    @property
    def is_made(self) -> bool:
        """Return whether the object was made."""
        return self._made is not None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
            for call in self.then:
                call(self._made)
        return getattr(self._made, name)


def is_made(part: object) -> bool:
    """Return whether something of a part was used, if it is one that is made only then."""
    return not isinstance(part, _Deferred) or part.is_made


def when_made(part: T, call: Callable[[T], object]) -> None:
    """Call with the object as soon as something of it is used."""
    if isinstance(part, _Deferred) and not part.is_made:
        part.then.append(call)
    else:
        call(part)


def deferred(make: Callable[[], T]) -> T:
    """Return what stands for the object: it is imported and made when it is first used."""
    return cast("T", _Deferred(make))


def _make_worker() -> ModelWorker:
    from playhead.providers.worker import ModelWorker

    return ModelWorker(log_path=paths.logs_dir() / "model.log")


def _make_provider(worker: ModelWorker, executor: ProcessExecutor, how_to_choose: str) -> Provider:
    from playhead.providers.direct import DirectMode
    from playhead.providers.provider import Provider

    direct = DirectMode(executor.canonical, executor.why_not, how_to_choose)
    return Provider(worker, executor.canonical, direct)


def _make_interpreters() -> InterpreterFinder:
    from playhead.execution.environments.interpreters import InterpreterFinder

    return InterpreterFinder(paths.environments_dir())


def _make_risks() -> RiskReader:
    from playhead.execution.risk_reader import RiskReader

    return RiskReader()


def _make_packages(sandbox: Sandbox) -> PackageKeeper:
    from playhead.execution.environments.package_keeper import PackageKeeper

    return PackageKeeper(sandbox.packages)


def _make_sandbox(known: Callable[[], BoundaryReport], homes: Path) -> Sandbox:
    from playhead.sandbox.sandbox import PrivatePlaces, Sandbox

    data = paths.data_dir()
    never_inside = (paths.outputs_dir(), paths.environments_dir(), paths.homes_dir())
    never_inside += (paths.backups_dir(), paths.logs_dir(), paths.config_dir(), paths.cache_dir())
    program = Path(sys.executable).parent if getattr(sys, "frozen", False) else Path(sys.prefix)
    outside = (data, program, Path(__file__).resolve().parent.parent)
    return Sandbox(
        PrivatePlaces(
            home=os.path.realpath(Path.home()),
            homes=homes,
            outside=tuple(os.path.realpath(place) for place in outside),
            never_inside=tuple(os.path.realpath(place) for place in never_inside),
        ),
        known=known,
    )


def _make_checker(variables: Mapping[str, str], known: Callable[[], BoundaryReport]) -> Checker:
    from playhead.checking.checker import Checker
    from playhead.execution.environments.locked_environments import LockedEnvironments

    def make(place: Path) -> ProcessExecutor:
        own = _make_sandbox(known, place / "homes")
        drop = tuple(variables.values())
        return ProcessExecutor(place / "outputs", drop=drop, sandbox=own)

    return Checker(paths.checks_dir(), make, LockedEnvironments())


def _make_reader(variables: Mapping[str, str]) -> CodeReader:
    from playhead.execution.code_reader import CodeReader

    return CodeReader(paths.parsed_code_dir(), drop=tuple(variables.values()))


def _make_files(executor: ProcessExecutor) -> FileWatch:
    from playhead.execution.file_watch import FileWatch

    return FileWatch(paths.undo_dir(), paths.data_dir(), supervisors=executor.supervisors)


def _make_history(wanted: Overrides) -> SqliteHistory | NoHistory:
    if wanted.keeps_history:
        from playhead.storage.history.sqlite_history import SqliteHistory

        holder = f"{wanted.program} (process {os.getpid()})"
        history = SqliteHistory(paths.history_path(), paths.outputs_dir(), holder, _delete_work)
    else:
        from playhead.storage.history.no_history import NoHistory

        history = NoHistory(paths.outputs_dir())
    history.on_failure(_log_failure)
    return history


def _delete_work(conversation_id: str) -> None:
    """Delete what kernels of a conversation have kept, also of one deleted before a crash."""
    from playhead.storage.variable_store import VariableStore
    from playhead.undo_worker.protocol import mark_copies

    mark_copies(paths.undo_dir(), conversation_id)
    VariableStore(paths.variables_dir()).delete(conversation_id)


def _log_failure(error: Exception | None) -> None:
    """Log that nothing is stored, or that it is again, also where no window shows it."""
    if error is None:
        _log.warning("The conversations are being saved again.")
    else:
        _log.error("%s", error)


def _settings(wanted: Overrides, stored: SettingsFile) -> SettingsFile | OverriddenSettings:
    model = None if wanted.model is None else named_model(wanted.model)
    changes = {"model": model, "api_base": wanted.api_base, "folder": wanted.folder}
    if wanted.model is not None and wanted.api_base is None:
        changes["api_base"] = ""  # the stored address belongs to the stored model
    if wanted.model is not None:
        changes["profile"] = ""  # which may have its own model
    said = {name: value for name, value in changes.items() if value is not None}
    return OverriddenSettings(stored, said) if said else stored


def _operator_key(
    catalog: ModelCatalog, settings: AppSettings, secrets: Mapping[str, Secret]
) -> dict[str, str]:
    """Return the operator's key for the model of the start only, and for no other address."""
    if PROVIDER_KEY not in secrets or not settings.model:
        return {}
    return {catalog.key_name(settings.model, settings.api_base): PROVIDER_KEY}


@contextlib.contextmanager
def close_on_signals(end: Callable[[], None]) -> Generator[None]:
    """Close in order at SIGTERM and SIGINT, where the system has them."""
    import signal

    loop = asyncio.get_running_loop()
    numbers = [] if sys.platform == "win32" else [signal.SIGTERM, signal.SIGINT]
    for number in numbers:
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
