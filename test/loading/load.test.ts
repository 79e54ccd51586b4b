import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkFile, hookFileAt } from "../../src/loading/load.ts";
import { guard, hooks, names, workspace } from "./workspace.ts";

const stop = (name: string): object => hooks("Stop", name);

test("[R29, R58] every place is read, and hooks run in the order of their layers", (context) => {
  const place = workspace(context, {
    "managed/claude/managed-settings.json": stop("managed claude"),
    "managed/hookline/hooks.json": stop("managed hookline"),
    "home/.claude/settings.json": stop("user claude"),
    "home/.gen/settings.json": hooks("SessionStart", "user gen"),
    "home/.config/hookline/hooks.json": stop("user hookline"),
    "home/project/.claude/settings.json": stop("project claude"),
    "home/project/.gen/settings.json": stop("project gen"),
    "home/project/.hookline/hooks.json": stop("project hookline"),
    "home/project/.claude/settings.local.json": stop("local claude"),
    "home/project/.gen/settings.local.json": hooks("PreToolUse", "local gen"),
    "home/project/.hookline/hooks.local.json": stop("local hookline"),
    "home/project/.hookline/plugins/one/hooks/hooks.json": stop("plugin hookline"),
    "home/project/.gen/plugins/two/plugin.json": stop("plugin gen"),
  });
  const loaded = place.load();
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(
    loaded.set.hooks.map(({ origin }) => origin.layer),
    [
      "managed",
      "managed",
      ...Array(3).fill("user"),
      ...Array(3).fill("project"),
      ...Array(3).fill("local"),
      "plugin",
      "plugin",
    ],
  );
  assert.equal(new Set(names(loaded)).size, 13);
  assert.equal(loaded.files.length, 13);
  assert.ok(
    loaded.set.hooks.every(({ id }) => !id.includes(place.home)),
    "ids name no machine",
  );
});

test("XDG_CONFIG_HOME and CLAUDE_CONFIG_DIR move the user's files, and a relative one counts as none", (context) => {
  const place = workspace(context, {
    "home/else/hookline/hooks.json": stop("xdg"),
    "home/claude-else/settings.json": stop("claude"),
    "home/.config/hookline/hooks.json": stop("default"),
  });
  const moved = { XDG_CONFIG_HOME: join(place.home, "else"), CLAUDE_CONFIG_DIR: join(place.home, "claude-else") };
  assert.deepEqual(new Set(names(place.load(place.project, moved))), new Set(["xdg", "claude"]));
  assert.deepEqual(names(place.load(place.project, { XDG_CONFIG_HOME: "else" })), ["default"]);
});

test("[CT35, C76, R29] .claude files of user and project merge", (context) => {
  const place = workspace(context, {
    "home/.claude/settings.json": stop("u"),
    "home/project/.claude/settings.json": stop("p"),
  });
  assert.deepEqual(names(place.load()), ["u", "p"]);
});

test("[CT35, C76, C77, R29] a .gen project file replaces the user's hooks event by event, and plugins come last", (context) => {
  const place = workspace(context, {
    "home/.gen/settings.json": {
      hooks: { Stop: [{ hooks: [{ command: "u" }] }], SessionStart: [{ hooks: [{ command: "start" }] }] },
    },
    "home/project/.gen/settings.json": stop("p"),
    "home/project/.gen/plugins/q/hooks/hooks.json": stop("q"),
  });
  const loaded = place.load();
  assert.deepEqual(names(loaded), ["start", "p", "q"]);
  assert.deepEqual(
    loaded.problems.map(({ code, severity }) => [code, severity]),
    [["overridden", "note"]],
  );
  place.write("home/project/.gen/settings.json", { hooks: { Stop: [] } });
  assert.deepEqual(names(place.load()), ["start", "q"]);
});

