/** Whose environment, umask and account hooks have in a daemon: those of whoever tells, by whatever way and whenever the daemon came. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createBegunSessions, leaveSession } from "../../../src/hosts/daemon/session-environments.ts";
import { startScriptedModel } from "../../../testing/index.ts";
import { runCommand } from "../../program.ts";
import { answerIn, codeIn, type Heard, token, toldDaemon } from "./told.ts";

const hooksOf = (event: string, ...hooks: object[]): Record<string, string> => ({
  "workspace/.hookline/hooks.json": JSON.stringify({ hooks: { [event]: [{ hooks }] } }),
});
const command = (line: string): object => ({ type: "command", command: line });
const denies = (text: string): boolean => text.includes('"permissionDecision":"deny"');

test("a hook's files are for those whom the sender's own are for, over HTTP those of its session's start", async (t) => {
  const told = await toldDaemon(t, hooksOf("PreToolUse", command("rm -f made; echo > made")));
  const made = (): string => (statSync(join(told.workspace, "made")).mode & 0o777).toString(8);
  const telling = (event: string): string =>
    JSON.stringify({ hook_event_name: event, session_id: "s", cwd: told.workspace, tool_name: "Bash", tool_input: {} });
  for (const [umask, mode] of [
    ["0027", "640"],
    ["77", "600"],
    ["0", "666"],
  ] as const) {
    answerIn(await told.own({ payload: telling("PreToolUse"), headers: { "x-hookline-umask": umask } }));
    assert.equal(made(), mode, umask);
  }
  await told.own({ payload: telling("SessionStart"), headers: { "x-hookline-umask": "0077" } });
  await told.http({ payload: telling("PreToolUse") });
  assert.equal(made(), "600");
  await told.own({ payload: telling("PreToolUse"), headers: { "x-hookline-umask": "Name:" } });
  assert.equal(made(), (0o666 & ~process.umask()).toString(8), "it said none");
});

test("[R44] a session that began without the daemon has its environment when its agent sends events over HTTP", async (t) => {
  const told = await toldDaemon(t, hooksOf("PreToolUse", command('[ "$MODE" = strict ] && exit 2; exit 0')));
  told.write("state/hookline/http-token", "persistent-token-of-the-settings\n");
  const telling = (event: string, session = "s"): string =>
    JSON.stringify({
      hook_event_name: event,
      session_id: session,
      cwd: told.workspace,
      tool_name: "Bash",
      tool_input: {},
    });
  const denied = async (session = "s"): Promise<boolean> =>
    denies((await told.http({ payload: telling("PreToolUse", session) })).text);
  assert.equal(await denied("another"), false); // the daemon looks for one session only now and then
  const begin = (): number | null =>
    runCommand(["hook", "claude-code", "--event", "SessionStart", "--by", "user"], {
      cwd: told.workspace,
      environment: { ...told.environment, HOOKLINE_DAEMON: "off", MODE: "strict" },
      input: telling("SessionStart"),
    }).status;
  assert.equal(begin(), 0);
  const folder = join(told.folder, "state", "hookline", "sessions-begun");
  const [left = ""] = readdirSync(folder);
  assert.equal(statSync(join(folder, left)).mode & 0o777, 0o600);
  assert.equal(await denied(), true);
  assert.deepEqual(readdirSync(folder), [], "it was taken");
  assert.equal(await denied(), true, "and is kept in memory");
});

test("the environment that a starting session leaves is for its owner, is taken once, and is removed after a day", async (t) => {
  const { folder } = await toldDaemon(t, {});
  const left = { environment: { MODE: "strict" }, umask: 0o77 };
  leaveSession(folder, "../../etc", left);
  const [file = ""] = readdirSync(join(folder, "sessions-begun"));
  assert.match(file, /^[0-9a-f]{32}$/);
  utimesSync(join(folder, "sessions-begun", file), 1, 1);
  leaveSession(folder, "another", left);
  const begun = createBegunSessions(folder);
  assert.deepEqual(begun(), [{ session: "another", ...left }], "the first was a day old");
  assert.deepEqual(begun(), []);
  leaveSession(folder, "another", { environment: {} });
  assert.deepEqual(begun(), [{ session: "another", environment: {} }], "it was resumed");
});

test("files of others among the files that sessions leave, and half written ones, are no session", async (t) => {
  const { folder } = await toldDaemon(t, {});
  leaveSession(folder, "a", { environment: { MODE: "strict" } });
  const place = join(folder, "sessions-begun");
  const texts = ["null", "3", '{"session":"a"}', '{"session":', '{"session":"b","environment":{"A":1,"B":"2"}}'];
  for (const [index, text] of texts.entries())
    writeFileSync(join(place, `${index}`.padStart(32, "0")), text, { mode: 0o600 });
  writeFileSync(join(place, `${"0".repeat(32)}.1`), '{"session":"half","environ', { mode: 0o600 });
  const found = createBegunSessions(folder)().map(({ session, environment }) => [session, environment]);
  assert.deepEqual(found.sort(), [
    ["a", { MODE: "strict" }],
    ["b", { B: "2" }],
  ]);
  assert.deepEqual(readdirSync(place), [`${"0".repeat(32)}.1`], "it is left to whoever writes it");
  assert.deepEqual(createBegunSessions(join(place, `${"0".repeat(32)}.1`))(), [], "no folder can be there");
});

test("a session whose end an agent sends over HTTP leaves no environment", async (t) => {
  const told = await toldDaemon(t, hooksOf("PreToolUse", command('[ "$MODE" = strict ] && exit 2; exit 0')));
  const telling = (event: string): string =>
    JSON.stringify({ hook_event_name: event, session_id: "s", cwd: told.workspace, tool_name: "Bash", tool_input: {} });
  const denied = async (): Promise<boolean> => denies((await told.http({ payload: telling("PreToolUse") })).text);
  await told.own({ payload: telling("SessionStart"), environment: { ...told.environment, MODE: "strict" } });
  assert.equal(await denied(), true);
  await told.http({ payload: telling("SessionEnd") });
  assert.equal(await denied(), false);
});

test("a model is asked with the account and the address of the event's sender, as the command would ask", async (t) => {
  const judges = await Promise.all(
    ["it is fine", "not with this account"].map(async (reason, index) => {
      const model = await startScriptedModel({
        turns: [{ text: JSON.stringify({ ok: index === 0, reason }) }],
        playSides: true,
        key: `key-of-${index}`,
      });
      t.after(() => model.close());
      return model;
    }),
  );
  const told = await toldDaemon(t, hooksOf("PreToolUse", { type: "prompt", prompt: "May it? $ARGUMENTS" }));
  const payload = JSON.stringify({
    hook_event_name: "PreToolUse",
    cwd: told.workspace,
    tool_name: "Bash",
    tool_input: {},
  });
  const verdicts: boolean[] = [];
  for (const [index, { url }] of judges.entries()) {
    const environment = { ...told.environment, ANTHROPIC_API_KEY: `key-of-${index}`, ANTHROPIC_BASE_URL: url };
    verdicts.push(denies(answerIn(await told.own({ payload, environment })).stdout));
  }
  assert.deepEqual(verdicts, [false, true]);
});

test("folders that are too deep are not looked up by a daemon: the command does it, and no other event waits", async (t) => {
  const told = await toldDaemon(t, hooksOf("PreToolUse", command("echo >> done")));
  const payloadIn = (cwd: string): string =>
    JSON.stringify({ hook_event_name: "PreToolUse", cwd, tool_name: "Bash", tool_input: {} });
  const from = (folder: string): Promise<Heard> =>
    told.own({ payload: payloadIn(folder), headers: { "x-hookline-cwd": encodeURIComponent(folder) } });
  const [deep, long] = [`${told.workspace}${"/a".repeat(64)}`, `/${"a".repeat(4_096)}`];
  for (const folder of [deep, long]) {
    const heard = await from(folder);
    assert.equal(codeIn(heard), "409 too_deep");
    assert.ok(!heard.taken);
    const sent = await fetch(`http://127.0.0.1:${told.server.port}/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ event: "build.finished", cwd: folder }),
    });
    assert.equal(sent.status, 400);
  }
  const meant = answerIn(await told.own({ payload: payloadIn(deep) }));
  assert.equal(meant.exitCode, 2);
  assert.match(meant.stderr, /at most 64 levels/);
  assert.ok(denies((await told.http({ payload: payloadIn(deep), event: "PreToolUse" })).text));
  assert.equal(existsSync(join(told.workspace, "done")), false);
  assert.equal(answerIn(await from(`${told.workspace}${"/a".repeat(40)}`)).exitCode, 0);
});

test("a payload that is too large is refused by its own limit", async (t) => {
  const told = await toldDaemon(t, {});
  const heard = await told.http({ payload: "{", headers: { "content-length": String(100 * 1024 * 1024) } });
  assert.match(heard.text, /larger than 64 MB/);
});
