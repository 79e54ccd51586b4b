/** What a commit does where Hookline is gone: the stub alone has to decide. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { printStub, type Stub } from "../../../src/agents/git/stub.ts";
import { compileScript } from "../../../src/formats/scripts/script.ts";
import { bin, type Ended, place, type Scratch, scratch, script } from "./scratch.ts";

const hook = ".hookline/hooks/check.sh";

/** A repository whose Hookline has been removed since. */
function alone(self: Scratch, given: Partial<Stub> = {}): void {
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
const start = (self: Scratch): Ended => {
  self.mustGit(["add", "--all"]);
  return self.commit({ environment: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
};

const plain: Readonly<Record<string, string>> = {
  "an ampersand": "# description: lint & format\n",
  "a text of two lines": "# description: >\n#   lints\n#   and formats\n",
  "a backslash": "# name: a\\x62\n",
  "a remark behind the type": "",
  "a list": "# more: [a, b]\n",
  "a key with a blank": "# description : lints\n",
  "its own remark": "# # remarks are no fields\n",
};
for (const [what, lines] of Object.entries(plain)) {
  test(`[E48] without Hookline a script for commits runs, be there ${what} in its front matter`, (t) => {
    const self = scratch(t);
    const remark = what === "a remark behind the type" ? " # before each commit" : "";
    self.write(hook, `#!/bin/sh\n#---\n${lines}# type: "pre-commit"${remark}\n#---\necho it ran; exit 4\n`, 0o755);
    alone(self);
    const { code, stderr } = start(self);
    assert.notEqual(code, 0);
    assert.match(stderr, /^it ran\nhookline: \.hookline\/hooks\/check\.sh refused the commit \(exit code 4\)$/m);
  });
}

test("[E48] without Hookline a script that may be one for commits refuses, and says how to continue", (t) => {
  const self = scratch(t);
  alone(self);
  for (const header of [
    "# name: Check",
    "# type:\n#   pre-commit",
    "# type: precommit",
    "# type: file\n# type: pre-commit",
  ]) {
    self.write(hook, `#!/bin/sh\n#---\n${header}\n#---\nexit 0\n`, 0o755);
    const { code, stderr } = start(self);
    assert.notEqual(code, 0, header);
    assert.match(
      stderr,
      /only Hookline can tell whether \.hookline\/hooks\/check\.sh is a pre-commit script, so the commit is refused — install Hookline again; or take it out of git: rm \.git\/hooks\/pre-commit; or pass by it once: git commit --no-verify\n$/,
    );
  }
});

test("[E48] without Hookline scripts get the staged files as from Hookline itself", (t) => {
  const self = scratch(t);
  const report = join(self.folder, "report");
  const telling = (more: object): string =>
    script(
      { type: "pre-commit", ...more },
      `printf '%s\\n' "$HOOKLINE_CHANGED_FILES" >> '${report}'; tr '\\0' '|' < "$DISCOBOT_CHANGED_FILES_0" >> '${report}'; printf '\\n[%s]\\n' "$DISCOBOT_CHANGED_FILES" >> '${report}'`,
    );
  self.write(".hookline/hooks/all.sh", telling({}), 0o755);
  self.write(".hookline/hooks/go.sh", telling({ pattern: '"*.go"' }), 0o755);
  self.write("gone.go", "");
  assert.equal(self.commit().code, 0);
  self.mustGit(["rm", "--quiet", "gone.go"]);
  for (const name of ["-n", "$(touch made)", "it's", "a b.go", "c\nd", "é.go", "plain.go"]) self.write(name, "");
  alone(self);
  const { code, stderr } = start(self);
  assert.equal(code, 0, stderr);
  const all = "'$(touch made)' ./-n 'a b.go' 'c\nd' 'it'\\''s' plain.go é.go";
  const go = "'a b.go' plain.go é.go";
  assert.equal(
    self.read("../report"),
    `${all}\n$(touch made)|-n|a b.go|c\nd|it's|plain.go|é.go|\n[${all}]\n${go}\na b.go|plain.go|é.go|\n[${go}]\n`,
  );
  assert.ok(!self.has("made"));
  assert.deepEqual(
    readdirSync(self.folder).filter((name) => name.startsWith("hookline-")),
    [],
  );
});

test("[E48] without Hookline a commit is refused if its files cannot be passed to scripts", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit" }, "exit 0"), 0o755);
  alone(self);
  self.mustGit(["add", "--all"]);
  const { code, stderr } = self.commit({ environment: { TMPDIR: "/nowhere" } });
  assert.notEqual(code, 0);
  assert.match(stderr, /no folder can be made for the names of staged files, so the commit is refused/);
});

test("a Hookline of which only the front is left refuses in one sentence, which says how to continue", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit" }, "exit 0"), 0o755);
  const copy = self.write("../rest/bin/hookline.js", readFileSync(bin, "utf8"));
  alone(self, { program: [process.execPath, copy] });
  const { code, stderr } = self.commit();
  assert.notEqual(code, 0);
  assert.match(
    stderr,
    /^hookline: \S+main\.js is missing — \S+ — install Hookline again; the commit is refused .*--no-verify\n$/,
  );
});

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

test("[E48] no front matter that Hookline takes for a guard, or a lost one, passes without it", (t) => {
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
      assert.ok(isGuard || code !== 9, text);
    }),
    { numRuns: 400, seed: 11 },
  );
  assert.ok(seen.guards > 100 && seen.others > 30, JSON.stringify(seen));
});
