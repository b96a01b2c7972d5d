"""Every model parameter, wherever it is set, reaches the model worker.

Driven by the fields of `ModelParameters`: one that is forgotten on the way fails here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

from playhead.api.schemas import CompletionRequest, LlmConfig, SessionLlm
from playhead.api.stdio import turn_options
from playhead.api.turns.client_request import model_choice, sent_parameters
from playhead.client.interpreter_client import InterpreterClient
from playhead.domain.model import ModelChoice, ModelParameters, merge_parameters
from playhead.domain.settings import AppSettings, ConversationConfig, Profile
from playhead.formats.documents.profiles_toml import from_toml, to_toml
from playhead.model_worker.protocol import Ask, decode, encode
from playhead.providers.catalog import ModelCatalog
from playhead.providers.request_writer import build_ask
from playhead.session.model_choice import model_for
from playhead.storage.history.row_codec import decode_config, encode_config
from playhead.storage.settings import SettingsFile
from tests.support.ports import KeysInMemory

FIELDS = ModelParameters.__struct_fields__
LOW: dict[str, Any] = {"temperature": 0.25, "max_tokens": 77, "top_p": 0.5, "stop": ("END",)}
HIGH: dict[str, Any] = {"temperature": 1.5, "max_tokens": 99, "top_p": 0.75, "stop": ("A", "B")}

Layers = tuple[AppSettings, ConversationConfig, ModelChoice]


def in_settings(parameters: ModelParameters) -> Layers:
    return AppSettings(model="openai/x", parameters=parameters), ConversationConfig(), ModelChoice()


def in_profile(parameters: ModelParameters) -> Layers:
    profiles = from_toml(to_toml([Profile(name="own", parameters=parameters)]).encode()).profiles
    settings = AppSettings(model="openai/x", profiles=profiles, profile="own")
    return settings, ConversationConfig(), ModelChoice()


def in_conversation(parameters: ModelParameters) -> Layers:
    config = decode_config(encode_config(ConversationConfig(parameters=parameters)))
    return AppSettings(model="openai/x"), config, ModelChoice()


def in_request(parameters: ModelParameters) -> Layers:
    return (
        AppSettings(model="openai/x"),
        ConversationConfig(),
        ModelChoice(parameters=parameters),
    )


LAYERS = (in_settings, in_profile, in_conversation, in_request)


async def asked(path: Path, layers: Layers) -> Ask:
    """The question as the worker reads it, with all layers through their files."""
    settings, config, choice = layers
    await SettingsFile(path).save(settings)
    stored = SettingsFile(path)
    assert stored.notice == ""
    model = await model_for(choice, stored, KeysInMemory(openai="k"), ModelCatalog(), config)
    message = decode(encode(build_ask(model, [{"role": "user", "content": "hello"}])))
    assert isinstance(message, Ask)
    return message


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", FIELDS)
async def test_a_parameter_set_in_one_place_reaches_the_worker(
    tmp_path: Path, name: str, layer: Callable[[ModelParameters], Layers]
):
    ask = await asked(tmp_path / "settings.json", layer(ModelParameters(**{name: LOW[name]})))
    assert ask.parameters == {name: plain(LOW[name])}


@pytest.mark.parametrize("name", FIELDS)
async def test_each_place_counts_over_those_before_it(tmp_path: Path, name: str):
    low, high = ModelParameters(**LOW), ModelParameters(**{name: HIGH[name]})
    wanted = {field: plain(value) for field, value in LOW.items()} | {name: plain(HIGH[name])}
    own = Profile(name="own", parameters=high)
    settings = AppSettings(model="openai/x", parameters=low, profiles=(own,))
    profiled = msgspec.structs.replace(settings, profiles=(Profile(name="own", parameters=low),))
    for number, layers in enumerate(
        (
            (settings, ConversationConfig(profile="own"), ModelChoice()),
            (profiled, ConversationConfig(profile="own", parameters=high), ModelChoice()),
            (settings, ConversationConfig(parameters=low), ModelChoice(parameters=high)),
        )
    ):
        assert (await asked(tmp_path / f"{number}.json", layers)).parameters == wanted


@pytest.mark.parametrize("name", FIELDS)
def test_both_native_and_openai_bodies_have_each_parameter(name: str):
    value = plain(LOW[name])
    native = msgspec.convert({name: value}, LlmConfig)
    body = {"model": "openai/x", "messages": [{"role": "user"}], name: value}
    completion = msgspec.convert(body, CompletionRequest)
    for found in (model_choice(native), model_choice(completion)):
        assert found.parameters == ModelParameters(**{name: LOW[name]})


@pytest.mark.parametrize("name", FIELDS)
def test_a_session_and_a_program_at_the_pipes_have_each_parameter(name: str):
    wanted = ModelParameters(**{name: LOW[name]})
    assert sent_parameters(msgspec.convert({name: plain(LOW[name])}, SessionLlm)) == wanted
    face = InterpreterClient(**{name: LOW[name]})
    config = json.loads(json.dumps(asdict(face.llm)))
    assert turn_options(config).choice.parameters == wanted


def test_what_is_not_set_leaves_what_is_below():
    low, high = ModelParameters(**LOW), ModelParameters(**HIGH)
    assert merge_parameters() == ModelParameters()
    assert (
        merge_parameters(low, ModelParameters()) == merge_parameters(ModelParameters(), low) == low
    )
    assert merge_parameters(low, high, ModelParameters()) == high
