/** What counts of a workspace before and after a person has trusted it (R30, R86), and what a change of it does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { stateFolderOf } from "../../../src/files/paths.ts";
import { loadingFor } from "../../../src/hosts/cli/loaded.ts";
import { type Loaded, loadAll } from "../../../src/loading/loading.ts";
import { contentIn, hashOfAll, type Item } from "../../../src/loading/trust/item.ts";
import { openTrust, type TrustRecords } from "../../../src/loading/trust/records.ts";
import { accessTo } from "../../../src/services/models/names.ts";
import { type Workspace, workspace } from "../workspace.ts";

const settings = (command: string): object => ({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
});
const rule = (reason: string): string =>
  `hooks:\n  - id: no-push\n    event: PreToolUse\n    condition: { type: always }\n    action: { type: gate, reason: "${reason}" }\n`;
const files = {
  "home/project/.git/HEAD": "ref: refs/heads/main\n",
  "home/project/.claude/settings.json": settings("bash .claude/hooks/guard.sh"),
  "home/project/.claude/hooks/guard.sh": "#!/bin/bash\nexit 0\n",
  "home/project/.hookline/rules/team.yaml": rule("their words"),
};

interface Trusting {
  place: Workspace;
  records: TrustRecords;
  state: string;
  load(cwd?: string): Promise<Loaded>;
  items(): Promise<Item[]>;
  /** As a person who says yes to all that is there now. */
  say(): Promise<void>;
  /** The hook of the script, as it is loaded now. */
  script(): Promise<Hook>;
}

