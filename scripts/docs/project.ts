/** The project's files, read from this folder. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import type { Project } from "./checks.ts";

export const project: Project = {
  pages: [...globSync("*.md"), ...globSync("docs/**/*.md"), ...globSync("examples/*.md")].sort(),
  sources: globSync("{src,testing,test,scripts,native,bench,dashboard,bin,examples}/**/*.{ts,tsx,js,c,sh}", {
    exclude: (path) => /(?:^|\/)(?:node_modules|dist|fixtures|flows|workspace)$/.test(String(path)),
  }).sort(),
  read: (path) => (!existsSync(path) ? undefined : statSync(path).isDirectory() ? "" : readFileSync(path, "utf8")),
};
