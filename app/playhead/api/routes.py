"""Bind each operation to its handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from playhead.api.assistants.assistants import Assistants
from playhead.api.assistants.handlers import AssistantsHandler, RunsHandler
from playhead.api.endpoints.chat_completions import ChatCompletionsHandler
from playhead.api.endpoints.cohere_chat import CohereChatHandler
from playhead.api.endpoints.kernel_stream_handler import KernelStreamHandler
from playhead.api.endpoints.meta import DocumentsHandler, HealthHandler, ModelsHandler
from playhead.api.endpoints.native_chat import NativeChatHandler
from playhead.api.endpoints.operations import OPERATIONS
from playhead.api.endpoints.sessions_handler import SessionsHandler
from playhead.api.responses.responses_handler import ResponsesHandler
from playhead.api.server.idempotency_cache import IdempotencyCache
from playhead.api.server.responder import Responder, Services

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_NAMES = {
    "{thread_id}": "{thread_id:(?!runs$)[^{}/]+}",
    "{response_id}": "{response_id:(?!input_tokens$)[^{}/]+}",
}
"""`/v1/threads/runs` is not the address of a thread, nor `input_tokens` that of a response."""


def add_routes(app: web.Application, services: Services, assistants: Assistants) -> None:
    """Give the application a route for every operation, and for nothing else."""
    handlers = _handlers(services, assistants)
    for operation in OPERATIONS:
        handler = handlers[operation.name]
        if operation.is_stored:
            handler = _stored(handler, services)
        path = operation.path
        for name, pattern in _NAMES.items():
            path = path.replace(name, pattern)
        if operation.method == "GET":
            app.router.add_get(path, handler)  # with its HEAD
        else:
            app.router.add_route(operation.method, path, handler)


def _stored(handler: Handler, services: Services) -> Handler:
    """Return a handler that refuses where nothing can be stored, before it does anything."""

    async def handle(request: web.Request) -> web.StreamResponse:
        await services.bridge.ask(services.turns.storage.expect_room())
        return await handler(request)

    return handle


def _handlers(services: Services, assistants: Assistants) -> Mapping[str, Handler]:
    """Return the handlers by the operations' names."""
    answering = Responder(services)
    documents = DocumentsHandler(services)
    native = NativeChatHandler(answering)
    repeats = IdempotencyCache()
    return {
        "chat": native.post,
        "chat_completions": ChatCompletionsHandler(answering).post,
        "cohere_chat": CohereChatHandler(answering).post,
        "kernel_stream": KernelStreamHandler(answering).post,
        "models": ModelsHandler(services).get,
        "health": HealthHandler(services).get,
        "openapi": documents.openapi,
        "collection": documents.collection,
        **_response_handlers(ResponsesHandler(services, answering)),
        **_session_handlers(SessionsHandler(services, answering, native)),
        **_assistant_handlers(AssistantsHandler(services, assistants), repeats.once),
        **_run_handlers(RunsHandler(services, answering, assistants), repeats.once),
    }


def _response_handlers(responses: ResponsesHandler) -> Mapping[str, Handler]:
    return {
        "response_create": responses.create,
        "response_input_tokens": responses.input_tokens,
        "response_get": responses.get,
        "response_delete": responses.delete,
        "response_cancel": responses.cancel,
        "response_input_items": responses.input_items,
    }


def _session_handlers(sessions: SessionsHandler) -> Mapping[str, Handler]:
    return {
        "place_list": sessions.places,
        "session_create": sessions.create,
        "session_list": sessions.list,
        "session_get": sessions.get,
        "session_change": sessions.change,
        "session_delete": sessions.delete,
        "session_messages": sessions.messages,
        "session_chat": sessions.post,
        "session_empty": sessions.empty,
        "session_export": sessions.export,
        "session_effects": sessions.effects,
        "session_review": sessions.review,
        "session_apply": sessions.apply,
        "session_discard": sessions.discard,
        "session_grants": sessions.grants,
        "session_packages": sessions.packages,
        "session_keep_packages": sessions.keep_packages,
        "session_grant": sessions.grant,
        "session_revoke": sessions.revoke,
        "session_undo": sessions.undo,
        "session_redo": sessions.redo,
        "session_keep": sessions.keep,
        "session_delete_aside": sessions.delete_aside,
    }


def _assistant_handlers(
    assistants: AssistantsHandler, once: Callable[[Handler], Handler]
) -> Mapping[str, Handler]:
    return {
        "assistant_create": once(assistants.create),
        "assistant_list": assistants.list,
        "assistant_get": assistants.get,
        "assistant_change": assistants.change,
        "assistant_delete": assistants.delete,
        "thread_create": once(assistants.create_thread),
        "thread_get": assistants.get_thread,
        "thread_change": assistants.change_thread,
        "thread_delete": assistants.delete_thread,
        "message_create": once(assistants.create_message),
        "message_list": assistants.list_messages,
        "message_get": assistants.get_message,
        "message_change": assistants.change_message,
        "file_get": assistants.get_file,
        "file_content": assistants.get_content,
    }


def _run_handlers(runs: RunsHandler, once: Callable[[Handler], Handler]) -> Mapping[str, Handler]:
    return {
        "thread_run_create": once(runs.create_with_thread),
        "run_create": once(runs.create),
        "run_list": runs.list,
        "run_get": runs.get,
        "run_change": runs.change,
        "run_cancel": runs.cancel,
        "run_outputs": once(runs.submit),
        "step_list": runs.steps,
        "step_get": runs.step,
    }
