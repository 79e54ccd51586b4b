/** Real agents' tellings to a real daemon: every way says the same, and a daemon that stops or dies costs no verdict and runs nothing twice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { findNativeClient } from "../../../src/agents/install/native-client.ts";
import { clientFile } from "../../../src/agents/install/own-call.ts";
import { findBash } from "../../../src/agents/install/shell-client.ts";
import { bin } from "../../program.ts";
import { goes, isGone } from "../../runtime/processes/gone.ts";
import { type Place, placeFor, type Started, until } from "../daemon/started.ts";
import { type Said, tell } from "./client.ts";

const bash = findBash(process.env);
const options = {
  skip: bash === undefined ? "this machine has no bash that can run the client" : false,
  timeout: 120_000,
};

const command = (line: string, more: object = {}): object => ({ hooks: [{ type: "command", command: line, ...more }] });
const hooks = {
  hooks: {
    PreToolUse: [
      { matcher: "Deny", ...command("echo 'not that: ä' >&2; exit 2", { role: "guard" }) },
      {
        matcher: "Ask",
        ...command(`echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`),
      },
      { matcher: "Rewrite", ...command(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls ü"}}}'`) },
      {
        matcher: "Large",
        ...command(
          `node -e 'let text="";process.stdin.setEncoding("utf8").on("data",(part)=>text+=part).on("end",()=>console.log(JSON.stringify({systemMessage:String(JSON.parse(text).tool_input.content.length)})))'`,
        ),
      },
      {
        matcher: "Once",
        ...command("echo run >> once.txt", { role: "guard" }),
      },
      { matcher: "Slow", ...command("echo $$ >> slow.txt; exec sleep 60", { role: "guard" }) },
    ],
    PostToolUse: [{ matcher: "Slow", ...command("echo $$ >> slow.txt; exec sleep 60") }],
    UserPromptSubmit: [command('echo "$GREETING in $PWD"')],
    PreCompact: [
      { matcher: "manual", ...command("echo not now >&2; exit 2", { role: "guard" }) },
      { matcher: "binary", ...command("printf 'not \\0now' >&2; exit 2", { role: "guard" }) },
      {
        matcher: "binary text",
        ...command(`echo '{"hookSpecificOutput":{"additionalContext":"keep\\u0000 the plan"}}'`),
      },
      { matcher: "auto", ...command(`echo '{"hookSpecificOutput":{"additionalContext":"keep the plan"}}'`) },
    ],
  },
};

interface Case {
  payload: object;
  /** What every way has to say; else only that it is the same. */
  says?: RegExp;
  code?: 2;
  /** Compared with the command alone too, which takes most of the time. */
  alone?: true;
}
const tool = (name: string, input: object = {}): Case["payload"] => ({
  hook_event_name: "PreToolUse",
  tool_name: name,
  tool_input: input,
});
const cases: Record<string, Case> = {
  "a deny": { payload: tool("Deny"), says: /"deny","permissionDecisionReason":"not that: ä"/, alone: true },
  "a question": { payload: tool("Ask"), says: /"ask"/ },
  "a rewritten input": { payload: tool("Rewrite", { command: "ls" }), says: /"ls ü"/ },
  "no hook": { payload: tool("Other"), says: /^$/ },
  "a payload of 1 MB": { payload: tool("Large", { content: "ö".repeat(600_000) }), says: /"600000"/ },
  "plain text with a variable and the folder": {
    payload: { hook_event_name: "UserPromptSubmit", prompt: "hi" },
    says: /wörld 'x' in .*workspace/,
    alone: true,
  },
  "a refusal by exit code": {
    payload: { hook_event_name: "PreCompact", trigger: "manual" },
    says: /not now/,
    code: 2,
    alone: true,
  },
  "a refusal with a NUL byte, which no shell can hold": {
    payload: { hook_event_name: "PreCompact", trigger: "binary" },
    says: /not \\u0000now/,
    code: 2,
    alone: true,
  },
  "a text with a NUL byte": {
    payload: { hook_event_name: "PreCompact", trigger: "binary text" },
    says: /^keep\\u0000 the plan$/,
    alone: true,
  },
  "a text for the summary": { payload: { hook_event_name: "PreCompact", trigger: "auto" }, says: /^keep the plan$/ },
};

/** The first is what install registers, where this machine can run it. */
const clients = ["compiled", "shell", "node"] as const;

