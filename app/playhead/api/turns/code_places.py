"""The places where code can run, for programs: their list, and the choice of one.

What is listed has names and addresses; never a token, which only the window takes.
"""

from __future__ import annotations

from msgspec import Struct, to_builtins

from playhead.domain.execution import Place, place_of
from playhead.domain.places import folder_there, kernel_name, short_name
from playhead.errors import AppError, RequestError
from playhead.formats.wire.codec import Wire
from playhead.session.elsewhere.saved_places import SavedPlaces
from playhead.session.session import Session

HERE = "here"
"""The name of this computer."""


class ListedPlace(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place where code can run; `kind` is here, server, kernel, ssh or container.

    A kernel of a server has a `title` and a `language`; one that `is_running` is shared.
    """

    name: str
    kind: str
    address: str = ""
    folder: str = ""
    title: str = ""
    language: str = ""
    is_running: bool = False


class PlaceList(Struct, frozen=True):
    """The places that the owner of the server knows; never their tokens."""

    places: list[ListedPlace]


async def list_places(places: SavedPlaces, server: str = "") -> Wire:
    """Return the servers that were added and the machines; with a `server` also its kernels.

    Raises RequestError for a server that does not answer, or was not added.
    """
    listed = [ListedPlace(name=HERE, kind=HERE)]
    for one in places.servers:
        listed.append(ListedPlace(name=one.name, kind="server", address=one.address))
    listed += [_machine(one) for one in await places.machines()]
    if server:
        listed += await _kernels(places, server)
    return to_builtins(PlaceList(listed))


async def choose_place(session: Session, places: SavedPlaces, words: str) -> None:
    """Have code of a conversation run at a place, by its name. Raises RequestError."""
    if not words or words == HERE:
        session.set_interpreter("")
        return
    try:
        session.set_interpreter((await places.named(words)).id)
    except AppError as error:
        raise _refusal(error) from error


def place_wire(interpreter: str) -> Wire | None:
    """Return where code runs, as programs get it; None on this computer."""
    place = place_of(interpreter)
    if place is None or not place.is_elsewhere:
        return None
    return {"name": place.label, "machine": short_name(place), "folder": folder_there(place)}


def _machine(place: Place) -> ListedPlace:
    name = f"{place.address}:{place.folder}" if place.folder else place.address
    return ListedPlace(name=name, kind=place.kind, folder=place.folder)


async def _kernels(places: SavedPlaces, server: str) -> list[ListedPlace]:
    known = next((one for one in places.servers if server in (one.name, one.address)), None)
    if known is None:
        raise RequestError(
            "There is no such server.",
            code="not_found",
            param="server",
            remedy="Add it in the window.",
        )
    try:
        answer = await places.ask(known.address)
    except AppError as error:
        raise _refusal(error) from error
    return [
        ListedPlace(
            name=f"{known.name}/{place.kernel_id or place.program}",
            kind="kernel",
            title=kernel_name(place),
            language=place.language,
            is_running=bool(place.kernel_id),
        )
        for place in places.kernels(known, answer)
    ]


def _refusal(error: AppError) -> RequestError:
    return RequestError(
        error.title,
        detail=error.detail,
        remedy=error.remedy,
        code="not_found" if error.code == "unknown_place" else "invalid_request",
        param="place",
    )
