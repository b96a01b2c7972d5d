"""Images that a request carries in its text."""

from __future__ import annotations

import base64
import binascii

from playhead.dialects.request_values import wrong

_MARKS = {b"\x89PNG\r\n\x1a\n": "base64.png", b"\xff\xd8\xff": "base64.jpeg"}


def image_of_base64(data: str, param: str) -> tuple[str, str]:
    """(format, data) of an image, by what it is and not what it is called. Raises RequestError."""
    data = "".join(data.split())
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        wrong(f"{param} is no image in base64", param)
    for mark, format_ in _MARKS.items():
        if content.startswith(mark):
            return format_, data
    wrong(f"{param} must be a PNG or a JPEG image", param)


def image_of_data_url(url: str, param: str) -> tuple[str, str]:
    """(format, data) of a `data:image/…;base64,…` address. Raises RequestError."""
    head, comma, data = url.partition(",")
    if not head.lower().startswith("data:"):
        wrong(f"{param} must be a data: URL: images are not fetched from addresses", param)
    if not comma or not head.lower().endswith(";base64"):
        wrong(f"{param} must be a data: URL in base64", param)
    return image_of_base64(data, param)
