import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { agentVariables } from "../../src/agents/index.ts";
import type { Hook } from "../../src/engine/hook.ts";
import { inspectHooks } from "../../src/formats/inspect.ts";
import { loadingFor } from "../../src/hosts/cli/loaded.ts";
import { compiledHooks, stateOf } from "../../src/loading/compiled.ts";
import { guardsToKeep } from "../../src/loading/last-good-guards.ts";
import { checkOne, type Loaded, loadAll, loadAllStable, type Request } from "../../src/loading/loading.ts";
import { type Workspace, workspace } from "./workspace.ts";

const script = (...fields: string[]): string =>
  `#!/bin/sh\n#---\n${fields.map((one) => `# ${one}\n`).join("")}#---\ntrue\n`;
const session = script("type: session");
const commit = script("type: pre-commit");

/** These scripts, executable. */
function scripts(context: TestContext, files: Record<string, string>): Workspace {
  const place = workspace(context);
  for (const [path, text] of Object.entries(files)) place.write(path, text, 0o755);
  return place;
}

const requestFor = (place: Workspace, more: Partial<Request> = {}): Request => ({
  cwd: place.project,
  home: place.home,
  environment: {},
  managedFolders: { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") },
  platform: "linux",
  ...more,
});
const load = (place: Workspace, more: Partial<Request> = {}): Promise<Loaded> =>
  loadAll(requestFor(place, more), loadingFor());
const names = ({ set }: Loaded): string[] => set.hooks.map(({ name }) => name);
const told = ({ problems }: Pick<Loaded, "problems">): string[] =>
  problems.map(({ file, severity, code }) => `${file.split("/").at(-1)} ${severity} ${code}`);

test("[E2, E11, E13, R4, R34, R58] scripts of every place are found, and run in the order of layers, folders and file names", async (context) => {
  const place = scripts(context, {
    "managed/hookline/hooks/m.sh": session,
    "home/.config/hookline/hooks/u.sh": session,
    "home/project/.git/HEAD": "",
    "home/project/.hookline/hooks/b.sh": script("type: session", "name: A comes after a"),
    "home/project/.hookline/hooks/a.sh": session,
    "home/project/.hookline/hooks/B.sh": script("type: session", "name: zzz"),
    "home/project/.discobot/hooks/z.sh": session,
    "home/project/inner/.discobot/hooks/i.sh": session,
  });
  const loaded = await load(place, { cwd: join(place.project, "inner") });
  assert.deepEqual(told(loaded), ["b.sh error duplicate-key"]);
  assert.deepEqual(names(loaded), ["m.sh", "u.sh", "z.sh", "zzz", "a.sh", "A comes after a", "i.sh"]);
  const [managed, user, top] = loaded.set.hooks;
  assert.deepEqual(
    [managed, user, top].map((hook) => [hook?.origin.layer, hook?.origin.root, hook?.steps[0].with.family]),
    [
      ["managed", undefined, "hookline"],
      ["user", undefined, "hookline"],
      ["project", place.project, "discobot"],
    ],
  );
  assert.equal(managed?.id, "script:managed/hooks/m.sh");
  assert.deepEqual(
    loaded.set.hooks.map(({ origin: { dialect, line, column } }) => `${dialect}:${line}:${column}`),
    Array(7).fill("script:1:1"),
  );
  assert.equal(loaded.files.filter(({ format }) => format === "script").length, 7);
});

test("[E9a, R33] other files next to scripts harm none of them, and files that look like hooks are reported", async (context) => {
  const place = scripts(context, {
    "home/project/.hookline/hooks/good.sh": session,
    "home/project/.hookline/hooks/.hidden.sh": session,
    "home/project/.hookline/hooks/lib/inner.sh": session,
    "home/project/.hookline/hooks/bare.sh": "#!/bin/sh\n",
    "home/project/.hookline/hooks/good.sh.orig": session,
    "home/project/.hookline/hooks/good.sh~": session,
  });
  const at = (name: string): string => join(place.project, ".hookline/hooks", name);
  place.write("home/project/.hookline/hooks/README.md", "---\ntitle: x\n---\n");
  place.write("home/project/.hookline/hooks/plain.sh", session, 0o644);
  place.write("home/project/.hookline/hooks/large.sh", `${session}${"x".repeat(3_000_000)}`, 0o755);
  place.write("home/project/.hookline/hooks/open.sh", `#!/bin/sh\n#---\n${"# \n".repeat(40_000)}#---\n`, 0o755);
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync(at("loop"), at("loop"));
  symlinkSync(at("nowhere"), at("broken"));
  symlinkSync(at("good.sh"), at("link.sh"));
  const loaded = await load(place);
  assert.deepEqual(names(loaded), ["good.sh", "large.sh", "link.sh"]);
  assert.deepEqual(told(loaded), [
    "bare.sh warning missing-field",
    "broken error unreadable",
    "good.sh.orig note shape",
    "good.sh~ note shape",
    "loop error unreadable",
    "open.sh error syntax",
    "pipe error unreadable",
    "plain.sh error not-executable",
  ]);
  assert.match(loaded.problems.find(({ code }) => code === "syntax")?.suggestion ?? "", /within the first 64 kB/);
});

test("[E9a] a missing folder holds no hooks; a file in its place is reported", async (context) => {
  const place = workspace(context, { "home/project/.hookline/hooks": "text" });
  assert.deepEqual(told(await load(place)), ["hooks error unreadable"]);
  rmSync(join(place.project, ".hookline"), { recursive: true });
  assert.deepEqual(told(await load(place)), []);
});

test("[E4] two files with one id both run, the later one with another id, and this is reported", async (context) => {
  const place = scripts(context, {
    "home/.config/hookline/hooks/fmt.sh": session,
    "home/project/.hookline/hooks/fmt.py": session,
    "home/project/.hookline/hooks/fmt.sh": session,
    "home/project/.discobot/hooks/fmt.sh": session,
  });
  const loaded = await load(place);
  assert.deepEqual(
    loaded.set.hooks.map(({ name, steps: [{ with: said }] }) => `${said.family} ${name} ${said.slug}`),
    ["hookline fmt.sh fmt", "discobot fmt.sh fmt", "hookline fmt.py fmt-2", "hookline fmt.sh fmt-3"],
  );
  assert.deepEqual(told(loaded), ["fmt.py note duplicate-key", "fmt.sh error duplicate-key"]);
  rmSync(join(place.home, ".config"), { recursive: true });
  const own = await load(place);
  assert.deepEqual(told(own), ["fmt.sh error duplicate-key"]);
  assert.match(own.problems[0]?.message ?? "", /^the id "fmt" of fmt\.sh is taken, by fmt\.py,/);
});

test("a folder of scripts that leads to another one gives none of them twice", async (context) => {
  const place = scripts(context, { "home/project/.discobot/hooks/a.sh": session });
  mkdirSync(join(place.project, ".hookline"));
  symlinkSync("../.discobot/hooks", join(place.project, ".hookline/hooks"));
  assert.deepEqual(names(await load(place)), ["a.sh"]);
});

test("[R34] a linked worktree without scripts runs the main worktree's, in its own folder", async (context) => {
  const place = workspace(context, { "home/project/a.txt": "a" });
  const git = (...words: string[]): void => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    execFileSync("git", [...who, ...words], { cwd: place.project, stdio: "ignore" });
  };
  git("init");
  git("add", ".");
  git("commit", "-m", "first");
  const linked = join(place.home, "linked");
  git("worktree", "add", linked);
  const file = place.write("home/project/.hookline/hooks/a.sh", script("type: file", 'pattern: "*.go"'), 0o755);
  const [hook] = (await load(place, { cwd: linked })).set.hooks;
  assert.deepEqual([hook?.steps[0].with.file, hook?.origin.root], [file, linked]);
  assert.deepEqual(hook?.when, { is: "changed_files", with: { patterns: ["*.go"], root: linked } });
});

