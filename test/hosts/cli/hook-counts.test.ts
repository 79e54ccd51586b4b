/** How many hooks are here, and how many of them wait for a person's trust, is the same on every screen. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const command = { type: "command", command: "true" };
const rule = (id: string): string =>
  `  - { id: ${id}, on: tool_start, condition: { type: always }, action: { type: shell, command: "true" } }\n`;

/** Three of a person's own, and of the project seven of which one is switched off. */
const files = {
  "home/.config/hookline/hooks.json": JSON.stringify({
    hooks: { PreToolUse: [{ hooks: [command, command] }], Stop: [{ hooks: [command] }] },
  }),
  "project/.hookline/hooks.json": JSON.stringify({
    hooks: {
      PreToolUse: [{ hooks: [command, { ...command, role: "guard" }] }],
      Stop: [{ hooks: [{ ...command, enabled: false }] }],
    },
  }),
  "project/.hookline/rules/a.yaml": `hooks:\n${rule("one")}${rule("two")}`,
  "project/.hookline/hooks/lint.sh": '#!/bin/bash\n#---\n# name: lint\n# type: file\n# pattern: "*.ts"\n#---\nexit 0\n',
  "project/.hookline/hooks/commit.sh": "#!/bin/bash\n#---\n# name: commit\n# type: pre-commit\n#---\nexit 0\n",
};

/** Beside them rules that only refuse, an entry whose action nobody knows, a rule that is broken, settings, and a person's own automation. */
const mixed = {
  "project/hookline.yaml": [
    "hook_engine: { max_concurrent_hooks: 2 }",
    "hooks:",
    "  - { id: nobody_knows, on: tool_start, condition: { type: always }, action: { type: frobnicate } }",
    "  - { id: broken, on: tool_start, condition: { type: alwayss }, action: { type: gate, reason: no } }",
    "  - { id: refuses, on: tool_start, condition: { type: always }, action: { type: gate, reason: no } }",
    "  - { id: asks, on: tool_start, condition: { type: always }, action: { type: gate, ask: true, reason: no } }",
  ].join("\n"),
  "project/.claude/settings.json": JSON.stringify({
    hooks: { Stop: [{ hooks: [{ ...command, command: "./gone.sh" }] }] },
  }),
  "project/.hookline/automations/nightly.yaml": [
    "automations:",
    "  - name: nightly",
    '    trigger: { type: cron, cron: "0 3 * * *", skip_llm: true }',
    "    context_steps: [{ type: shell, command: echo }]",
  ].join("\n"),
};

const placed = (t: TestContext, more: Readonly<Record<string, string>> = {}): Place["hookline"] =>
  placedIn(t, more).hookline;

interface Place {
  hookline(...words: string[]): string;
  write(path: string, text: string): void;
}

function placedIn(t: TestContext, more: Readonly<Record<string, string>>): Place {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const cwd = join(folder, "project");
  emptyRepository(cwd);
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    NODE_COMPILE_CACHE: codeCache,
    HOOKLINE_DAEMON: "off",
  };
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  return {
    hookline(...words) {
      const { stdout, stderr } = runCommand(words, { cwd, environment, bin });
      return stdout + stderr;
    },
    write: (path, text) => writeFileSync(join(folder, path), text),
  };
}

const saidBy = (hookline: (...words: string[]) => string, screens: readonly string[]): Map<string, string> =>
  new Map(screens.map((words) => [words, hookline(...words.split(" "))]));

/** The numbers in front of these words, on every line that has them. */
const numbersBefore = (text: string, words: string): number[] =>
  [...text.matchAll(new RegExp(`(\\d+) ${words}`, "g"))].map(([, count]) => Number(count));

test("status, list, check, doctor, emit, init and trust say the same number of hooks that are not trusted, and of those that are here", (t) => {
  const hookline = placed(t);
  const said = saidBy(hookline, ["status", "list", "check", "doctor", "emit PreToolUse", "init"]);
  for (const [words, text] of said)
    assert.deepEqual([...new Set(numbersBefore(text, "hooks here do not run"))], [7], `${words}: ${text}`);
  assert.deepEqual(numbersBefore(said.get("status") ?? "", "(?:active|not trusted)\\b"), [3, 7]);
  assert.deepEqual(numbersBefore(hookline("trust", "list"), "items"), [7]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(said.get(words) ?? "", "hooks in \\d+ files"), [10], words);
  assert.equal(JSON.parse(hookline("list", "--json")).filter((one: { trusted: boolean }) => !one.trusted).length, 7);
  const [{ path, hash }] = JSON.parse(hookline("trust", "list", "--json"));
  hookline("trust", path, "--hash", hash);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|disabled|not trusted)\\b"), [9, 1]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [10], words);
});

