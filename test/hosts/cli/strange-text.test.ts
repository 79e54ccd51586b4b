/** Settings that are no plain UTF-8 text: they work, or one sentence says what is wrong and how to save them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const hooks = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] } });
const good = /0 errors/;

for (const [name, bytes, checked, installed] of [
  [
    "with a NUL",
    Buffer.from('{\n "a":\0 1}'),
    /no UTF-8 text: NUL stands in line 2, column 6; save it as UTF-8/,
    /:2:6/,
  ],
  [
    "in UTF-16",
    Buffer.from(`\ufeff${hooks}`, "utf16le"),
    /no UTF-8 text: NUL .*save it as UTF-8/,
    /not UTF-8 text — .* — save it/,
  ],
  ["with a byte order mark", Buffer.from(`\ufeff${hooks}`), good, undefined],
  ["with CRLF", Buffer.from(hooks.replaceAll("{", "{\r\n")), good, undefined],
  [
    "with bytes that are no UTF-8",
    Buffer.from([...Buffer.from('{"model":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
    good,
    /not UTF-8 text — .* — save it/,
  ],
  [
    "with 100,000 brackets",
    Buffer.from(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    /nested 100001 deep/,
    /nested too deeply — /,
  ],
  [
    "of 100 MB",
    Buffer.from('{"a":"x'), // the rest takes no room
    /larger than 256 kB/,
    /larger than 8 MiB — .* — make it smaller/,
  ],
] as const)
  test(`settings ${name} work, or check and install say what is wrong and what to do, and leave them as they are`, (t) => {
    const home = temporaryFolder(t);
    const [cwd, file] = [join(home, "workspace"), join(home, ".claude", "settings.json")];
    for (const one of [cwd, join(home, ".claude")]) mkdirSync(one);
    writeFileSync(file, bytes);
    if (name === "of 100 MB") truncateSync(file, 100_000_000);
    const { mtimeMs, size } = statSync(file);
    const environment = { HOME: home, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
    const { stdout } = runCommand(["check"], { cwd, environment });
    assert.match(stdout, checked);
    if (checked !== good) assert.equal(stdout.match(/settings\.json:\d+:\d+ error/g)?.length, 1, stdout);
    const { status, stderr } = runCommand(["install", "claude-code"], { cwd, environment });
    assert.equal(status, installed === undefined ? 0 : 3, stderr);
    if (installed === undefined) return;
    assert.match(stderr, installed);
    const left = statSync(file);
    assert.deepEqual([left.mtimeMs, left.size], [mtimeMs, size]);
    if (size === bytes.length) assert.ok(readFileSync(file).equals(bytes));
  });
