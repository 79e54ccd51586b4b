/** Where Hookline has gone, the line refuses or passes by itself, in whichever shell the agent starts and from whichever folder. */
import { equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codex } from "../../src/agents/codex/adapter.ts";
import { writeLaunchers } from "../../src/agents/install/launch.ts";
import { goneFile } from "../../src/agents/install/own-call.ts";
import { commandFor, type Try } from "../../src/agents/install/registration.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const lineFor = (tries: readonly Try[], by: string): string =>
  commandFor(
    { tries, agent: "codex", by, guards: () => false, refuse: (reason) => codex.refuse(reason, "PreToolUse") },
    "PreToolUse",
  );

for (const shell of ["sh", "bash"])
  test(`in ${shell}, a guard that is active in every folder is refused`, (t) => {
    const state = join(temporaryFolder(t), "state");
    writeLaunchers(state, { program: ["/gone/node", "/gone/hookline.js"] });
    mkdirSync(join(state, "guarded"), { recursive: true });
    const run = (calls: string) => {
      writeFileSync(join(state, "guarded", "one"), `/\n${calls}\n`);
      const environment = { PATH: "/usr/bin:/bin" };
      const line = lineFor([{ read: goneFile(state) }], "user");
      return spawnSync(shell, ["-c", line], { cwd: state, env: environment, encoding: "utf8", input: "{}" });
    };
    match(run("codex/PreToolUse").stdout, /"permissionDecision":"deny"/);
    equal(run("codex/Stop").stdout, "");
  });

test("a project's launcher is found from every folder below it, and no other folder's is", (t) => {
  const root = temporaryFolder(t);
  const put = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put("project/.codex/hooks.json", "{}");
  put("project/.hookline/launch.sh", "echo launched; exit 0\n");
  put("project/sub/.hookline/launch.sh", "echo another; exit 0\n");
  put("else/where", "");
  const line = lineFor([{ read: ".hookline/launch.sh", beside: ".codex/hooks.json" }], "project");
  const from = (folder: string): string =>
    spawnSync("sh", ["-c", line], { cwd: join(root, folder), env: { PATH: "/usr/bin:/bin" }, encoding: "utf8" }).stdout;
  equal(from("project"), "launched\n");
  equal(from("project/sub"), "launched\n");
  equal(from("else"), "");
});
