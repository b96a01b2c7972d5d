"""The options of command lines for what code may do, and the variables that hand them on."""

from __future__ import annotations

from argparse import Namespace

import pytest

from playhead.domain.policy_options import keep_policy, policy_wish
from playhead.domain.trust import PolicyWish


def test_options_come_before_variables_and_reach_the_server_that_is_started():
    variables = {"PLAYHEAD_NETWORK": "on", "PLAYHEAD_ASK": ""}
    options = Namespace(sandbox="folder", network=None)
    assert policy_wish(options, variables) == PolicyWish(files="folder", network="on")
    keep_policy(options, variables)
    assert policy_wish(None, variables) == PolicyWish(files="folder", network="on")


def test_the_places_of_a_list_are_named_one_by_one():
    variables: dict[str, str] = {}
    options = Namespace(allow_host=["API.example.com", "example.org:8443"])
    wish = PolicyWish(network="listed", hosts=("api.example.com", "example.org:8443"))
    assert policy_wish(options, variables) == wish
    keep_policy(options, variables)
    assert policy_wish(None, variables) == wish
    with pytest.raises(ValueError, match="not the name of a place"):
        policy_wish(Namespace(allow_host=["localhost"]), {})


@pytest.mark.parametrize("name", ["PLAYHEAD_SANDBOX", "PLAYHEAD_NETWORK", "PLAYHEAD_ASK"])
def test_another_word_is_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        policy_wish(None, {name: "none"})
