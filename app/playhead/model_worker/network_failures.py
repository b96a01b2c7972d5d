"""Why a server cannot be reached: its name, its port, its certificate, the proxy, the network."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx

from playhead.model_worker.failure_kinds import Words

_CODE = "upstream_network"


class RedirectedError(httpx.RequestError):
    """A server sent us elsewhere: the key belongs to the address that it was entered for."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and all that it comes from."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting += [link.__context__, link.__cause__, getattr(link, "original_exception", None)]
        waiting += getattr(link, "exceptions", ())  # of a group: one for each address tried


def is_network(error: BaseException) -> bool:
    """Whether no answer came at all."""
    kinds = (httpx.TransportError, httpx.InvalidURL, ConnectionError, RedirectedError)
    return any(isinstance(link, kinds) for link in chain(error))


def is_worth_another_try(error: BaseException, api_base: str | None) -> bool:
    """Not where a certificate is wrong, or where nobody listens on this very machine."""
    if _has(error, ssl.SSLError, RedirectedError, httpx.ProxyError, httpx.UnsupportedProtocol):
        return False
    if _has(error, httpx.InvalidURL):
        return False
    return not (_has(error, ConnectionRefusedError) and _is_here(api_base))


def network_words(error: BaseException, api_base: str | None, proxy: str) -> Words:
    """What stands in the way."""
    where = _shown(api_base) or "the provider"
    if _has(error, RedirectedError):
        return Words(
            _CODE,
            f"The server at {where} redirects to another address."
            if api_base
            else "The provider redirects to another address.",
            "Enter the address that it belongs to as the API base in the settings.",
        )
    if _has(error, httpx.ProxyError):
        return Words(_CODE, "The proxy refused the connection.", "Check the proxy in the settings.")
    if _has(error, ssl.SSLError):
        return Words(
            _CODE,
            f"The certificate of {where} is not trusted.",
            "If your company inspects connections, choose its CA file in the settings.",
        )
    if _has(error, socket.gaierror):
        return Words(
            _CODE,
            f"The address of {'the proxy' if proxy else where} is not known.",
            "Check the network, and the spelling of the address in the settings.",
        )
    if proxy and not _is_here(api_base) and _has(error, httpx.ConnectError, httpx.ConnectTimeout):
        return Words(
            _CODE, "No connection to the proxy.", "Check the network and the proxy in the settings."
        )
    if not api_base:
        return Words(_CODE, "No connection to the provider.", "Check the network.")
    return Words(
        _CODE,
        f"No connection to {where}.",
        "Is the server running? Check the network and the API base in the settings.",
    )


def network_detail(error: BaseException) -> str:
    """What the system says, in its own words, where that says anything."""
    links = list(chain(error))
    for kind in (RedirectedError, ssl.SSLCertVerificationError, socket.gaierror, httpx.ProxyError):
        for link in links:
            if isinstance(link, kind):
                return _said(link)
    if any(isinstance(link, ConnectionRefusedError) for link in links):
        return "Nothing listens there."
    if any(isinstance(link, httpx.ConnectTimeout) for link in links):
        return "It did not take the connection in time."
    if any(isinstance(link, httpx.RemoteProtocolError | httpx.ReadError) for link in links):
        return "The connection broke before the answer began."
    return ""


def _said(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def _has(error: BaseException, *kinds: type[BaseException]) -> bool:
    return any(isinstance(link, kinds) for link in chain(error))


def _shown(address: str | None) -> str:
    """The address without a name and password in it."""
    return address.replace(f"{urlsplit(address).netloc.rpartition('@')[0]}@", "") if address else ""


def _is_here(address: str | None) -> bool:
    host = (urlsplit(address or "").hostname or "").lower()
    return host == "localhost" or host == "::1" or host.startswith("127.")
