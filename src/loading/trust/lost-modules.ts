/** Modules that are not what was trusted, or cannot be used: the guards that they gave fail, and so does what takes something from them (R46). */
import type { Hook, Problem } from "../../engine/hook.ts";
import type { Registry } from "../../engine/ports.ts";
import { losesHooks } from "../last-good-guards.ts";
import type { StandingModule } from "../load.ts";
import type { ModulePlace } from "../places.ts";
import { contentIn, type GivenByModule, type ModuleBefore } from "./item.ts";
import { failing, guardBefore, type TrustedForm } from "./untrusted.ts";

export interface LostModules {
  /** A module of which not all can be used, with the guards that it gave when it last could be. */
  usable(module: StandingModule, gave: GivenByModule): StandingModule;
  /** What a module that was trusted gave, of which another one lies there now. */
  standing(place: ModulePlace, paths: readonly string[], before: ModuleBefore): StandingModule;
  /** Why what an entry takes from a module is not there; undefined: all modules that were trusted are. */
  why(): string | undefined;
  /** Why an action that makes this a guard is not there. */
  whyOf(form: Pick<Hook, "steps">): string | undefined;
  /** A module's action is known by its name when it is trusted: what it is for the engine is known where the module is read. */
  asGuardHere(form: TrustedForm): TrustedForm;
}

/** @param registry absent: rules are not read yet */
export function createLostModules(registry: Registry | undefined): LostModules {
  /** Actions that make a rule a guard: why they are not there, by name. */
  const lostActions = new Map<string, string>();
  let lostModule: string | undefined;

  /** From here on its actions are known as lost. */
  function guardsOf(gave: GivenByModule | undefined, { place, file, why }: Lost): Hook[] {
    const { layer, root = "", label } = place;
    lostModule = `it takes something from ${label}, which ${why}`;
    for (const name of gave?.actions ?? []) lostActions.set(name, lostModule);
    return (gave?.guards ?? []).map((definition) => {
      const form = contentIn(root, definition) as unknown as Hook; // loadAll wrote it
      const { column = 1 } = form.origin;
      return { ...form, origin: { dialect: "config", layer, file, column, root } };
    });
  }

  const whyOf = ({ steps }: Pick<Hook, "steps">): string | undefined =>
    steps.map(({ uses }) => lostActions.get(uses)).find((one) => one !== undefined);

  return {
    usable(module, gave) {
      const { place, path, problems: found, hooks } = module;
      const lost = found.find(losesHooks);
      if (!lost) return module;
      const missing = guardsOf(gave, { place, file: path, why: `cannot be used: ${lost.message}` }).filter(
        ({ id }) => !hooks.some((hook) => hook.id === id),
      );
      return {
        ...module,
        hooks: [...hooks, ...missing.map((guard) => failing(guard, lost.message))],
        problems: found.map(({ loses: _loses, ...problem }) => problem),
      };
    },
    standing(place, paths, { gave }) {
      const path = paths[0] ?? place.from;
      const hooks = guardsOf(gave, {
        place,
        file: path,
        why: "is not what was trusted: hookline trust shows what has changed",
      }).map((form) => guardBefore(form, form.id, form.origin));
      return { place, path, hooks, files: [], problems: [notAsTrusted(place, gave)] };
    },
    why: () => lostModule,
    whyOf,
    asGuardHere(form) {
      const roles = form.steps.map(({ uses, with: given }) => registry?.handlers.get(uses)?.action?.role(given));
      const isGuardHere = roles.includes("guard") || form.steps.some(({ uses }) => lostActions.has(uses));
      return form.role === "undeclared" && isGuardHere ? { ...form, role: "guard", onFailure: "block" } : form;
    },
  };
}

interface Lost {
  place: ModulePlace;
  file: string;
  why: string;
}

/** @param gave absent: nothing tells which guards it held */
function notAsTrusted({ from }: ModulePlace, gave: GivenByModule | undefined): Problem {
  const common = {
    ...({ code: "untrusted", file: from, line: 1, column: 1 } as const),
    message: "the module is not what was trusted, so it is not read",
    suggestion: "hookline trust shows what has changed",
  };
  if (!gave) return { ...common, severity: "error", loses: true };
  if (gave.guards.length + gave.actions.length === 0) return { ...common, severity: "note" };
  return { ...common, severity: "warning", message: `${common.message}, and its guards block until then` };
}
