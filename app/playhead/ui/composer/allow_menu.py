"""The menu by which a person grants something to code: what, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from playhead.domain.grants import GRANT_SCOPES, GrantScope, Wanted
from playhead.domain.text.grant_words import allow_text, scope_name
from playhead.errors import AppError
from playhead.ui.widgets.wording import tr, tr_error

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu


def _possible(_wanted: Wanted) -> AppError | None:
    return None


class Granting(Struct, frozen=True):
    """Knows before a person grants something why it cannot be, else what it costs."""

    why_not: Callable[[Wanted], AppError | None] = _possible
    restarts: Callable[[Wanted], bool] = lambda wanted: False


def fill_allow_menu(
    menu: QMenu,
    wanted: Sequence[Wanted],
    granting: Granting,
    allow: Callable[[Wanted, GrantScope], object],
) -> None:
    """Fill a menu with what may be granted, each for three times; or with why it cannot be."""
    for one in wanted:
        refusal = granting.why_not(one)
        lines = [allow_text(one, tr)]
        if refusal is not None:
            told = tr_error(refusal)
            lines += filter(None, (told.title, told.remedy))
        elif granting.restarts(one):
            lines.append(tr("The kernel is restarted: its variables are lost."))
        for words in lines:
            menu.addAction(words.replace("&", "&&")).setEnabled(False)
        if refusal is None:
            for scope in GRANT_SCOPES:
                _add(menu, one, scope, allow)
        menu.addSeparator()


def _add(
    menu: QMenu, wanted: Wanted, scope: GrantScope, allow: Callable[[Wanted, GrantScope], object]
) -> None:
    action = menu.addAction(scope_name(scope, tr))
    action.triggered.connect(lambda: allow(wanted, scope))
