/** What the workspace folders around a place ask for, and how each stands. Their files are read as data: nothing of them runs. */
import { loadPatterns } from "../../../conditions/patterns.ts";
import { loadAll } from "../../../loading/loading.ts";
import { findProject } from "../../../loading/project.ts";
import { hashOfAll, type Item } from "../../../loading/trust/item.ts";
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
  const { problem, items: known } = records.of(path);
  return {
    path,
    state: stateOf(items, known !== undefined),
    hash: hashOfAll(items.map(({ item }) => item)),
    items: items.toSorted((left, right) => ranks.indexOf(rankOf(left.item)) - ranks.indexOf(rankOf(right.item))),
    ...(problem ? { problem: `${problem.file}: ${problem.reason}` } : {}),
  };
}

function stateOf(items: readonly AskedItem[], isKnown: boolean): FolderState {
  if (items.length === 0) return "nothing to trust";
  if (items.every(({ isTrusted }) => isTrusted)) return "trusted";
  return isKnown ? "changed" : "untrusted";
}

/** What an item is at worst, the most dangerous first. */
export const ranks = ["module", "settings", "override", "program", "address", "model", "refusal or text"] as const;
export type Rank = (typeof ranks)[number];

const reach: readonly (readonly [Rank, RegExp])[] = [
  ["program", /^(?:command|shell|script|context_shell|run_tests|function|build_check|auto_test_deploy|lsp_diagnose)$/],
  ["address", /^(?:http|http_get|mcp_tool|pipe|module_action.*)$/],
  ["model", /^(?:agent|prompt|ask_model|ability_suggestion)$/],
];

export function rankOf({ kind, definition }: Pick<Item, "kind" | "definition">): Rank {
  if (kind !== "hook") return kind;
  const uses = [...definition.matchAll(/"uses":"([^"]*)"/g)].map(([, name = ""]) => name);
  return reach.find(([, names]) => uses.some((name) => names.test(name)))?.[0] ?? "refusal or text";
}
