import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import picomatch from "picomatch";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { Fields } from "../../src/engine/event.ts";
import { compilePlainExpression, compilePlainGlob, compileWildcard } from "../../src/engine/glob.ts";
import { compileMatcher, compileToolPattern, type NameKind } from "../../src/engine/pattern.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { classOf, toolRow } from "../../src/engine/tools.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const fits = (matcher: string, name: string | string[], names: NameKind = "tool"): boolean =>
  compileMatcher(matcher, patterns, { names }).holds([name].flat());

type Mode = "deny" | "allow";
const places = { cwd: "/srv/app", root: "/srv", home: "/home/ada" };
const asks = (pattern: string, tool: string | string[], input: Fields, mode: Mode = "deny"): boolean | "unknown" =>
  compileToolPattern(pattern, patterns)({ names: [tool].flat(), input, ...places }, mode);
const runs = (pattern: string, command: string, mode: Mode = "deny"): boolean | "unknown" =>
  asks(pattern, "Bash", { command }, mode);
const edits = (pattern: string, path: string): boolean | "unknown" => asks(pattern, "Edit", { file_path: path });

test("[CT1, C32, R9] an empty matcher and * match everything", () => {
  for (const all of ["", "*", " ", ".*"]) assert.ok(fits(all, "Bash"), all);
  assert.equal(compileMatcher("*", patterns, { names: "tool" }).kind, "all");
});

test("[CT1, C30, R9] letters, digits, _, -, blanks, commas and bars are a list of exact names", () => {
  assert.ok(fits("Bash", "Bash"));
  assert.ok(!fits("Bash", "Edit"));
  assert.ok(!fits("Writ", "Write"));
  for (const list of ["Write|Edit", "Write, Edit", "Write,Edit", " Write | Edit "]) {
    assert.deepEqual(
      ["Write", "Edit", "Bash"].map((name) => fits(list, name)),
      [true, true, false],
      list,
    );
  }
  assert.ok(!fits("startup", "startup-now", "plain"));
});

test("[CT1, C30, R9] anything else is an unanchored regular expression", () => {
  assert.ok(fits("Bash.*", "BashTool") && fits("Bash.*", "XBash"));
  assert.ok(fits("rit.", "Write"));
  assert.ok(
    fits("^(Edit|mcp__.+__(write|edit))$", "mcp__files__edit") &&
      !fits("^(Edit|mcp__.+__(write|edit))$", "mcp____edit"),
  );
  assert.ok(fits("^startup$", "startup", "plain") && !fits("^startup$", "startups", "plain"));
  assert.ok(fits("^[A-Z]\\w+$", "Bash") && !fits("^[A-Z]\\w+$", "bash"));
});

test("[CT1, R9] an expression that is broken or not linear is an error, not a comparison of texts", () => {
  for (const source of ["[invalid", "(?=x)y", "(a)\\1", "a{2000}"]) {
    assert.throws(() => compileMatcher(source, patterns, { names: "tool" }), { code: "pattern_invalid" }, source);
  }
  assert.throws(() => compileMatcher("|", patterns, { names: "tool" }), { code: "pattern_invalid" });
});

test("[R11] lists know classes of tools and native names, expressions know names alone", () => {
  assert.ok(fits("write", "MultiEdit") && fits("shell|web", "WebFetch") && fits("mcp", "mcp__x__y"));
  assert.ok(!fits("write", "Read"));
  assert.ok(fits("exec_command", ["Bash", "exec_command"]) && fits("Bash", ["Bash", "exec_command"]));
  assert.ok(!fits("writ.", "Edit") && !fits("shell", "Bash", "plain"));
  assert.equal(classOf("Grep"), "search");
  assert.equal(classOf("Task"), "agent");
  assert.equal(classOf("TodoWrite"), undefined);
  assert.ok(toolRow("Bash") !== undefined && toolRow("toString") === undefined);
});

test("[C23] a list of files may hold dots and slashes", () => {
  assert.ok(fits(".envrc|.env", [".env", "/srv/.env"], "file"));
  assert.ok(!fits(".envrc|.env", ["xenv", "/srv/xenv"], "file"));
  assert.ok(fits("/srv/a.ts", ["a.ts", "/srv/a.ts"], "file"));
});

