"""Asks a server of ours for threads and runs with the openai SDK that is found first.

Run by itself: prints, as one JSON object, what each scenario below saw.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

warnings.simplefilter("ignore", DeprecationWarning)  # the SDK's own, of this very part

import openai  # noqa: E402

CLIENT: Any = openai.OpenAI(
    base_url=os.environ["PLAYHEAD_ADDRESS"] + "/v1",
    api_key=os.environ["PLAYHEAD_TOKEN"],
    max_retries=0,
)
THREADS: Any = CLIENT.beta.threads
RUNS: Any = THREADS.runs
OURS = "asst_interpreter"
LOOKUP = {
    "type": "function",
    "function": {
        "name": "lookup",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
APPROVE = {"decision": "approve"}


def begun(text: str) -> str:
    """A thread that has this to be answered."""
    return THREADS.create(messages=[{"role": "user", "content": text}]).id


def streamed(manager: Any) -> dict[str, Any]:
    """What the SDK makes of a stream, by its own accumulators."""
    with manager as stream:
        names = [event.event for event in stream]
        run = stream.get_final_run()
        # They raise where there are none.
        messages = stream.get_final_messages() if "thread.message.created" in names else []
        steps = stream.get_final_run_steps() if "thread.run.step.created" in names else []
    return {
        "names": names,
        "status": run.status,
        "run": json.loads(run.model_dump_json()),
        "texts": [message.content[0].text.value for message in messages if message.content],
        "steps": [json.loads(step.model_dump_json()) for step in steps],
    }


def run_of(text: str, **asked: Any) -> tuple[str, dict[str, Any]]:
    """A new thread and what its streamed run told."""
    thread_id = begun(text)
    manager = RUNS.stream(thread_id=thread_id, assistant_id=OURS, **asked)
    return thread_id, streamed(manager)


def outputs(run: dict[str, Any], *told: object) -> list[dict[str, str]]:
    """For the calls that wait, in their order."""
    calls = run["required_action"]["submit_tool_outputs"]["tool_calls"]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in told]
    return [
        {"tool_call_id": call["id"], "output": text}
        for call, text in zip(calls, texts, strict=True)
    ]


def decided(thread_id: str, first: dict[str, Any], *told: object) -> dict[str, Any]:
    """The stream after these outputs."""
    run = first["run"]
    manager = RUNS.submit_tool_outputs_stream(
        thread_id=thread_id, run_id=run["id"], tool_outputs=outputs(run, *told)
    )
    return streamed(manager)


def assistants() -> Any:
    made = CLIENT.beta.assistants.create(model="openai/test", name="One")
    CLIENT.beta.assistants.update(made.id, name="Two")
    found = [(each.id == made.id, each.name) for each in CLIENT.beta.assistants.list(limit=1)]
    deleted = CLIENT.beta.assistants.delete(made.id).deleted
    return {"found": found, "deleted": deleted}


def text() -> Any:
    return run_of("hello")[1]


def with_its_thread() -> Any:
    thread: Any = {"messages": [{"role": "user", "content": "hello"}]}
    return streamed(THREADS.create_and_run_stream(assistant_id=OURS, thread=thread))


def polled() -> Any:
    thread_id = begun("hello")
    run = RUNS.create_and_poll(thread_id=thread_id, assistant_id=OURS, poll_interval_ms=50)
    messages = [each.content[0].text.value for each in THREADS.messages.list(thread_id, limit=1)]
    steps = RUNS.steps.list(run.id, thread_id=thread_id)
    return {"status": run.status, "messages": messages, "steps": [step.type for step in steps]}


def approved() -> Any:
    thread_id, first = run_of("What's 34/24?")
    return {"first": first, "second": decided(thread_id, first, APPROVE)}


def approved_by_polling() -> Any:
    thread_id = begun("What's 34/24?")
    run = RUNS.create_and_poll(thread_id=thread_id, assistant_id=OURS, poll_interval_ms=50)
    waited = run.status
    run = RUNS.submit_tool_outputs_and_poll(
        thread_id=thread_id,
        run_id=run.id,
        tool_outputs=outputs(json.loads(run.model_dump_json()), APPROVE),
        poll_interval_ms=50,
    )
    last = next(iter(THREADS.messages.list(thread_id)))
    return {"waited": waited, "status": run.status, "text": last.content[0].text.value}


def edited() -> Any:
    thread_id, first = run_of("What's 34/24?")
    return decided(thread_id, first, {**APPROVE, "code": "print('edited')"})


def denied() -> Any:
    thread_id, first = run_of("What's 34/24?")
    return decided(thread_id, first, {"decision": "deny", "reason": "Not today."})


def parallel() -> Any:
    thread_id, first = run_of("two blocks")
    return {"first": first, "second": decided(thread_id, first, APPROVE, APPROVE)}


def unasked() -> Any:
    return run_of("What's 34/24?", extra_body={"auto_run": True})[1]


def functions() -> Any:
    thread_id, first = run_of("weather in two cities", tools=[LOOKUP])
    return {"first": first, "second": decided(thread_id, first, "cold", "warm")}


def failures() -> Any:
    return {
        words: run_of(words)[1] for words in ("out of order", "too many", "break off", "wrong key")
    }


def cancelled() -> Any:
    thread_id = begun("fall silent")
    run = RUNS.create(thread_id=thread_id, assistant_id=OURS)
    while not list(RUNS.steps.list(run.id, thread_id=thread_id)):
        time.sleep(0.05)
    RUNS.cancel(run.id, thread_id=thread_id)
    while (run := RUNS.retrieve(run.id, thread_id=thread_id)).status == "cancelling":
        time.sleep(0.05)
    [message, _] = THREADS.messages.list(thread_id)
    return {"status": run.status, "message": message.status}


def picture() -> Any:
    _, told = run_of("draw a dot", extra_body={"auto_run": True})
    [call] = told["steps"][0]["step_details"]["tool_calls"]
    [image] = [each for each in call["code_interpreter"]["outputs"] if each["type"] == "image"]
    content = CLIENT.files.content(image["image"]["file_id"])
    return {"type": content.response.headers["content-type"], "begins": content.content[:4].hex()}


def refusals() -> Any:
    thread_id, _ = run_of("What's 34/24?")
    wrong = openai.OpenAI(base_url=CLIENT.base_url, api_key="wrong", max_retries=0)
    return {
        "no thread": refusal(lambda: THREADS.retrieve("thread_none")),
        "no assistant": refusal(lambda: RUNS.create(thread_id=thread_id, assistant_id="asst_none")),
        "second run": refusal(lambda: RUNS.create(thread_id=thread_id, assistant_id=OURS)),
        "no model": refusal(lambda: CLIENT.beta.assistants.create(model="")),
        "wrong key": refusal(lambda: wrong.beta.threads.create()),
    }


def refusal(ask: Callable[[], Any]) -> Any:
    try:
        ask()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.body["message"]]  # type: ignore[index]
    return None


SCENARIOS = (
    *(assistants, text, with_its_thread, polled, approved, approved_by_polling, edited, denied),
    *(parallel, unasked, functions, failures, cancelled, picture, refusals),
)


def main() -> None:
    seen: dict[str, Any] = {"version": {"value": openai.__version__}}
    for scenario in SCENARIOS:
        try:
            seen[scenario.__name__] = {"value": scenario()}
        except Exception:  # noqa: BLE001 - told to the test
            seen[scenario.__name__] = {"error": traceback.format_exc()}
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
