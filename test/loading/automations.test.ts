/** Automations of store and files put together: compiled once, each with its project, a file's before the store's. */

import assert from "node:assert/strict";
import test from "node:test";
import type { Hook } from "../../src/engine/hook.ts";
import type { AutomationRecords, BrokenRow, StoredAutomation } from "../../src/engine/journal.ts";
import { compileAutomation } from "../../src/formats/automations/automation.ts";
import { createAutomationSource, placeHook } from "../../src/loading/automations.ts";
import { hookSetOf } from "../../src/loading/order.ts";
import { compileFile, options } from "../formats/automation-helpers.ts";

const row = (id: string, more: Partial<StoredAutomation> = {}): StoredAutomation => ({
  project: "shop",
  id,
  name: id,
  enabled: true,
  fields: { trigger: { type: "event", event_type: "task.failed", skip_llm: true } },
  created: 1,
  updated: 1,
  ...more,
});

/** Rows that a test changes by hand, and how often one was compiled. */
function given(...rows: (StoredAutomation | BrokenRow)[]) {
  const kept = { rows, version: 1, compiled: [] as string[], workspaces: new Map<string, string | null>() };
  const records: Pick<AutomationRecords, "list" | "listening" | "version" | "workspaces"> = {
    list: () => kept.rows,
    listening: () => kept.rows,
    version: () => String(kept.version),
    workspaces: () => kept.workspaces,
  };
  const source = createAutomationSource({
    records,
    compile(written, origin, workspace) {
      const read = compileAutomation(written, origin, { ...options, ...(workspace ? { workspace } : {}) });
      kept.compiled.push(read.automation?.id ?? "");
      return read;
    },
  });
  return { kept, source };
}

const fileHook = (text: string): Hook => {
  const [hook] = compileFile(text).hooks;
  assert.ok(hook);
  return hook;
};

test("what has not changed is not compiled again, and what has is", () => {
  const { kept, source } = given(row("a"), row("b"));
  const first = source.stored();
  assert.equal(source.stored(), first);
  kept.version = 2;
  kept.rows = [row("a"), row("b", { name: "other" })];
  assert.deepEqual(
    source.stored().hooks.map(({ name }) => name),
    ["a", "other"],
  );
  assert.deepEqual(kept.compiled, ["a", "b", "b"]);
  kept.version = 3;
  kept.workspaces.set("shop", "/moved");
  assert.equal(source.stored().hooks[0]?.origin.root, "/moved");
});

test("the same two sets make the same set, with the same id in every process", () => {
  const set = hookSetOf([]);
  const [one, other] = [given(row("a")), given(row("a"))];
  const made = one.source.combine(set, one.source.stored());
  assert.equal(one.source.combine(set, one.source.stored()), made);
  assert.equal(other.source.combine(set, other.source.stored()).id, made.id);
  const none = given();
  assert.equal(none.source.combine(set, none.source.stored()), set);
});

test("[A54] one that is disabled stays in the set, so that its runs can say so", () => {
  const { source } = given(row("a", { enabled: false }));
  assert.deepEqual(
    source.stored().hooks.map(({ enabled }) => enabled),
    [false],
  );
});

test("a row that cannot be read, and one that is wrong, stop no other and are reported", () => {
  const { source } = given(
    { project: "shop", id: "bad", name: "bad", broken: "no JSON" },
    row("a"),
    row("b", { fields: { trigger: { type: "perodic" } } }),
  );
  const { hooks, problems } = source.stored();
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ["a"],
  );
  assert.deepEqual(
    problems.map(({ file, message }) => `${file}: ${message}`),
    ["automation:shop/bad: its row cannot be read: no JSON", 'automation:shop/b: no trigger is of type "perodic"'],
  );
});

test("if a file and the store have one id, the file's automation is active, and check says so", () => {
  const hook = fileHook("name: a\nproject_id: shop\ntrigger: { type: periodic, skip_llm: true }\n");
  const { source } = given(row("a"), row("b"));
  const set = hookSetOf([hook]);
  const stored = source.stored();
  const { hooks } = source.combine(set, stored);
  assert.deepEqual(hooks.map(({ id, origin }) => [id, origin.file !== undefined]).sort(), [
    ["automation:shop/a", true],
    ["automation:shop/b", false],
  ]);
  assert.deepEqual(
    source.problemsAt("/shop", set, stored).map(({ message }) => message),
    ["the automation shop/a is in the store, too; the one of this file is active"],
  );
});

