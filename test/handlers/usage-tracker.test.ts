/** usage_tracker with real files: what it writes, what it refuses to write to, and many processes at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { EventName, Fields } from "../../src/core/event.ts";
import type { StepResult } from "../../src/core/ports.ts";
import { type UsageTrackerParams, usageTracker } from "../../src/handlers/usage-tracker.ts";
import { createRedaction } from "../../src/trust/redaction.ts";
import { contextOf, temporaryFolder } from "./context.ts";

interface Call {
  name?: EventName;
  data?: Fields;
  params?: UsageTrackerParams;
}
const bash: Fields = { tool_name: "Bash", tool_input: { command: "ls src" }, tool_response: "a.ts", duration_ms: 40 };

async function record(
  folder: string,
  { name = "PostToolUse", data = bash, params = {} }: Call = {},
): Promise<StepResult> {
  assert.deepEqual(usageTracker.params.check(params), []);
  const context = contextOf({ name, data, cwd: folder, origin: { root: folder }, as: ["PostAbilityCall"] });
  return usageTracker.run(params, context);
}

const records = (folder: string): string => readFileSync(join(folder, ".system/logs/tool_call.md"), "utf8");
const lines = (folder: string): Fields[] =>
  readFileSync(join(folder, ".system/logs/hooks.log"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const usage = (folder: string): Record<string, Fields> =>
  JSON.parse(readFileSync(join(folder, ".system/cache/ability_usage.json"), "utf8")).abilities;

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

test("[B39] twenty processes record at once: no record, no line and no count is lost", async (t) => {
  const folder = temporaryFolder(t);
  const script = join(import.meta.dirname, "record-usage.ts");
  const ends = Array.from({ length: 20 }, (_none, index) => {
    const child = spawn(process.execPath, [script, folder, `ability-${index % 4}`, "5"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return once(child, "exit");
  });
  assert.deepEqual(
    (await Promise.all(ends)).map(([code]) => code),
    Array(20).fill(0),
  );
  assert.equal(records(folder).match(/^## /gm)?.length, 100);
  assert.equal(lines(folder).length, 100);
  const counts = Object.fromEntries(Object.entries(usage(folder)).map(([name, one]) => [name, one.count]));
  assert.deepEqual(counts, { "ability-0": 25, "ability-1": 25, "ability-2": 25, "ability-3": 25 });
  assert.deepEqual(readdirSync(join(folder, ".system/cache")), ["ability_usage.json"], "nothing is left beside it");
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
  const later = contextOf({ name: "PostToolUse", data: bash, cwd: folder });
  await usageTracker.run({ folder }, { ...later, event: { ...later.event, at: 1000 }, signal: later.signal });
  assert.equal(usage(folder).Bash?.count, 4, "goes on in the new log");
  rmSync(cache);
  await record(folder);
  assert.equal(usage(folder).Bash?.count, 2, "what is left in the log");
});

test("[B33] an event that is about no ability is not recorded", async (t) => {
  const folder = temporaryFolder(t);
  const result = await record(folder, { name: "SessionStart", data: { source: "startup" } });
  assert.deepEqual([result.ok, result.output], [true, { usage_recorded: false }]);
  assert.equal(existsSync(join(folder, ".system")), false);
});
