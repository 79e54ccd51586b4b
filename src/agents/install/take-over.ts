/** Moving hooks from the agent's file into ours and back (R35). Pure: plans over both texts. */
import type { Journal, MovedGroup } from "./files.ts";
import { applyEdits, type Edit } from "./json-edit.ts";
import { asItStands, type FileChange, foreignGroups, hashOf, leftover, undone } from "./registration.ts";
import { addGroups, emptyContainers, type Group, groupsIn, removeHandlers } from "./settings-groups.ts";

/** Handler types that come to the same wherever they run. The others go by models and servers of the agent: a group with one stays. */
const ourTypes: ReadonlySet<unknown> = new Set(["command", "http"]);
const isMovable = (group: Group): boolean => group.handlers.every((handler) => ourTypes.has(handler.type ?? "command"));

export interface MovePlan {
  /** The agent's text without them, by this stage. */
  text: string;
  stage: Edit[];
  moved: MovedGroup[];
  /** Groups that are the agent's to run. */
  left: Group[];
  target: { after: string; change: FileChange };
}

interface MoveOptions {
  text: string;
  agent: string;
  file: string;
  target: { file: string; text: string | undefined; change: FileChange | undefined; createdFolders: string[] };
}

/** Nothing if there is nothing to move. Throws settings_unusable. */
export function planMove({ text, agent, file, target }: MoveOptions): MovePlan | undefined {
  const foreign = foreignGroups(text, agent, file);
  const groups = foreign.filter(isMovable);
  if (groups.length === 0) return undefined;
  const edits = removeHandlers(text, (_, group) => groups.some((one) => isSame(one, group)), { file });
  const stage = addGroups(target.text, groups.map(asItStands), target.file);
  const after = applyEdits(target.text ?? "", stage);
  const earlier = target.text !== undefined && target.change?.after === hashOf(target.text) ? target.change : undefined;
  return {
    text: applyEdits(text, edits),
    stage: edits,
    moved: groups.map(({ event, text: raw }) => ({ event, text: raw })),
    left: foreign.filter((group) => !isMovable(group)),
    target: {
      after,
      change: {
        file: target.file,
        created: earlier?.created ?? target.text === undefined,
        createdFolders: [...target.createdFolders, ...(target.change?.createdFolders ?? [])],
        after: hashOf(after),
        stages: [...(earlier?.stages ?? []), stage],
        keep: emptyContainers(target.text, target.file),
      },
    },
  };
}

const isSame = (left: MovedGroup, right: MovedGroup): boolean => left.event === right.event && left.text === right.text;

interface ReturnPlan {
  target: { before: string | undefined; after: string | undefined };
  /** Groups that are still as they were moved. */
  back: MovedGroup[];
  /** Groups that were edited or removed since: they are left as they are. */
  missing: MovedGroup[];
}

/** Takes out of our file what was moved there. Throws settings_unusable. */
export function planReturn(
  { target, moved, owed }: NonNullable<Journal["takeOver"]>,
  text: string | undefined,
): ReturnPlan {
  const before = owed.length === 0 && text !== undefined ? undone(text, target) : undefined;
  if (before !== undefined)
    return { target: { before: text, after: leftover(before, target) }, back: moved, missing: [] };
  const there = groupsIn(text, target.file);
  const all = [...owed, ...moved];
  const back = all.filter((one) => there.some((group) => isSame(one, group)));
  const missing = all.filter((one) => !back.includes(one));
  if (text === undefined || back.length === 0) return { target: { before: text, after: text }, back, missing };
  const isBack = (_: unknown, group: Group): boolean => back.some((one) => isSame(one, group));
  const edits = removeHandlers(text, isBack, { file: target.file, keep: target.keep });
  return { target: { before: text, after: leftover(applyEdits(text, edits), target) }, back, missing };
}

/** Puts groups into the agent's text, unless they are there already. */
export function putBack(text: string | undefined, groups: readonly MovedGroup[], file: string): string | undefined {
  const there = groupsIn(text, file);
  const absent = groups.filter((one) => !there.some((group) => isSame(one, group)));
  if (absent.length === 0) return text;
  return applyEdits(text ?? "", addGroups(text, absent.map(asItStands), file));
}
