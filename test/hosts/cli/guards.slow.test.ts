/** Living with a guard, by people at many terminals and by two processes at once, and the key that allows a call; guards.test.ts has the usual ways. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { bin } from "../../program.ts";
import { countsWhatIsAllowed, onTerminal, push, rules, worldWith } from "./guards-place.ts";

test(
  "another key than that of a refusal allows nothing, and where nothing was refused there is nothing to choose",
  onTerminal,
  async (t) => {
    const world = worldWith(t);
    assert.match(
      (await world.allowed()).stdout,
      /nothing was refused here in the last 5 minutes that a person can allow/,
    );
    world.call(push);
    for (const key of ["q", "2", "9", "\r"]) {
      const left = await world.allowed(key);
      assert.deepEqual([left.status, /nothing was allowed/.test(left.stdout)], [1, true], key);
    }
    assert.equal(world.call(push).verdict?.is, "deny");
  },
);

test("of two processes that are asked at once one lets the call pass", async (t) => {
  const world = worldWith(t);
  world.call(push);
  await world.allowedBefore();
  const data = JSON.stringify({ tool_name: "Bash", tool_input: push });
  const words = [bin, "emit", "PreToolUse", "--data", data, "--session", "s", "--json"];
  const emitting = promisify(execFile);
  const both = await Promise.allSettled(
    [1, 2].map(() => emitting(process.execPath, words, { cwd: world.workspace, env: world.environment })),
  );
  const ended = both.map((one) => (one.status === "fulfilled" ? 0 : one.reason.code));
  assert.deepEqual(ended.sort(), [0, 1]);
});

test("a question can be allowed too, and not in another folder", onTerminal, async (t) => {
  const world = worldWith(t);
  const file = { file_path: "a.ts", content: "x" };
  world.call(file, { tool: "Write" });
  assert.equal((await world.allowed()).status, 0);
  mkdirSync(join(world.workspace, "below"));
  const data = JSON.stringify({ tool_name: "Write", tool_input: file });
  const below = world.hookline(
    "emit",
    "PreToolUse",
    "--data",
    data,
    "--session",
    "s",
    "--cwd",
    join(world.workspace, "below"),
    "--json",
  );
  assert.equal(JSON.parse(below.stdout).outcome.verdict.is, "ask");
  assert.deepEqual(world.call(file, { tool: "Write" }), {});
});

test(
  "in an agent's shell and in a hook's program nothing is allowed and no guard is switched off, in whatever terminal that is",
  onTerminal,
  (t) => {
    const world = worldWith(t);
    world.call(push);
    const commands = [["allow-once"], ["guard", "off", "no_push", "--for", "1h"]];
    for (const words of commands) {
      for (const variable of ["CLAUDECODE", "GEMINI_CLI", "HOOKLINE_DEPTH"]) {
        const inShell = world.typed(words, { [variable]: "1", CI: "true" });
        assert.equal(inShell.status, 1, variable);
        assert.match(inShell.stdout, /an agent's shell|a hook's program/);
      }
    }
    assert.equal(world.call(push).verdict?.is, "deny");
  },
);

test("the user's own guard that is off in one project is on in another", onTerminal, (t) => {
  const world = worldWith(t, {
    "home/.config/hookline/rules/g.yaml": rules,
    "hookline.yaml": "hooks: []\n",
    "other/hookline.yaml": "hooks: []\n",
  });
  assert.equal(world.typed(["guard", "off", "no_push", "--for", "10m"]).status, 0);
  assert.deepEqual(world.call(push), {});
  const other = world.hookline(
    "emit",
    "PreToolUse",
    "--data",
    JSON.stringify({ tool_name: "Bash", tool_input: push }),
    "--cwd",
    join(world.workspace, "other"),
    "--json",
  );
  assert.equal(JSON.parse(other.stdout).outcome.verdict.is, "deny");
});

test("guard off of what is no guard, and of what there is not, is an error at a terminal too", onTerminal, (t) => {
  const world = worldWith(t, {
    ".hookline/rules/g.yaml": `${rules}  - id: note\n    on: tool_start\n    condition: { type: always }\n    action: { type: log, message: hello }\n`,
  });
  assert.match(world.typed(["guard", "off", "note", "--for", "1h"]).stdout, /note is no guard: `hookline pause /);
  assert.equal(world.typed(["guard", "off", "nobody", "--for", "1h"]).status, 2);
});

test(
  "guard stats counts what a person has allowed at a terminal, and proposes an exception for what was allowed three times",
  onTerminal,
  (t) =>
    countsWhatIsAllowed(worldWith(t), async (world, command) => {
      if (command === "git push") assert.equal((await world.allowed()).status, 0);
      else await world.allowedBefore();
    }),
);

test("a hook of any format of ours that only reports changes nothing, and list, runs, why and stats say what it would have done", (t) => {
  const command = { type: "command", name: "scan", command: "echo no >&2; exit 2", onFailure: "block", report: true };
  const world = worldWith(t, {
    ".hookline/rules/g.yaml": rules.replace("on: tool_start", "on: tool_start\n    report: true"),
    ".hookline/hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [command] }] } }),
    ".system/hooks/r.yaml":
      "id: r\nevent_type: PreAbilityCall\nreport: true\nblocking: true\nhandler: { kind: script, command: exit 3 }\n",
    "hookline.yaml":
      "hooks:\n  - id: own\n    on: tool_start\n    report: true\n    condition: { type: tool_name, match: Bash }\n    action: { type: gate, reason: mine }\n",
    "hookline.config.ts":
      'export default { hooks: [{ id: "typed", on: "PreToolUse", report: true, run: () => ({ deny: "in TypeScript" }) }] };\n',
  });
  assert.deepEqual(world.call(push), {});
  const runs = world.json("runs") as { hook: string; reason: string | null }[];
  const reasons = runs.map(({ reason }) => reason ?? "").sort();
  assert.equal(reasons.length, 5, JSON.stringify(runs));
  for (const part of [
    /^would have denied: in TypeScript$/,
    /^would have denied: mine$/,
    /^would have denied: no$/,
    /^would have denied: people push$/,
    /exit/,
  ])
    assert.ok(
      reasons.some((reason) => part.test(reason)),
      `${part} in ${reasons.join("; ")}`,
    );
  assert.match(world.hookline("why", "last").stdout, /It only reports: it would have denied: people push/);
  assert.match(world.hookline("list").stdout, /^no_push +reports only/m);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: push });
  const explained = world.json("explain", "PreToolUse", "--data", data) as { name: string; because: string }[];
  assert.match(explained.find(({ name }) => name === "no_push")?.because ?? "", /; it only reports, so/);
  const stats = world.json("guard", "stats") as {
    guards: { name: string; would_have: number; denied: number; state: string }[];
  };
  const row = stats.guards.find(({ name }) => name === "no_push");
  assert.deepEqual([row?.would_have, row?.denied, row?.state], [1, 0, "reports only"]);
});

test("report in a file that an agent reads itself is said to hold for Hookline alone", (t) => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2", report: true }] }] };
  const world = worldWith(t, { ".claude/settings.json": JSON.stringify({ hooks }) });
  assert.match(
    world.hookline("check").stdout,
    /"report": true: Hookline only records .* an agent that reads the file itself ignores the key/,
  );
});

test(
  "a person at a terminal sees what was refused, and one key allows exactly that call, once",
  onTerminal,
  async (t) => {
    const world = worldWith(t);
    world.call(push);
    world.call({ ...push, description: "said in other words" });
    world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" });
    const left = await world.allowed("q");
    assert.deepEqual([left.status, /nothing was allowed/.test(left.stdout)], [1, true]);
    const typed = await world.allowed("2");
    assert.equal(typed.status, 0, typed.stdout);
    assert.match(typed.stdout, /^1 {2}Write .*a\.ts.* \(just now\)\r\n {3}may_write: may I write\?\r$/m);
    assert.match(typed.stdout, /^2 {2}Bash git push {2}\(just now\)\r\n {3}no_push: people push\r$/m);
    assert.match(typed.stdout, /Allow which one, once, for 5 minutes\? \[1-2, q leaves\]/);
    assert.match(typed.stdout, /^allowed: exactly this call passes once/m);
    assert.doesNotMatch(typed.stdout, /^3 /m, "one call that is tried again stands once");
    for (const other of [world.call({ command: "git push -f" }), world.call(push, { session: "t" })])
      assert.equal(other.verdict?.is, "deny");
    assert.equal(world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" }).verdict?.is, "ask");
    assert.deepEqual(world.call(push), {});
    assert.match(
      world.hookline("why", "last").stdout,
      /It was allowed once by a person; it would have denied: people push/,
    );
    assert.equal(world.call(push).verdict?.is, "deny", "it is used up");
    assert.equal(world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" }).verdict?.is, "ask");
    await world.allowedBefore();
    assert.deepEqual(
      world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" }),
      {},
      "a question is allowed too",
    );
  },
);
