/** Ports, tokens and stores of agents' HTTP hooks as they are seldom met; http-doors.test.ts has the usual ones. */
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "../daemon/started.ts";
import { listening, noted, registerAt, registeredPort, settingsOf, upApart, upOnce } from "./http-doors.ts";

test("a daemon of another store leaves the port alone at which agents look for the usual one", async (t) => {
  const place = placeFor(t);
  const other = join(place.folder, "other.db");
  const portOfOther = async (): Promise<number> => (await upOnce(place, ["--store", other])).port;
  place.hookline("install", "claude-code", "--http");
  registerAt(place, 4665);
  assert.notEqual(await portOfOther(), 4665, "settings name it");
  place.hookline("uninstall", "claude-code");
  place.write("state/hookline/daemon-on-demand", "4665\n");
  assert.notEqual(await portOfOther(), 4665, "install has noted it");
});

test("status of another store says nothing of HTTP hooks that go to another port than the usual daemon's", async (t) => {
  const place = placeFor(t);
  await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  upApart(t, place);
  const words = ["--store", join(place.folder, "other.db")];
  const other = await place.up(...words);
  assert.doesNotMatch(place.hookline("status", ...words).stdout, /sends its events/);
  await other.stop();
});

test("ports that no program can have are left out, and the message about one in settings says what to do", async (t) => {
  const place = placeFor(t);
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  registerAt(place, 70_000);
  const first = await upOnce(place);
  assert.equal(first.port, port, "it was noted");
  assert.match(first.stderr, /at port 70000 .*: run `hookline install claude-code --layer user --http/);
  place.hookline("uninstall", "claude-code");
  for (const damaged of ["650000\n", `${port}\0\0`]) {
    place.write("state/hookline/daemon-on-demand", damaged);
    const up = await upOnce(place);
    assert.equal(up.stderr, "");
    assert.notEqual(up.port, port);
  }
});

test("an address in a remark is ignored: the daemon listens where entries say, and the token is removed with the last of them", async (t) => {
  const remark = '// before: { "url": "http://127.0.0.1:9377/hook/claude-code?event=Stop&by=user" }';
  const place = placeFor(t, { "home/.claude/settings.json": `{\n  ${remark}\n  "model": "opus"\n}\n` });
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  assert.deepEqual(await upOnce(place), { port, stderr: "" });
  place.hookline("install", "claude-code");
  assert.ok(!place.has("state/hookline/http-token"));
});

test("of several ports in one file the noted one is taken, and up names each of the others once", async (t) => {
  const place = placeFor(t);
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  const elsewhere = (text: string, other: number, event: string): string =>
    text.replace(
      `127.0.0.1:${port}/hook/claude-code?event=${event}`,
      `127.0.0.1:${other}/hook/claude-code?event=${event}`,
    );
  const one = elsewhere(settingsOf(place), 9378, "PreToolUse");
  place.write("home/.claude/settings.json", elsewhere(elsewhere(one, 9379, "Stop"), 9378, "PostToolUse"));
  const up = await upOnce(place);
  assert.equal(up.port, port);
  assert.deepEqual(
    [...up.stderr.matchAll(/at port (\d+)/g)].map(([, named]) => named),
    ["9378", "9379"],
  );
});

test("in settings that are broken for now an address still says where the daemon is looked for", async (t) => {
  const place = placeFor(t);
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  place.write("home/.claude/settings.json", settingsOf(place).slice(0, -3));
  place.write("state/hookline/daemon-on-demand", "");
  assert.deepEqual(await upOnce(place), { port, stderr: "" });
});

test("a store that HOOKLINE_STORE names has a daemon of its own, which takes neither port nor token of agents, and says who gets nothing", async (t) => {
  const place = placeFor(t);
  const port = await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  const headers = { authorization: (/Bearer \w+/.exec(settingsOf(place)) ?? [""])[0] };
  const usual = join(place.folder, "state", "hookline", "hookline.db");
  place.environment.HOOKLINE_STORE = join(place.folder, "other.db");
  const up = upApart(t, place);
  assert.notEqual(up.port, port);
  assert.match(
    up.stderr,
    /hookline\.db, which is not running: unset HOOKLINE_STORE, .* or run `hookline install claude-code --layer user` without --http\n/,
  );
  const body = JSON.stringify({ hook_event_name: "Stop", cwd: place.workspace });
  const asked = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  const { status } = await fetch(`http://127.0.0.1:${up.port}/hook/claude-code?event=Stop&by=user`, asked);
  assert.equal(status, 401);
  assert.equal(upApart(t, place, "--store", usual).port, port);
  assert.doesNotMatch(place.hookline("status").stdout, /sends its events/, "that one is there");
  place.hookline("down", "--store", usual);
  place.hookline("down");
});

test("a file that a killed writer has left next to install's notes is no install", async (t) => {
  const place = placeFor(t);
  await noted(t, place);
  place.hookline("install", "claude-code", "--http");
  place.write("state/hookline/installs/.claude-code-1.json.aabbcc.tmp", '{"ver');
  registerAt(place, 70_000);
  assert.match((await upOnce(place)).stderr, /at port 70000/);
  place.hookline("uninstall", "claude-code");
  assert.ok(!place.has("state/hookline/http-token"));
});

test("a daemon without a port in its flags listens where the agents' HTTP hooks look for it", async (t) => {
  const place = placeFor(t);
  const { server, port } = await listening(t);
  server.close();
  const first = await place.up("--port", String(port));
  assert.equal(first.port, port);
  assert.equal(place.hookline("install", "claude-code", "--http").status, 0);
  assert.equal(registeredPort(place), String(port));
  await first.stop();
  assert.equal((await upOnce(place)).port, port);
  place.hookline("install", "claude-code", "--http");
  assert.equal(registeredPort(place), String(port), "also while none runs");
  place.write("state/hookline/daemon-on-demand", "9\n");
  assert.deepEqual(await upOnce(place), { port, stderr: "" }, "what settings say counts, not what was noted");
});

test("the token of agents' HTTP hooks works only at the usual store's daemon, whatever path names the store", async (t) => {
  const place = placeFor(t);
  place.hookline("install", "claude-code", "--http");
  const state = join(place.folder, "state", "hookline");
  const token = readFileSync(join(state, "http-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ hook_event_name: "Stop", cwd: place.workspace });
  const answered = async (...words: string[]): Promise<number> => {
    let answer = 0;
    await upOnce(place, ["--port", "0", ...words], async (port) => {
      const address = `http://127.0.0.1:${port}/hook/claude-code?event=Stop&by=user`;
      answer = (await fetch(address, { method: "POST", headers, body })).status;
    });
    return answer;
  };
  symlinkSync(state, join(place.folder, "link"));
  assert.equal(await answered("--store", join(place.folder, "other.db")), 401);
  assert.equal(await answered(), 200);
  assert.equal(await answered("--store", join(place.folder, "link", "hookline.db")), 200);
});
