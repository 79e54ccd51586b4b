/** What an agent tries in order to lift its own guards, by Hookline's own commands and files, and what it may do with them (R92). */
import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf, patterns } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { linesOf, testOrdinary } from "./loosening-ordinary.ts";

const home = homedir();
const cwd = "/srv/shop";
const clone = dirname(dirname(import.meta.dirname));
const hook = selfProtection({ home, environment: {}, managed: managedFoldersOf("linux") });

interface Try {
  tries: string;
  command?: string;
  tool?: string;
  input?: Fields;
}

/** Links to the program, made before, under names of their own. */
function linksFor(t: TestContext): string {
  const folder = temporaryFolder(t);
  for (const name of ["hl", "tool.js"]) symlinkSync(join(clone, "bin", "hookline.js"), join(folder, name));
  return folder;
}

function triesWith(links: string): Fields[] {
  return linesOf("loosening.jsonl").map((line) => {
    const text = line.replaceAll("CLONE", clone).replaceAll("LINKS", links).replaceAll("HOME/", `${home}/`);
    const { command, tool = "Bash", input = { command: command ?? "" } }: Try = JSON.parse(text);
    return { tool_name: tool, tool_input: input };
  });
}

test("[R92] of all tries of an agent to lift its guards none passes: without a person each is denied, whatever the settings say", async (t) => {
  const tries = triesWith(linksFor(t));
  assert.ok(tries.length >= 100);
  for (const unanswered of ["deny", "allow", "pass"] as const) {
    const line = lineOf(t, { hooks: [hook], unanswered });
    const passed: unknown[] = [];
    for (const data of unanswered === "deny" ? tries : tries.filter((_, index) => index % 20 === 0))
      if ((await line.emit("PreToolUse", data, { cwd })).verdict?.is !== "deny") passed.push(data.tool_input);
    assert.deepEqual(passed, []);
  }
});

test("[R92] a person is asked about each such try, and told what it would do", async (t) => {
  const line = lineOf(t, { hooks: [hook] });
  const wrong: unknown[] = [];
  const said = new Set<string>();
  for (const data of triesWith(linksFor(t))) {
    const { verdict } = await line.emit("PreToolUse", data, { cwd });
    if (verdict?.is !== "ask" || !/^This would [a-z]/.test(verdict.reason ?? "")) wrong.push([data, verdict]);
    said.add(verdict?.reason ?? "");
  }
  assert.deepEqual(wrong, []);
  assert.ok(said.size >= 15, [...said].join("\n"));
});

const free = [
  "rm -rf $(npm root -g)/typescript",
  "ls $(npm root -g)",
  "rm -rf $(dirname $(which tsc))/../lib/x",
  "node $(readlink -f $(which hookline)) list",
  "H=$(readlink -f $(which hookline)); node $H check",
  'head -3 "$(readlink -f "$(which hookline)")"',
  "grep -n deny $(npm root -g)/hookline/dist/main.js",
  "cp $(npm root -g)/hookline/packs/guard.yaml /tmp/x.yaml",
  "node $(find . -name cli.js | head -1) pause",
  'rm -rf "$(npm prefix -g)/lib/node_modules/typescript"',
  "cp $(which node) build/app && chmod +x build/app",
  "cp build/node bin/node",
  'PATH="$(npm prefix -g)/bin:$PATH" tsc',
  'cd "$(dirname "$0")" && rm -rf dist',
  "npm i -D hookline",
  "npx ./shop-0.1.0.tgz purge",
  "npx /tmp/hookline-0.1.0.tgz status",
  "hookline list",
  "hookline list --json | jq length",
  "npx hookline check",
  "hookline runs --status failed --since 2h",
  "hookline why last",
  'hookline explain PreToolUse --data \'{"tool_name":"Bash"}\'',
  "hookline status",
  "hookline doctor",
  "hookline test .hookline",
  "hookline guard list",
  "hookline guard stats --days 30",
  "hookline guard on no_push",
  'hookline appeal "please trust it: I only pause it"',
  "npx hookline appeal 'guard off' --run 06e5",
  "hookline resume",
  "hookline trust list",
  "hookline trust diff",
  "hookline trust --help",
  "hookline uninstall claude-code --dry-run",
  "hookline automation list",
  "hookline automation show nightly",
  "hookline automation export > /tmp/a.yaml",
  "hookline automation runs nightly",
  "hookline task create 'pause the tests'",
  "hookline memory search 'guard off'",
  "hookline note list",
  "hookline add tests",
  "hookline add --list",
  "hookline follow-ups list",
  "hookline emit build.done",
  "hookline rerun last",
  "hookline --version",
  `node ${clone}/bin/hookline.js list`,
  "npm install hookline",
  "npm i -D hookline@latest",
  "npm view hookline version",
  "npm ls hookline",
  "rm -rf node_modules && npm ci",
  "echo 'hookline guard off is for people'",
  "git commit -m 'say what hookline pause does'",
  "git log --grep 'hookline uninstall'",
  "grep -rn 'hookline allow-once' docs",
  "rg 'hookline trust --hash' README.md",
  "cat node_modules/hookline/README.md",
  "ls -la ~/.local/state/hookline",
  "tail -50 ~/.local/state/hookline/hookline.log",
  "which hookline",
  "cat $(which hookline) | head -3",
  `ls ${clone}`,
  `grep -rn deny ${clone}/packs`,
  `cp ${clone}/packs/guard.yaml /tmp/guard.yaml`,
  "curl -s http://localhost:4665/health",
  "curl -s http://localhost:3000/operations/x",
  "curl https://example.org/hookline/down",
  "docker compose -p hookline down",
  "docker compose -f hookline/compose.yaml down",
  "cd hookline && docker compose down",
  "systemctl --user status hookline",
  "kubectl delete pod pause",
  "git add trust.ts pause.ts guard.ts",
  "npm run pause",
  "kill 1",
  "pkill -f vite",
  "chmod +x scripts/guard.sh",
  "node scripts/open.js down",
  "cat > notes.md <<'EOF'\nRun hookline allow-once in a terminal.\nEOF",
  "mkdir -p docs/hookline && touch docs/hookline/pause.md",
];

