/** What the real agents left in a home after one session each in /workspace/repo, recorded in November 2026 and shortened. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../temporary-folder.ts";

export const project = "/workspace/repo";
const folder = join(import.meta.dirname, "../fixtures/transcripts");

/** The deliveries of the calls that reached Hookline in each of these sessions, by agent. */
export const deliveries: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(folder, "deliveries.json"), "utf8"),
);

export function homeOf(t: Pick<TestContext, "after">, agent: string): string {
  if (agent !== "opencode") return join(folder, "homes", agent);
  const home = temporaryFolder(t);
  const path = join(home, ".local/share/opencode");
  mkdirSync(path, { recursive: true });
  const database = new DatabaseSync(join(path, "opencode.db"), { enableForeignKeyConstraints: false });
  database.exec(readFileSync(join(folder, "homes/opencode/opencode.sql"), "utf8"));
  database.close();
  return home;
}
