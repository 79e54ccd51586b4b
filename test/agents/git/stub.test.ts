import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import fc from "fast-check";
import { printStub, type Stub } from "../../../src/agents/git/stub.ts";
import { changedFiles } from "../../../src/conditions/changed-files.ts";
import { loadPatterns } from "../../../src/conditions/patterns.ts";
import { firstTurn, type HookEvent, type Json } from "../../../src/engine/event.ts";
import type { Patterns } from "../../../src/engine/ports.ts";
import { compileScript } from "../../../src/formats/scripts/script.ts";
import { knownBelow } from "../../../src/hosts/cli/git/wanted.ts";
import { type Scratch, scratch, script } from "./scratch.ts";

/** Those of this machine: the stub is POSIX sh. */
const shells = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"]].filter(
  ([program = "", ...words]) => spawnSync(program, [...words, "-c", ":"]).status === 0,
);

interface Trial extends Scratch {
  /** Starts the stub as git would; "asked" if it called Hookline. */
  start(shell?: readonly string[]): { code: number | null; stdout: string; stderr: string; asked: boolean };
}

const old = new Date(Date.now() - 3_600_000);

/** What the stub in each repository is made of. */
const stubs = new Map<string, Stub>();

/** A repository whose stub calls a program of ours, which says so. */
function trial(t: TestContext, given: Partial<Stub> = {}, name?: string): Trial {
  const self = scratch(t, name);
  const hookline = join(self.folder, "stands in for hookline");
  const mark = join(self.folder, "asked");
  writeFileSync(hookline, `#!/bin/sh\necho "$@" > '${mark}'\nexit 7\n`);
  const stub: Stub = {
    program: ["/bin/sh", hookline],
    scriptFolders: [join(self.folder, "home", ".config", "hookline", "hooks")],
    noted: [],
    guarded: [],
    watched: [],
    known: [],
    ...given,
  };
  const file = self.write(".git/hooks/pre-commit", printStub(stub), 0o755);
  stubs.set(self.top, stub);
  return {
    ...self,
    start(shell = []) {
      rmSync(mark, { force: true });
      const [program = file, ...words] = [...shell, ...(shell.length > 0 ? [".git/hooks/pre-commit"] : [])];
      const { status, stdout, stderr } = spawnSync(program, words, {
        cwd: self.top,
        env: { ...self.environment, PATH: process.env.PATH ?? "" },
        encoding: "utf8",
      });
      return { code: status, stdout, stderr, asked: existsSync(mark) };
    },
  };
}

const hook = ".hookline/hooks/check.sh";
/** Older than the stub, and there when that was written: what install has seen. */
function settle(top: string, ...paths: string[]): void {
  for (const path of paths) for (let one = path; one !== "."; one = dirname(one)) utimesSync(join(top, one), old, old);
  const stub = stubs.get(top);
  assert.ok(stub);
  writeFileSync(join(top, ".git/hooks/pre-commit"), printStub({ ...stub, known: knownIn(top, stub) }));
}
const knownIn = (top: string, { watched }: Stub): string[] => [
  ...knownBelow([top]),
  ...watched.map((path) => join(top, path)).filter(existsSync),
];

for (const shell of shells) {
  test(`without a script for commits nothing is started, in ${shell.join(" ")}`, (t) => {
    const { write, start, top } = trial(t);
    assert.deepEqual(start(shell), { code: 0, stdout: "", stderr: "", asked: false });
    write(hook, script({ type: "file", pattern: '"*.go"' }, "exit 1"), 0o755);
    write(".discobot/hooks/start.sh", script({ type: "session" }, "exit 1"), 0o755);
    write(".hookline/hooks/README.md", "no script");
    settle(top, hook);
    assert.deepEqual(start(shell), { code: 0, stdout: "", stderr: "", asked: false });
  });

  test(`a script for commits starts Hookline, and its exit code is git's, in ${shell.join(" ")}`, (t) => {
    const { write, start, top } = trial(t);
    write(".discobot/hooks/check.sh", script({ type: "pre-commit" }, ""), 0o755);
    settle(top, ".discobot/hooks/check.sh");
    const { code, asked, stderr } = start(shell);
    assert.deepEqual({ code, asked, stderr }, { code: 7, asked: true, stderr: "" });
  });

  test(`a pattern that no staged name can match starts nothing, in ${shell.join(" ")}`, (t) => {
    const { write, start, top, mustGit } = trial(t);
    write(hook, script({ type: "pre-commit", pattern: '"src/**/*.{ts,tsx}"' }, ""), 0o755);
    settle(top, hook);
    write("a file.go", "");
    mustGit(["add", "a file.go"]);
    assert.equal(start(shell).asked, false);
    write("src/deep/b.tsx", "");
    mustGit(["add", "src"]);
    assert.equal(start(shell).asked, true);
  });
}

