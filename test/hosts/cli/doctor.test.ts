/** hookline doctor: whatever keeps hooks from working is named with the command that mends it, and each check fails alone. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { emptyRepository } from "../../repository.ts";
import { isOneFinding, named, ofAll, worldFor, wrong } from "./doctor-world.ts";

/** Hooks of the project that run these commands on each call of Bash. */
const hooksOf = (...commands: string[]): string =>
  JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: commands.map((command) => ({ type: "command", command })) }] },
  });

test("a registration that was narrowed, switched off or emptied is named, and a person's change is not undone", (t) => {
  const { hookline, findings, settings, folder, environment } = worldFor(t, {
    ".hookline/hooks.json": JSON.stringify({ deny: ["write(.env)"] }),
  });
  delete environment.HOOKLINE_DAEMON;
  for (const agent of ["claude-code", "copilot"]) assert.equal(hookline("install", agent).status, 0);
  const changed = (): string[] =>
    findings("--fix")
      .findings.filter(({ area, is }) => area === "agents" && is === "bad")
      .map(({ finding, agent }) => `${finding} ${agent}`);
  assert.deepEqual(changed(), []);
  const text = readFileSync(settings, "utf8");
  const narrowed = JSON.parse(text);
  narrowed.hooks.PreToolUse[0].matcher = "Bash";
  writeFileSync(settings, JSON.stringify(narrowed));
  assert.deepEqual(changed(), ["registration-changed claude-code"]);
  assert.match(readFileSync(settings, "utf8"), /"matcher":"Bash"/);
  writeFileSync(settings, text.replace("{", '{ "disableAllHooks": true,'));
  assert.deepEqual(changed(), ["agent-switched-off claude-code"]);
  writeFileSync(settings, text);
  const own = join(folder, "home", ".copilot", "hooks", "hookline.json");
  writeFileSync(own, readFileSync(own, "utf8").replaceAll('"set -- hook', '"true; set -- hook'));
  assert.deepEqual(changed(), ["own-file-changed copilot"]);
  writeFileSync(settings, `${text}}`);
  assert.match(hookline("status").stdout, /claude-code cannot read .*settings\.json: run `hookline doctor`/);
});

test("without any registration doctor names the command that makes one", (t) => {
  const { status, findings } = worldFor(t).findings();
  assert.deepEqual(
    wrong(findings).map(({ run }) => run),
    ["hookline install claude-code"],
  );
  assert.equal(status, 0);
});

test("doctor --fire runs the registered lines of an agent: its events arrive, and no hook runs", async (t) => {
  const world = worldFor(t, {
    "home/.config/hookline/hooks.json": JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: 'touch "$HOME/ran"' }] }] },
    }),
  });
  delete world.environment.HOOKLINE_DAEMON;
  await world.up(); // so that no line starts Node
  assert.equal(world.hookline("install", "codex").status, 0);
  const { findings } = world.findings("--fire");
  // On a busy machine the daemon may answer doctor's own question too late.
  const others = wrong(findings).filter(({ says }) => !says.includes("does not answer"));
  assert.deepEqual(others, []);
  const [, registered = ""] = /good (\d+) of \1 events arrived/.exec(ofAll(findings)) ?? [];
  assert.ok(Number(registered) > 3, ofAll(findings));
  assert.match(ofAll(findings), /guarded ones are blocked where Hookline is gone/);
  assert.ok(!world.has("home/ran"), "the hook ran for a canary");
});

