"""Where a key is, or would be, kept, in words."""

from __future__ import annotations

from playhead.domain.secret import KeyInfo, KeyringStatus
from playhead.ui.wording import tr


def key_words(model: str, info: KeyInfo, status: KeyringStatus, variable: str) -> str:
    """Where the key is, or would be, kept; '' while there is no model to have one."""
    if not model:
        return ""
    place = status.backend or tr("the system keyring")
    match info.source:
        case "environment":
            return tr(
                "Read from the environment variable {variable}, which goes before a key kept here.",
                variable=info.variable,
            )
        case "keyring":
            return tr("Kept in {place}. Type another to replace it.", place=place)
        case "session":
            said = tr("Kept in memory until Playhead ends.")
            return f"{said} {status.message}".strip()
        case "none":
            pass
    if status.is_usable:
        hint = tr("Or set {variable} before starting Playhead.", variable=variable)
        said = tr("It will be kept in {place}, nowhere else.", place=place)
        return f"{said} {hint}" if variable else said
    is_named = not variable or variable in status.message
    hint = "" if is_named else tr("This provider's variable is {variable}.", variable=variable)
    return f"{status.message} {hint}".strip()
