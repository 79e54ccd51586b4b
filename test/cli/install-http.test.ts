/** hookline install --http on real files: which events the agent tells the daemon itself, with which token, and the way back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Place, placeFor } from "../daemon/started.ts";
import { goes, isGone } from "../gone.ts";

const own = '{\n\t"model": "opus" // mine\n}\n';
const guard = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 0", role: "guard" }] }] },
});

async function listening(t: TestContext, at = 0): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(at, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port }; // it listens on a port
}

/** A port that is free, which a daemon would take that is told none. Whatever listens at the usual one is another's. */
async function noted(t: TestContext, place: Place): Promise<number> {
  const { server, port } = await listening(t);
  server.close();
  place.write("state/hookline/daemon-on-demand", `${port}\n`);
  return port;
}

test("[R50] install --http registers the daemon's address with a token of its own, and commands where HTTP cannot answer", async (t) => {
  const place = placeFor(t, { "home/.claude/settings.json": own, "workspace/.hookline/hooks.json": guard });
  const port = await noted(t, place);
  const file = join(place.folder, "home", ".claude", "settings.json");
  const state = join(place.folder, "state", "hookline");
  const { status, stdout, stderr } = place.hookline("install", "claude-code", "--http");
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes(`client: it tells the daemon itself, at http://127.0.0.1:${port}; none runs yet`), stdout);
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
  place.hookline("install", "claude-code", "--layer", "local", "--http");
  assert.match(readFileSync(join(place.workspace, ".claude", "settings.local.json"), "utf8"), /&by=local/);
  place.hookline("uninstall", "claude-code");
  assert.equal(readFileSync(file, "utf8"), own);
  assert.ok(existsSync(join(state, "http-token")), "the other layer still needs it");
  place.hookline("uninstall", "claude-code", "--layer", "local");
  assert.deepEqual(readdirSync(place.workspace), []);
  assert.deepEqual(
    readdirSync(state).filter((name) => /^(client|daemon|http)/.test(name)),
    [],
  );
});

