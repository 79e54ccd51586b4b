import assert from "node:assert/strict";
import test from "node:test";
import { registrationOf } from "../../src/cli/register.ts";
import { compile, written } from "../dialects/registry-helpers.ts";

const registered = (...texts: string[]): object => registrationOf(texts.flatMap((text) => compile(text).hooks));

test("[B15] hooks stand under each event as it was written, with id and handler, and match, blocking and timeout", () => {
  const full = written({
    event_type: "[PreAbilityCall, SessionStop]",
    summary: "Look first.",
    match: "{ ability_scope: [a, b], operation_key: 'x.*' }",
    blocking: "true",
    timeout: "20",
  });
  const hook = {
    id: "tracker",
    handler: { kind: "script", command: "./track.sh" },
    match: { ability_scope: ["a", "b"], operation_key: "x.*" },
    blocking: true,
    timeout: 20,
    summary: "Look first.",
  };
  assert.deepEqual(registered(full, written({ id: "other" })), {
    PreAbilityCall: [hook],
    SessionStop: [hook],
    PostAbilityCall: [{ id: "other", handler: { kind: "script", command: "./track.sh" } }],
  });
});

test("[B15, B18] a built-in handler stands with its name and what it is given", () => {
  const handler = "{ kind: builtin, name: usage_tracker, with: { records: calls.md } }";
  assert.deepEqual(registered(written({ handler })), {
    PostAbilityCall: [
      { id: "tracker", handler: { kind: "builtin", name: "usage_tracker", with: { records: "calls.md" } } },
    ],
  });
});

test("[B13, B14, B15] hooks that are disabled, for other environments or invalid are left out", () => {
  assert.deepEqual(
    registered(
      written({ enabled: "false" }),
      written({ environments: "ci" }),
      written({ handler: "{ kind: script }", blocking: "true" }),
    ),
    {},
  );
});
