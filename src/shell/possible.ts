/**
 * Values that a variable may have, where the line does not tell which: those that branches set, those that a function sets which
 * may run at any moment, those that a program lists. They stand beside the variables, so that each copy of a shell has them.
 */
import { type Command, forEachChild, type SyntaxNode } from "unbash";
import type { Variables } from "./expand.ts";

export interface Possible {
  values: readonly string[];
  /** It has one of them; else it may have another. */
  isAll: boolean;
}

/** More of them tell a person no more. */
const most = 8;
/** No variable is called so. */
const keyOf = (name: string): string => `?${name}`;
/** In a shell that takes the words of `${x:-words}`. */
export const takesDefaults = "?:";

export function possibleOf(name: string, variables: Variables): Possible | undefined {
  const kept = variables.get(keyOf(name));
  if (typeof kept !== "object") return undefined;
  const [first, ...values] = kept;
  return { values, isAll: first === "all" };
}

export function notePossible(name: string, { values, isAll }: Possible, variables: Variables): void {
  const all = [...new Set(values)].filter((one) => !one.includes("\0"));
  if (all.length === 0) return;
  const isComplete = isAll && all.length <= most && all.length === new Set(values).size;
  variables.set(keyOf(name), [isComplete ? "all" : "some", ...all.slice(0, most)]);
}

export const forgetPossible = (name: string, variables: Variables): void => void variables.delete(keyOf(name));

/** What each of these shells knows of a variable, as one. */
export function joined(name: string, shells: readonly Variables[]): Possible {
  const values: string[] = [];
  let isAll = true;
  for (const variables of shells) {
    const value = variables.get(name);
    const own = possibleOf(name, variables);
    if (typeof value === "string") values.push(value);
    else {
      values.push(...(own?.values ?? []));
      if (!own?.isAll) isAll = false;
    }
  }
  return { values, isAll };
}

const isDefault = /^:?[-+=]$/;

export interface Open extends Possible {
  /** Absent: the words of `${x:-words}` instead of what is not known. */
  name?: string;
}

/** What a command has among its words that may be one thing or another. */
export function openIn(command: Command, variables: Variables): Open | undefined {
  let found: Open | undefined;
  const look = (node: SyntaxNode): void => {
    if (found || node.type === "CommandExpansion" || node.type === "ProcessSubstitution") return;
    const name =
      node.type === "ParameterExpansion"
        ? node.parameter
        : node.type === "SimpleExpansion"
          ? node.text.slice(1)
          : undefined;
    if (name !== undefined && !variables.has(name)) {
      const possible = possibleOf(name, variables);
      if (possible) found = { ...possible, name };
      else if (
        node.type === "ParameterExpansion" &&
        node.operation?.type === "Default" &&
        isDefault.test(node.operation.operator) &&
        !variables.has(takesDefaults)
      )
        found = { values: [""], isAll: false };
    }
    if (!found) forEachChild(node, look);
  };
  for (const part of [command.name, ...command.prefix, ...command.args])
    if (part && !found && (!("text" in part) || part.text.includes("$"))) look(part);
  for (const redirect of command.redirects) forEachChild(redirect, look);
  return found;
}
