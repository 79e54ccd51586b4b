/**
 * The person's editor, as pages link to it: the daemon starts no program because a page asks; the browser hands the address to the
 * editor, and asks the person first.
 */
import { basename } from "node:path";
import { object } from "../../../engine/schema.ts";
import type { Operation } from "../../../operations/operation.ts";
import type { Daemon } from "../daemon.ts";

/** What stands before `//file/PATH:LINE`, for editors that take such an address. */
const schemes: Readonly<Record<string, string>> = {
  code: "vscode",
  "code-insiders": "vscode-insiders",
  codium: "vscodium",
  cursor: "cursor",
  windsurf: "windsurf",
  zed: "zed",
};

export const editorPage = ({ environment: { VISUAL, EDITOR } }: Pick<Daemon, "environment">): Operation<object> => ({
  summary: "Names the scheme of the editor that VISUAL or EDITOR names, if it opens files by address.",
  params: object({}, {}),
  readOnly: true,
  run: () => ({ scheme: [VISUAL, EDITOR].map(schemeOf).find((one) => one !== null) ?? null }),
});

function schemeOf(command = ""): string | null {
  const name = basename(command.trim().split(/\s+/)[0] ?? "");
  return Object.hasOwn(schemes, name) ? (schemes[name] ?? null) : null;
}
