/** The part that all of our own files in agents have in common: a line that does not work never costs a session, and never lets a guard's event pass. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { printOwnFile } from "../../src/agents/in-process/own-file.ts";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { pi } from "../../src/agents/pi/adapter.ts";
import { goes } from "../runtime/processes/gone.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const call = (command: string, isGuarded = false): { event: string; command: string } => ({
  event: "PreToolUse",
  command: `set -- hook pi --event PreToolUse --by user${isGuarded ? " --guarded" : ""}; ${command}`,
});

/** What the printed file makes of one line, asked for in both ways. */
async function answers(
  t: TestContext,
  command: string,
  { isGuarded = false, timeout = 60, payload = {}, isAskedAtOnce = true } = {},
) {
  const file = join(temporaryFolder(t), "file.mjs");
  const printed = { mark: "hookline:managed pi", calls: [call(command, isGuarded)] };
  const part = 'import { ask, askAtOnce } from "../in-process/runner.js";\nexport { ask, askAtOnce };\n';
  writeFileSync(file, printOwnFile(part, printed, timeout));
  const { ask, askAtOnce } = await import(file);
  return {
    waited: await ask("PreToolUse", payload, { cwd: "/" }),
    atOnce: isAskedAtOnce ? askAtOnce("PreToolUse", payload, { cwd: "/" }) : undefined,
    none: await ask("Stop", payload, { cwd: "/" }),
  };
}

test("an answer is what the line prints, nothing is nothing, and code 2 refuses with the reason on standard error", async (t) => {
  for (const [command, expected] of [
    ["cat", { a: 1 }],
    ["true", {}],
    ["echo 'not here' >&2; exit 2", { deny: "not here" }],
    ["echo careful >&2", { note: "careful" }],
  ] as const) {
    const { waited, atOnce, none } = await answers(t, command, { payload: { a: 1 } });
    deepEqual([waited, atOnce, none], [expected, expected, {}], command);
  }
});

test("a line that ends strangely or prints rubbish refuses where a guard is active, and passes with a sentence elsewhere", async (t) => {
  for (const command of ["exit 7", "kill -9 $$", "echo rubbish", "echo '[1]'", "no-such-program-of-anybody"]) {
    const guarded = await answers(t, command, { isGuarded: true });
    for (const reply of [guarded.waited, guarded.atOnce]) match(reply.deny, /a guard is active/, command);
    const open = await answers(t, command);
    for (const reply of [open.waited, open.atOnce]) {
      deepEqual(Object.keys(reply), ["note"], command);
      match(reply.note, /does not work/);
    }
  }
});

test("a line that does not answer in time is ended with all that it has started", async (t) => {
  const folder = temporaryFolder(t);
  const pids = join(folder, "pids");
  const { waited, atOnce } = await answers(t, `sh -c 'echo $$ >>${pids}; while :; do sleep 60; done' & wait`, {
    ...{ isGuarded: true, timeout: 1 },
  });
  match(waited.deny, /in time/);
  match(atOnce.deny, /a guard is active/);
  for (const pid of readFileSync(pids, "utf8").split("\n").filter(Boolean)) ok(await goes(Number(pid)), pid);
});

test("what a line leaves behind does not keep its answer", async (t) => {
  const { waited } = await answers(t, "sleep 20 & echo '{}'", { isAskedAtOnce: false });
  deepEqual(waited, {});
});

test("a payload that nobody reads does no harm, and no line of a project can break out of the file", async (t) => {
  const payload = { text: "x".repeat(1_000_000) };
  deepEqual((await answers(t, "true", { payload })).waited, {});
  const folder = temporaryFolder(t);
  const tricky = `echo '{"context":"\`\${1}\` \\\\ \\u2028 */"}'`;
  for (const { name, settings } of [opencode, pi]) {
    ok(settings.editor.is === "owned file");
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, settings.editor.print({ mark: "hookline:managed x", calls: [call(tricky)] }));
    const exported = Object.keys(await import(file));
    equal(exported.length, 1, "OpenCode takes each export for a plugin");
  }
});
