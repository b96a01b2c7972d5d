"""Exports of conversations whose code has really run, as the window writes them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from playhead.checking.checker import Checker
from playhead.checking.document_edit import with_manifest
from playhead.checking.manifest import manifest_of
from playhead.checking.recorded_cells import cells_of
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Proposal
from playhead.execution.environments.locked_environments import LockedEnvironments
from playhead.execution.process_executor import ProcessExecutor
from playhead.formats.documents.document import write_document
from playhead.formats.documents.document_formats import DocumentKind
from playhead.session.code_ports import Executor
from tests.support.kernels import request


@asynccontextmanager
async def checker(
    tmp_path: Path, environments: LockedEnvironments | None = None
) -> AsyncGenerator[Checker]:
    """What checks exports; nothing is left of its checks at the end."""
    made = Checker(
        tmp_path / "checks",
        lambda place: ProcessExecutor(place / "outputs"),
        environments or LockedEnvironments(),
    )
    try:
        yield made
    finally:
        await made.close()
        assert not list(tmp_path.glob("checks/*"))  # noqa: ASYNC240 - an empty folder


async def recorded(
    executor: Executor, folder: Path, cells: Sequence[str], interpreter: str = ""
) -> Conversation:
    """A conversation whose blocks have run in a folder, one after the other."""
    conversation = Conversation()
    for code in cells:
        written = Chunk(role="assistant", type="code", format="python", start=True)
        conversation.apply(written)
        conversation.apply(replace(written, start=False, content=code))
        message_id = conversation.apply(replace(written, start=False, end=True))
        proposal = Proposal(
            id=uuid.uuid4().hex, message_id=message_id, language="python", code=code
        )
        confirmation = Chunk(role="computer", type="confirmation", format="execution")
        conversation.apply(replace(confirmation, content=proposal))
        wanted = replace(
            request(folder, code), run_id=uuid.uuid4().hex, conversation_id=conversation.id
        )
        wanted = replace(wanted, interpreter=interpreter or wanted.interpreter)
        async with aclosing(executor.run(wanted)) as chunks:
            async for chunk in chunks:
                conversation.apply(chunk)
    await executor.restart(conversation.id)
    return conversation


async def exported(conversation: Conversation, folder: Path, kind: DocumentKind) -> bytes:
    """The export of a conversation, with its manifest."""

    def read(path: str) -> bytes:
        return Path(path).read_bytes()

    def write() -> bytes:
        messages = conversation.messages
        data = write_document(kind, messages, "An export", read).data
        manifest = manifest_of(messages, str(folder))
        return with_manifest(data, f"export.{kind}", manifest, cells_of(messages, read))

    return await asyncio.to_thread(write)
