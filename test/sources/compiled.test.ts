import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { compiledHooks } from "../../src/sources/compiled.ts";
import { type LoadedHooks, loadHooks } from "../../src/sources/load.ts";

interface Scratch {
  state: string;
  hookFile: string;
  request: { cwd: string; home: string; environment: Record<string, string> };
  load(): LoadedHooks;
}

const nowhere = { claude: "/nowhere/claude", hookline: "/nowhere/hookline" };
const longAgo = new Date("2026-01-01");

function scratch(t: TestContext): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "hookline-compiled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, ".hookline"), { recursive: true });
  mkdirSync(join(folder, "home"));
  const hookFile = join(workspace, ".hookline", "hooks.json");
  writeFileSync(hookFile, JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: "true" }] }] } }));
  const request = { cwd: workspace, home: join(folder, "home"), environment: {} };
  return {
    state: join(folder, "state"),
    hookFile,
    request,
    load: () => loadHooks({ ...request, managedFolders: nowhere }),
  };
}

/** As if a good while had passed since the last edit. */
const later = (): number => Date.now() + 60_000;

test("what was kept is read back equal, for the same place and build only", (t) => {
  const { state, request, load } = scratch(t);
  const kept = compiledHooks(state, "one", request);
  assert.equal(kept.read(), undefined);
  kept.keep(load(), later());
  assert.deepEqual(kept.read(), load());
  assert.equal(compiledHooks(state, "two", request).read(), undefined);
  assert.equal(compiledHooks(state, "one", { ...request, home: "/elsewhere" }).read(), undefined);
  assert.equal(compiledHooks(state, "one", { ...request, environment: { XDG_CONFIG_HOME: "/x" } }).read(), undefined);
});

test("an edit, a new file and a removed one each make the copy stale at once", (t) => {
  const { state, hookFile, request, load } = scratch(t);
  const kept = compiledHooks(state, "one", request);
  kept.keep(load(), later());
  const local = join(request.cwd, ".hookline", "hooks.local.json");
  writeFileSync(local, "{}");
  assert.equal(kept.read(), undefined, "a new file");
  kept.keep(load(), later());
  assert.ok(kept.read());
  rmSync(local);
  assert.equal(kept.read(), undefined, "a removed file");
  kept.keep(load(), later());
  writeFileSync(hookFile, JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: "fals" }] }] } }));
  utimesSync(hookFile, longAgo, longAgo);
  assert.equal(kept.read(), undefined, "an edit of the same size that hides its time");
});

test("a file that was written just now is not kept: it may change again within the same tick", (t) => {
  const { state, request, load } = scratch(t);
  const kept = compiledHooks(state, "one", request);
  kept.keep(load(), Date.now());
  assert.equal(kept.read(), undefined);
});

test("a copy that others may write, or that is garbage, is not believed", (t) => {
  const { state, request, load } = scratch(t);
  const kept = compiledHooks(state, "one", request);
  kept.keep(load(), later());
  const [name = ""] = readdirSync(join(state, "compiled"));
  const file = join(state, "compiled", name);
  chmodSync(file, 0o666);
  assert.equal(kept.read(), undefined);
  chmodSync(file, 0o600);
  assert.ok(kept.read());
  writeFileSync(file, '{"build":"one"');
  assert.equal(kept.read(), undefined);
});

test("a state folder that cannot be written is no failure", (t) => {
  const { request, load, hookFile } = scratch(t);
  const kept = compiledHooks(hookFile, "one", request); // a file, where a folder would have to be
  kept.keep(load(), later());
  assert.equal(kept.read(), undefined);
});
