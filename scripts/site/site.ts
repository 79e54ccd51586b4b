/** The documentation as a site: path → content of every file, made of the pages below docs/. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import MiniSearch from "minisearch";
import { groupComplaints } from "../docs/groups.ts";
import { withLayout } from "./layout.ts";
import { type Page, pageOf } from "./page.ts";
import { type Found, indexName, searchOptions } from "./search.ts";

const own = join(import.meta.dirname, "browser");
/** Colours and icon are those of the dashboard. */
const shared = join(import.meta.dirname, "..", "..", "dashboard", "src");

/** @param docs the folder with the pages */
export async function siteOf(docs: string): Promise<Map<string, string | Buffer>> {
  const sources = globSync("**/*.md", { cwd: docs }).sort();
  const [complaint] = groupComplaints(sources);
  if (complaint !== undefined) throw new Error(complaint);
  const texts = new Map(sources.map((source) => [source, readFileSync(join(docs, source), "utf8")]));
  const titles = new Map([...texts].map(([source, text]) => [source, /^# (.*)$/m.exec(text)?.[1] ?? source]));
  const pages = [...texts].map(([source, text]) => pageOf(source, text, titles));
  const images = new Set(pages.flatMap((page) => page.images));
  return new Map<string, string | Buffer>([
    ...pages.map((page): [string, string] => [page.file, withLayout(page)]),
    ...[...images].map((path): [string, Buffer] => [path, readFileSync(join(docs, path))]),
    ["site.css", `${readFileSync(join(shared, "colors.css"), "utf8")}${readFileSync(join(own, "site.css"), "utf8")}`],
    ["icon.svg", readFileSync(join(shared, "icon.svg"))],
    ["site.js", await script()],
    ["search.js", `${indexName}=${JSON.stringify(indexOf(pages))};\n`],
  ]);
}

async function script(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(own, "site.ts")],
    bundle: true,
    minify: true,
    format: "iife", // pages that are opened from a disk load no modules
    target: "es2022",
    legalComments: "none", // licences of what is bundled stand in NOTICE
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

function indexOf(pages: readonly Page[]): MiniSearch<Found & { text: string }> {
  const index = new MiniSearch<Found & { text: string }>(searchOptions);
  const found = pages.flatMap(({ file, title, sections }) =>
    sections.map(({ id, title: section, text, begins }) => ({
      file: id === "" ? file : `${file}#${id}`,
      page: title,
      section: id === "" ? "" : section,
      text: text.slice(0, longest),
      begins,
    })),
  );
  index.addAll(found.map((one, id) => ({ id, ...one })));
  return index;
}

/** Tables of a thousand claims would be half of the index. */
const longest = 20_000;
