/** The JSON Schema of hooks.json against what reads the file, and against the examples of the pages. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "jsonc-parser";
import { hooksSchema } from "../../../src/formats/schemas.ts";
import { commonFields } from "../../../src/formats/settings/fields.ts";
import { handlerTypes } from "../../../src/formats/settings/steps.ts";
import { listedKeys } from "../../../src/formats/settings/verdict-lists.ts";
import { command, compile, settings } from "../settings-helpers.ts";

const validate = new Ajv2020({ allErrors: true }).compile(hooksSchema());
const faults = (file: unknown): string[] => {
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
const errors = (file: unknown): unknown[] =>
  compile(file, "hookline").problems.filter(({ severity }) => severity === "error");

test("what is read without a problem is valid", () => {
  const entry = { if: ["Bash(a)"], not: "Bash(a b)", reason: "r", suggestion: "s", id: "i", tags: ["t"] };
  const files: object[] = [
    {},
    { $schema: "x", "//": "remark", hooks: {}, version: 1 },
    { deny: ["Bash(a)", entry], ask: [entry] },
    { hooks: { PreToolUse: [{ matcher: "Bash", deny: ["Bash(a)"], ask: [{ if: "Bash(b)" }], hooks: [] }] } },
    { hooks: { PermissionRequest: [{ deny: ["Bash(a)"] }], pre_tool_use: [{ ask: ["Bash(a)"] }] } },
    { Stop: [{ hooks: [command("x", { timeout: 5, role: "guard", onFailure: "ask" })] }] },
    settings("deploy.started", { command: "x", resident: { memory: 100 } }),
    settings("PreToolUse", { type: "http", url: "https://a.b", if: ["Bash(a)", "Bash(b)"], not: ["Bash(a b)"] }),
    settings("Stop", { type: "agent", prompt: "p", tools: "all", turns: 3, timeout: 30 }),
    { hooks: { Stop: [{ command: "x", enabled: false }] } },
  ];
  for (const file of files) assert.deepEqual([faults(file), errors(file)], [[], []], JSON.stringify(file));
});

test("what is an error is not valid", () => {
  const files: object[] = [
    { dney: ["Bash(a)"] },
    { deny: [7] },
    { deny: [{ if: "Bash(a)", raeson: "x" }] },
    { ask: [{ if: "Bash(a)", command: "x" }] },
    { hooks: { Stop: [{ deny: ["Bash(a)"] }] } },
    { hooks: { PreTolUse: [] } },
    settings("Stop", command("x", { timout: 5 })),
    settings("Stop", command("x", { role: "gaurd" })),
    settings("Stop", command("x", { url: "https://a.b" })),
    settings("Stop", { type: "http", url: "https://a.b", command: "x" }),
    settings("Stop", { type: "comand", command: "x" }),
    settings("PreToolUse", command("x", { if: [5] })),
  ];
  for (const file of files) {
    assert.notDeepEqual(faults(file), [], JSON.stringify(file));
    assert.notDeepEqual(errors(file), [], JSON.stringify(file));
  }
});

test("every field that is read is in the schema, with what it means", () => {
  for (const [key, { json }] of Object.entries(commonFields)) assert.ok(json.description, key);
  const schema = JSON.stringify(hooksSchema());
  for (const key of [...listedKeys, ...Object.values(handlerTypes).flatMap(({ fields }) => Object.keys(fields))])
    assert.ok(schema.includes(`"${key}":`), key);
});

test("the examples of the page are valid", () => {
  const page = readFileSync("docs/hooks-json.md", "utf8");
  const blocks = [...page.matchAll(/^```jsonc?\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const files = blocks.filter((block) => /"(hooks|deny|ask)":/.test(block));
  assert.ok(files.length >= 4);
  for (const file of files) assert.deepEqual(faults(parse(file)), [], file);
});
