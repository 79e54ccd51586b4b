/** Against the language servers that people have: typescript-language-server, TypeScript's own from version 7 on, and pyright. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnosis } from "../../../src/engine/external-services.ts";
import { isAlive, type Scratch, scratch, soon } from "./scratch.ts";

const limit = { timeout: 60_000 };
const strict = JSON.stringify({ compilerOptions: { strict: true } });
const brief = ({ diagnostics }: Diagnosis): string[] =>
  diagnostics.map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`);

/** With TypeScript 5, as the project's own. */
function typescriptProject({ install }: Scratch): void {
  install("typescript", "typescript-for-its-server");
  install(".bin/typescript-language-server", ".bin/typescript-language-server");
}

test(
  "[D71] typescript-language-server: an error is found, the repaired file is clean, and an ended server comes back",
  limit,
  async (t) => {
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
  },
);

test("[D71] TypeScript 7 checks with its own server, and sees what another file has become", limit, async (t) => {
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

test(
  "[D71] pyright: an error is found, the repaired text is clean, and the disk is read where no text is given",
  limit,
  async (t) => {
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
  },
);

test("[D61] a language whose server is not installed is skipped, and nothing is started", async (t) => {
  const { servers, started, write } = scratch(t);
  const diagnosis = await servers.diagnose(write("a.ts", "const a: number = 1;"), undefined, soon());
  assert.match(diagnosis.skipped ?? "", /npm install --save-dev typescript-language-server/);
  assert.deepEqual(diagnosis.diagnostics, []);
  assert.equal(started.length, 0);
});
