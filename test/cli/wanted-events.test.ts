/** An event that is registered only while a hook wants it, wanted after install: the next session registers it, whoever answers its begin. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Place, placeFor } from "../daemon/started.ts";

const own = '{\n\t"model": "opus"\n}\n';
const wanting = (role = "observe"): string =>
  JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command: "exit 0", role }] }] } });
const began = ["hook", "claude-code", "--event", "SessionStart", "--by", "user"];

interface Settings {
  text(): string;
  /** What is registered for an event. */
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at the settings as they were written
  of(event: string): any;
  begin(): void;
}
function installed(t: TestContext, ...words: string[]): Settings & { place: Place } {
  const place = placeFor(t, { "home/.claude/settings.json": own });
  const { status, stderr } = place.hookline("install", "claude-code", ...words);
  assert.equal(status, 0, stderr);
  const text = (): string => readFileSync(join(place.folder, "home", ".claude", "settings.json"), "utf8");
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  return {
    place,
    text,
    of: (event) => JSON.parse(text()).hooks[event]?.[0].hooks[0],
    begin() {
      const said = place.hooklineWith(JSON.stringify(payload), ...began);
      assert.deepEqual([said.status, said.stderr], [0, ""]);
    },
  };
}

for (const isUp of [false, true])
  test(`[R50] the end of a batch of tools is registered by the next session once a hook wants it, ${isUp ? "with" : "without"} a daemon`, async (t) => {
    const { place, text, of, begin } = installed(t);
    if (isUp) await place.up("--port", "0");
    else place.environment.HOOKLINE_DAEMON = "off";
    const before = text();
    begin();
    assert.equal(text(), before, "nobody wants it");
    place.write("workspace/.hookline/hooks.json", wanting());
    begin();
    assert.equal(of("PostToolBatch").command, of("Stop").command.replace("Stop", "PostToolBatch"));
    const after = text();
    begin();
    assert.equal(text(), after, "it is there");
    place.hookline("uninstall", "claude-code");
    assert.equal(text(), own);
  });

test("[R50] where the agent tells the daemon over HTTP it tells it of that event too, and refuses it for a guard if nobody answers", (t) => {
  const { place, of, begin } = installed(t, "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  begin();
  const { onFailure, ...told } = of("PostToolBatch");
  assert.equal(onFailure, "block");
  const { url, ...others } = of("PostToolUse");
  assert.deepEqual(told, { url: url.replace("PostToolUse", "PostToolBatch"), ...others });
});

test("an agent that was never told to call Hookline is not told by a session's begin either", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  assert.equal(place.hooklineWith(JSON.stringify(payload), ...began).status, 0);
  assert.ok(!existsSync(join(place.folder, "home", ".claude")));
});
