/** What guards say of a call that a hook rewrites: a rewrite never loosens, unless its hook answers for it (R94). */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createHookline, type Hookline } from "../../src/index.ts";

const bash = (command: string): { tool_name: string; tool_input: { command: string } } => ({
  tool_name: "Bash",
  tool_input: { command },
});

async function openLine(t: TestContext): Promise<Hookline> {
  const line = await createHookline({ files: false, environment: {} });
  t.after(() => line.close());
  return line;
}

const guard = (line: Hookline, verdict: "deny" | "ask", seen: unknown[] = []): unknown =>
  line.use({
    on: "PreToolUse",
    id: "guard",
    role: "guard",
    run({ data }) {
      seen.push(data.tool_input.command);
      return String(data.tool_input.command).startsWith("rm ") ? { [verdict]: "not that" } : undefined;
    },
  });

const rewriter = (line: Hookline, replaces?: true): unknown =>
  line.use({
    ...{ on: "PreToolUse", id: "rewriter", role: "transform", priority: 1 },
    ...(replaces ? { replaces } : {}),
    run: ({ data }) => ({ allow: true, updatedInput: { command: `rtk ${data.tool_input.command}` } }),
  });

for (const verdict of ["deny", "ask"] as const)
  test(`a guard that comes after a rewrite judges what was asked too, and its ${verdict} holds`, async (t) => {
    const line = await openLine(t);
    const seen: unknown[] = [];
    rewriter(line);
    guard(line, verdict, seen);
    const { verdict: given } = await line.emit("PreToolUse", bash("rm -rf ~"));
    assert.deepEqual([given?.is, given?.by], [verdict, "guard"]);
    assert.equal(seen[0], "rm -rf ~");
  });

test("a hook that answers for its rewrite has guards of its own layer judge only what will run", async (t) => {
  const line = await openLine(t);
  const seen: unknown[] = [];
  rewriter(line, true);
  guard(line, "deny", seen);
  const { verdict, updatedInput } = await line.emit("PreToolUse", bash("rm -rf ~"));
  assert.deepEqual([verdict?.is, updatedInput?.command], ["allow", "rtk rm -rf ~"]);
  assert.deepEqual(seen, ["rtk rm -rf ~"]);
});

test("what a guard asked before a rewrite stands, and falls only where the rewriting hook answers for the call", async (t) => {
  for (const replaces of [undefined, true] as const) {
    const line = await openLine(t);
    line.use({
      on: "PreToolUse",
      id: "early",
      role: "guard",
      priority: 0,
      if: "Bash(rm *)",
      run: () => ({ ask: "really" }),
    });
    line.use({
      ...{ on: "PreToolUse", id: "rewriter", role: "transform", priority: 1 },
      ...(replaces ? { replaces } : {}),
      run: () => ({ allow: true, updatedInput: { command: "trash x" } }),
    });
    const { verdict } = await line.emit("PreToolUse", bash("rm x"));
    assert.equal(verdict?.is, replaces ? "allow" : "ask");
  }
});

test("a guard's own rewrite is no part of what it says about the call as it was asked", async (t) => {
  const line = await openLine(t);
  rewriter(line);
  line.use({
    on: "PreToolUse",
    id: "quieter",
    role: "guard",
    run: ({ data }) =>
      String(data.tool_input.command).endsWith(" -q")
        ? undefined
        : { updatedInput: { command: `${data.tool_input.command} -q` } },
  });
  assert.equal((await line.emit("PreToolUse", bash("ls"))).updatedInput?.command, "rtk ls -q");
});
