/** What tools other than a shell do: those that write, read and fetch, of any agent and any server. */
import type { CallToRead, Effect } from "../../engine/effects.ts";
import { type Fields, textField } from "../../engine/event.ts";
import { classOf, pathFields } from "../../engine/tools.ts";
import { absolutePath } from "./command.ts";

/** Tools of agents without an adapter, and of servers, that write what they name. */
const writers =
  /^(?:mcp__.*__)?(?:write|edit|create|move|rename|replace|apply|append|insert|str_replace)(?:_?(?:file|files|patch|editor|text|content|directory))?$/i;
const deleters = /^(?:mcp__.*__)?(?:delete|remove|rm|trash)(?:_?(?:file|files|directory|folder|path))?$/i;
const readers =
  /^(?:mcp__.*__)?(?:read|get|view|open|cat)_?(?:text_?|media_?|multiple_?|many_?)?(?:file|files|content|contents)?$/i;
/** Tools that print lines of the files that they look through. */
const searchers =
  /^(?:mcp__.*__)?(?:grep|search|rip_?grep|search_?(?:file_?)?contents?|search_?files|grep_?search|code_?search)$/i;
const listFields = ["paths", "files", "file_paths", "filePaths", "include"];
/** Which of the files in the folder are looked through. */
const globFields = [
  "glob",
  "include",
  "include_pattern",
  "includePattern",
  "file_pattern",
  "filePattern",
  "globs",
  "includes",
];
/** One text, or a list of them. */
function textsField(input: Fields, name: string): string[] {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return [value].flat().filter((one) => typeof one === "string");
}

/** All files of the folder, or those that fit a glob: `**\/.env` may be the `.env` of any folder in it. */
function searchesOf(input: Fields, named: readonly string[], absolute: (path: string) => string): Effect[] {
  const folders = [...named, ...textsField(input, "paths")];
  const globs = globFields.flatMap((name) => textsField(input, name)).filter((glob) => !glob.startsWith("!"));
  return (folders.length > 0 ? folders : ["."]).flatMap((folder): Effect[] =>
    globs.length === 0
      ? [
          folders.length > 0
            ? { is: "reads", path: absolute(folder), below: true }
            : { is: "reads", path: absolute(folder) },
        ]
      : globs
          .flatMap(alternatives)
          .map((glob) => ({ is: "reads", path: absolute(glob.startsWith("/") ? glob : `${folder}/${glob}`) })),
  );
}

/** `*.{env,pem}` */
function alternatives(glob: string): string[] {
  const [whole, before = "", inside = "", behind = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  return whole === undefined
    ? [glob]
    : inside
        .split(",")
        .slice(0, 16)
        .map((one) => `${before}${one}${behind}`);
}

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
    const moved = listFields.flatMap((name) => textsField(input, name));
    return [...all("writes", [...named, ...moved, ...files]), ...all("deletes", gone)];
  }
  if (deleters.test(tool))
    return all("deletes", [...named, ...listFields.flatMap((name) => textsField(input, name))]).map((one) => ({
      ...one,
      below: true,
    }));
  const listed = listFields.flatMap((name) => textsField(input, name));
  if (kind === "read" || tool === "NotebookRead" || readers.test(tool)) return all("reads", [...named, ...listed]);
  if (tool === "Grep" || searchers.test(tool)) return searchesOf(input, named, absolute);
  const url = textField(input, "url");
  if (url !== undefined && URL.canParse(url)) {
    const { protocol, hostname, pathname } = new URL(url);
    return protocol === "file:"
      ? all("reads", [pathname])
      : [{ is: "network", host: hostname.toLowerCase().replace(/\.$/, "") }];
  }
  return [];
}
