import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Callback } from "../../../src/actions/function/function.ts";
import { createHandlers } from "../../../src/actions/index.ts";
import { conditions } from "../../../src/conditions/index.ts";
import { createModules } from "../../../src/hosts/modules/load-modules.ts";
import type { LoadedModules } from "../../../src/loading/loading.ts";
import type { ModulePlace } from "../../../src/loading/places.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Project {
  folder: string;
  functions: Map<string, Callback>;
  write(path: string, text: string): string;
  load(...names: string[]): Promise<LoadedModules>;
}

function project(context: TestContext): Project {
  const folder = temporaryFolder(context);
  const functions = new Map<string, Callback>();
  const modules = createModules({ log() {} });
  context.after(modules.close);
  const registry = { handlers: createHandlers(functions), conditions };
  const placeOf = (name: string): ModulePlace => {
    const path = name.startsWith(".") ? join(folder, name) : name;
    const from = name.startsWith(".") ? path : join(folder, "hookline.yaml");
    return { name: path, from, layer: "project", label: name, root: folder };
  };
  return {
    folder,
    functions,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      return join(folder, path);
    },
    load: (...names) => modules.loadModules(names.map(placeOf), registry, functions),
  };
}

test("a TypeScript module finds hookline although it is installed nowhere near, and gives its hooks", async (t) => {
  const { write, load, functions } = project(t);
  write("why.ts", "export const why: string = 'not today';");
  const path = write(
    "hookline.config.ts",
    `import { defineHook } from "hookline";
import { why } from "./why.ts";
export default [defineHook({ on: "tool_start", name: "no bash", matcher: "Bash", role: "guard", run: () => ({ deny: why }) })];`,
  );
  const { modules } = await load("./hookline.config.ts");
  const [module] = modules;
  assert.deepEqual(module?.problems, []);
  assert.deepEqual(module?.files, [path, path.replace("hookline.config", "why")]);
  const [hook] = module?.hooks ?? [];
  assert.equal(hook?.name, "no bash");
  assert.equal(hook?.role, "guard");
  assert.equal(hook?.onFailure, "block");
  assert.deepEqual(hook?.on, { event: ["PreToolUse"], as: ["tool_start"] });
  assert.equal(hook?.origin.file, path);
  assert.ok(functions.has(String(hook?.steps[0].with.id)));
});

test("a module is read again after a change, and so is what it imports", async (t) => {
  const { write, load } = project(t);
  write("name.ts", "export const name: string = 'one';");
  write(
    "hookline.config.ts",
    `import { name } from "./name.ts"; export default { hooks: [{ on: "Stop", name, run: () => undefined }] };`,
  );
  const before = await load("./hookline.config.ts");
  assert.equal(before.modules[0]?.hooks[0]?.name, "one");
  write("name.ts", "export const name: string = 'two';");
  const after = await load("./hookline.config.ts");
  assert.equal(after.modules[0]?.hooks[0]?.name, "two");
});

test("[D76] a module and a package register conditions and actions; a later one may not take a name", async (t) => {
  const { write, load } = project(t);
  write("node_modules/our-package/package.json", `{ "name": "our-package", "type": "module", "main": "index.js" }`);
  write(
    "node_modules/our-package/index.js",
    `import { object, integer } from "hookline";
export default (line) => {
  line.registerCondition("long_prompt", { params: object({ words: integer("at least so many") }), test: ({ prompt }, { words }) => prompt.split(" ").length >= words });
  line.registerAction("shout", { run: () => ({ output: "LOUD" }) });
};`,
  );
  write("own.ts", `export default { conditions: { long_prompt: { test: () => true } } };`);
  write("builtin.ts", `export default { actions: { http: { run: () => undefined } } };`);
  const { modules, registry } = await load("our-package", "./own.ts", "./builtin.ts");
  assert.deepEqual(modules[0]?.problems, []);
  assert.ok(registry.conditions.has("long_prompt"));
  assert.ok(registry.handlers.get("shout")?.action);
  assert.match(modules[1]?.problems[0]?.message ?? "", /the name "long_prompt" is taken/);
  assert.match(modules[2]?.problems[0]?.message ?? "", /the name "http" is taken/);
});

