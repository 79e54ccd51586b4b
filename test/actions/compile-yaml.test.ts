/** compile_yaml: what is written of a right document, and what is said of a wrong one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { compileYaml } from "../../src/actions/builtin/compile-yaml/compile-yaml.ts";
import type { Fields } from "../../src/engine/event.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { contextOf, temporaryFolder } from "./context.ts";

const schema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string" },
    port: { type: "integer" },
    level: { enum: ["low", "high"] },
    parts: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
  },
};

interface Folder {
  root: string;
  write(path: string, text: string): string;
  /** Compiles after a tool has written. */
  run(params: Fields, data: Fields): Promise<StepResult>;
}

function folder(context: TestContext): Folder {
  const root = temporaryFolder(context);
  return {
    root,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      return join(root, path);
    },
    async run(params, data) {
      assert.deepEqual(compileYaml.params.check(params), []);
      return compileYaml.run(params, contextOf({ name: "PostToolUse", data, cwd: root, origin: { root } }));
    },
  };
}

const wrote = (path: string, content?: string): Fields => ({
  tool_name: "Write",
  tool_input: { file_path: path, ...(content === undefined ? {} : { content }) },
  tool_response: {},
});
const placesOf = (result: StepResult): unknown[] => {
  const errors = result.output.errors;
  return Array.isArray(errors) ? errors.map((one) => isRecord(one) && `${one.line}:${one.column} ${one.at}`) : [];
};

test("[D62] a valid document is written as JSON below .hookline/state, without a message", async (t) => {
  const { root, write, run } = folder(t);
  const file = write("apps/app.yaml", "name: one # a comment\nport: 0x10\nparts: [{ id: a }]\n");
  const result = await run({ schema }, wrote(file));
  assert.ok(result.ok);
  const output = join(root, ".hookline/state/apps/app.yaml.json");
  assert.deepEqual(result.output, { file, valid: true, output });
  assert.deepEqual(JSON.parse(readFileSync(output, "utf8")), { name: "one", port: 16, parts: [{ id: "a" }] });
  assert.equal(result.outcome, undefined);
  assert.deepEqual(readdirSync(dirname(output)), ["app.yaml.json"]);
});

test("[D62] mistakes come back as one message with the place of each, and as the output", async (t) => {
  const { root, write, run } = folder(t);
  const lines = ["port: none", "level: middle", "extra: 1", "parts:", "  - id: a", "  - id: 7", ""];
  const result = await run({ schema }, wrote(write("app.yaml", lines.join("\n"))));
  assert.ok(!result.ok);
  assert.deepEqual(placesOf(result), ["1:1 ", "1:7 port", "2:8 level", "3:1 extra", "6:9 parts.1.id"]);
  const [message, ...others] = result.outcome?.messages ?? [];
  assert.deepEqual([message?.to, message?.role, others], ["model", "user", []]);
  assert.match(
    message?.text ?? "",
    /^app\.yaml does not compile:\n- app\.yaml:1:1 must have required property 'name'\n/,
  );
  assert.match(message?.text ?? "", /- app\.yaml:2:8 level: must be one of \["low","high"\]/);
  assert.match(result.reason, /^app\.yaml:1:1 .* \(and 4 more\)$/);
  assert.equal(existsSync(join(root, ".hookline")), false);
});

test("[D62] mistakes in the YAML itself have their places too, and what was compiled before stays", async (t) => {
  const { root, write, run } = folder(t);
  await run({}, wrote(write("app.yml", "a: 1\n")));
  for (const [text, place] of [
    ["a: 1\nb: [1,\nc: 2\n", /^3:/],
    ["a: 1\na: 2\n", /^2:1 /],
    ["a:\n\t- 1\n", /^2:/],
    ["a: 1\n---\nb: 1\n", /^2:/],
  ] as const) {
    const result = await run({}, wrote(write("app.yml", text)));
    assert.ok(!result.ok);
    assert.match(String(placesOf(result)[0]), place, text);
  }
  assert.deepEqual(JSON.parse(readFileSync(join(root, ".hookline/state/app.yml.json"), "utf8")), { a: 1 });
});

