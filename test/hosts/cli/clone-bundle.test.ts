/** When a clone's bundle is made and who runs it; a stand-in makes it here, and clone-bundle.slow.test.ts makes the real one. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programRegistered, programToRegister, renewBundle } from "../../../src/hosts/cli/agents/clone-bundle.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("a clone's bundle is made when something is registered, anew once sources have changed, and a package builds nothing", (t) => {
  const clone = temporaryFolder(t);
  for (const name of ["src", "bin", "scripts"]) mkdirSync(join(clone, name));
  for (const name of ["src/a.ts", "bin/hookline.js", "scripts/build.ts", "package.json", "package-lock.json"])
    writeFileSync(join(clone, name), "");
  const node = join(clone, "node");
  writeFileSync(
    node,
    '#!/bin/sh\nmkdir -p build/bin\necho built >>build/bin/hookline.js\nprintf %s "${2#--clone=}" >build/built-from\n',
    { mode: 0o755 },
  );
  const [source, bundle] = [join(clone, "bin", "hookline.js"), join(clone, "build", "bin", "hookline.js")];
  const builds = (): number => readFileSync(bundle, "utf8").split("\n").length - 1;
  assert.equal(renewBundle([node, source]), undefined);
  assert.ok(!existsSync(bundle), "no agent runs one");
  assert.deepEqual(programRegistered([node, source]), [node, source]);
  for (let times = 0; times < 2; times++)
    assert.deepEqual(programToRegister([node, source]), { program: [node, bundle], notes: [] });
  assert.deepEqual(programRegistered([node, source]), [node, bundle]);
  assert.equal(builds(), 1);
  appendFileSync(join(clone, "src", "a.ts"), "\n");
  assert.equal(renewBundle([node, source]), undefined);
  assert.equal(builds(), 2);
  writeFileSync(node, "#!/bin/sh\necho it is broken >&2\nexit 1\n");
  appendFileSync(join(clone, "package.json"), "\n");
  const { program, notes } = programToRegister([node, source]);
  assert.deepEqual(program, [node, source]);
  assert.match(notes.join(), /the build of this clone failed, .*: it is broken/);
  Object.assign(globalThis, { BUILT_FROM: "a build" });
  t.after(() => Reflect.deleteProperty(globalThis, "BUILT_FROM"));
  assert.deepEqual(programToRegister([node, bundle]), { program: [node, bundle], notes: [] });
  assert.equal(renewBundle([node, bundle]), undefined);
});
