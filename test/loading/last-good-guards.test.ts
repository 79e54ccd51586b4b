/** Guards whose files or entries are broken: in a process that stays, while somebody edits them, and where nothing is known of them. */
import assert from "node:assert/strict";
import { renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Fields } from "../../src/engine/event.ts";
import { isGuard } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { loadingFor } from "../../src/hosts/cli/loaded.ts";
import { loadStable } from "../../src/loading/compiled.ts";
import { guardsToKeep, type History } from "../../src/loading/last-good-guards.ts";
import { createHookSource, type HookSource, keepingGuards } from "../../src/loading/live.ts";
import { type LoadedHooks, loadHooks } from "../../src/loading/load.ts";
import { type Loaded, loadAll, type Request } from "../../src/loading/loading.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { type Workspace, workspace } from "./workspace.ts";

const file = "home/project/.hookline/hooks.json";
const guards = (...commands: string[]): object => ({
  hooks: { PreToolUse: [{ hooks: commands.map((command) => ({ command, role: "guard" })) }] },
});

interface Guarded {
  place: Workspace;
  /** The commands of what is in force now; "?" where a guard fails by its policy. */
  now(): Promise<string[]>;
  /** By the clock it is the moment of the last change, and later only by this. */
  later(milliseconds: number): void;
}

function guarded(t: TestContext): Guarded {
  const place = workspace(t, { [file]: guards("one", "two") });
  const managedFolders = { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") };
  const path = join(place.project, ".hookline", "hooks.json");
  let written = 0;
  let passed = 0;
  const clock = (): number => {
    written = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? written;
    return written + passed;
  };
  const request = { home: place.home, environment: {}, managedFolders };
  const source: HookSource<LoadedHooks> = createHookSource(
    keepingGuards(
      (cwd, expected, kept) =>
        loadStable(async () => loadHooks({ ...request, cwd, ...(kept ? { kept } : {}) }), expected),
      { store: openMemoryStore(), now: clock },
    ),
  );
  return {
    place,
    later: (milliseconds) => void (passed += milliseconds),
    async now() {
      const { set } = await source.at(place.project);
      return set.hooks.map(({ steps: [{ uses, with: given }] }) => (uses === "invalid" ? "?" : String(given.command)));
    },
  };
}

test("[R76] a file that is broken keeps its guards although no event has put them into the store", async (t) => {
  const { place, now } = guarded(t);
  assert.deepEqual(await now(), ["one", "two"]);
  for (const text of ["", "{", '{"hooks": {"PreToolUse": [']) {
    place.write(file, text);
    assert.deepEqual(await now(), ["one", "two"], text);
  }
  place.write(file, guards("one", "three"));
  assert.deepEqual(await now(), ["one", "three"]);
});

test("[R46] a file that is emptied or moved away for a moment loses no guard, and one that stays so loses them", async (t) => {
  const { place, now, later } = guarded(t);
  const path = join(place.project, ".hookline", "hooks.json");
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, {});
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, guards("one", "two"));
  assert.deepEqual(await now(), ["one", "two"]);
  renameSync(path, `${path}~`);
  assert.deepEqual(await now(), ["one", "two"]);
  place.write(file, guards("two"));
  assert.deepEqual(new Set(await now()), new Set(["one", "two"])); // the editor may have more to write
  later(60_000);
  assert.deepEqual(await now(), ["two"]);
  rmSync(path);
  assert.deepEqual(await now(), ["two"]);
  later(499);
  assert.deepEqual(await now(), ["two"]);
  later(1);
  assert.deepEqual(await now(), []);
});

test("[R46] a guard does not lapse at the second save of its file, either", async (t) => {
  const { place, now, later } = guarded(t);
  const path = join(place.project, ".hookline", "hooks.json");
  assert.deepEqual(await now(), ["one", "two"]);
  for (const save of ["first", "second", "third"]) {
    renameSync(path, `${path}~`);
    assert.deepEqual(await now(), ["one", "two"], `in the gap of the ${save} save`);
    renameSync(`${path}~`, path);
    assert.deepEqual(await now(), ["one", "two"], `after the ${save} save`);
    later(60_000);
  }
});

test("[R76] in a long-lived process, a file that was read without a guard counts as none while it is broken", async (t) => {
  const { place, now } = guarded(t);
  place.write(file, { hooks: { Stop: [] } });
  assert.deepEqual(await now(), []);
  place.write(file, "{");
  assert.deepEqual(await now(), []);
});

const gate =
  "{ id: g, on: tool_start, condition: { type: tool_name, match: Bash }, action: { type: gate, reason: no } }";
