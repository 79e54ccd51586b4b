import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileTools } from "../../src/actions/model/tools.ts";
import type { Fields, Json } from "../../src/engine/event.ts";
import { fileToolNames } from "../../src/engine/named.ts";
import { temporaryFolder } from "./context.ts";

const never = new AbortController().signal;

/** A project beside a secret that lies outside of it. */
function setUp(t: TestContext): { root: string; call(tool: string, input: Fields): Promise<Json> } {
  const folder = temporaryFolder(t);
  const root = join(folder, "project");
  for (const one of ["project", "project/src", "project/.git", "project-other"]) mkdirSync(join(folder, one));
  writeFileSync(join(folder, "secret.txt"), "the secret");
  writeFileSync(join(folder, "project-other", "secret.txt"), "the secret");
  writeFileSync(join(root, "readme.md"), "# Read Me\nsecond line\n");
  writeFileSync(join(root, "src", "a.ts"), "const Answer = 42;\n");
  writeFileSync(join(root, ".git", "config"), "Answer = git");
  const tools = fileTools(root);
  return {
    root,
    call: (tool, input) => tools.find(({ name }) => name === tool)?.call(input, never) ?? assert.fail(tool),
  };
}

/** As somebody whom rights hold for. */
async function asPerson<T>(work: () => Promise<T>): Promise<T> {
  const { seteuid, geteuid } = process;
  if (geteuid?.() !== 0 || !seteuid) return work();
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}

test("a folder that may not be read is skipped, and reported if it was asked for, without an absolute path", async (t) => {
  const { root, call } = setUp(t);
  const closed = join(root, "closed");
  mkdirSync(closed);
  writeFileSync(join(root, "closed.txt"), "Answer = 43");
  for (const folder of [join(root, ".."), root]) chmodSync(folder, 0o755);
  for (const path of [closed, join(root, "closed.txt")]) chmodSync(path, 0);
  await asPerson(async () => {
    const files = ["closed/", "closed.txt", "readme.md", "src/", "src/a.ts"].sort();
    assert.deepEqual(Object(await call("list_files", {})).files.sort(), files);
    assert.deepEqual(await call("search", { text: "answer" }), { matches: ["src/a.ts:1: const Answer = 42;"] });
    await assert.rejects(call("list_files", { path: "closed" }), /^Error: closed may not be read$/);
    await assert.rejects(call("search", { text: "a", path: "closed" }), /^Error: closed may not be read$/);
    await assert.rejects(call("read_file", { path: "closed.txt" }), /^Error: closed.txt may not be read$/);
  }).finally(() => chmodSync(closed, 0o755)); // so that it can be taken away
});

test("lists of tools are checked by the names that the files' tools have", () =>
  assert.deepEqual(
    fileTools("/").map(({ name }) => name),
    fileToolNames,
  ));

test("a file is read, and a long one in parts", async (t) => {
  const { root, call } = setUp(t);
  assert.deepEqual(await call("read_file", { path: "readme.md" }), { text: "# Read Me\nsecond line\n", size: 22 });
  writeFileSync(join(root, "long.txt"), "x".repeat(100_000));
  const first = Object(await call("read_file", { path: "long.txt" }));
  assert.deepEqual([first.text.length, first.next_offset], [49_152, 49_152]);
  const last = Object(await call("read_file", { path: "long.txt", offset: 98_304 }));
  assert.deepEqual([last.text.length, last.next_offset], [1_696, undefined]);
});

test("[R28] nothing outside of the project is reached: not by dots, not by an absolute path, not by a link", async (t) => {
  const { root, call } = setUp(t);
  symlinkSync("../secret.txt", join(root, "link.txt"));
  symlinkSync("..", join(root, "up"));
  symlinkSync("/", join(root, "src", "everything"));
  const ways = [
    "../secret.txt",
    "src/../../secret.txt",
    join(root, "../secret.txt"),
    "link.txt",
    "up/secret.txt",
    "../project-other/secret.txt",
    "src/everything/etc/passwd",
    "/etc/passwd",
  ];
  for (const path of ways) {
    await assert.rejects(call("read_file", { path }), /lies outside of the project/, path);
    await assert.rejects(call("search", { text: "secret", path }), /lies outside of the project/, path);
  }
  for (const path of ["..", "/", "up", "src/everything"])
    await assert.rejects(call("list_files", { path }), /lies outside of the project/, path);
  assert.deepEqual(await call("search", { text: "the secret" }), { matches: [] });
  assert.deepEqual(await call("list_files", {}), { files: ["readme.md", "src/", "src/a.ts"] });
});

test("a link that stays inside is followed", async (t) => {
  const { root, call } = setUp(t);
  symlinkSync("src/a.ts", join(root, "inside.ts"));
  assert.match(String(Object(await call("read_file", { path: "inside.ts" })).text), /Answer/);
});

test("what is no text file is refused, and a pipe is not waited for", async (t) => {
  const { root, call } = setUp(t);
  writeFileSync(join(root, "image.png"), Buffer.from([1, 0, 2]));
  execFileSync("mkfifo", [join(root, "pipe")]);
  await assert.rejects(call("read_file", { path: "image.png" }), /image\.png is no text/);
  await assert.rejects(call("read_file", { path: "pipe" }), /pipe is no file/);
  await assert.rejects(call("read_file", { path: "src" }), /src is no file/);
  await assert.rejects(call("read_file", { path: "missing.ts" }), /there is no missing\.ts/);
  await assert.rejects(call("read_file", { path: 7 }), /path needs text/);
  await assert.rejects(call("list_files", { path: "readme.md" }), /readme\.md is no folder/);
});

test("a search finds lines with their places, whatever their case, and looks at one file or folder if it is named", async (t) => {
  const { call } = setUp(t);
  assert.deepEqual(await call("search", { text: "answer" }), { matches: ["src/a.ts:1: const Answer = 42;"] });
  assert.deepEqual(await call("search", { text: "SECOND", path: "readme.md" }), {
    matches: ["readme.md:2: second line"],
  });
  assert.deepEqual(await call("search", { text: "second", path: "src" }), { matches: [] });
  assert.deepEqual(await call("search", { text: "(.*" }), { matches: [] });
});

test("much is cut, and says so", async (t) => {
  const { root, call } = setUp(t);
  mkdirSync(join(root, "many"));
  for (let index = 0; index < 510; index++) writeFileSync(join(root, "many", `f${index}`), "a needle\n");
  const listed = Object(await call("list_files", { path: "many" }));
  assert.deepEqual([listed.files.length, listed.cut], [500, true]);
  const found = Object(await call("search", { text: "needle" }));
  assert.deepEqual([found.matches.length, found.cut], [100, true]);
  writeFileSync(join(root, "huge.txt"), "x".repeat(2 << 20));
  assert.deepEqual(await call("search", { text: "xxxx" }), { matches: [] });
});

test("who gives up is obeyed", async (t) => {
  const { root } = setUp(t);
  const [, list] = fileTools(root);
  assert.deepEqual(await list?.call({}, AbortSignal.abort()), { files: [] });
});
