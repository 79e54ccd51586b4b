/** What loosens Hookline, tried in each way below an agent, and what a machine without a terminal may; above.test.ts has the usual way. */
import assert from "node:assert/strict";
import test from "node:test";
import { whyAbove } from "../../../src/hosts/cli/guards/person.ts";
import { ancestors } from "../../../src/runtime/processes/ancestors.ts";
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

const below = skip === false && whyAbove(ancestors() ?? []);

test("trust --hash works for a machine without a terminal, where no agent is known above it", {
  skip: below || skip,
}, (t) => {
  const { bash, hookline } = placeBelow(t);
  const [, hash = ""] = /"hash": ?"?([^",}]+)/.exec(hookline("trust", "list", "--json").stdout) ?? [];
  const { status, said } = bash(`eval "$HOOKLINE trust . --hash ${hash}"`);
  assert.deepEqual([status, /^trusted: /.test(said)], [0, true], said);
});
