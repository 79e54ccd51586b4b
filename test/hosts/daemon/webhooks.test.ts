/** Events from outside: programs of this machine, and signed webhooks. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { HookEvent } from "../../../src/engine/event.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import { createWebhooks, type Webhooks } from "../../../src/hosts/daemon/webhooks.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { hosted, sharedHosted } from "./hosted.ts";
import { automation, type Place, placeFor, type Started, until } from "./started.ts";

const secret = `whsec_${randomBytes(24).toString("base64")}`;

test("an event from a program reaches automations and hooks, and its answer says what ran", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/a.yaml": automation(
      "Built",
      "type: event, event_type: build.finished",
      "echo {{event.ok}} >> log",
    ),
    "workspace/.claude/settings.json": JSON.stringify({
      hooks: { "build.finished": [{ hooks: [{ type: "command", command: "cat > seen.json" }] }] },
    }),
  });
  const daemon = await hosted(place);
  const { status, body } = await daemon.emit("build.finished", { ok: "yes", hookline_depth: 4 });
  assert.equal(status, 200);
  assert.deepEqual(
    body.runs.map(({ hook, status: how }: { hook: string; status: string }) => [hook.split(":")[0], how]).sort(),
    [
      ["automation", "queued"],
      ["settings", "completed"],
    ],
  );
  assert.deepEqual(body.outcome, {});
  const seen = JSON.parse(place.read("workspace/seen.json"));
  assert.equal(seen.ok, "yes");
  assert.equal(seen.hookline_depth, undefined); // only hooks count how deep they are
  await until(() => place.runs().every((run) => run.status === "completed"), "the automation ends");
  assert.equal(place.read("workspace/log"), "yes\n");
});

test("an agent's event, an unknown name and a wrong field are refused", async () => {
  const daemon = await shared();
  const send = async (body: unknown): Promise<string> => {
    const answer = await daemon.call("/events", { body });
    return `${answer.status} ${answer.body.error?.code} ${answer.body.error?.message}`;
  };
  assert.match(await send({ event: "PreToolUse", data: {} }), /^400 event_unknown/);
  assert.match(await send({ event: "tool_start", data: {} }), /^400 event_unknown/);
  assert.match(await send({ event: "build finished" }), /^400 event_unknown/);
  assert.match(await send({ event: "a.b", data: [] }), /^400 parameters_invalid data needs a JSON object/);
  assert.match(await send({ event: "a.b", cwd: "relative" }), /^400 parameters_invalid cwd/);
  assert.match(
    await send({ event: "a.b", hook: "x" }),
    /^400 parameters_invalid .*needs no other fields than event, data, cwd, session, depth but has "hook"/,
  );
});

const config = `
webhooks:
  ci: { secret: "\${CI_SECRET}", event: build.finished, project: shop }
  any: { secret: "${secret}" }
  lost: { secret: "\${NOT_SET}" }
`;

const shared = sharedHosted({ "home/.config/hookline/config.yaml": config });

interface Message {
  id?: string;
  at?: Date;
  with?: string;
  headers?: Record<string, string>;
}
async function deliver(
  { port }: Pick<Started, "port">,
  name: string,
  message: unknown,
  { id = `msg_${randomBytes(4).toString("hex")}`, at = new Date(), with: key = secret, headers = {} }: Message = {},
): Promise<string> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(key).sign(id, at, body),
      ...headers,
    },
    body,
  });
  const answer = JSON.parse(await response.text());
  return `${response.status} ${answer.error?.code ?? Object.keys(answer).join()}`;
}

test("a signed webhook becomes an event once, also where it is sent again; what is forged or old is refused", async (t) => {
  const place = placeFor(t, { "home/.config/hookline/config.yaml": config.replace("shop", "workspace") });
  place.environment.CI_SECRET = secret;
  place.write(
    "workspace/.hookline/automations/a.yaml",
    automation("Any", "type: event, event_type: activation", "printenv >/dev/null; echo {{event}} >> log"),
  );
  const daemon = await hosted(place);
  assert.deepEqual(daemon.said.webhooks, ["ci", "any", "lost"]);
  const built = { type: "ignored.type", timestamp: "2026-01-01T00:00:00Z", data: { ok: true, project_id: "other" } };
  assert.equal(await deliver(daemon, "ci", built, { id: "msg_1" }), "202 event,runs");
  assert.equal(await deliver(daemon, "ci", built, { id: "msg_1" }), "200 event,runs,repeated");
  assert.equal(
    await deliver(daemon, "any", { type: "user.created", data: { n: 1 } }, { id: "msg_1" }),
    "202 event,runs",
  );
  assert.equal(await deliver(daemon, "any", { type: "Stop", data: {} }), "400 input_invalid");
  assert.equal(await deliver(daemon, "any", "[]"), "400 input_invalid");
  assert.equal(await deliver(daemon, "ci", { plain: 1 }), "202 event,runs");
  const wrong = `whsec_${randomBytes(24).toString("base64")}`;
  assert.equal(await deliver(daemon, "ci", built, { with: wrong }), "401 signature_invalid");
  assert.equal(await deliver(daemon, "ci", built, { at: new Date(Date.now() - 301_000) }), "401 timestamp_invalid");
  assert.equal(await deliver(daemon, "ci", built, { headers: { "webhook-signature": "" } }), "401 signature_invalid");
  assert.equal(await deliver(daemon, "cj", built), "404 webhook_unknown");
  assert.equal(await deliver(daemon, "lost", built), "500 failed");
  assert.equal(
    await deliver(daemon, "ci", built, { headers: { origin: "http://evil.example" } }),
    "403 forbidden_origin",
  );
  const tunnelled = { headers: { host: "hooks.example.org" } };
  assert.equal(await deliver(daemon, "any", { type: "a.b" }, tunnelled), "202 event,runs");
  await until(() => place.runs().some(({ status }) => status === "completed"), "the automation ran");
  const kept = secret.slice("whsec_".length);
  for (const file of ["hookline.db", "hookline.db-wal"])
    assert.ok(!keptIn(place, file).includes(kept), `${file} holds the secret`);
  assert.ok(!daemon.complaints.join().includes(kept), "a complaint holds the secret");
  assert.deepEqual([...new Set(place.runs().map(({ cause }) => cause))].sort(), [
    "event:a.b",
    "event:build.finished",
    "event:user.created",
  ]);
});

function keptIn({ state }: Place, file: string): string {
  const path = join(state, file);
  return existsSync(path) ? readFileSync(path, "latin1") : "";
}

test("a webhook's bytes are what is signed: a byte order mark is taken, and what is no UTF-8 is refused as that", async () => {
  const daemon = await shared();
  const send = async (body: Uint8Array<ArrayBuffer>): Promise<string> => {
    const time = String(Math.floor(Date.now() / 1000));
    const id = `msg_${randomBytes(4).toString("hex")}`;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
    const headers = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
    const response = await fetch(`http://127.0.0.1:${daemon.port}/webhooks/any`, { method: "POST", headers, body });
    return `${response.status} ${JSON.parse(await response.text()).error?.code ?? "ok"}`;
  };
  const message = [...new TextEncoder().encode('{"type":"a.b"}')];
  assert.equal(await send(Uint8Array.from([0xef, 0xbb, 0xbf, ...message])), "202 ok");
  assert.equal(await send(Uint8Array.from([...message, 0xff])), "400 input_invalid");
  assert.equal(await send(Uint8Array.from([0x22, 0xff, 0x22])), "400 input_invalid");
});

test("a message that was refused for what it says does not use up its id, and one that comes twice at once is taken once", async () => {
  const daemon = await shared();
  assert.equal(await deliver(daemon, "any", "nonsense", { id: "msg_1" }), "400 input_invalid");
  const all = await Promise.all([1, 2, 3].map(() => deliver(daemon, "any", { type: "a.b" }, { id: "msg_1" })));
  assert.deepEqual(all.sort(), ["200 event,runs,repeated", "200 event,runs,repeated", "202 event,runs"]);
});

const eventIn = (answer: Awaited<ReturnType<Webhooks["deliver"]>>): unknown =>
  "body" in answer && JSON.parse(String(answer.body)).event;

test("GitHub's deliveries become events named after what happened, and what only tries the address becomes none", async (t) => {
  const seen: HookEvent[] = [];
  const inbound = inboundIn(t, async (event, store) => {
    seen.push(event);
    store.record(event, { id: "set", hooks: [] }, (_event, before) => before);
    store.answered(event.id, {});
    return {};
  });
  const send = async (name: string, text: string, webhook = "any"): Promise<number> => {
    const body = Buffer.from(text);
    const headers: Record<string, string> = {
      "x-github-event": name,
      "x-github-delivery": `${name} ${text.length}`,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    };
    return (await inbound.deliver(webhook, { header: (one) => headers[one], body })).status;
  };
  assert.equal(await send("push", '{"ref":"refs/heads/main","type":"User"}'), 202);
  assert.equal(await send("push", '{"ref":"refs/heads/main","type":"User"}'), 200);
  assert.equal(await send("issues", `payload=${encodeURIComponent('{"action":"opened é"}')}`), 202);
  assert.equal(await send("push", "{}", "ci"), 202);
  assert.equal(await send("ping", '{"zen":"Keep it logically awesome."}', "ci"), 200);
  assert.equal(await send("push", "", "ci"), 200);
  assert.equal(await send("push", "payload=nonsense"), 400);
  assert.deepEqual(
    seen.map(({ name, data }) => [name, data]),
    [
      ["github.push", { ref: "refs/heads/main", type: "User" }],
      ["github.issues", { action: "opened é" }],
      ["a.b", {}],
    ],
  );
});

test("a signed message without a body is answered, and becomes no event", async () => {
  const daemon = await shared();
  assert.equal(await deliver(daemon, "any", ""), "200 ping");
  assert.equal(
    await deliver(daemon, "any", "", { headers: { "webhook-signature": "v1,AAAA" } }),
    "401 signature_invalid",
  );
});

/** What is behind the routes, on a store and a line of the test's own. */
function inboundIn(t: TestContext, emit: (event: HookEvent, store: SqliteStore) => Promise<Outcome>): Webhooks {
  const folder = temporaryFolder(t);
  const store = openSqliteStore({ path: join(folder, "store.db") });
  t.after(() => store.close());
  return createWebhooks({
    emit: (event) => emit(event, store),
    store,
    now: Date.now,
    cwd: folder,
    workspaceOf: () => undefined,
    webhook: (name) => (name === "any" ? { secret } : { secret, event: "a.b" }),
    fill: (written) => written,
  });
}

