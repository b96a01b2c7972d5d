"""The link to one kernel of a Jupyter server, with the same face as that to a kernel here.

One thread has the loop of all connections. It takes what arrives at once, says when the link is
lost, and connects again with the same session, to which the server then gives what it has kept.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

import aiohttp

from playhead.kernel.interrupts import start_thread
from playhead.place_worker.backlog import EXITED, LINK, Backlog
from playhead.place_worker.http_requests import GoneError, ServerError, ServerRequests, part
from playhead.place_worker.inquiry import find_on_hub, is_stopped
from playhead.place_worker.jupyter_messages import (
    PROTOCOL,
    Message,
    MessageHeaders,
    channel_of,
    decode_frame,
    encode_frame,
    text_of,
)

_REPLY, _REQUEST = "playhead_reply", "playhead_request"
_PING_S, _LOST_S = 5.0, 10.0
_BACKOFF_S, _LONGEST_BACKOFF_S = 0.1, 5.0
_LONGEST_JUMP_S = 3.0
_FRAME_BYTES, _MOST_BYTES = 64_000_000, 2_000_000_000
_REPLY_LIMIT_S = 3.0
_TRIES = 8
_LOOK_PINGS = 6
"""Servers end kernels without a word to who is linked to them."""
_CLOSE_LIMIT_S = 5.0
_FOR_GOOD = ("place_unauthorized", "place_culled", "place_flood")
_V1, _LEGACY, _TEXT = b"1", b"b", b"t"
_QUICK = getattr(socket, "TCP_QUICKACK", None)
_LINK_ENDS = (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSED)


Reply = tuple[dict[str, Any], bytes]


class _CutError(Exception):
    """The link was lost."""


class ServerConnection:
    """Owner of the link to a kernel, which is started or joined; any thread may call.

    `facts` are those of a place: address, token, program, folder, kernel_id, session_id.
    """

    def __init__(
        self, facts: Mapping[str, Any], spool: str, on_lost: Callable[[], None] = lambda: None
    ) -> None:
        self._facts = facts
        self._on_lost = on_lost
        self.kernel_id: str = facts.get("kernel_id") or ""
        self.session_id: str = facts.get("session_id") or os.urandom(16).hex()
        self.is_joined = bool(facts.get("is_joined", self.kernel_id))
        self.is_busy = False
        """Whether it ran code when the server was asked last."""
        self.failure: ServerError | None = None
        self.has_ended = threading.Event()
        self.status = 0
        self.pid = 0
        self._headers = MessageHeaders(self.session_id)
        self._backlog = Backlog(spool)
        self._requests = ServerRequests(facts["address"], facts.get("token") or "")
        self._loop = asyncio.new_event_loop()
        self._connected = asyncio.Event()
        self._has_outgoing = asyncio.Event()
        self._outgoing: deque[tuple[str, list[Any], list[bytes]]] = deque()
        self._replies: dict[str, asyncio.Future[Message]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_v1 = True
        self._is_closing = False
        start_thread(self._run, "playhead-server")

    def send(
        self,
        channel: str,
        kind: str,
        content: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        parent: Message | None = None,
        buffers: Sequence[bytes] = (),
    ) -> str:
        """Send a message when there is a link; return its id."""
        header = self._headers.new(kind)
        parts = [header, parent.header if parent else {}, dict(metadata or {}), dict(content)]
        self._loop.call_soon_threadsafe(self._put, (channel, parts, list(buffers)))
        return header["msg_id"]

    def receive(self, timeout_s: float | None = None) -> tuple[str, Message | None]:
        """Return the next message with its channel. Raises queue.Empty when none comes in time.

        On the channel `LINK` its kind is the state of the link.
        """
        channel, parts = self._backlog.get(timeout_s)
        if channel == EXITED:
            return channel, None
        if channel == LINK:
            return channel, Message(parts[0].decode("ascii"), "", "", {}, {})
        frame, form = parts
        text = frame.decode("utf-8", "replace") if form == _TEXT else frame
        return channel, decode_frame(text, is_v1=form == _V1)

    def request(
        self, content: Mapping[str, Any], data: bytes = b""
    ) -> tuple[dict[str, Any], bytes]:
        """Return the reply of our parts in the kernel, whatever happens to the link meanwhile.

        Raises ServerError when there are none, or the kernel has ended.
        """
        asked = asyncio.run_coroutine_threadsafe(self._request(content, data), self._loop)
        return asked.result()

    def post(self, content: Mapping[str, Any]) -> None:
        """Send a request without waiting for its reply."""
        self._start(self._quietly(self._request(content, b"")))

    def interrupt(self, mode: str = "") -> None:
        """Have the server interrupt the code that runs, as soon as it can be reached."""
        self._start(self._quietly(self._post_again("interrupt")))

    def put_piece(self, name: str, number: int, data: bytes, *, is_last: bool) -> str:
        """Add a piece to a file of the server's folder; return its path. Raises ServerError."""
        folder = str(self._facts.get("folder") or "").strip("/")
        path = f"{folder}/{name}" if folder else name
        content = base64.b64encode(data).decode("ascii")
        body: dict[str, Any] = {"type": "file", "format": "base64", "content": content}
        if number > 1 or not is_last:
            body["chunk"] = -1 if is_last else number
        asked = self._requests.put(f"api/contents/{quote(path)}", body)
        asyncio.run_coroutine_threadsafe(asked, self._loop).result()
        return name

    def get_file(self, path: str) -> bytes:
        """Return a file of the server's folder. Raises ServerError."""
        asked = self._requests.get(f"api/contents/{quote(path)}?type=file&format=base64&content=1")
        found: Any = asyncio.run_coroutine_threadsafe(asked, self._loop).result()
        return base64.b64decode(str(found["content"]))

    def close(self, how: str = "") -> None:
        """End the kernel, restart it, or leave it as it is."""
        self._is_closing = True
        ending = asyncio.run_coroutine_threadsafe(self._end(how), self._loop)
        with contextlib.suppress(Exception):  # the server cannot be reached: there is no more to do
            ending.result(_CLOSE_LIMIT_S)

    def clear(self) -> None:
        """Do nothing: this process ends."""

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.run_forever()  # for who still asks

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        def begin() -> None:
            task = self._loop.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        self._loop.call_soon_threadsafe(begin)

    async def _quietly(self, work: Coroutine[Any, Any, Any]) -> None:
        with contextlib.suppress(ServerError):
            await work

    async def _serve(self) -> None:
        failure = None
        try:
            await self._find_kernel()
            await self._keep_linked()
        except ServerError as error:
            failure = error
        except Exception as error:  # noqa: BLE001 - the thread's end is the kernel's, and is reported
            failure = ServerError("place_failed", "The link has failed.", repr(error))
        self._end_with(failure)

    async def _find_kernel(self) -> None:
        if self.kernel_id:
            await self._look()
            return
        body = {"name": self._facts.get("program") or None, "path": self._facts.get("folder") or ""}
        try:
            made = await self._requests.post("api/kernels", body)
        except ServerError as error:
            if not is_stopped(error, self._requests.address):
                raise
            if not await find_on_hub(self._requests.address, self._facts.get("token") or ""):
                raise
            made = await self._requests.post("api/kernels", body)
        facts = cast("dict[str, object]", made) if isinstance(made, dict) else {}
        self.kernel_id = text_of(facts.get("id"))
        if not self.kernel_id:
            raise self._requests.is_no_server()

    async def _end_if_gone(self) -> None:
        """Let the link end with the kernel; raise ServerError then."""
        try:
            await self._look()
        except ServerError as error:
            if error.code == "place_culled":
                self._end_with(error)
                raise

    def _end_with(self, error: ServerError | None) -> None:
        if not self.has_ended.is_set():
            self.failure = self.failure or error
            self._is_closing = True
            self._cut()
            self.has_ended.set()
            self._backlog.put(EXITED, ())

    async def _look(self) -> None:
        """Raise ServerError if the kernel is no more."""
        try:
            found = await self._requests.get(f"api/kernels/{part(self.kernel_id)}")
            facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
            self.is_busy = facts.get("execution_state") == "busy"
        except GoneError:
            raise ServerError(
                "place_culled",
                f"{self._requests.host} has ended the kernel.",
                "Servers end kernels that nobody uses for long. Its names are gone.",
                "Run the code again: that starts a new one.",
            ) from None

    async def _keep_linked(self) -> None:
        wait_s, has_been = _BACKOFF_S, False
        while not self._is_closing:
            try:
                found = await self._connect()
                wait_s = _BACKOFF_S
                if has_been:
                    self._backlog.put(LINK, (b"back",))
                has_been = True
                await self._listen(found)
            except GoneError:
                await self._look()
            except ServerError as error:
                if not has_been or error.code in _FOR_GOOD:
                    raise
            if self._is_closing:
                return
            if self._connected.is_set():
                self._on_lost()  # at once: who takes messages may wait for a reply
                self._backlog.put(LINK, (b"lost",))
            self._cut()
            await asyncio.sleep(wait_s)
            wait_s = min(_LONGEST_BACKOFF_S, wait_s * 2)
            if has_been:
                with contextlib.suppress(_UnreachableError):
                    await self._look_again()

    async def _look_again(self) -> None:
        try:
            await self._look()
        except ServerError as error:
            if error.code in _FOR_GOOD:
                raise
            raise _UnreachableError from error

    async def _connect(self) -> Any:
        path = f"api/kernels/{part(self.kernel_id)}/channels"
        query = {"session_id": self.session_id}
        found = await self._requests.socket(path, query, PROTOCOL, _FRAME_BYTES)
        self._is_v1 = found.protocol == PROTOCOL
        return found

    async def _listen(self, found: Any) -> None:
        """Take and send messages until the link is lost."""
        self._heard_at = time.monotonic()
        plain = found.get_extra_info("socket")
        helpers = [
            self._loop.create_task(self._write(found)),
            self._loop.create_task(self._ping(found)),
        ]
        self._connected.set()
        try:
            while True:
                message = await found.receive()
                self._heard_at = time.monotonic()
                if plain is not None and _QUICK is not None:
                    # Tornado waits for each answer of ours, and we for 40 ms before we send one.
                    with contextlib.suppress(OSError):
                        plain.setsockopt(socket.IPPROTO_TCP, _QUICK, 1)
                if message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT):
                    self._take(message.data)
                elif message.type == aiohttp.WSMsgType.PING:
                    await found.pong(message.data)
                elif message.type in _LINK_ENDS or message.type == aiohttp.WSMsgType.ERROR:
                    return
        except (aiohttp.ClientError, OSError):
            return
        finally:
            for one in helpers:
                one.cancel()
            self._start(_close_soon(found))

    def _take(self, frame: bytes | str) -> None:
        channel = channel_of(frame, is_v1=self._is_v1)
        if channel == "control":
            message = decode_frame(frame, is_v1=self._is_v1)
            if message is not None and message.kind == _REPLY:
                waiting = self._replies.pop(message.parent, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
                return
        form = _V1 if self._is_v1 else _TEXT if isinstance(frame, str) else _LEGACY
        data = frame.encode("utf-8", "replace") if isinstance(frame, str) else frame
        if self._backlog.size_bytes + len(data) > _MOST_BYTES:  # nobody takes it
            raise ServerError(
                "place_flood", f"{self._requests.host} sends more than can be kept here."
            )
        self._backlog.put(channel, (data, form))

    def _put(self, message: tuple[str, list[Any], list[bytes]]) -> None:
        self._outgoing.append(message)
        self._has_outgoing.set()

    async def _write(self, found: Any) -> None:
        with contextlib.suppress(aiohttp.ClientError, OSError):
            while True:
                await self._has_outgoing.wait()
                while self._outgoing:
                    channel, parts, buffers = self._outgoing[0]
                    frame = encode_frame(channel, parts, buffers, is_v1=self._is_v1)
                    if isinstance(frame, str):
                        await found.send_str(frame)
                    else:
                        await found.send_bytes(frame)
                    self._outgoing.popleft()
                self._has_outgoing.clear()

    async def _ping(self, found: Any) -> None:
        """Give a link up that nothing has come by for long, or over which the machine has slept."""
        pings = 0
        with contextlib.suppress(aiohttp.ClientError, OSError):
            while time.monotonic() - self._heard_at < _LOST_S - _PING_S / 10:
                before = time.time() - time.monotonic()
                await found.ping()
                await asyncio.sleep(_PING_S)
                pings += 1
                if pings % _LOOK_PINGS == 0:
                    await self._quietly(self._end_if_gone())
                if time.time() - time.monotonic() - before > _LONGEST_JUMP_S:
                    break
        transport = getattr(found, "_conn", None)
        if transport is not None and transport.transport is not None:
            transport.transport.abort()
        else:
            await found.close()

    def _cut(self) -> None:
        self._connected.clear()
        waiting, self._replies = self._replies, {}
        for one in waiting.values():
            if not one.done():
                one.set_exception(_CutError())

    async def _request(
        self, content: Mapping[str, Any], data: bytes
    ) -> tuple[dict[str, Any], bytes]:
        for _ in range(_TRIES):
            while True:
                await self._wait_for_link()
                name = self.send("control", _REQUEST, content, buffers=[data] if data else [])
                self._replies[name] = reply = self._loop.create_future()
                try:
                    async with asyncio.timeout(_REPLY_LIMIT_S):
                        found = await reply
                except _CutError:
                    continue
                except TimeoutError:
                    self._replies.pop(name, None)
                    await self._end_if_gone()
                    break
                return found.content, b"".join(found.buffers)
        raise ServerError("place_silent", "The kernel does not answer.")

    async def _wait_for_link(self) -> None:
        while not self._connected.is_set():
            if self.has_ended.is_set():
                raise self.failure or ServerError("place_failed", "The kernel has ended.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._connected.wait()

    async def _post_again(self, verb: str) -> None:
        """Post to the kernel; again when there is a link."""
        while True:
            try:
                await self._requests.post(f"api/kernels/{part(self.kernel_id)}/{verb}")
                return
            except ServerError as error:
                if error.code != "place_unreachable":
                    raise
            await self._wait_for_link()

    async def _end(self, how: str) -> None:
        path = f"api/kernels/{part(self.kernel_id)}"
        if how == "restart" and self.is_joined:
            await self._requests.post(f"{path}/restart")
        elif how != "leave" and not self.is_joined and self.kernel_id:
            await self._requests.delete(path)
        await self._requests.close()


class _UnreachableError(Exception):
    """The server could not be asked."""


async def _close_soon(found: Any) -> None:
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_CLOSE_LIMIT_S):
            await found.close()


if sys.platform == "win32":
    _QUICK = None
