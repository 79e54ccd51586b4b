/** npm run docs: writes the pages that are made from the code, and the files that other pages show. */
import { writeFileSync } from "node:fs";
import { filesIn, withFiles } from "./docs/blocks.ts";
import { generated } from "./docs/generated.ts";
import { project } from "./docs/project.ts";

for (const [path, make] of Object.entries(generated)) write(path, make());
for (const page of project.pages) {
  const text = project.read(page) ?? "";
  if (filesIn(text).length > 0) write(page, withFiles(text, project.read));
}

function write(path: string, text: string): void {
  const isNews = project.read(path) !== text;
  if (isNews) writeFileSync(path, text);
  console.log(`${isNews ? "written  " : "unchanged"} ${path}`);
}
