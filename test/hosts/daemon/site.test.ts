/** The documentation at /docs/: what the daemon serves without a token, to whom, and what it never serves. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { test } from "node:test";
import { sharedHosted } from "./hosted.ts";
import type { Started } from "./started.ts";

const shared = sharedHosted();

async function get(
  { port }: Pick<Started, "port">,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
  const asked = request({ host: "127.0.0.1", port, method, path, headers: { connection: "close", ...headers } });
  asked.end();
  const [response] = await once(asked, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

test("every program of this machine may read the documentation, each file with its type and a strict policy", async () => {
  const daemon = await shared();
  for (const [path, type] of [
    ["/docs/", "text/html; charset=utf-8"],
    ["/docs/rules.html", "text/html; charset=utf-8"],
    ["/docs/errors/", "text/html; charset=utf-8"],
    ["/docs/site.css?1", "text/css; charset=utf-8"],
    ["/docs/site.js", "text/javascript; charset=utf-8"],
    ["/docs/icon.svg", "image/svg+xml"],
  ] as const) {
    const { status, headers } = await get(daemon, path);
    assert.equal(status, 200, path);
    assert.equal(headers["content-type"], type, path);
    assert.match(
      String(headers["content-security-policy"]),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
  const moved = await get(daemon, "/docs");
  assert.deepEqual([moved.status, moved.headers.location], [308, "/docs/"]);
});

test("no path leads out of the documentation, and nothing is written", async () => {
  const daemon = await shared();
  for (const path of [
    "/docs/../package.json",
    "/docs/../../package.json",
    "/docs/%2e%2e/%2e%2e/package.json",
    "/docs/..%2f..%2fpackage.json",
    "/docs/errors/../../index.js",
    "/docs//etc/passwd",
    "/docs/./index.html",
    "/docs/.hidden.html",
    "/docs/rules.html/",
    "/docs/rules.html%00.css",
    "/docs/errors",
    "/docs/no-such-page.html",
  ])
    assert.equal((await get(daemon, path)).status, 404, path);
  assert.equal((await get(daemon, "/docs/", { method: "POST" })).status, 405);
  assert.equal((await get(daemon, "/docsx")).status, 401);
});

test("[T16] another page can neither read it nor frame it, by whatever name it calls", async () => {
  const daemon = await shared();
  const own = `http://127.0.0.1:${daemon.port}`;
  const statusWith = async (headers: Record<string, string>): Promise<number | undefined> =>
    (await get(daemon, "/docs/", { headers })).status;
  assert.equal(await statusWith({ "sec-fetch-site": "none" }), 200);
  assert.equal(await statusWith({ "sec-fetch-site": "same-origin", origin: own }), 200);
  assert.equal(await statusWith({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await statusWith({ "sec-fetch-site": "same-site" }), 403);
  assert.equal(await statusWith({ origin: "https://elsewhere.example" }), 403);
  assert.equal(await statusWith({ host: "elsewhere.example" }), 403);
  assert.match(String((await get(daemon, "/docs/")).headers["content-security-policy"]), /frame-ancestors 'none'/);
});
