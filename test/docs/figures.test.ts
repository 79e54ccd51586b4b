/** Figures in pages: each is what a benchmark found, of a day and a commit that the page names; the check notices where it is not. */
import assert from "node:assert/strict";
import test from "node:test";
import { figureComplaints, withFigures } from "../../scripts/docs/figures.ts";
import { project } from "../../scripts/docs/project.ts";

/** What is complained of where one file has another text. */
function complaintsWith(path: string, from: string | RegExp, to: string): string[] {
  const original = project.read(path) ?? "";
  const changed = original.replace(from, to);
  assert.notEqual(changed, original, `${path} no longer holds ${String(from)}`);
  return figureComplaints({ ...project, read: (one) => (one === path ? changed : project.read(one)) });
}

test("a figure that is not what the benchmark found is complained of", () => {
  const complaints = complaintsWith("docs/performance.md", "| 0 times |", "| 1 times |");
  assert.deepEqual(complaints, ["docs/performance.md: its figures are not those of bench/results — npm run docs"]);
});

for (const [what, to] of [
  ["no commit", '"commit": "none"'],
  ["a folder with changes that no commit holds", '"commit": "5dcd0d34 with changes"'],
] as const)
  test(`a result of ${what} is complained of, and which benchmark has to be taken again`, () => {
    const complaints = complaintsWith("bench/results/emit.json", /"commit": "[^"]*"/, to);
    assert.match(
      complaints[0] ?? "",
      /^bench\/results\/emit\.json: .* is no day and commit — .* npm run bench -- emit$/,
    );
  });

test("a measured figure in a page's own words names its day and its commit", () => {
  const [complaint, ...others] = complaintsWith(
    "docs/operations.md",
    "Measured on 2026-11-24 at commit 5dcd0d34",
    "Measured",
  );
  assert.match(complaint ?? "", /^docs\/operations\.md: "Measured by .*" names no day and no commit — /);
  assert.deepEqual(others, []);
});

test("a block shows the benchmarks that it names, each line with the day and the commit", () => {
  const block = "<!-- figures: trust-cost (daemon) -->\n<!-- figures end -->";
  const rows = withFigures(block, project)
    .split("\n")
    .filter((line) => line.startsWith("| what"));
  assert.equal(rows.length, 2);
  assert.match(
    rows[1] ?? "",
    /^\| what trust adds in the daemon \|.*\| trust-cost, 20\d\d-\d\d-\d\d, commit [0-9a-f]{7,} \|$/,
  );
});
