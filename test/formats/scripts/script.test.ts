import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile, fixtures, found, only, said, script } from "../script-helpers.ts";

const example = (name: string) => compile(readFileSync(join(fixtures, name), "utf8"), { name });

test("[E1, E3, E5, E7, E8, E9, E10, E12, ET1] the specification's examples become the hooks that it describes", () => {
  const all = ["install-deps.sh", "setup-environment.sh", "go-fmt.sh", "eslint-fix.sh", "typecheck.sh"].map(example);
  assert.deepEqual(all.flatMap(found), []);
  const common = { family: "discobot" };
  assert.deepEqual(
    all.map((one) => [only(one).name, "event" in only(one).on && only(one).on, said(one)]),
    [
      [
        "Install system deps",
        { event: ["SessionStart"], as: ["SessionStart"] },
        {
          ...common,
          file: "/project/.discobot/hooks/install-deps.sh",
          type: "session",
          slug: "install-deps",
          run_as: "root",
        },
      ],
      [
        "Setup environment",
        { event: ["SessionStart"], as: ["SessionStart"] },
        {
          ...common,
          file: "/project/.discobot/hooks/setup-environment.sh",
          type: "session",
          slug: "setup-environment",
        },
      ],
      [
        "Go format check",
        { event: ["Stop"], as: ["Stop"] },
        { ...common, file: "/project/.discobot/hooks/go-fmt.sh", type: "file", slug: "go-fmt", pattern: "*.go" },
      ],
      [
        "ESLint autofix",
        { event: ["Stop"], as: ["Stop"] },
        {
          ...common,
          file: "/project/.discobot/hooks/eslint-fix.sh",
          type: "file",
          slug: "eslint-fix",
          pattern: "*.{ts,tsx}",
          notify: false,
        },
      ],
      [
        "Type check",
        { event: ["git.pre-commit"], as: ["git.pre-commit"] },
        { ...common, file: "/project/.discobot/hooks/typecheck.sh", type: "pre-commit", slug: "typecheck" },
      ],
    ],
  );
});

test("[E10, E17, E18, R14, R32, R40] the type decides limits, role and failure policy", () => {
  const session = only(example("setup-environment.sh"));
  assert.deepEqual(
    [session.limits, session.mode, session.role, session.onFailure, session.steps[0].timeout, session.priority],
    [{ once: "session", overlap: "queue" }, "sync", "observe", "continue", 315, 100],
  );
  const file = only(example("go-fmt.sh"));
  assert.deepEqual(
    [file.limits, file.role, file.onFailure, file.when],
    [
      { untilPass: true, overlap: "queue" },
      "observe",
      "continue",
      { is: "changed_files", with: { patterns: ["*.go"], root: "/project" } },
    ],
  );
  const commit = only(example("typecheck.sh"));
  assert.deepEqual(
    [commit.limits, commit.role, commit.onFailure, commit.when],
    [{ overlap: "queue" }, "guard", "block", undefined],
  );
  assert.deepEqual(only(compile(script("type: pre-commit", 'pattern: "*.ts"'))).when, {
    is: "changed_files",
    with: { patterns: ["*.ts"], root: "/project" },
  });
});

test("[E3, ET1, ET2] front matter is between ---, #--- or //---, each line with or without the sign of a remark", () => {
  const forms: readonly [string, string][] = [
    ["#---", "# name: A\n# type: session\n"],
    ["#---", "#name: A\n#   type: session\n"],
    ["#---", "name: A\ntype: session\n"],
    ["#---", "# name: A\n\n#\n# # a remark\ntype: session\n"],
    ["//---", "// name: A\n//type: session\n"],
    ["//---", "# name: A\n// type: session\n"],
    ["---", "name: A\ntype: session\n"],
    ["---", "name: A # a remark\n# run_as: root\ntype: session\n"],
    ["---", "# name: A\n# type: session\n"],
    ["--- ", "name: A\r\ntype: session\r\n"],
  ];
  for (const [delimiter, lines] of forms) {
    const compiled = compile(`#!/usr/bin/env node\n${delimiter}\n${lines}${delimiter}\n`);
    assert.deepEqual(found(compiled), [], lines);
    assert.deepEqual(
      [only(compiled).name, said(compiled).type, said(compiled).run_as],
      ["A", "session", undefined],
      lines,
    );
  }
});

