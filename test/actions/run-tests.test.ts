import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { frameworks, readTestReport } from "../../src/actions/context-steps/run-tests.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { readsNode } from "./node-runner.ts";
import { outputOf, runStep, stepNamed, temporaryFolder } from "./step-context.ts";

const patterns = await loadPatterns();

const folder = join(import.meta.dirname, "../fixtures/test-runs");
const recorded = (name: string): string => readFileSync(join(folder, `${name}.txt`), "utf8");

const pytest = [
  "test_sum.py::TestNegative::test_subtracted",
  "test_sum.py::test_equal[x - y-z]",
  "test_sum.py::test_equal[a [b-c]",
  "test_sum.py::test_stands",
];
const jest = [
  "negative numbers › are subtracted",
  "negative numbers › of any size › 1 and 2 are equal",
  "negative numbers › of any size › 3 and 4 are equal",
  "src/broken.test.js",
];
const vitest = [
  "broken.test.js",
  "sum.test.js > negative numbers > are subtracted",
  "sum.test.js > negative numbers > of any size > are > others",
];
const mocha = [
  "negative numbers are subtracted",
  "negative numbers of any size are equal",
  'negative numbers with a hook "before all" hook for "stand"',
];
const node = ["broken.test.js", "are subtracted", "are equal # all", "that fails"];
/** Runs of one command, the second of which begins with a failure and has one in a group. */
const twice = ["subtracts", "begins with a failure", "multiply"];
const go = ["TestNegative/subtracted_twice", "TestEqual", "example.com/sum/broken", "TestPanics"];
const cargo = ["tests::negative::subtracted", "tests::panics", "is_equal", "src/lib.rs - sum (line 1)"];

/** What each tool really printed: file → its framework, the failures in order, the count. */
const reports: { readonly [file: string]: [framework: string, failures: string[], count: number] } = {
  pytest: ["pytest", pytest, 5],
  "pytest-quiet": ["pytest", pytest, 5],
  "pytest-verbose": ["pytest", pytest, 5],
  "pytest-coloured": ["pytest", pytest, 5],
  "pytest-broken": ["pytest", ["test_broken.py"], 0],
  "pytest-passed": ["pytest", [], 1],
  "pytest-printing": [
    "pytest",
    ["test_sum.py::test_equal[[c] - d]", "test_sum.py::test_equal[e[0] - f]", "test_sum.py::TestPrints::test_list"],
    5,
  ],
  "pytest-printing-passed": ["pytest", [], 1],
  jest: ["jest", jest, 8],
  "jest-verbose": ["jest", jest, 8],
  "jest-coloured": ["jest", jest, 8],
  "jest-passed": ["jest", [], 1],
  vitest: ["vitest", vitest, 7],
  "vitest-verbose": ["vitest", vitest, 7],
  "vitest-passed": ["vitest", [], 1],
  "vitest-printing": ["vitest", ["sum.test.js > says", "sum.test.js > breaks"], 3],
  mocha: ["mocha", mocha, 5],
  "mocha-coloured": ["mocha", mocha, 5],
  "mocha-dot": ["mocha", mocha, 5],
  "mocha-tap": ["auto", mocha, 5],
  "node-spec": ["node", node, 9],
  "node-tap": ["node", node, 9],
  "node-dot": ["node", node, 0],
  "node-coloured": ["node", node, 9],
  "node-passed": ["node", [], 1],
  "node-twice": ["node", twice, 5],
  "node-workspaces": ["node", twice, 6],
  "node-tap-twice": ["node", twice, 5],
  "node-dot-twice": ["node", twice, 0],
  "node-printing": ["node", ["breaks"], 2],
  go: ["go", go, 4],
  "go-verbose": ["go", go, 8],
  "go-passed": ["go", [], 1],
  cargo: ["cargo", cargo, 7],
  "cargo-coloured": ["cargo", cargo, 7],
  "cargo-printing": ["cargo", ["tests::prints"], 2],
};

