/** node bench/measure-one.ts NAME FILE: takes one benchmark in this process and writes what it found. run.ts starts it. */
import { writeFileSync } from "node:fs";
import { loadBenchmark } from "./benchmarks.ts";

const [name = "", file = ""] = process.argv.slice(2);
const { about, measure } = await loadBenchmark(name);
writeFileSync(file, JSON.stringify({ about, ...(await measure()) }));
process.exit(0); // what a benchmark has left open must not hold up the next one