test("a webhook whose event a crash left without its outcome is taken when it comes again", async (t) => {
  const fates = ["lost before it is recorded", "recorded, and lost before its hooks are asked", "answered"];
  let fate = 0;
  const inbound = inboundIn(t, async (event, store) => {
    fate += 1;
    if (fate === 1) throw new Error(fates[0]);
    store.record(event, { id: "set", hooks: [] }, (_event, before) => before);
    if (fate === 2) throw new Error(fates[1]);
    store.answered(event.id, {});
    return {};
  });
  const at = new Date();
  const headers: Record<string, string> = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, "{}"),
  };
  const message = { header: (name: string) => headers[name], body: Buffer.from("{}") };
  await assert.rejects(inbound.deliver("ci", message), { message: fates[0] });
  await assert.rejects(inbound.deliver("ci", message), { message: fates[1] });
  const [taken, again] = [await inbound.deliver("ci", message), await inbound.deliver("ci", message)];
  assert.deepEqual([taken.status, again.status], [202, 200]);
  assert.equal(eventIn(again), eventIn(taken), "the sender hears of the same event");
  assert.equal((await inbound.deliver("another", message)).status, 202);
});

test("a webhook's own project is in its event, whatever the sender writes", async (t) => {
  const place = placeFor(t, {
    "home/.config/hookline/config.yaml": config,
    "workspace/.claude/settings.json": JSON.stringify({
      hooks: { "build.finished": [{ hooks: [{ type: "command", command: "cat > seen.json" }] }] },
    }),
  });
  place.environment.CI_SECRET = secret;
  const daemon = await hosted(place);
  assert.equal(await deliver(daemon, "ci", { type: "x.y", data: { project_id: "other" } }), "202 event,runs");
  assert.equal(JSON.parse(place.read("workspace/seen.json")).project_id, "shop");
});