test("[E3, ET2] values are texts: quotes are taken off, and true, numbers and lists are words", () => {
  const name = (written: string): [string, string[]] => {
    const compiled = compile(script("type: session", `name: ${written}`));
    return [only(compiled).name, found(compiled)];
  };
  const literal = ["4:9 warning syntax"];
  assert.deepEqual(name("'x'"), ["x", []]);
  assert.deepEqual(name('"x"'), ["x", []]);
  assert.deepEqual(name('"it\'s"'), ["it's", []]);
  assert.deepEqual(name("true"), ["true", []]);
  assert.deepEqual(name("1.0"), ["1.0", []]);
  assert.deepEqual(name("null"), ["null", []]);
  assert.deepEqual(name("2026-01-01"), ["2026-01-01", []]);
  assert.deepEqual(name("Go # fast"), ["Go", []], "a remark is YAML's");
  assert.deepEqual(name("C#"), ["C#", []]);
  assert.deepEqual(name('"Go" check'), ['"Go" check', literal]);
  assert.deepEqual(name("fmt: go"), ["fmt: go", literal]);
  assert.deepEqual(name("*.go # files"), ["*.go", literal]);
  assert.deepEqual(name("@team"), ["@team", literal]);
  assert.deepEqual(name("!x y"), ["!x y", literal]);
  assert.deepEqual(name("&x y"), ["&x y", literal]);
  assert.deepEqual(name("{a,b}.ts"), ["{a,b}.ts", literal]);
  assert.deepEqual(name('"\\d+"'), ["\\d+", literal]);
  assert.deepEqual(name('"open'), ['"open', literal]);
  const [warning] = compile(script("type: file", "pattern: *.{ts,tsx}")).problems;
  assert.deepEqual([warning?.line, warning?.column, warning?.suggestion], [4, 12, 'write "*.{ts,tsx}"']);
  assert.equal(said(compile(script("type: file", "pattern: *.{ts,tsx}"))).pattern, "*.{ts,tsx}");
  assert.equal(said(compile(script("type: file", 'pattern: "src/**/*.go"'))).pattern, "src/**/*.go");
});

test("[E6] a description may go over several lines, as YAML has them", () => {
  const folded = script("type: session", "description: >", "  Sets up", "  all: of it", "name: A");
  assert.deepEqual([only(compile(folded)).summary, only(compile(folded)).name], ["Sets up all: of it", "A"]);
  assert.equal(
    only(compile(script("description: Sets up", "  the rest", "type: session"))).summary,
    "Sets up the rest",
  );
});

test("[E3] a field that is indented too far is still a field, and a line that is no field is reported", () => {
  assert.equal(only(compile(script("name: A", "  type: session"))).name, "A");
  assert.equal(only(compile(script("name:", "  type: session"))).name, "go-fmt.sh");
  const strange = compile(script("type: session", "this sets up the workspace", "name:A"));
  assert.deepEqual(found(strange), ["4:2 warning syntax", "5:2 warning syntax"]);
  assert.equal(only(strange).name, "go-fmt.sh");
});

test("[E4] without a name the file's name is shown; the id is made of it", () => {
  assert.equal(only(compile(script("type: session"))).name, "go-fmt.sh");
  const slug = (name: string): unknown => said(compile(script("type: session"), { name })).slug;
  assert.deepEqual(
    ["Go-Fmt.SH", "a.b.test.sh", "my hook!.py", "-x-.rb", "_a_.js", "run", "x.tar.gz", "b.sh.bak.php"].map(slug),
    ["go-fmt", "a-b-test", "myhook", "x", "_a_", "run", "x-tar-gz", "b-sh-bak"],
  );
  assert.match(String(slug("日本.sh")), /^script-[0-9a-f]{8}$/);
  const { id } = only(compile(script("type: session")));
  assert.match(id, /^script:\.discobot\/hooks\/go-fmt\.sh@[0-9a-f]{8}$/);
});

test("[E5, ET1] a type that is missing or wrong is an error at its place, with the one that was meant", () => {
  const missing = compile(script("name: A"));
  assert.deepEqual([found(missing), missing.hooks], [["2:1 error missing-field"], []]);
  const wrong = compile(script("type: sesion"));
  assert.deepEqual([found(wrong), wrong.hooks], [["3:9 error unknown-type"], []]);
  assert.equal(wrong.problems[0]?.suggestion, 'did you mean "session"?');
});

