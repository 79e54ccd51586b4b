/** The folder in which a program runs another one: `env -C`, `git -C`. */
import { isUnknown } from "./expand.ts";
import { pathIn } from "./made.ts";
import { type Call, folderOf } from "./shell.ts";

/** What it runs is run in another folder; one that is not known is none. */
export function movedTo(folder: string, call: Call): Call {
  const from = folderOf(call);
  const isKnown = !isUnknown(folder) && (folder.startsWith("/") || from !== undefined);
  if (isKnown) return { ...call, folder: pathIn(from, folder) };
  const variables = new Map(call.shell.variables);
  variables.delete("PWD");
  return { ...call, folder: undefined, shell: { ...call.shell, variables } };
}
