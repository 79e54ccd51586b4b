/** What is missing, stale or untrue in the documentation, as far as a program can tell. Each line is one complaint. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { specificKeys, topKeys } from "../../src/actions/command/protocols/settings-keys.ts";
import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { errorCodes } from "../../src/engine/error.ts";
import { outcomeFields } from "../../src/engine/outcome.ts";
import type { Handler } from "../../src/engine/ports.ts";
import { compileSettings } from "../../src/formats/settings/settings.ts";
import { handlerTypes } from "../../src/formats/settings/steps.ts";
import { findingNames } from "../../src/hosts/cli/doctor/doctor.ts";
import { ownFormat } from "../../src/loading/places.ts";
import { filesIn, staleBlocks } from "./blocks.ts";
import { commandComplaints } from "./command-line-page.ts";
import { conformanceComplaints } from "./conformance-page.ts";
import { exampleComplaints } from "./examples.ts";
import { figureComplaints } from "./figures.ts";
import { generated } from "./generated.ts";
import { groupComplaints } from "./groups.ts";
import { pathComplaints } from "./paths.ts";
import { staleTables } from "./tables.ts";
import { testsByClaim } from "./test-names.ts";

/** The project's files as the checks see them; a test puts another text in the place of one. */
export interface Project {
  /** Every Markdown page: those in docs/, and those beside the sources. */
  pages: readonly string[];
  /** Every file of code that may hold comments. */
  sources: readonly string[];
  read(path: string): string | undefined;
}

export async function complaintsAbout(project: Project): Promise<string[]> {
  return [
    ...staleComplaints(project),
    ...tableComplaints(project),
    ...commandComplaints(),
    ...conformanceComplaints(testsByClaim()),
    ...project.pages.flatMap((page) => linkComplaints(page, project)),
    ...orphanComplaints(project),
    ...groupComplaints(project.pages.flatMap((page) => (page.startsWith("docs/") ? [page.slice("docs/".length)] : []))),
    ...exampleComplaints(project.read),
    ...figureComplaints(project),
    ...project.pages.flatMap((page) => blockComplaints(page, project)),
    ...project.pages.flatMap((page) =>
      staleTables(project.read(page) ?? "").map((one) => `${page}: the table ${one} is stale — npm run docs`),
    ),
    ...(await settingsComplaints(project)),
    ...legalComplaints(project),
    ...rulingComplaints(project),
    ...pathComplaints(project),
  ];
}

const staleComplaints = ({ read }: Project): string[] =>
  Object.entries(generated)
    .filter(([path, make]) => read(path) !== make())
    .map(([path]) => `${path}: it is stale — npm run docs`);

/** Pages that list what a table of the code holds: the same names, no more and no fewer. */
function tableComplaints(project: Project): string[] {
  const { read, pages } = project;
  const source = (path: string): string => read(path) ?? "";
  const common = /const commonKeys = \(([\s\S]*?)\)\.split/.exec(source("src/formats/settings/hook.ts"))?.[1] ?? "";
  const fields = [
    ...words(common),
    ...Object.keys(handlerTypes),
    ...Object.values(handlerTypes).flatMap(({ fields: own }) => Object.keys(own)),
  ];
  const codes = [
    ...(/export type ProblemCode =([^;]*);/.exec(source("src/engine/hook.ts"))?.[1] ?? "").matchAll(/"([\w-]+)"/g),
  ];
  const errorPages = pages.filter(
    (page) => /^docs\/errors\/[a-z]+(_[a-z]+)*\.md$/.test(page) && !/\/(README|findings)\.md$/.test(page),
  );
  return [
    ...sameNames("docs/conditions.md", headings(read("docs/conditions.md")), [...conditions.keys()]),
    ...sameNames(
      "docs/handlers.md",
      headings(read("docs/handlers.md")),
      handlersThat((one) => !one.action && !one.contextStep),
    ),
    ...sameNames("docs/context-steps.md", headings(read("docs/context-steps.md")), stepTypes()),
    ...sameNames(
      "docs/actions.md",
      headings(read("docs/actions.md")),
      handlersThat((one) => one.action !== undefined),
    ),
    ...sameNames(
      "docs/errors/findings.md",
      headings(read("docs/errors/findings.md")),
      codes.map(([, code = ""]) => code),
    ),
    ...sameNames(
      "docs/errors/",
      errorPages.map((page) => posix.basename(page, ".md")),
      errorCodes,
    ),
    ...sameNames(
      "docs/outcomes.md, first column of the table of fields",
      firstColumn(read("docs/outcomes.md")),
      outcomeFields,
    ),
    ...sameNames(
      "docs/doctor.md",
      [...(read("docs/doctor.md") ?? "").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name = ""]) => name),
      findingNames(),
    ),
    ...missingWords("docs/hooks-json.md", read("docs/hooks-json.md"), [
      ...fields,
      ...Object.keys(topKeys),
      ...Object.keys(specificKeys),
    ]),
    ...missingWords("docs/errors/README.md", read("docs/errors/README.md"), errorCodes),
  ];
}

