"""The one decision object that every format with calls has (docs/wire-formats.md, section 5)."""

from __future__ import annotations

import json
from typing import cast

from playhead.dialects.request_values import Fields, a_text_or_none
from playhead.domain.execution import Answered, Approve, Decision, Deny


def decision_of(text: str, param: str) -> Decision:
    """What the result of a call of `execute` decides; a text that decides nothing is its result.

    Raises RequestError for a decision that is no proper one.
    """
    try:
        told: object = json.loads(text)
    except (ValueError, RecursionError):
        return Answered(text)
    if not isinstance(told, dict):
        return Answered(text)
    fields = cast(Fields, told)
    match fields.get("decision"):
        case "approve":
            return Approve(a_text_or_none(fields, "code", param))
        case "deny":
            return Deny(a_text_or_none(fields, "reason", param) or "")
        case _:
            return Answered(text)
