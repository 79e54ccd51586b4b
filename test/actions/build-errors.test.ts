/** The first error in what real compilers, linters and test runners print. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type BuildError, firstError } from "../../src/actions/builtin/build-check/build.ts";

const cases: readonly { name: string; printed: string; found: Partial<BuildError> }[] = [
  {
    name: "tsc",
    printed:
      "> build\n> tsc -p .\n\nsrc/login.ts(58,7): error TS2322: Type 'string' is not assignable.\nsrc/z.ts(1,1): error TS1: x",
    found: { kind: "TypeScript", file: "src/login.ts", line: 58, message: "TS2322: Type 'string' is not assignable." },
  },
  {
    name: "tsc on a terminal",
    printed:
      "\u001b[96msrc/login.ts\u001b[0m:\u001b[93m58\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m TS2322: No.",
    found: { kind: "TypeScript", file: "src/login.ts", line: 58 },
  },
  {
    name: "ESLint",
    printed:
      "\n/repo/src/a.js\n  1:1  warning  Unused  no-unused-vars\n  12:5  error  'x' is not defined  no-undef\n\n✖ 2 problems",
    found: { kind: "ESLint", file: "/repo/src/a.js", line: 12 },
  },
  {
    name: "go build",
    printed: "# example.org/api\n./main.go:10:2: undefined: x\n./main.go:11:2: undefined: y",
    found: { kind: "Go", file: "./main.go", line: 10, message: "undefined: x" },
  },
  {
    name: "go vet",
    printed: "vet: cmd/a.go:3:5: undefined: y",
    found: { kind: "Go", file: "cmd/a.go", line: 3 },
  },
  {
    name: "rustc",
    printed:
      "warning: unused\n --> src/lib.rs:2:5\n  |\nerror[E0425]: cannot find value `x` in this scope\n --> src/main.rs:5:9\n  |",
    found: { kind: "Rust", file: "src/main.rs", line: 5, message: "cannot find value `x` in this scope" },
  },
  {
    name: "pytest",
    printed:
      "    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntests/test_a.py:12: AssertionError\n==== short",
    found: { kind: "pytest", file: "tests/test_a.py", line: 12, message: "AssertionError" },
  },
  {
    name: "Python",
    printed: 'Traceback (most recent call last):\n  File "src/a.py", line 3, in <module>\n    import nothing',
    found: { kind: "Python", file: "src/a.py", line: 3 },
  },
  {
    name: "esbuild",
    printed: '✘ [ERROR] Could not resolve "x"\n\n    src/a.ts:5:7:\n      5 │ import x',
    found: { kind: "esbuild", file: "src/a.ts", line: 5, message: 'Could not resolve "x"' },
  },
  {
    name: "gcc and clang",
    printed: "In file included from a.c:1:\nsrc/b.h:7:3: fatal error: no.h: No such file",
    found: { kind: "", file: "src/b.h", line: 7, message: "no.h: No such file" },
  },
];

for (const { name, printed, found } of cases)
  test(`[B38] the first error is found in what ${name} prints`, () => {
    assert.partialDeepStrictEqual(firstError(printed), found);
  });

test("[B38] words without an error's form have none, and hostile output costs little time", () => {
  for (const printed of ["", "all is well", "10:20:30 done", "see https://example.org:8080: it failed", "error: no"])
    assert.equal(firstError(printed), undefined, printed);
  const started = process.cpuUsage();
  for (const printed of [`${" ".repeat(900_000)}x`, "a:1:".repeat(250_000), `${"a".repeat(999)}\n`.repeat(1000)])
    firstError(printed);
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});
