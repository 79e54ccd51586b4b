/** More kinds of projects, and what recipes write there; add-recipe.test.ts has the usual ones. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { others, projectWith, testsOf } from "./recipe-place.ts";

testsOf(others);

test("a rules file brings the schema that it names, once, and a project's own schema is kept", (t) => {
  const { hookline, read, workspace } = projectWith(t, {});
  hookline("add", "push");
  assert.match(read(".hookline/rules/push.yaml"), /^# yaml-language-server: \$schema=\.\.\/schemas\/rules\.json$/m);
  assert.equal(read(".hookline/schemas/rules.json"), hookline("schema", "rules").stdout);
  writeFileSync(join(workspace, ".hookline/schemas/rules.json"), "{}");
  hookline("add", "guard");
  assert.equal(read(".hookline/schemas/rules.json"), "{}");
});
