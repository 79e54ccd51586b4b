/** The last look before a trusted hook starts a program: the bytes that run are the bytes that a person has seen. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { stateOfFile } from "../../../src/loading/trust/item.ts";
import { createVerify } from "../../../src/loading/trust/verified.ts";
import { race } from "./race.ts";

function bound(
  t: TestContext,
  text: string,
): { root: string; script: string; hook: Hook; verify: ReturnType<typeof createVerify> } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-verified-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "repository");
  const script = join(root, "hooks", "a.sh");
  mkdirSync(join(root, "hooks"), { recursive: true });
  writeFileSync(script, text);
  chmodSync(script, 0o755);
  writeFileSync(join(root, "hooks", "lib.sh"), "echo library\n");
  mkdirSync(join(folder, "state"), { mode: 0o700 });
  const hook = { origin: { dialect: "settings", layer: "project", root }, bound: { [script]: stateOfFile(script) } };
  return { root, script, hook: hook as unknown as Hook, verify: createVerify(join(folder, "state")) };
}
const commandOf = (script: string, root: string) => ({ program: script, args: [], cwd: root, environment: {} });

test("a program of the workspace runs from a copy of the verified bytes, and finds what lies beside it", (t) => {
  const { root, script, hook, verify } = bound(t, '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\necho own\n');
  const command = verify(commandOf(script, root), hook);
  assert.ok(typeof command === "object");
  assert.notEqual(command.program, script);
  writeFileSync(script, "#!/bin/sh\necho other\n");
  assert.equal(spawnSync(command.program, { encoding: "utf8" }).stdout, "library\nown\n");
});

test("a program above the workspace folder, as a nested folder may name, is verified and started where it is", (t) => {
  const { root, script, hook, verify } = bound(t, "#!/bin/sh\n");
  const nested = { ...hook, origin: { ...hook.origin, root: join(root, "packages") } };
  const command = commandOf(script, root);
  assert.deepEqual(verify(command, nested), command);
  writeFileSync(script, "#!/bin/sh\n\n");
  assert.match(String(verify(command, nested)), /not what was trusted/);
});

test("a line for a shell is started as it is while its files hold what was trusted, and not at all when one does not", (t) => {
  const { root, script, hook, verify } = bound(t, "#!/bin/sh\n");
  const line = { program: "/bin/bash", args: ["-c", "hooks/a.sh"], cwd: root, environment: {} };
  assert.deepEqual(verify(line, hook), line);
  writeFileSync(script, "#!/bin/sh\n\n");
  assert.match(String(verify(line, hook)), /not what was trusted/);
  rmSync(script);
  assert.match(String(verify(line, hook)), /not what was trusted/);
});

test("a folder that a line runs is bound with all that is in it: a file that is put there later stops the line", (t) => {
  const { root, hook, verify } = bound(t, "#!/bin/sh\n");
  const folder = join(root, "hooks");
  const whole = { ...hook, bound: { [folder]: stateOfFile(folder) } };
  const line = { program: "/bin/bash", args: ["-c", "run-parts hooks"], cwd: root, environment: {} };
  assert.deepEqual(verify(line, whole), line);
  writeFileSync(join(folder, "new.sh"), "#!/bin/sh\n");
  assert.match(String(verify(line, whole)), /not what was trusted/);
});

test("[T3] of a script that another process exchanges all the time, only the trusted bytes ever run", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-raced-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { good, refused, evil } = race(folder, 30);
  assert.deepEqual(evil, []);
  assert.ok(good === 30 && refused > 0);
});