/** Every front matter that makes a hook of git.pre-commit, be it one that only fails, is seen by the stub. */
const frontMatters = [
  "#!/bin/sh\n#---\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n#---\n#type: pre-commit\n#---\n",
  "#!/bin/sh\n---\ntype: pre-commit\n---\n",
  "#!/bin/sh\n---\n# type: pre-commit\n---\n",
  "#!/usr/bin/env node\n//---\n// type: 'pre-commit'\n//---\n",
  '#!/bin/sh\n#---\n# type: "pre-commit"   \n#---   \n',
  '#!/bin/sh\n#---\n# type: "pre\\x2dcommit"\n#---\n',
  "#!/bin/sh\n#---\n# type:\n#   pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type: >-\n#   pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type : pre-commit\n#---\n",
  '#!/bin/sh\n#---\n# "type": pre-commit\n#---\n',
  "#!/bin/sh\n#---\n# type: pre-commit # before each\n#---\n",
  "#!/bin/sh\n#---\n# type: precommit\n#---\n",
  "#!/bin/sh\n#---\n# type: Pre-Commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre_commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\necho\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\nmake check\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\n//---\n",
  "#!/bin/sh\n\n#---\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n# a remark\n# another\n# ---\n# type: pre-commit\n# ---\n",
  "#!/bin/sh\n#--\n# type: pre-commit\n#--\n",
  `#!/bin/sh\n#---\n${"# a: b\n".repeat(120)}# type: pre-commit\n#---\n`,
  "#!/bin/sh\n#---\n# type: file\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: ['*.go']\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '!*.md'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.{a..z}'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '[ab]'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.g?'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: *.go\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go' # and no other\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# more:\n#   pattern: '*.go'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: |\n#   *.go\n#---\n",
  "#!/bin/sh\r\n#---\r\n# type: pre-commit\r\n#---\r\n",
];

test("[E48] whatever makes a hook for commits is seen without Hookline, however its front matter is written", (t) => {
  const { write, start, top, mustGit } = trial(t);
  write("z", "");
  mustGit(["add", "z"]);
  let hooks = 0;
  for (const text of frontMatters) {
    const path = write(hook, text, 0o755);
    settle(top, hook);
    const compiled = compileScript(
      text,
      { isExecutable: true },
      { dialect: "script", layer: "project", file: path },
      {
        label: hook,
        family: "hookline",
      },
    );
    const [made] = compiled.hooks;
    const listens = made && "event" in made.on && made.on.event.includes("git.pre-commit");
    if (!listens) continue;
    hooks += 1;
    const always = made.when === undefined; // else it depends on what is staged, of which `z` may match or not
    if (always) assert.ok(start().asked, text);
  }
  assert.ok(hooks > 20, `${hooks} of them are hooks`);
});

test("[E48] a pattern is only taken for a name's end where it is one", (t) => {
  const { write, start, top, mustGit } = trial(t);
  const staged = ["docs/a.md", "lib/b.go", "c.ts", "Makefile", "d.gz"];
  for (const path of staged) write(path, "");
  mustGit(["add", "docs", "lib", "c.ts", "Makefile", "d.gz"]);
  const asks = (pattern: string): boolean => {
    write(hook, script({ type: "pre-commit", pattern }, ""), 0o755);
    settle(top, hook);
    return start().asked;
  };
  for (const pattern of [
    '"*.go"',
    "'lib/**/*.go'",
    '"*.{py,go}"',
    "Makefile",
    '"./Makefile"',
    '"/Makefile"',
    '"!*.md"',
    '"*.g?"',
    '"*.[a-m]*"',
    '"{lib,src}/*.go"',
    '"*.{a..z}"',
    '"*"',
    '"*.+(go)"',
    '"lib/"',
  ])
    assert.ok(asks(pattern), `${pattern} may match`);
  for (const pattern of ['"*.py"', "'lib/**/*.rs'", '"*.{py,rs}"', "Cargo.toml", '"{lib,src}/*.py"'])
    assert.ok(!asks(pattern), `${pattern} cannot match`);
});