function trusting(t: TestContext, more: Record<string, unknown> = {}): Trusting {
  const place = workspace(t, { ...files, ...more });
  const state = join(place.home, "state");
  mkdirSync(state, { mode: 0o700 });
  const records = openTrust(state);
  const managedFolders = { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") };
  const request = { home: place.home, environment: {}, managedFolders, cwd: place.project };
  const load = (cwd = place.project): Promise<Loaded> => loadAll({ ...request, cwd, trust: records }, loadingFor());
  const items = async (): Promise<Item[]> => {
    const seen: Item[] = [];
    await loadAll(
      { ...request, trust: { ...records, saw: (item) => void seen.push(item) }, withoutModules: true },
      loadingFor(),
    );
    return seen;
  };
  const named = async (name: string): Promise<Hook> => {
    const hook = (await load()).set.hooks.find((one) => one.name === name);
    assert.ok(hook, name);
    return hook;
  };
  return {
    ...{ place, records, state, load, items },
    say: async () => records.add(place.project, await items(), Date.now()),
    script: () => named("bash .claude/hooks/guard.sh"),
  };
}

test("[R86] before trust a command of a workspace is in the set and never runs, and a rule that refuses counts with our words", async (t) => {
  const { load } = trusting(t);
  const { set, untrusted } = await load();
  const [rule, script] = [...set.hooks].sort((left, right) => left.name.localeCompare(right.name)).toReversed();
  assert.ok(rule && script);
  assert.match(script.untrusted ?? "", /not trusted/);
  assert.equal(rule.untrusted, undefined);
  assert.deepEqual(rule.on, { event: ["PreToolUse"] });
  assert.doesNotMatch(JSON.stringify(rule.steps), /their words/);
  assert.equal(untrusted.length, 2);
});

test("a folder that nobody can look at, or that has gone since it was trusted, has no hooks of its own, and loading goes on", async (t) => {
  const { load, place, records, say } = trusting(t);
  await say();
  symlinkSync("loop", join(place.home, "loop"));
  const gone = join(place.home, "gone");
  mkdirSync(gone);
  records.add(gone, [], 0);
  rmSync(gone, { recursive: true });
  const folders = [
    "/x\u0000y",
    `/${"a".repeat(300)}`,
    `/${"\u3042".repeat(2_000)}`,
    join(place.home, "loop", "in"),
    gone,
  ];
  for (const cwd of folders) {
    assert.equal(records.of(cwd).items, undefined, cwd);
    assert.equal((await load(cwd)).set.hooks.length, 0, cwd);
  }
});

test("[R86] an allow, a message, a rewrite and a refusal on another event do not count before trust", async (t) => {
  const actions = [
    ["PreToolUse", "{ type: gate, allow: true }"],
    ["PreToolUse", '{ type: inject_message, content: "hello" }'],
    ["PreToolUse", "{ type: transform_params, transformation: { command: ls } }"],
    ["Stop", "{ type: gate, reason: no }"],
    ["PreToolUse", "{ type: shell, command: ls }"],
  ];
  const rules = actions.map(
    ([event, action], index) =>
      `  - { id: r${index}, event: ${event}, condition: { type: always }, action: ${action} }\n`,
  );
  const { load } = trusting(t, { "home/project/.hookline/rules/team.yaml": `hooks:\n${rules.join("")}` });
  const { set, problems } = await load();
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
  const own = set.hooks.filter(({ name }) => /^r\d$/.test(name));
  assert.equal(own.length, actions.length);
  for (const hook of own) assert.match(hook.untrusted ?? "", /not trusted/, hook.name);
});

test("[R86] before trust a rule that asks still asks, and does not refuse", async (t) => {
  const asking = rule("their words").replace("type: gate,", "type: gate, ask: true,");
  const { load } = trusting(t, { "home/project/.hookline/rules/team.yaml": asking });
  const found = (await load()).set.hooks.find(({ name }) => name === "no-push");
  assert.equal(found?.steps[0].with.ask, true);
  assert.doesNotMatch(JSON.stringify(found.steps), /their words/);
});

const listed = {
  "home/project/.hookline/hooks.json": {
    deny: [{ if: "Bash(npm publish *)", reason: "their words", id: "listed" }],
    ask: ["WebFetch"],
    hooks: { PermissionRequest: [{ deny: ["Bash"] }] },
  },
};
const listedIn = ({ set }: Loaded): Hook[] => set.hooks.filter(({ origin }) => origin.file?.endsWith("hooks.json"));

test("[R86] before trust what a hook file denies or asks about counts with our words, and says so", async (t) => {
  const { load } = trusting(t, listed);
  const hooks = listedIn(await load());
  assert.deepEqual(
    hooks.map(({ untrusted, on, when, steps: [{ uses, with: given }] }) => [untrusted, on, when, uses, given.ask]),
    [
      [undefined, { event: ["PreToolUse"] }, { is: "tool", with: "Bash(npm publish *)" }, "gate", undefined],
      [undefined, { event: ["PreToolUse"] }, { is: "tool", with: "WebFetch" }, "gate", true],
      [undefined, { event: ["PermissionRequest"] }, { is: "tool", with: "Bash" }, "gate", undefined],
    ],
  );
  assert.doesNotMatch(JSON.stringify(hooks.map(({ steps }) => steps)), /their words|hooks\.json/);
  assert.ok(hooks.every(({ tags }) => tags.includes("untrusted")));
});

test("[R30] a trusted entry of a list is bound to no file, whatever programs its pattern and reason name", async (t) => {
  const { load, say, place } = trusting(t, { ...listed, "home/project/package.json": { scripts: { publish: "x" } } });
  await say();
  const own = listedIn(await load());
  assert.deepEqual(
    own.map(({ bound, untrusted }) => [bound ?? {}, untrusted]),
    [
      [{}, undefined],
      [{}, undefined],
      [{}, undefined],
    ],
  );
  const path = join(place.project, ".hookline/hooks.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("their words", "new words"));
  const changed = listedIn(await load());
  assert.deepEqual(
    changed.filter(({ steps: [{ with: given }] }) => given.reason === "their words.").map(({ id }) => id),
    [".hookline/hooks.json#trusted-1"],
  );
  assert.doesNotMatch(JSON.stringify(changed), /new words/);
});

test("[R30] a trusted script that becomes a pipe stops its hook, and nothing waits for the pipe", async (t) => {
  const { say, script, place } = trusting(t);
  await say();
  const path = join(place.project, ".claude/hooks/guard.sh");
  rmSync(path);
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  assert.match((await script()).untrusted ?? "", /not what was trusted/);
});

test("[R30] what a person has trusted runs as it is written, and is bound to the bytes of its script", async (t) => {
  const { load, say, script, place } = trusting(t);
  await say();
  const { set, untrusted } = await load();
  assert.deepEqual(untrusted, []);
  assert.equal(
    set.hooks.some((hook) => hook.untrusted !== undefined),
    false,
  );
  assert.deepEqual(Object.keys((await script()).bound ?? {}), [join(place.project, ".claude/hooks/guard.sh")]);
});

test("[R90] what a workspace's hook says is a stranger's also once it is trusted, and what a person's own says is not", async (t) => {
  const { load, say } = trusting(t, { "home/.claude/settings.json": settings("echo mine") });
  const labelled = async (): Promise<[string, boolean][]> =>
    (await load()).set.hooks.map(({ name, foreign }): [string, boolean] => [name, foreign === true]).sort();
  assert.deepEqual(await labelled(), [
    ["bash .claude/hooks/guard.sh", false],
    ["echo mine", false],
    ["no-push", false],
  ]); // before that the one that counts says Hookline's own sentence
  await say();
  assert.deepEqual(await labelled(), [
    ["bash .claude/hooks/guard.sh", true],
    ["echo mine", false],
    ["no-push", true],
  ]);
});

const changes: Readonly<Record<string, (project: string) => void>> = {
  "one byte of the script": (project) => appendFileSync(join(project, ".claude/hooks/guard.sh"), " "),
  "line ends of the script": (project) =>
    writeFileSync(join(project, ".claude/hooks/guard.sh"), "#!/bin/bash\r\nexit 0\r\n"),
  "its execute bit": (project) => chmodSync(join(project, ".claude/hooks/guard.sh"), 0o755),
  "a link with the same bytes": (project) => {
    renameSync(join(project, ".claude/hooks/guard.sh"), join(project, "elsewhere.sh"));
    symlinkSync("../../elsewhere.sh", join(project, ".claude/hooks/guard.sh"));
  },
  "the script removed": (project) => rmSync(join(project, ".claude/hooks/guard.sh")),
  "the matcher of the hook": (project) =>
    writeFileSync(
      join(project, ".claude/settings.json"),
      readFileSync(join(project, ".claude/settings.json"), "utf8").replace("Bash", "Write"),
    ),
};
for (const [name, change] of Object.entries(changes))
  test(`[R30] a trusted hook stops when this changes: ${name}`, async (t) => {
    const { say, script, place } = trusting(t);
    await say();
    assert.equal((await script()).untrusted, undefined);
    change(place.project);
    assert.match((await script()).untrusted ?? "", /not what was trusted/);
  });

test("[R86] content that was trusted before stays trusted, so a switch between two branches asks once for each", async (t) => {
  const { say, script, place } = trusting(t);
  const path = join(place.project, ".claude/hooks/guard.sh");
  await say();
  writeFileSync(path, "#!/bin/bash\nexit 2\n");
  assert.notEqual((await script()).untrusted, undefined);
  await say();
  for (const text of ["#!/bin/bash\nexit 0\n", "#!/bin/bash\nexit 2\n"]) {
    writeFileSync(path, text);
    assert.equal((await script()).untrusted, undefined, text);
  }
});

test("[R46] a trusted guard does not lapse when it is changed: a refusal stays as it was trusted, a program fails by its policy", async (t) => {
  const guard = (command: string, matcher: string): object => ({
    hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command, name: "g", role: "guard" }] }] },
  });
  const { say, load, place } = trusting(t, { "home/project/.hookline/hooks.json": guard("true", "Bash") });
  await say();
  place.write("home/project/.hookline/hooks.json", guard("false", "NoSuchTool"));
  place.write(
    "home/project/.hookline/rules/team.yaml",
    rule("new words").replace("always", "tool_name, name: Nothing"),
  );
  const { set } = await load();
  const program = set.hooks.find(({ name, untrusted }) => name === "g" && untrusted === undefined);
  assert.equal(program?.steps[0].uses, "invalid");
  assert.match(JSON.stringify(program?.when), /Bash/);
  assert.equal(program?.onFailure, "block");
  const refusals = set.hooks.filter(({ name }) => name === "no-push");
  assert.deepEqual(refusals.filter(({ steps: [{ with: given }] }) => given.reason === "their words").length, 1);
  assert.equal(JSON.stringify(refusals).includes("new words"), false);
});

