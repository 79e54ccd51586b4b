/**
 * Which benchmarks there are, in the order in which they are taken, and how long each may be expected to take.
 * A table of names: run.ts starts a process for each, so that no benchmark meets what another has left in the engine.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Benchmark } from "./measure.ts";

export interface Entry {
  /** The name of its file, and of its `Benchmark`. */
  name: string;
  /** What it takes on a machine of two cores. One that takes three times as long is ended. */
  seconds: number;
  /** Only where it is asked for by name: it installs a peer of its own, or looks at something other than speed. */
  alone?: true;
}

/** What the project promises comes first: where the time does not suffice, the last ones are left out and the table says so. */
export const benchmarks: readonly Entry[] = [
  { name: "dispatch", seconds: 35 },
  { name: "emit", seconds: 25 },
  { name: "spawn", seconds: 40 },
  { name: "resident", seconds: 20 },
  { name: "http-hook", seconds: 44 },
  { name: "cold-client", seconds: 40 },
  { name: "ingest", seconds: 40 },
  { name: "memory", seconds: 50 },
  { name: "hot-path", seconds: 40 },
  { name: "store", seconds: 25 },
  { name: "conditions", seconds: 15 },
  { name: "guards", seconds: 20, alone: true },
  { name: "receipts", seconds: 20, alone: true },
  { name: "rules", seconds: 20 },
  { name: "changes", seconds: 35 },
  { name: "automations", seconds: 20 },
  { name: "git", seconds: 150, alone: true },
  { name: "agents", seconds: 400, alone: true },
  { name: "agents-processor", seconds: 600, alone: true },
  { name: "durable", seconds: 90, alone: true },
  { name: "workers", seconds: 120, alone: true },
  { name: "recovery", seconds: 90, alone: true },
  { name: "postgres", seconds: 60, alone: true },
  { name: "dashboard", seconds: 180, alone: true },
  { name: "large-store", seconds: 240, alone: true },
  { name: "trust", seconds: 1800, alone: true },
  { name: "trust-cost", seconds: 40, alone: true },
];

/** The export of that name's file that is a benchmark of that name. @param folder where the file lies; default: here */
export async function loadBenchmark(name: string, folder: string = import.meta.dirname): Promise<Benchmark> {
  const exported: Record<string, unknown> = await import(pathToFileURL(join(folder, `${name}.ts`)).href);
  const found = Object.values(exported).find((value) => isBenchmark(value, name));
  if (!isBenchmark(found, name)) throw new Error(`${name}.ts exports no benchmark that is called ${name}`);
  return found;
}

const isBenchmark = (value: unknown, name: string): value is Benchmark =>
  typeof value === "object" && value !== null && "measure" in value && "name" in value && value.name === name;
