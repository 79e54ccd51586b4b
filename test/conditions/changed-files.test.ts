import assert from "node:assert/strict";
import { before, test } from "node:test";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns, patternNeeds } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import { type Changes, type Fields, firstTurn, type HookEvent, type Json } from "../../src/engine/event.ts";
import { filesNamedBy } from "../../src/engine/file-pattern.ts";
import { matchNames } from "../../src/engine/plan.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { aHook } from "../engine/a-hook.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const root = "/srv/app";
const changesOf = (files: string[], given: Partial<Changes> = {}): Changes => ({
  base: root,
  files,
  earlier: [],
  removed: [],
  ...given,
});
const eventWith = (given: Partial<HookEvent>): HookEvent => ({
  id: "e",
  name: "Stop",
  at: 0,
  cwd: root,
  data: {},
  sender: "test",
  ...given,
});
const scopeOf = (event: HookEvent): Scope => ({
  event,
  turn: firstTurn,
  names: matchNames(event),
  results: [],
  faults: [],
});
const compile = (params: Json) => compileCondition({ is: "changed_files", with: params }, { conditions }, patterns);

/** The files that are found: none is no match. */
function found(params: Fields, event: Partial<HookEvent>): Json {
  const answer = compile(params).test(scopeOf(eventWith(event)));
  return typeof answer === "object" ? (answer.files ?? null) : answer;
}
const among = (glob: string, ...files: string[]): Json => found({ patterns: [glob] }, { changes: changesOf(files) });

test("[E29, ET28, R12] a pattern without a slash means the name in any folder, one with a slash the path", () => {
  assert.deepEqual(among("*.go", "internal/server/handler.go", "main.go", "main.gox"), [
    "internal/server/handler.go",
    "main.go",
  ]);
  assert.deepEqual(among("src/*.go", "src/a.go", "src/b/a.go", "lib/src/a.go"), ["src/a.go"]);
  assert.deepEqual(among("src/**/*.ts", "src/a.ts", "src/b/c/a.ts", "a.ts"), ["src/a.ts", "src/b/c/a.ts"]);
  assert.deepEqual(among("*.{ts,tsx}", "a.ts", "x/b.tsx", "c.js"), ["a.ts", "x/b.tsx"]);
  assert.deepEqual(among("./src/*.go", "src/a.go"), ["src/a.go"]);
  assert.equal(among("*.go", "a.ts"), false);
});

test("[ET28, R12] names that begin with a dot are meant only where the pattern says so", () => {
  assert.equal(among("*.go", ".x.go"), false);
  assert.deepEqual(among(".*.go", ".x.go"), [".x.go"]);
  assert.equal(among("**/*.go", ".cache/x.go"), false);
  assert.deepEqual(among("*", ".env", "a.ts"), ["a.ts"]);
});

test("[E26] names with blanks, quotes, line breaks and dashes are compared as they are", () => {
  const odd = ["-rf.ts", "a b.ts", "it's.ts", "line\nbreak.ts", "schön.ts", 'quote".ts'];
  assert.deepEqual(among("*.ts", ...odd), odd);
});

test("[E26] a backslash is part of a name where it separates nothing", { skip: process.platform === "win32" }, () => {
  const odd = ["back\\slash.ts", "C:x.ts", "a..\\up.ts", "src\\..\\b.ts"];
  assert.deepEqual(among("*.ts", ...odd), odd);
  const changes = changesOf(odd.map((name) => `web/${name}`));
  assert.deepEqual(found({ patterns: ["*.ts"], root: "/srv/app/web" }, { changes, cwd: "/srv/app/web" }), odd);
  assert.deepEqual(found({ patterns: ["*.ts"], root }, { data: { changed_files: ["./a\\b.ts"] } }), ["a\\b.ts"]);
});

test("[E29, R19] several patterns are one, and removed files match", () => {
  const changes = changesOf(["a.ts", "b.md", "c.go"], { removed: ["c.go"] });
  assert.deepEqual(found({ patterns: ["*.go", "*.ts"] }, { changes }), ["a.ts", "c.go"]);
});

test("[R57] what changed earlier in the session counts only where the condition says so", () => {
  const changes = changesOf(["b.ts"], { earlier: ["a.ts"] });
  assert.deepEqual(found({ patterns: ["*.ts"] }, { changes }), ["b.ts"]);
  assert.deepEqual(found({ patterns: ["*.ts"], since: "session" }, { changes }), ["a.ts", "b.ts"]);
});

test("names are relative to the root, and files outside of it are not meant", () => {
  const changes = changesOf(["packages/web/src/a.ts", "packages/api/a.ts", "a.ts"]);
  const inside = { patterns: ["*.ts"], root: "/srv/app/packages/web" };
  assert.deepEqual(found(inside, { changes, cwd: "/srv/app/packages/web" }), ["src/a.ts"]);
  assert.deepEqual(found({ patterns: ["src/*.ts"], root: "/srv" }, { changes, cwd: root }), false);
  assert.deepEqual(found({ patterns: ["app/*.ts"], root: "/srv" }, { changes, cwd: root }), ["app/a.ts"]);
});

test("a hook of one work tree serves a linked one with that one's files", () => {
  const changes = changesOf(["a.ts"], { base: "/srv/linked" });
  assert.deepEqual(found({ patterns: ["*.ts"], root }, { changes, cwd: "/srv/linked/src" }), ["a.ts"]);
});

