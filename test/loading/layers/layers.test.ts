/** What a project's files once could do to the hooks of the user, one by one (R29, SAFETY D2 and T4). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isGuard } from "../../../src/engine/hook.ts";
import { type Files, world } from "./world.ts";

const command = (line: string, more: object = {}): object => ({ type: "command", command: line, ...more });
const settings = (...handlers: object[]): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: handlers }] } });
const mine = "home/.config/hookline/hooks.json";
const theirs = "home/project/.hookline/hooks.json";

test("[R29, R36, R6] a project's copy of a guard does not answer for it: after a rewrite the guard itself is asked", async (t) => {
  const { load, decide } = await world(t);
  const line = "answer deny if danger";
  const files: Files = {
    [mine]: settings(command(line, { role: "guard" })),
    [theirs]: settings(
      command(line, { role: "guard", priority: 0, if: "Bash(*harmless*)" }),
      command("answer rewrite if always to danger", { priority: 1 }),
    ),
  };
  const { outcome, command: input } = await decide(await load(files, true), "harmless", "test");
  assert.equal(outcome.verdict?.is, "deny", input);
});

test("[R36, R6] of two of the user's hooks with one command the second is asked where a rewrite leaves only its condition", async (t) => {
  const { load, decide } = await world(t);
  const line = "answer deny if danger";
  const files: Files = {
    [mine]: settings(
      command(line, { role: "guard", if: "Bash(*harmless*)" }),
      command(line, { role: "guard", if: "Bash(*)" }),
    ),
    [theirs]: settings(command("answer rewrite if always to danger")),
  };
  const { outcome } = await decide(await load(files, true), "harmless", "test");
  assert.equal(outcome.verdict?.is, "deny");
});

test("[R36] a hook in the user's file and in a project's still runs once where the user's comes first", async (t) => {
  const { load, decide } = await world(t);
  const { ran } = await decide(
    await load(
      {
        [mine]: settings(command("answer nothing if always")),
        [theirs]: settings(command("answer nothing if always")),
      },
      true,
    ),
    "harmless",
    "test",
  );
  assert.equal(ran.size, 1);
});

test("[R29] behind a project's deny the user's hooks run, and the project's own do not", async (t) => {
  const { load, decide } = await world(t);
  const files: Files = {
    [mine]: settings(
      command("answer nothing if danger", { name: "log" }),
      command("answer stop if always", { role: "guard" }),
    ),
    [theirs]: settings(
      command("answer deny if always", { priority: 0 }),
      command("answer nothing if always", { name: "own" }),
    ),
  };
  const { outcome, ran } = await decide(await load(files, true), "harmless", "test");
  assert.equal(outcome.verdict?.is, "deny");
  assert.ok(outcome.stop);
  assert.deepEqual([...ran.values()].map(({ hookName }) => hookName).includes("log"), true);
  assert.deepEqual([...ran.values()].map(({ hookName }) => hookName).includes("own"), false);
});

const automation = (id: string): string =>
  `id: ${id}\nname: ${id}\ntrigger: { type: event, event_type: build.finished }\nsteps:\n  - { type: run_command, command: "true" }\n`;
const automations: Files = {
  "home/.config/hookline/automations/mine.yaml": automation("mine"),
  "home/project/.hookline/automations/theirs.yaml": automation("theirs"),
};
const enabledIn = async (t: Parameters<typeof world>[0], files: Files): Promise<Record<string, boolean>> => {
  const { load } = await world(t);
  const { set } = await load({ ...automations, ...files }, true);
  return Object.fromEntries(set.hooks.map(({ name, enabled }) => [name, enabled]));
};

test("[R29, A53] hook_engine.enabled of a project switches its own automations off, and the user's go on", async (t) => {
  const files = { "home/project/hookline.yaml": "hook_engine: { enabled: false }\n" };
  assert.deepEqual(await enabledIn(t, files), { mine: true, theirs: false });
});

test("[R29, A53] what the user's own file switches off, no project switches on", async (t) => {
  const files = {
    "home/.config/hookline/config.yaml": "hook_engine: { enabled: false }\n",
    "home/project/hookline.yaml": "hook_engine: { enabled: true }\n",
  };
  assert.deepEqual(await enabledIn(t, files), { mine: false, theirs: false });
});

test("[R35, R29] a project's link to a hook file of the user's does not make it one that the agent runs itself", async (t) => {
  const { load, decide } = await world(t);
  const rules = "home/.config/hookline/rules/mine.yaml";
  const files: Files = {
    [rules]:
      "hooks:\n  - { id: no, on: tool_start, condition: { type: always }, action: { type: gate, reason: no } }\n",
    "home/project/.claude/settings.json": { link: rules },
  };
  const { outcome } = await decide(await load(files, false), "harmless", "claude-code");
  assert.equal(outcome.verdict?.is, "deny");
});

test("[R29] a trusted file of .gen replaces the user's hooks of an event, and leaves guards and managed ones", async (t) => {
  const { load } = await world(t);
  const files: Files = {
    "home/.gen/settings.json": settings(command("plain"), command("careful", { role: "guard" })),
    "managed/hookline/hooks.json": settings(command("managed")),
    "home/project/.gen/settings.json": JSON.stringify({ hooks: { PreToolUse: [] } }),
  };
  const { set } = await load(files, true);
  assert.deepEqual(
    set.hooks.map(({ name, ...hook }) => [name, isGuard({ ...hook })]),
    [
      ["managed", false],
      ["careful", true],
    ],
  );
});
