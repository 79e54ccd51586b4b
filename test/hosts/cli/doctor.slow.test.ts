/** doctor --fire with every event of an agent; doctor.test.ts has an agent with few. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isOneFinding, named, ofAll, troubles, type World, worldFor } from "./doctor-world.ts";

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
  assert.match(ofAll(findings), /guarded ones are blocked where Hookline is gone/);
  assert.ok(!world.has("home/ran"), "the hook ran for a canary");
  assert.equal(world.hookline("runs", "--json").stdout.trim(), "[]");
});

/** Each line that is registered is a process of doctor --fire. */
function leaveOnly(world: World, ...events: string[]): void {
  const { hooks, ...others } = JSON.parse(readFileSync(world.settings, "utf8"));
  const left = Object.fromEntries(events.map((event) => [event, hooks[event]]));
  writeFileSync(world.settings, JSON.stringify({ ...others, hooks: left }));
}

test("a registration that leads nowhere is named with what it said and the command that mends it", (t) => {
  const world = worldFor(t);
  world.hookline("install", "claude-code");
  world.write("other/hookline.js", 'console.error("its disk is gone");');
  const other = join(world.folder, "other", "hookline.js");
  leaveOnly(world, "PreToolUse", "Stop");
  writeFileSync(world.settings, readFileSync(world.settings, "utf8").replaceAll(/[^"\\]*\/bin\/hookline\.js/g, other));
  const { status, findings } = world.findings("--fire");
  assert.equal(status, 1);
  const bad = findings.filter(({ is }) => is === "bad");
  assert.match(ofAll(bad), /PreToolUse of Claude Code did not arrive: .*its disk is gone/);
  assert.ok(
    bad.every(({ run }) => run === "hookline install claude-code"),
    ofAll(bad),
  );
});

test("[R78] doctor --fire asks what answers where Hookline is gone, and names a guarded event that would pass", (t) => {
  const world = worldFor(t, { "home/.config/hookline/hooks.json": JSON.stringify({ deny: ["Bash(git push *)"] }) });
  world.hookline("install", "claude-code");
  leaveOnly(world, "PreToolUse");
  writeFileSync(join(world.state, "gone.sh"), "echo it is gone >&2\nexit 0\n");
  const { findings } = world.findings("--fire");
  assert.match(
    named(findings, "guard-passes").says,
    /PreToolUse of Claude Code, and the call would pass .*: it is gone/,
  );
});

for (const name of Object.keys(troubles))
  test(`whatever is broken, ${name} is one finding with a command, and doctor looks at all other areas`, (t) =>
    isOneFinding(t, name));
