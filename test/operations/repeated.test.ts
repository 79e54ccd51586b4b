/** Operations that a model called before a crash, and that are called again after it. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { operations } from "../../src/operations/index.ts";
import { serveOperations } from "../../src/operations/serve.ts";
import { automationPlace, contextOf } from "./automation-place.ts";

const automation: Fields = { name: "Tell", trigger: { type: "event", event_type: "a.b", skip_llm: true } };

for (const [name, input, list] of [
  ["automation_create", automation, "automation_list"],
  ["task_create", { title: "look at it" }, "task_list"],
  ["memory_add", { content: "invoices are rounded up" }, "project_show"],
] as const)
  test(`[R56] ${name} that is repeated after a crash makes no second one, and answers as the first time`, async (t) => {
    const { line, shop, call } = await automationPlace(t);
    const environment = { PATH: process.env.PATH ?? "" };
    const served = serveOperations(operations, contextOf(line, { cwd: shop, home: "/home", environment }));
    const asked = async (key: string): Promise<Fields> => {
      const answer = await served.call(name, input, { signal: new AbortController().signal, key });
      return answer.is === "done" ? (answer.result as Fields) : assert.fail(answer.message); // it gives an object
    };
    const first = await asked("run:3:ask/tool 1");
    const again = await asked("run:3:ask/tool 1");
    assert.equal(again.id, first.id);
    const listed = await call(list);
    const made = Array.isArray(listed) ? listed.length : (listed as Fields).memories; // project_show counts them
    assert.equal(made, 1);
    if (name !== "memory_add") assert.notEqual((await asked("run:3:ask/tool 2")).id, first.id);
  });
