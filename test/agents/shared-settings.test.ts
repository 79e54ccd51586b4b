/** Registering Hookline with agents whose hook files have Claude Code's shape: the right file, no byte of the person's lost, all of it undone. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import { codex } from "../../src/agents/codex/adapter.ts";
import { gemini } from "../../src/agents/gemini/adapter.ts";
import { ownEntries } from "../../src/agents/install/registration.ts";
import { qwen } from "../../src/agents/qwen/adapter.ts";
import { compileSettings } from "../../src/formats/settings/settings.ts";
import { runCommand } from "../program.ts";
import { installing } from "./installing.ts";

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const read = (file: string): string => readFileSync(file, "utf8");

interface Case {
  agent: AgentAdapter;
  /** The same in a home and in a repository. */
  file: string;
  /** What its file calls the events, where that is not our name. */
  called?: Readonly<Record<string, string>>;
  timeout?: number;
  /** What install tells the person to do. */
  says?: RegExp;
  /** Hookline reads no hooks of this file. */
  isUnread?: true;
}
const cases: readonly Case[] = [
  { agent: codex, file: ".codex/hooks.json", says: /\/hooks/ },
  {
    agent: qwen,
    file: ".qwen/settings.json",
    called: { TaskCreated: "TodoCreated", TaskCompleted: "TodoCompleted" },
  },
  {
    agent: gemini,
    file: ".gemini/settings.json",
    called: { UserPromptSubmit: "BeforeAgent", PreToolUse: "BeforeTool", PostToolUse: "AfterTool", Stop: "AfterAgent" },
    timeout: 660_000,
    says: /folders that you trust/,
    isUnread: true,
  },
];

const own =
  '{\n\t"mine": "opus", // mine\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{ "hooks": [{ "type": "command", "command": "./done.sh" }] }\n\t\t]\n\t}\n}';

/** What is registered is no finding when the file is read as hooks. */
function readsAsHooks(agent: AgentAdapter, file: string): void {
  const origin = { dialect: agent.name, layer: "user", file } as const;
  const { problems, speaksOf } = compileSettings(read(file), origin, { format: agent.files.format });
  deepEqual(problems, []);
  deepEqual([...speaksOf].sort(), [...agent.settings.events].sort());
}

for (const { agent, file: named, called = {}, timeout = 660, says, isUnread } of cases) {
  for (const layer of ["user", "project"] as const)
    test(`${agent.title}: the ${layer} layer is installed, found installed, and undone to the same bytes`, (t) => {
      const place = installing(t, agent);
      const file = place.file(layer);
      equal(file, join(layer === "user" ? place.home : place.root, named));
      put(file, own);
      const { changed, notes } = place.install({ layer });
      equal(changed, true);
      ok(!says || notes.some((note) => says.test(note)));
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
    const place = installing(t, agent);
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
    equal(hooks[called.PreToolUse ?? "PreToolUse"][0].hooks[0].timeout, timeout);
    deepEqual(readdirSync(dirname(file)), [basename(file)], "and nothing beside it, such as a record of trust");
    ok(!read(file).includes("//"));
    deepEqual(
      ownEntries(read(file), agent.name, file)
        .map(({ event }) => event)
        .sort(),
      [...agent.settings.events].sort(),
    );
    if (!isUnread) readsAsHooks(agent, file);
    place.uninstall();
    deepEqual(readdirSync(place.home), []);
  });

  test(`${agent.title}: a file that is no JSON is left as it is, with a reason`, (t) => {
    const place = installing(t, agent);
    for (const text of ['{ "hooks": [', "[]", `{ "hooks": { "${called.Stop ?? "Stop"}": {} } }`]) {
      put(place.file("user"), text);
      throws(() => place.install(), { code: "settings_unusable" });
      equal(read(place.file("user")), text);
    }
  });

  test(`${agent.title}: a layer that it does not have is refused with those that it has, and --http is`, (t) => {
    const place = installing(t, agent);
    const at = { cwd: place.root, environment: { HOME: place.home, PATH: process.env.PATH ?? "" } };
    const local = runCommand(["install", agent.name, "--layer", "local"], at);
    match(local.stderr, new RegExp(`no local layer in ${agent.title}: use user or project`));
    const http = runCommand(["install", agent.name, "--http"], at);
    match(http.stderr, /cannot send events over HTTP/);
    deepEqual([local.status === 0, http.status === 0], [false, false]);
    ok(!existsSync(place.file("user")));
  });
}