test("[B11] an event that names its files is taken by its word, from its folder", () => {
  const changes = changesOf(["other.ts"]);
  const staged: Fields = { changed_files: ["a.ts", "/srv/app/b.ts", "/elsewhere/c.ts", 5] };
  assert.deepEqual(found({ patterns: ["*.ts"], root }, { data: staged, changes }), ["a.ts", "b.ts"]);
  assert.deepEqual(found({ patterns: ["*.ts"], root }, { data: staged, cwd: `${root}/sub` }), ["sub/a.ts", "b.ts"]);
  assert.deepEqual(found({ patterns: ["*.ts"] }, { data: { files_touched: ["x.ts"] }, changes }), ["x.ts"]);
  assert.equal(found({ patterns: ["*.ts"] }, { data: { changed_files: [] }, changes }), false);
});

test("a call of a writing tool is about its file; another tool's says nothing of files", () => {
  const call = (tool_name: string, tool_input: Fields): Partial<HookEvent> => ({
    name: "PostToolUse",
    data: { tool_name, tool_input, tool_response: null },
    changes: changesOf(["changed.ts"]),
  });
  assert.deepEqual(found({ patterns: ["*.ts"] }, call("Write", { file_path: "/srv/app/src/a.ts" })), ["src/a.ts"]);
  assert.deepEqual(found({ patterns: ["*.ipynb"] }, call("NotebookEdit", { notebook_path: "n.ipynb" })), ["n.ipynb"]);
  assert.deepEqual(found({ patterns: ["*.ts"] }, call("Bash", { command: "make" })), ["changed.ts"]);
  assert.equal(filesNamedBy(eventWith(call("Read", { file_path: "/srv/app/a.ts" }))), undefined);
});

test("where nothing is known the condition does not hold, and says why", () => {
  for (const changes of [{ unknown: "git took longer than 15 seconds" }, undefined]) {
    const scope = scopeOf(eventWith(changes ? { changes } : {}));
    assert.equal(compile({ patterns: ["*"] }).test(scope), false);
    assert.match(scope.faults?.join() ?? "", changes ? /git took longer/ : /nothing has looked/);
    assert.match(compile({ patterns: ["*"] }).explain(scope).because, /is not known/);
  }
});

test("where not all was looked at, that nothing matches is not known", () => {
  const event = eventWith({ changes: changesOf(["a.go"], { truncated: 7 }) });
  const [some, none] = [scopeOf(event), scopeOf(event)];
  assert.deepEqual(compile({ patterns: ["*.go"] }).test(some), { files: ["a.go"] });
  assert.equal(compile({ patterns: ["*.ts"] }).test(none), false);
  assert.deepEqual([some.faults, none.faults?.length], [[], 1]);
  for (const glob of ["*.go", "*.ts"])
    assert.match(
      compile({ patterns: [glob] }).explain(scopeOf(event)).because,
      /; 7 files and folders were not looked at$/,
    );
});

test("optional only has the changes looked for: it holds, and finds nothing", () => {
  const condition = compile({ patterns: ["*"], optional: true });
  const scope = scopeOf(eventWith({ changes: { unknown: "no git" } }));
  assert.equal(condition.test(scope), true);
  assert.deepEqual(scope.faults, []);
  assert.equal(condition.test(scopeOf(eventWith({ changes: changesOf(["a"]) }))), true);
  assert.deepEqual([...condition.needs], ["changes"]);
});

test("the reason why it holds or not has names in it", () => {
  const because = (params: Json, event: Partial<HookEvent>): string =>
    compile(params).explain(scopeOf(eventWith(event))).because;
  const params = { patterns: ["*.go"] };
  assert.equal(
    because(params, { changes: changesOf(["a b.go", "x.ts"]) }),
    'changed since the last look: "a b.go", which fits *.go',
  );
  assert.equal(
    because(params, { changes: changesOf(["1.ts", "2.ts", "3.ts", "4.ts", "5.ts", "6.ts"]) }),
    "changed since the last look: 1.ts, 2.ts, 3.ts, 4.ts, 5.ts and 1 more, and the pattern is *.go",
  );
  assert.equal(because(params, { changes: changesOf([]) }), "no file has changed since the last look");
  assert.equal(
    because({ ...params, since: "session" }, { changes: changesOf([], { earlier: ["a.go"] }) }),
    "changed since the session began: a.go, which fits *.go",
  );
  assert.equal(because(params, { data: { changed_files: ["x.ts"] } }), "the event names x.ts, and the pattern is *.go");
});

test("parameters that mean nothing are errors", () => {
  assert.throws(() => compile({ patterns: [] }), { code: "parameters_invalid" });
  assert.throws(() => compile(null), { code: "parameters_invalid" });
  assert.throws(() => compile({ patterns: ["./"] }), { code: "pattern_invalid" });
  assert.throws(() => compile({ patterns: ["+(a|b)*"] }), { code: "pattern_invalid" });
});

test("plain patterns need no library, and no library but globs is loaded for others", () => {
  const needs = (glob: string) =>
    patternNeeds([aHook("h", "x", { when: { is: "changed_files", with: { patterns: [glob] } } })]);
  const none = { regex: false, glob: false, shell: false, expression: false };
  assert.deepEqual(needs("*.go"), none);
  assert.deepEqual(needs("./src/**/*.go"), none);
  assert.deepEqual(needs("*.{ts,tsx}"), { ...none, glob: true });
});
