"""Settings files that code has changed between two starts: no key goes another way unasked."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from keyring.backends.SecretService import Keyring as SecretServiceKeyring
from msgspec.structs import replace
from secretstorage import dbus_init

from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.key_route import RouteAnswer, RouteQuestion
from playhead.domain.model import ModelChoice, ModelSettings
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings, ConversationConfig
from playhead.errors import ProviderError
from playhead.providers.catalog import ModelCatalog, key_variables
from playhead.session.model_choice import is_auto_run, model_for
from playhead.session.trust.route_guard import ROUTE_CHANGED, RoutedProvider, RouteGuard
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import ENTRY, KeyringKeys, encode_keys
from playhead.storage.settings import SettingsFile, WitnessedSettings
from tests.support.key_backends import BackendEntries
from tests.support.ports import ScriptedProvider, said
from tests.support.secret_service import SecretService, private_bus

pytestmark = pytest.mark.requires_system("dbus-daemon")
CATALOG = ModelCatalog()
OPENAI = {"model": "openai/gpt-5"}
GATEWAY = {"model": "openai/own", "api_base": "https://gateway.example/ada/v1"}
AZURE = {
    "model": "azure/own",
    "api_base": "https://ada.openai.azure.com",
    "provider_fields": {"azure.api_version": "2024-10-21"},
}
OPERATOR, OWN = {"PLAYHEAD_PROVIDER_KEY": "sk"}, {"OPENAI_API_KEY": "sk-env"}
EVIL = "http://127.0.0.1:9/"


class Keyring:
    """The person's keyring, and the folder of the settings: both outlive each start."""

    def __init__(self, service: SecretService, folder: Path) -> None:
        self.service = service
        self.path = folder / "settings.json"

    def write(self, **settings: Any) -> None:
        """Write the file, as code that ran does."""
        self.path.write_text(json.dumps(settings), "utf-8")

    @asynccontextmanager
    async def started(
        self,
        accepted: tuple[str, ...] = (),
        address: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[Start]:
        secrets = {name: Secret(text) for name, text in (environment or {}).items()}
        kept = KeyringKeys(BackendEntries(SecretServiceKeyring()))
        own = {"openai@gateway.example": "PLAYHEAD_PROVIDER_KEY"}
        keys = KeyStore(secrets, {**key_variables(), **own}, kept)
        start = Start(keys, WitnessedSettings(SettingsFile(self.path), keys), accepted, address)
        try:
            await start.settings.load()
            yield start
        finally:
            keys.close()


class Start:
    """One start of the program with what it reads then; `questions` are those it has asked."""

    def __init__(
        self,
        keys: KeyStore,
        settings: WitnessedSettings,
        accepted: tuple[str, ...],
        address: str | None,
    ) -> None:
        self.keys = keys
        self.settings = settings
        self.guard = RouteGuard(keys, settings, CATALOG, accepted, address)
        self.settings.learn = self.guard.learn
        self.answer: RouteAnswer = "later"
        self.questions: list[RouteQuestion] = []
        self.guard.ask = self._ask
        self.inner = ScriptedProvider(*[said("Yes.")] * 9)
        self.provider = RoutedProvider(self.inner, self.guard)

    async def _ask(self, question: RouteQuestion) -> RouteAnswer:
        self.questions.append(question)
        return self.answer

    async def send(
        self, config: ConversationConfig | None = None, choice: ModelChoice | None = None
    ) -> ModelSettings | ProviderError:
        """What a request of this conversation is sent with, or why it was not."""
        model = await model_for(choice or ModelChoice(), self.settings, self.keys, CATALOG, config)
        request = TurnRequest(turn_id="t", conversation_id="c", messages=(), model=model)
        before = len(self.inner.requests)
        try:
            async with aclosing(self.provider.stream(request)) as chunks:
                assert [chunk async for chunk in chunks]
        except ProviderError as error:
            assert len(self.inner.requests) == before
            return error
        return self.inner.requests[-1].model

    async def sent(self, **more: Any) -> ModelSettings:
        found = await self.send(**more)
        assert isinstance(found, ModelSettings), found
        return found

    async def refused(self, **more: Any) -> ProviderError:
        found = await self.send(**more)
        assert isinstance(found, ProviderError)
        assert found.code == ROUTE_CHANGED
        return found


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyring]:
    """A real Secret Service on a bus of its own."""
    connections: list[Any] = []
    monkeypatch.setattr(
        "secretstorage.dbus_init", lambda: connections.append(dbus_init()) or connections[-1]
    )
    with private_bus(tmp_path) as address, SecretService(address) as service:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield Keyring(service, tmp_path)
        for connection in connections:
            connection.close()


