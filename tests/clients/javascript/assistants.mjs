// Threads and runs by the openai SDK for JavaScript.
import OpenAI, { APIError } from "openai";
import { address, report, token } from "./report.mjs";

const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: token, maxRetries: 0 });
const { threads } = client.beta;
const { runs } = threads;
const assistant_id = "asst_interpreter";
const often = { pollIntervalMs: 50 };
const approve = JSON.stringify({ decision: "approve" });

const begun = (content) => threads.create({ messages: [{ role: "user", content }] });
const waiting = (run) => run.required_action.submit_tool_outputs.tool_calls;
const outputs = (run, ...told) =>
  waiting(run).map((call, place) => ({ tool_call_id: call.id, output: told[place] }));

// What the SDK's own accumulators make of a stream.
async function streamed(stream) {
  const names = [];
  const texts = [];
  stream.on("event", ({ event }) => names.push(event));
  stream.on("textDone", (text) => texts.push(text.value));
  const run = await stream.finalRun();
  await stream.done();
  const steps = await stream.finalRunSteps();
  return { names, texts, status: run.status, run, steps };
}

async function refusal(make) {
  try {
    await make();
  } catch (error) {
    const { status, code, message } = error;
    return { kind: error.constructor.name, isApiError: error instanceof APIError, status, code, message };
  }
  return null;
}

await report({
  text: async () => {
    const thread = await begun("hello");
    return streamed(runs.stream(thread.id, { assistant_id }));
  },

  approved: async () => {
    const thread = await begun("What's 34/24?");
    const first = await streamed(runs.stream(thread.id, { assistant_id }));
    const place = { thread_id: thread.id, tool_outputs: outputs(first.run, approve) };
    const second = await streamed(runs.submitToolOutputsStream(first.run.id, place));
    return { first, second };
  },

  polled: async () => {
    const run = await threads.createAndRunPoll(
      { assistant_id, thread: { messages: [{ role: "user", content: "What's 34/24?" }] } },
      often,
    );
    const denied = JSON.stringify({ decision: "deny", reason: "Not today." });
    const place = { thread_id: run.thread_id, tool_outputs: outputs(run, denied) };
    const ended = await runs.submitToolOutputsAndPoll(run.id, place, often);
    const texts = [];
    for await (const message of threads.messages.list(run.thread_id, { limit: 1 })) {
      texts.push(message.content[0].text.value);
    }
    return { waited: run.status, ended: ended.status, texts };
  },

  failed: async () => {
    const thread = await begun("break off");
    const run = await runs.createAndPoll(thread.id, { assistant_id }, often);
    return { status: run.status, code: run.last_error.code };
  },

  cancelled: async () => {
    const thread = await begun("What's 34/24?");
    const run = await runs.createAndPoll(thread.id, { assistant_id }, often);
    const cancelled = await runs.cancel(run.id, { thread_id: thread.id });
    return cancelled.status;
  },

  refused: async () => {
    const thread = await begun("What's 34/24?");
    await runs.createAndPoll(thread.id, { assistant_id }, often);
    return {
      second: await refusal(() => runs.create(thread.id, { assistant_id })),
      missing: await refusal(() => threads.retrieve("thread_none")),
    };
  },
});
