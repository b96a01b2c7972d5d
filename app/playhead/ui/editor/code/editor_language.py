"""What the editor knows of languages: names, other words for them, file endings, comments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from playhead.ui.widgets.wording import mark, tr


@dataclass(frozen=True, slots=True)
class EditorLanguage:
    """One language; `word` is what fences call it, `family` the lexer recipe that colours it."""

    word: str
    name: str
    family: str
    aliases: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    comment: tuple[str, str] | None = ("#", "")


LANGUAGES = (
    EditorLanguage("python", "Python", "python", ("py", "python3", "ipython"), (".py", ".pyw")),
    EditorLanguage("shell", mark("Shell"), "shell", ("sh", "console"), (".sh",)),
    EditorLanguage("bash", "Bash", "shell", (), (".bash",)),
    EditorLanguage("zsh", "zsh", "shell", (), (".zsh",)),
    EditorLanguage(
        "javascript",
        "JavaScript",
        "javascript",
        ("js", "node", "nodejs", "jsx"),
        (".js", ".mjs", ".cjs", ".jsx"),
        ("//", ""),
    ),
    EditorLanguage(
        "typescript", "TypeScript", "javascript", ("ts", "tsx"), (".ts", ".tsx"), ("//", "")
    ),
    EditorLanguage("r", "R", "r", ("rscript",), (".r",)),
    EditorLanguage("ruby", "Ruby", "ruby", ("rb",), (".rb",)),
    EditorLanguage("powershell", "PowerShell", "powershell", ("ps1", "pwsh"), (".ps1", ".psm1")),
    EditorLanguage("batch", "Batch", "batch", ("cmd", "bat"), (".bat", ".cmd"), ("REM", "")),
    EditorLanguage(
        "html", "HTML", "html", ("xml", "xhtml"), (".html", ".htm", ".xml"), ("<!--", "-->")
    ),
    EditorLanguage("css", "CSS", "css", (), (".css",), ("/*", "*/")),
    EditorLanguage("sql", "SQL", "sql", ("sqlite", "postgresql", "mysql"), (".sql",), ("--", "")),
    EditorLanguage("json", "JSON", "json", ("jsonl",), (".json", ".jsonl", ".ipynb"), None),
    EditorLanguage("yaml", "YAML", "yaml", ("yml",), (".yaml", ".yml")),
    EditorLanguage(
        "c",
        mark("C family"),
        "c",
        ("cpp", "c++", "java", "csharp"),
        (".c", ".h", ".cpp", ".hpp", ".java", ".cs"),
        ("//", ""),
    ),
    EditorLanguage("lua", "Lua", "lua", (), (".lua",), ("--", "")),
    EditorLanguage("perl", "Perl", "perl", (), (".pl", ".pm")),
    EditorLanguage(
        "text", mark("Plain text"), "", ("", "txt", "plain"), (".txt", ".md", ".log"), None
    ),
)
_BY_WORD = {word: one for one in LANGUAGES for word in (one.word, *one.aliases)}
_BY_SUFFIX = {suffix: one for one in LANGUAGES for suffix in one.suffixes}


def find_language(word: str) -> EditorLanguage | None:
    """The language that a word names, if the editor knows it."""
    return _BY_WORD.get(word.strip().lower())


def language_name(word: str) -> str:
    """How a language is called in the window; an unknown word stays as it is."""
    if (known := find_language(word)) is not None:
        return known.name
    return word.strip() or tr("Plain text")


def language_family(word: str) -> str:
    """The lexer recipe that colours a language, '' for plain text."""
    known = find_language(word)
    return known.family if known is not None else ""


def comment_marks(word: str) -> tuple[str, str] | None:
    """What opens and closes a comment on one line; None where there is none."""
    known = find_language(word)
    return known.comment if known is not None else None


def language_of_file(name: str) -> str:
    """The language of a file, by its ending."""
    known = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    return known.word if known is not None else "text"


def suffix_for(word: str) -> str:
    """The usual ending of a file in this language."""
    known = find_language(word)
    return known.suffixes[0] if known is not None and known.suffixes else ".txt"
