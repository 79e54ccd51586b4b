/** What tools other than a shell do: those that write, read and fetch, of any agent and any server. */
import type { CallToRead, Effect } from "../../engine/effects.ts";
import { type Fields, textField } from "../../engine/event.ts";
import { filesOfPatch, globsOfInput, pathsOfInput } from "../../engine/tool-input.ts";
import { fileUseOf } from "../../engine/tools.ts";
import { absolutePath } from "./command.ts";

/** All files of the folder, or those that fit a glob: `**\/.env` may be the `.env` of any folder in it. */
function searchesOf(input: Fields, named: readonly string[], absolute: (path: string) => string): Effect[] {
  const globs = globsOfInput(input);
  if (globs.length === 0)
    return named.length > 0
      ? named.map((folder) => ({ is: "reads", path: absolute(folder), below: true }))
      : [{ is: "reads", path: absolute(".") }];
  return (named.length > 0 ? named : ["."]).flatMap((folder) =>
    globs.flatMap((glob) => searchesLike(glob, folder, absolute)),
  );
}

/** Without a slash, files of that name at any depth; a star at the beginning of a name may be nothing, and hidden files count. */
function searchesLike(glob: string, folder: string, absolute: (path: string) => string): Effect[] {
  const at = (one: string): string => absolute(/^[/~]/.test(one) ? one : `${folder}/${one}`);
  const [, whole] = /^((?:.*\/)?)\*\*?(?:\/\*)?$/.exec(glob) ?? [];
  if (whole !== undefined && !/[*?[]/.test(whole)) return [{ is: "reads", path: at(whole || "."), below: true }];
  const deep = glob.includes("/") ? glob : `**/${glob}`;
  const hidden = deep.replace(/(^|\/)\*(?=\.[^/]*$)/, "$1");
  return [...new Set([glob, deep, hidden])].map((one) => ({ is: "reads", path: at(one) }));
}

export function effectsOfTool({ tool, input, cwd, home }: CallToRead): Effect[] {
  const absolute = (path: string): string => absolutePath(path, cwd, home);
  const named = pathsOfInput(input);
  const all = (is: Effect["is"], paths: readonly string[]): Effect[] =>
    paths.map((path) => ({ is, path: absolute(path) }));
  const use = fileUseOf(tool);
  if (use === "writes") {
    const { files, gone } = filesOfPatch(input);
    return [...all("writes", [...named, ...files]), ...all("deletes", gone)];
  }
  if (use === "deletes") return all("deletes", named).map((one) => ({ ...one, below: true }));
  if (use === "searches") return searchesOf(input, named, absolute);
  if (use === "reads") {
    const byPattern = globsOfInput(input).flatMap((glob) => searchesLike(glob, ".", absolute));
    if (named.length + byPattern.length > 0) return [...all("reads", named), ...byPattern];
  }
  const url = textField(input, "url");
  if (url !== undefined && URL.canParse(url)) {
    const { protocol, hostname, pathname } = new URL(url);
    return protocol === "file:"
      ? all("reads", [pathname])
      : [{ is: "network", host: hostname.toLowerCase().replace(/\.$/, "") }];
  }
  return [];
}
