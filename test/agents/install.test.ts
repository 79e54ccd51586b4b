/** Install and uninstall on real files: three layers, links, modes, other writers, and hooks that are taken over. */
import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "jsonc-parser";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import {
  type InstallOptions,
  type InstallResult,
  installAgent,
  uninstallAgent,
} from "../../src/agents/install/install.ts";
import { ownEntries } from "../../src/agents/install/registration.ts";
import { agentEventNames } from "../../src/engine/events.ts";
import { loadHooks } from "../../src/loading/load.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const nowhere = { claude: "/nowhere/claude", hookline: "/nowhere/hookline" };

interface Place {
  home: string;
  root: string;
  user: string;
  project: string;
  local: string;
  hookFile: string;
  install(more?: Partial<InstallOptions>): InstallResult;
  uninstall(more?: Partial<InstallOptions>): InstallResult;
}

function createPlace(t: TestContext): Place {
  const folder = temporaryFolder(t);
  const home = join(folder, "home");
  const root = join(folder, "repo");
  mkdirSync(home);
  mkdirSync(root);
  const options: InstallOptions = {
    agent: claudeCode,
    layer: "user",
    places: { home, root },
    stateFolder: join(folder, "state", "hookline"),
    tries: [{ run: ["/opt/node/bin/node", "/opt/hookline/bin/hookline.js"] }],
  };
  return {
    home,
    root,
    user: join(home, ".claude", "settings.json"),
    project: join(root, ".claude", "settings.json"),
    local: join(root, ".claude", "settings.local.json"),
    hookFile: join(root, ".hookline", "hooks.json"),
    install: (more = {}) => installAgent({ ...options, ...more }),
    uninstall: (more = {}) => uninstallAgent({ ...options, ...more }),
  };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const read = (file: string): string => readFileSync(file, "utf8");
const eventsIn = (file: string): string[] => ownEntries(read(file), "claude-code", file).map((entry) => entry.event);

const rare = ["PostToolBatch", "WorktreeCreate", "MessageDisplay", "FileChanged", "Elicitation", "ElicitationResult"];
const usual = agentEventNames.filter((name) => ![...rare, "Interrupt", "SessionStop"].includes(name));
const own =
  '{\n\t"model": "opus", // mine\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [{ "type": "command", "command": "./done.sh" }] }\n\t\t]\n\t}\n}';

test("[R50] install registers every event but those where a silent hook costs something, with a native limit of 660 s", (t) => {
  const place = createPlace(t);
  const result = place.install();
  equal(result.changed, true);
  deepEqual(eventsIn(place.user).sort(), usual.toSorted());
  const { hooks } = parse(read(place.user));
  deepEqual(Object.keys(hooks.PreToolUse[0]), ["hooks"], "no matcher");
  equal(hooks.PreToolUse[0].hooks[0].timeout, 660);
  ok(!read(place.user).includes("//"));
});

test("[R50] events with side effects are registered only while a hook wants them", (t) => {
  const place = createPlace(t);
  const result = place.install({ wanted: ["FileChanged", "Stop", "WorktreeCreate", "deploy.started"] });
  deepEqual(eventsIn(place.user).sort(), [...usual, "FileChanged", "WorktreeCreate"].sort());
  ok(result.notes.some((note) => note.includes("has to give the worktree's path")));
  place.install();
  deepEqual(eventsIn(place.user).sort(), usual.toSorted());
});

for (const layer of ["user", "project", "local"] as const) {
  test(`the ${layer} layer is installed, found installed, and undone to the same bytes and mode`, (t) => {
    const place = createPlace(t);
    write(place[layer], own);
    chmodSync(place[layer], 0o640);
    equal(place.install({ layer }).changed, true);
    match(read(place[layer]), new RegExp(`--event Stop --by ${layer}`));
    equal(statSync(place[layer]).mode & 0o777, 0o640);
    const after = read(place[layer]);
    equal(place.install({ layer }).changed, false);
    equal(read(place[layer]), after);
    equal(place.uninstall({ layer }).changed, true);
    equal(read(place[layer]), own);
    equal(statSync(place[layer]).mode & 0o777, 0o640);
    equal(place.uninstall({ layer }).changed, false);
    deepEqual(readdirSync(dirname(place[layer])), [layer === "local" ? "settings.local.json" : "settings.json"]);
  });
}

test("a file and folders that install made are gone after uninstall, and so are its notes", (t) => {
  const place = createPlace(t);
  place.install({ layer: "project" });
  place.install({ layer: "project", tries: [{ run: ["/new/node", "/new/hookline.js"] }] });
  place.uninstall({ layer: "project" });
  deepEqual(readdirSync(place.root), []);
  deepEqual(readdirSync(join(place.home, "..", "state", "hookline", "installs")), []);
});

test("a folder that something else moved into stays", (t) => {
  const place = createPlace(t);
  place.install({ layer: "project" });
  write(join(place.root, ".claude", "agents", "one.md"), "x");
  place.uninstall({ layer: "project" });
  deepEqual(readdirSync(join(place.root, ".claude")), ["agents"]);
});

test("a dry run shows both texts and writes nothing at all", (t) => {
  const place = createPlace(t);
  const result = place.install({ dryRun: true });
  equal(result.before, undefined);
  match(result.after ?? "", /--event PreToolUse/);
  deepEqual(readdirSync(place.home), []);
  equal(existsSync(join(place.home, "..", "state")), false);
  place.install();
  const installed = read(place.user);
  equal(place.uninstall({ dryRun: true }).after, undefined);
  equal(read(place.user), installed);
});

test("an upgrade from another path replaces the entries, and the undo is still exact", (t) => {
  const place = createPlace(t);
  write(place.user, own);
  place.install({ tries: [{ run: ["/old/node", "/old/hookline.js"] }] });
  place.install();
  ok(!read(place.user).includes("/old/"));
  deepEqual(eventsIn(place.user).sort(), usual.toSorted());
  place.uninstall();
  equal(read(place.user), own);
});

test("without its notes, and after the agent rewrote the file, only our entries go", (t) => {
  const place = createPlace(t);
  write(place.user, own);
  place.install();
  rmSync(join(place.home, "..", "state"), { recursive: true });
  place.uninstall();
  equal(read(place.user), own);
  place.install();
  write(place.user, JSON.stringify({ ...parse(read(place.user)), theme: "dark" }, null, 2));
  const { notes } = place.uninstall();
  deepEqual(parse(read(place.user)), { ...parse(own), theme: "dark" });
  ok(notes.some((note) => note.includes("only Hookline's own entries")));
});

test("damaged notes are as good as none", (t) => {
  const place = createPlace(t);
  write(place.user, own);
  place.install();
  const notes = join(place.home, "..", "state", "hookline", "installs");
  equal(statSync(notes).mode & 0o077, 0, "the state folder is for its owner");
  for (const name of readdirSync(notes)) writeFileSync(join(notes, name), "{");
  place.uninstall();
  equal(read(place.user), own);
});

test("broken settings are refused with line and column, and nothing is written anywhere", (t) => {
  const place = createPlace(t);
  write(place.user, '{\n  "hooks": {,}\n}');
  throws(() => place.install(), { code: "settings_unusable", message: /settings\.json:2:13/ });
  throws(() => place.uninstall(), { code: "settings_unusable" });
  equal(read(place.user), '{\n  "hooks": {,}\n}');
  writeFileSync(place.user, Buffer.from([0x7b, 0xff, 0x7d]));
  throws(() => place.install(), { code: "settings_unusable", message: /UTF-8/ });
  equal(existsSync(join(place.home, "..", "state", "hookline", "installs")), false);
});

test("a settings file that is a folder, or a link in a circle, is refused", (t) => {
  const place = createPlace(t);
  mkdirSync(place.user, { recursive: true });
  throws(() => place.install(), { code: "settings_unusable" });
  mkdirSync(dirname(place.project), { recursive: true });
  symlinkSync("settings.json", place.project);
  throws(() => place.install({ layer: "project" }), { code: "settings_unusable" });
});

test("a linked settings file is edited at its real place, and the link stays, also one whose target does not exist yet", (t) => {
  const place = createPlace(t);
  const real = join(place.home, "dotfiles", "claude.json");
  write(real, own);
  mkdirSync(dirname(place.user));
  symlinkSync(join("..", "dotfiles", "claude.json"), place.user);
  for (const text of [own, undefined]) {
    if (text === undefined) rmSync(real);
    place.install();
    ok(lstatSync(place.user).isSymbolicLink());
    match(read(real), /--event Stop/);
    place.uninstall();
    ok(lstatSync(place.user).isSymbolicLink());
    equal(existsSync(real) ? read(real) : undefined, text);
  }
});

test("[R35, R49] install says where else it is registered, what the agent runs itself, and what switches hooks off", (t) => {
  const place = createPlace(t);
  write(place.project, own.replace("{", '{ "disableAllHooks": true,'));
  place.install();
  write(place.local, "{ broken");
  const { notes } = place.install({ layer: "project" });
  ok(notes.some((note) => note.includes("user layer") && note.includes(place.user)));
  ok(notes.some((note) => note.includes("runs 1 hook of") && note.includes("--take-over")));
  ok(notes.some((note) => note.includes("disableAllHooks")));
  ok(notes.some((note) => note.includes("Cursor, VS Code can read")));
  ok(
    notes.some((note) => /^Copilot CLI runs .*settings.*json too: .* as Copilot CLI expects$/.test(note)),
    notes.join(),
  );
  ok(
    notes.some((note) => note.includes(place.local)),
    "a file that could not be read is named",
  );
});

test("[R35] take-over moves the agent's hooks into our file, and uninstall moves them back, bytes as before", (t) => {
  const place = createPlace(t);
  for (const hooks of [
    undefined,
    "{}\n",
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"command": "x"}]}\n    ]\n  }\n}\n',
  ]) {
    write(place.project, own);
    if (hooks !== undefined) write(place.hookFile, hooks);
    const result = place.install({ layer: "project", takeOver: true });
    ok(!read(place.project).includes("./done.sh"));
    const stops: unknown[] = parse(read(place.hookFile)).hooks.Stop;
    deepEqual(stops.at(-1), { hooks: [{ type: "command", command: "./done.sh" }] });
    equal(result.others[0]?.file, place.hookFile);
    equal(place.install({ layer: "project", takeOver: true }).changed, false);
    equal(place.install({ layer: "project" }).changed, false);
    place.install({ layer: "project", tries: [{ run: ["/new/node", "/new/hookline.js"] }] });
    place.uninstall({ layer: "project" });
    equal(read(place.project), own);
    equal(existsSync(place.hookFile) ? read(place.hookFile) : undefined, hooks);
    equal(existsSync(dirname(place.hookFile)), hooks !== undefined);
  }
});

