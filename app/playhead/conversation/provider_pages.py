"""What a provider of models has to be told before it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Need = Literal["none", "optional", "needed"]


@dataclass(frozen=True, slots=True)
class ProviderField:
    """One more thing that a provider wants to know.

    `name` is litellm's name of the parameter. A secret one is kept with the key, never in a file.
    """

    name: str
    label: str
    placeholder: str = ""
    is_secret: bool = False
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class ProviderPage:
    """The fields of one provider, and where its keys are had.

    `prefix` stands before the model's name in litellm's model strings; '' means that the whole
    string is typed. `address` is the one that is asked where none is typed, if it is no vendor's.
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
        """The names of the secrets of which the key is made; () for a plain key."""
        return tuple(field.name for field in self.fields if field.is_secret)