test("of what only refuses before trust, of what is broken and of what is no hook yet, every screen says the same numbers, and status counts the errors that check finds", (t) => {
  const hookline = placed(t, mixed);
  const words = "9 hooks here do not run until you trust them, 2 more only refuse or ask until then, 3 more to trust";
  const said = saidBy(hookline, ["status", "list", "check", "doctor", "emit PreToolUse", "init"]);
  for (const [asked, text] of said) assert.ok(text.includes(words), `${asked}: ${text}`);
  const [status = "", check = "", doctor = ""] = ["status", "check", "doctor"].map((one) => said.get(one));
  assert.match(status, /hooks {4}3 active, 9 not trusted, 2 not trusted, only refuses, 1 broken, 1 built in/);
  assert.deepEqual(numbersBefore(check, "hooks in \\d+ files"), [15]);
  const listed: { trusted: boolean; dialect: string }[] = JSON.parse(hookline("list", "--json").split("\n")[0] ?? "");
  assert.equal(listed.filter(({ dialect }) => dialect !== "builtin").length, 15);
  assert.match(doctor, /programs\s+.*all that 3 hooks start/);
  assert.deepEqual(numbersBefore(hookline("trust", "list"), "items"), [9 + 2 + 3]);
  // Those of what hooks start as well.
  const errors = numbersBefore(check, "errors?[,:]");
  assert.deepEqual(numbersBefore(status, "errors?[,:]"), errors);
  const told = JSON.parse(hookline("status", "--json"));
  assert.deepEqual([told.hooks, told.errors], [15, errors[0]]);
});

test("before trust doctor does not say that no hook is a command", (t) => {
  const hookline = placed(t, { "home/.config/hookline/hooks.json": "{}" });
  assert.match(
    hookline("doctor"),
    /no hook that is trusted here is a command or a script; 7 hooks are not trusted yet/,
  );
});

/** Rules that refuse, more than a list shows one by one. */
const refusals = (reasons: readonly string[]): string =>
  `hooks:\n${reasons.map((reason, index) => `  - { id: no-${index}, on: tool_start, condition: { type: always }, action: { type: gate, reason: "${reason}" } }\n`).join("")}`;

test("a refusal that has changed since it was trusted is one hook on every screen, and the row of its file says how many are not trusted", (t) => {
  const reasons = Array.from({ length: 24 }, () => "no");
  const guard = "project/.hookline/rules/guard.yaml";
  const { hookline, write } = placedIn(t, { [guard]: refusals(reasons) });
  const [{ path, hash }] = JSON.parse(hookline("trust", "list", "--json"));
  hookline("trust", path, "--hash", hash);
  hookline("emit", "PreToolUse");
  write(guard, refusals(["not now", ...reasons.slice(1)]));
  for (const words of ["status", "list", "check", "doctor", "emit PreToolUse"])
    assert.match(
      hookline(...words.split(" ")),
      /1 hook here only refuses or asks until you trust it/,
      `${words}: ${hookline(...words.split(" "))}`,
    );
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [34], words);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted, only refuses)\\b"), [32, 1]);
  assert.match(hookline("status"), /guard\.yaml: 24 /);
  assert.match(hookline("list"), /24 hooks +1 not trusted /);
  const listed: { name: string }[] = JSON.parse(hookline("list", "--json").split("\n")[0] ?? "");
  assert.equal(listed.filter(({ name }) => name === "no-0").length, 1);
  write(guard, refusals(["not now", ...reasons.slice(1)]).replace("id: no-3, on", "bogus: 1, id: no-3, on"));
  for (const words of ["check", "status"])
    assert.match(
      hookline(words),
      /1 hook here only refuses or asks until you trust it/,
      `${words}: ${hookline(...words.split(" "))}`,
    );
  assert.deepEqual(numbersBefore(hookline("check"), "hooks in \\d+ files"), [34]);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted, only refuses|broken)\\b"), [31, 1, 1]);
});
