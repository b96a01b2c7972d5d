"""Grants for programs, and packages for the environment: list them, make, revoke and keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.domain.grants import GRANT_KINDS, GRANT_SCOPES, Grant
from playhead.domain.text.grant_words import grant_text
from playhead.domain.trust import LayerPackage, PackageOffer
from playhead.errors import AppError, ExecutionError, RequestError
from playhead.formats.wire.codec import Wire
from playhead.session.session import Session

_SAID = ("policy_impossible", "session_busy", "not_found")


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


async def list_packages(session: Session) -> Wire:
    """Return the packages of the folder's code that the environment has not. Raises RequestError.

    `there` is the version that the environment has.
    """
    try:
        return _offered(await session.packages.offer())
    except ExecutionError as error:
        raise _refusal(error, "packages") from error


async def keep_packages(session: Session, chosen: Sequence[str], *, builds: bool) -> Wire:
    """Install these into the environment, outside of the sandbox. Raises RequestError."""
    try:
        return _offered(await session.packages.keep(chosen, builds=builds))
    except AppError as error:
        raise _refusal(error, "packages") from error


def _offered(offer: PackageOffer) -> Wire:
    return {"environment": offer.interpreter, "packages": [_package(one) for one in offer.packages]}


def _package(one: LayerPackage) -> Wire:
    return {"name": one.name, "version": one.version, "there": one.there}


def _refusal(error: AppError, param: str = "target") -> RequestError:
    return RequestError(
        error.title,
        detail=error.detail,
        remedy=error.remedy,
        code=error.code if error.code in _SAID else "invalid_request",
        param=param,
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
