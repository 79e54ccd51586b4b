/** npm run docs: writes the pages that are made from the code, and the files that other pages show. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { resultsPath } from "../bench/results-page.ts";
import { filesIn, withFiles } from "./docs/blocks.ts";
import { allFigures, withFigures } from "./docs/figures.ts";
import { generated } from "./docs/generated.ts";
import { project } from "./docs/project.ts";
import { withTables } from "./docs/tables.ts";

for (const [path, make] of Object.entries(generated)) write(path, make());
write(resultsPath, allFigures(project));
for (const page of project.pages) {
  const text = project.read(page) ?? "";
  const made = withFigures(withTables(withFiles(text, project.read)), project);
  if (made !== text || filesIn(text).length > 0) write(page, made);
}

function write(path: string, text: string): void {
  const isNews = project.read(path) !== text;
  mkdirSync(dirname(path), { recursive: true });
  if (isNews) writeFileSync(path, text);
  console.log(`${isNews ? "written  " : "unchanged"} ${path}`);
}
