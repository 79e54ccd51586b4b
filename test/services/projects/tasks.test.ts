import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import { applicationEvents } from "../../../src/formats/automations/trigger.ts";
import { create, killedAt, namesOf, withProject } from "./tasks-place.ts";
import { eventOf, hookOn, worldOf } from "./world.ts";

// a view

test("[A10] a task sends an event for each step of its life, with exactly the promised fields", async (context) => {
  const world = await withProject(await worldOf(context));
  const done = await create(world, { title: "Fix  the\ntests" });
  await world.ask("task_start", { id: done });
  await world.ask("task_complete", { id: done, result: "a date" });
  const broken = await create(world, { title: "other" });
  await world.ask("task_fail", { id: broken, error: "no access" });
  const known = { task_id: done, project_id: "app", title: "Fix the tests" };
  assert.deepEqual(
    world.events().map(({ name, data }) => [name, data]),
    [
      ["task.created", { ...known, status: "DEFINED" }],
      ["task.started", { ...known, status: "IN_PROGRESS" }],
      ["task.completed", { ...known, status: "COMPLETED" }],
      ["task.created", { task_id: broken, project_id: "app", title: "other", status: "DEFINED" }],
      ["task.failed", { task_id: broken, project_id: "app", title: "other", error: "no access" }],
    ],
  );
  for (const { name, data } of world.events()) assert.deepEqual(Object.keys(data), applicationEvents[name]?.fields);
});

test("events of a project happen in its workspace", async (context) => {
  const world = await withProject(await worldOf(context));
  await create(world);
  assert.deepEqual(
    world.events().map(({ cwd }) => cwd),
    [world.place("app")],
  );
});

test("a task keeps all that it is given but secrets", async (context) => {
  const world = await withProject(await worldOf(context));
  const parent = await create(world);
  const id = await create(world, {
    title: "child",
    description: "two\nlines, and s3cret-value",
    parent,
    priority: 5,
    branch: "fix/s3cret-value",
    profile: "reviewer s3cret-value",
    workspace: "ws-2 s3cret-value",
    context: [{ type: "log s3cret-value", label: "build s3cret-value", content: "it broke" }, { content: "more" }],
    depends_on: [parent],
  });
  const task = (await world.ask("task_show", { id })) as Fields; // a view
  assert.deepEqual(
    { ...task, created_at: 0, updated_at: 0 },
    {
      id,
      project_id: "app",
      title: "child",
      description: "two\nlines, and [redacted]",
      status: "DEFINED",
      priority: 5,
      parent_task_id: parent,
      profile_id: "reviewer [redacted]",
      preferred_workspace_id: "ws-2 [redacted]",
      branch_name: "fix/[redacted]",
      context_entries: [
        { type: "log [redacted]", label: "build [redacted]", content: "it broke" },
        { type: "text", label: "", content: "more" },
      ],
      depends_on: [`task:${parent}`],
      result: null,
      error: null,
      created_at: 0,
      updated_at: 0,
      started_at: null,
      completed_at: null,
      waits_for: [{ task: parent, status: "DEFINED" }],
    },
  );
});

test("a task starts only when all that it waits for has been completed: tasks and runs", async (context) => {
  const world = await withProject(
    await worldOf(context, { hooks: [hookOn("observer", "a.one", [{ uses: "log", message: "m" }])] }),
  );
  await world.engine.emit(eventOf({}, { name: "a.one" }));
  const [run] = await world.runs();
  assert.ok(run);
  const first = await create(world);
  await world.store.saveRun({ ...run, id: "run-2", status: "failed" });
  const id = await create(world, { depends_on: [first, `run:${run.id}`, "run-2"] });
  const start = (): Promise<unknown> => world.ask("task_start", { id });
  await assert.rejects(start(), {
    message: new RegExp(`waits for the task ${first}, which is DEFINED, and for the run run-2, which is failed`),
  });
  await assert.rejects(world.ask("task_complete", { id }), { message: /waits for/ });
  await world.ask("task_complete", { id: first });
  await assert.rejects(start(), { message: /waits for the run run-2, which is failed/ });
  await world.store.saveRun({ ...run, id: "run-2", status: "completed" });
  await start();
  assert.equal(((await world.ask("task_show", { id })) as Fields).status, "IN_PROGRESS"); // a view
});

