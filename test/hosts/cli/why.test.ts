/** hookline why and explain, by the real commands: a person who has read no manual learns what happened, what did not, and what to type. */
import assert from "node:assert/strict";
import { chmodSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { type World, world } from "../../world.ts";

interface Asked extends World {
  say(...words: string[]): string;
  emit(event: string, data?: object, ...words: string[]): { event: { id: string }; runs: { id: string }[] };
}

function worldWith(t: TestContext, files: Readonly<Record<string, string>>): Asked {
  const here = world(t, { "workspace/.git/none": "", ...files });
  return {
    ...here,
    say(...words) {
      const { stdout, stderr } = here.hookline(...words);
      return stdout + stderr;
    },
    emit: (event, data = {}, ...words) =>
      JSON.parse(here.hookline("emit", event, "--data", JSON.stringify(data), "--json", ...words).stdout),
  };
}

const hooks = (on: Record<string, object[]>): string =>
  JSON.stringify({
    hooks: Object.fromEntries(Object.entries(on).map(([event, own]) => [event, [{ matcher: "*", hooks: own }]])),
  });
const ofBash = { tool_name: "Bash", tool_input: { command: "git push" } };

test("of an event that nobody answered, why names who listens and the reason of each, and counts the others", (t) => {
  const world = worldWith(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: "Write", hooks: [{ type: "command", command: "true", name: "on writes" }] },
          { matcher: "Read", hooks: [{ type: "command", command: "true", name: "on reads" }] },
        ],
        Stop: [{ hooks: [{ type: "command", command: "true", name: "at the end" }] }],
      },
    }),
  });
  world.emit("PreToolUse", ofBash);
  const told = world.say("why");
  assert.match(told, /the call Bash: git push\n/);
  assert.match(
    told,
    /No hook answered\. 2 hooks listen to PreToolUse and did not run:\n· on writes .*\n +It did not run: .*Bash/,
  );
  assert.match(told, /· on reads/);
  assert.match(told, /1 other hook listens to other events \(--verbose shows it\)\./);
  assert.doesNotMatch(told, /at the end/);
  assert.match(
    world.say("why", "--verbose"),
    /· at the end .*\n +It did not run: it listens to Stop, and this is PreToolUse/,
  );
});

test("where no hook listens, or none is active, why says so and what to type", (t) => {
  const world = worldWith(t, {
    "workspace/.hookline/hooks.json": hooks({ Stop: [{ type: "command", command: "true" }] }),
  });
  assert.match(world.say("why"), /holds no event yet: `hookline emit` makes one, `hookline doctor` says/);
  world.emit("PreCompact");
  assert.match(
    world.say("why"),
    /No hook listens to PreCompact\. `hookline list` shows .*name "PreCompact" in \.hookline\/hooks\.json/,
  );
  world.write("workspace/.hookline/hooks.json", "{}");
  world.emit("PreCompact");
  assert.match(world.say("why"), /No hook was active\. `hookline add guard` adds the first ones/);
});

test("why shows what a failed program said on standard error, and what its failure means", (t) => {
  const command = "for i in 1 2 3; do echo line $i of its trouble >&2; done; exit 1";
  const world = worldWith(t, {
    "workspace/.hookline/hooks.json": hooks({
      PreToolUse: [
        { type: "command", command, name: "careless" },
        { type: "command", command: `${command} # guard`, name: "careful", role: "guard" },
      ],
    }),
  });
  const { runs } = world.emit("PreToolUse", ofBash);
  const told = world.say("why");
  assert.match(
    told,
    /careless .*\n +It ran and ended as failed: .*\n +Its failure blocks nothing\.\n +Its program said on standard error:\n +line 1 of its trouble\n +line 2 of its trouble\n/,
  );
  assert.match(told, /careful .*\n +It ran and ended as failed: .*\n +It is a guard, so its failure blocks\./);
  assert.match(told, new RegExp(`\`hookline runs show ${runs[0]?.id}\` shows all of it`));
});

test("why takes the beginning of an id, the newest event of a name, and that of a session", (t) => {
  const world = worldWith(t, {});
  const first = world.emit("Notification", { message: "a" }, "--session", "s-one");
  world.emit("PreCompact", {}, "--session", "s-two");
  assert.match(world.say("why"), /^PreCompact /m);
  assert.match(world.say("why", first.event.id.slice(0, -1)), /^Notification /m);
  assert.match(world.say("why", "--event", "Notification"), /^Notification /m);
  assert.match(world.say("why", "--session", "s-one"), /^Notification /m);
  assert.match(world.say("why", "--session", "s-none"), /holds no event in session s-none/);
});

