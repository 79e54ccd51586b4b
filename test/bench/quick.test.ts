/** npm run bench -- --quick: it fails exactly where a benchmark does not come to its end, and says which and why. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { benchmarks } from "../../bench/benchmarks.ts";
import { runQuickly } from "../../bench/quick.ts";
import { take } from "../../bench/take.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder({ after });

/** Benchmarks of one line each, and what is done in their short form. */
const bodies: Readonly<Record<string, string>> = {
  well: "return { rows: [], ratios: [] }",
  throws: "throw new Error('cannot store TEXT value in INTEGER column run.asked')",
  endless: "return new Promise(() => setInterval(() => {}, 1000))",
  empty: "return new Promise(() => {})",
  long: "if (process.env.HOOKLINE_BENCH_QUICK === undefined) throw new Error('long'); return { rows: [], ratios: [] }",
};
for (const [name, body] of Object.entries(bodies))
  writeFileSync(
    join(folder, `${name}.ts`),
    `export const one = { name: "${name}", about: "", async measure() { ${body} } };`,
  );
writeFileSync(
  join(folder, "foreign.ts"),
  `export const one = { name: "foreign", about: "", missing: () => "there is no chromium", measure() { throw new Error() } };`,
);

/** The exit code, and what was printed. */
async function quickly(context: TestContext, ...names: string[]): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  context.mock.method(console, "log", (line: string) => said.push(line));
  // What never ends is ended after a second; the others end when they do.
  const limitOf = (name: string): number => (name === "endless" ? 1 : 3_600);
  const takeOne = (name: string): ReturnType<typeof take> => take(name, { limit: limitOf(name), quick: true, folder });
  const code = await runQuickly(
    names.map((name) => ({ name })),
    takeOne,
  );
  return { code, said: said.join("\n") };
}

test("benchmarks that end are named with their time, and the exit code is 0", async (context) => {
  const { code, said } = await quickly(context, "well", "long");
  assert.equal(code, 0);
  assert.match(said, /^ended {4}well \(\d+\.\d s\)$/m);
  assert.match(said, /^2 ended, 0 skipped, 0 failed$/m);
});

test("one that needs what is not here is skipped with the reason, and is no failure", async (context) => {
  const { code, said } = await quickly(context, "foreign");
  assert.equal(code, 0);
  assert.match(said, /^skipped {2}foreign: there is no chromium$/m);
});

test("one that throws makes it fail, with its name and what it said", async (context) => {
  const { code, said } = await quickly(context, "throws", "well");
  assert.equal(code, 1);
  assert.match(said, /^FAILED throws: Error: cannot store TEXT value in INTEGER column run\.asked$/m);
  assert.match(said, /^1 ended, 0 skipped, 1 failed$/m);
});

test("one that never ends is ended, and makes it fail", async (context) => {
  const { code, said } = await quickly(context, "endless");
  assert.equal(code, 1);
  assert.match(said, /^FAILED endless: ended after 1 s, which was too long$/m);
});

test("one whose process ends before it has measured makes it fail", async (context) => {
  const { code, said } = await quickly(context, "empty");
  assert.equal(code, 1);
  assert.match(said, /^FAILED empty: /m);
});

test("every file that is a benchmark is in the table, so that the quick form takes it", () => {
  const here = join(import.meta.dirname, "../../bench");
  const files = readdirSync(here).filter(
    (file) => file.endsWith(".ts") && /^export const \w+: Benchmark = /m.test(readFileSync(join(here, file), "utf8")),
  );
  assert.deepEqual(files.sort(), benchmarks.map(({ name }) => `${name}.ts`).sort());
});
