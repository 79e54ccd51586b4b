/** What every real agent writes down of a session is found, and all its calls reached Hookline, its subagent's and a server's included. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "./agents.ts";
import { inAnyVersion } from "./first-run.ts";
import type { AgentName } from "./installed.ts";
import { startAgent } from "./session.ts";

export function isCovered(name: AgentName): void {
  test(
    "[X13] status says that all calls of its last session reached Hookline, as its own record tells of them",
    inAnyVersion(name),
    async (t) => {
      const { subagent, mcp, allow, offering = [] } = rows[name];
      const session = await startAgent(
        t,
        name,
        ({ shell, write, edit }) => ({
          turns: [
            shell("echo one"),
            write("written.txt", "first\nsecond\n"),
            { calls: [...(shell("echo two").calls ?? []), ...(shell("exit 3").calls ?? [])] },
            edit("written.txt", "second", "changed"),
            shell("echo forbidden"),
            ...(mcp ? [{ calls: [{ tool: mcp("task_list"), input: {} }] }] : []),
            ...(subagent ? [{ calls: [subagent("Look around below.")] }, shell("sleep 3")] : []),
            { text: "That is all." },
          ],
          conversations: [{ opening: /Look around below/, turns: [shell("echo below"), { text: "seen" }] }],
        }),
        { mcp: mcp !== undefined },
      );
      await session.write(".hookline/hooks.json", JSON.stringify({ deny: ["Bash(echo forbidden)"] }));
      assert.equal((await session.hookline("install", name)).code, 0);
      const ended = await session.run({ allow: [...allow, ...offering] });
      const { stdout, stderr } = await session.hookline("coverage", "--json");
      const [one] = JSON.parse(stdout);
      const told = `${stdout}${stderr}${ended.stderr}`;
      assert.deepEqual([one.unknown, one.missed], [null, []], told);
      assert.ok(one.calls >= 5 && one.reached === one.calls, told);
      assert.match(
        (await session.hookline("status")).stdout,
        /^session +(\d+) of \1 calls of the last session reached Hookline$/m,
      );
    },
  );
}