test("[CT35, R29, SD2] nothing in a project removes a managed hook or a guard of the user's, and no switch there reaches a hook of the user's", (context) => {
  const place = workspace(context, {
    "managed/hookline/hooks.json": stop("managed"),
    "managed/claude/managed-settings.json": stop("managed claude"),
    "home/.gen/settings.json": hooks("Stop", guard("gen guard"), "gen plain"),
    "home/.claude/settings.json": hooks("Stop", guard("claude guard"), "claude plain"),
    "home/project/.gen/settings.json": { hooks: { Stop: [] }, disableAllHooks: true },
    "home/project/.claude/settings.json": { disableAllHooks: true },
    "home/project/.hookline/hooks.json": { disableAllHooks: true, allowManagedHooksOnly: true, hooks: {} },
  });
  assert.deepEqual(
    new Set(names(place.load())),
    new Set(["managed", "managed claude", "gen guard", "claude guard", "claude plain"]),
  );
});

test("[R29] an alias loses only the event that is replaced", (context) => {
  const place = workspace(context, {
    "home/.gen/settings.json": hooks("tool_end", "u"),
    "home/project/.gen/settings.json": hooks("PostToolUse", "p"),
  });
  const [user] = place.load().set.hooks;
  assert.deepEqual(user?.on, { event: ["PostToolUseFailure"], as: ["tool_end"] });
});

test("disableAllHooks of the user reaches all of that family but managed hooks, which stay in the set as disabled", (context) => {
  const place = workspace(context, {
    "managed/claude/managed-settings.json": stop("managed"),
    "home/.claude/settings.json": { ...hooks("Stop", guard("guard"), "u"), disableAllHooks: true },
    "home/project/.claude/settings.json": stop("p"),
    "home/project/.hookline/hooks.json": stop("ours"),
  });
  const loaded = place.load();
  assert.deepEqual(names(loaded), ["managed", "ours"]);
  assert.equal(loaded.set.hooks.length, 5);
  assert.match(loaded.problems.find(({ code }) => code === "disabled")?.message ?? "", /3 hooks off/);
});

test("allowManagedHooksOnly holds from managed settings only", (context) => {
  const place = workspace(context, {
    "managed/claude/managed-settings.json": { ...stop("managed"), allowManagedHooksOnly: true },
    "home/.config/hookline/hooks.json": stop("ours"),
    "home/project/.claude/settings.json": stop("p"),
  });
  assert.deepEqual(names(place.load()), ["managed"]);
  place.write("managed/claude/managed-settings.json", stop("managed"));
  place.write("home/project/.claude/settings.json", { ...stop("p"), allowManagedHooksOnly: true });
  assert.equal(names(place.load()).length, 3);
  assert.deepEqual(
    place.load().problems.map(({ code }) => code),
    ["ignored-field"],
  );
});

test("[C77] Claude Code's installed plugins come with their hooks unless settings say false", (context) => {
  const place = workspace(context, {
    "home/plugins/a/hooks/hooks.json": stop("a"),
    "home/plugins/b/hooks/hooks.json": stop("b"),
    "home/plugins/c/hooks/hooks.json": stop("c"),
    "home/.claude/settings.json": { enabledPlugins: { "a@m": true, "b@m": false } },
  });
  const install = (name: string, more = {}): object => ({
    scope: "user",
    installPath: join(place.home, "plugins", name),
    ...more,
  });
  place.write("home/.claude/plugins/installed_plugins.json", {
    version: 2,
    plugins: {
      "a@m": [install("a")],
      "b@m": [install("b")],
      "c@m": [install("c", { scope: "project", projectPath: "/elsewhere" })],
    },
  });
  const loaded = place.load();
  assert.deepEqual(new Set(names(loaded)), new Set(["a"]));
  assert.equal(loaded.set.hooks.find(({ name }) => name === "a")?.origin.plugin, join(place.home, "plugins/a"));
});

test("[R29] a project's settings do not switch off a plugin that the user installed, only one that was installed for the project", (context) => {
  const place = workspace(context, {
    "home/plugins/everywhere/hooks/hooks.json": hooks("Stop", guard("guard"), "plain"),
    "home/plugins/here/hooks/hooks.json": stop("here"),
    "home/.claude/settings.json": { enabledPlugins: { "everywhere@m": true } },
    "home/project/.claude/settings.json": { enabledPlugins: { "everywhere@m": false, "here@m": false } },
  });
  const install = (name: string, more = {}): object => ({ installPath: join(place.home, "plugins", name), ...more });
  place.write("home/.claude/plugins/installed_plugins.json", {
    version: 2,
    plugins: {
      "everywhere@m": [install("everywhere", { scope: "user" })],
      "here@m": [install("here", { scope: "project", projectPath: place.project })],
    },
  });
  const loaded = place.load();
  assert.deepEqual(names(loaded), ["guard", "plain"]);
  assert.deepEqual(
    loaded.problems.map(({ code, file, message }) => [code, file, message]),
    [
      [
        "ignored-field",
        join(place.project, ".claude/settings.json"),
        '"enabledPlugins" has no effect here: a project does not switch off everywhere@m, a plugin of yours',
      ],
    ],
  );
});

