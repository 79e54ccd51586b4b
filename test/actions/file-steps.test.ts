/** The steps that look at files: read_file and list_files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { test } from "node:test";
import { outputOf, runStep, temporaryFolder } from "./step-context.ts";

test("[A26, AT14] read_file gives the lines of a file, as many as were asked for, and no line break at the end", async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, "three.txt"), "\uFEFFline 1\r\nline 2\nline 3\n\n\n");
  const three = { content: "line 1\nline 2\nline 3", _step_index: 0 };
  assert.deepEqual(await outputOf("read_file", { path: "three.txt" }, { root }), three);
  assert.deepEqual(await outputOf("read_file", { path: join(root, "three.txt") }, { cwd: "/" }), three);
  assert.equal((await outputOf("read_file", { path: "three.txt", max_lines: 2 }, { root })).content, "line 1\nline 2");
  writeFileSync(join(root, "many.txt"), Array.from({ length: 600 }, (_, index) => `${index}`).join("\n"));
  const many = String((await outputOf("read_file", { path: "many.txt" }, { root })).content).split("\n");
  assert.deepEqual(many.slice(499), ["499", "[cut: 100 lines follow these 500]"]);
  writeFileSync(join(root, "empty"), "");
  assert.deepEqual(await outputOf("read_file", { path: "empty" }, { root }), { content: "", _step_index: 0 });
});

test("[A26, AT14] a file that is not there, and no path at all, are errors", async (t) => {
  const root = temporaryFolder(t);
  const missing = await runStep("read_file", { path: "none.txt" }, { root });
  assert.deepEqual(
    [missing.ok, missing.output],
    [false, { error: `there is no file ${join(root, "none.txt")}`, _step_index: 0 }],
  );
  assert.deepEqual(await outputOf("read_file", {}, { root }), { error: "path is required", _step_index: 0 });
});

test("[A26] of a file of any size 50,000 characters are read, and the run's notes say so", async (t) => {
  const root = temporaryFolder(t);
  const file = join(root, "huge.log");
  execFileSync("truncate", ["-s", "4G", file]);
  writeFileSync(file, `${"é".repeat(300)}\n`.repeat(2000), { flag: "r+" });
  const { output, notes } = await runStep("read_file", { path: file, max_lines: 1_000_000 }, { root });
  assert.ok(String(output.content).length <= 50_000);
  assert.match(String(output.content), /\n\[cut: what follows these \d+ characters was not read\]$/);
  assert.deepEqual(notes, ["content was cut at 50000 characters"]);
  writeFileSync(join(root, "odd"), "😀".repeat(30_000).slice(1));
  const odd = await outputOf("read_file", { path: "odd" }, { root });
  assert.ok(String(odd.content).isWellFormed());
  writeFileSync(join(root, "long"), "a line\n".repeat(800));
  const [usual, asked] = [
    await outputOf("read_file", { path: "long" }, { root }),
    await outputOf("read_file", { path: "long", max_lines: 2 }, { root }),
  ];
  assert.match(String(usual.content), /a line\n\[cut: 300 lines follow these 500\]$/);
  assert.equal(asked.content, "a line\na line");
});

test("[A26] a file that is not text is an error, and a pipe without a writer is not waited for", async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, "binary"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
  mkdirSync(join(root, "folder"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const socket = createServer().listen(join(root, "socket"));
  t.after(() => socket.close());
  await new Promise((resolve) => socket.once("listening", resolve));
  const reasons: { [path: string]: RegExp } = {
    binary: /binary is no text file: it holds NUL bytes/,
    folder: /folder: it is no regular file/,
    pipe: /pipe: it is no regular file/,
    socket: /socket: it is no regular file/,
    "/dev/zero": /it is no regular file/,
    "folder/none/x": /there is no file/,
    "binary/x": /there is no file/,
  };
  for (const [path, reason] of Object.entries(reasons))
    assert.match(String((await outputOf("read_file", { path }, { root, origin: { layer: "user" } })).error), reason);
  writeFileSync(join(root, "latin"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  assert.equal((await outputOf("read_file", { path: "latin" }, { root })).content, "caf\uFFFD");
});

test("[A36] list_files gives the regular files of a folder in the order of their paths, hidden ones left out", async (t) => {
  const root = temporaryFolder(t);
  for (const folder of ["docs/a/deep", "docs/.git", "docs/b"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["b.md", "a.md", ".env", "a/deep/x.md", "a/y.txt", "a-1.md", ".git/config", "b/z.md"])
    writeFileSync(join(root, "docs", file), file);
  symlinkSync(join(root, "docs/a"), join(root, "docs/again"));
  symlinkSync(join(root, "docs/a.md"), join(root, "docs/link.md"));
  execFileSync("mkfifo", [join(root, "docs/pipe.md")]);
  utimesSync(join(root, "docs/a.md"), 100, 200.5);
  const flat = await outputOf("list_files", { path: "docs" }, { root });
  const [first] = flat.files as object[];
  assert.deepEqual(first, { path: "a-1.md", size: 6, mtime: (first as { mtime: number }).mtime });
  assert.deepEqual((flat.files as object[])[1], { path: "a.md", size: 4, mtime: 200.5 });
  assert.deepEqual(
    { ...flat, files: [] },
    { files: [], count: 3, directory: join(root, "docs"), content: "a-1.md\na.md\nb.md", _step_index: 0 },
  );
  const deep = await outputOf("list_files", { path: "docs", recursive: true }, { root });
  const paths = String(deep.content).split("\n");
  assert.deepEqual(paths, ["a-1.md", "a.md", "a/deep/x.md", "a/y.txt", "b.md", "b/z.md"]);
  assert.deepEqual(paths, [...paths].sort());
  const some = await outputOf("list_files", { path: "docs", recursive: true, extensions: [".txt", "z.md"] }, { root });
  assert.equal(some.content, "a/y.txt\nb/z.md");
});

test("[A36] no more files are listed than were asked for, by default 200, over all folders together", async (t) => {
  const root = temporaryFolder(t);
  for (let folder = 0; folder < 3; folder++) {
    mkdirSync(join(root, `${folder}`));
    for (let file = 0; file < 80; file++) writeFileSync(join(root, `${folder}/${file}`), "");
  }
  const { output, notes } = await runStep("list_files", { recursive: true }, { root });
  assert.deepEqual([output.count, notes], [200, ["there are more than 200 files"]]);
  assert.equal((await outputOf("list_files", { recursive: true, max_files: 240 }, { root })).count, 240);
  assert.equal((await outputOf("list_files", { recursive: true, max_files: 3 }, { root })).content, "0/0\n0/1\n0/10");
});

test("[A36] a path that is no folder is an error", async (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, "a.md"), "");
  for (const path of ["a.md", "none"])
    assert.deepEqual(await outputOf("list_files", { path }, { root }), {
      error: `Not a directory: ${path}`,
      files: [],
      _step_index: 0,
    });
});

test("[T19] a step of a project reads no file out of its workspace, by no path and no link; the user's own may name one", async (t) => {
  const root = temporaryFolder(t);
  const away = temporaryFolder(t);
  writeFileSync(join(away, "secret.txt"), "secret");
  symlinkSync(join(away, "secret.txt"), join(root, "link.txt"));
  symlinkSync(away, join(root, "folder"));
  const outside = /outside of the workspace/;
  const files = ["link.txt", "folder/secret.txt", `../${basename(away)}/secret.txt`, join(away, "secret.txt")];
  for (const path of files) {
    const read = await runStep("read_file", { path }, { root });
    assert.ok(!read.ok && outside.test(read.reason), path);
  }
  for (const path of ["folder", "..", away, "folder/."]) {
    for (const [step, params] of [
      ["list_files", { path }],
      ["git_diff", { workspace: path }],
      ["file_diff", { path: join(path, "secret.txt") }],
      ["file_diff", { path: "secret.txt", workspace: path }],
      ["run_tests", { workspace: path, command: "echo ran" }],
    ] as const) {
      const result = await runStep(step, params, { root });
      assert.ok(!result.ok && outside.test(result.reason), `${step} ${path} ${JSON.stringify(result.output)}`);
    }
  }
  const own = { root, origin: { layer: "user" as const } };
  assert.equal((await outputOf("read_file", { path: join(away, "secret.txt") }, own)).content, "secret");
  assert.equal((await runStep("read_file", { path: "link.txt" }, own)).ok, false);
});
