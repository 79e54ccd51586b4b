/** What becomes of an automation that is changed by a few words, and what a refused one leaves behind. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { automationPlace } from "./automation-place.ts";

const made: Fields = { name: "Tell", skip_llm: true, context_steps: [{ type: "shell", command: "true" }] };

const changes: readonly [string, Fields, Fields, Fields][] = [
  ["an interval", { every: 60 }, { every: 300 }, { type: "periodic", interval_seconds: 300 }],
  [
    "a pattern",
    { cron: "0 3 * * *", zone: "Europe/Berlin" },
    { cron: "0 4 * * *" },
    { type: "cron", cron: "0 4 * * *", zone: "Europe/Berlin" },
  ],
  [
    "a zone",
    { cron: "0 3 * * *", zone: "Europe/Berlin" },
    { zone: "UTC" },
    { type: "cron", cron: "0 3 * * *", zone: "UTC" },
  ],
  ["another kind", { cron: "0 3 * * *", zone: "UTC" }, { event: "a.b" }, { type: "event", event_type: "a.b" }],
  ["another event", { watch: ["a.md"] }, { event: "a.b" }, { type: "event", event_type: "a.b" }],
  [
    "a moment",
    { at: "2090-01-01T00:00:00.000Z" },
    { at: "2091-01-01" },
    { type: "at", at: "2091-01-01T00:00:00.000Z" },
  ],
];
for (const [what, before, change, after] of changes)
  test(`[A54] a shorter word for ${what} changes what it names, and no model is asked then either`, async (t) => {
    const { call, fields } = await automationPlace(t);
    await call("automation_create", { ...made, ...before });
    const { trigger } = await fields("automation_edit", { id: "tell", ...change });
    const { at, ...rest } = trigger as Fields; // every trigger is a map
    const moment = typeof at === "string" ? { at: new Date(at).toISOString() } : {};
    assert.deepEqual({ ...rest, ...moment }, { ...after, skip_llm: true });
  });

test("[A54] other files to watch keep the other fields of the watch, and a whole trigger replaces the old one", async (t) => {
  const { call, fields } = await automationPlace(t);
  const watch = { paths: ["docs/"], recursive: true, extensions: [".md"] };
  await call("automation_create", {
    ...made,
    skip_llm: true,
    trigger: { type: "event", event_type: "folder.changed", watch, skip_llm: true },
  });
  const { trigger } = await fields("automation_edit", { id: "tell", watch: ["src/"] });
  assert.deepEqual(trigger, {
    type: "event",
    event_type: "folder.changed",
    watch: { ...watch, paths: ["src/"] },
    skip_llm: true,
  });
  for (const recursive of [{ recursive: false }, {}]) {
    const shallow = { paths: ["docs/"], ...recursive };
    const trigger = { type: "event", event_type: "folder.changed", watch: shallow, skip_llm: true };
    await call("automation_edit", { id: "tell", trigger });
    const again = await fields("automation_edit", { id: "tell", watch: ["src/"] });
    assert.deepEqual((again.trigger as Fields).watch, { ...shallow, paths: ["src/"] }); // every trigger is a map
  }
  const edited = await fields("automation_edit", { id: "tell", trigger: { type: "periodic" } });
  assert.deepEqual(edited.trigger, { type: "periodic" });
});

test("what is refused makes no project, and one that is made afterwards does", async (t) => {
  const { call, write, fields } = await automationPlace(t);
  await assert.rejects(call("automation_create", { ...made, cron: "never" }), /no cron pattern/);
  await assert.rejects(call("automation_create", { ...made }), /it has no trigger/);
  write("a.yaml", "name: a\ntrigger: { type: cron, cron: never }\n");
  await assert.rejects(call("automation_apply", { file: "a.yaml" }), /no cron pattern/);
  write("b.yaml", "name: b\nproject_id: nobody\ntrigger: { type: periodic, skip_llm: true }\n");
  await assert.rejects(call("automation_apply", { file: "b.yaml" }), /no project is called "nobody"/);
  assert.deepEqual(await call("project_list"), []);
  write("c.yaml", "name: c\ntrigger: { type: periodic, skip_llm: true }\n");
  const applied = await fields("automation_apply", { file: "c.yaml" });
  assert.deepEqual(applied.applied, [{ id: "c", project_id: "shop", was: "made" }]);
  assert.match(String(applied.project_made), /shop$/);
});

test("a refusal says what, where and what to do, in the words of the command line", async (t) => {
  const { call } = await automationPlace(t);
  await assert.rejects(
    call("automation_create", { name: "Tell" }),
    /^Error: it has no trigger — the automation "Tell" — use one of --event, --cron, --every, --watch, --at or --in$/,
  );
  await assert.rejects(
    call("automation_create", { ...made, every: 60, context_steps: [{ type: "shel" }] }),
    (error) => {
      assert.match(String(error), / — context_steps\.0\.type of the automation shop\/tell — did you mean "shell"\?$/);
      return true;
    },
  );
});

test("enabling what cannot run says why it cannot", async (t) => {
  const { call, fields, line } = await automationPlace(t);
  await call("project_create");
  const desk = await line.automations();
  assert.ok(desk);
  const broken = { trigger: { type: "event", event_type: "deploy.done" }, cooldown_seconds: "often" };
  desk.records.add({ project: "shop", id: "bad", name: "Bad", enabled: false, fields: broken, created: 1, updated: 1 });
  const { fault } = await fields("automation_enable", { id: "bad" });
  assert.match(String(fault), /^"cooldown_seconds" of an automation needs/);
});

test("[AT45] a delay that ends after the year 9999 is refused in one sentence", async (t) => {
  const { call } = await automationPlace(t);
  for (const delay of ["3000000d", `${"9".repeat(400)}d`])
    await assert.rejects(
      call("automation_create", { ...made, skip_llm: true, in: delay }),
      /the moment lies after the year 9999|is no delay/,
    );
});

test("a name that holds a secret is refused without a word of it, its id included", async (t) => {
  const { call } = await automationPlace(t);
  await assert.rejects(
    call("automation_create", { name: `Tell ghp_${"a1b2".repeat(9)}`, event: "a.b", skip_llm: true }),
    ({ message }: Error) => {
      assert.match(message, /holds a secret/);
      return !message.includes("a1b2");
    },
  );
});

test("an empty text is an empty list of places, as it is for a project", async (t) => {
  const { fields } = await automationPlace(t);
  assert.deepEqual((await fields("project_create", { name: "Shop", notify: [""] })).notify, []);
  assert.deepEqual((await fields("project_edit", { id: "shop", notify: ["desk"] })).notify, ["desk"]);
  assert.deepEqual((await fields("project_edit", { id: "shop", notify: [""] })).notify, []);
});

test("a cooldown that nobody wrote is that of the kind of trigger, also once the kind changes", async (t) => {
  const { call, fields } = await automationPlace(t);
  const cooldowns = async (...changes: Fields[]): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const change of changes)
      found.push((await fields("automation_edit", { id: "tell", ...change })).cooldown_seconds);
    return found;
  };
  await call("automation_create", { ...made, cron: "0 * * * *" });
  assert.deepEqual(await cooldowns({ name: "Tell" }, { every: 60 }, { cron: "0 3 * * *" }), [0, 3600, 0]);
  assert.deepEqual(
    await cooldowns({ event: "a.b", cooldown_seconds: 90 }, { cron: "0 3 * * *" }, { every: 60 }),
    [90, 90, 90],
  );
});
