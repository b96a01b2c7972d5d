"""Models and providers: which one answers, how it is reached, what it can, which tools it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from playhead.domain.secret import Secret

EXECUTE = "execute"
"""The name of the tool by which a model has code run."""

DIRECT_MODEL = ""
"""The model string of Direct mode: no model at all."""

DIRECT = "playhead/direct"
"""The name of Direct mode on the wire and in commands."""


def named_model(name: str) -> str:
    """Return the model string for a name on the wire or in a command."""
    return DIRECT_MODEL if name == DIRECT else name


Temperature = Annotated[float, Meta(ge=0, le=2)]
TopP = Annotated[float, Meta(ge=0, le=1)]
StopText = Annotated[str, Meta(min_length=1)]
AtLeastOne = Annotated[int, Meta(ge=1)]


class ModelParameters(Struct, frozen=True, kw_only=True):
    """The parameters of an answer; one that is None is not set, and the provider decides.

    The names are OpenAI's. The settings, a profile, a conversation and a request carry the value
    whole; files and wires have its fields beside their own (`flat_fields`).
    """

    temperature: Temperature | None = None
    max_tokens: AtLeastOne | None = None
    top_p: TopP | None = None
    stop: tuple[StopText, ...] | None = None


class ModelOverride(Struct, frozen=True, kw_only=True):
    """The user's word on what a model can; None where the provider's table decides.

    The settings have one by model, and what asks the model carries it whole. `through_litellm` is
    whether the library litellm asks the model, even where we can do so ourselves.
    """

    takes_tools: bool | None = None
    supports_images: bool | None = None
    context_tokens: AtLeastOne | None = None
    through_litellm: bool | None = None


def merge_parameters(*layers: ModelParameters) -> ModelParameters:
    """Return the parameters of all layers, the later over the earlier."""
    merged: dict[str, Any] = {}
    for layer in layers:
        merged |= {name: value for name, value in asdict(layer).items() if value is not None}
    return ModelParameters(**merged)


class ConnectionSettings(Struct, frozen=True, kw_only=True):
    """The connection to providers; the times are limits in seconds.

    They are for the connection, for the first piece of an answer, and between two pieces.
    `retries` is how often a request is repeated that failed before its first piece, `ca_file` a
    file of certificates in place of the system's.
    """

    proxy: str = ""
    ca_file: str = ""
    connect_s: float = 10.0
    first_s: float = 60.0
    between_s: float = 30.0
    retries: int = 3


class ModelSettings(Struct, frozen=True, kw_only=True):
    """The model that answers, and its parameters.

    `model` is a litellm model string, `DIRECT_MODEL` means Direct mode. `extra` are parameters
    under litellm's names; they belong to the provider, not to the request. `is_address_given`: who
    asks has named the address with the key.
    """

    model: str = DIRECT_MODEL
    api_base: str | None = None
    api_key: Secret | None = None
    parameters: ModelParameters = ModelParameters()
    override: ModelOverride = ModelOverride()
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    connection: ConnectionSettings = msgspec.field(default_factory=ConnectionSettings)
    is_address_given: bool = False


class ModelFacts(Struct, frozen=True, kw_only=True):
    """The known facts about a model; None for those that are not known.

    Prices are in US dollars for a million tokens, sizes in tokens.
    """

    model: str
    takes_tools: bool | None = None
    supports_images: bool | None = None
    takes_documents: bool | None = None
    reasons: bool | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None


class ModelChoice(Struct, frozen=True, kw_only=True):
    """The choices of one request that override the settings; None leaves these unchanged.

    An `api_base` of a request comes with its own `api_key`: stored keys are never sent there.
    `retries` is 0 for a program's request, because the program retries in its own way.
    """

    model: str | None = None
    api_base: str | None = None
    api_key: Secret | None = None
    parameters: ModelParameters = ModelParameters()
    retries: int | None = None


class ToolOffer(Struct, frozen=True):
    """A tool of a client's own: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


class LocalServer(Struct, frozen=True):
    """A model server found on this machine, with the litellm model strings it offers."""

    name: str
    api_base: str
    models: tuple[str, ...]


Need = Literal["none", "optional", "needed"]


class ProviderField(Struct, frozen=True, kw_only=True):
    """One more thing that a provider wants to know.

    `name` is litellm's name of the parameter. A secret one is kept with the key, never in a file.
    """

    name: str
    label: str
    placeholder: str = ""
    is_secret: bool = False
    is_needed: bool = False


class ProviderPage(Struct, frozen=True, kw_only=True):
    """The fields of one provider, and where its keys are obtained.

    `prefix` comes before the model's name in litellm's model strings; '' means that the whole
    string is typed. `address` is the default one, unless it is the vendor's own.
    With `key_parts` the key is several secrets, the fields that are secret.
    """

    name: str
    label: str
    prefix: str
    model_label: str = "Model"
    model_hint: str = ""
    key: Need = "needed"
    key_url: str = ""
    needs_address: Need = "none"
    address: str = ""
    address_hint: str = ""
    fields: tuple[ProviderField, ...] = ()
    takes_extra: bool = False
    note: str = ""

    @property
    def key_parts(self) -> tuple[str, ...]:
        """Return the names of the secrets of which the key is made; () for a plain key."""
        return tuple(field.name for field in self.fields if field.is_secret)
