/** Against language servers that people have: typescript-language-server, TypeScript's own from version 7 on, and pyright. */
import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Diagnosis } from "../../../src/engine/external-services.ts";
import { isAlive, type Scratch, scratch, soon } from "./scratch.ts";

const strict = JSON.stringify({ compilerOptions: { strict: true } });
const brief = ({ diagnostics }: Diagnosis): string[] =>
  diagnostics.map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`);

test("[D71] TypeScript 7 checks with its own server, and sees what another file has become", async (t) => {
  const { servers, started, install, write } = scratch(t, { "tsconfig.json": strict });
  install("typescript", "typescript");
  const part = write("part.ts", "export const part = 1;\n");
  const file = write("a.ts", 'import { part } from "./part.js";\nexport const a: number = part;\n');
  assert.deepEqual(brief(await servers.diagnose(file, undefined, soon())), []);
  await servers.diagnose(write("part.ts", 'export const part = "one";\n'), undefined, soon());
  const { server, diagnostics } = await servers.diagnose(file, undefined, soon());
  assert.equal(server, "tsc");
  assert.deepEqual(
    diagnostics.map(({ line, code }) => [line, code]),
    [[2, "2322"]],
    part,
  );
  await servers.close();
  assert.equal(isAlive(started[0]?.pid ?? 0), false);
});

test("[D71] pyright: an error is found, the repaired text is clean, and the disk is read where no text is given", async (t) => {
  const { servers, started, install, write } = scratch(t);
  install(".bin/pyright-langserver", ".bin/pyright-langserver");
  const file = write("a.py", 'count: int = "one"\n');
  const broken = await servers.diagnose(file, undefined, soon());
  assert.equal(broken.server, "pyright-langserver");
  assert.deepEqual(brief(broken), ["1:14 error reportAssignmentType"]);
  assert.deepEqual(brief(await servers.diagnose(file, "count: int = 1\n", soon())), []);
  assert.deepEqual(brief(await servers.diagnose(file, undefined, soon())), ["1:14 error reportAssignmentType"]);
  await servers.close();
  assert.equal(isAlive(started[0]?.pid ?? 0), false);
});

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
