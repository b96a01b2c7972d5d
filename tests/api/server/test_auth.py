"""The gate by itself: its order, its names, its keys."""

from __future__ import annotations

import pytest

from playhead.api.server.auth import Gate, RequestHead
from playhead.domain.secret import Secret
from playhead.errors import RequestError

GATE = Gate(lambda: Secret("the-key"), ("Box.example", "tunnel.example:8443", "[2001:db8::1]", " "))
RIGHT = ("Bearer the-key",)


def verdict(**asked: object) -> str:
    """The code of the refusal, '' for who may go on."""
    knock = RequestHead(**({"method": "POST", "target": "/v1/chat", "path": "/v1/chat"} | asked))  # type: ignore[arg-type]
    try:
        GATE.check(knock)
    except RequestError as refusal:
        return refusal.code
    return ""


def test_host_comes_before_origin_and_origin_before_key() -> None:
    foreign = {"hosts": ("evil",), "origins": ("null",), "authorizations": ()}
    assert verdict(**foreign) == "forbidden_host"
    foreign["hosts"] = ("localhost",)
    assert verdict(**foreign) == "forbidden_origin"
    foreign["origins"] = ("http://localhost",)
    assert verdict(**foreign) == "invalid_api_key"
    foreign["authorizations"] = RIGHT
    assert verdict(**foreign) == ""


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LocalHost:5001", "127.0.0.1:1", "[::1]", "[::1]:65535"),
        *("box.example", "BOX.example:443", "tunnel.example:8443", "[2001:db8::1]:5001"),
    ],
)
def test_its_own_and_the_allowed_names_are_ours(host: str) -> None:
    assert verdict(hosts=(host,), authorizations=RIGHT) == ""
    assert verdict(hosts=(host,), origins=(f"https://{host}",), authorizations=RIGHT) == ""


@pytest.mark.parametrize(
    "host", ["tunnel.example", "tunnel.example:1", "a.box.example", "box.example.", "", " ", "b\n"]
)
def test_an_allowed_name_lets_no_other_in(host: str) -> None:
    assert verdict(hosts=(host,), authorizations=RIGHT) == "forbidden_host"


@pytest.mark.parametrize("line", ["Bearer the-key", "bearer the-key", "BEARER  the-key "])
def test_the_word_before_the_key_may_be_written_in_any_case(line: str) -> None:
    assert verdict(hosts=("localhost",), authorizations=(line,)) == ""


@pytest.mark.parametrize("token", [None, Secret("")])
@pytest.mark.parametrize("line", ["Bearer ", "Bearer", "", "Bearer None", "Bearer the-key"])
def test_no_token_is_no_way_in(token: Secret | None, line: str) -> None:
    knock = RequestHead(
        method="GET", target="/v1/x", path="/v1/x", hosts=("localhost",), authorizations=(line,)
    )
    with pytest.raises(RequestError):
        Gate(lambda: token).check(knock)


def test_a_key_beyond_ascii_is_compared_too() -> None:
    gate = Gate(lambda: Secret("schlüssel"))
    gate.check(
        RequestHead(
            method="GET",
            target="/",
            path="/",
            hosts=("localhost",),
            authorizations=("Bearer schlüssel",),
        )
    )
    with pytest.raises(RequestError):
        gate.check(
            RequestHead(
                method="GET",
                target="/",
                path="/",
                hosts=("localhost",),
                authorizations=("Bearer \udcfc",),
            )
        )