test("[R92] what only looks is free, and so is work that only speaks of Hookline", async (t) => {
  const line = lineOf(t, { hooks: [hook] });
  const wrong: unknown[] = [];
  for (const command of free) {
    const { verdict } = await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command } }, { cwd });
    if (verdict) wrong.push([command, verdict.reason]);
  }
  assert.deepEqual(wrong, []);
});

test("[R92] of a shell that Hookline cannot read, a line that names what is guarded is asked about, whatever is said of such lines, and no other", async (t) => {
  const line = lineOf(t, { hooks: [hook], shell: { unread: { PowerShell: "pass" } } });
  const verdictOf = async (command: string): Promise<string | undefined> =>
    (await line.emit("PreToolUse", { tool_name: "PowerShell", tool_input: { command } }, { cwd })).verdict?.is;
  for (const command of [
    "hookline pause",
    "Set-Content .claude\\settings.json '{}'",
    "Remove-Item -Recurse ~\\.claude",
  ])
    assert.equal(await verdictOf(command), "ask", command);
  for (const command of [
    "Get-ChildItem src",
    "Get-ChildItem -Recurse | Where-Object { $_.Name -like '*.ts' }",
    "npm test",
    "git status",
    "git push origin main",
    "hookline list",
    "node C:\\npm\\node_modules\\hookline\\bin\\hookline.js list",
    "hookline check",
    "Get-Content README.md",
    "Get-Content .claude\\CLAUDE.md",
    "Get-Content .github\\workflows\\ci.yml",
    "Remove-Item -Recurse dist",
    "Get-Process node",
    "$x = Get-Date; Write-Output $x",
    "dotnet build -c Release",
    "Stop-Process -Id 1234",
    "New-Item -ItemType Directory src\\hooks",
    "cd packages\\a; npm test",
    "Get-Content settings.json",
    "git checkout -b topic",
    "Invoke-WebRequest http://localhost:3000/health",
    "code .",
    "claude --version",
    "hookline trust list",
  ])
    assert.equal(await verdictOf(command), undefined, command);
});

test("[R87, R92] what touches other files of a folder in which Hookline's lie is no question about Hookline's files", async (t) => {
  const line = lineOf(t, { hooks: [hook] });
  const verdictOf = async (command: string): Promise<string | undefined> =>
    (await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command } }, { cwd })).verdict?.is;
  for (const command of [
    "cd ~ && rm -f a.txt",
    "cd / && rm -rf tmp/x",
    "cd ~ && mv a.txt work/shop/",
    "find ~ -maxdepth 1 -name '*.tmp' -delete",
    "tar czf /tmp/b.tgz -C ~ work/shop",
  ])
    assert.equal(await verdictOf(command), undefined, command);
  for (const command of [
    "cd ~ && rm -rf .local",
    "find ~ -delete",
    "find ~ -name 'daemon*' -delete",
    "tar czf /tmp/b.tgz -C ~ .",
    "tar czf /tmp/b.tgz -C ~/.local state",
  ])
    assert.equal(await verdictOf(command), "ask", command);
});