test("[A8] a file's automation belongs to the project that the store has for its folder", () => {
  const hook = fileHook("name: a\ntrigger: { type: event, event_type: Stop, skip_llm: true }\n");
  assert.equal(hook.id, "automation:shop/a");
  const placed = placeHook(hook, new Map([["shop-2", "/shop"]]));
  assert.equal(placed.id, "automation:shop-2/a");
  assert.deepEqual(placed.when, { is: "of_project", with: { project: "shop-2", workspace: "/shop" } });
  assert.equal(placeHook(hook, new Map([["shop", "/shop"]])), hook);
  assert.equal(placeHook(hook, new Map([["other", "/other"]])), hook);
});

test("[R58] a folder's file takes neither the place nor the events of another project's automation, and it is reported", () => {
  const hook = fileHook("name: a\nproject_id: web\ntrigger: { type: event, event_type: Stop, skip_llm: true }\n");
  const { kept, source } = given(row("a", { project: "web" }));
  kept.workspaces.set("web", "/web");
  const set = hookSetOf([hook]);
  const { hooks } = source.combine(set, source.stored());
  assert.deepEqual(
    hooks.map(({ id, origin }) => [id, origin.root, origin.file !== undefined]),
    [
      ["automation:web/a", "/web", false],
      ["automation:shop/a", "/shop", true],
    ],
  );
  assert.deepEqual(hooks[1]?.when, { is: "of_project", with: { project: "shop", workspace: "/shop" } });
  const [problem, ...others] = source.problemsAt("/shop", set, source.stored());
  assert.deepEqual([problem?.severity, problem?.code, problem?.file], ["error", "setting-refused", hook.origin.file]);
  assert.match(problem?.message ?? "", /"project_id" is "web".*it runs as shop's/);
  assert.deepEqual(others, []);
});

test("[R58] a folder that is called like a project elsewhere has a project of its own", () => {
  const hook = fileHook("name: a\ntrigger: { type: event, event_type: Stop, skip_llm: true }\n");
  for (const elsewhere of ["/elsewhere/shop", null]) {
    const placed = placeHook(hook, new Map([["shop", elsewhere]]));
    assert.match(placed.id, /^automation:shop-[0-9a-f]{6}\/a$/);
    assert.deepEqual(placed.when, { is: "of_project", with: { project: placed.project, workspace: "/shop" } });
    assert.equal(placeHook(placed, new Map([["shop", elsewhere]])), placed);
  }
});

test("a folder gets the rows of its own project and of projects without a folder, and no others", () => {
  const bad = (project: string): BrokenRow => ({ project, id: "bad", name: "bad", broken: "no JSON" });
  const { kept, source } = given(bad("all"), bad("gone"), bad("lib"), bad("nowhere"), bad("web"));
  const places = { all: "/shop", lib: "/shop/lib", nowhere: null, web: "/web" };
  for (const [project, workspace] of Object.entries(places)) kept.workspaces.set(project, workspace);
  const told = (folder: string): string[] =>
    source.problemsAt(folder, hookSetOf([]), source.stored()).map(({ file }) => file.slice("automation:".length, -4));
  assert.deepEqual(told("/shop"), ["all", "gone", "nowhere"]);
  assert.deepEqual(told("/shop/lib/src"), ["gone", "lib", "nowhere"]);
  assert.deepEqual(told("/other"), ["gone", "nowhere"]);
});

test("[A8] the user's own automation that names a project works in that one's folder", () => {
  const text = "name: a\nproject_id: web\ntrigger: { type: event, event_type: Stop, skip_llm: true }\n";
  const [hook] = compileFile(text, { project: undefined, workspace: undefined } as object).hooks;
  assert.ok(hook);
  const { root: _root, ...origin } = hook.origin;
  const placed = placeHook({ ...hook, origin }, new Map([["web", "/web"]]));
  assert.equal(placed.origin.root, "/web");
  assert.deepEqual(placed.when, { is: "of_project", with: { project: "web", workspace: "/web" } });
});
