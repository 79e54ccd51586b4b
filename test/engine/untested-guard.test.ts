import assert from "node:assert/strict";
import { test } from "node:test";
import { defineHook } from "../../src/hosts/library/definition.ts";
import { createHookline } from "../../src/index.ts";

/** A guard whose expression splits what the event says. */
const guard = (expr: string) =>
  defineHook({
    on: "PreToolUse",
    name: "guard",
    role: "guard",
    when: { is: "expression", with: { expr } },
    run: () => ({ deny: "found" }),
  });
const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

test("[D43, R17, R52] a guard whose condition cannot be tested blocks, and what is merely missing does not", async () => {
  const line = await createHookline({ files: false });
  line.use(guard('any(w == "--force" for w in tool.params.command.split(" "))'));
  assert.equal((await line.emit("PreToolUse", bash("git push --force"))).verdict?.reason, "found");
  assert.deepEqual(await line.emit("PreToolUse", bash("git push")), {});
  assert.deepEqual(await line.emit("PreToolUse", { tool_name: "Read", tool_input: { file_path: "a" } }), {});
  const hidden = await line.emit("PreToolUse", bash(`git push${" ".repeat(12_000)}--force`));
  assert.equal(hidden.verdict?.is, "deny");
  assert.match(hidden.verdict?.reason ?? "", /cannot be tested.*more than 10000 steps/);
  const [run] = await line.runs({ limit: 1 });
  assert.equal(run?.status, "failed");
  await line.close();
});

test("[R6, D43] a rewrite after which a guard's condition cannot be tested is no permission", async () => {
  const line = await createHookline({ files: false });
  line.use(guard('any(w == "--force" for w in tool.params.command.split(" "))'));
  line.use(
    defineHook({
      on: "PreToolUse",
      role: "transform",
      run: () => ({ updatedInput: { command: `git push${" ".repeat(12_000)}--force` } }),
    }),
  );
  assert.equal((await line.emit("PreToolUse", bash("git push"))).verdict?.is, "deny");
  await line.close();
});

test("[D43] a hook that is no guard only says so, once", async () => {
  const line = await createHookline({ files: false });
  const when = { is: "expression", with: { expr: "turn / 0 > 1" } };
  line.use(defineHook({ on: "PreToolUse", name: "observer", role: "observe", when, run: () => undefined }));
  assert.deepEqual(await line.emit("PreToolUse", bash("a")), {});
  assert.deepEqual(await line.emit("PreToolUse", bash("b")), {});
  const runs = await line.runs();
  assert.deepEqual(
    runs.map(({ status }) => status),
    ["skipped"],
  );
  assert.match(runs[0]?.reason ?? "", /division by zero/);
  await line.close();
});
