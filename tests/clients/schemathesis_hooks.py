"""What schemathesis asks for stays on this machine: one model and one address for all its requests.

Loaded by its command, by SCHEMATHESIS_HOOKS; the address is in MODEL_ADDRESS.
"""

from __future__ import annotations

import os
from typing import Any

import schemathesis

MODELS = {False: "openai/test", True: "playhead/direct"}


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Give a made-up model and address real ones, where they are of the right type."""
    case.body = tamed(case.body)


def tamed(value: Any) -> Any:
    """The body with the names of models and the addresses in it replaced."""
    if isinstance(value, list):
        return [tamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    body = {name: tamed(each) for name, each in value.items()}
    if isinstance(body.get("model"), str) and body["model"]:
        body["model"] = MODELS[len(body["model"]) % 2 == 0]
    if isinstance(body.get("api_base"), str) and body["api_base"].startswith("http"):
        body["api_base"] = os.environ["MODEL_ADDRESS"]
    return body
