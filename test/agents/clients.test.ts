/** The clients that install registers: how each is recognised, chosen, renewed after an update, and when it may start a daemon. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../src/agents/adapter.ts";
import { chooseClient, httpToken, prepareClient, removeUnused } from "../../src/agents/install/client.ts";
import {
  findBash,
  findNativeClient,
  writeClient,
  writeNativeClient,
  writtenNativeClient,
} from "../../src/agents/install/client-programs.ts";
import { writeLaunchers } from "../../src/agents/install/launch.ts";
import {
  clientFile,
  goneFile,
  guardedFolder,
  nativeClientFile,
  onDemandFile,
  ownAddress,
  readOwnCall,
  readOwnDoor,
  startedFile,
  startFile,
} from "../../src/agents/install/own-call.ts";
import { commandFor, type Try } from "../../src/agents/install/registration.ts";
import { buildVersion } from "../../src/hosts/cli/command.ts";
import { portFor } from "../../src/hosts/cli/daemon/port.ts";
import { renewClient, startOnDemand } from "../../src/hosts/cli/daemon-client.ts";
import { writeAddress } from "../../src/hosts/daemon/state-file.ts";
import { readEntry } from "../../src/runtime/processes/process-table.ts";
import { bin } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function placeFor(t: TestContext): {
  state: string;
  place: { cwd: string; home: string; environment: Record<string, string> };
} {
  const folder = temporaryFolder(t);
  const state = join(folder, "hookline");
  mkdirSync(state, { mode: 0o700 });
  return { state, place: { cwd: folder, home: folder, environment: { XDG_STATE_HOME: folder } } };
}
const bash = findBash(process.env);
const withNative = { skip: findNativeClient() === undefined ? "no client is compiled for this machine" : false };
const noNamespaces = spawnSync("unshare", ["-m", "true"]).status !== 0 && "file systems cannot be mounted here";
const withBash = { skip: bash === undefined ? "this machine has no bash that can run the client" : false };

const exits = (reason: string): Reply => ({ exitCode: 2, stderr: reason });

test("[R49] a call of ours is known whichever client makes it, and a line that only holds one is not", () => {
  const meant = { agent: "claude-code", event: "Stop", by: "user" };
  const run: Try = { run: ["/usr/bin/node", "/opt/hookline/bin/hookline.js"] };
  const read: Try = { read: "/home/y$u/.local/state/hookline/start.sh" };
  for (const tries of [[run], [read, run], [{ read: ".hookline/launch.sh", below: "CLAUDE_PROJECT_DIR" }]])
    for (const guards of [() => true, () => false])
      for (const refuse of [exits, () => ({ exitCode: 0 as const, body: { deny: "no" } })])
        assert.deepEqual(readOwnCall(commandFor({ ...meant, tries, guards, refuse }, "Stop")), meant);
  // As earlier builds registered them.
  for (const program of [
    '"/usr/bin/node" "/opt/hookline/bin/hookline.js"',
    '"/bin/bash" -p "/home/you/.local/state/hookline/client.sh"',
    'exec "/bin/bash" -p "/home/you/.local/state/hookline/client.sh"',
    '"/opt/hookline/bin/hookline"',
  ])
    assert.deepEqual(readOwnCall(`${program} hook claude-code --event Stop --by user`), meant);
  const url = ownAddress(4665, meant);
  assert.deepEqual(readOwnDoor(url), { ...meant, port: 4665 });
  for (const other of [
    `${url}&x=1`,
    url.replace("127.0.0.1", "example.com"),
    url.replace("/hook/", "/hooks/"),
    7,
    undefined,
  ])
    assert.equal(readOwnDoor(other), undefined, String(other));
  const line = commandFor({ ...meant, tries: [{ read: "/hookline/start.sh" }], refuse: exits }, "Stop");
  for (const other of [`${line}; rm x`, `true && ${line}`, line.replaceAll("hookline", "other")])
    assert.equal(readOwnCall(other), undefined, other);
});

test("the command in Node is chosen where no daemon may be asked or no bash can run the client, and install says why", (t) => {
  const { state } = placeFor(t);
  const clients = { stateFolder: state, program: ["/node", "/hookline.js"] as const, version: "1" };
  const off = chooseClient({ ...clients, environment: { HOOKLINE_DAEMON: "off" } });
  assert.deepEqual([off.is, off.tries], ["node", [{ run: clients.program }, { read: goneFile(state) }]]);
  assert.match(off.because, /HOOKLINE_DAEMON is off/);
  prepareClient({ ...clients, environment: { HOOKLINE_DAEMON: "off" } });
  assert.ok(!existsSync(onDemandFile(state)) && !existsSync(clientFile(state)));
});

test("the shell's client is for its owner alone, and goes with the last uninstall", withBash, (t) => {
  const { state } = placeFor(t);
  const clients = {
    stateFolder: state,
    program: ["/node", "/hookline.js"] as const,
    version: "1",
    environment: process.env,
  };
  const chosen = prepareClient(clients);
  assert.deepEqual(chosen.tries, [{ read: startFile(state) }, { run: clients.program }]);
  assert.equal(statSync(clientFile(state)).mode & 0o777, 0o700);
  prepareClient({ ...clients, port: 5000 });
  prepareClient(clients);
  assert.equal(
    readFileSync(onDemandFile(state), "utf8"),
    "5000\n",
    "an agent that tells the daemon itself still finds it",
  );
  assert.equal(httpToken(state), httpToken(state));
  mkdirSync(join(state, "installs"));
  writeFileSync(join(state, "installs", "claude-code-1.json"), "{}");
  removeUnused(state, { daemonWanted: true });
  assert.ok(existsSync(clientFile(state)), "another layer calls it");
  rmSync(join(state, "installs", "claude-code-1.json"));
  removeUnused(state, { daemonWanted: true });
  for (const file of [clientFile, startFile, goneFile, guardedFolder, onDemandFile].map((one) => one(state)))
    assert.ok(!existsSync(file), file);
  assert.ok(!existsSync(join(state, "http-token")));
});

test(
  "the compiled client is chosen where it runs: a copy for its owner alone, before the shell's, which goes with the last uninstall",
  withNative,
  (t) => {
    const { state } = placeFor(t);
    const program = ["/node", "/hookline.js"] as const;
    const clients = { stateFolder: state, program, version: "1", environment: process.env };
    const chosen = prepareClient(clients);
    assert.deepEqual([chosen.is, chosen.tries], ["native", [{ read: startFile(state) }, { run: program }]]);
    const copy = nativeClientFile(state);
    assert.equal(statSync(copy).mode & 0o777, 0o700);
    assert.deepEqual(readFileSync(copy), readFileSync(findNativeClient()?.file ?? ""));
    const started = [...readFileSync(startFile(state), "utf8").matchAll(/exec '(\S+)'/g)].map(([, name]) => name);
    assert.deepEqual(started, [copy, ...(bash ? [bash] : []), "/node"]);
    prepareClient({ ...clients, environment: { HOOKLINE_DAEMON: "off" } });
    assert.ok(readFileSync(startFile(state), "utf8").includes(copy), "another layer calls it");
    mkdirSync(join(state, "installs"));
    writeFileSync(join(state, "installs", "claude-code-1.json"), "{}");
    removeUnused(state, { daemonWanted: false });
    assert.ok(!existsSync(copy), "no settings file calls it, and no daemon is wanted");
    rmSync(join(state, "installs", "claude-code-1.json"));
    prepareClient(clients);
    removeUnused(state, { daemonWanted: true });
    assert.ok(!existsSync(copy));
  },
);

test("where the state folder's file system starts no program, install chooses the shell's client", {
  skip: withNative.skip || withBash.skip || noNamespaces,
}, (t) => {
  const { place } = placeFor(t);
  const mounts = 'mount -t tmpfs -o noexec none "$1" && shift && exec "$@"';
  const words = ["-m", "sh", "-c", mounts, "sh", place.home, process.execPath, bin, "install", "claude-code"];
  const environment = { ...process.env, HOME: place.home, XDG_STATE_HOME: place.home };
  const { stdout, stderr } = spawnSync("unshare", words, { cwd: "/", env: environment, encoding: "utf8" });
  assert.match(stdout, /client: \S+bash asks the daemon/, stderr);
});

test("[T35] a client of another version, which every daemon refuses, is written anew", withBash, async (t) => {
  const { state, place } = placeFor(t);
  assert.ok(bash);
  const before = process.env.HOOKLINE_BIN;
  t.after(() => {
    if (before === undefined) delete process.env.HOOKLINE_BIN;
    else process.env.HOOKLINE_BIN = before;
  });
  process.env.HOOKLINE_BIN = bin;
  await renewClient(place);
  assert.ok(!existsSync(clientFile(state)), "none is made where none was installed");
  const client = { bash, program: ["/old/node", "/old/hookline.js"] };
  writeClient(state, { ...client, version: buildVersion() });
  await renewClient(place);
  assert.match(readFileSync(clientFile(state), "utf8"), /\/old\/node/, "one of this version stays as it is");
  writeClient(state, { ...client, version: "0.0.0+old" });
  await renewClient(place);
  const text = readFileSync(clientFile(state), "utf8");
  assert.ok(!text.includes("0.0.0+old") && !text.includes("/old/"));
  assert.ok(text.includes(process.execPath) && text.startsWith(`#!${bash} -p\n`));
  if (withNative.skip) return;
  assert.equal(writtenNativeClient(state)?.version, buildVersion(), "one is written where the build before had none");
  const native = writeNativeClient(state, "0.0.0+old");
  writeLaunchers(state, { program: ["/old/node", "/old/hookline.js"], ...(native && { native }) });
  assert.equal(writtenNativeClient(state)?.version, "0.0.0+old");
  await renewClient(place);
  assert.equal(writtenNativeClient(state)?.version, buildVersion());
  assert.ok(!readFileSync(startFile(state), "utf8").includes("/old/"));
});

test("a daemon without a port in its flags takes 4665 if no agent names one, and so does that of another store", (t) => {
  const { state, place } = placeFor(t);
  const usual = join(state, "hookline.db");
  assert.equal(portFor(place, usual), 4665);
  writeFileSync(onDemandFile(state), "5000\n");
  assert.equal(portFor(place, usual), 5000);
  assert.equal(portFor(place, join(state, "other.db")), 4665);
  mkdirSync(join(state, "installs"));
  writeFileSync(join(state, "installs", "claude-code-1.json"), "damaged");
  assert.equal(portFor(place, usual), 5000);
});

test("no daemon is started where install has not allowed it, where it is not wanted, or just after one was", async (t) => {
  const { state, place } = placeFor(t);
  await startOnDemand(place, undefined);
  assert.ok(!existsSync(startedFile(state)), "not allowed");
  writeFileSync(onDemandFile(state), "");
  await startOnDemand({ ...place, environment: { ...place.environment, HOOKLINE_DAEMON: "off" } }, undefined);
  await startOnDemand({ ...place, environment: { ...place.environment, HOOKLINE_STORE: "other.db" } }, undefined);
  await startOnDemand(place, "other.db");
  assert.ok(!existsSync(startedFile(state)), "not wanted");
  writeFileSync(startedFile(state), "");
  const { mtimeMs } = statSync(startedFile(state));
  await startOnDemand(place, undefined);
  assert.equal(statSync(startedFile(state)).mtimeMs, mtimeMs, "just started");
});

/** What is started ends at once. */
function startsNothing(t: TestContext, state: string): void {
  const before = process.env.HOOKLINE_BIN;
  t.after(() => {
    if (before === undefined) delete process.env.HOOKLINE_BIN;
    else process.env.HOOKLINE_BIN = before;
  });
  process.env.HOOKLINE_BIN = join(state, "none.js");
  writeFileSync(join(state, "..", "package.json"), '{"version":"1.2.3"}');
}

