/** Repositories whose Hookline has been removed since, and what their front matters come to there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { printStub, type Stub } from "../../../src/agents/git/stub.ts";
import { compileScript } from "../../../src/formats/scripts/script.ts";
import { type Ended, place, type Scratch, scratch } from "./scratch.ts";

export const hook = ".hookline/hooks/check.sh";

/** A repository whose Hookline has been removed since. */
export function alone(self: Scratch, given: Partial<Stub> = {}): void {
  const stub: Stub = {
    program: ["/nowhere/node", "/nowhere/hookline.js"],
    scriptFolders: [],
    noted: [],
    guarded: [],
    watched: [],
    known: [],
    ...given,
  };
  self.write(place, printStub(stub), 0o755);
}
export const start = (self: Scratch): Ended => {
  return self.commit({ environment: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
};

/** Lines that a front matter may have beside its type. */
export const plain: Readonly<Record<string, string>> = {
  "an ampersand": "# description: lint & format\n",
  "a text of two lines": "# description: >\n#   lints\n#   and formats\n",
  "a backslash": "# name: a\\x62\n",
  "a remark behind the type": "",
  "a list": "# more: [a, b]\n",
  "a key with a blank": "# description : lints\n",
  "its own remark": "# # remarks are no fields\n",
};
export function isSeenBeside(t: TestContext, what: string): void {
  const self = scratch(t);
  const remark = what === "a remark behind the type" ? " # before each commit" : "";
  self.write(hook, `#!/bin/sh\n#---\n${plain[what]}# type: "pre-commit"${remark}\n#---\necho it ran; exit 4\n`, 0o755);
  alone(self);
  const { code, stderr } = start(self);
  assert.notEqual(code, 0);
  assert.doesNotMatch(stderr, /it ran/);
  assert.match(stderr, /whether \.hookline\/hooks\/check\.sh, .*, is trusted, so the commit is refused/);
}

/** Lines of front matters, good and bad. */
const lines = fc.constantFrom(
  "type: pre-commit",
  "type: file",
  "type: session",
  "type: 'file'",
  'type: "pre-commit" # now',
  "type: file # not pre-commit",
  "type : file",
  "type : pre-commit",
  '"type": pre-commit',
  "type:",
  "type: >",
  "type: precommit",
  "type: files",
  "types: file",
  "  pre-commit",
  "  type: file",
  "  more",
  "name: One",
  "description: type file",
  "description: >",
  "list:",
  "- type: file",
  "# type: file",
  "# a remark",
  "",
  "echo",
  "pattern: '*.never'",
  "pattern : '*'",
  "  pattern: '*'",
  "#---",
  "---",
);
const frontMatter = fc
  .tuple(
    fc.constantFrom("#---", "---", "//---", "#--", ""),
    fc.constantFrom("# ", "", "#", "// "),
    fc.array(fc.tuple(lines, fc.boolean()), { maxLength: 5 }),
    fc.constantFrom("#---", "---", "//---", ""),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([opening, sign, inside, closing, odd]) =>
    [
      "#!/bin/sh",
      opening,
      ...inside.map(([line, isSigned]) => `${isSigned || odd > 1 ? sign : ""}${line}`),
      odd === 0 ? closing : opening,
      "exit 0",
      "",
    ].join("\n"),
  );

/** No front matter that Hookline takes for a guard, or a lost one, passes without it. */
export function noGuardPasses(t: TestContext, rounds: number): void {
  const self = scratch(t);
  const old = new Date(Date.now() - 3_600_000);
  const path = self.write(hook, "", 0o755);
  for (const one of [".hookline", ".hookline/hooks"]) utimesSync(join(self.top, one), old, old);
  alone(self, { known: [join(self.top, ".hookline")] });
  const seen = { guards: 0, others: 0 };
  fc.assert(
    fc.property(frontMatter, (text) => {
      const { hooks, problems } = compileScript(
        text,
        { isExecutable: true },
        { dialect: "script", layer: "project", file: path },
        { label: hook, family: "hookline" },
      );
      const [made] = hooks;
      const isGuard = made !== undefined && "event" in made.on && made.on.event.includes("git.pre-commit");
      const isLost = problems.some(({ loses }) => loses);
      self.write(hook, text.replace("exit 0", "exit 9"), 0o755);
      utimesSync(path, old, old);
      const { status: code } = spawnSync("sh", [place], {
        cwd: self.top,
        env: { ...self.environment, PATH: "/usr/local/bin:/usr/bin:/bin" },
      });
      if (isGuard && made.when === undefined) assert.notEqual(code, 0, text);
      if (isLost) assert.equal(code, 1, text);
      if (isGuard || isLost) seen.guards += 1;
      else if (code === 0) seen.others += 1;
      assert.notEqual(code, 9, text); // no script runs
    }),
    { numRuns: rounds, seed: 11 },
  );
  assert.ok(seen.guards > rounds / 4 && seen.others > rounds / 14, JSON.stringify(seen));
}
