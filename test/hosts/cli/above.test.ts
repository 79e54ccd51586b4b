/** What loosens Hookline refuses where an agent stands above it, whatever was taken out of the environment on the way (R92). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { whyAbove } from "../../../src/hosts/cli/guards/person.ts";
import { type Ancestor, ancestors } from "../../../src/runtime/processes/ancestors.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const one = (words: string, environment: Ancestor["environment"] = {}, isTop = false): Ancestor => ({
  pid: 7,
  words: words.split(" "),
  environment,
  isTop,
});

test("an agent is known by its program, by what it sets, and a terminal by what made it", () => {
  const agentsAbove: [Ancestor, RegExp][] = [
    [one("claude"), /^claude \(7\), which stands above it, is Claude Code$/],
    [one("/usr/bin/node /usr/lib/node_modules/@google/gemini-cli/dist/index.js"), /is Gemini CLI/],
    [one("/home/me/.local/bin/codex exec x"), /is Codex/],
    [one("sh -c x", { CLAUDECODE: "1" }), /CLAUDECODE set, so this is an agent's shell/],
    [one("cursor --type=ptyHost", { CURSOR_AGENT: "1" }), /CURSOR_AGENT/],
    [one("sh", { HOOKLINE_DEPTH: "1" }), /was started by a hook/],
    [one("script -qec x /dev/null", {}, true), /made this terminal, and no shell of a person started that/],
  ];
  for (const [above, says] of agentsAbove) assert.match(whyAbove([one("bash"), above]) ?? "", says);
  const people = [
    [one("-bash"), one("sshd: me@pts/0"), one("sshd", {}, true)],
    [one("zsh"), one("tmux: server", {}, true)],
    [one("bash"), one("/usr/share/code/code --type=utility", { TERM_PROGRAM: "vscode" }), one("code", {}, true)],
    [one("bash"), one("script -f log"), one("bash"), one("gnome-terminal-server", {}, true)],
    [one("bash -l"), one("/home/pi/bin/term", {}, true)],
    [one("vim gemini"), one("bash", { CI: "true" }, true)],
  ];
  for (const above of people) assert.equal(whyAbove(above), undefined, JSON.stringify(above));
});

const isShown = process.platform === "linux" && existsSync("/usr/bin/script") && existsSync("/bin/bash");
const skip = isShown ? false : "nothing here shows a process's ancestors and makes a terminal";

/** Below a program that is called as the agent is, or in a shell that the agent has started. */
function placeBelow(t: TestContext) {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "shop");
  mkdirSync(join(workspace, ".hookline"), { recursive: true });
  writeFileSync(
    join(workspace, ".hookline", "hooks.json"),
    '{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }',
  );
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, HOOKLINE_DAEMON: "off", CI: "true", TERM: "xterm", SHELL: "/bin/sh" },
    HOOKLINE: `'${process.execPath}' '${bin}'`,
  };
  const bash = (line: string): { status: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", line], { cwd: workspace, env, encoding: "utf8" });
    return { status, said: (stdout + stderr).replaceAll(/\s+/g, " ") }; // a terminal breaks lines
  };
  return { bash, workspace };
}

test("below an agent nothing loosens: not in a terminal of its own making, not in another session, not in CI", {
  skip,
}, (t) => {
  const { bash } = placeBelow(t);
  const tries = [
    `script -qec "$HOOKLINE allow-once" /dev/null`,
    `setsid -w script -qec "$HOOKLINE guard off builtin:self_protection --for 1h" /dev/null`,
    `eval "$HOOKLINE trust . --hash 0"`,
    `eval "$HOOKLINE uninstall claude-code"`,
  ];
  for (const line of tries) {
    const named = bash(`exec -a claude bash -c ${JSON.stringify(line).replaceAll("$", "\\$")}'; true $?; exit $?'`);
    assert.match(named.said, /stands above it, is Claude Code — only a person at a terminal can do this/, line);
  }
  const unset = bash(`CLAUDECODE=1 bash -c 'env -u CLAUDECODE script -qec "$HOOKLINE allow-once" /dev/null; exit $?'`);
  assert.equal(unset.status, 1, unset.said);
  assert.match(unset.said, /CLAUDECODE set, so this is an agent's shell/);
  assert.match(bash(`exec -a claude bash -c 'eval "$HOOKLINE list"; true'`).said, /true/, "what looks is free");
});

const below = skip === false && whyAbove(ancestors() ?? []);
test("trust --hash works for a machine without a terminal, where no agent is known above it", {
  skip: below || skip,
}, (t) => {
  const { bash } = placeBelow(t);
  const [, hash = ""] = /"hash":"?([^",}]+)/.exec(bash('eval "$HOOKLINE trust list --json"').said) ?? [];
  const { status, said } = bash(`eval "$HOOKLINE trust . --hash ${hash}"`);
  assert.deepEqual([status, /^trusted: /.test(said)], [0, true], said);
});