const handlersThat = (holds: (handler: Handler) => boolean): string[] =>
  [...createHandlers(new Map())].flatMap(([name, handler]) => (holds(handler) ? [name] : []));

const stepTypes = (): string[] =>
  [...createHandlers(new Map()).values()].flatMap(({ contextStep }) => contextStep?.type ?? []);

const words = (text: string): string[] => text.match(/[a-zA-Z]+/g) ?? [];
/** `## name`, where the name is one word of code. */
const headings = (text = ""): string[] => [...text.matchAll(/^## `([\w-]+)`$/gm)].map(([, name = ""]) => name);
const firstColumn = (text = ""): string[] =>
  [...(text.split("<!-- fields -->")[1] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);

function sameNames(place: string, written: readonly string[], real: readonly string[]): string[] {
  return [
    ...real.filter((name) => !written.includes(name)).map((name) => `${place}: "${name}" is missing`),
    ...written.filter((name) => !real.includes(name)).map((name) => `${place}: there is no "${name}" in the code`),
    ...written
      .filter((name, index) => written.indexOf(name) < index)
      .map((name) => `${place}: "${name}" is there twice`),
  ];
}

const missingWords = (place: string, text = "", real: readonly string[]): string[] =>
  [...new Set(real)]
    .filter((name) => !text.includes(`\`${name}\``))
    .map((name) => `${place}: \`${name}\` is not spoken of`);

/** Links between files of the project, and to headings in them. */
function linkComplaints(page: string, { read }: Project): string[] {
  const text = withoutCode(read(page) ?? "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? page : posix.normalize(posix.join(posix.dirname(page), file));
    const found = read(path);
    if (found === undefined) return [`${page}: the link ${target} leads nowhere`];
    if (anchor !== undefined && !anchorsOf(found).includes(anchor))
      return [`${page}: ${path} has no heading for #${anchor}`];
    return [];
  });
}

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
const anchorsOf = (text: string): string[] =>
  [...withoutCode(text.replace(/`/g, "")).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => anchorOf(title));
/** The name of a heading, as it is shown without marks of code. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** A page that nobody can find is not read. */
function orphanComplaints({ pages, read }: Project): string[] {
  const linked = new Set(
    pages.flatMap((page) =>
      [...(read(page) ?? "").matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) =>
        posix.normalize(posix.join(posix.dirname(page), target)),
      ),
    ),
  );
  return pages
    .filter((page) => page.startsWith("docs/") && page !== "docs/README.md" && !linked.has(page))
    .map((page) => `${page}: no page links to it`);
}

/** A page whose blocks are not the files that they name. */
function blockComplaints(page: string, { read }: Project): string[] {
  const text = read(page) ?? "";
  const missing = filesIn(text).filter((path) => read(path) === undefined);
  if (missing.length > 0) return missing.map((path) => `${page}: there is no ${path}`);
  return staleBlocks(text, read).map((path) => `${page}: its block is not what ${path} holds — npm run docs`);
}

/** Every JSON block with hooks in it is a valid hook file, unless `<!-- broken -->` stands before it. */
async function settingsComplaints({ pages, read }: Project): Promise<string[]> {
  const patterns = await loadPatterns();
  return pages.flatMap((page) =>
    [...(read(page) ?? "").matchAll(/(<!-- broken -->\n)?^```jsonc?\n([\s\S]*?)^```$/gm)].flatMap(
      ([, broken, block = ""]) => {
        if (broken || !/^\s*"(hooks|deny|ask)":/m.test(block)) return [];
        const { problems } = compileSettings(
          block,
          { dialect: "settings", layer: "project" },
          { format: ownFormat, patterns },
        );
        return problems
          .filter(({ severity }) => severity !== "note")
          .map(({ line, message }) => `${page}: line ${line} of a block with hooks: ${message}`);
      },
    ),
  );
}

function legalComplaints({ pages, read }: Project): string[] {
  return [
    ...(/^\s*Apache License\s+Version 2\.0/.test(read("LICENSE") ?? "")
      ? []
      : ["LICENSE: it is not the Apache License 2.0"]),
    ...(/^## Unreleased$/m.test(read("CHANGELOG.md") ?? "") ? [] : ['CHANGELOG.md: it has no "## Unreleased"']),
    ...pages
      .filter((page) => /(^|[\s"'(`])\/(root|work)\//m.test(read(page) ?? ""))
      .map((page) => `${page}: it speaks of a path of one machine`),
  ];
}

/** Rulings that code or tests cite, and that docs/rulings.md does not hold. */
function rulingComplaints({ read }: Project): string[] {
  const held = new Set((read("docs/rulings.md") ?? "").match(/(?<=^\*\*)R\d+(?=\.\*\*)/gm));
  return globSync(["src/**/*.ts", "test/**/*.ts"], { exclude: ["**/node_modules"] }).flatMap((file) => {
    const cited = readFileSync(file, "utf8").match(/\bR\d{1,2}\b(?=[),;: \]])/g) ?? [];
    return [...new Set(cited)]
      .filter((ruling) => !held.has(ruling))
      .map((ruling) => `${file}: docs/rulings.md has no ${ruling}`);
  });
}
