/** `hookline status`. */
import { object } from "../engine/schema.ts";
import { eachHook } from "./hooks/hook-counts.ts";
import { folderOf, type Operation } from "./operation.ts";

const largestLimit = 1000;

export const status: Operation<object> = {
  summary: "Shows how many hooks are active, how many runs are in progress, and the last event.",
  params: object({}, {}),
  readOnly: true,
  async run(_params, asked) {
    const { store } = asked;
    const [{ set }, running, events] = await Promise.all([
      asked.active(folderOf(asked)),
      store.runs({ status: "running", limit: largestLimit }),
      store.events(1),
    ]);
    const last = events[0]?.event;
    return {
      hooks: eachHook(set.hooks).length,
      set: set.id,
      running: running.length,
      lastEvent: last ? { id: last.id, name: last.name, at: new Date(last.at).toISOString() } : null,
    };
  },
};
