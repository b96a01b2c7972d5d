"""Code that connects to a cluster, for a tab of the user's own, and what its Stop cannot reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.domain.execution import PYTHON
from playhead.ui.editor.own_tabs import OwnTabs
from playhead.ui.widgets.wording import tr

_DASK = """\
# Connect to a Dask cluster; needs the package "distributed" where the code runs.
from distributed import Client

client = Client("tcp://scheduler.example.org:8786")  # or Client() for one of its own
client
"""
_RAY = """\
# Connect to a Ray cluster; needs the package "ray" where the code runs.
import ray

ray.init(address="auto")  # or "ray://head.example.org:10001", or none for one of its own
ray.cluster_resources()
"""
_USES = re.compile(r"^\s*(?:import|from)\s+(dask|distributed|ray)\b", re.MULTILINE)


def cluster_handlers(
    tabs: Callable[[], OwnTabs], show: Callable[[], object]
) -> Mapping[str, Callable[[], object]]:
    """Return the commands that put such code into the editor; nothing of it runs by itself."""

    def put(code: str) -> None:
        tabs().new_tab_with(PYTHON, code)
        show()

    return {"dask": lambda: put(_DASK), "ray": lambda: put(_RAY)}


def note_after_stop(messages: Sequence[Message]) -> tuple[str, str] | None:
    """Return what to say after code was stopped that gave work to a cluster; None for nothing."""
    of_turn = takewhile(lambda one: one.role != "user", reversed(messages))
    last = next((one.content for one in of_turn if isinstance(one.content, RunReport)), None)
    if last is None or last.state not in ("interrupted", "killed"):
        return None
    codes = (one.content.code for one in messages if isinstance(one.content, Proposal))
    used = {name for code in codes for name in _USES.findall(code)}
    if not used:
        return None
    title = tr("The scheduler may still be working.")
    if used == {"ray"}:
        return title, tr("Stop ended the code only. Tasks of Ray end by ray.cancel(reference).")
    return title, tr("Stop ended the code only. Tasks of Dask end by client.cancel(futures).")