test("[R76] a script whose front matter is broken is no hook, and its file is known to have lost one", () => {
  const broken = [
    script("type: pre-comit"),
    script("type: PreCommit"),
    script("type: pre_commit"),
    "#!/bin/bash\n#---\n# type: pre-commit\npnpm typecheck\n",
    "#!/bin/bash\n#---\n# type: pre-commit\n---\npnpm typecheck\n",
    "#!/bin/bash\n# ---\n# type: pre-commit\n# ---\npnpm typecheck\n",
    "#!/bin/bash\nset -e\n#---\n# type: pre-commit\n#---\npnpm typecheck\n",
  ];
  for (const text of broken) {
    const compiled = compile(text);
    assert.deepEqual(compiled.hooks, [], text);
    assert.equal(compiled.problems.at(-1)?.loses, true, text);
  }
});

test("[E7, ET1] run_as is root or user; anything else is user, and reported", () => {
  const of = (written: string) => compile(script("type: session", `run_as: ${written}`));
  assert.equal(said(of("root")).run_as, "root");
  assert.equal(said(of("user")).run_as, undefined);
  for (const other of ["admin", "Root", "0"]) {
    assert.equal(said(of(other)).run_as, undefined);
    assert.deepEqual(found(of(other)), ["4:11 error wrong-type"]);
  }
});

test("[E8] a file script without a pattern is an error, and so is a list of patterns", () => {
  assert.deepEqual(found(compile(script("type: file"))), ["3:3 error missing-field"]);
  assert.deepEqual(found(compile(script("type: file", "pattern:"))), ["4:3 error missing-field"]);
  assert.deepEqual(found(compile(script("type: file", 'pattern: ["*.go", "*.ts"]'))), ["4:12 error wrong-type"]);
  assert.deepEqual(found(compile(script("type: file", "pattern:", "- '*.go'", "- '*.ts'"))), ["4:11 error wrong-type"]);
  assert.equal(compile(script("type: file", "pattern:", "- '*.go'")).hooks.length, 0);
  assert.deepEqual(found(compile(script("type: file", `pattern: "${"x".repeat(2_000)}"`))), [
    "4:12 error matcher-invalid",
  ]);
});

test("[E8] a pattern that fits no file's name is reported at its place, with the likely one", () => {
  const warned = (pattern: string): string[] =>
    compile(script("type: file", `pattern: ${JSON.stringify(pattern)}`)).problems.map(
      ({ line, column, severity, code, message, suggestion }) =>
        `${line}:${column} ${severity} ${code} ${message} (${suggestion})`,
    );
  const place = "4:12 warning matcher-never";
  assert.deepEqual(warned("*.go, *.md"), [
    `${place} "*.go, *.md" is one pattern, and no file is likely to be called so: the script may never run (write "{*.go,*.md}")`,
  ]);
  assert.match(warned("*.ts,src/**/*.js")[0] ?? "", /\(write "\{\*\.ts,src\/\*\*\/\*\.js\}"\)$/);
  assert.match(warned("src/")[0] ?? "", /"src\/" ends as a folder.* never runs \(write "src\/\*\*"\)$/);
  assert.match(warned("../**")[0] ?? "", /"\.\.\/\*\*" leads out of .* never runs/);
  assert.match(warned("src/../a.go")[0] ?? "", /leads out of/);
  assert.match(warned("!*.go")[0] ?? "", /"!" at its beginning excludes nothing/);
  assert.match(warned("src/[a")[0] ?? "", /"\[" in "src\/\[a" is not closed/);
  assert.match(warned("*.{ts,tsx")[0] ?? "", /"\{" in .* is not closed/);
  const fine = [
    "{*.go,*.md}",
    "src/**",
    "./a/*",
    "/a/*",
    "!(a|b).go",
    "a[bc].go",
    "*,v",
    "[!a]*",
    "\\[a",
    "a.[]b]",
    "..a",
  ];
  assert.deepEqual(fine.flatMap(warned), []);
});

test("[E9, ET1] false, no and 0 mean no in any case; other words count as true and are reported", () => {
  const notify = (written: string) => compile(script("type: file", "pattern: a", `notify_llm: ${written}`));
  for (const no of ["false", "no", "0", "False", "NO", '"false"']) assert.equal(said(notify(no)).notify, false, no);
  for (const yes of ["true", "yes", "1"])
    assert.deepEqual([said(notify(yes)).notify, found(notify(yes))], [undefined, []]);
  assert.deepEqual([said(notify("flase")).notify, found(notify("flase"))], [undefined, ["5:15 warning wrong-type"]]);
  const commit = compile(script("type: pre-commit", "notify_llm: false"));
  assert.deepEqual([said(commit).notify, found(commit)], [undefined, []], "reserved");
});

test("[ET2, R32, R42] blocking false puts a session script in the background; true and nothing do not", () => {
  const mode = (...lines: string[]): string => only(compile(script("type: session", ...lines))).mode;
  assert.deepEqual([mode("blocking: true"), mode("blocking: false"), mode()], ["sync", "async", "sync"]);
});

