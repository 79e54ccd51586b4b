/** What the built-in guard and the pack say of calls whose input comes in other forms: texts, lists, files in any field, code, nothing at all. */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { type TestContext, test } from "node:test";
import { codex } from "../../src/agents/codex/adapter.ts";
import type { Fields, Json } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { judgeOf, workspace } from "./judge.ts";

type Call = readonly [tool: string, input: Json | undefined];

const dataOf = ([tool, input]: Call): Fields => ({
  tool_name: tool,
  ...(input === undefined ? {} : { tool_input: input }),
});

/** Of a call as each of the two sees it alone. */
async function passedBy(t: TestContext, by: "guard" | "pack", calls: readonly Call[]): Promise<Call[]> {
  const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
  const line = lineOf(t, { hooks: [hook] });
  const judge = await judgeOf("standard");
  const passed: Call[] = [];
  for (const call of calls) {
    const data = dataOf(call);
    const isStopped =
      by === "guard"
        ? (await line.emit("PreToolUse", data, { cwd: workspace })).verdict !== undefined
        : judge.call(data).decision !== "pass";
    if (!isStopped) passed.push(call);
  }
  return passed;
}

const settings = ".claude/settings.json";
const added = `*** Begin Patch\n*** Add File: ${settings}\n+{}\n*** End Patch`;
const moved = `*** Begin Patch\n*** Update File: a.json\n*** Move to: ${settings}\n@@\n-1\n+2\n*** End Patch`;
const harmless = "*** Begin Patch\n*** Add File: src/a.ts\n+1\n*** End Patch";
const formsOf = (patch: string): Json[] => [
  patch,
  { command: patch },
  { input: patch },
  { explanation: "tidy", patch },
  { arguments: { input: patch } },
  [patch],
  JSON.stringify({ input: patch }),
  JSON.stringify(patch),
  { input: JSON.stringify({ patch }) },
];

test("a patch that changes hook files is asked about in whatever form it comes, from Codex and for any tool that edits", async (t) => {
  for (const patch of [added, moved]) {
    const calls = ["apply_patch", "Edit", "Write", "mcp__files__apply_patch", "MultiEdit"].flatMap((tool) =>
      formsOf(patch).map((input): Call => [tool, input]),
    );
    assert.deepEqual(await passedBy(t, "guard", calls), []);
    for (const input of [...formsOf(patch), { command: ["apply_patch", patch] }]) {
      const events = codex.decode(
        { session_id: "s", cwd: workspace, hook_event_name: "PreToolUse", tool_name: "apply_patch", tool_input: input },
        { id: () => "1", at: 0 },
      );
      const decoded = events.map(({ data }): Call => [String(data.tool_name), data.tool_input]);
      assert.ok((await passedBy(t, "guard", decoded)).length < decoded.length, JSON.stringify(input));
    }
  }
  const calm = formsOf(harmless).map((input): Call => ["Edit", input]);
  assert.deepEqual(await passedBy(t, "guard", calm), calm);
});

test("Codex applies a patch in a shell line of whatever tool, and hooks see its files", async (t) => {
  const line = `apply_patch <<'EOF'\n${added}\nEOF`;
  for (const [tool, input] of [
    ["Bash", { command: line }],
    ["Bash", line],
    ["exec_command", { cmd: line }],
    ["shell", { command: ["bash", "-lc", line] }],
  ] as const) {
    const events = codex.decode(
      { session_id: "s", cwd: workspace, hook_event_name: "PreToolUse", tool_name: tool, tool_input: input as Json },
      { id: () => "1", at: 0 },
    );
    const decoded = events.map(({ data }): Call => [String(data.tool_name), data.tool_input]);
    assert.ok((await passedBy(t, "guard", decoded)).length < decoded.length, tool);
  }
});

const pushes = [
  'execSync("git push --force")',
  'const { execSync } = require("node:child_process");\nexecSync("git push --force");',
  'require("child_process").spawnSync("git", ["push", "--force"])',
];

