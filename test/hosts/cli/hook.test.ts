import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bin, runCommand } from "../../program.ts";
import { goes } from "../../runtime/processes/gone.ts";
import { until } from "../daemon/started.ts";
import { decidesLarge, payload, scratchWith } from "./hook-place.ts";

const appears = (path: string): Promise<string> =>
  until(() => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    return text.endsWith("\n") ? text.trim() : undefined;
  }, path);

test("[F26] an agent that ends the hook command ends the programs of its hooks too, and a guard's answer is a block", async (t) => {
  const scratch = scratchWith(t, {
    PreToolUse: [{ hooks: [{ command: "echo $$ >pid.txt; sleep 3600; true", role: "guard" }] }],
  });
  const child = scratch.start(payload(scratch.workspace, "ls"));
  let told = "";
  child.stdout?.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const pid = Number(await appears(join(scratch.workspace, "pid.txt")));
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  assert.match(told, /"permissionDecision":"deny"/);
  assert.ok(await goes(pid), "the program lives on");
});

test("[F29, R59] a working folder that has been deleted does not stop a guard from answering", (t) => {
  const scratch = scratchWith(t, { PreToolUse: [{ hooks: [{ command: "exit 2" }] }] });
  const gone = join(scratch.workspace, "gone");
  mkdirSync(gone);
  const told = spawnSync(
    "sh",
    ["-c", `cd gone && rmdir ../gone && exec "$0" "$1" hook claude-code`, process.execPath, bin],
    {
      cwd: scratch.workspace,
      input: payload(scratch.workspace, "ls"),
      encoding: "utf8",
      env: scratch.environment,
    },
  );
  assert.equal(told.status, 0, told.stderr);
  assert.match(told.stdout, /"permissionDecision":"deny"/);
});

test("a payload of a megabyte is decided like any other", (t) => decidesLarge(t, 1_000_000));

test("input that is nested without end is refused, and blocked if a guard is active", (t) => {
  const nested = payload("/", "x").replace('"x"', `${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  const open = scratchWith(t, { PreToolUse: [{ hooks: [{ command: "exit 0" }] }] }).hook(nested);
  assert.equal(open.status, 0);
  assert.match(open.stderr, /nested too deeply/);
  const guarded = scratchWith(t, { PreToolUse: [{ hooks: [{ command: "exit 0", role: "guard" }] }] }).hook(nested);
  assert.equal(guarded.status, 2);
});

test("an event whose name can be no agent's is refused where a guard is active, and passes elsewhere", (t) => {
  const unknown = (workspace: string): string =>
    payload(workspace, "ls").replace('"hook_event_name":"PreToolUse"', '"hook_event_name":"Before/Everything"');
  const open = scratchWith(t, { PreToolUse: [{ hooks: [{ command: "exit 0" }] }] });
  const passed = open.hook(unknown(open.workspace));
  assert.equal(passed.status, 0);
  assert.match(passed.stderr, /Before.Everything/);
  const guarded = scratchWith(t, { Stop: [{ hooks: [{ command: "exit 0", role: "guard" }] }] });
  const refused = guarded.hook(unknown(guarded.workspace));
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /Before.Everything.*a guard is active/);
});

test("a tool call that names no tool does not pass a guard on a tool: its failure policy answers, and the run says why", (t) => {
  const nameless = (workspace: string): string => payload(workspace, "ls").replace('"tool_name":"Bash",', "");
  const on = (entry: object, hook: object): object => ({
    PreToolUse: [{ ...entry, hooks: [{ command: "exit 0", ...hook }] }],
  });
  for (const entry of [{ matcher: "Bash" }, { matcher: "mcp__.*" }, { matcher: "Bash(git *)" }]) {
    const scratch = scratchWith(t, on(entry, { role: "guard" }));
    const { stdout } = scratch.hook(nameless(scratch.workspace));
    assert.match(stdout, /"permissionDecision":"deny".*the event names no tool/, JSON.stringify(entry));
  }
  const empty = scratchWith(t, on({ matcher: "Bash" }, { role: "guard" }));
  const unnamed = payload(empty.workspace, "ls").replace('"tool_name":"Bash"', '"tool_name":""');
  assert.match(empty.hook(unnamed).stdout, /"permissionDecision":"deny".*the event names no tool/);
  const asking = scratchWith(t, on({ matcher: "Bash" }, { role: "guard", onFailure: "ask" }));
  assert.match(asking.hook(nameless(asking.workspace)).stdout, /"permissionDecision":"ask"/);
  const open = scratchWith(t, on({ matcher: "Bash" }, {}));
  const { status, stdout } = open.hook(nameless(open.workspace));
  assert.deepEqual([status, stdout], [0, ""]);
});

test("a tool call whose input is no object does not pass a guard on what it does", (t) => {
  const scratch = scratchWith(t, {
    PreToolUse: [{ hooks: [{ command: "exit 2", role: "guard", if: "Bash(git push*)" }] }],
  });
  for (const input of ["git push", ["git push"], 5]) {
    const call = { ...JSON.parse(payload(scratch.workspace, "ls")), tool_input: input };
    assert.match(scratch.hook(JSON.stringify(call)).stdout, /"permissionDecision":"deny"/, JSON.stringify(input));
    assert.equal(scratch.hook(JSON.stringify({ ...call, tool_name: "Read" })).stdout, "", "another tool");
  }
});

test("[R7] what a hook answers at a session's end is not lost without a note in its run", (t) => {
  const said = { systemMessage: "bye", hookSpecificOutput: { hookEventName: "SessionEnd", additionalContext: "left" } };
  const scratch = scratchWith(t, { SessionEnd: [{ hooks: [{ command: `echo '${JSON.stringify(said)}'` }] }] });
  const environment = { ...scratch.environment, HOOKLINE_DAEMON: "off" };
  const hookline = (...words: string[]): string => runCommand(words, { cwd: scratch.workspace, environment }).stdout;
  hookline("emit", "SessionEnd", "--session", "s");
  assert.match(hookline("why", "last"), /messages goes with .*the session has ended/s);
});
