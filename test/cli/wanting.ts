/** Where a hook wants an event that install registers only then: the settings of that place, and sessions that begin there. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Place, placeFor } from "../daemon/started.ts";

export const own: string = '{\n\t"model": "opus"\n}\n';
export const wanting = (role = "observe"): string =>
  JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command: "exit 0", role }] }] } });
const beganBy = (layer: string): string[] => ["hook", "claude-code", "--event", "SessionStart", "--by", layer];
export const began: string[] = beganBy("user");

interface Settings {
  text(): string;
  /** What is registered for an event. */
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at the settings as they were written
  of(event: string): any;
  /** @param said what is told to the person */
  begin(said?: RegExp, layer?: string): void;
}
export function installed(t: TestContext, ...words: string[]): Settings & { place: Place } {
  const place = placeFor(t, { [settingsPath]: own });
  const { status, stderr } = place.hookline("install", "claude-code", ...words);
  assert.equal(status, 0, stderr);
  return { place, ...settingsOf(place) };
}
export const settingsPath: string = "home/.claude/settings.json";

export function settingsOf(place: Place): Settings {
  const text = (): string => readFileSync(join(place.folder, settingsPath), "utf8");
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  return {
    text,
    of: (event) => JSON.parse(text()).hooks[event]?.[0].hooks[0],
    begin(said = /^$/, layer = "user") {
      const { status, stderr } = place.hooklineWith(JSON.stringify(payload), ...beganBy(layer));
      assert.equal(status, 0);
      assert.match(stderr, said);
    },
  };
}
