/** What was refused and is done another way, by real processes: each event in its own, with one store between them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { type Guarded, worldWith } from "./guards-place.ts";

const rules = `hooks:
  - id: no_delete
    on: tool_start
    condition: { type: shell, runs: ["rm -r *"] }
    unless: "Bash(rm -rf tmp)"
    action: { type: gate, reason: "data is kept" }
  - id: ask_push
    on: tool_start
    condition: { type: shell, runs: ["git push --force *"] }
    action: { type: gate, decision: ask, reason: "history goes" }
`;
const guarded = (t: TestContext): Guarded =>
  worldWith(t, {
    ".hookline/rules/g.yaml": rules,
    "home/.config/hookline/config.yaml": "self_protection: true\n",
    "data/a.db": "x",
  });

test("[X12] what was refused is refused by another tool, program, file, agent and session of the project, with the true reason", (t) => {
  const world = guarded(t);
  assert.equal(world.call({ command: "rm -rf data" }).verdict?.is, "deny");
  writeFileSync(join(world.workspace, "clean.sh"), "echo cleaning\nrm -rf data\n");
  const ways: [object, { tool?: string; session?: string }?][] = [
    [{ command: "find data -delete" }],
    [{ command: "python3 -c \"import shutil; shutil.rmtree('data')\"" }],
    [{ command: "bash clean.sh" }],
    [{ path: "data" }, { tool: "mcp__fs__delete_directory" }],
    [{ command: "mv data /tmp/x" }, { session: "another" }],
    [{ prompt: "Delete the data folder." }, { tool: "Task" }],
  ];
  for (const [input, given] of ways) {
    const { verdict } = world.call(input, given);
    assert.equal(verdict?.is, "deny", JSON.stringify(input));
    assert.match(verdict?.reason ?? "", /^The same was refused \d+ s ago as `rm -rf data`: data is kept$/);
  }
  const runs = world.json("runs", "--hook", "reroute_watch");
  assert.equal(runs.length, ways.length, "the record marks each");
  assert.match(world.hookline("why", "last").stdout, /reroute_watch[\s\S]*The same was refused/);
});

test("[X12] ordinary work after a refusal goes on, and what was asked about is asked about again", (t) => {
  const world = guarded(t);
  world.call({ command: "rm -rf data" });
  for (const command of ["ls data", "cat data/a.db", "rm data/a.db", "touch data/b", "rm -rf tmp", "npm run build"])
    assert.deepEqual(world.call({ command }), {}, command);
  assert.equal(world.call({ command: "git push --force origin main" }).verdict?.is, "ask");
  assert.deepEqual(world.call({ command: "git push origin topic" }), {});
  const { verdict } = world.call({ command: "git push origin +main" });
  assert.equal(verdict?.is, "ask");
  assert.match(
    verdict?.reason ?? "",
    /^The same was asked about \d+ s ago as `git push --force origin main`: history goes/,
  );
});

test("[X12] it ends: fifteen minutes later, where a person allowed the call, where the guard only reports or is gone, and by a person's key", async (t) => {
  const world = guarded(t);
  const other = { command: "find data -delete" };
  world.call({ command: "rm -rf data" });
  assert.equal(world.call(other).verdict?.is, "deny");
  await world.allowedBefore();
  assert.deepEqual(world.call(other), {}, "a person allowed this way");
  assert.equal(world.call(other).verdict?.is, "deny", "once");
  const store = openSqliteStore({ path: world.store });
  const age = (seconds: number): void =>
    void store.database.run("update pause set until = until - ? where what like 'refused%'", seconds * 1000);
  age(299);
  assert.equal(world.call(other).verdict?.is, "deny");
  age(600);
  assert.equal(world.call(other).verdict?.is, "deny", "ten calls of the same turn");
  assert.deepEqual(world.call(other, { session: "another" }), {}, "of another session five minutes");
  store.close();
  world.call({ command: "rm -rf data" });
  assert.equal(world.call(other, { session: "another" }).verdict?.is, "deny");
  const reporting = rules.replace("on: tool_start", "on: tool_start\n    report: true");
  for (const changed of [reporting, "hooks: []\n"]) {
    world.write("workspace/.hookline/rules/g.yaml", changed);
    assert.equal(world.call(other).verdict, undefined, changed);
  }
});

test("[X12] what a person has approved by answering the agent's question is not held when it is done another way", (t) => {
  const world = guarded(t);
  const hook = (event: string, command: string, id: string, more: object = {}) => {
    const payload = {
      session_id: "s",
      cwd: world.workspace,
      hook_event_name: event,
      tool_name: "Bash",
      tool_use_id: id,
    };
    const text = JSON.stringify({ ...payload, tool_input: { command }, ...more });
    const { stdout } = world.hooklineWith(text, "hook", "claude-code", "--event", event);
    return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput?.permissionDecision;
  };
  const [first, other] = ["git push --force origin main", "git push origin +main"];
  assert.equal(hook("PreToolUse", first, "1"), "ask");
  assert.equal(hook("PreToolUse", other, "2"), "ask");
  hook("PostToolUse", first, "1", { tool_response: {} });
  assert.equal(hook("PreToolUse", other, "3"), undefined);
});
