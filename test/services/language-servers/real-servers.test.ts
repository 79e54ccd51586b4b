/** Against a language server that people have: typescript-language-server. Others: real-servers.slow.test.ts. */
import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Diagnosis } from "../../../src/engine/external-services.ts";
import { isAlive, type Scratch, scratch, soon } from "./scratch.ts";

const strict = JSON.stringify({ compilerOptions: { strict: true } });
const brief = ({ diagnostics }: Diagnosis): string[] =>
  diagnostics.map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`);

/** With TypeScript 5, as the project's own. */
function typescriptProject({ install }: Scratch): void {
  install("typescript", "typescript-for-its-server");
  install(".bin/typescript-language-server", ".bin/typescript-language-server");
}

test("[D71] typescript-language-server: an error is found, the repaired file is clean, and an ended server comes back", async (t) => {
  const project = scratch(t, {
    "tsconfig.json": strict,
    "src/part.ts": "export const part = (n: number): number => n;\n",
  });
  typescriptProject(project);
  const { servers, started, write } = project;
  const file = write("src/a.ts", 'import { part } from "./part.ts";\n\nexport const a = part("one");\n');
  const broken = await servers.diagnose(file, undefined, soon());
  assert.equal(broken.server, "typescript-language-server");
  assert.match(
    broken.diagnostics.map(({ message }) => message).join("\n"),
    /'string' is not assignable to .* 'number'/,
  );
  assert.ok(brief(broken).includes("3:23 error 2345"));

  const repaired = 'import { part } from "./part.js";\nexport const a = part(1);\n';
  assert.deepEqual(brief(await servers.diagnose(file, repaired, soon())), []);
  assert.deepEqual(brief(await servers.diagnose(file, repaired, soon())), []); // clean stays clean, and is told
  assert.deepEqual(brief(await servers.diagnose(file, "export const a: number = ;\n", soon())), ["1:26 error 1109"]);

  const [first] = started;
  assert.ok(first);
  process.kill(first.pid, "SIGKILL");
  write("src/a.ts", repaired);
  assert.deepEqual(brief(await servers.diagnose(file, undefined, soon())), []);
  assert.equal(started.length, 2);
  await servers.close();
  assert.deepEqual(
    started.filter(({ pid }) => isAlive(pid)),
    [],
  );
});

test("[D61] a language whose server is not installed is skipped, and nothing is started", async (t) => {
  const { servers, started, write } = scratch(t);
  const diagnosis = await servers.diagnose(write("a.ts", "const a: number = 1;"), undefined, soon());
  assert.match(diagnosis.skipped ?? "", /npm install --save-dev typescript-language-server/);
  assert.deepEqual(diagnosis.diagnostics, []);
  assert.equal(started.length, 0);
});

test("a server of TypeScript asks npm for no typings, whichever version the project has", async (t) => {
  for (const version of ["typescript", "typescript-for-its-server"]) {
    const project = scratch(t, { "package.json": '{"dependencies":{"lodash":"4"}}' });
    const { root, servers, write, install } = project;
    install("typescript", version);
    install(".bin/typescript-language-server", ".bin/typescript-language-server");
    const npm = write("programs/npm", `#!/bin/sh\necho "$@" >>'${root}/asked'\nexit 1\n`);
    chmodSync(npm, 0o755);
    const { skipped } = await servers.diagnose(write("a.js", 'require("lodash").each();\n'), undefined, soon());
    assert.equal(skipped, undefined);
    await servers.close(); // what it has started by then has said so
    assert.ok(!existsSync(join(root, "asked")), version);
  }
});
