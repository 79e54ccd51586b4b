/** Paths in pages and comments that name no file of the project: what was moved or renamed is still spoken of by its old name. */
import { posix } from "node:path";
import type { Project } from "./checks.ts";

/** Pages that speak of this project's own files; on the others a bare name is most likely a file of the reader's. */
const ofProject = /^(?:[A-Z]+\.md|docs\/(?:adding|architecture|rulings|performance)\.md|docs\/decisions\/.*)$/;

/** What stands where a path is meant as an example: each has to occur. */
const examples: ReadonlySet<string> = new Set([
  "bench/baseline.json", // made by a run of the benches
  "bench/node_modules",
  "hookline.config.ts", // the reader's
  "scripts/hooks/call_tracker.sh",
  "services/billing",
  "services/billing/src",
  "services/billing/src/a.ts",
  "src/agents/quill/",
  "src/conditions/prompt-length.ts",
  "types.ts", // what a file is not called
]);

const path = /(?<![\w./@~$*{<%-])[\w-][\w.-]*(?:\/[\w.*-]+)*\/?(?![\w/*-])/g;
/** A name that stands for another one. */
const placeholder = /^[A-Z]+(?:\.|$)/;

export function pathComplaints({ pages, sources, read }: Project): string[] {
  const files = [...pages, ...sources];
  const names = new Set(files.map((file) => posix.basename(file)));
  const rooms = new Set(files.flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []));
  const tops = new Set(files.flatMap((file) => /^([^/]+)\//.exec(file)?.[1] ?? []));
  const met = new Set<string>();

  function isThere(said: string, file: string): boolean {
    if (examples.has(said)) met.add(said);
    if (examples.has(said) || said.includes("*")) return true;
    const parts = said.split("/");
    const free = parts.findIndex((part) => placeholder.test(part));
    if (free === 0) return true;
    const known = free > 0 ? parts.slice(0, free).join("/") : said;
    if (!known.includes("/") && free < 0) return names.has(known);
    const beside = posix.join(posix.dirname(file), known);
    const mirrored = posix.join(posix.dirname(file).replace(/^test\b/, "src"), known);
    const places = [known, `src/${known}`, `docs/${known}`, `test/${known}`, `src/hosts/${known}`, beside, mirrored];
    return places.some((place) => ["", ".ts", ".test.ts"].some((ending) => read(`${place}${ending}`) !== undefined));
  }

  function isMeant(said: string, isOwn: boolean): boolean {
    const [first = "", ...rest] = said.split("/");
    if (isOwn && /\.(?:ts|tsx|c)$/.test(said)) return true;
    return rest.join("") !== "" && (tops.has(first) || (isOwn && rooms.has(first)));
  }

  const complaints = files.flatMap((file) => {
    const isPage = file.endsWith(".md");
    const isOwn = !isPage || ofProject.test(file);
    const lines = (isPage ? proseOf : commentsOf)(read(file) ?? "");
    return lines.flatMap(({ text, line }) =>
      [...text.matchAll(path)]
        .map(([said]) => said.replace(/\.$/, ""))
        .filter((said) => isMeant(said, isOwn) && !isThere(said, file))
        .map((said) => `${file}:${line}: there is no ${said}`),
    );
  });
  const unmet = [...examples].filter((one) => !met.has(one));
  return [...complaints, ...unmet.map((one) => `scripts/docs/paths.ts: nothing speaks of ${one}`)];
}

interface Line {
  text: string;
  line: number;
}

/** Blocks of code are the reader's files, and links are looked at elsewhere. */
const proseOf = (text: string): Line[] =>
  linesOf(text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, "")).replace(/\]\([^)\n]*\)/g, "]"));

const commentsOf = (text: string): Line[] =>
  linesOf(text).flatMap(({ text: written, line }) => {
    const [, whole, behind] = /^\s*(?:\/\*\*?|\*|\/\/|#(?!!))\s?(.*)$|\s\/\/ (.*)$/.exec(written) ?? [];
    const said = whole ?? behind;
    return said === undefined ? [] : [{ text: said, line }];
  });

const linesOf = (text: string): Line[] => text.split("\n").map((one, index) => ({ text: one, line: index + 1 }));
