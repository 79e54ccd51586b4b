/** node bench/measure-one.ts NAME FILE [FOLDER]: takes one benchmark in this process and writes what it found. take.ts starts it. */
import { writeFileSync } from "node:fs";
import { loadBenchmark } from "./benchmarks.ts";
import type { Taken } from "./take.ts";

const [name = "", file = "", folder] = process.argv.slice(2);
const { about, missing, leftOut, measure } = await loadBenchmark(name, folder);
const skipped = missing?.();
const taken: Taken = skipped === undefined ? { about, leftOut: leftOut?.() ?? [], ...(await measure()) } : { skipped };
writeFileSync(file, JSON.stringify(taken));
process.exit(0); // what a benchmark has left open must not hold up the next one
