import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutCredentials } from "../../src/engine/one-line.ts";

test("addresses lose their credentials, and no more", () => {
  assert.equal(withoutCredentials("https://a:b@example.com/x.git"), "https://example.com/x.git");
  assert.equal(withoutCredentials("https://token@example.com/x.git"), "https://example.com/x.git");
  const plain = ["git@example.com:x.git", "ssh://git@example.com/x.git", "../x", "https://example.com/x"];
  for (const same of [...plain, "https://example.com/x@v1", "http://localhost:8080/x@v1"])
    assert.equal(withoutCredentials(same), same);
});

test("no part of a password is left in an address, whatever else is in it", () => {
  for (const password of ["p@ss", "p/ss", "p/s@s", "p?ss", "p#ss", "p ss", "p\\ss", "p%ss", "p[ss"])
    assert.equal(withoutCredentials(`https://me:${password}@example.com/x.git`), "https://example.com/x.git", password);
});