test("[R29] what the user has switched off, a project's settings do not switch on", (context) => {
  const place = workspace(context, {
    "home/plugins/everywhere/hooks/hooks.json": stop("plain"),
    "home/.claude/settings.json": { enabledPlugins: { "everywhere@m": false } },
    "home/project/.claude/settings.json": { enabledPlugins: { "everywhere@m": true } },
  });
  place.write("home/.claude/plugins/installed_plugins.json", {
    version: 2,
    plugins: { "everywhere@m": [{ scope: "user", installPath: join(place.home, "plugins/everywhere") }] },
  });
  assert.deepEqual(names(place.load()), []);
});

test("a broken plugin registry is a problem, and the other files live", (context) => {
  const place = workspace(context, {
    "home/.claude/plugins/installed_plugins.json": "{",
    "home/.claude/settings.json": stop("u"),
  });
  assert.deepEqual(names(place.load()), ["u"]);
  assert.deepEqual(
    place.load().problems.map(({ code }) => code),
    ["unreadable"],
  );
});

test("a GenCode manifest may name its hook file, but none outside the plugin", (context) => {
  const place = workspace(context, {
    "home/project/.gen/plugins/in/.gen-plugin/plugin.json": { name: "in", hooks: "config/h.json" },
    "home/project/.gen/plugins/in/config/h.json": stop("in"),
    "home/project/.gen/plugins/out/plugin.json": { hooks: "../../../outside.json" },
    "home/project/outside.json": stop("out"),
    "home/project/.gen/plugins/inline/plugin.json": { hooks: stop("inline") },
  });
  assert.deepEqual(new Set(names(place.load())), new Set(["in", "inline"]));
});

test("the hooks of a plugin's .claude-plugin/plugin.json are read beside its hooks.json: in it, by a path, or a list of both", (context) => {
  const plugin = "home/project/.hookline/plugins";
  const place = workspace(context, {
    [`${plugin}/inline/.claude-plugin/plugin.json`]: { name: "inline", ...stop("inline") },
    [`${plugin}/inline/hooks/hooks.json`]: stop("beside"),
    [`${plugin}/named/.claude-plugin/plugin.json`]: { name: "named", hooks: "./config/h.json" },
    [`${plugin}/named/config/h.json`]: stop("named"),
    [`${plugin}/listed/.claude-plugin/plugin.json`]: { name: "listed", hooks: ["./one.json", stop("two")] },
    [`${plugin}/listed/one.json`]: stop("one"),
    [`${plugin}/none/.claude-plugin/plugin.json`]: { name: "none", description: "it has no hooks" },
    "home/plugins/p/.claude-plugin/plugin.json": { name: "p", hooks: "./hooks/hooks.json" },
    "home/plugins/p/hooks/hooks.json": stop("once"),
  });
  place.write("home/.claude/plugins/installed_plugins.json", {
    version: 2,
    plugins: { "p@m": [{ scope: "user", installPath: join(place.home, "plugins/p") }] },
  });
  const loaded = place.load();
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(names(loaded).sort(), ["beside", "inline", "named", "once", "one", "two"]);
  const manifest = join(place.project, ".hookline/plugins/listed/.claude-plugin/plugin.json");
  const request = { cwd: place.project, home: place.home, environment: {} };
  assert.deepEqual(checkFile(hookFileAt(manifest, request), request).problems, []);
});

