/** Tasks whose process ends between their row and their event. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killedAt, namesOf, withProject } from "./tasks-place.ts";
import { worldOf } from "./world.ts";

test("a task whose process ended before its event was sent sends it when its step is repeated", async (context) => {
  const world = await withProject(await worldOf(context));
  await killedAt(world, "task_create", { title: "t", project: "app" }, ["key"]);
  assert.deepEqual(namesOf(world), []);
  await world.board.createTask({ title: "t", project: "app" }, "key");
  await world.board.createTask({ title: "t", project: "app" }, "key");
  assert.deepEqual(namesOf(world), ["task.created"]);
});
