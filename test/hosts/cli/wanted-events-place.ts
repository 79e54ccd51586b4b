/** Claude Code as it is registered, hooks that want one more event, and a session that begins. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Place, placeFor } from "../daemon/started.ts";

export const own = '{\n\t"model": "opus"\n}\n';
export const settingsPath = "home/.claude/settings.json";
export const wanting = (role = "observe"): string =>
  JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command: "exit 0", role }] }] } });

export interface Settings {
  text(): string;
  /** What is registered for an event. */
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at the settings as they were written
  of(event: string): any;
  /** @param said what is printed for the person */
  begin(said?: RegExp): void;
}

export function settingsOf(place: Place): Settings {
  const text = (): string => place.read(settingsPath);
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

/** Without a daemon, but where it is told over HTTP. */
export function installed(t: TestContext, ...words: string[]): Settings & { place: Place } {
  const place = placeFor(t, { [settingsPath]: own });
  // To find a client for a daemon is to start programs.
  if (!words.includes("--http")) place.environment.HOOKLINE_DAEMON = "off";
  const { status, stderr } = place.hookline("install", "claude-code", ...words);
  assert.equal(status, 0, stderr);
  return { place, ...settingsOf(place) };
}

/** Registers the test. */
export function saysToInstall(isUp: boolean): void {
  test(`[R84, R50] where a hook came to want an event that is not registered, a session that begins says to install again and edits nothing, ${isUp ? "with" : "without"} a daemon`, async (t) => {
    const { place, text, of, begin } = installed(t);
    if (isUp) {
      delete place.environment.HOOKLINE_DAEMON;
      await place.up("--port", "0");
    }
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
}

/** Registers the test of an install with these words. */
export function takesOut(...words: string[]): void {
  test(`[R89] an event that an earlier build added to the settings when a session began is taken out by install${words.map((word) => ` ${word}`).join("")}, and uninstall restores the same bytes`, (t) => {
    const place = placeFor(t, { [settingsPath]: mixed });
    place.environment.HOOKLINE_DAEMON = "off";
    const { text } = settingsOf(place);
    place.hookline("install", "claude-code", ...words);
    addAsEarlierBuild(place);
    assert.match(text(), /--event PostToolBatch/);
    place.hookline("install", "claude-code");
    assert.doesNotMatch(text(), /--event PostToolBatch/);
    place.hookline("uninstall", "claude-code");
    assert.equal(text(), mixed);
  });
}

const mixed = `{
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "exit 0" }] }] }, // mine
  "model": "opus"
}
`;

/** One more group, and one more stage in the notes of install. */
export function addAsEarlierBuild(place: Place): void {
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
