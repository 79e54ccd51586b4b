/** The JSON Schemas of all formats, as `hookline schema` prints them: what they say is what the readers of the files say. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parseAllDocuments } from "yaml";
import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type Format, formats, schemaOf } from "../../src/formats/schemas.ts";
import { codeCache, runCommand } from "../program.ts";

const registry = { handlers: createHandlers(new Map()), conditions };
const compiled = (format: Format): ValidateFunction =>
  new Ajv2020({ allErrors: true }).compile(schemaOf(format, registry));
const faults = (validate: ValidateFunction, value: unknown): string[] => {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** What it would be called; JSON is YAML, and a script has it in front. */
const fileOf = (format: Format): string =>
  (format.files[0] ?? "").replace("**/", "").replace(/\*$/, "example.sh").replace("*", "example");
const textOf = ({ language, example }: Format): string =>
  language === undefined
    ? `#!/bin/sh\n#---\n${Object.entries(Object(example))
        .map(([key, value]) => `# ${key}: ${JSON.stringify(value)}\n`)
        .join("")}#---\nset -e\ntrue\n`
    : JSON.stringify(example);

for (const [name, format] of Object.entries(formats)) {
  test(`the example in the schema of ${name} is valid, and its reader finds nothing wrong with it`, (t) => {
    const validate = compiled(format);
    assert.deepEqual(faults(validate, format.example), []);
    assert.notDeepEqual(faults(validate, { ...Object(format.example), hokos: [] }), name === "app" ? [""] : []);
    const folder = mkdtempSync(join(tmpdir(), "hookline-schema-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, fileOf(format));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(format), { mode: 0o755 });
    const environment = { PATH: process.env.PATH ?? "", HOME: folder, NODE_COMPILE_CACHE: codeCache };
    const { stdout } = runCommand(["check", file], { cwd: folder, environment });
    assert.match(stdout, name === "tests" ? /^0 hooks in 1 file: 0 errors/m : /^[1-9]\d* hooks? in 1 file: 0 errors/m);
  });

  test(`every field in the schema of ${name} says what it is`, () => {
    const silent: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (Array.isArray(value)) for (const one of value) look(one, path);
      if (!isRecord(value)) return;
      for (const [key, inner] of Object.entries(value)) {
        if (key === "examples" || key === "if") continue;
        if (key === "properties" && isRecord(inner))
          for (const [field, schema] of Object.entries(inner))
            if (
              isRecord(schema) &&
              Object.keys(schema).length > 0 &&
              !("const" in schema) &&
              !("description" in schema) &&
              !("$ref" in schema)
            )
              silent.push(`${path}/${field}`);
        look(inner, `${path}/${key}`);
      }
    };
    look(schemaOf(format, registry), "");
    assert.deepEqual(silent, []);
  });
}

test("repository hooks in their page are valid, and what their reader refuses is not", () => {
  const validate = compiled(formats.registry ?? assert.fail());
  const page = readFileSync(join(import.meta.dirname, "../../docs/repository-hooks.md"), "utf8");
  const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
  const hooks = blocks
    .flatMap((text) => parseAllDocuments(text).map((one) => one.toJS()))
    .filter((one) => isRecord(one) && "id" in one);
  assert.ok(hooks.length > 0);
  for (const hook of hooks) assert.deepEqual(faults(validate, hook), [], JSON.stringify(hook));
  const good = { id: "x", event_type: "PostAbilityCall", handler: { kind: "script", command: "true" } };
  assert.deepEqual(faults(validate, [good, { ...good, "x-note": 1 }]), []);
  for (const bad of [
    { ...good, id: undefined },
    { ...good, blokcing: true },
    { ...good, handler: { kind: "skript", command: "true" } },
    { ...good, match: { ability: "x" } },
    { ...good, handler: { kind: "builtin", name: "usage_tracker", with: { recrods: "x" } } },
  ])
    assert.notDeepEqual(faults(validate, JSON.parse(JSON.stringify(bad))), [], JSON.stringify(bad));
});

test("a file script without a pattern is not valid, a session script without one is", () => {
  const validate = compiled(formats.scripts ?? assert.fail());
  assert.notDeepEqual(faults(validate, { type: "file" }), []);
  assert.deepEqual(faults(validate, { type: "session" }), []);
  assert.notDeepEqual(faults(validate, { type: "sesion" }), []);
});