test("[C31, R9] Name(pattern) is a tool pattern, but an alternation after __ is an expression", () => {
  const matcher = compileMatcher("Bash(git:*)", patterns, { names: "tool" });
  assert.equal(matcher.kind, "tool");
  assert.ok(matcher.holds(["Bash"]) && !matcher.holds(["Edit"]));
  assert.equal(matcher.tool?.({ names: ["Bash"], input: { command: "npm test" }, cwd: "/" }, "deny"), false);
  assert.ok(fits("mcp__memory__(create|update)", "mcp__memory__update"));
});

test("[CT7, C73, R10] Bash(git *) and Bash(git:*) match any simple command whose program is git", () => {
  for (const pattern of ["Bash(git *)", "Bash(git:*)"]) {
    for (const line of ["git status", "git", "cd x && git push", "/usr/bin/git log"])
      assert.equal(runs(pattern, line), true, line);
    for (const line of ["npm test", "gitk", "echo git"]) assert.equal(runs(pattern, line), false, line);
  }
});

test("[C73a, R10] the words of a command pattern are whole words", () => {
  assert.equal(runs("Bash(git commit:*)", "git commit -m x"), true);
  assert.equal(runs("Bash(git commit:*)", "git commit-tree x"), false);
  assert.equal(runs("Bash(npm run test)", "npm run test"), true);
  assert.equal(runs("Bash(npm run test)", "npm run test --watch"), false);
  assert.equal(runs("Bash(git * --force)", "git push origin main --force"), true);
  assert.equal(runs("Bash(git * --force)", 'git commit -m "never --force"'), false);
  assert.equal(runs("Bash(git*)", "gitk --all"), true);
  assert.equal(runs('Bash(git commit -m "fix it")', 'git commit -m "fix it"'), true);
  assert.equal(runs("Bash(git commit -m fix it)", 'git commit -m "fix it"'), false);
  assert.equal(runs("Bash(expr 2 \\* 3)", "expr 2 '*' 3"), true);
});

test("[C73a] a tool's bare name matches each of its calls, and brackets around nothing do, too", () => {
  for (const pattern of ["Bash", "Bash()", "Bash(*)", "shell", "shell(*)"])
    assert.equal(runs(pattern, "ls $("), true, pattern);
  assert.equal(asks("Bash", "Edit", {}), false);
});

test("[R10] a line that cannot be analysed is neither a match nor none, and is allowed by nothing", () => {
  assert.equal(runs("Bash(git *)", "echo $("), "unknown");
  assert.equal(runs("Bash(git *)", "$x push"), "unknown");
  assert.equal(runs("Bash(git push:*)", "git $x"), "unknown");
  assert.equal(runs("Bash(git push --force:*)", "git push $x"), "unknown");
  assert.equal(runs("Bash(rm -rf /)", "rm -rf $x"), false);
  assert.equal(asks("PowerShell(git *)", "PowerShell", { command: "git push" }), "unknown");
  assert.equal(asks("shell(git *)", "Bash", { command: ["git", "push"] }), "unknown");
});

test("[R10] a pattern allows a line only if it surely matches every command in it", () => {
  assert.equal(runs("Bash(git *)", "git status && git log", "allow"), true);
  assert.equal(runs("Bash(git *)", "git status && rm x", "allow"), false);
  assert.equal(runs("Bash(git *)", "sudo git status", "allow"), false);
  assert.equal(runs("Bash(git *)", "echo $(", "allow"), "unknown");
  assert.equal(runs("Bash(git *)", "", "allow"), false);
});

test("[R12] a file pattern without a slash is the base name in any folder", () => {
  assert.equal(edits("Edit(*.ts)", "/srv/app/src/a.ts"), true);
  assert.equal(edits("Edit(*.ts)", "a.js"), false);
  assert.equal(edits("Edit(.env)", "/x/.env"), true);
  assert.equal(edits("Edit(*.{ts,tsx})", "/x/a.tsx"), true);
});

test("[R12] dot files match only patterns that say so", () => {
  assert.equal(edits("Edit(*)", ".env"), true);
  assert.equal(edits("Edit(*.ts)", ".a.ts"), false);
  assert.equal(edits("Edit(./src/**)", "src/.git/x"), false);
  assert.equal(edits("Edit(./src/.git/**)", "src/.git/x"), true);
});

