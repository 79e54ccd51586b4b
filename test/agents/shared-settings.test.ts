/** Registering Hookline with agents whose hook files have Claude Code's shape: the right file, no byte of the person's lost, all of it undone. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AgentAdapter, InstallLayer } from "../../src/agents/adapter.ts";
import { codex } from "../../src/agents/codex/adapter.ts";
import {
  type InstallOptions,
  type InstallResult,
  installAgent,
  uninstallAgent,
} from "../../src/agents/install/install.ts";
import { ownEntries } from "../../src/agents/install/registration.ts";
import { qwen } from "../../src/agents/qwen/adapter.ts";
import { compileSettings } from "../../src/formats/settings/settings.ts";
import { runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Place {
  home: string;
  root: string;
  file(layer: InstallLayer): string;
  install(more?: Partial<InstallOptions>): InstallResult;
  uninstall(more?: Partial<InstallOptions>): InstallResult;
}

function createPlace(t: TestContext, agent: AgentAdapter): Place {
  const folder = temporaryFolder(t);
  const [home, root] = [join(folder, "home"), join(folder, "work")];
  for (const one of [home, root]) mkdirSync(one);
  const places = { home, root, environment: {} };
  const tries = [{ run: ["/node", "/hookline.js"] as const }];
  const options = { agent, layer: "user" as const, places, stateFolder: join(folder, "state"), tries };
  return {
    home,
    root,
    file: (layer) => agent.settings.file(layer, places),
    install: (more = {}) => installAgent({ ...options, ...more }),
    uninstall: (more = {}) => uninstallAgent({ ...options, ...more }),
  };
}
function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const read = (file: string): string => readFileSync(file, "utf8");

interface Case {
  agent: AgentAdapter;
  files: Readonly<Record<"user" | "project", string>>;
  /** What its file calls the events, where that is not our name. */
  called: Readonly<Record<string, string>>;
}
const cases: readonly Case[] = [
  { agent: codex, files: { user: ".codex/hooks.json", project: ".codex/hooks.json" }, called: {} },
  {
    agent: qwen,
    files: { user: ".qwen/settings.json", project: ".qwen/settings.json" },
    called: { TaskCreated: "TodoCreated", TaskCompleted: "TodoCompleted" },
  },
];

const own =
  '{\n\t"mine": "opus", // mine\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [{ "type": "command", "command": "./done.sh" }] }\n\t\t]\n\t}\n}';

for (const { agent, files, called } of cases) {
  for (const layer of ["user", "project"] as const)
    test(`${agent.title}: the ${layer} layer is installed, found installed, and undone to the same bytes`, (t) => {
      const place = createPlace(t, agent);
      const file = place.file(layer);
      equal(file, join(layer === "user" ? place.home : place.root, files[layer]));
      put(file, own);
      equal(place.install({ layer }).changed, true);
      const text = read(file);
      ok(text.includes("// mine") && text.includes("./done.sh"));
      match(text, new RegExp(`hook ${agent.name} --event Stop --by ${layer}`));
      equal(place.install({ layer }).changed, false);
      equal(read(file), text);
      equal(place.uninstall({ layer }).changed, true);
      equal(read(file), own);
      equal(place.uninstall({ layer }).changed, false);
    });

  test(`${agent.title}: a new file holds commands under its own events only, in seconds, and goes again`, (t) => {
    const place = createPlace(t, agent);
    place.install();
    const file = place.file("user");
    const { hooks, ...rest } = JSON.parse(read(file));
    deepEqual(rest, {});
    deepEqual(Object.keys(hooks).sort(), agent.settings.events.map((event) => called[event] ?? event).sort());
    for (const groups of Object.values<{ hooks: object[] }[]>(hooks))
      for (const group of groups) {
        deepEqual(Object.keys(group), ["hooks"], "no matcher");
        for (const handler of group.hooks) deepEqual(Object.keys(handler), ["type", "command", "timeout"]);
      }
    equal(hooks.PreToolUse[0].hooks[0].timeout, 660);
    ok(!read(file).includes("//"));
    deepEqual(
      ownEntries(read(file), agent.name, file)
        .map(({ event }) => event)
        .sort(),
      [...agent.settings.events].sort(),
    );
    const origin = { dialect: agent.name, layer: "user", file } as const;
    const { problems, speaksOf } = compileSettings(read(file), origin, { format: agent.files.format });
    deepEqual(problems, [], "what is registered is no finding when the file is read as hooks");
    deepEqual([...speaksOf].sort(), [...agent.settings.events].sort());
    place.uninstall();
    deepEqual(readdirSync(place.home), []);
  });

  test(`${agent.title}: a file that is no JSON is left as it is, with a reason`, (t) => {
    const place = createPlace(t, agent);
    for (const text of ['{ "hooks": [', "[]", '{ "hooks": { "Stop": {} } }']) {
      put(place.file("user"), text);
      throws(() => place.install(), { code: "settings_unusable" });
      equal(read(place.file("user")), text);
    }
  });

  test(`${agent.title}: a layer that it does not have is refused with those that it has, and --http is`, (t) => {
    const place = createPlace(t, agent);
    const at = { cwd: place.root, environment: { HOME: place.home, PATH: process.env.PATH ?? "" } };
    const local = runCommand(["install", agent.name, "--layer", "local"], at);
    match(local.stderr, new RegExp(`no local layer in ${agent.title}: use user or project`));
    const http = runCommand(["install", agent.name, "--http"], at);
    match(http.stderr, /cannot send events over HTTP/);
    deepEqual([local.status === 0, http.status === 0], [false, false]);
    ok(!existsSync(place.file("user")));
  });
}

test("Codex: install says what a person has to do before Codex runs the hooks, and writes no record of trust", (t) => {
  const place = createPlace(t, codex);
  const { notes } = place.install();
  ok(notes.some((note) => /\/hooks/.test(note)));
  deepEqual(readdirSync(join(place.home, ".codex")), ["hooks.json"]);
});
