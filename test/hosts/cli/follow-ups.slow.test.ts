/** Several processes that want one follow-up at once. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bin } from "../../program.ts";
import type { CommandAnswer as Said } from "../../standing-command.ts";
import { command, scratchWith } from "./follow-ups-place.ts";

test("[B32] two who want the same task at once: it is made once", async (t) => {
  const { environment, hookline, run, workspace } = scratchWith(t, [
    { kind: "create_task", payload: { title: "Fix the build" } },
  ]);
  const ends = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const words = [bin, "follow-ups", "run", run];
      const [code] = await once(
        spawn(process.execPath, words, { cwd: workspace, env: environment, stdio: "ignore" }),
        "exit",
      );
      return code;
    }),
  );
  assert.deepEqual(ends.toSorted(), [0, 1, 1]);
  assert.equal(JSON.parse(hookline("task", "list", "--json").stdout).length, 1);
});

test("[B32] two who want the same command at once: one runs it", async (t) => {
  const { environment, run, workspace } = scratchWith(t, [command("echo x >> times; sleep 0.3")]);
  const ends = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const words = [bin, "follow-ups", "run", run, "--yes"];
      const [code] = await once(
        spawn(process.execPath, words, { cwd: workspace, env: environment, stdio: "ignore" }),
        "exit",
      );
      return code;
    }),
  );
  assert.deepEqual(ends.toSorted(), [0, 1, 1, 1]);
  assert.equal(readFileSync(join(workspace, "times"), "utf8"), "x\n");
});

const openFile = (path: string, more: object = {}): object => ({ kind: "open_file", payload: { path, ...more } });

const terminalMaker = ["/usr/bin/script", "/bin/script"].find((path) => {
  try {
    accessSync(path);
    return process.platform === "linux";
  } catch {
    return false; // not here
  }
});

test("[B32] on a terminal the person is asked, and a file opens in the editor at its line", {
  skip: terminalMaker ? false : "nothing here makes a terminal",
}, (t) => {
  const { environment, list, run, workspace } = scratchWith(t, [
    command("touch happened"),
    openFile("src/a b.ts", { line: 3 }),
  ]);
  const editor = join(workspace, "nano");
  writeFileSync(editor, `#!/bin/sh\nprintf '%s\\n' "$@" > ${workspace}/edited\n`, { mode: 0o755 });
  const onTerminal = (input: string, ...words: string[]): Said => {
    const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" ");
    const env = { ...environment, VISUAL: `${editor} --quiet`, TERM: "xterm", SHELL: "/bin/sh" };
    return spawnSync(terminalMaker ?? "", ["-qec", line, "/dev/null"], {
      cwd: workspace,
      env,
      input,
      encoding: "utf8",
    });
  };
  const declined = onTerminal("n\n", "follow-ups", "run", `${run}.1`);
  assert.equal(declined.status, 1, declined.stdout);
  assert.deepEqual([existsSync(join(workspace, "happened")), list().length], [false, 2]);
  const agreed = onTerminal("y\n", "follow-ups", "run", `${run}.1`);
  assert.equal(agreed.status, 0, agreed.stdout);
  assert.equal(existsSync(join(workspace, "happened")), true);
  assert.equal(onTerminal("", "follow-ups", "run", `${run}.2`).status, 0);
  assert.equal(readFileSync(join(workspace, "edited"), "utf8"), `--quiet\n+3\n${join(workspace, "src/a b.ts")}\n`);
  assert.deepEqual(list(), []);
});
