/** A real Claude Code that is told of `hookline mcp`: what its model asks for lies in the store afterwards. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { bin, startClaude } from "./claude-session.ts";
import { real as limits } from "./first-run.ts";

const skip = limits("claude-code").skip;
const real = { skip, timeout: 120_000 };

test(
  "a task that the model makes through hookline mcp is in the project, and a refusal reaches the model",
  real,
  async (t) => {
    const session = await startClaude(t, {
      turns: [
        { calls: [{ tool: "mcp__hookline__task_create", input: { title: "Repair the login test", priority: 5 } }] },
        { calls: [{ tool: "mcp__hookline__task_start", input: { id: "nope" } }] },
        { text: "That is all." },
      ],
    });
    const server = { command: process.execPath, args: [bin, "mcp", "--tools", "task"] };
    await session.write("mcp.json", JSON.stringify({ mcpServers: { hookline: server } }));
    const ended = await session.run({
      allowedTools: "mcp__hookline",
      flags: ["--mcp-config", join(session.repository, "mcp.json"), "--strict-mcp-config"],
    });
    assert.equal(ended.code, 0, ended.stderr);
    const listed = await session.hookline("task", "list", "--json");
    const [task, ...others] = JSON.parse(listed.stdout);
    assert.deepEqual([task.title, task.priority, task.status, others], ["Repair the login test", 5, "DEFINED", []]);
    assert.match(session.heard(1), new RegExp(task.id));
    assert.match(session.heard(2), /no task is called \\+"nope/);
  },
);