test("a trusted refusal that is made to report only stays a refusal until that is trusted too", async (t) => {
  const { say, load, place } = trusting(t);
  const counted = async (): Promise<(true | undefined)[]> =>
    (await load()).set.hooks
      .filter(({ name, untrusted }) => name === "no-push" && untrusted === undefined)
      .map(({ report }) => report);
  await say();
  place.write(
    "home/project/.hookline/rules/team.yaml",
    rule("their words").replace(/^( +)event:/m, "$1report: true\n$1event:"),
  );
  assert.deepEqual((await counted()).sort(), [true, undefined]);
  await say();
  assert.deepEqual(await counted(), [true]);
});

test("[R46] a trusted guard without a name stays one when its command is changed, and one that a person took out is gone", async (t) => {
  const guard = (command: string): object => ({ type: "command", command, role: "guard" });
  const of = (...all: object[]): object => ({ hooks: { PreToolUse: [{ hooks: all }] } });
  const { say, load, place } = trusting(t, { "home/project/.hookline/hooks.json": of(guard("one"), guard("two")) });
  await say();
  const failing = async (): Promise<string[]> =>
    (await load()).set.hooks.filter(({ steps: [{ uses }] }) => uses === "invalid").map(({ name }) => name);
  place.write("home/project/.hookline/hooks.json", of(guard("one"), guard("exit 0")));
  assert.deepEqual(await failing(), ["two"]);
  await say();
  assert.deepEqual(await failing(), []);
  place.write("home/project/.hookline/hooks.json", of(guard("one")));
  assert.deepEqual(await failing(), []);
});

