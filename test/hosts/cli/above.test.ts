/** What loosens Hookline refuses where an agent stands above it, whatever was taken out of the environment on the way (R92). */
import assert from "node:assert/strict";
import test from "node:test";
import { whyAbove } from "../../../src/hosts/cli/guards/person.ts";
import type { Ancestor } from "../../../src/runtime/processes/ancestors.ts";
import { refusedBelow, skip } from "./above-place.ts";

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

test("below an agent nothing loosens, not in a terminal of its own making either", { skip }, (t) =>
  refusedBelow(t, [`script -qec "$HOOKLINE allow-once" /dev/null`]),
);