test("[E9a, B16] a new script, an edit, a removal and a change of the execute bit are each seen, without a restart", async (context) => {
  const place = scripts(context, { "home/project/.hookline/hooks/a.sh": session });
  const file = join(place.project, ".hookline/hooks/a.sh");
  const changes: (() => unknown)[] = [
    () => place.write("home/project/.hookline/hooks/b.sh", session, 0o755),
    () => place.write("home/project/.hookline/hooks/a.sh", commit),
    () => chmodSync(file, 0o644),
    () => place.write("home/project/.hookline/hooks/README.md", "read"),
    () => place.write("home/project/.hookline/hooks/README.md", "read on"),
    () => rmSync(file),
    () => place.write("home/project/.discobot/hooks/c.sh", session, 0o755),
    () => place.write("home/project/.hookline/registry/r.yaml", "id: r"),
    () => place.write("home/project/.system/hooks/s.yml", "id: s"),
  ];
  for (const change of changes) {
    const { watched } = await load(place);
    const before = stateOf(watched);
    change();
    assert.notEqual(stateOf(watched), before, String(change));
  }
});

test("[E9a, R39] a compiled copy ends with a change of the execute bit, and holds for one environment only", async (context) => {
  const place = scripts(context, { "home/project/.hookline/hooks/a.sh": session });
  const request = requestFor(place);
  const later = Date.now() + 60_000;
  const copyFor = (environment: Record<string, string>) =>
    compiledHooks(join(place.home, "state"), "build", { ...request, environment });
  const keep = async (): Promise<void> => copyFor({}).keep(await loadAllStable(request, loadingFor(), []), later);
  await keep();
  assert.ok("loaded" in copyFor({}).read());
  assert.ok("loaded" in copyFor({ HOOKLINE_ENV: "dev", CI: "false" }).read());
  for (const other of [{ HOOKLINE_ENV: "prod" }, { CI: "true" }]) assert.ok(!("loaded" in copyFor(other).read()));
  chmodSync(join(place.project, ".hookline/hooks/a.sh"), 0o644);
  assert.ok(!("loaded" in copyFor({}).read()));
});

