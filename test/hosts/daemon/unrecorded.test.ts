/** A store that takes no events for a while: what cannot be written down is refused, and nothing that was told is lost. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type Hosted, hosted } from "./hosted.ts";
import { automation, type Place, placeFor, type Started, until } from "./started.ts";
import { answerIn, toldDaemon } from "./told.ts";

/** The store refuses every event, or every durable run, until this is undone, as a full disk would. */
function breakStore({ store: path }: Place, table: "event" | "work" = "event"): () => void {
  const change = (sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  change(`create trigger broken before insert on ${table} begin select raise(abort, 'no space is left'); end`);
  return () => change("drop trigger broken");
}

/** Resolves once the daemon has said so. */
const said = ({ complaints }: Hosted, pattern: RegExp): Promise<boolean> =>
  until(() => complaints.some((sentence) => pattern.test(sentence)), `${pattern} in what it says`);

const logged = automation("Any", "type: event, event_type: activation", "echo {{event_name}} >> log");

for (const [what, table] of [
  ["an event that", "event"],
  ["an event whose run", "work"],
] as const)
  test(`${what} cannot be written down is refused whatever its way in, and taken once it can be`, async (t) => {
    const secret = `whsec_${randomBytes(24).toString("base64")}`;
    const place = placeFor(t, {
      "home/.config/hookline/config.yaml": `webhooks: { ci: { secret: "${secret}", event: build.finished } }`,
      "workspace/.hookline/automations/a.yaml": logged,
    });
    const daemon = await hosted(place);
    const at = new Date();
    const webhook = { type: "x.y", data: { ok: true } };
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", at, JSON.stringify(webhook)),
    };
    const repair = breakStore(place, table);
    const ways: [code: string, path: string, request: Parameters<Started["call"]>[1]][] = [
      ["store_unusable", "/events", { body: { event: "a.b" } }],
      ["operation_failed", "/operations/emit", { body: { event: "a.b" } }],
      ["store_unusable", "/webhooks/ci", { body: webhook, headers }],
    ];
    for (const [code, path, request] of ways) {
      const { status, body } = await daemon.call(path, request);
      assert.deepEqual([status, body.error?.code], [507, code], path);
      assert.match(body.error.message, /no space is left/);
    }
    repair();
    for (const [, path, request] of ways)
      assert.ok([200, 202].includes((await daemon.call(path, request)).status), `${path} is taken`);
    assert.equal((await daemon.call("/webhooks/ci", { body: webhook, headers })).status, 200);
    const taken = (): number => place.runs().filter(({ status }) => status !== "failed").length;
    await until(() => taken() === 3, "one run for each event that was taken");
  });

test("a file's change that could not be written down is reported once it can be", async (t) => {
  const place = placeFor(t, {
    "workspace/notes.md": "one\n",
    "workspace/.hookline/automations/watch.yaml": automation(
      "Watch",
      "type: event, event_type: file.changed, watch: { paths: [notes.md] }",
      "true",
    ),
  });
  const daemon = await hosted(place);
  const complained = said(daemon, /file\.changed of automation:workspace\/watch: .*no space is left/);
  const repair = breakStore(place);
  place.write("workspace/notes.md", "two, and longer\n");
  await complained;
  repair();
  await until(() => place.runs().length === 1, "the run that the change sets off");
});

test("what fires once stays due while its event cannot be written down", async (t) => {
  const moment = new Date(Date.now() + 1_000).toISOString();
  const place = placeFor(t, {
    "workspace/.hookline/automations/once.yaml": automation("Once", `type: at, at: "${moment}"`, "true"),
  });
  const daemon = await hosted(place);
  const complained = said(daemon, /Once: .*no space is left/);
  breakStore(place);
  await complained;
  const { body } = await daemon.call("/status");
  assert.deepEqual(
    body.due.map(({ hook }: { hook: string }) => hook),
    ["automation:workspace/once"],
  );
});

test("[F10] hooks continue deciding while the store's file cannot even be opened, and what they decided is in it afterwards", async (t) => {
  const command = (text: string): object => ({ hooks: [{ type: "command", command: text }] });
  const hooks = { PreToolUse: [{ matcher: "Bash", ...command("echo 'not in this house' >&2; exit 2") }] };
  const told = await toldDaemon(t, { "workspace/.hookline/hooks.json": JSON.stringify({ hooks }) });
  const { store } = told.daemon;
  const said = async (tool: string): Promise<string> => {
    const call = { tool_name: tool, tool_input: { command: "x" } };
    const payload = { hook_event_name: "PreToolUse", session_id: "s", cwd: told.workspace, ...call };
    return answerIn(await told.own({ payload: JSON.stringify(payload) })).stdout;
  };
  assert.match(await said("Bash"), /not in this house/);
  const file = told.store;
  for (const suffix of ["", "-wal"]) renameSync(`${file}${suffix}`, `${file}-aside${suffix}`);
  mkdirSync(file);
  await until(async () => {
    assert.equal(await said("Grep"), "", "what no hook minds goes on");
    return store.loss() !== undefined;
  }, "the store is seen to be lost");
  assert.match(await said("Bash"), /not in this house/);
  assert.equal(await said("Grep"), "");
  assert.match(JSON.stringify(told.daemon.status().store), /"reason":"the store cannot be used/);
  rmdirSync(file);
  for (const suffix of ["", "-wal"]) renameSync(`${file}-aside${suffix}`, `${file}${suffix}`);
  await until(() => store.loss() === undefined, "the store is back");
  const verdicts = (await store.events(100)).map(({ outcome }) => outcome?.verdict?.is);
  assert.equal(verdicts.filter((is) => is === "deny").length, 2);
});
