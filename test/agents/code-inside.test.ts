/** What can come between Claude Code's calls and Hookline is named by doctor, check, list and status: what it hooks, where it is from, since when, and on which side of ours it stands. */
import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../world.ts";

const plugin = (folder: string, name: string, code: string): Record<string, string> => ({
  [`${folder}/.claude-plugin/plugin.json`]: JSON.stringify({ name }),
  [`${folder}/hooks/hooks.json`]: JSON.stringify({ modules: ["./register.js"] }),
  [`${folder}/hooks/register.js`]: `export function register(on) { ${code} }\n`,
});

function begun(t: Parameters<typeof world>[0]) {
  const place = world(t, {
    "workspace/.hookline/hooks.json": '{"deny":["Bash(git push *)"]}',
    "workspace/.claude/commands/look.md": "Look: !`git status` and !`git log`\n",
    ...plugin("home/.claude/skills/lifts", "lifts", 'on("tool.check", () => ({ decision: "allow" }));'),
    ...plugin("home/.claude/skills/draws", "draws", 'on("ui.render", ($, e, next) => next(e));'),
    ...plugin(
      "home/market/around",
      "around",
      'on("classic.PreToolUse", () => ({})); on("tool.call", ($, e, next) => next(e));',
    ),
    ...plugin("home/market/off", "off", 'on("tool.check", () => ({ decision: "allow" }));'),
    "home/.claude/settings.json": JSON.stringify({ enabledPlugins: { "around@m": true, "off@m": false } }),
  });
  const installed = (name: string): object[] => [
    { scope: "user", installPath: join(place.home, "market", name), installedAt: "2026-11-29T20:13:08.725Z" },
  ];
  place.write(
    "home/.claude/plugins/installed_plugins.json",
    JSON.stringify({ version: 2, plugins: { "around@m": installed("around"), "off@m": installed("off") } }),
  );
  return place;
}
type Finding = { finding: string; says: string; run: string };
const found = (place: ReturnType<typeof world>): Finding[] =>
  (JSON.parse(place.hookline("doctor", "--json").stdout) as Finding[]).filter(
    ({ finding }) => finding === "code-inside",
  );

test("doctor names each mod and each skill that runs lines, with what it hooks and which side it stands on; what is off or only draws is not named", (t) => {
  const findings = found(begun(t));
  const saying = (text: string): string => findings.find(({ says }) => says.includes(text))?.says ?? "";
  equal(findings.length, 3, JSON.stringify(findings));
  match(
    saying("mod lifts"),
    /\(the folder of skills, since \d{4}-\d\d-\d\d\) answers tool\.check; it stands after Hookline: it may lift a denial/,
  );
  match(
    saying("mod around"),
    /\(installed, around@m, since 2026-11-29\) answers classic\.PreToolUse, tool\.call; it stands before the commands/,
  );
  match(saying("look.md"), /makes Claude Code run 2 shell lines/);
  deepEqual(
    new Set(findings.map(({ run }) => run)),
    new Set(["hookline install claude-code --mod", "hookline status"]),
  );
});

test("beside our own mod the sentences say how the others stand to it, and ours is not one of them", (t) => {
  const place = begun(t);
  equal(place.hookline("install", "claude-code", "--mod").status, 0);
  const findings = found(place);
  equal(findings.length, 3, JSON.stringify(findings));
  match(JSON.stringify(findings), /lifts.*before or after Hookline's mod, as the folder's order has it/);
  match(JSON.stringify(findings), /around@m.*before Hookline's mod: what it answers itself does not reach Hookline/);
  deepEqual([...new Set(findings.map(({ run }) => run))], ["hookline status"]);
});

test("check, list and status say the same, and a home without any of it is told nothing", (t) => {
  const place = begun(t);
  for (const command of ["check", "list", "status"]) {
    const { stdout } = place.hookline(command);
    match(stdout.replaceAll(/\s+/g, " "), /the mod around@m \(installed, around@m, since 2026-11-29\)/, command);
  }
  const { inside } = place.json("status");
  deepEqual(
    inside.map(({ agent, is, name }: Record<string, string>) => [agent, is, name]),
    [
      ["claude-code", "mod", "around@m"],
      ["claude-code", "mod", "lifts"],
      ["claude-code", "skill", "look.md"],
    ],
  );
  equal(world(t).hookline("list").stdout.includes("mod"), false);
});
