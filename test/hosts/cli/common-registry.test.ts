/** What every event loads stays small: what comes with Hookline for rarer hooks is loaded for those alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { loadingFor, withRegistry } from "../../../src/hosts/cli/loaded.ts";
import type { Loaded } from "../../../src/loading/loading.ts";
import { managedFoldersOf } from "../../../src/loading/places.ts";
import { selfProtection } from "../../../src/loading/self-protection.ts";

const guard = selfProtection({ home: "/home/somebody", environment: {}, managed: managedFoldersOf("linux") });

/** Whether more than the common conditions and handlers is loaded for this hook. */
async function loadsMore(hook: Hook): Promise<boolean> {
  const loading = loadingFor();
  let isAsked = false;
  const wholeRegistry = (): ReturnType<typeof loading.wholeRegistry> => {
    isAsked = true;
    return loading.wholeRegistry();
  };
  const loaded = { set: { id: "one", hooks: [hook] }, registry: loading.registry, modules: [] } as unknown as Loaded; // all that it looks at
  await withRegistry(loaded, { ...loading, wholeRegistry }, undefined);
  return isAsked;
}

test("for the built-in guard, which every event has, no more than the common conditions and handlers is loaded", async () => {
  assert.equal(await loadsMore(guard), false);
});

test("for a command with placeholders, and for a handler of rules, the rest is loaded", async () => {
  const [step] = guard.steps;
  assert.ok(step);
  assert.equal(await loadsMore({ ...guard, steps: [{ ...step, uses: "command" }] }), true);
  assert.equal(await loadsMore({ ...guard, steps: [{ ...step, uses: "inject_message" }] }), true);
});
