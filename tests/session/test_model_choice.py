"""Which model a turn asks, with which address, key and parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.model import (
    ConnectionSettings,
    ModelChoice,
    ModelOverride,
    ModelParameters,
    ModelSettings,
)
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings, ConversationConfig, Profile
from playhead.errors import ProviderError
from playhead.providers.catalog import ModelCatalog
from playhead.session.model_choice import is_auto_run, model_for, settings_for
from playhead.session.sessions import Sessions
from playhead.storage.history.sqlite_history import SqliteHistory
from tests.support.ports import (
    KeysInMemory,
    RecordingExecutor,
    ScriptedProvider,
    SettingsInMemory,
    ports_with,
    said,
)
from tests.support.waiting import until

BRIEF = Profile(
    name="brief",
    model="anthropic/claude",
    parameters=ModelParameters(temperature=0.1),
    instructions="Be brief.",
    system_prompt="You are short.",
    max_steps=3,
    auto_run=True,
)
SETTINGS = AppSettings(
    model="openai/gpt",
    api_base="https://gateway.example/v1",
    parameters=ModelParameters(temperature=0.7, max_tokens=100),
    instructions="Be kind.",
    extra_parameters='{"reasoning_effort": "low"}',
    provider_fields={"azure.api_version": "2025-01-01", "openai.organization": "org-1"},
    profiles=(BRIEF,),
    proxy="http://proxy.example:3128",
    connect_limit_s=5,
    retries=1,
)


async def chosen(
    settings: AppSettings = SETTINGS,
    config: ConversationConfig | None = None,
    choice: ModelChoice | None = None,
) -> ModelSettings:
    keys = KeysInMemory(
        **{"openai@gateway.example": "gate", "openai": "own", "anthropic": "ant", "mistral": "mi"}
    )
    stored = SettingsInMemory(settings)
    return await model_for(choice or ModelChoice(), stored, keys, ModelCatalog(), config)


async def test_the_settings_hold_where_nothing_else_is_said():
    model = await chosen()
    assert (model.model, model.api_base) == ("openai/gpt", "https://gateway.example/v1")
    assert model.api_key == Secret("gate")
    assert (model.parameters.temperature, model.parameters.max_tokens) == (0.7, 100)
    assert model.extra == {"reasoning_effort": "low", "organization": "org-1"}
    assert model.connection == ConnectionSettings(
        proxy="http://proxy.example:3128", connect_s=5, retries=1
    )


async def test_a_profile_stands_over_the_settings_with_the_address_of_its_own_model():
    model = await chosen(replace(SETTINGS, profile="brief"))
    assert (model.model, model.api_base, model.api_key) == (
        "anthropic/claude",
        None,
        Secret("ant"),
    )
    assert (model.parameters.temperature, model.parameters.max_tokens) == (0.1, 100)


async def test_a_conversation_stands_over_the_profile_and_a_request_over_both():
    config = ConversationConfig(
        profile="brief",
        parameters=ModelParameters(temperature=0.4),
        model="openai/other",
        api_base="",
    )
    model = await chosen(config=config)
    assert (model.model, model.api_base, model.api_key) == ("openai/other", None, Secret("own"))
    assert model.parameters.temperature == 0.4
    asked = await chosen(
        config=config,
        choice=ModelChoice(model="anthropic/x", parameters=ModelParameters(temperature=1.0)),
    )
    assert (asked.model, asked.parameters) == (
        "anthropic/x",
        ModelParameters(temperature=1.0, max_tokens=100),
    )


async def test_a_model_of_the_same_provider_goes_to_the_settings_address():
    model = await chosen(config=ConversationConfig(model="openai/other"))
    assert model.api_base == "https://gateway.example/v1"
    model = await chosen(config=ConversationConfig(model="mistral/large"))
    assert (model.api_base, model.api_key) == (None, Secret("mi"))


async def test_a_model_that_answers_nobody_without_a_key_is_not_asked_without():
    with pytest.raises(ProviderError, match="groq/any” needs a key") as error:
        await chosen(config=ConversationConfig(model="groq/any"))
    assert (error.value.code, "GROQ_API_KEY" in error.value.remedy) == ("missing_api_key", True)
    for model, address in (("ollama/any", None), ("groq/any", "http://127.0.0.1:9/v1")):
        own = await chosen(config=ConversationConfig(model=model, api_base=address))
        assert own.api_key is None


async def test_parameters_reach_only_the_provider_that_they_are_for():
    model = await chosen(
        config=ConversationConfig(model="azure/mine", api_base="https://a.example")
    )
    assert model.extra == {"api_version": "2025-01-01"}
    mistral = await chosen(config=ConversationConfig(model="mistral/large"))
    assert mistral.extra == {}


async def test_stored_keys_and_parameters_stay_away_from_an_address_of_a_request():
    model = await chosen(choice=ModelChoice(api_base="https://evil.example/v1"))
    assert (model.api_base, model.api_key) == ("https://evil.example/v1", None)
    assert model.extra == {}


async def test_the_user_s_word_on_a_model_counts():
    override = ModelOverride(takes_tools=False, supports_images=True, context_tokens=8000)
    model = await chosen(replace(SETTINGS, model_overrides={"openai/gpt": override}))
    assert model.override == override


async def test_parameters_that_are_no_json_object_are_left_out():
    assert (await chosen(replace(SETTINGS, extra_parameters="[1]", provider_fields={}))).extra == {}
    assert (await chosen(replace(SETTINGS, extra_parameters="{", provider_fields={}))).extra == {}


def test_a_conversation_can_leave_the_profile_and_a_profile_that_is_gone_is_none():
    current = replace(SETTINGS, profile="brief")
    catalog = ModelCatalog()
    assert settings_for(current, catalog).max_steps == 3
    assert settings_for(current, catalog).system_prompt == "You are short."
    assert settings_for(current, catalog, ConversationConfig(profile="")) == current
    gone = replace(current, profile="gone")
    assert settings_for(gone, catalog) == gone


def test_a_profile_s_approval_counts_unless_the_conversation_says_otherwise():
    current = replace(SETTINGS, profile="brief")
    assert is_auto_run(current, ConversationConfig())
    assert not is_auto_run(current, ConversationConfig(auto_run=False))
    assert not is_auto_run(current, ConversationConfig(profile=""))


async def test_what_a_conversation_wants_is_there_after_a_restart_and_in_its_copy(tmp_path: Path):
    def sessions() -> Sessions:
        ports = ports_with(ScriptedProvider(said("a"), said("b")), RecordingExecutor())
        return Sessions(ports, SqliteHistory(tmp_path / "history.sqlite3", tmp_path / "outputs"))

    early = ConversationConfig(
        model="openai/other", parameters=ModelParameters(temperature=0.2), budget=1.5
    )
    first = sessions()
    await first.start()
    session = first.new()
    session.set_config(early)  # before there is anything to store
    session.send("one")
    await until(lambda: session.is_idle)
    copy_id = await first.duplicate(session.conversation.id)
    later = replace(early, profile="brief", system_prompt="Ünïcode")
    session.set_config(later)
    await first.close()

    second = sessions()
    await second.start()
    assert (await second.open(session.conversation.id)).config == later
    assert (await second.open(copy_id)).config == early
    await second.close()


async def test_a_turn_asks_the_model_of_its_conversation():
    provider = ScriptedProvider(said("a"))
    ports = ports_with(provider, RecordingExecutor())
    ports.settings.current = replace(SETTINGS, profile="brief")  # type: ignore[misc]
    sessions = Sessions(ports, SqliteHistory(Path("unused")))
    session = sessions.new()
    session.set_config(ConversationConfig(model="openai/other"))
    session.send("one")
    await until(lambda: session.is_idle)
    (request,) = provider.requests
    assert request.model.model == "openai/other"
    assert request.instructions == "Be brief."
    assert session.auto_run
    session.set_auto_run(False)
    assert not session.auto_run
    session.set_config(ConversationConfig(profile=""))
    assert not session.auto_run
    await session.close()
