/** agent: who works. How a hook of one agent of an app file is compiled (specification 003); nobody writes it. */
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { text } from "../engine/schema.ts";

/** The event's own agent; where it names none, whoever has the turn. */
const agentOf = ({ event, turn }: Scope): { id: string; type?: string } | undefined => event.agent ?? turn.agent;

/** Parameter: the agent's id. An agent is known by its type, too. */
export const agent: ConditionKind<string> = {
  params: text("an agent's id"),
  compile: (id) => (scope) => {
    const known = agentOf(scope);
    return known !== undefined && (known.id === id || known.type === id);
  },
  describe: (id) => `the agent is ${id}`,
  explain(id, scope) {
    const known = agentOf(scope);
    if (!known) {
      const none = `no agent is named, and the hook belongs to ${id}`;
      return { holds: none, fails: none };
    }
    const who = known.type === undefined || known.type === known.id ? known.id : `${known.id} (${known.type})`;
    return { holds: `the agent is ${who}`, fails: `the agent is ${who}, and the hook belongs to ${id}` };
  },
};
