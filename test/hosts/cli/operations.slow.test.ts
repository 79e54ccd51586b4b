/** What others wrote, by each command that shows it on a terminal, and the notices of a run that a command performs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { said, startReceiver } from "../../services/notify/server.ts";
import { reachesTerminalAsText, scratch } from "./operations-place.ts";

test("what models and others wrote reaches a terminal as text, whichever command shows it", (t) =>
  reachesTerminalAsText(t, 6));

const config = (url: string): string => `
notifications:
  team: { kind: discord, webhook_url: "${"$"}{TEAM_URL}" }
  ops: { kind: slack, webhook_url: "${url}/slack", events: [failed] }
notify: [team]
`;

test("[A52] without a daemon too: the command that performs a run sends its notice, and fails with none", async (t) => {
  const server = await startReceiver(t);
  const { json, started, write } = scratch(t);
  write("home/.config/hookline/config.yaml", config(server.url));
  const step = (command: string): string => JSON.stringify([{ type: "shell", command }]);
  const always = ["--event", "deploy.done", "--cooldown-seconds", "0", "--skip-llm", "--context-steps"];
  json("automation", "create", "told", ...always, step("true"));
  json("automation", "create", "silent", ...always, step("true"), "--notify", "[]");
  const team = { TEAM_URL: `${server.url}/api/webhooks/1/token` };
  const emitted = await started(["emit", "deploy.done", "--json"], team);
  assert.equal(emitted.status, 0, emitted.stderr);
  assert.deepEqual(server.received.map(said), [
    "🪝 Hook **told** is running (trigger: `event:deploy.done`).",
    "🪝 Hook **told** completed.",
  ]);
  json("automation", "edit", "told", "--notify", "ops", "--notify", "tema", "--no-skip-llm", "--prompt-template", "x");
  server.answers.push("cut");
  const fired = await started(["automation", "fire", "told"], team);
  assert.equal(fired.status, 1, "an automation that fails is no success");
  assert.match(fired.stderr, /^hookline: the automation told ended as failed: /m);
  const last = server.received.at(-1);
  assert.ok(last);
  assert.equal(last.path, "/slack");
  assert.match(said(last), /^🪝 Hook \*told\* failed: /);
  const [run] = json("automation", "runs", "told");
  assert.equal(run.status, "failed");
});
