/** The files that are made from the code: path → text. npm run docs writes them, npm run check compares. */

import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { testsSchema } from "../../src/formats/hook-tests/fields.ts";
import { automationSchema, rulesSchema } from "../../src/formats/json-schema.ts";
import { hooksSchema } from "../../src/formats/settings/schema.ts";
import { agentsPage } from "./agents-page.ts";
import { commandLinePage } from "./command-line-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { eventsPage } from "./events-page.ts";
import { notice } from "./notice.ts";

export const generated: Readonly<Record<string, () => string>> = {
  "docs/agents.md": agentsPage,
  "docs/events.md": eventsPage,
  "docs/command-line.md": commandLinePage,
  "docs/conformance.md": conformancePage,
  "schema/rules.schema.json": () => schemaText("rules"),
  "schema/app.schema.json": () => schemaText("app"),
  "schema/hookline.schema.json": () => schemaText("config"),
  "schema/automation.schema.json": () => `${JSON.stringify(automationSchema(known), null, 2)}\n`,
  "schema/hooks.schema.json": () => `${JSON.stringify(hooksSchema(), null, 2)}\n`,
  "schema/tests.schema.json": () => `${JSON.stringify(testsSchema(), null, 2)}\n`,
  NOTICE: notice,
};

/** What comes with Hookline; `hookline schema` adds what a project registers. */
const known = { handlers: createHandlers(new Map()), conditions };

const schemaText = (kind: "rules" | "app" | "config"): string =>
  `${JSON.stringify(rulesSchema(known, kind), null, 2)}\n`;
