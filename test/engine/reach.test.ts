import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layer } from "../../src/engine/hook.ts";
import { isOwn, reachOf, showsLoopback } from "../../src/engine/reach.ts";

test("an address of this machine is one where a person reads it as one", () => {
  const yes = [
    "http://127.0.0.1",
    "https://localhost:3000/x",
    "HTTP://LOCALHOST/",
    "http://[::1]:8/?a",
    "http://127.9.8.7#x",
  ];
  for (const address of yes) assert.ok(showsLoopback(address), address);
  const no = `http://2130706433 http://0x7f.1 http://127.1 http://[::ffff:127.0.0.1] http://127.0.0.1.example http://localhost.example
    http://127.0.0.1@example.com http://localhost:80@example.com http://me@localhost http://127.0.0.1{{x}}/ http://127.0.0.1:80{{x}}/
    http://$HOST/ http://127.999.0.1/ http:/127.0.0.1 http://0.0.0.0 ftp://127.0.0.1 127.0.0.1`;
  for (const address of no.split(/\s+/)) assert.ok(!showsLoopback(address), address);
});

test("a person's own address may lead anywhere, a project's to public addresses, and to this machine where it says so", () => {
  const url = "http://127.0.0.1:3000/hook";
  assert.equal(reachOf(url, { isOwn: true, written: ["http://127.0.0.1:3000/{{path}}"] }), "internal");
  assert.equal(reachOf(url, { isOwn: false, written: ["http://127.0.0.1:3000/{{path}}"] }), "loopback");
  for (const isOwn of [true, false])
    for (const written of [
      [],
      ["{{url}}"],
      ["http://127.0.0.1:3001/hook"],
      ["https://127.0.0.1:3000/"],
      ["http://a.example/"],
    ])
      assert.equal(reachOf(url, { isOwn, written }), "public", String(written));
  assert.equal(reachOf("http://10.0.0.1/", { isOwn: false, written: ["http://10.0.0.1/"] }), "public");
});

test("a hook is a person's own above every project, and where the program that embeds Hookline made it", () => {
  const all: [Layer, string | undefined, boolean][] = [
    ["managed", "/x", true],
    ["user", "/x", true],
    ["user", undefined, true],
    ["plugin", undefined, true],
    ["local", undefined, true],
    ["session", undefined, true],
    ["plugin", "/x", false],
    ["local", "/x", false],
    ["project", "/x", false],
    ["project", undefined, false],
  ];
  for (const [layer, root, own] of all)
    assert.equal(isOwn({ layer, ...(root === undefined ? {} : { root }) }), own, `${layer} ${root}`);
});