for (const [name, [framework, failures, count]] of Object.entries(reports))
  test(`[A31, A32] the report ${name} is recognised, and its failures and their number are right`, () => {
    const text = recorded(name);
    assert.deepEqual(readTestReport(text, "auto"), { framework, failures, count });
    const windows = text.replaceAll("\n", "\r\n");
    assert.deepEqual(readTestReport(windows, "auto"), { framework, failures, count });
    const asked = frameworks.find((one) => one === framework);
    if (asked) assert.deepEqual(readTestReport(text, asked), { framework, failures, count });
  });

test("[A32] every recorded report is looked at", () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.txt$/, ""));
  assert.deepEqual(files.sort(), Object.keys(reports).sort());
});

test("[A32] pytest's numbers are read in any order, and jest's total counts before them", () => {
  const countOf = (text: string): number => readTestReport(text, "auto").count;
  assert.equal(countOf("5 passed, 2 failed"), 7);
  assert.equal(countOf("==== 2 failed, 5 passed, 1 warning in 0.12s ===="), 7);
  assert.equal(countOf("2 failed in 0.12s"), 2);
  assert.equal(countOf("Tests:       2 failed, 5 passed, 7 total"), 7);
  assert.equal(countOf("Tests: 1 skipped, 1 failed, 7 total\nand 3 passed"), 7);
  assert.equal(countOf("nothing of the kind"), 0);
});

test("[A32] of an unknown tool, lines of one form count only where there is none of the form before", () => {
  const failuresIn = (text: string): string[] => readTestReport(text, "auto").failures;
  const [file, sign, path] = ["FAIL src/a.test.js", "  ✕ adds (12 ms)", "FAILED tests/a.py::b - why"];
  assert.deepEqual(failuresIn([file, sign, path].join("\n")), ["tests/a.py::b"]);
  assert.deepEqual(failuresIn([file, sign, "  ✗ takes (2 parts)", sign].join("\n")), ["adds", "takes (2 parts)"]);
  assert.deepEqual(failuresIn(file), ["src/a.test.js"]);
  assert.deepEqual(failuresIn("\u001b[31m  ● group › name\u001b[39m"), ["group › name"]);
});

test("[A32] of a report whose beginning was cut off, what is left is read", () => {
  const failuresIn = (text: string): string[] => readTestReport(text, "auto").failures;
  assert.deepEqual(failuresIn("FAILED a.py::b - why\n1 failed, 2 passed in 0.10s"), ["a.py::b"]);
  const rest = " FAIL  a.test.js > b\nError: why\n\n Test Files  1 failed (1)\n      Tests  1 failed (1)\n";
  assert.deepEqual(failuresIn(rest), ["a.test.js > b"]);
});

test("[A32] the parameters of a test of pytest end with the bracket that closes them", () => {
  const nameIn = (said: string): string | undefined => readTestReport(`FAILED ${said}`, "auto").failures[0];
  assert.equal(nameIn("a.py::b[[c] - d] - assert [1] - 2"), "a.py::b[[c] - d]");
  assert.equal(nameIn("a.py::b[x[0] - y[1]-z]"), "a.py::b[x[0] - y[1]-z]");
  assert.equal(nameIn("a.py::b[a [b-c] - assert [1] == [2]"), "a.py::b[a [b-c]");
  assert.equal(nameIn("a.py::b[c] - d[0] - e"), "a.py::b[c]");
});

test("[A32] a tool that was named and is not the one that ran is no reason to find nothing", () => {
  const { framework, failures, count } = readTestReport("FAILED tests/a.py::b\n1 failed, 2 passed", "jest");
  assert.deepEqual([framework, failures, count], ["jest", ["tests/a.py::b"], 3]);
});

