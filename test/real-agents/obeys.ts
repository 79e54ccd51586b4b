/**
 * The contract of every agent: the same hooks, registered through Hookline, and what the real agent makes of them, by effects on disk
 * and by what its model is sent. What was measured is written down on demand; docs/agents.md is made from that.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type TestContext, test } from "node:test";
import { rows } from "./agents.ts";
import { type Claim, claims, type Expected, type Measured, type Results, resultsFile } from "./claims.ts";
import { inAnyVersion } from "./first-run.ts";
import { type AgentName, versionOf, versions } from "./installed.ts";
import { type AgentSession, type Script, startAgent } from "./session.ts";

/** What all agents are to reach; an agent that cannot names the difference. */
const full: Expected = Object.fromEntries(Object.keys(claims).map((claim) => [claim, "enforced"])) as Expected; // by its keys

/** @param differs what this agent does otherwise. unmeasured: what could not be looked at, which the page then says */
export function obeys(name: AgentName, differs: Partial<Expected> = {}, unmeasured: readonly Claim[] = []): void {
  const expected: Expected = { ...full, ...differs };
  const prove = (sentence: string, measure: (t: TestContext) => Promise<Partial<Record<Claim, Measured>>>): void => {
    test(sentence, inAnyVersion(name), async (t) => {
      const measured = await measure(t);
      record(name, measured);
      const wanted = Object.fromEntries(Object.keys(measured).map((claim) => [claim, expected[claim as Claim]])); // its keys are claims
      assert.deepEqual(measured, wanted);
    });
  };
  prove("calls are refused, rewritten and asked about by the same hooks as in every agent", (t) => calls(t, name));
  if (!unmeasured.includes("deny MCP"))
    prove("a call of an MCP server's tool is refused like any other", (t) => serverCalls(t, name));
  if (!unmeasured.includes("deny subagent"))
    prove("a subagent's calls are refused like the session's own", (t) => subagentCalls(t, name));
  prove("a hook answers a request for permission", (t) => permissions(t, name));
  prove("what hooks say reaches the model, and a Stop that is always blocked ends", (t) => words(t, name));
  prove("guards hold when the daemon is killed and when it is stopped, and the session goes on", (t) =>
    daemons(t, name),
  );
  prove("where Hookline is gone a guard's calls are refused, and without guards all pass", (t) => gone(t, name));
}

const is = (holds: boolean): Measured => (holds ? "enforced" : "no");

const print = (event: string, fields: object): string =>
  `printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`;
const command = (line: string, more: object = {}) => ({ hooks: [{ type: "command", command: line, ...more }] });

async function begun(t: TestContext, name: AgentName, script: Script, hooks: object, more = {}): Promise<AgentSession> {
  const session = await startAgent(t, name, script, more);
  await session.write(".hookline/hooks.json", JSON.stringify(hooks, null, 2));
  const installed = await session.hookline("install", name);
  assert.equal(installed.code, 0, installed.stderr);
  return session;
}

async function calls(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const session = await begun(
    t,
    name,
    ({ shell, write, edit }) => ({
      turns: [
        shell("git push origin main; touch pushed"),
        write("secret.txt", "leaked\n"),
        edit("kept.txt", "as it was", "changed"),
        shell("echo plain > before.txt"),
        shell("git tag v1; touch tagged"),
        shell("echo free > free.txt"),
        { text: "That is all." },
      ],
    }),
    {
      deny: ["Bash(git push *)", "write(secret.txt)", "write(kept.txt)"],
      ask: ["Bash(git tag *)"],
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash(echo plain)",
            ...command(
              print("PreToolUse", { updatedInput: { command: "echo other > after.txt", description: "a step" } }),
              {
                role: "guard",
              },
            ),
          },
        ],
      },
    },
  );
  await session.write("kept.txt", "as it was\n");
  const ended = await session.run();
  const said = `${ended.stdout}${ended.stderr}`;
  assert.equal(ended.code, 0, said);
  assert.match(session.heard(1), /git push/, "the model is told what was refused");
  const rewrite: Measured = session.has("after.txt") ? "enforced" : session.has("before.txt") ? "no" : "instead";
  return {
    "deny shell": is(!session.has("pushed")),
    "deny write": is(!session.has("secret.txt")),
    "deny edit": is((await session.read("kept.txt")) === "as it was\n"),
    "goes on": is(session.has("free.txt")),
    rewrite,
    ask: is(!session.has("tagged")),
  };
}

/** The server makes tasks, so a refused call leaves none. */
async function serverCalls(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const { mcp } = rows[name];
  if (!mcp) return { "deny MCP": "none" };
  const make = (title: string) => ({ calls: [{ tool: mcp("task_create"), input: { title } }] });
  const refuses = `if grep -q refused; then echo 'not that one' >&2; exit 2; fi`;
  const session = await begun(
    t,
    name,
    { turns: [make("refused"), make("made"), { text: "That is all." }] },
    { hooks: { PreToolUse: [{ matcher: "mcp__tasks__.*", ...command(refuses, { role: "guard" }) }] } },
    { mcp: true },
  );
  const ended = await session.run({ flags: rows[name].offering ?? [] });
  const tasks: { title: string }[] = JSON.parse((await session.hookline("task", "list", "--json")).stdout);
  const titles = tasks.map(({ title }) => title);
  assert.ok(titles.includes("made"), `${ended.stdout}${ended.stderr}${session.heard(2)}`);
  return { "deny MCP": is(!titles.includes("refused") && session.heard(1).includes("not that one")) };
}

