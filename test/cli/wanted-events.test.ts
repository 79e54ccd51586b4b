/** An event that is registered only while a hook wants it, wanted after install: the next session registers it, whoever answers its begin. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "../daemon/started.ts";
import { began, installed, own, settingsOf, settingsPath, wanting } from "./wanting.ts";

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

test("an event that joins has nothing of what a person has added to the entry that it goes by", (t) => {
  const { place, text, of, begin } = installed(t);
  place.environment.HOOKLINE_DAEMON = "off";
  const own = '"async": true, "if": "Bash(ls)", "once": true, "statusMessage": "judging", "shell": "bash"';
  place.write(settingsPath, text().replaceAll('"timeout": 660', `"timeout": 30, ${own}`));
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  begin();
  assert.deepEqual(Object.keys(of("PostToolBatch")), ["type", "command", "timeout"]);
  assert.equal(of("PreToolUse").async, true);
});

test("an entry over HTTP at a port that no program can have is no pattern, and one at port 80 is", (t) => {
  const { place, text, of, begin } = installed(t, "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  const before = text();
  const at = (port: number): void => place.write(settingsPath, before.replaceAll(/(127\.0\.0\.1:)\d+/g, `$1${port}`));
  at(99_999);
  begin(/^hookline: "\S+:99999\S+" is no http or https address[^\n]*\n$/);
  assert.match(of("PostToolBatch").command, /--event PostToolBatch --by user$/);
  at(80);
  begin();
  assert.equal(of("PostToolBatch").url, of("PostToolUse").url.replace("PostToolUse", "PostToolBatch"));
  assert.match(of("PostToolBatch").url, /127\.0\.0\.1:80\//);
});

test("a guard that finds the event registered so that it passes where no daemon answers is told of that, until it is installed again", (t) => {
  const { place, of, begin } = installed(t, "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  place.write("workspace/.hookline/hooks.json", wanting());
  begin();
  assert.equal(of("PostToolBatch").onFailure, undefined);
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  begin(
    /^hookline: a guard is in force for PostToolBatch[^\n]*run hookline install claude-code --layer user --http\n$/,
  );
  delete place.environment.HOOKLINE_DAEMON;
  place.hookline("install", "claude-code", "--layer", "user", "--http");
  place.environment.HOOKLINE_DAEMON = "off";
  begin();
  assert.equal(of("PostToolBatch").onFailure, "block");
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
