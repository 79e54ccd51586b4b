/** Scripts as people write them, through the command that agents call and through the library: everything is wired. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createHookline } from "../../../src/index.ts";
import { bin, codeCache, runCommand } from "../../program.ts";
import { isRunning } from "../../runtime/processes/running.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Place {
  workspace: string;
  home: string;
  state: string;
  /** What the command says. */
  hook(event: string, data?: object): string;
  /** The same in a process of its own. */
  start(event: string): Promise<string>;
}

function placeWith(t: TestContext, scripts: Readonly<Record<string, { says: string; does: string }>>): Place {
  const top = temporaryFolder(t);
  const [workspace, home] = [join(top, "workspace"), join(top, "home")];
  mkdirSync(home);
  for (const [name, { says, does }] of Object.entries(scripts)) {
    const file = join(workspace, name);
    mkdirSync(dirname(file), { recursive: true });
    const lines = says.split("; ").map((line) => `# ${line}\n`);
    writeFileSync(file, `#!/bin/sh\n#---\n${lines.join("")}#---\n${does}\n`, { mode: 0o755 });
  }
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
  };
  const payload = (event: string, data: object = {}): string =>
    JSON.stringify({ session_id: "s1", cwd: workspace, hook_event_name: event, ...data });
  return {
    workspace,
    home,
    state: join(home, ".local/state/hookline"),
    hook(event, data) {
      const words = ["hook", "claude-code", "--event", event];
      return runCommand(words, { cwd: workspace, environment, input: payload(event, data) }).stdout;
    },
    start: (event) =>
      new Promise((resolve, reject) => {
        const words = [bin, "hook", "claude-code", "--event", event];
        const child = spawn(process.execPath, words, {
          cwd: workspace,
          env: environment,
          stdio: ["pipe", "pipe", "inherit"],
        });
        let said = "";
        child.stdout.on("data", (chunk) => void (said += chunk));
        child.once("error", reject).once("close", () => resolve(said));
        child.stdin.end(payload(event));
      }),
  };
}

async function appears(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text !== "") return text;
    await pause(25);
  }
}

test("[E10, E16, E19, E53] through the command: session scripts before the turn and after it, logs, summary, statuses", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/setup.sh": { says: "type: session", does: "echo setting up" },
    ".discobot/hooks/later.sh": { says: "type: session; blocking: false", does: "echo later" },
  });
  place.hook("SessionStart", { source: "startup" });
  assert.equal(readFileSync(join(place.state, "sessions/s1/hooks/output/setup.log"), "utf8"), "setting up\n");
  const log = readFileSync(join(place.state, "hookline.log"), "utf8");
  assert.match(log, /session scripts: 1 ran, 0 failed, and 1 more in the background/);
  const theirs = join(place.home, ".discobot/s1/hooks");
  assert.equal(await appears(join(theirs, "output/later.log")), "later\n");
  while (!JSON.parse(readFileSync(join(theirs, "status.json"), "utf8")).hooks.later) await pause(25);
});

test("[E22, E32, E40] through the command: a failure blocks the stop, and the next prompt ends a script that still runs", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/slow.sh": {
      says: 'type: file; pattern: "*.go"',
      does: "grep -q fast a.go && exit 1; sleep 60 & echo $! > pid; wait",
    },
  });
  place.hook("SessionStart", { source: "startup" });
  place.hook("UserPromptSubmit", { prompt: "one" });
  writeFileSync(join(place.workspace, "a.go"), "fast");
  const said = JSON.parse(place.hook("Stop"));
  assert.equal(said.decision, "block");
  assert.match(said.reason, /^\[Hookline Hook Failed\] "slow\.sh" \(pattern: \*\.go\)\n\nFiles: a\.go\nExit code: 1\n/);
  writeFileSync(join(place.workspace, "a.go"), "slow");
  const stopping = place.start("Stop");
  const pid = Number(await appears(join(place.workspace, "pid")));
  place.hook("UserPromptSubmit", { prompt: "two" });
  assert.equal(await stopping, "");
  assert.equal(isRunning(pid), false);
  const status = JSON.parse(readFileSync(join(place.state, "sessions/s1/hooks/status.json"), "utf8"));
  assert.deepEqual([status.hooks.slow.runCount, status.pendingHooks], [1, ["slow"]]);
});

test("[E53, E54] a host that embeds the line gets the same files", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/lint.sh": { says: 'type: file; pattern: "*.go"', does: "echo no; exit 2" },
  });
  const line = await createHookline({
    cwd: place.workspace,
    home: place.home,
    environment: { PATH: process.env.PATH ?? "" },
  });
  t.after(() => line.close());
  writeFileSync(join(place.workspace, "a.go"), "");
  const outcome = await line.emit("Stop", { changed_files: ["a.go"] }, { session: "mine" });
  assert.match(outcome.verdict?.reason ?? "", /Exit code: 2/);
  const folder = join(place.state, "sessions/mine/hooks");
  assert.equal(readFileSync(join(folder, "output/lint.log"), "utf8"), "no\n");
  const status = JSON.parse(readFileSync(join(folder, "status.json"), "utf8"));
  assert.deepEqual([status.hooks.lint.lastExitCode, status.pendingHooks], [2, ["lint"]]);
});
