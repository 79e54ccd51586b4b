import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import type { Problem } from "../../../src/engine/hook.ts";
import { runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Here {
  run(...words: string[]): string;
  /** What `check` says of other tools, by file. */
  told(): { [file: string]: string | undefined };
}

function here(context: TestContext, files: { readonly [file: string]: string }): Here {
  const folder = temporaryFolder(context);
  const [cwd, home] = [join(folder, "workspace"), join(folder, "home")];
  mkdirSync(home);
  mkdirSync(cwd);
  spawnSync("git", ["init", "--quiet"], { cwd });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o755 });
  }
  const environment = { HOME: home, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
  const run: Here["run"] = (...words) => runCommand(words, { cwd, environment }).stdout;
  return {
    run,
    told() {
      const found: Problem[] = JSON.parse(run("check", "--json"));
      const others = found.filter(({ code }) => code === "other-tool");
      return Object.fromEntries(others.map(({ file, suggestion }) => [relative(cwd, file), suggestion]));
    },
  };
}

const hooks = '{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }';
const script = "#!/bin/sh\n#---\n# type: pre-commit\n#---\ntrue\n";

test("check names the agents that run hooks of their own here, until they call Hookline", (context) => {
  const { run, told } = here(context, {
    ".codex/hooks.json": hooks,
    ".gemini/settings.json": hooks,
    ".cursor/hooks.json": '{ "version": 1, "hooks": {} }',
    ".qwen/settings.json": '{ "hooks": {} }',
  });
  const cursor = { ".cursor/hooks.json": "write what other agents are to obey as well in .hookline/hooks.json" };
  assert.deepEqual(told(), {
    ".codex/hooks.json": "hookline install codex",
    ".gemini/settings.json": "hookline install gemini",
    ...cursor,
  });
  run("install", "codex");
  run("install", "gemini");
  assert.deepEqual(told(), cursor);
});

test("check names the managers of git hooks, until git calls Hookline beside them", (context) => {
  const { run, told } = here(context, {
    "lefthook.yml": "pre-commit: {}\n",
    ".husky/pre-commit": "true\n",
    ".pre-commit-config.yaml": "repos: []\n",
    ".hookline/hooks/check.sh": script,
  });
  const beside = "hookline git install adds ours beside them, once a hook listens to commits";
  assert.deepEqual(told(), {
    "lefthook.yml": beside,
    ".pre-commit-config.yaml": beside,
    ".husky": 'write "prepare": "husky && hookline git install" in package.json, which adds ours beside them',
  });
  run("trust", "--yes");
  run("git", "install");
  assert.deepEqual(told(), {});
});
