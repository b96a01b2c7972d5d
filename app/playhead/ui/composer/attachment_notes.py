"""What the model will see of an attachment, in words, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from playhead.domain.conversation.message import Attachment
from playhead.domain.model import ModelFacts
from playhead.ui.wording import tr

DOCUMENT_LIMIT_BYTES = 32_000_000
"""No provider takes larger ones; some take less, which the model is then told."""

_PDF = ".pdf"
_OFFICE = frozenset({".docx", ".doc", ".odt", ".xlsx", ".xls", ".ods", ".pptx", ".ppt", ".odp"})
_PICTURES = frozenset({".heic", ".heif", ".tif", ".tiff", ".avif"})


@dataclass(frozen=True, slots=True)
class Note:
    """A few words for the chip and the whole for its tooltip; `is_warning`: less than expected."""

    words: str
    whole: str
    is_warning: bool = False


def note_for(attachment: Attachment, facts: ModelFacts | None) -> Note | None:
    """What the model is given of the attachment; None where nothing is to be said."""
    if facts is None:
        return None
    suffix = Path(attachment.path).suffix.lower()
    is_picture = attachment.kind == "image" or suffix in _PICTURES
    if is_picture and facts.takes_images is False:
        whole = tr("This model cannot see images. It is told the path, so that code can open it.")
        return Note(tr("this model cannot see it"), whole, is_warning=True)
    if attachment.kind != "file":
        return None
    if suffix in _PICTURES and facts.takes_images:
        return Note(tr("shown to the model"), tr("It is converted and sent, with its path."))
    if suffix == _PDF and facts.takes_documents:
        return _document(attachment)
    if suffix == _PDF or suffix in _OFFICE:
        whole = tr("The model is told the path and can read it by code.")
        return Note(tr("for code to open"), whole)
    return None


def _document(attachment: Attachment) -> Note:
    if attachment.size_bytes > DOCUMENT_LIMIT_BYTES:
        whole = tr("The model is told the path and can read it by code.")
        return Note(tr("too large to send, for code to open"), whole, is_warning=True)
    return Note(tr("read by the model"), tr("It is sent with the message, and its path for code."))
