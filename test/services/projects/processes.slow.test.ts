/** Processes that write at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import { bundled } from "../../program.ts";
import { worldOf } from "./world.ts";

const writer = join(import.meta.dirname, "writer.ts");

test("processes that write at once make one project, one task for each key, and a note whose copy is what the store holds", async (context) => {
  const world = await worldOf(context);
  const folder = world.place("code/app");
  const children = [1, 2].map(() => {
    const child = spawn(process.execPath, [bundled(writer), join(world.folder, "state", "hookline.db"), folder]);
    child.stderr.pipe(process.stderr);
    return child;
  });
  context.after(() => children.map((child) => child.kill("SIGKILL")));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.write("go\n");
  const codes = await Promise.all(children.map((child) => once(child, "close").then(([code]) => code)));
  assert.deepEqual(codes, [0, 0]);
  const projects = (await world.ask("project_list")) as Fields[]; // rows
  assert.deepEqual(
    projects.map(({ id, workspace }) => [id, workspace]),
    [["app", folder]],
  );
  const tasks = (await world.ask("task_list", {}, { cwd: folder })) as Fields[]; // rows
  assert.equal(tasks.length, 20);
  const note = (await world.ask("note_show", { name: "shared" }, { cwd: folder })) as Fields; // a view
  const path = String(note.note_path);
  assert.equal(readFileSync(path, "utf8"), note.content);
  assert.deepEqual(readdirSync(dirname(path)), ["shared.md"]);
});
