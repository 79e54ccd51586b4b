/** Temporary folders and files that are a session's own: its folder, and what the call itself makes (R101). */
import { tmpdir } from "node:os";
import type { CallEffects } from "../engine/effects.ts";
import type { HookEvent } from "../engine/event.ts";
import { resolvePath } from "../engine/file-pattern.ts";

export function ownTemporary({ session }: HookEvent, { commands, effects }: CallEffects, workspace: string): string[] {
  const folder = tmpdir();
  const own = workspace === folder || workspace.startsWith(`${folder}/`) ? [] : [folder];
  const made = commands.flatMap(({ words, redirects, cwd = "" }, index) => {
    const isNew = words[0] === "mkdir" && !words.some((word) => /^-[a-z]*p|^--parents/.test(word));
    const folders = isNew
      ? effects.flatMap((one) => (one.command === index && one.is === "writes" ? (one.path ?? []) : []))
      : [];
    return [
      ...folders,
      ...redirects.flatMap(({ how, path }) => (how === "writes" && cwd !== "" ? resolvePath(path, cwd) : [])),
    ];
  });
  return [...own, ...made, ...(session === undefined ? [] : foldersOf(session, effects))];
}

/** Agents keep what a session writes below a folder with its id. */
const foldersOf = (session: string, effects: CallEffects["effects"]): string[] =>
  effects.flatMap(({ path = "" }) => {
    const at = path.indexOf(`/${session}/`);
    return at < 0 ? [] : path.slice(0, at + session.length + 1);
  });
