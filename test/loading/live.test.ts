import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadStable } from "../../src/loading/compiled.ts";
import { createHookSource, type HookSource } from "../../src/loading/live.ts";
import { type LoadedHooks, type LoadRequest, loadHooks } from "../../src/loading/load.ts";
import { hooks, names, type Workspace, workspace } from "./workspace.ts";

const sourceOf = ({ home, managed }: Workspace, more: Partial<LoadRequest> = {}): HookSource<LoadedHooks> => {
  const managedFolders = { claude: join(managed, "claude"), hookline: join(managed, "hookline") };
  return createHookSource((cwd, expected) =>
    loadStable(async () => loadHooks({ cwd, home, environment: {}, managedFolders, ...more }), expected),
  );
};

test("a hook set is loaded once, and again when a file that it depends on changes, comes or goes", async (context) => {
  const place = workspace(context, { "home/project/.hookline/hooks.json": hooks("Stop", "one") });
  const source = sourceOf(place);
  const first = await source.at(place.project);
  assert.deepEqual(names(first), ["one"]);
  assert.equal(source.at(place.project), first);
  place.write("home/project/.hookline/hooks.json", hooks("Stop", "one", "two"));
  assert.deepEqual(names(await source.at(place.project)), ["one", "two"]);
  place.write("home/project/.claude/settings.json", hooks("Stop", "three"));
  assert.deepEqual(new Set(names(await source.at(place.project))), new Set(["one", "two", "three"]));
  rmSync(join(place.project, ".hookline"), { recursive: true });
  const last = await source.at(place.project);
  assert.deepEqual(names(last), ["three"]);
  assert.equal(source.at(place.project), last);
});

test("a loop of links among the files makes nothing throw, and its end is seen", async (context) => {
  const place = workspace(context, { "home/project/.claude/settings.json": hooks("Stop", "one") });
  const loop = join(place.project, ".hookline");
  symlinkSync(loop, loop);
  const source = sourceOf(place);
  const first = await source.at(place.project);
  assert.deepEqual(names(first), ["one"]);
  assert.equal(source.at(place.project), first);
  rmSync(loop);
  place.write("home/project/.hookline/hooks.json", hooks("Stop", "two"));
  assert.deepEqual(names(await source.at(place.project)), ["one", "two"]);
});

const matched = (name: string): object => ({
  hooks: { PreToolUse: [{ matcher: "^B.sh$", hooks: [{ command: name }] }] },
});
/** Calls this while hooks are loaded, once a file's text was read. */
const patternsThat = (read: () => void) => ({
  regex: () => {
    read();
    return () => true;
  },
  glob: () => () => false,
  commands: () => ({ commands: [], unknown: [] }),
  expression: () => null,
});

test("an edit that falls between reading a file and remembering its state is seen the next time", async (context) => {
  const file = "home/project/.hookline/hooks.json";
  const place = workspace(context, { [file]: matched("before") });
  let edits: string[] = [];
  const patterns = patternsThat(() => {
    const next = edits.shift();
    if (next) place.write(file, matched(next));
  });
  const source = sourceOf(place, { patterns });
  await source.at(place.project);
  place.write(file, matched("during the next load"));
  edits = ["edited meanwhile"];
  assert.deepEqual(names(await source.at(place.project)), ["during the next load"]);
  assert.deepEqual(names(await source.at(place.project)), ["edited meanwhile"]);
});

test("an edit during the very first load is seen the next time", async (context) => {
  const file = "home/project/.hookline/hooks.json";
  const place = workspace(context, { [file]: matched("zero") });
  let count = 0;
  const patterns = patternsThat(() => {
    if (count < 2) place.write(file, matched(`edit number ${"x".repeat(++count)}`));
  });
  const source = sourceOf(place, { patterns });
  await source.at(place.project);
  assert.deepEqual(names(await source.at(place.project)), ["edit number xx"]);
});
