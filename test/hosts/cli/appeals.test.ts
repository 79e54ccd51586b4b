/** An agent may complain: it is told how, a person reads it beside the guard, and it changes nothing by itself. */
import assert from "node:assert/strict";
import test from "node:test";
import { agents } from "../../../src/agents/index.ts";
import { howToAppeal } from "../../../src/engine/counting.ts";
import { rowOf } from "../../../src/engine/events.ts";
import { runCommand } from "../../program.ts";
import { type Guarded, onTerminal, push, worldWith } from "./guards-place.ts";

const hook = (world: Guarded, command: string, more: object = {}): string => {
  const payload = {
    ...{ session_id: "s", cwd: world.workspace, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t" },
    ...{ tool_input: { command }, ...more },
  };
  const { stdout } = world.hooklineWith(JSON.stringify(payload), "hook", "claude-code", "--event", "PreToolUse");
  return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
};

test("[X10] a model whose call is refused is told in one sentence how to complain; a person who is asked, and who tries an event, is not", (t) => {
  const world = worldWith(t);
  assert.equal(hook(world, "git push"), `people push\n${howToAppeal}`);
  assert.ok(howToAppeal.length < 60 && !/[.!?] /.test(howToAppeal));
  assert.equal(hook(world, "", { tool_name: "Write", tool_input: { file_path: "a", content: "" } }), "may I write?");
  assert.equal(world.call(push).verdict?.reason, "people push");
});

test("[X10] the reply of each agent that takes a reason for a refused call keeps that sentence", () => {
  for (const adapter of Object.values(agents)) {
    if (!adapter.capabilities.PreToolUse?.includes("verdict")) continue;
    assert.ok(rowOf("PreToolUse").accepts.includes("verdict"));
    const event = {
      ...{ id: "e", name: "PreToolUse" as const, at: 0, cwd: "/w", sender: adapter.name, session: "s" },
      data: { tool_name: "Bash", tool_input: { command: "git push" } },
    };
    const verdict = { is: "deny" as const, reason: `people push\n${howToAppeal}`, by: "no_push" };
    const written = JSON.stringify(adapter.encode(event, { verdict }, undefined)).replaceAll(/\\+"/g, '"');
    assert.ok(written.includes(howToAppeal), `${adapter.name}: ${written}`);
  }
});

test("[X10] an appeal is about the last refusal here, or a run that is named, and changes nothing", (t) => {
  const world = worldWith(t);
  assert.match(world.hookline("appeal", "why").stderr, /no appeal was filed — nothing was refused here lately/);
  hook(world, "git push");
  world.call({ command: "git push b" }, { session: "t" });
  const [last, first] = world.json("runs", "--hook", "no_push");
  const filed = world.json("appeal", "it is\u001b[2J my own\nfork");
  assert.deepEqual([filed.run, filed.why], [last.id, "it is\\u001b[2J my own fork"], "control characters are shown");
  assert.equal(world.json("appeal", "mine", "--run", first.id).run, first.id);
  assert.notEqual(hook(world, "git push"), "", "it is still refused");
  const environment = { ...world.environment, CLAUDECODE: "1" };
  const byAgent = runCommand(["appeal", "in the shell of an agent"], { cwd: world.workspace, environment });
  assert.equal(byAgent.status, 0, byAgent.stderr);
});

test("[X10] each refusal has one appeal, a session ten, and what says nothing or too much is refused", (t) => {
  const world = worldWith(t);
  world.call(push);
  const says = (...words: string[]): string => world.hookline("appeal", ...words).stderr;
  assert.match(says(" \n"), /it says nothing — say why the call is right/);
  assert.match(says("x".repeat(501)), /it has 501 characters — say it in 500/);
  assert.equal(says("x".repeat(500)), "");
  assert.match(says("again"), /this refusal has its appeal already — ask the person/);
  for (let count = 1; count < 10; count++) {
    world.call({ command: `git push ${count}` });
    assert.equal(says("mine"), "");
  }
  world.call({ command: "git push once more" });
  assert.match(says("mine"), /this session has filed 10 already/);
  world.call(push, { session: "another" });
  assert.equal(says("mine"), "");
});

test("[X10] guard stats counts them, and shows what agents complain about most, with the newest words", (t) => {
  const world = worldWith(t);
  for (const [command, why] of [
    ["git push a", "mine"],
    ["npm publish", "a release"],
    ["git push b", "all mine"],
  ] as const) {
    world.call({ command });
    world.json("appeal", why);
  }
  world.hookline("emit", "guard.appealed", "--data", JSON.stringify({ why: "forged", hook: "x" }));
  const { guards, appeals } = world.json("guard", "stats");
  const [id] = guards.filter(({ name }: { name: string }) => name === "no_push");
  assert.equal(id.appealed, 3);
  const row = (pattern: string, times: number, why: string) => ({ hook: id.id, pattern, times, open: times, why });
  assert.deepEqual(appeals, [row("Bash(git push *)", 2, "all mine"), row("Bash(npm publish *)", 1, "a release")]);
  assert.match(world.hookline("guard", "stats").stdout, /no_push\S*: Bash\(git push \*\), 2 times: all mine/);
});

test("[X10] a person reads the appeal beside the refusal, and says no to it with one key", onTerminal, async (t) => {
  const world = worldWith(t);
  world.call(push);
  world.json("appeal", "it is my fork");
  world.call(push); // it tries again
  const said = await world.allowed("n");
  assert.equal(said.status, 0, said.stdout);
  assert.match(said.stdout, /no_push: people push\r\n {3}the agent says: it is my fork\r$/m);
  assert.match(
    said.stdout,
    /\[1, e makes 1 an exception, n says no to 1, q leaves\] n+\r\nno: the guard stays as it is/,
  );
  assert.equal(world.call(push).verdict?.is, "deny");
  assert.doesNotMatch((await world.allowed("q")).stdout, /agent says/);
});

test("[X10] one key writes the exception into the rule, for this call alone", onTerminal, async (t) => {
  const world = worldWith(t);
  world.call({ command: "git push origin tmp" });
  world.json("appeal", "a temporary branch");
  const said = await world.allowed("e");
  assert.equal(said.status, 0, said.stdout);
  assert.match(said.stdout, /written: unless: Bash\(git push origin tmp\), in \.hookline\/rules\/g\.yaml:3/);
  assert.match(
    world.read("workspace/.hookline/rules/g.yaml"),
    /- id: no_push\n {4}unless: "Bash\(git push origin tmp\)"\n/,
  );
  assert.deepEqual(world.call({ command: "git push origin tmp" }), {});
  for (const command of ["git push origin tmp-1", "git push origin tmp main", "git push origin tmp && rm x"])
    assert.equal(world.call({ command }).verdict?.is, "deny", command);
  world.call({ command: "git push && git push b" });
  world.json("appeal", "both");
  const byHand = await world.allowed("e");
  assert.deepEqual([byHand.status, /no pattern means this call alone/.test(byHand.stdout)], [1, true], byHand.stdout);
});