test("[C73a] a file pattern says where it starts", () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ["Edit(./src/**)", "src/a/b.ts", true],
    ["Edit(./src/**)", "/srv/app/src/a.ts", true],
    ["Edit(src/*.ts)", "./src/x/../a.ts", true],
    ["Edit(src/*.ts)", "src/x/a.ts", false],
    ["Edit(/app/**)", "/srv/app/a", true],
    ["Edit(/app/**)", "/app/a", false],
    ["Edit(//etc/**)", "/etc/passwd", true],
    ["Edit(//etc/**)", "../../etc/passwd", true],
    ["Edit(~/.ssh/**)", "/home/ada/.ssh/id", true],
    ["Edit(~/.ssh/**)", "/home/bob/.ssh/id", false],
    ["Edit(./secrets)", "secrets/a/b", true],
    ["Edit(secrets/)", "secrets/a", true],
    ["Edit(./secrets)", "secrets.md", false],
    ["Edit(app/**)", "/srv/app/a", true],
  ];
  for (const [pattern, path, expected] of table) assert.equal(edits(pattern, path), expected, `${pattern} ${path}`);
});

test("[C73a] each tool is compared by its own field", () => {
  assert.equal(asks("Read(*.md)", "Read", { file_path: "/x/a.md" }), true);
  assert.equal(asks("NotebookEdit(*.ipynb)", "NotebookEdit", { notebook_path: "/x/a.ipynb" }), true);
  assert.equal(asks("Glob(src/**)", "Glob", { pattern: "src/**/*.ts" }), true);
  assert.equal(asks("Grep(TODO*)", "Grep", { pattern: "TODO: x" }), true);
  assert.equal(asks("Skill(deploy)", "Skill", { skill: "deploy" }), true);
  assert.equal(asks("Agent(Explore)", "Agent", { subagent_type: "Explore" }), true);
  assert.equal(asks("WebFetch(domain:example.com)", "WebFetch", { url: "https://EXAMPLE.com:8080/x" }), true);
  assert.equal(asks("WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com.evil.net/" }), false);
  assert.equal(asks("WebFetch(domain:*.example.com)", "WebFetch", { url: "https://a.example.com" }), true);
  assert.equal(asks("WebFetch(domain:example.com)", "WebFetch", { url: "nonsense" }), "unknown");
  assert.equal(asks("mcp__files__write(*.md)", "mcp__files__write", { path: "/x/a.md" }), true);
  assert.equal(asks("mcp__find__search(foo*)", "mcp__find__search", { pattern: "foo(" }), true);
  assert.equal(asks("Agent(Explore)", "Agent", {}), false);
  assert.equal(asks("Grep(TODO*)", "Grep", {}), false);
});

test("a shell line or a file that a call does not name is not known, and no pattern takes it for another", () => {
  for (const [pattern, tool] of [
    ["Read(*.md)", "Read"],
    ["write(*.md)", "Edit"],
    ["Bash(rm *)", "Bash"],
  ] as const)
    assert.equal(asks(pattern, tool, { other: "x" }), "unknown", pattern);
});

test("[R11] a tool pattern may name a class, a server or a wildcard", () => {
  assert.equal(asks("shell(git *)", "Bash", { command: "git x" }), true);
  assert.equal(asks("write(*.ts)", "MultiEdit", { file_path: "a.ts" }), true);
  assert.equal(asks("write(*.ts)", "Read", { file_path: "a.ts" }), false);
  assert.equal(asks("mcp__files__*", "mcp__files__write", {}), true);
  assert.equal(asks("mcp__files", "mcp__files__write", {}), true);
  assert.equal(asks("mcp__files", "mcp__filesystem__write", {}), false);
  assert.equal(asks("Bash(git *)", ["Bash", "exec_command"], { command: "git x" }), true);
});

test("[SD6, T8] a broken tool pattern or a glob that could explode is an error", () => {
  for (const pattern of [
    "Bash(",
    "a b(c)",
    "(x)",
    "",
    "Edit(+(a|b))",
    "Edit(**/{a,b}/**/c/**/d)",
    "Edit(*a*b*c*d[x])",
    `Edit([${"x".repeat(2000)}])`,
  ]) {
    assert.throws(() => compileToolPattern(pattern, patterns), { code: "pattern_invalid" }, pattern);
  }
});

