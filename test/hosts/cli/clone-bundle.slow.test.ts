/** In a clone agents run a bundle of the sources, made when these have changed; a package is run as it is. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const repository = join(import.meta.dirname, "..", "..", "..");

test("what install and git install register in a clone runs a bundle, made anew by install and up when sources have changed, and a package builds nothing", (t) => {
  const folder = temporaryFolder(t);
  const clone = join(folder, "hookline");
  for (const name of ["src", "testing", "examples", "bin", "native", "scripts", "package.json", "package-lock.json"])
    cpSync(join(repository, name), join(clone, name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(clone, "node_modules"));
  const [home, workspace] = [join(folder, "home"), join(folder, "workspace")];
  for (const one of [home, workspace]) mkdirSync(one);
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    HOOKLINE_DAEMON: "off",
    NODE_COMPILE_CACHE: join(folder, "code"),
  };
  const run = (bin: string, ...words: string[]): string => {
    const options = { cwd: workspace, env: environment, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], options);
    assert.equal(status, 0, stdout + stderr);
    return stdout + stderr;
  };
  const settings = join(home, ".claude", "settings.json");
  const registered = (): string => JSON.parse(readFileSync(settings, "utf8")).hooks.PreToolUse[0].hooks[0].command;
  const isFrom = (): string => readFileSync(join(clone, "build", "built-from"), "utf8");

  const [source, bundle] = [join(clone, "bin", "hookline.js"), join(clone, "build", "bin", "hookline.js")];
  run(source, "up", "--once");
  assert.ok(!existsSync(bundle), "no agent runs one");
  run(source, "install", "claude-code");
  assert.ok(registered().includes(`"${bundle}"`), registered());
  const first = isFrom();
  assert.match(run(source, "install", "claude-code"), /nothing to do/);
  assert.equal(isFrom(), first);
  emptyRepository(workspace);
  mkdirSync(join(workspace, ".hookline", "hooks"), { recursive: true });
  writeFileSync(join(workspace, ".hookline", "hooks", "a.sh"), "#!/bin/sh\n#---\n# type: pre-commit\n#---\n", {
    mode: 0o755,
  });
  const asks = join(packageForTests("asked"), "bin", "hookline.js"); // what the clone itself takes longer to say
  const trusting = (...words: string[]) =>
    runCommand(["trust", ...words], { cwd: workspace, environment, bin: asks }).stdout;
  const [{ hash }] = JSON.parse(trusting("list", "--json"));
  trusting("--hash", hash);
  run(source, "git", "install");
  const stub = readFileSync(join(workspace, ".git", "hooks", "pre-commit"), "utf8");
  assert.ok(stub.includes(`\nbin='${bundle}'\n`), stub.slice(0, 400));
  appendFileSync(join(clone, "src", "hosts", "cli", "log.ts"), "\n");
  run(source, "up", "--once");
  const second = isFrom();
  assert.notEqual(second, first);

  const payload = { hook_event_name: "Stop", session_id: "s", cwd: workspace };
  const told = spawnSync("sh", ["-c", registered()], {
    env: environment,
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  assert.deepEqual([told.status, told.stdout, told.stderr], [0, "", ""]);
  rmSync(join(clone, "src"), { recursive: true });
  run(bundle, "install", "claude-code");
  assert.ok(!existsSync(join(clone, "build", "build")));
  appendFileSync(join(clone, "package.json"), "\n");
  run(bundle, "up", "--once");
  assert.equal(isFrom(), second);
});
