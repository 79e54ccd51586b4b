/** Living with a guard, by the real command: one call is allowed, a guard is off for a time, one only reports, and what all did is counted. */
import assert from "node:assert/strict";
import { execFile, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { operations } from "../../../src/operations/index.ts";
import { bin, codeCache, runCommand } from "../../program.ts";

interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}
interface Decided {
  verdict?: { is: string; reason?: string };
  messages?: { to: string; text: string }[];
}
interface World {
  workspace: string;
  environment: Record<string, string>;
  hookline(...words: string[]): Said;
  /** As a person types it, in a terminal with further variables. */
  typed(words: readonly string[], more?: Record<string, string>): Said;
  /** A person asks what can be allowed, and presses this key once the question stands there. */
  allowed(key?: string): Promise<Said>;
  call(input: object, given?: { tool?: string; session?: string; more?: Record<string, string> }): Decided;
  json(...words: string[]): unknown;
}

const rules = `hooks:
  - id: no_push
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: gate, reason: "people push" }
  - id: may_write
    on: tool_start
    condition: { type: tool_name, match: Write }
    action: { type: gate, ask: true, reason: "may I write?" }
`;

function worldWith(
  t: TestContext,
  files: Readonly<Record<string, string>> = { ".hookline/rules/g.yaml": rules },
): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-guards-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, "workspace");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
    COLUMNS: "400",
  };
  for (const [name, text] of Object.entries({ ...files, "home/kept": "" })) {
    const path = name.startsWith("home/") ? join(folder, name) : join(workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const run = (words: readonly string[], more = {}): Said =>
    runCommand(words, { cwd: workspace, environment: { ...environment, ...more } });
  const inTerminal = (words: readonly string[], more: Record<string, string>): [string[], SpawnOptions] => [
    ["-qec", [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" "), "/dev/null"],
    { cwd: workspace, env: { ...environment, TERM: "xterm", SHELL: "/bin/sh", ...more } },
  ];
  return {
    workspace,
    environment,
    hookline: (...words) => run(words),
    typed(words, more = {}) {
      const [line, place] = inTerminal(words, more);
      return spawnSync(terminalMaker ?? "", line, { ...place, encoding: "utf8" });
    },
    async allowed(key = "1") {
      const [line, place] = inTerminal(["allow-once"], {});
      const child = spawn(terminalMaker ?? "", line, { ...place, stdio: "pipe" });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const isAsked = /leaves\] /.test(stdout);
        stdout += text;
        if (!isAsked && /leaves\] /.test(stdout)) child.stdin.write(key);
      });
      const [status] = await once(child, "close");
      return { status, stdout, stderr: "" };
    },
    call(input, { tool = "Bash", session = "s", more = {} } = {}) {
      const data = JSON.stringify({ tool_name: tool, tool_input: input });
      const { stdout, stderr } = run(["emit", "PreToolUse", "--data", data, "--session", session, "--json"], more);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout).outcome;
    },
    json(...words) {
      const { stdout, stderr } = run([...words, "--json"]);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout);
    },
  };
}

const terminalMaker = ["/usr/bin/script", "/bin/script"].find((path) => {
  try {
    accessSync(path);
    return process.platform === "linux";
  } catch {
    return false; // not here
  }
});
const onTerminal = { skip: terminalMaker ? false : "nothing here makes a terminal" };

const toldTo = ({ messages = [] }: Decided): string => messages.map(({ text }) => text).join();
const push = { command: "git push", description: "Push it" };

test("a refusal holds no key: the person is told the command, and the model not even that", (t) => {
  const world = worldWith(t);
  const refused = world.call(push);
  assert.equal(toldTo(refused), "to allow this call once, a person types in a terminal: hookline allow-once");
  assert.deepEqual(refused.verdict?.reason, "people push");
  assert.deepEqual(
    ["allow-once", "allow-once 12345678", "allow-once --json"].map((line) => world.hookline(...line.split(" ")).status),
    [1, 2, 1],
  );
  assert.equal(world.call(push).verdict?.is, "deny");
});

