/** Claude Code as it is installed, with a daemon or none, and each client that it may call. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { findBash, findNativeClient } from "../../../src/agents/install/client-programs.ts";
import { clientFile } from "../../../src/agents/install/own-call.ts";
import { bin } from "../../program.ts";
import { goes, isGone } from "../../runtime/processes/gone.ts";
import { type Place, placeFor, type Started, until } from "../daemon/started.ts";
import { type Said, tell } from "./client.ts";

const bash = findBash(process.env);

export const options: { skip: string | false } = {
  skip: bash === undefined ? "this machine has no bash that can run the client" : false,
};

const command = (line: string, more: object = {}): object => ({
  hooks: [{ type: "command", command: line, ...more }],
});

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
      { matcher: "Slow", ...command("echo $$ >> slow.txt; exec sleep 3600", { role: "guard" }) },
    ],
    PostToolUse: [{ matcher: "Slow", ...command("echo $$ >> slow.txt; exec sleep 3600") }],
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

export const tool = (name: string, input: object = {}): Case["payload"] => ({
  hook_event_name: "PreToolUse",
  tool_name: name,
  tool_input: input,
});

export const cases: Record<string, Case> = {
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
export const clients = ["compiled", "shell", "node"] as const;

/** What is begun is ended after it. */
type Lasting = Pick<TestContext, "after">;

export interface Installed {
  place: Place;
  lines: Record<(typeof clients)[number], (event: string) => string>;
  told(line: string, payload: object): Promise<Said>;
}

/** Nothing starts a daemon by itself. */
export function installed(t: Lasting): Installed {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": JSON.stringify(hooks) });
  const environment: Record<string, string> = { ...place.environment, LANG: "C.UTF-8", GREETING: "wörld 'x'" };
  const chosen = findNativeClient() ? /client: hookline-client asks the daemon/ : /client: \S+bash asks the daemon/;
  assert.match(place.hookline("install", "claude-code").stdout, chosen);
  rmSync(join(place.state, "daemon-on-demand"));
  const settings = JSON.parse(place.read("home/.claude/settings.json"));
  return {
    place,
    lines: {
      compiled: (event) => settings.hooks[event][0].hooks[0].command,
      shell: (event) => `exec ${bash} -p "${clientFile(place.state)}" hook claude-code --event ${event} --by user`,
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
export async function endDaemon(state: string): Promise<void> {
  const file = join(state, "daemon.json");
  if (!existsSync(file)) return;
  const { pid } = JSON.parse(readFileSync(file, "utf8"));
  if (!isGone(pid)) process.kill(pid, "SIGKILL");
  assert.ok(await goes(pid));
}

export const eventsOf = async (daemon: Started): Promise<number> => (await daemon.call("/status")).body.activity.events;

/** With its daemon. */
export interface Served extends Installed {
  daemon: Started;
}

export async function served(t: Lasting): Promise<Served> {
  const here = installed(t);
  return { ...here, daemon: await here.place.up() };
}

export async function sayTheSame({ place, lines, told, daemon }: Served, names: readonly string[]): Promise<void> {
  await told(lines.compiled("SessionStart"), { hook_event_name: "SessionStart", source: "startup" });
  const reached = new Set<string>();
  for (const [name, { payload, says, code = 0, alone }] of Object.entries(cases).filter(([one]) =>
    names.includes(one),
  )) {
    const event = (payload as { hook_event_name: string }).hook_event_name; // each case has one
    const said: Said[] = [];
    for (const client of clients) {
      do {
        const before = await eventsOf(daemon);
        said.push(await told(lines[client](event), payload));
        if ((await eventsOf(daemon)) > before) reached.add(client);
      } while (!reached.has(client) && said.length < 100); // on a busy machine it may not be taken in time
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
}

/** Guards block, others let pass, and no hook runs again. */
export async function daemonDies({ place, lines, told, daemon }: Served): Promise<void> {
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
}

/** It holds none of these clients up, and takes nothing up later. */
export async function daemonIsStopped(
  { place, lines, told, daemon }: Served,
  asked: readonly (typeof clients)[number][],
): Promise<void> {
  const before = await eventsOf(daemon);
  daemon.child.kill("SIGSTOP");
  const payload = tool("Once");
  const said = await Promise.all(asked.map((client) => told(lines[client]("PreToolUse"), payload)));
  daemon.child.kill("SIGCONT");
  for (const { code, stderr } of said) assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const other = { session_id: "one", cwd: place.workspace, ...tool("Other") };
  await daemon.call("/hook/claude-code?event=PreToolUse&by=user", { body: other }); // what waited before it has been read by now
  assert.equal(place.read("workspace/once.txt"), "run\n".repeat(asked.length));
  assert.equal(await eventsOf(daemon), before + 1);
}