const wait = "{ id: h, on: turn_end, condition: { type: always }, action: { type: gate, reason: wait } }";
const hookFile = "home/project/.hookline/rules/x.yaml";
const guardsOf = ({ set }: Loaded): string[] =>
  set.hooks
    .filter(isGuard)
    .map(({ name, steps: [{ uses }] }) => `${name}: ${uses}`)
    .sort();

const requestFor = (place: Workspace, more: Partial<Request> = {}): Request => ({
  cwd: place.project,
  home: place.home,
  environment: {},
  managedFolders: { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") },
  platform: "linux",
  ...more,
});

async function active(place: Workspace, history: History): Promise<Loaded> {
  const loaded = await loadAll(requestFor(place), loadingFor());
  const kept = await guardsToKeep(loaded, history);
  return kept.length === 0 ? loaded : loadAll(requestFor(place, { kept }), loadingFor());
}

const nothing: History = { recentHookSets: async () => [], hookSet: async () => undefined };

/** What takes the rules of a file away, whatever they were. */
const broken: readonly [string, string][] = [
  ["a misspelt hooks", `hoks:\n  - ${gate}\n  - ${wait}\n`],
  ["hooks without its colon", `hooks\n  - ${gate}\n  - ${wait}\n`],
  ["a map under hooks", `hooks:\n  g: ${gate}\n  h: ${wait}\n`],
  ["a misspelt hooks whose rules are gone", "hoks: []\n"],
  ["a text in the place of the file", "hooks hooks\n"],
  ["a rule at the root", "id: g\non: tool_start\ncondition: { type: always }\naction: { type: gate }\n"],
  ["rules under a name that nothing reads", `gates:\n  - ${gate}\n`],
  ["runtime with a misspelt hooks", `runtime:\n  hook:\n    - ${gate}\n    - ${wait}\n`],
  ["a list under runtime", `runtime:\n  - hooks: [${gate}]\n`],
  ["a rule with a bracket too few", `hooks:\n  - { id: g, on: [tool_start, action: { type: gate } }\n`],
  ["a file that is too large", `hooks:\n  - ${gate}\nx-more: "${"x".repeat(4 * 1024 * 1024)}"\n`],
];

for (const [what, text] of broken) {
  test(`[R76] after ${what} the last good guards of the file stay active, and nothing else counts for them`, async (t) => {
    const place = workspace(t, { [hookFile]: `hooks:\n  - ${gate}\n  - ${wait}\n` });
    const { set } = await active(place, nothing);
    place.write(hookFile, text);
    const loaded = await active(place, { recentHookSets: async () => [set.id], hookSet: async () => set });
    assert.deepEqual(guardsOf(loaded), ["g: gate", "h: gate"]);
  });

  test(`[R76] ${what} in a file of which no good form is known is one guard that fails`, async (t) => {
    const place = workspace(t, { [hookFile]: text });
    const loaded = await active(place, nothing);
    const [whole] = loaded.set.hooks.filter(({ onFailure }) => onFailure === "block");
    assert.deepEqual([whole?.name, whole?.role, whole?.origin.layer], [".hookline/rules/x.yaml", "guard", "project"]);
    const events = whole && "event" in whole.on ? whole.on.event : [];
    assert.ok(events.includes("PreToolUse") && events.includes("PermissionRequest"));
    assert.ok(!events.includes("Stop") && !events.includes("UserPromptSubmit"));
  });
}

/** A link that leads to itself: also root cannot list it. */
function makeUnlistable(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  symlinkSync(folder, folder);
}

test("[R76] a folder of rules that cannot be listed is reported, and the last good guards of its files stay active", async (t) => {
  const place = workspace(t, { [hookFile]: `hooks:\n  - ${gate}\n  - ${wait}\n` });
  const { set } = await active(place, nothing);
  const folder = join(place.project, ".hookline", "rules");
  makeUnlistable(folder);
  const loaded = await active(place, { recentHookSets: async () => [set.id], hookSet: async () => set });
  assert.deepEqual(guardsOf(loaded), ["g: gate", "h: gate"]);
  const [problem] = loaded.problems;
  assert.deepEqual([problem?.severity, problem?.code, problem?.file], ["error", "unreadable", folder]);
  assert.match(problem?.message ?? "", /^the folder cannot be listed: its links lead in a circle \(/);
});

test("[R76] a folder of rules that cannot be listed and of which nothing is known is one guard that fails", async (t) => {
  const place = workspace(t);
  place.write("home/project/.hookline/hooks.json", {});
  makeUnlistable(join(place.project, ".hookline", "rules"));
  const denied = await answer(t, await active(place, nothing), "Bash", { command: "ls" });
  assert.equal(denied?.is, "deny");
  assert.match(denied?.reason ?? "", /\.hookline\/rules failed .*the folder cannot be listed/);
});

test("a file in the place of a folder of rules, registry files or automations is reported, and counts as no guard", async (t) => {
  const folders = [".hookline/rules", ".hookline/registry", ".hookline/automations"];
  const place = workspace(t, Object.fromEntries(folders.map((folder) => [`home/project/${folder}`, "text"])));
  const loaded = await active(place, nothing);
  assert.deepEqual(loaded.set.hooks, []);
  assert.deepEqual(
    loaded.problems.map(({ file, message }) => `${file} ${message}`),
    folders.map((folder) => `${join(place.project, folder)} the folder cannot be listed: it is a file`),
  );
});

/** What the hooks of a folder answer to one call. */
async function answer(t: TestContext, loaded: Loaded, tool: string, input: Fields): Promise<Outcome["verdict"]> {
  const engine = createEngine({
    ...systemPorts(),
    store: openMemoryStore(),
    queue: createInlineQueue(),
    hooks: () => loaded.set,
    registry: loaded.registry,
    patterns: await loadPatterns(),
  });
  t.after(() => engine.close());
  const { cwd, name, at, sender, session } = {
    cwd: loaded.root,
    name: "PreToolUse",
    at: 0,
    sender: "test",
    session: "s",
  } as const;
  const data = { tool_name: tool, tool_input: input };
  const outcome = await engine.emit({ id: tool, name, at, cwd, sender, session, data }, { environment: {} });
  return outcome.verdict;
}

test("[R76] a broken file denies every call, and an edit of the file itself is asked about", async (t) => {
  const place = workspace(t, { "home/project/.hookline/hooks.json": '{ "hooks": { "PreToolUse": [' });
  const path = join(place.project, ".hookline", "hooks.json");
  const loaded = await active(place, nothing);
  const denied = await answer(t, loaded, "Bash", { command: "ls" });
  assert.equal(denied?.is, "deny");
  assert.match(
    denied?.reason ?? "",
    /\.hookline\/hooks\.json failed .*cannot be read.*project layer.*hooks\.json:1:\d+ /,
  );
  assert.equal((await answer(t, loaded, "Edit", { file_path: join(place.project, "a.ts") }))?.is, "deny");
  assert.equal((await answer(t, loaded, "Edit", { file_path: path }))?.is, "ask");
  assert.equal((await answer(t, loaded, "Write", { file_path: ".hookline/hooks.json" }))?.is, "ask");
});

test("[R76] files of every layer count as a guard that fails, and formats without guards as none", async (t) => {
  const place = workspace(t, {
    "managed/hookline/hooks.json": "{",
    "home/.config/hookline/config.yaml": "hooks: [",
    "home/project/.claude/settings.json": "{",
    "home/project/.system/hooks/a.yaml": "id: [",
    "home/project/.hookline/automations/b.yaml": "id: [",
  });
  place.write("home/project/.hookline/hooks/c.sh", "#!/bin/sh\n#---\n# type: session\ntrue\n", 0o755);
  const loaded = await active(place, nothing);
  const standing = loaded.set.hooks.filter(({ onFailure }) => onFailure === "block");
  assert.deepEqual(standing.map(({ name, origin }) => `${origin.layer} ${name}`).sort(), [
    "managed managed/hookline",
    "project .claude/settings.json",
    "project .hookline/hooks/c.sh",
    "project .system/hooks/a.yaml",
    "user ~/.config/hookline/config.yaml",
  ]);
  const commit = standing.find(({ name }) => name.endsWith("c.sh"));
  assert.deepEqual(commit?.on, { event: ["git.pre-commit"] });
});

test("[R46] a guard that is removed from a file without an error is gone, and so is one next to a broken entry", async (t) => {
  const place = workspace(t, { [hookFile]: `hooks:\n  - ${gate}\n  - ${wait}\n` });
  const { set } = await active(place, nothing);
  const history: History = { recentHookSets: async () => [set.id], hookSet: async () => set };
  for (const [text, expected] of [
    [`hooks:\n  - ${gate}\n`, ["g: gate"]],
    ["hooks: []\n", []],
    [`hooks:\n  - ${gate.replace("id: g", "id: g, priority: x")}\n`, ["g: gate"]],
  ] as const) {
    place.write(hookFile, text);
    assert.deepEqual(guardsOf(await active(place, history)), expected, text);
  }
});
