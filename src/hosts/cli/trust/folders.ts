/** What the workspace folders around a place ask for, and how each stands. Their files are read as data: nothing of them runs. */
import { loadPatterns } from "../../../conditions/patterns.ts";
import { loadAll } from "../../../loading/loading.ts";
import { findProject } from "../../../loading/project.ts";
import { hashOfAll, type Item, itemKinds } from "../../../loading/trust/item.ts";
import type { TrustRecords } from "../../../loading/trust/records.ts";
import { loadingFor } from "../loaded.ts";
import type { Place } from "../place.ts";

export type FolderState = "trusted" | "changed" | "untrusted" | "nothing to trust";

export interface AskedItem {
  item: Item;
  isTrusted: boolean;
}
export interface AskingFolder {
  path: string;
  state: FolderState;
  /** What `--hash` takes. */
  hash: string;
  /** The most dangerous first. */
  items: AskedItem[];
  /** Why its record is not believed. */
  problem?: string;
}

/** Outer to inner. */
export async function foldersAt(place: Place, records: TrustRecords): Promise<AskingFolder[]> {
  const asked = new Map<string, AskedItem>();
  const trust = {
    ...records,
    saw: (item: Item, isTrusted: boolean): void => void asked.set(`${item.root}\0${item.hash}`, { item, isTrusted }),
  };
  const request = { ...place, trust, withoutModules: true as const, patterns: await loadPatterns() };
  await loadAll(request, loadingFor(place));
  const { folders, worktree } = findProject(place.cwd, place.home);
  const all = new Set([...folders, ...(worktree === undefined ? [] : [worktree])]);
  return [...all].map((path) =>
    folderOf(
      path,
      [...asked.values()].filter(({ item }) => item.root === path),
      records,
    ),
  );
}

function folderOf(path: string, items: AskedItem[], records: TrustRecords): AskingFolder {
  const problem = records.problem(path);
  return {
    path,
    state: stateOf(items, records.of(path) !== undefined),
    hash: hashOfAll(items.map(({ item }) => item)),
    items: items.toSorted((left, right) => danger(left.item) - danger(right.item)),
    ...(problem ? { problem: `${problem.file}: ${problem.reason}` } : {}),
  };
}

function stateOf(items: readonly AskedItem[], isKnown: boolean): FolderState {
  if (items.length === 0) return "nothing to trust";
  if (items.every(({ isTrusted }) => isTrusted)) return "trusted";
  return isKnown ? "changed" : "untrusted";
}

/** What a step uses, by what it can do at worst. */
const reach = [
  /^(?:command|shell|script|context_shell|run_tests|function)$/,
  /^(?:http|http_get|mcp_tool|module_action.*)$/,
  /^(?:agent|prompt|ask_model)$/,
];

function danger({ kind, definition }: Item): number {
  if (kind !== "hook") return itemKinds.indexOf(kind);
  const uses = [...definition.matchAll(/"uses":"([^"]*)"/g)].map(([, name = ""]) => name);
  const worst = reach.findIndex((names) => uses.some((name) => names.test(name)));
  return itemKinds.length + (worst < 0 ? reach.length : worst);
}
