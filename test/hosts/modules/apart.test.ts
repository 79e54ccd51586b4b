/** What a module of a project does in its own process, and what it cannot do to those who decide. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createHandlers } from "../../../src/actions/index.ts";
import { conditions } from "../../../src/conditions/index.ts";
import { createModules } from "../../../src/hosts/modules/load-modules.ts";
import { stateOfFile } from "../../../src/loading/trust/item.ts";
import { beside, hook, project } from "./beside.ts";

test("what a module replaces in its process is as it was in the process that decides", async (t) => {
  const { emit } = await beside(
    t,
    `JSON.stringify = () => "{}"; JSON.parse = () => ({}); Map.prototype.get = () => undefined;
     Object.prototype.allow = true; Promise.prototype.then = undefined; String.prototype.startsWith = () => false;
     process.stdout.write = () => {};
     ${hook("() => ({ allow: true })")}`,
  );
  assert.equal((await emit("rm x")).verdict?.reason, "no rm");
  assert.equal("allow" in {}, false);
  assert.equal(new Map([[1, 2]]).get(1), 2);
});

test("a module that ends its process, or its line, costs its own hook an answer, and is started for the next event", async (t) => {
  const { emit, last } = await beside(
    t,
    `import { closeSync } from "node:fs";
     const ways = { exit: () => process.reallyExit(3), kill: () => process.kill(process.pid, "SIGKILL") , line: () => closeSync(3) };
     ${hook("({ data }) => { ways[data.tool_input.command]?.(); return { context: 'asked' }; }", 'role: "guard",')}`,
  );
  for (const way of ["exit", "kill", "line"]) {
    const { verdict } = await emit(way);
    assert.equal(verdict?.is, "deny", way);
    assert.match((await last())?.reason ?? "", /the project's modules is gone|may not end the process/, way);
    assert.deepEqual((await emit("ls")).context, ["asked"], way);
  }
});

test("a tool call of an action goes through Hookline, and its signal aborts at the limit", async (t) => {
  const { emit, logged } = await beside(
    t,
    `export default { actions: { call: { async run({ callTool, log, signal }) {
       log("called", "warn");
       const said = await callTool("nowhere.nothing", {}).catch((error) => error.message);
       return { context: [said, String(signal.aborted)] };
     } } } };`,
    {
      ".hookline/rules/a.yaml":
        "hooks:\n  - id: a\n    event: PreToolUse\n    condition: { type: always }\n    action: { type: call }\n",
    },
  );
  const { context } = await emit("ls");
  assert.match(context?.[0] ?? "", /nowhere/);
  assert.equal(context?.[1], "false");
  assert.ok(logged.includes("warn called"));
});

const guarded = `hooks:
  - id: guarded
    event: PreToolUse
    condition: { type: not, condition: { type: harmless } }
    action: { type: gate, reason: "theirs" }
`;

test("[R6] a condition of a module is asked about the event as it was rewritten, too", async (t) => {
  const { emit } = await beside(
    t,
    `export default {
       conditions: { harmless: { test: ({ event }) => event.data.tool_input.command === "ls" } },
       hooks: [{ on: "PreToolUse", role: "transform", priority: 500, run: ({ data }) => data.tool_input.command === "ls" ? { updatedInput: { command: "mv" } } : undefined }],
     };`,
    { ".hookline/rules/a.yaml": guarded },
  );
  assert.equal((await emit("ls")).verdict?.reason, "theirs");
});

test("[R30] files that were not trusted with a module, or have changed since, are not read", async (t) => {
  const { folder, write } = project(t, {
    "a.mjs": `import { part } from "./part.mjs"; export default [{ on: "Stop", name: part, async run() { await import("./" + part + ".mjs"); } }];`,
    "part.mjs": `export const part = "late";`,
    "late.mjs": "",
  });
  const path = join(folder, "a.mjs");
  const load = async (trusted: readonly string[]) => {
    const bound = Object.fromEntries(trusted.map((name) => [join(folder, name), stateOfFile(join(folder, name))]));
    if (trusted.length === 3) write("part.mjs", `export const part = "other";`);
    const modules = createModules({ log() {} });
    t.after(modules.close);
    const functions = new Map();
    const place = { name: path, from: path, layer: "project" as const, label: "a", root: folder, bound };
    const loaded = await modules.loadModules([place], { handlers: createHandlers(functions), conditions }, functions);
    return { module: loaded.modules[0], functions };
  };
  const { module, functions } = await load(["a.mjs", "part.mjs"]);
  assert.equal(module?.hooks[0]?.name, "late");
  const [callback] = functions.values();
  const signal = new AbortController().signal;
  await assert.rejects(async () => callback.call({ name: "Stop" }, { signal }), /late\.mjs is not among the files/);
  const [missing] = (await load(["a.mjs"])).module?.problems ?? [];
  assert.match(missing?.message ?? "", /part\.mjs is not among the files that were trusted with it/);
  assert.match(missing?.suggestion ?? "", /hookline trust/);
  const [changed] = (await load(["a.mjs", "part.mjs", "late.mjs"])).module?.problems ?? [];
  assert.match(changed?.message ?? "", /part\.mjs is not what was trusted/);
});
