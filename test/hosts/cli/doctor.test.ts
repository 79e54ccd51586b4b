/** hookline doctor: what is registered is really run, and what stays silent is named with the command that mends it. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Place, placeFor, type Said } from "../daemon/started.ts";

interface Finding {
  agent: string;
  is: string;
  says: string;
  run?: string;
}
interface World extends Place {
  settings: string;
  findings(...words: string[]): { status: number | null; findings: Finding[] };
}

/** Without a daemon: each line works by itself. */
function worldFor(t: TestContext, files: Record<string, string> = {}): World {
  const place = placeFor(t, files);
  place.environment.HOOKLINE_DAEMON = "off";
  return {
    ...place,
    settings: join(place.folder, "home", ".claude", "settings.json"),
    findings(...words) {
      const { status, stdout, stderr }: Said = place.hookline("doctor", "--json", ...words);
      assert.notEqual(stdout, "", stderr);
      return { status, findings: JSON.parse(stdout) };
    },
  };
}

const ofAll = (findings: readonly Finding[]): string => findings.map(({ is, says }) => `${is} ${says}`).join("\n");

test("without any registration doctor names the command that makes one", (t) => {
  const { findings } = worldFor(t).findings();
  assert.deepEqual(
    findings.map(({ run }) => run),
    ["hookline install claude-code"],
  );
});

test("doctor --fire runs every registered line: all events arrive, and no hook runs", (t) => {
  const world = worldFor(t, {
    "home/.config/hookline/hooks.json": JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: 'touch "$HOME/ran"' }] }] },
    }),
  });
  assert.equal(world.hookline("install", "claude-code").status, 0);
  const { status, findings } = world.findings("--fire");
  assert.equal(status, 0, ofAll(findings));
  const [, registered] = /on (\d+) events/.exec(ofAll(findings)) ?? [];
  assert.match(ofAll(findings), new RegExp(`good ${registered} of ${registered} events arrived`));
  assert.ok(!existsSync(join(world.folder, "home", "ran")), "the hook ran for a canary");
  assert.equal(world.hookline("runs", "--json").stdout.trim(), "[]");
});

test("a registration that leads nowhere is named with what it said and the command that mends it", (t) => {
  const world = worldFor(t);
  world.hookline("install", "claude-code");
  world.write("other/hookline.js", 'console.error("its disk is gone");');
  const other = join(world.folder, "other", "hookline.js");
  writeFileSync(world.settings, readFileSync(world.settings, "utf8").replaceAll(/[^"\\]*\/bin\/hookline\.js/g, other));
  const { status, findings } = world.findings("--fire");
  assert.equal(status, 1);
  const bad = findings.filter(({ is }) => is === "bad");
  assert.match(ofAll(bad), /PreToolUse did not arrive: .*its disk is gone/);
  assert.ok(
    bad.every(({ run }) => run === "hookline install claude-code"),
    ofAll(bad),
  );
});

test("an event that is registered no more is named", (t) => {
  const world = worldFor(t);
  world.hookline("install", "claude-code");
  const settings = JSON.parse(readFileSync(world.settings, "utf8"));
  delete settings.hooks.PreToolUse;
  writeFileSync(world.settings, JSON.stringify(settings));
  const { status, findings } = world.findings();
  assert.equal(status, 1);
  assert.match(ofAll(findings), /bad it is not registered for PreToolUse/);
});

test("only doctor's own session passes for a canary: another one with its name is judged", (t) => {
  const world = worldFor(t, {
    "home/.config/hookline/hooks.json": JSON.stringify({ deny: ["Bash(git push *)"] }),
  });
  const payload = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "hookline-canary-0123456789abcdef0123456789abcdef",
    cwd: world.workspace,
    tool_name: "Bash",
    tool_input: { command: "git push" },
  });
  assert.match(world.hooklineWith(payload, "hook", "claude-code").stdout, /"permissionDecision":"deny"/);
});

test("doctor and status say that an agent was upgraded since it was installed", (t) => {
  const world = worldFor(t, {
    "home/lib/claude/package.json": '{"version":"2.1.330"}',
    "home/lib/claude/claude": "#!/bin/sh\nexit 1\n",
  });
  const folder = join(world.folder, "home", "lib", "claude");
  chmodSync(join(folder, "claude"), 0o755);
  world.environment.PATH = `${folder}${delimiter}${world.environment.PATH}`;
  world.hookline("install", "claude-code");
  assert.doesNotMatch(ofAll(world.findings().findings), /was 2\.1\.330/);
  world.write("home/lib/claude/package.json", '{"version":"2.2.0"}');
  assert.match(
    ofAll(world.findings().findings),
    /note Claude Code was 2\.1\.330 when it was installed and is 2\.2\.0 now/,
  );
  assert.match(world.hookline("status").stdout, /claude-code calls Hookline .*2\.2\.0, was 2\.1\.330 at install/);
  world.hookline("install", "claude-code");
  assert.doesNotMatch(ofAll(world.findings().findings), /was 2\.1\.330/);
});
