/** Trusted hooks of worktrees and modules run where they lie, and git's hook that has gone. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clonedRepository, trustAll, trustedRepository } from "./in-place.ts";

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
    "reroute_watch true",
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