test("what is wrong with a module is a problem at its place, and the other modules live", async (t) => {
  const { write, load } = project(t);
  write("thrown.ts", `const here: number = 1;\n\nthrow new Error("no luck " + here);`);
  write("syntax.ts", "export default {");
  write("shape.ts", "export default { hoks: [] };");
  write("nothing.ts", "export default 42;");
  write("no-hook.ts", "export default [{ on: 'Stop' }];");
  write(
    "event.ts",
    "export default [{ on: 'PreToolUze', name: 'typo', run: () => undefined }, { on: 'Stop', name: 'fine', run: () => undefined }];",
  );
  write("good.ts", "export default [{ on: 'Stop', run: () => undefined }];");
  const names = ["thrown", "syntax", "shape", "nothing", "no-hook", "event", "missing", "good"];
  const { modules } = await load(...names.map((name) => `./${name}.ts`), "no-such-package");
  const said = modules.map(({ problems: [one] }) =>
    one ? `${one.line}:${one.column} ${one.message} (${one.suggestion})` : "fine",
  );
  assert.match(said[0] ?? "", /^3:7 the module cannot be used: no luck 1 \(correct it at this place\)$/);
  assert.match(said[1] ?? "", /^1:1 .*Unexpected token/);
  assert.match(said[2] ?? "", /its default export is an object with "hoks"/);
  assert.match(said[3] ?? "", /its default export is 42/);
  assert.match(said[4] ?? "", /a list with something that is no hook/);
  assert.match(said[5] ?? "", /^1:24 .*no event is called "PreToolUze" \(did you mean "PreToolUse"\?\)$/);
  assert.deepEqual(
    modules[5]?.hooks.map(({ name }) => name),
    ["fine"],
  );
  assert.match(said[6] ?? "", /missing\.ts was not found/);
  assert.equal(said[7], "fine");
  assert.match(said[8] ?? "", /no-such-package was not found/);
});

test("a function may answer with what a module may export, in addition to what it registers", async (t) => {
  const { write, load } = project(t);
  write(
    "hookline.config.ts",
    `export default (setup) => {
  setup.registerCondition("always_so", { test: () => true });
  return [{ on: "Stop", name: "answered", run: () => undefined }];
};`,
  );
  write("wrong.ts", "export default () => 42;");
  const { modules, registry } = await load("./hookline.config.ts", "./wrong.ts");
  assert.deepEqual(
    modules[0]?.hooks.map(({ name }) => name),
    ["answered"],
  );
  assert.ok(registry.conditions.has("always_so"));
  assert.match(modules[1]?.problems[0]?.message ?? "", /its default export is 42/);
});

test("[R46] a module that lost a guard by a slip, or all that it exports, loses hooks; one without a guard does not", async (t) => {
  const { write, load } = project(t);
  const run = "run: () => ({ deny: true })";
  const slips = [
    `export default [{ on: "PreToolUse", rol: "guard", ${run} }];`,
    `export default [{ on: "PreTolUse", role: "guard", ${run} }];`,
    `export default [{ on: "PreToolUse", onfailure: "block", ${run} }];`,
    "",
  ];
  for (const [index, text] of slips.entries()) {
    write(`slip${index}.mjs`, text);
    const [loaded] = (await load(`./slip${index}.mjs`)).modules;
    assert.deepEqual([loaded?.hooks, loaded?.problems.map(({ loses }) => loses)], [[], [true]], text);
  }
  write("plain.mjs", `export default [{ on: "PreToolUse", nmae: "x", ${run} }];`);
  const [plain] = (await load("./plain.mjs")).modules;
  assert.deepEqual(
    plain?.problems.map(({ loses }) => loses),
    [undefined],
  );
});