test("a person may begin a task although it waits", async (context) => {
  const world = await withProject(await worldOf(context));
  const first = await create(world);
  const id = await create(world, { depends_on: [first] });
  const started = (await world.ask("task_start", { id, force: true })) as Fields; // a view
  assert.equal(started.status, "IN_PROGRESS");
});

test("a task that was begun although it waits can be completed", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world, { depends_on: [await create(world)] });
  await world.ask("task_start", { id, force: true });
  const done = (await world.ask("task_complete", { id })) as Fields; // a view
  assert.equal(done.status, "COMPLETED");
});

test("nothing can wait for what is not there, and nothing is made then", async (context) => {
  const world = await withProject(await worldOf(context));
  await assert.rejects(create(world, { depends_on: ["nothing"] }), {
    message: /no task or run is called "nothing"/,
  });
  await assert.rejects(create(world, { depends_on: ["run:x"] }), { message: /no run is called "x"/ });
  await assert.rejects(create(world, { depends_on: ["task:x"] }), { message: /no task is called "x"/ });
  await assert.rejects(create(world, { parent: "x" }), { message: /no task is called "x"/ });
  await assert.rejects(create(world, { project: "ap" }), {
    message: /no project is called "ap"; did you mean "app"\?/,
  });
  await assert.rejects(create(world, { title: " \n " }), { message: /a task needs a title/ });
  assert.deepEqual([await world.ask("task_list"), world.events()], [[], []]);
});

test("a task goes only the way that its status leaves, and says why it does not", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world);
  await world.ask("task_fail", { id, error: "stuck" });
  await assert.rejects(world.ask("task_complete", { id }), {
    message: /is FAILED, and cannot become COMPLETED; start it again first/,
  });
  const again = (await world.ask("task_start", { id })) as Fields; // a view
  assert.deepEqual([again.status, again.error, again.completed_at], ["IN_PROGRESS", null, null]);
  await world.ask("task_complete", { id, result: "r" });
  await assert.rejects(world.ask("task_complete", { id }), { message: /is COMPLETED already/ });
  await assert.rejects(world.ask("task_start", { id }), { message: /is COMPLETED, and cannot become IN_PROGRESS/ });
  await assert.rejects(world.ask("task_start", { id: "nope" }), { message: /no task is called "nope"/ });
});

test("of two callers who complete a task at once one succeeds, and one event is sent", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world);
  const both = await Promise.allSettled([world.ask("task_complete", { id }), world.ask("task_complete", { id })]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal(world.events().filter(({ name }) => name === "task.completed").length, 1);
});

test("tasks are listed by what is pressing: in progress, defined by priority, failed, completed", async (context) => {
  const world = await withProject(await worldOf(context));
  const usual = await create(world, { title: "usual" });
  const urgent = await create(world, { title: "urgent", priority: 1 });
  const failed = await create(world, { title: "failed", priority: 0 });
  const done = await create(world, { title: "done", priority: 0 });
  const begun = await create(world, { title: "begun", priority: 900 });
  await world.ask("task_fail", { id: failed, error: "e" });
  await world.ask("task_complete", { id: done });
  await world.ask("task_start", { id: begun });
  const rows = async (input: Fields): Promise<unknown[]> =>
    ((await world.ask("task_list", input)) as Fields[]).map(({ id }) => id); // rows
  assert.deepEqual(await rows({}), [begun, urgent, usual, failed, done]);
  assert.deepEqual(await rows({ status: "DEFINED" }), [urgent, usual]);
  assert.deepEqual(await rows({ limit: 1 }), [begun]);
  await assert.rejects(world.ask("task_list", { status: "DONE" }), { message: /status/ });
});

test("one key makes one task and one event, however often it is asked for", async (context) => {
  const world = await withProject(await worldOf(context));
  const task = { title: "once", project: "app" };
  const first = await world.board.createTask(task, "run-1:2");
  const again = await world.board.createTask({ ...task, title: "other words" }, "run-1:2");
  assert.equal(again.id, first.id);
  assert.deepEqual(
    world.events().map(({ data }) => data.title),
    ["once"],
  );
  const byKey = (await world.ask("task_create", { title: "t", project: "app" }, { key: "k" })) as Fields; // a view
  const byKeyAgain = (await world.ask("task_create", { title: "t", project: "app" }, { key: "k" })) as Fields; // a view
  assert.equal(byKey.id, byKeyAgain.id);
});