test("[D62] a document that its anchors would multiply is refused", async (t) => {
  const { write, run } = folder(t);
  const rows = Array.from({ length: 12 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(10)}]`);
  const result = await run({}, wrote(write("bomb.yaml", `a0: &a0 [x]\n${rows.join("\n")}\n`)));
  assert.ok(!result.ok);
  assert.match(result.reason, /alias/i);
});

test("[D62] the schema may be a file, as JSON or YAML, and of draft 7; a broken one is the step's failure", async (t) => {
  const { write, run } = folder(t);
  const file = write("app.yaml", "name: 1\n");
  write("schemas/app.json", JSON.stringify(schema));
  write(
    "schemas/app.yaml",
    "$schema: http://json-schema.org/draft-07/schema#\nproperties:\n  name: { type: string }\n",
  );
  write("schemas/broken.json", '{ "type": "nonsense" }');
  for (const path of ["schemas/app.json", "schemas/app.yaml"])
    assert.deepEqual(placesOf(await run({ schema: path }, wrote(file))), ["1:7 name"], path);
  for (const [path, reason] of [
    ["schemas/broken.json", /type/],
    ["schemas/none.json", /cannot be read/],
  ] as const) {
    const result = await run({ schema: path }, wrote(file));
    assert.ok(!result.ok);
    assert.match(result.reason, reason);
    assert.equal(result.outcome, undefined);
  }
});

test("[D62] the text that the tool gets comes before the disk, so a document can be checked before it is written", async (t) => {
  const { write, run } = folder(t);
  const file = write("app.yaml", "name: one\n");
  const result = await run({ schema }, wrote(file, "name: 1\n"));
  assert.deepEqual(placesOf(result), ["1:7 name"]);
});

test("[D62] a fixed document is compiled whatever the event names, to the given place", async (t) => {
  const { root, write, run } = folder(t);
  write("app.yaml", "name: one\n");
  const result = await run({ path: "app.yaml", output: "build/app.json", schema }, wrote("other.txt", "x"));
  assert.ok(result.ok);
  assert.deepEqual(JSON.parse(readFileSync(join(root, "build/app.json"), "utf8")), { name: "one" });
});

test("[D62] a file that is not YAML, a missing name and a file outside the project are skipped with the reason", async (t) => {
  const { run } = folder(t);
  for (const [data, reason] of [
    [wrote("a.txt", "x"), /a\.txt is no YAML file/],
    [{ tool_name: "Bash", tool_input: { command: "ls" } }, /names no file/],
    [wrote("/elsewhere/app.yaml", "a: 1"), /outside of the project/],
  ] as const) {
    const result = await run({}, data);
    assert.ok(result.ok);
    assert.match(String(result.output.skipped), reason);
    assert.equal(result.outcome, undefined);
  }
});

test("[D62] with inject false the mistakes are only in the run", async (t) => {
  const { write, run } = folder(t);
  const result = await run({ inject: false, schema }, wrote(write("app.yaml", "{}\n")));
  assert.ok(!result.ok);
  assert.equal(result.outcome, undefined);
});

test("[D62] a place that cannot be written is a failure, and nothing is left there", async (t) => {
  const { root, write, run } = folder(t);
  mkdirSync(join(root, "taken"));
  const result = await run({ output: "taken" }, wrote(write("app.yaml", "a: 1\n")));
  assert.ok(!result.ok);
  assert.match(result.reason, /the output cannot be written/);
  assert.deepEqual(readdirSync(root).toSorted(), ["app.yaml", "taken"]);
});

test("a pipe and a folder are skipped with the reason, and a schema that is one is a failure", async (t) => {
  const { root, write, run } = folder(t);
  execFileSync("mkfifo", [join(root, "pipe.yaml")]);
  mkdirSync(join(root, "folder.yaml"));
  for (const name of ["pipe.yaml", "folder.yaml"]) {
    const result = await run({}, wrote(join(root, name)));
    assert.ok(result.ok, name);
    assert.match(String(result.output.skipped), /was not read: it is no regular file$/);
    const refused = await run({ schema: name }, wrote(write("right.yaml", "a: 1\n")));
    assert.ok(!refused.ok && /the schema .* cannot be read: it is no regular file/.test(refused.reason));
  }
});

test("[T19] a document, a schema and a path that lead out of the project are not read, whatever leads there", async (t) => {
  const { root, write, run } = folder(t);
  const away = temporaryFolder(t);
  writeFileSync(join(away, "secret.yaml"), "a: 1\n");
  symlinkSync("/dev/zero", join(root, "zero.yaml"));
  symlinkSync(join(away, "secret.yaml"), join(root, "link.yaml"));
  symlinkSync(away, join(root, "folder"));
  for (const name of ["zero.yaml", "link.yaml", "folder/secret.yaml", `../${basename(away)}/secret.yaml`]) {
    const named = await run({}, wrote(join(root, name)));
    assert.match(String(named.output.skipped), /outside of the project/, name);
    const fixed = await run({ path: name }, wrote("x.txt"));
    assert.ok(!fixed.ok && /outside of the workspace/.test(fixed.reason), name);
    const schema = await run({ schema: name }, wrote(write("right.yaml", "a: 1\n")));
    assert.ok(!schema.ok && /outside of the workspace/.test(schema.reason), name);
  }
});

test("[D11, T19] nothing is written out of the project, into .git, or over what is no regular file", async (t) => {
  const { root, write, run } = folder(t);
  const away = temporaryFolder(t);
  writeFileSync(join(away, "kept.json"), "kept");
  mkdirSync(join(root, ".git"));
  symlinkSync(away, join(root, "folder"));
  symlinkSync(join(away, "kept.json"), join(root, "link.json"));
  symlinkSync(join(away, "none.json"), join(root, "nowhere.json"));
  execFileSync("mkfifo", [join(root, "pipe.json")]);
  const file = write("app.yaml", "a: 1\n");
  const places = [
    ...[join(away, "new.json"), `../${basename(away)}/new.json`, "folder/new.json", "folder/deep/new.json"],
    ...["link.json", "nowhere.json", "pipe.json", ".git/config", ".GIT/hooks/pre-commit"],
  ];
  for (const output of places) {
    const result = await run({ output }, wrote(file));
    assert.ok(!result.ok && /the output cannot be written: /.test(result.reason), output);
  }
  assert.deepEqual(readdirSync(away), ["kept.json"]);
  assert.equal(readFileSync(join(away, "kept.json"), "utf8"), "kept");
  assert.deepEqual(readdirSync(join(root, ".git")), []);
});

test("[T19] the usual output does not follow a link that the project holds, and a file with a second name elsewhere keeps its text", async (t) => {
  const { root, write, run } = folder(t);
  const away = temporaryFolder(t);
  const file = write("app.yaml", "a: 1\n");
  writeFileSync(join(away, "kept.json"), "kept");
  linkSync(join(away, "kept.json"), join(root, "second.json"));
  const second = await run({ output: "second.json" }, wrote(file));
  assert.ok(second.ok);
  assert.equal(readFileSync(join(away, "kept.json"), "utf8"), "kept");
  mkdirSync(join(root, ".hookline"));
  symlinkSync(away, join(root, ".hookline/state"));
  const usual = await run({}, wrote(file));
  assert.ok(!usual.ok && /leads out of it/.test(usual.reason));
  assert.deepEqual(readdirSync(away), ["kept.json"]);
});
