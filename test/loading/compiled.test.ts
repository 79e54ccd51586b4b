import assert from "node:assert/strict";
import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import test from "node:test";
import { type CompiledHooks, compiledHooks, loadStable, type StableLoad } from "../../src/loading/compiled.ts";
import { type LoadedHooks, loadHooks } from "../../src/loading/load.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Scratch {
  state: string;
  hookFile: string;
  request: { cwd: string; home: string; environment: Record<string, string> };
  load(): Promise<StableLoad>;
}

const nowhere = { claude: "/nowhere/claude", hookline: "/nowhere/hookline" };
const longAgo = new Date("2026-01-01");

function scratch(t: TestContext): Scratch {
  const folder = temporaryFolder(t);
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
    load: () => loadStable(async () => loadHooks({ ...request, managedFolders: nowhere }), []),
  };
}

/** The copy, asked for its hooks alone. */
function openCopy(
  folder: string,
  build: string,
  request: Scratch["request"],
): { hit(): LoadedHooks | undefined } & CompiledHooks {
  const copy = compiledHooks(folder, build, request);
  return {
    ...copy,
    hit() {
      const found = copy.read();
      return "loaded" in found ? found.loaded : undefined;
    },
  };
}

/** As if a good while had passed since the last edit. */
const later = (): number => Date.now() + 60_000;

test("what was kept is read back equal, for the same place and build only", async (t) => {
  const { state, request, load } = scratch(t);
  const kept = openCopy(state, "one", request);
  assert.equal(kept.hit(), undefined);
  kept.keep(await load(), later());
  assert.deepEqual(kept.hit(), (await load()).loaded);
  assert.equal(openCopy(state, "two", request).hit(), undefined);
  assert.equal(openCopy(state, "one", { ...request, home: "/elsewhere" }).hit(), undefined);
  assert.equal(openCopy(state, "one", { ...request, environment: { XDG_CONFIG_HOME: "/x" } }).hit(), undefined);
});

test("an edit, a new file and a removed one each make the copy stale at once", async (t) => {
  const { state, hookFile, request, load } = scratch(t);
  const kept = openCopy(state, "one", request);
  kept.keep(await load(), later());
  const local = join(request.cwd, ".hookline", "hooks.local.json");
  writeFileSync(local, "{}");
  assert.equal(kept.hit(), undefined, "a new file");
  kept.keep(await load(), later());
  assert.ok(kept.hit());
  rmSync(local);
  assert.equal(kept.hit(), undefined, "a removed file");
  kept.keep(await load(), later());
  writeFileSync(hookFile, JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: "fals" }] }] } }));
  utimesSync(hookFile, longAgo, longAgo);
  assert.equal(kept.hit(), undefined, "an edit of the same size that hides its time");
});

test("a file that was written just now is not kept: it may change again within the same tick", async (t) => {
  const { state, request, load } = scratch(t);
  const kept = openCopy(state, "one", request);
  kept.keep(await load(), Date.now());
  assert.equal(kept.hit(), undefined);
});

test("a copy that others may write, or that is garbage, is not believed", async (t) => {
  const { state, request, load } = scratch(t);
  const kept = openCopy(state, "one", request);
  kept.keep(await load(), later());
  const [name = ""] = readdirSync(join(state, "compiled"));
  const file = join(state, "compiled", name);
  chmodSync(file, 0o666);
  assert.equal(kept.hit(), undefined);
  chmodSync(file, 0o600);
  assert.ok(kept.hit());
  writeFileSync(file, '{"build":"one"');
  assert.equal(kept.hit(), undefined);
});

test("a state folder that cannot be written is no failure", async (t) => {
  const { request, load, hookFile } = scratch(t);
  const kept = openCopy(hookFile, "one", request); // a file, where a folder would have to be
  kept.keep(await load(), later());
  assert.equal(kept.hit(), undefined);
});

test("what changed while it was loaded is never kept as if it had been there before", async (t) => {
  const { state, hookFile, request } = scratch(t);
  const kept = openCopy(state, "one", request);
  const load = (change: () => void): Promise<StableLoad> => {
    let isFirst = true;
    return loadStable(
      async () => {
        const loaded = loadHooks({ ...request, managedFolders: nowhere });
        if (isFirst) change();
        isFirst = false;
        return loaded;
      },
      loadHooks({ ...request, managedFolders: nowhere }).watched,
    );
  };
  kept.keep(await load(() => rmSync(hookFile)), later());
  assert.equal(kept.hit()?.set.hooks.length ?? 0, 0, "the deleted hook is not answered from the copy");
});

test("a hook file behind a link is not kept shortly after its target was edited", async (t) => {
  const { state, hookFile, request, load } = scratch(t);
  const target = join(request.home, "real.json");
  writeFileSync(target, JSON.stringify({ hooks: {} }));
  rmSync(hookFile);
  symlinkSync(target, hookFile);
  lutimesSync(hookFile, longAgo, longAgo);
  const kept = openCopy(state, "one", request);
  kept.keep(await load(), Date.now());
  assert.equal(kept.hit(), undefined);
});
