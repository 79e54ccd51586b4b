/** Projects, the recipes that fit them, and what the recipes write. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { type World, world } from "../../world.ts";

export interface Project extends World {
  written(path: string): boolean;
  read(path: string): string;
  /** A program of the PATH that notes how it was called, and exits with the code. */
  program(name: string, code?: number): void;
}

export function projectWith(t: TestContext, files: Readonly<Record<string, string>>): Project {
  const own = Object.entries({ ".git/HEAD": "", ...files }).map(([path, text]) => [`home/shop/${path}`, text]);
  const here = world(t, Object.fromEntries(own), { workspace: "home/shop", variables: { HOOKLINE_DAEMON: "off" } });
  const { folder, workspace, environment } = here;
  environment.PATH = `${join(folder, "bin")}${delimiter}${environment.PATH}`;
  return {
    ...here,
    written: (path) => existsSync(join(workspace, path)),
    read: (path) => readFileSync(join(workspace, path), "utf8"),
    program(name, code = 0) {
      here.write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >>"${workspace}/called"\nexit ${code}\n`);
    },
  };
}

/** A recipe, a project, and the files that it gets. */
type Fitting = readonly [recipe: string, files: Readonly<Record<string, string>>, parts: readonly string[]];

/** One that fits, one that does not, two at once, and one that looks at what a project depends on. */
export const usual: readonly Fitting[] = [
  ["tests", { "package.json": '{"scripts":{"test":"node --test"}}' }, ["tests-node"]],
  ["tests", { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, []],
  ["tests", { "Cargo.toml": "", "go.mod": "", Makefile: "test:\n" }, ["tests-go", "tests-rust"]],
  ["format", { "package.json": '{"devDependencies":{"prettier":"3"}}' }, ["format-prettier"]],
];
export const others: readonly Fitting[] = [
  ["tests", { "package.json": "{ broken" }, []],
  ["tests", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, ["tests-python"]],
  ["tests", { "pyproject.toml": "[project]\n" }, []],
  ["tests", { Makefile: "all:\n\ttrue\ntest: all\n" }, ["tests-make"]],
  ["format", { "biome.json": "{}" }, ["format-biome"]],
  ["format", { "pyproject.toml": "[tool.ruff]\n" }, ["format-ruff"]],
  ["format", { "pyproject.toml": "[tool.black]\n" }, ["format-black"]],
  ["format", { "Cargo.toml": "" }, ["format-rustfmt"]],
  ["format", { "go.mod": "" }, ["format-gofmt"]],
];

/** A test for each. */
export function testsOf(fitting: readonly Fitting[]): void {
  for (const [recipe, files, parts] of fitting)
    test(`the recipe ${recipe} in a project with ${JSON.stringify(files)} writes ${parts.join(" and ") || "nothing"}`, (t) => {
      const { hookline, written } = projectWith(t, files);
      const { status, stderr } = hookline("add", recipe);
      assert.equal(status, parts.length > 0 ? 0 : 1);
      if (parts.length === 0)
        assert.match(stderr, /nothing here for the recipe .* it looks for package\.json, pyproject\.toml/);
      for (const part of parts) assert.ok(written(`.hookline/hooks/${part}.sh`), part);
      const checked = hookline("check");
      assert.match(checked.stdout, new RegExp(`^${parts.length} hooks? in .*: 0 errors, 0 warnings|^no hook`, "m"));
    });
}