test("a daemon is started for the usual store by whatever name, and where the environment names another its person starts it", async (t) => {
  const { state, place } = placeFor(t);
  startsNothing(t, state);
  writeFileSync(onDemandFile(state), "");
  const naming = (store: string): typeof place => ({
    ...place,
    environment: { ...place.environment, HOOKLINE_STORE: store },
  });
  await startOnDemand(naming(join(state, "other.db")), undefined);
  assert.ok(!existsSync(startedFile(state)));
  await startOnDemand(naming(join(state, "hookline.db")), undefined);
  assert.ok(existsSync(startedFile(state)));
});

test("a later process that has the number of a daemon that was killed does not keep clients from starting another", async (t) => {
  const { state, place } = placeFor(t);
  startsNothing(t, state);
  writeFileSync(onDemandFile(state), "");
  const file = join(state, "daemon.address");
  writeAddress(file, { port: 9, token: "t", proof: "p", pid: process.pid, version: buildVersion(), socket: "" });
  await startOnDemand(place, undefined);
  assert.equal(existsSync(startedFile(state)), !readEntry(process.pid), "it is there");
  if (!readEntry(process.pid)) return; // the system does not tell one from the other
  writeFileSync(file, readFileSync(file, "utf8").replace(/^(\S+ \S+ \S+ \d+) \d+/, "$1 7"));
  await startOnDemand(place, undefined);
  assert.ok(existsSync(startedFile(state)));
});