test("code that any tool is given is read as its language, in whatever field it stands", async (t) => {
  const calls = pushes.flatMap((code): Call[] => [
    ["js_repl", { code }],
    ["js_repl", code],
    ["mcp__js__eval", { code }],
    ["mcp__box__do", { javascript: code }],
    ["mcp__box__do", { js: code }],
    ["mcp__box__do", { source: code }],
    ["mcp__box__do", { script: code }],
    ["mcp__box__do", { arguments: JSON.stringify({ code, language: "javascript" }) }],
  ]);
  calls.push(
    ["mcp__py__run", { code: 'import os\nos.system("git push --force")' }],
    ["mcp__box__do", { python: 'subprocess.run(["git", "push", "--force"])' }],
    ["mcp__box__do", { language: "ruby", code: 'system("git", "push", "--force")' }],
  );
  assert.deepEqual(await passedBy(t, "pack", calls), []);
  const writing: Call[] = [
    ["js_repl", { code: `require("fs").writeFileSync("${settings}", "{}")` }],
    ["mcp__py__run", { code: `open("${settings}", "w").write("{}")` }],
  ];
  assert.deepEqual(await passedBy(t, "guard", writing), []);
  const calm: Call[] = [
    ["js_repl", { code: 'console.log([1, 2].map((n) => n * 2).join(", "))' }],
    ["mcp__py__eval", { code: "import json\nprint(json.dumps({'a': 1}))" }],
    ["mcp__db__query", { query: "SELECT count(*) FROM t" }],
    ["mcp__browser__evaluate", { function: "() => document.title" }],
    ["mcp__jupyter__execute_cell", { source: "df.plot()\nplt.show()" }],
    ["mcp__calc__run", { function: "SUM(A1)" }],
    ["mcp__calc__execute", { expression: "foo(bar)" }],
    ["mcp__game__run", { lua: "print('x')" }],
    ["mcp__shop__run", { code: "PROMO (10%)" }],
    ["mcp__notes__add", { source: "meeting", text: "git push --force was refused" }],
  ];
  assert.deepEqual(await passedBy(t, "pack", calm), calm);
  assert.deepEqual(await passedBy(t, "guard", calm), calm);
});

/** One file in the forms in which servers' tools are given files. */
const namings = (path: string): Fields[] => [
  { path },
  { target_file: path },
  { targetFile: path },
  { file: path },
  { files: [{ path, content: "x" }] },
  { files: { [path]: "x" } },
  { paths: ["README.md", path] },
  { edits: [{ file_path: path, old_string: "a", new_string: "b" }] },
  { edits: JSON.stringify([{ path }]) },
  { args: { filePath: path } },
  { "file-path": path },
  { uri: `file://${path.startsWith("/") ? path : `${workspace}/${path}`}` },
  { uri: `file://${`${path.startsWith("/") ? path : `${workspace}/${path}`}`.replace("/.", "/%2e")}` },
  { resource: `file://localhost${path.startsWith("/") ? path : `${workspace}/${path}`}` },
];
const movings = (path: string): Fields[] => [
  { source: "a.json", destination: path },
  { source: path, destination: "b.json" },
  { src: "a.json", dst: path },
  { old_path: "a.json", new_path: path },
  { from: path, to: "b.json" },
  { items: [{ src: "a.json", dest: path }] },
];

test("the line of any tool runs in the folder that the call names for it", async (t) => {
  const calls = ["cwd", "workdir", "working_dir", "workingDirectory", "directory", "dir_path"].flatMap(
    (field): Call[] => [
      ["mcp__shell__exec", { command: "rm -rf Documents", [field]: homedir() }],
      ["mcp__shell__run", { steps: [{ cmd: "rm -rf src # tidy", [field]: "/srv/other" }] }],
    ],
  );
  for (const cwd of ["~/Documents", "file:///srv/other"])
    calls.push(["mcp__shell__exec", { command: "rm -rf src", cwd }]);
  calls.push(["mcp__shell__exec", { command: "rm -rf src", options: { cwd: "/srv/other" } }]);
  assert.deepEqual(await passedBy(t, "pack", calls), []);
  const inside: Call[] = [
    ["mcp__shell__exec", { command: "rm -rf dist\nnpm test", cwd: workspace }],
    ["mcp__shell__exec", { command: "cat <<'E' > a.txt\nx\nE", cwd: `${workspace}/packages/a` }],
    ["mcp__files__list", { directory: homedir() }],
  ];
  for (const by of ["guard", "pack"] as const) assert.deepEqual(await passedBy(t, by, inside), inside);
});

test("statements that a tool gives to a database are judged as those of a shell line", async (t) => {
  const calls: Call[] = [
    ["mcp__postgres__query", { sql: "DROP TABLE users" }],
    ["mcp__supabase__execute_sql", { query: "TRUNCATE users" }],
    ["mcp__supabase__apply_migration", { name: "x", query: "-- tidy\ndrop table users;" }],
    ["mcp__neon__run_sql", { params: { sql: "drop table users" } }],
    ["mcp__mysql__mysql_query", { sql: "drop database shop" }],
    ["mcp__shop__run", { sql: "SELECT 1; DROP TABLE users" }],
    ["mcp__postgres__run", { sqlQuery: "SET x = 1; TRUNCATE users" }],
    ["mcp__sqlite__write_query", { query: "DELETE FROM users" }],
    [
      "mcp__neon__run_sql_transaction",
      { params: { sqlStatements: [], statements: ["begin ", "update users set admin = true"] } },
    ],
  ];
  assert.deepEqual(await passedBy(t, "pack", calls), []);
  const free: Call[] = [
    ["mcp__postgres__query", { sql: "select * from users where name = 'drop table users'" }],
    ["mcp__sqlite__write_query", { query: "insert into logs(msg) values ('x')" }],
    ["mcp__sqlite__write_query", { query: "delete from sessions\nwhere id = 3" }],
    ["mcp__sqlite__write_query", { query: "update users set admin = true where id = 3" }],
    ["mcp__supabase__apply_migration", { query: "create table a (id int)" }],
    ["mcp__github__search_code", { query: "truncate table users in:file" }],
    ["WebSearch", { query: "drop table if exists syntax" }],
    ["mcp__linear__search", { query: "update docs" }],
    ["mcp__shop__graphql", { query: "mutation { drop(id: 1) }" }],
  ];
  for (const by of ["guard", "pack"] as const) assert.deepEqual(await passedBy(t, by, free), free);
});