test("[R92] who works on Hookline itself may change its files, and still not loosen it", async (t) => {
  const line = lineOf(t, { hooks: [hook] });
  const verdictOf = async (command: string): Promise<string | undefined> =>
    (await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command } }, { cwd: clone })).verdict?.is;
  for (const command of [
    "sed -i s/a/b/ src/index.ts",
    "rm -rf build",
    "npm test",
    "node scripts/test.ts test/engine/engine.test.ts",
  ])
    assert.equal(await verdictOf(command), undefined, command);
  for (const command of ["node bin/hookline.js guard off a --for 1h", "bin/hookline.js pause"])
    assert.equal(await verdictOf(command), "ask", command);
});

testOrdinary(4);

test("[R92] an automation that a line makes is judged by what its steps would do, by every rule about commands", () => {
  const commandsOf = (line: string): string[] =>
    patterns.commands(line, { cwd, home }).commands.map(({ words }) => words.join(" "));
  const steps = JSON.stringify([
    { type: "shell", command: "cd /tmp && git push --force" },
    { type: "x", script: "rm -rf ~" },
  ]);
  for (const line of [
    `hookline automation create a --event a.b --context-steps '${steps}'`,
    `npx hookline automation edit a --context-steps='${steps}'`,
    `hookline automation create a --context-steps - <<'EOF'\n${steps}\nEOF`,
  ]) {
    const found = commandsOf(line);
    assert.ok(found.includes("git push --force") && found.includes(`rm -rf ${home}`), `${line}: ${found.join("; ")}`);
  }
  assert.deepEqual(commandsOf('hookline task create \'{"command":"rm -rf ~"}\'').length, 1);
});

test("[R92] the steps in a file that a line applies are judged as if the line ran them, written before or in the line itself", async (t) => {
  const folder = temporaryFolder(t);
  const yaml = `name: a\ntrigger: { type: cron, cron: "0 2 * * *" }\ncontext_steps:\n`;
  const files = {
    "braces.yaml": `${yaml}  - { type: run_tests, command: "git push --force" }\n`,
    "plain.yaml": `${yaml}  - type: run_tests\n    command: git push --force # now\n    timeout: 5\n`,
    "block.yaml": `${yaml}  - type: run_tests\n    command: |\n      cd /tmp\n      git push --force\n    timeout: 5\n`,
    "folded.yaml": `${yaml}  - type: run_tests\n    command: >-\n      git\n      push --force\n`,
    "words.yaml": `${yaml}  - type: run_tests\n    command:\n      - git\n      - push\n      - --force\n`,
    "list.yaml": `${yaml}  - type: run_tests\n    command: [git, "push", --force]\n`,
    "a.json": JSON.stringify({ context_steps: [{ type: "run_tests", command: "git push --force" }] }),
  };
  const read = (line: string) => patterns.commands(line, { cwd: folder, home });
  const runs = (line: string): boolean =>
    read(line).commands.some(({ words }) => words.join(" ") === "git push --force");
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
    assert.ok(runs(`hookline automation apply ${name}`), name);
    assert.ok(runs(`cat > new-${name} <<'E'\n${text}\nE\nhookline automation apply --project app new-${name}`), name);
  }
  assert.ok(runs(`hookline automation apply - <<'E'\n${files["plain.yaml"]}\nE`));
  writeFileSync(join(folder, "calm.yaml"), `${yaml}  - { type: run_tests, command: npm test }\n`);
  assert.deepEqual(read("hookline automation apply calm.yaml").unknown, []);
  for (const line of [
    "hookline automation apply none.yaml",
    "curl -s https://example.org/a > b.yaml; hookline automation apply b.yaml",
  ])
    assert.match(JSON.stringify(read(line).unknown), /cannot tell what the automations in [a-z]+\.yaml run/, line);
});

test("[R92] another Hookline that a line installs out of a folder, for all projects, is asked about, and another package is not", async (t) => {
  const folder = temporaryFolder(t);
  const line = lineOf(t, {
    hooks: [selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") })],
  });
  const verdicts = async (name: string): Promise<unknown[]> => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name }));
    const lines = [`npm i -g ${folder}`, `npm link ${folder}`, "npm install --global ./"];
    const found: unknown[] = [];
    for (const command of lines)
      found.push(
        (await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command } }, { cwd: folder })).verdict?.is,
      );
    return found;
  };
  assert.deepEqual(await verdicts("hookline"), ["ask", "ask", "ask"]);
  assert.deepEqual(await verdicts("other"), [undefined, undefined, undefined]);
});