test("a timeout in seconds is the script's own, and one that is none leaves the default", () => {
  const of = (written: string) => compile(script("type: session", `timeout: ${written}`));
  assert.deepEqual([said(of("20")).limit, only(of("20")).steps[0].timeout], [20, 35]);
  assert.deepEqual([said(of("soon")).limit, only(of("soon")).steps[0].timeout], [undefined, 315]);
  assert.deepEqual(found(of("0")), ["4:12 error wrong-type"]);
  assert.deepEqual([of("5m").problems, said(of("5m")).limit], [[], 300]);
});

test("fields that nothing reads, that are written twice or that do not fit the type are reported", () => {
  assert.deepEqual(found(compile(script("type: session", "patern: x", "http: 3000"))), [
    "4:3 warning unknown-field",
    "5:3 warning unknown-field",
  ]);
  assert.equal(compile(script("type: session", "patern: x")).problems[0]?.suggestion, 'did you mean "pattern"?');
  assert.deepEqual(found(compile(script("type: session", 'pattern: "*.go"'))), ["4:3 warning ignored-field"]);
  assert.deepEqual(found(compile(script("type: file", 'pattern: "*.go"', "run_as: root"))), [
    "5:3 warning ignored-field",
  ]);
  const twice = compile(script("type: session", "name: A", "name: B"));
  assert.deepEqual([found(twice), only(twice).name], [["5:3 error duplicate-key"], "B"]);
});

test("[E3, E9a, ET2] a front matter that is not closed is an error, and no line of the script becomes a field", () => {
  for (const text of [
    "#!/bin/bash\n#---\n# type: session\nname: from the script\necho hello\n",
    "#!/bin/bash\n#---\n# type: session\necho hello\n#---\n",
    "#!/bin/bash\n#---\n# type: session\n//---\necho hello\n",
    "#!/bin/bash\n---\ntype: session\n#---\n",
    "#!/bin/bash\n//---\n",
  ]) {
    const compiled = compile(text);
    assert.equal(compiled.hooks.length, 0, text);
    assert.deepEqual(
      compiled.problems.map(({ severity, code, loses }) => [severity, code, loses]),
      [["error", "syntax", true]],
      text,
    );
  }
});

test("[E9a, ET1] a file that cannot start is no hook, and reported: no #! line, no execute bit, a byte order mark", () => {
  const text = script("type: pre-commit");
  const start = (compiled: ReturnType<typeof compile>) => [compiled.hooks.length, found(compiled)];
  assert.deepEqual(start(compile(text, { isExecutable: false })), [0, ["1:1 error not-executable"]]);
  assert.deepEqual(start(compile(text.replace("#!/bin/bash\n", ""))), [0, ["1:1 error not-executable"]]);
  assert.deepEqual(start(compile(`\uFEFF${text}`)), [0, ["1:1 error not-executable"]]);
  const windows = compile(text.replaceAll("\n", "\r\n"));
  assert.deepEqual(start(windows), [1, ["1:1 error not-executable"]], "its guard fails when it is run");
});

test("[E9a] where files have no execute bit, none is asked for", () => {
  const { hooks, problems } = compile(script("type: session").replaceAll("\n", "\r\n"), { isExecutable: undefined });
  assert.deepEqual([hooks.length, problems], [1, []]);
});

test("[E9a, ET1] other files next to scripts are no error: a page, a helper, a program; a script without its front matter is reported", () => {
  const of = (text: string, isExecutable: boolean) => {
    const compiled = compile(text, { isExecutable });
    assert.equal(compiled.hooks.length, 0);
    return [found(compiled), compiled.isOther];
  };
  assert.deepEqual(of("", false), [[], true]);
  assert.deepEqual(of("# Our hooks\n\nRead on.\n", false), [[], true]);
  assert.deepEqual(of("---\ntitle: Our hooks\n---\n", false), [[], true]);
  assert.deepEqual(of("helper() { true; }\n", false), [[], true]);
  assert.deepEqual(of("#!/bin/sh\nhelper() { true; }\n", false), [["1:1 note missing-field"], false]);
  assert.deepEqual(of("\x7fELF\0\0", true), [["1:1 note missing-field"], false]);
  assert.deepEqual(of("#!/bin/sh\ntrue\n", true), [["1:1 warning missing-field"], false]);
  const [node] = compile("#!/usr/bin/env node\n").problems;
  assert.match(node?.suggestion ?? "", /^write \/\/---/);
});
