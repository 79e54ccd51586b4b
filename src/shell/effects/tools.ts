/** What tools other than a shell do: those that write, read and fetch, of any agent and any server. */
import type { CallToRead, Effect } from "../../engine/effects.ts";
import { textField } from "../../engine/event.ts";
import { classOf } from "../../engine/tools.ts";
import { absolutePath } from "./command.ts";

/** Tools of agents without an adapter, and of servers, that write what they name. */
const writers =
  /^(?:mcp__.*__)?(?:write|edit|create|move|rename|replace|apply|append|insert|str_replace)(?:_?(?:file|files|patch|editor|text|content|directory))?$/i;
const deleters = /^(?:mcp__.*__)?(?:delete|remove|rm|trash)(?:_?(?:file|files|directory|folder|path))?$/i;
const readers =
  /^(?:mcp__.*__)?(?:read|get|view|open|cat)_?(?:text_?|media_?|multiple_?)?(?:file|files|content|contents)?$/i;
const pathFields = ["file_path", "notebook_path", "path", "filePath", "filename", "source", "destination"];
/** A patch names its files in its own text. */
const patchFields = ["input", "patch", "command", "content", "diff"];
const patched = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b\/)?|--- a\/)(\S.*?)\s*$/gm;
const removed = /^\*\*\* Delete File: (\S.*?)\s*$/gm;

export function effectsOfTool({ tool, input, cwd, home }: CallToRead): Effect[] {
  const absolute = (path: string): string => absolutePath(path, cwd, home);
  const named = pathFields.flatMap((name) => textField(input, name) ?? []);
  const kind = classOf(tool);
  const all = (is: Effect["is"], paths: readonly string[]): Effect[] =>
    paths.map((path) => ({ is, path: absolute(path) }));
  if (kind === "write" || writers.test(tool)) {
    const texts = patchFields.flatMap((name) => textField(input, name) ?? []);
    const patches = texts.filter((text) => text.includes("*** ") || text.includes("+++ "));
    const files = patches.flatMap((text) => [...text.matchAll(patched)].flatMap(([, path]) => path ?? []));
    const gone = patches.flatMap((text) => [...text.matchAll(removed)].flatMap(([, path]) => path ?? []));
    return [...all("writes", [...named, ...files]), ...all("deletes", gone)];
  }
  if (deleters.test(tool)) return all("deletes", named).map((one) => ({ ...one, below: true }));
  if (kind === "read" || tool === "NotebookRead" || readers.test(tool)) return all("reads", named);
  const url = textField(input, "url");
  if (url !== undefined && URL.canParse(url)) {
    const { protocol, hostname, pathname } = new URL(url);
    return protocol === "file:"
      ? all("reads", [pathname])
      : [{ is: "network", host: hostname.toLowerCase().replace(/\.$/, "") }];
  }
  return [];
}
