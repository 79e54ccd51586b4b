/** The demo that users have: as a person reads it in narrow and wide terminals, as a program reads it, and as it is packed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import test, { type TestContext } from "node:test";
import { demo } from "../../../examples/demo/demo.ts";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { bin } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { rowsIn } from "./demo-rows.ts";

/** What it prints where so many columns are to be filled. */
async function demoAt(t: TestContext, width: number): Promise<string[]> {
  const lines: string[] = [];
  const code = await demo({
    words: [],
    flags: { once: true },
    usage: "demo",
    terminal: {
      isTerminal: Number.isFinite(width),
      width,
      print: (line) => void lines.push(...line.split("\n")),
      exact: (line) => void lines.push(...line.split("\n")),
      error: (line) => assert.fail(line),
      paint: (_style, text) => text,
    },
    json: false,
    cwd: tmpdir(),
    home: tmpdir(),
    environment: { PATH: process.env.PATH ?? "" },
    self: [process.execPath, bin],
    signal: new AbortController().signal,
  });
  const folder = /recorded run are in (.*)\. Next:$/m.exec(lines.join("\n"))?.[1] ?? assert.fail("no folder");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.equal(code, 0);
  return lines;
}

test("in 80 columns the demo shows each run in two parts, so that the event and the whole answer can be read; it trusts its own sample, and nothing in the person's state", (t) => {
  const folder = temporaryFolder(t);
  const started = spawnSync(
    process.execPath,
    [join(packageForTests("asked"), "bin", "hookline.js"), "demo", "--once"],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: folder, XDG_STATE_HOME: join(folder, "state"), COLUMNS: "80" },
    },
  );
  assert.equal(started.status, 0, started.stderr);
  const place = /recorded run are in (.*)\. Next:$/m.exec(started.stdout)?.[1] ?? assert.fail("no folder");
  t.after(() => rmSync(place, { recursive: true, force: true }));
  assert.equal(existsSync(join(folder, "state", "hookline", "trust")), false);
  const lines = started.stdout.split("\n");
  const rows = rowsIn(lines);
  assert.deepEqual(
    rows.filter((row) => row.length > 80),
    [],
  );
  assert.equal(lines.filter((line) => /^ {2}(?:npx )?hookline /.test(line)).length, 3, "it ends with what to try next");
  const text = rows.join("\n");
  assert.match(text, /^event +what came of it +ms\n +hook +answered\n/);
  assert.match(
    text,
    /^PreToolUse Bash: git push --force origin main +denied: it did not run +\d+\n +no force push +Force pushes rewrite what others have\. Push without\n +--force, or ask a person\.$/m,
  );
  assert.match(text, /^SessionStop +kept in the run +\d+\n +build_check +Src build: success\. ⏎ Ran$/m);
});

test("in a wide terminal the demo shows each run side by side, a build's result before its command; its automation asks no model while the tests pass, then one that makes a task, and the team gets a notice", async (t) => {
  const lines = await demoAt(t, 400);
  const rows = rowsIn(lines);
  assert.deepEqual(
    rows.filter((row) => row.length > 400),
    [],
  );
  assert.match(rows[0] ?? "", /^event +hook +answered +what came of it +ms$/);
  assert.match(rows.join("\n"), /^SessionStop +build_check +Src build: success\. .* kept in the run +\d+$/m);
  const [passed = "", failed = ""] = rows.filter((row) => row.startsWith("code.committed"));
  assert.match(
    passed,
    /^code\.committed: Add \/health endpoint +tests after a commit +\(step_0: exit code 0 \(skip_llm_if_exit_zero\)\) +no model was asked +\d+$/,
  );
  assert.match(
    failed,
    /^code\.committed: .* tests after a commit +GET \/health answers 500 since the last commit\. .* a model was asked +\d+$/,
  );
  assert.match(lines.join("\n"), /^Notice to the team: .*tests after a commit.* completed.*`hookline\.task_create`/m);
});

test("every file of the sample is in the package: npm leaves some names out", () => {
  const root = join(import.meta.dirname, "..", "..", "..");
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout, stderr, status } = spawnSync("npm", words, { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [{ files }] = JSON.parse(stdout);
  const packed = new Set(files.map(({ path }: { path: string }) => path));
  const sample = readdirSync(join(root, "examples", "demo"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !(entry.name.endsWith(".ts") && entry.parentPath.endsWith("demo")))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
  assert.ok(sample.includes("examples/demo/workspace/gitignore"));
  assert.deepEqual(
    sample.filter((path) => !packed.has(path)),
    [],
  );
});

test("the demo that users have trusts its own sample, and nothing in the folder of the person's state", (t) => {
  const folder = temporaryFolder(t);
  const started = spawnSync(
    process.execPath,
    [join(packageForTests("asked"), "bin", "hookline.js"), "demo", "--once", "--json"],
    { encoding: "utf8", env: { PATH: process.env.PATH ?? "", HOME: folder, XDG_STATE_HOME: join(folder, "state") } },
  );
  assert.equal(started.status, 0, started.stderr);
  const { events }: { events: { outcome: { verdict?: { is: string } } }[] } = JSON.parse(started.stdout);
  const denied = events.filter(({ outcome }) => outcome.verdict?.is === "deny");
  assert.ok(denied.length > 3, `${denied.length} denials`);
  assert.equal(existsSync(join(folder, "state", "hookline", "trust")), false);
});
