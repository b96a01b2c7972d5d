"""The languages that the editor knows: names, aliases, file suffixes, comments."""

from __future__ import annotations

from pathlib import PurePath

from msgspec import Struct

from playhead.ui.widgets.wording import mark, tr


class EditorLanguage(Struct, frozen=True, kw_only=True):
    """One language; `word` is its name in fences, `family` the lexer recipe that colours it."""

    word: str
    name: str
    family: str
    aliases: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    comment: tuple[str, str] | None = ("#", "")


LANGUAGES = (
    EditorLanguage(
        word="python",
        name="Python",
        family="python",
        aliases=("py", "python3", "ipython"),
        suffixes=(".py", ".pyw"),
    ),
    EditorLanguage(
        word="shell",
        name=mark("Shell"),
        family="shell",
        aliases=("sh", "console"),
        suffixes=(".sh",),
    ),
    EditorLanguage(word="bash", name="Bash", family="shell", aliases=(), suffixes=(".bash",)),
    EditorLanguage(word="zsh", name="zsh", family="shell", aliases=(), suffixes=(".zsh",)),
    EditorLanguage(
        word="javascript",
        name="JavaScript",
        family="javascript",
        aliases=("js", "node", "nodejs", "jsx"),
        suffixes=(".js", ".mjs", ".cjs", ".jsx"),
        comment=("//", ""),
    ),
    EditorLanguage(
        word="typescript",
        name="TypeScript",
        family="javascript",
        aliases=("ts", "tsx"),
        suffixes=(".ts", ".tsx"),
        comment=("//", ""),
    ),
    EditorLanguage(word="r", name="R", family="r", aliases=("rscript",), suffixes=(".r",)),
    EditorLanguage(word="ruby", name="Ruby", family="ruby", aliases=("rb",), suffixes=(".rb",)),
    EditorLanguage(
        word="powershell",
        name="PowerShell",
        family="powershell",
        aliases=("ps1", "pwsh"),
        suffixes=(".ps1", ".psm1"),
    ),
    EditorLanguage(
        word="batch",
        name="Batch",
        family="batch",
        aliases=("cmd", "bat"),
        suffixes=(".bat", ".cmd"),
        comment=("REM", ""),
    ),
    EditorLanguage(
        word="html",
        name="HTML",
        family="html",
        aliases=("xml", "xhtml"),
        suffixes=(".html", ".htm", ".xml"),
        comment=("<!--", "-->"),
    ),
    EditorLanguage(
        word="css", name="CSS", family="css", aliases=(), suffixes=(".css",), comment=("/*", "*/")
    ),
    EditorLanguage(
        word="sql",
        name="SQL",
        family="sql",
        aliases=("sqlite", "postgresql", "mysql"),
        suffixes=(".sql",),
        comment=("--", ""),
    ),
    EditorLanguage(
        word="json",
        name="JSON",
        family="json",
        aliases=("jsonl",),
        suffixes=(".json", ".jsonl", ".ipynb"),
        comment=None,
    ),
    EditorLanguage(
        word="yaml", name="YAML", family="yaml", aliases=("yml",), suffixes=(".yaml", ".yml")
    ),
    EditorLanguage(
        word="c",
        name=mark("C family"),
        family="c",
        aliases=("cpp", "c++", "java", "csharp"),
        suffixes=(".c", ".h", ".cpp", ".hpp", ".java", ".cs"),
        comment=("//", ""),
    ),
    EditorLanguage(
        word="lua", name="Lua", family="lua", aliases=(), suffixes=(".lua",), comment=("--", "")
    ),
    EditorLanguage(word="perl", name="Perl", family="perl", aliases=(), suffixes=(".pl", ".pm")),
    EditorLanguage(
        word="text",
        name=mark("Plain text"),
        family="",
        aliases=("", "txt", "plain"),
        suffixes=(".txt", ".md", ".log"),
        comment=None,
    ),
)
_BY_WORD = {word: one for one in LANGUAGES for word in (one.word, *one.aliases)}
_BY_SUFFIX = {suffix: one for one in LANGUAGES for suffix in one.suffixes}


def find_language(word: str) -> EditorLanguage | None:
    """Return the language that a word names; None if it is unknown."""
    return _BY_WORD.get(word.strip().lower())


def language_name(word: str) -> str:
    """Return the name of a language in the window; an unknown word is returned as it is."""
    if (known := find_language(word)) is not None:
        return known.name
    return word.strip() or tr("Plain text")


def language_family(word: str) -> str:
    """Return the lexer recipe that colours a language, '' for plain text."""
    known = find_language(word)
    return known.family if known is not None else ""


def comment_marks(word: str) -> tuple[str, str] | None:
    """Return the marks that open and close a comment on one line; None if there are none."""
    known = find_language(word)
    return known.comment if known is not None else None


def language_of_file(name: str) -> str:
    """Return the language of a file, by its suffix."""
    known = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    return known.word if known is not None else "text"


def suffix_for(word: str) -> str:
    """Return the usual suffix of a file in this language."""
    known = find_language(word)
    return known.suffixes[0] if known is not None and known.suffixes else ".txt"