test("[B40] all that keeps a hook's program from starting is named: its script, its execute bit, its line ends, its interpreter", (t) => {
  const world = worldFor(t, {
    "workspace/.hookline/hooks.json": hooksOf(
      "./bare.sh",
      "./none.sh",
      "./windows.sh",
      "./snake.py",
      "no-such-program x",
    ),
    "workspace/bare.sh": "#!/bin/sh\n",
    "workspace/windows.sh": "#!/bin/sh\r\nexit 0\r\n",
    "workspace/snake.py": "#!/usr/bin/env no-such-snake\n",
    "workspace/.hookline/hooks/new.sh": "#!/bin/sh\n#---\n# name: new\n# type: session\n#---\n",
  });
  for (const path of ["bare.sh", ".hookline/hooks/new.sh"]) chmodSync(join(world.workspace, path), 0o644);
  for (const name of ["windows.sh", "snake.py"]) chmodSync(join(world.workspace, name), 0o755);
  const { status, findings } = world.findings();
  assert.equal(status, 1);
  const bare = join(world.workspace, "bare.sh");
  assert.deepEqual(
    findings.filter(({ area }) => area === "programs").map(({ finding, run }) => [finding, run]),
    [
      ["not-executable", `chmod +x ${join(world.workspace, ".hookline", "hooks", "new.sh")}`],
      ["not-executable", `chmod +x ${bare}`],
      ["script-missing", "hookline check"],
      ["line-ends", `sed -i.bak 's/\\r$//' ${join(world.workspace, "windows.sh")}`],
      ["program-missing", "hookline check"],
      ["program-missing", "hookline check"],
    ],
  );
  assert.match(
    ofAll(findings),
    /the program no-such-snake is not on this machine's PATH, and \.\/snake\.py \(\.hookline/,
  );
  assert.match(ofAll(findings), /the program no-such-program is not/);
});

test("doctor --fix sets execute bits and closes the state folder, says what it did, and finds nothing of it again", (t) => {
  const world = worldFor(t, {
    "workspace/.hookline/hooks.json": hooksOf("./bare.sh"),
    "workspace/bare.sh": "#!/bin/sh\n",
    "state/hookline/keep": "",
  });
  chmodSync(join(world.workspace, "bare.sh"), 0o644);
  chmodSync(world.state, 0o755);
  assert.equal(named(world.findings().findings, "state-open").run, `chmod 700 ${world.state}`);
  const { status, findings } = world.findings("--fix");
  assert.equal(status, 0, ofAll(findings));
  assert.equal(named(findings, "not-executable").is, "fixed");
  assert.match(named(findings, "state-open").did ?? "", /mode 700/);
  assert.equal(statSync(world.state).mode & 0o777, 0o700);
  assert.equal(statSync(join(world.workspace, "bare.sh")).mode & 0o111, 0o111);
  assert.deepEqual(
    wrong(world.findings().findings).map(({ finding }) => finding),
    ["no-agent"],
  );
});

test("a broken hook file and broken settings is one finding with a command, and doctor looks at all other areas", (t) =>
  isOneFinding(t, "a broken hook file and broken settings"));

test("looking moves no damaged store aside", (t) => {
  const world = worldFor(t, { "state/hookline/hookline.db": "x".repeat(5_000) });
  chmodSync(world.state, 0o700);
  const { run } = named(world.findings().findings, "store-unusable");
  const file = join(world.state, "hookline.db");
  assert.equal(run, `mv ${file} ${file}.damaged`);
  assert.equal(readFileSync(file, "utf8"), "x".repeat(5_000));
});

test("[R78] a guard that a team's settings would let vanish is named, and --fix registers it", (t) => {
  const world = worldFor(t);
  world.hookline("install", "claude-code", "--layer", "project");
  world.write("workspace/.hookline/hooks.json", JSON.stringify({ deny: ["Bash(git push *)"] }));
  const { findings } = world.findings();
  assert.match(
    named(findings, "guard-vanishes").says,
    /a guard waits for PreToolUse.* lets the call pass where Hookline is gone/,
  );
  assert.equal(world.findings("--fix").status, 0);
  assert.deepEqual(wrong(world.findings().findings), []);
});

test("doctor asks git once where its hooks are", (t) => {
  const world = worldFor(t, {
    "home/bin/git": '#!/bin/sh\necho "$*" >>"$HOME/asked"\nPATH="$REST" exec git "$@"\n',
    "workspace/.hookline/hooks/commit.sh": "#!/bin/bash\n#---\n# type: pre-commit\n#---\n",
  });
  emptyRepository(world.workspace);
  const bin = join(world.folder, "home", "bin");
  for (const program of [join(bin, "git"), join(world.workspace, ".hookline", "hooks", "commit.sh")])
    chmodSync(program, 0o755);
  const rest = world.environment.PATH ?? "";
  Object.assign(world.environment, { REST: rest, PATH: `${bin}${delimiter}${rest}` });
  assert.match(named(world.findings().findings, "git-hook-missing").says, /1 hook for commits/);
  const asked = world.read("home/asked").split("\n");
  assert.equal(asked.filter((words) => words.includes("rev-parse --show-toplevel")).length, 1, asked.join("\n"));
});
