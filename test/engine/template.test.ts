import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Fields, firstTurn, type Json } from "../../src/engine/event.ts";
import type { Scope } from "../../src/engine/ports.ts";
import { compileTemplate, compileTemplateParts, placeholders } from "../../src/engine/template.ts";

const scopeOf = (data: Fields, outputs: readonly Fields[] = [], rest: Partial<Scope> = {}): Scope => ({
  event: { id: "e", name: "PreToolUse", at: 0, cwd: "/", data, sender: "test", session: "s-1" },
  turn: { ...firstTurn, prompt: "do it", number: 3 },
  names: [],
  results: outputs.map((output) => ({ uses: "x", ok: true, output, ms: 0 })),
  ...rest,
});
const fill = (template: Json, data: Fields = {}, outputs: readonly Fields[] = []): Json =>
  compileTemplate(template)(scopeOf(data, outputs));

test("[AT1, AT2, AT3, A40] a step prints its main output, or the field that is asked for", () => {
  assert.equal(
    fill("Results: {{step_0}}", {}, [{ stdout: "all tests pass", exit_code: 0 }]),
    "Results: all tests pass",
  );
  assert.equal(fill("Exit: {{step_0.exit_code}}", {}, [{ exit_code: 1 }]), "Exit: 1");
  assert.equal(fill("{{step_0}} {{step_1}}", {}, [{ stdout: "first" }, { content: "second" }]), "first second");
  assert.equal(fill("x {{step_0}}", {}, [{ stdout: "", content: [], diff: "d" }]), "x d");
  assert.equal(fill("x {{step_0}}", {}, [{ exit_code: 0 }]), 'x {"exit_code":0}');
});

test("[AT4, AT5, AT20] the event prints as JSON, its fields as they are", () => {
  assert.equal(fill("Task: {{event.task_id}}", { task_id: "abc123" }), "Task: abc123");
  assert.deepEqual(JSON.parse(String(fill(" {{event}}", { a: [1, { b: null }] }))), { a: [1, { b: null }] });
  assert.equal(fill("{{event.last_run_time}}", { last_run_time: "2026-01-01T00:00:00Z" }), "2026-01-01T00:00:00Z");
});

test("[AT6, AT7, AT8, A40, D70] a missing step, event field or path is empty, an unknown root stays as written", () => {
  for (const text of [
    "{{step_5}}",
    "{{event.task_id}}",
    "{{step_0.nofield}}",
    "{{tool.error}}",
    "{{previous}}",
    "{{match.files}}",
    "{{event.}}",
  ]) {
    assert.equal(fill(text), "", text);
    assert.equal(fill(`a${text}b`), "ab", text);
  }
  for (const text of [
    "{{foo}}",
    "{{foo.bar}}",
    "{{step_x}}",
    "{{}}",
    "{{event",
    "{{ev ent}}",
    "{{constructor}}",
    "{{toString.name}}",
  ]) {
    assert.equal(fill(text), text);
    assert.equal(fill(`a ${text}`), `a ${text}`);
  }
});

test("[R20, D64] a placeholder that is the whole string keeps its type, in any depth", () => {
  const data = { n: 1, yes: true, list: [1], nothing: null };
  assert.deepEqual(fill({ a: ["{{event.n}}", { b: "{{ event.yes }}" }], c: "{{event.list}}", d: 5 }, data), {
    a: [1, { b: true }],
    c: [1],
    d: 5,
  });
  assert.equal(fill("{{event.nothing}}", data), null);
  assert.equal(fill("{{event.n}}{{event.n}}", data), "11");
  assert.equal(fill(" {{event.list}}", data), " [1]");
});

test("[D65, D66, D67, D68, D69, D70] the tool's name, parameters, result and error are reached by 003's names", () => {
  const data = {
    tool_name: "Bash",
    tool_input: { a: { b: [10, { c: "x" }] } },
    tool_response: { ok: true },
    error: "broke",
  };
  assert.equal(
    fill(
      "{{tool.name}} {{tool.params.a.b.0}} {{tool.params.a.b.1.c}} {{tool.result.ok}} {{tool.result}} {{ tool.error }}",
      data,
    ),
    'Bash 10 x true {"ok":true} broke',
  );
});

