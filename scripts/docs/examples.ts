/**
 * What a reader can type of a page, between `<!-- example -->` and `<!-- end of example -->`: files, as a path in code and a
 * colon before a block, and commands, with what they print. test/docs/page-examples.ts runs each in a project of its own.
 */
import { filesIn } from "./blocks.ts";
import { fileOf, groups } from "./groups.ts";

export interface Step {
  is: "file" | "command";
  /** A file's path, or a command. */
  name: string;
  /** A file's content, or what the command prints; undefined: a page does not show it. */
  text: string | undefined;
}

const region = /^<!-- example -->$([\s\S]*?)^<!-- end of example -->$/gm;
const part = /^(?:`([^`\n]+)`[^\n]*:\n\n|[^\n]*`([^`\n]+)`:\n\n)?```(\w+)\n([\s\S]*?)^```$/gm;

/** The examples of a page, each with its steps in order. */
export const examplesIn = (page: string): Step[][] =>
  [...page.matchAll(region)].map(([, text = ""]) =>
    [...text.matchAll(part)].flatMap(([, first, last, language = "", body = ""]) => {
      const path = first ?? last;
      if (path !== undefined && language !== "console") return [{ is: "file", name: path, text: body } as const];
      if (language === "console") return commandsIn(body);
      return language === "sh" ? [{ is: "command", name: body, text: undefined } as const] : [];
    }),
  );

const commandsIn = (block: string): Step[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((one) => {
      const end = /(?<!\\)\n/.exec(one)?.index ?? one.length; // a line that ends in \ goes on
      return { is: "command", name: one.slice(0, end), text: one.slice(end + 1) };
    });

/** Pages that show no work to do: lists that are made from tables of the code, words, reasons. */
const without: ReadonlySet<string> = new Set([
  ...["agents", "command-line", "events", "conformance", "exports"], // generated
  ...["conditions", "actions", "handlers", "context-steps", "outcomes"], // a section for each entry of a table, tried by that entry's own tests
  ...["postgres", "workers", "operations"], // they need a Postgres: npm run test:postgres tries what they show
  ...[
    "errors/",
    "glossary",
    "comparison",
    "rulings",
    "security",
    "performance",
    "architecture",
    "adding",
    "decisions/",
  ],
]);

/** Every other page has an example that runs: one of its own, or a file of examples/, which have tests of their own. */
export const exampleComplaints = (read: (path: string) => string | undefined): string[] =>
  groups
    .flatMap(({ pages }) => pages.map(([page]) => page))
    .filter((page) => {
      const text = read(`docs/${fileOf(page)}`) ?? "";
      const shown = examplesIn(text).flat().length + filesIn(text).length;
      return without.has(page) ? false : shown === 0;
    })
    .map((page) => `docs/${fileOf(page)}: it has no example that runs — scripts/docs/examples.ts`);