test("why without an id explains the newest event of this project, and says so where there is none", (t) => {
  const world = worldWith(t, { "other/.git/none": "" });
  const other = join(dirname(world.workspace), "other");
  world.emit("Notification", {}, "--cwd", other);
  assert.match(world.say("why"), /^hookline: no such event of this project is recorded, so this is one of .*\/other/m);
  world.emit("PreCompact");
  world.emit("Notification", {}, "--cwd", other);
  assert.match(world.say("why"), /^PreCompact /m);
  assert.match(world.say("why", "--all"), /^Notification /m);
});

test("why and explain say that a hook's file or its script was written since the run", (t) => {
  const world = worldWith(t, { "workspace/check.sh": "#!/bin/sh\n" });
  const script = join(world.workspace, "check.sh");
  chmodSync(script, 0o755);
  world.write("workspace/.hookline/hooks.json", hooks({ PreToolUse: [{ type: "command", command: "./check.sh" }] }));
  const file = join(world.workspace, ".hookline", "hooks.json");
  for (const one of [script, file]) utimesSync(one, 1, 1);
  const { runs } = world.emit("PreToolUse", ofBash);
  const explain = (): string => world.say("explain", "PreToolUse", "--data", JSON.stringify(ofBash));
  assert.doesNotMatch(world.say("why") + explain(), /has changed since/);
  const later = Date.now() / 1000 + 60;
  utimesSync(script, later, later);
  assert.match(world.say("why"), new RegExp(`check\\.sh has changed since: \`hookline rerun ${runs[0]?.id}\` tries`));
  assert.match(explain(), /check\.sh has changed since its last run/);
  const [explained] = JSON.parse(world.say("explain", "PreToolUse", "--data", JSON.stringify(ofBash), "--json"));
  assert.deepEqual(explained.changed, [script]);
});

test("explain says how many seconds of a cooldown are left", (t) => {
  const rule =
    "{ id: slow, on: tool_start, condition: { type: tool_name, match: Bash }, cooldown: 3600, action: { type: notify, message: hi } }";
  const world = worldWith(t, { "workspace/.hookline/rules/r.yaml": `hooks:\n  - ${rule}\n` });
  world.emit("PreToolUse", ofBash);
  const said = world.say("explain", "PreToolUse", "--data", JSON.stringify(ofBash), "--json");
  const all: { name: string; because: string }[] = JSON.parse(said);
  const because = all.find(({ name }) => name === "slow")?.because ?? "";
  const [, left] = /^cooldown: 3600 s have not passed, (\d+) s are left$/.exec(because) ?? [];
  assert.ok(Number(left) > 0 && Number(left) <= 3600, because);
});

test("[R95] emit notes an answer that Claude Code ignores in a file of its own, and none of Hookline's own file", (t) => {
  const answers: [string, string][] = [
    ['{"hookSpecificOutput":{"permissionDecision":"deny"}}', "hookSpecificOutput has no hookEventName"],
    ['{"permissionDecision":"deny"}', 'it reads no "permissionDecision" there'],
    ['{"permission":"deny"}', 'it reads no "permission" there'],
    ['{"decision":"deny"}', 'it reads no decision "deny"'],
  ];
  for (const [answer, why] of answers) {
    const file = hooks({ PreToolUse: [{ type: "command", command: `echo '${answer}'` }] });
    const theirs = worldWith(t, { "workspace/.claude/settings.json": file });
    assert.ok(
      theirs
        .say("emit", "PreToolUse", "--data", JSON.stringify(ofBash))
        .includes(`Claude Code ignores this answer: ${why}`),
      answer,
    );
    const ours = worldWith(t, { "workspace/.hookline/hooks.json": file });
    const said = ours.say("emit", "PreToolUse", "--data", JSON.stringify(ofBash));
    assert.match(said, /^PreToolUse {2}deny/m);
    assert.doesNotMatch(said, /ignores this answer/);
  }
});

test("of a call that ran although it was refused, why shows the agent's own event with what to ask next, and not the event that tells of it", (t) => {
  const world = worldWith(t, {
    "workspace/.hookline/rules/push.yaml":
      "hooks:\n  - id: no_push\n    on: tool_start\n    action: { type: gate, reason: No push today }\n",
  });
  for (const name of ["PreToolUse", "PostToolUse"]) {
    const payload = { session_id: "one", cwd: world.workspace, hook_event_name: name, ...ofBash, tool_use_id: "t1" };
    world.hooklineWith(JSON.stringify({ ...payload, tool_response: {} }), "hook", "claude-code", name);
  }
  assert.match(world.say("why", "last"), /PostToolUse .*\n.*did not obey: .*`hookline why \w+`/);
  assert.match(world.say("why", "--event", "guard.disobeyed"), /guard\.disobeyed/);
});
