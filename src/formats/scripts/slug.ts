/** The short name of a script, under which its output and status lie (specification 004): one script each. */
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, Problem } from "../../engine/hook.ts";
import { createNames } from "../reading/unique-names.ts";

const extension = /\.(sh|bash|zsh|py|js|ts|rb|pl|php)$/i;

/** Of the file's name: one known extension removed, dots to hyphens, small letters, and nothing but a-z, 0-9, _ and -. */
export function slugOf(fileName: string): string {
  const plain = fileName.replace(extension, "").replaceAll(".", "-").toLowerCase();
  const slug = plain.replace(/[^a-z0-9_-]/g, "").replace(/^-+|-+$/g, "");
  return slug === "" ? `script-${fingerprint(fileName).slice(0, 8)}` : slug;
}

/** What a script's hook says in its step. */
interface Named {
  slug: string;
  family: string;
  file: string;
}

function namedBy({ steps: [{ uses, with: said }] }: Hook): Named | undefined {
  if (uses !== "script") return undefined;
  const { slug, family, file } = said;
  return typeof slug === "string" && typeof family === "string" && typeof file === "string"
    ? { slug, family, file }
    : undefined;
}

/**
 * Scripts of one session share a folder of outputs, so no two may have one slug: the later one gets a number, and both run.
 * In one folder that is a mistake; across folders it is a thing to know.
 *
 * @param hooks in the order in which they keep their names
 */
export function distinctSlugs(hooks: readonly Hook[]): { hooks: Hook[]; problems: Problem[] } {
  const unique = new Map<string, (name: string) => string>();
  const sameSlug = new Map<string, Named[]>();
  const problems: Problem[] = [];
  const renamed = hooks.map((hook): Hook => {
    const named = namedBy(hook);
    if (!named) return hook;
    const key = `${named.family} ${named.slug}`;
    const others = sameSlug.get(key) ?? [];
    sameSlug.set(key, [...others, named]);
    const names = unique.get(named.family) ?? createNames();
    unique.set(named.family, names);
    const slug = names(named.slug);
    if (slug === named.slug) return hook;
    problems.push(collision(hook, named, others, slug));
    const [step, ...rest] = hook.steps;
    return { ...hook, steps: [{ ...step, with: { ...step.with, slug } }, ...rest] };
  });
  return { hooks: renamed, problems };
}

const split = (file: string): { folder: string; name: string } => {
  const at = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"));
  return { folder: file.slice(0, at), name: file.slice(at + 1) };
};

function collision({ origin }: Hook, own: Named, others: readonly Named[], slug: string): Problem {
  const { folder, name } = split(own.file);
  const near = others.find(({ file }) => split(file).folder === folder);
  const other = near ? split(near.file).name : others[0]?.file;
  return {
    severity: near ? "error" : "note",
    code: "duplicate-key",
    message: `the id "${own.slug}" of ${name} is taken${other ? `, by ${other}` : ""}, and outputs and statuses are stored under it: this script gets "${slug}"`,
    ...(near ? { suggestion: "rename one of the files" } : {}),
    file: origin.file ?? own.file,
    line: 1,
    column: 1,
  };
}