test("[R35] in the user layer hooks go to the person's own hook file", (t) => {
  const place = createPlace(t);
  write(place.user, own);
  place.install({ takeOver: true });
  match(read(join(place.home, ".config", "hookline", "hooks.json")), /done\.sh/);
  place.uninstall();
  equal(read(place.user), own);
  equal(existsSync(join(place.home, ".config")), false);
});

test("[R35] hooks that were taken over into a moved XDG_CONFIG_HOME are active: none is lost between two folders", (t) => {
  const place = createPlace(t);
  const environment = { XDG_CONFIG_HOME: join(place.home, "settings") };
  const places = { home: place.home, root: place.root, environment };
  write(place.user, own);
  const { others } = place.install({ takeOver: true, places });
  equal(others[0]?.file, join(place.home, "settings", "hookline", "hooks.json"));
  const { set } = loadHooks({ cwd: place.root, home: place.home, environment, managedFolders: nowhere });
  ok(set.hooks.some(({ name, origin }) => name.includes("done.sh") && origin.file === others[0]?.file));
  place.uninstall({ places });
  equal(read(place.user), own);
});

test("[R35] hooks of a person's own project settings are taken over into the person's own hook file there", (t) => {
  const place = createPlace(t);
  write(place.local, own);
  const { others } = place.install({ layer: "local", takeOver: true });
  equal(others[0]?.file, join(place.root, ".hookline", "hooks.local.json"));
  const { set } = loadHooks({ cwd: place.root, home: place.home, environment: {}, managedFolders: nowhere });
  ok(set.hooks.some(({ name, origin }) => name.includes("done.sh") && origin.layer === "local"));
  place.uninstall({ layer: "local" });
  equal(read(place.local), own);
  equal(existsSync(join(place.root, ".hookline")), false);
});

