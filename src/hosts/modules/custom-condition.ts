/** Conditions that users register: a schema and a test, made into a kind that hook files use like a built-in one. */
import type { HookEvent, Turn } from "../../engine/event.ts";
import type { ConditionKind, Scope } from "../../engine/ports.ts";
import { object, type Schema } from "../../engine/schema.ts";

/** What a condition may look at. */
export interface ConditionState extends Turn {
  event: HookEvent;
}
export interface ConditionDefinition<P = Record<never, never>> {
  /** One sentence, for the schema and the documentation. */
  summary?: string;
  /** What the author may write beside `type`. Left out: nothing. */
  params?: Schema<P>;
  /** Pure and quick: it is asked on every event of its hook's. What it throws counts as false, and is recorded once. */
  test(state: ConditionState, params: P): boolean;
  /** For `explain` and `why`: what is so about this event. */
  explain?(state: ConditionState, params: P): string;
}

/** @internal */
export function conditionKind<P>(name: string, definition: ConditionDefinition<P>): ConditionKind {
  const kind: ConditionKind<P> = {
    params: definition.params ?? (object({}) as Schema<unknown> as Schema<P>), // without a schema P has no members
    ...(definition.summary === undefined ? {} : { summary: definition.summary }),
    compile: (params) => (scope) => {
      try {
        return definition.test(stateOf(scope), params ?? ({} as P)) === true; // none were written, and none are needed
      } catch (error) {
        scope.faults?.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
        return false;
      }
    },
    explain: (params, scope) => {
      const said = definition.explain?.(stateOf(scope), params) ?? name;
      return { holds: said, fails: definition.explain ? said : `not: ${said}` };
    },
  };
  return kind as unknown as ConditionKind; // compileCondition checks parameters against the kind's own schema
}

const stateOf = ({ turn, event }: Scope): ConditionState => ({ ...turn, event });

/** Gives a condition the types of its parameters. It changes nothing. */
export const defineCondition = <P = Record<never, never>>(definition: ConditionDefinition<P>): ConditionDefinition<P> =>
  definition;