test("[D65] where the event has no tool, its name is that of the tool in flight", () => {
  const read = (data: Fields, tool?: string): Json =>
    compileTemplate("{{tool.name}}|{{tool.params.x}}|{{tool.error}}")(
      scopeOf(data, [], { turn: { ...firstTurn, ...(tool === undefined ? {} : { tool }) } }),
    );
  assert.equal(read({ error: "rate_limit" }, "Bash"), "Bash||");
  assert.equal(read({ tool_name: "Write", tool_input: { x: 1 } }, "Bash"), "Write|1|");
  assert.equal(read({}), "||");
});

test("[D70] a tool's error is the event's, or what a result that failed says of it", () => {
  const error = (data: Fields): Json => fill("{{tool.error}}", { tool_name: "x", ...data });
  assert.equal(error({ error: "exit 1" }), "exit 1");
  assert.equal(error({ tool_response: { success: false, error: "no such table" } }), "no such table");
  assert.equal(error({ tool_response: { success: true, error: "no such table" } }), "");
  assert.equal(error({ tool_response: { success: false } }), "");
});

test("[R20] prompt, answer, error and agent are those of the event, else of the turn", () => {
  const turn = { ...firstTurn, prompt: "p", answer: "a", error: "before", agent: { id: "main", type: "reviewer" } };
  const text = "{{prompt}} {{answer}} {{error}} {{agent.id}} {{agent.type}}";
  assert.equal(compileTemplate(text)(scopeOf({}, [], { turn })), "p a before main reviewer");
  const scope = scopeOf({ error: "now" }, [], { turn });
  const event = { ...scope.event, agent: { id: "sub" } };
  assert.equal(compileTemplate(text)({ ...scope, event }), "p a now sub ");
});

test("[D64, D65, D66, D68, D69, D70] every placeholder of the table is known, has a meaning, and no other root is", () => {
  for (const { name, meaning } of placeholders) {
    const text = `{{${name.replace("_N", "_0").replace(/\.X$/, ".some.0.thing")}}}`;
    assert.equal(compileTemplateParts(text)[0]?.is, "value", name);
    assert.ok(meaning.length > 10, name);
  }
  const roots = new Set(placeholders.map(({ name }) => name.split(".")[0]));
  const known = "agent answer error event match previous prompt session step_N tool turn";
  assert.deepEqual([...roots].sort().join(" "), known);
});

test("[R41, D67] a path walks into objects and lists, and a key that holds the dot is tried first", () => {
  assert.equal(fill("{{event.a.b}}", { a: { b: 1 } }), 1);
  assert.equal(fill("{{event.a.b}}", { a: { b: 1 }, "a.b": 2 }), 2);
  assert.equal(fill("{{event.a.b.c}}", { a: { b: { c: 1 } }, "a.b": { d: 2 } }), 1);
  assert.equal(fill("{{event.x.y.z}}", { x: { "y.z": 3 } }), 3);
  assert.equal(fill("{{event.list.1}}", { list: [1, 2] }), 2);
  assert.equal(fill("{{event.list.-1}}", { list: [1] }), "{{event.list.-1}}", "which check calls an error");
  for (const path of ["list.length", "list.9", "text.0", "text.length"])
    assert.equal(fill(`{{event.${path}}}`, { list: [1], text: "ab" }), "", path);
});

test("only own properties are reached", () => {
  for (const path of ["__proto__", "constructor", "constructor.name", "toString", "a.__proto__.x", "hasOwnProperty"]) {
    assert.equal(fill(`{{event.${path}}}`, { a: {} }), "", path);
  }
  const made = compileTemplate(JSON.parse('{"__proto__": "{{event.n}}"}'))(scopeOf({ n: 1 }));
  assert.deepEqual(Object.entries(made ?? {}), [["__proto__", 1]]);
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
});

