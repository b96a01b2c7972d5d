"""Pages of lists, by the ids that they begin after or end before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from playhead.errors import RequestError
from playhead.formats.wire.codec import Wire

T = TypeVar("T")

MAX_PAGE_SIZE = 100
PAGE_SIZE = 20


class ListCursor(Struct, frozen=True, kw_only=True):
    """Position and order of a page of a list; newest items first unless `is_ascending`."""

    limit: int = PAGE_SIZE
    is_ascending: bool = False
    after: str = ""
    before: str = ""

    @staticmethod
    def of(query: Mapping[str, str]) -> ListCursor:
        """Return the cursor that a query asks for. Raises RequestError."""
        limit, order = query.get("limit", str(PAGE_SIZE)), query.get("order", "desc")
        if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit[:9]) <= MAX_PAGE_SIZE:
            raise _invalid(f"limit must be a number from 1 to {MAX_PAGE_SIZE}", "limit")
        if order not in ("asc", "desc"):
            raise _invalid("order must be asc or desc", "order")
        after, before = query.get("after", ""), query.get("before", "")
        return ListCursor(limit=int(limit), is_ascending=order == "asc", after=after, before=before)


def page_of(
    oldest_first: Sequence[T], cursor: ListCursor, id_of: Callable[[T], str]
) -> tuple[list[T], bool]:
    """Return the items of the page, and whether more follow. Raises RequestError."""
    items = [*oldest_first] if cursor.is_ascending else [*reversed(oldest_first)]
    places = {id_of(item): place for place, item in enumerate(items)}
    start = _place(places, cursor.after, "after") + 1 if cursor.after else 0
    if not cursor.before:
        return items[start : start + cursor.limit], start + cursor.limit < len(items)
    end = _place(places, cursor.before, "before")
    first = max(start, end - cursor.limit)
    return items[first:end], first > start


def list_wire(data: Sequence[Mapping[str, Any]], *, has_more: bool) -> Wire:
    """Return the page as clients see it."""
    return {
        "object": "list",
        "data": [*data],
        "first_id": data[0]["id"] if data else None,
        "last_id": data[-1]["id"] if data else None,
        "has_more": has_more,
    }


def _place(places: Mapping[str, int], item_id: str, param: str) -> int:
    place = places.get(item_id)
    if place is None:
        raise _invalid(f"The list has no {item_id[:80]!r} to go on from.", param)
    return place


def _invalid(title: str, param: str) -> RequestError:
    return RequestError(title, code="invalid_request", param=param)
