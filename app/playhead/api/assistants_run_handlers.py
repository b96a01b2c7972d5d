"""/v1/threads/…/runs: begun, streamed, decided about, cancelled, looked at."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from playhead.api import assistants_schemas as of
from playhead.api.answering import Answering
from playhead.api.asking import STOP_GRACE_S, client_of, model_choice
from playhead.api.assistants import Assistants
from playhead.api.assistants_driving import Line
from playhead.api.assistants_handlers import body_of, messages_of, named, thread_fields
from playhead.api.assistants_pages import Cursor
from playhead.api.assistants_shelf import BUILT_IN
from playhead.api.assistants_state import Begun, RunAsked
from playhead.api.json_answer import json_answer
from playhead.api.schemas import LlmConfig
from playhead.api.services import Services
from playhead.api.sse import ANSWERS

_POLL_AFTER, _POLL_MS = "openai-poll-after-ms", "250"
"""Their SDKs wait a whole second between two looks unless they are told otherwise."""
_NO_LIMIT: dict[str, Any] = {"type": "auto", "last_messages": None}


class RunsHandler:
    """Has runs begun by the core and drives them on the server's loop."""

    def __init__(self, services: Services, answering: Answering, assistants: Assistants) -> None:
        self._services = services
        self._runs = assistants.runs
        self._threads = assistants.threads
        self._answering = answering
        self._line: Line | None = None

    async def create(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/threads/{thread_id}/runs."""
        asked = await body_of(request, of.RunRequest)
        run = await self._run_asked(request, asked)
        line = self._line_of(request)
        work = self._runs.create(named(request, "thread_id"), run, line)
        begun = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, line, begun, is_stream=asked.stream is True)

    async def create_with_thread(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/threads/runs."""
        asked = await body_of(request, of.ThreadRunRequest)
        run = await self._run_asked(request, asked)
        line = self._line_of(request)
        fields = thread_fields(asked.thread or of.ThreadRequest())
        work = self._runs.create_with_thread(*fields, run, line)
        begun = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, line, begun, is_stream=asked.stream is True)

    async def submit(self, request: web.Request) -> web.StreamResponse:
        """POST …/runs/{run_id}/submit_tool_outputs."""
        asked = await body_of(request, of.OutputsRequest)
        is_own = await self._answering.is_from_own_code(request)
        line = self._line_of(request)
        outputs = [{"tool_call_id": o.tool_call_id, "output": o.output} for o in asked.tool_outputs]
        place = named(request, "thread_id"), named(request, "run_id")
        work = self._runs.submit(*place, outputs, line, is_from_own_code=is_own)
        begun = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, line, begun, is_stream=asked.stream is True)

    async def cancel(self, request: web.Request) -> web.Response:
        """POST …/runs/{run_id}/cancel."""
        work = self._runs.cancel(named(request, "thread_id"), named(request, "run_id"))
        return json_answer(await self._services.bridge.ask(work))

    async def list(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/runs."""
        work = self._threads.runs(named(request, "thread_id"), Cursor.of(request.query))
        return json_answer(await self._services.bridge.ask(work))

    async def get(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}."""
        work = self._threads.run_wire(named(request, "thread_id"), named(request, "run_id"))
        answer = json_answer(await self._services.bridge.ask(work))
        answer.headers[_POLL_AFTER] = _POLL_MS
        return answer

    async def change(self, request: web.Request) -> web.Response:
        """POST …/runs/{run_id}."""
        asked = await body_of(request, of.MetadataChange)
        place = named(request, "thread_id"), named(request, "run_id")
        work = (
            self._threads.run_wire(*place)
            if asked.metadata is None
            else self._threads.change_run(*place, asked.metadata)
        )
        return json_answer(await self._services.bridge.ask(work))

    async def steps(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}/steps."""
        place = named(request, "thread_id"), named(request, "run_id")
        work = self._threads.steps(*place, Cursor.of(request.query))
        return json_answer(await self._services.bridge.ask(work))

    async def step(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}/steps/{step_id}."""
        names = (named(request, name) for name in ("thread_id", "run_id", "step_id"))
        return json_answer(await self._services.bridge.ask(self._threads.step(*names)))

    async def _answer(
        self, request: web.Request, line: Line, begun: Begun, *, is_stream: bool
    ) -> web.StreamResponse:
        if is_stream:
            return await line.stream(request, begun)
        line.start(begun)
        return json_answer(begun.wire)

    async def _run_asked(self, request: web.Request, asked: of.RunRequest) -> RunAsked:
        auto_run = asked.auto_run is True or (asked.metadata or {}).get("auto_run") == "true"
        is_own = auto_run and await self._answering.is_from_own_code(request)
        llm = LlmConfig(
            model=asked.model,
            temperature=asked.temperature,
            top_p=asked.top_p,
            api_base=asked.api_base,
            api_key=asked.api_key,
        )
        return RunAsked(
            assistant_id=asked.assistant_id or BUILT_IN,
            choice=model_choice(llm, asked.max_completion_tokens),
            model=asked.model,
            instructions=asked.instructions,
            more_instructions=asked.additional_instructions or "",
            messages=messages_of(asked.additional_messages, "additional_messages"),
            tools=asked.tools,
            tool_choice=asked.tool_choice,
            metadata=asked.metadata or {},
            settings=_settings(asked),
            auto_run=auto_run,
            client=client_of(request),
            is_from_own_code=is_own,
            stop_grace_s=STOP_GRACE_S,
        )

    def _line_of(self, request: web.Request) -> Line:
        """Made at the first run: only then there is the server's loop."""
        if self._line is None:
            self._line = Line(self._services, self._runs, request.app[ANSWERS])
        return self._line

    def _abandon(self, begun: Begun) -> None:
        """On the core: nobody takes what was begun."""
        self._services.turns.cancel(begun.turn)
        self._runs.abandon(begun)


def _settings(asked: of.RunRequest) -> dict[str, Any]:
    """What is told of a run as it was asked for."""
    return {
        "temperature": asked.temperature,
        "top_p": asked.top_p,
        "max_prompt_tokens": asked.max_prompt_tokens,
        "max_completion_tokens": asked.max_completion_tokens,
        "truncation_strategy": asked.truncation_strategy or _NO_LIMIT,
        "tool_choice": "auto" if asked.tool_choice is None else asked.tool_choice,
        "response_format": "auto" if asked.response_format is None else asked.response_format,
    }
