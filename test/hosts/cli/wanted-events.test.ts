/** Events that are registered only where a hook wants them at install: a session that begins says what to run, and edits nothing. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../../program.ts";
import { type Place, placeFor } from "../daemon/started.ts";

const own = '{\n\t"model": "opus"\n}\n';
const settingsPath = "home/.claude/settings.json";
const wanting = (role = "observe"): string =>
  JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command: "exit 0", role }] }] } });

interface Settings {
  text(): string;
  /** What is registered for an event. */
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at the settings as they were written
  of(event: string): any;
  /** @param said what is printed for the person */
  begin(said?: RegExp): void;
}

function settingsOf(place: Place): Settings {
  const text = (): string => readFileSync(join(place.folder, settingsPath), "utf8");
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  return {
    text,
    of: (event) => JSON.parse(text()).hooks[event]?.[0].hooks[0],
    begin(said = /^$/) {
      const words = ["hook", "claude-code", "--event", "SessionStart", "--by", "user"];
      const { status, stderr } = place.hooklineWith(JSON.stringify(payload), ...words);
      assert.equal(status, 0);
      assert.match(stderr, said);
    },
  };
}

function installed(t: TestContext, ...words: string[]): Settings & { place: Place } {
  const place = placeFor(t, { [settingsPath]: own });
  const { status, stderr } = place.hookline("install", "claude-code", ...words);
  assert.equal(status, 0, stderr);
  return { place, ...settingsOf(place) };
}

for (const isUp of [false, true])
  test(`[R84, R50] where a hook came to want an event that is not registered, a session that begins says to install again and edits nothing, ${isUp ? "with" : "without"} a daemon`, async (t) => {
    const { place, text, of, begin } = installed(t);
    if (isUp) await place.up("--port", "0");
    else place.environment.HOOKLINE_DAEMON = "off";
    const before = text();
    begin();
    place.write("workspace/.hookline/hooks.json", wanting());
    begin(/^hookline: a hook wants PostToolBatch[^\n]*: run hookline install claude-code again\n$/);
    assert.equal(text(), before);
    place.hookline("install", "claude-code");
    assert.match(of("PostToolBatch").command, /--event PostToolBatch/);
    begin();
    place.hookline("uninstall", "claude-code");
    assert.equal(text(), own);
  });

test("where Hookline was never installed, a session that begins asks for no install either", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  settingsOf(place).begin();
  assert.ok(!existsSync(join(place.folder, "home", ".claude")));
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

for (const words of [[], ["--take-over"]])
  test(`[R89] an event that an earlier build added to the settings when a session began is taken out by install${words.map((word) => ` ${word}`).join("")}, and uninstall restores the same bytes`, (t) => {
    const place = placeFor(t, { [settingsPath]: mixed });
    const { text } = settingsOf(place);
    place.hookline("install", "claude-code", ...words);
    addAsEarlierBuild(place);
    assert.match(text(), /--event PostToolBatch/);
    place.hookline("install", "claude-code");
    assert.doesNotMatch(text(), /--event PostToolBatch/);
    place.hookline("uninstall", "claude-code");
    assert.equal(text(), mixed);
  });

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

const mixed = `{
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "exit 0" }] }] }, // mine
  "model": "opus"
}
`;

/** One more group, and one more stage in the notes of install. */
function addAsEarlierBuild(place: Place): void {
  const before = settingsOf(place).text();
  const [, line = ""] =
    /"command": ?("(?:[^"\\]|\\.)* --event SessionEnd --by user(?:[^"\\]|\\.)*")/.exec(before) ?? [];
  const command = JSON.parse(line).replace("SessionEnd", "PostToolBatch");
  const group = JSON.stringify({ hooks: [{ type: "command", command, timeout: 660 }] });
  const offset = before.indexOf('"SessionEnd"');
  const inserted = `"PostToolBatch": [${group}], `;
  const after = before.slice(0, offset) + inserted + before.slice(offset);
  writeFileSync(join(place.folder, settingsPath), after);
  const folder = join(place.environment.XDG_STATE_HOME ?? join(place.folder, "home", ".local", "state"), "hookline");
  const [name = ""] = readdirSync(join(folder, "installs"));
  const path = join(folder, "installs", name);
  const journal = JSON.parse(readFileSync(path, "utf8"));
  journal.settings.after = createHash("sha256").update(after).digest("hex");
  journal.settings.stages.push([{ offset, removed: "", inserted }]);
  journal.settings.joined = 1;
  writeFileSync(path, JSON.stringify(journal));
}
