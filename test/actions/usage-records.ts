/** What usage_tracker has written, also where many processes write at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { bundled } from "../program.ts";
import { temporaryFolder } from "./context.ts";

export const records = (folder: string): string => readFileSync(join(folder, ".system/logs/tool_call.md"), "utf8");
export const lines = (folder: string): Fields[] =>
  readFileSync(join(folder, ".system/logs/hooks.log"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
export const usage = (folder: string): Record<string, Fields> =>
  JSON.parse(readFileSync(join(folder, ".system/cache/ability_usage.json"), "utf8")).abilities;

/** No record, no line and no count is lost. @param count of processes: a multiple of four */
export async function recordAtOnce(t: TestContext, count: number): Promise<void> {
  const folder = temporaryFolder(t);
  const script = bundled(join(import.meta.dirname, "record-usage.ts"));
  const ends = Array.from({ length: count }, (_none, index) => {
    const child = spawn(process.execPath, [script, folder, `ability-${index % 4}`, "5"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return once(child, "exit");
  });
  assert.deepEqual(
    (await Promise.all(ends)).map(([code]) => code),
    Array(count).fill(0),
  );
  assert.equal(records(folder).match(/^## /gm)?.length, count * 5);
  assert.equal(lines(folder).length, count * 5);
  const counts = Object.fromEntries(Object.entries(usage(folder)).map(([name, one]) => [name, one.count]));
  const each = (count / 4) * 5;
  assert.deepEqual(counts, { "ability-0": each, "ability-1": each, "ability-2": each, "ability-3": each });
  assert.deepEqual(readdirSync(join(folder, ".system/cache")), ["ability_usage.json"], "nothing is left beside it");
}
