"""The address of a server in what a person pastes: the token is cut off, the page too."""

from __future__ import annotations

import pytest

from playhead.domain.execution import place_of
from playhead.domain.places import (
    RunningKernel,
    ServerSpec,
    folder_there,
    is_unencrypted,
    joined_place,
    machine_place,
    nickname,
    pasted_address,
    server_place,
    short_name,
)
from playhead.errors import AppError

LAB = "https://lab.uni.edu"


@pytest.mark.parametrize(
    ("pasted", "address", "token"),
    [
        ("http://127.0.0.1:8888/lab?token=abc", "http://127.0.0.1:8888", "abc"),
        ("  http://localhost:8888/tree?token=abc&x=1#y ", "http://localhost:8888", "abc"),
        ("http://0.0.0.0:8888/?token=abc", "http://127.0.0.1:8888", "abc"),
        (f"{LAB}/user/anna/lab/tree/a%20b.ipynb", f"{LAB}/user/anna", None),
        (f"{LAB}/user/lab/lab", f"{LAB}/user/lab", None),
        (f"{LAB}/jupyter/hub/token", f"{LAB}/jupyter", None),
        (f"{LAB}/hub/home#token=abc", LAB, "abc"),
        ("https://anna:secret@lab.uni.edu:444/lab", f"{LAB}:444", None),
        ("lab.uni.edu", LAB, None),
        ("localhost:8889", "http://localhost:8889", None),
        ("[::1]:8889/lab", "http://[::1]:8889", None),
        ("    or http://127.0.0.1:8888/tree?token=abc", "http://127.0.0.1:8888", "abc"),
        ("HTTPS://LAB.uni.edu/lab", LAB, None),
        ("https://l\u0430b.uni.edu/lab", "https://xn--lb-7kc.uni.edu", None),
        ("https://lab.uni.edu\\@other.edu/lab", "https://other.edu", None),
    ],
)
def test_a_pasted_address_is_kept_without_its_token(
    pasted: str, address: str, token: str | None
) -> None:
    found = pasted_address(pasted)
    assert found.address == address
    assert (found.token.reveal() if found.token else None) == token
    assert "abc" not in repr(found)


@pytest.mark.parametrize(
    "pasted", ["", "   ", "file:///etc/passwd", "http://", "lab uni", "http://a:99999", "x" * 3000]
)
def test_what_is_no_address_is_refused(pasted: str) -> None:
    with pytest.raises(AppError):
        pasted_address(pasted)


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("http://127.0.0.1:8888", False),
        ("http://[::1]:8888", False),
        ("https://lab.uni.edu", False),
        ("http://lab.uni.edu", True),
        ("http://127.evil.org", True),
        ("http://localhost.evil.org", True),
    ],
)
def test_an_address_is_unencrypted_unless_it_is_this_computers(address: str, is_open: bool) -> None:
    assert is_unencrypted(address) is is_open


def test_places_are_made_of_what_is_found() -> None:
    new = server_place(LAB, "lab.uni.edu", ServerSpec("python3", "Python 3 (GPU)"))
    kernel = RunningKernel(id="9c", spec="ir", label="R", language="r", notebook="work/a.ipynb")
    joined = joined_place(LAB, "lab.uni.edu", kernel)
    box = machine_place("anna@gpu-box", "~/data", "/opt/python3")
    inside = machine_place("docker:web")
    assert [one.label for one in (new, joined, box, inside)] == [
        "lab.uni.edu: Python 3 (GPU)",
        "lab.uni.edu: a.ipynb",
        "anna@gpu-box",
        "web",
    ]
    assert all(place_of(one.id) == one for one in (new, joined, box, inside))
    assert (joined.kernel_id, joined.language, inside.kind) == ("9c", "r", "container")
    assert [short_name(one) for one in (box, new)] == ["anna@gpu-box", "lab.uni.edu"]
    assert (folder_there(box), folder_there(inside), folder_there(new)) == ("~/data", "~", "/")


@pytest.mark.parametrize(
    "words", ["-oProxyCommand=x", "", "a b", "docker:-it", "a\nb", "a;b", "a@-F"]
)
def test_a_machines_name_is_never_an_option(words: str) -> None:
    with pytest.raises(AppError):
        machine_place(words)
    with pytest.raises(AppError):
        machine_place("box", words if words.startswith("-") or "\n" in words else "-x")


@pytest.mark.parametrize(
    ("machine", "shown"),
    [
        ("gpu-box", "gpu-box"),
        ("anna@gpu-box", "anna@gpu-box"),
        ("ec2-203-0-113-25.eu-central-1.compute.example.org", "ec2-203-0-113-25"),
        ("anna@a.rather.long.domain.example.org", "anna@a"),
        ("192.168.100.200:18888/x/y", "192.168.100.200:18888/x/y"),
    ],
)
def test_a_long_name_loses_its_domain_where_it_is_narrow(machine: str, shown: str) -> None:
    assert nickname(machine) == shown
