/** Our own files in OpenCode and pi: written whole, found again, taken out whole, and refused in layers that the agent does not have. */
import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import { copilot } from "../../src/agents/copilot/adapter.ts";
import { editorOf } from "../../src/agents/install/registration.ts";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { pi } from "../../src/agents/pi/adapter.ts";
import { installing } from "./installing.ts";
import { commandsFor } from "./own-files.ts";

interface Files {
  agent: AgentAdapter;
  user: string;
  project: string;
  /** What install tells the person. */
  says: string;
}
const plugins: readonly Files[] = [
  {
    agent: opencode,
    user: ".config/opencode/plugin/hookline.js",
    project: ".opencode/plugin/hookline.js",
    says: "restart it",
  },
  { agent: pi, user: ".pi/agent/extensions/hookline.ts", project: ".pi/extensions/hookline.ts", says: "restart it" },
];
const all: readonly Files[] = [
  ...plugins,
  {
    agent: copilot,
    user: ".copilot/hooks/hookline.json",
    project: ".github/hooks/hookline.json",
    says: "folders that you trust",
  },
];

for (const { agent, user, project, says } of all) {
  test(`${agent.title}: its file is written once, lists every event, and is taken out with the folders that were made for it`, (t) => {
    const { home, root, install, uninstall } = installing(t, agent);
    for (const [layer, file] of [
      ["user", join(home, user)],
      ["project", join(root, project)],
    ] as const) {
      const { file: written, notes } = install({ layer });
      equal(written, file);
      ok(notes.some((note) => note.includes(says)));
      const text = readFileSync(file, "utf8");
      deepEqual(
        editorOf(agent)
          .read(text, file)
          .map(({ event, by }) => [event, by]),
        agent.settings.events.map((event) => [event, layer]),
      );
      equal(install({ layer }).changed, false);
      equal(readFileSync(file, "utf8"), text);
      equal(text.includes(home), false, "what a team shares names nobody's folders");
      equal(uninstall({ layer }).changed, true);
      deepEqual(readdirSync(layer === "user" ? home : root), []);
      equal(uninstall({ layer }).changed, false);
    }
  });
}

for (const { agent, user } of plugins)
  test(`${agent.title}: a guard that comes or goes changes the file, and a file of somebody else is refused and stays`, (t) => {
    const { home, install, uninstall } = installing(t, agent);
    const file = join(home, user);
    install();
    const open = readFileSync(file, "utf8");
    ok(!open.includes("guarded: true"));
    equal(install({ guarded: ["PreToolUse"] }).changed, true);
    match(readFileSync(file, "utf8"), /PreToolUse: \{ line: ".*--guarded;.*", guarded: true \}/);
    install();
    equal(readFileSync(file, "utf8"), open);
    uninstall();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "// mine\n");
    throws(() => install(), /another program has written it/);
    equal(uninstall().changed, false);
    equal(readFileSync(file, "utf8"), "// mine\n");
  });

test("a layer that the agent does not have and HTTP are refused in a sentence, and nothing is written", async (t) => {
  const place = commandsFor(t);
  for (const { agent, user } of all) {
    const none = place.hookline("install", agent.name, "--layer", "local");
    notEqual(none.status, 0);
    match(none.stderr, new RegExp(`there is no local layer in ${agent.title}: use user or project`));
    match(place.hookline("install", agent.name, "--http").stderr, /cannot send events over HTTP/);
    equal(existsSync(join(place.folder, "home", user)), false);
  }
});

test("the project layer of OpenCode says what it costs", (t) => {
  const { install } = installing(t, opencode);
  ok(install({ layer: "project", dryRun: true }).notes.some((note) => note.includes("63 MB")));
  ok(!install({ dryRun: true }).notes.some((note) => note.includes("63 MB")));
});

const guard = JSON.stringify({
  PreToolUse: [
    { matcher: "Bash(git push *)", hooks: [{ type: "command", command: "echo no push >&2; exit 2", role: "guard" }] },
  ],
});

for (const { agent, project } of plugins)
  test(`${agent.title}: a committed file refuses where a guard is active and Hookline is missing, and passes for everything else`, (t) => {
    const place = commandsFor(t, { "workspace/.hookline/hooks.json": guard });
    equal(place.hookline("install", agent.name, "--layer", "project").status, 0);
    const text = readFileSync(join(place.workspace, project), "utf8");
    const elsewhere = join(place.folder, "elsewhere");
    mkdirSync(elsewhere);
    const send = (event: string): ReturnType<typeof spawnSync> => {
      const [, literal = '""'] = new RegExp(`^  ${event}: \\{ line: (".*"), guarded`, "m").exec(text) ?? [];
      return spawnSync("sh", ["-c", JSON.parse(literal)], {
        ...{
          cwd: place.workspace,
          encoding: "utf8",
          input: JSON.stringify(agent.canary("PreToolUse", { session: "s", cwd: "/" })),
        },
        env: { PATH: "/usr/bin:/bin", HOME: elsewhere },
      });
    };
    deepEqual([send("PreToolUse").status, send("PostToolUse").status], [2, 0]);
    match(String(send("PreToolUse").stderr), /a guard is active/);
    rmSync(join(place.workspace, ".hookline", "launch.sh"));
    deepEqual([send("PreToolUse").status, send("PostToolUse").status], [2, 0]);
  });
