"""Reads an answer of ours with the cohere SDK that is found first, and says what it made of it.

Run by itself: the bytes of the answer come on stdin, a JSON object goes out on stdout.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import cohere  # pyright: ignore[reportMissingImports] - it lies beside the environment
import httpx


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def main() -> None:
    body, is_stream = sys.stdin.buffer.read(), sys.argv[1] == "stream"
    kind = "text/event-stream; charset=utf-8" if is_stream else "application/json"
    headers = {"content-type": kind}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=body))
    kept = Kept()
    logging.getLogger().addHandler(kept)
    client = cohere.ClientV2(
        "k", base_url="http://x", httpx_client=httpx.Client(transport=transport)
    )
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    read = list(client.chat_stream(**asked)) if is_stream else [client.chat(**asked)]
    told = [[type(one).__name__, json.loads(one.json())] for one in read]
    print(json.dumps({"version": cohere.__version__, "read": told, "warnings": kept.messages}))


if __name__ == "__main__":
    main()