test("[R20] previous, match, turn and session have their values", () => {
  const scope = scopeOf({}, [{ stdout: "one" }, { rows: [1] }], { match: { files: ["a", "b"] } });
  const read = (text: string): Json => compileTemplate(text)(scope);
  assert.deepEqual(read("{{previous}}"), { rows: [1] });
  assert.equal(read("{{previous.rows.0}}"), 1);
  assert.deepEqual(read("{{match.files}}"), ["a", "b"]);
  assert.equal(read("{{turn.prompt}} {{turn.number}} {{session}}"), "do it 3 s-1");
});

test("braces next to a placeholder are text, and what a value holds is never read again", () => {
  assert.equal(fill('{"a":{{event.n}}}', { n: 1 }), '{"a":1}');
  assert.equal(fill("{{{event.n}}}", { n: 1 }), "{1}");
  assert.equal(fill("{{ {{event.n}} }}", { n: 1 }), "{{ 1 }}");
  assert.equal(fill("a {{event.x}}", { x: "{{event.secret}}", secret: "s" }), "a {{event.secret}}");
});

test("[R18] the parts of a text are its literals and placeholders in order", () => {
  const parts = compileTemplateParts("a {{ event.x }}{{foo}} b");
  assert.deepEqual(
    parts.map((part) =>
      part.is === "text" ? part.text : { written: part.written, value: part.read(scopeOf({ x: "it's" })) },
    ),
    ["a ", { written: "{{ event.x }}", value: "it's" }, "{{foo}} b"],
  );
});

test("a tree without placeholders is given back as it is", () => {
  const tree = { a: ["x", { b: "{{foo}}" }], n: 1 };
  assert.equal(compileTemplate(tree)(scopeOf({})), tree);
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes("{{")),
      (text) => assert.equal(fill(text), text),
    ),
  );
});

test("no text makes a template throw, and its parts are the whole text", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "{",
    "}",
    "event",
    ".",
    "a",
    "step_0",
    " ",
    "0",
    "__proto__",
    "tool",
    "\n",
    "previous",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.jsonValue(), (pieces, value) => {
      const text = pieces.join("");
      const written = compileTemplateParts(text).map((part) => (part.is === "text" ? part.text : part.written));
      assert.equal(written.join(""), text);
      fill([text, { a: text }], { a: JSON.parse(JSON.stringify(value)) }, [{ a: 1 }]);
    }),
  );
});

test("long texts and long paths take linear time", () => {
  const started = performance.now();
  for (const unit of ["{{", "}}", "{{a", "{{event.a}}", "{{{", "{{ {{"]) fill(unit.repeat(50_000), { a: 1 });
  fill(`{{event${".a".repeat(50_000)}}}`, { a: { a: 1 } });
  let deep: Json = 1;
  for (let depth = 0; depth < 60; depth++) deep = { a: deep, "a.a": depth };
  fill(`{{event${".a".repeat(60)}}}`, { a: deep });
  assert.ok(performance.now() - started < 600_000);
});

test("{{tool.params.path}} is the file of the call for every tool that has one, whatever the tool calls it", () => {
  for (const field of ["path", "file_path", "notebook_path", "filePath", "absolute_path", "filename"])
    assert.equal(fill("{{ tool.params.path }}", { tool_name: "x", tool_input: { [field]: "/a.ts" } }), "/a.ts", field);
  assert.equal(fill("{{tool.params.path}}", { tool_name: "x", tool_input: { file_path: "/a", path: "/b" } }), "/b");
  assert.equal(fill("{{tool.params.path}}", { tool_name: "Bash", tool_input: { command: "ls" } }), "");
  assert.equal(fill("{{tool.params.constructor}}", { tool_name: "x", tool_input: { file_path: "/a" } }), "");
});
