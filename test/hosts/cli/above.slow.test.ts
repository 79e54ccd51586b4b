/** What loosens Hookline, tried in each way below an agent; above.test.ts has one of each kind. */
import assert from "node:assert/strict";
import test from "node:test";
import { placeBelow, refusedBelow, skip } from "./above-place.ts";

test("below an agent nothing loosens: not in another session, not in CI, not where its variable was taken out; what only looks is free", {
  skip,
}, (t) => {
  refusedBelow(t, [
    `setsid -w script -qec "$HOOKLINE guard off builtin:self_protection --for 1h" /dev/null`,
    `eval "$HOOKLINE trust . --hash 0"`,
    `eval "$HOOKLINE uninstall claude-code"`,
  ]);
  const { bash } = placeBelow(t);
  const unset = bash(`CLAUDECODE=1 bash -c 'env -u CLAUDECODE script -qec "$HOOKLINE allow-once" /dev/null; exit $?'`);
  assert.equal(unset.status, 1, unset.said);
  assert.match(unset.said, /CLAUDECODE set, so this is an agent's shell/);
  assert.match(bash(`exec -a claude bash -c 'eval "$HOOKLINE list"; true'`).said, /true/, "what looks is free");
});
