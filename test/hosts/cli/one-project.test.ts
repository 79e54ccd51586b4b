/** Commands are about the project of their folder, and runs are found by what a person knows of them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { bin, runCommand } from "../../program.ts";
import { world } from "../../world.ts";

const rules = (reason: string): string => `hooks:
  - id: no_push
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: gate, reason: "${reason}" }
`;

/** Two projects with one store. */
function projects(t: TestContext) {
  const { folder, environment } = world(
    t,
    {
      "shop/.hookline/rules/g.yaml": rules("not from the shop"),
      "site/.hookline/rules/g.yaml": rules("not from the site"),
    },
    { workspace: "shop", variables: { HOOKLINE_DAEMON: "off" } },
  );
  const hookline = (name: string, ...words: string[]) => runCommand(words, { cwd: join(folder, name), environment });
  const json = (name: string, ...words: string[]) => JSON.parse(hookline(name, ...words, "--json").stdout);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: { command: "git push" } });
  const push = (name: string): string => json(name, "emit", "PreToolUse", "--data", data).runs[0].id;
  return { folder, environment, hookline, json, push };
}

test("[R75] runs and why are about the project of the folder, and --all about all", (t) => {
  const { folder, hookline, json, push } = projects(t);
  const [shop, site] = [push("shop"), push("site")];
  const ids = (...words: string[]): string[] => json("shop", "runs", ...words).map(({ id }: { id: string }) => id);
  assert.deepEqual(ids(), [shop]);
  assert.deepEqual(ids("--all"), [site, shop]);
  assert.deepEqual(ids("--project", "../site"), [site]);
  assert.match(hookline("shop", "why").stdout, /not from the shop/);
  assert.match(hookline("shop", "why", "--all").stdout, /not from the site/);
  mkdirSync(join(folder, "other"));
  assert.match(hookline("other", "runs").stdout, /no run matches.*\n.*--all shows/);
  assert.match(
    hookline("other", "why").stderr,
    /no such event of this project is recorded, so this is one of .*\/site$/m,
  );
});

test("[R75] what a filter of runs cannot mean is said, and no empty list is shown for it", (t) => {
  const { hookline } = projects(t);
  for (const [words, says] of [
    [["--event", "PreTolUse"], /no event is called "PreTolUse".*PreToolUse/],
    [["--event", "tool_end"], /tool_end means PostToolUse and PostToolUseFailure — .* — name one of them/],
    [["--limit", "99999999999999999999"], /--limit must be a whole number from 1 to 10000/],
    [["--session", ""], /--session must be a text that is not empty/],
  ] as const) {
    const { status, stderr } = hookline("shop", "runs", ...words);
    assert.equal(status, 2, words.join(" "));
    assert.match(stderr, says);
  }
  assert.match(hookline("shop", "why", "--session", "nosuch").stderr, /no run or event is called "nosuch"/);
});

test("[R75] automations that the store keeps for another project are in list and check only with --all", (t) => {
  const { hookline, json } = projects(t);
  const made = hookline(
    "site",
    ...'automation create nightly --trigger {"type":"event","event_type":"code.pushed"} --prompt-template x'.split(" "),
  );
  assert.equal(made.status, 0, made.stderr);
  const names = (name: string, ...words: string[]): string[] =>
    json(name, "list", ...words).map((hook: { name: string }) => hook.name);
  assert.ok(names("site").includes("nightly"));
  assert.ok(!names("shop").includes("nightly"));
  assert.ok(names("shop", "--all").includes("nightly"));
  assert.match(hookline("shop", "list").stdout, /1 automation of other projects is left out: --all lists them/);
});

test("runs are found by the hook's name, by time, status and text, and a run by the beginning of its id", (t) => {
  const { hookline, json, push } = projects(t);
  const id = push("shop");
  const count = (...words: string[]): number => json("shop", "runs", ...words).length;
  const [hook] = json("shop", "runs");
  assert.deepEqual(
    [
      ["--hook", "no_push"],
      ["--hook", hook.hook],
      ["--since", "1h"],
      ["--since", "2020-01-01"],
      ["--text", "FROM the shop"],
    ].map((words) => count(...words)),
    [1, 1, 1, 1, 1],
  );
  assert.deepEqual(
    [
      ["--text", "site"],
      ["--status", "failed"],
      ["--since", "2100-01-01"],
    ].map((words) => count(...words)),
    [0, 0, 0],
  );
  assert.match(hookline("shop", "runs", "--hook", "no_psh").stderr, /did you mean "no_push"\?/);
  assert.match(
    hookline("shop", "runs", "--since", "soon").stderr,
    /a time such as 30m, 2h or 1d, or a date, not "soon"/,
  );
  const shown = hookline("shop", "runs").stdout.trimEnd().split(" ").at(-1) ?? "";
  assert.ok(shown.length === 13 && id.startsWith(shown), "the list shows as much of the id as is needed");
  for (const words of [
    ["why", shown],
    ["runs", "show", shown],
  ])
    assert.match(hookline("shop", ...words).stdout, /not from the shop/);
  push("shop");
  const several = hookline("shop", "why", id.slice(0, 3));
  assert.equal(several.status, 2);
  assert.match(several.stderr, new RegExp(`ids begin with "${id.slice(0, 3)}".*say which: `));
});

test("a denial has never the mark of what passed", (t) => {
  const { hookline, push } = projects(t);
  const id = push("shop");
  for (const words of [["why"], ["why", id], ["runs"]]) {
    const { stdout } = hookline("shop", ...words);
    assert.match(stdout, /✗ +no_push/);
    assert.ok(!stdout.includes("✓"), stdout);
  }
});

test("a misspelt action of runs is answered with the right one", (t) => {
  const { hookline } = projects(t);
  assert.match(hookline("shop", "runs", "tial").stderr, /runs has no action "tial": did you mean "tail"\?/);
  assert.match(hookline("shop", "tail").stderr, /did you mean `hookline runs tail`\?/);
});

test("runs tail prints a line for each run as it ends, and Ctrl-C ends it", async (t) => {
  const { folder, environment, push } = projects(t);
  push("shop");
  const child = spawn(process.execPath, [bin, "runs", "tail"], { cwd: join(folder, "shop"), env: environment });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout);
  const first = once(lines, "line");
  // It shows what ends from its start on, so one that came before it looked is sent again.
  const again = setInterval(() => push("shop"), 300);
  const [line] = await first.finally(() => clearInterval(again));
  assert.match(line, /^\d\d:\d\d:\d\d ✗ no_push +deny: not from the shop$/);
  child.kill("SIGINT");
  assert.deepEqual(await once(child, "exit"), [0, null]);
});