test("[A32] reading takes time in proportion to the report, whatever it holds", () => {
  const pieces = [
    "FAILED a::",
    "::[",
    " - ",
    "\n",
    "  1 failing\n",
    "--- FAIL: a/a/a (0.00s)\n",
    "1111",
    " FAIL  a [ ",
    "not ok 1 ",
  ];
  const hostile = pieces.flatMap((piece) => [piece.repeat(4_000), `${piece}${"[::(".repeat(240)}\n`.repeat(100)]);
  for (const text of hostile)
    for (const asked of ["auto", ...frameworks] as const) assert.ok(readTestReport(text, asked).count >= 0);
});

test("[A31, AT32] run_tests says whether the tests passed, and which failed", async (t) => {
  const root = temporaryFolder(t);
  const passing = await runStep("run_tests", { command: "echo '5 passed in 0.10s'" }, { root });
  assert.deepEqual(passing, {
    ok: true,
    output: {
      stdout: "5 passed in 0.10s\n",
      stderr: "",
      exit_code: 0,
      passed: true,
      failures: [],
      test_count: 5,
      framework: "pytest",
      _step_index: 0,
    },
  });
  const command = "echo 'FAILED tests/test_foo.py::test_bar'; exit 1";
  const { ok, output } = await runStep("run_tests", { command }, { root });
  assert.deepEqual([ok, output.passed, output.exit_code], [true, false, 1]);
  assert.deepEqual(output.failures, ["tests/test_foo.py::test_bar"]);
  const complaining = await outputOf("run_tests", { command: `(${command}) >&2` }, { root });
  assert.deepEqual(complaining.failures, ["tests/test_foo.py::test_bar"]);
});

test("[A31, AT32, X2] tests that take too long have not passed, and are ended", async (t) => {
  const root = temporaryFolder(t);
  const command = "echo 'FAILED a.py::b'; sleep 60";
  const { output, ok } = await runStep("run_tests", { command, timeout: 1 }, { root });
  assert.deepEqual(
    [ok, output.passed, output.exit_code, output.stderr, output.failures],
    [false, false, -1, "Test command timed out after 1s", ["a.py::b"]],
  );
});

test("[A31] at most 50 failures are named, streams are cut, and the whole of them is read", async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(
    join(root, "flood.sh"),
    "head -c 150000 /dev/zero | tr '\\0' '\\n'; head -c 70000 /dev/zero | tr '\\0' y >&2; seq -f 'FAILED a.py::t%g' 60",
  );
  const { output, notes } = await runStep("run_tests", { command: "sh flood.sh" }, { root });
  const failures = output.failures as string[]; // it is a list of names
  assert.deepEqual([failures.length, failures.at(0), failures.at(-1)], [50, "a.py::t1", "a.py::t50"]);
  const mark = /\n\[cut: \d+ of \d+ characters are left out here\]\n/;
  for (const [stream, most] of [
    [output.stdout, 100_000],
    [output.stderr, 50_000],
  ] as const)
    assert.ok(String(stream).length <= most && mark.test(String(stream)));
  assert.match(String(output.stdout), /FAILED a\.py::t60\n$/, "its end says what became of it");
  assert.deepEqual(notes, [
    "stdout was cut at 100000 characters",
    "stderr was cut at 50000 characters",
    "60 tests failed",
  ]);
});

test("[A31] it runs in its workspace; one that is not there is an error", async (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, "app"));
  assert.equal((await outputOf("run_tests", { command: "pwd", workspace: "app" }, { root })).stdout, `${root}/app\n`);
  assert.deepEqual(await outputOf("run_tests", { command: "pwd", workspace: "none" }, { root }), {
    error: `the folder ${join(root, "none")} does not exist`,
    _step_index: 0,
  });
  const [fault] = stepNamed("run_tests").inspect?.({ command: 'sh -c "pytest {{event.path}}"' }, patterns) ?? [];
  assert.deepEqual(fault?.path, ["command"]);
});

test("[A31, A32] Node's own test runner, as it runs here", (t) => readsNode(t, [""]));
