/** doctor --fire with every event of an agent; doctor.test.ts has an agent with few. */
import assert from "node:assert/strict";
import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { isOneFinding, named, ofAll, troubles, type World, worldFor, wrong } from "./doctor-world.ts";

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

/** Hooks of the project that run these commands on each call of Bash. */
const hooksOf = (...commands: string[]): string =>
  JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: commands.map((command) => ({ type: "command", command })) }] },
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

test("a client that is not what install wrote is named, and --fix writes it again", (t) => {
  const world = worldFor(t);
  delete world.environment.HOOKLINE_DAEMON;
  world.hookline("install", "claude-code");
  for (const name of ["gone.sh", "client.sh"])
    if (world.has(`state/hookline/${name}`)) appendFileSync(join(world.state, name), "# more\n");
  assert.match(named(world.findings().findings, "client-changed").says, /gone\.sh is not as install wrote it/);
  assert.equal(named(world.findings("--fix").findings, "client-changed").is, "fixed");
  rmSync(join(world.state, "start.sh"));
  const { findings } = world.findings("--fix");
  assert.match(named(findings, "client-missing").did ?? "", /registered Claude Code again/);
  assert.ok(world.has("state/hookline/start.sh"));
});

test("[R79] a path of one machine in a team's settings is an error, which --fix mends with the launcher", (t) => {
  const world = worldFor(t);
  world.hookline("install", "claude-code", "--layer", "project");
  const settings = join(world.workspace, ".claude", "settings.json");
  const launcher = join(world.workspace, ".hookline", "launch.sh");
  assert.deepEqual(wrong(world.findings().findings), []);
  writeFileSync(
    settings,
    readFileSync(settings, "utf8").replaceAll("${CLAUDE_PROJECT_DIR:-.}/.hookline", `${world.workspace}/.hookline`),
  );
  rmSync(launcher);
  const { findings } = world.findings();
  assert.match(
    named(findings, "path-of-one-machine").says,
    /is for a team, and names paths of this machine: .*launch\.sh/,
  );
  assert.match(named(findings, "launcher-changed").says, /launch\.sh, and that file is gone/);
  assert.equal(world.findings("--fix").status, 0);
  assert.deepEqual(wrong(world.findings().findings), []);
});

test("[R78] from a project without guards a person's own registration looks whole, and install takes no guard of other projects away", (t) => {
  const world = worldFor(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({ deny: ["Bash(git push *)"] }),
    "other/package.json": "{}",
  });
  assert.equal(world.hookline("install", "claude-code").status, 0);
  const before = readFileSync(world.settings, "utf8");
  assert.match(before, / --guarded;/);
  const inOther = (...words: string[]): string => {
    const { stdout, stderr } = runCommand(words, { cwd: join(world.folder, "other"), environment: world.environment });
    return stdout + stderr;
  };
  assert.doesNotMatch(inOther("doctor"), /was changed/);
  inOther("install", "claude-code");
  assert.equal(readFileSync(world.settings, "utf8"), before);
});

test("hooks of others in an agent's own file, and a file that two agents read, are told of", (t) => {
  const world = worldFor(t, { "home/.claude/settings.json": hooksOf("echo hi", "echo ho") });
  const before = named(world.findings().findings, "hooks-of-others");
  assert.match(before.says, /Claude Code itself runs 2 hooks of .*settings\.json on PreToolUse/);
  world.hookline("install", "claude-code");
  assert.equal(named(world.findings().findings, "hooks-of-others").run, "hookline install claude-code --take-over");
  world.hookline("install", "claude-code", "--layer", "project");
  world.hookline("install", "copilot");
  const { findings } = world.findings();
  assert.match(named(findings, "read-twice").says, /Copilot CLI runs \.claude\/settings\.json too/);
  assert.equal(named(findings, "read-twice").run, "hookline uninstall copilot --layer user");
  assert.equal(named(findings, "registered-twice").run, "hookline uninstall claude-code --layer project");
});

test("an agent that is here and of which no event has come is named, until one comes", (t) => {
  const world = worldFor(t, { "home/bin/codex": "#!/bin/sh\nexit 1\n" });
  chmodSync(join(world.folder, "home", "bin", "codex"), 0o755);
  world.environment.PATH = `${join(world.folder, "home", "bin")}${delimiter}${world.environment.PATH}`;
  assert.equal(named(world.findings().findings, "agent-without-hookline").run, "hookline install codex");
  world.hookline("install", "codex");
  assert.match(named(world.findings().findings, "agent-silent").says, /no event of Codex has come yet\. .*\/hooks/);
  const payload = JSON.stringify({
    hook_event_name: "SessionStart",
    session_id: "s",
    cwd: world.workspace,
    source: "startup",
  });
  world.hooklineWith(payload, "hook", "codex", "--event", "SessionStart");
  assert.ok(world.findings().findings.every(({ finding }) => finding !== "agent-silent"));
});

test("hooks that wait for a clock need a daemon: doctor names them, and --fix starts it", (t) => {
  const world = worldFor(t, {
    "workspace/.hookline/automations/nightly.yaml":
      "name: nightly\ntrigger: { type: cron, cron: '0 3 * * *' }\ncontext_steps:\n  - { type: run_tests, command: 'true' }\n",
  });
  delete world.environment.HOOKLINE_DAEMON;
  const { says, run } = named(world.findings().findings, "clocks-without-daemon");
  assert.match(says, /1 hook waits for a clock or a file, and no daemon runs: nightly \(cron 0 3 \* \* \*\)/);
  assert.equal(run, "hookline up --background");
  try {
    const { stdout } = world.hooklineWith("\n", "doctor", "--fix", "--json");
    assert.match(named(JSON.parse(stdout), "clocks-without-daemon").did ?? "", /is running: http/);
    assert.match(ofAll(world.findings().findings), /good process \d+ answers at port \d+/);
  } finally {
    world.hookline("down");
  }
});
