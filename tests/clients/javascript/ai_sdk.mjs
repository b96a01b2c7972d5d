// The AI SDK on its OpenAI provider; `.chat()` is what speaks chat completions, without it Responses.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { address, model, report, token } from "./report.mjs";

const provider = createOpenAI({ baseURL: `${address}/v1`, apiKey: token });
const chat = provider.chat(model);
const once = { model: chat, maxRetries: 0 };
const byResponses = { model: provider(model), maxRetries: 0 };

async function parts(stream) {
  const seen = [];
  for await (const part of stream) seen.push(part);
  return seen;
}

const lookup = tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `fine in ${city}. `,
});
const execute = tool({
  description: "Run code.",
  inputSchema: z.object({ language: z.string(), code: z.string() }),
});

await report({
  streamText: async () => {
    const result = streamText({ ...once, prompt: "hello" });
    const seen = await parts(result.fullStream);
    return {
      text: seen.filter((part) => part.type === "text-delta").map((part) => part.text).join(""),
      pieces: seen.filter((part) => part.type === "text-delta").length,
      errors: seen.filter((part) => part.type === "error").length,
      finishReason: await result.finishReason,
      usage: await result.usage,
    };
  },

  generateText: async () => {
    const { text, finishReason, usage } = await generateText({ ...once, prompt: "hello" });
    return { text, finishReason, usage };
  },

  tools: async () => {
    const result = streamText({
      ...once,
      prompt: "weather in two cities",
      tools: { lookup },
      stopWhen: isStepCount(3),
    });
    const text = await result.text;
    const steps = await result.steps;
    return { text, inputs: steps[0].toolCalls.map((call) => call.input), steps: steps.length };
  },

  generateTools: async () => {
    const { text } = await generateText({
      ...once,
      prompt: "the weather, please",
      tools: { lookup },
      stopWhen: isStepCount(3),
    });
    return text;
  },

  approval: async () => {
    const question = { role: "user", content: "What's 34/24?" };
    const first = await generateText({ ...once, messages: [question], tools: { execute } });
    const [call] = first.toolCalls;
    const decided = {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: call.toolCallId,
          toolName: "execute",
          output: { type: "json", value: { decision: "approve" } },
        },
      ],
    };
    const messages = [question, ...first.response.messages, decided];
    const second = await generateText({ ...once, messages, tools: { execute } });
    return { input: call.input, text: second.text };
  },

  responses: async () => {
    const result = streamText({ ...byResponses, prompt: "with reasoning, please" });
    const seen = await parts(result.fullStream);
    const text = (kind) => seen.filter((part) => part.type === kind).map((part) => part.text).join("");
    const errors = seen.filter((part) => part.type === "error").map((part) => String(part.error));
    return { text: text("text-delta"), reasoning: text("reasoning-delta"), errors };
  },

  responsesTools: async () => {
    const result = streamText({
      ...byResponses,
      prompt: "weather in two cities",
      tools: { lookup },
      stopWhen: isStepCount(3),
    });
    const text = await result.text;
    const steps = await result.steps;
    return { text, inputs: steps[0].toolCalls.map((call) => call.input), steps: steps.length };
  },

  responsesCode: async () => {
    const question = { role: "user", content: "What's 34/24?" };
    const tools = { code_interpreter: provider.tools.codeInterpreter() };
    const first = await generateText({ ...byResponses, messages: [question], tools });
    const yes = { role: "user", content: "yes" };
    const messages = [question, ...first.response.messages, yes];
    const second = await generateText({ ...byResponses, messages, tools });
    const output = second.steps[0].toolResults.map((result) => result.output);
    return { proposal: first.text, text: second.text, output };
  },

  cut: async () => {
    const seen = await parts(streamText({ ...once, prompt: "break off", onError: () => {} }).fullStream);
    const failure = seen.find((part) => part.type === "error")?.error;
    return {
      text: seen.filter((part) => part.type === "text-delta").map((part) => part.text).join(""),
      failure: failure?.message ?? JSON.stringify(failure ?? null),
    };
  },

  refused: async () => {
    try {
      await generateText({ ...once, prompt: "too many" });
    } catch (error) {
      return { name: error.name, status: error.statusCode, message: error.message };
    }
    return null;
  },
});
