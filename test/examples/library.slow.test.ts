/** The examples of docs/library.md but the one that library.test.ts runs. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { first, folder, tryExample } from "./library-examples.ts";

for (const path of globSync(join(folder, "*.ts")).sort()) if (basename(path) !== first) tryExample(basename(path));
