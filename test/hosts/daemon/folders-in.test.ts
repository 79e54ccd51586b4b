/** Folders that events name: what no system takes is refused at each door, and no folder of one event ends the daemon. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { sharedHosted } from "./hosted.ts";

const shared = sharedHosted();

const withNul = "/x\u0000y";

async function overSocket(path: string, line: string): Promise<string> {
  const socket = connect(path);
  await once(socket, "connect");
  socket.end(`${line}\n`);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test("a folder with NUL is refused at every door, one event or many, and the daemon goes on", async () => {
  const { call, daemon, token, port } = await shared();
  const sent = { event: "a.b", cwd: withNul };
  const lines = (line: string): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
      body: `${line}\n`,
    }).then((answer) => answer.text());
  const socket = join(daemon.home, "..", "daemon.sock");
  const answers = [
    JSON.stringify((await call("/events", { body: sent })).body),
    JSON.stringify((await call("/events", { body: [sent] })).body),
    await lines(JSON.stringify(sent)),
    await overSocket(socket, JSON.stringify(sent)),
  ];
  for (const answer of answers) assert.match(answer, /"parameters_invalid".*cwd needs an absolute path .* without NUL/);
  const session = await call("/events", { body: { event: "a.b", session: "a\u0000b" } });
  assert.match(session.body.error.message, /session needs text .* without NUL/);
  assert.equal((await call("/events", { body: { event: "a.b\u0000" } })).status, 400);
  const operation = await call("/operations/project_create", { body: { name: "p", workspace: withNul } });
  assert.match(JSON.stringify(operation.body), /is no folder/);
  assert.equal((await call("/events", { body: { event: "a.b" } })).status, 200);
});

test("an event of a folder that is not there, or that nobody can look at, is taken as any other", async () => {
  const { call, daemon } = await shared();
  const loop = join(daemon.home, "..", "loop");
  symlinkSync("loop", loop);
  for (const cwd of [`/${"a".repeat(300)}`, `/${"\u3042".repeat(2_000)}`, "/dev/null/in"]) {
    const { status, body } = await call("/events", { body: { event: "a.b", cwd } });
    assert.deepEqual([status, body.outcome], [200, {}], cwd);
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    };
    const judged = await call("/hook/claude-code?event=PreToolUse&by=user", { body: { ...payload, cwd } });
    assert.deepEqual([judged.status, judged.body], [200, undefined], cwd);
  }
  assert.equal((await call("/events", { body: { event: "a.b", cwd: join(loop, "in") } })).status, 200);
});
