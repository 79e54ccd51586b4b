import assert from "node:assert/strict";
import test from "node:test";
import { registrationOf } from "../../../src/hosts/cli/hooks/register.ts";
import { inEnvironment } from "../../../src/loading/order.ts";
import { compile, written } from "../../formats/registry-helpers.ts";
import { world } from "../../world.ts";

/** In the environment that is the default (R39). */
const registered = (...texts: string[]): object =>
  registrationOf(texts.flatMap((text) => compile(text).hooks.map((hook) => inEnvironment(hook, "dev"))));

test("[B15] hooks are under each event as it was written, with id and handler, and match, blocking and timeout", () => {
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

test("[B15, B18] a built-in handler is printed with its name and its parameters", () => {
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

test("[B15, B20, R46] a guard that continues in its last good form is registered, and its record is true", (t) => {
  const here = world(t);
  const { hookline } = here;
  const write = (event: string): void =>
    here.write(
      "workspace/.system/hooks/guard.yaml",
      `id: guard\nevent_type: ${event}\nblocking: true\nhandler: { kind: script, command: "echo {}" }\n`,
    );
  write("PreAbilityCall");
  hookline("emit", "PreAbilityCall", "--data", '{"ability_id":"x"}');
  write("[PreAbilityCall");
  const said = hookline("register");
  assert.deepEqual(JSON.parse(said.stdout).PreAbilityCall, [
    { id: "guard", handler: { kind: "script", command: "echo {}" }, blocking: true },
  ]);
  const checked = hookline("check").stdout;
  assert.match(checked, /guard\.yaml:1:1 warning unreadable this text may hold guards: the last good ones stay active/);
  const validated = hookline("register", "--validate");
  assert.deepEqual([validated.status, validated.stdout], [1, said.stdout]);
});
