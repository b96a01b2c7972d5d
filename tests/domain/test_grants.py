"""What code reaches: a denial beats a grant, and a grant beats a dial."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.grants import (
    PACKAGE_HOSTS,
    Grant,
    GrantKind,
    host_of,
    hosts_of,
    under_grants,
)
from playhead.domain.trust import NetworkAccess, Policy, Reach, is_below
from playhead.errors import SessionError

PATHS = st.sampled_from(["/a", "/a/b", "/a/b/c", "/a/bc", "/d", "/d/e"])
NAMES = st.sampled_from(["one.example", "one.example:443", "one.example:8443", "two.example"])
ADDRESSES = [
    (name, port)
    for name in ("one.example", "two.example", "pypi.org", "cran.r-project.org")
    for port in ("80", "443", "8443")
]


def grant(kind: GrantKind, target: str, is_denial: bool) -> Grant:
    return Grant(
        id=f"{kind} {target} {is_denial}",
        kind=kind,
        target=target,
        is_denial=is_denial,
        scope="conversation",
        conversation_id="c1",
        folder="/work",
    )


GRANTS = st.lists(
    st.one_of(
        st.builds(grant, st.sampled_from(["read", "write"]), PATHS, st.booleans()),
        st.builds(grant, st.just("host"), NAMES, st.booleans()),
        st.builds(
            grant, st.just("packages"), st.sampled_from(sorted(PACKAGE_HOSTS)), st.booleans()
        ),
        st.builds(grant, st.just("variable"), st.sampled_from(["A", "B"]), st.booleans()),
    ),
    max_size=8,
)


def covers(host: str, name: str, port: str) -> bool:
    named, _, only = host.partition(":")
    return named == name and (port == only if only else port in ("80", "443"))


def let_through(hosts: tuple[str, ...], name: str, port: str) -> bool:
    return any(covers(host, name, port) for host in hosts)


@given(GRANTS, st.lists(NAMES, max_size=2), st.sampled_from(["off", "listed", "on"]))
def test_a_denial_beats_a_grant_and_a_grant_beats_a_dial(
    grants: list[Grant], listed: list[str], network: NetworkAccess
) -> None:
    dial = Policy(files="folder", network=network, hosts=tuple(listed))
    policy, reach = under_grants(dial, grants)
    yes = [one for one in grants if not one.is_denial]
    no = [one for one in grants if one.is_denial]
    for path in ("/a", "/a/b", "/a/b/c", "/a/b/c/d", "/a/bc", "/a/x", "/d/e/f", "/x"):
        refused = [one.kind for one in no if is_below(path, (one.target,))]
        asked = [one.kind for one in yes if is_below(path, (one.target,))]
        can_read = bool({"read", "write"} & set(asked)) and "read" not in refused
        can_write = "write" in asked and not {"read", "write"} & set(refused)
        assert reach.shows(path) is can_read, path
        assert _writes(reach, path) is can_write, path
    for name, port in ADDRESSES:
        is_refused = any(
            (one.kind == "host" and one.target in (name, f"{name}:{port}"))
            or (one.kind == "packages" and f"{name}:{port}" in PACKAGE_HOSTS[one.target])
            for one in no
        )
        is_granted = any(
            (one.kind == "host" and covers(one.target, name, port))
            or (one.kind == "packages" and f"{name}:{port}" in PACKAGE_HOSTS[one.target])
            for one in yes
        )
        is_dialled = network == "listed" and let_through(tuple(listed), name, port)
        if network == "on":
            assert reach.hosts == ()
            continue
        is_open = let_through((*policy.hosts, *reach.hosts), name, port)
        assert is_open is ((is_granted or is_dialled) and not is_refused), (name, port)
    assert set(reach.variables) == {
        one.target
        for one in yes
        if one.kind == "variable" and not any(no_.target == one.target for no_ in no)
    }
    assert under_grants(Policy(), grants) == (Policy(), Reach())


def _writes(reach: Reach, path: str) -> bool:
    return is_below(path, reach.writable) and not is_below(path, (*reach.fixed, *reach.hidden))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("API.Example.com.", "api.example.com"),
        (" api.example.com:08443 ", "api.example.com:8443"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_name_is_kept_as_it_is_compared(text: str, name: str) -> None:
    assert host_of(text) == name


BAD_NAMES = ("", "localhost", "127.0.0.1", "0x7f.1", "127.0.0.0x1", "::1", "https://a.example")
BAD_NAMES += ("a b.example", "a.example:0", "a.example:70000", "a.example:http", "*.example")
BAD_NAMES += ("evil\0.example.com", ".a.example")


@pytest.mark.parametrize("text", BAD_NAMES)
def test_what_is_no_name_of_a_place_is_refused(text: str) -> None:
    with pytest.raises(SessionError):
        host_of(text)


def test_a_list_names_each_place_once() -> None:
    assert hosts_of(["b.example", "", "A.example", "b.example."]) == ("b.example", "a.example")
