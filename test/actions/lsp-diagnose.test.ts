/** lsp_diagnose with a scripted language server: what becomes of the findings, and of everything that can be missing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { lspDiagnose } from "../../src/actions/builtin/lsp-diagnose.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { LanguageServers } from "../../src/engine/external-services.ts";
import type { Observation, StepResult } from "../../src/engine/ports.ts";
import { type Scratch, scratch, scripted } from "../services/language-servers/scratch.ts";
import { contextOf, temporaryFolder } from "./context.ts";

const flagship = {
  path_field: "tool.params.path",
  content_field: "tool.params.content",
  publish: true,
  inject_result: true,
  read_from_disk: false,
};

interface Asked {
  params?: Fields;
  data: Fields;
  accepts?: string[];
  servers?: LanguageServers;
  signal?: AbortSignal;
}

async function run(
  { root, servers: usual }: Scratch,
  { params = {}, data, accepts, servers = usual, signal }: Asked,
): Promise<{ result: StepResult; seen: Observation[] }> {
  const context = contextOf({ name: "PostToolUse", data, cwd: root, ...(signal ? { signal } : {}) });
  const event: HookEvent = { ...context.event, ...(accepts ? { accepts } : {}) };
  const seen: Observation[] = [];
  const ports = {
    ...context.ports,
    languageServers: () => Promise.resolve(servers),
    observe: (observation: Observation) => void seen.push(observation),
  };
  assert.deepEqual(lspDiagnose.params.check(params), []);
  const result = await lspDiagnose.run(params, { ...context, event, ports, scope: { ...context.scope, event } });
  return { result, seen };
}

const started = (t: TestContext): Scratch => scratch(t, {}, scripted("asked"));
const written = (tool_input: Fields, tool_response: Fields | string = { ok: true }): Fields => ({
  tool_name: "workspace.write",
  tool_input,
  tool_response,
});

test("[D61, DT28] findings are added to a result that is an object, and no message is sent", async (t) => {
  const data = written({ path: "a.scripted", content: "good\nbad" });
  const { result, seen } = await run(started(t), { params: flagship, data });
  assert.ok(result.ok);
  const finding = {
    line: 2,
    column: 1,
    endLine: 2,
    endColumn: 4,
    severity: "error",
    message: "a bad line",
    source: "scripted",
    code: "7",
  };
  assert.deepEqual(result.outcome, { updatedOutput: { ok: true, diagnostics: [finding] } });
  assert.deepEqual(result.output.counts, { error: 1, warning: 0, information: 0, hint: 0 });
  assert.deepEqual(
    seen.map((one) => one.is === "diagnosis" && [one.hook, one.diagnosis.diagnostics.length]),
    [["hook-1", 1]],
  );
});

test("[D61, DT28] where the result is no object, the model gets one message", async (t) => {
  const { result } = await run(started(t), {
    data: written({ path: "a.scripted", content: "bad" }, "written"),
    params: flagship,
  });
  assert.deepEqual(
    result.outcome?.messages?.map(({ to, role }) => [to, role]),
    [["model", "user"]],
  );
  assert.match(result.outcome?.messages?.[0]?.text ?? "", /found in a\.scripted:\n- 1:1 error: a bad line \(7\)$/);
  assert.equal(result.outcome?.updatedOutput, undefined);
});

test("[D61, DT28] a clean file adds nothing, and hints alone are nothing", async (t) => {
  const project = started(t);
  for (const content of ["good", "bad hint"]) {
    const { result, seen } = await run(project, { params: flagship, data: written({ path: "a.scripted", content }) });
    assert.ok(result.ok);
    assert.equal(result.outcome, undefined);
    assert.deepEqual(result.output.diagnostics, []);
    assert.equal(seen.length, 1); // a clean diagnosis is published too: it clears what was shown
  }
  const { result } = await run(project, {
    params: { ...flagship, severity: "hint" },
    data: written({ path: "a.scripted", content: "bad hint" }),
  });
  assert.equal(result.ok && Array.isArray(result.output.diagnostics) && result.output.diagnostics.length, 1);
});

test("[D61] a key that the result has is never overwritten", async (t) => {
  const project = started(t);
  const input = { path: "a.scripted", content: "bad" };
  const beside = await run(project, { params: flagship, data: written(input, { diagnostics: "mine" }) });
  const output = beside.result.outcome?.updatedOutput;
  assert.ok(typeof output === "object" && output !== null && !Array.isArray(output));
  assert.equal(output.diagnostics, "mine");
  assert.equal(Array.isArray(output.lsp_diagnostics), true);
  const full = await run(project, {
    params: flagship,
    data: written(input, { diagnostics: "mine", lsp_diagnostics: null }),
  });
  assert.equal(full.result.outcome?.updatedOutput, undefined);
  assert.equal(full.result.outcome?.messages?.length, 1);
  assert.match(full.result.notes?.join() ?? "", /went as a message/);
});

test("[D61] a sender that takes no rewritten results gets the message", async (t) => {
  const { result } = await run(started(t), {
    params: flagship,
    data: written({ path: "a.scripted", content: "bad" }),
    accepts: ["context", "messages"],
  });
  assert.equal(result.outcome?.updatedOutput, undefined);
  assert.equal(result.outcome?.messages?.length, 1);
});

test("[D61] without a path nothing is diagnosed, and the reason is reported", async (t) => {
  const project = started(t);
  const { result, seen } = await run(project, { data: written({ text: "bad" }) });
  assert.ok(result.ok);
  assert.match(String(result.output.skipped), /names no file \(tool\.params\.path\)/);
  assert.equal(result.outcome, undefined);
  assert.deepEqual(seen, []);
  assert.equal(project.started.length, 0);
});

test("[D61] path and content may be dotted fields or names of parameters, and numbers index lists", async (t) => {
  const project = started(t);
  const cases: [Fields, Fields][] = [
    [{ path_field: "target", content_field: "body" }, written({ target: "a.scripted", body: "bad" })],
    [
      { path_field: "tool.params.files.0.name", content_field: "tool.params.files.0.text" },
      written({ files: [{ name: "a.scripted", text: "bad" }] }),
    ],
    [{ path_field: "tool.result.path", content_field: "body" }, written({ body: "bad" }, { path: "a.scripted" })],
  ];
  for (const [params, data] of cases) {
    const { result } = await run(project, { params, data });
    assert.equal(result.ok && result.output.file, join(project.root, "a.scripted"));
    assert.deepEqual(result.ok && result.output.counts, { error: 1, warning: 0, information: 0, hint: 0 });
  }
});

test("[D71] the flagship rule finds the file under the names that agents give it, and reads the disk after an edit", async (t) => {
  const project = started(t);
  const file = project.write("src/a.scripted", "good\nbad\n");
  const whole: Fields = { tool_name: "Write", tool_input: { file_path: file, content: "bad" }, tool_response: {} };
  const part: Fields = {
    tool_name: "Edit",
    tool_input: { file_path: file, old_string: "x", new_string: "bad" },
    tool_response: {},
  };
  for (const [data, line] of [
    [whole, 1],
    [part, 2],
  ] as const) {
    const { result } = await run(project, { params: flagship, data });
    const found = result.ok && Array.isArray(result.output.diagnostics) ? result.output.diagnostics : [];
    assert.deepEqual(
      found.map((one) => typeof one === "object" && one !== null && "line" in one && one.line),
      [line],
    );
  }
});

test("[D61] a tool that is not known to write is skipped where its text is missing and the disk may not be read", async (t) => {
  const project = started(t);
  project.write("a.scripted", "bad");
  const { result } = await run(project, { params: flagship, data: written({ path: "a.scripted" }) });
  assert.match(String(result.output.skipped), /holds no text \(tool\.params\.content\)/);
  const fromDisk = await run(project, {
    params: { ...flagship, read_from_disk: true },
    data: written({ path: "a.scripted" }),
  });
  assert.equal(fromDisk.result.outcome?.updatedOutput !== undefined, true);
});

test("[D61] without publish and inject_result there is no report, and the output still holds the findings", async (t) => {
  const { result, seen } = await run(started(t), {
    params: { inject_result: false, content_field: "content" },
    data: written({ path: "a.scripted", content: "bad" }),
  });
  assert.ok(result.ok);
  assert.deepEqual(seen, []);
  assert.equal(result.outcome, undefined);
  assert.equal(result.output.server, "node");
  assert.equal(Array.isArray(result.output.diagnostics) && result.output.diagnostics.length, 1);
});

test("[D61] at most 50 findings are reported, errors first, and long messages are cut", async (t) => {
  const project = started(t);
  const diagnostics = Array.from({ length: 80 }, (_, index) => ({
    line: index + 1,
    column: 1,
    severity: index < 70 ? ("warning" as const) : ("error" as const),
    message: "m".repeat(2000),
  }));
  const servers: LanguageServers = {
    diagnose: (file) => Promise.resolve({ file, server: "many", diagnostics }),
    close: () => Promise.resolve(),
  };
  const data = written({ path: "a.scripted" }, "text");
  const { result } = await run(project, { data, servers });
  assert.ok(result.ok);
  const told = result.output.diagnostics;
  assert.ok(Array.isArray(told) && told.length === 50);
  assert.deepEqual(
    told.slice(9, 11).map((one) => typeof one === "object" && one !== null && "severity" in one && one.severity),
    ["error", "warning"],
  );
  const message = result.outcome?.messages?.[0]?.text ?? "";
  assert.match(message, /- and 30 more$/);
  assert.ok(message.length < 50 * 600);
  assert.deepEqual(result.output.counts, { error: 10, warning: 70, information: 0, hint: 0 });
});

test("[D61] a template in the place of a field's name is reported when the rule is read", () => {
  const wrong = lspDiagnose.inspect?.({ path_field: "{{tool.params.path}}", content_field: "content" });
  assert.deepEqual(
    wrong?.map(({ path }) => path),
    [["path_field"]],
  );
  assert.deepEqual(lspDiagnose.inspect?.(flagship), []);
});

test("[D61] a language without a server is skipped with what to install, and that is no failure", async (t) => {
  const { result } = await run(scratch(t), {
    data: written({ path: "a.go", content: "x" }),
    params: { publish: true },
  });
  assert.ok(result.ok);
  assert.match(String(result.output.skipped), /gopls/);
});

test("[D61] a server in trouble fails the step with its last words, and says nothing to the agent", async (t) => {
  const { result } = await run(scratch(t, {}, scripted("crashing")), {
    params: flagship,
    data: written({ path: "a.scripted", content: "bad" }),
  });
  assert.ok(!result.ok);
  assert.match(result.reason, /out of luck/);
  assert.equal(result.outcome, undefined);
});

test("[D61] a server that is still at work when the step's time is up fails the step", async (t) => {
  const { result } = await run(scratch(t, {}, scripted("silent")), {
    params: flagship,
    data: written({ path: "a.scripted", content: "bad" }),
    signal: AbortSignal.timeout(300),
  });
  assert.ok(!result.ok);
  assert.match(result.reason, /the time was up/);
});

test("[D61] where nothing can start language servers the step fails and says so", async (t) => {
  const project = scratch(t);
  const context = contextOf({ name: "PostToolUse", data: written({ path: "a.ts" }), cwd: project.root });
  const result = await lspDiagnose.run({}, context);
  assert.ok(!result.ok);
  assert.match(result.reason, /nothing here can start language servers/);
});

test("a pipe, a device, a socket and a folder are skipped with the reason, and no server is started for them", async (t) => {
  const project = started(t);
  execFileSync("mkfifo", [join(project.root, "pipe.scripted")]);
  mkdirSync(join(project.root, "folder.scripted"));
  const server = createServer().listen(join(project.root, "socket.scripted"));
  t.after(() => server.close());
  await once(server, "listening");
  for (const name of ["pipe", "folder", "socket"]) {
    const { result } = await run(project, { data: written({ file_path: `${name}.scripted` }) });
    assert.ok(result.ok, name);
    assert.equal(result.output.skipped, "it is no regular file");
  }
  truncateSync(project.write("large.scripted", ""), (2 << 20) + 1);
  const { result } = await run(project, { data: written({ file_path: "large.scripted" }) });
  assert.equal(result.output.skipped, "larger than 2 MiB");
  assert.equal(project.started.length, 0);
});

test("a file outside of the project is neither read nor shown to a server, whatever leads to it", async (t) => {
  const project = started(t);
  const elsewhere = started(t);
  const outside = elsewhere.write("a.scripted", "bad");
  symlinkSync(outside, join(project.root, "link.scripted"));
  symlinkSync(elsewhere.root, join(project.root, "folder"));
  symlinkSync("/dev/zero", join(project.root, "zero.scripted"));
  const inputs: Fields[] = [
    { path: outside },
    { path: "link.scripted" },
    { path: "folder/a.scripted" },
    { path: "folder/new.scripted", content: "bad" },
    { path: "zero.scripted" },
  ];
  for (const input of inputs) {
    const { result } = await run(project, {
      params: { content_field: "content", read_from_disk: true },
      data: written(input),
    });
    assert.ok(result.ok);
    assert.equal(result.output.skipped, `it lies outside of the project ${project.root}`, JSON.stringify(input));
    assert.equal(result.outcome, undefined);
  }
  assert.equal(project.started.length, 0);
});

test("a link within the project, and a project that is reached by a link, are looked at", async (t) => {
  const project = started(t);
  project.write("a.scripted", "bad");
  symlinkSync("a.scripted", join(project.root, "link.scripted"));
  const way = join(temporaryFolder(t), "way");
  symlinkSync(project.root, way);
  for (const path of ["link.scripted", join(way, "a.scripted")]) {
    const { result } = await run(project, { data: written({ path }) });
    assert.equal(result.output.skipped, undefined, path);
    assert.equal(result.outcome !== undefined, true, path);
  }
});
