/** What hooks do to a real OpenCode: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { rows } from "./agents.ts";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { alwaysBlocking, refusesPrompts } from "./in-process.ts";
import { findAgent } from "./installed.ts";
import { obeys } from "./obeys.ts";
import { type Hooks, startAgent } from "./session.ts";

const name = "opencode";
runsByItself(name);
isCovered(name);
// its run ends at the first stop: see below for the server
obeys(name, { stop: "no", permission: "none" });
refusesPrompts(name);

const answers = [1, 2, 3, 4, 5].map((turn) => ({ text: `Answer ${turn}.` }));

test(
  "opencode run cannot be held at its stop: the hook runs once, and its words reach the person",
  real(name),
  async (t) => {
    const session = await startAgent(t, name, { turns: answers });
    await session.register(alwaysBlocking);
    const { code, stderr } = await session.run();
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not yet/);
    assert.equal(await session.read("stops.txt"), "x\n");
    assert.equal(session.model.conversation().length, 1);
    assert.equal(session.has(".opencode"), false, "it would install its package there");
  },
);

test("in a server, a hook that denies every stop makes it go on three times, then it ends", real(name), async (t) => {
  const session = await startAgent(t, name, { turns: answers });
  await session.register(alwaysBlocking);
  await session.run({ flags: ["--help"] }); // nothing but what goes before each run
  const found = findAgent(name);
  if ("missing" in found) throw new Error(found.missing);
  const environment = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: session.home,
    HOOKLINE_DAEMON: "off",
    ...rows[name].environment({ home: session.home, repository: session.repository, temporary: "", model: "" }),
  };
  const server = spawn(found.program, [...found.before, "serve", "--port", "0"], {
    ...{ cwd: session.repository, env: environment, stdio: ["ignore", "pipe", "inherit"], detached: true },
  });
  t.after(() => server.exitCode === null && server.signalCode === null && process.kill(-Number(server.pid), "SIGKILL"));
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(url + path, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    });
    assert.equal(answer.ok, true, path);
    return answer.json();
  };
  const { id } = Object(await post("/session", {}));
  await post(`/session/${id}/message`, { parts: [{ type: "text", text: "Begin." }] });
  for (let number = 2; number <= 4; number++) await session.model.arrival(number);
  while ((await session.hookline("runs", "--event", "Stop", "--json")).stdout.split('"event"').length - 1 < 4);
  server.kill();
  await once(server, "close");
  assert.equal(await session.read("stops.txt"), "x\n".repeat(4));
  assert.equal(session.model.conversation().length, 4);
  assert.match(session.heard(3), /not yet/);
});

test(
  "a subagent's calls are judged and name it, it hears what its start is told, and its end is heard of",
  real(name),
  async (t) => {
    const task = { description: "look", prompt: "Look around, subagent.", subagent_type: "general" };
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [{ calls: [{ tool: "task", input: task }] }, { text: "That is all." }],
      conversations: [
        { opening: /Look around, subagent/, turns: [shell("touch pushed; git push"), { text: "I looked." }] },
      ],
    }));
    const answer = {
      hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "told to the subagent" },
    };
    const keeps = (file: string, rest = "true"): Hooks[string] => [
      { hooks: [{ type: "command", command: `cat >>"$PWD/${file}"; ${rest}` }] },
    ];
    await session.register({
      SubagentStart: keeps("started.json", `echo '${JSON.stringify(answer)}'`),
      SubagentStop: keeps("ended.json"),
      Stop: keeps("stopped.json"),
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [{ type: "command", command: 'cat >>"$PWD/called.json"; echo "no shell" >&2; exit 2' }],
        },
      ],
    });
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, stdout + stderr);
    const started = JSON.parse(await session.read("started.json"));
    const called = JSON.parse(await session.read("called.json"));
    const ended = JSON.parse(await session.read("ended.json"));
    assert.equal(started.agent_type, "general");
    assert.deepEqual([called.agent_id, ended.agent_id], [started.agent_id, started.agent_id]);
    assert.deepEqual([called.session_id, ended.session_id], [started.session_id, started.session_id]);
    assert.notEqual(started.session_id, started.agent_id);
    assert.equal(JSON.parse(await session.read("stopped.json")).session_id, started.session_id);
    assert.equal(session.has("pushed"), false);
    const bodies = session.model.conversation().map(({ body }) => JSON.stringify(body));
    assert.ok(bodies.some((body) => body.includes("told to the subagent") && body.includes("no shell")));
  },
);

test(
  "what a hook says before the context is compacted reaches the model that makes the summary",
  real(name),
  async (t) => {
    const session = await startAgent(t, name, ({ shell }) => ({
      turns: [{ ...shell("touch made"), inputTokens: 250_000 }, { text: "That is all." }],
    }));
    const command = `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreCompact", additionalContext: "keep the ticket number" } })}'`;
    await session.register({ PreCompact: [{ hooks: [{ type: "command", command }] }] });
    const { code, stdout, stderr } = await session.run();
    assert.equal(code, 0, stdout + stderr);
    assert.ok(
      session.model.requests.some(({ body }) => JSON.stringify(body)?.includes("keep the ticket number")),
      stdout + stderr,
    );
  },
);

test("a project's own file guards who starts OpenCode in a folder below it", real(name), async (t) => {
  const session = await startAgent(t, name, ({ shell }) => ({
    turns: [shell("touch pushed; git push"), shell("touch allowed"), { text: "That is all." }],
  }));
  const hooks = [{ type: "command", command: "echo 'nobody pushes' >&2; exit 2", role: "guard" }];
  await session.write(
    ".hookline/hooks.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash(git push*)", hooks }] } }),
  );
  assert.equal((await session.hookline("install", name, "--layer", "project")).code, 0);
  await session.write("below/it/file", "");
  const { code, stdout, stderr } = await session.run({ flags: ["--dir", join(session.repository, "below", "it")] });
  assert.equal(code, 0, stdout + stderr);
  assert.equal(session.has("below/it/pushed"), false, session.heard(1));
  assert.match(session.heard(1), /nobody pushes/);
  assert.equal(session.has("below/it/allowed"), true, session.heard(2));
});