/** Nothing starts a daemon by itself. */
function installed(t: TestContext): {
  place: Place;
  lines: Record<(typeof clients)[number], (event: string) => string>;
  told(line: string, payload: object): Promise<Said>;
} {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": JSON.stringify(hooks) });
  const environment: Record<string, string> = { ...place.environment, LANG: "C.UTF-8", GREETING: "wörld 'x'" };
  const chosen = findNativeClient() ? /client: hookline-client asks the daemon/ : /client: \S+bash asks the daemon/;
  assert.match(place.hookline("install", "claude-code").stdout, chosen);
  rmSync(join(environment.XDG_STATE_HOME ?? "", "hookline", "daemon-on-demand"));
  const settings = JSON.parse(readFileSync(join(place.environment.HOME ?? "", ".claude", "settings.json"), "utf8"));
  return {
    place,
    lines: {
      compiled: (event) => settings.hooks[event][0].hooks[0].command,
      shell: (event) =>
        `exec ${bash} -p "${clientFile(join(environment.XDG_STATE_HOME ?? "", "hookline"))}" hook claude-code --event ${event} --by user`,
      node: (event) => `exec "${process.execPath}" "${bin}" hook claude-code --event ${event} --by user`,
    },
    told: (line, payload) =>
      tell(t, line, {
        cwd: place.workspace,
        environment,
        payload: JSON.stringify({ session_id: "one", cwd: place.workspace, ...payload }),
      }),
  };
}

/** One that no test has started itself. */
async function endDaemon(state: string): Promise<void> {
  const file = join(state, "daemon.json");
  if (!existsSync(file)) return;
  const { pid } = JSON.parse(readFileSync(file, "utf8"));
  if (!isGone(pid)) process.kill(pid, "SIGKILL");
  assert.ok(await goes(pid));
}

const eventsOf = async (daemon: Started): Promise<number> => (await daemon.call("/status")).body.activity.events;

test(
  "[R60] every client, the command with and without the daemon, and HTTP say the same of an event, byte by byte",
  options,
  async (t) => {
    const { place, lines, told } = installed(t);
    const daemon = await place.up();
    await told(lines.compiled("SessionStart"), { hook_event_name: "SessionStart", source: "startup" });
    const reached = new Set<string>();
    for (const [name, { payload, says, code = 0, alone }] of Object.entries(cases)) {
      const event = (payload as { hook_event_name: string }).hook_event_name; // each case has one
      const said: Said[] = [];
      for (const client of clients) {
        const before = await eventsOf(daemon);
        said.push(await told(lines[client](event), payload));
        if ((await eventsOf(daemon)) > before) reached.add(client); // on a busy machine it may not be taken in time
      }
      if (alone) said.push(await told(`export HOOKLINE_DAEMON=off; ${lines.node(event)}`, payload));
      const [first, ...others] = said;
      assert.ok(first);
      assert.equal(first.code, code, name);
      if (says) assert.match(first.code === 2 ? first.stderr : first.stdout.trimEnd(), says, name);
      for (const other of others) assert.deepEqual(other, first, name);
      if (event === "PreCompact") continue; // it cannot be said over HTTP, so it stays a command
      const body = { session_id: "one", cwd: place.workspace, ...payload };
      const http = await daemon.call(`/hook/claude-code?event=${event}&by=user`, { body });
      assert.deepEqual(http.body, first.stdout === "" ? undefined : JSON.parse(first.stdout), name);
    }
    assert.deepEqual(reached, new Set(clients));
  },
);

test("[F27, R60] a daemon that is stopped holds no agent up, and takes nothing up later", options, async (t) => {
  const { place, lines, told } = installed(t);
  const daemon = await place.up();
  daemon.child.kill("SIGSTOP");
  const payload = tool("Once");
  const said = await Promise.all(clients.map((client) => told(lines[client]("PreToolUse"), payload)));
  daemon.child.kill("SIGCONT");
  for (const { code, stderr } of said) assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const other = { session_id: "one", cwd: place.workspace, ...tool("Other") };
  await daemon.call("/hook/claude-code?event=PreToolUse&by=user", { body: other }); // what waited before it has been read by now
  assert.equal(readFileSync(join(place.workspace, "once.txt"), "utf8"), "run\n".repeat(clients.length));
  assert.equal(await eventsOf(daemon), 1);
});

