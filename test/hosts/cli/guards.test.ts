/** Living with a guard, by the real command: one call is allowed, a guard is off for a time, one only reports, and what all did is counted. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { operations } from "../../../src/operations/index.ts";
import { bin } from "../../program.ts";
import { allowsNothing, codeFor, onTerminal, push, rules, terminalMaker, worldWith } from "./guards-place.ts";

test("the code of a refusal is for the person: it is none of the words that the model gets", (t) => {
  const refused = worldWith(t).call(push);
  assert.equal(refused.messages?.[0]?.to, "person");
  assert.ok(!refused.verdict?.reason?.includes(codeFor(refused)));
});

test("a person at a terminal allows exactly the refused call, once", onTerminal, (t) => {
  const world = worldWith(t);
  const code = codeFor(world.call(push));
  assert.equal(codeFor(world.call({ ...push, description: "said in other words" })), code);
  const typed = world.typed(["allow-once", code.toUpperCase()]);
  assert.equal(typed.status, 0, typed.stdout);
  assert.match(typed.stdout, /^allowed once, for 5 minutes: Bash git push/);
  for (const other of [world.call({ command: "git push -f" }), world.call(push, { session: "t" })])
    assert.equal(other.verdict?.is, "deny");
  assert.deepEqual(world.call(push), {});
  assert.match(
    world.hookline("why", "last").stdout,
    /It was allowed once by a person; it would have denied: people push/,
  );
  assert.equal(world.call(push).verdict?.is, "deny", "it is used up");
});

test("of two processes that are asked at once one lets the call pass", onTerminal, async (t) => {
  const world = worldWith(t);
  assert.equal(world.typed(["allow-once", codeFor(world.call(push))]).status, 0);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: push });
  const words = [bin, "emit", "PreToolUse", "--data", data, "--session", "s", "--json"];
  const emitting = promisify(execFile);
  const both = await Promise.allSettled(
    [1, 2].map(() => emitting(process.execPath, words, { cwd: world.workspace, env: world.environment })),
  );
  const ended = both.map((one) => (one.status === "fulfilled" ? 0 : one.reason.code));
  assert.deepEqual(ended.sort(), [0, 1]);
});

test("a question can be allowed too, and not in another folder", onTerminal, (t) => {
  const world = worldWith(t);
  const file = { file_path: "a.ts", content: "x" };
  const code = codeFor(world.call(file, { tool: "Write" }));
  assert.equal(world.typed(["allow-once", code]).status, 0);
  mkdirSync(join(world.workspace, "below"));
  const data = JSON.stringify({ tool_name: "Write", tool_input: file });
  const below = world.hookline(
    "emit",
    "PreToolUse",
    "--data",
    data,
    "--session",
    "s",
    "--cwd",
    join(world.workspace, "below"),
    "--json",
  );
  assert.equal(JSON.parse(below.stdout).outcome.verdict.is, "ask");
  assert.deepEqual(world.call(file, { tool: "Write" }), {});
});

test(
  "without a terminal, in an agent's shell and in a hook's program nothing is allowed and no guard is switched off",
  onTerminal,
  (t) => allowsNothing(t, ["CLAUDECODE"]),
);

test("a code that no refusal has allows nothing, and what is no code is wrong use", onTerminal, (t) => {
  const world = worldWith(t);
  world.call(push);
  const unknown = world.typed(["allow-once", "0000000a"]);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stdout, /no call that was refused in the last 24 hours has the code 0000000a/);
  assert.equal(world.typed(["allow-once", "hello"]).status, 2);
  assert.equal(world.hookline("allow-once").status, 2);
});

test("codes differ between people's state folders, and the secret that makes them is its owner's alone", (t) => {
  const [one, other] = [worldWith(t), worldWith(t)];
  assert.notEqual(codeFor(one.call(push)), codeFor(other.call(push)));
  const state = join(one.environment.XDG_STATE_HOME ?? "", "hookline");
  assert.ok(readdirSync(state).includes("allow-once.key"));
  assert.equal(statSync(join(state, "allow-once.key")).mode & 0o777, 0o600);
});

test(
  "a guard is off in this project for a time, which list, status, why and the run say, and on again by hand",
  onTerminal,
  (t) => {
    const world = worldWith(t);
    const typed = world.typed(["guard", "off", "no_push", "--for", "1h30m"]);
    assert.equal(typed.status, 0, typed.stdout);
    assert.match(
      typed.stdout,
      /^no_push is off in \. until \d{4}-\d\d-\d\d \d\d:\d\d UTC: what it would block can now happen/,
    );
    assert.deepEqual(world.call(push), {});
    const until = /until \d{4}-\d\d-\d\d \d\d:\d\d UTC/;
    assert.match(world.hookline("why", "last").stdout, new RegExp(`switched off by a person ${until.source}`));
    assert.match(world.hookline("list").stdout, new RegExp(`^no_push +off ${until.source}`, "m"));
    assert.match(world.hookline("status").stdout, /^off +rules:\S+ until .*`hookline guard on rules:/m);
    assert.match(world.hookline("guard", "list").stdout, new RegExp(`no_push\\S* +off ${until.source}`));
    mkdirSync(join(world.workspace, "other", ".git"), { recursive: true });
    assert.match(world.hookline("guard", "on", "no_push").stdout, /^no_push is on again/);
    assert.match(world.hookline("guard", "on", "no_push").stdout, /^no_push was not switched off here/);
    assert.equal(world.call(push).verdict?.is, "deny");
  },
);

test("the user's own guard that is off in one project is on in another", onTerminal, (t) => {
  const world = worldWith(t, {
    "home/.config/hookline/rules/g.yaml": rules,
    "hookline.yaml": "hooks: []\n",
    "other/hookline.yaml": "hooks: []\n",
  });
  assert.equal(world.typed(["guard", "off", "no_push", "--for", "10m"]).status, 0);
  assert.deepEqual(world.call(push), {});
  const other = world.hookline(
    "emit",
    "PreToolUse",
    "--data",
    JSON.stringify({ tool_name: "Bash", tool_input: push }),
    "--cwd",
    join(world.workspace, "other"),
    "--json",
  );
  assert.equal(JSON.parse(other.stdout).outcome.verdict.is, "deny");
});

test("guard off needs a guard and a time of at most a day", (t) => {
  const world = worldWith(t, {
    ".hookline/rules/g.yaml": `${rules}  - id: note\n    on: tool_start\n    condition: { type: always }\n    action: { type: log, message: hello }\n`,
  });
  const wrong = (...words: string[]): string => {
    const { status, stderr } = world.hookline("guard", "off", ...words);
    assert.equal(status, 2, words.join(" "));
    return stderr;
  };
  assert.match(wrong(), /missing argument ID/);
  assert.match(wrong("no_push"), /missing flag --for TIME/);
  assert.match(wrong("no_push", "--for", "soon"), /"soon" is no time: write 30s, 5m, 2h/);
  assert.match(wrong("no_push", "--for", "25h"), /at most 24 hours, not 25h/);
  if (!terminalMaker) return;
  assert.match(world.typed(["guard", "off", "note", "--for", "1h"]).stdout, /note is no guard: `hookline pause /);
  assert.equal(world.typed(["guard", "off", "nobody", "--for", "1h"]).status, 2);
});

test("no operation loosens a guard: models may call operations", () => {
  const names = [...operations.keys()].filter((name) => /guard|allow/.test(name));
  assert.deepEqual(names, ["guard_list", "guard_stats"]);
});

test("help names the actions of guard, those of people too, and what each takes", (t) => {
  const { hookline } = worldWith(t);
  const group = hookline("guard", "--help").stdout;
  for (const action of ["list", "stats", "off", "on"]) assert.match(group, new RegExp(`^  ${action} `, "m"));
  assert.match(
    hookline("guard", "off", "--help").stdout,
    /usage: +hookline guard off ID --for TIME[\s\S]*--for +how long/,
  );
  assert.match(hookline("guard", "stats", "--help").stdout, /--days N +of so many days until now/);
  assert.match(hookline("guard", "of").stderr, /did you mean "off"/);
});

test("where nobody can answer a question is refused with the way to allow it, or what the user's settings say", (t) => {
  const world = worldWith(t);
  const file = { file_path: "a.ts", content: "x" };
  const headless = { tool: "Write", more: { HOOKLINE_HEADLESS: "1" } };
  assert.equal(world.call(file, { tool: "Write" }).verdict?.is, "ask");
  const { verdict } = world.call(file, headless);
  assert.equal(verdict?.is, "deny");
  assert.match(
    verdict?.reason ?? "",
    /^may I write\?\nNo person can be asked in this session: .*`hookline allow-once [0-9a-z]{8}` at a terminal/,
  );
  const say = (wanted: string): void => {
    const folder = join(world.environment.HOME ?? "", ".config", "hookline");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.yaml"), `headless_ask: ${wanted}\n`);
  };
  say("allow");
  assert.equal(world.call(file, headless).verdict?.is, "allow");
  say("pass");
  assert.deepEqual(world.call(file, headless), {});
  assert.equal(world.call(file, { tool: "Write" }).verdict?.is, "ask", "a person is there");
});

test("a project's file may not say what happens where nobody can answer", (t) => {
  const world = worldWith(t, { "hookline.yaml": "headless_ask: allow\n", ".hookline/rules/g.yaml": rules });
  assert.match(world.hookline("check").stdout, /a project's file may not say what happens without you/);
  const { verdict } = world.call({ file_path: "a" }, { tool: "Write", more: { HOOKLINE_HEADLESS: "1" } });
  assert.equal(verdict?.is, "deny");
});

test("a hook of any format of ours that only reports changes nothing, and list, runs, why and stats say what it would have done", (t) => {
  const command = { type: "command", name: "scan", command: "echo no >&2; exit 2", onFailure: "block", report: true };
  const world = worldWith(t, {
    ".hookline/rules/g.yaml": rules.replace("on: tool_start", "on: tool_start\n    report: true"),
    ".hookline/hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [command] }] } }),
    ".system/hooks/r.yaml":
      "id: r\nevent_type: PreAbilityCall\nreport: true\nblocking: true\nhandler: { kind: script, command: exit 3 }\n",
    "hookline.yaml":
      "hooks:\n  - id: own\n    on: tool_start\n    report: true\n    condition: { type: tool_name, match: Bash }\n    action: { type: gate, reason: mine }\n",
    "hookline.config.ts":
      'export default { hooks: [{ id: "typed", on: "PreToolUse", report: true, run: () => ({ deny: "in TypeScript" }) }] };\n',
  });
  assert.deepEqual(world.call(push), {});
  const runs = world.json("runs") as { hook: string; reason: string | null }[];
  const reasons = runs.map(({ reason }) => reason ?? "").sort();
  assert.equal(reasons.length, 5, JSON.stringify(runs));
  for (const part of [
    /^would have denied: in TypeScript$/,
    /^would have denied: mine$/,
    /^would have denied: no$/,
    /^would have denied: people push$/,
    /exit/,
  ])
    assert.ok(
      reasons.some((reason) => part.test(reason)),
      `${part} in ${reasons.join("; ")}`,
    );
  assert.match(world.hookline("why", "last").stdout, /It only reports: it would have denied: people push/);
  assert.match(world.hookline("list").stdout, /^no_push +reports only/m);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: push });
  const explained = world.json("explain", "PreToolUse", "--data", data) as { name: string; because: string }[];
  assert.match(explained.find(({ name }) => name === "no_push")?.because ?? "", /; it only reports, so/);
  const stats = world.json("guard", "stats") as {
    guards: { name: string; would_have: number; denied: number; state: string }[];
  };
  const row = stats.guards.find(({ name }) => name === "no_push");
  assert.deepEqual([row?.would_have, row?.denied, row?.state], [1, 0, "reports only"]);
});

test("report in a file that an agent reads itself is said to hold for Hookline alone", (t) => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2", report: true }] }] };
  const world = worldWith(t, { ".claude/settings.json": JSON.stringify({ hooks }) });
  assert.match(
    world.hookline("check").stdout,
    /"report": true: Hookline only records .* an agent that reads the file itself ignores the key/,
  );
});

test(
  "guard stats counts what guards did in so many days, and proposes an exception for what was allowed three times",
  onTerminal,
  (t) => {
    const world = worldWith(t);
    for (const command of ["git push origin a", "git push origin b", "git push"]) {
      const code = codeFor(world.call({ command }));
      assert.equal(world.typed(["allow-once", code]).status, 0);
      assert.deepEqual(world.call({ command }), {});
    }
    world.call({ file_path: "a", content: "x" }, { tool: "Write" });
    interface Row {
      [name: string]: unknown;
    }
    const { guards, candidates } = world.json("guard", "stats", "--days", "2") as { guards: Row[]; candidates: Row[] };
    const rowOf = (name: string): unknown[] => {
      const row = guards.find((one) => one.name === name) ?? {};
      return [row.fired, row.denied, row.asked, row.overridden, row.would_have];
    };
    assert.deepEqual(rowOf("no_push"), [6, 3, 0, 3, 0]);
    assert.deepEqual(rowOf("may_write"), [1, 0, 1, 0, 0]);
    assert.deepEqual(
      candidates.map(({ pattern, times }) => [pattern, times]),
      [["Bash(git push *)", 3]],
    );
    const shown = world.hookline("guard", "stats").stdout;
    assert.match(shown, /candidates for exceptions\n .*no_push\S*: Bash\(git push \*\) was allowed 3 times/);
    assert.equal(world.hookline("guard", "stats", "--days", "0").status, 2);
  },
);
