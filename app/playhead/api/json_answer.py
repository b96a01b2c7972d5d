"""A body of JSON."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from playhead.api.sse import to_json


def json_answer(value: Any, status: int = 200) -> web.Response:
    """An answer whose body is this value."""
    return web.Response(body=to_json(value), content_type="application/json", status=status)