async function subagentCalls(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const { subagent } = rows[name];
  if (!subagent) return { "deny subagent": "none" };
  const session = await begun(
    t,
    name,
    ({ shell }) => ({
      // some agents start it beside the session, which then has to wait
      turns: [
        { calls: [subagent("For the subagent.")] },
        shell("for i in $(seq 300); do [ -e free ] && break; sleep 0.1; done"),
        { text: "That is all." },
      ],
      conversations: [
        {
          opening: /For the subagent/,
          turns: [shell("git push origin main; touch pushed"), shell("touch free"), { text: "I am done." }],
        },
      ],
    }),
    { deny: ["Bash(git push *)"] },
  );
  const ended = await session.run({ flags: rows[name].offering ?? [] });
  assert.ok(session.has("free"), `${ended.stdout}${ended.stderr}${session.heard(1)}`);
  return { "deny subagent": is(!session.has("pushed")) };
}

async function permissions(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const allows = print("PermissionRequest", { decision: { behavior: "allow" } });
  const session = await begun(
    t,
    name,
    ({ shell }) => ({ turns: [shell("touch permitted"), { text: "That is all." }] }),
    { hooks: { PermissionRequest: [command(`touch asked; ${allows}`)] } },
  );
  await session.run({ allow: rows[name].hooksOnly ?? [] });
  return { permission: session.has("asked") ? is(session.has("permitted")) : "none" };
}

async function words(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const session = await begun(
    t,
    name,
    ({ shell }) => ({ turns: [shell("echo one"), { text: "I am done." }], endText: "I am done again." }),
    {
      hooks: {
        SessionStart: [command(print("SessionStart", { additionalContext: "word-of-the-start" }))],
        UserPromptSubmit: [command(print("UserPromptSubmit", { additionalContext: "word-of-the-prompt" }))],
        PostToolUse: [
          { matcher: "Bash", ...command(print("PostToolUse", { additionalContext: "word-of-the-result" })) },
        ],
        Stop: [command("echo stop >> stops.txt; echo 'the tests do not pass' >&2; exit 2")],
      },
    },
  );
  await session.run();
  const stops = session.has("stops.txt") ? (await session.read("stops.txt")).trim().split("\n").length : 0;
  const asked = session.model.conversation().length;
  return {
    "context at start": is(session.heard(0).includes("word-of-the-start")),
    "context of a prompt": is(session.heard(0).includes("word-of-the-prompt")),
    "context of a result": is(session.heard(1).includes("word-of-the-result")),
    // one request for the call, one for the first end, and one for each continuation
    stop: is(stops === 4 && asked === 5),
  };
}

/** Where the daemon says its process id: the fourth word. */
const daemonPid = `$(cut -d' ' -f4 "$HOME/.local/state/hookline/daemon.address")`;

async function daemons(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const measured: Partial<Record<Claim, Measured>> = {};
  for (const [claim, signal] of [
    ["daemon killed", "KILL"],
    ["daemon stopped", "STOP"],
  ] as const) {
    const session = await begun(
      t,
      name,
      ({ shell }) => ({
        turns: [
          shell("sh ./signal.sh && touch signalled"),
          shell("git push origin main; touch pushed"),
          shell("touch free"),
          { text: "That is all." },
        ],
      }),
      { deny: ["Bash(git push *)"] },
      { daemon: true },
    );
    // in a script: some agents look at what their model kills
    await session.write("signal.sh", `kill -${signal} ${daemonPid}\n`);
    assert.equal((await session.hookline("up", "--background")).code, 0);
    const ended = await session.run();
    assert.ok(session.has("signalled"), `${ended.stdout}${ended.stderr}`);
    measured[claim] = is(ended.code === 0 && !session.has("pushed") && session.has("free"));
    await session.hookline("down");
  }
  return measured;
}

/** A package of its own, which then goes. */
async function gone(t: TestContext, name: AgentName): Promise<Partial<Record<Claim, Measured>>> {
  const measured: Partial<Record<Claim, Measured>> = {};
  for (const [claim, hooks] of [
    ["Hookline gone", { deny: ["Bash(git push *)"] }],
    ["Hookline gone, no guard", {}],
  ] as const) {
    const session = await startAgent(
      t,
      name,
      ({ shell }) => ({ turns: [shell("touch called"), { text: "That is all." }] }),
      { ownPackage: true },
    );
    // the built-in guard is one, too
    if (claim === "Hookline gone, no guard")
      await session.writeAtHome(".config/hookline/config.yaml", "self_protection: false\n");
    await session.write(".hookline/hooks.json", JSON.stringify(hooks));
    const installed = await session.hookline("install", name);
    assert.equal(installed.code, 0, installed.stderr);
    await session.loseHookline();
    await session.run();
    const called = session.has("called");
    measured[claim] = is(claim === "Hookline gone" ? !called : called);
  }
  return measured;
}

// What was measured, for the page: only on demand, so that a test run changes no file.

function record(agent: AgentName, measured: Partial<Record<Claim, Measured>>): void {
  if (process.env.HOOKLINE_AGENT_RESULTS !== "write") return;
  const file = resultsFile(agent, versions);
  const before: Partial<Results> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const results: Results = {
    agent,
    version: versionOf(agent),
    date: new Date().toISOString().slice(0, 10),
    claims: { ...before.claims, ...measured },
    ...(before.newEvents && { newEvents: before.newEvents }),
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
