/** Builds the dashboard's pages into a folder; the daemon of a clone starts it when a browser first asks for them. */
import { resolve } from "node:path";
import { build } from "vite";

export async function buildDashboard(folder: string): Promise<void> {
  await build({
    configFile: resolve(import.meta.dirname, "..", "dashboard", "vite.config.ts"),
    logLevel: "error",
    build: { outDir: resolve(folder) },
  });
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await buildDashboard(folder);
