import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export const command: Readonly<Record<string, unknown>> = { type: "command", command: "true" };
export const rule = (id: string): string =>
  `  - { id: ${id}, on: tool_start, condition: { type: always }, action: { type: shell, command: "true" } }\n`;

/** Three of a person's own, and of the project seven of which one is switched off. */
export const files: Readonly<Record<string, string>> = {
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
export const mixed: Readonly<Record<string, string>> = {
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

export const placed = (t: TestContext, more: Readonly<Record<string, string>> = {}): Place["hookline"] =>
  placedIn(t, more).hookline;

export interface Place {
  hookline(...words: string[]): string;
  write(path: string, text: string): void;
}

export function placedIn(t: TestContext, more: Readonly<Record<string, string>>): Place {
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

export const saidBy = (hookline: (...words: string[]) => string, screens: readonly string[]): Map<string, string> =>
  new Map(screens.map((words) => [words, hookline(...words.split(" "))]));

/** The numbers in front of these words, on every line that has them. */
export const numbersBefore = (text: string, words: string): number[] =>
  [...text.matchAll(new RegExp(`(\\d+) ${words}`, "g"))].map(([, count]) => Number(count));

/** Rules that refuse, more than a list shows one by one. */
export const refusals = (reasons: readonly string[]): string =>
  `hooks:\n${reasons.map((reason, index) => `  - { id: no-${index}, on: tool_start, condition: { type: always }, action: { type: gate, reason: "${reason}" } }\n`).join("")}`;