test("[A10] a task whose process was killed while it was completed keeps its result in memory, and sends its event when it is completed again", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world);
  await killedAt(world, "task_complete", { id, result: "descaled the kettle" });
  const found = (await world.ask("memory_search", { query: "kettle", project: "app" })) as Fields; // as it is documented
  assert.deepEqual([found.count, namesOf(world)], [1, ["task.created"]]);
  const again = (await world.ask("task_complete", { id })) as Fields; // a view
  assert.deepEqual([again.status, again.result], ["COMPLETED", "descaled the kettle"]);
  assert.deepEqual(namesOf(world), ["task.created", "task.completed"]);
  await assert.rejects(world.ask("task_complete", { id }), { message: /is COMPLETED already/ });
});

test("an event of a task that was not sent is sent before the next one of the task", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world);
  await killedAt(world, "task_start", { id });
  await world.ask("task_fail", { id, error: "e" });
  assert.deepEqual(namesOf(world), ["task.created", "task.started", "task.failed"]);
});

test("[R56] a call that is repeated by its key is not refused, its event is sent once, and forgotten events are not sent again", async (context) => {
  const world = await withProject(await worldOf(context));
  const id = await create(world);
  const complete = (key: string): Promise<unknown> => world.ask("task_complete", { id, result: "r" }, { key });
  await complete("run-1:2");
  await complete("run-1:2");
  assert.deepEqual(namesOf(world), ["task.created", "task.completed"]);
  await assert.rejects(complete("run-2:2"), { message: /is COMPLETED already/ });
  await world.store.purge(Date.now() + 1000);
  await complete("run-1:2");
  assert.deepEqual(namesOf(world), []);
});

test("if the store takes no events, what is written stays and the answer says that no event was sent", async (context) => {
  const world = await withProject(await worldOf(context));
  const broken = "before insert on event begin select raise(abort, 'no space is left'); end";
  world.store.database.run(`create trigger broken ${broken}`);
  const task = (await world.ask("task_create", { title: "a task", project: "app" })) as Fields; // a view
  assert.match(String(task.not_told), /^task\.created was not sent: the store cannot be used: no space is left/);
  const note = (await world.ask("note_write", { name: "n", content: "text", project: "app" })) as Fields; // likewise
  assert.match(String(note.not_told), /^note\.created was not sent: /);
  world.store.database.run("drop trigger broken");
  const listed = (await world.ask("task_list", { project: "app" })) as Fields[]; // rows
  assert.deepEqual(
    listed.map(({ id }) => id),
    [task.id],
  );
  assert.equal(((await world.ask("task_start", { id: task.id ?? "" })) as Fields).not_told, undefined); // a view
});

test("a hook that fails or blocks changes nothing of what was written", async (context) => {
  const world = await withProject(
    await worldOf(context, {
      hooks: [
        hookOn("broken", "task.created", [{ uses: "no_such_handler" }], { role: "guard", onFailure: "block" }),
        hookOn("stop", "task.completed", [{ uses: "gate", allow: false }], { role: "guard", onFailure: "block" }),
      ],
    }),
  );
  const id = await create(world);
  await world.ask("task_complete", { id });
  assert.equal(((await world.ask("task_show", { id })) as Fields).status, "COMPLETED"); // a view
});

test("a task that hooks make in answer to a task ends five events deep, and each task that was made stays", async (context) => {
  const world = await withProject(
    await worldOf(context, {
      hooks: [hookOn("loop", "task.created", [{ uses: "create_task", title_template: "from {{event.task_id}}" }])],
    }),
  );
  await create(world, { title: "the first" });
  const tasks = (await world.ask("task_list")) as Fields[]; // rows
  assert.equal(tasks.length, 7);
  assert.equal(world.events().length, 6);
  assert.match(world.complaints.join("\n"), /task\.created was not sent: 5 events deep/);
});
