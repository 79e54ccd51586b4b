/** What hooks reach in place of projects where nothing keeps any: nothing is remembered, and the rest says what is missing. */
import { HooklineError } from "../../engine/error.ts";
import type { Projects } from "../../engine/reach.ts";

export const storeIsMissing = (): HooklineError =>
  new HooklineError("store_unusable", {
    reason: "projects, tasks, notes and memory are kept in SQLite, and this line keeps its records elsewhere",
    where: "projects",
    advice: 'give createHookline a path, such as store: "hooks.db"',
  });

const refuse = (): never => {
  throw storeIsMissing();
};

export const withoutStore: Projects = {
  project: () => undefined,
  projectOf: refuse,
  createTask: refuse,
  searchMemory: async () => [],
  query: refuse,
};
