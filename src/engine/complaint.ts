/** What a person is told who works while hook files are broken. */
import type { Problem } from "./hook.ts";

/** One line for files whose hooks are not in force as written; undefined: all is well. */
export function complaintAbout(
  { problems }: { readonly problems: readonly Problem[] },
  show: (path: string) => string,
): string | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return `${first.message} — ${show(first.file)}:${first.line}:${first.column}${more} — see hookline check`;
}
