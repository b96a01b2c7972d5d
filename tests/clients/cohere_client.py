"""Asks a server of ours with the cohere SDK that is found first, for the tests that cannot load it.

Run by itself: JSON lines of calls come on stdin, each is answered by a line on stdout that says
what the SDK made of it, with everything that it warned of meanwhile.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from typing import Any

import cohere  # pyright: ignore[reportMissingImports] - it lies beside the environment


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def made(call: dict[str, Any]) -> Any:
    token = call.get("token", os.environ["PLAYHEAD_TOKEN"])
    return cohere.ClientV2(token, base_url=os.environ["PLAYHEAD_ADDRESS"])


def plain(value: Any) -> Any:
    return json.loads(value.json())


def read(call: dict[str, Any]) -> list[Any]:
    options = {"max_retries": 0, **call.get("options", {})}
    asked = {**call["request"], "request_options": options}
    client = made(call)
    if not call["is_stream"]:
        return [plain(client.chat(**asked))]
    events: list[Any] = []
    stream = client.chat_stream(**asked)
    for event in stream:
        events.append(plain(event))
        if call.get("leave_at") and call["leave_at"] in json.dumps(events[-1]):
            break
    stream.close()
    return events


def answered(call: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"read": read(call)}
    except cohere.core.ApiError as error:
        body = error.body if isinstance(error.body, dict) else plain(error.body)
        return {"error": type(error).__name__, "status": error.status_code, "body": body}


def main() -> None:
    warnings.simplefilter("ignore")  # of the SDK's use of other packages
    kept = Kept()
    logging.getLogger().addHandler(kept)
    for line in sys.stdin:
        told = answered(json.loads(line))
        print(json.dumps({**told, "version": cohere.__version__, "warnings": kept.messages}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