async def _enter(keyring: Keyring, settings: Mapping[str, Any]) -> None:
    """Enter a key in the settings and use it once."""
    keyring.write(interpreter="/usr/bin/python3")
    async with keyring.started() as start:
        wanted = replace(start.settings.current, **settings)
        name = CATALOG.key_name(wanted.model, wanted.api_base)
        await start.keys.set(name, Secret("sk-own"), wanted.api_base)
        await start.settings.save(wanted)
        await start.sent()
        assert start.questions == []


CHANGES: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], set[str]]] = {
    "a proxy": (OPENAI, {"proxy": EVIL}, {"proxy"}),
    "a proxy with a name": (OPENAI, {"proxy": "http://x:y@evil.example:3128"}, {"proxy"}),
    "certificates": (OPENAI, {"ca_file": "evil.pem"}, {"certificates"}),
    "both": (OPENAI, {"proxy": EVIL, "ca_file": "evil.pem"}, {"proxy", "certificates"}),
    "another tenant of the gateway": (
        GATEWAY,
        {"api_base": "https://gateway.example/eve/v1"},
        {"address"},
    ),
    "no TLS on the gateway": (
        {"model": "openai/own", "api_base": "https://gateway.example:8443/v1"},
        {"api_base": "http://gateway.example:8443/v1"},
        {"address"},
    ),
    "a name before the gateway": (
        GATEWAY,
        {"api_base": "https://evil.example@gateway.example/ada/v1"},
        {"address"},
    ),
    "a version of Azure": (AZURE, {"provider_fields": {"azure.api_version": "1"}}, {"parameters"}),
    "an end of Bedrock's": (
        {"model": "bedrock/own"},
        {"provider_fields": {"bedrock.aws_bedrock_runtime_endpoint": EVIL}},
        {"parameters"},
    ),
    "an invented field": (OPENAI, {"provider_fields": {"openai.base_url": EVIL}}, {"parameters"}),
    "headers": (
        GATEWAY,
        {"extra_parameters": '{"extra_headers": {"X-Target-Url": "http://evil.example"}}'},
        {"parameters"},
    ),
    "a profile": (
        GATEWAY,
        {
            "profiles": [
                {"name": "p", "model": "openai/own", "api_base": "https://gateway.example/eve/v1"}
            ],
            "profile": "p",
        },
        {"address"},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_a_changed_way_is_asked_about_once_and_nothing_is_sent_before(
    keyring: Keyring, name: str
) -> None:
    before, change, parts = CHANGES[name]
    (keyring.path.parent / "evil.pem").write_text("evil")
    if "ca_file" in change:
        change = {**change, "ca_file": str(keyring.path.parent / "evil.pem")}
    await _enter(keyring, before)
    keyring.write(**{**before, **change})
    async with keyring.started() as start:
        start.guard.ask = None  # as in `playhead serve`
        error = await start.refused()
        assert "--key-route" in error.remedy
        assert "x:y" not in str(error)
        start.guard.ask = start._ask
        await start.refused()
        (question,) = start.questions
        assert {part for part, _, _ in question.changes} == parts
        start.answer = "old"
        kept = await start.sent()
        assert "evil" not in repr(kept)
        assert EVIL not in repr(kept)
        assert "/eve/" not in repr(kept)
        await start.sent()
        assert len(start.questions) == 2
    async with keyring.started() as start:  # also what the settings could not be cleaned of
        assert "/eve/" not in repr(await start.sent())
        assert start.questions == []


@pytest.mark.parametrize("name", ["a proxy", "another tenant of the gateway", "headers"])
async def test_the_new_way_is_used_after_a_yes_and_not_asked_about_again(
    keyring: Keyring, name: str
) -> None:
    before, change, _ = CHANGES[name]
    await _enter(keyring, before)
    keyring.write(**{**before, **change})
    for count in (1, 0):
        async with keyring.started() as start:
            start.answer = "new"
            model = await start.sent()
            assert len(start.questions) == count
            wanted = start.settings.current
            assert (model.connection.proxy, model.api_base or "") == (wanted.proxy, wanted.api_base)


async def test_a_key_can_be_removed_instead(keyring: Keyring) -> None:
    await _enter(keyring, OPENAI)
    keyring.write(**OPENAI, proxy=EVIL)
    async with keyring.started() as start:
        start.answer = "remove"
        error = await start.send()
        assert isinstance(error, ProviderError)
        assert "was removed" in str(error)
    assert b"sk-own" not in keyring.service.items[ENTRY]


async def test_certificates_that_changed_in_their_file_are_another_way(keyring: Keyring) -> None:
    company = keyring.path.parent / "company.pem"
    company.write_text("company")
    await _enter(keyring, {**OPENAI, "ca_file": str(company)})
    company.write_text("company and evil")
    async with keyring.started() as start:
        start.answer = "old"
        assert (await start.sent()).connection.ca_file == ""
        assert len(start.questions) == 1


async def test_a_key_of_an_earlier_version_takes_its_way_as_it_is(keyring: Keyring) -> None:
    keyring.service.items[ENTRY] = encode_keys({"openai": Secret("sk-own")}).encode()
    keyring.write(**OPENAI, proxy="http://proxy.example:3128")
    async with keyring.started() as start:
        assert (await start.sent()).connection.proxy == "http://proxy.example:3128"
        assert start.questions == []
    keyring.write(**OPENAI, proxy=EVIL)
    async with keyring.started() as start:
        await start.refused()


async def test_what_a_person_changes_in_the_settings_is_confirmed_by_that(keyring: Keyring) -> None:
    await _enter(keyring, GATEWAY)
    async with keyring.started() as start:
        current = start.settings.current
        await start.settings.save(replace(current, proxy="http://proxy.example:3128"))
        await start.sent()
        moved = "https://gateway.example/bob/v1"
        await start.settings.save(replace(start.settings.current, api_base=moved))
        await start.sent()
        assert start.questions == []
    async with keyring.started() as start:
        assert (await start.sent()).api_base == moved
        assert start.questions == []


async def test_saving_something_else_confirms_nothing_that_the_file_claims(
    keyring: Keyring,
) -> None:
    await _enter(keyring, OPENAI)
    keyring.write(**OPENAI, proxy=EVIL)
    async with keyring.started() as start:
        await start.settings.save(replace(start.settings.current, theme="dark"))
        await start.keys.set("openai", Secret("sk-new"), "")  # nor does another key
        await start.refused()


async def test_a_new_key_does_not_take_a_way_that_the_file_claims(keyring: Keyring) -> None:
    keyring.write(**OPENAI, proxy=EVIL)
    async with keyring.started() as start:
        await start.keys.set("openai", Secret("sk-own"), "")
        await start.refused()


ENVIRONMENT: dict[str, tuple[dict[str, str], Mapping[str, Any], bool]] = {
    "the provider's own": ({"OPENAI_API_KEY": "sk-env"}, OPENAI, True),
    "a proxy": ({"OPENAI_API_KEY": "sk-env"}, {**OPENAI, "proxy": EVIL}, False),
    "certificates": ({"OPENAI_API_KEY": "sk-env"}, {**OPENAI, "ca_file": "/e.pem"}, False),
    "a gateway for the operator's key": ({"PLAYHEAD_PROVIDER_KEY": "sk-env"}, GATEWAY, False),
    "a field": (
        {"OPENAI_API_KEY": "sk-env"},
        {**OPENAI, "provider_fields": {"openai.organization": "eve"}},
        False,
    ),
}


@pytest.mark.parametrize("name", ENVIRONMENT)
async def test_a_key_of_the_environment_goes_to_the_providers_own_until_a_way_is_confirmed(
    keyring: Keyring, name: str
) -> None:
    environment, settings, is_sent = ENVIRONMENT[name]
    keyring.write(**settings)
    async with keyring.started(environment=environment) as start:
        found = await start.send()
        assert isinstance(found, ModelSettings) == is_sent
        if is_sent:
            assert keyring.service.reads == 0  # the keyring need not be asked for that
            return
        start.answer = "new"
        await start.sent()
        digest = start.questions[0].new.digest
    async with keyring.started(environment=environment) as start:  # the keyring has the way alone
        await start.sent()
        assert start.questions == []
        assert b"sk-env" not in keyring.service.items[ENTRY]
    keyring.service.refuses_writing = True
    keyring.service.items.clear()
    async with keyring.started((digest,), environment=environment) as start:
        await start.sent()  # the person who started it has named the way


async def test_a_key_of_a_request_and_an_address_of_the_command_line(keyring: Keyring) -> None:
    own = ModelChoice(api_key=Secret("sk-request"))
    keyring.write(**GATEWAY)
    async with keyring.started() as start:
        await start.refused(choice=own)
        address = "https://other.example/v1"
        named = ModelChoice(api_key=Secret("sk-request"), api_base=address)
        assert (await start.sent(choice=named)).api_base == address
    async with keyring.started(address=GATEWAY["api_base"], environment=OPERATOR) as start:
        await start.sent()
    keyring.write(**GATEWAY, proxy=EVIL)
    async with keyring.started(address=GATEWAY["api_base"], environment=OPERATOR) as start:
        await start.refused()
        assert {part for part, _, _ in start.questions[0].changes} == {"proxy"}


async def test_a_conversation_in_the_database_cannot_send_a_key_elsewhere(keyring: Keyring) -> None:
    await _enter(keyring, GATEWAY)
    async with keyring.started() as start:
        evil = ConversationConfig(model="openai/own", api_base="https://gateway.example/eve/v1")
        await start.refused(config=evil)
        assert (await start.sent()).api_base == GATEWAY["api_base"]


# Switches

UNASKED = {"name": "p", "auto_run": True}
SWITCHES: dict[str, tuple[dict[str, Any], Callable[[AppSettings], bool]]] = {
    "programs approve": ({"api_client_approves": True}, lambda one: one.api_client_approves),
    "programs run unasked": ({"api_auto_run": True}, lambda one: one.api_auto_run),
    "a profile runs unasked": (
        {"profiles": [UNASKED]},
        lambda one: is_auto_run(one, ConversationConfig(profile="p")),
    ),
    "a profile is everybody's": (
        {"profiles": [UNASKED], "profile": "p"},
        lambda one: is_auto_run(one, ConversationConfig()),
    ),
}


@pytest.mark.parametrize("name", SWITCHES)
async def test_a_switch_in_the_file_alone_does_not_count(keyring: Keyring, name: str) -> None:
    claims, counts = SWITCHES[name]
    keyring.write(**claims)
    async with keyring.started() as start:
        assert not counts(start.settings.current)
        assert start.settings.ignored
        await start.settings.save(replace(start.settings.current, theme="dark"))
    keyring.write(**claims)  # again, after the person's own change of something else
    async with keyring.started() as start:
        assert not counts(start.settings.current)
        profiles = SettingsFile(keyring.path).current
        await start.settings.save(profiles)  # now the person switches it on
        assert counts(start.settings.current)
    async with keyring.started() as start:
        assert counts(start.settings.current)
        assert not start.settings.ignored
        await start.settings.save(AppSettings())
    keyring.write(**claims)  # what was switched off once does not come back
    async with keyring.started() as start:
        assert not counts(start.settings.current)


async def test_a_profile_that_runs_unasked_is_not_made_everybodys_by_the_file(
    keyring: Keyring,
) -> None:
    keyring.write(profiles=[UNASKED])
    async with keyring.started() as start:
        await start.settings.save(SettingsFile(keyring.path).current)
    keyring.write(profiles=[UNASKED], profile="p")
    async with keyring.started() as start:
        assert is_auto_run(start.settings.current, ConversationConfig(profile="p"))
        assert not is_auto_run(start.settings.current, ConversationConfig())


async def test_typed_code_goes_on_to_ask_although_the_file_says_otherwise(keyring: Keyring) -> None:
    await _enter(keyring, {**OPENAI, "asks_typed_code": True})
    keyring.write(**OPENAI)
    async with keyring.started() as start:
        await start.sent()
        assert start.settings.current.asks_typed_code


async def test_a_keyring_that_refuses_lets_nothing_count(keyring: Keyring) -> None:
    keyring.service.is_locked, keyring.service.answer = True, "dismiss"
    keyring.write(api_auto_run=True, **OPENAI, proxy=EVIL)
    async with keyring.started(environment=OWN) as start:
        assert not start.settings.current.api_auto_run
        await start.refused()
        await start.settings.save(replace(start.settings.current, api_auto_run=True))
        assert start.settings.current.api_auto_run  # for this run
    async with keyring.started(environment=OWN) as start:
        assert not start.settings.current.api_auto_run
