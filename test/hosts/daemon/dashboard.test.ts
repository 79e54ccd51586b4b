/** Who may see the dashboard, and what a browser may ask of the daemon (SAFETY D10, T16). */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Hosted, hosted, sharedHosted } from "./hosted.ts";
import { placeFor, type Started, until } from "./started.ts";

const shared = sharedHosted();

interface Wanted {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}
interface Got {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

async function ask(
  { port }: Pick<Started, "port">,
  { method = "POST", path = "/api/now", headers = {}, body = "{}" }: Wanted,
) {
  const asked = request({ host: "127.0.0.1", port, method, path, headers: { connection: "close", ...headers } });
  asked.end(method === "GET" ? undefined : body);
  const [response] = await once(asked, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  const got: Got = { status: response.statusCode, headers: response.headers, text };
  return got;
}

/** As the page asks. */
const ofPage = (port: number): Record<string, string> => ({
  origin: `http://127.0.0.1:${port}`,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
  "x-hookline": "dashboard",
});

const codeIn = (url: string): string =>
  /^http:\/\/127\.0\.0\.1:\d+\/#enter=(.{43})$/.exec(url)?.[1] ?? assert.fail(url);

/** What a browser keeps that was let in. */
async function enter(daemon: Pick<Started, "port">, code: string): Promise<{ cookie: string; got: Got }> {
  const got = await ask(daemon, { path: "/api/enter", headers: ofPage(daemon.port), body: JSON.stringify({ code }) });
  const [cookie = ""] = String(got.headers["set-cookie"] ?? "").split(";");
  return { cookie, got };
}

/** Asks as the page does of a browser that is let in. */
async function pageOf(daemon: Hosted) {
  const { cookie } = await enter(daemon, codeIn(daemon.server.link("/")));
  return async (name: string, body: object = {}) => {
    const headers = { ...ofPage(daemon.port), cookie };
    const { status, text } = await ask(daemon, { path: `/api/${name}`, headers, body: JSON.stringify(body) });
    return { status, body: JSON.parse(text) };
  };
}

test("a link lets one browser in, once; its cookie is the daemon's own and no script can read it", async (t) => {
  const place = placeFor(t);
  const daemon = await place.up();
  const said = await until(() => place.hookline("open", "--json").stdout, "the daemon's answer to open");
  const { url } = JSON.parse(said);
  const { cookie, got } = await enter(daemon, codeIn(url));
  assert.equal(got.status, 200);
  assert.equal(JSON.parse(got.text).project, place.workspace);
  assert.match(String(got.headers["set-cookie"]), /^hookline-\d+=.{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  const seen = await ask(daemon, { headers: { ...ofPage(daemon.port), cookie } });
  assert.equal(seen.status, 200);
  assert.deepEqual(JSON.parse(seen.text).blocked, []);
  assert.equal((await enter(daemon, codeIn(url))).got.status, 401);
  assert.equal((await enter(daemon, "x")).got.status, 401);
});

test("without a daemon there is no link, and hookline open says what to do", (t) => {
  const { status, stderr } = placeFor(t).hookline("open");
  assert.equal(status, 3);
  assert.match(stderr, /^hookline: the daemon cannot be reached: none is running .* hookline up$/m);
});

test("[T16] what another page sends is refused, and so is what its own page sends to anything but itself", async () => {
  const daemon = await shared();
  const { cookie } = await enter(daemon, codeIn(daemon.server.link("/")));
  const own = { ...ofPage(daemon.port), cookie };
  const unmarked = Object.fromEntries(Object.entries(own).filter(([name]) => name !== "x-hookline"));
  const stranger = ofPage(daemon.port);
  const bearer = { authorization: `Bearer ${daemon.token}` };
  const table: [number, string, Wanted][] = [
    [200, "the page", { method: "GET", path: "/", headers: { "sec-fetch-site": "none" } }],
    [403, "a link on another page", { method: "GET", path: "/", headers: { "sec-fetch-site": "cross-site" } }],
    [403, "a frame of another port", { method: "GET", path: "/", headers: { "sec-fetch-site": "same-site" } }],
    [403, "another name for it", { method: "GET", path: "/", headers: { host: "evil.example" } }],
    [404, "a file that is none of its own", { method: "GET", path: "/assets/..%2findex.html", headers: own }],
    [405, "a page that is posted", { path: "/", headers: own }],
    [200, "its own question", { headers: own }],
    [401, "a question without a cookie", { headers: stranger }],
    [401, "a token in place of a cookie", { headers: { ...stranger, ...bearer } }],
    [403, "a question without the page's header", { headers: unmarked }],
    [403, "a question of another origin", { headers: { ...own, origin: "http://evil.example" } }],
    [403, "a question of no origin", { headers: { ...own, origin: "null" } }],
    [403, "a question of another port", { headers: { ...own, origin: `http://127.0.0.1:${daemon.port + 1}` } }],
    [403, "a question from another site", { headers: { ...own, "sec-fetch-site": "cross-site" } }],
    [415, "a form", { headers: { ...own, "content-type": "text/plain" } }],
    [405, "an address that is followed", { method: "GET", headers: own }],
    [401, "events, without a cookie", { method: "GET", path: "/api/live", headers: stranger }],
    [400, "a question with what it does not take", { headers: own, body: '{"projcet":"/"}' }],
    [400, "a question that is no object", { headers: own, body: "[]" }],
    [404, "a question that it may not ask", { path: "/api/emit", headers: own, body: '{"event":"a.b"}' }],
    [404, "an address below a question", { path: "/api/now/x", headers: own }],
    [404, "a question about trust", { path: "/api/trust", headers: own }],
    [403, "the status", { method: "GET", path: "/status", headers: { ...own, ...bearer } }],
    [403, "an operation", { path: "/operations/runs", headers: { ...own, ...bearer } }],
    [403, "an event", { path: "/events", headers: { ...own, ...bearer }, body: '{"event":"a.b"}' }],
    [403, "another link", { path: "/links", headers: { ...own, ...bearer }, body: '{"folder":"/"}' }],
    [403, "a preflight", { method: "OPTIONS", headers: { origin: "http://evil.example" } }],
  ];
  for (const [status, what, wanted] of table) {
    const got = await ask(daemon, wanted);
    assert.equal(got.status, status, `${what}: ${got.text.slice(0, 200)}`);
    assert.equal(got.headers["access-control-allow-origin"], undefined, what);
  }
});

test("the page runs nothing but its own files, and is shown in no other page", async () => {
  const daemon = await shared();
  const { headers, text } = await ask(daemon, { method: "GET", path: "/" });
  const policy = String(headers["content-security-policy"]);
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.includes(part), policy);
  assert.equal(policy.includes("unsafe"), false);
  assert.equal(headers["cache-control"], "no-store");
  assert.doesNotMatch(text, /<script(?![^>]*src=)|\son\w+=|https?:/);
  for (const [, path = ""] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
    const file = await ask(daemon, { method: "GET", path });
    assert.equal(file.status, 200, path);
    assert.match(String(file.headers["cache-control"]), /immutable/);
  }
});

test("a hook is paused and resumed; a guard is not, and the answer says how a person does it", async (t) => {
  const hooks = {
    PreToolUse: [
      { hooks: [{ name: "looks", type: "command", command: "true" }] },
      { hooks: [{ name: "keeps", role: "guard", type: "command", command: "true" }] },
    ],
  };
  const place = placeFor(t, { "workspace/.hookline/hooks.json": JSON.stringify({ hooks }) });
  const page = await pageOf(await hosted(place));
  const stand = async (name: string) =>
    (await page("hook_list")).body.hooks.find((one: { name: string }) => one.name === name);
  const { id } = await stand("looks");
  assert.deepEqual((await page("pause", { hook: id })).body, { hook: id, paused: true, changed: true });
  assert.equal((await stand("looks")).isPaused, true);
  assert.match(place.hookline("list").stdout, /looks +paused/);
  assert.equal((await page("resume", { hook: id })).body.changed, true);
  assert.equal((await stand("looks")).state, "");
  const refused = await page("pause", { hook: (await stand("keeps")).id });
  assert.equal(refused.status, 422);
  assert.match(refused.body.error.message, /keeps is a guard — .*hookline guard off/);
});

test("what was blocked in a quiet project is shown, however much happened in others since", async (t) => {
  const hooks = {
    PreToolUse: [
      {
        hooks: [{ name: "no", role: "guard", type: "command", command: 'echo \'{"decision":"block","reason":"no"}\'' }],
      },
    ],
  };
  const place = placeFor(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({ hooks }),
    "workspace/inner/.git/HEAD": "ref: refs/heads/main",
    "workspace/src/a.ts": "",
  });
  for (const cwd of [place.workspace, `${place.workspace}/src`]) {
    const call = { session_id: "quiet", cwd, hook_event_name: "PreToolUse", tool_name: "Bash" };
    place.hooklineWith(JSON.stringify({ ...call, tool_input: { command: "ls" } }), "hook", "claude-code");
  }
  const database = new DatabaseSync(place.store);
  const columns = database.prepare(
    "select name from pragma_table_info('event') where name not in ('seq', 'id', 'cwd')",
  );
  const names = columns.all().map(({ name }) => String(name));
  database
    .prepare(`with recursive numbers (i) as (values (1) union all select i + 1 from numbers where i < 6000)
      insert into event (id, cwd, ${names}) select 'loud ' || i, ?, ${names} from numbers, (select * from event limit 1)`)
    .run(`${place.workspace}/inner`);
  database.close();
  const page = await pageOf(await hosted(place));
  const { body: quiet } = await page("now", { project: place.workspace });
  assert.deepEqual(
    quiet.blocked.map(({ reason }: { reason: string }) => reason),
    ["no", "no"],
  );
  assert.deepEqual(
    quiet.sessions.map(({ id, events }: { id: string; events: object[] }) => [id, events.length]),
    [["quiet", 2]],
  );
  const { body: loud } = await page("now", { project: `${place.workspace}/inner` });
  assert.equal(loud.blocked.length, 12);
  const { body: none } = await page("now", { project: "/nowhere" });
  assert.deepEqual([none.blocked, none.sessions, none.isElsewhere], [[], [], true]);
});

test("[X10] what an agent says against a refusal stands beside it, until a person says no to it there", async (t) => {
  const rule =
    "hooks: [{ id: no_push, on: tool_start, condition: { type: tool_name, match: Bash }, action: { type: gate } }]";
  const place = placeFor(t, { "workspace/.hookline/rules/g.yaml": rule });
  const call = { session_id: "s", cwd: place.workspace, hook_event_name: "PreToolUse", tool_name: "Bash" };
  place.hooklineWith(JSON.stringify({ ...call, tool_input: { command: "git push" } }), "hook", "claude-code");
  place.hookline("appeal", "it is mine");
  const page = await pageOf(await hosted(place));
  const { appeal } = (await page("now")).body.blocked[0];
  assert.equal(appeal.why, "it is mine");
  const { guards, appeals } = (await page("guards", { project: place.workspace })).body;
  assert.deepEqual([guards[0].appealed, appeals[0].open, appeals[0].why], [1, 1, "it is mine"]);
  assert.deepEqual((await page("appeal_no", { id: appeal.id })).body, { answered: true });
  assert.deepEqual((await page("appeal_no", { id: appeal.id })).body, { answered: false });
  assert.equal((await page("now")).body.blocked[0].appeal, null);
});

test("a payload that is nested too deep to be written down is refused before anything runs", async () => {
  const page = await pageOf(await shared());
  const payload = `{"a":${"[".repeat(501)}${"]".repeat(501)}}`;
  for (const name of ["try", "perform"]) {
    const { status, body } = await page(name, { event: "a.b", payload });
    assert.equal(status, 422);
    assert.match(body.error.message, /more than 500 levels/);
  }
});
