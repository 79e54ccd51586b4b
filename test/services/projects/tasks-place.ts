/** Projects with tasks, and processes that end in the middle of what they do with one. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Fields } from "../../../src/engine/event.ts";
import { bundled } from "../../program.ts";
import type { World } from "./world.ts";

export const withProject = async (world: World): Promise<World> => {
  await world.ask("project_create", { name: "app", workspace: world.place("app") });
  return world;
};
export const create = async (world: World, input: Fields = {}): Promise<string> =>
  String(((await world.ask("task_create", { title: "a task", project: "app", ...input })) as Fields).id);

const dying = join(import.meta.dirname, "dying.ts");

/** Another process does this, and is killed where its event would leave. */
export async function killedAt(world: World, operation: string, input: Fields, key: string[] = []): Promise<void> {
  const words = [join(world.folder, "state", "hookline.db"), operation, JSON.stringify(input), ...key];
  const child = spawn(process.execPath, [bundled(dying), ...words], { stdio: ["ignore", "ignore", "inherit"] });
  const [, signal] = await once(child, "close");
  assert.equal(signal, "SIGKILL");
}
export const namesOf = (world: World): string[] => world.events().map(({ name }) => name);
