"""A language that nobody speaks: English in other letters, longer, so that gaps and clips show."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.catalogue import all_texts, compile_catalogue, write

_LETTERS = str.maketrans("AaCcDdEeHhIiLlNnOoSsTtUuYyZz", "ÅåÇçĐđÉéĤĥÎîĹĺÑñÖöŠšŦŧÛûÝýŽž")
_KEPT = re.compile(r"(\{[^{}]*\}|%n|<[^>]*>|&[a-z]+;|\(\*[^)]*\)|;;)")


def pseudo(text: str) -> str:
    """[Šåvé···]: in brackets, with a third more room, and all that is filled in left alone."""
    parts = _KEPT.split(text)
    said = "".join(one if _KEPT.fullmatch(one) else one.translate(_LETTERS) for one in parts)
    return f"[{said}{'·' * max(1, len(text) // 4)}]"


def write_pseudo_language(folder: Path, name: str) -> Path:
    """A compiled catalogue of all texts under the name of a real language, whose plurals it has."""
    texts = all_texts()
    forms = 6 if name == "ar" else 2
    path = folder / f"playhead_{name}.ts"
    write(path, texts, {one.source: [pseudo(one.source)] * forms for one in texts}, name)
    return compile_catalogue(path)
