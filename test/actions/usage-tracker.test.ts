/** usage_tracker with real files: what it writes, what it refuses to write to, and many processes at once. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usageTracker } from "../../src/actions/builtin/usage-tracker.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import { createRedaction } from "../../src/storage/redaction/redaction.ts";
import { contextOf, temporaryFolder } from "./context.ts";
import { lines, records, usage } from "./usage-records.ts";

interface Call {
  name?: EventName;
  data?: Fields;
  params?: Fields;
}
const bash: Fields = { tool_name: "Bash", tool_input: { command: "ls src" }, tool_response: "a.ts", duration_ms: 40 };

async function record(
  folder: string,
  { name = "PostToolUse", data = bash, params = {} }: Call = {},
): Promise<StepResult> {
  assert.deepEqual(usageTracker.params.check(params), []);
  const context = contextOf({ name, data, cwd: folder, origin: { root: folder }, as: ["PostAbilityCall"] });
  return usageTracker.run(params, { ...context, run: randomUUID(), signal: context.signal });
}

test("[B33, B39] each call leaves a record, a line of JSON with its facts, and a count", async (t) => {
  const folder = temporaryFolder(t);
  const first = await record(folder);
  assert.ok(first.ok);
  assert.equal(first.output.usage_recorded, true);
  const data = { ...bash, tool_response: undefined, error: "no such file", duration_ms: 60 } as unknown as Fields;
  await record(folder, { name: "PostToolUseFailure", data });
  assert.equal(
    records(folder),
    [
      "## 1970-01-01T00:00:00.000Z Bash",
      "",
      "- operation: tool.Bash",
      "- status: success",
      "- duration in ms: 40",
      "- session: session-1",
      "- input: ls src",
      "- output: a.ts",
      "",
      "## 1970-01-01T00:00:00.000Z Bash",
      "",
      "- operation: tool.Bash",
      "- status: failure",
      "- duration in ms: 60",
      "- session: session-1",
      "- input: ls src",
      "- output: no such file",
      "",
      "",
    ].join("\n"),
  );
  const facts = ["hook_id", "event_type", "status", "duration_ms", "ability_id"];
  assert.deepEqual(
    lines(folder).map((line) => facts.map((name) => line[name])),
    [
      ["guard", "PostAbilityCall", "success", 40, "Bash"],
      ["guard", "PostAbilityCall", "failure", 60, "Bash"],
    ],
  );
  const { count, failures, total_duration_ms: total, mean_duration_ms: mean } = usage(folder).Bash ?? {};
  assert.deepEqual({ count, failures, total, mean }, { count: 2, failures: 1, total: 100, mean: 50 });
});

test("[B19, B36] a host's own words for a call are kept: its ability, operation, status and summaries", async (t) => {
  const folder = temporaryFolder(t);
  const data: Fields = {
    ability_id: "billing_regression",
    operation_key: "workflow.billing.regression",
    status: "skipped",
    input_summary: "Run regression tests against non-prod billing",
    output_summary: "Nothing to do",
  };
  assert.ok((await record(folder, { data })).ok);
  assert.match(
    records(folder),
    /billing_regression\n\n- operation: workflow\.billing\.regression\n- status: skipped\n/,
  );
  assert.match(records(folder), /- input: Run regression tests against non-prod billing\n- output: Nothing to do\n/);
  assert.equal(lines(folder)[0]?.duration_ms, null);
  assert.deepEqual(Object.keys(usage(folder)), ["billing_regression"]);
});

test("[B39] an ability that is called like a property of objects is counted as any other", async (t) => {
  const folder = temporaryFolder(t);
  for (const name of ["__proto__", "constructor", "__proto__"])
    await record(folder, { data: { ...bash, tool_name: name } });
  const counts = Object.entries(usage(folder)).map(([name, { count }]) => [name, count]);
  assert.deepEqual(counts.toSorted(), [
    ["__proto__", 2],
    ["constructor", 1],
  ]);
});

test("[B39] what a call says stays on one line of the record, and is no Markdown of its own", async (t) => {
  const folder = temporaryFolder(t);
  const command = `echo "x"\n## 2030-01-01 forged\n- status: success | [here](http://x) <img> \`a\` *b* \u001b[31m`;
  await record(folder, { data: { ...bash, tool_input: { command: command + "y".repeat(2000) } } });
  const written = records(folder);
  assert.equal(written.match(/^## /gm)?.length, 1);
  assert.equal(written.match(/^- status: /gm)?.length, 1);
  const input = /^- input: (.*)$/m.exec(written)?.[1] ?? "";
  assert.ok(input.length < 700 && input.endsWith("…"));
  for (const piece of ["⏎", "\\|", "\\[here\\]", "\\<img\\>", "\\`a\\`", "\\*b\\*", "u001b"])
    assert.ok(input.includes(piece), piece);
  assert.ok(!written.includes("\u001b"));
});

test("[B39] neither a name nor a time of a host's own is Markdown, and no address becomes a link", async (t) => {
  const folder = temporaryFolder(t);
  const forged = "x\n\n# FORGED\n";
  const output = "see http://a.example, https://b.example, www.c.example, mailto:d@e.example";
  const data: Fields = {
    ability_id: forged,
    status: "success",
    timestamp: `Jan 1 2025 (${forged})`,
    output_summary: output,
  };
  assert.ok((await record(folder, { data })).ok);
  const [heading = "", ...others] = records(folder).split("\n");
  assert.match(heading, /^## 20\d\d-[\dT:.-]+Z x ⏎ \\# FORGED ⏎$/);
  assert.equal(
    others.some((line) => line.startsWith("#")),
    false,
  );
  assert.ok(
    records(folder).includes(
      "- output: see http\\://a.example, https\\://b.example, www\\.c.example, mailto\\:d\\@e.example\n",
    ),
  );
});

test("[B39, B33] secrets are taken out of names too, and before anything is cut", async (t) => {
  const folder = temporaryFolder(t);
  const secret = "s3cr3t-v4lue-that-is-rather-long!";
  const redact = createRedaction({ environment: { API_TOKEN: secret } });
  const data = { tool_name: `deploy ${secret}`, tool_input: { command: `${"x".repeat(480)}${secret}` } };
  const context = contextOf({ name: "PostToolUse", cwd: folder, data });
  const ports = { ...context.ports, redact };
  assert.ok((await usageTracker.run({}, { ...context, ports, signal: context.signal })).ok);
  for (const written of [records(folder), JSON.stringify(lines(folder)), JSON.stringify(usage(folder))])
    assert.doesNotMatch(written, /s3cr/);
  assert.match(records(folder), /^## \S+ deploy \\\[redacted\\\]$/m);
});

test("[B39, T19] a file that has another name as well is not written to", async (t) => {
  const folder = temporaryFolder(t);
  const outside = join(temporaryFolder(t), "file");
  writeFileSync(outside, "");
  mkdirSync(join(folder, ".system/logs"), { recursive: true });
  linkSync(outside, join(folder, ".system/logs/tool_call.md"));
  const result = await record(folder);
  assert.match(result.ok ? "" : result.reason, /has another name as well.*nothing is written there$/);
  assert.equal(readFileSync(outside, "utf8"), "");
});

test("[B39] a folder is meant from the project on, and a project's hook stays in it", async (t) => {
  const folder = temporaryFolder(t);
  const outside = temporaryFolder(t);
  mkdirSync(join(folder, "packages/a"), { recursive: true });
  symlinkSync(outside, join(folder, "away"));
  const run = (where: string) => {
    const context = contextOf({
      name: "PostToolUse",
      data: bash,
      cwd: join(folder, "packages/a"),
      origin: { root: folder },
    });
    return usageTracker.run({ folder: where }, context);
  };
  assert.ok((await run("packages")).ok);
  assert.ok(existsSync(join(folder, "packages/.system/logs/hooks.log")));
  for (const where of ["..", outside, "away"]) {
    const result = await run(where);
    assert.match(result.ok ? "" : result.reason, /lies outside of the project$/, where);
  }
  assert.deepEqual(readdirSync(outside), []);
  const told = (where: string, root?: string) =>
    usageTracker.inspect?.({ folder: where }, undefined, root ? { root } : {});
  assert.deepEqual(
    told("/elsewhere", folder)?.map(({ path }) => path),
    [["folder"]],
  );
  assert.deepEqual([told("packages", folder), told("/elsewhere")], [[], []], "one's own hooks may work anywhere");
});

test("[B39] secrets are taken out before anything is written", async (t) => {
  const folder = temporaryFolder(t);
  const context = contextOf({
    name: "PostToolUse",
    cwd: folder,
    data: { ...bash, tool_input: { command: "login s3cr3t-v4lue!" } },
  });
  const redact = createRedaction({ environment: { API_TOKEN: "s3cr3t-v4lue!" } });
  const ports = { ...context.ports, redact };
  assert.ok((await usageTracker.run({ folder }, { ...context, ports, signal: context.signal })).ok);
  assert.ok(records(folder).includes("redacted") && !records(folder).includes("s3cr3t"));
});

test("[B39] it writes nowhere but in the repository, whatever its parameters and links say", async (t) => {
  const outside = temporaryFolder(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, ".git"));
  mkdirSync(join(folder, "inside"));
  writeFileSync(join(outside, "file"), "");
  symlinkSync(outside, join(folder, "away"));
  symlinkSync(join(outside, "file"), join(folder, "link"));
  symlinkSync(join(outside, "none"), join(folder, "dangling"));
  symlinkSync(join(folder, ".git"), join(folder, "to-git"));
  const refused = ["../x", join(outside, "x"), ".", "away/x", "link", "dangling", ".git/config", "to-git/x", "inside"];
  for (const path of refused) {
    const result = await record(folder, { params: { records: path } });
    assert.ok(!result.ok && result.failure === "error", path);
    assert.match(result.reason, /nothing is written there$/, path);
  }
  assert.deepEqual(readdirSync(outside), ["file"]);
  assert.equal(readFileSync(join(outside, "file"), "utf8"), "");
  assert.deepEqual(readdirSync(join(folder, ".git")), []);
  assert.deepEqual(
    usageTracker.inspect?.({ records: "../x", log: "a/b.log", cache: "/etc/x" }).map(({ path }) => path),
    [["records"], ["cache"]],
  );
  symlinkSync(join(folder, "inside"), join(folder, "within"));
  assert.ok(
    (await record(folder, { params: { records: "within/calls.md" } })).ok,
    "a link that stays inside is followed",
  );
  assert.ok(existsSync(join(folder, "inside", "calls.md")));
});

test("[B39] counts survive a damaged cache, a rotated log, and lines of other programs", async (t) => {
  const folder = temporaryFolder(t);
  const log = join(folder, ".system/logs/hooks.log");
  const cache = join(folder, ".system/cache/ability_usage.json");
  await record(folder);
  await record(folder);
  writeFileSync(log, `${readFileSync(log, "utf8")}{"ability_id":"Bash","status":"success"}\nno JSON\n`);
  writeFileSync(cache, "{ damaged");
  await record(folder);
  assert.equal(usage(folder).Bash?.count, 3, "made anew from the log");
  renameSync(log, `${log}.1`);
  await record(folder);
  assert.equal(usage(folder).Bash?.count, 4, "goes on in the new log");
  rmSync(cache);
  await record(folder);
  assert.equal(usage(folder).Bash?.count, 2, "what is left in the log");
});

test("[B39] what is counted does not depend on clocks: after a rotation, and in a log that was emptied, all counts", async (t) => {
  const folder = temporaryFolder(t);
  const log = join(folder, ".system/logs/hooks.log");
  const early = { ...bash, timestamp: "2001-01-01T00:00:00Z" };
  await record(folder, { data: { ...bash, timestamp: "2999-01-01T00:00:00Z" } });
  renameSync(log, `${log}.1`);
  await record(folder, { data: early });
  assert.equal(usage(folder).Bash?.count, 2, "a host's time of long ago, after one of the far future");
  await record(folder, { data: early });
  truncateSync(log);
  await record(folder, { data: early });
  assert.equal(usage(folder).Bash?.count, 4, "a log that was emptied in its place");
});

test("[B33] an event that is about no ability is not recorded", async (t) => {
  const folder = temporaryFolder(t);
  const result = await record(folder, { name: "SessionStart", data: { source: "startup" } });
  assert.deepEqual([result.ok, result.output], [true, { usage_recorded: false }]);
  assert.equal(existsSync(join(folder, ".system")), false);
});
