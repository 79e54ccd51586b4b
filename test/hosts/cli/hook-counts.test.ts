/** How many hooks are here, and how many of them wait for a person's trust, is the same on every screen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { numbersBefore, placed, saidBy } from "./hook-counts-place.ts";

test("status, list, check, doctor, emit, init and trust say the same number of hooks that are not trusted, and of those that are here", (t) => {
  const hookline = placed(t);
  const said = saidBy(hookline, ["status", "list", "check", "doctor", "emit PreToolUse", "init"]);
  for (const [words, text] of said)
    assert.deepEqual([...new Set(numbersBefore(text, "hooks here do not run"))], [7], `${words}: ${text}`);
  assert.deepEqual(numbersBefore(said.get("status") ?? "", "(?:active|not trusted)\\b"), [3, 7]);
  assert.deepEqual(numbersBefore(hookline("trust", "list"), "items"), [7]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(said.get(words) ?? "", "hooks in \\d+ files"), [10], words);
  assert.equal(JSON.parse(hookline("list", "--json")).filter((one: { trusted: boolean }) => !one.trusted).length, 7);
  const [{ path, hash }] = JSON.parse(hookline("trust", "list", "--json"));
  hookline("trust", path, "--hash", hash);
  assert.deepEqual(numbersBefore(hookline("status"), "(?:active|disabled|not trusted)\\b"), [9, 1]);
  for (const words of ["check", "doctor"])
    assert.deepEqual(numbersBefore(hookline(words), "hooks in \\d+ files"), [10], words);
});

test("before trust doctor does not say that no hook is a command", (t) => {
  const hookline = placed(t, { "home/.config/hookline/hooks.json": "{}" });
  assert.match(
    hookline("doctor"),
    /no hook that is trusted here is a command or a script; 7 hooks are not trusted yet/,
  );
});
