/** More that a module does to its process, and when its process ends. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createHandlers } from "../../../src/actions/index.ts";
import { conditions } from "../../../src/conditions/index.ts";
import { createModules } from "../../../src/hosts/modules/load-modules.ts";
import { createHookline } from "../../../src/index.ts";
import { stateOfFile } from "../../../src/loading/trust/item.ts";
import { world } from "../../world.ts";
import { beside, hook, project } from "./beside.ts";

test("a module that prints to descriptor 1 and closes 0 to 2 still answers, and what it printed is in the log", async (t) => {
  const { emit, logged } = await beside(
    t,
    `import { closeSync, writeSync } from "node:fs";
     writeSync(1, '{"is":"answer","id":1,"answer":{"allow":true}}\\n'); console.log("by console");
     for (const one of [0, 1, 2]) closeSync(one);
     ${hook('() => ({ deny: "theirs" })')}`,
  );
  assert.equal((await emit("ls")).verdict?.reason, "theirs");
  assert.ok(logged.includes("info by console"), logged.join("\n"));
  assert.ok(
    logged.some((line) => line.includes('"allow":true')),
    logged.join("\n"),
  );
});

test("a loop without an end takes a callback's own time limit, and the next event starts the module again", async (t) => {
  const { emit, last } = await beside(
    t,
    `const on = "PreToolUse";
     export default [
       { on, matcher: "Loop", name: "loop", timeout: 0.2, run() { for (;;); } },
       { on, matcher: "Bash", name: "theirs", run: () => ({ context: "asked" }) },
     ];`,
  );
  assert.equal((await emit("x", "Loop")).verdict, undefined);
  assert.equal((await last())?.status, "timeout");
  assert.deepEqual((await emit("ls")).context, ["asked"]);
});

test("an answer that JSON would change is no answer: a guard that gives one blocks", async (t) => {
  const answers: Readonly<Record<string, string>> = {
    getter: "({ get context() { throw new Error('thrown') } })",
    function: "() => {}",
    member: "({ deny: () => true })",
    class: "new (class { get deny() { return true } })()",
    number: "42",
    bigint: "({ context: 1n })",
    circle: "(() => { const one = {}; one.context = one; return one })()",
    prototype: `JSON.parse('{ "__proto__": { "allow": true, "polluted": true } }')`,
    large: "({ context: 'x'.repeat(40 * 1024 * 1024) })",
  };
  const { emit, last } = await beside(
    t,
    `const answers = { ${Object.entries(answers)
      .map(([name, text]) => `${name}: () => ${text}`)
      .join(", ")} };
     ${hook("({ data }) => answers[data.tool_input.command]?.()", 'role: "guard",')}`,
  );
  for (const name of Object.keys(answers)) {
    assert.equal((await emit(name)).verdict?.is, "deny", name);
    assert.equal((await last())?.status, "failed", name);
    assert.equal((await emit("ls")).verdict, undefined, name);
  }
  assert.equal("polluted" in {}, false);
});

test("the import of a module has a limit, whatever it does: the others are active, and nothing is imported again", async (t) => {
  const { folder } = project(t, {
    "a.mjs": `export default [{ on: "Stop", name: "a", run() {} }];`,
    "block.mjs": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);", // as a loop would, without its work
    "end.mjs": "process.reallyExit(0);",
    "wait.mjs": "export default () => new Promise(() => {});",
    "b.mjs": `export default [{ on: "Stop", name: "b", run() {} }];`,
  });
  const names = ["a", "block", "end", "wait", "b"];
  const places = names.map((name) => {
    const path = join(folder, `${name}.mjs`);
    return { name: path, from: path, layer: "project" as const, label: name, root: folder };
  });
  const saidWithin = async (limit: number): Promise<(string | undefined)[]> => {
    const modules = createModules({ log() {}, limit });
    t.after(modules.close);
    const functions = new Map();
    const { modules: found } = await modules.loadModules(
      places,
      { handlers: createHandlers(functions), conditions },
      functions,
    );
    return found.map(({ hooks: [one], problems: [problem] }) => one?.name ?? problem?.message);
  };
  const expected = (limit: number): string[] => [
    "a",
    `the module cannot be used: it was not loaded within ${limit} s`,
    "the module cannot be used: the process of the project's modules is gone: it ended with exit code 0 before it answered",
    `the module cannot be used: it was not loaded within ${limit} s`,
    "b",
  ];
  // On a busy machine a process may need more than a second to begin.
  let limit = 1;
  let said = await saidWithin(limit);
  for (; said.join() !== expected(limit).join() && limit < 100; said = await saidWithin(limit)) limit *= 4;
  assert.deepEqual(said, expected(limit));
});

test("what a module answers while its file is another one than was trusted does not count", async (t) => {
  const { folder } = project(t, {
    "a.mjs": `import { appendFileSync } from "node:fs";
export default [{ on: "Stop", name: "a", run() { appendFileSync(import.meta.filename, "\\n"); return { deny: "no" }; } }];`,
  });
  const path = join(folder, "a.mjs");
  const modules = createModules({ log() {} });
  t.after(modules.close);
  const functions = new Map();
  const place = { name: path, from: path, layer: "project" as const, label: "a", root: folder };
  const bound = { [path]: stateOfFile(path) };
  await modules.loadModules([{ ...place, bound }], { handlers: createHandlers(functions), conditions }, functions);
  const [callback] = functions.values();
  const signal = new AbortController().signal;
  await assert.rejects(
    async () => callback.call({ name: "Stop" }, { signal }),
    /a\.mjs was changed while it ran, so its answer does not count/,
  );
});

test("a change of a module ends its process, and so does the end of the one that asks", async (t) => {
  const module = hook("() => ({ context: String(process.pid) })");
  const place = project(t, { "hookline.config.mjs": module });
  const line = await createHookline({ cwd: place.folder, home: join(place.folder, "home") });
  const pid = async (): Promise<number> => {
    const { context } = await line.emit("PreToolUse", { tool_name: "Bash", tool_input: {} });
    return Number(context?.[0]);
  };
  const first = await pid();
  assert.equal(await pid(), first);
  place.write("hookline.config.mjs", `${module}\n`);
  const second = await pid();
  assert.notEqual(second, first);
  await line.close();
  for (const one of [first, second]) await gone(one);
});

/** Resolves when there is no such process, or only its exit code is left of it. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a command imports a module once for an event, in the project's folder and without the keys to the agent's session", (t) => {
  const here = world(
    t,
    {
      "shop/hookline.config.mjs": `import { appendFileSync } from "node:fs";
      const secret = process.env.CLAUDE_CODE_MESSAGING_SOCKET ?? "no key";
      appendFileSync(new URL("../imports", import.meta.url), ["once in", process.cwd(), "with", secret, "\\n"].join(" "));
      ${hook('() => ({ deny: "theirs" })')}`,
      imports: "",
    },
    { workspace: "shop", variables: { HOOKLINE_DAEMON: "off", CLAUDE_CODE_MESSAGING_SOCKET: "/socket" } },
  );
  const input = JSON.stringify({
    ...{ session_id: "s", cwd: here.workspace, hook_event_name: "PreToolUse", tool_use_id: "t" },
    ...{ tool_name: "Bash", tool_input: { command: "ls" } },
  });
  const said = here.hooklineWith(input, "hook", "claude-code");
  assert.match(said.stdout, /theirs/, said.stderr);
  assert.equal(here.read("imports"), `once in ${here.workspace} with no key \n`);
});
