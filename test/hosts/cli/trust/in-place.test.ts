/** What a person has trusted runs where it lies: scripts, programs and modules see the real project (R93). */
import assert from "node:assert/strict";
import { readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { clonedRepository, trustAll, trustedRepository } from "./in-place.ts";

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
