/** An event that is registered only while a hook wants it, wanted after install: the next session registers it, whoever answers its begin. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
  /** @param said what is told to the person */
  begin(said?: RegExp): void;
}
function installed(t: TestContext, ...words: string[]): Settings & { place: Place } {
  const place = placeFor(t, { [settingsPath]: own });
  const { status, stderr } = place.hookline("install", "claude-code", ...words);
  assert.equal(status, 0, stderr);
  return { place, ...settingsOf(place) };
}
const settingsPath = "home/.claude/settings.json";

function settingsOf(place: Place): Settings {
  const text = (): string => readFileSync(join(place.folder, settingsPath), "utf8");
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  return {
    text,
    of: (event) => JSON.parse(text()).hooks[event]?.[0].hooks[0],
    begin(said = /^$/) {
      const { status, stderr } = place.hooklineWith(JSON.stringify(payload), ...began);
      assert.equal(status, 0);
      assert.match(stderr, said);
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
  const { place, text, of, begin } = installed(t, "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  begin();
  const { onFailure, ...told } = of("PostToolBatch");
  assert.equal(onFailure, "block");
  const { url, ...others } = of("PostToolUse");
  assert.deepEqual(told, { url: url.replace("PostToolUse", "PostToolBatch"), ...others });
  place.hookline("uninstall", "claude-code");
  assert.equal(text(), own);
});

test("an agent that was never told to call Hookline is not told by a session's begin either", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  const payload = { session_id: "s", cwd: place.workspace, hook_event_name: "SessionStart", source: "startup" };
  assert.equal(place.hooklineWith(JSON.stringify(payload), ...began).status, 0);
  assert.ok(!existsSync(join(place.folder, "home", ".claude")));
});

test("a registration written by hand is left as it is, and a session's begin says what to run", (t) => {
  const place = placeFor(t, { "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  const { text, begin } = settingsOf(place);
  for (const program of [
    "$HOME/bin/hookline",
    "~/bin/hookline",
    "/opt/hookline/bin/hookline",
    `"\${CLAUDE_PROJECT_DIR}/node_modules/.bin/hookline"`,
    "HOOKLINE_RECORD=off hookline",
    "$(which hookline)",
    "/opt/a\\ b/hookline",
  ]) {
    const command = `${program} hook claude-code --event PreToolUse --by user`;
    const mine = JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
    });
    place.write(settingsPath, mine);
    begin(/^hookline: a hook wants PostToolBatch[^\n]*run hookline install claude-code --layer user[^\n]*\n$/);
    assert.equal(text(), mine, program);
  }
});

test("what a person has changed in entries of install is kept when an event joins them, and uninstall takes all of them out", (t) => {
  const { place, text, of, begin } = installed(t);
  place.environment.HOOKLINE_DAEMON = "off";
  const edited = JSON.parse(text());
  const { hooks } = edited;
  const [{ command }] = hooks.PostToolUse[0].hooks;
  delete hooks.Stop;
  hooks.PreToolUse[0].matcher = "Bash";
  Object.assign(hooks.PreToolUse[0].hooks[0], { timeout: 5, statusMessage: "judging" });
  place.write(settingsPath, JSON.stringify(edited, null, 3));
  place.write("workspace/.hookline/hooks.json", wanting());
  begin();
  const added = { type: "command", command: command.replace("PostToolUse", "PostToolBatch"), timeout: 660 };
  hooks.PostToolBatch = [{ hooks: [added] }];
  assert.equal(text(), JSON.stringify(edited, null, 3));
  assert.deepEqual(of("PostToolBatch"), added);
  place.hookline("uninstall", "claude-code");
  assert.deepEqual(JSON.parse(text()), { model: "opus" });
});

test("where a person has changed every entry, the event that joins has the options of the others", (t) => {
  const { place, text, of, begin } = installed(t);
  place.environment.HOOKLINE_DAEMON = "off";
  place.write(settingsPath, text().replaceAll('"timeout": 660', '"timeout": 30'));
  place.write("workspace/.hookline/hooks.json", wanting());
  begin();
  assert.equal(of("PostToolBatch").timeout, 30);
  assert.equal(of("PreToolUse").timeout, 30);
});

for (const words of [[], ["--take-over"]])
  test(`install${words.map((word) => ` ${word}`).join("")} after an event has joined takes it out where nobody wants it, and uninstall still gives back the same bytes`, (t) => {
    const place = placeFor(t, { [settingsPath]: mixed });
    place.environment.HOOKLINE_DAEMON = "off";
    const { text, begin } = settingsOf(place);
    place.hookline("install", "claude-code", ...words);
    place.write("workspace/.hookline/hooks.json", wanting());
    begin();
    assert.match(text(), /--event PostToolBatch/);
    place.write("workspace/.hookline/hooks.json", wanting().replace("PostToolBatch", "Elicitation"));
    place.hookline("install", "claude-code");
    assert.match(text(), /--event Elicitation /);
    assert.doesNotMatch(text(), /--event PostToolBatch/);
    place.hookline("uninstall", "claude-code");
    assert.equal(text(), mixed);
  });
const mixed = `{
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "exit 0" }] }], // mine
    "PostToolBatch": [] },
  "model": "opus"
}
`;

test("of two sessions that begin at once the second finds the event there, says nothing, and uninstall gives back the same bytes", (t) => {
  const { place, text, of, begin } = installed(t);
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting());
  place.write("between.mjs", anotherBegins);
  place.environment.NODE_OPTIONS = `--import=${join(place.folder, "between.mjs")}`;
  begin();
  delete place.environment.NODE_OPTIONS;
  assert.equal(readFileSync(join(place.folder, "began"), "utf8"), "", "the other one has nothing to say either");
  assert.match(of("PostToolBatch").command, /--event PostToolBatch/);
  assert.equal(JSON.parse(text()).hooks.PostToolBatch.length, 1);
  assert.deepEqual(
    readdirSync(join(place.folder, "home", ".claude")),
    ["settings.json"],
    "nothing is left beside the settings",
  );
  place.hookline("uninstall", "claude-code");
  assert.equal(text(), own);
});

/** Between this one's look at the settings and its writing, another session begins and is done. */
const anotherBegins = `
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
const write = fs.writeFileSync;
fs.writeFileSync = (file, ...rest) => {
  const mark = join(process.env.HOME, "..", "began");
  if (String(file).includes(".settings.json.") && !fs.existsSync(mark)) {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const input = JSON.stringify({ session_id: "t", cwd: process.cwd(), hook_event_name: "SessionStart", source: "startup" });
    const said = spawnSync(process.execPath, [process.argv[1], ...${JSON.stringify(began)}], { env, input });
    write(mark, said.stderr);
  }
  return write(file, ...rest);
};
syncBuiltinESMExports();
`;
