"""Grants for programs: list those of a conversation, make one and revoke it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.domain.grants import GRANT_KINDS, GRANT_SCOPES, Grant
from playhead.domain.text.grant_words import grant_text
from playhead.errors import AppError, RequestError
from playhead.formats.wire.codec import Wire
from playhead.session.session import Session


def list_grants(session: Session) -> Wire:
    """Return what holds for the code of a conversation, the first grant first."""
    return {"grants": [_wire(one) for one in session.grants.held]}


def make_grant(session: Session, asked: Mapping[str, Any]) -> Wire:
    """Grant or deny something. Raises RequestError with why that is not possible."""
    kind, scope = asked.get("kind"), asked.get("scope") or "conversation"
    if kind not in GRANT_KINDS or scope not in GRANT_SCOPES:
        raise RequestError(
            f"A grant is one of {', '.join(GRANT_KINDS)}, for a {', a '.join(GRANT_SCOPES)}.",
            code="invalid_request",
            param="kind",
        )
    try:
        grant = session.grants.give(
            kind,
            str(asked.get("target") or ""),
            scope,
            is_denial=asked.get("deny") is True,
            cause=str(asked.get("cause") or "")[:200],
        )
    except AppError as error:
        raise _refusal(error) from error
    return {"grants": [_wire(grant)]}


def revoke_grant(session: Session, grant_id: str) -> Wire:
    """Take a grant or a denial back, immediately. Raises RequestError for one that is not there."""
    found = [one for one in session.grants.held if one.id == grant_id]
    if not found:
        raise RequestError("There is no such grant.", code="not_found", param="grant_id")
    session.grants.revoke(grant_id)
    return {"grants": [_wire(one) for one in found]}


def _refusal(error: AppError) -> RequestError:
    return RequestError(
        error.title,
        detail=error.detail,
        remedy=error.remedy,
        code="policy_impossible" if error.code == "policy_impossible" else "invalid_request",
        param="target",
    )


def _wire(grant: Grant) -> Wire:
    """Return a grant as programs see it; `text` says it in words."""
    return {
        "id": grant.id,
        "kind": grant.kind,
        "target": grant.target,
        "scope": grant.scope,
        "deny": grant.is_denial,
        "text": grant_text(grant),
        "cause": grant.cause,
        "uses": grant.uses,
    }
