/** Functions as handlers of specification 001: what they are given, and what becomes of what they answer. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import test from "node:test";
import type { RepositoryEvent } from "../../../src/actions/function/function.ts";
import { defineHook } from "../../../src/hosts/library/definition.ts";
import { createHookline } from "../../../src/index.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const answer = {
  logs: ["checked"],
  messages_to_user: ["Read the policy."],
  suggested_abilities: [{ id: "review", reason: "it fits", confidence: 0.9 }],
  suggested_documents: [{ path: "POLICY.md", reason: "it says why" }],
  new_intent: { topic: "deploys", intent: "deploy_safely" },
  follow_up_actions: [{ kind: "open_file", path: "POLICY.md" }],
  usage_recorded: true,
};
const meant = {
  messages: [{ to: "person", text: "Read the policy." }],
  suggestions: [{ id: "review", reason: "it fits", confidence: 0.9 }],
  documents: [{ path: "POLICY.md", reason: "it says why" }],
  intent: { topic: "deploys", intent: "deploy_safely" },
  followUps: [{ kind: "open_file", payload: { path: "POLICY.md" } }],
};

test("[B18, B23] a function on an event of specification 001 is given its context, and its answer may use its names", async (t) => {
  const heard: RepositoryEvent[] = [];
  const logged: string[] = [];
  const line = await createHookline({
    files: false,
    observe: (seen) => void (seen.is === "log" && logged.push(seen.message)),
  });
  t.after(() => line.close());
  line.use(
    defineHook({
      on: "PreAbilityCall",
      run(event: RepositoryEvent) {
        heard.push(event);
        return { ...answer, context: "and this" };
      },
    }),
  );
  const said = {
    ability_id: "deploy",
    operation_key: "tool.deploy",
    planned_input_summary: "to staging",
    stage: "act",
  };
  const outcome = await line.emit("PreAbilityCall", said);
  const [event] = heard;
  assert.deepEqual(
    [event?.event_type, event?.ability_id, event?.operation_key, event?.planned_input_summary, event?.stage],
    ["PreAbilityCall", "deploy", "tool.deploy", "to staging", "act"],
  );
  assert.match(`${event?.timestamp}`, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual([event?.name, event?.data.ability_id], ["PreToolUse", "deploy"]);
  const { messages, suggestions, documents, intent, followUps, context } = outcome;
  assert.deepEqual({ messages, suggestions, documents, intent, followUps }, meant);
  assert.deepEqual([context, logged], [["and this"], ["checked"]]);
});

test("[B18, B35] a function that answers an error that begins with blocked blocks the call; another error is its failure", async (t) => {
  const line = await createHookline({ files: false });
  t.after(() => line.close());
  const hook = line.use(
    defineHook({
      on: "PreAbilityCall",
      run: () => ({ messages_to_user: ["Not in production."], error: "blocked_by_policy" }),
    }),
  );
  const { verdict } = await line.emit("PreAbilityCall", { ability_id: "deploy" });
  assert.deepEqual([verdict?.is, verdict?.reason], ["deny", "Not in production."]);
  hook.remove();
  line.use(defineHook({ on: "PreAbilityCall", name: "broken", run: () => ({ error: "no network" }) }));
  assert.equal((await line.emit("PreAbilityCall", { ability_id: "deploy" })).verdict, undefined);
  const [run] = await line.runs({ limit: 1 });
  assert.deepEqual([run?.status, run?.reason], ["failed", "error: no network"]);
});

test("[B18] a registry file runs a function that its project registers, with the context of the specification", async (t) => {
  const folder = workspaceWith(t, {
    "hookline.config.mjs": `export default (setup) => setup.registerAction("policy", {
      role: "guard",
      run: ({ event }) => ({ messages_to_user: [[event.event_type, event.user_message, event.repository_root].join("|")] }),
    });`,
    ".system/hooks/policy.yaml":
      "id: policy\nevent_type: UserPromptSubmit\nhandler: { kind: function, name: policy }\n",
    ".system/hooks/wrong.yaml": "id: wrong\nevent_type: UserPromptSubmit\nhandler: { kind: function, name: polcy }\n",
  });
  const line = await createHookline({ cwd: folder, home: join(folder, "home") });
  t.after(() => line.close());
  const { messages } = await line.emit("UserPromptSubmit", { prompt: "hello" });
  assert.deepEqual(messages, [{ to: "person", text: `UserPromptSubmit|hello|${folder}` }]);
  const problem = (await line.hooks()).problems.find(({ code }) => code === "unknown-type");
  assert.deepEqual(
    [problem?.message, problem?.suggestion],
    ['no function is registered as "polcy"', 'did you mean "policy"?'],
  );
});

function workspaceWith(t: TestContext, files: { [path: string]: string }): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
