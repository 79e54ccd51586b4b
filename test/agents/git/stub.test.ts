/** What the stub sees without Hookline: when it has to ask, and when not. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { printStub, type Stub } from "../../../src/agents/git/stub.ts";
import { allAreSeen } from "./front-matters.ts";
import { script } from "./scratch.ts";
import { gone, hook, noneIsMissed, settle, shells, stories, trial } from "./trial.ts";

for (const [story, holds] of Object.entries(stories))
  for (const shell of shells.slice(0, 1)) test(`${story}, in ${shell.join(" ")}`, (t) => holds(t, shell));

test("[E48] whatever makes a hook for commits is seen without Hookline, however its front matter is written", (t) =>
  allAreSeen(t, 4));

test("[E48] settings of git that read patterns otherwise do not blind it", (t) => {
  const { write, top, mustGit, environment, start } = trial(t);
  write(hook, script({ type: "pre-commit", pattern: '"*.go"' }, ""), 0o755);
  write("deep/below/a.go", "");
  settle(top, hook);
  mustGit(["add", "deep"]);
  for (const name of ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS"]) {
    environment[name] = "1";
    assert.ok(start().asked, name);
    delete environment[name];
  }
});

test("[E48] names of files, folders and hooks never become shell text", (t) => {
  const evil = 'a\'b "$(touch made)" `touch made`; touch made\n#';
  const { write, start, has, top } = trial(t, { noted: [`x'; touch made; '`], watched: ["$(touch made)"] }, evil);
  write(
    `.hookline/hooks/${evil.replaceAll("/", "")}`,
    script({ type: "pre-commit", pattern: '"$(touch made)"' }, ""),
    0o755,
  );
  settle(top, ".hookline/hooks");
  assert.ok(start().asked);
  for (const shell of shells) assert.ok(start(shell).asked);
  assert.ok(!has("made"));
});

test("paths of Hookline itself may hold anything", (t) => {
  const { write, folder, start } = trial(t);
  const odd = join(folder, "it's $(here)\nand 'there'");
  mkdirSync(odd);
  const bin = join(odd, "bin");
  writeFileSync(bin, `#!/bin/sh\necho reached\n`);
  write(
    ".git/hooks/pre-commit",
    printStub({ program: ["/bin/sh", bin], scriptFolders: [], noted: ["."], guarded: [], watched: [], known: [] }),
    0o755,
  );
  assert.equal(start().stdout, "reached\n");
});

test("a file that may hold hooks and has changed since, or appeared, is a reason to ask", (t) => {
  const { write, start, top, mustGit } = trial(t, { watched: ["elsewhere/rules.yaml"] });
  mustGit(["config", "user.name", "Ada"]);
  for (const path of [
    ".hookline/hooks.json",
    ".hookline/rules/new.yaml",
    "hookline.yaml",
    "hookline.config.ts",
    ".claude/settings.json",
    "elsewhere/rules.yaml",
  ]) {
    write(path, "{}");
    settle(top, path);
    assert.equal(start().asked, false, `${path} is old`);
    utimesSync(join(top, path), new Date(Date.now() + 5_000), new Date(Date.now() + 5_000));
    assert.equal(start().asked, true, `${path} is young`);
    settle(top, path);
  }
});

test("other hooks that install has noted are a reason to ask, where their file is there", (t) => {
  const { write, start, top } = trial(t, { noted: [".hookline/hooks.json"] });
  assert.equal(start().asked, false);
  write(".hookline/hooks.json", "{}");
  settle(top, ".hookline/hooks.json");
  assert.equal(start().asked, true);
});

test("[E48] no pattern that matches a staged name is missed", (t) => noneIsMissed(t, 120));

test("without Hookline a guard that is no script refuses the commit, and other hooks are named", (t) => {
  const { write, start, folder, top } = trial(t, {
    program: gone,
    noted: ["hookline.yaml"],
    guarded: ["hookline.yaml"],
  });
  write("hookline.yaml", "");
  const guarded = start();
  assert.equal(guarded.code, 1);
  assert.match(
    guarded.stderr,
    /a guard in hookline\.yaml cannot be asked, so the commit is refused — .*rm \S+pre-commit; or .*git commit --no-verify\n$/,
  );
  const open: Stub = {
    program: gone,
    noted: ["hookline.yaml"],
    guarded: [],
    scriptFolders: [],
    watched: [],
    known: [join(top, "hookline.yaml")],
  };
  write(".git/hooks/pre-commit", printStub(open), 0o755);
  assert.equal(start().code, 0);
  const path = join(folder, "bin");
  mkdirSync(path);
  writeFileSync(join(path, "hookline"), '#!/bin/sh\necho "found $1 $2 $3"\n');
  chmodSync(join(path, "hookline"), 0o755);
  const { stdout } = spawnSync(".git/hooks/pre-commit", {
    cwd: join(folder, "repository"),
    env: { PATH: `${path}:/usr/bin:/bin`, HOME: folder },
    encoding: "utf8",
  });
  assert.equal(stdout, "found git run pre-commit\n");
});
