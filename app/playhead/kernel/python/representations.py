"""Find how an object can be shown besides its text, by the methods that Jupyter made usual.

Pictures come first, then text that keeps a meaning without a browser, then HTML.
"""

from __future__ import annotations

import base64
import binascii
import sys
from typing import Any, Callable, NamedTuple, cast


class Representation(NamedTuple):
    """A kind of `protocol.SHOWN` with its data; `suffix` is the file's."""

    kind: str
    data: bytes
    suffix: str


_FORMS = (
    ("image/png", "_repr_png_", "png", "png"),
    ("image/jpeg", "_repr_jpeg_", "png", "jpg"),
    ("image/svg+xml", "_repr_svg_", "svg", "svg"),
    ("text/markdown", "_repr_markdown_", "markdown", "md"),
    ("text/latex", "_repr_latex_", "latex", "tex"),
    ("text/html", "_repr_html_", "html", "html"),
    ("application/javascript", "_repr_javascript_", "javascript", "js"),
)


def find(value: object) -> Representation | None:
    """Return the best form of a value, None if it only has a text.

    Methods are looked up on the class: an object that answers to every name would have these too.
    A form that fails is skipped, as the text would be shown without it.
    """
    if isinstance(value, type):
        return None
    page = _page_of_known_library(value)
    if page is not None:
        return page
    bundle = _bundle(value)
    for mime, method, kind, suffix in _FORMS:
        data = _as_bytes(bundle.get(mime) or _call(value, method), is_image=kind == "png")
        if data:
            return Representation(kind, data, suffix)
    return None


def shows_itself(value: object) -> bool:
    """Let a value show itself if its class wants to; whether it did."""
    method = getattr(type(value), "_ipython_display_", None)
    if not callable(method) or isinstance(value, type):
        return False
    try:
        method(value)
    except Exception:  # noqa: BLE001 - code of others; its text is shown instead
        return False
    return True


def from_bundle(bundle: dict[str, Any]) -> Representation | None:
    """Return the best form of a bundle of data by MIME type."""
    for mime, _, kind, suffix in _FORMS:
        data = _as_bytes(bundle.get(mime), is_image=kind == "png")
        if data:
            return Representation(kind, data, suffix)
    return None


def _page_of_known_library(value: Any) -> Representation | None:
    """Return the page of an interactive plot, whose own methods assume a notebook around them."""
    library = type(value).__module__.partition(".")[0]
    render = _PAGES.get(library)
    if render is None:
        return None
    try:
        page = render(value)
    except Exception:  # noqa: BLE001 - code of others; it may still have another form
        return None
    data = _as_bytes(page, is_image=False)
    return Representation("html", data, "html") if data else None


def _plotly(value: Any) -> str | None:
    return value.to_html(full_html=True, include_plotlyjs="cdn") if _has_page(value) else None


def _altair(value: Any) -> str | None:
    return value.to_html() if _has_page(value) else None


def _has_page(value: Any) -> bool:
    return callable(getattr(type(value), "to_html", None))  # type: ignore[arg-type]


def _bokeh(value: Any) -> str | None:
    model = getattr(sys.modules.get("bokeh.model"), "Model", None)
    if model is None or not isinstance(value, model):
        return None
    from bokeh.embed import file_html  # type: ignore[import-not-found]
    from bokeh.resources import CDN  # type: ignore[import-not-found]

    return file_html(value, CDN)  # pyright: ignore[reportUnknownVariableType]


_PAGES: dict[str, Callable[[Any], str | None]] = {
    "plotly": _plotly,
    "altair": _altair,
    "bokeh": _bokeh,
}


def _bundle(value: object) -> dict[str, Any]:
    method = getattr(type(value), "_repr_mimebundle_", None)
    if not callable(method):
        return {}
    try:
        found: Any = method(value)
    except Exception:  # noqa: BLE001 - code of others
        return {}
    found = _without_metadata(found)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _call(value: object, name: str) -> Any:
    method = getattr(type(value), name, None)
    if not callable(method):
        return None
    try:
        found: Any = method(value)
    except Exception:  # noqa: BLE001 - code of others
        return None
    return _without_metadata(found)


def _without_metadata(found: Any) -> Any:
    """Return the data of a method's result, which may be a pair of data and metadata."""
    is_pair = isinstance(found, tuple) and bool(cast("tuple[Any, ...]", found))
    return cast("Any", found)[0] if is_pair else cast("Any", found)


def _as_bytes(data: object, is_image: bool) -> bytes:
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if not isinstance(data, str):
        return b""
    if not is_image:
        return data.encode("utf-8", "replace")
    try:
        return base64.b64decode(data)
    except (binascii.Error, ValueError):
        return b""