test("[R30] trust does not go over to a folder that was made anew at the same place", async (t) => {
  const { say, script, place } = trusting(t);
  await say();
  cpSync(place.project, `${place.project}-copy`, { recursive: true });
  rmSync(place.project, { recursive: true });
  renameSync(`${place.project}-copy`, place.project);
  assert.match((await script()).untrusted ?? "", /not trusted/);
});

test("[R30] a linked worktree has the trust of the main one while its content is the same, and a folder that only claims to be one has not", async (t) => {
  const { say, load, place } = trusting(t);
  const git = (...words: string[]): void => {
    const own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...words];
    const { status, stderr } = spawnSync("git", own, { cwd: place.project, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };
  rmSync(join(place.project, ".git"), { recursive: true });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "start");
  git("worktree", "add", "-q", "../linked");
  await say();
  const linked = join(place.home, "linked");
  const claims = join(place.home, "claims");
  mkdirSync(claims);
  cpSync(linked, claims, { recursive: true });
  assert.deepEqual((await load(linked)).untrusted, []);
  assert.equal((await load(claims)).untrusted.length, 2);
  // It brings the files that git keeps for a worktree, and they name the main one.
  writeFileSync(join(claims, ".git"), "gitdir: ./kept\n");
  mkdirSync(join(claims, "kept"));
  writeFileSync(join(claims, "kept/commondir"), `${join(place.project, ".git")}\n`);
  writeFileSync(join(claims, "kept/gitdir"), "../.git\n");
  assert.equal((await load(claims)).untrusted.length, 2);
  rmSync(join(claims, ".git"));
  symlinkSync(join(linked, ".git"), join(claims, ".git"));
  assert.equal((await load(claims)).untrusted.length, 2);
  appendFileSync(join(linked, ".claude/hooks/guard.sh"), "exit 1\n");
  assert.equal((await load(linked)).untrusted.length, 1);
});

test("a text that looks like the mark of the workspace in JSON is read as it was written", async (t) => {
  const { place, items } = trusting(t);
  const command = `echo \\u0001workspace ${place.project}/x`;
  place.write("home/project/.claude/settings.json", settings(command));
  const item = (await items()).find(({ file }) => file.endsWith("settings.json"));
  assert.ok(item);
  assert.ok(JSON.stringify(contentIn(place.project, item.definition)).includes(JSON.stringify(command)));
});

test("a state folder that is relative does not count: a repository would bring its own trust", () => {
  assert.equal(stateFolderOf("/home/a", { XDG_STATE_HOME: "state" }), "/home/a/.local/state/hookline");
  assert.equal(stateFolderOf("/home/a", { XDG_STATE_HOME: "/state" }), "/state/hookline");
});

test("[R30] the hash of a folder is the same in each clone, so that a machine can be told of it", async (t) => {
  const [one, other] = [trusting(t), trusting(t)];
  assert.equal(hashOfAll(await one.items()), hashOfAll(await other.items()));
});

const spoiled: Readonly<Record<string, (file: string) => void>> = {
  damaged: (file) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -20)),
  "readable by others": (file) => chmodSync(file, 0o644),
  "written by a newer Hookline": (file) =>
    writeFileSync(file, readFileSync(file, "utf8").replace('"version":1', '"version":2')),
  empty: (file) => writeFileSync(file, ""),
};
for (const [name, spoil] of Object.entries(spoiled))
  test(`[F12] a record that is ${name} trusts nothing, and a problem says so`, async (t) => {
    const { say, script, load, state } = trusting(t);
    await say();
    const folder = join(state, "trust");
    for (const file of readdirSync(folder)) if (file.endsWith(".json")) spoil(join(folder, file));
    assert.match((await script()).untrusted ?? "", /not trusted/);
    const { problems } = await load();
    assert.ok(
      problems.some(({ message }) => message.includes("is not believed")),
      JSON.stringify(problems),
    );
  });

