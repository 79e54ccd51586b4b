/** A process that asks a model: what the libraries leave behind in it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { schema, settingsFor, startAsking, yes } from "./asking.ts";

test("the libraries print nothing, and the process ends when it has its answer", async (t) => {
  const { server } = await startAsking(t, [{ text: yes }]);
  const program = `
    const { createModel } = await import(${JSON.stringify(join(import.meta.dirname, "../../../src/services/models/index.ts"))});
    const model = createModel(${JSON.stringify(settingsFor(server.url))}, {});
    const { text } = await model.ask({ model: "local/qwen3", prompt: "?", schema: ${JSON.stringify(schema)} }, AbortSignal.timeout(600_000));
    if (text !== ${JSON.stringify(yes)}) process.exitCode = 1;`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: process.env.PATH ?? "", NODE_DEBUG: "" },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const [code] = await once(child, "close");
  assert.deepEqual([code, printed], [0, ""]);
});
