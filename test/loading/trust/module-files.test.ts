/** Which files a module consists of, as its text tells. */
import assert from "node:assert/strict";
import { relative } from "node:path";
import { type TestContext, test } from "node:test";
import { filesOfModule } from "../../../src/loading/trust/module-files.ts";
import { workspace } from "../workspace.ts";

function filesOf(t: TestContext, files: Readonly<Record<string, string>>): string[] {
  const below = Object.entries(files).map(([path, text]) => [`home/project/${path}`, text]);
  const { project } = workspace(t, Object.fromEntries(below));
  const name = `${project}/hookline.config.mjs`;
  return filesOfModule({ name, from: name }).map((path) => relative(project, path));
}

test("[R30] of a package that gives import another file than require, both are a module's files", (t) => {
  const files = filesOf(t, {
    "hookline.config.mjs": 'import "two"; import "two/deep/part"; import "only"; import "#own";',
    "package.json": '{ "imports": { "#own": { "node": "./own.mjs" } } }',
    "own.mjs": "",
    "node_modules/two/package.json":
      '{ "exports": { ".": { "import": "./i.mjs", "require": "./r.cjs" }, "./deep/*": { "import": ["./lib/*.mjs"] }, "./not": "./not.mjs" } }',
    "node_modules/two/i.mjs": 'import "./below.mjs";',
    "node_modules/two/below.mjs": "",
    "node_modules/two/r.cjs": "",
    "node_modules/two/not.mjs": "",
    "node_modules/two/lib/part.mjs": "",
    "node_modules/only/package.json": '{ "exports": { "import": "./only.mjs" } }',
    "node_modules/only/only.mjs": "",
  });
  assert.deepEqual(files.sort(), [
    "hookline.config.mjs",
    "node_modules/only/only.mjs",
    "node_modules/two/below.mjs",
    "node_modules/two/i.mjs",
    "node_modules/two/lib/part.mjs",
    "node_modules/two/r.cjs",
    "own.mjs",
  ]);
});