test("[R29] settings, an override of the user's hooks and a module wait for trust, too", async (t) => {
  const stops = (command: string): object => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
  const { load, say, items, place } = trusting(t, {
    "home/.gen/settings.json": stops("mine"),
    "home/project/.gen/settings.json": stops("theirs"),
    "home/project/hookline.yaml": "mcp_servers:\n  tools: { command: ./server.sh }\n",
    "home/project/hookline.config.mjs":
      'import "./part.mjs"; export default [{ on: "Stop", name: "stranger", run() {} }];\n',
    "home/project/part.mjs":
      'import { writeFileSync } from "node:fs"; writeFileSync(new URL("ran", import.meta.url), "");\n',
  });
  const before = await load();
  assert.deepEqual(
    before.problems.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(before.set.hooks.some(({ name }) => name === "mine"));
  assert.deepEqual(before.config.mcpServers, {});
  assert.equal(existsSync(join(place.project, "ran")), false);
  assert.ok(before.problems.some(({ code }) => code === "untrusted"));
  const kinds = (await items()).map(({ kind }) => kind);
  for (const kind of ["module", "settings", "override", "hook"])
    assert.ok(
      kinds.some((one) => one === kind),
      kind,
    );
  await say();
  const after = await load();
  assert.equal(
    after.set.hooks.some(({ name }) => name === "mine"),
    false,
  );
  assert.deepEqual(Object.keys(after.config.mcpServers), ["tools"]);
  assert.equal(existsSync(join(place.project, "ran")), true);
  assert.ok(after.set.hooks.some(({ name }) => name === "stranger"));
});

test("[R30] files below node_modules or in a vendored folder of a repository are nobody's hooks", async (t) => {
  const { load, say, place } = trusting(t, {
    "home/project/node_modules/pkg/.claude/settings.json": settings("echo package"),
    "home/project/vendor/lib/.claude/settings.json": settings("echo vendored"),
  });
  await say();
  for (const folder of ["node_modules/pkg", "vendor/lib"]) {
    const { set } = await load(join(place.project, folder));
    assert.equal(
      set.hooks.some(({ name }) => name.startsWith("echo")),
      false,
      folder,
    );
    assert.ok(
      set.hooks.some(({ name }) => name === "no-push"),
      folder,
    );
  }
});

test("[R76] a file of a stranger's that cannot be read stands for no guard, and one of a folder that a person knows does", async (t) => {
  const { load, say, place } = trusting(t);
  const broken = async (): Promise<boolean> => (await load()).files.some((file) => file.broken !== undefined);
  place.write("home/project/.hookline/rules/team.yaml", "hooks: [");
  assert.equal(await broken(), false);
  await say();
  assert.equal(await broken(), true);
});

test("[SD9, T21] what a trusted project's file names may lead to less than what the user's own file names", async (t) => {
  const servers = "mcp_servers:\n  wiki: { url: http://10.0.0.1/mcp }\n";
  const providers = (name: string) =>
    `models:\n  providers:\n    ${name}: { kind: openai-compatible, url: http://10.0.0.1/v1 }\n`;
  const { load, say } = trusting(t, {
    "home/.config/hookline/config.yaml": servers.replace("wiki", "mine") + providers("house"),
    "home/project/hookline.yaml": servers + providers("theirs"),
  });
  await say();
  const { config, userConfig } = await load();
  const isOfProject = (one: object | undefined): boolean => one !== undefined && "ofProject" in one;
  assert.deepEqual(
    [
      config.mcpServers.mine,
      config.mcpServers.wiki,
      config.models.providers?.house,
      config.models.providers?.theirs,
    ].map(isOfProject),
    [false, true, false, true],
  );
  assert.deepEqual(Object.keys(userConfig.mcpServers), ["mine"]);
  const reach = (name: string) => accessTo(`${name}/some`, config.models, {}).reach;
  assert.deepEqual([reach("house"), reach("theirs")], ["internal", "public"]);
});
