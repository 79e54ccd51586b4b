/** Living with a guard, by the real command: one call is allowed, a guard is off for a time, one only reports, and what all did is counted. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { operations } from "../../../src/operations/index.ts";
import { runCommand } from "../../program.ts";
import { countsWhatIsAllowed, type Decided, onTerminal, push, rules, worldWith } from "./guards-place.ts";

const toldTo = ({ messages = [] }: Decided): string => messages.map(({ text }) => text).join();

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

test("without a terminal, in an agent's shell and in a hook's program nothing is allowed and no guard is switched off", (t) => {
  const world = worldWith(t);
  world.call(push);
  const because: readonly [variables: Record<string, string>, says: RegExp][] = [
    [{}, /standard input is no terminal — only a person at a terminal can do this/],
    [{ CLAUDECODE: "1", CI: "true" }, /CLAUDECODE is set, so this is an agent's shell/],
    [{ GEMINI_CLI: "1" }, /GEMINI_CLI is set, so this is an agent's shell/],
    [{ HOOKLINE_DEPTH: "1" }, /a hook's program runs it/],
  ];
  for (const words of [["allow-once"], ["guard", "off", "no_push", "--for", "1h"]])
    for (const [variables, says] of because) {
      const environment = { ...world.environment, ...variables };
      const said = runCommand(words, { cwd: world.workspace, environment });
      assert.deepEqual([said.status, said.stdout], [1, ""]);
      assert.match(said.stderr, /nothing was (?:allowed|done)|no guard was switched off/);
      assert.match(said.stderr, says);
    }
  assert.equal(world.call(push).verdict?.is, "deny");
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

test("guard off needs a guard and a time of at most a day", (t) => {
  const world = worldWith(t);
  const wrong = (...words: string[]): string => {
    const { status, stderr } = world.hookline("guard", "off", ...words);
    assert.equal(status, 2, words.join(" "));
    return stderr;
  };
  assert.match(wrong(), /missing argument ID/);
  assert.match(wrong("no_push"), /missing flag --for TIME/);
  assert.match(wrong("no_push", "--for", "soon"), /"soon" is no time: write 30s, 5m, 2h/);
  assert.match(wrong("no_push", "--for", "25h"), /at most 24 hours, not 25h/);
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

test("guard stats counts what guards did in so many days, and proposes an exception for what was allowed three times", (t) =>
  countsWhatIsAllowed(worldWith(t), (world) => world.allowedBefore()));
