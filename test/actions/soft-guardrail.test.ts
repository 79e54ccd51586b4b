/** soft_guardrail: which rules hold, what they answer, and what is found wrong in them when the file is read. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { softGuardrail } from "../../src/actions/builtin/soft-guardrail.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns, patternNeeds } from "../../src/conditions/patterns.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import { contextOf, type Surroundings } from "./context.ts";

const patterns = await loadPatterns();

interface Wish extends Surroundings {
  changes?: HookEvent["changes"];
  environment?: Record<string, string>;
}

async function judge(rules: Fields[], wish: Wish = {}) {
  const params: Fields = { rules };
  assert.deepEqual(softGuardrail.params.check(params), []);
  assert.deepEqual(softGuardrail.inspect?.(params, patterns), []);
  const caller = { environment: wish.environment ?? {} };
  const context = contextOf({ ...wish, caller });
  const event = wish.changes ? { ...context.event, changes: wish.changes } : context.event;
  // the schema has looked at it
  return softGuardrail.run(params as unknown as Parameters<typeof softGuardrail.run>[0], {
    ...context,
    event,
    ports: { ...context.ports, patterns },
    signal: context.signal,
  });
}

const block = (when: Fields, message = "not here"): Fields => ({ when, do: "block", message });
const warn = (when: Fields, message: string): Fields => ({ when, do: "warn", message });
const bash = (command: string): Surroundings => ({ data: { tool_name: "Bash", tool_input: { command } } });

const denies = async (when: Fields, wish: Wish): Promise<boolean> =>
  (await judge([block(when)], wish)).outcome?.verdict?.is === "deny";

test("[B35, BT16] a rule that blocks denies with its message, and the person gets a message", async () => {
  const message = "This ability would write to production. In this environment, it is blocked.";
  const result = await judge([block({ ability: "deploy", environment: "prod" }, message)], {
    data: { tool_name: "Skill", tool_input: { skill: "deploy" } },
    environment: { HOOKLINE_ENV: "prod" },
  });
  assert.ok(result.ok);
  assert.deepEqual(result.output, { messages_to_user: [message], error: "blocked_by_policy" });
  assert.deepEqual(result.outcome, {
    verdict: { is: "deny", reason: message, by: "hook-1" },
    messages: [{ to: "person", text: message }],
  });
});

test("[B28, B35] warnings gather up to the first rule that blocks", async () => {
  const rules = [
    warn({ ability: "Bash" }, "one"),
    warn({ ability: "Write" }, "other"),
    block({ ability: "*" }, "two"),
    warn({ ability: "*" }, "three"),
  ];
  const result = await judge(rules, bash("ls"));
  assert.deepEqual(result.output.messages_to_user, ["one", "two"]);
  assert.equal(result.outcome?.verdict?.reason, "two");
  const warned = await judge([warn({ ability: "B*" }, "one"), warn({ input: "^ls" }, "two")], bash("ls"));
  assert.deepEqual(warned.outcome, { messages: ["one", "two"].map((text) => ({ to: "person", text })) });
  assert.deepEqual(await judge([block({ ability: "Write" })], bash("ls")), { ok: true, output: {} });
});

test("[B35] abilities are known by their id, by kind and id, and by the tool that calls them", async () => {
  const skill = { data: { tool_name: "Skill", tool_input: { skill: "deploy-prod" } } };
  for (const ability of ["deploy-prod", "deploy-*", "skill:*", "Skill", ["nothing", "deploy-pro?"]])
    assert.equal(await denies({ ability }, skill), true, String(ability));
  for (const ability of ["deploy", "agent:*", "Bash"]) assert.equal(await denies({ ability }, skill), false, ability);
  assert.equal(await denies({ operation_key: "skill.*" }, skill), true);
  const told = { data: { ability_id: "x", operation_key: "db.migrate", tool_name: "x" } };
  assert.equal(await denies({ operation_key: ["db.*", "fs.*"] }, told), true);
  assert.equal(await denies({ operation_key: "fs.*" }, told), false);
});

test("[B35, B14] the environment is HOOKLINE_ENV, ci where CI is set, and dev otherwise", async () => {
  const cases = [
    [{}, "dev"],
    [{ CI: "true" }, "ci"],
    [{ CI: "true", HOOKLINE_ENV: "prod" }, "prod"],
    [{ CI: "false" }, "dev"],
    [{ CI: " 1\n", HOOKLINE_ENV: " " }, "ci"],
    [{ HOOKLINE_ENV: " prod\r\n" }, "prod"],
  ] as const;
  for (const [environment, name] of cases) {
    assert.equal(await denies({ environment: [name] }, { environment }), true, name);
    assert.equal(await denies({ environment: ["other"] }, { environment }), false, name);
  }
});

test("[B35] an expression is searched in every text of the input, not in its JSON", async () => {
  assert.equal(await denies({ input: String.raw`drop\s+table` }, bash("psql -c 'drop\n table x'")), true);
  assert.equal(await denies({ input: String.raw`^\{` }, bash("ls")), false);
  const deep = { data: { tool_name: "Other", tool_input: { list: [{ text: "to production" }] } } };
  assert.equal(await denies({ input: "production" }, deep), true);
  const planned = { data: { ability_id: "x", planned_input_summary: "Write to production" } };
  assert.equal(await denies({ input: "(?i)PRODUCTION" }, planned), true);
});

test("[B35] changed paths are those of the event, else of the workspace; without a slash in any folder", async () => {
  const cwd = tmpdir();
  const stop = (files: string[]): Wish => ({ name: "SessionStop", cwd, data: { changed_files: files } });
  assert.equal(await denies({ changed_paths: "db/migrations/**" }, stop(["db/migrations/1.sql"])), true);
  assert.equal(await denies({ changed_paths: "*.sql" }, stop(["db/migrations/1.sql"])), true);
  assert.equal(await denies({ changed_paths: ["*.sql"] }, stop(["src/a.ts"])), false);
  const changes = { base: cwd, files: ["a.ts"], earlier: ["db/1.sql"], removed: [] };
  assert.equal(await denies({ changed_paths: "db/*" }, { name: "SessionStop", cwd, data: {}, changes }), true);
});

test("[B35, B11] a pattern means in a rule what it means in match", async () => {
  const data = { tool_name: "Skill", tool_input: { skill: "deploy_prod" } };
  for (const glob of [
    " deploy_prod ",
    "deploy_[ps]*",
    ["", "deploy_*"],
    "skill:deploy_[!x]*",
    "Skill",
    "deploy_[xy]*",
  ]) {
    const held = conditions.get("ability")?.compile({ match: [glob].flat() }, patterns);
    const { event, scope } = contextOf({ data });
    assert.equal(await denies({ ability: glob }, { data }), held?.({ ...scope, event }), String(glob));
  }
  const stop: Wish = { name: "SessionStop", cwd: tmpdir(), data: { changed_files: ["db/migrations/1.sql"] } };
  for (const glob of ["/db/migrations/**", " db/migrations/** ", "./db/**", "/1.sql", " *.sql", "db/*"]) {
    const held = conditions.get("changed_files")?.compile({ patterns: [glob] }, patterns);
    const { event, scope } = contextOf(stop);
    assert.equal(await denies({ changed_paths: glob }, stop), held?.({ ...scope, event }) !== false, glob);
  }
  assert.equal(await denies({ environment: " prod " }, { environment: { HOOKLINE_ENV: "prod\n" } }), true);
  for (const when of [{ ability: " " }, { operation_key: [] }, { changed_paths: "/" }])
    assert.equal(softGuardrail.inspect?.({ rules: [block(when)] }, patterns).length, 1, JSON.stringify(when));
});

test("[B35] it fails if the changed files are unknown, and its failure policy decides", async () => {
  const wish: Wish = { name: "SessionStop", data: {}, changes: { unknown: "git is not there" } };
  await assert.rejects(async () => judge([block({ changed_paths: "*" })], wish), /not known: git is not there/);
  assert.deepEqual(await judge([block({ ability: "x", changed_paths: "*" })], wish), { ok: true, output: {} });
});

test("[B35] a long text and an expression that would stall others are evaluated in linear time", async () => {
  const started = process.cpuUsage();
  assert.equal(await denies({ input: "(a+)+$" }, bash(`${"a".repeat(200_000)}!`)), false);
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test("[B35] what is wrong in rules is found when the file is read, with its place", () => {
  const at = (params: Fields): string[] =>
    [...softGuardrail.params.check(params), ...(softGuardrail.inspect?.(params, patterns) ?? [])].map(({ path }) =>
      path.join("."),
    );
  assert.deepEqual(at({ rules: [] }), ["rules"]);
  assert.deepEqual(at({ rules: [block({})] }), ["rules.0.when"]);
  assert.deepEqual(at({ rules: [block({ ability: "a" }), block({ input: "(?=a)" })] }), ["rules.1.when.input"]);
  assert.deepEqual(at({ rules: [block({ input: "(" })] }), ["rules.0.when.input"]);
  assert.deepEqual(at({ rules: [block({ changed_paths: "+(a|b)" })] }), ["rules.0.when.changed_paths"]);
  assert.deepEqual(at({ rules: [block({ ability: "a" }, "")] }), ["rules.0.message"]);
  assert.deepEqual(at({ rules: [{ when: { abillity: "a" }, do: "stop", message: "m" }] }), [
    "rules.0.when.abillity",
    "rules.0.do",
  ]);
});

test("[B35] it is a guard where a rule blocks, and asks for changed files where a rule looks at them", () => {
  const { role, needsOf } = softGuardrail.builtin ?? assert.fail();
  assert.equal(role({ rules: [warn({ ability: "a" }, "m")] }), "observe");
  assert.equal(role({ rules: [warn({ ability: "a" }, "m"), block({ ability: "a" })] }), "guard");
  assert.deepEqual(needsOf?.({ rules: [block({ ability: "a" })] }), []);
  assert.deepEqual(needsOf?.({ rules: [block({ changed_paths: "a" })] }), ["changes"]);
  const hook = { on: { event: ["PreToolUse"] }, steps: [{ uses: "soft_guardrail" }] } as unknown as Hook; // no more is looked at
  assert.equal(patternNeeds([hook]).regex, true, "the engine for its expressions is loaded for one event too");
});