test(
  "a person at a terminal sees what was refused, and one key allows exactly that call, once",
  onTerminal,
  async (t) => {
    const world = worldWith(t);
    world.call(push);
    world.call({ ...push, description: "said in other words" });
    world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" });
    const typed = await world.allowed("2");
    assert.equal(typed.status, 0, typed.stdout);
    assert.match(typed.stdout, /^1 {2}Write .*a\.ts.* \(just now\)\r\n {3}may_write: may I write\?\r$/m);
    assert.match(typed.stdout, /^2 {2}Bash git push {2}\(just now\)\r\n {3}no_push: people push\r$/m);
    assert.match(typed.stdout, /Allow which one, once, for 5 minutes\? \[1-2, q leaves\]/);
    assert.match(typed.stdout, /^allowed: exactly this call passes once/m);
    assert.doesNotMatch(typed.stdout, /^3 /m, "one call that is tried again stands once");
    for (const other of [world.call({ command: "git push -f" }), world.call(push, { session: "t" })])
      assert.equal(other.verdict?.is, "deny");
    assert.equal(world.call({ file_path: "a.ts", content: "x" }, { tool: "Write" }).verdict?.is, "ask");
    assert.deepEqual(world.call(push), {});
    assert.match(
      world.hookline("why", "last").stdout,
      /It was allowed once by a person; it would have denied: people push/,
    );
    assert.equal(world.call(push).verdict?.is, "deny", "it is used up");
  },
);

test(
  "another key than that of a refusal allows nothing, and where nothing was refused there is nothing to choose",
  onTerminal,
  async (t) => {
    const world = worldWith(t);
    assert.match(
      (await world.allowed()).stdout,
      /nothing was refused here in the last 5 minutes that a person can allow/,
    );
    world.call(push);
    for (const key of ["q", "2", "9", "\r"]) {
      const left = await world.allowed(key);
      assert.deepEqual([left.status, /nothing was allowed/.test(left.stdout)], [1, true], key);
    }
    assert.equal(world.call(push).verdict?.is, "deny");
  },
);

test("of two processes that are asked at once one lets the call pass", onTerminal, async (t) => {
  const world = worldWith(t);
  world.call(push);
  assert.equal((await world.allowed()).status, 0);
  const data = JSON.stringify({ tool_name: "Bash", tool_input: push });
  const words = [bin, "emit", "PreToolUse", "--data", data, "--session", "s", "--json"];
  const emitting = promisify(execFile);
  const both = await Promise.allSettled(
    [1, 2].map(() => emitting(process.execPath, words, { cwd: world.workspace, env: world.environment })),
  );
  const ended = both.map((one) => (one.status === "fulfilled" ? 0 : one.reason.code));
  assert.deepEqual(ended.sort(), [0, 1]);
});

test("a question can be allowed too, and not in another folder", onTerminal, async (t) => {
  const world = worldWith(t);
  const file = { file_path: "a.ts", content: "x" };
  world.call(file, { tool: "Write" });
  assert.equal((await world.allowed()).status, 0);
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
  (t) => {
    const world = worldWith(t);
    world.call(push);
    const commands = [["allow-once"], ["guard", "off", "no_push", "--for", "1h"]];
    for (const words of commands) {
      const said = world.hookline(...words);
      assert.deepEqual([said.status, said.stdout], [1, ""]);
      assert.match(said.stderr, /nothing was allowed|no guard was switched off/);
      assert.match(said.stderr, /standard input is no terminal — only a person at a terminal can do this/);
      for (const variable of ["CLAUDECODE", "GEMINI_CLI", "HOOKLINE_DEPTH"]) {
        const inShell = world.typed(words, { [variable]: "1", CI: "true" });
        assert.equal(inShell.status, 1, variable);
        assert.match(inShell.stdout, /an agent's shell|a hook's program/);
      }
    }
    assert.equal(world.call(push).verdict?.is, "deny");
  },
);

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
    /^may I write\?\nNo person can be asked in this session: .*`hookline allow-once` at a terminal/,
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
  async (t) => {
    const world = worldWith(t);
    for (const command of ["git push origin a", "git push origin b", "git push"]) {
      world.call({ command });
      assert.equal((await world.allowed()).status, 0);
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
