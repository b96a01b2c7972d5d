"""A tab of the editor: a block of the conversation, or a text of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.editor.text_files import FileForm

TabState = Literal["", "streaming", "waiting", "running", "past"]

STATE_WORDS: dict[TabState, str] = {
    "": "",
    "streaming": mark("being written"),
    "waiting": mark("waits for your answer"),
    "running": "running",
    "past": mark("as it ran, read-only"),
}


class Tab(Struct, kw_only=True):
    """One tab. Owner: the pane, which changes it.

    `key` is the id of a code message, or made up for the user's own. `original` is the text
    before the user changed it: as it was shown, last ran, or was last saved. `base` is what
    the margin compares with: the model's version, or the file; None: nothing. `text` is
    up to date only while no editor holds it. `ran` is what last ran of a text of the user's own.
    """

    key: str
    title: str
    language: str = "python"
    is_own: bool = False
    text: str = ""
    original: str = ""
    base: str | None = None
    state: TabState = ""
    is_edited: bool = False
    file: FileForm | None = None
    ran: str | None = None

    @property
    def message_id(self) -> str:
        """Return the id of the code message; '' for a text of the user's own."""
        return "" if self.is_own else self.key

    @property
    def words(self) -> str:
        """Return the title with the meaning of the tab's icon."""
        notes = [tr(STATE_WORDS[self.state]), self._unsaved]
        return ", ".join(part for part in (self.title, *notes) if part)

    @property
    def _unsaved(self) -> str:
        if not self.is_edited:
            return ""
        return tr("not saved") if self.is_own else tr("edited")
