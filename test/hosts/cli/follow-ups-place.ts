/** A repository whose hook has asked for follow-ups. */
import type { TestContext } from "node:test";
import { type World, world } from "../../world.ts";

interface Listed {
  id: string;
  run: string;
  number: number;
  kind: string;
  payload: Record<string, unknown>;
  hookName: string;
  done: boolean;
}

interface Scratch extends World {
  list(...words: string[]): Listed[];
  /** The id of the only run. */
  run: string;
}

/** A repository whose hook has asked for these. */
export function scratchWith(t: TestContext, actions: readonly object[], more: Record<string, string> = {}): Scratch {
  const here = world(
    t,
    {
      "workspace/src/a b.ts": "",
      "workspace/answer.json": JSON.stringify({ follow_up_actions: actions }),
      "workspace/.system/hooks/wishes.yaml":
        "id: wishes\nevent_type: SessionStop\nhandler: { kind: script, command: cat answer.json }\n",
    },
    { variables: more },
  );
  const run: string = here.json("emit", "SessionStop").runs[0].id;
  return {
    ...here,
    run,
    list: (...words) => JSON.parse(here.hookline("follow-ups", "list", "--json", ...words).stdout),
  };
}

export const command = (text: string, more: object = {}): object => ({
  kind: "run_command",
  payload: { command: text, ...more },
});
