#!/usr/bin/env node
// Blocks pushes. One process for all events of a project: a line of JSON in, a line of JSON out.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, event } = JSON.parse(line);
  const blocks = event.tool_input?.command?.includes("git push");
  const answer = blocks ? { id, exit: 2, stderr: "a person pushes" } : { id };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
