/** Hook groups in a settings text of Claude Code's shape, `hooks.EVENT[{matcher, hooks}]`: found, added and taken out by edits. */
import { getNodeValue, type Node } from "jsonc-parser";
import type { Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import {
  appendTo,
  type Edit,
  elementsOf,
  keyOf,
  type Printer,
  parseObject,
  printList,
  printObject,
  printProperty,
  propertiesOf,
  propertyOf,
  removeFrom,
  styleOf,
  unusable,
  valueUnder,
} from "./json-edit.ts";

interface GroupToAdd {
  event: string;
  print: Printer;
}
/** A group as it stands in the text. */
export interface Group {
  event: string;
  text: string;
  value: Json;
  handlers: Record<string, unknown>[];
}

/** A new document for nothing or a blank text, else one edit per place. Throws settings_unusable. */
export function addGroups(text: string | undefined, groups: readonly GroupToAdd[], file: string): Edit[] {
  const root = parseObject(text ?? "", file);
  if (text !== undefined && root) return addToRoot(text, root, groups, file);
  const style = styleOf(text ?? "");
  const lineEnd = text === undefined ? style.lineEnd : "";
  const document = printObject([printProperty("hooks", eventsObject(groups))])("", style);
  return [{ offset: text?.startsWith("\uFEFF") ? 1 : 0, removed: "", inserted: document + lineEnd }];
}

function addToRoot(text: string, root: Node, groups: readonly GroupToAdd[], file: string): Edit[] {
  const style = styleOf(text);
  const hooks = valueUnder(propertyOf(root, "hooks"));
  if (!hooks) return appendTo(text, root, [printProperty("hooks", eventsObject(groups))], style);
  if (hooks.type !== "object")
    throw unusable(text, hooks.offset, file, `"hooks" holds ${hooks.type} where an object belongs`);
  const fresh: GroupToAdd[] = [];
  const edits: Edit[] = [];
  for (const [event, added] of byEvent(groups)) {
    const list = valueUnder(propertyOf(hooks, event));
    if (!list) fresh.push(...added);
    else if (list.type === "array")
      edits.push(
        ...appendTo(
          text,
          list,
          added.map((one) => one.print),
          style,
        ),
      );
    else throw unusable(text, list.offset, file, `"${event}" holds ${list.type} where a list belongs`);
  }
  return [...edits, ...appendTo(text, hooks, eventProperties(fresh), style)];
}

const byEvent = (groups: readonly GroupToAdd[]): Map<string, GroupToAdd[]> =>
  Map.groupBy(groups, (group) => group.event);
const eventProperties = (groups: readonly GroupToAdd[]): Printer[] =>
  [...byEvent(groups)].map(([event, added]) => printProperty(event, printList(added.map((one) => one.print))));
const eventsObject = (groups: readonly GroupToAdd[]): Printer => printObject(eventProperties(groups));

interface Found extends Group {
  node: Node;
  list: Node;
  handlerNodes: Node[];
}

function* eventListsIn(root: Node | undefined): Generator<{ hooks: Node; event: Node; list: Node }> {
  for (const property of propertiesOf(root)) {
    const hooks = keyOf(property) === "hooks" ? valueUnder(property) : undefined;
    for (const event of propertiesOf(hooks)) {
      const list = valueUnder(event);
      if (hooks && list?.type === "array") yield { hooks, event, list };
    }
  }
}

function found(text: string, event: Node, list: Node, node: Node): Found {
  const handlerNodes = elementsOf(valueUnder(propertyOf(node, "hooks"))).filter((one) => one.type === "object");
  return {
    event: keyOf(event),
    text: text.slice(node.offset, node.offset + node.length),
    value: getNodeValue(node),
    handlers: handlerNodes.map((one) => getNodeValue(one)).filter(isRecord),
    node,
    list,
    handlerNodes,
  };
}

/** Every group of the text, also of a second "hooks" key. Throws settings_unusable. */
export function groupsIn(text: string | undefined, file: string): Group[] {
  const root = parseObject(text ?? "", file);
  return [...eventListsIn(root)].flatMap(({ event, list }) =>
    elementsOf(list).map((node) => found(text ?? "", event, list, node)),
  );
}

/** Value of a key at the top, for switches. */
export const topLevel = (text: string | undefined, key: string, file: string): unknown => {
  const value = valueUnder(propertyOf(parseObject(text ?? "", file), key));
  return value && getNodeValue(value);
};

/** Containers that hold nothing: they were there before, so they stay when ours have gone again. */
export function emptyContainers(text: string | undefined, file: string): string[] {
  const hooks = propertiesOf(parseObject(text ?? "", file))
    .filter((one) => keyOf(one) === "hooks")
    .map(valueUnder);
  const events = hooks.flatMap(propertiesOf).filter((one) => elementsOf(valueUnder(one)).length === 0);
  const bare = hooks.some((one) => one?.type === "object" && propertiesOf(one).length === 0);
  return [...(bare ? ["hooks"] : []), ...events.map((one) => `hooks.${keyOf(one)}`)];
}

/** Takes handlers out, and every group, list and object that holds nothing after it, except those in `keep`. */
export function removeHandlers(
  text: string,
  isDoomed: (handler: Record<string, unknown>, group: Group) => boolean,
  { file, keep = [] }: { file: string; keep?: readonly string[] },
): Edit[] {
  const root = parseObject(text, file);
  const doomed = new Map<Node, Set<Node>>(); // container → its items to remove
  const doom = (container: Node, item: Node): unknown =>
    doomed.set(container, (doomed.get(container) ?? new Set()).add(item));
  for (const { hooks, event, list } of eventListsIn(root)) {
    for (const node of elementsOf(list)) doomGroup(found(text, event, list, node), isDoomed, doom);
    if (isUsedUp(list, doomed) && !keep.includes(`hooks.${keyOf(event)}`)) doom(hooks, event);
  }
  for (const property of propertiesOf(root)) {
    const hooks = valueUnder(property);
    if (root && hooks && isUsedUp(hooks, doomed) && !keep.includes("hooks")) doom(root, property);
  }
  return [...doomed]
    .filter(([container]) => !isInside(container, doomed))
    .flatMap(([container, items]) => removeFrom(text, container, items));
}

type Doom = (container: Node, item: Node) => void;

function doomGroup(group: Found, isDoomed: Parameters<typeof removeHandlers>[1], doom: Doom): void {
  const gone = group.handlerNodes.filter((_, index) => isDoomed(group.handlers[index] ?? {}, group));
  const all = elementsOf(valueUnder(propertyOf(group.node, "hooks"))).length;
  if (gone.length > 0 && gone.length === all) doom(group.list, group.node);
  else for (const handler of gone) if (handler.parent) doom(handler.parent, handler);
}

function isUsedUp(container: Node, doomed: ReadonlyMap<Node, ReadonlySet<Node>>): boolean {
  const items = doomed.get(container);
  return items !== undefined && items.size === container.children?.length;
}

/** Whether something around it goes as a whole. */
function isInside(node: Node, doomed: ReadonlyMap<Node, ReadonlySet<Node>>): boolean {
  for (let item: Node | undefined = node; item?.parent; item = item.parent) {
    if (doomed.get(item.parent)?.has(item)) return true;
  }
  return false;
}
