/** Against more language servers that people have: TypeScript's own from version 7 on, and pyright. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnosis } from "../../../src/engine/external-services.ts";
import { isAlive, scratch, soon } from "./scratch.ts";

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
