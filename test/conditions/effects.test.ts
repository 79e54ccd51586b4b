/** The conditions shell and effects, and what a gate says where nobody can tell (R87). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import type { ShellSettings } from "../../src/engine/effects.ts";
import type { Fields, HookEvent, Json } from "../../src/engine/event.ts";
import type { Condition, Hook, HookSet } from "../../src/engine/hook.ts";
import { planHooks, scopeOf } from "../../src/engine/plan.ts";
import type { Found } from "../../src/engine/record.ts";

const workspace = "/srv/shop";
const registry = { handlers: createHandlers(new Map()), conditions };

const call = (input: Fields, tool = "Bash"): HookEvent => ({
  ...{ id: "1", name: "PreToolUse", at: 0, cwd: workspace, sender: "emit" },
  data: { tool_name: tool, tool_input: input },
});

async function testOf(condition: Condition): Promise<(command: string) => Found | boolean> {
  const patterns = { ...(await loadPatterns()), workspace };
  const { test: holds } = compileCondition(condition, registry, patterns);
  return (command) => holds(scopeOf(call({ command })));
}
const shell = (params: Json): Condition => ({ is: "shell", with: params });
const isUnsure = (found: Found | boolean): boolean => typeof found === "object" && found.unknown !== undefined;
const isSure = (found: Found | boolean): boolean => found !== false && !isUnsure(found);

test("all keys of a condition speak of one command", async () => {
  const holds = await testOf(shell({ runs: ["cp *", "mv *"], writes: "~/.config/**" }));
  assert.ok(isSure(holds("cp a ~/.config/b")));
  assert.equal(holds("cp a b; echo x > ~/.config/b"), false);
});

test("a command that `not` names does not count, and another one of the same line does", async () => {
  const holds = await testOf(shell({ runs: "rm -r *", not: "rm -r node_modules *" }));
  assert.equal(holds("rm -rf node_modules"), false);
  assert.ok(isSure(holds("rm -rf node_modules && rm -rf src")));
});

test("what is found names the command and the effect", async () => {
  const holds = await testOf(shell({ deletes: "outside workspace" }));
  const { command, path, effect } = holds("ls; rm -rf /opt/x") as Found;
  assert.deepEqual([command, path, effect], ["rm -rf /opt/x", "/opt/x", "deletes /opt/x and all below"]);
});

test("words and line are regular expressions over one command and over the whole line", async () => {
  const words = await testOf(shell({ runs: "psql *", words: "(?i)\\bdrop table\\b" }));
  assert.ok(isSure(words("psql -c 'DROP TABLE t'")));
  assert.ok(isSure(words("echo 'drop table t' | psql app")));
  assert.ok(isSure(words("psql app <<'EOF'\ndrop table t;\nEOF")));
  assert.equal(words("echo 'drop table t'; psql -c 'select 1'"), false);
  const line = await testOf(shell({ line: "# unsafe$" }));
  assert.ok(isSure(line("ls # unsafe")));
  assert.equal(line("ls"), false);
});

test("[R87] where it is not known which program runs, a rule holds, unless it says pass; its answer may be another", async () => {
  const plain = await testOf(shell({ runs: "git push *" }));
  assert.ok(isUnsure(plain("$X push")));
  assert.equal(plain("node -e 'child_process.exec(x)'"), false);
  const pass = await testOf(shell({ runs: "git push *", unknown: "pass" }));
  assert.equal(pass("$X push"), false);
  const ask = await testOf(shell({ runs: "git push *", unknown: "ask" }));
  assert.equal((ask("$X push") as Found).answer, "ask");
});

test("[R87] unclear asks for what nobody can tell, and for nothing else", async () => {
  const program = await testOf(shell({ unclear: "program" }));
  assert.ok(isUnsure(program("$X")));
  assert.equal(program("git push"), false);
  const code = await testOf(shell({ unclear: "code" }));
  assert.ok(isUnsure(code("python3 -c 'import os; os.system(input())'")));
  assert.equal(code("$X"), false);
});

test("the opposite of what is unsure is unsure, and of several a sure answer counts", async () => {
  const not = await testOf({ not: shell({ runs: "git push *" }) });
  assert.ok(isUnsure(not("$X")));
  assert.equal(not("git push"), false);
  assert.equal(not("ls"), true);
  const any = await testOf({ any: [shell({ runs: "git push *" }), shell({ runs: "ls *" })] });
  assert.ok(isSure(any("$X; ls")));
});

test("effects looks at every tool, shell at shells alone", async () => {
  const patterns = { ...(await loadPatterns()), workspace };
  const writes = { writes: "*.lock" };
  const event = call({ file_path: `${workspace}/yarn.lock`, content: "" }, "Write");
  const by = (is: string): Found | boolean =>
    compileCondition({ is, with: writes }, registry, patterns).test(scopeOf(event));
  assert.ok(isSure(by("effects")));
  assert.equal(by("shell"), false);
});

test("a place that there is not, a pipe that is none and a condition that asks for nothing are errors that say what to write", async () => {
  const patterns = await loadPatterns();
  const fault = (params: Json): string => {
    try {
      compileCondition(shell(params), registry, patterns);
      return "";
    } catch (error) {
      return String((error as { facts?: { advice?: string } }).facts?.advice ?? error);
    }
  };
  assert.match(fault({ writes: "credential" }), /did you mean "credentials"/);
  assert.match(fault({ pipes: "network to shell" }), /SOURCE → SINK/);
  assert.match(fault({}), /give one of runs/);
  assert.match(fault({ rums: "x" }), /runs|parameters/);
});

test("a gate says the true reason where nobody can tell, takes the condition's answer, and allows nothing then", async () => {
  const gate = registry.handlers.get("gate");
  const event = call({ command: "$X" });
  const run = async (params: Fields, match: Found | undefined): Promise<unknown> => {
    const context = { hook: { id: "h" }, event, scope: scopeOf(event, match) };
    assert.ok(gate);
    const ended = await gate.run(params as never, context as never);
    return ended.outcome?.verdict;
  };
  assert.deepEqual(await run({ decision: "deny", reason: "No.", suggestion: "do y." }, undefined), {
    ...{ is: "deny", by: "h", reason: "No. Instead: do y." },
  });
  const unsure = { unknown: "cannot tell what `$X` runs" };
  const said = (await run({ decision: "deny", reason: "No." }, unsure)) as { is: string; reason: string };
  assert.equal(said.is, "deny");
  assert.match(said.reason, /cannot tell what `\$X` runs/);
  assert.doesNotMatch(said.reason, /No\./);
  assert.equal(((await run({ decision: "deny" }, { ...unsure, answer: "ask" })) as { is: string }).is, "ask");
  assert.equal(await run({ decision: "allow" }, unsure), undefined);
});

test("[R99] Task and Agent are one tool in matchers, lists and conditions", async () => {
  const patterns = { ...(await loadPatterns()), workspace };
  const names: readonly Condition[] = [
    { is: "tool_name", with: { match: "Task" } },
    { is: "tool_name", with: { match: ["Agent"] } },
    { is: "tool", with: "Task(reviewer)" },
    { is: "tool", with: "Agent(reviewer)" },
    { is: "match", with: "Task|Write" },
  ];
  for (const condition of names) {
    const { test: holds } = compileCondition(condition, registry, patterns);
    for (const tool of ["Task", "Agent"])
      assert.ok(holds(scopeOf(call({ subagent_type: "reviewer" }, tool))), JSON.stringify([condition, tool]));
    assert.equal(holds(scopeOf(call({ subagent_type: "reviewer" }, "Skill"))), false);
  }
});

test("[R102] a person's settings name programs that run others, and say what follows for a shell that nobody can read", async () => {
  const patterns = { ...(await loadPatterns()), workspace };
  const runsOthers: ReadonlySet<string> = new Set(["with-secrets"]);
  const words = (line: string, own?: ReadonlySet<string>): string[] =>
    patterns
      .commands(line, { cwd: workspace, home: "/home/ada", ...(own ? { runsOthers: own } : {}) })
      .commands.map((one) => one.words.join(" "));
  assert.deepEqual(words("with-secrets prod make"), ["with-secrets prod make"]);
  assert.deepEqual(words("with-secrets prod make", runsOthers), ["with-secrets prod make", "make"]);
});

test("[R102] hooks of a set ask by the settings of the person that it was loaded for", async () => {
  const patterns = await loadPatterns();
  const hook = (params: Json): Hook => ({
    ...{ id: "h", name: "h", on: { event: ["PreToolUse"] }, when: shell(params), mode: "sync", role: "guard" },
    ...{ onFailure: "block", priority: 100, enabled: true, tags: [], limits: { overlap: "queue" } },
    steps: [{ uses: "gate", with: {}, timeout: 1, onError: "stop" }],
    origin: { dialect: "rules", layer: "user" },
  });
  const holds = (params: Json, event: HookEvent, settings?: ShellSettings): boolean => {
    const set: HookSet = { id: "s", hooks: [hook(params)], workspace, ...(settings ? { shell: settings } : {}) };
    const [plan] = planHooks(set, registry, patterns).find(event);
    return plan !== undefined && plan.open?.(scopeOf(event)) !== false;
  };
  const wrapped = call({ command: "with-secrets prod make" });
  assert.equal(holds({ runs: "make" }, wrapped), false);
  assert.ok(holds({ runs: "make" }, wrapped, { runs_others: ["with-secrets"] }));
  const foreign = call({ command: "Get-ChildItem" }, "PowerShell");
  assert.ok(holds({ unclear: "program" }, foreign));
  assert.equal(holds({ unclear: "program" }, foreign, { unread: { PowerShell: "pass" } }), false);
});