test("a taken over hook on a rare event has that event registered", (t) => {
  const place = createPlace(t);
  write(place.project, '{"hooks": {"FileChanged": [{"hooks": [{"type": "command", "command": "x"}]}]}}');
  place.install({ layer: "project", takeOver: true });
  ok(eventsIn(place.project).includes("FileChanged"));
});

test("hooks of a type that Hookline does not run yet stay with the agent, and install says so", (t) => {
  const place = createPlace(t);
  const text =
    '{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "ok?"}]}, {"hooks": [{"type": "command", "command": "x"}]}]}}';
  write(place.project, text);
  const { notes } = place.install({ layer: "project", takeOver: true });
  ok(read(place.project).includes("ok?"));
  ok(!read(place.hookFile).includes("ok?"));
  ok(notes.some((note) => note.includes("1 group of hooks stayed")));
  place.uninstall({ layer: "project" });
  equal(read(place.project), text);
});

test("taken over hooks come back also when the agent has rewritten its settings, and a second take-over joins the first", (t) => {
  const place = createPlace(t);
  write(place.project, own);
  place.install({ layer: "project", takeOver: true });
  const changed = { theme: "dark", ...parse(read(place.project)) };
  changed.hooks.Stop.push({ hooks: [{ type: "command", command: "./second.sh" }] });
  write(place.project, JSON.stringify(changed, null, 2));
  place.install({ layer: "project", takeOver: true });
  ok(!/"\.\/\w+\.sh"/.test(read(place.project)));
  equal(parse(read(place.hookFile)).hooks.Stop.length, 2);
  place.uninstall({ layer: "project" });
  const back = parse(read(place.project));
  deepEqual(back.hooks.Stop.map((group: { hooks: { command: string }[] }) => group.hooks[0]?.command).sort(), [
    "./done.sh",
    "./second.sh",
  ]);
  deepEqual([back.theme, back.model], ["dark", "opus"]);
  equal(existsSync(place.hookFile), false);
});