test("several tool patterns in one are an error that shows the right form", () => {
  const joined = [
    "Bash(git *)|Edit(*.ts)",
    "Bash(git *) | Edit(*.ts)",
    "Edit|Bash(git push *)",
    "Bash(git push *)|Edit",
    "Bash(git *), Edit(*.ts)",
    "Bash(git *) Edit(*.ts)",
    "shell(git *)|mcp__files__write(*.md)",
  ];
  for (const source of joined) {
    const advice = /write one hook for each: \w+/;
    assert.throws(() => compileMatcher(source, patterns, { names: "tool" }), {
      code: "pattern_invalid",
      message: advice,
    });
    assert.throws(() => compileToolPattern(source, patterns), { code: "pattern_invalid" }, source);
  }
  assert.equal(runs("Bash(echo (a)|b *)", "echo '(a)|b' c"), true);
  assert.equal(runs('Bash(echo "x)|Edit(y" *)', "echo 'x)|Edit(y' c"), true);
  assert.ok(fits("Bash(Output)?|Edit", "BashOutput") && fits("mcp__(a|b)__(x|y)", "mcp__a__x"));
});

test("[T8] hostile patterns and texts take linear time", () => {
  const text = `${"a".repeat(5000)}!`;
  const started = performance.now();
  compileMatcher("(a+)+$", patterns, { names: "tool" }).holds([text]);
  compileMatcher(`${".*a".repeat(40)}b`, patterns, { names: "tool" }).holds([text]);
  compileToolPattern(`Grep(${"*a".repeat(40)}b)`, patterns)(
    { names: ["Grep"], input: { pattern: text }, cwd: "/" },
    "deny",
  );
  edits(`Edit(${"*a".repeat(40)}b)`, text);
  edits("Edit([a]*a*a*b)", `/${"a".repeat(255)}`);
  runs(`Bash(${"*a".repeat(40)}b)`, text);
  assert.ok(performance.now() - started < 600_000);
});

test("[R9] the expressions read without an engine answer as RegExp does", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    "ab",
    ".*",
    ".+",
    ".*?",
    "^",
    "$",
    "|",
    "(",
    "(?:",
    ")",
    "\\.",
    "\\(",
    "_",
    " ",
    "\\d",
    "x?",
    "[ab]",
    "(a|b)",
    "^(a|.*b)$",
  );
  const piece = fc.constantFrom("a", "b", "_", ".", " ", "\n", "\r", "(", "ab", "\u2028");
  let compared = 0;
  fc.assert(
    fc.property(fc.array(atom, { maxLength: 7 }), fc.array(piece, { maxLength: 7 }), (atoms, pieces) => {
      const [source, text] = [atoms.join(""), pieces.join("")];
      const own = compilePlainExpression(source);
      if (!own) return;
      compared++;
      assert.equal(own(text), new RegExp(source).test(text));
    }),
    { numRuns: 3_000 },
  );
  assert.ok(compared > 300);
});

test("[R12] the globs read without a library answer as the library does", () => {
  const part = fc
    .array(fc.constantFrom("a", "b", ".", "*", "?"), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(""));
  const glob = fc.array(fc.oneof(part, fc.constant("**")), { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
  const name = fc.array(fc.constantFrom("a", "b", "."), { minLength: 1, maxLength: 4 }).map((all) => all.join(""));
  const path = fc
    .array(
      name.filter((one) => one !== "." && one !== ".."),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => all.join("/"));
  let compared = 0;
  fc.assert(
    fc.property(glob, path, (source, text) => {
      const own = compilePlainGlob(source);
      if (!own) return;
      compared++;
      assert.equal(own(text), picomatch(source, { nonegate: true })(text), `${source} ${text}`);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(compared > 300);
});

test("[D39] a wildcard covers the whole text and knows * and ? alone", () => {
  assert.ok(compileWildcard("mcp__*__read?")("mcp__x__y__reads"));
  assert.ok(!compileWildcard("Bash")("bash") && !compileWildcard("B*")("aB") && compileWildcard("a.[b]")("a.[b]"));
});
