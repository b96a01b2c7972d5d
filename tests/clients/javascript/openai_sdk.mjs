// The openai SDK for JavaScript, as its documentation uses it.
import OpenAI, { APIError } from "openai";
import { address, model, report, token } from "./report.mjs";

const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: token, maxRetries: 0 });
const user = (content) => ({ role: "user", content });
const ask = (messages, options = {}) =>
  client.chat.completions.create({ model, messages, ...options });
const described = (name, properties) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties } },
});
const text = { type: "string" };
const lookup = described("lookup", { city: text });
const execute = described("execute", { language: text, code: text });
const decide = (call, decision) => ({
  role: "tool",
  tool_call_id: call.id,
  content: JSON.stringify(decision),
});

async function refusal(make) {
  try {
    await make();
  } catch (error) {
    const { status, code, type, message } = error;
    return { kind: error.constructor.name, isApiError: error instanceof APIError, status, code, type, message };
  }
  return null;
}

await report({
  models: async () => (await client.models.list()).data.map((found) => found.id),

  whole: async () => {
    const answer = await ask([user("hello")]);
    return { text: answer.choices[0].message.content, usage: answer.usage };
  },

  streamed: async () => {
    const stream = await ask([user("hello")], { stream: true, stream_options: { include_usage: true } });
    const seen = { text: "", ends: [], usage: null };
    for await (const chunk of stream) {
      seen.text += chunk.choices[0]?.delta?.content ?? "";
      if (chunk.choices[0]?.finish_reason) seen.ends.push(chunk.choices[0].finish_reason);
      seen.usage = chunk.usage ?? seen.usage;
    }
    return seen;
  },

  reasoning: async () => (await ask([user("with reasoning, please")])).choices[0].message,

  tools: async () => {
    const question = user("weather in two cities");
    const runner = client.chat.completions.stream({ model, messages: [question], tools: [lookup] });
    const { message } = (await runner.finalChatCompletion()).choices[0];
    const results = message.tool_calls.map((call) => ({
      role: "tool",
      tool_call_id: call.id,
      content: `seen ${JSON.parse(call.function.arguments).city}. `,
    }));
    const after = await ask([question, message, ...results], { tools: [lookup] });
    return { calls: message.tool_calls, after: after.choices[0].message.content };
  },

  yes: async () => {
    const question = user("What's 34/24?");
    const proposal = (await ask([question])).choices[0].message;
    const after = await ask([question, proposal, user("yes")]);
    return { proposal: proposal.content, after: after.choices[0].message.content };
  },

  decisions: async () => {
    const question = user("What's 34/24?");
    const { message } = (await ask([question], { tools: [execute] })).choices[0];
    const [call] = message.tool_calls;
    const asked = async (decision) => {
      const history = [question, message, decide(call, decision)];
      return (await ask(history, { tools: [execute] })).choices[0].message.content;
    };
    const edited = await asked({ decision: "approve", code: "print('edited', 6 * 7)" });
    return { name: call.function.name, edited };
  },

  denial: async () => {
    const question = user("What's 34/24?");
    const { message } = (await ask([question], { tools: [execute] })).choices[0];
    const denial = decide(message.tool_calls[0], { decision: "deny", reason: "not today" });
    return (await ask([question, message, denial], { tools: [execute] })).choices[0].message.content;
  },

  autoRun: async () => (await ask([user("What's 34/24?")], { auto_run: true })).choices[0].message.content,

  responses: async () => {
    const first = await client.responses.create({ model, input: "hello" });
    const stream = client.responses.stream({
      model,
      input: "echo once more",
      previous_response_id: first.id,
    });
    const deltas = [];
    stream.on("response.output_text.delta", (event) => deltas.push(event.delta));
    const second = await stream.finalResponse();
    return { first: first.output_text, second: second.output_text, deltas };
  },

  refusals: async () => ({
    badRequest: await refusal(() => ask([])),
    stranger: await refusal(() => new OpenAI({ baseURL: `${address}/v1`, apiKey: "wrong", maxRetries: 0 }).models.list()),
    notFound: await refusal(() => client.responses.retrieve("resp_none")),
    tooMany: await refusal(() => ask([user("too many")])),
    upstream: await refusal(() => ask([user("out of order")], { stream: true })),
    cut: await refusal(async () => {
      for await (const _ of await ask([user("break off")], { stream: true }));
    }),
  }),

  leaving: async () => {
    const stream = await ask([user("fall silent")], { stream: true });
    for await (const chunk of stream) if (chunk.choices[0].delta.content) break;
    return "left";
  },
});
