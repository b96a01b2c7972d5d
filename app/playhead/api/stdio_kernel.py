"""One turn over pipes in the messages of @unternet/kernel, which bring their whole history."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from playhead.api.api_turn import ApiTurn
from playhead.api.incoming import Incoming
from playhead.api.kernel_turn import KernelAnswer, kernel_incoming
from playhead.api.schemas import KernelRequest
from playhead.api.stdio_turn import Send, options_of
from playhead.api.turns import Turns
from playhead.domain.conversation.chunk import Chunk
from playhead.errors import RequestError
from playhead.formats.wire.native.encode import encode_chunk

_COMPLETE = Chunk("server", "status", content="complete")


class StdioKernelTurn:
    """Where the chunks of the turn go: out as messages, its end as a native chunk."""

    def __init__(self, turn_id: str, turns: Turns, send: Send) -> None:
        self.id = turn_id
        self.is_over = False
        self._is_whole = False
        self._turns = turns
        self._send = send
        self._turn: ApiTurn | None = None
        self._answer: KernelAnswer | None = None
        self._early: list[Chunk] = []

    async def begin(self, command: Mapping[str, Any], config: Mapping[str, Any]) -> str:
        """Start it; the id of its conversation. Raises RequestError and SessionError."""
        self._turn = turn = await self._turns.begin(_incoming(command, config), self)
        self._answer = KernelAnswer(turn)
        for chunk in self._early:
            self.put(chunk)
        return turn.session.conversation.id

    def stop(self) -> None:
        """End it and its code."""
        if self._turn is not None:
            self._turns.cancel(self._turn)

    def put(self, chunk: Chunk) -> bool:
        """Send what is certain after this chunk; False when the program reads no more."""
        if self._answer is None:
            self._early.append(chunk)
            return True
        is_read = True
        for event in self._answer.encode(chunk):
            if event["type"] != "error":  # told by its chunk, with all its words
                is_read = self._send({"turn": self.id, "message": event})
        if (chunk.role, chunk.type) == ("server", "error"):
            is_read = self._send({"turn": self.id, "chunk": encode_chunk(chunk)})
        elif (chunk.role, chunk.type) == ("server", "status"):
            end = chunk if chunk.content == "cancelled" else _COMPLETE
            is_read = self._send({"turn": self.id, "chunk": encode_chunk(end)})
            self._is_whole = True
        return is_read

    def close(self) -> None:
        """Nothing more comes."""
        if self.is_over:
            return
        self.is_over = True
        if self._is_whole and self._turn is not None and self._answer is not None:
            self._turns.remember(self._turn, self._answer.keys())
        self._send({"turn": self.id, "ended": True})


def _incoming(command: Mapping[str, Any], config: Mapping[str, Any]) -> Incoming:
    asked = KernelRequest(
        messages=command.get("messages") or [],
        tools=command.get("tools"),
        auto_run=config.get("auto_run") is True,
    )
    incoming, own = kernel_incoming(asked, "Python"), options_of(config)
    said = (own.instructions, incoming.options.instructions)
    options = replace(
        incoming.options,
        choice=own.choice,
        instructions="\n\n".join(part for part in said if part),
        stop_grace_s=own.stop_grace_s,
    )
    folder = str(config.get("working_dir") or "")
    if folder and not os.path.isdir(folder):
        raise RequestError(f"{folder} is not a folder", code="invalid_config", param="working_dir")
    return replace(incoming, options=options, folder=folder)
