/** The numbers of hooks where some are broken, only refuse or have changed; hook-counts.test.ts has the usual ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mixed, numbersBefore, placed, placedIn, refusals, saidBy } from "./hook-counts-place.ts";

test("of what only refuses before trust, of what is broken and of what is no hook yet, every screen says the same numbers, and status counts the errors that check finds", (t) => {
  const hookline = placed(t, mixed);
  const words = "9 hooks here do not run until you trust them, 2 more only refuse or ask until then, 3 more to trust";
  const said = saidBy(hookline, ["status", "list", "check", "doctor", "emit PreToolUse", "init"]);
  for (const [asked, text] of said) assert.ok(text.includes(words), `${asked}: ${text}`);
  const [status = "", check = "", doctor = ""] = ["status", "check", "doctor"].map((one) => said.get(one));
  assert.match(status, /hooks +3 active, 9 not trusted, 2 not trusted, only refuses, 1 broken, 2 built in/);
  assert.deepEqual(numbersBefore(check, "hooks in \\d+ files"), [15]);
  const listed: { trusted: boolean; dialect: string }[] = JSON.parse(hookline("list", "--json").split("\n")[0] ?? "");
  assert.equal(listed.filter(({ dialect }) => dialect !== "builtin").length, 15);
  assert.match(doctor, /programs\s+.*all that 3 hooks start/);
  assert.deepEqual(numbersBefore(hookline("trust", "list"), "items"), [9 + 2 + 3]);
  // Those of what hooks start as well.
  const errors = numbersBefore(check, "errors?[,:]");
  assert.deepEqual(numbersBefore(status, "errors?[,:]"), errors);
  const told = JSON.parse(hookline("status", "--json"));
  assert.deepEqual([told.hooks, told.errors], [15, errors[0]]);
});

test("a refusal that has changed since it was trusted is one hook on every screen, and the row of its file says how many are not trusted", (t) => {
  const reasons = Array.from({ length: 24 }, () => "no");
  const guard = "project/.hookline/rules/guard.yaml";
  const { hookline, write } = placedIn(t, { [guard]: refusals(reasons) });
  const [{ path, hash }] = JSON.parse(hookline("trust", "list", "--json"));
  hookline("trust", path, "--hash", hash);
  hookline("emit", "PreToolUse");
  write(guard, refusals(["not now", ...reasons.slice(1)]));
  for (const words of ["status", "list", "check", "doctor", "emit PreToolUse"])
    assert.match(
      hookline(...words.split(" ")),
      /1 hook here only refuses or asks until you trust it/,
      `${words}: ${hookline(...words.split(" "))}`,
    );
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [34], words);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted, only refuses)\\b"), [32, 1]);
  assert.match(hookline("status"), /guard\.yaml: 24 /);
  assert.match(hookline("list"), /24 hooks +1 not trusted /);
  const listed: { name: string }[] = JSON.parse(hookline("list", "--json").split("\n")[0] ?? "");
  assert.equal(listed.filter(({ name }) => name === "no-0").length, 1);
  write(guard, refusals(["not now", ...reasons.slice(1)]).replace("id: no-3, on", "bogus: 1, id: no-3, on"));
  for (const words of ["check", "status"])
    assert.match(
      hookline(words),
      /1 hook here only refuses or asks until you trust it/,
      `${words}: ${hookline(...words.split(" "))}`,
    );
  assert.deepEqual(numbersBefore(hookline("check"), "hooks in \\d+ files"), [34]);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|not trusted, only refuses|broken)\\b"), [31, 1, 1]);
});
