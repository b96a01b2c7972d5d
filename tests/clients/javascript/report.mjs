// Runs named scenarios and prints what each of them saw, as one JSON object for the tests.
export const address = process.env.PLAYHEAD_ADDRESS;
export const token = process.env.PLAYHEAD_TOKEN;
export const model = "openai/test";

export async function report(scenarios) {
  const seen = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      seen[name] = { value: await scenario() };
    } catch (error) {
      seen[name] = { error: String(error?.stack ?? error) };
    }
  }
  process.stdout.write(JSON.stringify(seen));
}
