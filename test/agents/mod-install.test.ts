/** Our mod in Claude Code: written beside its settings or in the place of a part of them, found again, and taken out with the folders that were made for it. */
import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { modEntries } from "../../src/agents/install/mod.ts";
import { editorOf } from "../../src/agents/install/registration.ts";
import { world } from "../world.ts";
import { installing } from "./installing.ts";

const folder = ".claude/skills/hookline";
const code = `${folder}/hooks/hookline.js`;

function begun(t: Parameters<typeof installing>[0]) {
  const one = installing(t, claudeCode);
  const places = { home: one.home, root: one.root, environment: {} };
  const events = (): string[] =>
    editorOf(claudeCode)
      .read(readFileSync(one.file("user"), "utf8"), "")
      .map(({ event }) => event);
  const inMod = (): string[] =>
    modEntries({ agent: claudeCode, layer: "user", places }).map(({ event, by }) => `${event} ${by}`);
  return { ...one, events, inMod, at: (path: string) => join(one.home, path) };
}

test("install --mod writes the mod beside the lines of settings, twice is once, and uninstall leaves no folder of it", (t) => {
  const { install, uninstall, events, inMod, at } = begun(t);
  const { others } = install({ mod: "beside" });
  deepEqual(
    others.map(({ file }) => file),
    [code, `${folder}/.claude-plugin/plugin.json`, `${folder}/hooks/hooks.json`].map(at),
  );
  deepEqual(inMod(), ["PreToolUse mod"]);
  ok(events().includes("PreToolUse"), "settings go on calling us");
  equal(install({ mod: "beside" }).changed, false);
  uninstall();
  equal(existsSync(at(".claude")), false);
});

test("install --mod-alone leaves calls of tools out of settings, and install without it takes the mod away again", (t) => {
  const { install, events, inMod, at } = begun(t);
  mkdirSync(at(".claude/skills/mine"), { recursive: true });
  install({ mod: "alone" });
  deepEqual(inMod(), ["PreToolUse mod", "PostToolUse mod", "PostToolUseFailure mod"]);
  for (const event of ["PreToolUse", "PostToolUse", "PostToolUseFailure"]) ok(!events().includes(event), event);
  ok(events().includes("PreSkillShellCommand") && events().includes("SessionStart"));
  equal(install().changed, true);
  ok(events().includes("PreToolUse"));
  equal(existsSync(at(folder)), false);
  ok(existsSync(at(".claude/skills/mine")));
});

test("a mod that was changed is written anew by install and taken away by uninstall, and a folder of another program is left alone", (t) => {
  const { install, uninstall, at } = begun(t);
  install({ mod: "beside" });
  const text = readFileSync(at(code), "utf8");
  writeFileSync(at(code), `${text}// of another\n`);
  equal(install({ mod: "beside" }).changed, true);
  equal(readFileSync(at(code), "utf8"), text);
  writeFileSync(at(code), `${text}// of another\n`);
  uninstall();
  equal(existsSync(at(folder)), false);
  mkdirSync(dirname(at(code)), { recursive: true });
  writeFileSync(at(code), "export function register() {}\n");
  throws(() => install({ mod: "beside" }), /another program has written it/);
  install();
  uninstall();
  equal(readFileSync(at(code), "utf8"), "export function register() {}\n");
});

test("install says by name what has no mod, and doctor installs a mod again as it was", (t) => {
  const place = world(t, { "workspace/.hookline/hooks.json": '{"deny":["Bash(git push *)"]}' });
  match(place.hookline("install", "codex", "--mod").stderr, /codex has no mods/i);
  match(place.hookline("install", "claude-code", "--mod", "--layer", "project").stderr, /mods of the user layer only/);
  const shown = place.hookline("install", "claude-code", "--mod-alone", "--dry-run");
  match(shown.stdout, /skills\/hookline\/hooks\/hookline\.js \(new\)/);
  equal(place.has("home/.claude"), false);
  equal(place.hookline("install", "claude-code", "--mod-alone").status, 0);

  const found: { finding: string; is: string; run?: string }[] = JSON.parse(place.hookline("doctor", "--json").stdout);
  deepEqual(
    found.filter(({ finding, is }) => is === "bad" && /events-missing|registration|guard/.test(finding)),
    [],
  );
  const file = `home/${code}`;
  place.write(file, place.read(file).replace("const soon = 5_000", "const soon = 9_000"));
  const changed: typeof found = JSON.parse(place.hookline("doctor", "--json").stdout);
  equal(
    changed.find(({ finding }) => finding === "registration-changed")?.run,
    "hookline install claude-code --mod-alone",
  );
  notEqual(place.hookline("uninstall", "claude-code").status, 2);
  equal(place.has("home/.claude"), false);
});