test("a file is known in whatever field a tool names it, at any depth, and as an address", async (t) => {
  const writers = ["mcp__fs__write_file", "mcp__fs__save", "fs_write", "mcp__fs__fileUpdate", "mcp__fs__do"];
  const calls = writers.flatMap((tool) => namings(settings).map((input): Call => [tool, input]));
  calls.push(
    ...["mcp__fs__move_file", "mcp__fs__copy", "rename_files"].flatMap((tool) =>
      movings(settings).map((input): Call => [tool, input]),
    ),
  );
  assert.deepEqual(await passedBy(t, "guard", calls), []);
  const secrets = [".env", `${homedir()}/.ssh/id_rsa`].flatMap((path) =>
    ["mcp__fs__read_file", "mcp__fs__read", "mcp__fs__get_file_contents", "read_resource"].flatMap((tool) =>
      namings(path).map((input): Call => [tool, input]),
    ),
  );
  assert.deepEqual(await passedBy(t, "pack", secrets), []);
  const calm = [
    ...["src/a.ts", "docs/x.md"].flatMap((path) =>
      [...namings(path), ...movings(path)].map((input): Call => ["mcp__fs__write_file", input]),
    ),
    ...namings(settings).map((input): Call => ["mcp__fs__read_file", input]),
    ...["mcp__fs__list_directory", "mcp__fs__get_file_info"].map((tool): Call => [tool, { path: settings }]),
    ["mcp__mail__send", { to: "ada@example.org", text: "hello" }] satisfies Call,
  ];
  assert.deepEqual(await passedBy(t, "guard", calm), calm);
});

test("a file tool may not put a program in the place of one that everybody calls", async (t) => {
  const path = `${homedir()}/.local/bin/git`;
  assert.deepEqual(await passedBy(t, "pack", [["Write", { file_path: path, content: "x" }]]), []);
  const calm: Call[] = [["Write", { file_path: `${homedir()}/.local/bin/mine`, content: "x" }]];
  assert.deepEqual(await passedBy(t, "guard", calm), calm);
});

test("a search is asked about for what its glob may mean, and names alone are free", async (t) => {
  const home = homedir();
  const calls: Call[] = [
    ...["*.env", ".env*", ".[e]nv", "**/.env", ".en?", "{a,.env}", "**/*.env"].map(
      (glob): Call => ["Grep", { pattern: "K", glob }],
    ),
    ...["id_*", ".aws/*", ".ssh/**", "**/id_rsa", ".aws/cred*", "*_rsa"].map(
      (glob): Call => ["Grep", { pattern: "K", path: home, glob }],
    ),
    ["Grep", { pattern: "K", glob: "~/.ssh/*" }],
    ["Grep", { pattern: "K", path: `${home}/.aws` }],
    ["mcp__fs__search_files", { pattern: "K", path: home, include: ["id_*"] }],
    ["read_many_files", { include: ["*.env"] }],
  ];
  assert.deepEqual(await passedBy(t, "pack", calls), []);
  const calm: Call[] = [
    ...["*.ts", "**/*.tsx", "*.{ts,tsx}", "src/**", "*", "**/*", "*.md", "package*.json"].map(
      (glob): Call => ["Grep", { pattern: "K", glob }],
    ),
    ["Grep", { pattern: "K", path: `${home}/other`, glob: "*.py" }],
    ["Glob", { pattern: "**/*.env" }],
    ["Glob", { pattern: "*.ts", path: home }],
  ];
  assert.deepEqual(await passedBy(t, "pack", calm), calm);
});

test("a call that tells nothing of what it runs or writes passes no guard", async (t) => {
  const calls = [undefined, null, {}, [], ["ls"], 5].flatMap((input): Call[] => [
    ["Bash", input],
    ["Edit", input],
    ["Write", input],
  ]);
  assert.deepEqual(await passedBy(t, "guard", calls), []);
  assert.deepEqual(await passedBy(t, "pack", calls), []);
  const calm = [undefined, null, {}].flatMap((input): Call[] => [
    ["TodoWrite", input],
    ["mcp__time__now", input],
    ["LS", input],
  ]);
  assert.deepEqual(await passedBy(t, "guard", calm), calm);
  assert.deepEqual(await passedBy(t, "pack", calm), calm);
});
