/** The same in each shell of this machine, and of patterns and front matters in large numbers. */
import assert from "node:assert/strict";
import test from "node:test";
import { allAreSeen } from "./front-matters.ts";
import { script } from "./scratch.ts";
import { hook, noneIsMissed, settle, shells, stories, trial } from "./trial.ts";

for (const [story, holds] of Object.entries(stories))
  for (const shell of shells) test(`${story}, in ${shell.join(" ")}`, (t) => holds(t, shell));

test("[E48] whatever makes a hook for commits is seen without Hookline, in whatever form its front matter is written", (t) =>
  allAreSeen(t, 1));

test("[E48] none of many patterns that match a staged name is missed", (t) => noneIsMissed(t, 600));

test("[E48] a pattern is only taken for a name's end where it is one", (t) => {
  const { write, start, top, mustGit } = trial(t);
  const staged = ["docs/a.md", "lib/b.go", "c.ts", "Makefile", "d.gz"];
  for (const path of staged) write(path, "");
  mustGit(["add", "docs", "lib", "c.ts", "Makefile", "d.gz"]);
  const asks = (pattern: string): boolean => {
    write(hook, script({ type: "pre-commit", pattern }, ""), 0o755);
    settle(top, hook);
    return start().asked;
  };
  for (const pattern of [
    '"*.go"',
    "'lib/**/*.go'",
    '"*.{py,go}"',
    "Makefile",
    '"./Makefile"',
    '"/Makefile"',
    '"!*.md"',
    '"*.g?"',
    '"*.[a-m]*"',
    '"{lib,src}/*.go"',
    '"*.{a..z}"',
    '"*"',
    '"*.+(go)"',
    '"lib/"',
  ])
    assert.ok(asks(pattern), `${pattern} may match`);
  for (const pattern of ['"*.py"', "'lib/**/*.rs'", '"*.{py,rs}"', "Cargo.toml", '"{lib,src}/*.py"'])
    assert.ok(!asks(pattern), `${pattern} cannot match`);
});
