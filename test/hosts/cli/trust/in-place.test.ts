/** What a person has trusted runs where it lies: scripts, programs and modules see the real project (R93). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { packageForTests } from "../../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../../program.ts";
import { emptyRepository } from "../../../repository.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}
interface Repository {
  root: string;
  state: string;
  hookline(words: readonly string[], input?: string, folder?: string): Ran;
  git(...words: readonly string[]): Ran;
  read(path: string): string;
}

/** A repository in the package that users have, as a fresh clone is. */
function clonedRepository(t: TestContext, files: Readonly<Record<string, string>>): Repository {
  const folder = temporaryFolder(t);
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  mkdirSync(home);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    HOOKLINE_DAEMON: "off",
    NODE_COMPILE_CACHE: codeCache,
    ...author,
  };
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const hookline = (words: readonly string[], input = "", cwd = root): Ran =>
    runCommand(words, { bin, cwd, environment: env, input });
  const git = (...words: readonly string[]): Ran => spawnSync("git", words, { cwd: root, env, encoding: "utf8" });
  emptyRepository(root);
  const state = join(home, ".local", "state", "hookline");
  return { root, state, hookline, git, read: (path) => readFileSync(join(root, path), "utf8") };
}

/** The same once a person has trusted its hooks. */
function trustedRepository(t: TestContext, files: Readonly<Record<string, string>>): Repository {
  const repository = clonedRepository(t, files);
  trustAll(repository);
  return repository;
}

function trustAll({ hookline }: Repository): void {
  for (const { path, hash, state } of JSON.parse(hookline(["trust", "list", "--json"]).stdout))
    if (state !== "trusted") assert.equal(hookline(["trust", path, "--hash", hash]).status, 0);
}

const call = (root: string): string =>
  JSON.stringify({
    ...{ session_id: "s", transcript_path: "", cwd: root, hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command: "ls" } },
  });

const sees = (file: string): string => `#!/bin/sh\ncat >/dev/null\necho "$0" > "$(dirname "$0")/../${file}"\n`;

test("each kind of trusted program sees itself and the project where they lie, and what it writes is in the project", (t) => {
  const { root, state, hookline, read } = trustedRepository(t, {
    "hooks/program.sh": sees("program.txt"),
    "hooks/line.sh": sees("line.txt"),
    "hooks/rule.sh": sees("rule.txt"),
    "hooks/registry.sh": sees("registry.txt"),
    "hooks/stays.sh": '#!/bin/sh\nread -r line\necho "$0" > "$(dirname "$0")/../stays.txt"\necho \'{"id":"1"}\'\n',
    ".hookline/hooks.json": JSON.stringify({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: "command", command: "./hooks/program.sh", args: [] },
              { type: "command", command: "./hooks/line.sh" },
              { type: "command", command: "./hooks/stays.sh", args: [], resident: true },
            ],
          },
        ],
      },
    }),
    ".hookline/rules/a.yaml":
      "hooks:\n  - { id: r, on: tool_start, condition: { type: always }, action: { type: shell, command: sh hooks/rule.sh } }\n",
    ".system/hooks/a.yaml":
      "id: g\nsummary: s\nevent_type: PreAbilityCall\nhandler: { kind: script, command: ./hooks/registry.sh }\n",
    "hookline.config.mjs": `import { readFileSync } from "node:fs";
export default [{ on: "PreToolUse", name: "module", run: () => ({ context: import.meta.url + " " + import.meta.filename }) }];`,
  });
  const { stdout, stderr } = hookline(["hook", "claude-code"], call(root));
  const module = join(root, "hookline.config.mjs");
  assert.ok(stdout.includes(`${pathToFileURL(module).href} ${module}`), stdout + stderr);
  const inProject = (path: string): string => realpathSync(join(root, read(path).trim().replace(`${root}/`, "")));
  for (const name of ["program", "line", "rule", "registry", "stays"])
    assert.equal(inProject(`${name}.txt`), join(root, "hooks", `${name}.sh`), stderr);
  assert.deepEqual(
    readdirSync(join(state, "trust")).filter((name) => /cop/.test(name)),
    [],
  );
});

