/** hookline install --http on real files: which events the agent tells the daemon itself, with which token, and the way back. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "../daemon/started.ts";
import { noted } from "./http-doors.ts";

const own = '{\n\t"model": "opus" // mine\n}\n';
const guard = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 0", role: "guard" }] }] },
});

test("[R50] install --http registers the daemon's address with a token of its own, and commands where HTTP cannot answer", async (t) => {
  const place = placeFor(t, { "home/.claude/settings.json": own, "workspace/.hookline/hooks.json": guard });
  const port = await noted(t, place);
  const file = join(place.folder, "home", ".claude", "settings.json");
  const state = join(place.folder, "state", "hookline");
  const { status, stdout, stderr } = place.hookline("install", "claude-code", "--http");
  assert.equal(status, 0, stderr);
  assert.ok(
    stdout.includes(
      `client: the agent sends its events to the daemon, at http://127.0.0.1:${port}; no daemon is running yet`,
    ),
    stdout,
  );
  const text = readFileSync(file, "utf8");
  assert.doesNotMatch(text.replace("// mine", ""), /\/\//, "Cursor would read a remark");
  const { hooks } = JSON.parse(text.replace("// mine", ""));
  const token = readFileSync(join(state, "http-token"), "utf8").trim();
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(statSync(join(state, "http-token")).mode & 0o777, 0o600);
  const handlerOf = (event: string): Record<string, unknown> => hooks[event][0].hooks[0];
  assert.deepEqual(handlerOf("PostToolUse"), {
    type: "http",
    url: `http://127.0.0.1:${port}/hook/claude-code?event=PostToolUse&by=user`,
    headers: { authorization: `Bearer ${token}` },
    timeout: 660,
  });
  assert.equal(handlerOf("PreToolUse").onFailure, "block", "a guard is in force for it");
  for (const event of ["SessionStart", "Setup", "PreCompact", "TaskCreated"])
    assert.equal(handlerOf(event).type, "command", event);
  assert.match(place.hookline("install", "claude-code", "--http").stdout, /nothing to do/);
  assert.equal(readFileSync(file, "utf8"), text);
  assert.deepEqual(JSON.parse(place.hookline("list", "--json").stdout).length, 1, "our own entries are no hooks");
});

test("[R50] install without --http goes back to commands, and uninstall to the same bytes, with nothing left for clients", (t) => {
  const place = placeFor(t, { "home/.claude/settings.json": own });
  const file = join(place.folder, "home", ".claude", "settings.json");
  const state = join(place.folder, "state", "hookline");
  place.hookline("install", "claude-code", "--http");
  place.hookline("install", "claude-code");
  assert.doesNotMatch(readFileSync(file, "utf8"), /"http"/);
  place.hookline("install", "claude-code", "--http");
  place.hookline("install", "claude-code", "--layer", "local");
  place.hookline("uninstall", "claude-code", "--layer", "local");
  assert.ok(existsSync(join(state, "http-token")), "the other layer still needs it");
  place.hookline("uninstall", "claude-code");
  assert.equal(readFileSync(file, "utf8"), own);
  assert.deepEqual(readdirSync(place.workspace), []);
  assert.deepEqual(
    readdirSync(state).filter((name) => /^(client|daemon|http)/.test(name)),
    [],
  );
});

test("the token and the port are removed with the last settings file with HTTP hooks, whichever other layer is installed", async (t) => {
  const place = placeFor(t);
  const port = String(await noted(t, place));
  const state = join(place.folder, "state", "hookline");
  const held = (): string[] => [
    ...readdirSync(state).filter((name) => name === "http-token" || name === "sessions-begun"),
    readFileSync(join(state, "daemon-on-demand"), "utf8").trim(),
  ];
  place.hookline("install", "claude-code", "--layer", "project");
  place.hookline("install", "claude-code", "--http");
  assert.equal(statSync(join(place.folder, "home", ".claude", "settings.json")).mode & 0o777, 0o600);
  assert.deepEqual(held(), ["http-token", port]);
  place.write("state/hookline/sessions-begun/of-somebody", "{}");
  place.hookline("install", "claude-code");
  assert.deepEqual(held(), [""], "installed anew, without --http");
  await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  assert.equal(held()[0], "http-token");
  place.hookline("uninstall", "claude-code");
  assert.deepEqual(held(), [""], "uninstalled, and the project's layer stays");
});

test("[R50] --http is refused where others would get the token, no daemon may be asked or the store is another, and a dry run makes none", (t) => {
  const place = placeFor(t);
  const refused = place.hookline("install", "claude-code", "--layer", "project", "--http");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /others may read the project's file/);
  const local = place.hookline("install", "claude-code", "--layer", "local", "--http");
  assert.equal(local.status, 2);
  assert.match(local.stderr, /would switch off this file's hooks in Copilot CLI/);
  place.environment.HOOKLINE_DAEMON = "off";
  assert.match(place.hookline("install", "claude-code", "--http").stderr, /HOOKLINE_DAEMON is off/);
  assert.match(place.hookline("install", "claude-code", "--dry-run").stdout, /hook claude-code.*node/);
  delete place.environment.HOOKLINE_DAEMON;
  const elsewhere = place.hookline("install", "claude-code", "--http", "--store", join(place.folder, "other.db"));
  assert.equal(elsewhere.status, 2);
  assert.match(elsewhere.stderr, /other\.db is not the store of the daemon that agents reach over HTTP/);
  const dry = place.hookline("install", "claude-code", "--http", "--dry-run");
  assert.match(dry.stdout, /Bearer \(made by install\)/);
  assert.ok(!place.has("state/hookline/http-token"));
  assert.ok(!place.has("home/.claude"));
});

test("where no daemon is wanted any more, install leaves nothing that asks or starts one, but for another layer that does", (t) => {
  const place = placeFor(t);
  const state = join(place.folder, "state", "hookline");
  const left = (): string[] => readdirSync(state).filter((name) => /^(client|daemon-on)/.test(name));
  place.hookline("install", "claude-code");
  place.hookline("install", "claude-code", "--layer", "local");
  const before = left();
  assert.ok(before.includes("daemon-on-demand"));
  place.environment.HOOKLINE_DAEMON = "off";
  assert.match(place.hookline("install", "claude-code").stdout, /HOOKLINE_DAEMON is off/);
  assert.deepEqual(left(), before, "the local layer asks the daemon");
  place.hookline("install", "claude-code", "--layer", "local");
  assert.deepEqual(left(), []);
});
