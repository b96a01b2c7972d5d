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


@pytest.mark.parametrize("name", ["PLAYHEAD_SANDBOX", "PLAYHEAD_NETWORK", "PLAYHEAD_ASK"])
def test_another_word_is_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        policy_wish(None, {name: "none"})
