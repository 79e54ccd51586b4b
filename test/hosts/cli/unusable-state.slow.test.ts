/** Where Hookline's state cannot lie where it should, each command says what is wrong, where, and what to do, and nothing is lost. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { bin, codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" } });
const payload = JSON.stringify({ session_id: "s", hook_event_name: "PreToolUse", ...JSON.parse(call) });
const settings = JSON.stringify({ model: "x", permissions: { allow: ["Read"] } });

/** What ends with which code; `hook` never stops an agent for this, and what only looks may have nothing to say. */
const commands: readonly [words: string[], codes: number[]][] = [
  [["emit", "PreToolUse", "--data", call], [3]],
  [["hook", "claude-code"], [0]],
  [["pause"], [3]],
  [["runs"], [3]],
  [["status"], [3]],
  [["install", "claude-code"], [3]],
  [["init", "--yes"], [3]],
  [["check"], [0, 3]],
  [["git", "install"], [3]],
  [["up", "--once"], [3]],
  [["doctor"], [1]],
];

const few = commands.filter(([[word = ""]]) => ["emit", "install", "doctor"].includes(word));

interface Place {
  cwd: string;
  home: string;
  state: string;
  environment: Record<string, string>;
}
function place(t: TestContext): Place {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  const [cwd, home, state] = [join(folder, "workspace"), join(folder, "home"), join(folder, "state")];
  emptyRepository(cwd);
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude", "settings.json"), settings);
  const environment = { HOME: home, XDG_STATE_HOME: state, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
  return { cwd, home, state, environment };
}

/** No stack, no code of the system alone, and each line of an error says what, where and what to do. */
function isSaid(text: string, where: string, what: RegExp, name: string): void {
  assert.doesNotMatch(text, /\bE[A-Z]{3,}\b|^\s+at .*:\d+/m, name);
  const errors = text.split("\n").filter((line) => line.startsWith("hookline: ") && what.test(line));
  assert.notEqual(errors.length, 0, `${name}: ${text}`);
  for (const line of errors) {
    assert.equal(line.split(" — ").length, 3, line);
    assert.ok(line.includes(where), line);
  }
}

for (const [kind, make, what] of [
  ["a file lies in the place of the state folder", (state: string) => writeFileSync(state, ""), /it is no folder/],
  ["the state folder is a link to itself", (state: string) => symlinkSync("state", state), /links lead in a circle/],
  ["the state folder is a link to nothing", (state: string) => symlinkSync("none/there", state), /is a symbolic link/],
] as const)
  test(`where ${kind}, every command says what, where and what to do, and the agent's settings stay`, (t) => {
    const { cwd, home, state, environment } = place(t);
    make(state);
    for (const [words, codes] of kind.startsWith("a file") ? commands : few) {
      const input = words[0] === "hook" ? payload : "";
      const { status, stdout, stderr } = runCommand(words, { cwd, environment, input });
      assert.ok(status !== null && codes.includes(status), `${words[0]}: ${status} ${stdout}${stderr}`);
      if (words[0] === "doctor") assert.match(stdout, /✗ store .*\/state is not Hookline's: it stands where a folder/);
      else if (status === 3 || words[0] === "hook") isSaid(stderr, state, what, words.join(" "));
    }
    assert.equal(readFileSync(join(home, ".claude", "settings.json"), "utf8"), settings);
  });

/** Of the package as people install it: the tests' own has nothing to trust. */
const asking = join(packageForTests("asked"), "bin", "hookline.js");

/** The words for a shell, by the first of them. */
const lines: Readonly<Record<string, (hash: string) => string>> = {
  emit: () => `emit PreToolUse --data '${call}'`,
  install: () => "install claude-code",
  trust: (hash) => `trust . --hash ${hash}`,
  doctor: () => "doctor",
};

/** Each in a process of its own, as another user or with file systems that no other process sees. */
function runAll(
  before: string,
  words: readonly string[],
  { cwd, environment }: Place,
): Record<string, { status: number; said: string }> {
  const elsewhere = { ...environment, XDG_STATE_HOME: join(cwd, "..", "asked") };
  const { stdout: out, stderr: named } = runCommand(["trust", ".", "--hash", "0"], {
    cwd,
    environment: elsewhere,
    bin: asking,
  });
  const hash = /[0-9a-f]{64}/.exec(out + named)?.[0] ?? "none";
  const script = `${before}
say() { printf '\\n== %s\\n' "$1"; $as "$node" "$program" "$@" 2>&1 </dev/null; printf '\\n=> %s\\n' "$?"; }
${words.map((word) => `program=$${word === "trust" ? "asking" : "bin"}\nsay ${lines[word]?.(hash)}`).join("\n")}`;
  const { stdout, stderr, status } = spawnSync("unshare", ["--mount", "sh", "-c", script], {
    cwd,
    env: { ...environment, as: "", node: process.execPath, bin, asking, NODE_COMPILE_CACHE: codeCache, COLUMNS: "400" },
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const parts = stdout.split("\n== ").slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = "", said = "", code] = /^(\w+)\n([\s\S]*)\n=> (\d+)\n/.exec(part) ?? [];
      return [name, { status: Number(code), said }];
    }),
  );
}

