/** The files that are made from the code: path → text. npm run docs writes them, npm run check compares. */
import { commandLinePage } from "./command-line-page.ts";
import { conformancePage } from "./conformance-page.ts";
import { eventsPage } from "./events-page.ts";
import { notice } from "./notice.ts";

export const generated: Readonly<Record<string, () => string>> = {
  "docs/events.md": eventsPage,
  "docs/command-line.md": commandLinePage,
  "docs/conformance.md": conformancePage,
  NOTICE: notice,
};