test("the token and the port go with the last file that tells over HTTP, whoever else is installed", async (t) => {
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
  assert.match(refused.stderr, /the project's file may be shared/);
  place.environment.HOOKLINE_DAEMON = "off";
  assert.match(place.hookline("install", "claude-code", "--http").stderr, /HOOKLINE_DAEMON is off/);
  assert.match(place.hookline("install", "claude-code", "--dry-run").stdout, /node.*hook claude-code/);
  delete place.environment.HOOKLINE_DAEMON;
  const elsewhere = place.hookline("install", "claude-code", "--http", "--store", join(place.folder, "other.db"));
  assert.equal(elsewhere.status, 2);
  assert.match(elsewhere.stderr, /other\.db is another store than the one that agents tell over HTTP/);
  const dry = place.hookline("install", "claude-code", "--http", "--dry-run");
  assert.match(dry.stdout, /Bearer \(made by install\)/);
  assert.ok(!existsSync(join(place.folder, "state", "hookline", "http-token")));
  assert.ok(!existsSync(join(place.folder, "home", ".claude")));
});

/** Starts a daemon apart, at whatever port it takes where these words say none; it is ended with the test. */
function upApart(t: TestContext, place: Place, ...words: string[]): { port: number; stderr: string } {
  const { status, stdout, stderr } = place.hookline("up", "--background", "--json", ...words);
  assert.equal(status, 0, stderr);
  const { pid, port } = JSON.parse(stdout);
  t.after(() => {
    if (!isGone(pid)) process.kill(pid, "SIGKILL");
    return goes(pid);
  });
  return { port, stderr };
}

const settingsOf = (place: Place): string =>
  readFileSync(join(place.folder, "home", ".claude", "settings.json"), "utf8");
const registeredPort = (place: Place): string | undefined => /127\.0\.0\.1:(\d+)/.exec(settingsOf(place))?.[1];

/** As a person's edit does it, or settings of another machine. */
const registerAt = (place: Place, port: number): void =>
  place.write("home/.claude/settings.json", settingsOf(place).replace(/(127\.0\.0\.1:)\d+/g, `$1${port}`));

test("a daemon that is told no port listens where the agents' HTTP hooks look for it", async (t) => {
  const place = placeFor(t);
  const { server, port } = await listening(t);
  server.close();
  const first = await place.up("--port", String(port));
  assert.equal(first.port, port);
  assert.equal(place.hookline("install", "claude-code", "--http").status, 0);
  assert.equal(registeredPort(place), String(port));
  await first.stop();
  assert.equal(upApart(t, place).port, port);
  assert.equal(place.hookline("down").status, 0);
  place.hookline("install", "claude-code", "--http");
  assert.equal(registeredPort(place), String(port), "also while none runs");
  place.write("state/hookline/daemon-on-demand", "9\n");
  assert.deepEqual(upApart(t, place), { port, stderr: "" }, "what settings say counts, not what was noted");
});

test("a daemon of another store leaves the port alone at which agents look for the usual one", (t) => {
  const place = placeFor(t);
  const other = join(place.folder, "other.db");
  const portOfOther = (): number => {
    const { port } = upApart(t, place, "--store", other);
    assert.equal(place.hookline("down", "--store", other).status, 0);
    return port;
  };
  place.hookline("install", "claude-code", "--http");
  registerAt(place, 4665);
  assert.notEqual(portOfOther(), 4665, "settings name it");
  place.hookline("uninstall", "claude-code");
  place.write("state/hookline/daemon-on-demand", "4665\n");
  assert.notEqual(portOfOther(), 4665, "install has noted it");
});

test("the token of agents' HTTP hooks opens the door of the usual store's daemon alone, whatever path it was told", async (t) => {
  const place = placeFor(t);
  place.hookline("install", "claude-code", "--http");
  const state = join(place.folder, "state", "hookline");
  const token = readFileSync(join(state, "http-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ hook_event_name: "Stop", cwd: place.workspace });
  const answered = async (...words: string[]): Promise<number> => {
    const { port } = upApart(t, place, "--port", "0", ...words);
    const address = `http://127.0.0.1:${port}/hook/claude-code?event=Stop&by=user`;
    const { status } = await fetch(address, { method: "POST", headers, body });
    assert.equal(place.hookline("down", ...words).status, 0);
    return status;
  };
  symlinkSync(state, join(place.folder, "link"));
  assert.equal(await answered("--store", join(place.folder, "other.db")), 401);
  assert.equal(await answered(), 200);
  assert.equal(await answered("--store", join(place.folder, "link", "hookline.db")), 200);
});

test("ports that no program can have are left out, and who is told of one in settings is told what to do", async (t) => {
  const place = placeFor(t);
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  registerAt(place, 70_000);
  const first = upApart(t, place);
  assert.equal(first.port, port, "it was noted");
  assert.match(first.stderr, /at port 70000 .*: hookline install claude-code --layer user --http/);
  place.hookline("down");
  place.hookline("uninstall", "claude-code");
  for (const damaged of ["650000\n", `${port}\0\0`]) {
    place.write("state/hookline/daemon-on-demand", damaged);
    const up = upApart(t, place);
    assert.equal(up.stderr, "");
    assert.notEqual(up.port, port);
    place.hookline("down");
  }
});

test("install --http registers no port at which another program listens", async (t) => {
  const place = placeFor(t);
  const { port: taken } = await listening(t);
  place.write("state/hookline/daemon-on-demand", `${taken}\n`);
  place.hookline("install", "claude-code", "--http");
  const port = registeredPort(place);
  assert.notEqual(port, String(taken));
  assert.deepEqual(upApart(t, place), { port: Number(port), stderr: "" });
});

test("up and status tell of HTTP hooks that go to another port than the daemon's, until they are installed again", async (t) => {
  const place = placeFor(t);
  const taken = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  assert.equal(registeredPort(place), String(taken));
  await listening(t, taken);
  assert.doesNotMatch(place.hookline("status").stdout, /tells a daemon/, "none runs yet");
  const { port, stderr } = upApart(t, place);
  assert.notEqual(port, taken);
  const says = new RegExp(
    `claude-code tells a daemon at port ${taken} \\(\\S*settings.json\\), .*: hookline install claude-code --layer user --http\n`,
  );
  assert.match(stderr, says);
  assert.match(place.hookline("status").stdout, says);
  assert.equal(JSON.parse(place.hookline("status", "--json").stdout).missing[0].port, taken);
  assert.equal(place.hookline("install", "claude-code", "--layer", "user", "--http").status, 0);
  assert.equal(registeredPort(place), String(port));
  assert.doesNotMatch(place.hookline("status").stdout, /tells a daemon/);
  const other = await place.up("--store", join(place.folder, "other.db"));
  assert.doesNotMatch(place.hookline("status", "--store", join(place.folder, "other.db")).stdout, /tells a daemon/);
  await other.stop();
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
