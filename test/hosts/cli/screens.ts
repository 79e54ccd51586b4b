/** A sample with a denial, a failure, a foreign script and an emoji, and what commands show of it in a real terminal. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Run } from "../../../src/engine/record.ts";
import { widthOf } from "../../../src/hosts/cli/width.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { bin, codeCache } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export const skip: string | false = !hasTmux && "tmux is not installed";

const guard = `hooks:
  - id: no_force_push
    on: tool_start
    condition: { type: tool_name, match: Bash }
    action: { type: gate, reason: "Force pushes rewrite what others have. Push without --force, or ask a person to do it." }
  - id: 提交前检查
    on: tool_start
    condition: { type: tool_name, match: Write }
    action: { type: inject_message, content: "✅ 请先运行测试" }
`;

const settings = {
  hooks: { PostToolUse: [{ matcher: "Write|Edit", hooks: [{ type: "command", command: "npx prettier --check ." }] }] },
};

const push = JSON.stringify({ tool_name: "Bash", tool_input: { command: "git push --force origin main" } });

/** Each with a name for its part of the screen. */
const commands: readonly (readonly [name: string, line: string])[] = [
  ["hookline", "hookline"],
  ["help", "hookline help"],
  ["help of a command", "hookline runs --help"],
  ["help of an action", "hookline task create --help"],
  ["a typo", "hookline tial"],
  ["list", "hookline list"],
  ["list of an empty project", "hookline list --cwd ../empty"],
  ["check", "hookline check"],
  ["explain", `hookline explain PreToolUse --data '${push}'`],
  ["runs", "hookline runs"],
  ["runs show", "hookline runs show 01run0000000a"],
  ["an unknown hook", "hookline runs --hook no_force"],
  ["an ambiguous id", "hookline why 01run"],
  ["why", "hookline why 01run0000000a"],
  ["follow-ups", "hookline follow-ups list"],
  ["guards", "hookline guard list"],
  ["status", "hookline status"],
  ["no automation", "hookline automation list"],
];

const minute = 60_000;

function sample(t: TestContext): { folder: string; environment: Record<string, string> } {
  const folder = temporaryFolder(t);
  const files = {
    "home/shop/.hookline/rules/guard.yaml": guard,
    "home/shop/.hookline/hooks.json": JSON.stringify(settings, null, 2),
    "home/shop/.hookline/rules/broken.yaml":
      "hooks:\n  - id: x\n    on: tool_strat\n    condition: { type: always }\n    action: { type: gate, reason: no }\n",
    "home/empty/README.md": "",
    "bin/hookline": `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  fill(join(folder, "home", "state", "hookline", "hookline.db"), join(folder, "home", "shop"));
  const environment = {
    ...{ NODE_COMPILE_CACHE: codeCache, PATH: `${join(folder, "bin")}:/usr/bin:/bin`, HOME: join(folder, "home") },
    ...{ XDG_STATE_HOME: join(folder, "home", "state"), HOOKLINE_DAEMON: "off", LC_ALL: "C.UTF-8", TZ: "UTC" },
    TMUX_TMPDIR: folder,
  };
  return { folder, environment };
}

/** Times are long ago enough that a slow machine shows the same. */
function fill(path: string, cwd: string): void {
  const store = openSqliteStore({ path });
  const now = Date.now();
  const event = {
    id: "01event000000",
    name: "PreToolUse",
    at: now - 95 * minute,
    cwd,
    sender: "claude-code",
    session: "s1",
  } as const;
  store.record({ ...event, data: JSON.parse(push) }, { id: "set", hooks: [] }, (_event, turn) => turn);
  const common = {
    ...{
      eventId: event.id,
      eventName: event.name,
      session: "s1",
      cause: "event:PreToolUse",
      steps: [],
      notes: [],
      asked: 1,
    },
    ...{ hook: "rules:guard", hookName: "no_force_push", startedAt: event.at, ms: 12, status: "completed" },
  } satisfies Partial<Run>;
  const reason = "Force pushes rewrite what others have. Push without --force, or ask a person to do it.";
  const failure =
    "exit 2: Code style issues found in 3 files. Run Prettier with --write to fix them: src/server.js, src/routes.js, test/health.test.js";
  const rows: readonly Partial<Run>[] = [
    { id: "01run0000000a", outcome: { verdict: { is: "deny", reason, by: "no_force_push" } } },
    {
      id: "01run0000000b",
      hook: "settings:1",
      hookName: "npx prettier --check .",
      status: "failed",
      reason: failure,
      ms: 1840,
    },
    {
      id: "01run0000000c",
      hook: "rules:2",
      hookName: "提交前检查",
      outcome: { context: ["✅ 请先运行测试，然后再提交代码。"] },
    },
    {
      id: "01run0000000d",
      hook: "rules:3",
      hookName: "may_write",
      outcome: { verdict: { is: "ask", reason: "may I write?", by: "may_write" } },
    },
    { id: "01run0000000e", hook: "rules:4", hookName: "slow", status: "skipped", reason: "cooldown", asked: 0 },
  ];
  for (const row of rows) store.saveRun({ ...common, ...row, id: row.id ?? "" });
  store.answered(event.id, { verdict: { is: "deny", reason, by: "no_force_push" } }, 14);
  store.close();
}

/** The commands one after another in one terminal, and all that it shows. */
export async function screens(
  t: TestContext,
  { columns, lines, names }: { columns: number; lines: number; names?: readonly string[] },
): Promise<Map<string, string>> {
  const chosen = commands.filter(([name]) => names?.includes(name) ?? true);
  const { folder, environment } = sample(t);
  const script = chosen.map(([name, line]) => `printf '\\n=== %s\\n' '${name}'; ${line}`).join("\n");
  writeFileSync(join(folder, "all.sh"), `trap : INT\ncd "$HOME/shop"\n${script}\nprintf '\\n=== end\\n'\n`);
  const tmux = (...words: string[]) =>
    spawnSync("tmux", ["-f", "/dev/null", ...words], { env: environment, encoding: "utf8" });
  const shown = `sh '${join(folder, "all.sh")}'; tmux wait-for -S done; cat`;
  tmux(
    "set-option",
    "-g",
    "history-limit",
    "5000",
    ";",
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    String(lines),
    shown,
  );
  await once(spawn("tmux", ["-f", "/dev/null", "wait-for", "done"], { env: environment }), "exit");
  const text = tmux("capture-pane", "-p", "-S", "-", "-E", "-").stdout;
  tmux("kill-server"); // while its folder is there
  const parts = text.split(/^=== (.*)\n/m);
  return new Map(chosen.map(([name]) => [name, readable(parts[parts.indexOf(name) + 1] ?? "")]));
}

/** Without what differs from one machine to another. */
const readable = (text: string): string =>
  `${text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}\/\d{1,2}\/\d{4}, [\d:]+ [AP]M/g, "TIME")
    .replaceAll(/\d+ kB/g, "N kB")
    .trimEnd()}\n`;

export const kept = (columns: number, lines: number): string =>
  join(import.meta.dirname, "..", "..", "fixtures", "screens", `${columns}x${lines}.txt`);

export const tooWide = (text: string, columns: number): string[] =>
  text.split("\n").filter((line) => widthOf(line) > columns);