const registryHook = `id: policy
event_type: PreAbilityCall
blocking: true
handler: { kind: script, command: "true" }
`;

test("[B9, R39] repository hooks are found in both folders and in the order of their names, each for its environments", async (context) => {
  const place = workspace(context, {
    "home/project/.system/hooks/b.yaml": registryHook.replace("policy", "b"),
    "home/project/.system/hooks/a.yml": `${registryHook.replace("policy", "a")}environments: [ci]\n`,
    "home/project/.system/hooks/readme.md": "no hook",
    "home/project/.hookline/registry/c.yaml": registryHook.replace("policy", "c"),
  });
  const enabled = async (environment: Record<string, string>): Promise<string[]> =>
    (await load(place, { environment })).set.hooks.filter((hook) => hook.enabled).map(({ name }) => name);
  assert.deepEqual(await enabled({}), ["c", "b"]);
  assert.deepEqual(await enabled({ CI: "1" }), ["c", "a", "b"]);
  assert.deepEqual(await enabled({ CI: "1", HOOKLINE_ENV: "dev" }), ["c", "b"]);
  assert.deepEqual(await enabled({ HOOKLINE_ENV: " ci\r\n" }), ["c", "a", "b"]);
});

test("[B9] a repository hook counts whatever its file's name holds before .yaml, in capitals too", async (context) => {
  const place = workspace(context, {
    "home/project/.system/hooks/UPPER.YAML": registryHook.replace("policy", "upper"),
    "home/project/.system/hooks/two\nlines.yml": registryHook.replace("policy", "lines"),
    "home/project/.system/hooks/.hidden.yaml": registryHook.replace("policy", "hidden"),
  });
  assert.deepEqual(
    (await load(place, {})).set.hooks.map(({ name }) => name),
    ["upper", "lines"],
  );
  const upper = join(place.project, ".system/hooks/UPPER.YAML");
  assert.deepEqual((await checkOne(upper, requestFor(place), loadingFor())).problems, []);
});

