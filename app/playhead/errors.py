"""Errors that a person can act on; each says what happened and what to do.

AppError
├── ProviderError        the model, its server or the way to it
├── ExecutionError       a kernel, an interpreter or a language
├── StorageError         settings, conversations or the disk under them
├── KeyStoreError        the keyring
├── AttachmentError      a dropped, pasted or chosen file
├── DocumentError        a file that is to become a conversation
├── SessionError         a command that the session's state does not allow
├── RequestError         a program's request that cannot be understood or is not allowed
└── InterpreterError     any of these, as the Python client raises it
"""

from __future__ import annotations


def phrase(template: str, /, **values: object) -> str:
    """Return a text of an error with the values in place of the names in braces.

    `phrase("{path} is not a folder.", path=path)`: the text is English and finished; the window
    translates its template. A text without values is its own template, and is listed for the
    translators where it is a literal in an error; elsewhere `phrase("…")` marks it.
    """
    return _Phrase(template, values)


def parts_of_phrase(text: str) -> tuple[str, dict[str, str]]:
    """Return the template and the values of a text; one that was made of none is its own."""
    return (text.template, text.values) if isinstance(text, _Phrase) else (text, {})


class _Phrase(str):
    template: str
    values: dict[str, str]

    def __new__(cls, template: str, values: dict[str, object]) -> _Phrase:
        text = super().__new__(cls, template.format_map(values))
        text.template = template
        text.values = {name: str(value) for name, value in values.items()}
        return text


class AppError(Exception):
    """Something that went wrong outside the program and that the user can mend.

    `title` is one short sentence, `detail` the facts, `remedy` what to do next. `code` is the
    stable word of the wire formats (`upstream_error`, …). None of the four may ever contain a key.

    `phrases` has the template and the values of those of the texts that were made by `phrase`.
    """

    default_code = "internal_error"

    def __init__(
        self, title: str, *, detail: str = "", remedy: str = "", code: str | None = None
    ) -> None:
        super().__init__(str(title))
        self.title = str(title)
        self.detail = str(detail)
        self.remedy = str(remedy)
        texts = {"title": title, "detail": detail, "remedy": remedy}
        self.phrases = {
            name: (text.template, text.values)
            for name, text in texts.items()
            if isinstance(text, _Phrase)
        }
        self.code = code or self.default_code

    def __str__(self) -> str:
        return " ".join(part for part in (_ended(self.title), self.explanation) if part)

    @property
    def explanation(self) -> str:
        """Return the detail and the remedy as sentences."""
        return " ".join(_ended(part) for part in (self.detail, self.remedy) if part)


class ProviderError(AppError):
    """A model could not be asked, or its answer broke off.

    `retry_after_s` is set when the provider named a time to wait.
    """

    default_code = "upstream_error"

    def __init__(
        self,
        title: str,
        *,
        detail: str = "",
        remedy: str = "",
        code: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(title, detail=detail, remedy=remedy, code=code)
        self.retry_after_s = retry_after_s


class ExecutionError(AppError):
    """Code could not be run at all (code that runs and fails is data, not this)."""

    default_code = "execution_error"


class StorageError(AppError):
    """Something could not be read from or written to the disk."""

    default_code = "storage_error"


class KeyStoreError(AppError):
    """The operating system's keyring refused or is missing."""

    default_code = "keyring_error"


class AttachmentError(AppError):
    """A file could not be taken as an attachment."""

    default_code = "attachment_error"


class DocumentError(AppError):
    """A file could not be read as a conversation."""

    default_code = "invalid_messages"


class SessionError(AppError):
    """A command came at a moment that does not allow it."""

    default_code = "invalid_state"


class RequestError(AppError):
    """A program asked for what cannot be understood or is not allowed.

    `code` is one of the words of docs/wire-formats.md (`invalid_messages`, …), `param` the field
    of the request that is at fault.
    """

    default_code = "invalid_messages"

    def __init__(
        self,
        title: str,
        *,
        detail: str = "",
        remedy: str = "",
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(title, detail=detail, remedy=remedy, code=code)
        self.param = param


class InterpreterError(AppError):
    """A chat of the Python face failed, or could not begin."""


def _ended(part: str) -> str:
    """Return the part with a full stop: a foreign detail often lacks it and would run into the
    next.
    """
    return part if part.endswith((".", "!", "?", "…", ":", "”")) else f"{part}."