test("a taken over hook that was edited in our file stays there: uninstall neither loses nor doubles it", (t) => {
  const place = createPlace(t);
  write(
    place.project,
    own.replace('"hooks": {', '"hooks": {\n\t\t"PreToolUse": [{ "hooks": [{ "command": "./guard.sh" }] }],'),
  );
  place.install({ layer: "project", takeOver: true });
  write(place.hookFile, read(place.hookFile).replace("./done.sh", "./done.sh --all"));
  const { notes } = place.uninstall({ layer: "project" });
  const back = parse(read(place.project));
  deepEqual(Object.keys(back.hooks), ["PreToolUse"]);
  deepEqual(Object.keys(parse(read(place.hookFile)).hooks), ["Stop"]);
  match(read(place.hookFile), /done\.sh --all/);
  ok(notes.some((note) => note.includes("edited or removed since")));
});

test("when one of the files cannot be written, none of them is changed", (t) => {
  const place = createPlace(t);
  write(place.project, own);
  write(join(place.root, ".hookline"), "a file where a folder belongs");
  throws(() => place.install({ layer: "project", takeOver: true }), { code: "settings_unusable" });
  equal(read(place.project), own);
  equal(place.uninstall({ layer: "project" }).changed, false);
});

test("CLAUDE_CONFIG_DIR moves the user's settings", (t) => {
  const place = createPlace(t);
  const folder = join(place.home, "elsewhere");
  const places = { home: place.home, root: place.root, environment: { CLAUDE_CONFIG_DIR: folder } };
  place.install({ places });
  notEqual(eventsIn(join(folder, "settings.json")).length, 0);
  equal(existsSync(place.user), false);
  place.uninstall({ places });
  equal(existsSync(folder), false);
});
