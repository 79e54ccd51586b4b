/** Patterns with exceptions: what an exception lets through, and what it must not. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { Fields } from "../../src/engine/event.ts";
import { compileToolTest } from "../../src/engine/exception.ts";
import type { Patterns } from "../../src/engine/ports.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const holds = (any: string | string[], not: string | string[], tool: string, input: Fields): boolean =>
  compileToolTest(
    { any: [any].flat(), not: [not].flat() },
    patterns,
  )({ names: [tool], input, cwd: "/srv/app", root: "/srv/app", home: "/home/ada" }) !== false;
const stops = (any: string | string[], not: string | string[], command: string): boolean =>
  holds(any, not, "Bash", { command });

const rm = "Bash(rm -rf *)";

test("one of several patterns is enough", () => {
  for (const command of ["rm -rf x", "git push", "cd x && git push -f"])
    assert.ok(stops([rm, "Bash(git push *)"], [], command), command);
  assert.ok(!stops([rm, "Bash(git push *)"], [], "git pull"));
  assert.ok(holds(["Bash(x)", "WebFetch"], [], "WebFetch", { url: "https://a.b" }));
});

test("an exception takes the command that it names and leaves the others of the line", () => {
  assert.ok(!stops(rm, "Bash(rm -rf node_modules*)", "rm -rf node_modules"));
  assert.ok(!stops(rm, "Bash(rm -rf node_modules*)", "cd web && rm -rf node_modules && npm ci"));
  assert.ok(stops(rm, "Bash(rm -rf node_modules*)", "rm -rf node_modules && rm -rf ~"));
  assert.ok(stops(rm, "Bash(rm -rf node_modules*)", "echo $(rm -rf src) | rm -rf node_modules"));
  assert.ok(!stops(rm, ["Bash(rm -rf dist)", "Bash(rm -rf build)"], "rm -rf dist; rm -rf build"));
});

test("a star in a word of an exception stays in that word and goes to no folder above", () => {
  const not = "Bash(rm -rf node_modules*)";
  for (const command of [
    "rm -rf node_modules ~",
    "rm -rf node_modules/../../etc",
    "rm -rf node_modules/..",
    'rm -rf node_modules"$X"',
    "rm -rf node_modules$X",
  ])
    assert.ok(stops(rm, not, command), command);
  assert.ok(!stops(rm, not, "rm -rf node_modules/.cache..old"));
});

test("a star that is a word of its own is any words of an exception", () => {
  assert.ok(!stops("Bash(git *)", "Bash(git log *)", "git log"));
  assert.ok(!stops("Bash(git *)", "Bash(git log:*)", "git log -1 $X"));
  assert.ok(!stops("Bash(git *)", "Bash(git * --dry-run)", "git push origin main --dry-run"));
  assert.ok(stops("Bash(git *)", "Bash(git * --dry-run)", "git push origin --dry-run main"));
  assert.ok(stops("Bash(git *)", "Bash(git log)", "git log -1"));
  assert.ok(stops("Bash(git *)", 'Bash(git commit -m "a b")', "git commit -m a b"));
  assert.ok(!stops("Bash(git *)", 'Bash(git commit -m "a b")', "git commit -m 'a b'"));
});

test("a line that cannot be read, and a program elsewhere of the same name, has no exception", () => {
  for (const command of ["$X -rf node_modules", 'rm -rf "', "cd x && /tmp/rm -rf node_modules", "$(x) node_modules"])
    assert.ok(stops(rm, "Bash(rm -rf node_modules)", command), command);
  assert.ok(stops(rm, "Bash(* --dry-run)", "$X --dry-run"));
  assert.ok(!stops(rm, "Bash(* --dry-run)", "rm -rf x --dry-run"));
  assert.ok(holds("PowerShell(rm *)", "PowerShell(rm x)", "PowerShell", { command: "rm x" }));
});

test("options in another form are another command, and a redirection is no part of one", () => {
  assert.ok(stops("Bash(rm *)", "Bash(rm -rf dist)", "rm -fr dist"));
  assert.ok(!stops("Bash", "Bash(ls *)", "ls > file"));
});

test("a pattern for every call of a shell keeps what is no command", () => {
  assert.ok(!stops("Bash", "Bash(ls *)", "ls; ls -l"));
  for (const command of ["ls; pwd", "> notes.txt", "# nothing", ""])
    assert.ok(stops("Bash", "Bash(ls *)", command), command);
  assert.ok(!stops("Bash", "shell", "pwd"));
});

test("files, hosts and names have exceptions, too", () => {
  const edits = (not: string, path: string): boolean => holds("write(src/**)", not, "Edit", { file_path: path });
  assert.ok(edits("Edit(src/gen/**)", "src/a.ts"));
  assert.ok(!edits("Edit(src/gen/**)", "src/gen/a.ts"));
  assert.ok(edits("Edit(src/gen/**)", "src/gen/../a.ts"));
  assert.ok(edits("Write(src/gen/**)", "src/gen/a.ts"), "an exception for another tool");
  const fetches = (url: string): boolean => holds("WebFetch", "WebFetch(domain:docs.rs)", "WebFetch", { url });
  assert.ok(!fetches("https://docs.rs/x") && fetches("https://evil.rs/docs.rs"));
  assert.ok(!holds("mcp__git__*", "mcp__git__status", "mcp__git__status", {}));
  assert.ok(holds("mcp__git__*", "mcp__git__status", "mcp__git__push", {}));
});

test("a pattern or an exception that is none is an error", () => {
  for (const [any, not] of [
    ["git *", "Bash"],
    ["Bash", "git *"],
  ] as const)
    assert.throws(() => compileToolTest({ any: [any], not: [not] }, patterns), { code: "pattern_invalid" });
});