test("[B10] an id that two repository hooks have is reported at the second", async (context) => {
  const place = workspace(context, {
    "home/project/.system/hooks/b.yaml": registryHook,
    "home/project/.hookline/registry/c.yaml": registryHook,
  });
  assert.deepEqual(told(await load(place)), ["b.yaml error duplicate-key"]);
});

test("check takes one script or one repository hook by itself, wherever the script is", async (context) => {
  const place = scripts(context, {
    "home/project/.discobot/hooks/a.sh": script("type: file", 'pattern: "*.go"'),
    "home/project/scripts/b.sh": script("type: sesion"),
  });
  place.write("home/project/.system/hooks/r.yaml", registryHook);
  const check = (path: string) => checkOne(join(place.project, path), requestFor(place), loadingFor());
  const one = await check(".discobot/hooks/a.sh");
  assert.deepEqual([one.problems, one.hooks[0]?.steps[0].with.family], [[], "discobot"]);
  assert.equal(one.hooks[0]?.id, (await load(place)).set.hooks[0]?.id);
  assert.deepEqual(
    inspectHooks(one.hooks, {
      cwd: place.project,
      home: place.home,
      variables: agentVariables,
      hasProgram: () => true,
    }),
    [],
  );
  assert.deepEqual(told(await check("scripts/b.sh")), ["b.sh error unknown-type"]);
  assert.deepEqual(
    (await check(".system/hooks/r.yaml")).hooks.map(({ name }) => name),
    ["policy"],
  );
});

interface Guarded {
  path: string;
  valid: string;
  /** What its author breaks by mistake: the last valid form holds. */
  broken: readonly string[];
  /** What takes it out on purpose. */
  withdrawn: readonly string[];
}
const guards: readonly Guarded[] = [
  {
    path: "home/project/.hookline/hooks/types.sh",
    valid: commit,
    broken: [
      commit.replace("#---\ntrue", "true"),
      commit.replace("#---\n", "# ---\n"),
      script("type: pre-comit"),
      script("name: Types"),
      script("type; pre-commit"),
      commit.replace("#---\ntrue", "//---\ntrue"),
    ],
    withdrawn: [script("type: session"), "#!/bin/sh\ntrue\n", commit.replace("#!/bin/sh\n", "")],
  },
  {
    path: "home/project/.system/hooks/policy.yaml",
    valid: registryHook,
    broken: [registryHook.replace("event_type", "event_tipe"), `${registryHook}  bad: [`],
    withdrawn: [registryHook.replace("blocking: true\n", "")],
  },
];

for (const { path, valid, broken, withdrawn } of guards) {
  test(`[R46] ${path.split("/").at(-1)} keeps its last good form while it is broken, and not when it was taken out`, async (context) => {
    const place = scripts(context, { [path]: valid });
    const { set } = await load(place);
    const store = { recentHookSets: async () => [set.id], hookSet: async () => set };
    const inForce = async (): Promise<Hook[]> => {
      const kept = await guardsToKeep(await load(place), store);
      const loaded = await load(place, { kept });
      return loaded.set.hooks.filter(({ role, onFailure }) => role === "guard" || onFailure === "block");
    };
    const [guard] = set.hooks;
    assert.ok(guard);
    for (const text of broken) {
      place.write(path, text);
      const now = await inForce();
      assert.deepEqual(
        now.map(({ steps }) => steps),
        [guard.steps],
        text,
      );
    }
    for (const text of withdrawn) {
      place.write(path, text);
      assert.deepEqual(await inForce(), [], text);
    }
    place.write(path, valid, 0o644);
    assert.equal((await inForce()).length, path.endsWith(".sh") ? 0 : 1, "a script without its execute bit is none");
    rmSync(place.write(path, valid));
    assert.deepEqual(await inForce(), []);
  });
}
