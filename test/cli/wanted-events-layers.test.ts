/** Which of the files that call us takes an event that a hook came to want: one of this person's installs, never another person's. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "../daemon/started.ts";
import { installed, settingsOf, wanting } from "./wanting.ts";

const sharedPath = "workspace/.claude/settings.json";
/** As another person's install writes it into a file that both share, with the paths of another machine. */
const ofAnother = (event: string): string => {
  const command = `"/home/another/node" "/home/another/hookline.js" hook claude-code --event ${event} --by project`;
  return JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command, timeout: 660 }] }] } });
};

for (const event of ["PreToolUse", "PostToolBatch"])
  test(`another person's ${event} in the project's shared file does not stand in the way of one's own layer, and stays as it is`, (t) => {
    const place = placeFor(t, { [sharedPath]: ofAnother(event) });
    place.environment.HOOKLINE_DAEMON = "off";
    place.hookline("install", "claude-code", "--layer", "local");
    place.write("workspace/.hookline/hooks.json", wanting("guard"));
    settingsOf(place).begin(/^$/, "local");
    const local = readFileSync(join(place.workspace, ".claude", "settings.local.json"), "utf8");
    assert.match(local, /--event PostToolBatch --by local"/);
    assert.equal(readFileSync(join(place.folder, sharedPath), "utf8"), ofAnother(event));
  });

test("a line in a shared file is everybody's who has the program that it names, whatever the shell reads in it", (t) => {
  const place = placeFor(t);
  place.environment.HOOKLINE_DAEMON = "off";
  place.environment.OWN_TOOLS = join(place.folder, "tools");
  place.hookline("install", "claude-code", "--layer", "local");
  place.write("workspace/.hookline/hooks.json", wanting("guard"));
  const local = join(place.workspace, ".claude", "settings.local.json");
  const before = readFileSync(local, "utf8");
  for (const [program, path] of [
    ["$HOME/bin/hookline", "home/bin/hookline"],
    ["~/bin2/hookline", "home/bin2/hookline"],
    [`"\${OWN_TOOLS}/hookline"`, "tools/hookline"],
  ] as const) {
    const command = `${program} hook claude-code --event PostToolBatch --by project`;
    place.write(sharedPath, JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command }] }] } }));
    place.write(path, "#!/bin/sh\n");
    chmodSync(join(place.folder, path), 0o755);
    settingsOf(place).begin(/^$/, "local");
    assert.equal(readFileSync(local, "utf8"), before, program);
    chmodSync(join(place.folder, path), 0o644);
    settingsOf(place).begin(/^$/, "local");
    assert.match(readFileSync(local, "utf8"), /--event PostToolBatch/, program);
    writeFileSync(local, before);
  }
});

test("where only another person's machine is registered, a session's begin says how to install for one's own", (t) => {
  const place = placeFor(t, { [sharedPath]: ofAnother("PostToolBatch"), "workspace/.hookline/hooks.json": wanting() });
  place.environment.HOOKLINE_DAEMON = "off";
  settingsOf(place).begin(
    /^hookline: a hook wants PostToolBatch, [^\n]*settings\.json tells Claude Code to call is not on this machine[^\n]*install claude-code --layer local\n$/,
  );
  assert.equal(readFileSync(join(place.folder, sharedPath), "utf8"), ofAnother("PostToolBatch"));
});

test("a file of which install knows nothing is left as it is, whoever has written ours into it", (t) => {
  const { place, text, begin } = installed(t);
  place.environment.HOOKLINE_DAEMON = "off";
  rmSync(join(place.folder, "state", "hookline", "installs"), { recursive: true });
  place.write("workspace/.hookline/hooks.json", wanting());
  const before = text();
  begin(/^hookline: a hook wants PostToolBatch[^\n]*run hookline install claude-code --layer user[^\n]*\n$/);
  assert.equal(text(), before);
  assert.equal(place.hookline("install", "claude-code").status, 0);
  begin();
  assert.match(text(), /--event PostToolBatch/);
});

for (const isUp of [false, true])
  test(`of several layers that call us the one that told of the session's begin takes the event, ${isUp ? "with" : "without"} a daemon`, async (t) => {
    const { place, text, begin } = installed(t);
    if (!isUp) place.environment.HOOKLINE_DAEMON = "off";
    place.hookline("install", "claude-code", "--layer", "local");
    place.write("workspace/.hookline/hooks.json", wanting());
    if (isUp) await place.up("--port", "0");
    begin(/^$/, "local");
    assert.doesNotMatch(text(), /PostToolBatch/);
    assert.match(readFileSync(join(place.workspace, ".claude", "settings.local.json"), "utf8"), /PostToolBatch/);
  });