const mayMount = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
const isRoot = process.getuid?.() === 0;
const asNobody = 'chown -R 65534:65534 .. && as="setpriv --reuid 65534 --regid 65534 --clear-groups"';

for (const [kind, before, what, doctor] of [
  [
    "may not be written by this user",
    `chmod 0500 ../state; ${asNobody}`,
    /has no rights to it/,
    /is not yours to write/,
  ],
  [
    "lies on a file system that is read-only",
    "mount -t tmpfs -o ro tmpfs ../state",
    /the file system is read-only/,
    /cannot be written: the file system is read-only/,
  ],
  [
    "lies on a disk that is full",
    "mount -t tmpfs -o size=16k tmpfs ../state; dd if=/dev/zero of=../state/fill bs=1k 2>/dev/null",
    /the disk is full/,
    /has no room: the disk is full/,
  ],
] as const)
  test(`where the state folder ${kind}, commands say so in words, and the agent's settings stay`, {
    skip: !(mayMount && isRoot) && "this user may neither mount nor become another",
  }, (t) => {
    const here = place(t);
    mkdirSync(here.state);
    writeFileSync(join(here.cwd, "hookline.yaml"), "");
    mkdirSync(join(here.cwd, ".hookline"));
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] };
    writeFileSync(join(here.cwd, ".hookline", "hooks.json"), JSON.stringify({ hooks }));
    const { doctor: looked, ...answers } = runAll(before, ["emit", "install", "trust", "doctor"], here);
    assert.deepEqual(Object.keys(answers), ["emit", "install", "trust"]);
    for (const [name, { status, said }] of Object.entries(answers)) {
      assert.equal(status, 3, `${name}: ${said}`);
      isSaid(said, here.state, what, name);
    }
    assert.match(looked?.said ?? "", doctor);
    assert.equal(readFileSync(join(here.home, ".claude", "settings.json"), "utf8"), settings);
  });

test("where the disk is full that holds an agent's settings, install leaves them whole, and no part of new ones", {
  skip: !(mayMount && isRoot) && "this user may not mount",
}, (t) => {
  const here = place(t);
  const file = join(here.home, ".claude", "settings.json");
  const copy = join(here.home, "copy");
  const { install } = runAll(
    `mount -t tmpfs -o size=16k tmpfs ../home/.claude; printf '${settings}' > ${file}
     dd if=/dev/zero of=../home/.claude/fill bs=1k 2>/dev/null
     trap 'cp ${file} ${copy}; ls -A ../home/.claude > ${copy}.names' EXIT`,
    ["install"],
    here,
  );
  assert.equal(install?.status, 3);
  isSaid(install?.said ?? "", file, /the disk is full/, "install");
  assert.equal(readFileSync(copy, "utf8"), settings);
  assert.equal(readFileSync(`${copy}.names`, "utf8"), "fill\nsettings.json\n");
  assert.deepEqual(readdirSync(join(here.home, ".claude")), ["settings.json"]);
});