test("a guard whose program changes its own file while it runs blocks, whatever it has answered", (t) => {
  const { root, hookline } = trustedRepository(t, {
    "hooks/guard.sh": '#!/bin/sh\necho "# more" >> "$0"\nexit 0\n',
    ".hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "./hooks/guard.sh", role: "guard" }] }] },
    }),
  });
  const { stdout } = hookline(["hook", "claude-code"], call(root));
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.match(permissionDecisionReason, /guard\.sh was changed while it ran, so its answer does not count/);
});

test("a guard with a condition of the project's module refuses when a file of that module is another one, and never lapses", (t) => {
  const repository = clonedRepository(t, {
    ".hookline/rules/a.yaml":
      "hooks:\n  - { id: no_deploy, on: tool_start, condition: { type: is_deploy }, action: { type: gate, reason: people deploy } }\n",
    "hookline.config.mjs":
      'import { isDeploy } from "./lib/deploys.mjs";\nexport default (hookline) => {\n  hookline.registerCondition("is_deploy", { summary: "a deploy", test: ({ event }) => isDeploy(event.data.tool_input.command) });\n};\n',
    "lib/deploys.mjs": 'export const isDeploy = (line) => line.includes("deploy");\n',
  });
  const { root, hookline } = repository;
  const check = hookline(["check"]);
  assert.equal(check.status, 0, "before trust the module may have it");
  assert.match(check.stdout, /note unknown-condition .*the project's module may have it/);
  trustAll(repository);
  const verdict = (command: string): string => {
    const data = JSON.stringify({ tool_name: "Bash", tool_input: { command } });
    return hookline(["emit", "PreToolUse", "--data", data]).stdout.split("\n")[0] ?? "";
  };
  assert.match(verdict("deploy"), /deny: people deploy/);
  assert.match(verdict("ls"), /allowed/);
  writeFileSync(join(root, "lib", "deploys.mjs"), "export const isDeploy = () => false;\n");
  const said =
    /deny: the hook no_deploy failed \(launch: it takes something from hookline\.config\.mjs, which is not what was trusted/;
  for (const _again of [1, 2]) assert.match(verdict("deploy"), said);
});

/** The guards of two modules, and a rule with an action of one of them. */
const guardsOfModules = {
  "hookline.yaml": "extensions:\n  - ./tools/more.mjs\n",
  ".hookline/rules/a.yaml":
    "hooks:\n  - { id: act, on: tool_start, condition: { type: tool_name, match: shell.bash }, action: { type: no_push } }\n",
  "hookline.config.mjs": `import { isBad } from "./lib/bad.mjs";
export default (hookline) => {
  hookline.registerCondition("is_mine", { summary: "mine", test: () => true });
  hookline.registerAction("no_push", { summary: "no", role: "guard", run: ({ event }) => (isBad(event.data.tool_input.command) ? { deny: "no push" } : undefined) });
  return [
    { on: "PreToolUse", name: "writes", matcher: "Write", role: "guard", when: { all: [{ is: "is_mine", with: {} }] }, run: ({ data }) => (isBad(data.tool_input.file_path) ? { deny: "not there" } : undefined) },
    { on: "PreToolUse", name: "notes", matcher: "Read", run: () => ({ context: "read" }) },
  ];
};
`,
  "lib/bad.mjs": 'export const isBad = (text) => text.includes("bad");\n',
  "tools/more.mjs":
    'export default [{ on: "PreToolUse", name: "edits", matcher: "Edit", role: "guard", run: () => undefined }];\n',
};

test("[R46] a trusted guard of a module, and a rule with a module's action, fail and say why when a file of the module changes, goes or does not load", (t) => {
  const repository = trustedRepository(t, guardsOfModules);
  const { root, hookline, read } = repository;
  const verdict = (tool: string, input: object): string => {
    const data = JSON.stringify({ tool_name: tool, tool_input: input });
    return hookline(["emit", "PreToolUse", "--data", data]).stdout.split("\n")[0] ?? "";
  };
  const [write, edit] = [
    { file_path: "good", content: "" },
    { file_path: "good", old_string: "a", new_string: "b" },
  ];
  const all = (): string[] => [
    verdict("Write", write),
    verdict("Bash", { command: "ls" }),
    verdict("Edit", edit),
    verdict("Read", { file_path: "good" }),
  ];
  const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
  const bad = read("lib/bad.mjs");
  // No event has come since it was trusted.
  put("lib/bad.mjs", "export const isBad = () => false;\n");
  const changed = [
    /deny: the hook writes( of this repository)? failed \(launch: this guard is not what was trusted: hookline trust shows/,
    /deny: the hook act failed \(launch: it takes something from hookline\.config\.mjs, which is not what was trusted/,
    /allowed/,
    /allowed/,
  ];
  for (const _again of [1, 2]) for (const [index, said] of all().entries()) assert.match(said, changed[index] ?? /-/);
  const { stdout } = hookline(["check"]);
  assert.match(stdout, /hookline\.config\.mjs:1:1 warning untrusted .*its guards block until then \(hookline trust/);
  assert.match(stdout, /^3 hooks in 4 files: 0 errors/m);
  put("lib/bad.mjs", bad);
  for (const said of all()) assert.match(said, /allowed/);

  rmSync(join(root, "lib", "bad.mjs"));
  assert.match(verdict("Write", write), /deny: the hook writes( of this repository)? failed/);
  put("lib/bad.mjs", bad);
  put("tools/more.mjs", "export default [];\n");
  assert.match(verdict("Edit", edit), /deny: the hook edits( of this repository)? failed/);
  assert.match(verdict("Write", write), /allowed/);

  put("hookline.config.mjs", 'throw new Error("oops");\n');
  trustAll(repository);
  const [written, pushed, edited] = all();
  assert.match(
    written ?? "",
    /deny: the hook writes( of this repository)? failed \(launch: the module cannot be used: oops/,
  );
  assert.match(pushed ?? "", /deny: the hook act failed \(launch: it takes something from .*cannot be used: .*oops/);
  assert.match(edited ?? "", /allowed/, "a person has trusted that its guard is gone");
});

test("[R34] a linked worktree without hook files runs the main one's trusted scripts and relative commands, and no file of its own in their place", (t) => {
  const repository = clonedRepository(t, {
    "a.txt": "a\n",
    ".gitignore": ".hookline\n",
    ".hookline/hooks/top.sh": "#!/bin/sh\n#---\n# name: top\n# type: pre-commit\n#---\npwd > top.txt\n",
    ".hookline/guard.sh": '#!/bin/sh\necho "from $PWD" >&2\nexit 2\n',
    ".hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: ".hookline/guard.sh", role: "guard" }] }] },
    }),
  });
  const { root, hookline, git } = repository;
  assert.equal(hookline(["git", "install"]).status, 0);
  const [{ files }] = JSON.parse(hookline(["trust", "list", "--json"]).stdout);
  assert.deepEqual(files, [".hookline/guard.sh", ".hookline/hooks/top.sh"]);
  trustAll(repository);
  git("add", "-A");
  assert.equal(git("commit", "-m", "one").status, 0);
  const linked = `${root}-linked`;
  assert.equal(git("worktree", "add", "-q", linked).status, 0);
  const committed = git("-C", linked, "commit", "--allow-empty", "-m", "two");
  assert.equal(committed.status, 0, committed.stderr);
  assert.equal(readFileSync(join(linked, "top.txt"), "utf8"), `${linked}\n`);
  const there = { ...repository, hookline: (words: readonly string[]) => hookline(words, "", linked) };
  const listed = JSON.parse(there.hookline(["list", "--json"]).stdout) as { name: string; trusted: boolean }[]; // each of the list has both
  assert.deepEqual(listed.map(({ name, trusted }) => `${name} ${trusted}`).sort(), [
    ".hookline/guard.sh true",
    "self_protection true",
    "top true",
  ]);
  const data = JSON.stringify({ tool_name: "Write", tool_input: { file_path: "b.txt", content: "" } });
  const emit = ["emit", "PreToolUse", "--data", data];
  const from = new RegExp(`deny: from ${root}\\b`);
  assert.match(there.hookline(emit).stdout, from);
  mkdirSync(join(linked, ".hookline"));
  writeFileSync(join(linked, ".hookline", "guard.sh"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  assert.match(there.hookline(emit).stdout, from, "no person has trusted that one");
  writeFileSync(
    join(root, ".hookline", "hooks", "top.sh"),
    "#!/bin/sh\n#---\n# name: top\n# type: pre-commit\n#---\nexit 0\n",
  );
  const refused = git("-C", linked, "commit", "--allow-empty", "-m", "three");
  assert.match(refused.stderr, /top failed \(launch: this guard is not what was trusted/);
});

test("at git, install, status, doctor and each commit say how many hooks do not run for want of trust, and what to type; trusted, they find the project from their own folder, and a commit holds what they add", (t) => {
  const script = (name: string, body: string): string =>
    `#!/bin/bash\n#---\n# name: ${name}\n# type: pre-commit\n#---\n${body}`;
  const repository = clonedRepository(t, {
    "src/a.ts": "// FIXME later\n",
    "notes.txt": "one\n",
    ".hookline/hooks/fix.sh": script(
      "fix",
      `cd "$(dirname "$0")/../.."
if grep -rn FIXME src; then echo "a FIXME is left"; exit 1; fi
echo two > notes.txt
git -C "$(git rev-parse --show-toplevel)" add -u
`,
    ),
    ".hookline/hooks/more.sh": script("more", "exit 0\n"),
  });
  const { root, hookline, git } = repository;
  const said = /2 hooks for commits do not run until you trust them: run `hookline trust`/;
  assert.match(hookline(["git", "install"]).stdout, said);
  assert.match(hookline(["status"]).stdout, said);
  const finding = (): { finding: string; run?: string } | undefined =>
    JSON.parse(hookline(["doctor", "--json"]).stdout).find(({ area }: { area: string }) => area === "git");
  const untrusted = finding();
  assert.deepEqual([untrusted?.finding, untrusted?.run], ["git-hooks-not-trusted", "hookline trust"]);
  git("add", "-A");
  const first = git("commit", "-m", "one");
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, said);
  trustAll(repository);
  assert.equal(finding()?.finding, "good");
  assert.doesNotMatch(hookline(["status"]).stdout, said);
  const refused = git("commit", "--allow-empty", "-m", "two");
  assert.notEqual(refused.status, 0);
  assert.doesNotMatch(refused.stderr, said);
  assert.match(refused.stderr + refused.stdout, /src\/a\.ts:1:.*FIXME/);
  writeFileSync(join(root, "src", "a.ts"), "// done\n");
  git("add", "-A");
  const { status, stderr } = git("commit", "-m", "two");
  assert.equal(status, 0, stderr);
  assert.equal(git("show", "HEAD:notes.txt").stdout, "two\n");
  assert.deepEqual(git("ls-files", "-s").stdout.match(/^120000.*$/gm), null);
  assert.equal(lstatSync(join(root, ".hookline", "hooks", "fix.sh")).isSymbolicLink(), false);
  assert.ok(existsSync(join(root, "src", "a.ts")));
});

test("doctor and status say that git's hook is gone when another tool has written over it", (t) => {
  const { root, hookline } = trustedRepository(t, {
    ".hookline/hooks/one.sh": "#!/bin/bash\n#---\n# name: one\n# type: pre-commit\n#---\nexit 0\n",
  });
  const git = (): string[] =>
    JSON.parse(hookline(["doctor", "--json"]).stdout)
      .filter(({ area }: { area: string }) => area === "git")
      .map(({ finding, run }: { finding: string; run?: string }) => `${finding} ${run}`);
  assert.deepEqual(git(), ["git-hook-missing hookline git install"]);
  hookline(["git", "install"]);
  assert.deepEqual(git(), ["good undefined"]);
  writeFileSync(join(root, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  assert.deepEqual(git(), ["git-hook-gone hookline git install"]);
  assert.match(hookline(["status"]).stdout, /git +runs Hookline no more before commits.*hookline git install/);
});
