/** How many hooks are here, and how many of them wait for a person's trust, is the same on every screen. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";

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

function placed(t: TestContext): (...words: string[]) => string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-counts-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
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
  return (...words) => {
    const { stdout, stderr } = runCommand(words, { cwd, environment, bin });
    return stdout + stderr;
  };
}

/** The numbers in front of these words, on every line that has them. */
const numbersBefore = (text: string, words: string): number[] =>
  [...text.matchAll(new RegExp(`(\\d+) ${words}`, "g"))].map(([, count]) => Number(count));

test("status, list, check, doctor, emit, init and trust say the same number of hooks that are not trusted, and of those that are here", (t) => {
  const hookline = placed(t);
  for (const words of ["status", "list", "check", "doctor", "emit PreToolUse"]) {
    const said = hookline(...words.split(" "));
    assert.deepEqual([...new Set(numbersBefore(said, "hooks here do not run"))], [7], `${words}: ${said}`);
  }
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted)\\b"), [3, 7]);
  assert.deepEqual(numbersBefore(hookline("init"), "not trusted"), [7]);
  assert.deepEqual(numbersBefore(hookline("trust", "list"), "items"), [7]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [10], words);
  assert.equal(JSON.parse(hookline("list", "--json")).filter((one: { trusted: boolean }) => !one.trusted).length, 7);
  const [{ path, hash }] = JSON.parse(hookline("trust", "list", "--json"));
  hookline("trust", path, "--hash", hash);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted)\\b"), [10]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [10], words);
});