test("[E48] no pattern that matches a staged name is missed", async (t) => {
  const { write, start, top, mustGit } = trial(t);
  const staged = ["a.go", "b/a.ts", "b/c/Makefile", "b-c.d.ts", ".x", "é.go", "a b"];
  for (const path of staged) write(path, "");
  mustGit(["add", "a.go", "b", "b-c.d.ts", ".x", "é.go", "a b"]);
  const patterns = await loadPatterns();
  const part = fc.constantFrom(
    "*",
    "**",
    "?",
    ".",
    "/",
    "{",
    "}",
    ",",
    "a",
    "b",
    "c",
    "go",
    "ts",
    "d",
    "Makefile",
    "-",
    "[ab]",
    "é",
    "..",
    "x",
    " ",
    "!",
  );
  const written = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
  let matching = 0;
  fc.assert(
    fc.property(written, fc.constantFrom("'", '"', ""), (pattern, quote) => {
      const text = script({ type: "pre-commit", pattern: `${quote}${pattern}${quote}` }, "");
      const { hooks } = compileScript(
        text,
        { isExecutable: true },
        { dialect: "script", layer: "project", file: join(top, hook) },
        { label: hook, family: "hookline" },
      );
      const when = hooks[0]?.when;
      if (!when || !("is" in when) || !holds(when.with, staged, top, patterns)) return;
      matching += 1;
      write(hook, text, 0o755);
      settle(top, hook);
      assert.ok(start().asked, pattern);
    }),
    { numRuns: 600, seed: 7 },
  );
  assert.ok(matching > 20, `${matching} of them match`);
});

function holds(params: Json | undefined, files: string[], top: string, patterns: Patterns): boolean {
  const checked = changedFiles.params.check(params ?? {});
  if (checked.length > 0) return false;
  try {
    const test = changedFiles.compile(params as { patterns: string[] }, patterns); // checked above
    const event: HookEvent = {
      id: "e",
      name: "git.pre-commit",
      at: 0,
      cwd: top,
      data: { changed_files: files },
      sender: "git",
    };
    return test({ event, turn: firstTurn, names: [], results: [] }) !== false;
  } catch {
    return true; // a guard that cannot be tested refuses every commit
  }
}

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

const gone = ["/nowhere/node", "/nowhere/hookline.js"] as const;

for (const shell of shells) {
  test(`[E48] without Hookline the scripts run in order until one fails, and it says what is not kept, in ${shell.join(" ")}`, (t) => {
    const { write, start, top } = trial(t, { program: gone });
    write(
      ".discobot/hooks/b.sh",
      script({ type: "pre-commit" }, 'echo "b $HOOKLINE_HOOK_TYPE $DISCOBOT_HOOK_TYPE"'),
      0o755,
    );
    write(".hookline/hooks/a.sh", script({ type: "pre-commit" }, "echo a; exit 5"), 0o755);
    write(".hookline/hooks/a.sh~", script({ type: "pre-commit" }, "echo a copy"), 0o755);
    write(".hookline/hooks/b.sh", script({ type: "pre-commit" }, "echo never"), 0o755);
    write(".hookline/hooks/file.sh", script({ type: "file", description: "no pre-commit" }, "echo never"), 0o755);
    settle(top, ".discobot/hooks/b.sh", ".hookline/hooks/a.sh");
    const { code, stdout, stderr } = start(shell);
    assert.equal(code, 5);
    assert.equal(stdout, "b pre-commit pre-commit\na\n");
    assert.match(stderr, /neither log nor status is kept/);
    assert.match(stderr, /\.hookline\/hooks\/a\.sh refused the commit \(exit code 5\)/);
  });
}

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
