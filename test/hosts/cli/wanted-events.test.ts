/** Events that are registered only where a hook wants them at install: a session that begins says what to run, and edits nothing. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { placeFor } from "../daemon/started.ts";
import {
  addAsEarlierBuild,
  installed,
  own,
  saysToInstall,
  settingsOf,
  settingsPath,
  takesOut,
  wanting,
} from "./wanted-events-place.ts";

saysToInstall(false);

test("where Hookline was never installed, a session that begins asks for no install either", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  settingsOf(place).begin();
  assert.ok(!place.has("home/.claude"));
});

test("a registration written by hand counts, and is left as it is", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  const { text, begin } = settingsOf(place);
  const by = (event: string): string => {
    const command = `$HOME/bin/hookline hook claude-code --event ${event} --by user`;
    return JSON.stringify({ hooks: { [event]: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } });
  };
  place.write(settingsPath, by("PreToolUse"));
  begin(/^hookline: a hook wants PostToolBatch[^\n]*run hookline install claude-code again\n$/);
  assert.equal(text(), by("PreToolUse"));
  place.write(settingsPath, by("PostToolBatch"));
  begin();
});

test("a guard on an event that the agent lets pass where no daemon answers is reported, until it is installed again", (t) => {
  const { place, of, begin } = installed(t, "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting().replace("PostToolBatch", "PreToolUse"));
  begin();
  assert.equal(of("PreToolUse").onFailure, undefined);
  place.write("workspace/.hookline/hooks.json", wanting("guard").replace("PostToolBatch", "PreToolUse"));
  begin(/^hookline: a guard is active for PreToolUse[^\n]*run hookline install claude-code --http again\n$/);
  delete place.environment.HOOKLINE_DAEMON;
  place.hookline("install", "claude-code", "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  begin();
  assert.equal(of("PreToolUse").onFailure, "block");
});

takesOut();

test("[R89] uninstall restores the same bytes also where an earlier build added an event last", (t) => {
  const { place, text } = installed(t);
  addAsEarlierBuild(place);
  place.hookline("uninstall", "claude-code");
  assert.equal(text(), own);
});

test("the last uninstall leaves no compiled code", (t) => {
  const { place } = installed(t);
  const { NODE_COMPILE_CACHE: _shared, ...environment } = place.environment;
  const state = join(environment.XDG_STATE_HOME ?? join(place.folder, "home", ".local", "state"), "hookline");
  const run = (...words: string[]): void => {
    assert.equal(runCommand(words, { cwd: place.workspace, environment }).status, 0);
  };
  run("install", "claude-code", "--layer", "project");
  place.write("state/hookline/code/compiled", "as Node writes it");
  run("uninstall", "claude-code");
  assert.ok(existsSync(join(state, "code")), "the project's settings still call it");
  run("uninstall", "claude-code", "--layer", "project");
  assert.ok(!existsSync(join(state, "code")));
});
