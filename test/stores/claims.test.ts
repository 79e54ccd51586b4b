import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { forgetClaims } from "../../src/stores/claims.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";

test("claims that hold for a while are forgotten after it, and others stay", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-claims-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = openSqliteStore({ path: join(folder, "store.db"), redact: (text) => text });
  t.after(() => store.close());
  const claim = (key: string, now: number): boolean => store.claim([{ key, gap: 900, refusal: "" }], now) === undefined;
  for (const [key, now] of [
    ["webhook:a:1", 1_000],
    ["webhook:a:2", 9_000],
    ["cooldown:x", 1_000],
  ] as const)
    assert.ok(claim(key, now));
  assert.equal(forgetClaims(store.database, "webhook:", 5_000), 1);
  assert.ok(claim("webhook:a:1", 10_000));
  assert.equal(claim("webhook:a:2", 10_000), false);
  assert.equal(claim("cooldown:x", 10_000), false);
});