test("a plugin's manifest that names a file outside of the plugin, or none that is there, is a problem", (context) => {
  const plugin = "home/project/.hookline/plugins";
  const place = workspace(context, {
    [`${plugin}/out/.claude-plugin/plugin.json`]: { hooks: ["../../../outside.json"] },
    [`${plugin}/gone/.claude-plugin/plugin.json`]: { hooks: "./hooks/gone.json" },
    "home/project/outside.json": stop("out"),
  });
  const { problems, set } = place.load();
  assert.deepEqual(set.hooks, []);
  assert.deepEqual(problems.map(({ message }) => message).sort(), [
    `the file cannot be read: it does not exist, and ${join(place.project, ".hookline/plugins/gone/.claude-plugin/plugin.json")} names it as its hooks`,
    "the file cannot be read: it names ../../../outside.json as its hooks, which lies outside of the plugin",
  ]);
});

test("[X6, R33] files that cannot be read are problems, and the others live; a pipe is not waited for", (context) => {
  const place = workspace(context, {
    "home/project/.hookline/hooks.json": stop("lives"),
    "home/project/.hookline/hooks.local.json": `${" ".repeat(300_000)}{}`,
    "home/.claude/settings.json": '{ "hooks": { "Stop": [{ "hooks": [{ "command": "left" }] }] ',
  });
  mkdirSync(join(place.project, ".gen/settings.json"), { recursive: true });
  mkdirSync(join(place.project, ".claude"));
  execFileSync("mkfifo", [join(place.project, ".claude/settings.json")]);
  const loaded = place.load();
  assert.deepEqual(names(loaded), ["left", "lives"]);
  assert.equal(loaded.problems.filter(({ code }) => code === "unreadable").length, 3);
});

test("a folder that is the home folder reads the user's files once", (context) => {
  const place = workspace(context, { "home/.claude/settings.json": stop("u") });
  assert.deepEqual(
    place.load(place.home).set.hooks.map(({ origin }) => origin.layer),
    ["user"],
  );
});

test("the set is known by its content: equal for equal files, another after a change", (context) => {
  const place = workspace(context, { "home/project/.hookline/hooks.json": stop("a") });
  const { id } = place.load().set;
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(place.load().set.id, id);
  place.write("home/project/.hookline/hooks.json", stop("b"));
  assert.notEqual(place.load().set.id, id);
});

test("an id that a project takes from the user's guard is changed in the project, whatever its priority", (context) => {
  const place = workspace(context, {
    "home/.config/hookline/hooks.json": hooks("Stop", { ...guard("mine"), id: "safe" }),
    "home/project/.hookline/hooks.json": hooks("Stop", { command: "theirs", id: "safe", priority: 1 }),
  });
  const loaded = place.load();
  assert.deepEqual(
    loaded.set.hooks.map(({ name, id }) => [name, id]),
    [
      ["theirs", "safe@.hookline/hooks.json"],
      ["mine", "safe"],
    ],
  );
  assert.deepEqual(
    loaded.problems.map(({ code }) => code),
    ["duplicate-key"],
  );
});

test("Hookline's own registration in an agent's settings is no hook, but a line that contains it is", (context) => {
  const call = '"/opt/node" "/opt/hookline/bin/hookline.js" hook claude-code --event Stop --by user';
  const place = workspace(context, { "home/.claude/settings.json": hooks("Stop", call, `${call} && echo more`) });
  assert.equal(place.load().set.hooks.length, 1);
});

test("every path that was looked at is watched, there or not", (context) => {
  const place = workspace(context, { "home/project/.hookline/hooks.json": stop("a") });
  const { watched } = place.load();
  for (const path of [
    ".hookline/hooks.json",
    ".claude/settings.json",
    ".gen/settings.local.json",
    ".hookline/plugins",
    ".git",
  ]) {
    assert.ok(watched.includes(join(place.project, path)), path);
  }
  assert.ok(watched.includes(join(place.home, ".claude/plugins/installed_plugins.json")));
});

test("checkFile reads one file in the format that its name gives", (context) => {
  const place = workspace(context, {
    "home/project/.gen/settings.json": hooks("PostToolUse", "x"),
    "home/project/hooks/hooks.json": { Stop: [{ command: "y" }] },
  });
  const request = { cwd: place.project, home: place.home, environment: {} };
  const check = (path: string) => checkFile(hookFileAt(join(place.project, path), request), request);
  assert.equal(check(".gen/settings.json").hooks[0]?.mode, "async");
  assert.equal(check("hooks/hooks.json").hooks[0]?.name, "y");
  assert.deepEqual(
    check("none.json").problems.map(({ code }) => code),
    ["unreadable"],
  );
});
