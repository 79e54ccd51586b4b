/** Archives that are unpacked into the workspace: a person is asked where a member is a hook file, and only there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Fields } from "../../src/engine/event.ts";
import { archiveMembers } from "../../src/files/archive-members.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

async function others(t: TestContext, commands: readonly string[], is: string | undefined, cwd: string) {
  const line = lineOf(t, { hooks: [hook] });
  const found: string[] = [];
  for (const command of commands)
    if ((await line.emit("PreToolUse", bash(command), { cwd })).verdict?.is !== is) found.push(command);
  return found;
}

/** As tar writes them. */
function tarOf(members: readonly { name: string; type?: string; target?: string; text?: string }[]): Buffer {
  const blocks = members.flatMap(({ name, type = "0", target = "", text = "x" }) => {
    const header = Buffer.alloc(512);
    header.write(name);
    header.write(text.length.toString(8).padStart(11, "0"), 124);
    header.write(type, 156);
    header.write(target, 157);
    header.write("ustar\x0000", 257);
    header.write(" ".repeat(8), 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const content = Buffer.alloc(Math.ceil(text.length / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A stored member, and the directory at the end. */
function zipOf(names: readonly string[]): Buffer {
  let start = 0;
  const [files, entries]: [Buffer[], Buffer[]] = [[], []];
  for (const name of names) {
    const file = Buffer.alloc(30 + name.length);
    file.writeUInt32LE(0x04034b50);
    file.writeUInt16LE(name.length, 26);
    file.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(start, 42);
    entry.write(name, 46);
    start += file.length;
    files.push(file);
    entries.push(entry);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(start, 16);
  return Buffer.concat([...files, ...entries, end]);
}

const evil = [{ name: "rel/a.txt" }, { name: "rel/.claude/settings.json" }, { name: ".hookline/hooks.json" }];

function workspace(t: TestContext): string {
  const cwd = temporaryFolder(t);
  const put = (name: string, bytes: Buffer): void => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), bytes);
  };
  put("evil.tar", tarOf(evil));
  put("evil.tgz", gzipSync(tarOf(evil)));
  put("evil.tar.zst", zstdCompressSync(tarOf(evil)));
  put("evil.zip", zipOf(["rel/", "a.txt", "hookline.yaml"]));
  put("top.tgz", gzipSync(tarOf([{ name: "app-1.0/.claude/settings.json" }])));
  const long = `d/${"n".repeat(150)}/../../.hookline/hooks.json`;
  put("long.tar", tarOf([{ name: "././@LongLink", type: "L", text: `${long}\0` }, { name: "d/nn" }]));
  put("pax.tar", tarOf([{ name: "x", type: "x", text: "29 path=.hookline/hooks.json\n" }, { name: "short" }]));
  put("link.tar", tarOf([{ name: "cfg", type: "2", target: ".claude", text: "" }, { name: "cfg/settings.json" }]));
  put("other.tar", tarOf([{ name: ".claude", type: "2", target: "/tmp/other", text: "" }]));
  put("flat.zip", zipOf(["deep/inside/hookline.yaml"]));
  put("good.tgz", gzipSync(tarOf([{ name: "app-1.0/", type: "5", text: "" }, { name: "app-1.0/src/settings.json" }])));
  put("good.zip", zipOf([".claude/", ".claude/notes.md", "settings.json"]));
  put("half.tgz", gzipSync(tarOf(evil)).subarray(0, 40));
  mkdirSync(join(cwd, ".claude"));
  symlinkSync(".claude", join(cwd, "config"));
  put("through.tar", tarOf([{ name: "config/settings.json" }]));
  return cwd;
}

const asked = `
tar xf evil.tar
tar -xzf evil.tgz
tar xzvf evil.tgz -C .
tar --extract --file=evil.tar
tar --zstd -xf evil.tar.zst
bsdtar -xf evil.zip
tar x < evil.tar
cat evil.tar | tar x
gunzip -c evil.tgz | tar xf -
zcat evil.tgz | tar -x
tar xzf top.tgz --strip-components=1
tar xzf top.tgz --strip 1
mkdir out && cd out && tar xf ../evil.tar
tar xf long.tar
tar xf pax.tar
tar xf link.tar
tar xf other.tar
tar xf through.tar
tar xf evil.tar rel
tar xf none.tar .hookline/hooks.json
tar xf good.tgz --transform 's,app-1.0/src,.claude,'
tar cf - --xform s,^,.claude/, settings.json | tar x
unzip evil.zip
unzip -qo evil.zip -d .
unzip -j flat.zip
7z x evil.zip
jar xf evil.zip
python3 -m zipfile -e evil.zip .
python -m tarfile -e evil.tgz
sudo tar xf evil.tar
`;
const free = `
tar xzf good.tgz
tar xzf good.tgz --strip-components=1
tar xf evil.tar rel/a.txt
tar tf evil.tar
tar czf evil.tgz src
unzip good.zip
unzip -l evil.zip
unzip evil.zip a.txt
tar xzf half.tgz
tar xJf release.tar.xz
curl -L https://example.org/x.tgz | tar xz
curl -LO https://example.org/x.tgz && tar xzf x.tgz
tar cf - src | tar x -C /tmp/copy
python3 -m zipfile -l evil.zip
`;
const linesOf = (text: string): string[] => text.trim().split("\n");

test("an archive that brings hook files into the workspace is asked about, by whatever program and way it is unpacked", async (t) => {
  const cwd = workspace(t);
  assert.deepEqual(await others(t, linesOf(asked), "ask", cwd), []);
  const { verdict } = await lineOf(t, { hooks: [hook] }).emit("PreToolUse", bash("tar -xzf evil.tgz"), { cwd });
  assert.match(verdict?.reason ?? "", /^This would unpack hook files, .*settings\.json, \.hookline\/hooks\.json\)\.$/);
});

test("an archive without hook files, one that only comes from the network, and a look into one are asked about by nobody", async (t) => {
  assert.deepEqual(await others(t, linesOf(free), undefined, workspace(t)), []);
});

test("the members that Hookline reads are those that tar and zip themselves name", (t) => {
  const cwd = workspace(t);
  const ofTar = (file: string): string[] =>
    execFileSync("tar", ["tf", join(cwd, file)], { encoding: "utf8" })
      .trim()
      .split("\n");
  for (const file of ["evil.tgz", "evil.tar", "pax.tar"])
    assert.deepEqual(archiveMembers(join(cwd, file)), ofTar(file), file);
  assert.deepEqual(archiveMembers(join(cwd, "evil.zip")), ["a.txt", "hookline.yaml"]);
  for (const file of ["half.tgz", "none.tar", "config"]) assert.equal(archiveMembers(join(cwd, file)), undefined, file);
});
