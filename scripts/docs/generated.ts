/** The files that are made from the code: path → text. npm run docs writes them, npm run check compares. */

import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { formats, schemaText } from "../../src/formats/schemas.ts";
import { agentsPage } from "./agents-page.ts";
import { commandLinePage } from "./command-line-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { eventsPage } from "./events-page.ts";
import { notice } from "./notice.ts";

/** What comes with Hookline; `hookline schema` adds what a project registers. */
const known = { handlers: createHandlers(new Map()), conditions };

export const generated: Readonly<Record<string, () => string>> = {
  "docs/agents.md": agentsPage,
  "docs/events.md": eventsPage,
  "docs/command-line.md": commandLinePage,
  "docs/conformance.md": conformancePage,
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [`schema/${name}.schema.json`, () => schemaText(format, known)]),
  ),
  NOTICE: notice,
};