test(
  "[F27, R60] a daemon that is stopped for long holds no agent up either: connections to it are a queue that fills",
  options,
  async (t) => {
    const { place, lines, told } = installed(t);
    const daemon = await place.up();
    daemon.child.kill("SIGSTOP");
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => void socket.destroy()));
    const connects = async (): Promise<boolean> => {
      const socket = connect(daemon.port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      return await Promise.race([once(socket, "connect").then(() => true), wait(1_000, false)]);
    };
    while (await connects()) assert.ok(sockets.length < 10_000, "the queue has an end");
    for (const client of ["compiled", "shell"] as const) {
      const said = await Promise.race([
        told(lines[client]("PreToolUse"), tool("Deny")),
        wait(60_000, undefined, { ref: false }),
      ]);
      assert.match(said?.stdout ?? "nothing was said", /"deny"/, client);
    }
  },
);

test(
  "[F1, R60] a daemon that dies after it has taken an event: guards block, others let pass, and no hook runs again",
  options,
  async (t) => {
    const { place, lines, told } = installed(t);
    const daemon = await place.up();
    const slow = { tool_name: "Slow", tool_input: {} };
    const log = join(place.workspace, "slow.txt");
    const runs = (): number => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
    const waiting: Promise<Said>[] = [];
    for (const client of clients) {
      for (const event of ["PreToolUse", "PostToolUse"]) {
        await told(lines.compiled(event), { hook_event_name: event, tool_name: "Other", tool_input: {} }); // it knows the hooks then
        waiting.push(told(lines[client](event), { hook_event_name: event, ...slow }));
        await until(() => runs() === waiting.length || undefined, "a hook that runs");
      }
    }
    daemon.child.kill("SIGKILL");
    const said = await Promise.all(waiting);
    const [guard, other] = said;
    for (const pid of readFileSync(log, "utf8").split("\n").map(Number))
      if (pid > 0 && !isGone(pid)) process.kill(pid, "SIGKILL"); // where nothing has ended them with their daemon
    assert.match(guard?.stderr ?? "", /stopped before it answered.*a guard is active/);
    assert.match(other?.stderr ?? "", /stopped before it answered/);
    for (const [index, one] of said.entries())
      assert.deepEqual(one, {
        code: index % 2 === 0 ? 2 : 0,
        stdout: "",
        stderr: (index % 2 === 0 ? guard : other)?.stderr,
      });
    assert.equal(runs(), 2 * clients.length);
    assert.equal((await told(lines.compiled("PreToolUse"), tool("Deny"))).code, 0, "the next is judged without it");
  },
);

test(
  "[R60, F27] a daemon that a client has started and that is stopped is replaced by the next event's client",
  options,
  async (t) => {
    let state = "";
    t.after(() => endDaemon(state)); // before its folder goes
    const { place, lines, told } = installed(t);
    state = join(place.environment.XDG_STATE_HOME ?? "", "hookline");
    place.hookline("install", "claude-code");
    const address = join(state, "daemon.address");
    const pidOf = (): number => Number(existsSync(address) ? readFileSync(address, "utf8").split(" ")[3] : 0);
    await told(lines.shell("PreToolUse"), tool("Deny"));
    const first = await until(() => pidOf() || undefined, "a daemon");
    process.kill(first, "SIGSTOP");
    rmSync(join(state, "daemon-started"), { force: true }); // as if it had been started long ago
    assert.match((await told(lines.shell("PreToolUse"), tool("Deny"))).stdout, /not that/, "judged without it");
    const second = await until(() => (pidOf() !== first && pidOf()) || undefined, "another daemon");
    assert.notEqual(second, first);
    await until(() => isGone(first) || undefined, "the end of the stopped one");
  },
);

test(
  "[R60] where install has allowed it, the first event without a daemon starts one for the next, which it finds",
  options,
  async (t) => {
    let state = "";
    t.after(() => endDaemon(state)); // before its folder goes
    const { place, lines, told } = installed(t);
    state = join(place.environment.XDG_STATE_HOME ?? "", "hookline");
    assert.match(place.hookline("install", "claude-code").stdout, /nothing to do/);
    const first = await told(lines.compiled("PreToolUse"), tool("Deny"));
    assert.match(first.stdout, /not that/);
    const address = join(state, "daemon.address");
    await until(() => existsSync(address) || undefined, "a daemon");
    const [port, token] = readFileSync(address, "utf8").split(" ");
    const statusOf = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`http://127.0.0.1:${port}/status`, { headers });
      return ((await response.json()) as { activity: { events: number } }).activity.events; // the status has it
    };
    await until(async () => {
      assert.deepEqual(await told(lines.compiled("PreToolUse"), tool("Deny")), first);
      return (await statusOf()) > 0 || undefined; // on a busy machine it may not be taken in time
    }, "an event that the daemon takes");
  },
);
